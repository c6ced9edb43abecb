// RUN: not buffer-merge-opt %s --buffer-merge='in-place=false capacity=workgroup:256,default:1KiB' 2>&1 | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false capacity=workgroup:256,default:1KiB over-capacity=warn' -o /dev/null 2>&1 | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false capacity=workgroup:256,default:1KiB barriers=insert in-place' -o /dev/null 2>&1 | count 0
// RUN: not buffer-merge-opt %s --buffer-merge='in-place=false capacity=workgroup:255,default:1023' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NEITHER --implicit-check-not='note: with {{in-place|barriers}}'
// RUN: not buffer-merge-opt %s --buffer-merge='in-place=false capacity=workgroup:255,default:1023 barriers=insert in-place' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SAME --implicit-check-not='note: with {{in-place|barriers}}'

// What exceeds a capacity names the options with which it fits: they are tried.

// CHECK: pool of 'gpu.func' in memory space #gpu.address_space<workgroup> needs 512 bytes, its capacity is 256
// CHECK: note: merge with the option barriers=insert; it then needs 256 bytes, which fit
// CHECK: pool of 'func.func' needs 2048 bytes, its capacity is 1024
// CHECK: note: merge with the option in-place; it then needs 1024 bytes, which fit

// NEITHER: pool of 'gpu.func' {{.*}} needs 512 bytes, its capacity is 255
// NEITHER: pool of 'func.func' needs 2048 bytes, its capacity is 1023

// The bytes needed and the bounds are those of one plan, that with barriers.
// SAME: pool of 'gpu.func' {{.*}} needs 256 bytes, its capacity is 255 (the lower bound is 256: no scheduler can help)
// SAME: pool of 'func.func' needs 1024 bytes, its capacity is 1023 (the lower bound is 1024: no scheduler can help)
!wg = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @kernels {
  gpu.func @kernel(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %b[%i] : !wg
    gpu.return
  }
}

func.func @chain(%in: memref<256xf32>, %out: memref<256xf32>) {
  %a = memref.alloc() : memref<256xf32>
  linalg.exp ins(%in : memref<256xf32>) outs(%a : memref<256xf32>)
  %b = memref.alloc() : memref<256xf32>
  linalg.exp ins(%a : memref<256xf32>) outs(%b : memref<256xf32>)
  memref.copy %b, %out : memref<256xf32> to memref<256xf32>
  return
}
