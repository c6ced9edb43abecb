// RUN: buffer-merge-opt %s --buffer-merge=barriers=insert --check-workgroup-races=strict | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-lifetimes=barriers=insert -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// An inserted barrier comes with a proxy fence where one is missing.

#wg = #gpu.address_space<workgroup>
!tile = memref<64x64xf32, #wg>
!map = !nvgpu.tensormap.descriptor<tensor = memref<64x64xf32, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>
!mbarriers = !nvgpu.mbarrier.group<memorySpace = #wg, num_barriers = 1>
!row = memref<64xf32, #wg>
!token = !nvgpu.device.async.token

gpu.module @kernels {
  // A copy engine writes behind threads.
  // CHECK-LABEL: gpu.func @before_load(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<16384xi8,
  //       CHECK:   nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  //  CHECK-NEXT:   gpu.barrier
  //  CHECK-NEXT:   nvgpu.tma.async.load
  // REMARK: :[[#@LINE+22]]:5: remark: proxy fence and barrier to be inserted before this
  gpu.func @before_load(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %ticks = arith.constant 10000000 : index
    %bytes = arith.constant 16384 : index
    %even = arith.constant false
    %m = nvgpu.mbarrier.create -> !mbarriers
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    nvgpu.mbarrier.init %m[%c0], %c1, predicate = %isFirst : !mbarriers
    gpu.barrier
    memref.store %x, %a[%c0, %t] : !tile
    gpu.barrier
    %v = memref.load %a[%c1, %t] : !tile
    memref.store %v, %out[%t] : memref<?xf32>
    gpu.barrier
    nvgpu.mbarrier.arrive.expect_tx %m[%c0], %bytes, predicate = %isFirst : !mbarriers
    nvgpu.tma.async.load %map[%c0, %c0], %m[%c0] to %c, predicate = %isFirst : !map, !mbarriers -> !tile
    nvgpu.mbarrier.try_wait.parity %m[%c0], %even, %ticks : !mbarriers
    %w = memref.load %c[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // Threads write behind a copy engine: a barrier is enough.
  // CHECK-LABEL: gpu.func @after_store(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<16384xi8,
  //       CHECK:   nvvm.cp.async.bulk.wait_group
  //   CHECK-NOT:   nvvm.fence
  //       CHECK:   gpu.barrier
  //  CHECK-NEXT:   memref.store
  // REMARK: :[[#@LINE+16]]:5: remark: barrier to be inserted before this
  gpu.func @after_store(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %c = memref.alloc() : !tile
    %d = memref.alloc() : !tile
    memref.store %x, %c[%c0, %t] : !tile
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 {read}
    memref.store %x, %d[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %d[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // No fence ends a copy.
  // CHECK-LABEL: gpu.func @in_flight(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<32768xi8,
  gpu.func @in_flight(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %c = memref.alloc() : !tile
    %d = memref.alloc() : !tile
    memref.store %x, %c[%c0, %t] : !tile
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.commit.group
    memref.store %x, %d[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %d[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    nvvm.cp.async.bulk.wait_group 0 {read}
    gpu.return
  }
}
