// RUN: buffer-merge-opt %s --buffer-merge='in-place=false pool=stack limit-peak=deallocated' --split-input-file | FileCheck %s --check-prefix=STACK
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false pool=arena limit-peak=deallocated' --split-input-file | FileCheck %s --check-prefixes=CHECK,ARENA
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false pool=global limit-peak=deallocated' --split-input-file | FileCheck %s --check-prefixes=CHECK,GLOBAL
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false pool=arena limit-peak=none' --split-input-file | FileCheck %s --check-prefix=ONE
// RUN: buffer-merge-opt %s --buffer-merge='in-place=false pool=arena limit-peak=deallocated' --split-input-file --remarks-filter=buffer-merge --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Pools in arenas and in globals do not raise the peak of the program, either (R7):
// they are held as long as the function runs. The stack is there anyway.

// Beside the result there is room for one buffer.

//      GLOBAL: memref.global "private" @result_pool : memref<4096xi8>
// CHECK-LABEL: func.func @result(
//  ARENA-SAME:   buffer_merge.arena = {alignment = 64 : i64, bytes = 4096 : i64}
//       CHECK:   memref.alloc() : memref<1024xf32>
//       CHECK:   memref.alloc() : memref<1024xf32>
//       CHECK:   return
// STACK-LABEL: func.func @result(
//       STACK:   memref.alloca() {{.*}} : memref<8192xi8>
//       STACK:   memref.alloc() : memref<1024xf32>
//   STACK-NOT:   memref.alloc
//       STACK:   return
//   ONE-LABEL: func.func @result(
//    ONE-SAME:   bytes = 8192 : i64
// REMARK: NotMerged {{.*}} Function=result {{.*}} Reason="raises-peak
func.func @result(%x: memref<1024xf32>) -> memref<1024xf32> {
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
  %c = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%b : memref<1024xf32>) outs(%c : memref<1024xf32>)
  %d = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%c : memref<1024xf32>) outs(%d : memref<1024xf32>)
  return %d : memref<1024xf32>
}

// -----

// What a branch needs may be there although it may not be taken: it is the worst
// path that counts.

// CHECK-LABEL: func.func @branch(
//  ARENA-SAME:   bytes = 4096 : i64
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
//   ONE-LABEL: func.func @branch(
//    ONE-SAME:   bytes = 4096 : i64
//     ONE-NOT:   memref.alloc
//         ONE:   return
func.func @branch(%c: i1, %x: f32, %i: index) {
  %a = memref.alloc() : memref<64xf32>
  memref.store %x, %a[%i] : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.store %x, %b[%i] : memref<64xf32>
  scf.if %c {
    %d = memref.alloc() : memref<1024xf32>
    memref.store %x, %d[%i] : memref<1024xf32>
    %e = memref.alloc() : memref<1024xf32>
    memref.store %x, %e[%i] : memref<1024xf32>
  }
  return
}

// -----

// A caller without a pool would hold the one of its callee beside the result.

//       CHECK: func.func private @callee(
//   CHECK-NOT:   memref<?xi8>
//       ARENA:   memref.alloc() {{.*}} : memref<256xi8>
//      GLOBAL:   memref.alloc() {{.*}} : memref<256xi8>
//       CHECK: func.func @result_later(%{{[a-z0-9]+}}: f32, %{{[a-z0-9]+}}: index) -> memref<64xf32> {
//         ONE: func.func private @callee(
//    ONE-SAME:   memref<?xi8>
func.func private @callee(%x: f32, %i: index) {
  %a = memref.alloc() : memref<64xf32>
  memref.store %x, %a[%i] : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.store %x, %b[%i] : memref<64xf32>
  return
}
func.func @result_later(%x: f32, %i: index) -> memref<64xf32> {
  call @callee(%x, %i) : (f32, index) -> ()
  %r = memref.alloc() : memref<64xf32>
  memref.store %x, %r[%i] : memref<64xf32>
  return %r : memref<64xf32>
}

