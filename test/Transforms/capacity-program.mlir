// RUN: split-file %s %t
// RUN: not buffer-merge-opt %t/nested.mlir --buffer-merge="in-place=false capacity=1:147455" 2>&1 | FileCheck %t/nested.mlir
// RUN: buffer-merge-opt %t/nested.mlir --buffer-merge="in-place=false capacity=1:147456" | FileCheck %t/nested.mlir --check-prefix=FITS
// RUN: not buffer-merge-opt %t/nested.mlir --buffer-merge='in-place=false capacity=1:98303 target={"threads": 1}' 2>&1 | FileCheck %t/nested.mlir --check-prefix=ONE
// RUN: buffer-merge-opt %t/nested.mlir --buffer-merge='in-place=false capacity=1:98304 target={"threads": 1}' | FileCheck %t/nested.mlir --check-prefix=FITS
// RUN: buffer-merge-opt %t/nested.mlir --buffer-merge='in-place=false capacity=1:147456 target={"threads": 100}' | FileCheck %t/nested.mlir --check-prefix=FITS
// RUN: buffer-merge-opt %t/nested.mlir --buffer-merge='in-place=false capacity=1:65536 over-capacity=warn' 2>&1 | FileCheck %t/nested.mlir --check-prefixes=WARN,FITS
// RUN: buffer-merge-opt %t/nested.mlir --buffer-lifetimes="in-place=false capacity=1:65536" -o /dev/null
// RUN: not buffer-merge-opt %t/affine.mlir --buffer-merge='in-place=false capacity=default:767' 2>&1 | FileCheck %t/affine.mlir
// RUN: buffer-merge-opt %t/affine.mlir --buffer-merge='in-place=false capacity=default:768' | FileCheck %t/affine.mlir --check-prefix=FITS
// RUN: not buffer-merge-opt %t/unknown.mlir --buffer-merge='in-place=false capacity=default:1023 target={"threads": 4}' 2>&1 | FileCheck %t/unknown.mlir
// RUN: buffer-merge-opt %t/unknown.mlir --buffer-merge='in-place=false capacity=default:1024 target={"threads": 4}' | FileCheck %t/unknown.mlir --check-prefix=FITS
// RUN: buffer-merge-opt %t/unknown.mlir --buffer-lifetimes="in-place=false capacity=default:256" -o /dev/null 2>&1 | FileCheck %t/unknown.mlir --check-prefix=ONCE
// RUN: buffer-merge-opt %t/unknown.mlir --buffer-merge="in-place=false capacity=default:256" --remarks-filter=buffer-merge --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %t/unknown.mlir --check-prefix=REMARK
// RUN: not buffer-merge-opt %t/callees.mlir --buffer-merge="in-place=false capacity=default:767" 2>&1 | FileCheck %t/callees.mlir
// RUN: buffer-merge-opt %t/callees.mlir --buffer-merge="in-place=false capacity=default:768" | FileCheck %t/callees.mlir --check-prefix=FITS
// RUN: not buffer-merge-opt %t/tasks.mlir --buffer-merge="in-place=false capacity=default:511" 2>&1 | FileCheck %t/tasks.mlir
// RUN: buffer-merge-opt %t/tasks.mlir --buffer-merge='in-place=false capacity=default:512 target={"threads": 4}' | FileCheck %t/tasks.mlir --check-prefix=FITS
// RUN: not buffer-merge-opt %t/task-loops.mlir --buffer-merge="in-place=false capacity=default:2047" 2>&1 | FileCheck %t/task-loops.mlir
// RUN: buffer-merge-opt %t/task-loops.mlir --buffer-merge='in-place=false capacity=default:512 target={"threads": 2}' | FileCheck %t/task-loops.mlir --check-prefix=FITS
// RUN: not buffer-merge-opt %t/helps.mlir --buffer-merge='in-place=false capacity=default:640 limit-peak=none' 2>&1 | FileCheck %t/helps.mlir
// RUN: not buffer-merge-opt %t/globals.mlir --buffer-merge='in-place=false capacity=default:767 pool=global' 2>&1 | FileCheck %t/globals.mlir
// RUN: buffer-merge-opt %t/globals.mlir --buffer-merge='in-place=false capacity=default:768 pool=global' | FileCheck %t/globals.mlir --check-prefix=FITS
// RUN: not buffer-merge-opt %t/globals.mlir --buffer-merge='in-place=false capacity=default:511 pool=global' 2>&1 | FileCheck %t/globals.mlir --check-prefix=ALONE
// RUN: not buffer-merge-opt %t/callees.mlir --buffer-merge='in-place=false capacity=default:767 pool=arena' 2>&1 | FileCheck %t/callees.mlir --check-prefix=ARENA
// RUN: buffer-merge-opt %t/callees.mlir --buffer-merge='in-place=false capacity=default:768 pool=arena' | FileCheck %t/callees.mlir --check-prefix=FITS
// RUN: buffer-merge-opt %t/gain.mlir --buffer-merge="in-place=false capacity=default:1000" | FileCheck %t/gain.mlir
// RUN: not buffer-merge-opt %t/single.mlir --buffer-merge="in-place=false capacity=default:1300" 2>&1 | FileCheck %t/single.mlir
// RUN: not buffer-merge-opt %t/later.mlir --buffer-merge="calls=escape capacity=default:2000" 2>&1 | FileCheck %t/later.mlir

