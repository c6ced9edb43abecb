// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge --canonicalize | FileCheck %s --check-prefix=FOLDED
// RUN: buffer-merge-opt %s --buffer-merge --inline --canonicalize | FileCheck %s --check-prefix=INLINED

// The deallocation of a clone stays, and those of its source and of what shares bytes
// with it vanish.

// CHECK-LABEL: func.func @freed(
//       CHECK:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<64xi8>
//       CHECK:   %[[A:.*]] = memref.view %[[POOL]]
//       CHECK:   %[[CLONE:.*]] = bufferization.clone %[[A]]
//       CHECK:   memref.dealloc %[[CLONE]]
//       CHECK:   memref.view %[[POOL]]
//       CHECK:   memref.dealloc %[[POOL]]
//   CHECK-NOT:   memref.dealloc
//       CHECK:   return
func.func @freed(%m: memref<16xf32>, %x: f32, %i: index) {
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %b = bufferization.clone %a : memref<16xf32> to memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  %y = memref.load %b[%i] : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  %c = memref.alloc() : memref<16xf32>
  memref.store %y, %c[%i] : memref<16xf32>
  memref.copy %c, %m : memref<16xf32> to memref<16xf32>
  memref.dealloc %c : memref<16xf32>
  return
}

// Merged, the clone would become a view of the pool, and the pool be freed where the
// clone is, before %c.
// FOLDED-LABEL: func.func @freed_elsewhere(
//   FOLDED-NOT:   memref<64xi8>
//       FOLDED:   return
func.func @freed_elsewhere(%c0: i1, %m: memref<16xf32>, %x: f32, %i: index) {
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %b = bufferization.clone %a : memref<16xf32> to memref<16xf32>
  scf.if %c0 {
    memref.copy %b, %m : memref<16xf32> to memref<16xf32>
    memref.dealloc %b : memref<16xf32>
  }
  memref.dealloc %a : memref<16xf32>
  %c = memref.alloc() : memref<16xf32>
  memref.store %x, %c[%i] : memref<16xf32>
  memref.copy %c, %m : memref<16xf32> to memref<16xf32>
  memref.dealloc %c : memref<16xf32>
  return
}

// The same if the clone is among the operations of the scope only after other passes:
// when a condition turns out to be constant, and when calls are inlined.
// FOLDED-LABEL: func.func @freed_after_branch(
//   FOLDED-NOT:   memref<{{.*}}xi8>
//       FOLDED:   return
func.func @freed_after_branch(%c0: i1, %m: memref<16xf32>, %x: f32, %i: index) {
  %true = arith.constant true
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %b = scf.if %true -> memref<16xf32> {
    %d = bufferization.clone %a : memref<16xf32> to memref<16xf32>
    scf.yield %d : memref<16xf32>
  } else {
    %d = bufferization.clone %m : memref<16xf32> to memref<16xf32>
    scf.yield %d : memref<16xf32>
  }
  scf.if %c0 {
    memref.copy %b, %m : memref<16xf32> to memref<16xf32>
    memref.dealloc %b : memref<16xf32>
  }
  memref.dealloc %a : memref<16xf32>
  %c = memref.alloc() : memref<16xf32>
  memref.store %x, %c[%i] : memref<16xf32>
  memref.copy %c, %m : memref<16xf32> to memref<16xf32>
  memref.dealloc %c : memref<16xf32>
  return
}

func.func private @clone(%m: memref<16xf32>) -> memref<16xf32> {
  %b = bufferization.clone %m : memref<16xf32> to memref<16xf32>
  return %b : memref<16xf32>
}
// INLINED-LABEL: func.func @callee_clones(
//   INLINED-NOT:   memref<{{.*}}xi8>
//       INLINED:   return
func.func @callee_clones(%c0: i1, %m: memref<16xf32>, %x: f32, %i: index) {
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %b = call @clone(%a) : (memref<16xf32>) -> memref<16xf32>
  scf.if %c0 {
    memref.copy %b, %m : memref<16xf32> to memref<16xf32>
    memref.dealloc %b : memref<16xf32>
  }
  memref.dealloc %a : memref<16xf32>
  %c = memref.alloc() : memref<16xf32>
  memref.store %x, %c[%i] : memref<16xf32>
  memref.copy %c, %m : memref<16xf32> to memref<16xf32>
  memref.dealloc %c : memref<16xf32>
  return
}

func.func private @clone_and_free(%c0: i1, %m: memref<16xf32>, %out: memref<16xf32>) {
  %b = bufferization.clone %m : memref<16xf32> to memref<16xf32>
  scf.if %c0 {
    memref.copy %b, %out : memref<16xf32> to memref<16xf32>
    memref.dealloc %b : memref<16xf32>
  }
  return
}
// INLINED-LABEL: func.func @callee_frees(
//   INLINED-NOT:   memref<{{.*}}xi8>
//       INLINED:   return
func.func @callee_frees(%c0: i1, %m: memref<16xf32>, %x: f32, %i: index) {
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  call @clone_and_free(%c0, %a, %m) : (i1, memref<16xf32>, memref<16xf32>) -> ()
  memref.dealloc %a : memref<16xf32>
  %c = memref.alloc() : memref<16xf32>
  memref.store %x, %c[%i] : memref<16xf32>
  memref.copy %c, %m : memref<16xf32> to memref<16xf32>
  memref.dealloc %c : memref<16xf32>
  return
}
