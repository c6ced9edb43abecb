// RUN: buffer-merge-opt %s --rotate-carried-buffers --buffer-merge --check-workgroup-races | FileCheck %s
// RUN: buffer-merge-opt %s --rotate-carried-buffers --remarks-filter=buffer-merge --remark-format=emitRemark \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Tiles that a loop carries from one iteration to the next. A slot is used again when all
// threads are done with it.

!wg = memref<64xf32, #gpu.address_space<workgroup>>
#wg = #gpu.address_space<workgroup>

gpu.module @kernels {
  // The barrier at the end of an iteration comes after the last access of the old tile.
  // REMARK: rotate.mlir:[[#@LINE+10]]:14: remark: [Passed] Rotated{{.*}}Function=two_slots{{.*}}Slots=2
  // CHECK-LABEL: gpu.func @two_slots(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<768xi8, #gpu.address_space<workgroup>>
  //   CHECK-NOT:   memref.alloc
  //       CHECK:   gpu.return
  gpu.func @two_slots(%x: f32, %n: index, %s: index, %i: index) kernel {
    %first = memref.alloc() : !wg
    memref.store %x, %first[%i] : !wg
    gpu.barrier
    %last = scf.for %k = %s to %n step %s iter_args(%old = %first) -> (!wg) {
      %new = memref.alloc() : !wg
      %v = memref.load %old[%k] : !wg
      memref.store %v, %new[%i] : !wg
      gpu.barrier
      scf.yield %new : !wg
    }
    gpu.return
  }

  // The only barrier comes before the access of the old tile: one more slot, and it lies between.
  // REMARK: rotate.mlir:[[#@LINE+9]]:14: remark: [Passed] Rotated{{.*}}Function=one_more{{.*}}Slots=3
  // CHECK-LABEL: gpu.func @one_more(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<1024xi8, #gpu.address_space<workgroup>>
  //   CHECK-NOT:   memref.alloc
  //       CHECK:   gpu.return
  gpu.func @one_more(%x: f32, %n: index, %s: index, %i: index, %out: memref<?xf32>) kernel {
    %first = memref.alloc() : !wg
    memref.store %x, %first[%i] : !wg
    %last = scf.for %k = %s to %n step %s iter_args(%old = %first) -> (!wg) {
      %new = memref.alloc() : !wg
      memref.store %x, %new[%i] : !wg
      gpu.barrier
      %v = memref.load %old[%k] : !wg
      memref.store %v, %out[%k] : memref<?xf32>
      scf.yield %new : !wg
    }
    gpu.return
  }

  // The old one is done with before a barrier in front of the allocation.
  // REMARK: rotate.mlir:[[#@LINE+11]]:14: remark: [Passed] Rotated{{.*}}Function=one_slot{{.*}}Slots=1
  // CHECK-LABEL: gpu.func @one_slot(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  //   CHECK-NOT:   memref.alloc
  //       CHECK:   gpu.return
  gpu.func @one_slot(%x: f32, %n: index, %s: index, %i: index) kernel {
    %first = memref.alloc() : !wg
    memref.store %x, %first[%i] : !wg
    %last = scf.for %k = %s to %n step %s iter_args(%old = %first) -> (!wg) {
      %v = memref.load %old[%k] : !wg
      gpu.barrier
      %new = memref.alloc() : !wg
      memref.store %v, %new[%i] : !wg
      gpu.barrier
      scf.yield %new : !wg
    }
    gpu.return
  }

  // Threads may be any number of iterations apart.
  // REMARK: rotate.mlir:[[#@LINE+5]]:14: remark: [Missed] NotRotated{{.*}}Function=no_barrier{{.*}}no-barrier
  // CHECK-LABEL: gpu.func @no_barrier(
  //       CHECK:     memref.alloc() : memref<64xf32
  gpu.func @no_barrier(%x: f32, %n: index, %s: index, %i: index, %first: !wg, %c: i1) kernel {
    %last = scf.for %k = %s to %n step %s iter_args(%old = %first) -> (!wg) {
      %new = memref.alloc() : !wg
      %v = memref.load %old[%k] : !wg
      memref.store %v, %new[%i] : !wg
      scf.if %c {
        gpu.barrier
      }
      scf.yield %new : !wg
    }
    gpu.return
  }

  // So they may if they leave the loop at different times.
  // REMARK: rotate.mlir:[[#@LINE+6]]:14: remark: [Missed] NotRotated{{.*}}Function=divergent{{.*}}no-barrier
  // CHECK-LABEL: gpu.func @divergent(
  //       CHECK:     memref.alloc() : memref<64xf32
  gpu.func @divergent(%x: f32, %s: index, %i: index, %first: !wg) kernel {
    %t = gpu.thread_id x
    %last = scf.for %k = %s to %t step %s iter_args(%old = %first) -> (!wg) {
      %new = memref.alloc() : !wg
      %v = memref.load %old[%k] : !wg
      memref.store %v, %new[%i] : !wg
      gpu.barrier
      scf.yield %new : !wg
    }
    gpu.return
  }

  // The loop is entered again, from the first slot on.
  // REMARK: rotate.mlir:[[#@LINE+6]]:16: remark: [Missed] NotRotated{{.*}}Function=again{{.*}}no-barrier
  // CHECK-LABEL: gpu.func @again(
  //       CHECK:       memref.alloc() : memref<64xf32
  gpu.func @again(%x: f32, %n: index, %s: index, %i: index, %first: !wg) kernel {
    scf.for %j = %s to %n step %s {
      %last = scf.for %k = %s to %n step %s iter_args(%old = %first) -> (!wg) {
        %new = memref.alloc() : !wg
        %v = memref.load %old[%k] : !wg
        memref.store %v, %new[%i] : !wg
        gpu.barrier
        scf.yield %new : !wg
      }
    }
    gpu.return
  }

  // If both loops carry it, iterations are counted across them. The outer one accesses it
  // between two barriers of the inner one.
  // REMARK: rotate.mlir:[[#@LINE+9]]:16: remark: [Passed] Rotated{{.*}}Function=nest{{.*}}Loops=2, {{.*}}Slots=2
  // CHECK-LABEL: gpu.func @nest(
  //  CHECK-SAME:     workgroup(
  //   CHECK-NOT:   memref.alloc
  //       CHECK:   gpu.return
  gpu.func @nest(%x: f32, %n: index, %s: index, %i: index, %first: !wg, %out: memref<?xf32>) kernel {
    %outer = scf.for %j = %s to %n step %s iter_args(%before = %first) -> (!wg) {
      %last = scf.for %k = %s to %n step %s iter_args(%old = %before) -> (!wg) {
        gpu.barrier
        %new = memref.alloc() : !wg
        %v = memref.load %old[%k] : !wg
        memref.store %v, %new[%i] : !wg
        gpu.barrier
        scf.yield %new : !wg
      }
      %w = memref.load %last[%j] : !wg
      memref.store %w, %out[%j] : memref<?xf32>
      scf.yield %last : !wg
    }
    gpu.return
  }

  // So it is by a cycle of blocks, and kernels that have some are left alone.
  // CHECK-LABEL: gpu.func @again_by_blocks(
  //       CHECK:     memref.alloc() : memref<64xf32
  gpu.func @again_by_blocks(%x: f32, %n: index, %s: index, %i: index, %first: !wg, %c: i1) kernel {
    cf.br ^loop
  ^loop:
    %last = scf.for %k = %s to %n step %s iter_args(%old = %first) -> (!wg) {
      %new = memref.alloc() : !wg
      %v = memref.load %old[%k] : !wg
      memref.store %v, %new[%i] : !wg
      gpu.barrier
      scf.yield %new : !wg
    }
    cf.cond_br %c, ^loop, ^end
  ^end:
    gpu.return
  }

  // The last tile is written without a barrier after the one before was read.
  // REMARK: rotate.mlir:[[#@LINE+11]]:14: remark: [Passed] Rotated{{.*}}Function=behind{{.*}}Slots=2
  // CHECK-LABEL: gpu.func @behind(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  //   CHECK-NOT:   memref.alloc
  //       CHECK:   gpu.return
  gpu.func @behind(%x: f32, %n: index, %s: index, %i: index, %first: !wg, %out: memref<?xf32>) kernel {
    %last = scf.for %k = %s to %n step %s iter_args(%old = %first) -> (!wg) {
      gpu.barrier
      memref.store %x, %old[%i] : !wg
      %v = memref.load %old[%i] : !wg
      memref.store %v, %out[%k] : memref<?xf32>
      %new = memref.alloc() : !wg
      scf.yield %new : !wg
    }
    memref.store %x, %last[%i] : !wg
    gpu.return
  }

  // Copies in flight write whatever threads do.
  // REMARK: rotate.mlir:[[#@LINE+5]]:14: remark: [Missed] NotRotated{{.*}}Function=copies{{.*}}asynchronous
  // CHECK-LABEL: gpu.func @copies(
  //       CHECK:     memref.alloc() : memref<64xf32
  gpu.func @copies(%n: index, %s: index, %i: index, %first: !wg, %in: memref<?xf32>, %out: memref<?xf32>) kernel {
    %last = scf.for %k = %s to %n step %s iter_args(%old = %first) -> (!wg) {
      %new = memref.alloc() : !wg
      %copy = nvgpu.device_async_copy %in[%k], %new[%i], 1 : memref<?xf32> to !wg
      %group = nvgpu.device_async_create_group %copy
      %v = memref.load %old[%k] : !wg
      memref.store %v, %out[%k] : memref<?xf32>
      nvgpu.device_async_wait %group
      gpu.barrier
      scf.yield %new : !wg
    }
    gpu.return
  }
}
