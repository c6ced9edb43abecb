// RUN: buffer-merge-opt %s --propagate-copies --split-input-file | FileCheck %s
// RUN: buffer-merge-opt %s --propagate-copies --split-input-file -o %t.once
// RUN: buffer-merge-opt %t.once --propagate-copies --split-input-file | diff %t.once -

// What is read instead of a copy, and which operations keep their names.

// CHECK-DAG: #[[MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[NK:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[KM:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[KN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: func.func @matmul(
//  CHECK-SAME:   %[[W:.*]]: memref<8x16xf32>, %[[X:.*]]: memref<4x16xf32>)
//  CHECK-NEXT:   %[[Y:.*]] = memref.alloc() : memref<4x8xf32>
//  CHECK-NEXT:   linalg.matmul indexing_maps = [#[[MK]], #[[NK]], #[[MN]]] ins(%[[X]], %[[W]] {{.*}} outs(%[[Y]]
//  CHECK-NEXT:   return
func.func @matmul(%w: memref<8x16xf32>, %x: memref<4x16xf32>) -> memref<4x8xf32> {
  %t = memref.alloc() : memref<16x8xf32>
  linalg.transpose ins(%w : memref<8x16xf32>) outs(%t : memref<16x8xf32>) permutation = [1, 0]
  %y = memref.alloc() : memref<4x8xf32>
  linalg.matmul ins(%x, %t : memref<4x16xf32>, memref<16x8xf32>) outs(%y : memref<4x8xf32>)
  memref.dealloc %t : memref<16x8xf32>
  return %y : memref<4x8xf32>
}

// Both operands, one of them transposed before.
// CHECK-LABEL: func.func @both_operands(
//       CHECK:   linalg.matmul indexing_maps = [#[[KM]], #[[KN]], #[[MN]]] ins(%arg0, %arg1
func.func @both_operands(%a: memref<16x4xf32>, %b: memref<16x8xf32>) -> memref<4x8xf32> {
  %s = memref.alloc() : memref<4x16xf32>
  linalg.transpose ins(%a : memref<16x4xf32>) outs(%s : memref<4x16xf32>) permutation = [1, 0]
  %t = memref.alloc() : memref<8x16xf32>
  linalg.transpose ins(%b : memref<16x8xf32>) outs(%t : memref<8x16xf32>) permutation = [1, 0]
  %y = memref.alloc() : memref<4x8xf32>
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%s, %t : memref<4x16xf32>, memref<8x16xf32>) outs(%y : memref<4x8xf32>)
  return %y : memref<4x8xf32>
}

// A matrix multiplication converts its operands by itself: the weights are
// converted, then transposed.
// CHECK-LABEL: func.func @converted(
//  CHECK-SAME:   %[[W:.*]]: memref<8x16xi8>, %[[X:.*]]: memref<4x16xi32>)
//  CHECK-NEXT:   %[[Y:.*]] = memref.alloc() : memref<4x8xi32>
//  CHECK-NEXT:   linalg.matmul indexing_maps = [#[[MK]], #[[NK]], #[[MN]]] ins(%[[X]], %[[W]] : memref<4x16xi32>, memref<8x16xi8>)
//  CHECK-NEXT:   return
#id = affine_map<(i, j) -> (i, j)>
func.func @converted(%w: memref<8x16xi8>, %x: memref<4x16xi32>) -> memref<4x8xi32> {
  %c = memref.alloc() : memref<8x16xi32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : memref<8x16xi8>) outs(%c : memref<8x16xi32>) {
  ^bb0(%in: i8, %out: i32):
    %e = arith.extsi %in : i8 to i32
    linalg.yield %e : i32
  }
  %t = memref.alloc() : memref<16x8xi32>
  linalg.transpose ins(%c : memref<8x16xi32>) outs(%t : memref<16x8xi32>) permutation = [1, 0]
  %y = memref.alloc() : memref<4x8xi32>
  linalg.matmul ins(%x, %t : memref<4x16xi32>, memref<16x8xi32>) outs(%y : memref<4x8xi32>)
  return %y : memref<4x8xi32>
}

