// RUN: buffer-merge-opt %s --buffer-merge=scheduler=first-fit | FileCheck %s

// R1: the pool is allocated at the front of the scope, with the constants of its
// offsets, one each. R2: each allocation becomes a view of the same type at the
// same place. Nothing else changes.

// 60 bytes each; the second begins at the next multiple of 64, and the pool ends
// with it: 64 + 60.
// CHECK-LABEL: func.func @offsets(
//  CHECK-SAME:     %[[X:.*]]: f32, %[[I:.*]]: index, %[[OUT:.*]]: memref<15xf32>)
//  CHECK-NEXT:   %[[POOL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<124xi8>
//  CHECK-NEXT:   %[[C0:.*]] = arith.constant 0 : index
//  CHECK-NEXT:   %[[C64:.*]] = arith.constant 64 : index
//  CHECK-NEXT:   call @front()
//  CHECK-NEXT:   %[[A:.*]] = memref.view %[[POOL]][%[[C0]]][] : memref<124xi8> to memref<15xf32>
//  CHECK-NEXT:   memref.store %[[X]], %[[A]][%[[I]]] : memref<15xf32>
//  CHECK-NEXT:   %[[B:.*]] = memref.view %[[POOL]][%[[C64]]][] : memref<124xi8> to memref<15xf32>
//  CHECK-NEXT:   memref.copy %[[A]], %[[B]]
//  CHECK-NEXT:   %[[C:.*]] = memref.view %[[POOL]][%[[C0]]][] : memref<124xi8> to memref<3x5xf32>
//  CHECK-NEXT:   memref.store %[[X]], %[[C]]
//  CHECK-NEXT:   memref.copy %[[B]], %[[OUT]]
//  CHECK-NEXT:   return
func.func @offsets(%x: f32, %i: index, %out: memref<15xf32>) {
  call @front() : () -> ()
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.copy %a, %b : memref<15xf32> to memref<15xf32>
  %c = memref.alloc() : memref<3x5xf32>
  memref.store %x, %c[%i, %i] : memref<3x5xf32>
  memref.copy %b, %out : memref<15xf32> to memref<15xf32>
  return
}
func.func private @front()

// A buffer of a loop is viewed in the loop; the pool is that of the function.
// CHECK-LABEL: func.func @in_loop(
//  CHECK-NEXT:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<60xi8>
//  CHECK-NEXT:   %[[C0:.*]] = arith.constant 0 : index
//  CHECK-NEXT:   scf.for
//  CHECK-NEXT:     memref.view %[[POOL]][%[[C0]]]
//  CHECK-NEXT:     memref.store
//  CHECK-NEXT:     memref.view %[[POOL]][%[[C0]]]
//  CHECK-NEXT:     memref.store
//  CHECK-NEXT:   }
//  CHECK-NEXT:   return
func.func @in_loop(%n: index, %s: index, %x: f32) {
  scf.for %i = %s to %n step %s {
    %a = memref.alloc() : memref<15xf32>
    memref.store %x, %a[%i] : memref<15xf32>
    %b = memref.alloc() : memref<15xf32>
    memref.store %x, %b[%i] : memref<15xf32>
  }
  return
}

// One pool for each scope: the iterations of scf.forall have one each, the
// function one for what is outside.
// CHECK-LABEL: func.func @scopes(
//  CHECK-NEXT:   %[[OUTER:.*]] = memref.alloc() {alignment = 64 : i64} : memref<60xi8>
//       CHECK:   memref.view %[[OUTER]]
//       CHECK:   memref.view %[[OUTER]]
//       CHECK:   scf.forall
//  CHECK-NEXT:     %[[INNER:.*]] = memref.alloc() {alignment = 64 : i64} : memref<28xi8>
//       CHECK:     memref.view %[[INNER]]
//       CHECK:     memref.view %[[INNER]]
//   CHECK-NOT:   dealloc
func.func @scopes(%n: index, %s: index, %x: f32) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%s] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%s] : memref<15xf32>
  scf.forall (%i) in (%n) {
    %c = memref.alloc() : memref<7xf32>
    memref.store %x, %c[%i] : memref<7xf32>
    %d = memref.alloc() : memref<7xf32>
    memref.store %x, %d[%i] : memref<7xf32>
  }
  return
}

