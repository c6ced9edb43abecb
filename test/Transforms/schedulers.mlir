// RUN: buffer-merge-opt %s --buffer-merge="in-place=false scheduler=bump" | FileCheck %s --check-prefixes=CHECK,BUMP
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false scheduler=best-fit" | FileCheck %s --check-prefixes=CHECK,FIT
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false scheduler=first-fit" | FileCheck %s --check-prefixes=CHECK,FIT

// The same program with several schedulers. The offsets differ, what is merged
// does not.

// Three of 60 bytes, of which two are alive at once.
// CHECK-LABEL: func.func @chain(
//        BUMP:   memref.alloc() {{.*}} : memref<188xi8>
//         FIT:   memref.alloc() {{.*}} : memref<124xi8>
//        BUMP:   %[[A:.*]] = arith.constant 0 : index
//        BUMP:   %[[B:.*]] = arith.constant 64 : index
//        BUMP:   %[[C:.*]] = arith.constant 128 : index
//        BUMP:   memref.view %{{.*}}[%[[A]]][]
//        BUMP:   memref.view %{{.*}}[%[[B]]][]
//        BUMP:   memref.view %{{.*}}[%[[C]]][]
//         FIT:   %[[A:.*]] = arith.constant 0 : index
//         FIT:   %[[B:.*]] = arith.constant 64 : index
//         FIT:   memref.view %{{.*}}[%[[A]]][]
//         FIT:   memref.view %{{.*}}[%[[B]]][]
//         FIT:   memref.view %{{.*}}[%[[A]]][]
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @chain(%x: f32, %i: index, %out: memref<15xf32>) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.copy %a, %b : memref<15xf32> to memref<15xf32>
  %c = memref.alloc() : memref<15xf32>
  memref.copy %b, %c : memref<15xf32> to memref<15xf32>
  memref.copy %c, %out : memref<15xf32> to memref<15xf32>
  return
}

// A scheduler without reuse makes a pool even though it saves nothing.
// CHECK-LABEL: func.func @alive_at_once(
//        BUMP:   memref.alloc() {{.*}} : memref<124xi8>
//     FIT-NOT:   memref.view
//       CHECK:   return
func.func @alive_at_once(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.copy %a, %b : memref<15xf32> to memref<15xf32>
  return
}
