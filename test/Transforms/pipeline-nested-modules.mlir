// RUN: buffer-merge-opt %s --buffer-merge-pipeline | FileCheck %s
// RUN: not mlir-opt %s --buffer-results-to-out-params 2>&1 | FileCheck %s --check-prefix=STOCK

// A call in a nested module is one of a function of that module, which
// buffer-results-to-out-params looks for in the outer one.

// STOCK: cannot find callee 'store'

module attributes {gpu.container_module} {
  // CHECK-LABEL: func.func private @fill(
  //  CHECK-SAME:   memref<4xf32>{{.*}}, %{{.*}}: memref<4xf32>
  func.func private @fill(%x: tensor<4xf32>) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }

  // CHECK: gpu.module @kernels
  gpu.module @kernels {
    // CHECK: func.func private @fill(%{{.*}}: memref<4xf32>) -> memref<4xf32>
    func.func private @fill(%m: memref<4xf32>) -> memref<4xf32> {
      return %m : memref<4xf32>
    }
    func.func private @store(%f: f32, %m: memref<4xf32>) {
      %c0 = arith.constant 0 : index
      memref.store %f, %m[%c0] : memref<4xf32>
      return
    }
    gpu.func @kernel(%m: memref<4xf32>, %f: f32) kernel {
      // CHECK: call @fill(%{{.*}}) : (memref<4xf32>) -> memref<4xf32>
      // CHECK: call @store
      %0 = func.call @fill(%m) : (memref<4xf32>) -> memref<4xf32>
      func.call @store(%f, %0) : (f32, memref<4xf32>) -> ()
      gpu.return
    }
  }

  // CHECK-LABEL: func.func @host(
  //       CHECK:   call @fill(%{{.*}}, %{{.*}}) : (memref<4xf32>, memref<4xf32>) -> ()
  func.func @host(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @fill(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