// Without a sign, it does so only if it says so.
// CHECK-LABEL: func.func @unsigned(
//   CHECK-NOT:   memref.alloc() : memref<16x8xi32>
//       CHECK:   linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%arg1, %arg0
//       CHECK:   linalg.generic
//       CHECK:   ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i8, %{{.*}}: i32):
//  CHECK-NEXT:     %[[E:.*]] = arith.extui %[[B]] : i8 to i32
//  CHECK-NEXT:     arith.muli %[[A]], %[[E]]
func.func @unsigned(%w: memref<16x8xi8>, %x: memref<4x16xi32>) -> (memref<4x8xi32>, memref<4x8xi32>) {
  %c = memref.alloc() : memref<16x8xi32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : memref<16x8xi8>) outs(%c : memref<16x8xi32>) {
  ^bb0(%in: i8, %out: i32):
    %e = arith.extui %in : i8 to i32
    linalg.yield %e : i32
  }
  %y = memref.alloc() : memref<4x8xi32>
  linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%x, %c : memref<4x16xi32>, memref<16x8xi32>) outs(%y : memref<4x8xi32>)
  %z = memref.alloc() : memref<4x8xi32>
  linalg.matmul ins(%x, %c : memref<4x16xi32>, memref<16x8xi32>) outs(%z : memref<4x8xi32>)
  return %y, %z : memref<4x8xi32>, memref<4x8xi32>
}

// The body of a generic operation: a chain of conversions, repeated for each
// reader and operand. Other operations are not conversions.
// CHECK-LABEL: func.func @body(
//  CHECK-NEXT:   %[[Y:.*]] = memref.alloc() : memref<4xf32>
//  CHECK-NEXT:   linalg.generic {{.*}} ins(%arg0, %arg0 : memref<4xi8>, memref<4xi8>)
//  CHECK-NEXT:   ^bb0(%[[A:.*]]: i8, %[[B:.*]]: i8, %{{.*}}: f32):
//  CHECK-NEXT:     %[[A0:.*]] = arith.extui %[[A]] : i8 to i32
//  CHECK-NEXT:     %[[A1:.*]] = arith.sitofp %[[A0]] : i32 to f32
//  CHECK-NEXT:     %[[B0:.*]] = arith.extui %[[B]] : i8 to i32
//  CHECK-NEXT:     %[[B1:.*]] = arith.sitofp %[[B0]] : i32 to f32
//  CHECK-NEXT:     arith.subf %[[A1]], %[[B1]]
//       CHECK:   %[[Z:.*]] = memref.alloc()
//  CHECK-NEXT:   linalg.exp ins(%[[Y]] {{.*}} outs(%[[Z]]
//       CHECK:   linalg.generic {{.*}} ins(%[[Z]]
#id1 = affine_map<(i) -> (i)>
func.func @body(%w: memref<4xi8>) -> memref<4xf32> {
  %c = memref.alloc() : memref<4xf32>
  linalg.map ins(%w : memref<4xi8>) outs(%c : memref<4xf32>) (%in: i8, %init: f32) {
    %e = arith.extui %in : i8 to i32
    %f = arith.sitofp %e : i32 to f32
    linalg.yield %f : f32
  }
  %y = memref.alloc() : memref<4xf32>
  linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]}
      ins(%c, %c : memref<4xf32>, memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    linalg.yield %d : f32
  }
  %z = memref.alloc() : memref<4xf32>
  linalg.exp ins(%y : memref<4xf32>) outs(%z : memref<4xf32>)
  linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
      ins(%z : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  }
  return %y : memref<4xf32>
}

