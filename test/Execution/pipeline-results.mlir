// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge-pipeline=deallocate=false -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Callers do not pass the memory that a result is copied to if it is an argument or a
// global: what is written to the one is seen in the other.

// CHECK-COUNT-3: 42

func.func private @same(%a: memref<4xi64>) -> memref<4xi64> {
  return %a : memref<4xi64>
}

func.func private @either(%a: memref<4xi64>, %isOld: i1) -> memref<4xi64> {
  %three = arith.constant 3 : i64
  %b = memref.alloc() : memref<4xi64>
  linalg.fill ins(%three : i64) outs(%b : memref<4xi64>)
  %r = arith.select %isOld, %a, %b : memref<4xi64>
  return %r : memref<4xi64>
}

memref.global "private" @table : memref<4xi64> = dense<8>

func.func private @getTable() -> memref<4xi64> {
  %a = memref.get_global @table : memref<4xi64>
  return %a : memref<4xi64>
}

// What is new is passed.
// IR: func.func private @fresh(%{{.*}}: memref<4xi64>) {
func.func private @fresh() -> memref<4xi64> {
  %three = arith.constant 3 : i64
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%three : i64) outs(%a : memref<4xi64>)
  return %a : memref<4xi64>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %forty = arith.constant 42 : i64
  %a = call @fresh() : () -> memref<4xi64>
  %0 = call @same(%a) : (memref<4xi64>) -> memref<4xi64>
  memref.store %forty, %0[%c0] : memref<4xi64>
  %x = memref.load %a[%c0] : memref<4xi64>
  vector.print %x : i64
  %b = call @fresh() : () -> memref<4xi64>
  %1 = call @either(%b, %true) : (memref<4xi64>, i1) -> memref<4xi64>
  memref.store %forty, %1[%c0] : memref<4xi64>
  %y = memref.load %b[%c0] : memref<4xi64>
  vector.print %y : i64
  %2 = call @getTable() : () -> memref<4xi64>
  memref.store %forty, %2[%c0] : memref<4xi64>
  %table = memref.get_global @table : memref<4xi64>
  %z = memref.load %table[%c0] : memref<4xi64>
  vector.print %z : i64
  return
}
