// RUN: buffer-merge-opt %s --buffer-merge=scheduler=first-fit --normalize-memrefs | FileCheck %s

// Merged buffers with a layout are understood by the pass that removes layouts: where they
// are passed, the type of the argument changes with them.

#rows = affine_map<(d0, d1) -> (d0 * 16 + d1)>

// CHECK-LABEL: func.func private @use(memref<64xf32>)
func.func private @use(memref<4x16xf32, #rows>)

// CHECK-LABEL: func.func @layouts(
//       CHECK:   memref.alloc() {{.*}} : memref<256xi8>
//       CHECK:   %[[A:.*]] = memref.reinterpret_cast {{.*}} to memref<64xf32>
//       CHECK:   affine.store %{{.*}}, %[[A]][%{{.*}} * 16 + 2] : memref<64xf32>
//       CHECK:   call @use(%[[A]]) : (memref<64xf32>) -> ()
//       CHECK:   %[[B:.*]] = memref.reinterpret_cast {{.*}} to memref<64xf32>
//       CHECK:   affine.store %{{.*}}, %[[B]][%{{.*}} * 16 + 3] : memref<64xf32>
func.func @layouts(%x: f32) {
  %a = memref.alloc() : memref<4x16xf32, #rows>
  affine.for %i = 0 to 4 {
    affine.store %x, %a[%i, 2] : memref<4x16xf32, #rows>
  }
  call @use(%a) : (memref<4x16xf32, #rows>) -> ()
  %b = memref.alloc() : memref<4x16xf32, strided<[16, 1]>>
  affine.for %i = 0 to 4 {
    affine.store %x, %b[%i, 3] : memref<4x16xf32, strided<[16, 1]>>
  }
  return
}
