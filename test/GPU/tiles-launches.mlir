// RUN: buffer-merge-opt %s --buffer-merge --check-workgroup-races | FileCheck %s
// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(gpu.module(buffer-merge))' | FileCheck %s --check-prefix=PART

// The size of the workgroups is what all launches of a kernel have in common.

!wg = memref<64xf32, #gpu.address_space<workgroup>>

module attributes {gpu.container_module} {
  func.func @host(%in: memref<64xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@same blocks in (%n, %n, %n) threads in (%c64, %c1, %c1) args(%in : memref<64xf32>, %n : index)
    gpu.launch_func @kernels::@same blocks in (%n, %n, %n) threads in (%c64, %c1, %n) args(%in : memref<64xf32>, %n : index)
    gpu.launch_func @kernels::@other blocks in (%n, %n, %n) threads in (%c64, %c1, %c1) args(%in : memref<64xf32>, %n : index)
    gpu.launch_func @kernels::@other blocks in (%n, %n, %n) threads in (%c32, %c1, %c1) args(%in : memref<64xf32>, %n : index)
    return
  }
  gpu.module @kernels {
    // CHECK-LABEL: gpu.func @same(
    //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8
    // A part of the module does not have all launches.
    // PART-LABEL: gpu.func @same(
    //  PART-SAME:     workgroup(%{{.*}} : memref<512xi8
    gpu.func @same(%in: memref<64xf32>, %n: index) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %r = arith.subi %c63, %t : index
      %a = memref.alloc() : !wg
      %b = memref.alloc() : !wg
      scf.for %i = %c0 to %n step %c1 {
        %x = memref.load %in[%t] : memref<64xf32>
        memref.store %x, %a[%t] : !wg
        gpu.barrier
        %y = memref.load %a[%r] : !wg
        gpu.barrier
        memref.store %y, %b[%t] : !wg
        gpu.barrier
        %z = memref.load %b[%r] : !wg
        memref.store %z, %in[%t] : memref<64xf32>
        gpu.barrier
      }
      gpu.return
    }

    // CHECK-LABEL: gpu.func @other(
    //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
    gpu.func @other(%in: memref<64xf32>, %n: index) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %r = arith.subi %c63, %t : index
      %a = memref.alloc() : !wg
      %b = memref.alloc() : !wg
      scf.for %i = %c0 to %n step %c1 {
        %x = memref.load %in[%t] : memref<64xf32>
        memref.store %x, %a[%t] : !wg
        gpu.barrier
        %y = memref.load %a[%r] : !wg
        gpu.barrier
        memref.store %y, %b[%t] : !wg
        gpu.barrier
        %z = memref.load %b[%r] : !wg
        memref.store %z, %in[%t] : memref<64xf32>
        gpu.barrier
      }
      gpu.return
    }
  }
}
