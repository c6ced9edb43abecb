// RUN: buffer-merge-opt %s --buffer-merge-pipeline | FileCheck %s
// RUN: mlir-opt %s --pass-pipeline='builtin.module(buffer-deallocation-pipeline,func.func(optimize-allocation-liveness))' | FileCheck %s --check-prefix=STOCK

// optimize-allocation-liveness does not know that memref.transpose makes a view, and
// frees what it is a view of.

// STOCK: memref.transpose
// STOCK: memref.dealloc
// STOCK: memref.load

// CHECK-LABEL: func.func @transposed(
//       CHECK:   memref.load
//       CHECK:   memref.dealloc
//       CHECK:   return
func.func @transposed(%x: f32, %i: index) -> f32 {
  %a = memref.alloc() : memref<4x8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4x8xf32>)
  %t = memref.transpose %a (i, j) -> (j, i) : memref<4x8xf32> to memref<8x4xf32, strided<[1, 8]>>
  %y = memref.load %t[%i, %i] : memref<8x4xf32, strided<[1, 8]>>
  return %y : f32
}
