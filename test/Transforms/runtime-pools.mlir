// RUN: buffer-merge-opt %s --buffer-merge="dynamic=runtime in-place=false" | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge="dynamic=runtime in-place=false limit-peak=none" | FileCheck %s --check-prefix=NONE
// RUN: buffer-merge-opt %s --buffer-merge="dynamic=runtime in-place=false capacity=default:1MiB" | FileCheck %s --check-prefix=CAPACITY
// RUN: buffer-merge-opt %s --buffer-lifetimes="dynamic=runtime in-place=false" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: buffer-merge-opt %s --buffer-merge="dynamic=runtime in-place=false alignment=1" | FileCheck %s --check-prefix=UNALIGNED
// RUN: buffer-merge-opt %s --buffer-merge="dynamic=runtime in-place=false min-gain=1KiB" | FileCheck %s --check-prefix=SELECTED

// %a and %c share bytes above %b: one of each pair of sizes is the pool.
// CHECK-LABEL: func.func @chain
//  CHECK-SAME:   (%[[X:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?xf32>)
//       CHECK:   %[[N:.*]] = memref.dim %[[X]]
//       CHECK:   %[[FITS:.*]] = arith.cmpi ule, %[[N]], %{{.*}} : index
//       CHECK:   %[[SMALL:.*]] = arith.select %[[FITS]], %[[N]], %{{.*}} : index
//       CHECK:   %[[ABOVE:.*]] = arith.muli %[[SMALL]], %{{.*}} : index
//       CHECK:   %[[BYTES:.*]] = arith.muli %[[SMALL]], %{{.*}} : index
//       CHECK:   %[[MOST:.*]] = arith.constant 9223372036854775807 : index
//       CHECK:   %[[SIZE:.*]] = arith.select %[[FITS]], %[[BYTES]], %[[MOST]] : index
//       CHECK:   %[[POOL:.*]] = memref.alloc(%[[SIZE]]) {alignment = 64 : i64} : memref<?xi8>
//       CHECK:   memref.view %[[POOL]][%[[ABOVE]]][%[[N]]] : memref<?xi8> to memref<?x16xf32>
//       CHECK:   memref.view %[[POOL]][%[[ZERO:.*]]][%[[N]]] : memref<?xi8> to memref<?x16xf32>
//       CHECK:   memref.view %[[POOL]][%[[ABOVE]]][%[[N]]] : memref<?xi8> to memref<?x16xf32>
//       CHECK:   memref.dealloc %[[POOL]]
//   CHECK-NOT:   memref.dealloc
//       CHECK:   return
func.func @chain(%x: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?x16xf32>
  linalg.broadcast ins(%x : memref<?xf32>) outs(%a : memref<?x16xf32>) dimensions = [1]
  %b = memref.alloc(%n) : memref<?x16xf32>
  linalg.exp ins(%a : memref<?x16xf32>) outs(%b : memref<?x16xf32>)
  memref.dealloc %a : memref<?x16xf32>
  %c = memref.alloc(%n) : memref<?x16xf32>
  linalg.exp ins(%b : memref<?x16xf32>) outs(%c : memref<?x16xf32>)
  memref.dealloc %b : memref<?x16xf32>
  linalg.reduce { arith.addf } ins(%c : memref<?x16xf32>) outs(%out : memref<?xf32>) dimensions = [1]
  memref.dealloc %c : memref<?x16xf32>
  return
}

// What is of static size is in the same pool, and its own pool is gone.
// CHECK-LABEL: func.func @mixed
//       CHECK:   %[[POOL:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK:   memref.view %[[POOL]]{{.*}} : memref<?xi8> to memref<64xf32>
//       CHECK:   memref.view %[[POOL]]{{.*}} : memref<?xi8> to memref<?xf32>
//       CHECK:   memref.view %[[POOL]]{{.*}} : memref<?xi8> to memref<64xf32>
//       CHECK:   memref.dealloc %[[POOL]]
//       CHECK:   return
func.func @mixed(%x: memref<?xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %s = memref.alloc() : memref<64xf32>
  linalg.exp ins(%y : memref<64xf32>) outs(%s : memref<64xf32>)
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%x : memref<?xf32>) outs(%b : memref<?xf32>)
  linalg.exp ins(%s : memref<64xf32>) outs(%y : memref<64xf32>)
  memref.dealloc %s : memref<64xf32>
  %t = memref.alloc() : memref<64xf32>
  linalg.exp ins(%y : memref<64xf32>) outs(%t : memref<64xf32>)
  linalg.exp ins(%b : memref<?xf32>) outs(%x : memref<?xf32>)
  linalg.exp ins(%t : memref<64xf32>) outs(%y : memref<64xf32>)
  memref.dealloc %t : memref<64xf32>
  memref.dealloc %b : memref<?xf32>
  return
}

