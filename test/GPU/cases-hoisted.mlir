// RUN: buffer-merge-opt %s --buffer-merge --check-workgroup-races | FileCheck %s --check-prefixes=CHECK,KEPT
// RUN: buffer-merge-opt %s --buffer-merge='target={"workgroup": {"assumeInitialized": true}}' --check-workgroup-races | FileCheck %s --check-prefixes=CHECK,TILES
// RUN: sed 's/) kernel {/) kernel attributes {known_block_size = array<i32: 32, 32, 1>} {/' %s \
// RUN:   | buffer-merge-opt --buffer-merge=merge-attributions --check-workgroup-races | FileCheck %s --check-prefixes=CHECK,TILES
// RUN: buffer-merge-opt %s --buffer-merge='target={"workgroup": {"assumeInitialized": true}} merge-attributions' | FileCheck %s --check-prefix=ATTRIBUTIONS
// RUN: buffer-merge-opt %s --buffer-merge='target={"workgroup": {"assumeInitialized": true}}' --canonicalize --cse --check-workgroup-races -o /dev/null

// The kernels of cases.mlir with all work in a loop, as they are published: buffers are
// declared at the top. That an iteration fills what it reads follows from the size of the
// workgroup, or is assumed.

!a = memref<128x32xf16, #gpu.address_space<workgroup>>
!b = memref<32x128xf16, #gpu.address_space<workgroup>>
!c = memref<64x64xf32, #gpu.address_space<workgroup>>
!r = memref<64x32xf32, #gpu.address_space<workgroup>>
!bigA = memref<2x128x32xf16, #gpu.address_space<workgroup>>
!bigB = memref<2x32x256xf16, #gpu.address_space<workgroup>>
!bigC = memref<128x256xf32, #gpu.address_space<workgroup>>
!bigR = memref<128x37xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @batched_gemm(
  //   KEPT-SAME:     workgroup(%{{.*}} : memref<32768xi8
  //  TILES-SAME:     workgroup(%{{.*}} : memref<16384xi8
  gpu.func @batched_gemm(%A: memref<?x128x1024xf16>, %B: memref<?x1024x128xf16>,
                         %C: memref<?x64x64xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %u = gpu.thread_id y
    %a = memref.alloc() : !a
    %b = memref.alloc() : !b
    %c = memref.alloc() : !c
    scf.for %batch = %c0 to %n step %c1 {
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

  // CHECK-LABEL: gpu.func @stream_k(
  //   KEPT-SAME:     workgroup(%{{.*}} : memref<40960xi8
  //  TILES-SAME:     workgroup(%{{.*}} : memref<16384xi8
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
    %a = memref.alloc() : !a
    %b = memref.alloc() : !b
    %r = memref.alloc() : !r
    %c = memref.alloc() : !c
    scf.for %tile = %first to %last step %c32 {
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

  // Attributions are what is at the top of every kernel.
  // CHECK-LABEL: gpu.func @batched_gemm_attributions(
  // ATTRIBUTIONS-LABEL: gpu.func @batched_gemm_attributions(
  //  ATTRIBUTIONS-SAME:     workgroup(%{{.*}} : memref<16384xi8
  gpu.func @batched_gemm_attributions(%A: memref<?x128x1024xf16>, %B: memref<?x1024x128xf16>,
                         %C: memref<?x64x64xf32>, %n: index)
      workgroup(%a: !a, %b: !b, %c: !c) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %u = gpu.thread_id y
    scf.for %batch = %c0 to %n step %c1 {
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

  // Of published size: two stages of A and B, and a tile of C that is as large as all
  // that share its bytes.
  // CHECK-LABEL: gpu.func @stream_k_published(
  //   KEPT-SAME:     workgroup(%{{.*}} : memref<199168xi8
  //  TILES-SAME:     workgroup(%{{.*}} : memref<131072xi8
  gpu.func @stream_k_published(%A: memref<128x1024xf16>, %B: memref<1024x128xf16>, %C: memref<?x64x64xf32>,
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
    %a = memref.alloc() : !bigA
    %b = memref.alloc() : !bigB
    %r = memref.alloc() : !bigR
    %c = memref.alloc() : !bigC
    scf.for %tile = %first to %last step %c32 {
      %end = arith.minui %last, %tile : index
      %sum = scf.for %k = %tile to %end step %c32 iter_args(%acc = %zero) -> (f32) {
        %kt = arith.addi %k, %t : index
        %av = memref.load %A[%u, %kt] : memref<128x1024xf16>
        memref.store %av, %a[%c0, %u, %t] : !bigA
        %bv = memref.load %B[%kt, %u] : memref<1024x128xf16>
        memref.store %bv, %b[%c0, %t, %u] : !bigB
        gpu.barrier
        %x = memref.load %a[%c0, %t, %u] : !bigA
        %y = memref.load %b[%c0, %u, %t] : !bigB
        %xy = arith.mulf %x, %y : f16
        %e = arith.extf %xy : f16 to f32
        %next = arith.addf %acc, %e : f32
        gpu.barrier
        scf.yield %next : f32
      }
      %isShared = arith.cmpi ne, %tile, %first : index
      %total = scf.if %isShared -> (f32) {
        %p = memref.load %P[%block, %t, %u] : memref<?x64x32xf32>
        memref.store %p, %r[%t, %u] : !bigR
        gpu.barrier
        %q = memref.load %r[%u, %t] : !bigR
        %s = arith.addf %sum, %q : f32
        gpu.barrier
        scf.yield %s : f32
      } else {
        scf.yield %sum : f32
      }
      memref.store %total, %c[%t, %u] : !bigC
      gpu.barrier
      %v = memref.load %c[%u, %t] : !bigC
      memref.store %v, %C[%tile, %u, %t] : memref<?x64x64xf32>
      gpu.barrier
    }
    gpu.return
  }
}
