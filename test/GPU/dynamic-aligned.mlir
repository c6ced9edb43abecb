// RUN: buffer-merge-opt %s --buffer-merge=workgroup-pool=dynamic --check-workgroup-races -o %t.mlir
// RUN: %if ptxas %{ mlir-opt %t.mlir --gpu-lower-to-nvvm-pipeline="cubin-chip=sm_80 cubin-features=+ptx80 cubin-format=isa" \
// RUN:   | %python %S/Inputs/device-code.py > %t.ptx %}
// RUN: %if ptxas %{ FileCheck %s --check-prefix=PTX < %t.ptx %}
// RUN: %if ptxas %{ %ptxas -arch=sm_80 -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=SMEM %}
// RUN: %if amdgpu %{ mlir-opt %t.mlir --pass-pipeline='builtin.module(rocdl-attach-target{chip=gfx942},gpu.module(convert-gpu-to-rocdl{chipset=gfx942}),gpu-module-to-binary{format=llvm})' \
// RUN:   | %python %S/Inputs/device-code.py > %t.bc %}
// RUN: %if amdgpu && llvm-22 %{ %llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 %t.bc -o - | FileCheck %s --check-prefix=AMD %}

// A pool that is aligned to 1024, in dynamic memory, which is aligned to 16, in assembled code:
// it begins at the first byte that is a multiple of 1024.

//      PTX: .extern .shared .align 16 .b8 dynamic_shared_memory[];
//  PTX-NOT: .shared .align
//      PTX: mov.b64 [[D:%rd[0-9]+]], dynamic_shared_memory;
// PTX-NEXT: neg.s64 [[N:%rd[0-9]+]], [[D]];
// PTX-NEXT: and.b64 [[S:%rd[0-9]+]], [[N]], 1008;
// PTX-NEXT: add.s64 [[A:%rd[0-9]+]], [[D]], [[S]];
//      PTX: st.shared.b32 {{\[}}[[A]]],
//     SMEM: Compiling entry function 'aligned'
// SMEM-NOT: bytes smem
//      AMD: s_and_b32 {{.*}}, 0x3f0
//      AMD: ds_write_b32

#wg = #gpu.address_space<workgroup>

module attributes {gpu.container_module} {
  func.func @host(%x: f32, %out: memref<1xindex>, %i: index) {
    gpu.launch_func @kernels::@aligned blocks in (%i, %i, %i) threads in (%i, %i, %i)
        args(%x : f32, %out : memref<1xindex>, %i : index)
    return
  }
  gpu.module @kernels {
    gpu.func @aligned(%x: f32, %out: memref<1xindex>, %i: index) kernel {
      %c0 = arith.constant 0 : index
      %a = memref.alloc() : memref<16384xf32, #wg>
      %p = memref.extract_aligned_pointer_as_index %a : memref<16384xf32, #wg> -> index
      memref.store %p, %out[%c0] : memref<1xindex>
      memref.store %x, %a[%c0] : memref<16384xf32, #wg>
      gpu.return
    }
  }
}
