// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null
// RUN: buffer-merge-opt %s --buffer-merge --check-workgroup-races=strict | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge \
// RUN:   | mlir-opt --pass-pipeline='builtin.module(nvvm-attach-target{chip=sm_90a features=+ptx80},gpu.module(convert-nvgpu-to-nvvm,expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-gpu-to-nvvm,convert-nvvm-to-llvm,reconcile-unrealized-casts),gpu-module-to-binary{format=isa})' \
// RUN:   | FileCheck %s --check-prefix=PTX

// Matrix units read their operands in groups, through descriptors: until a wait for the group.

#wg = #gpu.address_space<workgroup>
!a = memref<128x64xf16, #wg>
!b = memref<64x128xf16, #wg>
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

// PTX: .entry gemm(
// PTX:   .shared .align 1024 .b8 __wg_gemm_0[131072];
// PTX:   cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier
// PTX:   wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
// PTX:   wgmma.wait_group.sync.aligned \090;
// PTX:   fence.proxy.async.shared::cta
// PTX:   cp.async.bulk.tensor.2d.global.shared::cta.bulk_group

gpu.module @kernels {
  // Four stages that a copy engine fills, three ahead, matrix units read, and the tile of the
  // result, which a copy engine stores, where they were.
  // CHECK-LABEL: gpu.func @gemm(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<131072xi8, #gpu.address_space<workgroup>> {llvm.align = 1024 : i64})
  //   CHECK-NOT:   memref.alloc
  //       CHECK:   gpu.return
  // expected-remark-re @below {{3 buffers of 196608 bytes, {{.*}} pool of 131072 bytes}}
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
    %as = memref.alloc() : !as
    %bs = memref.alloc() : !bs
    %c = memref.alloc() : !tile
    scf.for %i = %c0 to %c4 step %c1 {
      nvgpu.mbarrier.init %m[%i], %c1, predicate = %isFirst : !mbarriers
    }
    gpu.barrier
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
    gpu.return
  }

  // All threads wait, and meet.
  // expected-remark-re @below {{3 buffers of 98304 bytes, {{.*}} pool of 65536 bytes}}
  gpu.func @waited(%descriptorA: !llvm.ptr, %descriptorB: !llvm.ptr, %descriptorC: !llvm.ptr, %flag: i1, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
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
    %a = memref.alloc() : !a
    %b = memref.alloc() : !b
    %c = memref.alloc() : !tile
    memref.store %h, %a[%t, %c0] : !a
    memref.store %h, %b[%c0, %t] : !b
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    %da = nvgpu.warpgroup.generate.descriptor %a, %mapA : !a, !mapA -> !descA
    %db = nvgpu.warpgroup.generate.descriptor %b, %mapB : !b, !mapB -> !descB
    %r = nvgpu.warpgroup.mma %da, %db, %acc {transposeB} : !descA, !descB, !acc -> !acc
    nvvm.wgmma.wait.group.sync.aligned 0
    gpu.barrier
    nvgpu.warpgroup.mma.store %r, %c : !acc to !tile
    gpu.barrier
    %v = memref.load %c[%c1, %t] : !tile
    memref.store %v, %out[%t] : memref<?xf32>
    gpu.return
  }

  // The operation waits for its own group.
  // expected-remark-re @below {{3 buffers of 98304 bytes, {{.*}} pool of 65536 bytes}}
  gpu.func @waits_itself(%descriptorA: !llvm.ptr, %descriptorB: !llvm.ptr, %descriptorC: !llvm.ptr, %flag: i1, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
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
    %a = memref.alloc() : !a
    %b = memref.alloc() : !b
    %c = memref.alloc() : !tile
    memref.store %h, %a[%t, %c0] : !a
    memref.store %h, %b[%c0, %t] : !b
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    %da = nvgpu.warpgroup.generate.descriptor %a, %mapA : !a, !mapA -> !descA
    %db = nvgpu.warpgroup.generate.descriptor %b, %mapB : !b, !mapB -> !descB
    %r = nvgpu.warpgroup.mma %da, %db, %acc {transposeB, waitGroup = 0} : !descA, !descB, !acc -> !acc
    gpu.barrier
    nvgpu.warpgroup.mma.store %r, %c : !acc to !tile
    gpu.barrier
    %v = memref.load %c[%c1, %t] : !tile
    memref.store %v, %out[%t] : memref<?xf32>
    gpu.return
  }

  // The second operation waits for the group of the first.
  // expected-remark-re @below {{5 buffers of 131072 bytes, {{.*}} pool of 98304 bytes}}
  gpu.func @older(%descriptorA: !llvm.ptr, %descriptorB: !llvm.ptr, %descriptorC: !llvm.ptr, %flag: i1, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
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
    %a = memref.alloc() : !a
    %b = memref.alloc() : !b
    %c = memref.alloc() : !tile
    %a2 = memref.alloc() : !a
    %b2 = memref.alloc() : !b
    memref.store %h, %a[%t, %c0] : !a
    memref.store %h, %b[%c0, %t] : !b
    memref.store %h, %a2[%t, %c0] : !a
    memref.store %h, %b2[%c0, %t] : !b
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    %da = nvgpu.warpgroup.generate.descriptor %a, %mapA : !a, !mapA -> !descA
    %db = nvgpu.warpgroup.generate.descriptor %b, %mapB : !b, !mapB -> !descB
    %r = nvgpu.warpgroup.mma %da, %db, %acc {transposeB} : !descA, !descB, !acc -> !acc
    %da2 = nvgpu.warpgroup.generate.descriptor %a2, %mapA : !a, !mapA -> !descA
    %db2 = nvgpu.warpgroup.generate.descriptor %b2, %mapB : !b, !mapB -> !descB
    %s = nvgpu.warpgroup.mma %da2, %db2, %r {transposeB} : !descA, !descB, !acc -> !acc
    gpu.barrier
    nvgpu.warpgroup.mma.store %s, %c : !acc to !tile
    gpu.barrier
    %v = memref.load %c[%c1, %t] : !tile
    memref.store %v, %out[%t] : memref<?xf32>
    gpu.return
  }

  // The operation leaves one group behind.
  gpu.func @no_wait(%descriptorA: !llvm.ptr, %descriptorB: !llvm.ptr, %descriptorC: !llvm.ptr, %flag: i1, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
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
    // expected-remark @below {{cannot share bytes with buffer 2 of the pool: in-flight}}
    %a = memref.alloc() : !a
    // expected-remark @below {{cannot share bytes with buffer 2 of the pool: in-flight}}
    %b = memref.alloc() : !b
    %c = memref.alloc() : !tile
    memref.store %h, %a[%t, %c0] : !a
    memref.store %h, %b[%c0, %t] : !b
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    %da = nvgpu.warpgroup.generate.descriptor %a, %mapA : !a, !mapA -> !descA
    %db = nvgpu.warpgroup.generate.descriptor %b, %mapB : !b, !mapB -> !descB
    %r = nvgpu.warpgroup.mma %da, %db, %acc {transposeB} : !descA, !descB, !acc -> !acc
    gpu.barrier
    nvgpu.warpgroup.mma.store %r, %c : !acc to !tile
    gpu.barrier
    %v = memref.load %c[%c1, %t] : !tile
    memref.store %v, %out[%t] : memref<?xf32>
    gpu.return
  }

  // Other warps may still wait.
  gpu.func @no_barrier(%descriptorA: !llvm.ptr, %descriptorB: !llvm.ptr, %descriptorC: !llvm.ptr, %flag: i1, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
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
    // expected-remark @below {{cannot share bytes with buffer 2 of the pool: no-barrier}}
    %a = memref.alloc() : !a
    // expected-remark @below {{cannot share bytes with buffer 2 of the pool: no-barrier}}
    %b = memref.alloc() : !b
    %c = memref.alloc() : !tile
    memref.store %h, %a[%t, %c0] : !a
    memref.store %h, %b[%c0, %t] : !b
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    %da = nvgpu.warpgroup.generate.descriptor %a, %mapA : !a, !mapA -> !descA
    %db = nvgpu.warpgroup.generate.descriptor %b, %mapB : !b, !mapB -> !descB
    %r = nvgpu.warpgroup.mma %da, %db, %acc {transposeB} : !descA, !descB, !acc -> !acc
    gpu.barrier
    nvvm.wgmma.wait.group.sync.aligned 0
    nvgpu.warpgroup.mma.store %r, %c : !acc to !tile
    gpu.barrier
    %v = memref.load %c[%c1, %t] : !tile
    memref.store %v, %out[%t] : memref<?xf32>
    gpu.return
  }

  // They may not wait.
  gpu.func @maybe_waits(%descriptorA: !llvm.ptr, %descriptorB: !llvm.ptr, %descriptorC: !llvm.ptr, %flag: i1, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
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
    // expected-remark @below {{cannot share bytes with buffer 2 of the pool: in-flight}}
    %a = memref.alloc() : !a
    // expected-remark @below {{cannot share bytes with buffer 2 of the pool: in-flight}}
    %b = memref.alloc() : !b
    %c = memref.alloc() : !tile
    memref.store %h, %a[%t, %c0] : !a
    memref.store %h, %b[%c0, %t] : !b
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    %da = nvgpu.warpgroup.generate.descriptor %a, %mapA : !a, !mapA -> !descA
    %db = nvgpu.warpgroup.generate.descriptor %b, %mapB : !b, !mapB -> !descB
    %r = nvgpu.warpgroup.mma %da, %db, %acc {transposeB} : !descA, !descB, !acc -> !acc
    scf.if %flag {
      nvvm.wgmma.wait.group.sync.aligned 0
    }
    gpu.barrier
    nvgpu.warpgroup.mma.store %r, %c : !acc to !tile
    gpu.barrier
    %v = memref.load %c[%c1, %t] : !tile
    memref.store %v, %out[%t] : memref<?xf32>
    gpu.return
  }

  // The next iteration fills the tile of the result while they read.
  gpu.func @back_edge(%descriptorA: !llvm.ptr, %descriptorB: !llvm.ptr, %descriptorC: !llvm.ptr, %flag: i1, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %h = arith.constant 1.0 : f16
    %c3 = arith.constant 3 : index
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %mapA = builtin.unrealized_conversion_cast %descriptorA : !llvm.ptr to !mapA
    %mapB = builtin.unrealized_conversion_cast %descriptorB : !llvm.ptr to !mapB
    %mapC = builtin.unrealized_conversion_cast %descriptorC : !llvm.ptr to !mapC
    %acc = nvgpu.warpgroup.mma.init.accumulator -> !acc
    scf.for %i = %c0 to %c3 step %c1 {
      // expected-remark @below {{cannot share bytes with buffer 1 of the pool: in-flight}}
      %c = memref.alloc() : !tile
      %a = memref.alloc() : !a
      %b = memref.alloc() : !b
      memref.store %x, %c[%c0, %t] : !tile
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      gpu.barrier
      memref.store %h, %a[%t, %c0] : !a
      memref.store %h, %b[%c0, %t] : !b
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      gpu.barrier
      %da = nvgpu.warpgroup.generate.descriptor %a, %mapA : !a, !mapA -> !descA
      %db = nvgpu.warpgroup.generate.descriptor %b, %mapB : !b, !mapB -> !descB
      %r = nvgpu.warpgroup.mma %da, %db, %acc {transposeB} : !descA, !descB, !acc -> !acc
      gpu.barrier
    }
    gpu.return
  }

  // What threads have written is not fenced.
  gpu.func @no_fence(%descriptorA: !llvm.ptr, %descriptorB: !llvm.ptr, %descriptorC: !llvm.ptr, %flag: i1, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
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
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: proxy}}
    %c = memref.alloc() : !tile
    %a = memref.alloc() : !a
    %b = memref.alloc() : !b
    memref.store %x, %c[%c0, %t] : !tile
    gpu.barrier
    %v = memref.load %c[%c1, %t] : !tile
    memref.store %v, %out[%t] : memref<?xf32>
    gpu.barrier
    memref.store %h, %a[%t, %c0] : !a
    memref.store %h, %b[%c0, %t] : !b
    gpu.barrier
    %da = nvgpu.warpgroup.generate.descriptor %a, %mapA : !a, !mapA -> !descA
    %db = nvgpu.warpgroup.generate.descriptor %b, %mapB : !b, !mapB -> !descB
    %r = nvgpu.warpgroup.mma %da, %db, %acc {transposeB} : !descA, !descB, !acc -> !acc
    nvvm.wgmma.wait.group.sync.aligned 0
    gpu.return
  }

  // A descriptor that goes another way is an address.
  gpu.func @carried(%descriptorA: !llvm.ptr, %descriptorB: !llvm.ptr, %descriptorC: !llvm.ptr, %flag: i1, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
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
    %c3 = arith.constant 3 : index
    // expected-remark @below {{not mergeable: async-proxy}}
    %a = memref.alloc() : !a
    %b = memref.alloc() : !b
    %c = memref.alloc() : !tile
    memref.store %h, %a[%t, %c0] : !a
    memref.store %h, %b[%c0, %t] : !b
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    %da = nvgpu.warpgroup.generate.descriptor %a, %mapA : !a, !mapA -> !descA
    %db = nvgpu.warpgroup.generate.descriptor %b, %mapB : !b, !mapB -> !descB
    %first = nvgpu.warpgroup.mma %da, %db, %acc {transposeB} : !descA, !descB, !acc -> !acc
    %r, %last = scf.for %i = %c0 to %c3 step %c1 iter_args(%sum = %first, %d = %da) -> (!acc, !descA) {
      %next = nvgpu.warpgroup.mma %d, %db, %sum {transposeB} : !descA, !descB, !acc -> !acc
      scf.yield %next, %d : !acc, !descA
    }
    nvvm.wgmma.wait.group.sync.aligned 0
    gpu.barrier
    nvgpu.warpgroup.mma.store %r, %c : !acc to !tile
    gpu.barrier
    %v = memref.load %c[%c1, %t] : !tile
    memref.store %v, %out[%t] : memref<?xf32>
    gpu.return
  }
}