// And one for each memory space, in the order of their first buffers. They share
// the constants behind them.
// CHECK-LABEL: func.func @spaces(
//  CHECK-NEXT:   %[[DEFAULT:.*]] = memref.alloc() {alignment = 64 : i64} : memref<60xi8>
//  CHECK-NEXT:   %[[NUMBER:.*]] = memref.alloc() {alignment = 64 : i64} : memref<28xi8, 3>
//  CHECK-NEXT:   %[[NAME:.*]] = memref.alloc() {alignment = 64 : i64} : memref<12xi8, "scratch">
//  CHECK-NEXT:   %[[C0:.*]] = arith.constant 0 : index
//   CHECK-NOT:   arith.constant
//       CHECK:   memref.view %[[DEFAULT]][%[[C0]]][] : memref<60xi8> to memref<15xf32>
//       CHECK:   memref.view %[[NUMBER]][%[[C0]]][] : memref<28xi8, 3> to memref<7xf32, 3>
//       CHECK:   memref.view %[[NAME]][%[[C0]]][] : memref<12xi8, "scratch"> to memref<3xf32, "scratch">
//       CHECK:   memref.view %[[NAME]]
//       CHECK:   memref.view %[[NUMBER]]
//       CHECK:   memref.view %[[DEFAULT]]
func.func @spaces(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<7xf32, 3>
  memref.store %x, %b[%i] : memref<7xf32, 3>
  %c = memref.alloc() : memref<3xf32, "scratch">
  memref.store %x, %c[%i] : memref<3xf32, "scratch">
  %d = memref.alloc() : memref<3xf32, "scratch">
  memref.store %x, %d[%i] : memref<3xf32, "scratch">
  %e = memref.alloc() : memref<7xf32, 3>
  memref.store %x, %e[%i] : memref<7xf32, 3>
  %f = memref.alloc() : memref<15xf32>
  memref.store %x, %f[%i] : memref<15xf32>
  return
}

// The front of a scope of several blocks is that of its entry.
// CHECK-LABEL: func.func @blocks(
//  CHECK-NEXT:   %[[POOL:.*]] = memref.alloc()
//  CHECK-NEXT:   arith.constant 0 : index
//  CHECK-NEXT:   cf.br
//       CHECK:   memref.view %[[POOL]]
//       CHECK:   memref.view %[[POOL]]
func.func @blocks(%x: f32, %i: index) {
  cf.br ^left
^left:
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  cf.br ^right
^right:
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  cf.br ^exit
^exit:
  return
}

// Attributes of the program stay with the operation.
// CHECK-LABEL: func.func @attributes(
//       CHECK:   memref.view {{.*}} {my.name = "a"} : memref<60xi8> to memref<15xf32>
func.func @attributes(%x: f32, %i: index) {
  %a = memref.alloc() {my.name = "a"} : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

// A layout that amounts to the identity: views have none, a second one restores it.
// CHECK-LABEL: func.func @layout(
//       CHECK:   %[[V:.*]] = memref.view {{.*}} : memref<60xi8> to memref<3x5xf32>
//  CHECK-NEXT:   %[[A:.*]] = memref.reinterpret_cast %[[V]] to offset: [0], sizes: [3, 5], strides: [5, 1] : memref<3x5xf32> to memref<3x5xf32, strided<[5, 1]>>
//  CHECK-NEXT:   memref.store %{{.*}}, %[[A]][{{.*}}] : memref<3x5xf32, strided<[5, 1]>>
//       CHECK:   %[[W:.*]] = memref.view {{.*}} : memref<60xi8> to memref<3x5xf32>
//  CHECK-NEXT:   memref.reinterpret_cast %[[W]] to offset: [0], sizes: [3, 5], strides: [5, 1] : memref<3x5xf32> to memref<3x5xf32, #{{.*}}>
func.func @layout(%x: f32, %i: index) {
  %a = memref.alloc() : memref<3x5xf32, strided<[5, 1]>>
  memref.store %x, %a[%i, %i] : memref<3x5xf32, strided<[5, 1]>>
  %b = memref.alloc() : memref<3x5xf32, affine_map<(d0, d1) -> (d0 * 5 + d1)>>
  memref.store %x, %b[%i, %i] : memref<3x5xf32, affine_map<(d0, d1) -> (d0 * 5 + d1)>>
  return
}

// All element types that have a size.
// CHECK-LABEL: func.func @types(
//       CHECK:   memref.alloc() {alignment = 64 : i64} : memref<112xi8>
//       CHECK:   memref.view {{.*}} to memref<7xi1>
//       CHECK:   memref.view {{.*}} to memref<7xi12>
//       CHECK:   memref.view {{.*}} to memref<7xindex>
//       CHECK:   memref.view {{.*}} to memref<7xcomplex<f64>>
//       CHECK:   memref.view {{.*}} to memref<7xvector<3xf32>>
//       CHECK:   memref.view {{.*}} to memref<7xf80>
//       CHECK:   memref.view {{.*}} to memref<f32>
func.func @types(%i: index) {
  %a = memref.alloc() : memref<7xi1>
  %0 = memref.load %a[%i] : memref<7xi1>
  %b = memref.alloc() : memref<7xi12>
  %1 = memref.load %b[%i] : memref<7xi12>
  %c = memref.alloc() : memref<7xindex>
  %2 = memref.load %c[%i] : memref<7xindex>
  %d = memref.alloc() : memref<7xcomplex<f64>>
  %3 = memref.load %d[%i] : memref<7xcomplex<f64>>
  %e = memref.alloc() : memref<7xvector<3xf32>>
  %4 = memref.load %e[%i] : memref<7xvector<3xf32>>
  %f = memref.alloc() : memref<7xf80>
  %5 = memref.load %f[%i] : memref<7xf80>
  %g = memref.alloc() : memref<f32>
  %6 = memref.load %g[] : memref<f32>
  return
}
