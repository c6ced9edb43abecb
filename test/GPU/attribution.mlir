// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge --buffer-merge | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge=workgroup-pool=alloc | FileCheck %s --check-prefix=ALLOC

// Buffers in workgroup memory become views of one attribution of their kernel, with
// its alignment on it. Deallocations vanish.

!wg = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @reuse(
  //  CHECK-SAME:     workgroup(%[[POOL:.*]] : memref<256xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
  //  CHECK-NEXT:   %[[C0:.*]] = arith.constant 0 : index
  //  CHECK-NEXT:   %[[A:.*]] = memref.view %[[POOL]][%[[C0]]][] : memref<256xi8, #gpu.address_space<workgroup>> to memref<64xf32, #gpu.address_space<workgroup>>
  //  CHECK-NEXT:   memref.store %{{.*}}, %[[A]]
  //  CHECK-NEXT:   gpu.barrier
  //  CHECK-NEXT:   %[[B:.*]] = memref.view %[[POOL]][%[[C0]]]
  //  CHECK-NEXT:   memref.store %{{.*}}, %[[B]]
  //  CHECK-NEXT:   gpu.return
  // ALLOC-LABEL: gpu.func @reuse(
  //  ALLOC-SAME:     index) kernel
  //  ALLOC-NEXT:   memref.alloc() {alignment = 16 : i64} : memref<256xi8, #gpu.address_space<workgroup>>
  //   ALLOC-NOT:   memref.alloc
  //   ALLOC-NOT:   memref.dealloc
  //       ALLOC:   gpu.return
  gpu.func @reuse(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    memref.dealloc %a : !wg
    gpu.barrier
    %b = memref.alloc() : !wg
    memref.store %x, %b[%i] : !wg
    memref.dealloc %b : !wg
    gpu.return
  }

  // One buffer: as memref.alloc it would become a device malloc.
  // CHECK-LABEL: gpu.func @single(
  //  CHECK-SAME:     workgroup(%[[POOL:.*]] : memref<256xi8, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}) kernel
  //   CHECK-NOT:   memref.alloc
  //       CHECK:   gpu.return
  // ALLOC-LABEL: gpu.func @single(
  //  ALLOC-NEXT:   memref.alloc() {alignment = 128 : i64} : memref<64xf32, #gpu.address_space<workgroup>>
  gpu.func @single(%x: f32, %i: index) kernel {
    %a = memref.alloc() {alignment = 128} : !wg
    memref.store %x, %a[%i] : !wg
    gpu.return
  }

  // Attributions that are there stay in front; private memory has pools of its own
  // kind. A buffer in a loop is one of the kernel all the same.
  // CHECK-LABEL: gpu.func @attributions(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<7xi8, #gpu.address_space<workgroup>>, %[[POOL:.*]] : memref<500xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
  //  CHECK-SAME:     private(%{{.*}} : memref<1xf32, #gpu.address_space<private>>) kernel
  //  CHECK-NEXT:   memref.alloc() {alignment = 64 : i64} : memref<4xi8, #gpu.address_space<private>>
  //       CHECK:   scf.for
  //       CHECK:     memref.view %[[POOL]]
  //       CHECK:     memref.view %[[POOL]]
  gpu.func @attributions(%x: f32, %i: index, %n: index)
      workgroup(%w: memref<7xi8, #gpu.address_space<workgroup>>)
      private(%p: memref<1xf32, #gpu.address_space<private>>) kernel {
    %p0 = memref.alloc() : memref<1xf32, #gpu.address_space<private>>
    memref.store %x, %p0[%i] : memref<1xf32, #gpu.address_space<private>>
    %p1 = memref.alloc() : memref<1xf32, #gpu.address_space<private>>
    memref.store %x, %p1[%i] : memref<1xf32, #gpu.address_space<private>>
    scf.for %k = %i to %n step %n {
      %a = memref.alloc() : memref<61xf32, #gpu.address_space<workgroup>>
      memref.store %x, %a[%i] : memref<61xf32, #gpu.address_space<workgroup>>
      %b = memref.alloc() : memref<61xf32, #gpu.address_space<workgroup>>
      memref.store %x, %b[%i] : memref<61xf32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
}
