// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null
// RUN: buffer-merge-opt %s --buffer-merge=barriers=insert --check-workgroup-races=strict | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge=barriers=insert \
// RUN:   | mlir-opt --pass-pipeline='builtin.module(nvvm-attach-target{chip=sm_90 features=+ptx80},gpu.module(convert-nvgpu-to-nvvm,expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-gpu-to-nvvm,convert-nvvm-to-llvm,reconcile-unrealized-casts),gpu-module-to-binary{format=isa})' \
// RUN:   | FileCheck %s --check-prefix=PTX

// A copy engine fills tiles. One thread announces the bytes of each phase of an mbarrier,
// issues the copies, and waits: then it knows that they are complete, and after the next
// barrier all threads do.

#wg = #gpu.address_space<workgroup>
!stages = memref<4x96x64xf32, #wg>
!stage = memref<96x64xf32, strided<[64, 1], offset: ?>, #wg>
!tile = memref<64x64xf32, #wg>
!stageMap = !nvgpu.tensormap.descriptor<tensor = memref<96x64xf32, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>
!map = !nvgpu.tensormap.descriptor<tensor = memref<64x64xf32, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>
!mbarriers = !nvgpu.mbarrier.group<memorySpace = #wg, num_barriers = 4>
!token = !nvgpu.mbarrier.token

// PTX: .shared .align 1024 .b8 __wg_stages_0[98304];

