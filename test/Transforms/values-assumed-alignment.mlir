// RUN: buffer-merge-opt %s --buffer-merge='alignment=1 min-gain=0' | FileCheck %s

// What is assumed about the address of an allocation holds for each value of
// it, also where nothing uses what the assumption returns.

// CHECK-LABEL: func.func @unused(
//       CHECK:   memref.alloc() {alignment = 16 : i64} : memref<{{[0-9]+}}xi8>
//       CHECK:   %[[A:.*]] = memref.view %{{.*}}[%[[OFFSET:.*]]][] : {{.*}} to memref<3x2xi32>
//       CHECK:   memref.transpose
//       CHECK:   memref.assume_alignment
func.func @unused(%x: i32, %y: i64, %i: index, %j: index) -> i32 {
  %p = memref.alloc() : memref<13xi64>
  linalg.fill ins(%y : i64) outs(%p : memref<13xi64>)
  %v = memref.load %p[%i] : memref<13xi64>
  %a = memref.alloc() : memref<3x2xi32>
  linalg.fill ins(%x : i32) outs(%a : memref<3x2xi32>)
  %t = memref.transpose %a (d0, d1) -> (d1, d0) : memref<3x2xi32> to memref<2x3xi32, strided<[1, 2]>>
  %q1 = memref.load %t[%j, %i] : memref<2x3xi32, strided<[1, 2]>>
  %c = memref.alloc() : memref<13xi64>
  linalg.fill ins(%y : i64) outs(%c : memref<13xi64>)
  %v2 = memref.load %c[%i] : memref<13xi64>
  linalg.fill ins(%x : i32) outs(%a : memref<3x2xi32>)
  %q2 = memref.load %a[%i, %j] : memref<3x2xi32>
  %al = memref.assume_alignment %t, 16 : memref<2x3xi32, strided<[1, 2]>>
  %s = arith.addi %q1, %q2 : i32
  return %s : i32
}
