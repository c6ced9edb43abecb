// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(any(buffer-merge))' | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(func.func(buffer-merge),gpu.module(buffer-merge))' | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(func.func(buffer-merge),gpu.module(gpu.func(buffer-merge)))' | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(func.func(buffer-merge))' | FileCheck %s --check-prefixes=CHECK,HOST
// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(buffer-lifetimes,buffer-merge)' 2> %t.remarks | FileCheck %s --check-prefixes=CHECK,GPU

// The pass runs on any operation: on a module for all that is inside, on functions
// of every kind one by one.

// CHECK-LABEL: func.func @host(
//       CHECK:   memref.alloc() {{.*}} : memref<60xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @host(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @kernel(
  //         GPU:   memref.alloc() {{.*}} : memref<60xi8, #gpu.address_space<private>>
  //     GPU-NOT:   memref.alloc
  //    HOST-NOT:   memref.view
  //       CHECK:   gpu.return
  gpu.func @kernel(%x: f32, %i: index) kernel {
    %a = memref.alloc() : memref<15xf32, #gpu.address_space<private>>
    memref.store %x, %a[%i] : memref<15xf32, #gpu.address_space<private>>
    %b = memref.alloc() : memref<15xf32, #gpu.address_space<private>>
    memref.store %x, %b[%i] : memref<15xf32, #gpu.address_space<private>>
    gpu.return
  }
}
