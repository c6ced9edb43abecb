// RUN: buffer-merge-opt %s -split-input-file --buffer-merge=pool=arena | FileCheck %s
// RUN: not buffer-merge-opt %s -split-input-file --buffer-merge="pool=arena left=error limit-peak=none" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: buffer-merge-opt %s -split-input-file --buffer-merge="pool=arena limit-peak=none" | FileCheck %s --check-prefix=NONE
// RUN: buffer-merge-opt %s -split-input-file --buffer-merge=pool=stack | FileCheck %s --check-prefix=STACK

// LEFT-NOT: error:
//     LEFT: error: the allocation stays: dynamic-shape, 'memref.load' computes its size
// LEFT-COUNT-4: error: the allocation stays: dynamic-shape, its size is known only at run time
//     LEFT: error: the allocation stays: dynamic-shape, its size is known only at run time
// LEFT-NOT: error:

// What is needed is computed at the front, and by a function from the sizes of the
// arguments. Buffers of static size are in the same pool.

// CHECK-LABEL: func.func @f(
//  CHECK-SAME:   %[[X:.*]]: memref<?x4xf32>, %[[N:.*]]: index, %[[OUT:.*]]: memref<?xf32>,
//  CHECK-SAME:   %[[ARENA:[^:]*]]: memref<?xi8> {buffer_merge.arena})
//  CHECK-SAME:   attributes {buffer_merge.arena = {alignment = 64 : i64, bytes = 64 : i64}} {
//       CHECK:   %[[M:.*]] = memref.dim %[[X]]
//       CHECK:   %[[BYTES:.*]] = arith.select
//       CHECK:   %[[THERE:.*]] = memref.dim %[[ARENA]]
//       CHECK:   arith.cmpi uge, %[[THERE]], %[[BYTES]]
//       CHECK:   cf.assert %{{.*}}, "f: the arena must have f_arena_size_for(..) bytes"
//       CHECK:   cf.assert %{{.*}}, "f: the arena must be aligned to 64 bytes"
//   CHECK-NOT:   memref.alloc
// CHECK-COUNT-3: memref.view %[[ARENA]]
//       CHECK:   return
// CHECK-LABEL: func.func @f_arena_size_for(
//  CHECK-SAME:   %[[M:.*]]: index, %[[N:.*]]: index, %{{.*}}: index) -> index {
//   CHECK-NOT:   memref
//       CHECK:   %[[BYTES:.*]] = arith.select
//       CHECK:   return %[[BYTES]] : index
//   CHECK-NOT: @f_arena_size(
// CHECK-LABEL: func.func @f_arena_alignment() -> index {
//   CHECK-NOT: @f_arena_bytes

// STACK-LABEL: func.func @f(
//       STACK:   memref.alloca() {{.*}} : memref<16xi8>
//       STACK:   memref.alloc(%{{.*}}) {{.*}} : memref<?xi8>
//   STACK-NOT:   memref.alloc
//       STACK:   return
func.func @f(%x: memref<?x4xf32>, %n: index, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %f = arith.constant 1.0 : f32
  %m = memref.dim %x, %c0 : memref<?x4xf32>
  %s = memref.alloc() : memref<4xf32>
  linalg.fill ins(%f : f32) outs(%s : memref<4xf32>)
  %a = memref.alloc(%m) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  memref.store %f, %s[%c0] : memref<4xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%b : memref<?xf32>)
  memref.store %f, %a[%c0] : memref<?xf32>
  memref.store %f, %b[%c0] : memref<?xf32>
  return
}

// -----

// A size that only the function knows stays.

// CHECK-LABEL: func.func @loaded(
//       CHECK:   %[[N:.*]] = memref.load
//       CHECK:   memref.alloc(%[[N]]) : memref<?xf32>
//       CHECK:   memref.view %{{.*}} : memref<?xi8> to memref<?xf32>
//       CHECK:   return
// CHECK-LABEL: func.func @loaded_arena_size_for(
func.func @loaded(%x: memref<index>, %n: index) {
  %f = arith.constant 1.0 : f32
  %m = memref.load %x[] : memref<index>
  %a = memref.alloc(%m) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%b : memref<?xf32>)
  return
}

