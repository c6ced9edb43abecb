// RUN: buffer-merge-opt %s --mlir-disable-threading --buffer-merge=workgroup-pool=dynamic \
// RUN:   -mlir-debug-counter=buffer-merge-skip=0,buffer-merge-count=0 > %t.dynamic
// RUN: buffer-merge-opt %s | diff - %t.dynamic
// RUN: buffer-merge-opt %s --mlir-disable-threading --buffer-merge \
// RUN:   -mlir-debug-counter=buffer-merge-skip=0,buffer-merge-count=0 > %t.attribution
// RUN: buffer-merge-opt %s | diff - %t.attribution
// RUN: buffer-merge-opt %s --mlir-disable-threading --buffer-merge=merge-attributions \
// RUN:   -mlir-debug-counter=buffer-merge-skip=0,buffer-merge-count=0 > %t.merged
// RUN: buffer-merge-opt %s | diff - %t.merged
// RUN: buffer-merge-opt %s --mlir-disable-threading --buffer-merge=workgroup-pool=dynamic \
// RUN:   -mlir-debug-counter=buffer-merge-skip=1,buffer-merge-count=1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: buffer-merge-opt %s --mlir-disable-threading --buffer-merge=merge-attributions \
// RUN:   -mlir-debug-counter=buffer-merge-skip=1,buffer-merge-count=1 | FileCheck %s --check-prefix=SECOND

// A pool in workgroup memory changes the kernel and its launches: if all of its merges
// are left out, nothing changes. Attributions that are not merged are attributions again.

// DYNAMIC-LABEL: gpu.func @kernel(
//       DYNAMIC:   memref.get_global
//       DYNAMIC:   memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
// DYNAMIC-LABEL: func.func @main(
//       DYNAMIC:   gpu.launch_func {{.*}} dynamic_shared_memory_size

// SECOND-LABEL: gpu.func @kernel(
// SECOND-LABEL: gpu.func @attributions(
//  SECOND-SAME:   workgroup(%[[A:[a-z0-9]*]] : memref<64xf32, #gpu.address_space<workgroup>> {llvm.align = 128 : i64},
//  SECOND-SAME:     %[[C:[a-z0-9]*]] : memref<64xf32, #gpu.address_space<workgroup>>)
//   SECOND-NOT:   memref.alloc
//       SECOND:   memref.store %{{.*}}, %[[A]][
//       SECOND:   memref.store %{{.*}}, %[[C]][
!wg = memref<64xf32, #gpu.address_space<workgroup>>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%x: f32, %i: index) kernel {
      %a = memref.alloc() : !wg
      memref.store %x, %a[%i] : !wg
      gpu.barrier
      %b = memref.alloc() : !wg
      memref.store %x, %b[%i] : !wg
      gpu.return
    }
    gpu.func @attributions(%x: f32, %i: index)
        workgroup(%a: !wg {llvm.align = 128 : i64}, %b: !wg, %c: !wg) kernel {
      memref.store %x, %a[%i] : !wg
      gpu.barrier
      memref.store %x, %b[%i] : !wg
      gpu.barrier
      memref.store %x, %c[%i] : !wg
      gpu.return
    }
  }
  func.func @main(%x: f32, %i: index) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : f32, %i : index)
    return
  }
}
