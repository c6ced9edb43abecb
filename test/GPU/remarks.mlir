// RUN: buffer-merge-opt %s --buffer-merge --remarks-filter=buffer-merge --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge=barriers=insert --remarks-filter=buffer-merge --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=INSERT
// RUN: buffer-merge-opt %s --buffer-merge=report=- -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT

// What is said of each kernel: buffers, pool, lower bound, barriers, and the pairs
// that threads keep apart.

// CHECK: Pool{{.*}}AllocatedBytes=512, BaselineBytes=512, Buffers=2, LowerBound=256, PoolBytes=512, ProvedBound=512
// CHECK: Barriers{{.*}}Existing=1, Inserted=0, PairsKeptApart=1
// CHECK: remarks.mlir:[[#@LINE+18]]:10: remark: [Missed] NotShared
// CHECK-SAME: From="memref.store at {{.*}}remarks.mlir:[[#@LINE+20]]:5"
// CHECK-SAME: Reason="no-barrier, there is a path without a barrier"
// CHECK-SAME: To="memref.store at {{.*}}remarks.mlir:[[#@LINE+19]]:5"
// CHECK-SAME: With={{.*}}remarks.mlir:[[#@LINE+15]]:10
// INSERT: Pool{{.*}}PoolBytes=256
// INSERT: Barriers{{.*}}Existing=1, Inserted=1, PairsKeptApart=0
// INSERT: remarks.mlir:[[#@LINE+15]]:5: remark: [Passed] BarrierInserted

// REPORT: @kernels::kernel (gpu.func at {{.*}}, memory space #gpu.address_space<workgroup>
// REPORT-NEXT: before 512 bytes, pool 512 bytes

!wg = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  gpu.func @kernel(%x: f32, %i: index) kernel {

    gpu.barrier
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg

    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    gpu.return
  }
}