// What moves elements can move others: two permutations are one or none, and a
// broadcast of a broadcast is one.
// CHECK-LABEL: func.func @moves(
//  CHECK-NEXT:   %[[Y:.*]] = memref.alloc() : memref<4x2x3xf32>
//  CHECK-NEXT:   linalg.transpose ins(%arg0 : memref<2x3x4xf32>) outs(%[[Y]] : {{.*}}) permutation = [2, 0, 1]
//  CHECK-NEXT:   %[[Z:.*]] = memref.alloc() : memref<2x3x4xf32>
//  CHECK-NEXT:   linalg.copy ins(%arg0 {{.*}} outs(%[[Z]]
//  CHECK-NEXT:   %[[B:.*]] = memref.alloc() : memref<5x3x6xf32>
//  CHECK-NEXT:   linalg.broadcast ins(%arg1 : memref<3xf32>) outs(%[[B]] : {{.*}}) dimensions = [0, 2]
//  CHECK-NEXT:   return
func.func @moves(%a: memref<2x3x4xf32>, %b: memref<3xf32>)
    -> (memref<4x2x3xf32>, memref<2x3x4xf32>, memref<5x3x6xf32>) {
  %t = memref.alloc() : memref<3x4x2xf32>
  linalg.transpose ins(%a : memref<2x3x4xf32>) outs(%t : memref<3x4x2xf32>) permutation = [1, 2, 0]
  %y = memref.alloc() : memref<4x2x3xf32>
  linalg.transpose ins(%t : memref<3x4x2xf32>) outs(%y : memref<4x2x3xf32>) permutation = [1, 2, 0]
  %z = memref.alloc() : memref<2x3x4xf32>
  linalg.transpose ins(%t : memref<3x4x2xf32>) outs(%z : memref<2x3x4xf32>) permutation = [2, 0, 1]
  %c = memref.alloc() : memref<3x6xf32>
  linalg.broadcast ins(%b : memref<3xf32>) outs(%c : memref<3x6xf32>) dimensions = [1]
  %d = memref.alloc() : memref<5x3x6xf32>
  linalg.broadcast ins(%c : memref<3x6xf32>) outs(%d : memref<5x3x6xf32>) dimensions = [0]
  return %y, %z, %d : memref<4x2x3xf32>, memref<2x3x4xf32>, memref<5x3x6xf32>
}

// Operations with indexing maps.
// CHECK-LABEL: func.func @maps(
//       CHECK:   linalg.batch_matmul indexing_maps = [{{.*}}] ins(%arg0, %arg1 : memref<2x4x5xf32>, memref<2x6x5xf32>)
//       CHECK:   linalg.contract indexing_maps = [{{.*}}] ins(%arg0, %arg1 : memref<2x4x5xf32>, memref<2x6x5xf32>)
//       CHECK:   linalg.elementwise kind=#linalg.elementwise_kind<add> indexing_maps = [{{.*}}] ins(%{{.*}}, %arg2 : memref<2x4x6xf32>, memref<6xf32>)
func.func @maps(%a: memref<2x4x5xf32>, %w: memref<2x6x5xf32>, %bias: memref<6xf32>) -> memref<2x4x6xf32> {
  %t = memref.alloc() : memref<2x5x6xf32>
  linalg.transpose ins(%w : memref<2x6x5xf32>) outs(%t : memref<2x5x6xf32>) permutation = [0, 2, 1]
  %y = memref.alloc() : memref<2x4x6xf32>
  linalg.batch_matmul ins(%a, %t : memref<2x4x5xf32>, memref<2x5x6xf32>) outs(%y : memref<2x4x6xf32>)
  linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%a, %t : memref<2x4x5xf32>, memref<2x5x6xf32>) outs(%y : memref<2x4x6xf32>)
  %b = memref.alloc() : memref<2x4x6xf32>
  linalg.broadcast ins(%bias : memref<6xf32>) outs(%b : memref<2x4x6xf32>) dimensions = [0, 1]
  linalg.elementwise kind=#linalg.elementwise_kind<add> ins(%y, %b : memref<2x4x6xf32>, memref<2x4x6xf32>) outs(%y : memref<2x4x6xf32>)
  return %y : memref<2x4x6xf32>
}

// A plain copy changes nothing about its readers, nor does a size of it.
// CHECK-LABEL: func.func @plain(
//  CHECK-SAME:   %[[A:.*]]: memref<?x?xf32>, %[[N:.*]]: index)
//       CHECK:   %[[D:.*]] = memref.alloc(%[[N]])
//  CHECK-NEXT:   linalg.softmax
//       CHECK:   linalg.reduce { arith.addf } ins(%[[A]] : memref<?x?xf32>)
//       CHECK:   return %{{.*}}, %[[N]] :
func.func @plain(%a: memref<?x?xf32>, %n: index) -> (memref<?xf32>, index) {
  %c1 = arith.constant 1 : index
  %c = memref.alloc(%n, %n) : memref<?x?xf32>
  memref.copy %a, %c : memref<?x?xf32> to memref<?x?xf32>
  %m = memref.dim %c, %c1 : memref<?x?xf32>
  %d = memref.alloc(%m) : memref<?xf32>
  linalg.softmax dimension(0) ins(%d : memref<?xf32>) outs(%d : memref<?xf32>)
  linalg.reduce { arith.addf } ins(%c : memref<?x?xf32>) outs(%d : memref<?xf32>) dimensions = [1]
  return %d, %m : memref<?xf32>, index
}

