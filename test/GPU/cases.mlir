// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null
// RUN: buffer-merge-opt %s --buffer-merge --check-workgroup-races \
// RUN:   | mlir-opt --pass-pipeline='builtin.module(nvvm-attach-target{chip=sm_80},gpu.module(convert-nvgpu-to-nvvm,convert-scf-to-cf,convert-vector-to-llvm,convert-gpu-to-nvvm,reconcile-unrealized-casts),gpu-module-to-binary{format=isa})' \
// RUN:   | FileCheck %s

// The kernels that need it most (docs/GPU.md has the numbers), from the pass down to
// PTX.

// CHECK: .shared .align 16 .b8 __wg_gemm_0[16384];
// CHECK: .shared .align 16 .b8 __wg_batched_gemm_0[16384];
// CHECK: .shared .align 16 .b8 __wg_stream_k_0[16384];
// CHECK: .shared .align 16 .b8 __wg_pipelined_0[32768];

!a = memref<128x32xf16, #gpu.address_space<workgroup>>
!b = memref<32x128xf16, #gpu.address_space<workgroup>>
!c = memref<64x64xf32, #gpu.address_space<workgroup>>
!r = memref<64x32xf32, #gpu.address_space<workgroup>>
!stages = memref<2x128x32xf16, #gpu.address_space<workgroup>>

