// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --emplace-buffers=strided -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --buffer-merge | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --buffer-deallocation-pipeline | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --buffer-merge --buffer-deallocation-pipeline | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Guards the proof that columns of a buffer are free until they are copied into, and
// that all uses of what is computed there take rows that are not contiguous.

!m = memref<4x4xi64>
!h = memref<4x2xi64>
!l = memref<4x2xi64, strided<[4, 1]>>
!r = memref<4x2xi64, strided<[4, 1], offset: 2>>

// A concatenation of columns.
//    IR-LABEL: func.func @concat(
//      IR-NOT:   memref.copy
//          IR:   return
func.func @concat(%out: !m) {
  %two = arith.constant 2 : i64
  %one = arith.constant 1 : i64
  %a = memref.alloc() : !h
  linalg.fill ins(%one : i64) outs(%a : !h)
  %b = memref.alloc() : !h
  linalg.fill ins(%two : i64) outs(%b : !h)
  linalg.add ins(%a, %b : !h, !h) outs(%b : !h)
  %c = memref.alloc() : !m
  %left = memref.subview %c[0, 0] [4, 2] [1, 1] : !m to !l
  %right = memref.subview %c[0, 2] [4, 2] [1, 1] : !m to !r
  memref.copy %a, %left : !h to !l
  memref.copy %b, %right : !h to !r
  linalg.add ins(%c, %c : !m, !m) outs(%out : !m)
  return
}

// Padding on all sides. A row of the inner buffer is stored to, and read.
//    IR-LABEL: func.func @pad(
//      IR-NOT:   memref.copy
//          IR:   return
func.func @pad(%out: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i64
  %one = arith.constant 1 : i64
  %a = memref.alloc() : memref<2x2xi64>
  linalg.fill ins(%one : i64) outs(%a : memref<2x2xi64>)
  %row = memref.subview %a[1, 0] [1, 2] [1, 1] : memref<2x2xi64> to memref<2xi64, strided<[1], offset: 2>>
  %x = memref.load %a[%c0, %c1] : memref<2x2xi64>
  %y = arith.addi %x, %two : i64
  memref.store %y, %row[%c1] : memref<2xi64, strided<[1], offset: 2>>
  %c = memref.alloc() : !m
  linalg.fill ins(%two : i64) outs(%c : !m)
  %part = memref.subview %c[1, 1] [2, 2] [1, 1] : !m to memref<2x2xi64, strided<[4, 1], offset: 5>>
  memref.copy %a, %part : memref<2x2xi64> to memref<2x2xi64, strided<[4, 1], offset: 5>>
  linalg.add ins(%c, %c : !m, !m) outs(%out : !m)
  return
}

// Each column is computed from the one before it.
//    IR-LABEL: func.func @columns(
//          IR:   scf.for
//      IR-NOT:   memref.copy
//          IR:   return
func.func @columns(%out: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i64
  %c = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%c : !m)
  scf.for %i = %c0 to %c3 step %c1 {
    %x = memref.load %c[%i, %i] : !m
    %y = arith.addi %x, %x : i64
    %j = arith.addi %i, %c1 : index
    %a = memref.alloc() : memref<4x1xi64>
    linalg.fill ins(%y : i64) outs(%a : memref<4x1xi64>)
    memref.store %x, %a[%i, %c0] : memref<4x1xi64>
    %to = memref.subview %c[0, %j] [4, 1] [1, 1] : !m to memref<4x1xi64, strided<[4, 1], offset: ?>>
    memref.copy %a, %to : memref<4x1xi64> to memref<4x1xi64, strided<[4, 1], offset: ?>>
  }
  linalg.add ins(%c, %c : !m, !m) outs(%out : !m)
  return
}

// The columns overlap: what is copied last must be written last.
//    IR-LABEL: func.func @overlap(
//          IR:   memref.copy
//          IR:   return
func.func @overlap(%out: !m) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %c = memref.alloc() : !m
  linalg.fill ins(%zero : i64) outs(%c : !m)
  %a = memref.alloc() : !h
  linalg.fill ins(%one : i64) outs(%a : !h)
  %b = memref.alloc() : !h
  linalg.add ins(%a, %a : !h, !h) outs(%b : !h)
  %left = memref.subview %c[0, 0] [4, 2] [1, 1] : !m to !l
  %middle = memref.subview %c[0, 1] [4, 2] [1, 1] : !m to memref<4x2xi64, strided<[4, 1], offset: 1>>
  memref.copy %b, %middle : !h to memref<4x2xi64, strided<[4, 1], offset: 1>>
  memref.copy %a, %left : !h to !l
  linalg.add ins(%c, %c : !m, !m) outs(%out : !m)
  return
}

// The rows of the inner buffer are used as one row, which only contiguous ones are.
//    IR-LABEL: func.func @collapsed(
//          IR:   memref.collapse_shape
//          IR:   memref.copy
//          IR:   return
func.func @collapsed(%out: !m) {
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i64
  %c = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%c : !m)
  %a = memref.alloc() : !h
  linalg.add ins(%one, %one : i64, i64) outs(%a : !h)
  %row = memref.collapse_shape %a [[0, 1]] : !h into memref<8xi64>
  memref.store %one, %row[%c2] : memref<8xi64>
  %right = memref.subview %c[0, 2] [4, 2] [1, 1] : !m to !r
  memref.copy %a, %right : !h to !r
  linalg.add ins(%c, %c : !m, !m) outs(%out : !m)
  return
}

func.func @main() {
  %zero = arith.constant 0 : i64
  %out = memref.alloc() : !m
  %any = memref.cast %out : !m to memref<*xi64>
  linalg.fill ins(%zero : i64) outs(%out : !m)
  //      CHECK: {{\[}}[2,   2,   6,   6],
  // CHECK-NEXT:  [2,   2,   6,   6],
  call @concat(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  //      CHECK: {{\[}}[4,   4,   4,   4],
  // CHECK-NEXT:  [4,   2,   2,   4],
  // CHECK-NEXT:  [4,   2,   6,   4],
  // CHECK-NEXT:  [4,   4,   4,   4]
  call @pad(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  //      CHECK: {{\[}}[2,   2,   8,   16],
  // CHECK-NEXT:  [2,   4,   4,   16],
  // CHECK-NEXT:  [2,   4,   8,   8],
  call @columns(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  //      CHECK: {{\[}}[2,   2,   4,   0],
  call @overlap(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  //      CHECK: {{\[}}[2,   2,   4,   4],
  // CHECK-NEXT:  [2,   2,   2,   4],
  call @collapsed(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
