// RUN: buffer-merge-opt %s --buffer-merge=workgroup-pool=dynamic -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mlir-opt %t.mlir --pass-pipeline='builtin.module(nvvm-attach-target{chip=sm_80},gpu.module(convert-gpu-to-nvvm),gpu-module-to-binary{format=isa})' | FileCheck %s --check-prefix=PTX
// RUN: buffer-merge-opt %s --buffer-merge=workgroup-pool=attribution | FileCheck %s --check-prefix=STATIC
// RUN: buffer-merge-opt %s --buffer-lifetimes=workgroup-pool=dynamic -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Tiles of run-time size are in dynamic memory, behind what is of static size. Those that
// a barrier separates share bytes; each launch computes how many there are from what it
// passes to the kernel.

// CHECK-LABEL: gpu.module @tiles
//       CHECK:   memref.global @dynamic_shared_memory
//       CHECK:   gpu.func @k(%[[IN:.*]]: memref<?xf32>, %{{.*}}: memref<?xf32>, %[[N:.*]]: index) kernel {
//       CHECK:     %[[M:.*]] = memref.dim %[[IN]]
//       CHECK:     %[[END:.*]] = arith.minui
//       CHECK:     %[[ALL:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%[[END]]], strides: [1]
//       CHECK:     %[[TILES:.*]] = memref.view %[[ALL]][%{{.*}}][%{{.*}}]
//   CHECK-NOT:     memref.alloc
//       CHECK:     memref.view %[[TILES]][%[[ZERO:.*]]][%[[N]]]
//       CHECK:     memref.view %[[TILES]][%[[ZERO]]][%{{.*}}, %[[N]]]
//       CHECK:     %[[TILE:.*]] = memref.view %[[TILES]][%[[ABOVE:.*]]][%[[N]]]
//       CHECK:     memref.store %{{.*}}, %[[TILE]]
//       CHECK:     gpu.return
// CHECK-LABEL: gpu.module @launch_sizes
//       CHECK:   %[[BLOCK:.*]] = gpu.block_dim y
//       CHECK:   %[[GRID:.*]] = gpu.grid_dim x
//       CHECK:   memref.reinterpret_cast
// CHECK-LABEL: func.func @launch(
//  CHECK-SAME:   %{{.*}}: memref<64xf32>, %[[N:.*]]: index, %[[M:.*]]: i32) {
//   CHECK-NOT:   gpu.block_dim
//       CHECK:   %[[SIZE:.*]] = arith.index_cast %[[M]] : i32 to index
//       CHECK:   arith.cmpi ule, %[[SIZE]], %{{.*}}
//       CHECK:   gpu.launch_func {{.*}} dynamic_shared_memory_size
//       CHECK:   arith.cmpi ule, %[[N]], %{{.*}}
//       CHECK:   arith.cmpi ule, %[[N]], %{{.*}}
//   CHECK-NOT:   gpu.block_dim
//       CHECK:   gpu.launch_func {{.*}} dynamic_shared_memory_size
// CHECK-LABEL: func.func @main(
//  CHECK-SAME:   %[[IN:.*]]: memref<?xf32>, %{{.*}}: memref<?xf32>, %[[N:.*]]: index) {
//       CHECK:   memref.dim %[[IN]]
//       CHECK:   arith.mului_extended %[[N]]
//       CHECK:   %[[MOST:.*]] = arith.constant 2147483647 : index
//       CHECK:   %[[BYTES:.*]] = arith.minui %{{.*}}, %[[MOST]]
//       CHECK:   %[[SIZE:.*]] = arith.index_cast %[[BYTES]] : index to i32
//       CHECK:   gpu.launch_func @tiles::@k {{.*}} dynamic_shared_memory_size %[[SIZE]]
//       CHECK:   gpu.launch_func @tiles::@k {{.*}} dynamic_shared_memory_size

// PTX: .extern .shared .align 16 .b8 dynamic_shared_memory[];

// STATIC-LABEL: gpu.func @k(
// STATIC-COUNT-3: memref.alloc(%

// RUN: not buffer-merge-opt %s --buffer-merge=left=error -o /dev/null 2>&1 | FileCheck %s --check-prefix=ADVICE
// ADVICE: error: the allocation stays: dynamic-shape
// ADVICE: note: let all launches of the kernel know the size, for workgroup-pool=dynamic

// REMARK: pool of run-time size in dynamic memory: 3 buffers

#ws = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  gpu.module @tiles {
    gpu.func @k(%in: memref<?xf32>, %out: memref<?xf32>, %n: index) kernel {
      %c0 = arith.constant 0 : index
      %t = gpu.thread_id x
      %m = memref.dim %in, %c0 : memref<?xf32>
      %s = memref.alloc() : memref<64xf32, #ws>
      %a = memref.alloc(%n) : memref<?xf32, #ws>
      %v = memref.load %in[%t] : memref<?xf32>
      memref.store %v, %a[%t] : memref<?xf32, #ws>
      memref.store %v, %s[%c0] : memref<64xf32, #ws>
      gpu.barrier
      %w = memref.load %a[%c0] : memref<?xf32, #ws>
      %w1 = memref.load %s[%c0] : memref<64xf32, #ws>
      gpu.barrier
      %b = memref.alloc(%m, %n) : memref<?x?xf32, #ws>
      memref.store %w, %b[%t, %c0] : memref<?x?xf32, #ws>
      gpu.barrier
      %c = memref.alloc(%n) : memref<?xf32, #ws>
      %x = memref.load %b[%c0, %c0] : memref<?x?xf32, #ws>
      memref.store %x, %c[%t] : memref<?xf32, #ws>
      gpu.barrier
      %y = memref.load %c[%c0] : memref<?xf32, #ws>
      memref.store %y, %out[%t] : memref<?xf32>
      gpu.return
    }
  }
  gpu.module @launch_sizes {
    gpu.func @k(%in: memref<64xf32>) kernel {
      %t = gpu.thread_id x
      %v = memref.load %in[%t] : memref<64xf32>
      %block = gpu.block_dim y
      %a = memref.alloc(%block) : memref<?xf32, #ws>
      memref.store %v, %a[%t] : memref<?xf32, #ws>
      %grid = gpu.grid_dim x
      %b = memref.alloc(%grid) : memref<?xf64, #ws>
      %w = arith.extf %v : f32 to f64
      memref.store %w, %b[%t] : memref<?xf64, #ws>
      gpu.return
    }
  }
  func.func @launch(%in: memref<64xf32>, %n: index, %m: i32) {
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    gpu.launch_func @launch_sizes::@k blocks in (%m, %one, %one) threads in (%m, %m, %one) : i32 args(%in : memref<64xf32>)
    gpu.launch_func @launch_sizes::@k blocks in (%n, %c1, %c1) threads in (%c1, %n, %c1) args(%in : memref<64xf32>)
    return
  }
  func.func @main(%in: memref<?xf32>, %out: memref<?xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    gpu.launch_func @tiles::@k blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1) args(%in : memref<?xf32>, %out : memref<?xf32>, %n : index)
    gpu.launch_func @tiles::@k blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%in : memref<?xf32>, %out : memref<?xf32>, %c32 : index)
    return
  }
}
