// RUN: buffer-merge-opt %s --buffer-merge=scheduler=bump | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=bump | FileCheck %s --check-prefix=DYNAMIC

// R3: deallocations of merged buffers vanish where they are decided at run time, too.

// One of three operands stays, and what it is compared with.
// CHECK-LABEL: func.func @one_stays(
//  CHECK-SAME:     %[[C:[a-z0-9]*]]: i1, {{.*}}, %[[M:[a-z0-9]*]]: memref<16xf32>)
//       CHECK:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<128xi8>
//       CHECK:   bufferization.dealloc (%[[M]] : memref<16xf32>) if (%[[C]])
//  CHECK-NEXT:   memref.dealloc %[[POOL]] : memref<128xi8>
//  CHECK-NEXT:   return
func.func @one_stays(%c: i1, %x: f32, %i: index, %m: memref<16xf32>) {
  %true = arith.constant true
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  bufferization.dealloc (%a, %m, %b : memref<16xf32>, memref<16xf32>, memref<16xf32>) if (%true, %c, %true)
  return
}

// None stays: what was merged owns nothing.
// CHECK-LABEL: func.func @none_stays(
//       CHECK:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<128xi8>
//       CHECK:   arith.constant false
//   CHECK-NOT:   bufferization.dealloc
//       CHECK:   memref.dealloc %[[POOL]] : memref<128xi8>
//  CHECK-NEXT:   return
func.func @none_stays(%c: i1, %x: f32, %i: index) {
  %true = arith.constant true
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  %s = arith.select %c, %a, %b : memref<16xf32>
  %r = bufferization.dealloc (%a, %b : memref<16xf32>, memref<16xf32>) if (%true, %true) retain (%s : memref<16xf32>)
  bufferization.dealloc (%s : memref<16xf32>) if (%r)
  return
}

// CHECK-LABEL: func.func @lowered(
//       CHECK:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<128xi8>
//       CHECK:   arith.cmpi ne
//   CHECK-NOT:   dealloc
//       CHECK:   memref.dealloc %[[POOL]] : memref<128xi8>
//  CHECK-NEXT:   return
func.func @lowered(%c: i1, %x: f32, %i: index) {
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  %s = arith.select %c, %a, %b : memref<16xf32>
  %p = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  %q = memref.extract_aligned_pointer_as_index %s : memref<16xf32> -> index
  %ne = arith.cmpi ne, %p, %q : index
  scf.if %ne {
    memref.dealloc %a : memref<16xf32>
  }
  memref.dealloc %b : memref<16xf32>
  return
}

// A buffer that is decided about together with one that stays: %e is the only one of
// its memory space.
// CHECK-LABEL: func.func @two_spaces(
//   CHECK-NOT:   memref.view
//       CHECK:   return
func.func @two_spaces(%x: f32, %i: index) {
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  %e = memref.alloc() : memref<16xf32, 1>
  memref.store %x, %e[%i] : memref<16xf32, 1>
  %p = memref.extract_aligned_pointer_as_index %a : memref<16xf32> -> index
  %q = memref.extract_aligned_pointer_as_index %b : memref<16xf32> -> index
  %ne = arith.cmpi ne, %p, %q : index
  scf.if %ne {
    memref.dealloc %e : memref<16xf32, 1>
  }
  return
}

// Buffers of dynamic shape that would have one address are not
// compared.
// DYNAMIC-LABEL: func.func @dynamic(
// DYNAMIC-COUNT-2: memref.alloc(
//         DYNAMIC:   return
// DYNAMIC-LABEL: func.func @dynamic_shared(
// DYNAMIC-COUNT-1: memref.alloc(
//     DYNAMIC-NOT:   memref.alloc(
//         DYNAMIC:   return
func.func @dynamic(%n: index, %x: f32, %i: index, %out: memref<1xi1>) {
  %a = memref.alloc(%n) : memref<?xf32>
  memref.store %x, %a[%i] : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  memref.store %x, %b[%i] : memref<?xf32>
  %p = memref.extract_aligned_pointer_as_index %a : memref<?xf32> -> index
  %q = memref.extract_aligned_pointer_as_index %b : memref<?xf32> -> index
  %ne = arith.cmpi ne, %p, %q : index
  memref.store %ne, %out[%i] : memref<1xi1>
  return
}

func.func @dynamic_shared(%n: index, %x: f32, %i: index) {
  %a = memref.alloc(%n) : memref<?xf32>
  memref.store %x, %a[%i] : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  memref.store %x, %b[%i] : memref<?xf32>
  return
}
