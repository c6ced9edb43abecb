// The oracle of kernels, continued: kernels that are no gpu.func, barriers of
// some threads, where memory lies, and what has to be aligned.

// RUN: split-file %s %t
// RUN: not buffer-merge-gpu-fuzz %t/function.mlir | FileCheck %s --check-prefix=FUNCTION
// RUN: not buffer-merge-gpu-fuzz %t/again.mlir | FileCheck %s --check-prefix=AGAIN
// RUN: buffer-merge-gpu-fuzz %t/callee.mlir | FileCheck %s --check-prefix=CALLEE
// RUN: not buffer-merge-gpu-fuzz %t/launch.mlir | FileCheck %s --check-prefix=LAUNCH
// RUN: buffer-merge-gpu-fuzz %t/threads.mlir | FileCheck %s --check-prefix=THREADS
// RUN: not buffer-merge-gpu-fuzz %t/lanes.mlir | FileCheck %s --check-prefix=LANES
// RUN: not buffer-merge-gpu-fuzz %t/unmapped.mlir | FileCheck %s --check-prefix=UNMAPPED
// RUN: sed -i 's/nvvm.barrier0/%barrier0/' %t/partial.mlir
// RUN: buffer-merge-gpu-fuzz %t/partial.mlir | FileCheck %s --check-prefix=PARTIAL
// RUN: not buffer-merge-gpu-fuzz %t/partial-other.mlir | FileCheck %s --check-prefix=OTHER
// RUN: not buffer-merge-gpu-fuzz %t/mixed.mlir | FileCheck %s --check-prefix=MIXED
// RUN: not buffer-merge-gpu-fuzz %t/never.mlir | FileCheck %s --check-prefix=NEVER
// RUN: not buffer-merge-gpu-fuzz %t/stock-dynamic.mlir | FileCheck %s --check-prefix=STOCK
// RUN: buffer-merge-gpu-fuzz %t/external-dynamic.mlir | FileCheck %s --check-prefix=EXTERNAL
// RUN: not buffer-merge-gpu-fuzz %t/private-dynamic.mlir | FileCheck %s --check-prefix=STOCK
// RUN: not buffer-merge-gpu-fuzz %t/heap.mlir | FileCheck %s --check-prefix=HEAP
// RUN: not buffer-merge-gpu-fuzz %t/matrix.mlir | FileCheck %s --check-prefix=MATRIX
// RUN: not buffer-merge-gpu-fuzz --kinds=everything 2>&1 | FileCheck %s --check-prefix=KINDS

// KINDS: error: --kinds must be turns or some of kernel function launch forall attributions memory matrices barriers

// Memory in 3 is that of the workgroup, whatever the pass is told.
// FUNCTION-COUNT-16: race on byte {{[0-9]+}}: b{{[01]}} written by thread {{[0-7]}} {{.*}} and b{{[01]}} written by thread

//--- function.mlir
func.func @kernel() {
  %pool = memref.alloc() {alignment = 16 : i64} : memref<32xi8, 3>
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %x = arith.constant 1 : i32
  %t = gpu.thread_id x
  %other = arith.xori %t, %c7 : index
  %a = memref.view %pool[%c0][] : memref<32xi8, 3> to memref<8xi32, 3> loc("b0")
  %b = memref.view %pool[%c0][] : memref<32xi8, 3> to memref<8xi32, 3> loc("b1")
  memref.store %x, %a[%t] : memref<8xi32, 3>
  memref.store %x, %b[%other] : memref<8xi32, 3>
  return
}

// The pool of a function is the same bytes when it is called again, and nothing
// waits in between.
// AGAIN-COUNT-16: race on byte {{[0-9]+}}: b{{[01]}} written by thread {{[0-7]}} {{.*}} and b{{[01]}} written by thread

