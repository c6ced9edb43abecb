// RUN: buffer-merge-opt %s --buffer-merge='in-place=false max-pools=1 limit-peak=deallocated' --split-input-file | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false max-pools=2 limit-peak=deallocated' --split-input-file | FileCheck %s --check-prefix=TWO
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false limit-peak=none" --split-input-file | FileCheck %s --check-prefix=ONE

// Pools that do not raise the peak of the program (R7).

// The pool of two slots would be held beside the result: three buffers.

// CHECK-LABEL: func.func @result(
//       CHECK:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<4096xi8>
//       CHECK:   memref.view %[[POOL]]
//       CHECK:   memref.alloc() : memref<1024xf32>
//       CHECK:   memref.view %[[POOL]]
//       CHECK:   memref.alloc() : memref<1024xf32>
//   ONE-LABEL: func.func @result(
//         ONE:   memref.alloc() {{.*}} : memref<8192xi8>
func.func @result(%x: memref<1024xf32>) -> memref<1024xf32> {
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
  %c = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%b : memref<1024xf32>) outs(%c : memref<1024xf32>)
  %d = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%c : memref<1024xf32>) outs(%d : memref<1024xf32>)
  return %d : memref<1024xf32>
}

// -----

// What a branch needs does not matter on the path that does not take it.

// CHECK-LABEL: func.func @path(
//       CHECK:   scf.if
//       CHECK:   memref.alloc() {{.*}} : memref<4096xi8>
//   CHECK-NOT:   memref<8192xi8>
//       CHECK:   return
func.func @path(%c: i1, %x: memref<1024xf32>, %y: memref<8192xf32>) -> memref<1024xf32> {
  scf.if %c {
    %l = memref.alloc() : memref<8192xf32>
    linalg.exp ins(%y : memref<8192xf32>) outs(%l : memref<8192xf32>)
    memref.copy %l, %y : memref<8192xf32> to memref<8192xf32>
  }
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
  %e = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%b : memref<1024xf32>) outs(%e : memref<1024xf32>)
  %d = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%e : memref<1024xf32>) outs(%d : memref<1024xf32>)
  return %d : memref<1024xf32>
}

// -----

// The pool is held from its first use to its last one: the callee needs as much
// before it, and the program frees its buffers.

// CHECK-LABEL: func.func @late(
//  CHECK-NEXT:   call @large
//  CHECK-NEXT:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<4096xi8>
//       CHECK:   memref.copy %{{.*}}, %arg0
//       CHECK:   memref.copy %{{.*}}, %arg0
//  CHECK-NEXT:   memref.dealloc %[[POOL]]
//  CHECK-NEXT:   call @large
//  CHECK-NEXT:   return
func.func @late(%x: memref<1024xf32>) {
  call @large() : () -> ()
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
  memref.dealloc %a : memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
  memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  memref.dealloc %b : memref<1024xf32>
  call @large() : () -> ()
  return
}
func.func private @large() {
  %f = arith.constant 1.0 : f32
  %l = memref.alloc() : memref<2048xf32>
  linalg.fill ins(%f : f32) outs(%l : memref<2048xf32>)
  call @use(%l) : (memref<2048xf32>) -> ()
  memref.dealloc %l : memref<2048xf32>
  return
}
func.func private @use(memref<2048xf32>)

// -----

// The pool is freed after the last use, not after the last access: nothing sees
// the address of memory that is freed.

// CHECK-LABEL: func.func @passed(
//       CHECK:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<4096xi8>
//       CHECK:   call @unused
//  CHECK-NEXT:   memref.dealloc %[[POOL]]
//  CHECK-NEXT:   call @large
func.func @passed(%x: memref<1024xf32>) {
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
  memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  call @unused(%b) : (memref<1024xf32>) -> ()
  call @large() : () -> ()
  memref.dealloc %a : memref<1024xf32>
  memref.dealloc %b : memref<1024xf32>
  return
}
func.func private @unused(%b: memref<1024xf32>) {
  return
}
func.func private @large() {
  %f = arith.constant 1.0 : f32
  %l = memref.alloc() : memref<2048xf32>
  linalg.fill ins(%f : f32) outs(%l : memref<2048xf32>)
  call @use(%l) : (memref<2048xf32>) -> ()
  memref.dealloc %l : memref<2048xf32>
  return
}
func.func private @use(memref<2048xf32>)

