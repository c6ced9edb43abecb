// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge --canonicalize --check-workgroup-races -o /dev/null

// The end of a loop over threads is a barrier, but a loop without effects is erased
// before it becomes one.

!wg = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @empty(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @empty(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    scf.forall (%t) in (64) {
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // A value that is read and not used does not keep the loop.
  // CHECK-LABEL: gpu.func @unused(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @unused(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.forall (%t) in (64) {
      %v = memref.load %a[%t] : !wg
      scf.for %k = %t to %i step %i {
        %w = memref.load %a[%k] : !wg
      }
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @written(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
  gpu.func @written(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    scf.forall (%t) in (64) {
      memref.store %x, %a[%t] : !wg
    } {mapping = [#gpu.thread<x>]}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }
}
