// REQUIRES: openmp
// RUN: buffer-merge-opt %s | %openmp_execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false scheduler=bump erase-copies=false" | %openmp_execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false scheduler=best-fit erase-copies=false" | %openmp_execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false scheduler=first-fit erase-copies=false" -o %t.mlir
// RUN: cat %t.mlir | %openmp_execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Guards the alloc scope: each thread of a parallel region, and each task, has a
// pool of its own. Each fills its buffer, takes its time, and reads what it has
// filled in.

//    IR-LABEL: func.func @parallel(
//      IR-NOT:   memref.alloc
//          IR:   omp.parallel
//     IR-NEXT:     memref.alloc() {{.*}} : memref<128xi8>
//      IR-NOT:     memref.alloc
//          IR:   return
func.func @parallel(%out: memref<8xi64>) {
  %c1 = arith.constant 1 : index
  %four = arith.constant 4 : i32
  omp.parallel num_threads(%four : i32) {
    %thread = func.call @omp_get_thread_num() : () -> i32
    %v = arith.extsi %thread : i32 to i64
    %i = arith.index_cast %thread : i32 to index
    %a = memref.alloc() : memref<8xi64>
    linalg.fill ins(%v : i64) outs(%a : memref<8xi64>)
    %last = func.call @take_time(%v) : (i64) -> i64
    %b = memref.alloc() : memref<8xi64>
    memref.copy %a, %b : memref<8xi64> to memref<8xi64>
    memref.store %last, %b[%i] : memref<8xi64>
    memref.store %v, %b[%c1] : memref<8xi64>
    %c = memref.alloc() : memref<8xi64>
    memref.copy %b, %c : memref<8xi64> to memref<8xi64>
    %c7 = arith.constant 7 : index
    %r = memref.load %c[%c7] : memref<8xi64>
    memref.store %r, %out[%i] : memref<8xi64>
    omp.terminator
  }
  return
}

//    IR-LABEL: func.func @tasks(
//      IR-NOT:   memref.alloc
//          IR:   omp.task
//     IR-NEXT:     memref.alloc() {{.*}} : memref<128xi8>
//      IR-NOT:     memref.alloc
//          IR:   return
func.func @tasks(%out: memref<8xi64>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %four = arith.constant 4 : i32
  omp.parallel num_threads(%four : i32) {
    omp.single {
      scf.for %i = %c4 to %c8 step %c1 {
        %v = arith.index_cast %i : index to i64
        omp.task {
          %a = memref.alloc() : memref<8xi64>
          linalg.fill ins(%v : i64) outs(%a : memref<8xi64>)
          %last = func.call @take_time(%v) : (i64) -> i64
          %b = memref.alloc() : memref<8xi64>
          memref.copy %a, %b : memref<8xi64> to memref<8xi64>
          memref.store %last, %b[%c1] : memref<8xi64>
          %c = memref.alloc() : memref<8xi64>
          memref.copy %b, %c : memref<8xi64> to memref<8xi64>
          %r = memref.load %c[%c7] : memref<8xi64>
          memref.store %r, %out[%i] : memref<8xi64>
          omp.terminator
        }
      }
      omp.terminator
    }
    omp.terminator
  }
  return
}

func.func @take_time(%v: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 3000000 : index
  %two = arith.constant 2 : i64
  %five = arith.constant 5 : i64
  %seven = arith.constant 7 : i64
  %last = scf.for %k = %c0 to %many step %c1 iter_args(%x = %v) -> i64 {
    %y = arith.addi %x, %two : i64
    %z = arith.muli %y, %five : i64
    %w = arith.remui %z, %seven : i64
    scf.yield %w : i64
  }
  return %last : i64
}

func.func @main() {
  %out = memref.alloc() : memref<8xi64>
  %any = memref.cast %out : memref<8xi64> to memref<*xi64>
  call @parallel(%out) : (memref<8xi64>) -> ()
  call @tasks(%out) : (memref<8xi64>) -> ()
  // CHECK: [0,  1,  2,  3,  4,  5,  6,  7]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
func.func private @omp_get_thread_num() -> i32
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
