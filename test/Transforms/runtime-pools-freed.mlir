// RUN: buffer-merge-opt %s --buffer-merge=in-place=false | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false limit-peak=deallocated" | FileCheck %s

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
