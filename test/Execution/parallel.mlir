// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false scheduler=bump erase-copies=false" --async-parallel-for=min-task-size=1 | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false scheduler=best-fit erase-copies=false" --async-parallel-for=min-task-size=1 | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false scheduler=first-fit erase-copies=false" -o %t.mlir
// RUN: buffer-merge-opt %t.mlir --async-parallel-for=min-task-size=1 | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Guards the alloc scope: iterations that run at the same time have a pool each.
// Each fills its buffer, takes its time, and reads what it has filled in.

//    IR-LABEL: func.func @parallel(
//      IR-NOT:   memref.alloc
//          IR:   scf.parallel
//          IR:     memref.alloc() {{.*}} : memref<128xi8>
//      IR-NOT:     memref.alloc
//          IR:   return
func.func @parallel(%out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %many = arith.constant 3000000 : index
  %zero = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %five = arith.constant 5 : i64
  %seven = arith.constant 7 : i64
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %v = arith.index_cast %i : index to i64
    %a = memref.alloc() : memref<8xi64>
    linalg.fill ins(%v : i64) outs(%a : memref<8xi64>)
    %last = scf.for %k = %c0 to %many step %c1 iter_args(%x = %v) -> i64 {
      %y = arith.addi %x, %two : i64
      %z = arith.muli %y, %five : i64
      %w = arith.remui %z, %seven : i64
      scf.yield %w : i64
    }
    %b = memref.alloc() : memref<8xi64>
    memref.copy %a, %b : memref<8xi64> to memref<8xi64>
    memref.store %last, %b[%c0] : memref<8xi64>
    %c = memref.alloc() : memref<8xi64>
    memref.copy %b, %c : memref<8xi64> to memref<8xi64>
    %r = memref.load %c[%c1] : memref<8xi64>
    memref.store %r, %out[%i] : memref<8xi64>
    scf.reduce
  }
  return
}

func.func @main() {
  %out = memref.alloc() : memref<8xi64>
  %any = memref.cast %out : memref<8xi64> to memref<*xi64>
  call @parallel(%out) : (memref<8xi64>) -> ()
  // CHECK: [0,  1,  2,  3,  4,  5,  6,  7]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