// Whether %a or %s is larger is known when the program runs: the larger of two sums.
// CHECK-LABEL: func.func @larger
//       CHECK:   %[[BYTES:.*]] = arith.maxui
//       CHECK:   %[[SIZE:.*]] = arith.select %{{.*}}, %[[BYTES]], %{{.*}}
//       CHECK:   memref.alloc(%[[SIZE]])
//   CHECK-NOT:   memref.alloc(
//       CHECK:   return
func.func @larger(%x: memref<?x16xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x16xf32>
  %a = memref.alloc(%n) : memref<?x16xf32>
  linalg.exp ins(%x : memref<?x16xf32>) outs(%a : memref<?x16xf32>)
  linalg.exp ins(%a : memref<?x16xf32>) outs(%x : memref<?x16xf32>)
  memref.dealloc %a : memref<?x16xf32>
  %s = memref.alloc() : memref<64xf32>
  linalg.exp ins(%y : memref<64xf32>) outs(%s : memref<64xf32>)
  linalg.exp ins(%s : memref<64xf32>) outs(%y : memref<64xf32>)
  memref.dealloc %s : memref<64xf32>
  return
}

// %r would be there beside the pool of the others, which is as large as the peak: there
// is none, for no size. Without a limit there is one.
// REMARK: runtime-pools.mlir:[[# @LINE + 13]]:{{.*}} raises-peak, in a pool it would raise the peak of the program
// REMARK: runtime-pools.mlir:[[# @LINE + 14]]:{{.*}} raises-peak, in a pool it would raise the peak of the program
// REMARK: runtime-pools.mlir:[[# @LINE + 16]]:{{.*}} raises-peak, in a pool it would raise the peak of the program
// REMARK: runtime-pools.mlir:[[# @LINE + 18]]:{{.*}} returned, its function returns it
// CHECK-LABEL: func.func @peak
// CHECK-COUNT-4: memref.alloc(
//   CHECK-NOT:   memref.alloc(
//       CHECK:   return
// NONE-LABEL: func.func @peak
// NONE-COUNT-2: memref.alloc(
//   NONE-NOT:   memref.alloc(
//       NONE:   return
func.func @peak(%x: memref<?x16xf32>, %n: index) -> memref<?x16xf32> {
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

// The size of %b is computed behind %a, but from what is known in front of it.
// CHECK-LABEL: func.func @hoisted
//  CHECK-SAME:   (%[[X:.*]]: memref<?x16xf32>, %[[N:.*]]: index, %{{.*}}: f32)
//       CHECK:   memref.dim %[[X]]
//       CHECK:   memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
//   CHECK-NOT:   memref.alloc(
//       CHECK:   return
func.func @hoisted(%x: memref<?x16xf32>, %n: index, %f: f32) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %a = memref.alloc(%n) : memref<?x16xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?x16xf32>)
  linalg.exp ins(%a : memref<?x16xf32>) outs(%x : memref<?x16xf32>)
  memref.dealloc %a : memref<?x16xf32>
  %d = memref.dim %x, %c0 : memref<?x16xf32>
  %m = arith.muli %d, %c2 : index
  %b = memref.alloc(%m) : memref<?x16xf32>
  linalg.fill ins(%f : f32) outs(%b : memref<?x16xf32>)
  %v = memref.load %b[%c0, %c0] : memref<?x16xf32>
  memref.store %v, %x[%c0, %c0] : memref<?x16xf32>
  memref.dealloc %b : memref<?x16xf32>
  return
}

