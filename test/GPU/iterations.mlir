// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null
// RUN: buffer-merge-opt %s --buffer-merge --remarks-filter=buffer-merge --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=IterationsRace

// An allocation in a loop is one variable: iterations that no barrier separates race for
// its bytes, with a pool and without.

!wg = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // CHECK: iterations.mlir:[[#@LINE+4]]:12: remark: [Analysis] IterationsRace | {{.*}}From="memref.load at {{.*}}:[[#@LINE+9]]:12", Reason="back-edge, {{.*}}To="memref.store at {{.*}}:[[#@LINE+6]]:7"
  gpu.func @race(%x: f32, %i: index, %n: index, %s: index, %out: memref<64xf32>) kernel {
    scf.for %k = %s to %n step %s {
      // expected-remark @below {{iterations race for the bytes of this allocation: back-edge}}
      %a = memref.alloc() : !wg
      // expected-note @below {{and this one, an iteration later}}
      memref.store %x, %a[%i] : !wg
      gpu.barrier
      // expected-note @below {{between this access}}
      %v = memref.load %a[%i] : !wg
      memref.store %v, %out[%i] : memref<64xf32>
    }
    gpu.return
  }

  // With a barrier at the end there is none. A race within one iteration is another
  // matter, and so is one of a loop around which there is one allocation.
  gpu.func @no_race(%x: f32, %i: index, %n: index, %s: index) kernel {
    %b = memref.alloc() : !wg
    scf.for %k = %s to %n step %s {
      %a = memref.alloc() : !wg
      scf.for %l = %s to %n step %s {
        memref.store %x, %a[%i] : !wg
        memref.store %x, %b[%i] : !wg
      }
      gpu.barrier
    }
    gpu.return
  }

  // A copy of the iteration before may still arrive.
  // CHECK: iterations.mlir:[[#@LINE+5]]:12: remark: [Analysis] IterationsRace | {{.*}}Reason="in-flight, {{.*}}To="memref.store
  gpu.func @copy(%x: f32, %i: index, %n: index, %s: index, %in: memref<64xf32>) kernel {
    scf.for %k = %s to %n step %s {
      gpu.barrier
      // expected-remark @below {{iterations race for the bytes of this allocation: in-flight}}
      %a = memref.alloc() : !wg
      // expected-note @below {{and this one, an iteration later}}
      memref.store %x, %a[%i] : !wg
      gpu.barrier
      // expected-note @below {{between this access}}
      %t = nvgpu.device_async_copy %in[%i], %a[%i], 1 : memref<64xf32> to !wg
    }
    gpu.return
  }
}
