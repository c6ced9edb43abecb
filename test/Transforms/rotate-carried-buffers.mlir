// RUN: buffer-merge-opt %s --rotate-carried-buffers -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: buffer-merge-opt %s --rotate-carried-buffers=slots=scope | FileCheck %s --check-prefix=SCOPE
// RUN: buffer-merge-opt %t.mlir --rotate-carried-buffers | diff %t.mlir -
// RUN: buffer-merge-opt %t.mlir --buffer-merge=scheduler=first-fit | FileCheck %s --check-prefix=MERGED

// What becomes of a carried allocation: its slots before the loop, a number that
// says which one an iteration gets, and no copy.

// CHECK-LABEL: func.func @plain(
//  CHECK-SAME:     %[[INIT:[^:]*]]: memref<16xf32>
//       CHECK:   %[[C0:.*]] = arith.constant 0 : index
//       CHECK:   %[[SLOT0:.*]] = memref.alloc() {alignment = 256 : i64} : memref<16xf32>
//       CHECK:   %[[SLOT1:.*]] = memref.alloc() {alignment = 256 : i64} : memref<16xf32>
//       CHECK:   %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[OLD:.*]] = %[[INIT]], %[[K:.*]] = %[[C0]]) -> (memref<16xf32>, index) {
//       CHECK:     %[[ONE:.*]] = arith.constant 1 : index
//       CHECK:     %[[ODD:.*]] = arith.cmpi eq, %[[K]], %[[ONE]] : index
//       CHECK:     %[[A:.*]] = arith.select %[[ODD]], %[[SLOT1]], %[[SLOT0]] : memref<16xf32>
//       CHECK:     memref.load %[[OLD]]
//       CHECK:     memref.store %{{.*}}, %[[A]]
//       CHECK:     %[[LAST:.*]] = arith.constant 1 : index
//       CHECK:     %[[ZERO:.*]] = arith.constant 0 : index
//       CHECK:     %[[ONE:.*]] = arith.constant 1 : index
//       CHECK:     %[[IS_LAST:.*]] = arith.cmpi eq, %[[K]], %[[LAST]] : index
//       CHECK:     %[[NEXT:.*]] = arith.addi %[[K]], %[[ONE]] : index
//       CHECK:     %[[THEN:.*]] = arith.select %[[IS_LAST]], %[[ZERO]], %[[NEXT]] : index
//       CHECK:     scf.yield %[[A]], %[[THEN]] : memref<16xf32>, index
//       CHECK:   } {some.attribute}
//       CHECK:   memref.load %[[R]]#0
//   CHECK-NOT:   memref.dealloc
//       CHECK:   return
func.func @plain(%init: memref<16xf32>, %n: index, %s: index) -> f32 {
  %r = scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    %a = memref.alloc() {alignment = 256 : i64} : memref<16xf32>
    %y = memref.load %old[%i] : memref<16xf32>
    memref.store %y, %a[%i] : memref<16xf32>
    scf.yield %a : memref<16xf32>
  } {some.attribute}
  %y = memref.load %r[%s] : memref<16xf32>
  return %y : f32
}

// One slot is enough, and no number.
// CHECK-LABEL: func.func @gone(
//       CHECK:   %[[SLOT:.*]] = memref.alloc() : memref<16xf32>
//       CHECK:   scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (memref<16xf32>) {
//   CHECK-NOT:     memref.alloc
//       CHECK:     memref.store %{{.*}}, %[[SLOT]]
//       CHECK:     scf.yield %[[SLOT]] : memref<16xf32>
func.func @gone(%init: memref<16xf32>, %n: index, %s: index) {
  scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    %y = memref.load %old[%i] : memref<16xf32>
    %a = memref.alloc() : memref<16xf32>
    memref.store %y, %a[%i] : memref<16xf32>
    scf.yield %a : memref<16xf32>
  }
  return
}

