// RUN: buffer-merge-opt %s --buffer-merge='pool=global report=%t.txt limit-peak=deallocated' -o %t.mlir
// RUN: FileCheck %s < %t.txt
// RUN: buffer-merge-opt %s --buffer-merge='pool=arena report=%t.txt limit-peak=deallocated' -o %t.mlir
// RUN: FileCheck %s < %t.txt

// What a callee has is a part of what its caller has: it counts once.

// CHECK: 4 allocations of 1024 bytes merged into 512 bytes
// CHECK: at the peak 512 bytes deallocated, 512 as planned (0.0 %)
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
  return
}
