// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --inline --cse --canonicalize | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.mlir --buffer-merge | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=first-fit | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"entries": "exclusive"}}' | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=in-place=false | FileCheck %s --check-prefix=APART

// A call writes its result to the bytes of what it reads for the last time, if
// the callee reads all of that before it writes, or does both in place. Each
// @main_ prints what its callee computes of 0, 1, ..., 7.

!m = memref<8xi32>
!n = memref<2x4xi32>

#id = affine_map<(i) -> (i)>
#back = affine_map<(i) -> (-i + 7)>

func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}

func.func private @count(%a: !m) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : !m) {
    ^bb0(%o: i32):
      %i = linalg.index 0 : index
      %n = arith.index_cast %i : index to i32
      linalg.yield %n : i32
  }
  return
}

func.func private @print(%a: !m) {
  %any = memref.cast %a : !m to memref<*xi32>
  call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  return
}

// Element by element.
// CHECK: [0,  2,  4,  6,  8,  10,  12,  14]
//    IR-LABEL: func.func @main_double
//          IR:   memref.alloc() {{.*}} : memref<32xi8>
//      IR-NOT:   memref.alloc
//          IR:   call @double(%[[AT:.*]], %[[AT]])
// APART-LABEL: func.func @main_double
//       APART:   memref<64xi8>
func.func private @double(%x: !m, %y: !m) {
  linalg.add ins(%x, %x : !m, !m) outs(%y : !m)
  return
}
func.func @main_double() {
  %a = memref.alloc() : !m
  call @count(%a) : (!m) -> ()
  %b = memref.alloc() : !m
  call @double(%a, %b) : (!m, !m) -> ()
  call @print(%b) : (!m) -> ()
  return
}

// All is read first, in a loop that keeps what it needs elsewhere.
// CHECK: [7,  6,  5,  4,  3,  2,  1,  0]
//    IR-LABEL: func.func @main_staged
//          IR:   memref.alloc() {{.*}} : memref<32xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func private @staged(%x: !m, %y: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %t = memref.alloca() : !m
  scf.for %i = %c0 to %c8 step %c1 {
    %e = memref.load %x[%i] : !m
    %j = arith.subi %c7, %i : index
    memref.store %e, %t[%j] : !m
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %e = memref.load %t[%i] : !m
    memref.store %e, %y[%i] : !m
  }
  return
}
func.func @main_staged() {
  %a = memref.alloc() : !m
  call @count(%a) : (!m) -> ()
  %b = memref.alloc() : !m
  call @staged(%a, %b) : (!m, !m) -> ()
  call @print(%b) : (!m) -> ()
  return
}

// Called by other functions only, of which nothing is known: its buffers stay
// away from its arguments.
// CHECK: [7,  6,  5,  4,  3,  2,  1,  0]
//    IR-LABEL: func.func @main_public
//          IR:   memref.alloc() {{.*}} : memref<32xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @public(%x: !m, %y: !m) {
  %t = memref.alloc() : !m
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel"]}
      ins(%x : !m) outs(%t : !m) {
    ^bb0(%e: i32, %o: i32):
      linalg.yield %e : i32
  }
  memref.copy %t, %y : !m to !m
  return
}
func.func @main_public() {
  %a = memref.alloc() : !m
  call @count(%a) : (!m) -> ()
  %b = memref.alloc() : !m
  call @public(%a, %b) : (!m, !m) -> ()
  call @print(%b) : (!m) -> ()
  return
}

// Three calls deep, another number of the argument each time, and twice.
// CHECK: [0,  2,  4,  6,  8,  10,  12,  14]
//    IR-LABEL: func.func @main_deep
//          IR:   memref.alloc() {{.*}} : memref<32xi8>
//      IR-NOT:   memref.alloc
//          IR:   call @deep(%[[AT:.*]], %[[AT]])
func.func private @add(%y: !m, %x: !m, %z: !m) {
  linalg.add ins(%x, %z : !m, !m) outs(%y : !m)
  return
}
func.func private @middle(%x: !m, %z: !m, %y: !m) {
  call @add(%y, %x, %z) : (!m, !m, !m) -> ()
  return
}
func.func private @deep(%x: !m, %y: !m) {
  call @middle(%x, %x, %y) : (!m, !m, !m) -> ()
  return
}
func.func @main_deep() {
  %a = memref.alloc() : !m
  call @count(%a) : (!m) -> ()
  %b = memref.alloc() : !m
  call @deep(%a, %b) : (!m, !m) -> ()
  call @print(%b) : (!m) -> ()
  return
}

