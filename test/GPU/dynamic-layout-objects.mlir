// REQUIRES: ptxas
// RUN: buffer-merge-opt %s --buffer-merge=workgroup-pool=dynamic -o %t.mlir
// RUN: mlir-opt %t.mlir --gpu-lower-to-nvvm-pipeline="cubin-chip=sm_80 cubin-features=+ptx80 cubin-format=isa" \
// RUN:   | %python %S/Inputs/device-code.py > %t.ptx
// RUN: %ptxas -arch=sm_80 -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s

// A dynamic pool beside static memory that only the lowering makes: 128 bytes of a
// reduction and 32 of barrier objects, and not the one of gpu.dynamic_shared_memory.

//     CHECK: Compiling entry function 'objects'
//     CHECK: {{[ ,]}}160 bytes smem

#wg = #gpu.address_space<workgroup>
!wg = memref<64xf32, #gpu.address_space<workgroup>>
!mbarriers = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 4>

module attributes {gpu.container_module} {
  func.func @host(%x: f32, %out: memref<64xf32>, %i: index) {
    gpu.launch_func @kernels::@objects blocks in (%i, %i, %i) threads in (%i, %i, %i)
        args(%x : f32, %out : memref<64xf32>, %i : index)
    return
  }
  gpu.module @kernels {
    gpu.func @objects(%x: f32, %out: memref<64xf32>, %i: index) kernel {
      %c0 = arith.constant 0 : index
      %a = memref.alloc() : !wg
      memref.store %x, %a[%c0] : !wg
      %m = nvgpu.mbarrier.create -> !mbarriers
      nvgpu.mbarrier.init %m[%i], %i : !mbarriers
      %r = gpu.all_reduce add %x uniform {} : (f32) -> f32
      %y = memref.load %a[%i] : !wg
      %z = arith.addf %r, %y : f32
      memref.store %z, %out[%i] : memref<64xf32>
      gpu.return
    }
  }
}
