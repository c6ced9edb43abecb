// RUN: buffer-merge-opt %s --buffer-merge='workgroup-pool=dynamic report=%t.json' -o /dev/null
// RUN: FileCheck %s --check-prefixes=CHECK,DYNAMIC < %t.json
// RUN: buffer-merge-report %t.json | FileCheck %s --check-prefix=TEXT
// RUN: buffer-merge-opt %s --buffer-merge='workgroup-pool=alloc report=%t.json' -o /dev/null
// RUN: FileCheck %s --check-prefixes=CHECK,ALLOC < %t.json

// What a pool in workgroup memory is, unless it is allocated or not made at all.

//   CHECK-LABEL: "function": "launch"
//  DYNAMIC-NEXT:   "scope": "gpu.launch"
//       DYNAMIC:   "storage": "dynamic"
//  DYNAMIC-NEXT:   "totalBytes"
//     ALLOC-NOT:   "storage"
//   CHECK-LABEL: "function": "kernels::aligned"
//       DYNAMIC:   "storage": "dynamic"
//       DYNAMIC:   "poolSize": 512
//       DYNAMIC:   "launchBytes": 624
//     ALLOC-NOT:   "storage"
//   CHECK-LABEL: "function": "kernels::not_launched"
//       DYNAMIC:   "storage": "attribution"
//     ALLOC-NOT:   "storage"
//          TEXT: @launch (gpu.launch at {{.*}}), memory space #gpu.address_space<workgroup>, workgroup-pool=dynamic{{$}}
//          TEXT: @kernels::aligned (gpu.func at {{.*}}), memory space #gpu.address_space<workgroup>, workgroup-pool=dynamic{{$}}
//          TEXT:   before 512 bytes, pool 512 bytes
//          TEXT:   launches give 624 bytes, with what aligns it
//          TEXT: @kernels::not_launched (gpu.func at {{.*}}), memory space #gpu.address_space<workgroup>, workgroup-pool=attribution{{$}}

!wg = memref<64xf32, #gpu.address_space<workgroup>>

module attributes {gpu.container_module} {
  func.func @launch(%x: f32, %n: index) {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
        threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
      %p = memref.alloc() : !wg
      memref.store %x, %p[%tx] : !wg
      gpu.barrier
      %q = memref.alloc() : !wg
      memref.store %x, %q[%tx] : !wg
      gpu.terminator
    }
    gpu.launch_func @kernels::@aligned blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : f32, %n : index)
    return
  }
  // Dynamic memory has no such alignment: launches give more. An allocation of two buffers
  // that do not share bytes saves nothing.
  gpu.module @kernels {
    gpu.func @aligned(%x: f32, %i: index) kernel {
      %a = memref.alloc() {alignment = 128} : !wg
      memref.store %x, %a[%i] : !wg
      %b = memref.alloc() {alignment = 128} : !wg
      memref.store %x, %b[%i] : !wg
      gpu.return
    }
    gpu.func @not_launched(%x: f32, %i: index) kernel {
      %a = memref.alloc() : !wg
      memref.store %x, %a[%i] : !wg
      gpu.return
    }
  }
}
