// RUN: buffer-merge-opt %s --buffer-merge=report=%t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t.json
// RUN: buffer-merge-opt %s --buffer-merge=in-place=false | FileCheck %s --check-prefix=OFF
// RUN: buffer-merge-opt %s --buffer-merge=pool=stack | FileCheck %s --check-prefix=OFF
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=bump | FileCheck %s --check-prefix=OFF

// An allocation that is returned holds others until the function accesses it, where
// the program holds less then.

// REPORT-COUNT-2: "storage": "result"
//      REPORT-NOT: "storage": "result"

!m = memref<1024xf32>
!half = memref<512xf32>
!large = memref<4096xf32>

// %b is written in place of %a, and the result in place of %b.
// CHECK-LABEL: func.func @in_place(
//  CHECK-NEXT:   %[[R:.*]] = memref.alloc() : memref<1024xf32>
//  CHECK-NEXT:   linalg.exp ins(%arg0 : {{.*}}) outs(%[[R]] :
//  CHECK-NEXT:   linalg.abs ins(%[[R]] : {{.*}}) outs(%[[R]] :
//  CHECK-NEXT:   linalg.add ins(%[[R]], %arg0 : {{.*}}) outs(%[[R]] :
//  CHECK-NEXT:   return %[[R]]
// OFF-LABEL: func.func @in_place(
//       OFF:   linalg.abs
//       OFF:   memref.alloc() : memref<1024xf32>
//  OFF-NEXT:   linalg.add
func.func @in_place(%x: !m) -> !m {
  %a = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  %b = memref.alloc() : !m
  linalg.abs ins(%a : !m) outs(%b : !m)
  memref.dealloc %a : !m
  %r = memref.alloc() : !m
  linalg.add ins(%b, %x : !m, !m) outs(%r : !m)
  memref.dealloc %b : !m
  return %r : !m
}

// The result holds a smaller buffer, which dies before. What is transposed into it is
// elsewhere: that is not in place.
// CHECK-LABEL: func.func @before(
//       CHECK:   %[[R:.*]] = memref.alloc() : memref<32x32xf32>
//       CHECK:   %[[A:.*]] = memref.reinterpret_cast %[[R]] to offset: [0], sizes: [32, 30], strides: [30, 1]
//       CHECK:   linalg.exp ins(%arg0 : {{.*}}) outs(%[[A]] :
//       CHECK:   linalg.transpose ins(%[[T:.*]] : {{.*}}) outs(%[[R]] :
//       CHECK:   return %[[R]]
func.func @before(%x: memref<32x30xf32>) -> memref<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<32x30xf32>
  linalg.exp ins(%x : memref<32x30xf32>) outs(%a : memref<32x30xf32>)
  %b = memref.alloc() : memref<32x30x4xf32>
  linalg.broadcast ins(%a : memref<32x30xf32>) outs(%b : memref<32x30x4xf32>) dimensions = [2]
  %c = memref.alloc() : memref<32xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<32xf32>)
  linalg.reduce { arith.maximumf } ins(%b : memref<32x30x4xf32>) outs(%c : memref<32xf32>) dimensions = [1, 2]
  %t = memref.alloc() : memref<32x32xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<32x32xf32>)
  %s = memref.subview %t[0, 0] [32, 30] [1, 1] : memref<32x32xf32> to memref<32x30xf32, strided<[32, 1]>>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a, %c : memref<32x30xf32>, memref<32xf32>) outs(%s : memref<32x30xf32, strided<[32, 1]>>) {
  ^bb0(%in: f32, %row: f32, %out: f32):
    %sum = arith.addf %in, %row : f32
    linalg.yield %sum : f32
  }
  %r = memref.alloc() : memref<32x32xf32>
  linalg.transpose ins(%t : memref<32x32xf32>) outs(%r : memref<32x32xf32>) permutation = [1, 0]
  return %r : memref<32x32xf32>
}

