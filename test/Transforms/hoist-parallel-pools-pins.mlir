// RUN: buffer-merge-opt %s --hoist-parallel-pools | FileCheck %s

// A buffer with a place that the program asks for stays where it is. What
// buffer-merge reports as a contradiction is no error yet.

// CHECK-LABEL: func.func @pinned(
//       CHECK:   memref.alloc() {buffer_merge.offset = 64 : i64} : memref<0xf32>
//       CHECK:   %[[SLOTS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<208xi8>
//       CHECK:   scf.parallel
//       CHECK:     memref.view %[[SLOTS]]
//       CHECK:     memref.alloc() {buffer_merge.name = "a"} : memref<4xf32>
//       CHECK:   return
func.func @pinned(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %empty = memref.alloc() {buffer_merge.offset = 64 : i64} : memref<0xf32>
  %dim = memref.dim %empty, %c0 : memref<0xf32>
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    %a = memref.alloc() {buffer_merge.name = "a"} : memref<4xf32>
    memref.store %x, %a[%c0] : memref<4xf32>
    %b = memref.alloc() : memref<4xf32>
    memref.store %x, %b[%c0] : memref<4xf32>
  }
  return
}
