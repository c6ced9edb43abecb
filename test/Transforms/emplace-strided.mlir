// RUN: buffer-merge-opt %s --emplace-buffers=strided | FileCheck %s
// RUN: buffer-merge-opt %s --emplace-buffers=strided -o %t.once
// RUN: buffer-merge-opt %t.once --emplace-buffers=strided | diff %t.once -
// RUN: buffer-merge-opt %s --emplace-buffers | FileCheck %s --check-prefix=DEFAULT

!whole = memref<4x4xf32>
!half = memref<4x2xf32>
!left = memref<4x2xf32, strided<[4, 1]>>
!right = memref<4x2xf32, strided<[4, 1], offset: 2>>

// A concatenation of columns. Subviews of the inner buffers are of the rows there.
// CHECK-LABEL: func.func @concat(
//  CHECK-NEXT:   %[[C:.*]] = memref.alloc() : memref<4x4xf32>
//  CHECK-NEXT:   %[[A:.*]] = memref.subview %[[C]][0, 0] [4, 2] [1, 1]
//  CHECK-NEXT:   linalg.exp ins(%{{.*}}) outs(%[[A]] :
//  CHECK-NEXT:   %[[B:.*]] = memref.subview %[[C]][0, 2] [4, 2] [1, 1]
//  CHECK-NEXT:   %[[ROW:.*]] = memref.subview %[[B]][1, 0] [1, 2] [1, 1]
//  CHECK-SAME:     to memref<2xf32, strided<[1], offset: 6>>
//  CHECK-NEXT:   %[[ELEMENT:.*]] = memref.subview %[[ROW]][1] [1] [1]
//  CHECK-SAME:     to memref<f32, strided<[], offset: 7>>
//  CHECK-NEXT:   linalg.sqrt ins(%[[A]] : {{.*}}) outs(%[[B]]
//  CHECK-NEXT:   memref.store %{{.*}}, %[[ELEMENT]][]
//  CHECK-NEXT:   linalg.exp ins(%[[C]]
//  CHECK-NEXT:   return
// DEFAULT-LABEL: func.func @concat(
// DEFAULT-COUNT-2: memref.copy
//       DEFAULT:   return
func.func @concat(%in: !half, %out: !whole, %x: f32) {
  %a = memref.alloc() : !half
  linalg.exp ins(%in : !half) outs(%a : !half)
  %b = memref.alloc() : !half
  %row = memref.subview %b[1, 0] [1, 2] [1, 1] : !half to memref<2xf32, strided<[1], offset: 2>>
  %element = memref.subview %row[1] [1] [1] : memref<2xf32, strided<[1], offset: 2>> to memref<f32, strided<[], offset: 3>>
  linalg.sqrt ins(%a : !half) outs(%b : !half)
  memref.store %x, %element[] : memref<f32, strided<[], offset: 3>>
  %c = memref.alloc() : !whole
  %left = memref.subview %c[0, 0] [4, 2] [1, 1] : !whole to !left
  %right = memref.subview %c[0, 2] [4, 2] [1, 1] : !whole to !right
  memref.copy %a, %left : !half to !left
  memref.copy %b, %right : !half to !right
  linalg.exp ins(%c : !whole) outs(%out : !whole)
  return
}

// Columns of rows: the rows are bytes of one allocation, the columns a part of them.
// CHECK-LABEL: func.func @nested(
//       CHECK:   %[[D:.*]] = memref.alloc() {{.*}} : memref<128xi8>
//       CHECK:   %[[C:.*]] = memref.view %[[D]]{{.*}} to memref<4x4xf32>
//       CHECK:   %[[A:.*]] = memref.subview %[[C]][0, 2]
//       CHECK:   linalg.exp ins(%{{.*}}) outs(%[[A]]
//       CHECK:   memref.copy %arg0, %
//   CHECK-NOT:   memref.copy
//       CHECK:   return
func.func @nested(%in: !half, %out: memref<8x4xf32>) {
  %a = memref.alloc() : !half
  linalg.exp ins(%in : !half) outs(%a : !half)
  %c = memref.alloc() : !whole
  %left = memref.subview %c[0, 0] [4, 2] [1, 1] : !whole to !left
  %right = memref.subview %c[0, 2] [4, 2] [1, 1] : !whole to !right
  memref.copy %in, %left : !half to !left
  memref.copy %a, %right : !half to !right
  %d = memref.alloc() : memref<8x4xf32>
  %rows = memref.subview %d[4, 0] [4, 4] [1, 1] : memref<8x4xf32> to memref<4x4xf32, strided<[4, 1], offset: 16>>
  memref.copy %c, %rows : !whole to memref<4x4xf32, strided<[4, 1], offset: 16>>
  linalg.exp ins(%d : memref<8x4xf32>) outs(%out : memref<8x4xf32>)
  return
}

// Other columns may be used meanwhile; these may not.
// CHECK-LABEL: func.func @part_in_use(
// CHECK-COUNT-1: memref.copy
//   CHECK-NOT:   memref.copy
//       CHECK:   return
func.func @part_in_use(%in: !half, %other: !half, %out: !whole, %x: f32) {
  %c = memref.alloc() : !whole
  linalg.fill ins(%x : f32) outs(%c : !whole)
  %left = memref.subview %c[0, 0] [4, 2] [1, 1] : !whole to !left
  %right = memref.subview %c[0, 2] [4, 2] [1, 1] : !whole to !right
  %a = memref.alloc() : !half
  linalg.exp ins(%in : !half) outs(%a : !half)
  linalg.exp ins(%right : !right) outs(%other : !half)
  memref.copy %a, %left : !half to !left
  %b = memref.alloc() : !half
  linalg.exp ins(%in : !half) outs(%b : !half)
  linalg.exp ins(%right : !right) outs(%other : !half)
  memref.copy %b, %right : !half to !right
  linalg.exp ins(%c : !whole) outs(%out : !whole)
  return
}

