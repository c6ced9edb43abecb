// RUN: buffer-merge-opt %s --propagate-copies --split-input-file | FileCheck %s

// The source has dynamic dimensions where the copy has static ones. Verifiers of
// some operations take them for other dimensions: these read the copy.

// CHECK-LABEL: func.func @broadcast(
//       CHECK:   linalg.copy
//       CHECK:   linalg.broadcast ins(%{{.*}} : memref<3x2xf32>)
func.func @broadcast(%w: memref<?x?xf32>) -> memref<3x4x2xf32> {
  %y = memref.alloc() : memref<3x4x2xf32>
  %t = memref.alloc() : memref<3x2xf32>
  linalg.copy ins(%w : memref<?x?xf32>) outs(%t : memref<3x2xf32>)
  linalg.broadcast ins(%t : memref<3x2xf32>) outs(%y : memref<3x4x2xf32>) dimensions = [1]
  return %y : memref<3x4x2xf32>
}

// -----

// CHECK-LABEL: func.func @transpose(
//       CHECK:   linalg.copy
//       CHECK:   linalg.transpose ins(%{{.*}} : memref<3x2xf32>)
func.func @transpose(%w: memref<3x?xf32>) -> memref<2x3xf32> {
  %y = memref.alloc() : memref<2x3xf32>
  %t = memref.alloc() : memref<3x2xf32>
  linalg.copy ins(%w : memref<3x?xf32>) outs(%t : memref<3x2xf32>)
  linalg.transpose ins(%t : memref<3x2xf32>) outs(%y : memref<2x3xf32>) permutation = [1, 0]
  return %y : memref<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @map(
//       CHECK:   linalg.copy
//       CHECK:   linalg.map { math.exp } ins(%{{.*}} : memref<3x2xf32>)
func.func @map(%w: memref<?x?xf32>) -> memref<3x2xf32> {
  %y = memref.alloc() : memref<3x2xf32>
  %t = memref.alloc() : memref<3x2xf32>
  linalg.copy ins(%w : memref<?x?xf32>) outs(%t : memref<3x2xf32>)
  linalg.map { math.exp } ins(%t : memref<3x2xf32>) outs(%y : memref<3x2xf32>)
  return %y : memref<3x2xf32>
}

// -----

// CHECK-LABEL: func.func @reduce(
//       CHECK:   linalg.copy
//       CHECK:   linalg.reduce { arith.addf } ins(%{{.*}} : memref<3x2xf32>)
func.func @reduce(%w: memref<?x?xf32>) -> memref<3xf32> {
  %y = memref.alloc() : memref<3xf32>
  %t = memref.alloc() : memref<3x2xf32>
  linalg.copy ins(%w : memref<?x?xf32>) outs(%t : memref<3x2xf32>)
  linalg.reduce { arith.addf } ins(%t : memref<3x2xf32>) outs(%y : memref<3xf32>) dimensions = [1]
  return %y : memref<3xf32>
}

// -----

// A copy of what is transposed would be a transposition.
// CHECK-LABEL: func.func @copy_of_transposed(
//       CHECK:   linalg.generic
//       CHECK:   linalg.copy ins(%{{.*}} : memref<3x2xf32>)
func.func @copy_of_transposed(%w: memref<?x?xf32>) -> memref<3x2xf32> {
  %y = memref.alloc() : memref<3x2xf32>
  %t = memref.alloc() : memref<3x2xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%w : memref<?x?xf32>) outs(%t : memref<3x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.copy ins(%t : memref<3x2xf32>) outs(%y : memref<3x2xf32>)
  return %y : memref<3x2xf32>
}

// -----

// Others read the source.
// CHECK-LABEL: func.func @matmul(
//   CHECK-NOT:   linalg.copy
//       CHECK:   linalg.matmul ins(%arg0, %arg1 : memref<?x?xf32>, memref<2x4xf32>)
func.func @matmul(%w: memref<?x?xf32>, %x: memref<2x4xf32>) -> memref<3x4xf32> {
  %y = memref.alloc() : memref<3x4xf32>
  %t = memref.alloc() : memref<3x2xf32>
  linalg.copy ins(%w : memref<?x?xf32>) outs(%t : memref<3x2xf32>)
  linalg.matmul ins(%t, %x : memref<3x2xf32>, memref<2x4xf32>) outs(%y : memref<3x4xf32>)
  return %y : memref<3x4xf32>
}
