// RUN: buffer-merge-opt %s -o %t.same
// RUN: buffer-merge-opt %s --rotate-carried-buffers=max-slots=1 | diff %t.same -
// RUN: buffer-merge-opt %s --rotate-carried-buffers=max-slots=2 | FileCheck %s --check-prefix=TWO
// RUN: buffer-merge-opt %s --rotate-carried-buffers=calls=escape | FileCheck %s --check-prefix=ESCAPE
// RUN: not buffer-merge-opt %s --rotate-carried-buffers=max-slots=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not buffer-merge-opt %s --rotate-carried-buffers=max-slots=65 2>&1 | FileCheck %s --check-prefix=MANY

// ZERO: error: max-slots 0 is not in 1 to 64
// ZERO-NOT: {{.}}
// MANY: error: max-slots 65 is not in 1 to 64
// MANY-NOT: {{.}}

//    TWO-LABEL: func.func @two
//          TWO:   memref.alloc
//          TWO:   memref.alloc
//          TWO:   scf.for
//      TWO-NOT:     memref.alloc
// ESCAPE-LABEL: func.func @two
//   ESCAPE-NOT:   memref.alloc
//       ESCAPE:   scf.for
//       ESCAPE:     memref.alloc
func.func @two(%init: memref<16xf32>, %n: index, %s: index) {
  scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    %a = memref.alloc() : memref<16xf32>
    func.call @next(%old, %a) : (memref<16xf32>, memref<16xf32>) -> ()
    scf.yield %a : memref<16xf32>
  }
  return
}
func.func private @next(memref<16xf32>, memref<16xf32>)

//    TWO-LABEL: func.func @three
//      TWO-NOT:   memref.alloc
//          TWO:   scf.for
//          TWO:     memref.alloc
// ESCAPE-LABEL: func.func @three
//       ESCAPE:   memref.alloc
//       ESCAPE:   memref.alloc
//       ESCAPE:   memref.alloc
//       ESCAPE:   scf.for
//   ESCAPE-NOT:     memref.alloc
func.func @three(%init: memref<16xf32>, %n: index, %s: index) {
  scf.for %i = %s to %n step %s iter_args(%p = %init, %q = %init) -> (memref<16xf32>, memref<16xf32>) {
    %a = memref.alloc() : memref<16xf32>
    memref.copy %p, %a : memref<16xf32> to memref<16xf32>
    scf.yield %q, %a : memref<16xf32>, memref<16xf32>
  }
  return
}
