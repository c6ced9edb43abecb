// RUN: buffer-merge-opt %s --buffer-merge --ownership-based-buffer-deallocation --canonicalize \
// RUN:   --buffer-deallocation-simplification --bufferization-lower-deallocations --cse --canonicalize \
// RUN:   | FileCheck %s --check-prefixes=CHECK
// RUN: buffer-merge-opt %s --ownership-based-buffer-deallocation --canonicalize \
// RUN:   --buffer-deallocation-simplification --bufferization-lower-deallocations --cse --canonicalize \
// RUN:   --buffer-merge | FileCheck %s --check-prefixes=CHECK
// RUN: buffer-merge-opt %s --buffer-merge --buffer-deallocation-pipeline | FileCheck %s --check-prefixes=CHECK
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --buffer-merge | FileCheck %s --check-prefixes=CHECK

// R3: before a deallocation pass that pass owns the pool, behind it the rewrite
// does. Either way it is freed once.

// CHECK-LABEL: func.func @straight(
//       CHECK:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<60xi8>
//   CHECK-NOT:   memref.alloc
//   CHECK-NOT:   memref.dealloc
//       CHECK:   memref.dealloc %[[POOL]] : memref<60xi8>
//   CHECK-NOT:   memref.dealloc
//       CHECK:   return
func.func @straight(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  call @use(%a) : (memref<15xf32>) -> ()
  %b = memref.alloc() : memref<15xf32>
  call @use(%b) : (memref<15xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @loop(
//       CHECK:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<60xi8>
//   CHECK-NOT:   memref.alloc
//   CHECK-NOT:   memref.dealloc
//       CHECK:   scf.for
//   CHECK-NOT:     memref.alloc
//   CHECK-NOT:     memref.dealloc
//       CHECK:   }
//       CHECK:   memref.dealloc %[[POOL]] : memref<60xi8>
//   CHECK-NOT:   memref.dealloc
//       CHECK:   return
func.func @loop(%n: index, %s: index, %x: f32) {
  scf.for %i = %s to %n step %s {
    %a = memref.alloc() : memref<15xf32>
    func.call @use(%a) : (memref<15xf32>) -> ()
    %b = memref.alloc() : memref<15xf32>
    func.call @use(%b) : (memref<15xf32>) -> ()
  }
  return
}

// CHECK-LABEL: func.func @returned(
//       CHECK:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<60xi8>
//       CHECK:   %[[R:.*]] = memref.alloc() : memref<15xf32>
//       CHECK:   memref.dealloc %[[POOL]] : memref<60xi8>
//   CHECK-NOT:   memref.dealloc
//       CHECK:   return %[[R]]
func.func @returned(%x: f32, %i: index) -> memref<15xf32> {
  %a = memref.alloc() : memref<15xf32>
  call @use(%a) : (memref<15xf32>) -> ()
  %b = memref.alloc() : memref<15xf32>
  call @use(%b) : (memref<15xf32>) -> ()
  %r = memref.alloc() : memref<15xf32>
  memref.copy %b, %r : memref<15xf32> to memref<15xf32>
  return %r : memref<15xf32>
}
func.func private @use(memref<15xf32>)
