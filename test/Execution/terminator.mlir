// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=bump | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=best-fit | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=first-fit erase-copies=false" -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Guards the end of a scope: a terminator that accesses a buffer does so when the
// pool has been freed.

//    IR-LABEL: func.func @reduce(
//          IR:   memref.alloc() {{.*}} : memref<64xi8>
//          IR:   memref.alloc() : memref<8xi64>
//          IR:   return
func.func @reduce(%out: memref<8xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %seven = arith.constant 7 : i64
  %sum = scf.parallel (%i) = (%c0) to (%c4) step (%c1) init (%zero) -> i64 {
    %a = memref.alloc() : memref<8xi64>
    linalg.fill ins(%seven : i64) outs(%a : memref<8xi64>)
    %b = memref.alloc() : memref<8xi64>
    linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
    memref.copy %b, %out : memref<8xi64> to memref<8xi64>
    memref.dealloc %b : memref<8xi64>
    %c = memref.alloc() : memref<8xi64>
    linalg.fill ins(%two : i64) outs(%c : memref<8xi64>)
    memref.copy %c, %out : memref<8xi64> to memref<8xi64>
    memref.dealloc %c : memref<8xi64>
    %v = memref.load %out[%c1] : memref<8xi64>
    scf.reduce(%v : i64) {
    ^bb0(%l: i64, %r: i64):
      %x = memref.load %a[%c1] : memref<8xi64>
      %s = arith.addi %l, %r : i64
      %t = arith.addi %s, %x : i64
      scf.reduce.return %t : i64
    }
  }
  return %sum : i64
}

func.func @main() {
  %out = memref.alloc() : memref<8xi64>
  // CHECK: 36
  %sum = call @reduce(%out) : (memref<8xi64>) -> i64
  vector.print %sum : i64
  return
}
