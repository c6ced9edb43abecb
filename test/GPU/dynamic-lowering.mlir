// RUN: buffer-merge-opt %s --buffer-merge=workgroup-pool=dynamic --check-workgroup-races --gpu-kernel-outlining \
// RUN:   | mlir-opt --pass-pipeline='builtin.module(nvvm-attach-target{chip=sm_80},gpu.module(convert-gpu-to-nvvm),gpu-module-to-binary{format=isa})' \
// RUN:   | FileCheck %s

// A pool in dynamic memory down to PTX: a variable without a size, which every
// launch gives.

// CHECK-LABEL: func.func @main(
//       CHECK:   %[[SIZE:.*]] = arith.constant 65536 : i32
//       CHECK:   gpu.launch_func @main_kernel::@main_kernel {{.*}} dynamic_shared_memory_size %[[SIZE]]
//       CHECK: .shared .align 16 .b8 {{[^ ]*}}dynamic_shmem{{[^ ]*}};
!wg = memref<16384xf32, #gpu.address_space<workgroup>>

func.func @main(%x: f32, %n: index, %out: memref<?xf32>) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %p = memref.alloc() : !wg
    memref.store %x, %p[%tx] : !wg
    gpu.barrier
    %v = memref.load %p[%ty] : !wg
    memref.store %v, %out[%tx] : memref<?xf32>
    gpu.barrier
    %q = memref.alloc() : !wg
    memref.store %v, %q[%tx] : !wg
    gpu.barrier
    %w = memref.load %q[%ty] : !wg
    memref.store %w, %out[%ty] : memref<?xf32>
    gpu.terminator
  }
  return
}
