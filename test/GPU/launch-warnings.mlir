// RUN: buffer-merge-opt %s --buffer-merge -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: buffer-merge-opt %s --buffer-lifetimes -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=warning:

// Plans rely on known_block_size: a launch that contradicts it is a mistake.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @known() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      gpu.return
    }
    gpu.func @unknown() kernel {
      gpu.return
    }
  }
  func.func @host(%n: index) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @kernels::@known blocks in (%n, %c1, %c1) threads in (%c128, %c1, %c1)
    gpu.launch_func @kernels::@known blocks in (%n, %c1, %c1) threads in (%n, %n, %n)
    gpu.launch_func @kernels::@unknown blocks in (%n, %c1, %c1) threads in (%c64, %c1, %c1)
    // CHECK: launch-warnings.mlir:[[#@LINE+2]]:5: warning: launches 'known' with 64 threads in dimension x, its known_block_size is 128
    // CHECK: launch-warnings.mlir:8:5: note: plans rely on the size that the kernel states
    gpu.launch_func @kernels::@known blocks in (%n, %c1, %c1) threads in (%c64, %c1, %c1)
    // CHECK: launch-warnings.mlir:[[#@LINE+1]]:5: warning: launches 'known' with 64 threads in dimension z, its known_block_size is 1
    gpu.launch_func @kernels::@known blocks in (%n, %c1, %c1) threads in (%n, %c1, %c64)
    return
  }
}
