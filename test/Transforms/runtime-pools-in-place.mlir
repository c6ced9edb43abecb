// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge=in-place=false | FileCheck %s --check-prefix=APART

// An operation writes its result over what it reads: all buffers are one value.
// CHECK-LABEL: func.func @chain
//       CHECK:   memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
//       CHECK:   %[[V:.*]] = memref.view
//   CHECK-NOT:   memref.view
//       CHECK:   linalg.exp ins(%[[V]] : memref<?x16xf32>) outs(%[[V]] : memref<?x16xf32>)
//       CHECK:   linalg.negf ins(%[[V]] : memref<?x16xf32>) outs(%[[V]] : memref<?x16xf32>)
//       CHECK:   return
// APART-LABEL: func.func @chain
// APART-COUNT-3: memref.view
//       APART:   return
func.func @chain(%x: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?x16xf32>
  linalg.broadcast ins(%x : memref<?xf32>) outs(%a : memref<?x16xf32>) dimensions = [1]
  %b = memref.alloc(%n) : memref<?x16xf32>
  linalg.exp ins(%a : memref<?x16xf32>) outs(%b : memref<?x16xf32>)
  %c = memref.alloc(%n) : memref<?x16xf32>
  linalg.negf ins(%b : memref<?x16xf32>) outs(%c : memref<?x16xf32>)
  linalg.reduce { arith.addf } ins(%c : memref<?x16xf32>) outs(%out : memref<?xf32>) dimensions = [1]
  return
}

// The pool is as large as one of them, so that there is room for the result beside it.
// CHECK-LABEL: func.func @result
//       CHECK:   memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
//       CHECK:   memref.alloc(%{{.*}}) : memref<?x16xf32>
//       CHECK:   memref.dealloc %{{.*}} : memref<?xi8>
//   CHECK-NOT:   memref.dealloc
//       CHECK:   return
// APART-LABEL: func.func @result
//   APART-NOT:   memref<?xi8>
//       APART:   return
func.func @result(%x: memref<?x16xf32>, %n: index) -> memref<?x16xf32> {
  %a = memref.alloc(%n) : memref<?x16xf32>
  linalg.exp ins(%x : memref<?x16xf32>) outs(%a : memref<?x16xf32>)
  %b = memref.alloc(%n) : memref<?x16xf32>
  linalg.exp ins(%a : memref<?x16xf32>) outs(%b : memref<?x16xf32>)
  memref.dealloc %a : memref<?x16xf32>
  %c = memref.alloc(%n) : memref<?x16xf32>
  linalg.exp ins(%b : memref<?x16xf32>) outs(%c : memref<?x16xf32>)
  memref.dealloc %b : memref<?x16xf32>
  %r = memref.alloc(%n) : memref<?x16xf32>
  linalg.exp ins(%c : memref<?x16xf32>) outs(%r : memref<?x16xf32>)
  memref.dealloc %c : memref<?x16xf32>
  return %r : memref<?x16xf32>
}

// %b has more bytes than what it would be in place of.
// CHECK-LABEL: func.func @larger
// CHECK-COUNT-2: memref.view
//       CHECK:   return
func.func @larger(%n: index, %m: index, %f: f32, %out: memref<?xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  %b = memref.alloc(%m) : memref<?xf32>
  %part = memref.subview %b[0] [%n] [1] : memref<?xf32> to memref<?xf32>
  linalg.exp ins(%a : memref<?xf32>) outs(%part : memref<?xf32>)
  linalg.exp ins(%b : memref<?xf32>) outs(%out : memref<?xf32>)
  return
}

// Of another type and as large: one offset, but two values.
// CHECK-LABEL: func.func @types
//       CHECK:   memref.view %[[POOL:.*]][%[[ZERO:.*]]][%{{.*}}] : memref<?xi8> to memref<?x4xf32>
//       CHECK:   memref.view %[[POOL]][%[[ZERO]]][%{{.*}}] : memref<?xi8> to memref<?x4xi32>
//       CHECK:   return
func.func @types(%n: index, %f: f32, %out: memref<?x4xi32>) {
  %a = memref.alloc(%n) : memref<?x4xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?x4xf32>)
  %b = memref.alloc(%n) : memref<?x4xi32>
  linalg.map ins(%a : memref<?x4xf32>) outs(%b : memref<?x4xi32>)
    (%in: f32, %o: i32) {
      %0 = arith.fptosi %in : f32 to i32
      linalg.yield %0 : i32
    }
  linalg.add ins(%b, %b : memref<?x4xi32>, memref<?x4xi32>) outs(%out : memref<?x4xi32>)
  return
}

// Only one of two can be where %c is, and %b is read once more.
// CHECK-LABEL: func.func @twice
// CHECK-COUNT-2: memref.view
//   CHECK-NOT:   memref.view
//       CHECK:   return
func.func @twice(%n: index, %f: f32, %out: memref<?xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%b : memref<?xf32>)
  %c = memref.alloc(%n) : memref<?xf32>
  linalg.add ins(%a, %b : memref<?xf32>, memref<?xf32>) outs(%c : memref<?xf32>)
  linalg.add ins(%c, %b : memref<?xf32>, memref<?xf32>) outs(%out : memref<?xf32>)
  return
}

// The pool of static size is half as large, because %t can be between the two values of %s: it
// stays.
// CHECK-LABEL: func.func @values
//       CHECK:   %[[STATIC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
//       CHECK:   %[[DYNAMIC:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @values(%x: memref<?xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %s = memref.alloc() : memref<64xf32>
  linalg.exp ins(%y : memref<64xf32>) outs(%s : memref<64xf32>)
  linalg.exp ins(%s : memref<64xf32>) outs(%y : memref<64xf32>)
  %t = memref.alloc() : memref<64xf32>
  linalg.exp ins(%y : memref<64xf32>) outs(%t : memref<64xf32>)
  linalg.exp ins(%t : memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.exp ins(%y : memref<64xf32>) outs(%s : memref<64xf32>)
  linalg.exp ins(%s : memref<64xf32>) outs(%y : memref<64xf32>)
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  linalg.exp ins(%a : memref<?xf32>) outs(%x : memref<?xf32>)
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%x : memref<?xf32>) outs(%b : memref<?xf32>)
  linalg.exp ins(%b : memref<?xf32>) outs(%x : memref<?xf32>)
  return
}

// %b is in place of %a, and %c is alive together with it.
// CHECK-LABEL: func.func @outputs
// CHECK-COUNT-2: memref.view
//   CHECK-NOT:   memref.view
//       CHECK:   return
func.func @outputs(%n: index, %f: f32, %out: memref<?xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  %b = memref.alloc(%n) : memref<?xf32>
  %c = memref.alloc(%n) : memref<?xf32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%a : memref<?xf32>) outs(%b, %c : memref<?xf32>, memref<?xf32>) {
  ^bb0(%in: f32, %o0: f32, %o1: f32):
    %0 = arith.negf %in : f32
    linalg.yield %in, %0 : f32, f32
  }
  linalg.add ins(%b, %c : memref<?xf32>, memref<?xf32>) outs(%out : memref<?xf32>)
  return
}
