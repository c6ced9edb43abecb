// Pools may raise the peak together although none of them does by itself. Those go
// that save least: not the one of %e and %f, which halves their bytes.
//
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --convert-bufferization-to-memref --buffer-merge='goal=allocations limit-peak=deallocated' | FileCheck %s

// CHECK-LABEL: func.func @together
//       CHECK:   memref.alloc() {{.*}} : memref<256xi8>
func.func @together(%x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %half = arith.constant 0.5 : f32
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (memref<64xf32>) {
    %1 = scf.for %j = %c0 to %c3 step %c1 iter_args(%b = %a) -> (memref<64xf32>) {
      %c = memref.alloc() : memref<64xf32>
      scf.yield %c : memref<64xf32>
    }
    %2 = scf.for %k = %c0 to %c3 step %c1 iter_args(%d = %1) -> (memref<64xf32>) {
      %e = memref.alloc() : memref<64xf32>
      linalg.add ins(%d, %d : memref<64xf32>, memref<64xf32>) outs(%e : memref<64xf32>)
      %f = memref.alloc() : memref<64xf32>
      linalg.fill ins(%half : f32) outs(%f : memref<64xf32>)
      %g = memref.alloc() : memref<64xf32>
      scf.yield %g : memref<64xf32>
    }
    %h = memref.alloc() : memref<64xf32>
    scf.yield %h : memref<64xf32>
  }
  return
}
