// RUN: not buffer-merge-opt %s --buffer-merge='capacity=#gpu.address_space<workgroup>:512' 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: buffer-merge-opt %s --buffer-merge='capacity=#gpu.address_space<workgroup>:580' | FileCheck %s --check-prefix=FITS
// RUN: not buffer-merge-opt %s --buffer-merge='capacity=#gpu.address_space<workgroup>:579' 2>&1 | FileCheck %s --check-prefix=ONE-LESS
// RUN: buffer-merge-opt %s --buffer-merge='capacity=#gpu.address_space<workgroup>:512 over-capacity=warn' 2>&1 | FileCheck %s --check-prefixes=WARN,FITS
// RUN: not buffer-merge-opt %s --buffer-merge='capacity=#gpu.address_space<workgroup>:60' 2>&1 | FileCheck %s --check-prefix=FULL

// What else counts towards the limit of a kernel: its attributions, its globals and
// its barrier objects.

!wg = memref<64xf32, #gpu.address_space<workgroup>>
!mbarriers = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 4>

//      ERROR: capacity.mlir:[[#@LINE+17]]:3: error: pool of 'gpu.func' in memory space #gpu.address_space<workgroup>
// ERROR-SAME:   needs 512 bytes, its capacity is 444 (the lower bound is 512: no scheduler can help)
// ERROR-NEXT:   gpu.func @kernel
//      ERROR: note: everything else in the same memory takes 68 bytes, already subtracted from the capacity
//       WARN: warning: pool of 'gpu.func' in memory space #gpu.address_space<workgroup>
//  WARN-SAME:   needs 512 bytes, its capacity is 444 (the lower bound is 512: no scheduler can help)
//       WARN: note: everything else in the same memory takes 68 bytes, already subtracted from the capacity
//       FULL: needs 512 bytes beside the 68 of everything else in the same memory; the capacity is 60 (the lower bound is 512: no scheduler can help)
//       FULL: note: barrier object: 32 bytes
//       FULL: note: global: 20 bytes
//       FULL: note: a capacity of 580 bytes has room for all of it
//   ONE-LESS: needs 512 bytes, its capacity is 511
// FITS: gpu.func @kernel(%arg0
// FITS-SAME: memref<512xi8
gpu.module @kernels {
  memref.global "private" @global : memref<5xf32, #gpu.address_space<workgroup>>

  gpu.func @kernel(%x: f32, %i: index)
      workgroup(%w: memref<4xf32, #gpu.address_space<workgroup>>) kernel {
    %m = nvgpu.mbarrier.create -> !mbarriers
    %g = memref.get_global @global : memref<5xf32, #gpu.address_space<workgroup>>
    memref.store %x, %g[%i] : memref<5xf32, #gpu.address_space<workgroup>>
    %h = memref.get_global @global : memref<5xf32, #gpu.address_space<workgroup>>
    memref.store %x, %h[%i] : memref<5xf32, #gpu.address_space<workgroup>>
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    memref.store %x, %a[%i] : !wg
    gpu.return
  }
}
