// RUN: buffer-merge-opt %s --buffer-merge="pool=arena limit-peak=none" --split-input-file -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: buffer-merge-opt %t.mlir --buffer-merge="pool=arena limit-peak=none" --split-input-file | diff %t.mlir -
// RUN: buffer-merge-opt %t.mlir --buffer-merge=limit-peak=none --split-input-file | diff %t.mlir -
// RUN: buffer-merge-opt %s --buffer-merge="pool=arena limit-peak=none" --split-input-file --remarks-filter=buffer-merge --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// What a caller hands on is a buffer like its own, alive at the call: the part of
// @middle and the buffer that is alive during the call have bytes of their own.

// CHECK-LABEL: func.func private @small(
//  CHECK-SAME:   %[[X:[^:]*]]: f32, %[[I:[^:]*]]: index, %[[SMALL:[^:]*]]: memref<?xi8> {buffer_merge.arena})
//  CHECK-SAME:   attributes {buffer_merge.arena = {alignment = 256 : i64, bytes = 60 : i64}}
//   CHECK-NOT:   cf.assert
//       CHECK:   %[[C0:.*]] = arith.constant 0 : index
//       CHECK:   memref.view %[[SMALL]][%[[C0]]][] : memref<?xi8> to memref<15xf32>
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
// REMARK: [Analysis] Pool | {{.*}}Function=small{{.*}}Storage=arena
func.func private @small(%x: f32, %i: index) {
  %a = memref.alloc() {alignment = 256 : i64} : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

// CHECK-LABEL: func.func private @large(
//  CHECK-SAME:   attributes {buffer_merge.arena = {alignment = 64 : i64, bytes = 800 : i64}}
//   CHECK-NOT:   memref.alloc
//   CHECK-NOT:   memref.dealloc
//       CHECK:   return
func.func private @large(%x: f32, %i: index) {
  %a = memref.alloc() : memref<200xf32>
  memref.store %x, %a[%i] : memref<200xf32>
  memref.dealloc %a : memref<200xf32>
  %b = memref.alloc() : memref<200xf32>
  memref.store %x, %b[%i] : memref<200xf32>
  memref.dealloc %b : memref<200xf32>
  return
}

// Without a pool of its own it hands all on. 60 bytes, from 256 on 800 of a callee.

// CHECK-LABEL: func.func private @middle(
//  CHECK-SAME:   %[[X:[^:]*]]: f32, %[[I:[^:]*]]: index, %[[MIDDLE:[^:]*]]: memref<?xi8> {buffer_merge.arena})
//  CHECK-SAME:   attributes {buffer_merge.arena = {alignment = 256 : i64, bytes = 800 : i64}}
//  CHECK-NEXT:   %[[C0:.*]] = arith.constant 0 : index
//       CHECK:   scf.for
//  CHECK-NEXT:     %[[PART:.*]] = memref.view %[[MIDDLE]][%[[C0]]][] : memref<?xi8> to memref<800xi8>
//  CHECK-NEXT:     %[[CAST:.*]] = memref.cast %[[PART]] : memref<800xi8> to memref<?xi8>
//  CHECK-NEXT:     call @large(%[[X]], %[[I]], %[[CAST]])
//       CHECK:   memref<?xi8> to memref<60xi8>
//       CHECK:   call @small(
func.func private @middle(%x: f32, %i: index) {
  scf.for %k = %i to %i step %i {
    func.call @large(%x, %i) : (f32, index) -> ()
  }
  func.call @small(%x, %i) : (f32, index) -> ()
  return
}

// CHECK-LABEL: func.func @top(
//  CHECK-SAME:   %[[X:[^:]*]]: f32, %[[I:[^:]*]]: index, %[[TOP:[^:]*]]: memref<?xi8> {buffer_merge.arena})
//  CHECK-SAME:   attributes {buffer_merge.arena = {alignment = 256 : i64, bytes = 892 : i64}}
//  CHECK-NEXT:   %[[C0:.*]] = arith.constant 0 : index
//  CHECK-NEXT:   %[[DIM:.*]] = memref.dim %[[TOP]], %[[C0]]
//  CHECK-NEXT:   %[[BYTES:.*]] = arith.constant 892 : index
//  CHECK-NEXT:   %[[ENOUGH:.*]] = arith.cmpi uge, %[[DIM]], %[[BYTES]] : index
//  CHECK-NEXT:   cf.assert %[[ENOUGH]], "top: the arena must have 892 bytes"
//  CHECK-NEXT:   %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[TOP]]
//  CHECK-NEXT:   %[[C255:.*]] = arith.constant 255 : index
//  CHECK-NEXT:   %[[REST:.*]] = arith.andi %[[POINTER]], %[[C255]] : index
//  CHECK-NEXT:   %[[ZERO:.*]] = arith.constant 0 : index
//  CHECK-NEXT:   %[[ALIGNED:.*]] = arith.cmpi eq, %[[REST]], %[[ZERO]] : index
//  CHECK-NEXT:   cf.assert %[[ALIGNED]], "top: the arena must be aligned to 256 bytes"
//  CHECK-NEXT:   %[[C832:.*]] = arith.constant 832 : index
//  CHECK-NEXT:   %[[C0:.*]] = arith.constant 0 : index
//  CHECK-NEXT:   memref.view %[[TOP]][%[[C832]]][] : memref<?xi8> to memref<15xf32>
//       CHECK:   memref.view %[[TOP]][%[[C0]]][] : memref<?xi8> to memref<800xi8>
//       CHECK:   call @middle(
//       CHECK:   return
// CHECK-LABEL: func.func @top_arena_size() -> index {
//  CHECK-NEXT:   %[[SIZE:.*]] = arith.constant 892 : index
//  CHECK-NEXT:   return %[[SIZE]] : index
// CHECK-LABEL: func.func @top_arena_alignment() -> index {
//  CHECK-NEXT:   %[[ALIGNMENT:.*]] = arith.constant 256 : index
//  CHECK-NEXT:   return %[[ALIGNMENT]] : index
func.func @top(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  func.call @middle(%x, %i) : (f32, index) -> ()
  %u = memref.load %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

// Who needs none gets none.

// CHECK-LABEL: func.func @nothing(%{{.*}}: index) {
func.func @nothing(%i: index) {
  return
}

// -----

// A marked argument is used; the argument of a static size is checked at compile
// time, and what is handed on for it has that size. The declaration of the query
// is defined.

// CHECK-LABEL: func.func @static(
//  CHECK-SAME:   %[[ARENA:[^:]*]]: memref<128xi8> {buffer_merge.arena}, %{{.*}}: f32
//  CHECK-SAME:   attributes {buffer_merge.arena = {alignment = 64 : i64, bytes = 60 : i64}}
//   CHECK-NOT:   memref.dim
//       CHECK:   cf.assert %{{.*}}, "static: the arena must be aligned to 64 bytes"
//       CHECK:   memref.view %[[ARENA]][%{{.*}}][] : memref<128xi8> to memref<15xf32>
func.func @static(%arena: memref<128xi8> {buffer_merge.arena}, %x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

// CHECK-LABEL: func.func @hands_on(
//  CHECK-SAME:   %[[ARENA:[^:]*]]: memref<?xi8> {buffer_merge.arena}
//  CHECK-SAME:   attributes {buffer_merge.arena = {alignment = 64 : i64, bytes = 188 : i64}}
//       CHECK:   %[[PART:.*]] = memref.view %[[ARENA]][%{{.*}}][] : memref<?xi8> to memref<128xi8>
//  CHECK-NEXT:   call @static(%[[PART]],
//   CHECK-NOT:   memref.cast
//       CHECK:   return
func.func @hands_on(%x: f32, %i: index, %arena: memref<?xi8> {buffer_merge.arena}) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %part = memref.cast %arena : memref<?xi8> to memref<128xi8>
  func.call @static(%part, %x, %i) : (memref<128xi8>, f32, index) -> ()
  %u = memref.load %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

// CHECK-LABEL: func.func private @hands_on_arena_size() -> index {
//  CHECK-NEXT:   arith.constant 188 : index
//   CHECK-NOT: @hands_on_arena_size
func.func private @hands_on_arena_size() -> index

// Who provides arenas is given none, and its buffer is not merged: nothing says
// yet how it is used.

// CHECK-LABEL: func.func @provides(
//  CHECK-SAME:   %{{.*}}: f32, %{{.*}}: index) {
//       CHECK:   memref.alloc() {{.*}} : memref<60xi8>
//       CHECK:   memref.alloc() {{.*}} : memref<128xi8>
//       CHECK:   memref.alloc() {{.*}} : memref<188xi8>
//       CHECK:   return
// REMARK: [Missed] PoolIsAllocated | {{.*}}Function=provides{{.*}}the function provides arenas itself
func.func @provides(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %arena = memref.alloc() {alignment = 64 : i64} : memref<128xi8>
  func.call @static(%arena, %x, %i) : (memref<128xi8>, f32, index) -> ()
  %u = memref.load %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  %other = memref.alloc() {alignment = 64 : i64} : memref<188xi8>
  %cast = memref.cast %other : memref<188xi8> to memref<?xi8>
  func.call @hands_on(%x, %i, %cast) : (f32, index, memref<?xi8>) -> ()
  return
}

// -----

// A marked function without a pool needs nothing, and says so.

// CHECK-LABEL: func.func @empty(
//  CHECK-SAME:   attributes {buffer_merge.arena = {alignment = 1 : i64, bytes = 0 : i64}}
//  CHECK-NEXT:   return
// CHECK-LABEL: func.func @empty_arena_size()
//  CHECK-NEXT:   arith.constant 0 : index
func.func @empty(%arena: memref<?xi8> {buffer_merge.arena}) {
  return
}

// -----

// What is called concurrently, is recursive, is referred to, or has a caller that
// has no arena to pass on, allocates; so does what is not a function.

//   CHECK-NOT: memref<?xi8>
// REMARK: [Missed] PoolIsAllocated | {{.*}}Function=leaf{{.*}}a caller of the function has no arena to pass on
// REMARK: [Missed] PoolIsAllocated | {{.*}}Function=concurrent{{.*}}two calls of the function may run at the same time
// REMARK: [Missed] PoolIsAllocated | {{.*}}the scope is not a function
// REMARK: [Missed] PoolIsAllocated | {{.*}}Function=recursive{{.*}}the function is recursive
// REMARK: [Missed] PoolIsAllocated | {{.*}}Function=taken{{.*}}something other than a call refers to the function
func.func private @leaf(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

func.func private @concurrent(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  func.call @leaf(%x, %i) : (f32, index) -> ()
  %u = memref.load %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

func.func @parallel(%x: f32, %i: index, %n: index) {
  scf.forall (%k) in (%n) {
    %a = memref.alloc() : memref<15xf32>
    memref.store %x, %a[%i] : memref<15xf32>
    func.call @concurrent(%x, %i) : (f32, index) -> ()
    %b = memref.alloc() : memref<15xf32>
    memref.store %x, %b[%i] : memref<15xf32>
  }
  return
}

func.func @recursive(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  func.call @recursive(%x, %i) : (f32, index) -> ()
  %u = memref.load %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

func.func @taken(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}
func.func @taker() -> ((f32, index) -> ()) {
  %f = func.constant @taken : (f32, index) -> ()
  return %f : (f32, index) -> ()
}

func.func private @declared(f32, index)
func.func @calls_declared(%x: f32, %i: index) {
  func.call @declared(%x, %i) : (f32, index) -> ()
  return
}

// -----

// The arena is in the default memory space, and its bytes are the caller's again
// when the function returns (L8).

// CHECK-LABEL: func.func @others(
//       CHECK:   memref.alloc() {{.*}} : memref<60xi8, 1>
//   CHECK-NOT:   memref.alloc
//       CHECK: return
// REMARK: [Missed] PoolIsAllocated | {{.*}}Function=others{{.*}}the arena is in another memory space
func.func @others(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32, 1>
  memref.store %x, %a[%i] : memref<15xf32, 1>
  %c = memref.alloc() : memref<15xf32>
  memref.store %x, %c[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32, 1>
  memref.store %x, %b[%i] : memref<15xf32, 1>
  %d = memref.alloc() : memref<15xf32>
  memref.store %x, %d[%i] : memref<15xf32>
  return
}

// CHECK-LABEL: func.func @in_flight(
//  CHECK-NEXT:   memref.alloc() {{.*}} : memref<60xi8>
// REMARK: [Missed] PoolIsAllocated | {{.*}}Function=in_flight{{.*}}it may be accessed after the function returns
func.func @in_flight(%x: f32, %i: index) -> !async.token {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  %token = async.execute {
    memref.store %x, %b[%i] : memref<15xf32>
    async.yield
  }
  return %token : !async.token
}

// -----

// A function that has its arena from an earlier run has pools at its start: what
// comes later is allocated, and other callers must provide what is needed.

// CHECK-LABEL: func.func @earlier(
//  CHECK-SAME:   attributes {buffer_merge.arena = {alignment = 64 : i64, bytes = 512 : i64}}
//       CHECK:   memref.alloc() {{.*}} : memref<60xi8>
// REMARK: [Missed] PoolIsAllocated | {{.*}}Function=earlier{{.*}}the function has a pool in its arena already
func.func @earlier(%x: f32, %i: index, %arena: memref<?xi8> {buffer_merge.arena})
    attributes {buffer_merge.arena = {alignment = 64 : i64, bytes = 512 : i64}} {
  %c0 = arith.constant 0 : index
  %v = memref.view %arena[%c0][] : memref<?xi8> to memref<64xf32>
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  memref.store %x, %v[%i] : memref<64xf32>
  return
}

// CHECK-LABEL: func.func @later(
//  CHECK-SAME:   %[[ARENA:[^:]*]]: memref<?xi8> {buffer_merge.arena}
//  CHECK-SAME:   attributes {buffer_merge.arena = {alignment = 64 : i64, bytes = 572 : i64}}
//       CHECK:   %[[PART:.*]] = memref.view %[[ARENA]][%{{.*}}][] : memref<?xi8> to memref<512xi8>
//  CHECK-NEXT:   %[[CAST:.*]] = memref.cast %[[PART]]
//  CHECK-NEXT:   call @earlier(%{{.*}}, %{{.*}}, %[[CAST]])
func.func @later(%x: f32, %i: index, %arena: memref<?xi8> {buffer_merge.arena}) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  func.call @earlier(%x, %i, %arena) : (f32, index, memref<?xi8>) -> ()
  %u = memref.load %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

// -----

// Attributes of the operands of a call that say nothing vanish.

// CHECK-LABEL: func.func @calls(
//       CHECK:   call @leaf(
//   CHECK-NOT:     arg_attrs
//       CHECK:   return
func.func private @leaf(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}
func.func @calls(%x: f32, %i: index) {
  "func.call"(%x, %i) <{callee = @leaf, arg_attrs = [{}, {}]}> : (f32, index) -> ()
  return
}

// -----

// In a block that is never executed, a value may be a view of itself.

// CHECK-LABEL: func.func @unreachable_views(
//       CHECK:   return
//       CHECK:   call @takes_arena(
//       CHECK:   call @takes_arena(
func.func private @takes_arena(%arena: memref<?xi8> {buffer_merge.arena}, %x: memref<?xi8>) {
  return
}
func.func @unreachable_views(%x: memref<?xi8>) {
  return
^bb1:
  %a = memref.cast %a : memref<?xi8> to memref<?xi8>
  %b = memref.subview %c[0] [4] [1] : memref<?xi8> to memref<4xi8, strided<[1]>>
  %c = memref.cast %b : memref<4xi8, strided<[1]>> to memref<?xi8>
  func.call @takes_arena(%a, %c) : (memref<?xi8>, memref<?xi8>) -> ()
  func.call @takes_arena(%c, %x) : (memref<?xi8>, memref<?xi8>) -> ()
  return
}