// Every second column: not known to be beside the others.
// CHECK-LABEL: func.func @steps(
//       CHECK:   memref.copy
func.func @steps(%in: !half, %out: !whole, %x: f32) {
  %c = memref.alloc() : !whole
  linalg.fill ins(%x : f32) outs(%c : !whole)
  %a = memref.alloc() : !half
  linalg.exp ins(%in : !half) outs(%a : !half)
  %part = memref.subview %c[0, 0] [4, 2] [1, 2] : !whole to memref<4x2xf32, strided<[4, 2]>>
  memref.copy %a, %part : !half to memref<4x2xf32, strided<[4, 2]>>
  linalg.exp ins(%c : !whole) outs(%out : !whole)
  return
}

// These uses need rows that are contiguous, or may.
// CHECK-LABEL: func.func @collapsed(
//       CHECK:   memref.copy
func.func @collapsed(%in: memref<8xf32>, %out: !whole, %x: f32) {
  %c = memref.alloc() : !whole
  linalg.fill ins(%x : f32) outs(%c : !whole)
  %a = memref.alloc() : !half
  %row = memref.collapse_shape %a [[0, 1]] : !half into memref<8xf32>
  linalg.exp ins(%in : memref<8xf32>) outs(%row : memref<8xf32>)
  %right = memref.subview %c[0, 2] [4, 2] [1, 1] : !whole to !right
  memref.copy %a, %right : !half to !right
  linalg.exp ins(%c : !whole) outs(%out : !whole)
  return
}

// CHECK-LABEL: func.func @called(
//       CHECK:   memref.copy
func.func private @compute(!half)
func.func @called(%out: !whole, %x: f32) {
  %c = memref.alloc() : !whole
  linalg.fill ins(%x : f32) outs(%c : !whole)
  %a = memref.alloc() : !half
  func.call @compute(%a) : (!half) -> ()
  %right = memref.subview %c[0, 2] [4, 2] [1, 1] : !whole to !right
  memref.copy %a, %right : !half to !right
  linalg.exp ins(%c : !whole) outs(%out : !whole)
  return
}

// CHECK-LABEL: func.func @reinterpreted(
//       CHECK:   memref.copy
func.func @reinterpreted(%in: memref<8xf32>, %out: !whole, %x: f32) {
  %c = memref.alloc() : !whole
  linalg.fill ins(%x : f32) outs(%c : !whole)
  %a = memref.alloc() : !half
  %row = memref.reinterpret_cast %a to offset: [0], sizes: [8], strides: [1] : !half to memref<8xf32>
  linalg.exp ins(%in : memref<8xf32>) outs(%row : memref<8xf32>)
  %right = memref.subview %c[0, 2] [4, 2] [1, 1] : !whole to !right
  memref.copy %a, %right : !half to !right
  linalg.exp ins(%c : !whole) outs(%out : !whole)
  return
}

// The copy has another shape than the inner buffer.
// CHECK-LABEL: func.func @reshaped(
//       CHECK:   memref.copy
func.func @reshaped(%in: memref<8xf32>, %out: !whole, %x: f32) {
  %c = memref.alloc() : !whole
  linalg.fill ins(%x : f32) outs(%c : !whole)
  %a = memref.alloc() : memref<8xf32>
  linalg.exp ins(%in : memref<8xf32>) outs(%a : memref<8xf32>)
  %rows = memref.expand_shape %a [[0, 1]] output_shape [4, 2] : memref<8xf32> into !half
  %right = memref.subview %c[0, 2] [4, 2] [1, 1] : !whole to !right
  memref.copy %rows, %right : !half to !right
  linalg.exp ins(%c : !whole) outs(%out : !whole)
  return
}

// The first row is as aligned as it has to be, the second one is not.
// CHECK-LABEL: func.func @rows_are_not_aligned(
//       CHECK:   memref.copy
func.func @rows_are_not_aligned(%in: !half, %out: memref<4x6xf32>, %x: f32) {
  %c = memref.alloc() : memref<4x6xf32>
  linalg.fill ins(%x : f32) outs(%c : memref<4x6xf32>)
  %a = memref.alloc() {alignment = 16 : i64} : !half
  linalg.exp ins(%in : !half) outs(%a : !half)
  %right = memref.subview %c[0, 4] [4, 2] [1, 1] : memref<4x6xf32> to memref<4x2xf32, strided<[6, 1], offset: 4>>
  memref.copy %a, %right : !half to memref<4x2xf32, strided<[6, 1], offset: 4>>
  linalg.exp ins(%c : memref<4x6xf32>) outs(%out : memref<4x6xf32>)
  return
}

// The outer buffer becomes as aligned as the inner one.
// CHECK-LABEL: func.func @alignment(
//       CHECK:   memref.alloc() {alignment = 16 : i64} : memref<4x8xf32>
//   CHECK-NOT:   memref.copy
//       CHECK:   return
func.func @alignment(%in: !half, %out: memref<4x8xf32>, %x: f32) {
  %c = memref.alloc() : memref<4x8xf32>
  linalg.fill ins(%x : f32) outs(%c : memref<4x8xf32>)
  %a = memref.alloc() {alignment = 16 : i64} : !half
  linalg.exp ins(%in : !half) outs(%a : !half)
  %right = memref.subview %c[0, 4] [4, 2] [1, 1] : memref<4x8xf32> to memref<4x2xf32, strided<[8, 1], offset: 4>>
  memref.copy %a, %right : !half to memref<4x2xf32, strided<[8, 1], offset: 4>>
  linalg.exp ins(%c : memref<4x8xf32>) outs(%out : memref<4x8xf32>)
  return
}