//--- again.mlir
func.func @kernel() {
  %pool = memref.alloc() {alignment = 16 : i64} : memref<32xi8, "shared">
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %x = arith.constant 1 : i32
  %t = gpu.thread_id x
  %other = arith.xori %t, %c7 : index
  %a = memref.view %pool[%c0][] : memref<32xi8, "shared"> to memref<8xi32, "shared"> loc("b0")
  %b = memref.view %pool[%c0][] : memref<32xi8, "shared"> to memref<8xi32, "shared"> loc("b1")
  memref.store %x, %a[%t] : memref<8xi32, "shared">
  gpu.barrier
  memref.store %x, %b[%other] : memref<8xi32, "shared">
  return
}
func.func @entry() {
  call @kernel() : () -> ()
  call @kernel() : () -> ()
  return
}

// Threads meet in a function that all of them call.
// CALLEE-COUNT-16: no race

//--- callee.mlir
func.func private @meet() {
  gpu.barrier
  return
}
func.func @kernel() attributes {gpu.kernel} {
  %pool = memref.alloc() {alignment = 16 : i64} : memref<32xi8, 3>
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %x = arith.constant 1 : i32
  %t = gpu.thread_id x
  %other = arith.xori %t, %c7 : index
  %a = memref.view %pool[%c0][] : memref<32xi8, 3> to memref<8xi32, 3> loc("b0")
  %b = memref.view %pool[%c0][] : memref<32xi8, 3> to memref<8xi32, 3> loc("b1")
  memref.store %x, %a[%t] : memref<8xi32, 3>
  call @meet() : () -> ()
  memref.store %x, %b[%other] : memref<8xi32, 3>
  return
}

// LAUNCH-COUNT-16: race on byte {{[0-9]+}}: b{{[01]}} written by thread {{[0-7]}} {{.*}} and b{{[01]}} written by thread