// Two buffers with as many slots share a number; one with more has its own.
// CHECK-LABEL: func.func @several(
// CHECK-COUNT-7: memref.alloc() : memref<16xf32>
//       CHECK:   scf.for {{.*}} -> (memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>, index, index) {
//   CHECK-NOT:     memref.alloc
//       CHECK:     scf.yield {{.*}} : memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>, index, index
func.func @several(%init: memref<16xf32>, %n: index, %s: index) {
  scf.for %i = %s to %n step %s iter_args(%p = %init, %q = %init, %u = %init, %v = %init)
      -> (memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>) {
    %a = memref.alloc() : memref<16xf32>
    %b = memref.alloc() : memref<16xf32>
    %c = memref.alloc() : memref<16xf32>
    %x = memref.load %p[%i] : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    %y = memref.load %q[%i] : memref<16xf32>
    memref.store %y, %b[%i] : memref<16xf32>
    %z = memref.load %u[%i] : memref<16xf32>
    memref.store %z, %c[%i] : memref<16xf32>
    scf.yield %b, %a, %v, %c : memref<16xf32>, memref<16xf32>, memref<16xf32>, memref<16xf32>
  }
  return
}

// In a nest that carries the buffer through, so is the number.
// CHECK-LABEL: func.func @nest(
//       CHECK:   %[[C0:.*]] = arith.constant 0 : index
//       CHECK:   %[[SLOT0:.*]] = memref.alloc() : memref<16xf32>
//       CHECK:   %[[SLOT1:.*]] = memref.alloc() : memref<16xf32>
//       CHECK:   scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[K:.*]] = %[[C0]]) -> (memref<16xf32>, index) {
//       CHECK:     %[[R:.*]]:3 = scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[L:.*]] = %[[K]]) : (index, memref<16xf32>, index) -> (index, memref<16xf32>, index) {
//       CHECK:       scf.condition(%{{.*}}) %{{.*}}, %{{.*}}, %[[L]] : index, memref<16xf32>, index
//       CHECK:     } do {
//       CHECK:     ^bb0(%{{.*}}: index, %{{.*}}: memref<16xf32>, %[[M:.*]]: index):
//       CHECK:       %[[ODD:.*]] = arith.cmpi eq, %[[M]], %{{.*}} : index
//       CHECK:       %[[A:.*]] = arith.select %[[ODD]], %[[SLOT1]], %[[SLOT0]] : memref<16xf32>
//       CHECK:       %[[THEN:.*]] = arith.select {{.*}} : index
//       CHECK:       scf.yield %{{.*}}, %[[A]], %[[THEN]] : index, memref<16xf32>, index
//       CHECK:     } attributes {some.attribute}
//       CHECK:     scf.yield %[[R]]#1, %[[R]]#2 : memref<16xf32>, index
func.func @nest(%init: memref<16xf32>, %n: index, %s: index) {
  scf.for %k = %s to %n step %s iter_args(%x = %init) -> memref<16xf32> {
    %r:2 = scf.while (%i = %s, %old = %x) : (index, memref<16xf32>) -> (index, memref<16xf32>) {
      %more = arith.cmpi ult, %i, %n : index
      scf.condition(%more) %i, %old : index, memref<16xf32>
    } do {
    ^bb0(%i: index, %old: memref<16xf32>):
      %a = memref.alloc() : memref<16xf32>
      %y = memref.load %old[%i] : memref<16xf32>
      memref.store %y, %a[%i] : memref<16xf32>
      %next = arith.addi %i, %s : index
      scf.yield %next, %a : index, memref<16xf32>
    } attributes {some.attribute}
    scf.yield %r#1 : memref<16xf32>
  }
  return
}