// A contraction with another name becomes one that takes any maps, with its
// attributes.
// CHECK-LABEL: func.func @named(
//       CHECK:   linalg.contract indexing_maps = [{{.*}}] {mine = 1 : i64} ins(%arg0, %arg1 : memref<16x64xf32>, memref<16xf32>)
func.func @named(%w: memref<16x64xf32>, %x: memref<16xf32>) -> memref<64xf32> {
  %t = memref.alloc() : memref<64x16xf32>
  linalg.transpose ins(%w : memref<16x64xf32>) outs(%t : memref<64x16xf32>) permutation = [1, 0]
  %y = memref.alloc() : memref<64xf32>
  linalg.matvec {mine = 1} ins(%t, %x : memref<64x16xf32>, memref<16xf32>) outs(%y : memref<64xf32>)
  return %y : memref<64xf32>
}

// As does one of which the batches are no longer the first dimension: that is
// how attention has its heads. One that is broadcast is transposed, too.
// CHECK-LABEL: func.func @heads(
//   CHECK-NOT:   linalg.transpose
//       CHECK:   linalg.contract indexing_maps = [{{.*}}] ins(%arg0, %arg1 : memref<4x2x5xf32>, memref<6x2x5xf32>) outs(%{{.*}} : memref<2x4x6xf32>)
//   CHECK-NOT:   linalg.transpose
//       CHECK:   linalg.contract indexing_maps = [{{.*}}] ins(%{{.*}}, %arg2 : memref<2x4x6xf32>, memref<3x6xf16>) outs(%{{.*}} : memref<2x4x3xf32>)
//       CHECK:   return
func.func @heads(%q: memref<4x2x5xf32>, %k: memref<6x2x5xf32>, %w: memref<3x6xf16>) -> memref<2x4x3xf32> {
  %s = memref.alloc() : memref<2x4x5xf32>
  linalg.transpose ins(%q : memref<4x2x5xf32>) outs(%s : memref<2x4x5xf32>) permutation = [1, 0, 2]
  %t = memref.alloc() : memref<2x5x6xf32>
  linalg.transpose ins(%k : memref<6x2x5xf32>) outs(%t : memref<2x5x6xf32>) permutation = [1, 2, 0]
  %y = memref.alloc() : memref<2x4x6xf32>
  linalg.batch_matmul ins(%s, %t : memref<2x4x5xf32>, memref<2x5x6xf32>) outs(%y : memref<2x4x6xf32>)
  %c = memref.alloc() : memref<3x6xf32>
  linalg.map { arith.extf } ins(%w : memref<3x6xf16>) outs(%c : memref<3x6xf32>)
  %u = memref.alloc() : memref<6x3xf32>
  linalg.transpose ins(%c : memref<3x6xf32>) outs(%u : memref<6x3xf32>) permutation = [1, 0]
  %b = memref.alloc() : memref<2x6x3xf32>
  linalg.broadcast ins(%u : memref<6x3xf32>) outs(%b : memref<2x6x3xf32>) dimensions = [0]
  %z = memref.alloc() : memref<2x4x3xf32>
  linalg.batch_matmul ins(%y, %b : memref<2x4x6xf32>, memref<2x6x3xf32>) outs(%z : memref<2x4x3xf32>)
  return %z : memref<2x4x3xf32>
}

// What only one operand has is not contracted.
// CHECK-LABEL: func.func @sums(
//   CHECK-NOT:   linalg.broadcast
//       CHECK:   linalg.generic {{.*}} ins(%arg0, %arg1 : memref<4x16xf32>, memref<8xf32>)
func.func @sums(%x: memref<4x16xf32>, %b: memref<8xf32>) -> memref<4x8xf32> {
  %t = memref.alloc() : memref<16x8xf32>
  linalg.broadcast ins(%b : memref<8xf32>) outs(%t : memref<16x8xf32>) dimensions = [0]
  %y = memref.alloc() : memref<4x8xf32>
  linalg.matmul ins(%x, %t : memref<4x16xf32>, memref<16x8xf32>) outs(%y : memref<4x8xf32>)
  return %y : memref<4x8xf32>
}

