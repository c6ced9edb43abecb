// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --buffer-merge | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Guards the proof that a copy reads what a fill has written.

!m = memref<8xi64>

//    IR-LABEL: func.func @zeros(
//      IR-NOT:   memref.copy
//          IR:   return
func.func @zeros(%out: !m) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %z = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%z : !m)
  %a = memref.alloc() : !m
  memref.copy %z, %a : !m to !m
  linalg.add ins(%a, %a : !m, !m) outs(%a : !m)
  %b = memref.alloc() : !m
  memref.copy %z, %b : !m to !m
  linalg.add ins(%a, %b : !m, !m) outs(%b : !m)
  linalg.add ins(%z, %b : !m, !m) outs(%z : !m)
  linalg.add ins(%z, %z : !m, !m) outs(%out : !m)
  return
}

// The second copy reads what the loop has made of it.
//    IR-LABEL: func.func @changed(
//          IR:   linalg.fill
//          IR:   memref.copy
//          IR:   return
func.func @changed(%out: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i64
  %z = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%z : !m)
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.alloc() : !m
    memref.copy %z, %a : !m to !m
    %x = memref.load %a[%c1] : !m
    memref.store %x, %out[%i] : !m
    %y = arith.addi %x, %x : i64
    memref.store %y, %z[%c1] : !m
  }
  return
}

// The parallel loop stores before it copies.
//    IR-LABEL: func.func @inside(
//          IR:   memref.copy
//          IR:   return
func.func @inside(%out: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %z = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%z : !m)
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    memref.store %two, %z[%i] : !m
    memref.copy %z, %out : !m to !m
  }
  return
}

// Views of what is filled: a part that is not changed, and one that is.
//    IR-LABEL: func.func @views(
//          IR:   memref.copy
//      IR-NOT:   memref.copy
//          IR:   return
func.func @views(%out: !m) {
  %c3 = arith.constant 3 : index
  %three = arith.constant 3 : i64
  %four = arith.constant 4 : i64
  %z = memref.alloc() : memref<2x4xi64>
  linalg.fill ins(%three : i64) outs(%z : memref<2x4xi64>)
  %flat = memref.collapse_shape %z [[0, 1]] : memref<2x4xi64> into !m
  memref.copy %flat, %out : !m to !m
  memref.store %four, %flat[%c3] : !m
  %from = memref.subview %flat[2] [2] [1] : !m to memref<2xi64, strided<[1], offset: 2>>
  %to = memref.subview %out[6] [2] [1] : !m to memref<2xi64, strided<[1], offset: 6>>
  memref.copy %from, %to : memref<2xi64, strided<[1], offset: 2>> to memref<2xi64, strided<[1], offset: 6>>
  return
}

func.func @main() {
  %zero = arith.constant 0 : i64
  %out = memref.alloc() : !m
  %any = memref.cast %out : !m to memref<*xi64>
  linalg.fill ins(%zero : i64) outs(%out : !m)
  // CHECK: [8,  8,  8,  8,  8,  8,  8,  8]
  call @zeros(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [1,  2,  4,  8,  16,  32,  64,  128]
  call @changed(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [2,  1,  1,  1,  1,  1,  1,  1]
  call @inside(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [3,  3,  3,  3,  3,  3,  3,  4]
  call @views(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
