// RUN: buffer-merge-opt %s --buffer-lifetimes='advise scheduler=first-fit' -o /dev/null 2>&1 | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-lifetimes='advise scheduler=first-fit barriers=insert' -o /dev/null 2>&1 | FileCheck %s --check-prefix=INSERTED

// A hazard between two buffers: a barrier would let them share bytes, and so would any
// other place for one of them.

// CHECK: remark: advice: merge with the option barriers=insert; the pool is then 256 bytes smaller
// INSERTED-NOT: barriers=insert, the pool
!wg = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @kernels {
  gpu.func @kernel(%x: f32, %i: index) kernel {
    %a = memref.alloc() : !wg
    %b = memref.alloc() : !wg
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    gpu.return
  }
}