// The maps of a convolution may have sums of dimensions: the image is
// transposed as well.
// CHECK-LABEL: func.func @convolution(
//   CHECK-NOT:   linalg.transpose
//       CHECK:   linalg.generic {{.*}} attrs =  {mine = 1 : i64}
func.func @convolution(%image: memref<1x4x16x16xf32>, %w: memref<3x3x4x2xf32>) -> memref<1x14x14x2xf32> {
  %t = memref.alloc() : memref<1x16x16x4xf32>
  linalg.transpose ins(%image : memref<1x4x16x16xf32>) outs(%t : memref<1x16x16x4xf32>) permutation = [0, 2, 3, 1]
  %y = memref.alloc() : memref<1x14x14x2xf32>
  linalg.conv_2d_nhwc_hwcf {mine = 1} ins(%t, %w : memref<1x16x16x4xf32>, memref<3x3x4x2xf32>) outs(%y : memref<1x14x14x2xf32>)
  return %y : memref<1x14x14x2xf32>
}

// Readers in branches.
// CHECK-LABEL: func.func @branch(
//   CHECK-NOT:   linalg.transpose
//       CHECK:   scf.if
//       CHECK:     linalg.matmul indexing_maps
func.func @branch(%w: memref<8x16xf32>, %x: memref<4x16xf32>, %c: i1) -> memref<4x8xf32> {
  %t = memref.alloc() : memref<16x8xf32>
  linalg.transpose ins(%w : memref<8x16xf32>) outs(%t : memref<16x8xf32>) permutation = [1, 0]
  %y = memref.alloc() : memref<4x8xf32>
  scf.if %c {
    linalg.matmul ins(%x, %t : memref<4x16xf32>, memref<16x8xf32>) outs(%y : memref<4x8xf32>)
  }
  return %y : memref<4x8xf32>
}

// -----

// What a private function writes is known not to be what it reads if its
// callers show that, or an attribute says so. A constant is not written at all.
!w = memref<8x16xf32>
!t = memref<16x8xf32>
!x = memref<4x16xf32>
!y = memref<4x8xf32>
memref.global "private" constant @weights : !w = dense<1.0>

// CHECK-LABEL: func.func private @known_callers(
//   CHECK-NOT:   linalg.transpose
//       CHECK:   return
func.func private @known_callers(%w: !w, %x: !x, %y: !y) {
  %t = memref.alloc() : !t
  linalg.transpose ins(%w : !w) outs(%t : !t) permutation = [1, 0]
  linalg.matmul ins(%x, %t : !x, !t) outs(%y : !y)
  return
}
func.func @caller(%w: !w, %x: !x) -> !y {
  %y = memref.alloc() : !y
  call @known_callers(%w, %x, %y) : (!w, !x, !y) -> ()
  return %y : !y
}

// CHECK-LABEL: func.func @any_caller(
//       CHECK:   linalg.transpose
func.func @any_caller(%w: !w, %x: !x, %y: !y) {
  %t = memref.alloc() : !t
  linalg.transpose ins(%w : !w) outs(%t : !t) permutation = [1, 0]
  linalg.matmul ins(%x, %t : !x, !t) outs(%y : !y)
  return
}

// CHECK-LABEL: func.func @promised(
//   CHECK-NOT:   linalg.transpose
//       CHECK:   return
func.func @promised(%w: !w, %x: !x, %y: !y {llvm.noalias}, %z: !y {buffer_merge.output}) {
  %t = memref.alloc() : !t
  linalg.transpose ins(%w : !w) outs(%t : !t) permutation = [1, 0]
  linalg.matmul ins(%x, %t : !x, !t) outs(%y : !y)
  linalg.matmul ins(%x, %t : !x, !t) outs(%z : !y)
  return
}

// CHECK-LABEL: func.func @constant(
//   CHECK-NOT:   linalg.transpose
//       CHECK:   return
func.func @constant(%x: !x, %y: !y) {
  %w = memref.get_global @weights : !w
  %t = memref.alloc() : !t
  linalg.transpose ins(%w : !w) outs(%t : !t) permutation = [1, 0]
  call @external(%y) : (!y) -> ()
  linalg.matmul ins(%x, %t : !x, !t) outs(%y : !y)
  return
}
func.func private @external(!y)

// -----

// How much must be saved where a name is lost.
// CHECK-LABEL: func.func @small(
//       CHECK:   linalg.broadcast
//       CHECK:   linalg.add
func.func @small(%a: memref<4096xf32>, %b: memref<f32>) -> memref<8xf32> {
  %large = memref.alloc() : memref<4096xf32>
  linalg.exp ins(%a : memref<4096xf32>) outs(%large : memref<4096xf32>)
  linalg.exp ins(%large : memref<4096xf32>) outs(%large : memref<4096xf32>)
  %t = memref.alloc() : memref<8xf32>
  linalg.broadcast ins(%b : memref<f32>) outs(%t : memref<8xf32>) dimensions = [0]
  %y = memref.alloc() : memref<8xf32>
  linalg.add ins(%t, %t : memref<8xf32>, memref<8xf32>) outs(%y : memref<8xf32>)
  return %y : memref<8xf32>
}

