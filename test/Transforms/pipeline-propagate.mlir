// RUN: buffer-merge-opt %s --buffer-merge-pipeline | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge-pipeline=propagate=false | FileCheck %s --check-prefix=OFF
// RUN: buffer-merge-opt %s --buffer-merge-pipeline -emit-bytecode -o %t.1
// RUN: buffer-merge-opt %s --buffer-merge-pipeline -emit-bytecode -o %t.2
// RUN: cmp %t.1 %t.2

// Transposed weights are read as they are.

// CHECK-LABEL: func.func @feed_forward(
//   CHECK-NOT:   linalg.transpose
//       CHECK:   linalg.matmul indexing_maps = [{{.*}}] ins(%arg0, %arg1 : memref<4x8xf32>, memref<16x8xf32>)
//       CHECK:   linalg.matmul indexing_maps = [{{.*}}] ins(%{{.*}}, %arg2 : memref<4x16xf32>, memref<8x16xf32>)
//       CHECK:   return
//   OFF-LABEL: func.func @feed_forward(
// OFF-COUNT-2:   linalg.transpose
//         OFF:   return
func.func @feed_forward(%x: tensor<4x8xf32>, %up: tensor<16x8xf32>, %down: tensor<8x16xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<8x16xf32>
  %t = linalg.transpose ins(%up : tensor<16x8xf32>) outs(%0 : tensor<8x16xf32>) permutation = [1, 0]
  %1 = tensor.empty() : tensor<4x16xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%1 : tensor<4x16xf32>) -> tensor<4x16xf32>
  %h = linalg.matmul ins(%x, %t : tensor<4x8xf32>, tensor<8x16xf32>) outs(%2 : tensor<4x16xf32>) -> tensor<4x16xf32>
  %3 = tensor.empty() : tensor<16x8xf32>
  %u = linalg.transpose ins(%down : tensor<8x16xf32>) outs(%3 : tensor<16x8xf32>) permutation = [1, 0]
  %4 = tensor.empty() : tensor<4x8xf32>
  %5 = linalg.fill ins(%zero : f32) outs(%4 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = linalg.matmul ins(%h, %u : tensor<4x16xf32>, tensor<16x8xf32>) outs(%5 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
