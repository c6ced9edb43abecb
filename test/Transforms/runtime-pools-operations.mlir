// RUN: buffer-merge-opt %s --buffer-merge=in-place=false | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false limit-peak=none" | FileCheck %s --check-prefix=PLACES

// How much is computed in front of a pool: little for each buffer.

// Each size is compared with the largest one so far, and that is compared with what fits,
// multiplied and rounded up once. What computes sizes behind the first buffer moves.
// CHECK-LABEL: func.func @own_sizes
//  CHECK-SAME:   (%[[N:[^:]*]]: index, %[[M:[^:]*]]: index, %[[K:[^:]*]]: index,
//       CHECK:   %[[L:.*]] = arith.maxui %[[N]], %[[K]] : index
//       CHECK:   %[[NM:.*]] = arith.maxui %[[N]], %[[M]] : index
//       CHECK:   %[[NMK:.*]] = arith.maxui %[[NM]], %[[K]] : index
//       CHECK:   %[[ALL:.*]] = arith.maxui %[[NMK]], %[[L]] : index
//       CHECK:   %[[FITS:.*]] = arith.cmpi ule, %[[ALL]], %{{.*}} : index
//   CHECK-NOT:   arith.cmpi
//       CHECK:   %[[BYTES:.*]] = arith.muli %[[ALL]], %{{.*}} : index
//       CHECK:   %[[UP:.*]] = arith.addi %[[BYTES]], %{{.*}} : index
//       CHECK:   %[[ROUNDED:.*]] = arith.andi %[[UP]], %{{.*}} : index
//       CHECK:   %[[SIZE:.*]] = arith.select %[[FITS]], %[[ROUNDED]], %{{.*}} : index
//       CHECK:   %[[POOL:.*]] = memref.alloc(%[[SIZE]])
//   CHECK-NOT:   arith.
//       CHECK:   memref.view %[[POOL]][%{{.*}}][%[[N]]]
//       CHECK:   memref.view %[[POOL]][%{{.*}}][%[[M]]]
//       CHECK:   memref.view %[[POOL]][%{{.*}}][%[[K]]]
//   CHECK-NOT:   arith.
//       CHECK:   memref.view %[[POOL]][%{{.*}}][%[[L]]]
//       CHECK:   return
func.func @own_sizes(%n: index, %m: index, %k: index, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %f = arith.constant 1.0 : f32
  %a = memref.alloc(%n) : memref<?xf32>
  memref.store %f, %a[%c0] : memref<?xf32>
  %x = memref.load %a[%c0] : memref<?xf32>
  %b = memref.alloc(%m) : memref<?xf32>
  memref.store %x, %b[%c0] : memref<?xf32>
  %y = memref.load %b[%c0] : memref<?xf32>
  %c = memref.alloc(%k) : memref<?xf32>
  memref.store %y, %c[%c0] : memref<?xf32>
  %z = memref.load %c[%c0] : memref<?xf32>
  %l = arith.maxui %n, %k : index
  %d = memref.alloc(%l) : memref<?xf32>
  memref.store %z, %d[%c0] : memref<?xf32>
  %w = memref.load %d[%c0] : memref<?xf32>
  memref.store %w, %out[%c0] : memref<?xf32>
  return
}

// One offset is 0 if a number does not fit, in place of four sizes.
// CHECK-LABEL: func.func @offset
//  CHECK-SAME:   (%[[N:[^:]*]]: index,
//       CHECK:   %[[FITS:.*]] = arith.cmpi ule
//   CHECK-NOT:   arith.cmpi
//       CHECK:   %[[UP:.*]] = arith.andi
//       CHECK:   %[[SIZE:.*]] = arith.select %[[FITS]]
//       CHECK:   %[[ABOVE:.*]] = arith.select %[[FITS]], %[[UP]], %{{.*}} : index
//   CHECK-NOT:   arith.select
//       CHECK:   %[[POOL:.*]] = memref.alloc(%[[SIZE]])
//       CHECK:   memref.view %[[POOL]][%{{.*}}][%[[N]]]
// CHECK-COUNT-3: memref.view %[[POOL]][%[[ABOVE]]]
//       CHECK:   return
func.func @offset(%n: index, %m: index, %k: index, %l: index, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %f = arith.constant 1.0 : f32
  %a = memref.alloc(%n) : memref<?xf32>
  memref.store %f, %a[%c0] : memref<?xf32>
  %b = memref.alloc(%m) : memref<?xf32>
  memref.store %f, %b[%c0] : memref<?xf32>
  %y = memref.load %b[%c0] : memref<?xf32>
  %c = memref.alloc(%k) : memref<?xf32>
  memref.store %y, %c[%c0] : memref<?xf32>
  %z = memref.load %c[%c0] : memref<?xf32>
  %d = memref.alloc(%l) : memref<?xf32>
  memref.store %z, %d[%c0] : memref<?xf32>
  %w = memref.load %d[%c0] : memref<?xf32>
  memref.store %w, %out[%c0] : memref<?xf32>
  %v = memref.load %a[%c0] : memref<?xf32>
  memref.store %v, %out[%c0] : memref<?xf32>
  return
}

// The first pool is freed behind what computes the size of %d, which thus stays: it is
// computed a second time in front of the other pool.
// PLACES-LABEL: func.func @places
//       PLACES:   %[[FIRST:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
//       PLACES:   %[[PART:.*]] = memref.subview
//       PLACES:   memref.dim %[[PART]]
//       PLACES:   memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8, 1>
//       PLACES:   memref.load %[[PART]]
//       PLACES:   memref.dim %[[PART]]
//       PLACES:   memref.dealloc %[[FIRST]]
func.func @places(%n: index, %k: index, %x: memref<?xindex>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %f = arith.constant 1.0 : f32
  %e = memref.alloc(%n) : memref<?xf32, 1>
  memref.store %f, %e[%c0] : memref<?xf32, 1>
  %a = memref.alloc(%n) : memref<?xf32>
  memref.store %f, %a[%c0] : memref<?xf32>
  %part = memref.subview %a[0] [%k] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  %b = memref.alloc(%n) : memref<?xf32>
  memref.store %f, %b[%c0] : memref<?xf32>
  %m = memref.load %x[%c0] : memref<?xindex>
  %g = memref.alloc(%m) : memref<?xf32, 1>
  memref.store %f, %g[%c0] : memref<?xf32, 1>
  %w = memref.load %b[%c0] : memref<?xf32>
  memref.store %w, %out[%c0] : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  %v = memref.load %part[%c0] : memref<?xf32, strided<[1]>>
  memref.store %v, %out[%c0] : memref<?xf32>
  %size = memref.dim %part, %c0 : memref<?xf32, strided<[1]>>
  %d = memref.alloc(%size) : memref<?xf32, 1>
  memref.store %f, %d[%c0] : memref<?xf32, 1>
  %z = memref.load %d[%c0] : memref<?xf32, 1>
  memref.store %z, %out[%c0] : memref<?xf32>
  return
}
