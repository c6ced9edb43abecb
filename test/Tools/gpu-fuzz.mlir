// The oracle of kernels: what it objects to, and what it does not. The kernels
// are merged by hand; a slice of the pool is a buffer of the program before by
// its location.

// RUN: split-file %s %t
// RUN: not buffer-merge-gpu-fuzz %t/no-barrier.mlir | FileCheck %s --check-prefix=NO-BARRIER
// RUN: buffer-merge-gpu-fuzz %t/barrier.mlir | FileCheck %s --check-prefix=BARRIER
// RUN: not buffer-merge-gpu-fuzz %t/one-thread.mlir | FileCheck %s --check-prefix=ONE-THREAD
// RUN: not buffer-merge-gpu-fuzz %t/back-edge.mlir | FileCheck %s --check-prefix=BACK-EDGE
// RUN: not buffer-merge-gpu-fuzz %t/in-flight.mlir | FileCheck %s --check-prefix=IN-FLIGHT
// RUN: not buffer-merge-gpu-fuzz %t/not-in-a-group.mlir | FileCheck %s --check-prefix=NO-GROUP
// RUN: buffer-merge-gpu-fuzz %t/waited.mlir | FileCheck %s --check-prefix=WAITED
// RUN: not buffer-merge-gpu-fuzz %t/waited-no-barrier.mlir | FileCheck %s --check-prefix=OWN-COPY
// RUN: not buffer-merge-gpu-fuzz %t/divergent-barrier.mlir | FileCheck %s --check-prefix=DIVERGENT
// RUN: buffer-merge-gpu-fuzz %t/own-race.mlir | FileCheck %s --check-prefix=OWN-RACE
// RUN: not buffer-merge-gpu-fuzz %t/alignment.mlir | FileCheck %s --check-prefix=ALIGNMENT
// RUN: not buffer-merge-gpu-fuzz --modes=everything 2>&1 | FileCheck %s --check-prefix=MODES
// RUN: not buffer-merge-gpu-fuzz --seeds=3..1 2>&1 | FileCheck %s --check-prefix=SEEDS
// RUN: not buffer-merge-gpu-fuzz --mutation=none 2>&1 | FileCheck %s --check-prefix=MUTATION

// MODES: error: --modes must be all, turns or some of
// SEEDS: error: --seeds must be A..B with A <= B
// MUTATION: error: unknown mutation 'none'

// Thread 1 may write the one while thread 0 still writes the other.
// NO-BARRIER-COUNT-16: race on byte {{[0-9]+}}: b{{[01]}} written by thread {{[0-7]}} {{.*}} and b{{[01]}} written by thread

