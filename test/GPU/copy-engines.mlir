// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-lifetimes -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: buffer-merge-opt %s --buffer-merge \
// RUN:   | mlir-opt --pass-pipeline='builtin.module(nvvm-attach-target{chip=sm_90 features=+ptx80},gpu.module(convert-nvgpu-to-nvvm,expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-gpu-to-nvvm,convert-nvvm-to-llvm,reconcile-unrealized-casts),gpu-module-to-binary{format=isa})' \
// RUN:   | FileCheck %s --check-prefix=PTX

// Copies of the tensor memory accelerator, which complete when a thread has waited for the
// phase of an mbarrier. Where it is not known which wait that is, what they access shares
// bytes with nothing: it becomes an attribution, and no allocation of each thread.

!stages = memref<2x64x32xf32, #gpu.address_space<workgroup>>
!stage = memref<64x32xf32, strided<[32, 1], offset: ?>, #gpu.address_space<workgroup>>
!tile = memref<64x32xf32, #gpu.address_space<workgroup>>
!wg = memref<64xf32, #gpu.address_space<workgroup>>
!words = memref<2xi64, #gpu.address_space<workgroup>>
!map = !nvgpu.tensormap.descriptor<tensor = memref<64x32xf32, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>
!mbarriers = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 2>
!token = !nvgpu.mbarrier.token

// PTX-NOT: malloc
// PTX: .shared .align 1024 .b8 __wg_stages_1[16384];
// PTX-NOT: malloc
// PTX: .shared .align 1024 .b8 __wg_store_0[8192];
// PTX-NOT: malloc
// PTX: .shared .align 1024 .b8 __wg_in_loop_0[8192];
// PTX-NOT: malloc
// PTX: .shared .align 128 .b8 __wg_pointers_0[256];
// PTX: .shared .align 128 .b8 __wg_pointers_1[16];
// PTX-NOT: malloc

