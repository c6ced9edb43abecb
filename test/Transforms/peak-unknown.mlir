// RUN: buffer-merge-opt %s --buffer-merge='dynamic=none limit-peak=deallocated' --split-input-file | FileCheck %s

// R7 where it is not known how much is held, or by which path.

// Something of unknown size between two buffers: a pool would be held beside it.

// CHECK-LABEL: func.func @between(
//   CHECK-NOT:   xi8>
//       CHECK:   return
func.func @between(%n: index, %x: memref<1024xf32>, %y: memref<?xf32>) {
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
  %d = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%y : memref<?xf32>) outs(%d : memref<?xf32>)
  memref.copy %d, %y : memref<?xf32> to memref<?xf32>
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
  memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  return
}

// -----

// Something of unknown size around both: it is the same at every tick.

// CHECK-LABEL: func.func @around(
//       CHECK:   memref.alloc() {{.*}} : memref<4096xi8>
//       CHECK:   return
func.func @around(%n: index, %x: memref<1024xf32>) -> memref<?xf32> {
  %d = memref.alloc(%n) : memref<?xf32>
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
  memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  return %d : memref<?xf32>
}

// -----

// A callee that returns something of unknown size, by way of another one.

// CHECK-LABEL: func.func @returned(
//   CHECK-NOT:   xi8>
//       CHECK:   return
func.func @returned(%n: index, %x: memref<1024xf32>, %f: f32) {
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
  %d = call @forward(%n) : (index) -> memref<?xf32>
  linalg.fill ins(%f : f32) outs(%d : memref<?xf32>)
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
  memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  return
}
func.func private @forward(%n: index) -> memref<?xf32> {
  %d = call @make(%n) : (index) -> memref<?xf32>
  return %d : memref<?xf32>
}
func.func private @make(%n: index) -> memref<?xf32> {
  %d = memref.alloc(%n) : memref<?xf32>
  return %d : memref<?xf32>
}

// -----

// A loop that carries a buffer holds the one of the iteration before, too: with a
// pool around the loop, both would be more than the callee holds.

// CHECK-LABEL: func.func @carried(
//   CHECK-NOT:   xi8>
//       CHECK:   return
func.func @carried(%n: index, %x: memref<1024xf32>, %y: memref<2048xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  call @large(%y) : (memref<2048xf32>) -> ()
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %x) -> memref<1024xf32> {
    %new = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%old : memref<1024xf32>) outs(%new : memref<1024xf32>)
    scf.yield %new : memref<1024xf32>
  }
  memref.copy %r, %x : memref<1024xf32> to memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
  memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  return
}
func.func private @large(%y: memref<2048xf32>) {
  %c = memref.alloc() : memref<2048xf32>
  linalg.exp ins(%y : memref<2048xf32>) outs(%c : memref<2048xf32>)
  memref.copy %c, %y : memref<2048xf32> to memref<2048xf32>
  return
}

// -----

// On the path of the other branch, a buffer that one branch uses is not held.

// CHECK-LABEL: func.func @one_branch(
//   CHECK-NOT:   xi8>
//       CHECK:   return
func.func @one_branch(%c: i1, %x: memref<1024xf32>, %y: memref<2048xf32>) {
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  scf.if %c {
    memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
  } else {
    %l = memref.alloc() : memref<2048xf32>
    linalg.exp ins(%y : memref<2048xf32>) outs(%l : memref<2048xf32>)
    memref.copy %l, %y : memref<2048xf32> to memref<2048xf32>
  }
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
  memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  return
}

// -----

// A buffer of the scope around may be freed while the inner one runs.

// CHECK-LABEL: func.func @inner_scope(
//       CHECK:   memref.alloca_scope
//  CHECK-NEXT:     memref.copy
//  CHECK-NEXT:     memref.alloc() {{.*}} : memref<4096xi8>
func.func @inner_scope(%x: memref<1024xf32>) {
  %o = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%o : memref<1024xf32>)
  memref.alloca_scope {
    memref.copy %o, %x : memref<1024xf32> to memref<1024xf32>
    %a = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
    memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
    %b = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
    memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  }
  return
}

