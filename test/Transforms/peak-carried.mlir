// RUN: buffer-merge-opt %s --buffer-merge=limit-peak=deallocated --split-input-file | FileCheck %s

// How what loops carry counts in the peaks that R7 compares.

// The loop carries one buffer in two arguments, which is held once. Counted
// twice it would make up a peak that hides what a pool of all buffers holds
// beside what @large allocates.

// CHECK-LABEL: func.func @carried_twice(
//       CHECK:   memref.alloc() {{.*}} : memref<4096xi8>
//       CHECK:   scf.for
//       CHECK:     memref.alloc() : memref<1024xf32>
//       CHECK:   call @large
//       CHECK:   memref.alloc() : memref<1024xf32>
//       CHECK:   return
func.func @carried_twice(%x: memref<1024xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%init : memref<1024xf32>)
  %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %init, %q = %init) -> (memref<1024xf32>, memref<1024xf32>) {
    %next = memref.alloc() : memref<1024xf32>
    linalg.add ins(%p, %q : memref<1024xf32>, memref<1024xf32>) outs(%next : memref<1024xf32>)
    scf.yield %next, %next : memref<1024xf32>, memref<1024xf32>
  }
  linalg.add ins(%last#0, %last#1 : memref<1024xf32>, memref<1024xf32>) outs(%x : memref<1024xf32>)
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
  call @large(%x) : (memref<1024xf32>) -> ()
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
  memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  return
}

func.func private @large(%x: memref<1024xf32>) {
  %f = arith.constant 1.0 : f32
  %l = memref.alloc() : memref<2560xf32>
  linalg.fill ins(%f : f32) outs(%l : memref<2560xf32>)
  %s = memref.subview %l[0] [1024] [1] : memref<2560xf32> to memref<1024xf32, strided<[1]>>
  linalg.exp ins(%s : memref<1024xf32, strided<[1]>>) outs(%x : memref<1024xf32>)
  return
}

// -----

// The result of the loop is what its last iteration has allocated: %large is
// held beside it, as much as a pool and what stays beside it later on.

// CHECK-LABEL: func.func @result_of_the_loop(
//       CHECK:   scf.for
//       CHECK:     memref.alloc() : memref<1024xf32>
//       CHECK:   memref.alloc() : memref<2048xf32>
//       CHECK:   memref.alloc() {{.*}} : memref<4096xi8>
//       CHECK:   memref.alloc() : memref<1024xf32>
//       CHECK:   return
func.func @result_of_the_loop(%x: memref<1024xf32>, %y: memref<2048xf32>, %n: index) -> memref<1024xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%arg = %x) -> (memref<1024xf32>) {
    %next = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%arg : memref<1024xf32>) outs(%next : memref<1024xf32>)
    scf.yield %next : memref<1024xf32>
  }
  %large = memref.alloc() : memref<2048xf32>
  linalg.exp ins(%y : memref<2048xf32>) outs(%large : memref<2048xf32>)
  memref.copy %large, %y : memref<2048xf32> to memref<2048xf32>
  %t = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%t : memref<1024xf32>)
  memref.copy %t, %x : memref<1024xf32> to memref<1024xf32>
  %result = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%result : memref<1024xf32>)
  %u = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%last : memref<1024xf32>) outs(%u : memref<1024xf32>)
  linalg.add ins(%u, %last : memref<1024xf32>, memref<1024xf32>) outs(%x : memref<1024xf32>)
  return %result : memref<1024xf32>
}

// -----

// One pool would be held beside what @large allocates. So there are two.

// CHECK-LABEL: func.func @two_pools(
//       CHECK:   memref.alloc() {{.*}} : memref<4096xi8>
//       CHECK:   call @large
//       CHECK:   memref.alloc() {{.*}} : memref<4096xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @two_pools(%x: memref<1024xf32>) {
  %r = call @make() : () -> memref<8xf32>
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  linalg.sqrt ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
  memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  call @large(%x) : (memref<1024xf32>) -> ()
  %c = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%c : memref<1024xf32>)
  memref.copy %c, %x : memref<1024xf32> to memref<1024xf32>
  %d = memref.alloc() : memref<1024xf32>
  linalg.sqrt ins(%x : memref<1024xf32>) outs(%d : memref<1024xf32>)
  memref.copy %d, %x : memref<1024xf32> to memref<1024xf32>
  return
}
func.func private @large(%x: memref<1024xf32>) {
  %f = arith.constant 1.0 : f32
  %l = memref.alloc() : memref<2048xf32>
  linalg.fill ins(%f : f32) outs(%l : memref<2048xf32>)
  %s = memref.subview %l[0] [1024] [1] : memref<2048xf32> to memref<1024xf32, strided<[1]>>
  linalg.exp ins(%s : memref<1024xf32, strided<[1]>>) outs(%x : memref<1024xf32>)
  return
}
func.func private @make() -> memref<8xf32>
