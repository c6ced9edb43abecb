// RUN: buffer-merge-gpu-fuzz %s | FileCheck %s
// RUN: buffer-merge-opt %s --rotate-carried-buffers -o %t.slots
// RUN: buffer-merge-gpu-fuzz %t.slots | FileCheck %s
// RUN: grep -c memref.alloc %t.slots | FileCheck %s --check-prefix=SLOTS
// RUN: buffer-merge-opt %t.slots --buffer-merge -o %t.merged
// RUN: not grep memref.alloc %t.merged

// What comes behind the loop may write the last tile while other threads still read the
// one before: the barriers of another iteration do not come between. Two slots, run by
// eight threads in several orders.

// CHECK-COUNT-16: {{: no race$}}
// CHECK-NOT: race on
// SLOTS: 3

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
      %last = scf.for %k = %c0 to %c6 step %c1 iter_args(%old = %first) -> (!wg) {
        gpu.barrier
        memref.store %x, %old[%t] : !wg
        gpu.barrier
        %v = memref.load %old[%r] : !wg
        memref.store %v, %out[%t] : memref<8xi64>
        %new = memref.alloc() : !wg loc("b100002")
        scf.yield %new : !wg
      }
      memref.store %x, %last[%t] : !wg
      gpu.return
    }
  }
}
