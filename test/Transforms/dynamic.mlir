// RUN: buffer-merge-opt %s --buffer-merge=dynamic=bounded | FileCheck %s --check-prefixes=CHECK,BOUNDED
// RUN: buffer-merge-opt %s --buffer-merge='dynamic=equal limit-peak=none' | FileCheck %s --check-prefixes=CHECK,EQUAL
// RUN: buffer-merge-opt %s --buffer-merge='dynamic=equal limit-peak=none' --buffer-merge='dynamic=equal limit-peak=none' | FileCheck %s --check-prefixes=CHECK,EQUAL
// RUN: buffer-merge-opt %s --buffer-merge=dynamic=bounded --buffer-merge=dynamic=bounded | FileCheck %s --check-prefixes=CHECK,BOUNDED
// RUN: buffer-merge-opt %s -o %t.same
// RUN: buffer-merge-opt %s --buffer-merge=dynamic=none | diff %t.same -
// RUN: buffer-merge-opt %s --buffer-lifetimes=dynamic=bounded -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: buffer-merge-opt %s --buffer-lifetimes='dynamic=bounded target={"dynamic": {"waste": 192}}' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WASTE
// RUN: not buffer-merge-opt %s --buffer-merge='target={"dynamic": {"waste": -1}}' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not buffer-merge-opt %s --buffer-merge=dynamic=sometimes 2>&1 | FileCheck %s --check-prefix=SOMETIMES

// NEGATIVE: error: target:1:23: waste -1 is not in 0 to
// NEGATIVE-NOT: error
// SOMETIMES: there is no value 'sometimes'; the nearest is '{{[a-z-]+}}'

#atMost16 = affine_map<(i) -> (16, i)>
#between4And16 = affine_map<(i) -> (i mod 13 + 4)>

//===----------------------------------------------------------------------===//
// Upper bounds
//===----------------------------------------------------------------------===//

// CHECK-LABEL:  func.func @bounded(
// BOUNDED:        %[[POOL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// BOUNDED:        %[[N:.*]] = affine.min
// BOUNDED:        memref.view %[[POOL]][%{{.*}}][%[[N]]] : memref<256xi8> to memref<?x4xf32>
// BOUNDED:        memref.view %[[POOL]][%{{.*}}][%[[N]]] : memref<256xi8> to memref<?x4xf32>
// BOUNDED-NOT:    memref.alloc
// EQUAL:          memref.alloc(%{{.*}}) : memref<?x4xf32>
// EQUAL-NOT:      memref.alloc
// CHECK:          return
// REMARK-DAG:         :[[#@LINE+6]]:8: remark: lifetime [{{.*}}), 256 bytes
// REMARK-DAG:         :[[#@LINE+8]]:8: remark: lifetime [{{.*}}), 256 bytes
// WASTE-DAG:          :[[#@LINE+4]]:8: remark: not mergeable: wasteful-bound, it may be smaller than its upper bound by more than is allowed
// WASTE-DAG:          :[[#@LINE+6]]:8: remark: shares an earlier allocation of equal size
func.func @bounded(%k: index, %x: f32, %out: memref<?x4xf32>) {
  %n = affine.min #atMost16(%k)
  %a = memref.alloc(%n) : memref<?x4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?x4xf32>)
  memref.copy %a, %out : memref<?x4xf32> to memref<?x4xf32>
  %b = memref.alloc(%n) : memref<?x4xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<?x4xf32>)
  memref.copy %b, %out : memref<?x4xf32> to memref<?x4xf32>
  return
}

// 4 to 16 rows of 16 bytes: 192 bytes may be wasted, no more.
// CHECK-LABEL:  func.func @lower_bound(
// BOUNDED:        memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// REMARK-DAG:         :[[#@LINE+4]]:8: remark: lifetime [{{.*}}), 256 bytes
// WASTE-DAG:          :[[#@LINE+3]]:8: remark: lifetime [{{.*}}), 256 bytes
func.func @lower_bound(%k: index, %x: f32, %out: memref<?x4xf32>) {
  %n = affine.apply #between4And16(%k)
  %a = memref.alloc(%n) : memref<?x4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?x4xf32>)
  memref.copy %a, %out : memref<?x4xf32> to memref<?x4xf32>
  %b = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<4xf32>)
  %any = memref.cast %b : memref<4xf32> to memref<*xf32>
  call @use(%any) : (memref<*xf32>) -> ()
  return
}
func.func private @use(memref<*xf32>)