// The size of %b is what %a holds: a pool cannot begin in front of both.
// REMARK: runtime-pools.mlir:[[# @LINE + 7]]:{{.*}} no-partner, there is no other buffer to share a pool with
// REMARK: runtime-pools.mlir:[[# @LINE + 10]]:{{.*}} dynamic-shape, 'memref.load' computes its size
// CHECK-LABEL: func.func @later
// CHECK-COUNT-2: memref.alloc(
//       CHECK:   return
func.func @later(%x: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) : memref<?xindex>
  memref.copy %x, %a : memref<?xindex> to memref<?xindex>
  %m = memref.load %a[%c0] : memref<?xindex>
  memref.dealloc %a : memref<?xindex>
  %b = memref.alloc(%m) : memref<?xindex>
  memref.copy %x, %b : memref<?xindex> to memref<?xindex>
  memref.copy %b, %x : memref<?xindex> to memref<?xindex>
  memref.dealloc %b : memref<?xindex>
  return
}

// A pool for each iteration, and no deallocation where the program has none.
// CHECK-LABEL: func.func @loop
//       CHECK:   scf.for
//       CHECK:     %[[POOL:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?xi8>
//   CHECK-NOT:     memref.alloc(
//       CHECK:     memref.dealloc %[[POOL]]
//       CHECK:   }
//  NONE-LABEL: func.func @loop
func.func @loop(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc(%i) : memref<?xf32>
    %v = memref.load %x[%i] : memref<?xf32>
    linalg.fill ins(%v : f32) outs(%a : memref<?xf32>)
    %b = memref.alloc(%i) : memref<?xf32>
    linalg.exp ins(%a : memref<?xf32>) outs(%b : memref<?xf32>)
    memref.dealloc %a : memref<?xf32>
    %w = memref.load %b[%c0] : memref<?xf32>
    memref.store %w, %y[%i] : memref<?xf32>
    memref.dealloc %b : memref<?xf32>
  }
  return
}

// The product of two sizes may not fit: what is above must be 0.
// CHECK-LABEL: func.func @product
//       CHECK:   %[[LOW:.*]], %[[HIGH:.*]] = arith.mului_extended
//       CHECK:   arith.cmpi eq, %[[HIGH]]
//       CHECK:   arith.select %{{.*}}, %[[LOW]],
//       CHECK:   memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
//   CHECK-NOT:   memref.dealloc
//       CHECK:   return
func.func @product(%x: memref<?x?xf32>, %out: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  %a = memref.alloc(%m, %n) : memref<?x?xf32>
  linalg.exp ins(%x : memref<?x?xf32>) outs(%a : memref<?x?xf32>)
  %b = memref.alloc(%m, %n) : memref<?x?xf32>
  linalg.exp ins(%a : memref<?x?xf32>) outs(%b : memref<?x?xf32>)
  linalg.exp ins(%b : memref<?x?xf32>) outs(%out : memref<?x?xf32>)
  return
}

// Nothing is ever freed, so that no pool raises the peak, whatever is beside it.
// CHECK-LABEL: func.func @grows
//       CHECK:   %[[FIRST:.*]] = memref.alloc({{.*}}) {alignment = 64 : i64} : memref<?xi8>
//       CHECK:   memref.view %[[FIRST]]
//       CHECK:   memref.view %[[FIRST]]
//       CHECK:   memref.load
//       CHECK:   %[[SECOND:.*]] = memref.alloc({{.*}}) {alignment = 64 : i64} : memref<?xi8>
//       CHECK:   memref.view %[[SECOND]]
//       CHECK:   memref.view %[[SECOND]]
//   CHECK-NOT:   memref.dealloc
//       CHECK:   return
func.func @grows(%x: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) : memref<?xindex>
  memref.store %n, %a[%c0] : memref<?xindex>
  %b = memref.alloc(%n) : memref<?xindex>
  memref.store %n, %b[%c0] : memref<?xindex>
  %m = memref.load %x[%c0] : memref<?xindex>
  %c = memref.alloc(%m) : memref<?xindex>
  memref.store %m, %c[%c0] : memref<?xindex>
  %d = memref.alloc(%m) : memref<?xindex>
  memref.store %m, %d[%c0] : memref<?xindex>
  return
}

