// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null
// RUN: buffer-merge-opt %s --buffer-merge --check-workgroup-races=strict -o /dev/null

// A copy engine stores tiles in groups: it reads them until its thread has waited for the
// group. Between what threads access and what it accesses there must be a proxy fence of all
// threads and a barrier.

#wg = #gpu.address_space<workgroup>
!tile = memref<64x64xf32, #wg>
!map = !nvgpu.tensormap.descriptor<tensor = memref<64x64xf32, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>
!mbarriers = !nvgpu.mbarrier.group<memorySpace = #wg, num_barriers = 1>
!row = memref<64xf32, #wg>
!token = !nvgpu.device.async.token

gpu.module @kernels {
  // The thread that has issued the store waits until it has been read; then all meet.
  // expected-remark-re @below {{2 buffers of 32768 bytes, {{.*}} pool of 16384 bytes}}
  gpu.func @stored(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
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
    gpu.barrier
    memref.store %x, %d[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %d[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // What has been written was read before.
  // expected-remark-re @below {{2 buffers of 32768 bytes, {{.*}} pool of 16384 bytes}}
  gpu.func @written(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
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
    nvvm.cp.async.bulk.wait_group 0
    gpu.barrier
    memref.store %x, %d[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %d[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // One thread does all of it.
  // expected-remark-re @below {{2 buffers of 32768 bytes, {{.*}} pool of 16384 bytes}}
  gpu.func @in_branch(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
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
    scf.if %isFirst {
      nvgpu.tma.async.store %c to %map[%c0, %c0] : !tile -> !map
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 0 {read}
    }
    gpu.barrier
    memref.store %x, %d[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %d[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // Of two groups the older one is complete.
  // expected-remark-re @below {{3 buffers of 49152 bytes, {{.*}} pool of 32768 bytes}}
  gpu.func @groups(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %c = memref.alloc() : !tile
    // expected-remark @below {{cannot share bytes with buffer 2 of the pool: in-flight}}
    %e = memref.alloc() : !tile
    %d = memref.alloc() : !tile
    memref.store %x, %c[%c0, %t] : !tile
    memref.store %x, %e[%c0, %t] : !tile
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.commit.group
    nvgpu.tma.async.store %e to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 1 {read}
    gpu.barrier
    memref.store %x, %d[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %d[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // Nothing waits for it.
  gpu.func @no_wait(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: in-flight}}
    %c = memref.alloc() : !tile
    %d = memref.alloc() : !tile
    memref.store %x, %c[%c0, %t] : !tile
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.commit.group
    gpu.barrier
    memref.store %x, %d[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %d[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // It is the youngest group.
  gpu.func @waits_for_older(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: in-flight}}
    %c = memref.alloc() : !tile
    %d = memref.alloc() : !tile
    memref.store %x, %c[%c0, %t] : !tile
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 1 {read}
    gpu.barrier
    memref.store %x, %d[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %d[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // It is in no group that has ended.
  gpu.func @in_no_group(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: in-flight}}
    %c = memref.alloc() : !tile
    %d = memref.alloc() : !tile
    memref.store %x, %c[%c0, %t] : !tile
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.wait_group 0 {read}
    nvvm.cp.async.bulk.commit.group
    gpu.barrier
    memref.store %x, %d[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %d[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // The group and the wait are those of other copies.
  gpu.func @other_group(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: in-flight}}
    %c = memref.alloc() : !tile
    %d = memref.alloc() : !tile
    memref.store %x, %c[%c0, %t] : !tile
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    %group = nvgpu.device_async_create_group
    nvgpu.device_async_wait %group {numGroups = 0 : i32}
    gpu.barrier
    memref.store %x, %d[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %d[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // It may not wait.
  gpu.func @maybe_waits(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: in-flight}}
    %c = memref.alloc() : !tile
    %d = memref.alloc() : !tile
    memref.store %x, %c[%c0, %t] : !tile
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.commit.group
    scf.if %flag {
      nvvm.cp.async.bulk.wait_group 0 {read}
    }
    gpu.barrier
    memref.store %x, %d[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %d[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // Another thread waits.
  gpu.func @other_waits(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %isOther = arith.cmpi eq, %t, %c1 : index
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: in-flight}}
    %c = memref.alloc() : !tile
    %d = memref.alloc() : !tile
    memref.store %x, %c[%c0, %t] : !tile
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.commit.group
    scf.if %isOther {
      nvvm.cp.async.bulk.wait_group 0 {read}
    }
    gpu.barrier
    memref.store %x, %d[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %d[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // It may leave the branch before.
  gpu.func @maybe_in_branch(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: in-flight}}
    %c = memref.alloc() : !tile
    %d = memref.alloc() : !tile
    memref.store %x, %c[%c0, %t] : !tile
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    scf.if %isFirst {
      nvgpu.tma.async.store %c to %map[%c0, %c0] : !tile -> !map
      nvvm.cp.async.bulk.commit.group
      scf.if %flag {
        nvvm.cp.async.bulk.wait_group 0 {read}
      }
    }
    gpu.barrier
    memref.store %x, %d[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %d[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // Other threads do not know that it has been read.
  gpu.func @no_barrier(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: no-barrier}}
    %c = memref.alloc() : !tile
    %d = memref.alloc() : !tile
    memref.store %x, %c[%c0, %t] : !tile
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.commit.group
    gpu.barrier
    nvvm.cp.async.bulk.wait_group 0 {read}
    memref.store %x, %d[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %d[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // Each iteration waits before the next one writes.
  // expected-remark-re @below {{2 buffers of 32768 bytes, {{.*}} pool of 16384 bytes}}
  gpu.func @loop(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    scf.for %i = %c0 to %n step %c1 {
      %c = memref.alloc() : !tile
      %d = memref.alloc() : !tile
      memref.store %x, %d[%c0, %t] : !tile
      gpu.barrier
      %w = memref.load %d[%c1, %t] : !tile
      memref.store %w, %out[%t] : memref<?xf32>
      gpu.barrier
      memref.store %x, %c[%c0, %t] : !tile
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      gpu.barrier
      nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 0 {read}
      gpu.barrier
    }
    gpu.return
  }

  // The next iteration writes while it is read.
  gpu.func @back_edge(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    scf.for %i = %c0 to %n step %c1 {
      // expected-remark @below {{cannot share bytes with buffer 1 of the pool: in-flight}}
      %d = memref.alloc() : !tile
      %c = memref.alloc() : !tile
      memref.store %x, %d[%c0, %t] : !tile
      gpu.barrier
      %w = memref.load %d[%c1, %t] : !tile
      memref.store %w, %out[%t] : memref<?xf32>
      gpu.barrier
      memref.store %x, %c[%c0, %t] : !tile
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      gpu.barrier
      nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
      nvvm.cp.async.bulk.commit.group
      gpu.barrier
    }
    nvvm.cp.async.bulk.wait_group 0 {read}
    gpu.return
  }

  // Each thread has a fence behind its accesses, and all meet.
  // expected-remark-re @below {{2 buffers of 32768 bytes, {{.*}} pool of 16384 bytes}}
  gpu.func @fenced(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    memref.store %x, %a[%c0, %t] : !tile
    gpu.barrier
    %v = memref.load %a[%c1, %t] : !tile
    memref.store %v, %out[%t] : memref<?xf32>
    gpu.barrier
    memref.store %x, %c[%c0, %t] : !tile
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 {read}
    gpu.return
  }

  // A fence for all memory.
  // expected-remark-re @below {{2 buffers of 32768 bytes, {{.*}} pool of 16384 bytes}}
  gpu.func @all_proxies(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    memref.store %x, %a[%c0, %t] : !tile
    gpu.barrier
    %v = memref.load %a[%c1, %t] : !tile
    memref.store %v, %out[%t] : memref<?xf32>
    gpu.barrier
    memref.store %x, %c[%c0, %t] : !tile
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
    gpu.barrier
    nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 {read}
    gpu.return
  }

  // There is none.
  gpu.func @no_fence(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: proxy}}
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    memref.store %x, %a[%c0, %t] : !tile
    gpu.barrier
    %v = memref.load %a[%c1, %t] : !tile
    memref.store %v, %out[%t] : memref<?xf32>
    gpu.barrier
    memref.store %x, %c[%c0, %t] : !tile
    gpu.barrier
    nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 {read}
    gpu.return
  }

  // It is for something else.
  gpu.func @other_fence(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: proxy}}
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    memref.store %x, %a[%c0, %t] : !tile
    gpu.barrier
    %v = memref.load %a[%c1, %t] : !tile
    memref.store %v, %out[%t] : memref<?xf32>
    gpu.barrier
    memref.store %x, %c[%c0, %t] : !tile
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}
    gpu.barrier
    nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 {read}
    gpu.return
  }

  // There may be none.
  gpu.func @maybe_fence(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: proxy}}
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    memref.store %x, %a[%c0, %t] : !tile
    gpu.barrier
    %v = memref.load %a[%c1, %t] : !tile
    memref.store %v, %out[%t] : memref<?xf32>
    gpu.barrier
    memref.store %x, %c[%c0, %t] : !tile
    scf.if %flag {
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    }
    gpu.barrier
    nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 {read}
    gpu.return
  }

  // Others write as well.
  gpu.func @divergent_fence(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: proxy}}
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    memref.store %x, %a[%c0, %t] : !tile
    gpu.barrier
    %v = memref.load %a[%c1, %t] : !tile
    memref.store %v, %out[%t] : memref<?xf32>
    gpu.barrier
    memref.store %x, %c[%c0, %t] : !tile
    scf.if %isFirst {
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    }
    gpu.barrier
    nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 {read}
    gpu.return
  }

  // Others may not be there yet.
  gpu.func @fence_behind_barrier(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: proxy}}
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    memref.store %x, %a[%c0, %t] : !tile
    gpu.barrier
    %v = memref.load %a[%c1, %t] : !tile
    memref.store %v, %out[%t] : memref<?xf32>
    gpu.barrier
    memref.store %x, %c[%c0, %t] : !tile
    gpu.barrier
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 {read}
    gpu.return
  }

  // Something is written behind it.
  gpu.func @fence_too_early(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: proxy}}
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    memref.store %x, %a[%c0, %t] : !tile
    gpu.barrier
    memref.store %x, %c[%c0, %t] : !tile
    gpu.barrier
    nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 {read}
    gpu.return
  }

  // What is copied at the fence is written behind it.
  gpu.func @copy_at_fence(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: proxy}}
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    %token = nvgpu.device_async_copy %in[%t], %a[%c0, %t], 1 : memref<?xf32> to !tile
    %group = nvgpu.device_async_create_group %token
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvgpu.device_async_wait %group {numGroups = 0 : i32}
    gpu.barrier
    memref.store %x, %c[%c0, %t] : !tile
    gpu.barrier
    nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 {read}
    gpu.return
  }

  // A copy engine writes behind the threads.
  // expected-remark-re @below {{2 buffers of 32768 bytes, {{.*}} pool of 16384 bytes}}
  gpu.func @load_after_threads(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
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
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    nvgpu.mbarrier.arrive.expect_tx %m[%c0], %bytes, predicate = %isFirst : !mbarriers
    nvgpu.tma.async.load %map[%c0, %c0], %m[%c0] to %c, predicate = %isFirst : !map, !mbarriers -> !tile
    nvgpu.mbarrier.try_wait.parity %m[%c0], %even, %ticks : !mbarriers
    %w = memref.load %c[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // One copy engine writes behind what another one has read: no fence is between.
  // expected-remark-re @below {{2 buffers of 32768 bytes, {{.*}} pool of 16384 bytes}}
  gpu.func @load_after_store(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
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
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    nvgpu.tma.async.store %a to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 {read}
    gpu.barrier
    nvgpu.mbarrier.arrive.expect_tx %m[%c0], %bytes, predicate = %isFirst : !mbarriers
    nvgpu.tma.async.load %map[%c0, %c0], %m[%c0] to %c, predicate = %isFirst : !map, !mbarriers -> !tile
    nvgpu.mbarrier.try_wait.parity %m[%c0], %even, %ticks : !mbarriers
    %w = memref.load %c[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // It still reads.
  gpu.func @load_during_store(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
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
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: in-flight}}
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    nvgpu.mbarrier.init %m[%c0], %c1, predicate = %isFirst : !mbarriers
    gpu.barrier
    memref.store %x, %a[%c0, %t] : !tile
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    nvgpu.tma.async.store %a to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.commit.group
    gpu.barrier
    nvgpu.mbarrier.arrive.expect_tx %m[%c0], %bytes, predicate = %isFirst : !mbarriers
    nvgpu.tma.async.load %map[%c0, %c0], %m[%c0] to %c, predicate = %isFirst : !map, !mbarriers -> !tile
    nvgpu.mbarrier.try_wait.parity %m[%c0], %even, %ticks : !mbarriers
    %w = memref.load %c[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // The contents of both tiles end with an iteration.
  // expected-remark-re @below {{2 buffers of 32768 bytes, {{.*}} pool of 16384 bytes}}
  gpu.func @persistent(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %c64 = arith.constant 64 : index
    %u = arith.remui %t, %c64 : index
    %c = memref.alloc() : !tile
    %d = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %c64 step %c1 {
        memref.store %x, %c[%j, %u] : !tile
      }
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      gpu.barrier
      nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 0 {read}
      gpu.barrier
      scf.for %j = %c0 to %c64 step %c1 {
        memref.store %x, %d[%j, %u] : !tile
      }
      gpu.barrier
      %w = memref.load %d[%c1, %t] : !tile
      memref.store %w, %out[%t] : memref<?xf32>
      gpu.barrier
    }
    nvvm.cp.async.bulk.wait_group 0 {read}
    gpu.return
  }

  // They do, but it is not known when one has been read.
  gpu.func @still_read(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %c64 = arith.constant 64 : index
    %u = arith.remui %t, %c64 : index
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: in-flight}}
    %c = memref.alloc() : !tile
    %d = memref.alloc() : !tile
    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %c64 step %c1 {
        memref.store %x, %c[%j, %u] : !tile
      }
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      gpu.barrier
      nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
      nvvm.cp.async.bulk.commit.group
      gpu.barrier
      scf.for %j = %c0 to %c64 step %c1 {
        memref.store %x, %d[%j, %u] : !tile
      }
      gpu.barrier
      %w = memref.load %d[%c1, %t] : !tile
      memref.store %w, %out[%t] : memref<?xf32>
      gpu.barrier
    }
    nvvm.cp.async.bulk.wait_group 0 {read}
    gpu.return
  }

  // It is not known when the callee is done.
  gpu.func @in_callee(%descriptor: !llvm.ptr, %n: index, %flag: i1, %in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    // expected-remark @below {{not mergeable: asynchronous}}
    %c = memref.alloc() : !tile
    %d = memref.alloc() : !tile
    memref.store %x, %c[%c0, %t] : !tile
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    func.call @store_tile(%c, %descriptor, %isFirst) : (!tile, !llvm.ptr, i1) -> ()
    nvvm.cp.async.bulk.wait_group 0 {read}
    gpu.barrier
    memref.store %x, %d[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %d[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  func.func @store_tile(%c: !tile, %descriptor: !llvm.ptr, %isFirst: i1) {
    %c0 = arith.constant 0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    nvgpu.tma.async.store %c to %map[%c0, %c0], predicate = %isFirst : !tile -> !map
    nvvm.cp.async.bulk.commit.group
    return
  }
}
