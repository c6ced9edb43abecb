// RUN: buffer-merge-opt %s --buffer-merge --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// R2: the same location. The constants of offsets belong to the pool.

// CHECK-LABEL: func.func @locations(
//       CHECK:   memref.alloc() {{.*}} loc([[POOL:.*]])
//  CHECK-NEXT:   arith.constant 0 : index loc([[POOL]])
//       CHECK:   memref.view {{.*}} to memref<15xf32> loc("a")
//       CHECK:   memref.view {{.*}} to memref<3x5xf32> loc(fused["b", "c"])
//       CHECK:   memref.reinterpret_cast {{.*}} loc(fused["b", "c"])
func.func @locations(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32> loc("a")
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<3x5xf32, strided<[5, 1]>> loc(fused["b", "c"])
  memref.store %x, %b[%i, %i] : memref<3x5xf32, strided<[5, 1]>>
  return
}