// %a leaves the branch: a pool with %t would not be freed where %t is.
// CHECK-LABEL: func.func @yielded
//       CHECK:   scf.if
// CHECK-COUNT-2: memref.alloc(%{{.*}}) : memref<?xf32>
//       CHECK:   memref.dealloc
func.func @yielded(%x: memref<?xf32>, %n: index, %c: i1) {
  %r = scf.if %c -> memref<?xf32> {
    %t = memref.alloc(%n) : memref<?xf32>
    linalg.exp ins(%x : memref<?xf32>) outs(%t : memref<?xf32>)
    %a = memref.alloc(%n) : memref<?xf32>
    linalg.exp ins(%t : memref<?xf32>) outs(%a : memref<?xf32>)
    memref.dealloc %t : memref<?xf32>
    scf.yield %a : memref<?xf32>
  } else {
    scf.yield %x : memref<?xf32>
  }
  linalg.exp ins(%r : memref<?xf32>) outs(%x : memref<?xf32>)
  return
}

// A number that may be negative is no part of a size, although the sum is one.
// CHECK-LABEL: func.func @difference
//       CHECK:   %[[N:.*]] = arith.addi
//       CHECK:   arith.cmpi ule, %[[N]],
//       CHECK:   memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
//       CHECK:   return
func.func @difference(%x: memref<?xf32>, %m: index, %delta: index) {
  %n = arith.addi %m, %delta : index
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%a : memref<?xf32>) outs(%b : memref<?xf32>)
  linalg.exp ins(%b : memref<?xf32>) outs(%x : memref<?xf32>)
  return
}

// With a capacity, the bytes of a pool are checked when the program runs.
// CAPACITY-LABEL: func.func @chain
//       CAPACITY:   cf.assert
//       CAPACITY:   memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
//       CAPACITY: func.func @mixed

// What a vector needs is more than what is asked for.
// UNALIGNED-LABEL: func.func @vectors
//       UNALIGNED: memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
func.func @vectors(%x: memref<?xvector<16xf32>>, %n: index) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) : memref<?xvector<16xf32>>
  memref.copy %x, %a : memref<?xvector<16xf32>> to memref<?xvector<16xf32>>
  %v = memref.load %a[%c0] : memref<?xvector<16xf32>>
  memref.dealloc %a : memref<?xvector<16xf32>>
  %b = memref.alloc(%n) : memref<?xvector<16xf32>>
  memref.store %v, %b[%c0] : memref<?xvector<16xf32>>
  %w = memref.load %b[%c0] : memref<?xvector<16xf32>>
  memref.store %w, %x[%c0] : memref<?xvector<16xf32>>
  memref.dealloc %b : memref<?xvector<16xf32>>
  return
}

