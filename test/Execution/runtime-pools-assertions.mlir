// RUN: buffer-merge-opt %s --buffer-merge -o %t.mlir
// RUN: cat %t.mlir | %execute | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: sed 's/%n = arith.constant 3/%n = arith.constant 0x4000000000000000/' %s > %t.large.mlir
// RUN: cat %t.large.mlir | %abort | FileCheck %s --check-prefix=REFUSED
// RUN: buffer-merge-opt %t.large.mlir --buffer-merge | %abort | FileCheck %s --check-prefix=REFUSED

// What an assertion refuses is in the size of no pool in front of it, whose allocation
// would fail: the program would end without the message.

//   CHECK: 7
//   CHECK: 8
// REFUSED: 7
// REFUSED: too many

// The row has only the size of a memref, and the other one only a number from in front.
// IR-LABEL: func.func @f(
//       IR:   memref.alloc(%{{.*}}) {{.*}} : memref<?xi8>
//   IR-NOT:   memref.alloc(
//       IR:   cf.assert
//       IR:   memref.view
//       IR:   memref.view
//       IR:   memref.alloc(%{{.*}}) : memref<?xi64>
//       IR:   return
func.func @f(%x: memref<?xi64>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %seven = arith.constant 7 : i64
  %eight = arith.constant 8 : i64
  %d = memref.dim %x, %c0 : memref<?xi64>
  %a = memref.alloc(%m) : memref<?xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<?xi64>)
  %y = memref.load %a[%c0] : memref<?xi64>
  vector.print %y : i64
  %isSmall = arith.cmpi ult, %n, %c9 : index
  cf.assert %isSmall, "too many"
  %row = memref.alloc(%d) : memref<?xi64>
  linalg.fill ins(%eight : i64) outs(%row : memref<?xi64>)
  %other = memref.alloc(%d, %m) : memref<?x?xi64>
  linalg.broadcast ins(%row : memref<?xi64>) outs(%other : memref<?x?xi64>) dimensions = [1]
  %z = memref.load %other[%c0, %c0] : memref<?x?xi64>
  %b = memref.alloc(%n) : memref<?xi64>
  memref.store %z, %b[%c0] : memref<?xi64>
  %w = memref.load %b[%c0] : memref<?xi64>
  vector.print %w : i64
  return
}

func.func @main() {
  %m = arith.constant 2 : index
  %n = arith.constant 3 : index
  %x = memref.alloc(%m) : memref<?xi64>
  call @f(%x, %m, %n) : (memref<?xi64>, index, index) -> ()
  return
}
