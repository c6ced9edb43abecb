// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s --check-prefix=DEFAULT
// RUN: buffer-merge-opt %s --buffer-merge=merge-attributions --check-workgroup-races | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge=merge-attributions --buffer-merge=merge-attributions | FileCheck %s
// RUN: not buffer-merge-opt %s --buffer-merge='merge-attributions capacity=#gpu.address_space<workgroup>:100' \
// RUN:   --mlir-print-ir-after-failure 2>&1 | FileCheck %s --check-prefix=FAILED

// Attributions that are there are merged on request, if that saves bytes. If not, or
// if something fails, they stay as they are.

!wg = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // DEFAULT-LABEL: gpu.func @reuse(
  //  DEFAULT-SAME:     workgroup(%{{.*}} : memref<64xf32, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}, %{{.*}} : memref<64xf32, #gpu.address_space<workgroup>>)
  // CHECK-LABEL: gpu.func @reuse(
  //  CHECK-SAME:     workgroup(%[[POOL:.*]] : memref<256xi8, #gpu.address_space<workgroup>> {llvm.align = 128 : i64})
  //  CHECK-SAME:     private(%{{.*}} : memref<1xf32, #gpu.address_space<private>>) kernel
  //       CHECK:   memref.view %[[POOL]]
  //       CHECK:   memref.view %[[POOL]]
  //   CHECK-NOT:   memref.alloc
  // FAILED-LABEL: gpu.func @reuse(%arg0
  //  FAILED-SAME:     workgroup(%{{.*}} : memref<64xf32, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}, %{{.*}} : memref<64xf32, #gpu.address_space<workgroup>>)
  gpu.func @reuse(%x: f32, %i: index)
      workgroup(%a: !wg {llvm.align = 128 : i64}, %b: !wg)
      private(%p: memref<1xf32, #gpu.address_space<private>>) kernel {
    memref.store %x, %a[%i] : !wg
    gpu.barrier
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // CHECK-LABEL: gpu.func @no_gain(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<64xf32, #gpu.address_space<workgroup>>, %{{.*}} : memref<64xf32, #gpu.address_space<workgroup>> {llvm.align = 32 : i64}) kernel
  //   CHECK-NOT:   memref.view
  gpu.func @no_gain(%x: f32, %i: index)
      workgroup(%a: !wg, %b: !wg {llvm.align = 32 : i64}) kernel {
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    gpu.return
  }
}