// -----

// The pool of the callee is in bytes that are idle during the call, and all that
// is alive at once is held anyway.

//       CHECK: func.func private @inner(
//  ARENA-SAME:   memref<?xi8>
// GLOBAL-SAME:   memref<?xi8>
//      GLOBAL: memref.global "private" @caller_pool : memref<512xi8>
// CHECK-LABEL: func.func @caller(
//  ARENA-SAME:   bytes = 512 : i64
//   ARENA-NOT:   memref.alloc
//  GLOBAL-NOT:   memref.alloc
//       CHECK:   return
func.func private @inner(%x: f32, %i: index) {
  %a = memref.alloc() : memref<64xf32>
  memref.store %x, %a[%i] : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.store %x, %b[%i] : memref<64xf32>
  return
}
func.func @caller(%x: f32, %i: index) {
  %a = memref.alloc() : memref<64xf32>
  memref.store %x, %a[%i] : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.store %x, %b[%i] : memref<64xf32>
  call @inner(%x, %i) : (f32, index) -> ()
  %y = memref.load %b[%i] : memref<64xf32>
  memref.store %y, %b[%i] : memref<64xf32>
  return
}

// -----

// A pool of all would be held beside the result.

//      GLOBAL: memref.global "private" @small_result_pool : memref<4096xi8>
// CHECK-LABEL: func.func @small_result(
//  ARENA-SAME:   bytes = 4096 : i64
//       CHECK:   memref.alloc() : memref<1024xf32>
//       CHECK:   memref.alloc() : memref<8xf32>
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @small_result(%x: memref<1024xf32>) -> memref<8xf32> {
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
  %c = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%b : memref<1024xf32>) outs(%c : memref<1024xf32>)
  %part = memref.subview %c[0] [8] [1] : memref<1024xf32> to memref<8xf32, strided<[1]>>
  %d = memref.alloc() : memref<8xf32>
  linalg.abs ins(%part : memref<8xf32, strided<[1]>>) outs(%d : memref<8xf32>)
  return %d : memref<8xf32>
}

// -----

// At %next, the loop holds two of the buffers that it carries, beside %init and
// %a. What is in use at other ticks only, %b and %d, is not in the pool, which
// would be larger for it; what is in use then, is.

//      GLOBAL: memref.global "private" @carried_pool : memref<8192xi8>
// CHECK-LABEL: func.func @carried(
//  ARENA-SAME:   bytes = 8192 : i64
//   CHECK-NOT:   memref.alloc
//       CHECK:   scf.for
//       CHECK:     memref.view {{.*}} to memref<1024xf32>
//       CHECK:     memref.alloc() : memref<1024xf32>
//       CHECK:     memref.alloc() : memref<1024xf32>
//       CHECK:     memref.alloc() : memref<1024xf32>
//       CHECK:     scf.yield
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @carried(%x: memref<1024xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%init : memref<1024xf32>)
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%arg = %init) -> (memref<1024xf32>) {
    %a = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%arg : memref<1024xf32>) outs(%a : memref<1024xf32>)
    %b = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
    memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
    %next = memref.alloc() : memref<1024xf32>
    linalg.add ins(%a, %arg : memref<1024xf32>, memref<1024xf32>) outs(%next : memref<1024xf32>)
    %d = memref.alloc() : memref<1024xf32>
    linalg.add ins(%a, %next : memref<1024xf32>, memref<1024xf32>) outs(%d : memref<1024xf32>)
    memref.copy %d, %x : memref<1024xf32> to memref<1024xf32>
    scf.yield %next : memref<1024xf32>
  }
  memref.copy %last, %x : memref<1024xf32> to memref<1024xf32>
  return
}

// -----

// Whichever region runs, %r is %a: every path holds it beside %b.

