// RUN: buffer-merge-opt %s --buffer-merge-pipeline | FileCheck %s
// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(buffer-merge-pipeline)' | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge-pipeline='merge={scheduler=bump alignment=256}' | FileCheck %s --check-prefix=BUMP
// RUN: buffer-merge-opt %s --buffer-merge-pipeline='deallocate=false' | FileCheck %s --check-prefix=LEFT
// RUN: buffer-merge-opt %s --buffer-merge-pipeline='out-params=false' | FileCheck %s --check-prefix=RETURNED
// RUN: not buffer-merge-opt %s --buffer-merge-pipeline='merge={scheduler=magic}' 2>&1 | FileCheck %s --check-prefix=MAGIC
// RUN: not buffer-merge-opt %s --buffer-merge-pipeline='merge={color=red}' 2>&1 | FileCheck %s --check-prefix=COLOR
// RUN: not buffer-merge-opt %s --buffer-merge-pipeline='color=red' 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: %if plugin %{ mlir-opt %s --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline='builtin.module(buffer-merge-pipeline)' | FileCheck %s %}

// From linalg on tensors to one pool, freed: a pool of two slots would be held
// beside the result, so one of the products stays an allocation. That is freed right
// after its last use. Without deallocations, the result holds two of the products.

// CHECK-LABEL: func.func @products(
//       CHECK:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<64xi8>
//       CHECK:   %[[SECOND:.*]] = memref.alloc() : memref<4x4xf32>
//       CHECK:   memref.dealloc %[[SECOND]]
//       CHECK:   %[[RESULT:.*]] = memref.alloc() {{.*}} : memref<4x4xf32>
//   CHECK-NOT:   memref.alloc
//       CHECK:   memref.dealloc %[[POOL]] : memref<64xi8>
//       CHECK:   return %[[RESULT]]
// CHECK-LABEL: func.func private @square(
//   CHECK-NOT:   memref.alloc
//       CHECK:   return

// BUMP-LABEL: func.func @products(
//       BUMP:   memref.alloc() {alignment = 256 : i64} : memref<{{.*}}xi8>

// LEFT-LABEL: func.func @products(
//       LEFT:   %[[RESULT:.*]] = memref.alloc() {{.*}} : memref<4x4xf32>
//       LEFT:   memref.alloc() : memref<4x4xf32>
//   LEFT-NOT:   memref.alloc
//   LEFT-NOT:   memref.dealloc
//       LEFT:   return %[[RESULT]]

// RETURNED: func.func private @square({{.*}}) -> memref<4x4xf32>

// MAGIC: error: unknown scheduler 'magic', expected one of: {{.*}}best-fit
// COLOR: no such option color
// OPTION: no such option color
func.func @products(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = call @square(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = call @square(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = call @square(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %3 = linalg.add ins(%2, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

func.func private @square(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
