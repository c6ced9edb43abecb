// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge=alignment=8 -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --optimize-allocation-liveness --buffer-merge=alignment=8 | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="alignment=8 limit-peak=none scheduler=bump" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="alignment=8 pool=stack" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="alignment=8 pool=global" | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --affine-loop-invariant-code-motion --affine-scalrep --canonicalize --cse | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="alignment=8 erase-copies=false" | FileCheck %s --check-prefix=STAYS
// RUN: buffer-merge-opt %s --buffer-merge="alignment=8 in-place=false" | FileCheck %s --check-prefix=STAYS

// What is copied into a part of another buffer is that part from the beginning,
// if that takes no more bytes.

!m = memref<12xi64>
!q = memref<4xi64>
!h = memref<8xi64>
!q0 = memref<4xi64, strided<[1]>>
!q4 = memref<4xi64, strided<[1], offset: 4>>
!q8 = memref<4xi64, strided<[1], offset: 8>>
!h0 = memref<8xi64, strided<[1]>>

//    IR-LABEL: func.func @concat(
//          IR:   memref.alloc() {alignment = 8 : i64} : memref<96xi8>
//      IR-NOT:   memref.copy
//      IR-NOT:   memref.subview
//          IR:   return
// STAYS-LABEL: func.func @concat(
// STAYS-COUNT-3: memref.copy
//       STAYS:   return
func.func @concat(%out: !m) {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %a = memref.alloc() : !q
  linalg.fill ins(%one : i64) outs(%a : !q)
  linalg.add ins(%a, %a : !q, !q) outs(%a : !q)
  %b = memref.alloc() : !q
  linalg.fill ins(%two : i64) outs(%b : !q)
  linalg.add ins(%a, %b : !q, !q) outs(%b : !q)
  %d = memref.alloc() : !q
  linalg.mul ins(%b, %b : !q, !q) outs(%d : !q)
  linalg.add ins(%a, %b : !q, !q) outs(%b : !q)
  %c = memref.alloc() : !m
  %c0 = memref.subview %c[0] [4] [1] : !m to !q0
  %c4 = memref.subview %c[4] [4] [1] : !m to !q4
  %c8 = memref.subview %c[8] [4] [1] : !m to !q8
  memref.copy %a, %c8 : !q to !q8
  memref.copy %b, %c0 : !q to !q0
  memref.copy %d, %c4 : !q to !q4
  linalg.add ins(%c, %c : !m, !m) outs(%out : !m)
  return
}

// A part of a part, which is read when all is copied.
//    IR-LABEL: func.func @nested(
//          IR:   memref.alloc() {alignment = 8 : i64} : memref<96xi8>
//      IR-NOT:   memref.copy
//          IR:   return
func.func @nested(%in: !q, %out: !m) {
  %a = memref.alloc() : !q
  linalg.add ins(%in, %in : !q, !q) outs(%a : !q)
  %b = memref.alloc() : !q
  linalg.mul ins(%a, %a : !q, !q) outs(%b : !q)
  %ab = memref.alloc() : !h
  %ab0 = memref.subview %ab[0] [4] [1] : !h to !q0
  %ab4 = memref.subview %ab[4] [4] [1] : !h to !q4
  memref.copy %a, %ab0 : !q to !q0
  memref.copy %b, %ab4 : !q to !q4
  %d = memref.alloc() : !q
  linalg.sub ins(%b, %ab4 : !q, !q4) outs(%d : !q)
  linalg.add ins(%d, %ab0 : !q, !q0) outs(%d : !q)
  %c = memref.alloc() : !m
  %c4 = memref.subview %c[4] [8] [1] : !m to memref<8xi64, strided<[1], offset: 4>>
  %c0 = memref.subview %c[0] [4] [1] : !m to !q0
  memref.copy %ab, %c4 : !h to memref<8xi64, strided<[1], offset: 4>>
  memref.copy %d, %c0 : !q to !q0
  %out0 = memref.subview %out[0] [4] [1] : !m to !q0
  linalg.add ins(%c, %c : !m, !m) outs(%out : !m)
  linalg.add ins(%out0, %a : !q0, !q) outs(%out0 : !q0)
  return
}

// Of a part of a part, the part of the whole is not free: it is read after the
// innermost one is computed, and before that is copied.
//    IR-LABEL: func.func @nested_too_early(
//          IR:   memref.copy
//          IR:   return
func.func @nested_too_early(%in: !q, %out: !m) {
  %three = arith.constant 3 : i64
  %c = memref.alloc() : !m
  linalg.fill ins(%three : i64) outs(%c : !m)
  %a = memref.alloc() : !q
  linalg.add ins(%in, %in : !q, !q) outs(%a : !q)
  linalg.add ins(%c, %c : !m, !m) outs(%out : !m)
  %ab = memref.alloc() : !h
  %ab0 = memref.subview %ab[0] [4] [1] : !h to !q0
  %ab4 = memref.subview %ab[4] [4] [1] : !h to !q4
  memref.copy %a, %ab0 : !q to !q0
  linalg.mul ins(%in, %in : !q, !q) outs(%ab4 : !q4)
  %c0 = memref.subview %c[0] [8] [1] : !m to !h0
  memref.copy %ab, %c0 : !h to !h0
  linalg.add ins(%c, %out : !m, !m) outs(%out : !m)
  return
}