// A large result is not allocated early for a small buffer: it would be held beside
// the large one.
// CHECK-LABEL: func.func @large(
//   CHECK-NOT:   memref.reinterpret_cast
//       CHECK:   linalg.exp
//       CHECK:   linalg.broadcast
//       CHECK:   linalg.reduce
//       CHECK:   memref.alloc() : memref<4096xf32>
//       CHECK:   return
func.func @large(%x: !m) -> !large {
  %a = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  %b = memref.alloc() : memref<1024x4xf32>
  linalg.broadcast ins(%a : !m) outs(%b : memref<1024x4xf32>) dimensions = [1]
  %c = memref.alloc() : memref<4xf32>
  linalg.reduce { arith.maximumf } ins(%b : memref<1024x4xf32>) outs(%c : memref<4xf32>) dimensions = [0]
  memref.dealloc %b : memref<1024x4xf32>
  memref.dealloc %a : !m
  %r = memref.alloc() : !large
  %e = memref.expand_shape %r [[0, 1]] output_shape [1024, 4] : !large into memref<1024x4xf32>
  linalg.broadcast ins(%c : memref<4xf32>) outs(%e : memref<1024x4xf32>) dimensions = [0]
  memref.dealloc %c : memref<4xf32>
  return %r : !large
}

// %a is still needed when the result is written.
// CHECK-LABEL: func.func @needed(
//       CHECK:   linalg.exp {{.*}} outs(%[[A:.*]] :
//       CHECK:   %[[R:.*]] = memref.alloc() : memref<1024xf32>
//       CHECK:   linalg.abs ins(%[[A]] : {{.*}}) outs(%[[R]] :
//       CHECK:   linalg.add ins(%[[A]], %[[R]] :
//       CHECK:   return %[[R]]
func.func @needed(%x: !m) -> !m {
  %a = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  %r = memref.alloc() : !m
  linalg.abs ins(%a : !m) outs(%r : !m)
  %b = memref.alloc() : !m
  linalg.add ins(%a, %r : !m, !m) outs(%b : !m)
  memref.dealloc %a : !m
  linalg.mul ins(%b, %r : !m, !m) outs(%r : !m)
  memref.dealloc %b : !m
  return %r : !m
}

// A call holds an unknown number of bytes: the large result is not there yet.
// CHECK-LABEL: func.func @unknown(
//   CHECK-NOT:   memref.alloc() : memref<4096xf32>
//       CHECK:   call @of_size
//   CHECK-DAG:   memref.alloc() : memref<4096xf32>
//   CHECK-DAG:   linalg.exp
//       CHECK:   return
func.func private @of_size(%n: index, %x: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %t = memref.alloc(%n) : memref<?xf32>
  %v = memref.load %x[%c0] : memref<16xf32>
  linalg.fill ins(%v : f32) outs(%t : memref<?xf32>)
  %w = memref.load %t[%c0] : memref<?xf32>
  memref.store %w, %x[%c0] : memref<16xf32>
  memref.dealloc %t : memref<?xf32>
  return
}
func.func @unknown(%n: index, %x: memref<16xf32>) -> !large {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xf32>
  memref.copy %x, %a : memref<16xf32> to memref<16xf32>
  call @of_size(%n, %a) : (index, memref<16xf32>) -> ()
  %v = memref.load %a[%c0] : memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  %b = memref.alloc() : !large
  linalg.fill ins(%v : f32) outs(%b : !large)
  %r = memref.alloc() : !large
  linalg.exp ins(%b : !large) outs(%r : !large)
  memref.dealloc %b : !large
  return %r : !large
}

// Where %c is allocated, the path that does not allocate %e and %f would hold the
// result as well.
// CHECK-LABEL: func.func @path(
//  CHECK-NEXT:   arith.constant
//  CHECK-NEXT:   memref.alloc() : memref<16xf32>
//       CHECK:   memref.alloc() : memref<5000xf32>
//       CHECK:   %[[R:.*]] = memref.alloc() : memref<4096xf32>
//       CHECK:   return %[[R]]
func.func @path(%p: i1, %x: memref<16xf32>) -> !large {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  %v = memref.load %a[%c0] : memref<16xf32>
  %u = scf.if %p -> f32 {
    scf.yield %v : f32
  } else {
    %c = memref.alloc() : memref<5000xf32>
    linalg.fill ins(%v : f32) outs(%c : memref<5000xf32>)
    %w = memref.load %c[%c0] : memref<5000xf32>
    memref.dealloc %c : memref<5000xf32>
    scf.yield %w : f32
  }
  %t = memref.load %a[%c0] : memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  %r = memref.alloc() : !large
  scf.if %p {
    %e = memref.alloc() : !large
    linalg.fill ins(%u : f32) outs(%e : !large)
    %f = memref.alloc() : !large
    linalg.fill ins(%t : f32) outs(%f : !large)
    linalg.sub ins(%e, %f : !large, !large) outs(%r : !large)
    memref.dealloc %e : !large
    memref.dealloc %f : !large
  } else {
    linalg.fill ins(%u : f32) outs(%r : !large)
  }
  return %r : !large
}
