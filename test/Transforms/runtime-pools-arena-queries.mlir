// RUN: buffer-merge-opt %s -split-input-file --buffer-merge=pool=arena | FileCheck %s

// The least bytes are those that the query returns for sizes of 0: the pool of run-time
// size is aligned as it needs, not as what is in front of it.

// CHECK-LABEL: func.func @f(
//  CHECK-SAME:   {buffer_merge.arena = {alignment = 4096 : i64, bytes = 128 : i64}}
// CHECK-LABEL: func.func @f_arena_size_for(
//       CHECK:   %[[FRONT:.*]] = arith.constant 128 : index
//       CHECK:   arith.addi %[[FRONT]], %{{.*}} : index
func.func private @callee(%x: i8) -> i8 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() {alignment = 4096 : i64} : memref<100xi8>
  linalg.fill ins(%x : i8) outs(%a : memref<100xi8>)
  %y = memref.load %a[%c0] : memref<100xi8>
  return %y : i8
}
func.func @f(%x: memref<?xi8>) -> i8 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i8
  %y = func.call @callee(%zero) : (i8) -> i8
  %n = memref.dim %x, %c0 : memref<?xi8>
  %a = memref.alloc(%n) : memref<?xi8>
  linalg.fill ins(%y : i8) outs(%a : memref<?xi8>)
  %z = memref.load %a[%c0] : memref<?xi8>
  return %z : i8
}

// -----

// Who asks for the alignment alone gets it.

// CHECK-LABEL: func.func @f(
//  CHECK-SAME:   %{{.*}}: memref<?xi8> {buffer_merge.arena})
// CHECK-LABEL: func.func @f_arena_size_for(
// CHECK-LABEL: func.func private @f_arena_alignment() -> index {
//       CHECK:   arith.constant 64 : index
// CHECK-LABEL: func.func @user(
//       CHECK:   call @f_arena_alignment()
func.func @f(%n: index) -> i8 {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1 : i8
  %a = memref.alloc(%n) : memref<?xi8>
  linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
  %y = memref.load %a[%c0] : memref<?xi8>
  return %y : i8
}
func.func private @f_arena_alignment() -> index
func.func @user() -> index {
  %0 = func.call @f_arena_alignment() : () -> index
  return %0 : index
}

// -----

// What a function without an arena does not need may be anything.

// CHECK-LABEL: func.func @f(
//   CHECK-NOT:   buffer_merge.arena
//       CHECK:   memref.alloc(
//       CHECK: func.func @f_arena_alignment(%{{.*}}: i8) {
// CHECK-LABEL: func.func @g(
//   CHECK-NOT:   buffer_merge.arena
//       CHECK:   memref.alloc(
//       CHECK: func.func @g_arena_size_for() {
func.func @f(%n: index) -> i8 {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1 : i8
  %a = memref.alloc(%n) : memref<?xi8>
  linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
  %y = memref.load %a[%c0] : memref<?xi8>
  return %y : i8
}
func.func @f_arena_alignment(%x: i8) {
  return
}
func.func @g(%n: index) -> i8 {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1 : i8
  %a = memref.alloc(%n) : memref<?xi8>
  linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
  %y = memref.load %a[%c0] : memref<?xi8>
  return %y : i8
}
func.func @g_arena_size_for() {
  return
}

// -----

// A function that something other than a call refers to is not asked for its size.

// CHECK-LABEL: func.func private @f(
//       CHECK:   memref.alloc(
// CHECK-LABEL: func.func private @f_arena_size() -> index {
func.func private @f(%n: index, %arena: memref<?xi8> {buffer_merge.arena}) -> i8 {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1 : i8
  %a = memref.alloc(%n) : memref<?xi8>
  linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
  %y = memref.load %a[%c0] : memref<?xi8>
  return %y : i8
}
func.func @user(%n: index, %arena: memref<?xi8>) -> i8 {
  %f = func.constant @f : (index, memref<?xi8>) -> i8
  %x = func.call_indirect %f(%n, %arena) : (index, memref<?xi8>) -> i8
  return %x : i8
}

// -----

// A size that more operations compute than are looked at.

// CHECK-LABEL: func.func @f(
//   CHECK-NOT:   buffer_merge.arena
//       CHECK:   memref.alloc(
func.func @f(%n: index, %m: index) -> i8 {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1 : i8
  %t0 = arith.xori %n, %m : index
  %t1 = arith.xori %t0, %n : index
  %t2 = arith.xori %t1, %n : index
  %t3 = arith.xori %t2, %n : index
  %t4 = arith.xori %t3, %n : index
  %t5 = arith.xori %t4, %n : index
  %t6 = arith.xori %t5, %n : index
  %t7 = arith.xori %t6, %n : index
  %t8 = arith.xori %t7, %n : index
  %t9 = arith.xori %t8, %n : index
  %t10 = arith.xori %t9, %n : index
  %t11 = arith.xori %t10, %n : index
  %t12 = arith.xori %t11, %n : index
  %a = memref.alloc(%t12) : memref<?xi8>
  linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
  %y = memref.load %a[%c0] : memref<?xi8>
  return %y : i8
}
