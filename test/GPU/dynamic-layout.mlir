// RUN: buffer-merge-opt %s --buffer-merge=workgroup-pool=dynamic --check-workgroup-races -o %t.mlir
// RUN: %if ptxas %{ mlir-opt %t.mlir --gpu-lower-to-nvvm-pipeline="cubin-chip=sm_80 cubin-features=+ptx80 cubin-format=isa" \
// RUN:   | %python %S/Inputs/device-code.py > %t.ptx %}
// RUN: %if ptxas %{ FileCheck %s --check-prefix=PTX < %t.ptx %}
// RUN: %if ptxas %{ %ptxas -arch=sm_80 -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=SMEM %}
// RUN: %if amdgpu %{ mlir-opt %t.mlir --pass-pipeline='builtin.module(rocdl-attach-target{chip=gfx942},gpu.module(convert-gpu-to-rocdl{chipset=gfx942}),gpu-module-to-binary{format=llvm})' \
// RUN:   | %python %S/Inputs/device-code.py > %t.bc %}
// RUN: %if amdgpu %{ %llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 %t.bc -o - | FileCheck %s --check-prefix=AMD %}

// A dynamic pool beside 5 bytes of static memory, an attribution or a global, in
// assembled code: the static bytes come first, and the pool begins at byte 16, where
// accesses of 16 bytes are aligned. (gpu.dynamic_shared_memory would take one more byte
// and lie at 0 on NVIDIA, 17 bytes in all, and at 5 on AMD.)

//      PTX: .extern .shared .align 16 .b8 dynamic_shared_memory[];
//  PTX-NOT: .shared .align 16
//     SMEM: Compiling entry function '{{global|attribution}}'
//     SMEM: {{[ ,]}}16 bytes smem
//     SMEM: Compiling entry function '{{global|attribution}}'
//     SMEM: {{[ ,]}}16 bytes smem

// AMD-LABEL: attribution:
//       AMD:   v_mov_b32_e32 [[A:v[0-9]+]], 16
//  AMD-NEXT:   ds_write_b128 [[A]], v{{[][0-9:]+$}}
//       AMD:   .amdhsa_group_segment_fixed_size 16
// AMD-LABEL: global:
//       AMD:   v_mov_b32_e32 [[A:v[0-9]+]], 16
//  AMD-NEXT:   ds_write_b128 [[A]], v{{[][0-9:]+$}}
//       AMD:   .amdhsa_group_segment_fixed_size 16

#wg = #gpu.address_space<workgroup>
!wg = memref<8xvector<4xf32>, #gpu.address_space<workgroup>>

module attributes {gpu.container_module} {
  func.func @host(%x: vector<4xf32>, %b: i8, %out: memref<8xvector<4xf32>>, %bytes: memref<8xi8>, %i: index) {
    gpu.launch_func @kernels::@attribution blocks in (%i, %i, %i) threads in (%i, %i, %i)
        args(%x : vector<4xf32>, %b : i8, %out : memref<8xvector<4xf32>>, %bytes : memref<8xi8>, %i : index)
    gpu.launch_func @kernels::@global blocks in (%i, %i, %i) threads in (%i, %i, %i)
        args(%x : vector<4xf32>, %b : i8, %out : memref<8xvector<4xf32>>, %bytes : memref<8xi8>, %i : index)
    return
  }
  gpu.module @kernels {
    memref.global "private" @five : memref<5xi8, #wg>
    gpu.func @attribution(%x: vector<4xf32>, %b: i8, %out: memref<8xvector<4xf32>>, %bytes: memref<8xi8>, %i: index)
        workgroup(%w : memref<5xi8, #wg>) kernel {
      %c0 = arith.constant 0 : index
      %a = memref.alloc() : !wg
      memref.store %b, %w[%c0] : memref<5xi8, #wg>
      memref.store %x, %a[%c0] : !wg
      gpu.barrier
      %v = memref.load %w[%i] : memref<5xi8, #wg>
      %y = memref.load %a[%i] : !wg
      memref.store %v, %bytes[%i] : memref<8xi8>
      memref.store %y, %out[%i] : memref<8xvector<4xf32>>
      gpu.return
    }
    gpu.func @global(%x: vector<4xf32>, %b: i8, %out: memref<8xvector<4xf32>>, %bytes: memref<8xi8>, %i: index) kernel {
      %c0 = arith.constant 0 : index
      %g = memref.get_global @five : memref<5xi8, #wg>
      %a = memref.alloc() : !wg
      memref.store %b, %g[%c0] : memref<5xi8, #wg>
      memref.store %x, %a[%c0] : !wg
      gpu.barrier
      %v = memref.load %g[%i] : memref<5xi8, #wg>
      %y = memref.load %a[%i] : !wg
      memref.store %v, %bytes[%i] : memref<8xi8>
      memref.store %y, %out[%i] : memref<8xvector<4xf32>>
      gpu.return
    }
  }
}