//      GLOBAL: memref.global "private" @only_result_pool : memref<8192xi8>
// CHECK-LABEL: func.func @only_result(
//  ARENA-SAME:   bytes = 8192 : i64
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @only_result(%x: memref<1024xf32>, %c: i1) {
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  %r = scf.if %c -> (memref<1024xf32>) {
    linalg.exp ins(%a : memref<1024xf32>) outs(%a : memref<1024xf32>)
    scf.yield %a : memref<1024xf32>
  } else {
    scf.yield %a : memref<1024xf32>
  }
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%r : memref<1024xf32>) outs(%b : memref<1024xf32>)
  memref.copy %b, %x : memref<1024xf32> to memref<1024xf32>
  return
}

// -----

// What comes later is of unknown size, and may be the peak: beside it there is no room.

// CHECK-LABEL: func.func @unknown_later(
//   CHECK-NOT:   buffer_merge.arena
//       CHECK:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<4096xi8>
//       CHECK:   memref.dealloc %[[POOL]]
//       CHECK:   memref.alloc(%{{.*}}) : memref<?xf32>
//       CHECK:   return
//   ONE-LABEL: func.func @unknown_later(
//    ONE-SAME:   bytes = 4096 : i64
func.func @unknown_later(%x: memref<1024xf32>, %y: memref<index>, %z: memref<?xf32>) {
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  linalg.exp ins(%a : memref<1024xf32>) outs(%x : memref<1024xf32>)
  memref.dealloc %a : memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
  linalg.exp ins(%b : memref<1024xf32>) outs(%x : memref<1024xf32>)
  memref.dealloc %b : memref<1024xf32>
  %n = memref.load %y[] : memref<index>
  %d = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%z : memref<?xf32>) outs(%d : memref<?xf32>)
  linalg.exp ins(%d : memref<?xf32>) outs(%z : memref<?xf32>)
  memref.dealloc %d : memref<?xf32>
  return
}

// -----

// The stack of a callee is not held by the heap: it does not keep a pool of the caller away.

// STACK-LABEL: func.func private @on_the_stack(
//       STACK:   memref.alloca() {{.*}} : memref<1024xi8>
// STACK-LABEL: func.func @too_large_for_the_stack(
//       STACK:   memref.alloc() {{.*}} : memref<262144xi8>
//   STACK-NOT:   memref.alloc()
//       STACK:   return
func.func private @on_the_stack(%x: memref<256xf32>) -> memref<256xf32> {
  %a = memref.alloc() : memref<256xf32>
  linalg.exp ins(%x : memref<256xf32>) outs(%a : memref<256xf32>)
  linalg.exp ins(%a : memref<256xf32>) outs(%x : memref<256xf32>)
  %b = memref.alloc() : memref<256xf32>
  linalg.exp ins(%x : memref<256xf32>) outs(%b : memref<256xf32>)
  linalg.exp ins(%b : memref<256xf32>) outs(%x : memref<256xf32>)
  %r = memref.alloc() : memref<256xf32>
  linalg.exp ins(%x : memref<256xf32>) outs(%r : memref<256xf32>)
  return %r : memref<256xf32>
}
func.func @too_large_for_the_stack(%x: memref<256xf32>, %y: memref<65536xf32>) -> memref<256xf32> {
  %a = memref.alloc() : memref<65536xf32>
  linalg.exp ins(%y : memref<65536xf32>) outs(%a : memref<65536xf32>)
  linalg.exp ins(%a : memref<65536xf32>) outs(%y : memref<65536xf32>)
  %b = memref.alloc() : memref<65536xf32>
  linalg.exp ins(%y : memref<65536xf32>) outs(%b : memref<65536xf32>)
  %r = call @on_the_stack(%x) : (memref<256xf32>) -> memref<256xf32>
  linalg.exp ins(%b : memref<65536xf32>) outs(%y : memref<65536xf32>)
  return %r : memref<256xf32>
}
