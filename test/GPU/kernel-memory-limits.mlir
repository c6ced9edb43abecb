// RUN: buffer-merge-opt %s --buffer-merge='capacity=#gpu.address_space<workgroup>:1028' -o /dev/null 2>&1 | count 0
// RUN: not buffer-merge-opt %s --buffer-merge='capacity=#gpu.address_space<workgroup>:1027' -o %t.none 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ERROR --implicit-check-not=error: --implicit-check-not=note:
// RUN: buffer-merge-opt %s --buffer-merge='capacity=#gpu.address_space<workgroup>:1027 over-capacity=warn' 2>&1 | FileCheck %s --check-prefix=WARN
// RUN: not buffer-merge-opt %s --buffer-merge='capacity=3:2047 target={"workgroup": {"spaces": ["3"]}}' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NUMBER --implicit-check-not=error:
// RUN: buffer-merge-opt %s --buffer-merge='capacity=3:2047' -o /dev/null 2>&1 | count 0
// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(buffer-merge{capacity=#gpu.address_space<workgroup>:1027})))' \
// RUN:   -o /dev/null 2>&1 | count 0

// A kernel that has nothing to merge, and the limit at which it fits. The number of a
// memory space means workgroup memory only where that is said. A pass that runs on the
// kernel alone does not look at the functions that it calls: other threads may be
// changing them.

//      ERROR: limits.mlir:[[#@LINE+14]]:3: error: 'gpu.func' takes 1028 bytes in memory space #gpu.address_space<workgroup>, the capacity is 1027,
//  ERROR-SAME:   and it has no pool there that could be smaller
//      ERROR: limits.mlir:[[#@LINE+8]]:10: note: allocation: 1024 bytes
//      ERROR: note: attribution: 4 bytes
//       WARN: warning: 'gpu.func' takes 1028 bytes in memory space #gpu.address_space<workgroup>, the capacity is 1027
//       WARN: gpu.func @kernel
//     NUMBER: error: 'gpu.func' takes 2048 bytes in memory space 3 : i64

gpu.module @kernels {
  func.func @callee(%x: f32, %i: index) {
    %a = memref.alloc() : memref<256xf32, #gpu.address_space<workgroup>>
    memref.store %x, %a[%i] : memref<256xf32, #gpu.address_space<workgroup>>
    return
  }
  gpu.func @kernel(%x: f32, %i: index)
      workgroup(%w: memref<1xf32, #gpu.address_space<workgroup>>, %v: memref<512xf32, 3>) kernel {
    func.call @callee(%x, %i) : (f32, index) -> ()
    %dynamic = memref.alloc(%i) : memref<?xf32, #gpu.address_space<workgroup>>
    memref.store %x, %dynamic[%i] : memref<?xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