// One loop carries, and others are around it: no number is carried by these. The
// slots are in front of the one or of all of them.
// CHECK-LABEL: func.func @nest_inner(
//   CHECK-NOT:   memref.alloc
//       CHECK:   scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
//       CHECK:     scf.if
//   CHECK-DAG:       memref.alloc() : memref<16xf32>
//   CHECK-DAG:       memref.alloc() : memref<16xf32>
//   CHECK-DAG:       %[[C0:.*]] = arith.constant 0 : index
//       CHECK:       scf.for {{.*}}, %{{.*}} = %[[C0]]) -> (memref<16xf32>, index) {
//   CHECK-NOT:         memref.alloc
// Nothing frees them: only the branch that needs them may allocate them.
// SCOPE-LABEL: func.func @nest_inner(
//   SCOPE-NOT:   memref.alloc
//       SCOPE:   scf.for
//       SCOPE:     scf.if
//   SCOPE-DAG:       memref.alloc() : memref<16xf32>
//   SCOPE-DAG:       memref.alloc() : memref<16xf32>
//       SCOPE:       scf.for
//   SCOPE-NOT:         memref.alloc
func.func @nest_inner(%init: memref<16xf32>, %n: index, %s: index, %c: i1) {
  scf.for %k = %s to %n step %s {
    scf.if %c {
      %r = scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
        %a = memref.alloc() : memref<16xf32>
        %y = memref.load %old[%i] : memref<16xf32>
        memref.store %y, %a[%i] : memref<16xf32>
        scf.yield %a : memref<16xf32>
      }
      memref.copy %r, %init : memref<16xf32> to memref<16xf32>
    }
  }
  return
}

// The loop's result leaves the branch, but not the iteration: the slots are freed at
// the end of that.
// CHECK-LABEL: func.func @home(
//       CHECK:   scf.for
//       CHECK:     %[[FIRST:.*]] = memref.alloc() : memref<16xf32>
//       CHECK:     %[[SLOT0:.*]] = memref.alloc() : memref<16xf32>
//       CHECK:     %[[SLOT1:.*]] = memref.alloc() : memref<16xf32>
//       CHECK:     scf.if
//   CHECK-NOT:     memref.dealloc
//       CHECK:     memref.copy %{{.*}}, %arg0
//  CHECK-NEXT:     memref.dealloc %[[FIRST]]
//  CHECK-NEXT:     memref.dealloc %[[SLOT0]]
//  CHECK-NEXT:     memref.dealloc %[[SLOT1]]
//  CHECK-NEXT:   }
// SCOPE-LABEL: func.func @home(
//       SCOPE:   %[[FIRST:.*]] = memref.alloc() : memref<16xf32>
//       SCOPE:   %[[SLOT0:.*]] = memref.alloc() : memref<16xf32>
//       SCOPE:   %[[SLOT1:.*]] = memref.alloc() : memref<16xf32>
//       SCOPE:   scf.for
//   SCOPE-NOT:   memref.dealloc
//       SCOPE:   memref.copy %{{.*}}, %arg0
//  SCOPE-NEXT:   }
//  SCOPE-NEXT:   memref.dealloc %[[FIRST]]
//  SCOPE-NEXT:   memref.dealloc %[[SLOT0]]
//  SCOPE-NEXT:   memref.dealloc %[[SLOT1]]
//  SCOPE-NEXT:   return
func.func @home(%out: memref<16xf32>, %x: f32, %n: index, %s: index, %c: i1) {
  scf.for %k = %s to %n step %s {
    %first = memref.alloc() : memref<16xf32>
    memref.store %x, %first[%s] : memref<16xf32>
    %last = scf.if %c -> memref<16xf32> {
      %r = scf.for %i = %s to %n step %s iter_args(%old = %first) -> memref<16xf32> {
        %a = memref.alloc() : memref<16xf32>
        memref.copy %old, %a : memref<16xf32> to memref<16xf32>
        memref.dealloc %old : memref<16xf32>
        scf.yield %a : memref<16xf32>
      }
      scf.yield %r : memref<16xf32>
    } else {
      scf.yield %first : memref<16xf32>
    }
    memref.copy %last, %out : memref<16xf32> to memref<16xf32>
    memref.dealloc %last : memref<16xf32>
  }
  return
}