// R6: the capacity is that of the program.

//--- nested.mlir
// The pool of the function is held beside those of both iterations.

//      CHECK: [[#@LINE+12]]:1: error: 'func.func' holds 147456 bytes in memory space 1 : i64 at one time, with what runs inside and with callees; the capacity is 147455
//      CHECK: [[#@LINE+11]]:1: note: held then: 49152 bytes, the pool of 'func.func'
//      CHECK: [[#@LINE+17]]:3: note: held then: 49152 bytes, the pool of 'scf.forall', for each of 2 executions at the same time ('threads' of the target)
//  CHECK-NOT: error
//  CHECK-NOT: func.func

//       WARN: warning: 'func.func' holds 147456 bytes in memory space 1 : i64
//       FITS: memref.alloc() {{.*}} : memref<49152xi8, 1>
//       FITS: scf.forall
//       FITS: memref.alloc() {{.*}} : memref<49152xi8, 1>
//        ONE: error: 'func.func' holds 98304 bytes in memory space 1 : i64
//    ONE-NOT: threads
func.func @main(%x: f32, %i: index) {
  %a = memref.alloc() : memref<12288xf32, 1>
  %b = memref.alloc() : memref<12288xf32, 1>
  memref.store %x, %a[%i] : memref<12288xf32, 1>
  memref.store %x, %b[%i] : memref<12288xf32, 1>
  %c = memref.alloc() : memref<12288xf32, 1>
  memref.store %x, %c[%i] : memref<12288xf32, 1>
  scf.forall (%k) in (2) {
    %d = memref.alloc() : memref<12288xf32, 1>
    memref.store %x, %d[%i] : memref<12288xf32, 1>
    %e = memref.alloc() : memref<12288xf32, 1>
    memref.store %x, %e[%i] : memref<12288xf32, 1>
  }
  memref.store %x, %c[%i] : memref<12288xf32, 1>
  return
}

//--- affine.mlir
// 3 executions, as the bounds say.

//  CHECK: error: 'func.func' holds 768 bytes at one time, with what runs inside and with callees; the capacity is 767
//   FITS: memref<256xi8>
func.func @main(%x: f32, %i: index) {
  affine.parallel (%k) = (1) to (6) step (2) {
    %d = memref.alloc() : memref<64xf32>
    memref.store %x, %d[%i] : memref<64xf32>
    %e = memref.alloc() : memref<64xf32>
    memref.store %x, %e[%i] : memref<64xf32>
  }
  return
}

//--- unknown.mlir
// How many executions there are at a time is not known: one, unless the option says
// more.

