// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s --check-prefix=LAUNCH
// RUN: buffer-merge-opt %s --buffer-merge --gpu-kernel-outlining --buffer-merge | FileCheck %s --check-prefix=OUTLINED
// RUN: buffer-merge-opt %s --gpu-kernel-outlining --buffer-merge | FileCheck %s --check-prefix=OUTLINED

// In a gpu.launch the pool is an allocation: its attributions cannot be aligned.
// Behind the outlining, the allocation becomes an attribution.

// LAUNCH-LABEL: func.func @main(
//       LAUNCH:   gpu.launch
//  LAUNCH-NEXT:     memref.alloc() {alignment = 16 : i64} : memref<256xi8, #gpu.address_space<workgroup>>
//   LAUNCH-NOT:     memref.alloc
// OUTLINED: gpu.func @main_kernel({{.*}}) workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
// OUTLINED-NOT: memref.alloc
!wg = memref<64xf32, #gpu.address_space<workgroup>>

func.func @main(%x: f32, %n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %p = memref.alloc() : !wg
    memref.store %x, %p[%tx] : !wg
    gpu.barrier
    %q = memref.alloc() : !wg
    memref.store %x, %q[%tx] : !wg
    gpu.terminator
  }
  return
}