// A chain of calls in a loop, through views and buffers of other types.
// CHECK: [0,  8,  16,  24,  32,  40,  48,  56]
// CHECK: [0,  8,  16,  24,  32,  40,  48,  56]
//    IR-LABEL: func.func @main_chain
//          IR:   memref.alloc() {{.*}} : memref<32xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func private @to_square(%x: !m, %y: !n) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i * 4 + j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : !m) outs(%y : !n) {
    ^bb0(%e: i32, %o: i32):
      %s = arith.addi %e, %e : i32
      linalg.yield %s : i32
  }
  return
}
func.func @main_chain() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %a = memref.alloc() : !m
    func.call @count(%a) : (!m) -> ()
    %b = memref.alloc() : !n
    func.call @to_square(%a, %b) : (!m, !n) -> ()
    %flat = memref.collapse_shape %b [[0, 1]] : !n into !m
    %c = memref.alloc() : !m
    func.call @double(%flat, %c) : (!m, !m) -> ()
    %d = memref.alloc() : !m
    func.call @deep(%c, %d) : (!m, !m) -> ()
    func.call @print(%d) : (!m) -> ()
  }
  return
}

// Another element is read than written.
// CHECK: [7,  6,  5,  4,  3,  2,  1,  0]
//    IR-LABEL: func.func @main_reversed
//  IR-COUNT-2:   memref.alloc() :
//          IR:   return
func.func private @reversed(%x: !m, %y: !m) {
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel"]}
      ins(%x : !m) outs(%y : !m) {
    ^bb0(%e: i32, %o: i32):
      linalg.yield %e : i32
  }
  return
}
func.func @main_reversed() {
  %a = memref.alloc() : !m
  call @count(%a) : (!m) -> ()
  %b = memref.alloc() : !m
  call @reversed(%a, %b) : (!m, !m) -> ()
  call @print(%b) : (!m) -> ()
  return
}

// What is read is needed again after it is overwritten.
// CHECK: [0,  3,  6,  9,  12,  15,  18,  21]
//    IR-LABEL: func.func @main_again
//  IR-COUNT-2:   memref.alloc() :
//          IR:   return
func.func private @again(%x: !m, %y: !m) {
  linalg.add ins(%x, %x : !m, !m) outs(%y : !m)
  linalg.add ins(%x, %y : !m, !m) outs(%y : !m)
  return
}
func.func @main_again() {
  %a = memref.alloc() : !m
  call @count(%a) : (!m) -> ()
  %b = memref.alloc() : !m
  call @again(%a, %b) : (!m, !m) -> ()
  call @print(%b) : (!m) -> ()
  return
}

// So it is where all of it is done twice.
// CHECK: [0,  2,  4,  6,  8,  10,  12,  14]
//    IR-LABEL: func.func @main_repeated
//  IR-COUNT-2:   memref.alloc() :
//          IR:   return
func.func private @repeated(%x: !m, %y: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    linalg.add ins(%x, %x : !m, !m) outs(%y : !m)
  }
  return
}
func.func @main_repeated() {
  %a = memref.alloc() : !m
  func.call @count(%a) : (!m) -> ()
  %b = memref.alloc() : !m
  func.call @repeated(%a, %b) : (!m, !m) -> ()
  func.call @print(%b) : (!m) -> ()
  return
}