// Handed from one region of scf.while to the other, and from there nowhere: one slot.
// CHECK-LABEL: func.func @once_around(
//       CHECK:   %[[SLOT:.*]] = memref.alloc() : memref<16xf32>
//       CHECK:   scf.while
//       CHECK:     memref.load
//       CHECK:     memref.store %{{.*}}, %[[SLOT]]
//  CHECK-NEXT:     scf.yield %[[SLOT]] : memref<16xf32>
func.func @once_around(%init: memref<16xf32>, %c: i1, %x: f32, %i: index) {
  scf.while (%old = %init) : (memref<16xf32>) -> () {
    %y = memref.load %old[%i] : memref<16xf32>
    scf.condition(%c)
  } do {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    scf.yield %a : memref<16xf32>
  }
  return
}

// The result of the last iteration, of which no other sees anything.
// CHECK-LABEL: func.func @last(
//       CHECK:   %[[SLOT:.*]] = memref.alloc() : memref<16xf32>
//       CHECK:   scf.for
//  CHECK-NEXT:     memref.store %{{.*}}, %[[SLOT]]
func.func @last(%init: memref<16xf32>, %x: f32, %n: index, %s: index) -> f32 {
  %r = scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    scf.yield %a : memref<16xf32>
  }
  %y = memref.load %r[%s] : memref<16xf32>
  return %y : f32
}

// Not handed on: not a matter of this pass.
// CHECK-LABEL: func.func @fresh(
//       CHECK:   scf.for
//       CHECK:     memref.alloc
//       CHECK:   scf.for
//       CHECK:     memref.alloc
func.func @fresh(%init: memref<16xf32>, %x: f32, %n: index, %s: index) {
  scf.for %i = %s to %n step %s {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
  }
  scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    memref.copy %a, %old : memref<16xf32> to memref<16xf32>
    scf.yield %old : memref<16xf32>
  }
  return
}

// In the first region of scf.while, the condition hands on the next number.
// CHECK-LABEL: func.func @while_before(
//       CHECK:   scf.while (%{{.*}} = %{{.*}}, %[[K:.*]] = %{{.*}}) : (memref<16xf32>, index) -> (memref<16xf32>, index) {
//       CHECK:     arith.cmpi eq, %[[K]]
//       CHECK:     %[[THEN:.*]] = arith.select {{.*}} : index
//       CHECK:     scf.condition(%{{.*}}) %{{.*}}, %[[THEN]] : memref<16xf32>, index
//       CHECK:   ^bb0(%[[NEW:.*]]: memref<16xf32>, %[[L:.*]]: index):
//       CHECK:     scf.yield %[[NEW]], %[[L]] : memref<16xf32>, index
func.func @while_before(%init: memref<16xf32>, %c: i1, %s: index) {
  scf.while (%old = %init) : (memref<16xf32>) -> memref<16xf32> {
    %a = memref.alloc() : memref<16xf32>
    %y = memref.load %old[%s] : memref<16xf32>
    memref.store %y, %a[%s] : memref<16xf32>
    scf.condition(%c) %a : memref<16xf32>
  } do {
  ^bb0(%new: memref<16xf32>):
    scf.yield %new : memref<16xf32>
  }
  return
}

// CHECK-LABEL: func.func @affine(
//       CHECK:   affine.for {{.*}} -> (memref<16xf32>, index) {
//       CHECK:     affine.yield {{.*}} : memref<16xf32>, index
//       CHECK:   } {some.attribute}
func.func @affine(%init: memref<16xf32>) {
  affine.for %i = 0 to 7 iter_args(%old = %init) -> memref<16xf32> {
    %a = memref.alloc() : memref<16xf32>
    %y = affine.load %old[%i] : memref<16xf32>
    affine.store %y, %a[%i] : memref<16xf32>
    affine.yield %a : memref<16xf32>
  } {some.attribute}
  return
}

