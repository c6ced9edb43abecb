// RUN: buffer-merge-opt %s --buffer-merge --check-workgroup-races=strict | FileCheck %s

// Waits that leave groups of copies in flight. The epilogue tile %c takes the bytes of
// the stages %s if nothing is in flight when it is stored.

!in = memref<1024xf32>
!wg = memref<256xf32, #gpu.address_space<workgroup>>
!stages = memref<4x64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // The last iteration copies nothing, and waits for all but an empty group.
  // CHECK-LABEL: gpu.func @two_stages(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<1024xi8
  gpu.func @two_stages(%in: !in, %x: f32, %n: index, %out: !in) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %ahead = arith.constant 64 : index
    %stages = arith.constant 2 : index
    %t = gpu.thread_id x
    %s = memref.alloc() : !stages
    %c = memref.alloc() : !wg
    %p0 = nvgpu.device_async_copy %in[%t], %s[%c0, %t], 1 : !in to !stages
    %pg0 = nvgpu.device_async_create_group %p0
    scf.for %i = %c0 to %c1024 step %c64 {
      %k = arith.divui %i, %c64 : index
      %later = arith.addi %i, %ahead : index
      %l = arith.divui %later, %c64 : index
      %fill = arith.remui %l, %stages : index
      %use = arith.remui %k, %stages : index
      %isMore = arith.cmpi ult, %later, %c1024 : index
      scf.if %isMore {
        %g = nvgpu.device_async_copy %in[%later], %s[%fill, %t], 1 : !in to !stages
      }
      %h = nvgpu.device_async_create_group {empty}
      nvgpu.device_async_wait %h {numGroups = 1 : i32}
      gpu.barrier
      %v = memref.load %s[%use, %t] : !stages
      memref.store %v, %out[%i] : !in
      gpu.barrier
    }
    memref.store %x, %c[%t] : !wg
    gpu.barrier
    %r = memref.load %c[%c0] : !wg
    memref.store %r, %out[%t] : !in
    gpu.return
  }

  // If there is no iteration, the prologue is in flight.
  // CHECK-LABEL: gpu.func @no_iteration(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<2048xi8
  gpu.func @no_iteration(%in: !in, %x: f32, %n: index, %out: !in) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %ahead = arith.constant 64 : index
    %stages = arith.constant 2 : index
    %t = gpu.thread_id x
    %s = memref.alloc() : !stages
    %c = memref.alloc() : !wg
    %p0 = nvgpu.device_async_copy %in[%t], %s[%c0, %t], 1 : !in to !stages
    %pg0 = nvgpu.device_async_create_group %p0
    scf.for %i = %c0 to %n step %c64 {
      %k = arith.divui %i, %c64 : index
      %later = arith.addi %i, %ahead : index
      %l = arith.divui %later, %c64 : index
      %fill = arith.remui %l, %stages : index
      %use = arith.remui %k, %stages : index
      %isMore = arith.cmpi ult, %later, %n : index
      scf.if %isMore {
        %g = nvgpu.device_async_copy %in[%later], %s[%fill, %t], 1 : !in to !stages
      }
      %h = nvgpu.device_async_create_group {empty}
      nvgpu.device_async_wait %h {numGroups = 1 : i32}
      gpu.barrier
      %v = memref.load %s[%use, %t] : !stages
      memref.store %v, %out[%i] : !in
      gpu.barrier
    }
    memref.store %x, %c[%t] : !wg
    gpu.barrier
    %r = memref.load %c[%c0] : !wg
    memref.store %r, %out[%t] : !in
    gpu.return
  }

  // The last two of three stages copy nothing.
  // CHECK-LABEL: gpu.func @three_stages(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<1024xi8
  gpu.func @three_stages(%in: !in, %x: f32, %n: index, %out: !in) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %ahead = arith.constant 128 : index
    %stages = arith.constant 3 : index
    %t = gpu.thread_id x
    %s = memref.alloc() : !stages
    %c = memref.alloc() : !wg
    %p0 = nvgpu.device_async_copy %in[%t], %s[%c0, %t], 1 : !in to !stages
    %pg0 = nvgpu.device_async_create_group %p0
    %p1 = nvgpu.device_async_copy %in[%t], %s[%c1, %t], 1 : !in to !stages
    %pg1 = nvgpu.device_async_create_group %p1
    scf.for %i = %c0 to %c1024 step %c64 {
      %k = arith.divui %i, %c64 : index
      %later = arith.addi %i, %ahead : index
      %l = arith.divui %later, %c64 : index
      %fill = arith.remui %l, %stages : index
      %use = arith.remui %k, %stages : index
      %isMore = arith.cmpi ult, %later, %c1024 : index
      scf.if %isMore {
        %g = nvgpu.device_async_copy %in[%later], %s[%fill, %t], 1 : !in to !stages
      }
      %h = nvgpu.device_async_create_group {empty}
      nvgpu.device_async_wait %h {numGroups = 2 : i32}
      gpu.barrier
      %v = memref.load %s[%use, %t] : !stages
      memref.store %v, %out[%i] : !in
      gpu.barrier
    }
    memref.store %x, %c[%t] : !wg
    gpu.barrier
    %r = memref.load %c[%c0] : !wg
    memref.store %r, %out[%t] : !in
    gpu.return
  }

  // The last three of four.
  // CHECK-LABEL: gpu.func @four_stages(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<1024xi8
  gpu.func @four_stages(%in: !in, %x: f32, %n: index, %out: !in) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %ahead = arith.constant 192 : index
    %stages = arith.constant 4 : index
    %t = gpu.thread_id x
    %s = memref.alloc() : !stages
    %c = memref.alloc() : !wg
    %p0 = nvgpu.device_async_copy %in[%t], %s[%c0, %t], 1 : !in to !stages
    %pg0 = nvgpu.device_async_create_group %p0
    %p1 = nvgpu.device_async_copy %in[%t], %s[%c1, %t], 1 : !in to !stages
    %pg1 = nvgpu.device_async_create_group %p1
    %p2 = nvgpu.device_async_copy %in[%t], %s[%c2, %t], 1 : !in to !stages
    %pg2 = nvgpu.device_async_create_group %p2
    scf.for %i = %c0 to %c1024 step %c64 {
      %k = arith.divui %i, %c64 : index
      %later = arith.addi %i, %ahead : index
      %l = arith.divui %later, %c64 : index
      %fill = arith.remui %l, %stages : index
      %use = arith.remui %k, %stages : index
      %isMore = arith.cmpi ult, %later, %c1024 : index
      scf.if %isMore {
        %g = nvgpu.device_async_copy %in[%later], %s[%fill, %t], 1 : !in to !stages
      }
      %h = nvgpu.device_async_create_group {empty}
      nvgpu.device_async_wait %h {numGroups = 3 : i32}
      gpu.barrier
      %v = memref.load %s[%use, %t] : !stages
      memref.store %v, %out[%i] : !in
      gpu.barrier
    }
    memref.store %x, %c[%t] : !wg
    gpu.barrier
    %r = memref.load %c[%c0] : !wg
    memref.store %r, %out[%t] : !in
    gpu.return
  }

  // The same, lowered.
  // CHECK-LABEL: gpu.func @nvvm(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<1024xi8
  gpu.func @nvvm(%in: !in, %x: f32, %n: index, %out: !in) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %ahead = arith.constant 128 : index
    %stages = arith.constant 3 : index
    %t = gpu.thread_id x
    %s = memref.alloc() : !stages
    %c = memref.alloc() : !wg
    %p0 = nvgpu.device_async_copy %in[%t], %s[%c0, %t], 1 : !in to !stages
    nvvm.cp.async.commit.group
    %p1 = nvgpu.device_async_copy %in[%t], %s[%c1, %t], 1 : !in to !stages
    nvvm.cp.async.commit.group
    scf.for %i = %c0 to %c1024 step %c64 {
      %k = arith.divui %i, %c64 : index
      %later = arith.addi %i, %ahead : index
      %l = arith.divui %later, %c64 : index
      %fill = arith.remui %l, %stages : index
      %use = arith.remui %k, %stages : index
      %isMore = arith.cmpi ult, %later, %c1024 : index
      scf.if %isMore {
        %g = nvgpu.device_async_copy %in[%later], %s[%fill, %t], 1 : !in to !stages
      }
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 2
      gpu.barrier
      %v = memref.load %s[%use, %t] : !stages
      memref.store %v, %out[%i] : !in
      gpu.barrier
    }
    memref.store %x, %c[%t] : !wg
    gpu.barrier
    %r = memref.load %c[%c0] : !wg
    memref.store %r, %out[%t] : !in
    gpu.return
  }

  // The last iteration waits for one group too few.
  // CHECK-LABEL: gpu.func @too_many_left(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<2048xi8
  gpu.func @too_many_left(%in: !in, %x: f32, %n: index, %out: !in) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %ahead = arith.constant 64 : index
    %stages = arith.constant 2 : index
    %t = gpu.thread_id x
    %s = memref.alloc() : !stages
    %c = memref.alloc() : !wg
    %p0 = nvgpu.device_async_copy %in[%t], %s[%c0, %t], 1 : !in to !stages
    %pg0 = nvgpu.device_async_create_group %p0
    scf.for %i = %c0 to %c1024 step %c64 {
      %k = arith.divui %i, %c64 : index
      %later = arith.addi %i, %ahead : index
      %l = arith.divui %later, %c64 : index
      %fill = arith.remui %l, %stages : index
      %use = arith.remui %k, %stages : index
      %isMore = arith.cmpi ult, %later, %c1024 : index
      scf.if %isMore {
        %g = nvgpu.device_async_copy %in[%later], %s[%fill, %t], 1 : !in to !stages
      }
      %h = nvgpu.device_async_create_group {empty}
      nvgpu.device_async_wait %h {numGroups = 2 : i32}
      gpu.barrier
      %v = memref.load %s[%use, %t] : !stages
      memref.store %v, %out[%i] : !in
      gpu.barrier
    }
    memref.store %x, %c[%t] : !wg
    gpu.barrier
    %r = memref.load %c[%c0] : !wg
    memref.store %r, %out[%t] : !in
    gpu.return
  }

  // Each iteration copies, so the last one leaves a copy in flight.
  // CHECK-LABEL: gpu.func @always_copies(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<2048xi8
  gpu.func @always_copies(%in: !in, %x: f32, %n: index, %out: !in) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %ahead = arith.constant 64 : index
    %stages = arith.constant 2 : index
    %t = gpu.thread_id x
    %s = memref.alloc() : !stages
    %c = memref.alloc() : !wg
    %p0 = nvgpu.device_async_copy %in[%t], %s[%c0, %t], 1 : !in to !stages
    %pg0 = nvgpu.device_async_create_group %p0
    scf.for %i = %c0 to %c1024 step %c64 {
      %k = arith.divui %i, %c64 : index
      %later = arith.addi %i, %ahead : index
      %l = arith.divui %later, %c64 : index
      %fill = arith.remui %l, %stages : index
      %use = arith.remui %k, %stages : index
      %g = nvgpu.device_async_copy %in[%later], %s[%fill, %t], 1 : !in to !stages
      %h = nvgpu.device_async_create_group {empty}
      nvgpu.device_async_wait %h {numGroups = 1 : i32}
      gpu.barrier
      %v = memref.load %s[%use, %t] : !stages
      memref.store %v, %out[%i] : !in
      gpu.barrier
    }
    memref.store %x, %c[%t] : !wg
    gpu.barrier
    %r = memref.load %c[%c0] : !wg
    memref.store %r, %out[%t] : !in
    gpu.return
  }

  // Then a wait for all is needed behind the loop.
  // CHECK-LABEL: gpu.func @drained(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<1024xi8
  gpu.func @drained(%in: !in, %x: f32, %n: index, %out: !in) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %ahead = arith.constant 64 : index
    %stages = arith.constant 2 : index
    %t = gpu.thread_id x
    %s = memref.alloc() : !stages
    %c = memref.alloc() : !wg
    %p0 = nvgpu.device_async_copy %in[%t], %s[%c0, %t], 1 : !in to !stages
    %pg0 = nvgpu.device_async_create_group %p0
    scf.for %i = %c0 to %n step %c64 {
      %k = arith.divui %i, %c64 : index
      %later = arith.addi %i, %ahead : index
      %l = arith.divui %later, %c64 : index
      %fill = arith.remui %l, %stages : index
      %use = arith.remui %k, %stages : index
      %g = nvgpu.device_async_copy %in[%later], %s[%fill, %t], 1 : !in to !stages
      %h = nvgpu.device_async_create_group {empty}
      nvgpu.device_async_wait %h {numGroups = 1 : i32}
      gpu.barrier
      %v = memref.load %s[%use, %t] : !stages
      memref.store %v, %out[%i] : !in
      gpu.barrier
    }
    %e = nvgpu.device_async_create_group {empty}
    nvgpu.device_async_wait %e
    gpu.barrier
    memref.store %x, %c[%t] : !wg
    gpu.barrier
    %r = memref.load %c[%c0] : !wg
    memref.store %r, %out[%t] : !in
    gpu.return
  }

  // Or as many empty groups as are left in flight.
  // CHECK-LABEL: gpu.func @pushed_out(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<1024xi8
  gpu.func @pushed_out(%in: !in, %x: f32, %n: index, %out: !in) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %ahead = arith.constant 64 : index
    %stages = arith.constant 2 : index
    %t = gpu.thread_id x
    %s = memref.alloc() : !stages
    %c = memref.alloc() : !wg
    %p0 = nvgpu.device_async_copy %in[%t], %s[%c0, %t], 1 : !in to !stages
    %pg0 = nvgpu.device_async_create_group %p0
    scf.for %i = %c0 to %n step %c64 {
      %k = arith.divui %i, %c64 : index
      %later = arith.addi %i, %ahead : index
      %l = arith.divui %later, %c64 : index
      %fill = arith.remui %l, %stages : index
      %use = arith.remui %k, %stages : index
      %g = nvgpu.device_async_copy %in[%later], %s[%fill, %t], 1 : !in to !stages
      %h = nvgpu.device_async_create_group {empty}
      nvgpu.device_async_wait %h {numGroups = 1 : i32}
      gpu.barrier
      %v = memref.load %s[%use, %t] : !stages
      memref.store %v, %out[%i] : !in
      gpu.barrier
    }
    %e = nvgpu.device_async_create_group {empty}
    nvgpu.device_async_wait %e {numGroups = 1 : i32}
    gpu.barrier
    memref.store %x, %c[%t] : !wg
    gpu.barrier
    %r = memref.load %c[%c0] : !wg
    memref.store %r, %out[%t] : !in
    gpu.return
  }

  // There is only one, and it is the last.
  // CHECK-LABEL: gpu.func @one_iteration(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<1024xi8
  gpu.func @one_iteration(%in: !in, %x: f32, %n: index, %out: !in) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %ahead = arith.constant 64 : index
    %stages = arith.constant 2 : index
    %t = gpu.thread_id x
    %s = memref.alloc() : !stages
    %c = memref.alloc() : !wg
    %p0 = nvgpu.device_async_copy %in[%t], %s[%c0, %t], 1 : !in to !stages
    %pg0 = nvgpu.device_async_create_group %p0
    scf.for %i = %c0 to %c64 step %c64 {
      %k = arith.divui %i, %c64 : index
      %later = arith.addi %i, %ahead : index
      %l = arith.divui %later, %c64 : index
      %fill = arith.remui %l, %stages : index
      %use = arith.remui %k, %stages : index
      %isMore = arith.cmpi ult, %later, %c64 : index
      scf.if %isMore {
        %g = nvgpu.device_async_copy %in[%later], %s[%fill, %t], 1 : !in to !stages
      }
      %h = nvgpu.device_async_create_group {empty}
      nvgpu.device_async_wait %h {numGroups = 1 : i32}
      gpu.barrier
      %v = memref.load %s[%use, %t] : !stages
      memref.store %v, %out[%i] : !in
      gpu.barrier
    }
    memref.store %x, %c[%t] : !wg
    gpu.barrier
    %r = memref.load %c[%c0] : !wg
    memref.store %r, %out[%t] : !in
    gpu.return
  }
}