// The number of iterations is a bound, too; two dynamic sizes; a static partner.
// CHECK-LABEL:  func.func @in_loop(
// BOUNDED:        memref.alloc() {alignment = 64 : i64} : memref<900xi8>
// BOUNDED:        scf.for %[[I:.*]] =
// BOUNDED:          memref.view %{{.*}}[%{{.*}}][%[[I]], %[[I]]] : memref<900xi8> to memref<?x?xf32>
// CHECK:          return
func.func @in_loop(%x: f32, %out: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %a = memref.alloc(%i, %i) : memref<?x?xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<?x?xf32>)
    memref.copy %a, %out : memref<?x?xf32> to memref<?x?xf32>
  }
  %b = memref.alloc() : memref<100xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<100xf32>)
  %any = memref.cast %b : memref<100xf32> to memref<*xf32>
  call @use(%any) : (memref<*xf32>) -> ()
  return
}

// Bounds that no pool can have: too many bytes; a number of elements that does not
// fit 64 bits; below 0; elements that have no bytes.
// CHECK-LABEL:  func.func @no_bound(
// CHECK-NOT:      memref.view
// CHECK:          return
func.func @no_bound(%k: index, %x: f32) {
  %big = affine.min affine_map<(i) -> (4611686018427387904, i)>(%k)
  // REMARK-DAG: :[[#@LINE+1]]:8: remark: not mergeable: size-overflow
  %a = memref.alloc(%big) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
  %bigger = affine.apply affine_map<(i) -> (i * 4)>(%big)
  // REMARK-DAG: :[[#@LINE+1]]:8: remark: not mergeable: dynamic-shape
  %b = memref.alloc(%bigger) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<?xf32>)
  %negative = affine.min affine_map<(i) -> (-1, i)>(%k)
  // REMARK-DAG: :[[#@LINE+1]]:8: remark: not mergeable: dynamic-shape
  %c = memref.alloc(%negative) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%c : memref<?xf32>)
  %none = affine.min affine_map<(i) -> (0, i)>(%k)
  // REMARK-DAG: :[[#@LINE+1]]:8: remark: not mergeable: zero-size
  %d = memref.alloc(%none) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%d : memref<?xf32>)
  %ok = affine.min #atMost16(%k)
  // REMARK-DAG: :[[#@LINE+1]]:8: remark: not mergeable: layout
  %e = memref.alloc(%ok) : memref<?xf32, affine_map<(i) -> (2 * i)>>
  linalg.fill ins(%x : f32) outs(%e : memref<?xf32, affine_map<(i) -> (2 * i)>>)
  // No constraint at all.
  // REMARK-DAG: :[[#@LINE+1]]:8: remark: not mergeable: dynamic-shape
  %f = memref.alloc(%k) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%f : memref<?xf32>)
  return
}

//===----------------------------------------------------------------------===//
// Equal sizes
//===----------------------------------------------------------------------===//

// Of one value, and of values that are proved to be equal. The stricter alignment is
// asked for by the second.
// CHECK-LABEL:  func.func @equal(
// CHECK-SAME:     %[[N:[^:]*]]: index
// CHECK:          %[[A:.*]] = memref.alloc(%[[N]]) {alignment = 128 : i64} : memref<?xf32>
// CHECK-NEXT:     linalg.fill {{.*}} outs(%[[A]]
// CHECK-NOT:      memref.alloc
// CHECK:          linalg.fill {{.*}} outs(%[[A]]
// CHECK-NOT:      memref.alloc
// CHECK:          linalg.fill {{.*}} outs(%[[A]]
// CHECK:          return
func.func @equal(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
  %b = memref.alloc(%n) {alignment = 128} : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<?xf32>)
  %m = memref.dim %a, %c0 : memref<?xf32>
  %c = memref.alloc(%m) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%c : memref<?xf32>)
  return
}