//  CHECK: error: 'func.func' holds 1024 bytes at one time, with what runs inside and with callees; the capacity is 1023
//  CHECK: note: held then: 256 bytes, the pool of 'scf.parallel', for each of 4 executions at the same time ('threads' of the target)
//   FITS: scf.parallel
//   FITS: memref.alloc() {{.*}} : memref<256xi8>
//   ONCE: remark: pool: 2 buffers of 512 bytes, {{.*}} pool of 256 bytes (it counts once towards the capacity: how many executions run at the same time is not known, 'threads' of the target says it)
// REMARK: Pool | {{.*}}Capacity="it counts once towards the capacity
func.func @main(%x: f32, %i: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%k) = (%c0) to (%n) step (%c1) {
    %d = memref.alloc() : memref<64xf32>
    memref.store %x, %d[%i] : memref<64xf32>
    %e = memref.alloc() : memref<64xf32>
    memref.store %x, %e[%i] : memref<64xf32>
  }
  return
}

//--- callees.mlir
// A pool, and what stays, beside the pool of a callee. Only the innermost scope that
// exceeds the capacity is an error.

//      CHECK: [[#@LINE+20]]:1: error: 'func.func' holds 768 bytes at one time
//  CHECK-DAG: [[#@LINE+12]]:1: note: held then: 256 bytes, the pool of 'func.func'
//  CHECK-DAG: [[#@LINE+18]]:1: note: held then: 256 bytes, the pool of 'func.func'
//  CHECK-DAG: [[#@LINE+18]]:8: note: held then: 256 bytes, this allocation
//      CHECK: [[#@LINE+17]]:8: note: without this buffer 512 bytes are held then, which fit
//  CHECK-NOT: error
//       FITS: func.func private @callee

// The arena of the callee is a part of that of its caller.
//      ARENA: error: 'func.func' holds 768 bytes at one time
//      ARENA: note: held then: 512 bytes, the pool of 'func.func'
//      ARENA: note: held then: 256 bytes, this allocation
//  ARENA-NOT: held then:
func.func private @callee(%x: f32, %i: index) {
  %a = memref.alloc() : memref<64xf32>
  memref.store %x, %a[%i] : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.store %x, %b[%i] : memref<64xf32>
  return
}
func.func @middle(%x: f32, %i: index) -> memref<64xf32> {
  %r = memref.alloc() : memref<64xf32>
  memref.store %x, %r[%i] : memref<64xf32>
  %a = memref.alloc() : memref<64xf32>
  memref.store %x, %a[%i] : memref<64xf32>
  func.call @callee(%x, %i) : (f32, index) -> ()
  memref.store %x, %a[%i] : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.store %x, %b[%i] : memref<64xf32>
  return %r : memref<64xf32>
}
func.func @outer(%x: f32, %i: index) {
  %r = func.call @middle(%x, %i) : (f32, index) -> memref<64xf32>
  memref.store %x, %r[%i] : memref<64xf32>
  return
}

//--- tasks.mlir
// A task may still be under way at the end of the function.

// CHECK: error: 'func.func' holds 512 bytes at one time
// CHECK: note: held then: 256 bytes, the pool of 'async.execute'
//  FITS: async.execute
func.func @main(%x: f32, %i: index) {
  %t = async.execute {
    %d = memref.alloc() : memref<64xf32>
    memref.store %x, %d[%i] : memref<64xf32>
    %e = memref.alloc() : memref<64xf32>
    memref.store %x, %e[%i] : memref<64xf32>
    async.yield
  }
  %a = memref.alloc() : memref<64xf32>
  memref.store %x, %a[%i] : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.store %x, %b[%i] : memref<64xf32>
  async.await %t : !async.token
  return
}

//--- task-loops.mlir
// A loop starts eight tasks.

