// RUN: buffer-merge-opt %s --buffer-merge-pipeline | FileCheck %s
// RUN: mlir-opt %s --pass-pipeline='builtin.module(buffer-deallocation-pipeline,func.func(optimize-allocation-liveness))' | FileCheck %s --check-prefix=STOCK

// optimize-allocation-liveness does not know that memref.transpose makes a view, nor
// memref.distinct_objects, and frees what they are views of.

// STOCK: memref.transpose
// STOCK: memref.dealloc
// STOCK: memref.load
// STOCK-LABEL: func.func @distinct(
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

// CHECK-LABEL: func.func @distinct(
//   CHECK-NOT:   memref.dealloc
//       CHECK:   memref.load
//       CHECK:   memref.load
//       CHECK:   memref.dealloc
//       CHECK:   return
func.func @distinct(%x: f32, %i: index) -> f32 {
  %a = memref.alloc() : memref<4x8xf32>
  %b = memref.alloc() : memref<4x8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4x8xf32>)
  linalg.fill ins(%x : f32) outs(%b : memref<4x8xf32>)
  %c, %d = memref.distinct_objects %a, %b : memref<4x8xf32>, memref<4x8xf32>
  %y = memref.load %c[%i, %i] : memref<4x8xf32>
  %z = memref.load %d[%i, %i] : memref<4x8xf32>
  %sum = arith.addf %y, %z : f32
  return %sum : f32
}

// Views that it knows are freed as early as without them.
// CHECK-LABEL: func.func @known(
//       CHECK:   memref.load
//  CHECK-NEXT:   memref.dealloc
//       CHECK:   memref.store
func.func @known(%x: f32, %i: index, %out: memref<4xf32>) {
  %a = memref.alloc() : memref<4x8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4x8xf32>)
  %v = memref.subview %a[1, 0] [2, 8] [1, 1] : memref<4x8xf32> to memref<2x8xf32, strided<[8, 1], offset: 8>>
  %y = memref.load %v[%i, %i] : memref<2x8xf32, strided<[8, 1], offset: 8>>
  memref.store %y, %out[%i] : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%out : memref<4xf32>)
  return
}