// Of another size, of another type, alive at one tick.
// CHECK-LABEL:   func.func @not_equal(
// CHECK-COUNT-5:   memref.alloc(
// CHECK-NOT:       memref.alloc(
// CHECK:           return
func.func @not_equal(%n: index, %x: f32, %y: i32) {
  %c1 = arith.constant 1 : index
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
  %m = arith.addi %n, %c1 : index
  %b = memref.alloc(%m) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<?xf32>)
  %c = memref.alloc(%n) : memref<?xi32>
  linalg.fill ins(%y : i32) outs(%c : memref<?xi32>)
  %d = memref.alloc(%n) : memref<?x3xf32>
  linalg.fill ins(%x : f32) outs(%d : memref<?x3xf32>)
  %e = memref.alloc(%n) : memref<?x3xf32>
  linalg.exp ins(%d : memref<?x3xf32>) outs(%e : memref<?x3xf32>)
  return
}

// The first one is not executed on the way to the second; another scope; not ours.
// CHECK-LABEL:   func.func @out_of_reach(
// CHECK-COUNT-5:   memref.alloc(
// CHECK-NOT:       memref.alloc(
// CHECK:           return
func.func @out_of_reach(%n: index, %c: i1, %x: f32) -> memref<?x2xf32> {
  scf.if %c {
    %a = memref.alloc(%n) : memref<?xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
  }
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<?xf32>)
  scf.forall (%i) in (%n) {
    %d = memref.alloc(%n) : memref<?xf32>
    linalg.fill ins(%x : f32) outs(%d : memref<?xf32>)
  }
  %e = memref.alloc(%n) : memref<?x2xf32>
  linalg.fill ins(%x : f32) outs(%e : memref<?x2xf32>)
  %f = memref.alloc(%n) : memref<?x2xf32>
  linalg.fill ins(%x : f32) outs(%f : memref<?x2xf32>)
  return %f : memref<?x2xf32>
}

// A loop does without an allocation for each iteration; one that a later iteration
// sees is left alone.
// CHECK-LABEL:  func.func @into_loop(
// CHECK:          %[[A:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK:          scf.for
// CHECK-NEXT:       linalg.fill {{.*}} outs(%[[A]]
// CHECK:          scf.for
// CHECK-NEXT:       memref.alloc
func.func @into_loop(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.alloc(%n) : memref<?xf32>
    linalg.fill ins(%x : f32) outs(%b : memref<?xf32>)
  }
  %first = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%first : memref<?xf32>)
  scf.for %i = %c0 to %n step %c1 iter_args(%c = %first) -> memref<?xf32> {
    %d = memref.alloc(%n) : memref<?xf32>
    linalg.exp ins(%c : memref<?xf32>) outs(%d : memref<?xf32>)
    scf.yield %d : memref<?xf32>
  }
  return
}

//===----------------------------------------------------------------------===//
// Deallocations
//===----------------------------------------------------------------------===//

// The last one to be used is deallocated where it was.
// CHECK-LABEL:  func.func @freed_by_last(
// EQUAL:          %[[A:.*]] = memref.alloc(
// EQUAL-NEXT:     linalg.fill
// EQUAL-NEXT:     linalg.fill
// EQUAL-NEXT:     memref.dealloc %[[A]]
// EQUAL-NEXT:     call @other
// EQUAL-NEXT:     return
func.func @freed_by_last(%n: index, %x: f32) {
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
  memref.dealloc %a : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<?xf32>)
  memref.dealloc %b : memref<?xf32>
  call @other() : () -> ()
  return
}
func.func private @other()

// At the end, for one is freed in each iteration and the other before.
// CHECK-LABEL:  func.func @freed_at_end(
// EQUAL:          %[[A:.*]] = memref.alloc(
// EQUAL:          scf.for
// EQUAL-NEXT:       linalg.fill
// EQUAL-NEXT:     }
// EQUAL-NEXT:     call @other
// EQUAL-NEXT:     memref.dealloc %[[A]]
// EQUAL-NEXT:     return
func.func @freed_at_end(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
  memref.dealloc %a : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.alloc(%n) : memref<?xf32>
    linalg.fill ins(%x : f32) outs(%b : memref<?xf32>)
    memref.dealloc %b : memref<?xf32>
  }
  call @other() : () -> ()
  return
}

// It is used behind the loop that allocates it: freed at the end of the body would be
// too early. Of blocks, it is not known which is the last one.
// CHECK-LABEL:  func.func @leaves_loop(
// CHECK:          scf.for
// CHECK:            memref.alloc(
// CHECK:            memref.alloc(
// CHECK:          memref.dealloc
// CHECK:          return
func.func @leaves_loop(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = memref.alloc(%c0) : memref<?xf32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%p = %none) -> memref<?xf32> {
    memref.dealloc %p : memref<?xf32>
    %a = memref.alloc(%n) : memref<?xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
    %b = memref.alloc(%n) : memref<?xf32>
    linalg.fill ins(%x : f32) outs(%b : memref<?xf32>)
    scf.yield %b : memref<?xf32>
  }
  linalg.fill ins(%x : f32) outs(%last : memref<?xf32>)
  memref.dealloc %last : memref<?xf32>
  return
}