// And in the next iteration, of a loop and of a cycle of blocks, and in
// those of a parallel loop.
// CHECK: [7,  6,  5,  4,  3,  2,  1,  0]
// CHECK: [7,  6,  5,  4,  3,  2,  1,  0]
// CHECK: [7,  6,  5,  4,  3,  2,  1,  0]
//    IR-LABEL: func.func @main_loop
//  IR-COUNT-2:   memref.alloc() :
//          IR:   return
//    IR-LABEL: func.func @main_cycle
//  IR-COUNT-2:   memref.alloc() :
//          IR:   return
//    IR-LABEL: func.func @main_parallel
//  IR-COUNT-2:   memref.alloc() :
//          IR:   return
func.func private @loop(%x: !m, %y: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %j = arith.subi %c7, %i : index
    %e = memref.load %x[%j] : !m
    memref.store %e, %y[%i] : !m
  }
  return
}
func.func @main_loop() {
  %a = memref.alloc() : !m
  call @count(%a) : (!m) -> ()
  %b = memref.alloc() : !m
  call @loop(%a, %b) : (!m, !m) -> ()
  call @print(%b) : (!m) -> ()
  return
}
func.func private @cycle(%x: !m, %y: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  cf.br ^body(%c0 : index)
^body(%i: index):
  %j = arith.subi %c7, %i : index
  %e = memref.load %x[%j] : !m
  memref.store %e, %y[%i] : !m
  %next = arith.addi %i, %c1 : index
  %more = arith.cmpi ult, %next, %c8 : index
  cf.cond_br %more, ^body(%next : index), ^end
^end:
  return
}
func.func @main_cycle() {
  %a = memref.alloc() : !m
  call @count(%a) : (!m) -> ()
  %b = memref.alloc() : !m
  call @cycle(%a, %b) : (!m, !m) -> ()
  call @print(%b) : (!m) -> ()
  return
}
func.func private @parallel(%x: !m, %y: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %j = arith.subi %c7, %i : index
    %e = memref.load %x[%j] : !m
    memref.store %e, %y[%i] : !m
  }
  return
}
func.func @main_parallel() {
  %a = memref.alloc() : !m
  call @count(%a) : (!m) -> ()
  %b = memref.alloc() : !m
  call @parallel(%a, %b) : (!m, !m) -> ()
  call @print(%b) : (!m) -> ()
  return
}