// A pool of %b6 and %b8 would have room for %b0, which is alive longer, only if none of the others were
// in a pool that is held at the same time: if %n is much larger than %m, the peak would rise.
// CHECK-LABEL: func.func @beside
// CHECK-COUNT-7: memref.alloc(
//   CHECK-NOT:   memref.alloc(
//       CHECK:   return
func.func @beside(%n: index, %m: index, %f: f32, %o: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %b1 = memref.alloc(%m) : memref<?x16xf32>
  linalg.fill ins(%f : f32) outs(%b1 : memref<?x16xf32>)
  %v1 = memref.load %b1[%c0, %c0] : memref<?x16xf32>
  memref.store %v1, %o[%c0] : memref<?xf32>
  memref.dealloc %b1 : memref<?x16xf32>
  %b7 = memref.alloc(%m) : memref<?x48xf32>
  linalg.fill ins(%f : f32) outs(%b7 : memref<?x48xf32>)
  %b6 = memref.alloc(%n) : memref<?x64xf32>
  linalg.fill ins(%f : f32) outs(%b6 : memref<?x64xf32>)
  %v7 = memref.load %b7[%c0, %c0] : memref<?x48xf32>
  memref.store %v7, %o[%c0] : memref<?xf32>
  memref.dealloc %b7 : memref<?x48xf32>
  %b0 = memref.alloc(%n) : memref<?x32xf32>
  linalg.fill ins(%f : f32) outs(%b0 : memref<?x32xf32>)
  %b4 = memref.alloc(%n) : memref<?x32xf32>
  linalg.fill ins(%f : f32) outs(%b4 : memref<?x32xf32>)
  %b8 = memref.alloc(%n) : memref<?x32xf32>
  linalg.fill ins(%f : f32) outs(%b8 : memref<?x32xf32>)
  %b2 = memref.alloc(%m) : memref<?x16xf32>
  linalg.fill ins(%f : f32) outs(%b2 : memref<?x16xf32>)
  %v6 = memref.load %b6[%c0, %c0] : memref<?x64xf32>
  memref.store %v6, %o[%c0] : memref<?xf32>
  memref.dealloc %b6 : memref<?x64xf32>
  %v8 = memref.load %b8[%c0, %c0] : memref<?x32xf32>
  memref.store %v8, %o[%c0] : memref<?xf32>
  memref.dealloc %b8 : memref<?x32xf32>
  %b3 = memref.alloc(%n) : memref<?x48xf32>
  linalg.fill ins(%f : f32) outs(%b3 : memref<?x48xf32>)
  %b5 = memref.alloc(%n) : memref<?x48xf32>
  linalg.fill ins(%f : f32) outs(%b5 : memref<?x48xf32>)
  %v0 = memref.load %b0[%c0, %c0] : memref<?x32xf32>
  memref.store %v0, %o[%c0] : memref<?xf32>
  memref.dealloc %b0 : memref<?x32xf32>
  %v2 = memref.load %b2[%c0, %c0] : memref<?x16xf32>
  memref.store %v2, %o[%c0] : memref<?xf32>
  memref.dealloc %b2 : memref<?x16xf32>
  %v4 = memref.load %b4[%c0, %c0] : memref<?x32xf32>
  memref.store %v4, %o[%c0] : memref<?xf32>
  memref.dealloc %b4 : memref<?x32xf32>
  %v5 = memref.load %b5[%c0, %c0] : memref<?x48xf32>
  memref.store %v5, %o[%c0] : memref<?xf32>
  memref.dealloc %b5 : memref<?x48xf32>
  %v3 = memref.load %b3[%c0, %c0] : memref<?x48xf32>
  memref.store %v3, %o[%c0] : memref<?xf32>
  memref.dealloc %b3 : memref<?x48xf32>
  return
}

// Bytes of twice as many elements are, rounded up, no less than those of as many: with
// %b beside it, the pool is no larger than %d, %e and %f are.

// CHECK-LABEL: func.func @rounded
//       CHECK:   memref.alloc(%{{.*}}) : memref<?xf32>
//       CHECK: ^bb1:
//       CHECK:   memref.alloc(%{{.*}}) {{.*}} : memref<?xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK: ^bb2:
func.func @rounded(%x: memref<?xf32>, %y: memref<?x2xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%x : memref<?xf32>) outs(%b : memref<?xf32>)
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %d = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%b : memref<?xf32>) outs(%d : memref<?xf32>)
  %e = memref.alloc(%n) : memref<?x2xf32>
  linalg.broadcast ins(%d : memref<?xf32>) outs(%e : memref<?x2xf32>) dimensions = [1]
  linalg.copy ins(%e : memref<?x2xf32>) outs(%y : memref<?x2xf32>)
  %f = memref.alloc(%n) : memref<?x2xf32>
  linalg.exp ins(%y : memref<?x2xf32>) outs(%f : memref<?x2xf32>)
  linalg.copy ins(%f : memref<?x2xf32>) outs(%y : memref<?x2xf32>)
  memref.dealloc %d : memref<?xf32>
  memref.dealloc %e : memref<?x2xf32>
  memref.dealloc %f : memref<?x2xf32>
  cf.br ^bb2
^bb2:
  linalg.copy ins(%b : memref<?xf32>) outs(%x : memref<?xf32>)
  memref.dealloc %b : memref<?xf32>
  return
}

