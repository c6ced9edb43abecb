// RUN: buffer-merge-opt %s --buffer-merge="capacity=default:1024,1:1024" | FileCheck %s

// What a callee holds in one memory space leaves less of that one alone.

// CHECK-LABEL: func.func @f(
//       CHECK:   cf.assert %{{.*}}, "f: a pool has more than 924 bytes
//       CHECK:   cf.assert %{{.*}}, "f: a pool has more than 724 bytes
func.func @f(%n: index) -> i8 {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i8
  %a = memref.alloc(%n) : memref<?xi8>
  linalg.fill ins(%one : i8) outs(%a : memref<?xi8>)
  %b = memref.alloc(%n) : memref<?xi8, 1>
  linalg.fill ins(%one : i8) outs(%b : memref<?xi8, 1>)
  %x = func.call @callee(%one) : (i8) -> i8
  %c = memref.alloc(%n) : memref<?xi8>
  linalg.map { arith.addi } ins(%a, %b : memref<?xi8>, memref<?xi8, 1>) outs(%c : memref<?xi8>)
  %d = memref.alloc(%n) : memref<?xi8, 1>
  linalg.map { arith.addi } ins(%c, %b : memref<?xi8>, memref<?xi8, 1>) outs(%d : memref<?xi8, 1>)
  %y = memref.load %d[%c0] : memref<?xi8, 1>
  %z = arith.addi %x, %y : i8
  return %z : i8
}
func.func private @callee(%x: i8) -> i8 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<100xi8>
  linalg.fill ins(%x : i8) outs(%a : memref<100xi8>)
  %b = memref.alloc() : memref<300xi8, 1>
  linalg.fill ins(%x : i8) outs(%b : memref<300xi8, 1>)
  %y = memref.load %a[%c0] : memref<100xi8>
  %z = memref.load %b[%c0] : memref<300xi8, 1>
  %s = arith.addi %y, %z : i8
  memref.dealloc %a : memref<100xi8>
  memref.dealloc %b : memref<300xi8, 1>
  return %s : i8
}
