// RUN: buffer-merge-opt %s --buffer-merge-pipeline | FileCheck %s

// Zeros that are used twice are written twice, not copied.

// CHECK-LABEL: func.func @products(
//   CHECK-NOT:   memref.copy
//       CHECK:   linalg.fill
//       CHECK:   linalg.matmul
//   CHECK-NOT:   memref.copy
//       CHECK:   linalg.fill
//       CHECK:   linalg.matmul
//   CHECK-NOT:   memref.copy
//       CHECK:   return
!t = tensor<8x8xf32>
func.func @products(%a: !t, %b: !t) -> !t {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !t
  %f = linalg.fill ins(%zero : f32) outs(%e : !t) -> !t
  %0 = linalg.matmul ins(%a, %b : !t, !t) outs(%f : !t) -> !t
  %1 = linalg.matmul ins(%0, %b : !t, !t) outs(%f : !t) -> !t
  %r = tensor.empty() : !t
  %2 = linalg.add ins(%0, %1 : !t, !t) outs(%r : !t) -> !t
  return %2 : !t
}
