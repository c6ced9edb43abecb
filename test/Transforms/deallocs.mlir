// RUN: buffer-merge-opt %s --buffer-merge=scheduler=first-fit | FileCheck %s

// R3: without deallocations in the input, none in the output. With them, those of
// merged buffers vanish and the pool is freed once at every exit of its scope.

// CHECK-LABEL: func.func @none(
//       CHECK:   memref.alloc() {{.*}} : memref<60xi8>
//   CHECK-NOT:   dealloc
//       CHECK:   return
func.func @none(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

// CHECK-LABEL: func.func @all(
//       CHECK:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<60xi8>
//   CHECK-NOT:   dealloc
//       CHECK:   memref.dealloc %[[POOL]] : memref<60xi8>
//  CHECK-NEXT:   return
//   CHECK-NOT:   dealloc
func.func @all(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  memref.dealloc %a : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  memref.dealloc %b : memref<15xf32>
  return
}

// One of two is enough.
// CHECK-LABEL: func.func @one(
//       CHECK:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<60xi8>
//   CHECK-NOT:   dealloc
//       CHECK:   memref.dealloc %[[POOL]] : memref<60xi8>
//  CHECK-NEXT:   return
func.func @one(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  memref.dealloc %b : memref<15xf32>
  return
}

// Those of buffers that stay, stay.
// CHECK-LABEL: func.func @others(
//  CHECK-SAME:     %[[M:[a-z0-9]*]]: memref<?xf32>
//       CHECK:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<60xi8>
//       CHECK:   %[[DYNAMIC:.*]] = memref.alloc(
//       CHECK:   memref.dealloc %[[DYNAMIC]]
//       CHECK:   memref.dealloc %[[M]]
//       CHECK:   memref.dealloc %[[POOL]]
//  CHECK-NEXT:   return
func.func @others(%m: memref<?xf32>, %x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  %c = memref.alloc(%i) : memref<?xf32>
  memref.dealloc %c : memref<?xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  memref.dealloc %a : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  memref.dealloc %b : memref<15xf32>
  memref.dealloc %m : memref<?xf32>
  return
}

// Every exit, however early, and whether the input frees there or not.
// CHECK-LABEL: func.func @exits(
//       CHECK:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<60xi8>
//       CHECK:   cf.cond_br
//       CHECK: ^bb1:
//  CHECK-NEXT:   memref.dealloc %[[POOL]]
//  CHECK-NEXT:   return
//       CHECK: ^bb2:
//   CHECK-NOT:   dealloc
//       CHECK:   cf.cond_br
//       CHECK: ^bb3:
//  CHECK-NEXT:   memref.dealloc %[[POOL]]
//  CHECK-NEXT:   return
//       CHECK: ^bb4:
//  CHECK-NEXT:   memref.dealloc %[[POOL]]
//  CHECK-NEXT:   return
func.func @exits(%c: i1, %x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  cf.cond_br %c, ^early, ^next
^early:
  memref.dealloc %a : memref<15xf32>
  return
^next:
  memref.dealloc %a : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  cf.cond_br %c, ^one, ^two
^one:
  memref.dealloc %b : memref<15xf32>
  return
^two:
  return
}

// A buffer of a loop is freed in each iteration, the pool behind it.
// CHECK-LABEL: func.func @loop(
//       CHECK:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<60xi8>
//       CHECK:   scf.for
//   CHECK-NOT:     dealloc
//       CHECK:   }
//  CHECK-NEXT:   memref.dealloc %[[POOL]]
//  CHECK-NEXT:   return
func.func @loop(%n: index, %s: index, %x: f32) {
  scf.for %i = %s to %n step %s {
    %a = memref.alloc() : memref<15xf32>
    memref.store %x, %a[%i] : memref<15xf32>
    memref.dealloc %a : memref<15xf32>
    %b = memref.alloc() : memref<15xf32>
    memref.store %x, %b[%i] : memref<15xf32>
    memref.dealloc %b : memref<15xf32>
  }
  return
}

// A pool of an inner scope: freed where that ends.
// CHECK-LABEL: func.func @inner_scopes(
//       CHECK:   scf.forall
//       CHECK:     %[[FORALL:.*]] = memref.alloc() {{.*}} : memref<60xi8>
//       CHECK:     memref.dealloc %[[FORALL]]
//  CHECK-NEXT:   }
//       CHECK:   scf.parallel
//       CHECK:     %[[PARALLEL:.*]] = memref.alloc() {{.*}} : memref<60xi8>
//       CHECK:     memref.dealloc %[[PARALLEL]]
//  CHECK-NEXT:     scf.reduce
//       CHECK:   memref.alloca_scope
//       CHECK:     %[[SCOPE:.*]] = memref.alloc() {{.*}} : memref<60xi8>
//       CHECK:     memref.dealloc %[[SCOPE]]
//  CHECK-NEXT:   }
//  CHECK-NEXT:   return
func.func @inner_scopes(%n: index, %s: index, %x: f32) {
  scf.forall (%i) in (%n) {
    %a = memref.alloc() : memref<15xf32>
    memref.store %x, %a[%i] : memref<15xf32>
    memref.dealloc %a : memref<15xf32>
    %b = memref.alloc() : memref<15xf32>
    memref.store %x, %b[%i] : memref<15xf32>
    memref.dealloc %b : memref<15xf32>
  }
  scf.parallel (%i) = (%s) to (%n) step (%s) {
    %a = memref.alloc() : memref<15xf32>
    memref.store %x, %a[%i] : memref<15xf32>
    memref.dealloc %a : memref<15xf32>
    %b = memref.alloc() : memref<15xf32>
    memref.store %x, %b[%i] : memref<15xf32>
    memref.dealloc %b : memref<15xf32>
  }
  memref.alloca_scope {
    %a = memref.alloc() : memref<15xf32>
    memref.store %x, %a[%n] : memref<15xf32>
    memref.dealloc %a : memref<15xf32>
    %b = memref.alloc() : memref<15xf32>
    memref.store %x, %b[%n] : memref<15xf32>
    memref.dealloc %b : memref<15xf32>
  }
  return
}

// A deallocation of either of two merged buffers vanishes once.
// CHECK-LABEL: func.func @group(
//       CHECK:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<60xi8>
//       CHECK:   arith.select
//   CHECK-NOT:   dealloc
//       CHECK:   memref.dealloc %[[POOL]] : memref<60xi8>
//  CHECK-NEXT:   return
func.func @group(%c: i1, %x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  %s = arith.select %c, %a, %b : memref<15xf32>
  memref.dealloc %s : memref<15xf32>
  return
}

// One of either of two, of which one is not merged, stays, and so do both.
// CHECK-LABEL: func.func @mixed_group(
//   CHECK-NOT:   memref.view
//       CHECK:   %[[S:.*]] = arith.select
//  CHECK-NEXT:   memref.dealloc %[[S]] : memref<15xf32>
//  CHECK-NEXT:   return
func.func @mixed_group(%c: i1, %x: f32, %i: index, %m: memref<15xf32>) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  %s = arith.select %c, %a, %m : memref<15xf32>
  memref.dealloc %s : memref<15xf32>
  return
}

