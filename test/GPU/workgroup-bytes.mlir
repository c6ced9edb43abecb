// What a kernel takes for sizes of its tiles, and what it does take when they are constants.

// RUN: split-file %s %t
// RUN: buffer-merge-opt %t/gemm.mlir -o /dev/null \
// RUN:   --workgroup-bytes="function=kernels::gemm sizes=%t/sizes.csv" | FileCheck %s --match-full-lines
// CHECK:      arg2,arg3,arg4,bytes
// CHECK-NEXT: 64,64,1,16512
// CHECK-NEXT: 64,64,2,16512
// CHECK-NEXT: 64,64,4,32768
// CHECK-NEXT: 128,64,2,32896
// CHECK-NEXT: 33,17,1,3200

// RUN: %python %S/Inputs/check-workgroup-bytes.py buffer-merge-opt %t/gemm.mlir "" | FileCheck %s --check-prefix=SAME
// RUN: %python %S/Inputs/check-workgroup-bytes.py buffer-merge-opt %t/gemm.mlir "barriers=insert" | FileCheck %s --check-prefix=SAME
// RUN: %python %S/Inputs/check-workgroup-bytes.py buffer-merge-opt %t/gemm.mlir "workgroup-pool=dynamic" | FileCheck %s --check-prefix=SAME
// SAME: 8 configurations, 7 different numbers, all as merged

// The function that launches it; memory that a callee has counts, a capacity is no limit.
// RUN: buffer-merge-opt %t/launch.mlir -o /dev/null --workgroup-bytes="function=host sizes=%t/launch.csv" \
// RUN:   | FileCheck %s --check-prefix=LAUNCH --match-full-lines
// RUN: buffer-merge-opt %t/launch.mlir -o /dev/null \
// RUN:   --workgroup-bytes="function=host sizes=%t/launch.csv capacity=workgroup:64" \
// RUN:   | FileCheck %s --check-prefix=LAUNCH --match-full-lines
// LAUNCH:      arg0,bytes
// LAUNCH-NEXT: 64,512
// LAUNCH-NEXT: 1,260
// RUN: buffer-merge-opt %t/launch.mlir -o /dev/null --workgroup-bytes="function=host sizes=%t/other.csv" 2> %t/err \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN --match-full-lines
// UNKNOWN:      arg2,bytes
// UNKNOWN-NEXT: 64,
// UNKNOWN-NEXT: 1,
// RUN: FileCheck %s --check-prefix=WARNING --input-file=%t/err
// WARNING-COUNT-1: launch.mlir:{{[0-9]+}}:10: warning: its size is not known from the arguments in '{{.*}}other.csv'
// WARNING-NOT: warning:

// What a callee has counts as well, and what does not fit 64 bits is not known.
// RUN: buffer-merge-opt %t/callee.mlir -o /dev/null --workgroup-bytes="function=kernel sizes=%t/callee.csv" 2> %t/err \
// RUN:   | FileCheck %s --check-prefix=CALLEE --match-full-lines
// CALLEE:      arg0,bytes
// CALLEE-NEXT: 1,
// RUN: FileCheck %s --check-prefix=IN-CALLEE --input-file=%t/err
// IN-CALLEE: callee.mlir:3:8: warning: its size is not known from the arguments
// RUN: buffer-merge-opt %t/launch.mlir -o /dev/null --workgroup-bytes="function=host sizes=%t/huge.csv" 2> /dev/null \
// RUN:   | FileCheck %s --check-prefix=HUGE --match-full-lines
// HUGE:      4611686018427387904,
// HUGE-NEXT: -1,

// RUN: not buffer-merge-opt %t/launch.mlir --workgroup-bytes="function=host" 2>&1 | FileCheck %s --check-prefix=NEEDS
// NEEDS: error: workgroup-bytes needs 'function' and 'sizes'
// RUN: not buffer-merge-opt %t/launch.mlir --workgroup-bytes="function=host sizes=%t/launch.csv report=-" 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: error: workgroup-bytes plans each configuration for itself: there is nothing for 'report', 'emit-header' and 'offsets'
// RUN: not buffer-merge-opt %t/launch.mlir --workgroup-bytes="function=hots sizes=%t/launch.csv" 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: error: there is no function 'hots' with a body; one in a module is MODULE::FUNCTION
// RUN: not buffer-merge-opt %t/launch.mlir --workgroup-bytes="function=host sizes=%t/none.csv" 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: cannot read '{{.*}}none.csv'
// RUN: not buffer-merge-opt %t/launch.mlir --workgroup-bytes="function=host sizes=%t/name.csv" 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: '{{.*}}name.csv': line 1: 'arg1' is no argument of index or integer type, such as arg2
// RUN: not buffer-merge-opt %t/launch.mlir --workgroup-bytes="function=host sizes=%t/cells.csv" 2>&1 | FileCheck %s --check-prefix=CELLS
// CELLS: error: '{{.*}}cells.csv': line 3: 2 values for 1 columns
// RUN: not buffer-merge-opt %t/launch.mlir --workgroup-bytes="function=host sizes=%t/word.csv" 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: error: '{{.*}}word.csv': line 2: 'x' is no number of the type of arg0
// RUN: not buffer-merge-opt %t/launch.mlir --workgroup-bytes="function=callee sizes=%t/wide.csv" 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: error: '{{.*}}wide.csv': line 2: '128' is no number of the type of arg2
// RUN: not buffer-merge-opt %t/launch.mlir --workgroup-bytes="function=host sizes=%t/twice.csv" 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: '{{.*}}twice.csv': line 1: 'arg0' has two columns
// RUN: not buffer-merge-opt %t/launch.mlir --workgroup-bytes="function=host sizes=%t/empty.csv" 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: '{{.*}}empty.csv': it has no row of values