// CHECK-LABEL:   func.func @leaves_branch(
// EQUAL:           scf.if
// EQUAL-COUNT-2:     memref.alloc(
// CHECK:           return
func.func @leaves_branch(%n: index, %c: i1, %x: f32, %other: memref<?xf32>) {
  %r = scf.if %c -> memref<?xf32> {
    %a = memref.alloc(%n) : memref<?xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
    memref.dealloc %a : memref<?xf32>
    %b = memref.alloc(%n) : memref<?xf32>
    linalg.fill ins(%x : f32) outs(%b : memref<?xf32>)
    scf.yield %b : memref<?xf32>
  } else {
    scf.yield %other : memref<?xf32>
  }
  linalg.fill ins(%x : f32) outs(%r : memref<?xf32>)
  return
}

// CHECK-LABEL:   func.func @blocks(
// EQUAL-COUNT-2:   memref.alloc(
// CHECK:           return
func.func @blocks(%n: index, %c: i1, %x: f32) {
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  memref.dealloc %b : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
  memref.dealloc %a : memref<?xf32>
  return
^bb2:
  memref.dealloc %a : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<?xf32>)
  memref.dealloc %b : memref<?xf32>
  return
}

// A deallocation that may free something else.
// CHECK-LABEL:   func.func @either(
// EQUAL-COUNT-3:   memref.alloc(
// CHECK:           return
func.func @either(%n: index, %c: i1, %x: f32, %other: memref<?xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
  memref.dealloc %a : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<?xf32>)
  %d = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%d : memref<?xf32>)
  %bd = arith.select %c, %b, %d : memref<?xf32>
  %db = arith.select %c, %d, %b : memref<?xf32>
  memref.dealloc %bd : memref<?xf32>
  memref.dealloc %db : memref<?xf32>
  return
}

//===----------------------------------------------------------------------===//
// Sizes as affine symbols
//===----------------------------------------------------------------------===//

// The size of %a is that of %b, but it is no symbol, and the size of %b must be one.
// CHECK-LABEL:  func.func @loses_symbol(
// CHECK-COUNT-2:  memref.alloc(
// CHECK:          affine.for
// CHECK:          return
func.func @loses_symbol(%m: index, %c: i1, %x: f32, %n: index, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %s = scf.if %c -> index {
      memref.store %x, %out[%c0] : memref<?xf32>
      scf.yield %m : index
    } else {
      scf.yield %m : index
    }
    %a = memref.alloc(%s) : memref<?xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
    memref.copy %a, %out : memref<?xf32> to memref<?xf32>
    %b = memref.alloc(%m) : memref<?xf32>
    %d = memref.dim %b, %c0 : memref<?xf32>
    affine.for %j = 0 to %d {
      affine.store %x, %b[%j] : memref<?xf32>
    }
    memref.copy %b, %out : memref<?xf32> to memref<?xf32>
  }
  return
}

// The same the other way round, and without a use of the size.
// CHECK-LABEL:  func.func @keeps_symbol(
// CHECK-COUNT-1:  memref.alloc(
// CHECK-NOT:      memref.alloc(
// CHECK:          return
func.func @keeps_symbol(%m: index, %c: i1, %x: f32, %n: index, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %s = scf.if %c -> index {
      memref.store %x, %out[%c0] : memref<?xf32>
      scf.yield %m : index
    } else {
      scf.yield %m : index
    }
    %a = memref.alloc(%m) : memref<?xf32>
    %d = memref.dim %a, %c0 : memref<?xf32>
    affine.for %j = 0 to %d {
      affine.store %x, %a[%j] : memref<?xf32>
    }
    memref.copy %a, %out : memref<?xf32> to memref<?xf32>
    %b = memref.alloc(%s) : memref<?xf32>
    linalg.fill ins(%x : f32) outs(%b : memref<?xf32>)
    memref.copy %b, %out : memref<?xf32> to memref<?xf32>
  }
  return
}