// Two pools that share a deallocation, of which one would be for one buffer alone.
// CHECK-LABEL: func.func @two_spaces(
//   CHECK-NOT:   memref.view
//       CHECK:   return
func.func @two_spaces(%c: i1, %x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  %e = memref.alloc() : memref<15xf32, 1>
  memref.store %x, %e[%i] : memref<15xf32, 1>
  %f = memref.memory_space_cast %e : memref<15xf32, 1> to memref<15xf32>
  %s = arith.select %c, %a, %f : memref<15xf32>
  memref.dealloc %s : memref<15xf32>
  return
}

// Only the pool whose buffers are freed is.
// CHECK-LABEL: func.func @two_pools(
//       CHECK:   %[[ONE:.*]] = memref.alloc() {{.*}} : memref<60xi8>
//       CHECK:   %[[TWO:.*]] = memref.alloc() {{.*}} : memref<60xi8, 1>
//   CHECK-NOT:   dealloc
//       CHECK:   memref.dealloc %[[ONE]] : memref<60xi8>
//   CHECK-NOT:   dealloc
//       CHECK:   return
func.func @two_pools(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  memref.dealloc %a : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  %c = memref.alloc() : memref<15xf32, 1>
  memref.store %x, %c[%i] : memref<15xf32, 1>
  %d = memref.alloc() : memref<15xf32, 1>
  memref.store %x, %d[%i] : memref<15xf32, 1>
  return
}
