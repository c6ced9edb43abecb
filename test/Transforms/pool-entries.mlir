// RUN: buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"entries": "exclusive"}} limit-peak=none' --split-input-file | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge='pool=global target={"globals": {"entries": "separate"}}' --split-input-file | FileCheck %s --check-prefix=SEPARATE

// One global for all entries, as large as the largest needs, and as aligned.

//    CHECK: memref.global "private" @entries_pool_0 : memref<128xi8> = uninitialized {alignment = 256 : i64}
// CHECK-NOT: memref.global "private" @{{.*}} = uninit
//    CHECK: func.func @small(
//    CHECK:   memref.get_global @entries_pool_0 : memref<128xi8>
//    CHECK: func.func @large(
//    CHECK:   memref.get_global @entries_pool_0 : memref<128xi8>
// SEPARATE: memref.global "private" @small_pool : memref<60xi8> = uninitialized {alignment = 256 : i64}
// SEPARATE: memref.global "private" @large_pool : memref<128xi8> = uninitialized {alignment = 64 : i64}
memref.global "private" @entries_pool : memref<4xi8>
func.func @small(%x: f32, %i: index) {
  %a = memref.alloc() {alignment = 256 : i64} : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}
func.func @large(%x: f32, %i: index) {
  %a = memref.alloc() : memref<32xf32>
  memref.store %x, %a[%i] : memref<32xf32>
  %b = memref.alloc() : memref<32xf32>
  memref.store %x, %b[%i] : memref<32xf32>
  return
}

// -----

// Nobody knows what is in use when a recursive function calls an entry: that one
// has a global of its own, and so has what it calls.

//    CHECK: memref.global "private" @inner_pool : memref<60xi8>
//    CHECK: memref.global "private" @called_pool : memref<60xi8>
//    CHECK: memref.global "private" @entries_pool : memref<60xi8>
//    CHECK: func.func @caller(
//    CHECK:   memref.get_global @entries_pool
func.func @inner(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  return
}
func.func @called(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  func.call @inner(%x, %i) : (f32, index) -> ()
  return
}
func.func private @recursive(%x: f32, %i: index) {
  func.call @recursive(%x, %i) : (f32, index) -> ()
  func.call @called(%x, %i) : (f32, index) -> ()
  return
}
func.func @caller(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  func.call @recursive(%x, %i) : (f32, index) -> ()
  %u = memref.load %a[%i] : memref<15xf32>
  return
}
