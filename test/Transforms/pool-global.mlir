// RUN: buffer-merge-opt %s --buffer-merge=pool=global --split-input-file -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: buffer-merge-opt %t.mlir --buffer-merge=pool=global --split-input-file | diff %t.mlir -
// RUN: buffer-merge-opt %s --buffer-merge=pool=global --split-input-file | diff %t.mlir -

// Each pool is a global in front of its function, with a name that is free.

//       CHECK: memref.global "private" @f_pool_0 : memref<128xi8> = uninitialized {alignment = 64 : i64}
//  CHECK-NEXT: memref.global "private" @f_pool_1 : memref<60xi8, 1> = uninitialized {alignment = 256 : i64}
// CHECK-LABEL: func.func @f(
//  CHECK-NEXT:   %[[F:.*]] = memref.get_global @f_pool_0 : memref<128xi8>
//  CHECK-NEXT:   %[[F1:.*]] = memref.get_global @f_pool_1 : memref<60xi8, 1>
//       CHECK:   memref.view %[[F]][%{{.*}}][] : memref<128xi8> to memref<32xf32>
//       CHECK:   memref.view %[[F1]][%{{.*}}][] : memref<60xi8, 1> to memref<15xf32, 1>
//   CHECK-NOT:   memref.alloc
//   CHECK-NOT:   memref.dealloc
//       CHECK:   return
func.func @f(%x: f32, %i: index) {
  %a = memref.alloc() : memref<32xf32>
  memref.store %x, %a[%i] : memref<32xf32>
  memref.dealloc %a : memref<32xf32>
  %c = memref.alloc() {alignment = 256 : i64} : memref<15xf32, 1>
  memref.store %x, %c[%i] : memref<15xf32, 1>
  memref.dealloc %c : memref<15xf32, 1>
  %b = memref.alloc() : memref<32xf32>
  memref.store %x, %b[%i] : memref<32xf32>
  memref.dealloc %b : memref<32xf32>
  %d = memref.alloc() : memref<15xf32, 1>
  memref.store %x, %d[%i] : memref<15xf32, 1>
  memref.dealloc %d : memref<15xf32, 1>
  return
}

// Somebody else's symbol.
// CHECK: memref.global "private" @f_pool : memref<4xi8>
memref.global "private" @f_pool : memref<4xi8>

// Functions that call each other in turn have globals of their own; whoever is
// called from a recursive function is not recursive.

//       CHECK: memref.global "private" @leaf_pool : memref<60xi8>
// CHECK-LABEL: func.func private @leaf(
//       CHECK:   memref.get_global @leaf_pool
func.func private @leaf(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

//       CHECK: memref.global "private" @caller_pool : memref<60xi8>
// CHECK-LABEL: func.func @caller(
//       CHECK:   memref.get_global @caller_pool
func.func @caller(%x: f32, %i: index, %n: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  scf.for %k = %i to %n step %n {
    func.call @leaf(%x, %i) : (f32, index) -> ()
  }
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

// CHECK-LABEL: func.func @recursive(
//   CHECK-NOT:   memref.get_global
//       CHECK:   return
func.func @recursive(%x: f32, %i: index, %n: index) {
  func.call @caller(%x, %i, %n) : (f32, index, index) -> ()
  func.call @recursive(%x, %i, %n) : (f32, index, index) -> ()
  return
}

// -----

// What is not the body of a function of the host is allocated as ever: parallel
// executions of a scope need a pool each, and device code has other memory.

//   CHECK-NOT: memref.global
// CHECK-LABEL: func.func @parallel(
//       CHECK:   scf.forall
//  CHECK-NEXT:     memref.alloc() {{.*}} : memref<60xi8>
//       CHECK:   memref.alloca_scope
//  CHECK-NEXT:     memref.alloc() {{.*}} : memref<60xi8>
func.func @parallel(%x: f32, %i: index, %n: index) {
  scf.forall (%k) in (%n) {
    %a = memref.alloc() : memref<15xf32>
    memref.store %x, %a[%i] : memref<15xf32>
    %b = memref.alloc() : memref<15xf32>
    memref.store %x, %b[%i] : memref<15xf32>
  }
  memref.alloca_scope {
    %a = memref.alloc() : memref<15xf32>
    memref.store %x, %a[%i] : memref<15xf32>
    %b = memref.alloc() : memref<15xf32>
    memref.store %x, %b[%i] : memref<15xf32>
  }
  return
}

// CHECK-LABEL: gpu.func @kernel(
//       CHECK:     memref.alloc() {{.*}} : memref<60xi8, #gpu.address_space<private>>
// CHECK-LABEL: func.func @device(
//       CHECK:     memref.alloc() {{.*}} : memref<60xi8>
gpu.module @kernels {
  gpu.func @kernel(%x: f32, %i: index) kernel {
    %a = memref.alloc() : memref<15xf32, #gpu.address_space<private>>
    memref.store %x, %a[%i] : memref<15xf32, #gpu.address_space<private>>
    %b = memref.alloc() : memref<15xf32, #gpu.address_space<private>>
    memref.store %x, %b[%i] : memref<15xf32, #gpu.address_space<private>>
    gpu.return
  }
  func.func @device(%x: f32, %i: index) {
    %a = memref.alloc() : memref<15xf32>
    memref.store %x, %a[%i] : memref<15xf32>
    %b = memref.alloc() : memref<15xf32>
    memref.store %x, %b[%i] : memref<15xf32>
    return
  }
}

// -----

// Functions of an inner module have their globals in it.

// CHECK: memref.global "private" @f_pool : memref<60xi8>
func.func @f(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

// CHECK-LABEL: module @inner
//       CHECK:   memref.global "private" @f_pool : memref<60xi8>
//  CHECK-NEXT:   func.func @f(
//       CHECK:     memref.get_global @f_pool
module @inner {
  func.func @f(%x: f32, %i: index) {
    %a = memref.alloc() : memref<15xf32>
    memref.store %x, %a[%i] : memref<15xf32>
    %b = memref.alloc() : memref<15xf32>
    memref.store %x, %b[%i] : memref<15xf32>
    return
  }
}