// CHECK: error: 'func.func' holds 2048 bytes at one time
// CHECK: note: held then: 256 bytes, the pool of 'async.execute', for each of 8 executions at the same time ('threads' of the target)
//  FITS: async.execute
func.func @main(%x: f32, %i: index, %group: !async.group) {
  affine.for %k = 0 to 8 {
    %t = async.execute {
      %d = memref.alloc() : memref<64xf32>
      memref.store %x, %d[%i] : memref<64xf32>
      %e = memref.alloc() : memref<64xf32>
      memref.store %x, %e[%i] : memref<64xf32>
      async.yield
    }
    %rank = async.add_to_group %t, %group : !async.token
  }
  return
}

//--- globals.mlir
// Globals are there all the time: those of both functions, and what one of them holds.

// CHECK: error: 'func.func' holds 768 bytes at one time
// CHECK: note: held then: 256 bytes, this allocation
// CHECK: note: held then: 256 bytes, the pool of 'func.func'
// CHECK: note: held then: 256 bytes, the pool of 'func.func'
// ALONE: error: 'builtin.module' holds 512 bytes at one time
// ALONE-NOT: error
//  FITS: memref.global
func.func @f(%x: f32, %i: index) -> memref<64xf32> {
  %r = memref.alloc() : memref<64xf32>
  memref.store %x, %r[%i] : memref<64xf32>
  %a = memref.alloc() : memref<64xf32>
  memref.store %x, %a[%i] : memref<64xf32>
  return %r : memref<64xf32>
}
func.func @g(%x: f32, %i: index) {
  %a = memref.alloc() : memref<64xf32>
  memref.store %x, %a[%i] : memref<64xf32>
  return
}

//--- helps.mlir
// In place, the function needs one buffer instead of two; and without %b as well.

// CHECK: error: 'func.func' holds 768 bytes at one time
// CHECK: note: held then: 512 bytes, the pool of 'func.func'
// CHECK: note: held then: 256 bytes, the pool of 'func.func'
// CHECK: note: merge with the option in-place; it then fits
// CHECK: note: without this buffer 512 bytes are held then, which fit
func.func private @callee(%x: f32, %i: index) {
  %a = memref.alloc() : memref<64xf32>
  memref.store %x, %a[%i] : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.store %x, %b[%i] : memref<64xf32>
  return
}
func.func @main(%x: f32, %i: index) {
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  func.call @callee(%x, %i) : (f32, index) -> ()
  memref.store %x, %c[%i] : memref<64xf32>
  return
}

//--- gain.mlir
// Where the buffers exceed the capacity, any gain is worth a pool (R4).

// CHECK: memref.alloc() {{.*}} : memref<1000xi8>
func.func @main(%x: i8, %i: index) {
  %a = memref.alloc() : memref<1000xi8>
  memref.store %x, %a[%i] : memref<1000xi8>
  %b = memref.alloc() : memref<4xi8>
  memref.store %x, %b[%i] : memref<4xi8>
  return
}

//--- later.mlir
// Without one of them, as much is held later.

// CHECK: error: 'func.func' holds 2560 bytes at one time
// CHECK: note: without this buffer 0 bytes are held then, which fit
func.func private @ext(memref<320xf64>)
func.func @main() {
  %a = memref.alloc() : memref<320xf64>
  call @ext(%a) : (memref<320xf64>) -> ()
  %b = memref.alloc() : memref<320xf64>
  call @ext(%b) : (memref<320xf64>) -> ()
  return
}

//--- single.mlir
// What would bring a pool of one scope under its capacity.

// CHECK: error: pool of 'func.func' needs 2048 bytes, its capacity is 1300
// CHECK: [[#@LINE+3]]:8: note: keep this buffer elsewhere: in another memory, or in a buffer of the caller; it then needs 1024 bytes, which fit
// CHECK: note: alive at the peak
func.func @main(%x: f32, %i: index) {
  %a = memref.alloc() : memref<256xf32>
  memref.store %x, %a[%i] : memref<256xf32>
  %b = memref.alloc() : memref<256xf32>
  memref.store %x, %b[%i] : memref<256xf32>
  memref.store %x, %a[%i] : memref<256xf32>
  return
}
