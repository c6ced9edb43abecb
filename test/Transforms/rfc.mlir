// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge=limit-peak=none | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge=limit-peak=deallocated | FileCheck %s --check-prefix=PEAK

// The program of the compile-time allocation merging RFC: three temporaries of
// 65,536 bytes, of which two are alive at once, and a buffer that is returned.

// CHECK-LABEL: func.func @mlp
//       CHECK:   %[[POOL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<131072xi8>
//  CHECK-NEXT:   %[[C0:.*]] = arith.constant 0 : index
//  CHECK-NEXT:   %[[C1:.*]] = arith.constant 65536 : index
//   CHECK-NOT:   arith.constant {{.*}} : index
//       CHECK:   %[[A:.*]] = memref.view %[[POOL]][%[[C0]]][] : memref<131072xi8> to memref<128x128xf32>
//       CHECK:   linalg.matmul {{.*}} outs(%[[A]] :
//       CHECK:   %[[B:.*]] = memref.view %[[POOL]][%[[C1]]][]
//       CHECK:   linalg.matmul ins(%[[A]], {{.*}} outs(%[[B]] :
//       CHECK:   %[[C:.*]] = memref.view %[[POOL]][%[[C0]]][]
//       CHECK:   linalg.matmul ins(%[[B]], {{.*}} outs(%[[C]] :
//       CHECK:   %[[D:.*]] = memref.alloc() : memref<128x128xf32>
//       CHECK:   linalg.matmul ins(%[[C]], {{.*}} outs(%[[D]] :
//   CHECK-NOT:   memref.dealloc
//       CHECK:   return %[[D]]

// If everything is freed after its last use, a pool of two is held beside the
// returned buffer: three buffers at a time where the program needs two. So the
// second one stays.

//  PEAK-LABEL: func.func @mlp
//        PEAK:   %[[POOL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<65536xi8>
//        PEAK:   %[[A:.*]] = memref.view %[[POOL]]
//        PEAK:   linalg.matmul {{.*}} outs(%[[A]] :
//        PEAK:   %[[B:.*]] = memref.alloc() : memref<128x128xf32>
//        PEAK:   linalg.matmul ins(%[[A]], {{.*}} outs(%[[B]] :
//        PEAK:   %[[C:.*]] = memref.view %[[POOL]]
//        PEAK:   linalg.matmul ins(%[[B]], {{.*}} outs(%[[C]] :
//        PEAK:   %[[D:.*]] = memref.alloc() : memref<128x128xf32>
func.func @mlp(%x: memref<128x128xf32>, %w: memref<128x128xf32>) -> memref<128x128xf32> {
  %a = memref.alloc() : memref<128x128xf32>
  linalg.matmul ins(%x, %w : memref<128x128xf32>, memref<128x128xf32>) outs(%a : memref<128x128xf32>)
  %b = memref.alloc() : memref<128x128xf32>
  linalg.matmul ins(%a, %w : memref<128x128xf32>, memref<128x128xf32>) outs(%b : memref<128x128xf32>)
  %c = memref.alloc() : memref<128x128xf32>
  linalg.matmul ins(%b, %w : memref<128x128xf32>, memref<128x128xf32>) outs(%c : memref<128x128xf32>)
  %d = memref.alloc() : memref<128x128xf32>
  linalg.matmul ins(%c, %w : memref<128x128xf32>, memref<128x128xf32>) outs(%d : memref<128x128xf32>)
  return %d : memref<128x128xf32>
}
