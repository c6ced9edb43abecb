// RUN: buffer-merge-opt %s --buffer-merge='pool=global limit-peak=deallocated' --split-input-file -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: buffer-merge-opt %t.mlir --buffer-merge='pool=global limit-peak=deallocated' --split-input-file | diff %t.mlir -
// RUN: buffer-merge-opt %s --buffer-merge='pool=global limit-peak=deallocated' --split-input-file | diff %t.mlir -

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

// A private function has its bytes in the global of its caller, during the call;
// whoever is called from a recursive function is not recursive, and may be called
// from outside of the module as well.

//   CHECK-NOT: @leaf_pool
// CHECK-LABEL: func.func private @leaf(
//  CHECK-SAME:   %[[ARENA:[^:]*]]: memref<?xi8> {buffer_merge.arena})
//       CHECK:   memref.view %[[ARENA]]
func.func private @leaf(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

//       CHECK: memref.global "private" @caller_pool : memref<124xi8>
// CHECK-LABEL: func.func @caller(
//       CHECK:   %[[POOL:.*]] = memref.get_global @caller_pool
//       CHECK:   %[[C64:.*]] = arith.constant 64 : index
//       CHECK:   %[[PART:.*]] = memref.view %[[POOL]][%[[C64]]][] : memref<124xi8> to memref<60xi8>
//  CHECK-NEXT:   %[[CAST:.*]] = memref.cast %[[PART]] : memref<60xi8> to memref<?xi8>
//       CHECK:   call @leaf(%{{.*}}, %{{.*}}, %[[CAST]])
func.func @caller(%x: f32, %i: index, %n: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  scf.for %k = %i to %n step %n {
    func.call @leaf(%x, %i) : (f32, index) -> ()
  }
  %u = memref.load %a[%i] : memref<15xf32>
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

// -----

// Callees take bytes that are idle during the call, of a function that has no
// buffers as well: 60 at most here. A public function that is also called from
// inside has its own global; a second caller does not matter.

//       CHECK: memref.global "private" @first_pool : memref<60xi8>
// CHECK-LABEL: func.func @first(
//       CHECK:   %[[POOL:.*]] = memref.get_global @first_pool
//       CHECK:   memref.view %[[POOL]][%{{.*}}][] : memref<60xi8> to memref<60xi8>
//       CHECK:   call @middle(
// CHECK-LABEL: func.func private @middle(
//   CHECK-NOT:   memref.get_global
//       CHECK:   call @leaf(
//       CHECK:   call @leaf(
//       CHECK: memref.global "private" @second_pool : memref<60xi8>
// CHECK-LABEL: func.func @second(
//       CHECK:   memref.get_global @second_pool
//       CHECK:   call @leaf(
// CHECK-LABEL: func.func @none(
//   CHECK-NOT:   memref.get_global
//       CHECK:   call @second(%{{.*}}, %{{.*}}) : (f32, index) -> ()
func.func private @leaf(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}
func.func @first(%x: f32, %i: index) {
  func.call @middle(%x, %i) : (f32, index) -> ()
  return
}
func.func private @middle(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  func.call @leaf(%x, %i) : (f32, index) -> ()
  func.call @leaf(%x, %i) : (f32, index) -> ()
  return
}
func.func @second(%x: f32, %i: index) {
  func.call @leaf(%x, %i) : (f32, index) -> ()
  return
}
func.func @none(%x: f32, %i: index) {
  func.call @second(%x, %i) : (f32, index) -> ()
  return
}

// -----

// An argument of an earlier run is somebody else's part of the arena.

//       CHECK: memref.global "private" @leaf_pool : memref<60xi8>
// CHECK-LABEL: func.func private @leaf(
//       CHECK:   memref.get_global @leaf_pool
// CHECK-LABEL: func.func @caller(
//       CHECK:   call @leaf(%{{.*}}, %{{.*}}, %{{.*}}) : (f32, index, memref<?xi8>) -> ()
func.func private @leaf(%x: f32, %i: index, %arena: memref<?xi8> {buffer_merge.arena})
    attributes {buffer_merge.arena = {alignment = 64 : i64, bytes = 64 : i64}} {
  %c0 = arith.constant 0 : index
  %v = memref.view %arena[%c0][] : memref<?xi8> to memref<15xf32>
  memref.store %x, %v[%i] : memref<15xf32>
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  memref.store %x, %v[%i] : memref<15xf32>
  return
}
memref.global "private" @caller_pool : memref<64xi8> = uninitialized
func.func @caller(%x: f32, %i: index) {
  %pool = memref.get_global @caller_pool : memref<64xi8>
  %arena = memref.cast %pool : memref<64xi8> to memref<?xi8>
  func.call @leaf(%x, %i, %arena) : (f32, index, memref<?xi8>) -> ()
  return
}

// -----

// What has a C interface may be called from outside of the module, although it is private.

//       CHECK: memref.global "private" @interface_pool : memref<60xi8>
// CHECK-LABEL: func.func private @interface(%{{[^:]*}}: f32, %{{[^:]*}}: index) attributes {llvm.emit_c_interface} {
//       CHECK:   memref.get_global @interface_pool
// CHECK-LABEL: func.func @caller(
//       CHECK:   call @interface(%{{[^,]*}}, %{{[^,]*}}) : (f32, index) -> ()
func.func private @interface(%x: f32, %i: index) attributes {llvm.emit_c_interface} {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}
func.func @caller(%x: f32, %i: index) {
  func.call @interface(%x, %i) : (f32, index) -> ()
  return
}