// Unsigned comparisons stay unsigned.
// CHECK-LABEL: func.func @unsigned(
//       CHECK:   scf.for unsigned {{.*}} -> (memref<16xf32>, index) {
func.func @unsigned(%init: memref<16xf32>, %n: index, %s: index) {
  scf.for unsigned %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    %a = memref.alloc() : memref<16xf32>
    memref.copy %old, %a : memref<16xf32> to memref<16xf32>
    scf.yield %a : memref<16xf32>
  }
  return
}

// Each iteration of a parallel loop has slots of its own.
// CHECK-LABEL: func.func @parallel(
//   CHECK-NOT:   memref.alloc
//       CHECK:   scf.parallel
//       CHECK:     memref.alloc() : memref<16xf32>
//       CHECK:     memref.alloc() : memref<16xf32>
//       CHECK:     scf.for
func.func @parallel(%init: memref<16xf32>, %n: index, %s: index) {
  scf.parallel (%k) = (%s) to (%n) step (%s) {
    scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
      %a = memref.alloc() : memref<16xf32>
      memref.copy %old, %a : memref<16xf32> to memref<16xf32>
      scf.yield %a : memref<16xf32>
    }
  }
  return
}

// With deallocations, the slots are freed at every exit; and what is freed together
// with instances is freed with their slots.
// CHECK-LABEL: func.func @freed(
//       CHECK:   %[[FIRST:.*]] = memref.alloc() : memref<16xf32>
//       CHECK:   %[[SLOT0:.*]] = memref.alloc() : memref<16xf32>
//       CHECK:   %[[SLOT1:.*]] = memref.alloc() : memref<16xf32>
//   CHECK-NOT:   memref.alloc
//   CHECK-NOT:   memref.dealloc
//       CHECK:   cf.cond_br
//       CHECK: ^bb1:
//  CHECK-NEXT:   memref.dealloc %[[FIRST]]
//  CHECK-NEXT:   memref.dealloc %[[SLOT0]]
//  CHECK-NEXT:   memref.dealloc %[[SLOT1]]
//  CHECK-NEXT:   return
//       CHECK: ^bb2:
//   CHECK-NOT:   memref.dealloc
//       CHECK:   memref.load
//  CHECK-NEXT:   memref.dealloc %[[FIRST]]
//  CHECK-NEXT:   memref.dealloc %[[SLOT0]]
//  CHECK-NEXT:   memref.dealloc %[[SLOT1]]
//  CHECK-NEXT:   return
func.func @freed(%x: f32, %n: index, %s: index, %c: i1) {
  cf.cond_br %c, ^early, ^late
^early:
  return
^late:
  %first = memref.alloc() : memref<16xf32>
  memref.store %x, %first[%s] : memref<16xf32>
  %r = scf.for %i = %s to %n step %s iter_args(%old = %first) -> memref<16xf32> {
    %a = memref.alloc() : memref<16xf32>
    memref.copy %old, %a : memref<16xf32> to memref<16xf32>
    memref.dealloc %old : memref<16xf32>
    scf.yield %a : memref<16xf32>
  }
  %y = memref.load %r[%s] : memref<16xf32>
  memref.dealloc %r : memref<16xf32>
  return
}

// What buffer-deallocation-pipeline makes of @plain. The branches that freed go.
// CHECK-LABEL: func.func @owned(
//       CHECK:   %[[SLOT0:.*]] = memref.alloc() : memref<16xf32>
//       CHECK:   %[[SLOT1:.*]] = memref.alloc() : memref<16xf32>
//   CHECK-NOT:   scf.if
//   CHECK-NOT:   memref.dealloc
//       CHECK:   memref.load
//   CHECK-NOT:   scf.if
//       CHECK:   memref.dealloc %[[SLOT0]]
//  CHECK-NEXT:   memref.dealloc %[[SLOT1]]
//  CHECK-NEXT:   return
func.func @owned(%init: memref<16xf32>, %n: index, %s: index) -> f32 {
  %true = arith.constant true
  %false = arith.constant false
  %r:2 = scf.for %i = %s to %n step %s iter_args(%old = %init, %owned = %false) -> (memref<16xf32>, i1) {
    %a = memref.alloc() : memref<16xf32>
    %y = memref.load %old[%i] : memref<16xf32>
    memref.store %y, %a[%i] : memref<16xf32>
    %base, %offset, %size, %stride = memref.extract_strided_metadata %old : memref<16xf32> -> memref<f32>, index, index, index
    scf.if %owned {
      memref.dealloc %base : memref<f32>
    }
    scf.yield %a, %true : memref<16xf32>, i1
  }
  %y = memref.load %r#0[%s] : memref<16xf32>
  %base, %offset, %size, %stride = memref.extract_strided_metadata %r#0 : memref<16xf32> -> memref<f32>, index, index, index
  scf.if %r#1 {
    memref.dealloc %base : memref<f32>
  }
  return %y : f32
}

