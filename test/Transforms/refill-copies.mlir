// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge=erase-copies=false -o %t.kept
// RUN: FileCheck %s --check-prefix=KEPT < %t.kept

// Copies become fills, whether their source is in a pool or not.

!m = memref<64xf32>

// A chain of copies, the last one to a part of an argument.
// CHECK-LABEL: func.func @chain(
//  CHECK-SAME:   %[[OUT:.*]]: memref<64xf32>, %[[X:.*]]: f32)
//  CHECK-NEXT:   %[[B:.*]] = memref.alloc()
//  CHECK-NEXT:   linalg.fill ins(%[[X]] : f32) outs(%[[B]]
//  CHECK-NEXT:   linalg.exp ins(%[[B]]
//  CHECK-NEXT:   %[[PART:.*]] = memref.subview %[[OUT]]
//  CHECK-NEXT:   linalg.fill ins(%[[X]] : f32) outs(%[[PART]]
//  CHECK-NEXT:   return
//  KEPT-LABEL: func.func @chain(
// KEPT-COUNT-2:  memref.copy
func.func @chain(%out: !m, %x: f32) {
  %a = memref.alloc() : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  %b = memref.alloc() : !m
  memref.copy %a, %b : !m to !m
  linalg.exp ins(%b : !m) outs(%out : !m)
  %part = memref.subview %out[0] [8] [2] : !m to memref<8xf32, strided<[2]>>
  %half = memref.subview %b[8] [8] [1] : !m to memref<8xf32, strided<[1], offset: 8>>
  memref.copy %half, %part : memref<8xf32, strided<[1], offset: 8>> to memref<8xf32, strided<[2]>>
  return
}

// In no pool, and read otherwise: the fill stays where it is.
// CHECK-LABEL: func.func @read(
//       CHECK:   %[[A:.*]] = memref.alloc()
//  CHECK-NEXT:   linalg.fill {{.*}} outs(%[[A]]
//  CHECK-NEXT:   linalg.fill {{.*}} outs(%arg0
//  CHECK-NEXT:   linalg.exp ins(%arg0 {{.*}} outs(%arg0
//  CHECK-NEXT:   scf.for
//  CHECK-NEXT:     linalg.add ins(%[[A]]
func.func @read(%out: !m, %x: f32, %n: index) {
  %a = memref.alloc() : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  memref.copy %a, %out : !m to !m
  linalg.exp ins(%out : !m) outs(%out : !m)
  scf.for %i = %n to %n step %n {
    linalg.add ins(%a, %out : !m, !m) outs(%a : !m)
  }
  linalg.exp ins(%a : !m) outs(%out : !m)
  return
}

// A part of it is another value.
// CHECK-LABEL: func.func @changed(
//       CHECK:   memref.copy
func.func @changed(%out: !m, %x: f32, %i: index) {
  %a = memref.alloc() : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  memref.store %x, %a[%i] : !m
  memref.copy %a, %out : !m to !m
  return
}

// CHECK-LABEL: func.func @changed_in_the_loop(
//       CHECK:   memref.copy
func.func @changed_in_the_loop(%out: !m, %x: f32, %n: index) {
  %a = memref.alloc() : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  scf.for %i = %n to %n step %n {
    memref.copy %a, %out : !m to !m
    memref.store %x, %a[%i] : !m
  }
  return
}

// CHECK-LABEL: func.func @changed_in_parallel(
//       CHECK:   memref.copy
func.func @changed_in_parallel(%out: !m, %x: f32, %n: index) {
  %a = memref.alloc() : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  scf.forall (%i) in (%n) {
    memref.store %x, %a[%i] : !m
    memref.copy %a, %out : !m to !m
  }
  return
}

// Which one of two fills it was is known at run time only.
// CHECK-LABEL: func.func @either(
//       CHECK:   memref.copy
func.func @either(%out: !m, %x: f32, %y: f32, %c: i1) {
  %a = memref.alloc() : !m
  scf.if %c {
    linalg.fill ins(%x : f32) outs(%a : !m)
  } else {
    linalg.fill ins(%y : f32) outs(%a : !m)
  }
  memref.copy %a, %out : !m to !m
  return
}

// The scalar belongs to the loop, which runs at least once.
// CHECK-LABEL: func.func @scalar(
//       CHECK:   memref.copy
func.func @scalar(%out: !m, %n: index) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : !m
  affine.for %i = 0 to 1 {
    %x = memref.load %out[%i] : !m
    linalg.fill ins(%x : f32) outs(%a : !m)
  }
  memref.copy %a, %out : !m to !m
  return
}

// Not every operation can write other memory.
// CHECK-LABEL: func.func @space(
//       CHECK:   memref.copy
func.func @space(%out: memref<64xf32, 1>, %x: f32) {
  %a = memref.alloc() : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  memref.copy %a, %out : !m to memref<64xf32, 1>
  return
}

// Copies of views, also of a part, and of what only views are copied to.
// CHECK-LABEL: func.func @views(
//   CHECK-NOT:   memref.copy
//       CHECK:   linalg.fill ins(%{{.*}}) outs(%{{.*}} : memref<8x8xf32>)
//   CHECK-NOT:   memref.copy
//       CHECK:   return
func.func @views(%out: memref<8x8xf32>, %part: memref<4x8xf32>, %x: f32) {
  %a = memref.alloc() : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  %from = memref.expand_shape %a [[0, 1]] output_shape [8, 8] : !m into memref<8x8xf32>
  %b = memref.alloc() : !m
  %to = memref.expand_shape %b [[0, 1]] output_shape [8, 8] : !m into memref<8x8xf32>
  memref.copy %from, %to : memref<8x8xf32> to memref<8x8xf32>
  memref.copy %to, %out : memref<8x8xf32> to memref<8x8xf32>
  %half = memref.subview %to[4, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1], offset: 32>>
  memref.copy %half, %part : memref<4x8xf32, strided<[8, 1], offset: 32>> to memref<4x8xf32>
  return
}

// The scalar is no element of the view.
// CHECK-LABEL: func.func @bytes(
//       CHECK:   memref.copy
//   CHECK-NOT:   memref.copy
//       CHECK:   return
func.func @bytes(%out: memref<16xi32>, %bytes: memref<64xi8>, %x: i8) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64xi8>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8>)
  %words = memref.view %a[%c0][] : memref<64xi8> to memref<16xi32>
  memref.copy %words, %out : memref<16xi32> to memref<16xi32>
  memref.copy %a, %bytes : memref<64xi8> to memref<64xi8>
  return
}

// What is then only freed is not allocated.
// CHECK-LABEL: func.func @only_freed(
//  CHECK-NEXT:   %[[B:.*]] = memref.alloc()
//  CHECK-NEXT:   linalg.fill {{.*}} outs(%[[B]]
//  CHECK-NEXT:   linalg.exp ins(%[[B]]
//  CHECK-NEXT:   memref.dealloc %[[B]]
//  CHECK-NEXT:   return
func.func @only_freed(%out: !m, %x: f32) {
  %a = memref.alloc() : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  %b = memref.alloc() : !m
  memref.copy %a, %b : !m to !m
  memref.dealloc %a : !m
  linalg.exp ins(%b : !m) outs(%out : !m)
  memref.dealloc %b : !m
  return
}
