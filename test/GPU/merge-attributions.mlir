// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s --check-prefix=DEFAULT
// RUN: buffer-merge-opt %s --buffer-merge=merge-attributions --check-workgroup-races | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge=merge-attributions --buffer-merge=merge-attributions | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge=merge-attributions --remarks-filter=buffer-merge \
// RUN:   --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
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

// Attributions of other spaces are lowered to the same memory, but would be
// allocations of another one, such as of one for each thread. They stay, each at its
// place among those that are merged or not.
gpu.module @spaces {
  // REMARK-DAG: [[#@LINE+13]]:17: remark: [Missed] NotMerged{{.*}}Function=other_spaces | Bytes=256, Reason="memory-space,
  // REMARK-DAG: [[#@LINE+13]]:17: remark: [Missed] NotMerged{{.*}}memory-space,
  // REMARK-DAG: [[#@LINE+13]]:15: remark: [Missed] NotMerged{{.*}}Bytes=16, Reason="memory-space,
  // CHECK-LABEL: gpu.func @other_spaces(
  //  CHECK-SAME:     workgroup(%[[A:.*]] : memref<64xf32>, %[[C:.*]] : memref<64xf32, 3> {llvm.align = 64 : i64}, %[[POOL:[^ ]*]] : memref<256xi8, #gpu.address_space<workgroup>> {llvm.align = 32 : i64})
  //  CHECK-SAME:     private(%[[P:.*]] : memref<4xf32, 5>) kernel
  //  CHECK-NEXT:   %[[C0:.*]] = arith.constant 0 : index
  //  CHECK-NEXT:   memref.view %[[POOL]][%[[C0]]]
  //  CHECK-NEXT:   memref.view %[[POOL]][%[[C0]]]
  //       CHECK:   memref.store %{{.*}}, %[[A]]
  //       CHECK:   memref.store %{{.*}}, %[[C]]
  //       CHECK:   memref.store %{{.*}}, %[[P]]
  gpu.func @other_spaces(%x: f32, %i: index)
      workgroup(%a: memref<64xf32>, %b: !wg {llvm.align = 32 : i64},
                %c: memref<64xf32, 3> {llvm.align = 64 : i64}, %d: !wg)
      private(%p: memref<4xf32, 5>) kernel {
    memref.store %x, %a[%i] : memref<64xf32>
    memref.store %x, %b[%i] : !wg
    gpu.barrier
    memref.store %x, %c[%i] : memref<64xf32, 3>
    memref.store %x, %d[%i] : !wg
    memref.store %x, %p[%i] : memref<4xf32, 5>
    gpu.return
  }

  // The upper bound of one shape is not known; the others are merged.
  // CHECK-LABEL: gpu.func @dynamic(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<?xf32, #gpu.address_space<workgroup>>, %{{.*}} : memref<256xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
  gpu.func @dynamic(%x: f32, %i: index)
      workgroup(%a: memref<?xf32, #gpu.address_space<workgroup>>, %b: !wg, %c: !wg) kernel {
    memref.store %x, %a[%i] : memref<?xf32, #gpu.address_space<workgroup>>
    memref.store %x, %b[%i] : !wg
    gpu.barrier
    memref.store %x, %c[%i] : !wg
    gpu.return
  }

  // Nothing is merged: everything is where it was.
  // CHECK-LABEL: gpu.func @order(
  //  CHECK-SAME:     workgroup(%{{.*}} : memref<64xf32, #gpu.address_space<workgroup>>, %{{.*}} : memref<1xf32> {llvm.align = 8 : i64}, %{{.*}} : memref<32xf32, #gpu.address_space<workgroup>> {llvm.align = 32 : i64}, %{{.*}} : memref<2xf32>) kernel
  gpu.func @order(%x: f32, %i: index)
      workgroup(%a: !wg, %b: memref<1xf32> {llvm.align = 8 : i64},
                %c: memref<32xf32, #gpu.address_space<workgroup>> {llvm.align = 32 : i64},
                %d: memref<2xf32>) kernel {
    memref.store %x, %a[%i] : !wg
    memref.store %x, %c[%i] : memref<32xf32, #gpu.address_space<workgroup>>
    memref.store %x, %b[%i] : memref<1xf32>
    memref.store %x, %d[%i] : memref<2xf32>
    gpu.return
  }
}
