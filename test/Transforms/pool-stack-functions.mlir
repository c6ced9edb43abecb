// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(func.func(buffer-merge{pool=stack}))' | FileCheck %s

// Of functions one by one, only what calls itself is known to be recursive.

// CHECK-LABEL: func.func @recursive(
//       CHECK:   memref.alloc() {{.*}} : memref<60xi8>
func.func @recursive(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  func.call @recursive(%x, %i) : (f32, index) -> ()
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

// CHECK-LABEL: func.func @other(
//       CHECK:   memref.alloca() {{.*}} : memref<60xi8>
func.func @other(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  func.call @recursive(%x, %i) : (f32, index) -> ()
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}
