// RUN: buffer-merge-opt %s --buffer-merge='pool=stack alignment=64' | FileCheck %s --check-prefix=STACK
// RUN: buffer-merge-opt %s --buffer-merge='pool=arena alignment=64' | FileCheck %s --check-prefix=ARENA
// RUN: buffer-merge-opt %s --buffer-merge='pool=global alignment=64' | FileCheck %s --check-prefix=GLOBAL
// RUN: buffer-merge-opt %s --buffer-merge='pool=global alignment=64 scheduler=first-fit' | FileCheck %s --check-prefix=GLOBAL
// RUN: buffer-merge-opt %s --buffer-merge='pool=stack alignment=16' | FileCheck %s --check-prefix=SMALL

// Pools that save no bytes take none either: where the option `alignment` would make
// a pool larger than its buffers, each is aligned as it needs.

//      GLOBAL: memref.global "private" @two_pool : memref<16xi8> = uninitialized {alignment = 1 : i64}
// STACK-LABEL: func.func @two(
//       STACK:   memref.alloca() {alignment = 1 : i64} : memref<16xi8>
// ARENA-LABEL: func.func @two(
//  ARENA-SAME:   {alignment = 1 : i64, bytes = 16 : i64}
// SMALL-LABEL: func.func @two(
//       SMALL:   memref.alloca() {alignment = 1 : i64} : memref<16xi8>
func.func @two(%x: i8, %i: index) {
  %a = memref.alloc() : memref<8xi8>
  %b = memref.alloc() : memref<8xi8>
  memref.store %x, %a[%i] : memref<8xi8>
  memref.store %x, %b[%i] : memref<8xi8>
  memref.store %x, %a[%i] : memref<8xi8>
  return
}

// The more aligned ones come first: 4 + 6 + 3 bytes, without gaps.

//      GLOBAL: memref.global "private" @mixed_pool : memref<13xi8> = uninitialized {alignment = 4 : i64}
// STACK-LABEL: func.func @mixed(
//       STACK:   memref.alloca() {alignment = 4 : i64} : memref<13xi8>
func.func @mixed(%x: f32, %y: i8, %i: index) {
  %a = memref.alloc() : memref<6xi8>
  %b = memref.alloc() : memref<1xf32>
  %c = memref.alloc() : memref<3xi8>
  memref.store %y, %a[%i] : memref<6xi8>
  memref.store %x, %b[%i] : memref<1xf32>
  memref.store %y, %c[%i] : memref<3xi8>
  memref.store %x, %b[%i] : memref<1xf32>
  memref.store %y, %a[%i] : memref<6xi8>
  return
}

// What an allocation asks for is needed: these take 128 bytes, and 72 in a pool.

//      GLOBAL: memref.global "private" @aligned_pool : memref<72xi8> = uninitialized {alignment = 64 : i64}
func.func @aligned(%x: i8, %i: index) {
  %a = memref.alloc() {alignment = 64 : i64} : memref<8xi8>
  %b = memref.alloc() {alignment = 64 : i64} : memref<8xi8>
  memref.store %x, %a[%i] : memref<8xi8>
  memref.store %x, %b[%i] : memref<8xi8>
  memref.store %x, %a[%i] : memref<8xi8>
  return
}

// A pool that is not larger keeps the alignment of the option.

//      GLOBAL: memref.global "private" @one_pool : memref<8xi8> = uninitialized {alignment = 64 : i64}
// SMALL-LABEL: func.func @one(
//       SMALL:   memref.alloca() {alignment = 16 : i64} : memref<8xi8>
func.func @one(%x: i8, %i: index) {
  %a = memref.alloc() : memref<8xi8>
  memref.store %x, %a[%i] : memref<8xi8>
  return
}
