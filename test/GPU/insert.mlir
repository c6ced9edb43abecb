// RUN: buffer-merge-opt %s --buffer-merge --check-workgroup-races | FileCheck %s --check-prefixes=CHECK,EXISTING
// RUN: buffer-merge-opt %s --buffer-merge=barriers=insert-outside-loops --check-workgroup-races | FileCheck %s --check-prefixes=CHECK,OUTSIDE
// RUN: buffer-merge-opt %s --buffer-merge=barriers=insert --check-workgroup-races | FileCheck %s --check-prefixes=CHECK,INSERT
// RUN: buffer-merge-opt %s --buffer-lifetimes=barriers=insert 2>&1 | FileCheck %s --check-prefix=REMARK

// Barriers are inserted where all threads execute them together, and only where the
// pool becomes smaller.

!wg = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @straight(
  // EXISTING-SAME: memref<512xi8
  //  OUTSIDE-SAME: memref<256xi8
  //   INSERT-SAME: memref<256xi8
  //         CHECK:   memref.store
  //  EXISTING-NOT:   gpu.barrier
  //  OUTSIDE:        gpu.barrier
  //  OUTSIDE-NEXT:   memref.store
  //   INSERT:        gpu.barrier
  //   INSERT-NEXT:   memref.store
  //         CHECK:   gpu.return
  // REMARK: insert.mlir:[[#@LINE+6]]:5: remark: barrier to be inserted before this
  gpu.func @straight(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg

    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // In a loop: one before each, one of which is outside for neither.
  // CHECK-LABEL: gpu.func @loop(
  // EXISTING-SAME: memref<512xi8
  //  OUTSIDE-SAME: memref<512xi8
  //   INSERT-SAME: memref<256xi8
  //   OUTSIDE-NOT: gpu.barrier
  //         CHECK:   scf.for
  //        INSERT:     gpu.barrier
  //   INSERT-NEXT:     memref.store
  //        INSERT:     gpu.barrier
  //   INSERT-NEXT:     memref.store
  //         CHECK:   gpu.return
  gpu.func @loop(%x: f32, %i: index, %n: index) kernel {
    scf.for %k = %i to %n step %n {
      %a = memref.alloc() : !wg
      %b = memref.alloc() : !wg
      memref.store %x, %a[%i] : !wg
      memref.store %x, %b[%i] : !wg
    }
    gpu.return
  }

  // What comes before two loops is separated once, before the outer one.
  // CHECK-LABEL: gpu.func @before_loops(
  // EXISTING-SAME: memref<512xi8
  //  OUTSIDE-SAME: memref<256xi8
  //   INSERT-SAME: memref<256xi8
  //         CHECK:   memref.store
  //  OUTSIDE-NEXT:   gpu.barrier
  //   INSERT-NEXT:   gpu.barrier
  //    CHECK-NEXT:   scf.for
  //    CHECK-NEXT:     scf.for
  //    CHECK-NEXT:       memref.store
  gpu.func @before_loops(%x: f32, %i: index, %n: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.for %k = %i to %n step %n {
      scf.for %l = %i to %n step %n {
        memref.store %x, %b[%i] : !wg
      }
    }
    gpu.return
  }

  // Between two loops, before the second. One barrier is enough for all pairs.
  // CHECK-LABEL: gpu.func @loops(
  // EXISTING-SAME: memref<1024xi8
  //  OUTSIDE-SAME: memref<512xi8
  //   INSERT-SAME: memref<512xi8
  //       OUTSIDE:   scf.for
  //       OUTSIDE:   gpu.barrier
  //  OUTSIDE-NEXT:   scf.for
  //   OUTSIDE-NOT:   gpu.barrier
  //         CHECK:   gpu.return
  gpu.func @loops(%x: f32, %i: index, %n: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %c = memref.alloc() : !wg
    %d = memref.alloc() : !wg
    scf.for %k = %i to %n step %n {
      %u = memref.load %a[%n] : !wg
      %v = memref.load %b[%n] : !wg
      memref.store %x, %a[%i] : !wg
      memref.store %x, %b[%i] : !wg
    }
    scf.for %k = %i to %n step %n {
      %u = memref.load %c[%n] : !wg
      %v = memref.load %d[%n] : !wg
      memref.store %x, %c[%i] : !wg
      memref.store %x, %d[%i] : !wg
    }
    gpu.return
  }

  // Never inside of a branch in which threads may part: before it.
  // CHECK-LABEL: gpu.func @before_divergent(
  //   INSERT-SAME: memref<256xi8
  //        INSERT:   gpu.barrier
  //   INSERT-NEXT:   scf.if
  //    INSERT-NOT:   gpu.barrier
  //         CHECK:   gpu.return
  gpu.func @before_divergent(%x: f32, %i: index) kernel {
    %t = gpu.thread_id x
    %c = arith.cmpi ult, %t, %i : index
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.if %c {
      memref.store %x, %b[%i] : !wg
    }
    gpu.return
  }

  // And not at all where both are inside, nor for a copy in flight.
  // CHECK-LABEL: gpu.func @hard(
  // EXISTING-SAME: memref<512xi8
  //   INSERT-SAME: memref<512xi8
  //    INSERT-NOT:   gpu.barrier
  //         CHECK:   gpu.return
  gpu.func @hard(%x: f32, %i: index) kernel {
    %t = gpu.thread_id x
    %c = arith.cmpi ult, %t, %i : index
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.if %c {
      memref.store %x, %a[%i] : !wg
      memref.store %x, %b[%i] : !wg
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @in_flight(
  //   INSERT-SAME: memref<512xi8
  //    INSERT-NOT:   gpu.barrier
  //         CHECK:   gpu.return
  gpu.func @in_flight(%x: f32, %i: index, %in: memref<64xf32>) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %t = nvgpu.device_async_copy %in[%i], %a[%i], 4 : memref<64xf32> to !wg
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // A barrier that saves nothing is not inserted: c is as large as both.
  // CHECK-LABEL: gpu.func @no_use(
  //   INSERT-SAME: memref<512xi8
  //         CHECK:   gpu.barrier
  //    INSERT-NOT:   gpu.barrier
  //         CHECK:   gpu.return
  gpu.func @no_use(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %c = memref.alloc() : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    gpu.barrier
    memref.store %x, %c[%i] : memref<128xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// Code that is not mapped to threads yet gets none.
// CHECK-LABEL: func.func @nest(
//       CHECK:   memref.alloc
//       CHECK:   memref.alloc
//   CHECK-NOT:   gpu.barrier
func.func @nest(%x: f32, %n: index) {
  scf.forall (%b) in (%n) {
    %p = memref.alloc() : !wg
    %q = memref.alloc() : !wg
    memref.store %x, %p[%b] : !wg
    memref.store %x, %q[%b] : !wg
  } {mapping = [#gpu.block<x>]}
  return
}