gpu.module @kernels {
  // Two stages in a loop, each with a phase of its own. What the threads fill themselves
  // is merged beside them.
  // CHECK-LABEL: gpu.func @stages(
  //  CHECK-SAME:     workgroup(%{{[a-z0-9]+}} : memref<256xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64},
  //  CHECK-SAME:       %[[STAGES:[a-z0-9]+]] : memref<2x64x32xf32, #gpu.address_space<workgroup>> {llvm.align = 1024 : i64})
  //   CHECK-NOT:   memref.alloc
  //       CHECK:   gpu.return
  // WHY: copy-engines.mlir:[[#@LINE+11]]:15: remark: not mergeable: async-proxy{{.*}}'nvgpu.tma.async.load'{{.*}}; it becomes a workgroup attribution of its own
  gpu.func @stages(%descriptor: !llvm.ptr, %n: index, %out: memref<?xf32>) kernel {
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 8192 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %stages = memref.alloc() : !stages
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %mbarriers = nvgpu.mbarrier.create -> !mbarriers
    nvgpu.mbarrier.init %mbarriers[%c0], %c1, predicate = %isFirst : !mbarriers
    nvgpu.mbarrier.init %mbarriers[%c1], %c1, predicate = %isFirst : !mbarriers
    gpu.barrier
    scf.for %i = %c0 to %n step %c1 iter_args(%parity = %even) -> i1 {
      %s = arith.remui %i, %c2 : index
      %stage = memref.subview %stages[%s, 0, 0] [1, 64, 32] [1, 1, 1] : !stages to !stage
      nvgpu.mbarrier.arrive.expect_tx %mbarriers[%s], %bytes, predicate = %isFirst : !mbarriers
      nvgpu.tma.async.load %map[%i, %c0], %mbarriers[%s] to %stage, predicate = %isFirst : !map, !mbarriers -> !stage
      nvgpu.mbarrier.try_wait.parity %mbarriers[%s], %parity, %ticks : !mbarriers
      %v = memref.load %stage[%t, %c0] : !stage
      memref.store %v, %a[%t] : !wg
      gpu.barrier
      %w = memref.load %a[%c0] : !wg
      memref.store %w, %out[%t] : memref<?xf32>
      gpu.barrier
      %isOdd = arith.cmpi eq, %s, %c1 : index
      %next = arith.xori %parity, %isOdd : i1
      scf.yield %next : i1
    }
    memref.store %zero, %b[%t] : !wg
    gpu.barrier
    %r = memref.load %b[%c0] : !wg
    memref.store %r, %out[%t] : memref<?xf32>
    gpu.return
  }

  // From a tile that the threads have filled: its end is known.
  // CHECK-LABEL: gpu.func @store(
  //  CHECK-SAME:     workgroup(%[[POOL:[a-z0-9]+]] : memref<8192xi8, #gpu.address_space<workgroup>> {llvm.align = 1024 : i64})
  //   CHECK-NOT:   memref.alloc
  //       CHECK:   %[[TILE:.*]] = memref.view %[[POOL]]
  //       CHECK:   nvgpu.tma.async.store %[[TILE]]
  gpu.func @store(%descriptor: !llvm.ptr, %x: f32) kernel {
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %tile = memref.alloc() : !tile
    memref.store %x, %tile[%t, %c0] : !tile
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    nvgpu.tma.async.store %tile to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0
    gpu.return
  }

  // All iterations have one object.
  // CHECK-LABEL: gpu.func @in_loop(
  //  CHECK-SAME:     workgroup(%[[TILE:[a-z0-9]+]] : memref<64x32xf32, #gpu.address_space<workgroup>> {llvm.align = 1024 : i64})
  //   CHECK-NOT:   memref.alloc
  //       CHECK:     nvgpu.tma.async.load {{.*}} to %[[TILE]]
  // WHY: copy-engines.mlir:[[#@LINE+12]]:15: remark: not mergeable: async-proxy{{.*}}; it becomes a workgroup attribution of its own
  gpu.func @in_loop(%descriptor: !llvm.ptr, %n: index, %out: memref<?xf32>) kernel {
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %bytes = arith.constant 8192 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %t = gpu.thread_id x
    %mbarriers = nvgpu.mbarrier.create -> !mbarriers
    nvgpu.mbarrier.init %mbarriers[%c0], %c1 : !mbarriers
    scf.for %i = %c0 to %n step %c1 iter_args(%parity = %even) -> i1 {
      %tile = memref.alloc() : !tile
      nvgpu.mbarrier.arrive.expect_tx %mbarriers[%c0], %bytes : !mbarriers
      nvgpu.tma.async.load %map[%i, %c0], %mbarriers[%c0] to %tile : !map, !mbarriers -> !tile
      nvgpu.mbarrier.try_wait.parity %mbarriers[%c0], %parity, %ticks : !mbarriers
      %v = memref.load %tile[%t, %c0] : !tile
      memref.store %v, %out[%t] : memref<?xf32>
      gpu.barrier
      %true = arith.constant true
      %next = arith.xori %parity, %true : i1
      scf.yield %next : i1
    }
    gpu.return
  }

  // Lowered by hand, with the mbarriers in memory of the program: only addresses are seen.
  // CHECK-LABEL: gpu.func @pointers(
  //  CHECK-SAME:     workgroup(%{{[a-z0-9]+}} : memref<64xf32, #gpu.address_space<workgroup>> {llvm.align = 128 : i64},
  //  CHECK-SAME:       %{{[a-z0-9]+}} : memref<2xi64, #gpu.address_space<workgroup>> {llvm.align = 128 : i64})
  //   CHECK-NOT:   memref.alloc
  //       CHECK:   nvvm.mbarrier.try_wait.parity
  // WHY: copy-engines.mlir:[[#@LINE+8]]:13: remark: not mergeable: address-taken{{.*}}; it becomes a workgroup attribution of its own
  // WHY: copy-engines.mlir:[[#@LINE+8]]:14: remark: not mergeable: address-taken{{.*}}; it becomes a workgroup attribution of its own
  gpu.func @pointers(%in: !llvm.ptr<1>, %out: memref<?xf32>) kernel {
    %bytes = arith.constant 256 : i32
    %c1 = arith.constant 1 : i32
    %even = arith.constant 0 : i32
    %ticks = arith.constant 10000000 : i32
    %t = gpu.thread_id x
    %tile = memref.alloc() : !wg
    %words = memref.alloc() : !words
    %address = memref.extract_aligned_pointer_as_index %tile : !wg -> index
    %number = arith.index_cast %address : index to i64
    %to = llvm.inttoptr %number : i64 to !llvm.ptr<3>
    %cluster = llvm.addrspacecast %to : !llvm.ptr<3> to !llvm.ptr<7>
    %wordsAddress = memref.extract_aligned_pointer_as_index %words : !words -> index
    %wordsNumber = arith.index_cast %wordsAddress : index to i64
    %mbarrier = llvm.inttoptr %wordsNumber : i64 to !llvm.ptr<3>
    nvvm.mbarrier.init %mbarrier, %c1 : !llvm.ptr<3>, i32
    nvvm.mbarrier.arrive.expect_tx %mbarrier, %bytes : !llvm.ptr<3>, i32
    nvvm.cp.async.bulk.shared.cluster.global %cluster, %in, %mbarrier, %bytes : !llvm.ptr<7>, !llvm.ptr<1>
    nvvm.mbarrier.try_wait.parity %mbarrier, %even, %ticks : !llvm.ptr<3>, i32, i32
    %v = memref.load %tile[%t] : !wg
    memref.store %v, %out[%t] : memref<?xf32>
    gpu.return
  }

  // Waiting for what other threads have arrived at is no barrier of all of them.
  // CHECK-LABEL: gpu.func @phases(
  //  CHECK-SAME:     workgroup(%{{[a-z0-9]+}} : memref<768xi8,
  gpu.func @phases(%x: f32) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = gpu.block_dim x
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %t = gpu.thread_id x
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %c = memref.alloc() : !wg
    %mbarriers = nvgpu.mbarrier.create -> !mbarriers
    nvgpu.mbarrier.init %mbarriers[%c0], %n : !mbarriers
    nvgpu.mbarrier.init %mbarriers[%c1], %n : !mbarriers
    gpu.barrier
    memref.store %x, %a[%t] : !wg
    %token = nvgpu.mbarrier.arrive %mbarriers[%c0] : !mbarriers -> !token
    %isOver = nvgpu.mbarrier.test.wait %mbarriers[%c0], %token : !mbarriers, !token
    memref.store %x, %b[%t] : !wg
    %other = nvgpu.mbarrier.arrive.nocomplete %mbarriers[%c1], %c1 : !mbarriers -> !token
    nvgpu.mbarrier.try_wait.parity %mbarriers[%c1], %even, %ticks : !mbarriers
    memref.store %x, %c[%t] : !wg
    gpu.return
  }
}
