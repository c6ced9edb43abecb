// REQUIRES: llvm-23
// RUN: buffer-merge-opt %s --buffer-merge --check-workgroup-races | FileCheck %s

// Barriers of MLIR 23 that are for others than all threads of the workgroup, or at which
// threads at different operations meet: no two buffers share bytes across them.

!wg = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @workgroup(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<256xi8
  gpu.func @workgroup(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    gpu.barrier scope <workgroup>
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @subgroup(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @subgroup(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    gpu.barrier scope <subgroup>
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @named(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @named(%x: f32, %i: index, %n: i32) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    %named = gpu.initialize_named_barrier %n : i32 -> !gpu.named_barrier
    memref.store %x, %a[%i] : !wg
    gpu.barrier named(%named : !gpu.named_barrier)
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @other_memory(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @other_memory(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    gpu.barrier memfence [#gpu.address_space<global>]
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @unaligned(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<512xi8
  gpu.func @unaligned(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    nvvm.barrier {aligned = false}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }
}
