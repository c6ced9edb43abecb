// RUN: buffer-merge-opt %s --buffer-merge=dynamic=equal | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge='dynamic=equal limit-peak=none' | FileCheck %s --check-prefix=NONE
// RUN: buffer-merge-opt %s --buffer-merge='dynamic=equal limit-peak=deallocated' | FileCheck %s --check-prefix=LAST

// Buffers of equal size share an allocation only if the heap does not hold more
// than it did, whatever the sizes are (R7).

!m = memref<?xf32>

// Between the two is freed first, and allocated then.
// CHECK-LABEL: func.func @one_way(
//       CHECK:   %[[A:.*]] = memref.alloc(%arg0)
//       CHECK:   linalg.fill {{.*}} outs(%[[A]]
//   CHECK-NOT:   memref.dealloc %[[A]]
//       CHECK:   linalg.fill {{.*}} outs(%[[A]]
//  CHECK-NEXT:   memref.dealloc %[[A]]
func.func @one_way(%n: index, %k: index, %x: f32) {
  %other = memref.alloc(%k) : !m
  linalg.fill ins(%x : f32) outs(%other : !m)
  %a = memref.alloc(%n) : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  memref.dealloc %a : !m
  memref.dealloc %other : !m
  %more = memref.alloc() : memref<4096xf32>
  %b = memref.alloc(%n) : !m
  linalg.fill ins(%x : f32) outs(%more : memref<4096xf32>)
  linalg.fill ins(%x : f32) outs(%b : !m)
  memref.dealloc %b : !m
  memref.dealloc %more : memref<4096xf32>
  return
}

// What is alive between the two may be the peak.
//  CHECK-LABEL: func.func @up_and_down(
//        CHECK:   memref.alloc(%arg0)
//        CHECK:   memref.alloc(%arg1)
//        CHECK:   memref.alloc(%arg0)
//        CHECK:   return
//   NONE-LABEL: func.func @up_and_down(
//         NONE:   memref.alloc(%arg0)
//     NONE-NOT:   memref.alloc(%arg0)
//         NONE:   return
//   LAST-LABEL: func.func @up_and_down(
//         LAST:   memref.alloc(%arg0)
//         LAST:   memref.alloc(%arg1)
//         LAST:   memref.alloc(%arg0)
//         LAST:   return
func.func @up_and_down(%n: index, %k: index, %x: f32) {
  %a = memref.alloc(%n) : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  memref.dealloc %a : !m
  %other = memref.alloc(%k) : !m
  linalg.fill ins(%x : f32) outs(%other : !m)
  memref.dealloc %other : !m
  %b = memref.alloc(%n) : !m
  linalg.fill ins(%x : f32) outs(%b : !m)
  memref.dealloc %b : !m
  return
}

// The same without deallocations: as given, nothing is freed.
//  CHECK-LABEL: func.func @never_freed(
//        CHECK:   memref.alloc(%arg0)
//    CHECK-NOT:   memref.alloc(%arg0)
//        CHECK:   return
//   LAST-LABEL: func.func @never_freed(
//         LAST:   memref.alloc(%arg0)
//         LAST:   memref.alloc(%arg1)
//         LAST:   memref.alloc(%arg0)
//         LAST:   return
func.func @never_freed(%n: index, %k: index, %x: f32) {
  %a = memref.alloc(%n) : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  %other = memref.alloc(%k) : !m
  linalg.fill ins(%x : f32) outs(%other : !m)
  %b = memref.alloc(%n) : !m
  linalg.fill ins(%x : f32) outs(%b : !m)
  return
}

// What has a region may be the last use as well: the first %c is freed when %a would still be held.
//   LAST-LABEL: func.func @operations(
//         LAST:   memref.alloc(%arg0)
//         LAST:   memref.alloc(%arg1)
//         LAST:   memref.alloc(%arg1)
//         LAST:   memref.alloc(%arg0)
//         LAST:   return
func.func @operations(%n: index, %k: index, %out: !m) {
  %a = memref.alloc(%n) : !m
  linalg.exp ins(%out : !m) outs(%a : !m)
  linalg.exp ins(%a : !m) outs(%out : !m)
  %c = memref.alloc(%k) : !m
  linalg.exp ins(%out : !m) outs(%c : !m)
  %d = memref.alloc(%k) : !m
  linalg.exp ins(%c : !m) outs(%d : !m)
  linalg.exp ins(%d : !m) outs(%out : !m)
  %b = memref.alloc(%n) : !m
  linalg.exp ins(%out : !m) outs(%b : !m)
  linalg.exp ins(%b : !m) outs(%out : !m)
  return
}

// A callee may allocate as well.
//  CHECK-LABEL: func.func @callee(
//        CHECK:   memref.alloc(%arg0)
//        CHECK:   memref.alloc(%arg0)
//        CHECK:   return
func.func private @unknown()
func.func @callee(%n: index, %x: f32) {
  %a = memref.alloc(%n) : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  memref.dealloc %a : !m
  call @unknown() : () -> ()
  %b = memref.alloc(%n) : !m
  linalg.fill ins(%x : f32) outs(%b : !m)
  memref.dealloc %b : !m
  return
}

// Both are freed in the loop, which allocates behind that: not at the end of
// the function.
//  CHECK-LABEL: func.func @at_the_end(
//        CHECK:   memref.alloc(%arg0)
//        CHECK:   memref.alloc(%arg0)
//        CHECK:   return
//   NONE-LABEL: func.func @at_the_end(
//         NONE:   memref.alloc(%arg0)
//     NONE-NOT:   memref.alloc(%arg0)
//         NONE:   return
func.func @at_the_end(%n: index, %k: index, %x: f32, %c: i1) {
  %a = memref.alloc(%n) : !m
  %b = memref.alloc(%n) : !m
  linalg.fill ins(%x : f32) outs(%a : !m)
  memref.dealloc %a : !m
  linalg.fill ins(%x : f32) outs(%b : !m)
  scf.execute_region {
    memref.dealloc %b : !m
    scf.yield
  }
  %other = memref.alloc(%k) : !m
  linalg.fill ins(%x : f32) outs(%other : !m)
  memref.dealloc %other : !m
  return
}