// Slots are merged as any other buffers are: they are alive in all of the loop, the
// others are not.
// CHECK-LABEL: func.func @merged(
// MERGED-LABEL: func.func @merged(
//      MERGED:   %[[POOL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<192xi8>
//  MERGED-NOT:   memref.alloc
//      MERGED:   %[[BEFORE:.*]] = memref.view %[[POOL]][%{{.*}}][] : memref<192xi8> to memref<16xf32>
//      MERGED:   %[[SLOT0:.*]] = memref.view %[[POOL]]
//      MERGED:   %[[SLOT1:.*]] = memref.view %[[POOL]]
//      MERGED:   scf.for
//      MERGED:     arith.select {{.*}}, %[[SLOT1]], %[[SLOT0]] : memref<16xf32>
//      MERGED:     memref.view %[[POOL]]
//  MERGED-NOT:   memref.alloc
//      MERGED:   return
func.func @merged(%init: memref<16xf32>, %x: f32, %n: index, %s: index) -> f32 {
  %before = memref.alloc() : memref<16xf32>
  memref.store %x, %before[%s] : memref<16xf32>
  memref.copy %before, %init : memref<16xf32> to memref<16xf32>
  %r = scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16xf32> {
    %a = memref.alloc() : memref<16xf32>
    %tmp = memref.alloc() : memref<16xf32>
    memref.copy %old, %tmp : memref<16xf32> to memref<16xf32>
    memref.copy %tmp, %a : memref<16xf32> to memref<16xf32>
    scf.yield %a : memref<16xf32>
  }
  %y = memref.load %r[%s] : memref<16xf32>
  return %y : f32
}

// A size of a slot that is chosen at run time would be no affine symbol.
// CHECK-LABEL: func.func @symbols(
//       CHECK:   %[[SLOT0:.*]] = memref.alloc() : memref<16x8xf32>
//       CHECK:   %[[SLOT1:.*]] = memref.alloc() : memref<16x8xf32>
//   CHECK-NOT:   memref.dim
//       CHECK:   %[[ROWS:.*]] = arith.constant 16 : index
//       CHECK:   %[[COLUMNS:.*]] = arith.constant 8 : index
//       CHECK:   affine.for %{{.*}} = 0 to %[[ROWS]]
//       CHECK:   affine.for %{{.*}} = 0 to %[[COLUMNS]]
//       CHECK:   return
func.func @symbols(%init: memref<16x8xf32>, %n: index, %s: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<16x8xf32> {
    %a = memref.alloc() : memref<16x8xf32>
    %any = memref.cast %a : memref<16x8xf32> to memref<?x?xf32>
    %rows = memref.dim %a, %c0 : memref<16x8xf32>
    %columns = memref.dim %any, %c1 : memref<?x?xf32>
    affine.for %k = 0 to %rows {
      affine.for %l = 0 to %columns {
        %y = affine.load %old[%k, %l] : memref<16x8xf32>
        affine.store %y, %any[%k, %l] : memref<?x?xf32>
      }
    }
    scf.yield %a : memref<16x8xf32>
  }
  %y = memref.load %r[%s, %s] : memref<16x8xf32>
  return %y : f32
}