module attributes {gpu.container_module} {
gpu.module @kernels {
  // Tiles of A and B in the loop over k, and a tile of C behind it: C takes the bytes
  // of A and B.
  // expected-remark @below {{3 buffers of 32768 bytes, 16384 alive at tick 9, pool of 16384 bytes}}
  gpu.func @gemm(%A: memref<128x1024xf16>, %B: memref<1024x128xf16>, %C: memref<64x64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %u = gpu.thread_id y
    %a = memref.alloc() : !a
    %b = memref.alloc() : !b
    %c = memref.alloc() : !c
    %sum = scf.for %k = %c0 to %c1024 step %c32 iter_args(%acc = %zero) -> (f32) {
      %kt = arith.addi %k, %t : index
      %av = memref.load %A[%u, %kt] : memref<128x1024xf16>
      memref.store %av, %a[%u, %t] : !a
      %bv = memref.load %B[%kt, %u] : memref<1024x128xf16>
      memref.store %bv, %b[%t, %u] : !b
      gpu.barrier
      %x = memref.load %a[%t, %u] : !a
      %y = memref.load %b[%u, %t] : !b
      %xy = arith.mulf %x, %y : f16
      %e = arith.extf %xy : f16 to f32
      %next = arith.addf %acc, %e : f32
      gpu.barrier
      scf.yield %next : f32
    }
    memref.store %sum, %c[%t, %u] : !c
    gpu.barrier
    %v = memref.load %c[%u, %t] : !c
    memref.store %v, %C[%u, %t] : memref<64x64xf32>
    gpu.return
  }

  // The outermost operation is a loop: what is accessed inside counts there, not as
  // long as all of it.
  // expected-remark @below {{3 buffers of 32768 bytes, 16384 alive at tick 11, pool of 16384 bytes}}
  gpu.func @batched_gemm(%A: memref<?x128x1024xf16>, %B: memref<?x1024x128xf16>,
                         %C: memref<?x64x64xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %u = gpu.thread_id y
    scf.for %batch = %c0 to %n step %c1 {
      %a = memref.alloc() : !a
      %b = memref.alloc() : !b
      %c = memref.alloc() : !c
      %sum = scf.for %k = %c0 to %c1024 step %c32 iter_args(%acc = %zero) -> (f32) {
        %kt = arith.addi %k, %t : index
        %av = memref.load %A[%batch, %u, %kt] : memref<?x128x1024xf16>
        memref.store %av, %a[%u, %t] : !a
        %bv = memref.load %B[%batch, %kt, %u] : memref<?x1024x128xf16>
        memref.store %bv, %b[%t, %u] : !b
        gpu.barrier
        %x = memref.load %a[%t, %u] : !a
        %y = memref.load %b[%u, %t] : !b
        %xy = arith.mulf %x, %y : f16
        %e = arith.extf %xy : f16 to f32
        %next = arith.addf %acc, %e : f32
        gpu.barrier
        scf.yield %next : f32
      }
      memref.store %sum, %c[%t, %u] : !c
      gpu.barrier
      %v = memref.load %c[%u, %t] : !c
      memref.store %v, %C[%batch, %u, %t] : memref<?x64x64xf32>
      gpu.barrier
    }
    gpu.return
  }

  // Stream-K: each workgroup works on parts of several output tiles; a loop over k,
  // then a reduction over workgroups for the tiles that it shares with others, then
  // the epilogue.
  // expected-remark @below {{4 buffers of 40960 bytes, 16384 alive at tick 15, pool of 16384 bytes}}
  gpu.func @stream_k(%A: memref<128x1024xf16>, %B: memref<1024x128xf16>, %C: memref<?x64x64xf32>,
                     %P: memref<?x64x32xf32>, %perBlock: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %u = gpu.thread_id y
    %block = gpu.block_id x
    %first = arith.muli %block, %perBlock : index
    %last = arith.addi %first, %perBlock : index
    scf.for %tile = %first to %last step %c32 {
      %a = memref.alloc() : !a
      %b = memref.alloc() : !b
      %r = memref.alloc() : !r
      %c = memref.alloc() : !c
      %end = arith.minui %last, %tile : index
      %sum = scf.for %k = %tile to %end step %c32 iter_args(%acc = %zero) -> (f32) {
        %kt = arith.addi %k, %t : index
        %av = memref.load %A[%u, %kt] : memref<128x1024xf16>
        memref.store %av, %a[%u, %t] : !a
        %bv = memref.load %B[%kt, %u] : memref<1024x128xf16>
        memref.store %bv, %b[%t, %u] : !b
        gpu.barrier
        %x = memref.load %a[%t, %u] : !a
        %y = memref.load %b[%u, %t] : !b
        %xy = arith.mulf %x, %y : f16
        %e = arith.extf %xy : f16 to f32
        %next = arith.addf %acc, %e : f32
        gpu.barrier
        scf.yield %next : f32
      }
      %isShared = arith.cmpi ne, %tile, %first : index
      %total = scf.if %isShared -> (f32) {
        %p = memref.load %P[%block, %t, %u] : memref<?x64x32xf32>
        memref.store %p, %r[%t, %u] : !r
        gpu.barrier
        %q = memref.load %r[%u, %t] : !r
        %s = arith.addf %sum, %q : f32
        gpu.barrier
        scf.yield %s : f32
      } else {
        scf.yield %sum : f32
      }
      memref.store %total, %c[%t, %u] : !c
      gpu.barrier
      %v = memref.load %c[%u, %t] : !c
      memref.store %v, %C[%tile, %u, %t] : memref<?x64x64xf32>
      gpu.barrier
    }
    gpu.return
  }

  // Two stages of A and B, filled by asynchronous copies while the other is used.
  // The epilogue comes behind the last wait.
  // expected-remark @below {{3 buffers of 49152 bytes, 32768 alive at tick 12, pool of 32768 bytes}}
  gpu.func @pipelined(%A: memref<128x1024xf16>, %B: memref<128x1024xf16>, %C: memref<64x64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %c992 = arith.constant 992 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %u = gpu.thread_id y
    %a = memref.alloc() : !stages
    %b = memref.alloc() : !stages
    %c = memref.alloc() : !c
    %a0 = nvgpu.device_async_copy %A[%u, %t], %a[%c0, %u, %t], 8 : memref<128x1024xf16> to !stages
    %b0 = nvgpu.device_async_copy %B[%u, %t], %b[%c0, %u, %t], 8 : memref<128x1024xf16> to !stages
    %g0 = nvgpu.device_async_create_group %a0, %b0
    %result:2 = scf.for %k = %c0 to %c992 step %c32
        iter_args(%acc = %zero, %stage = %c0) -> (f32, index) {
      %other = arith.subi %c1, %stage : index
      %kt = arith.addi %k, %t : index
      %a1 = nvgpu.device_async_copy %A[%u, %kt], %a[%other, %u, %t], 8 : memref<128x1024xf16> to !stages
      %b1 = nvgpu.device_async_copy %B[%u, %kt], %b[%other, %u, %t], 8 : memref<128x1024xf16> to !stages
      %g1 = nvgpu.device_async_create_group %a1, %b1
      nvgpu.device_async_wait %g1 {numGroups = 1 : i32}
      gpu.barrier
      %x = memref.load %a[%stage, %t, %u] : !stages
      %y = memref.load %b[%stage, %t, %u] : !stages
      %xy = arith.mulf %x, %y : f16
      %e = arith.extf %xy : f16 to f32
      %next = arith.addf %acc, %e : f32
      gpu.barrier
      scf.yield %next, %other : f32, index
    }
    nvgpu.device_async_wait %g0
    gpu.barrier
    %x = memref.load %a[%c1, %t, %u] : !stages
    %y = memref.load %b[%c1, %t, %u] : !stages
    %xy = arith.mulf %x, %y : f16
    %e = arith.extf %xy : f16 to f32
    %sum = arith.addf %result#0, %e : f32
    gpu.barrier
    memref.store %sum, %c[%t, %u] : !c
    gpu.barrier
    %v = memref.load %c[%u, %t] : !c
    memref.store %v, %C[%u, %t] : memref<64x64xf32>
    gpu.return
  }
}
}
