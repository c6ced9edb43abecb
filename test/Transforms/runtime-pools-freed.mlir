// RUN: buffer-merge-opt %s --buffer-merge=in-place=false | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false limit-peak=deallocated" | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false limit-peak=deallocated pool=stack" | FileCheck %s --check-prefix=STACK

// A pool is freed behind what its buffers are last used for, not where the program frees
// them: what comes later may be of any size.

// CHECK-LABEL: func.func @freed_late
//       CHECK:   %[[POOL:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
//       CHECK:   %[[A:.*]] = memref.view %[[POOL]]
//       CHECK:   %[[B:.*]] = memref.view %[[POOL]]
//       CHECK:   linalg.exp ins(%[[B]] : memref<?xf32>)
//  CHECK-NEXT:   memref.dealloc %[[POOL]]
//       CHECK:   %[[D:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
//       CHECK:   memref.dealloc %[[D]]
//   CHECK-NOT:   memref.dealloc
//       CHECK:   return
func.func @freed_late(%n: index, %f: f32, %x: memref<?xf32>, %y: memref<index>) {
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  linalg.exp ins(%a : memref<?xf32>) outs(%x : memref<?xf32>)
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%b : memref<?xf32>)
  linalg.exp ins(%b : memref<?xf32>) outs(%x : memref<?xf32>)
  %m = memref.load %y[] : memref<index>
  %d = memref.alloc(%m) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%d : memref<?xf32>)
  linalg.exp ins(%d : memref<?xf32>) outs(%x : memref<?xf32>)
  memref.dealloc %d : memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  return
}

// Wherever it is freed, and whether it is.

// CHECK-LABEL: func.func @freed_by_a_branch
//       CHECK:   %[[POOL:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
//       CHECK:   linalg.exp
//       CHECK:   linalg.exp
//  CHECK-NEXT:   memref.dealloc %[[POOL]]
//   CHECK-NOT:   memref.dealloc
//       CHECK:   return
func.func @freed_by_a_branch(%n: index, %f: f32, %x: memref<?xf32>, %c: i1) {
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  linalg.exp ins(%a : memref<?xf32>) outs(%x : memref<?xf32>)
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%b : memref<?xf32>)
  linalg.exp ins(%b : memref<?xf32>) outs(%x : memref<?xf32>)
  scf.if %c {
    memref.dealloc %a : memref<?xf32>
  }
  memref.dealloc %b : memref<?xf32>
  return
}

// CHECK-LABEL: func.func @freed_in_another_block
//       CHECK:   %[[POOL:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
//       CHECK:   linalg.exp
//       CHECK:   linalg.exp
//  CHECK-NEXT:   memref.dealloc %[[POOL]]
//       CHECK:   cf.cond_br
//   CHECK-NOT:   memref.dealloc
//       CHECK:   return
func.func @freed_in_another_block(%n: index, %f: f32, %x: memref<?xf32>, %c: i1) {
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  linalg.exp ins(%a : memref<?xf32>) outs(%x : memref<?xf32>)
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%b : memref<?xf32>)
  linalg.exp ins(%b : memref<?xf32>) outs(%x : memref<?xf32>)
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  linalg.fill ins(%f : f32) outs(%x : memref<?xf32>)
  memref.dealloc %a : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  cf.br ^bb3
^bb2:
  memref.dealloc %a : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  cf.br ^bb3
^bb3:
  return
}

// What is on the stack is not held by the heap.

// STACK-LABEL: func.func @beside_the_stack
//       STACK:   memref.alloca() {{.*}} : memref<24xi8>
//       STACK:   memref.alloc(%{{.*}}) {{.*}} : memref<?xi8>
//   STACK-NOT:   memref.alloc(
//       STACK:   return
func.func @beside_the_stack(%n: index, %f: f32, %x: memref<?xf32>, %y: memref<3xindex>) {
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  linalg.exp ins(%a : memref<?xf32>) outs(%x : memref<?xf32>)
  %s = memref.alloc() : memref<3xindex>
  memref.copy %y, %s : memref<3xindex> to memref<3xindex>
  memref.copy %s, %y : memref<3xindex> to memref<3xindex>
  %t = memref.alloc() : memref<3xindex>
  memref.copy %y, %t : memref<3xindex> to memref<3xindex>
  memref.copy %t, %y : memref<3xindex> to memref<3xindex>
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%b : memref<?xf32>)
  linalg.exp ins(%b : memref<?xf32>) outs(%x : memref<?xf32>)
  return
}