// -----

// The program takes the size for a constant: only what is of static size is there.

// CHECK-LABEL: func.func @constant(
//       CHECK:   memref.alloc(%{{.*}}) {{.*}} : memref<?xi8>
//       CHECK:   return
// CHECK-LABEL: func.func private @constant_arena_size() -> index {
//       CHECK:   %[[BYTES:.*]] = arith.constant 0 : index
//       CHECK:   return %[[BYTES]]
func.func @constant(%n: index, %arena: memref<?xi8> {buffer_merge.arena}) {
  %f = arith.constant 1.0 : f32
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  %b = memref.alloc(%n) : memref<?x2xf32>
  linalg.fill ins(%f : f32) outs(%b : memref<?x2xf32>)
  return
}
func.func private @constant_arena_size() -> index

// -----

// A callee is handed a part of known size: what is of run-time size there is allocated.

// CHECK-LABEL: func.func private @callee(
//       CHECK:   memref.alloc(%{{.*}}) {{.*}} : memref<?xi8>
// CHECK-LABEL: func.func @caller(
//       CHECK:   cf.assert %{{.*}}, "caller: the arena must have 320 bytes"
// CHECK-LABEL: func.func @caller_arena_size() -> index {
//   CHECK-NOT: _arena_size_for
func.func private @callee(%n: index) {
  %f = arith.constant 1.0 : f32
  %s = memref.alloc() : memref<80xf32>
  linalg.fill ins(%f : f32) outs(%s : memref<80xf32>)
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  %b = memref.alloc(%n) : memref<?x2xf32>
  linalg.fill ins(%f : f32) outs(%b : memref<?x2xf32>)
  return
}
func.func @caller(%n: index) {
  call @callee(%n) : (index) -> ()
  return
}

// -----

// Whoever has the sizes at hand may ask for what does not depend on them.

// CHECK-LABEL: func.func private @fixed_arena_size_for(%{{.*}}: index) -> index {
//       CHECK:   %[[BYTES:.*]] = arith.constant 16 : index
//       CHECK:   return %[[BYTES]]
func.func @fixed(%n: index, %arena: memref<?xi8> {buffer_merge.arena}) {
  %f = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<4xf32>)
  return
}
func.func private @fixed_arena_size_for(index) -> index

// -----

// The arena is held as long as the function runs: with %a in it, beside %b.

// CHECK-LABEL: func.func @raises(
//       CHECK:   memref.alloc(%{{.*}}) : memref<?xf32>
//       CHECK:   memref.alloc(%{{.*}}) : memref<?xf32>
//   CHECK-NOT: @raises_arena
func.func @raises(%n: index, %m: index, %c: i1) {
  %f = arith.constant 1.0 : f32
  scf.if %c {
    %b = memref.alloc(%m) : memref<?xf32>
    linalg.fill ins(%f : f32) outs(%b : memref<?xf32>)
    memref.dealloc %b : memref<?xf32>
  }
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  return
}

// -----

// What is needed at least: behind 192 bytes, which are aligned to more than what follows.

// NONE-LABEL: func.func @aligned(
//  NONE-SAME:   attributes {buffer_merge.arena = {alignment = 128 : i64, bytes = 192 : i64}}
//       NONE:   %[[BEGIN:.*]] = arith.constant 192 : index
//       NONE:   memref.view %{{.*}}[%[[BEGIN]]][%{{.*}}] : memref<?xi8> to memref<?xi8>
func.func @aligned(%n: index) {
  %f = arith.constant 1.0 : f32
  call @inner(%f) : (f32) -> ()
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%b : memref<?xf32>)
  return
}
func.func private @inner(%f: f32) {
  %a = memref.alloc() {alignment = 128 : i64} : memref<48xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<48xf32>)
  return
}