//--- no-barrier.mlir
gpu.module @kernels {
  gpu.func @kernel() workgroup(%pool : memref<32xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c1 = arith.constant 1 : index
    %x = arith.constant 1 : i32
    %t = gpu.thread_id x
    %next = arith.addi %t, %c1 : index
    %other = arith.remui %next, %c8 : index
    %a = memref.view %pool[%c0][] : memref<32xi8, #gpu.address_space<workgroup>> to memref<8xi32, #gpu.address_space<workgroup>> loc("b0")
    %b = memref.view %pool[%c0][] : memref<32xi8, #gpu.address_space<workgroup>> to memref<8xi32, #gpu.address_space<workgroup>> loc("b1")
    memref.store %x, %a[%t] : memref<8xi32, #gpu.address_space<workgroup>>
    memref.store %x, %b[%other] : memref<8xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// BARRIER-COUNT-16: no race

//--- barrier.mlir
gpu.module @kernels {
  gpu.func @kernel() workgroup(%pool : memref<32xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c1 = arith.constant 1 : index
    %x = arith.constant 1 : i32
    %t = gpu.thread_id x
    %next = arith.addi %t, %c1 : index
    %other = arith.remui %next, %c8 : index
    %a = memref.view %pool[%c0][] : memref<32xi8, #gpu.address_space<workgroup>> to memref<8xi32, #gpu.address_space<workgroup>> loc("b0")
    %b = memref.view %pool[%c0][] : memref<32xi8, #gpu.address_space<workgroup>> to memref<8xi32, #gpu.address_space<workgroup>> loc("b1")
    memref.store %x, %a[%t] : memref<8xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    memref.store %x, %b[%other] : memref<8xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// No thread touches the bytes of another one, and each reads the wrong buffer.
// ONE-THREAD-COUNT-16: read of b0 (instance {{[0-9]+}}) finds byte {{[0-9]+}} written by b1

//--- one-thread.mlir
gpu.module @kernels {
  gpu.func @kernel() workgroup(%pool : memref<32xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %x = arith.constant 1 : i32
    %t = gpu.thread_id x
    %a = memref.view %pool[%c0][] : memref<32xi8, #gpu.address_space<workgroup>> to memref<8xi32, #gpu.address_space<workgroup>> loc("b0")
    %b = memref.view %pool[%c0][] : memref<32xi8, #gpu.address_space<workgroup>> to memref<8xi32, #gpu.address_space<workgroup>> loc("b1")
    memref.store %x, %a[%t] : memref<8xi32, #gpu.address_space<workgroup>>
    memref.store %x, %b[%t] : memref<8xi32, #gpu.address_space<workgroup>>
    %y = memref.load %a[%t] : memref<8xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// Between the accesses of one iteration there is a barrier; there is none to the
// next iteration, and no race where the loop runs at most once.
// BACK-EDGE: arguments 0, round robin: no race
// BACK-EDGE: arguments 1, round robin: no race
// BACK-EDGE: arguments 2, round robin: race on byte 0: b1 written by thread 7 {{.*}} and b0 written by thread 0

//--- back-edge.mlir
gpu.module @kernels {
  gpu.func @kernel(%n : index) workgroup(%pool : memref<32xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %x = arith.constant 1 : i32
    %t = gpu.thread_id x
    %other = arith.xori %t, %c7 : index
    %a = memref.view %pool[%c0][] : memref<32xi8, #gpu.address_space<workgroup>> to memref<8xi32, #gpu.address_space<workgroup>> loc("b0")
    %b = memref.view %pool[%c0][] : memref<32xi8, #gpu.address_space<workgroup>> to memref<8xi32, #gpu.address_space<workgroup>> loc("b1")
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %a[%t] : memref<8xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      memref.store %x, %b[%other] : memref<8xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
}

// IN-FLIGHT-COUNT-16: race on byte {{[0-9]+}}: b0 in flight, started by thread {{[0-7]}} {{.*}} and b1 written by thread

//--- in-flight.mlir
gpu.module @kernels {
  gpu.func @kernel(%in : memref<8xi32>) workgroup(%pool : memref<32xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %x = arith.constant 1 : i32
    %t = gpu.thread_id x
    %a = memref.view %pool[%c0][] : memref<32xi8, #gpu.address_space<workgroup>> to memref<8xi32, #gpu.address_space<workgroup>> loc("b0")
    %b = memref.view %pool[%c0][] : memref<32xi8, #gpu.address_space<workgroup>> to memref<8xi32, #gpu.address_space<workgroup>> loc("b1")
    %copy = nvgpu.device_async_copy %in[%t], %a[%t], 1 : memref<8xi32> to memref<8xi32, #gpu.address_space<workgroup>>
    %group = nvgpu.device_async_create_group %copy
    nvgpu.device_async_wait %group {numGroups = 1 : i32}
    gpu.barrier
    memref.store %x, %b[%t] : memref<8xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// Nobody can wait for a copy that is in no group.
// NO-GROUP-COUNT-16: race on byte {{[0-9]+}}: b0 in flight, started by thread {{[0-7]}} {{.*}} and b1 written by thread

//--- not-in-a-group.mlir
gpu.module @kernels {
  gpu.func @kernel(%in : memref<8xi32>) workgroup(%pool : memref<32xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %x = arith.constant 1 : i32
    %t = gpu.thread_id x
    %a = memref.view %pool[%c0][] : memref<32xi8, #gpu.address_space<workgroup>> to memref<8xi32, #gpu.address_space<workgroup>> loc("b0")
    %b = memref.view %pool[%c0][] : memref<32xi8, #gpu.address_space<workgroup>> to memref<8xi32, #gpu.address_space<workgroup>> loc("b1")
    %group = nvgpu.device_async_create_group {no_copies}
    %copy = nvgpu.device_async_copy %in[%t], %a[%t], 1 : memref<8xi32> to memref<8xi32, #gpu.address_space<workgroup>>
    nvgpu.device_async_wait %group
    gpu.barrier
    memref.store %x, %b[%t] : memref<8xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// WAITED-COUNT-16: no race

//--- waited.mlir
gpu.module @kernels {
  gpu.func @kernel(%in : memref<8xi32>) workgroup(%pool : memref<32xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c7 = arith.constant 7 : index
    %x = arith.constant 1 : i32
    %t = gpu.thread_id x
    %other = arith.xori %t, %c7 : index
    %a = memref.view %pool[%c0][] : memref<32xi8, #gpu.address_space<workgroup>> to memref<8xi32, #gpu.address_space<workgroup>> loc("b0")
    %b = memref.view %pool[%c0][] : memref<32xi8, #gpu.address_space<workgroup>> to memref<8xi32, #gpu.address_space<workgroup>> loc("b1")
    %copy = nvgpu.device_async_copy %in[%t], %a[%t], 1 : memref<8xi32> to memref<8xi32, #gpu.address_space<workgroup>>
    %group = nvgpu.device_async_create_group %copy
    nvgpu.device_async_wait %group
    gpu.barrier
    memref.store %x, %b[%other] : memref<8xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// A thread waits for its own copies only.
// OWN-COPY: race on byte {{[0-9]+}}: b0 in flight, started by thread {{[0-7]}} {{.*}} and b1 written by thread

//--- waited-no-barrier.mlir
gpu.module @kernels {
  gpu.func @kernel(%in : memref<8xi32>) workgroup(%pool : memref<32xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c7 = arith.constant 7 : index
    %x = arith.constant 1 : i32
    %t = gpu.thread_id x
    %other = arith.xori %t, %c7 : index
    %a = memref.view %pool[%c0][] : memref<32xi8, #gpu.address_space<workgroup>> to memref<8xi32, #gpu.address_space<workgroup>> loc("b0")
    %b = memref.view %pool[%c0][] : memref<32xi8, #gpu.address_space<workgroup>> to memref<8xi32, #gpu.address_space<workgroup>> loc("b1")
    %copy = nvgpu.device_async_copy %in[%t], %a[%t], 1 : memref<8xi32> to memref<8xi32, #gpu.address_space<workgroup>>
    %group = nvgpu.device_async_create_group %copy
    nvgpu.device_async_wait %group
    memref.store %x, %b[%other] : memref<8xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// DIVERGENT-COUNT-16: thread 0 waits at a barrier, thread 4 has left the kernel

//--- divergent-barrier.mlir
gpu.module @kernels {
  gpu.func @kernel() kernel {
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %first = arith.cmpi ult, %t, %c4 : index
    scf.if %first {
      gpu.barrier
    }
    gpu.return
  }
}

// What a program does to one buffer is its own business.
// OWN-RACE-COUNT-16: within a buffer: race on byte 0: b0 written by thread

//--- own-race.mlir
gpu.module @kernels {
  gpu.func @kernel() kernel {
    %c0 = arith.constant 0 : index
    %x = arith.constant 1 : i32
    %a = memref.alloc() : memref<8xi32, #gpu.address_space<workgroup>> loc("b0")
    memref.store %x, %a[%c0] : memref<8xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// ALIGNMENT-COUNT-16: slice b0 at byte 0 of a pool aligned to 1 is not aligned to 4

//--- alignment.mlir
gpu.module @kernels {
  gpu.func @kernel() workgroup(%pool : memref<32xi8, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %a = memref.view %pool[%c0][] : memref<32xi8, #gpu.address_space<workgroup>> to memref<8xi32, #gpu.address_space<workgroup>> loc("b0")
    gpu.return
  }
}
