// RUN: buffer-merge-gpu-fuzz %s | FileCheck %s
// RUN: buffer-merge-opt %s --rotate-carried-buffers -o %t.slots
// RUN: buffer-merge-gpu-fuzz %t.slots | FileCheck %s
// RUN: grep -c memref.alloc %t.slots | FileCheck %s --check-prefix=SLOTS
// RUN: buffer-merge-opt %t.slots --buffer-merge -o %t.merged
// RUN: not grep memref.alloc %t.merged

// The only barrier in the loop comes after the first access of the new tile and before
// the last one of the old tile, which another thread has written: with two slots, threads
// that are ahead would write what slower ones still read. Three slots, all run by eight
// threads in several orders.

// CHECK-COUNT-16: {{: no race$}}
// CHECK-NOT: race on
// SLOTS: 4

#wg = #gpu.address_space<workgroup>
!wg = memref<8xi64, #gpu.address_space<workgroup>>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%in: memref<64xi64>, %out: memref<8xi64>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c6 = arith.constant 6 : index
      %c7 = arith.constant 7 : index
      %t = gpu.thread_id x
      %r = arith.subi %c7, %t : index
      %x = memref.load %in[%t] : memref<64xi64>
      %first = memref.alloc() : !wg loc("b1")
      memref.store %x, %first[%t] : !wg
      %last = scf.for %k = %c0 to %c6 step %c1 iter_args(%old = %first) -> (!wg) {
        %new = memref.alloc() : !wg loc("b100002")
        memref.store %x, %new[%t] : !wg
        gpu.barrier
        %v = memref.load %old[%r] : !wg
        memref.store %v, %out[%t] : memref<8xi64>
        scf.yield %new : !wg
      }
      gpu.return
    }
  }
}
