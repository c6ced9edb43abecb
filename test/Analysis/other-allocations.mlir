// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics -o /dev/null
// RUN: buffer-merge-opt %s --buffer-merge --remark-format=emitRemark '--remarks-filter=.*' 2>&1 -o /dev/null | FileCheck %s --check-prefix=MISSED
// RUN: buffer-merge-opt %s --buffer-merge=report=%t.json -o /dev/null
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.json

// What other operations than memref.alloc allocate stays, and the pass says why. It is no
// buffer: no report counts it.

// REPORT-NOT: not-an-alloc

// expected-remark @below {{left alone: 5 allocations of 96 bytes: not-an-alloc}}
// expected-remark @below {{left alone: 1 allocation of 64 bytes: reallocated}}
// expected-remark @below {{left alone: 1 allocation of 32 bytes: no-partner}}
module {
// expected-remark @below {{pool: 1 buffer of 32 bytes}}
func.func @f(%x: f32, %i: index, %n: index) {
  // MISSED: [[@LINE+2]]:8: remark: [Missed] NotMerged {{.*}} Bytes=32, Reason="not-an-alloc, it is not allocated by memref.alloc
  // expected-remark @below {{not mergeable: not-an-alloc, it is not allocated by memref.alloc ('memref.alloca')}}
  %a = memref.alloca() : memref<8xf32>
  memref.store %x, %a[%i] : memref<8xf32>
  // expected-remark @below {{lifetime [}}
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%i] : memref<8xf32>
  scf.for %k = %i to %n step %n {
    // expected-remark @below {{not mergeable: not-an-alloc, it is not allocated by memref.alloc ('gpu.alloc')}}
    %c = gpu.alloc () : memref<16xf32>
    // expected-remark @below {{not mergeable: not-an-alloc, it is not allocated by memref.alloc ('memref.alloca')}}
    %d = memref.alloca(%n) : memref<?xf32>
  }
  // expected-remark @below {{not mergeable: reallocated}}
  %e = memref.alloc() : memref<16xf32>
  // expected-remark @below {{not mergeable: not-an-alloc, it is not allocated by memref.alloc ('memref.realloc')}}
  %f = memref.realloc %e(%n) : memref<16xf32> to memref<?xf32>
  // expected-remark @below {{not mergeable: not-an-alloc, it is not allocated by memref.alloc ('bufferization.clone')}}
  %g = bufferization.clone %f : memref<?xf32> to memref<?xf32>
  return
}

// Not allocated here.
memref.global @bytes : memref<8xf32>
func.func @g(%c: i1, %x: f32, %i: index) {
  %a = memref.get_global @bytes : memref<8xf32>
  memref.store %x, %a[%i] : memref<8xf32>
  return
}
}
