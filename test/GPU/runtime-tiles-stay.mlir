// RUN: buffer-merge-opt %s --buffer-merge=workgroup-pool=dynamic | FileCheck %s

// What stays: a tile that a loop allocates, that is copied into by an engine, that is
// passed to a function, of which only the kernel or a thread knows the size, or that is
// aligned to more than dynamic memory is. Without a barrier in between, no tile has bytes of another one.

// CHECK-LABEL: gpu.func @stays(
// CHECK-COUNT-6: memref.alloc(%
//   CHECK-NOT:   memref.alloc(%
//       CHECK:   gpu.return
// CHECK-LABEL: gpu.func @no_barrier(
//       CHECK:   %[[HALF:.*]] = arith.andi
//       CHECK:   %[[A:.*]] = memref.view %{{.*}}[%[[ZERO:.*]]][%{{.*}}]
//       CHECK:   memref.store %{{.*}}, %[[A]]
//       CHECK:   memref.view %{{.*}}[%[[HALF]]][%{{.*}}]
//       CHECK:   gpu.return
// CHECK-LABEL: func.func @main(
#ws = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  gpu.module @others {
    func.func private @use(memref<?xf32, #ws>)
    gpu.func @stays(%in: memref<64xf32>, %sizes: memref<index>, %n: index) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = gpu.thread_id x
      %v = memref.load %in[%t] : memref<64xf32>
      scf.for %i = %c0 to %n step %c1 {
        %a = memref.alloc(%n) : memref<?xf32, #ws>
        memref.store %v, %a[%t] : memref<?xf32, #ws>
      }
      gpu.barrier
      %b = memref.alloc(%n) : memref<?xf32, #ws>
      %token = nvgpu.device_async_copy %in[%t], %b[%t], 1 : memref<64xf32> to memref<?xf32, #ws>
      nvgpu.device_async_wait %token
      gpu.barrier
      %c = memref.alloc(%n) : memref<?xf32, #ws>
      func.call @use(%c) : (memref<?xf32, #ws>) -> ()
      gpu.barrier
      %m = memref.load %sizes[] : memref<index>
      %d = memref.alloc(%m) : memref<?xf32, #ws>
      memref.store %v, %d[%t] : memref<?xf32, #ws>
      gpu.barrier
      %e = memref.alloc(%n) {alignment = 128 : i64} : memref<?xf32, #ws>
      memref.store %v, %e[%t] : memref<?xf32, #ws>
      gpu.barrier
      %f = memref.alloc(%t) : memref<?xf32, #ws>
      memref.store %v, %f[%c0] : memref<?xf32, #ws>
      gpu.return
    }
    gpu.func @no_barrier(%in: memref<64xf32>, %n: index) kernel {
      %c0 = arith.constant 0 : index
      %t = gpu.thread_id x
      %v = memref.load %in[%t] : memref<64xf32>
      %a = memref.alloc(%n) : memref<?xf32, #ws>
      memref.store %v, %a[%t] : memref<?xf32, #ws>
      %w = memref.load %a[%t] : memref<?xf32, #ws>
      %b = memref.alloc(%n) : memref<?xf32, #ws>
      memref.store %w, %b[%t] : memref<?xf32, #ws>
      gpu.barrier
      %x = memref.load %b[%c0] : memref<?xf32, #ws>
      memref.store %x, %in[%t] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%in: memref<64xf32>, %sizes: memref<index>, %n: index) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @others::@stays blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1) args(%in : memref<64xf32>, %sizes : memref<index>, %n : index)
    gpu.launch_func @others::@no_barrier blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1) args(%in : memref<64xf32>, %n : index)
    return
  }
}