// One call does it in place, a second one through another argument does not.
// CHECK: [7,  7,  7,  7,  7,  7,  7,  7]
//    IR-LABEL: func.func @main_two
//  IR-COUNT-2:   memref.alloc() :
//          IR:   return
func.func private @two(%x: !m, %y: !m, %z: !m) {
  linalg.generic {indexing_maps = [#id, #back, #id], iterator_types = ["parallel"]}
      ins(%x, %y : !m, !m) outs(%z : !m) {
    ^bb0(%e: i32, %f: i32, %o: i32):
      %s = arith.addi %e, %f : i32
      linalg.yield %s : i32
  }
  return
}
func.func @main_two() {
  %a = memref.alloc() : !m
  call @count(%a) : (!m) -> ()
  %b = memref.alloc() : !m
  call @two(%a, %a, %b) : (!m, !m, !m) -> ()
  call @print(%b) : (!m) -> ()
  return
}

// Which of the two is read, is known at run time only.
// CHECK: [0,  3,  6,  9,  12,  15,  18,  21]
//    IR-LABEL: func.func @main_selected
//  IR-COUNT-2:   memref.alloc() :
//          IR:   return
func.func private @selected(%x: !m, %y: !m, %again: i1) {
  linalg.add ins(%x, %x : !m, !m) outs(%y : !m)
  %z = arith.select %again, %x, %y : !m
  linalg.add ins(%z, %y : !m, !m) outs(%y : !m)
  return
}
func.func @main_selected() {
  %true = arith.constant true
  %a = memref.alloc() : !m
  call @count(%a) : (!m) -> ()
  %b = memref.alloc() : !m
  call @selected(%a, %b, %true) : (!m, !m, i1) -> ()
  call @print(%b) : (!m) -> ()
  return
}

// Written from byte 8 on.
// CHECK: [0,  2,  4,  6,  8,  10,  12,  14]
//    IR-LABEL: func.func @main_shifted
//  IR-COUNT-2:   memref.alloc() :
//          IR:   return
func.func private @shifted(%x: !m, %y: memref<40xi8>) {
  %c8 = arith.constant 8 : index
  %part = memref.view %y[%c8][] : memref<40xi8> to !m
  linalg.add ins(%x, %x : !m, !m) outs(%part : !m)
  return
}
func.func @main_shifted() {
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : !m
  call @count(%a) : (!m) -> ()
  %b = memref.alloc() : memref<40xi8>
  call @shifted(%a, %b) : (!m, memref<40xi8>) -> ()
  %part = memref.view %b[%c8][] : memref<40xi8> to !m
  call @print(%part) : (!m) -> ()
  return
}

// The caller passes the other half, which begins elsewhere.
// CHECK: [0,  2,  4,  6]
//    IR-LABEL: func.func @main_half
//  IR-COUNT-2:   memref.alloc() :
//          IR:   return
!half = memref<4xi32, strided<[1], offset: ?>>
func.func private @half(%x: !half, %y: !half) {
  linalg.add ins(%x, %x : !half, !half) outs(%y : !half)
  return
}
func.func @main_half() {
  %a = memref.alloc() : !m
  call @count(%a) : (!m) -> ()
  %b = memref.alloc() : !m
  %low = memref.subview %a[0] [4] [1] : !m to memref<4xi32, strided<[1]>>
  %x = memref.cast %low : memref<4xi32, strided<[1]>> to !half
  %high = memref.subview %b[4] [4] [1] : !m to memref<4xi32, strided<[1], offset: 4>>
  %y = memref.cast %high : memref<4xi32, strided<[1], offset: 4>> to !half
  call @half(%x, %y) : (!half, !half) -> ()
  %any = memref.cast %high : memref<4xi32, strided<[1], offset: 4>> to memref<*xi32>
  call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  return
}

// A buffer of the callee is in the output until that is overwritten.
// CHECK: [0,  11,  22,  33,  44,  55,  66,  77]
//    IR-LABEL: func.func private @lent
//          IR:   memref.reinterpret_cast %arg1
//    IR-LABEL: func.func @main_lent
//  IR-COUNT-2:   memref.alloc() :
//          IR:   return
func.func private @lent(%x: !m, %y: !m) {
  %a = memref.alloc() : !m
  linalg.add ins(%x, %x : !m, !m) outs(%a : !m)
  %b = memref.alloc() : !m
  linalg.add ins(%a, %x : !m, !m) outs(%b : !m)
  %c = memref.alloc() : !m
  linalg.add ins(%a, %b : !m, !m) outs(%c : !m)
  %d = memref.alloc() : !m
  linalg.add ins(%b, %b : !m, !m) outs(%d : !m)
  linalg.add ins(%c, %d : !m, !m) outs(%y : !m)
  return
}
func.func @main_lent() {
  %a = memref.alloc() : !m
  call @count(%a) : (!m) -> ()
  %b = memref.alloc() : !m
  call @lent(%a, %b) : (!m, !m) -> ()
  call @print(%b) : (!m) -> ()
  return
}

// A function that calls itself.
// CHECK: [0,  2,  4,  6,  8,  10,  12,  14]
//    IR-LABEL: func.func @main_recursive
//  IR-COUNT-2:   memref.alloc() :
//          IR:   return
func.func private @recursive(%x: !m, %y: !m, %again: i1) {
  %false = arith.constant false
  scf.if %again {
    func.call @recursive(%x, %y, %false) : (!m, !m, i1) -> ()
  } else {
    linalg.add ins(%x, %x : !m, !m) outs(%y : !m)
  }
  return
}
func.func @main_recursive() {
  %true = arith.constant true
  %a = memref.alloc() : !m
  call @count(%a) : (!m) -> ()
  %b = memref.alloc() : !m
  call @recursive(%a, %b, %true) : (!m, !m, i1) -> ()
  call @print(%b) : (!m) -> ()
  return
}

func.func @main() {
  call @main_double() : () -> ()
  call @main_staged() : () -> ()
  call @main_public() : () -> ()
  call @main_deep() : () -> ()
  call @main_chain() : () -> ()
  call @main_reversed() : () -> ()
  call @main_again() : () -> ()
  call @main_repeated() : () -> ()
  call @main_loop() : () -> ()
  call @main_cycle() : () -> ()
  call @main_parallel() : () -> ()
  call @main_two() : () -> ()
  call @main_selected() : () -> ()
  call @main_shifted() : () -> ()
  call @main_half() : () -> ()
  call @main_lent() : () -> ()
  call @main_recursive() : () -> ()
  return
}