// -----

// A branch that may not run has a pool of its own if it needs more than there is.

// CHECK-LABEL: func.func @branch(
//  CHECK-NEXT:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<256xi8>
//       CHECK:   scf.if
//       CHECK:     %[[INNER:.*]] = memref.alloc() {{.*}} : memref<4096xi8>
//       CHECK:     memref.view %[[INNER]]
//       CHECK:     memref.view %[[INNER]]
//   ONE-LABEL: func.func @branch(
//         ONE:   memref.alloc() {{.*}} : memref<4096xi8>
//     ONE-NOT:   memref.alloc
//         ONE:   return
func.func @branch(%c: i1, %x: memref<64xf32>, %y: memref<1024xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  memref.copy %a, %x : memref<64xf32> to memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  scf.if %c {
    %d = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%y : memref<1024xf32>) outs(%d : memref<1024xf32>)
    memref.copy %d, %y : memref<1024xf32> to memref<1024xf32>
    %e = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%y : memref<1024xf32>) outs(%e : memref<1024xf32>)
    memref.copy %e, %y : memref<1024xf32> to memref<1024xf32>
  }
  return
}

// -----

// One that fits into the pool around it uses that.

// CHECK-LABEL: func.func @fits(
//  CHECK-NEXT:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<256xi8>
//       CHECK:   scf.if
//  CHECK-NEXT:     memref.view %[[POOL]]
func.func @fits(%c: i1, %x: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  memref.copy %a, %x : memref<64xf32> to memref<64xf32>
  scf.if %c {
    %f = memref.alloc() : memref<64xf32>
    linalg.exp ins(%x : memref<64xf32>) outs(%f : memref<64xf32>)
    memref.copy %f, %x : memref<64xf32> to memref<64xf32>
  }
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  return
}

// -----

// Held across a recursive call, the pool would be there once for each frame.

// CHECK-LABEL: func.func @recursive(
//   CHECK-NOT:   xi8>
//       CHECK:   return
//   ONE-LABEL: func.func @recursive(
//         ONE:   memref.alloc() {{.*}} : memref<4096xi8>
func.func @recursive(%n: index, %x: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
  %is = arith.cmpi ne, %n, %c0 : index
  scf.if %is {
    %m = arith.subi %n, %c1 : index
    func.call @recursive(%m, %x) : (index, memref<1024xf32>) -> ()
  }
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
  memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  return
}

// -----

// Two groups of buffers with a large one that stays between them.

// CHECK-LABEL: func.func @groups(
//       CHECK:   memref.alloc() {{.*}} : memref<4096xi8>
//   CHECK-NOT:   memref.alloc() {
//       CHECK:   return
//   TWO-LABEL: func.func @groups(
//         TWO:   memref.alloc() {{.*}} : memref<4096xi8>
//         TWO:   call @keep
//         TWO:   memref.alloc() {{.*}} : memref<4096xi8>
//         TWO:   return
func.func @groups(%x: memref<1024xf32>, %y: memref<2048xf32>) {
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
  memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  call @keep(%y) : (memref<2048xf32>) -> ()
  %c = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%c : memref<1024xf32>)
  memref.copy %c, %x : memref<1024xf32> to memref<1024xf32>
  %d = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%d : memref<1024xf32>)
  memref.copy %d, %x : memref<1024xf32> to memref<1024xf32>
  return
}
func.func private @keep(%y: memref<2048xf32>) {
  %l = memref.alloc() : memref<2048xf32>
  linalg.exp ins(%y : memref<2048xf32>) outs(%l : memref<2048xf32>)
  memref.copy %l, %y : memref<2048xf32> to memref<2048xf32>
  return
}