// The inner buffer changes after it is copied, the part before.
//    IR-LABEL: func.func @changed(
//          IR:   memref.copy
//          IR:   memref.copy
//          IR:   return
func.func @changed(%in: !q, %out: !m) {
  %one = arith.constant 1 : i64
  %c = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%c : !m)
  %c0 = memref.subview %c[0] [4] [1] : !m to !q0
  %c4 = memref.subview %c[4] [4] [1] : !m to !q4
  %a = memref.alloc() : !q
  linalg.add ins(%in, %in : !q, !q) outs(%a : !q)
  memref.copy %a, %c0 : !q to !q0
  linalg.mul ins(%a, %a : !q, !q) outs(%a : !q)
  %b = memref.alloc() : !q
  linalg.sub ins(%in, %a : !q, !q) outs(%b : !q)
  linalg.add ins(%b, %a : !q, !q) outs(%c4 : !q4)
  linalg.add ins(%b, %c4 : !q, !q4) outs(%b : !q)
  memref.copy %b, %c4 : !q to !q4
  linalg.add ins(%c, %c : !m, !m) outs(%out : !m)
  return
}

// A loop that reads what it has copied: the copy stays, for what moves accesses
// out of loops, and copies each byte to itself.
//    IR-LABEL: func.func @loop(
//          IR:   affine.for
//          IR:     memref.copy
//          IR:   return
func.func @loop(%in: !m, %out: !m) {
  %zero = arith.constant 0 : i64
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c = memref.alloc() : !h
  linalg.fill ins(%zero : i64) outs(%c : !h)
  affine.for %i = 0 to 12 {
    %a = memref.alloc() : !q
    %x = affine.load %in[%i] : !m
    %y = memref.load %c[%c1] : !h
    affine.for %j = 0 to 4 {
      affine.store %x, %a[%j] : !q
    }
    %part = memref.subview %c[0] [4] [1] : !h to !q0
    memref.copy %a, %part : !q to !q0
    %z = memref.load %c[%c2] : !h
    %s = arith.addi %y, %z : i64
    affine.store %s, %out[%i] : !m
  }
  return
}

// Iterations fill one buffer after the other.
//    IR-LABEL: func.func @rows(
//          IR:   return
func.func @rows(%in: !q, %out: !m) {
  %c1i = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c = memref.alloc() : !h
  linalg.fill ins(%c1i : i64) outs(%c : !h)
  scf.for %i = %c0 to %c3 step %c1 {
    %a = memref.alloc() : !q
    %low = memref.subview %c[0] [4] [1] : !h to !q0
    %high = memref.subview %c[4] [4] [1] : !h to !q4
    linalg.add ins(%in, %high : !q, !q4) outs(%a : !q)
    memref.copy %a, %low : !q to !q0
    linalg.add ins(%a, %low : !q, !q0) outs(%high : !q4)
  }
  %out0 = memref.subview %out[0] [8] [1] : !m to !h0
  linalg.add ins(%c, %c : !h, !h) outs(%out0 : !h0)
  return
}

// A copy that is a fill.
//    IR-LABEL: func.func @refilled(
//      IR-NOT:   memref.copy
//          IR:   return
func.func @refilled(%in: !q, %out: !m) {
  %two = arith.constant 2 : i64
  %a = memref.alloc() : !q
  linalg.fill ins(%two : i64) outs(%a : !q)
  %b = memref.alloc() : !q
  linalg.add ins(%a, %in : !q, !q) outs(%b : !q)
  %d = memref.alloc() : !q
  linalg.mul ins(%b, %in : !q, !q) outs(%d : !q)
  %c = memref.alloc() : !m
  %c0 = memref.subview %c[0] [4] [1] : !m to !q0
  %c4 = memref.subview %c[4] [4] [1] : !m to !q4
  %c8 = memref.subview %c[8] [4] [1] : !m to !q8
  memref.copy %a, %c0 : !q to !q0
  memref.copy %b, %c4 : !q to !q4
  memref.copy %d, %c8 : !q to !q8
  linalg.add ins(%c, %c : !m, !m) outs(%out : !m)
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %zero = arith.constant 0 : i64
  %in = memref.alloc() : !m
  scf.for %i = %c0 to %c12 step %c1 {
    %x = arith.index_cast %i : index to i64
    memref.store %x, %in[%i] : !m
  }
  %q = memref.alloc() : !q
  %in4 = memref.subview %in[4] [4] [1] : !m to !q4
  memref.copy %in4, %q : !q4 to !q
  %out = memref.alloc() : !m
  %any = memref.cast %out : !m to memref<*xi64>
  linalg.fill ins(%zero : i64) outs(%out : !m)
  // CHECK: [12,  12,  12,  12,  32,  32,  32,  32,  4,  4,  4,  4]
  call @concat(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [24,  30,  36,  42,  16,  20,  24,  28,  128,  200,  288,  392]
  call @nested(%q, %out) : (!q, !m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [14,  16,  18,  20,  22,  31,  42,  55,  9,  9,  9,  9]
  call @nested_too_early(%q, %out) : (!q, !m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [16,  20,  24,  28,  -112,  -180,  -264,  -364,  2,  2,  2,  2]
  call @changed(%q, %out) : (!q, !m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [0,  1,  3,  5,  7,  9,  11,  13,  15,  17,  19,  21]
  call @loop(%in, %out) : (!m, !m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [64,  78,  92,  106,  128,  156,  184,  212,  15,  17,  19,  21]
  call @rows(%q, %out) : (!q, !m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [4,  4,  4,  4,  12,  14,  16,  18,  48,  70,  96,  126]
  call @refilled(%q, %out) : (!q, !m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
