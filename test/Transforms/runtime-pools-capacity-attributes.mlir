// RUN: buffer-merge-opt %s --buffer-merge=capacity=default:1000 | FileCheck %s
// RUN: buffer-merge-opt %s --pass-pipeline="builtin.module(func.func(buffer-merge{capacity=default:1000}))" | FileCheck %s --check-prefixes=CHECK,ALONE

// No assertion makes what a function, a call or a caller says false. A function by
// itself knows of no others.

// CHECK-LABEL: func.func @returns(
//   CHECK-NOT:   cf.assert
//       CHECK:   memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
//   CHECK-NOT:   cf.assert
//       CHECK:   return
func.func @returns(%n: index, %t: memref<i8>) attributes {passthrough = ["willreturn"]} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i8
  %a = memref.alloc(%n) : memref<?xi8>
  linalg.fill ins(%one : i8) outs(%a : memref<?xi8>)
  %b = memref.alloc(%n) : memref<?xi8>
  linalg.map { math.absi } ins(%a : memref<?xi8>) outs(%b : memref<?xi8>)
  %x = memref.load %b[%c0] : memref<?xi8>
  memref.store %x, %t[] : memref<i8>
  return
}

// CHECK-LABEL: func.func private @callee(
// ALONE:         cf.assert
// CHECK-NOT:     cf.assert
//     CHECK:     memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
func.func private @callee(%n: index, %t: memref<i8>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i8
  %a = memref.alloc(%n) : memref<?xi8>
  linalg.fill ins(%one : i8) outs(%a : memref<?xi8>)
  %b = memref.alloc(%n) : memref<?xi8>
  linalg.map { math.absi } ins(%a : memref<?xi8>) outs(%b : memref<?xi8>)
  %x = memref.load %b[%c0] : memref<?xi8>
  memref.store %x, %t[] : memref<i8>
  return
}
func.func @caller(%n: index, %t: memref<i8>) attributes {passthrough = ["willreturn"]} {
  call @callee(%n, %t) : (index, memref<i8>) -> ()
  return
}

// CHECK-LABEL: func.func @other(
//       CHECK:   cf.assert %{{.*}}, "other: a pool has more than 1000 bytes
func.func @other(%n: index, %t: memref<i8>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i8
  %a = memref.alloc(%n) : memref<?xi8>
  linalg.fill ins(%one : i8) outs(%a : memref<?xi8>)
  %b = memref.alloc(%n) : memref<?xi8>
  linalg.map { math.absi } ins(%a : memref<?xi8>) outs(%b : memref<?xi8>)
  %x = memref.load %b[%c0] : memref<?xi8>
  memref.store %x, %t[] : memref<i8>
  return
}
