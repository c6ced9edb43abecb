// RUN: buffer-merge-opt %s --split-input-file --buffer-merge=scheduler=bump | FileCheck %s
// RUN: not buffer-merge-opt %s --split-input-file --buffer-merge=scheduler=bump --cse --canonicalize \
// RUN:   --buffer-deallocation-pipeline 2> %t.error | FileCheck %s --check-prefixes=FREED
// RUN: FileCheck %s --check-prefix=ERROR < %t.error

// MLIR's ownership-based-buffer-deallocation does not understand views that live
// across blocks. Where nothing is freed yet, their pool is freed here, in a way that
// it respects, and once; no other deallocation appears.

// CHECK-LABEL: func.func @across
//       CHECK:   %[[POOL:.*]] = memref.alloc() {alignment = 64 : i64, bufferization.manual_deallocation} : memref<128xi8>
//       CHECK:   cf.cond_br
//       CHECK: ^bb1
//   CHECK-NOT:   dealloc
//       CHECK:   cf.br
//       CHECK: ^bb2
//       CHECK:   memref.copy
//  CHECK-NEXT:   memref.dealloc %[[POOL]] {bufferization.manual_deallocation} : memref<128xi8>
//  CHECK-NEXT:   return

// FREED-LABEL: func.func @across
//   FREED-NOT:   dealloc %
//       FREED:   memref.dealloc %{{.*}} {bufferization.manual_deallocation}
//   FREED-NOT:   dealloc %
//       FREED:   return
func.func @across(%c: i1, %x: f32, %i: index, %out: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  cf.cond_br %c, ^one, ^two
^one:
  memref.copy %a, %out : memref<16xf32> to memref<16xf32>
  cf.br ^two
^two:
  memref.copy %b, %out : memref<16xf32> to memref<16xf32>
  return
}

// -----

// As an argument of a block, and with two exits.
// CHECK-LABEL: func.func @argument
//       CHECK:   memref.alloc() {alignment = 64 : i64, bufferization.manual_deallocation} : memref<128xi8>
//       CHECK: ^bb1({{.*}}):
//       CHECK:   memref.dealloc
//  CHECK-NEXT:   return
//       CHECK: ^bb2:
//  CHECK-NEXT:   memref.dealloc
//  CHECK-NEXT:   return
func.func @argument(%c: i1, %x: f32, %i: index, %out: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  cf.cond_br %c, ^one(%b : memref<16xf32>), ^two
^one(%m: memref<16xf32>):
  memref.copy %m, %out : memref<16xf32> to memref<16xf32>
  return
^two:
  return
}

// -----

// The blocks are inside an operation.
// CHECK-LABEL: func.func @nested
//       CHECK:   memref.alloc() {alignment = 64 : i64, bufferization.manual_deallocation} : memref<128xi8>
//       CHECK:   memref.dealloc
//  CHECK-NEXT:   return
func.func @nested(%x: f32, %i: index, %out: memref<16xf32>) {
  scf.execute_region {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    %b = memref.alloc() : memref<16xf32>
    memref.store %x, %b[%i] : memref<16xf32>
    cf.br ^next
  ^next:
    memref.copy %a, %out : memref<16xf32> to memref<16xf32>
    scf.yield
  }
  return
}

// -----

// No block but one can see this pool: it is left to a later pass.
// CHECK-LABEL: func.func @inner_scope
//       CHECK:   memref.alloc() {alignment = 64 : i64} : memref<128xi8>
//   CHECK-NOT:   dealloc
//       CHECK:   return
func.func @inner_scope(%n: index, %x: f32, %i: index) {
  cf.br ^next
^next:
  scf.forall (%j) in (%n) {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    %b = memref.alloc() : memref<16xf32>
    memref.store %x, %b[%i] : memref<16xf32>
  }
  return
}

// -----

// Where something is freed already, no such pass can follow.
// ERROR: error: memory free side-effect on MemRef value not supported!
// ERROR-NOT: error
// CHECK-LABEL: func.func @freed
//       CHECK:   memref.alloc() {alignment = 64 : i64} : memref<128xi8>
//       CHECK:   memref.dealloc %{{.*}} : memref<128xi8>
//  CHECK-NEXT:   return
func.func @freed(%x: f32, %i: index, %out: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  cf.br ^next
^next:
  memref.copy %a, %out : memref<16xf32> to memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  return
}