gpu.module @kernels {
  // Four stages, three copies ahead, and the tile of the result where they were. The
  // alignment is what copy engines may want.
  // CHECK-LABEL: gpu.func @stages(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<98304xi8, #gpu.address_space<workgroup>> {llvm.align = 1024 : i64})
  //   CHECK-NOT:   memref.alloc
  //       CHECK:   gpu.return
  // expected-remark @below {{2 buffers of 114688 bytes, 98304 alive at tick 22, pool of 114688 bytes}}
  gpu.func @stages(%descriptor: !llvm.ptr, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %ticks = arith.constant 10000000 : index
    %bytes = arith.constant 24576 : index
    %even = arith.constant false
    %odd = arith.constant true
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !stageMap
    %m = nvgpu.mbarrier.create -> !mbarriers
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %stages = memref.alloc() : !stages
    %c = memref.alloc() : !tile
    scf.for %i = %c0 to %c4 step %c1 {
      nvgpu.mbarrier.init %m[%i], %c1, predicate = %isFirst : !mbarriers
    }
    gpu.barrier
    scf.for %i = %c0 to %c3 step %c1 {
      %stage = memref.subview %stages[%i, 0, 0] [1, 96, 64] [1, 1, 1] : !stages to !stage
      nvgpu.mbarrier.arrive.expect_tx %m[%i], %bytes, predicate = %isFirst : !mbarriers
      nvgpu.tma.async.load %map[%i, %c0], %m[%i] to %stage, predicate = %isFirst : !stageMap, !mbarriers -> !stage
    }
    %sum = scf.for %i = %c0 to %c16 step %c1 iter_args(%before = %x) -> f32 {
      %s = arith.remui %i, %c4 : index
      %round = arith.divui %i, %c4 : index
      %bit = arith.andi %round, %c1 : index
      %parity = arith.cmpi eq, %bit, %c1 : index
      nvgpu.mbarrier.try_wait.parity %m[%s], %parity, %ticks : !mbarriers
      %v = memref.load %stages[%s, %c0, %c1] : !stages
      %after = arith.addf %before, %v : f32
      gpu.barrier
      %next = arith.addi %i, %c3 : index
      %more = arith.cmpi ult, %next, %c16 : index
      scf.if %more {
        %to = arith.remui %next, %c4 : index
        %stage = memref.subview %stages[%to, 0, 0] [1, 96, 64] [1, 1, 1] : !stages to !stage
        scf.if %isFirst {
          nvgpu.mbarrier.arrive.expect_tx %m[%to], %bytes : !mbarriers
          nvgpu.tma.async.load %map[%next, %c0], %m[%to] to %stage : !stageMap, !mbarriers -> !stage
        }
      }
      scf.yield %after : f32
    }
    memref.store %sum, %c[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %c[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // One copy, and a barrier behind the wait.
  // expected-remark @below {{2 buffers of 32768 bytes, 16384 alive at tick 16, pool of 16384 bytes}}
  gpu.func @one(%descriptor: !llvm.ptr, %n: index, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %ticks = arith.constant 10000000 : index
    %bytes = arith.constant 16384 : index
    %even = arith.constant false
    %odd = arith.constant true
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %m = nvgpu.mbarrier.create -> !mbarriers
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    nvgpu.mbarrier.init %m[%c0], %c1, predicate = %isFirst : !mbarriers
    gpu.barrier
    nvgpu.mbarrier.arrive.expect_tx %m[%c0], %bytes, predicate = %isFirst : !mbarriers
    nvgpu.tma.async.load %map[%c0, %c0], %m[%c0] to %a, predicate = %isFirst : !map, !mbarriers -> !tile
    nvgpu.mbarrier.try_wait.parity %m[%c0], %even, %ticks : !mbarriers
    %v = memref.load %a[%t, %c0] : !tile
    memref.store %v, %out[%t] : memref<?xf32>
    gpu.barrier
    memref.store %x, %c[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %c[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // The second phase ends with the other parity.
  // expected-remark @below {{2 buffers of 32768 bytes, 16384 alive at tick 16, pool of 16384 bytes}}
  gpu.func @two_phases(%descriptor: !llvm.ptr, %n: index, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %ticks = arith.constant 10000000 : index
    %bytes = arith.constant 16384 : index
    %even = arith.constant false
    %odd = arith.constant true
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %m = nvgpu.mbarrier.create -> !mbarriers
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    nvgpu.mbarrier.init %m[%c0], %c1, predicate = %isFirst : !mbarriers
    gpu.barrier
    nvgpu.mbarrier.arrive.expect_tx %m[%c0], %bytes, predicate = %isFirst : !mbarriers
    nvgpu.tma.async.load %map[%c0, %c0], %m[%c0] to %a, predicate = %isFirst : !map, !mbarriers -> !tile
    nvgpu.mbarrier.try_wait.parity %m[%c0], %even, %ticks : !mbarriers
    nvgpu.mbarrier.arrive.expect_tx %m[%c0], %bytes, predicate = %isFirst : !mbarriers
    nvgpu.tma.async.load %map[%c0, %c0], %m[%c0] to %a, predicate = %isFirst : !map, !mbarriers -> !tile
    nvgpu.mbarrier.try_wait.parity %m[%c0], %odd, %ticks : !mbarriers
    %v = memref.load %a[%t, %c0] : !tile
    memref.store %v, %out[%t] : memref<?xf32>
    gpu.barrier
    memref.store %x, %c[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %c[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // Other threads do not know that the copy is complete.
  gpu.func @no_barrier(%descriptor: !llvm.ptr, %n: index, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %ticks = arith.constant 10000000 : index
    %bytes = arith.constant 16384 : index
    %even = arith.constant false
    %odd = arith.constant true
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %m = nvgpu.mbarrier.create -> !mbarriers
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: no-barrier}}
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    nvgpu.mbarrier.init %m[%c0], %c1, predicate = %isFirst : !mbarriers
    gpu.barrier
    nvgpu.mbarrier.arrive.expect_tx %m[%c0], %bytes, predicate = %isFirst : !mbarriers
    nvgpu.tma.async.load %map[%c0, %c0], %m[%c0] to %a, predicate = %isFirst : !map, !mbarriers -> !tile
    gpu.barrier
    nvgpu.mbarrier.try_wait.parity %m[%c0], %even, %ticks : !mbarriers
    memref.store %x, %c[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %c[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // The wait is over at once: the phase before the first one has this parity.
  gpu.func @wrong_parity(%descriptor: !llvm.ptr, %n: index, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %ticks = arith.constant 10000000 : index
    %bytes = arith.constant 16384 : index
    %even = arith.constant false
    %odd = arith.constant true
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %m = nvgpu.mbarrier.create -> !mbarriers
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: in-flight}}
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    nvgpu.mbarrier.init %m[%c0], %c1, predicate = %isFirst : !mbarriers
    gpu.barrier
    nvgpu.mbarrier.arrive.expect_tx %m[%c0], %bytes, predicate = %isFirst : !mbarriers
    nvgpu.tma.async.load %map[%c0, %c0], %m[%c0] to %a, predicate = %isFirst : !map, !mbarriers -> !tile
    nvgpu.mbarrier.try_wait.parity %m[%c0], %odd, %ticks : !mbarriers
    gpu.barrier
    memref.store %x, %c[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %c[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // Only the first copy has been waited for.
  gpu.func @second_phase(%descriptor: !llvm.ptr, %n: index, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %ticks = arith.constant 10000000 : index
    %bytes = arith.constant 16384 : index
    %even = arith.constant false
    %odd = arith.constant true
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %m = nvgpu.mbarrier.create -> !mbarriers
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: in-flight}}
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    nvgpu.mbarrier.init %m[%c0], %c1, predicate = %isFirst : !mbarriers
    gpu.barrier
    nvgpu.mbarrier.arrive.expect_tx %m[%c0], %bytes, predicate = %isFirst : !mbarriers
    nvgpu.tma.async.load %map[%c0, %c0], %m[%c0] to %a, predicate = %isFirst : !map, !mbarriers -> !tile
    nvgpu.mbarrier.try_wait.parity %m[%c0], %even, %ticks : !mbarriers
    nvgpu.mbarrier.arrive.expect_tx %m[%c0], %bytes, predicate = %isFirst : !mbarriers
    nvgpu.tma.async.load %map[%c0, %c0], %m[%c0] to %a, predicate = %isFirst : !map, !mbarriers -> !tile
    gpu.barrier
    memref.store %x, %c[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %c[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // The copy engine writes after a thread, without a fence.
  gpu.func @before(%descriptor: !llvm.ptr, %n: index, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %ticks = arith.constant 10000000 : index
    %bytes = arith.constant 16384 : index
    %even = arith.constant false
    %odd = arith.constant true
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %m = nvgpu.mbarrier.create -> !mbarriers
    // expected-remark @below {{cannot share bytes with buffer 1 of the pool: proxy}}
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    nvgpu.mbarrier.init %m[%c0], %c1, predicate = %isFirst : !mbarriers
    gpu.barrier
    memref.store %x, %c[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %c[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.barrier
    nvgpu.mbarrier.arrive.expect_tx %m[%c0], %bytes, predicate = %isFirst : !mbarriers
    nvgpu.tma.async.load %map[%c0, %c0], %m[%c0] to %a, predicate = %isFirst : !map, !mbarriers -> !tile
    nvgpu.mbarrier.try_wait.parity %m[%c0], %even, %ticks : !mbarriers
    %v = memref.load %a[%t, %c0] : !tile
    memref.store %v, %out[%t] : memref<?xf32>
    gpu.return
  }

  // The phase may end before the copy is complete.
  gpu.func @too_few_bytes(%descriptor: !llvm.ptr, %n: index, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %ticks = arith.constant 10000000 : index
    %bytes = arith.constant 8192 : index
    %even = arith.constant false
    %odd = arith.constant true
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %m = nvgpu.mbarrier.create -> !mbarriers
    // expected-remark @below {{not mergeable: async-proxy}}
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    nvgpu.mbarrier.init %m[%c0], %c1, predicate = %isFirst : !mbarriers
    gpu.barrier
    nvgpu.mbarrier.arrive.expect_tx %m[%c0], %bytes, predicate = %isFirst : !mbarriers
    nvgpu.tma.async.load %map[%c0, %c0], %m[%c0] to %a, predicate = %isFirst : !map, !mbarriers -> !tile
    nvgpu.mbarrier.try_wait.parity %m[%c0], %even, %ticks : !mbarriers
    gpu.barrier
    memref.store %x, %c[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %c[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // Each thread announces bytes: the phase ends with the first of them.
  gpu.func @all_threads(%descriptor: !llvm.ptr, %n: index, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %ticks = arith.constant 10000000 : index
    %bytes = arith.constant 16384 : index
    %even = arith.constant false
    %odd = arith.constant true
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %m = nvgpu.mbarrier.create -> !mbarriers
    // expected-remark @below {{not mergeable: async-proxy}}
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    nvgpu.mbarrier.init %m[%c0], %c1, predicate = %isFirst : !mbarriers
    gpu.barrier
    nvgpu.mbarrier.arrive.expect_tx %m[%c0], %bytes : !mbarriers
    nvgpu.tma.async.load %map[%c0, %c0], %m[%c0] to %a : !map, !mbarriers -> !tile
    nvgpu.mbarrier.try_wait.parity %m[%c0], %even, %ticks : !mbarriers
    gpu.barrier
    memref.store %x, %c[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %c[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // All threads arrive as well.
  gpu.func @other_arrival(%descriptor: !llvm.ptr, %n: index, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %ticks = arith.constant 10000000 : index
    %bytes = arith.constant 16384 : index
    %even = arith.constant false
    %odd = arith.constant true
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %m = nvgpu.mbarrier.create -> !mbarriers
    // expected-remark @below {{not mergeable: async-proxy}}
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    nvgpu.mbarrier.init %m[%c0], %c1, predicate = %isFirst : !mbarriers
    gpu.barrier
    nvgpu.mbarrier.arrive.expect_tx %m[%c0], %bytes, predicate = %isFirst : !mbarriers
    nvgpu.tma.async.load %map[%c0, %c0], %m[%c0] to %a, predicate = %isFirst : !map, !mbarriers -> !tile
    %token = nvgpu.mbarrier.arrive %m[%c0] : !mbarriers -> !token
    nvgpu.mbarrier.try_wait.parity %m[%c0], %even, %ticks : !mbarriers
    gpu.barrier
    memref.store %x, %c[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %c[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // The second phase is announced while the first one may not be over.
  gpu.func @twice(%descriptor: !llvm.ptr, %n: index, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %ticks = arith.constant 10000000 : index
    %bytes = arith.constant 16384 : index
    %even = arith.constant false
    %odd = arith.constant true
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %m = nvgpu.mbarrier.create -> !mbarriers
    // expected-remark @below {{not mergeable: async-proxy}}
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    nvgpu.mbarrier.init %m[%c0], %c1, predicate = %isFirst : !mbarriers
    gpu.barrier
    nvgpu.mbarrier.arrive.expect_tx %m[%c0], %bytes, predicate = %isFirst : !mbarriers
    nvgpu.tma.async.load %map[%c0, %c0], %m[%c0] to %a, predicate = %isFirst : !map, !mbarriers -> !tile
    nvgpu.mbarrier.arrive.expect_tx %m[%c0], %bytes, predicate = %isFirst : !mbarriers
    nvgpu.mbarrier.try_wait.parity %m[%c0], %even, %ticks : !mbarriers
    gpu.barrier
    memref.store %x, %c[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %c[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // It is not known how often.
  gpu.func @unknown_loop(%descriptor: !llvm.ptr, %n: index, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %ticks = arith.constant 10000000 : index
    %bytes = arith.constant 16384 : index
    %even = arith.constant false
    %odd = arith.constant true
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %m = nvgpu.mbarrier.create -> !mbarriers
    // expected-remark @below {{not mergeable: async-proxy}}
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    nvgpu.mbarrier.init %m[%c0], %c1, predicate = %isFirst : !mbarriers
    gpu.barrier
    scf.for %i = %c0 to %n step %c1 {
      nvgpu.mbarrier.arrive.expect_tx %m[%c0], %bytes, predicate = %isFirst : !mbarriers
      nvgpu.tma.async.load %map[%c0, %c0], %m[%c0] to %a, predicate = %isFirst : !map, !mbarriers -> !tile
      nvgpu.mbarrier.try_wait.parity %m[%c0], %even, %ticks : !mbarriers
    }
    gpu.barrier
    memref.store %x, %c[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %c[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }

  // It is not known how many threads have the id 0 in this dimension.
  gpu.func @unknown_size(%descriptor: !llvm.ptr, %n: index, %out: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    %ticks = arith.constant 10000000 : index
    %bytes = arith.constant 16384 : index
    %even = arith.constant false
    %odd = arith.constant true
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %map = builtin.unrealized_conversion_cast %descriptor : !llvm.ptr to !map
    %m = nvgpu.mbarrier.create -> !mbarriers
    // expected-remark @below {{not mergeable: async-proxy}}
    %a = memref.alloc() : !tile
    %c = memref.alloc() : !tile
    nvgpu.mbarrier.init %m[%c0], %c1, predicate = %isFirst : !mbarriers
    gpu.barrier
    nvgpu.mbarrier.arrive.expect_tx %m[%c0], %bytes, predicate = %isFirst : !mbarriers
    nvgpu.tma.async.load %map[%c0, %c0], %m[%c0] to %a, predicate = %isFirst : !map, !mbarriers -> !tile
    nvgpu.mbarrier.try_wait.parity %m[%c0], %even, %ticks : !mbarriers
    gpu.barrier
    memref.store %x, %c[%c0, %t] : !tile
    gpu.barrier
    %w = memref.load %c[%c1, %t] : !tile
    memref.store %w, %out[%t] : memref<?xf32>
    gpu.return
  }
}