// But no more: for large %n, the pool would be held, as large as %a, beside %c.

// CHECK-LABEL: func.func @not_rounded
// CHECK-COUNT-5: memref.alloc(%{{.*}}) : memref<?x{{.*}}f32>
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @not_rounded(%x: memref<?xf32>, %sizes: memref<index>, %f: f32) -> (memref<?xf32>, memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?x2xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?x2xf32>)
  memref.dealloc %a : memref<?x2xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%b : memref<?xf32>)
  %m = memref.load %sizes[] : memref<index>
  %c = memref.alloc(%m) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%c : memref<?xf32>)
  memref.dealloc %c : memref<?xf32>
  linalg.copy ins(%b : memref<?xf32>) outs(%x : memref<?xf32>)
  memref.dealloc %b : memref<?xf32>
  %p = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%p : memref<?xf32>)
  %q = memref.alloc(%m) : memref<?x8xf32>
  linalg.fill ins(%f : f32) outs(%q : memref<?x8xf32>)
  return %p, %q : memref<?xf32>, memref<?x8xf32>
}

// What frees one of two buffers would leave the other one if it went with one of them:
// %a is aligned to more than the pool, in which it cannot be.

// SELECTED-LABEL: func.func @selected
//       SELECTED:   %[[A:.*]] = memref.alloc() {alignment = 256 : i64} : memref<64xf32>
//       SELECTED:   %[[B:.*]] = memref.alloc() : memref<64xf32>
//       SELECTED:   %[[ONE:.*]] = arith.select %{{.*}}, %[[A]], %[[B]]
//       SELECTED:   %[[OTHER:.*]] = arith.select %{{.*}}, %[[B]], %[[A]]
//       SELECTED:   memref.dealloc %[[ONE]]
//       SELECTED:   memref.dealloc %[[OTHER]]
func.func @selected(%n: index, %c: i1, %f: f32, %out: memref<64xf32>) {
  %d = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%d : memref<?xf32>)
  %e = memref.alloc(%n) : memref<?x2xf32>
  linalg.fill ins(%f : f32) outs(%e : memref<?x2xf32>)
  %a = memref.alloc() {alignment = 256 : i64} : memref<64xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%f : f32) outs(%b : memref<64xf32>)
  %one = arith.select %c, %a, %b : memref<64xf32>
  %other = arith.select %c, %b, %a : memref<64xf32>
  memref.dealloc %one : memref<64xf32>
  linalg.copy ins(%other : memref<64xf32>) outs(%out : memref<64xf32>)
  memref.dealloc %d : memref<?xf32>
  memref.dealloc %e : memref<?x2xf32>
  memref.dealloc %other : memref<64xf32>
  return
}

// A pool of static size beside the one in the loop counts towards the capacity: 2^20 - 512.

// CAPACITY-LABEL: func.func @beside_pool
//       CAPACITY:   memref.alloc() {alignment = 64 : i64} : memref<512xi8>
//       CAPACITY:   cf.assert %{{.*}}, "beside_pool: a pool has more than 1048064 bytes, which its capacity leaves"
func.func @beside_pool(%n: index, %f: f32, %p: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref.alloc() : memref<64xf32>
  linalg.copy ins(%p : memref<64xf32>) outs(%s : memref<64xf32>)
  %t = memref.alloc() : memref<64xf32>
  linalg.exp ins(%s : memref<64xf32>) outs(%t : memref<64xf32>)
  linalg.add ins(%s, %t : memref<64xf32>, memref<64xf32>) outs(%p : memref<64xf32>)
  %u = memref.alloc() : memref<64xf32>
  linalg.exp ins(%t : memref<64xf32>) outs(%u : memref<64xf32>)
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc(%n) : memref<?xf32>
    linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
    %b = memref.alloc(%n) : memref<?xf32>
    linalg.fill ins(%f : f32) outs(%b : memref<?xf32>)
  }
  linalg.add ins(%u, %t : memref<64xf32>, memref<64xf32>) outs(%p : memref<64xf32>)
  return
}
