// RUN: buffer-merge-opt %s --buffer-merge="in-place=false limit-peak=deallocated" --split-input-file | FileCheck %s

// Pools in loops, and beside buffers that loops carry (R7).

// The callee needs as much as the loop without a pool, so that a pool around
// the loop would be held beside it. One for each iteration is not.

// CHECK-LABEL: func.func @iterations(
//       CHECK:   scf.for
//   CHECK-NOT:     memref.alloc
//       CHECK:     %[[POOL:.*]] = memref.alloc() {{.*}} : memref<4096xi8>
//       CHECK:     memref.view %[[POOL]]
//       CHECK:     memref.alloc() : memref<1024xf32>
//       CHECK:     memref.view %[[POOL]]
//       CHECK:     memref.alloc() : memref<1024xf32>
//   CHECK-NOT:     memref.view
//       CHECK:     scf.yield
func.func @iterations(%x: memref<1024xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%init : memref<1024xf32>)
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%arg = %init) -> (memref<1024xf32>) {
    %a = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%arg : memref<1024xf32>) outs(%a : memref<1024xf32>)
    %b = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
    %c = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%b : memref<1024xf32>) outs(%c : memref<1024xf32>)
    %next = memref.alloc() : memref<1024xf32>
    linalg.add ins(%c, %arg : memref<1024xf32>, memref<1024xf32>) outs(%next : memref<1024xf32>)
    func.call @large() : () -> ()
    scf.yield %next : memref<1024xf32>
  }
  memref.copy %last, %x : memref<1024xf32> to memref<1024xf32>
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

// With deallocations, the pool of each iteration is freed in it.

// CHECK-LABEL: func.func @freed(
//       CHECK:   scf.for
//  CHECK-NEXT:     func.call @large
//  CHECK-NEXT:     %[[POOL:.*]] = memref.alloc() {{.*}} : memref<4096xi8>
//       CHECK:     memref.copy
//       CHECK:     memref.copy
//  CHECK-NEXT:     memref.dealloc %[[POOL]]
//  CHECK-NEXT:   }
func.func @freed(%x: memref<1024xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    func.call @large() : () -> ()
    %a = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
    memref.copy %a, %x : memref<1024xf32> to memref<1024xf32>
    memref.dealloc %a : memref<1024xf32>
    %b = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
    memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
    memref.dealloc %b : memref<1024xf32>
  }
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

// What a callee returns has a known size, and so has the callee of a callee.

// CHECK-LABEL: func.func @across(
//  CHECK-NEXT:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<8192xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @across(%x: memref<1024xf32>) {
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
  %r = call @forward() : () -> memref<1024xf32>
  %c = memref.alloc() : memref<1024xf32>
  linalg.add ins(%b, %r : memref<1024xf32>, memref<1024xf32>) outs(%c : memref<1024xf32>)
  memref.copy %c, %x : memref<1024xf32> to memref<1024xf32>
  return
}
func.func private @forward() -> memref<1024xf32> {
  %r = call @make() : () -> memref<1024xf32>
  return %r : memref<1024xf32>
}
func.func private @make() -> memref<1024xf32> {
  %f = arith.constant 1.0 : f32
  %r = memref.alloc() : memref<1024xf32>
  linalg.fill ins(%f : f32) outs(%r : memref<1024xf32>)
  return %r : memref<1024xf32>
}

// -----

// The second region of the loop gets nothing but the copy of the first one, and
// holds it beside its own buffers.

// CHECK-LABEL: func.func @passed(
//       CHECK:   memref<4096xi8>
//       CHECK:   return
func.func @passed(%x: memref<1024xf32>, %flags: memref<8xi1>) {
  %c0 = arith.constant 0 : index
  %init = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%init : memref<1024xf32>)
  %last = scf.while (%arg = %init) : (memref<1024xf32>) -> memref<1024xf32> {
    %copy = memref.alloc() : memref<1024xf32>
    memref.copy %arg, %copy : memref<1024xf32> to memref<1024xf32>
    %more = memref.load %flags[%c0] : memref<8xi1>
    scf.condition(%more) %copy : memref<1024xf32>
  } do {
  ^bb0(%now: memref<1024xf32>):
    %a = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%now : memref<1024xf32>) outs(%a : memref<1024xf32>)
    %b = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
    memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
    %c = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%b : memref<1024xf32>) outs(%c : memref<1024xf32>)
    %next = memref.alloc() : memref<1024xf32>
    linalg.add ins(%c, %now : memref<1024xf32>, memref<1024xf32>) outs(%next : memref<1024xf32>)
    scf.yield %next : memref<1024xf32>
  }
  memref.copy %last, %x : memref<1024xf32> to memref<1024xf32>
  return
}

