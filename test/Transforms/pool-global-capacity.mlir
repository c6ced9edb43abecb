// RUN: buffer-merge-opt %s --buffer-merge='limit-peak=deallocated pool=global capacity=default:768' | FileCheck %s
// RUN: not buffer-merge-opt %s --buffer-merge='limit-peak=deallocated pool=global capacity=default:767' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SMALL

// The arena of a callee in the global of its caller counts once.
// CHECK: memref.global {{.*}} memref<768xi8>
// SMALL: error: the arena of 'top' needs 768 bytes, but its memory space has 767
func.func private @leaf(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.add ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%out : memref<64xf32>)
  return
}
func.func @top(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.add ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%out : memref<64xf32>)
  call @leaf(%in, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  linalg.add ins(%a, %out : memref<64xf32>, memref<64xf32>) outs(%out : memref<64xf32>)
  return
}
