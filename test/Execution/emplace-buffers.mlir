// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --emplace-buffers -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --buffer-merge | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --buffer-deallocation-pipeline | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --buffer-merge --buffer-deallocation-pipeline | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Guards the proof that a part of a buffer is free until it is copied into.

!m = memref<8xi64>
!h = memref<4xi64>
!l = memref<4xi64, strided<[1]>>
!u = memref<4xi64, strided<[1], offset: 4>>

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
  %low = memref.subview %c[0] [4] [1] : !m to !l
  %high = memref.subview %c[4] [4] [1] : !m to !u
  memref.copy %a, %low : !h to !l
  memref.copy %b, %high : !h to !u
  linalg.add ins(%c, %c : !m, !m) outs(%out : !m)
  return
}

// Each row is computed from the one before it.
//    IR-LABEL: func.func @rows(
//          IR:   scf.for
//      IR-NOT:   memref.copy
//          IR:   return
func.func @rows(%out: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %one = arith.constant 1 : i64
  %c = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%c : !m)
  scf.for %i = %c0 to %c7 step %c1 {
    %x = memref.load %c[%i] : !m
    %y = arith.addi %x, %x : i64
    %a = memref.alloc() : memref<1xi64>
    memref.store %y, %a[%c0] : memref<1xi64>
    %j = arith.addi %i, %c1 : index
    %to = memref.subview %c[%i] [1] [1] : !m to memref<1xi64, strided<[1], offset: ?>>
    memref.copy %a, %to : memref<1xi64> to memref<1xi64, strided<[1], offset: ?>>
    memref.store %y, %c[%j] : !m
  }
  linalg.add ins(%c, %c : !m, !m) outs(%out : !m)
  return
}

// The fill comes first.
//    IR-LABEL: func.func @pad(
//      IR-NOT:   memref.copy
//          IR:   return
func.func @pad(%out: !m) {
  %two = arith.constant 2 : i64
  %one = arith.constant 1 : i64
  %a = memref.alloc() : !h
  linalg.fill ins(%one : i64) outs(%a : !h)
  %c = memref.alloc() : !m
  linalg.fill ins(%two : i64) outs(%c : !m)
  %part = memref.subview %c[2] [4] [1] : !m to memref<4xi64, strided<[1], offset: 2>>
  memref.copy %a, %part : !h to memref<4xi64, strided<[1], offset: 2>>
  linalg.add ins(%c, %c : !m, !m) outs(%out : !m)
  return
}

// The part is read before it is copied into.
//    IR-LABEL: func.func @read(
//          IR:   memref.copy
//          IR:   return
func.func @read(%out: !m) {
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %c = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%c : !m)
  %a = memref.alloc() : !h
  linalg.fill ins(%three : i64) outs(%a : !h)
  linalg.add ins(%c, %c : !m, !m) outs(%out : !m)
  %high = memref.subview %c[4] [4] [1] : !m to !u
  memref.copy %a, %high : !h to !u
  linalg.add ins(%c, %out : !m, !m) outs(%out : !m)
  return
}

// The inner buffer is changed after it is copied, or the part is.
//    IR-LABEL: func.func @changed(
//          IR:   memref.copy
//          IR:   memref.copy
//          IR:   return
func.func @changed(%out: !m) {
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %c = memref.alloc() : !m
  %low = memref.subview %c[0] [4] [1] : !m to !l
  %high = memref.subview %c[4] [4] [1] : !m to !u
  %a = memref.alloc() : !h
  linalg.fill ins(%one : i64) outs(%a : !h)
  memref.copy %a, %low : !h to !l
  linalg.fill ins(%three : i64) outs(%a : !h)
  %b = memref.alloc() : !h
  linalg.add ins(%a, %a : !h, !h) outs(%b : !h)
  memref.copy %b, %high : !h to !u
  linalg.add ins(%c, %c : !m, !m) outs(%c : !m)
  %to = memref.subview %out[0] [4] [1] : !m to !l
  linalg.add ins(%a, %b : !h, !h) outs(%to : !l)
  linalg.add ins(%c, %c : !m, !m) outs(%c : !m)
  %to_high = memref.subview %out[4] [4] [1] : !m to !u
  linalg.add ins(%low, %high : !l, !u) outs(%to_high : !u)
  return
}

// %c is filled between the first write of %b and its copy. The fill cannot come
// first if %a, which is read in between, is a part of %c as well.
//    IR-LABEL: func.func @filled_after(
//          IR:   memref.copy
//      IR-NOT:   memref.copy
//          IR:   return
func.func @filled_after(%out: !m) {
  %one = arith.constant 1 : i64
  %nine = arith.constant 9 : i64
  %c = memref.alloc() : !m
  %low = memref.subview %c[0] [4] [1] : !m to !l
  %high = memref.subview %c[4] [4] [1] : !m to !u
  %a = memref.alloc() : !h
  linalg.fill ins(%one : i64) outs(%a : !h)
  memref.copy %a, %low : !h to !l
  %b = memref.alloc() : !h
  linalg.add ins(%a, %a : !h, !h) outs(%b : !h)
  linalg.fill ins(%nine : i64) outs(%c : !m)
  memref.copy %b, %high : !h to !u
  linalg.add ins(%c, %c : !m, !m) outs(%out : !m)
  return
}

func.func @main() {
  %zero = arith.constant 0 : i64
  %out = memref.alloc() : !m
  %any = memref.cast %out : !m to memref<*xi64>
  linalg.fill ins(%zero : i64) outs(%out : !m)
  // CHECK: [2,  2,  2,  2,  6,  6,  6,  6]
  call @concat(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [4,  8,  16,  32,  64,  128,  256,  256]
  call @rows(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [4,  4,  2,  2,  2,  2,  4,  4]
  call @pad(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [3,  3,  3,  3,  5,  5,  5,  5]
  call @read(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [9,  9,  9,  9,  28,  28,  28,  28]
  call @changed(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [18,  18,  18,  18,  4,  4,  4,  4]
  call @filled_after(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
