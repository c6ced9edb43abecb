// RUN: buffer-merge-opt %s --buffer-merge --check-workgroup-races=strict | FileCheck %s --check-prefixes=CHECK,EXISTING
// RUN: buffer-merge-opt %s --buffer-merge=barriers=insert --check-workgroup-races=strict | FileCheck %s --check-prefixes=CHECK,INSERT

// One workgroup computes four tiles of a matrix product. The stages of the next tile are where
// the result of this one was, once all threads know that it has been stored: one barrier in
// front of the loop that starts to load. What the threads have written is fenced already.

#wg = #gpu.address_space<workgroup>
!half = memref<64x64xf16, strided<[128, 1], offset: ?>, #wg>
!tile = memref<128x128xf32, #wg>
!as = memref<4x128x64xf16, #wg>
!bs = memref<4x64x128xf16, #wg>
!aStage = memref<128x64xf16, strided<[64, 1], offset: ?>, #wg>
!bStage = memref<64x128xf16, strided<[128, 1], offset: ?>, #wg>
!descA = !nvgpu.warpgroup.descriptor<tensor = memref<128x64xf16, #wg>>
!descB = !nvgpu.warpgroup.descriptor<tensor = memref<64x128xf16, #wg>>
!acc = !nvgpu.warpgroup.accumulator<fragmented = vector<128x128xf32>>
!mapA = !nvgpu.tensormap.descriptor<tensor = memref<128x64xf16, 3>, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>
!mapB = !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, 3>, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>
!mapC = !nvgpu.tensormap.descriptor<tensor = memref<128x128xf32, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>
!mbarriers = !nvgpu.mbarrier.group<memorySpace = #wg, num_barriers = 4>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @gemm(
  // EXISTING-SAME: memref<196608xi8,
  //   INSERT-SAME: memref<131072xi8,
  //         CHECK:   scf.for
  //         CHECK:   gpu.barrier
  //         CHECK:   scf.for
  //  EXISTING-NOT:     gpu.barrier
  //        INSERT:     gpu.barrier
  //   INSERT-NEXT:     scf.for
  //         CHECK:       nvgpu.tma.async.load
  //         CHECK:     nvgpu.warpgroup.mma
  //         CHECK:     nvvm.fence.proxy
  //     CHECK-NOT:     nvvm.fence.proxy
  //         CHECK:   gpu.return
  gpu.func @gemm(%descriptorA: !llvm.ptr, %descriptorB: !llvm.ptr, %descriptorC: !llvm.ptr, %flag: i1, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %h = arith.constant 1.0 : f16
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %mapA = builtin.unrealized_conversion_cast %descriptorA : !llvm.ptr to !mapA
    %mapB = builtin.unrealized_conversion_cast %descriptorB : !llvm.ptr to !mapB
    %mapC = builtin.unrealized_conversion_cast %descriptorC : !llvm.ptr to !mapC
    %acc = nvgpu.warpgroup.mma.init.accumulator -> !acc
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %bytes = arith.constant 32768 : index
    %ticks = arith.constant 10000000 : index
    %m = nvgpu.mbarrier.create -> !mbarriers
    scf.for %i = %c0 to %c4 step %c1 {
      nvgpu.mbarrier.init %m[%i], %c1, predicate = %isFirst : !mbarriers
    }
    gpu.barrier
    scf.for %tileNo = %c0 to %c4 step %c1 {
      %as = memref.alloc() : !as
      %bs = memref.alloc() : !bs
      %c = memref.alloc() : !tile
      scf.for %i = %c0 to %c3 step %c1 {
        %toAi = memref.subview %as[%i, 0, 0] [1, 128, 64] [1, 1, 1] : !as to !aStage
        %toBi = memref.subview %bs[%i, 0, 0] [1, 64, 128] [1, 1, 1] : !bs to !bStage
        %lefti = memref.subview %toBi[0, 0] [64, 64] [1, 1] : !bStage to !half
        %righti = memref.subview %toBi[0, 64] [64, 64] [1, 1] : !bStage to !half
        nvgpu.mbarrier.arrive.expect_tx %m[%i], %bytes, predicate = %isFirst : !mbarriers
        nvgpu.tma.async.load %mapA[%i, %c0], %m[%i] to %toAi, predicate = %isFirst : !mapA, !mbarriers -> !aStage
        nvgpu.tma.async.load %mapB[%c0, %i], %m[%i] to %lefti, predicate = %isFirst : !mapB, !mbarriers -> !half
        nvgpu.tma.async.load %mapB[%c64, %i], %m[%i] to %righti, predicate = %isFirst : !mapB, !mbarriers -> !half
      }
      %sum = scf.for %i = %c0 to %c16 step %c1 iter_args(%before = %acc) -> !acc {
        %s = arith.remui %i, %c4 : index
        %round = arith.divui %i, %c4 : index
        %bit = arith.andi %round, %c1 : index
        %parity = arith.cmpi eq, %bit, %c1 : index
        nvgpu.mbarrier.try_wait.parity %m[%s], %parity, %ticks : !mbarriers
        %a = memref.subview %as[%s, 0, 0] [1, 128, 64] [1, 1, 1] : !as to !aStage
        %b = memref.subview %bs[%s, 0, 0] [1, 64, 128] [1, 1, 1] : !bs to !bStage
        %da = nvgpu.warpgroup.generate.descriptor %a, %mapA : !aStage, !mapA -> !descA
        %db = nvgpu.warpgroup.generate.descriptor %b, %mapB : !bStage, !mapB -> !descB
        %after = nvgpu.warpgroup.mma %da, %db, %before {transposeB} : !descA, !descB, !acc -> !acc
        gpu.barrier
        %next = arith.addi %i, %c3 : index
        %more = arith.cmpi ult, %next, %c16 : index
        scf.if %more {
          %to = arith.remui %next, %c4 : index
          %toAto = memref.subview %as[%to, 0, 0] [1, 128, 64] [1, 1, 1] : !as to !aStage
          %toBto = memref.subview %bs[%to, 0, 0] [1, 64, 128] [1, 1, 1] : !bs to !bStage
          %leftto = memref.subview %toBto[0, 0] [64, 64] [1, 1] : !bStage to !half
          %rightto = memref.subview %toBto[0, 64] [64, 64] [1, 1] : !bStage to !half
          nvgpu.mbarrier.arrive.expect_tx %m[%to], %bytes, predicate = %isFirst : !mbarriers
          nvgpu.tma.async.load %mapA[%next, %c0], %m[%to] to %toAto, predicate = %isFirst : !mapA, !mbarriers -> !aStage
          nvgpu.tma.async.load %mapB[%c0, %next], %m[%to] to %leftto, predicate = %isFirst : !mapB, !mbarriers -> !half
          nvgpu.tma.async.load %mapB[%c64, %next], %m[%to] to %rightto, predicate = %isFirst : !mapB, !mbarriers -> !half
        }
        scf.yield %after : !acc
      }
      nvvm.wgmma.wait.group.sync.aligned 0
      gpu.barrier
      nvgpu.warpgroup.mma.store %sum, %c : !acc to !tile
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      gpu.barrier
      nvgpu.tma.async.store %c to %mapC[%c0, %c0], predicate = %isFirst : !tile -> !mapC
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 0
    }
    gpu.return
  }
}