// Only that at the peak.
// CHECK-LABEL: func.func @one_of_two(
//   CHECK-NOT:   linalg.broadcast
//       CHECK:   linalg.generic
//       CHECK:   linalg.broadcast
//       CHECK:   linalg.mul
func.func @one_of_two(%b: memref<f32>) -> memref<8xf32> {
  %t = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%b : memref<f32>) outs(%t : memref<4096xf32>) dimensions = [0]
  %y = memref.alloc() : memref<4096xf32>
  linalg.add ins(%t, %t : memref<4096xf32>, memref<4096xf32>) outs(%y : memref<4096xf32>)
  linalg.exp ins(%y : memref<4096xf32>) outs(%y : memref<4096xf32>)
  %u = memref.alloc() : memref<8xf32>
  linalg.broadcast ins(%b : memref<f32>) outs(%u : memref<8xf32>) dimensions = [0]
  %z = memref.alloc() : memref<8xf32>
  linalg.mul ins(%u, %u : memref<8xf32>, memref<8xf32>) outs(%z : memref<8xf32>)
  return %z : memref<8xf32>
}

// A loop would repeat the conversion: it is outside on purpose, unless that
// costs memory at the peak.
// CHECK-LABEL: func.func @loop(
//       CHECK:   linalg.map
//       CHECK:   scf.for
//       CHECK:     linalg.generic {{.*}} memref<16xf32>
//       CHECK:   scf.for
//  CHECK-NEXT:     linalg.generic {{.*}} memref<64xi8>, memref<64xf32>
func.func @loop(%w: memref<16xi8>, %v: memref<64xi8>, %n: index) -> (memref<16xf32>, memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %y = memref.alloc() : memref<16xf32>
  %z = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<16xf32>
  linalg.map { arith.sitofp } ins(%w : memref<16xi8>) outs(%c : memref<16xf32>)
  scf.for %i = %c0 to %n step %n {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%c : memref<16xf32>) outs(%y : memref<16xf32>) {
    ^bb0(%a: f32, %out: f32):
      %d = arith.addf %a, %out : f32
      linalg.yield %d : f32
    }
  }
  %e = memref.alloc() : memref<64xf32>
  linalg.map { arith.sitofp } ins(%v : memref<64xi8>) outs(%e : memref<64xf32>)
  %f = memref.alloc() : memref<64xf32>
  linalg.exp ins(%z : memref<64xf32>) outs(%f : memref<64xf32>)
  scf.for %i = %c0 to %n step %n {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%e, %f : memref<64xf32>, memref<64xf32>) outs(%z : memref<64xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %d = arith.addf %a, %b : f32
      linalg.yield %d : f32
    }
  }
  return %y, %z : memref<16xf32>, memref<64xf32>
}

// The source would be alive for longer, and it is larger.
// CHECK-LABEL: func.func @longer(
//       CHECK:   linalg.map
//       CHECK:   linalg.generic {{.*}} memref<64xi8>
func.func @longer(%a: memref<64xi32>) -> memref<64xi32> {
  %s = memref.alloc() : memref<64xi32>
  linalg.add ins(%a, %a : memref<64xi32>, memref<64xi32>) outs(%s : memref<64xi32>)
  %c = memref.alloc() : memref<64xi8>
  linalg.map { arith.trunci } ins(%s : memref<64xi32>) outs(%c : memref<64xi8>)
  %other = memref.alloc() : memref<64xi32>
  linalg.copy ins(%a : memref<64xi32>) outs(%other : memref<64xi32>)
  linalg.add ins(%other, %other : memref<64xi32>, memref<64xi32>) outs(%other : memref<64xi32>)
  %y = memref.alloc() : memref<64xi32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%c, %other : memref<64xi8>, memref<64xi32>) outs(%y : memref<64xi32>) {
  ^bb0(%b: i8, %o: i32, %out: i32):
    %d = arith.extsi %b : i8 to i32
    %e = arith.addi %d, %o : i32
    linalg.yield %e : i32
  }
  return %y : memref<64xi32>
}
