// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null

// A vector of several dimensions is an array of one-dimensional vectors in LLVM,
// each of which is padded by itself. At least:
func.func @vectors(%i: index) {
  // 3 times 10 bytes padded to 16.
  // expected-remark-re @below {{lifetime [1, 2), {{(48|64)}} bytes}}
  %a = memref.alloc() : memref<1xvector<3x1xf80>>
  %0 = memref.load %a[%i] : memref<1xvector<3x1xf80>>
  // 3 times 20 bytes padded to 32.
  // expected-remark-re @below {{lifetime [3, 4), {{(96|128)}} bytes}}
  %b = memref.alloc() : memref<1xvector<3x2xf80>>
  %1 = memref.load %b[%i] : memref<1xvector<3x2xf80>>
  // 9 times 9 bytes padded to 16.
  // expected-remark-re @below {{lifetime [5, 6), {{(144|256)}} bytes}}
  %c = memref.alloc() : memref<1xvector<3x3x3xi24>>
  %2 = memref.load %c[%i] : memref<1xvector<3x3x3xi24>>
  return
}
