// RUN: buffer-merge-opt %s --buffer-merge='target={"workgroup": {"spaces": ["workgroup"]}}' | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge='target={"workgroup": {"spaces": ["workgroup"]}}' \
// RUN:   --check-workgroup-races='target={"workgroup": {"spaces": ["workgroup"]}} strict' -o /dev/null
// RUN: not buffer-merge-opt %s --buffer-merge='target={"workgroup": {"spaces": ["workgroup"]}} capacity=workgroup:255' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OVER
// RUN: not buffer-merge-opt %S/Inputs/race-in-space-3.mlir --check-workgroup-races='target={"workgroup": {"spaces": ["workgroup"]}}' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RACE
// RUN: buffer-merge-opt %s --buffer-merge='target={"workgroup": {"spaces": ["private"]}}' | FileCheck %s --check-prefix=OTHER

// "workgroup" among the spaces of `workgroup` means what it means in `capacity`: the number 3 of device
// code is workgroup memory, and the string. On the host 3 is only a number.

// OVER: error: pool of 'gpu.func' in memory space 3 : i64 needs 256 bytes, its capacity is 255
// RACE: error: race in workgroup memory: no-barrier
!wg = memref<64xf32, 3>
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @kernel(
  //  CHECK-SAME:   workgroup(%{{.*}} : memref<256xi8, 3> {llvm.align = 16 : i64})
  // OTHER-LABEL: gpu.func @kernel(
  //       OTHER:   memref.alloc() : memref<64xf32, 3>
  gpu.func @kernel(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    gpu.barrier
    %b = memref.alloc() : !wg
    memref.store %x, %b[%i] : !wg
    gpu.return
  }
}

// A kernel that is a function: without the barriers it would need 512 bytes.
// CHECK-LABEL: func.func @function(
//       CHECK:   memref.alloc() {alignment = 16 : i64} : memref<256xi8, 3>
//   CHECK-NOT:   memref.alloc
func.func @function(%x: f32) {
  %i = gpu.thread_id x
  %a = memref.alloc() : !wg
  memref.store %x, %a[%i] : !wg
  gpu.barrier
  %b = memref.alloc() : !wg
  memref.store %x, %b[%i] : !wg
  gpu.barrier
  return
}

// Lifetimes are enough here.
// CHECK-LABEL: func.func @host(
//       CHECK:   memref.alloc() {alignment = 64 : i64} : memref<256xi8, 3>
//   CHECK-NOT:   memref.alloc
func.func @host(%x: f32, %i: index) {
  %a = memref.alloc() : !wg
  memref.store %x, %a[%i] : !wg
  %b = memref.alloc() : !wg
  memref.store %x, %b[%i] : !wg
  return
}
