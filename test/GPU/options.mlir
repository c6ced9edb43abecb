// RUN: buffer-merge-opt %s --buffer-merge --allow-unregistered-dialect | FileCheck %s --check-prefix=DEFAULT
// RUN: buffer-merge-opt %s --buffer-merge='target={"workgroup": {"spaces": ["3"], "barrierOps": ["test.other", "test.sync"], "alignment": 128}}' \
// RUN:   --check-workgroup-races='target={"workgroup": {"spaces": ["3"], "barrierOps": ["test.sync"]}}' --allow-unregistered-dialect | FileCheck %s --check-prefix=GIVEN
// RUN: buffer-merge-opt %s --buffer-merge=memory-spaces=default --allow-unregistered-dialect | FileCheck %s --check-prefix=LEFT
// RUN: buffer-merge-opt %s --buffer-lifetimes='target={"workgroup": {"assumeForallSync": false}}' --allow-unregistered-dialect 2>&1 | FileCheck %s --check-prefix=FORALL
// RUN: not buffer-merge-opt %s --allow-unregistered-dialect --buffer-merge='target={"workgroup": {"alignment": 24}}' 2>&1 | FileCheck %s --check-prefix=ALIGN
// RUN: not buffer-merge-opt %s --allow-unregistered-dialect --buffer-merge='target={"workgroup": {"spaces": ["default"]}}' 2>&1 | FileCheck %s --check-prefix=SPACE
// RUN: not buffer-merge-opt %s --allow-unregistered-dialect --check-workgroup-races='target={"workgroup": {"spaces": ["#gpu"]}}' 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// ALIGN: error: target:1:29: alignment 24 is not a power of two
// SPACE: error: the default memory space is not workgroup memory
// UNKNOWN: error: unknown memory space '#gpu'

!wg = memref<61xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // DEFAULT-LABEL: gpu.func @number(
  //       DEFAULT:   memref.alloc() : memref<64xf32, 3>
  //       DEFAULT:   memref.alloc() : memref<64xf32, 3>
  //   GIVEN-LABEL: gpu.func @number(
  //    GIVEN-SAME:     workgroup(%{{.*}} : memref<256xi8, 3> {llvm.align = 128 : i64}) kernel
  gpu.func @number(%x: f32, %i: index) kernel {
    %a = memref.alloc() : memref<64xf32, 3>
    memref.store %x, %a[%i] : memref<64xf32, 3>
    gpu.barrier
    %b = memref.alloc() : memref<64xf32, 3>
    memref.store %x, %b[%i] : memref<64xf32, 3>
    gpu.return
  }

  // DEFAULT-LABEL: gpu.func @aligned(
  //  DEFAULT-SAME:     memref<500xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}
  //   GIVEN-LABEL: gpu.func @aligned(
  //    GIVEN-SAME:     memref<500xi8, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}
  //    LEFT-LABEL: gpu.func @aligned(
  //     LEFT-SAME:     index) kernel
  //          LEFT:   memref.alloc
  gpu.func @aligned(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    memref.store %x, %a[%i] : !wg
    gpu.return
  }

  // DEFAULT-LABEL: gpu.func @barrier_op(
  //  DEFAULT-SAME:     memref<512xi8
  //   GIVEN-LABEL: gpu.func @barrier_op(
  //    GIVEN-SAME:     memref<256xi8
  gpu.func @barrier_op(%x: f32, %i: index) kernel {
    %a = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
    %b = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %x, %a[%i] : memref<64xf32, #gpu.address_space<workgroup>>
    "test.sync"() : () -> ()
    memref.store %x, %b[%i] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// FORALL: options.mlir:[[#@LINE+4]]:10: remark: cannot share bytes with buffer 1 of the pool: no-barrier

func.func @nest(%x: f32, %n: index) {
  scf.forall (%b) in (%n) {
    %p = memref.alloc() : !wg
    %q = memref.alloc() : !wg
    scf.forall (%t) in (64) {
      memref.store %x, %p[%t] : !wg
    } {mapping = [#gpu.thread<x>]}
    scf.forall (%t) in (64) {
      memref.store %x, %q[%t] : !wg
    } {mapping = [#gpu.thread<x>]}
  } {mapping = [#gpu.block<x>]}
  return
}
