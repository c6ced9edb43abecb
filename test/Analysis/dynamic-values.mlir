// RUN: buffer-merge-opt %s --buffer-lifetimes="in-place=false dynamic=bounded" --verify-diagnostics=only-expected -o /dev/null

// The values of allocations whose sizes are bounded.

!m = memref<?xf32>
#bound = affine_map<(d0) -> (64, d0)>

func.func @values(%n: index, %x: f32, %i: index) {
  %s = affine.min #bound(%n)
  // expected-remark @below {{256 bytes}}
  %c = memref.alloc(%s) : !m
  linalg.fill ins(%x : f32) outs(%c : !m)
  // expected-remark @below {{value 1 of 2}}
  // expected-remark @below {{value 2 of 2}}
  %a = memref.alloc(%s) : !m
  // expected-note @below {{it begins here}}
  linalg.fill ins(%x : f32) outs(%a : !m)
  %y = memref.load %a[%i] : !m
  // expected-remark @below {{256 bytes}}
  %b = memref.alloc(%s) : !m
  memref.store %y, %b[%i] : !m
  %z = memref.load %b[%i] : !m
  // expected-note @below {{it begins here}}
  linalg.copy ins(%c : !m) outs(%a : !m)
  %w = memref.load %a[%i] : !m
  return
}

// The input may be smaller: what it does not overwrite is read later.
func.func @other_size(%n: index, %k: index, %x: f32, %i: index) {
  %s = affine.min #bound(%n)
  %t = affine.min #bound(%k)
  // expected-remark @below {{256 bytes}}
  %c = memref.alloc(%t) : !m
  linalg.fill ins(%x : f32) outs(%c : !m)
  // expected-remark @below {{lifetime [7, 18), 256 bytes}}
  %a = memref.alloc(%s) : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  %y = memref.load %a[%i] : !m
  // expected-remark @below {{256 bytes}}
  %b = memref.alloc(%s) : !m
  memref.store %y, %b[%i] : !m
  %z = memref.load %b[%i] : !m
  linalg.copy ins(%c : !m) outs(%a : !m)
  %w = memref.load %a[%i] : !m
  return
}

// What a copy of memory copies is all there is.
func.func @gap(%n: index, %x: f32, %b: !m, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = affine.min #bound(%n)
  // expected-remark @below {{lifetime [4, 14) without [9, 11), 256 bytes}}
  %a = memref.alloc(%s) : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  scf.for %k = %c0 to %n step %c1 {
    %y = memref.load %a[%i] : !m
    %z = arith.addf %y, %y : f32
    %w = arith.addf %z, %y : f32
    memref.copy %b, %a : !m to !m
  }
  return
}