//--- gemm.mlir
#wg = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @gemm(%A: memref<1024x1024xf16>, %C: memref<1024x1024xf32>, %m: index, %n: index, %stages: index)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %x = arith.constant 1.0 : f16
    %y = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %mn = arith.muli %m, %n : index
    %a = memref.alloc(%stages, %m) : memref<?x?x32xf16, #wg>
    %b = memref.alloc(%stages, %n) : memref<?x?x32xf16, #wg>
    %c = memref.alloc(%mn) : memref<?xf32, #wg>
    %flags = memref.alloc() : memref<32xf32, #wg>
    scf.for %k = %c0 to %stages step %c1 {
      memref.store %x, %a[%k, %c0, %t] : memref<?x?x32xf16, #wg>
      memref.store %x, %b[%k, %c0, %t] : memref<?x?x32xf16, #wg>
      gpu.barrier
      %u = memref.load %a[%k, %c0, %c1] : memref<?x?x32xf16, #wg>
      %v = memref.load %b[%k, %c0, %c1] : memref<?x?x32xf16, #wg>
      %w = arith.addf %u, %v : f16
      memref.store %w, %A[%t, %k] : memref<1024x1024xf16>
      gpu.barrier
    }
    memref.store %y, %c[%t] : memref<?xf32, #wg>
    gpu.barrier
    %z = memref.load %c[%c0] : memref<?xf32, #wg>
    memref.store %z, %flags[%t] : memref<32xf32, #wg>
    gpu.barrier
    %f = memref.load %flags[%c1] : memref<32xf32, #wg>
    memref.store %f, %C[%t, %c0] : memref<1024x1024xf32>
    gpu.return
  }
}
func.func @host(%A: memref<1024x1024xf16>, %C: memref<1024x1024xf32>, %m: index, %n: index, %stages: index) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch_func @kernels::@gemm blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
      args(%A : memref<1024x1024xf16>, %C : memref<1024x1024xf32>, %m : index, %n : index, %stages : index)
  return
}
}

//--- sizes.csv
# m, n, stages
arg2, arg3, arg4
64,64,1
64,64,2
64,64,4

128,64,2
33,17,1

//--- launch.mlir
#wg = #gpu.address_space<workgroup>
memref.global "private" @table : memref<64xf32, #wg>
func.func @callee(%x: f32, %i: index, %b: i8) {
  %g = memref.get_global @table : memref<64xf32, #wg>
  memref.store %x, %g[%i] : memref<64xf32, #wg>
  return
}
func.func @host(%size: index, %x: f32, %other: index) {
  %c1 = arith.constant 1 : index
  %b = arith.constant 1 : i8
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %a = memref.alloc(%size) : memref<?xf32, #wg>
    memref.store %x, %a[%tx] : memref<?xf32, #wg>
    %y = memref.load %a[%tx] : memref<?xf32, #wg>
    func.call @callee(%y, %tx, %b) : (f32, index, i8) -> ()
    gpu.terminator
  }
  return
}

//--- launch.csv
arg0
64
1

//--- huge.csv
arg0
4611686018427387904
-1

//--- callee.mlir
#wg = #gpu.address_space<workgroup>
func.func private @callee(%x: f32, %n: index, %i: index) -> f32 attributes {no_inline} {
  %a = memref.alloc(%n) : memref<?xf32, #wg>
  memref.store %x, %a[%i] : memref<?xf32, #wg>
  %y = memref.load %a[%i] : memref<?xf32, #wg>
  return %y : f32
}
func.func @kernel(%size: index, %x: f32, %n: index, %out: memref<64xf32>) attributes {gpu.kernel} {
  %t = gpu.thread_id x
  %b = memref.alloc(%size) : memref<?xf32, #wg>
  memref.store %x, %b[%t] : memref<?xf32, #wg>
  %z = memref.load %b[%t] : memref<?xf32, #wg>
  %y = func.call @callee(%z, %n, %t) : (f32, index, index) -> f32
  memref.store %y, %out[%t] : memref<64xf32>
  return
}

//--- callee.csv
arg0
1

//--- other.csv
arg2
64
1

//--- name.csv
arg1
1

//--- cells.csv
arg0
1
1,2

//--- word.csv
arg0
x

//--- wide.csv
arg2
128

//--- twice.csv
arg0,arg0
1,1

//--- empty.csv
arg0
