// RUN: buffer-merge-opt %s --buffer-merge=limit-peak=none | FileCheck %s

// The branches of emitc.if exclude each other, as those of scf.if do.

// CHECK-LABEL: func.func @exclusive(
//       CHECK:   %[[POOL:.+]] = memref.alloc() {{.*}} : memref<64xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK:   emitc.if
//       CHECK:     %[[A:.+]] = memref.view %[[POOL]][%{{.*}}][] : memref<64xi8> to memref<16xf32>
//       CHECK:     memref.store %{{.*}}, %[[A]]
//       CHECK:   } else {
//       CHECK:     %[[B:.+]] = memref.view %[[POOL]][%{{.*}}][] : memref<64xi8> to memref<16xf32>
//       CHECK:     memref.store %{{.*}}, %[[B]]
//       CHECK:   return
func.func @exclusive(%c: i1, %i: index, %x: f32) {
  emitc.if %c {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
  } else {
    %b = memref.alloc() : memref<16xf32>
    memref.store %x, %b[%i] : memref<16xf32>
  }
  return
}

// What runs in parallel does not share a pool, and frees its own.

// CHECK-LABEL: func.func @parallel(
//       CHECK:   omp.parallel {
//  CHECK-NEXT:     %[[POOL:.+]] = memref.alloc() {{.*}} : memref<64xi8>
//   CHECK-NOT:     memref.alloc
//       CHECK:     memref.dealloc %[[POOL]]
//   CHECK-NOT:     memref.dealloc
//       CHECK:     omp.terminator
func.func @parallel(%i: index, %x: f32) {
  omp.parallel {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    memref.dealloc %a : memref<16xf32>
    %b = memref.alloc() : memref<16xf32>
    memref.store %x, %b[%i] : memref<16xf32>
    memref.dealloc %b : memref<16xf32>
    omp.terminator
  }
  return
}

// The same for the parts of a loop that OpenACC distributes, and no pool around
// it.

// CHECK-LABEL: func.func @acc_loop(
//   CHECK-NOT:   memref.alloc
//       CHECK:   acc.loop
//       CHECK:     memref.alloc() {{.*}} : memref<64xi8>
//   CHECK-NOT:     memref.alloc
//       CHECK:     acc.yield
func.func @acc_loop(%i: index, %n: i32, %x: f32) {
  acc.loop gang control(%j : i32) = (%n : i32) to (%n : i32) step (%n : i32) {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    %b = memref.alloc() : memref<16xf32>
    memref.store %x, %b[%i] : memref<16xf32>
    acc.yield
  } attributes {independent = [#acc.device_type<none>]}
  return
}