//--- launch.mlir
func.func @kernel() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %x = arith.constant 1 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%t, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1)
      workgroup(%pool : memref<32xi8, #gpu.address_space<workgroup>>) {
    %other = arith.xori %t, %c7 : index
    %a = memref.view %pool[%c0][] : memref<32xi8, #gpu.address_space<workgroup>> to memref<8xi8, #gpu.address_space<workgroup>> loc("b0")
    %b = memref.view %pool[%c0][] : memref<32xi8, #gpu.address_space<workgroup>> to memref<8xi8, #gpu.address_space<workgroup>> loc("b1")
    %y = arith.trunci %x : i32 to i8
    memref.store %y, %a[%t] : memref<8xi8, #gpu.address_space<workgroup>>
    memref.store %y, %b[%other] : memref<8xi8, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// The iterations of the outer loop are workgroups, those of the inner ones
// threads, which meet at its end.
// THREADS-COUNT-16: no race

//--- threads.mlir
func.func @kernel() {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %x = arith.constant 1 : i8
  scf.forall (%block) in (3) {
    %pool = memref.alloc() : memref<8xi8, 3>
    %a = memref.view %pool[%c0][] : memref<8xi8, 3> to memref<8xi8, 3> loc("b0")
    %b = memref.view %pool[%c0][] : memref<8xi8, 3> to memref<8xi8, 3> loc("b1")
    scf.forall (%t) in (8) {
      memref.store %x, %a[%t] : memref<8xi8, 3>
    } {mapping = [#gpu.thread<x>]}
    scf.forall (%t) in (7) {
      %other = arith.xori %t, %c7 : index
      memref.store %x, %b[%other] : memref<8xi8, 3>
    } {mapping = [#gpu.thread<linear_dim_0>]}
  }
  return
}

// They do not at the end of a loop inside of another one.
// LANES: arguments 0, round robin: race on byte {{[0-9]+}}: b{{[01]}} written by thread {{[0-7]}} {{.*}} and b{{[01]}} written by thread

//--- lanes.mlir
func.func @kernel() {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %x = arith.constant 1 : i8
  scf.forall (%block) in (3) {
    %pool = memref.alloc() : memref<8xi8, 3>
    %a = memref.view %pool[%c0][] : memref<8xi8, 3> to memref<4xi8, 3> loc("b0")
    %b = memref.view %pool[%c0][] : memref<8xi8, 3> to memref<4xi8, 3> loc("b1")
    scf.forall (%w) in (1) {
      scf.forall (%l) in (4) {
        memref.store %x, %a[%l] : memref<4xi8, 3>
      } {mapping = [#gpu.lane<linear_dim_0>]}
      scf.forall (%l) in (4) {
        %other = arith.xori %l, %c3 : index
        memref.store %x, %b[%other] : memref<4xi8, 3>
      } {mapping = [#gpu.lane<linear_dim_0>]}
    } {mapping = [#gpu.warp<linear_dim_0>]}
  } {mapping = [#gpu.block<x>]}
  return
}

// Nor at the end of one that is not mapped.
// UNMAPPED: arguments 0, round robin: race on byte {{[0-9]+}}: b{{[01]}} written by thread {{[0-7]}} {{.*}} and b{{[01]}} written by thread

//--- unmapped.mlir
func.func @kernel() {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %x = arith.constant 1 : i8
  scf.forall (%block) in (3) {
    %pool = memref.alloc() : memref<8xi8, 3>
    %a = memref.view %pool[%c0][] : memref<8xi8, 3> to memref<8xi8, 3> loc("b0")
    %b = memref.view %pool[%c0][] : memref<8xi8, 3> to memref<8xi8, 3> loc("b1")
    scf.forall (%i) in (8) {
      memref.store %x, %a[%i] : memref<8xi8, 3>
    }
    scf.forall (%i) in (8) {
      %other = arith.xori %i, %c7 : index
      memref.store %x, %b[%other] : memref<8xi8, 3>
    }
  }
  return
}

// A barrier of a subgroup separates what its threads do.
// PARTIAL-COUNT-16: no race

//--- partial.mlir
gpu.module @kernels {
  gpu.func @kernel() workgroup(%pool : memref<8xi8, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %id = arith.constant 1 : i32
    %count = arith.constant 4 : i32
    %x = arith.constant 1 : i8
    %t = gpu.thread_id x
    %other = arith.xori %t, %c3 : index
    %first = arith.cmpi ult, %t, %c4 : index
    %a = memref.view %pool[%c0][] : memref<8xi8, #gpu.address_space<workgroup>> to memref<8xi8, #gpu.address_space<workgroup>> loc("b0")
    %b = memref.view %pool[%c0][] : memref<8xi8, #gpu.address_space<workgroup>> to memref<8xi8, #gpu.address_space<workgroup>> loc("b1")
    scf.if %first {
      memref.store %x, %a[%t] : memref<8xi8, #gpu.address_space<workgroup>>
      nvvm.barrier id = %id number_of_threads = %count
      memref.store %x, %b[%other] : memref<8xi8, #gpu.address_space<workgroup>>
    }
    nvvm.barrier
    nvvm.barrier0
    gpu.return
  }
}

// It does not separate what others do.
// OTHER-COUNT-16: race on byte {{[0-9]+}}: b{{[01]}} written by thread {{[0-7]}} {{.*}} and b{{[01]}} written by thread

//--- partial-other.mlir
gpu.module @kernels {
  gpu.func @kernel() workgroup(%pool : memref<8xi8, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c7 = arith.constant 7 : index
    %one = arith.constant 1 : i32
    %count = arith.constant 4 : i32
    %x = arith.constant 1 : i8
    %t = gpu.thread_id x
    %subgroup = arith.divui %t, %c4 : index
    %number = arith.index_cast %subgroup : index to i32
    %id = arith.addi %number, %one : i32
    %other = arith.xori %t, %c7 : index
    %a = memref.view %pool[%c0][] : memref<8xi8, #gpu.address_space<workgroup>> to memref<8xi8, #gpu.address_space<workgroup>> loc("b0")
    %b = memref.view %pool[%c0][] : memref<8xi8, #gpu.address_space<workgroup>> to memref<8xi8, #gpu.address_space<workgroup>> loc("b1")
    memref.store %x, %a[%t] : memref<8xi8, #gpu.address_space<workgroup>>
    nvvm.barrier id = %id number_of_threads = %count
    memref.store %x, %b[%other] : memref<8xi8, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// Some threads wait for four at barrier 0, others for all. Depending on the order
// they do not meet.
// MIXED: threads {{[0-7]}} and {{[0-7]}} wait at barrier 0 for {{4 and 8|8 and 4}} threads

//--- mixed.mlir
gpu.module @kernels {
  gpu.func @kernel() kernel {
    %c4 = arith.constant 4 : index
    %id = arith.constant 0 : i32
    %count = arith.constant 4 : i32
    %t = gpu.thread_id x
    %first = arith.cmpi ult, %t, %c4 : index
    scf.if %first {
      nvvm.barrier id = %id number_of_threads = %count
    }
    gpu.barrier
    gpu.return
  }
}

// NEVER-COUNT-16: thread 0 waits at a barrier, thread 4 has left the kernel

//--- never.mlir
gpu.module @kernels {
  gpu.func @kernel() kernel {
    %c4 = arith.constant 4 : index
    %id = arith.constant 1 : i32
    %count = arith.constant 8 : i32
    %t = gpu.thread_id x
    %first = arith.cmpi ult, %t, %c4 : index
    scf.if %first {
      nvvm.barrier id = %id number_of_threads = %count
    }
    gpu.return
  }
}

// Dynamic memory lies over static variables, unless a global says that it is
// external. One that is private does not.
// STOCK-COUNT-16: read of b0 (instance {{[0-9]+}}) finds byte {{[0-9]+}} written by b1
// EXTERNAL-COUNT-16: no race

//--- stock-dynamic.mlir
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%i : index) workgroup(%a : memref<8xi8, #gpu.address_space<workgroup>> loc("b0")) kernel {
      %c0 = arith.constant 0 : index
      %x = arith.constant 1 : i8
      %t = gpu.thread_id x
      %pool = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %b = memref.view %pool[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<16xi8, #gpu.address_space<workgroup>> loc("b1")
      memref.store %x, %a[%t] : memref<8xi8, #gpu.address_space<workgroup>>
      gpu.barrier
      %c1 = arith.constant 1 : index
      %next = arith.addi %t, %c1 : index
      memref.store %x, %b[%next] : memref<16xi8, #gpu.address_space<workgroup>>
      gpu.barrier
      %y = memref.load %a[%t] : memref<8xi8, #gpu.address_space<workgroup>>
      gpu.return
    }
  }
  func.func @main(%i : index) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %size = arith.constant 16 : i32
    gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) dynamic_shared_memory_size %size args(%i : index)
    return
  }
}

//--- external-dynamic.mlir
module attributes {gpu.container_module} {
  gpu.module @kernels {
    memref.global @dynamic : memref<0xi8, #gpu.address_space<workgroup>> {alignment = 16}
    memref.global "private" @static : memref<8xi8, #gpu.address_space<workgroup>> = uninitialized
    gpu.func @kernel(%i : index) workgroup(%a : memref<8xi8, #gpu.address_space<workgroup>> loc("b0")) kernel {
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %x = arith.constant 1 : i8
      %t = gpu.thread_id x
      %pool = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %b = memref.view %pool[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<8xi8, #gpu.address_space<workgroup>> loc("b1")
      %empty = memref.get_global @dynamic : memref<0xi8, #gpu.address_space<workgroup>>
      %bytes = memref.reinterpret_cast %empty to offset: [0], sizes: [16], strides: [1] : memref<0xi8, #gpu.address_space<workgroup>> to memref<16xi8, #gpu.address_space<workgroup>>
      %c = memref.view %bytes[%c8][] : memref<16xi8, #gpu.address_space<workgroup>> to memref<8xi8, #gpu.address_space<workgroup>> loc("b2")
      %d = memref.get_global @static : memref<8xi8, #gpu.address_space<workgroup>>
      memref.store %x, %a[%t] : memref<8xi8, #gpu.address_space<workgroup>>
      memref.store %x, %b[%t] : memref<8xi8, #gpu.address_space<workgroup>>
      memref.store %x, %c[%t] : memref<8xi8, #gpu.address_space<workgroup>>
      memref.store %x, %d[%t] : memref<8xi8, #gpu.address_space<workgroup>>
      gpu.barrier
      %y0 = memref.load %a[%t] : memref<8xi8, #gpu.address_space<workgroup>>
      %y1 = memref.load %b[%t] : memref<8xi8, #gpu.address_space<workgroup>>
      %y2 = memref.load %c[%t] : memref<8xi8, #gpu.address_space<workgroup>>
      %y3 = memref.load %d[%t] : memref<8xi8, #gpu.address_space<workgroup>>
      gpu.return
    }
  }
  func.func @main(%i : index) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %size = arith.constant 16 : i32
    gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) dynamic_shared_memory_size %size args(%i : index)
    return
  }
}

//--- private-dynamic.mlir
module attributes {gpu.container_module} {
  gpu.module @kernels {
    memref.global "private" @dynamic : memref<0xi8, #gpu.address_space<workgroup>> {alignment = 16}
    gpu.func @kernel(%i : index) workgroup(%a : memref<8xi8, #gpu.address_space<workgroup>> loc("b0")) kernel {
      %c0 = arith.constant 0 : index
      %x = arith.constant 1 : i8
      %t = gpu.thread_id x
      %empty = memref.get_global @dynamic : memref<0xi8, #gpu.address_space<workgroup>>
      %bytes = memref.reinterpret_cast %empty to offset: [0], sizes: [16], strides: [1] : memref<0xi8, #gpu.address_space<workgroup>> to memref<16xi8, #gpu.address_space<workgroup>>
      %b = memref.view %bytes[%c0][] : memref<16xi8, #gpu.address_space<workgroup>> to memref<16xi8, #gpu.address_space<workgroup>> loc("b1")
      memref.store %x, %a[%t] : memref<8xi8, #gpu.address_space<workgroup>>
      gpu.barrier
      %c1 = arith.constant 1 : index
      %next = arith.addi %t, %c1 : index
      memref.store %x, %b[%next] : memref<16xi8, #gpu.address_space<workgroup>>
      gpu.barrier
      %y = memref.load %a[%t] : memref<8xi8, #gpu.address_space<workgroup>>
      gpu.return
    }
  }
  func.func @main(%i : index) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %size = arith.constant 16 : i32
    gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) dynamic_shared_memory_size %size args(%i : index)
    return
  }
}

// A workgroup attribution is shared whatever its space is; an allocation in the
// default space is not, and each thread has its own.
// HEAP-COUNT-16: read of uninitialised byte {{[0-9]+}} of b1

//--- heap.mlir
gpu.module @kernels {
  gpu.func @kernel() workgroup(%a : memref<8xi8> loc("b0")) kernel {
    %c0 = arith.constant 0 : index
    %c7 = arith.constant 7 : index
    %x = arith.constant 1 : i8
    %t = gpu.thread_id x
    %other = arith.xori %t, %c7 : index
    memref.store %x, %a[%t] : memref<8xi8>
    gpu.barrier
    %y = memref.load %a[%other] : memref<8xi8>
    %pool = memref.alloc() : memref<8xi8>
    %b = memref.view %pool[%c0][] : memref<8xi8> to memref<8xi8> loc("b1")
    memref.store %x, %b[%t] : memref<8xi8>
    gpu.barrier
    %z = memref.load %b[%other] : memref<8xi8>
    gpu.return
  }
}

// The address of a matrix must be a multiple of 32.
// MATRIX-COUNT-16: access of b0 at byte 16 is aligned to 16, not to 32

//--- matrix.mlir
gpu.module @kernels {
  gpu.func @kernel() workgroup(%pool : memref<1040xi8, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %x = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %a = memref.view %pool[%c16][] : memref<1040xi8, #gpu.address_space<workgroup>> to memref<16x16xf32, #gpu.address_space<workgroup>> loc("b0")
    %m = gpu.subgroup_mma_constant_matrix %x : !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %m, %a[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
