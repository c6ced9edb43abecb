// RUN: buffer-merge-opt %s --buffer-lifetimes 2>&1 >/dev/null | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-lifetimes=calls=escape 2>&1 >/dev/null | FileCheck %s --check-prefix=ESCAPE
// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(func.func(buffer-lifetimes))' 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=NESTED

// What a call means for a buffer. A callee with a body is looked into, if the pass
// runs on the module; a declaration accesses what it is given and keeps nothing.

func.func private @declared(memref<64xi8>) -> memref<64xi8>
memref.global "private" @box : memref<memref<64xi8>>

func.func private @only_dim(%m: memref<64xi8>) -> index {
  %c0 = arith.constant 0 : index
  %dim = memref.dim %m, %c0 : memref<64xi8>
  return %dim : index
}
func.func private @reads(%m: memref<64xi8>) -> i8 {
  %c0 = arith.constant 0 : index
  %x = memref.load %m[%c0] : memref<64xi8>
  return %x : i8
}
func.func private @weak(%m: memref<64xi8>) attributes {llvm.linkage = #llvm.linkage<weak>} {
  return
}
// The linker may take another one that was optimized less.
func.func private @equivalent(%m: memref<64xi8>) attributes {llvm.linkage = #llvm.linkage<linkonce_odr>} {
  return
}
func.func private @same(%m: memref<64xi8>) -> memref<64xi8> {
  return %m : memref<64xi8>
}
func.func private @fresh(%m: memref<64xi8>) -> memref<64xi8> {
  %new = memref.alloc() : memref<64xi8>
  memref.copy %m, %new : memref<64xi8> to memref<64xi8>
  return %new : memref<64xi8>
}
func.func private @keeps(%m: memref<64xi8>) {
  %box = memref.get_global @box : memref<memref<64xi8>>
  memref.store %m, %box[] : memref<memref<64xi8>>
  return
}
func.func private @frees(%m: memref<64xi8>) {
  memref.dealloc %m : memref<64xi8>
  return
}
// Recursion, and a callee's callee.
func.func private @even(%m: memref<64xi8>, %n: index) {
  call @odd(%m, %n) : (memref<64xi8>, index) -> ()
  return
}
func.func private @odd(%m: memref<64xi8>, %n: index) {
  call @even(%m, %n) : (memref<64xi8>, index) -> ()
  call @frees(%m) : (memref<64xi8>) -> ()
  return
}
func.func private @starts(%m: memref<64xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i8
  %token = async.execute {
    memref.store %zero, %m[%c0] : memref<64xi8>
    async.yield
  }
  return
}

func.func @calls(%i: index) {
  %zero = arith.constant 0 : i8

  // CHECK-DAG: [[#@LINE+3]]:{{.*}} not mergeable: never-accessed
  // ESCAPE-DAG: [[#@LINE+2]]:{{.*}} not mergeable: never-accessed
  // NESTED-DAG: [[#@LINE+1]]:{{.*}} lifetime [8, 9), 64 bytes
  %only_dim = memref.alloc() : memref<64xi8>
  // CHECK-DAG: [[#@LINE+1]]:{{.*}} lifetime [9, 10), 64 bytes
  %reads = memref.alloc() : memref<64xi8>
  // The result is a view of the operand, and the store through it counts.
  // CHECK-DAG: [[#@LINE+2]]:{{.*}} lifetime [11, 12), 64 bytes
  // NESTED-DAG: [[#@LINE+1]]:{{.*}} lifetime [10, 12), 64 bytes
  %same = memref.alloc() : memref<64xi8>
  // The result is another buffer.
  // CHECK-DAG: [[#@LINE+2]]:{{.*}} lifetime [12, 13), 64 bytes
  // NESTED-DAG: [[#@LINE+1]]:{{.*}} lifetime [12, 14), 64 bytes
  %fresh = memref.alloc() : memref<64xi8>
  // CHECK-DAG: [[#@LINE+1]]:{{.*}} not mergeable: stored-as-value, the memref itself is stored ('func.call')
  %kept = memref.alloc() : memref<64xi8>
  // CHECK-DAG: [[#@LINE+1]]:{{.*}} not mergeable: conditional-dealloc, it may be freed by an operation other than memref.dealloc and bufferization.dealloc ('func.call')
  %freed = memref.alloc() : memref<64xi8>
  // CHECK-DAG: [[#@LINE+1]]:{{.*}} not mergeable: asynchronous, {{.*}} ('func.call')
  %started = memref.alloc() : memref<64xi8>

  call @only_dim(%only_dim) : (memref<64xi8>) -> index
  call @reads(%reads) : (memref<64xi8>) -> i8
  %alias = call @same(%same) : (memref<64xi8>) -> memref<64xi8>
  memref.store %zero, %alias[%i] : memref<64xi8>
  %other = call @fresh(%fresh) : (memref<64xi8>) -> memref<64xi8>
  memref.store %zero, %other[%i] : memref<64xi8>
  call @keeps(%kept) : (memref<64xi8>) -> ()
  call @even(%freed, %i) : (memref<64xi8>, index) -> ()
  call @starts(%started) : (memref<64xi8>) -> ()

  // CHECK-DAG: [[#@LINE+2]]:{{.*}} lifetime [18, 20), 64 bytes
  // ESCAPE-DAG: [[#@LINE+1]]:{{.*}} not mergeable: passed-to-call
  %declared = memref.alloc() : memref<64xi8>
  %result = call @declared(%declared) : (memref<64xi8>) -> memref<64xi8>
  memref.store %zero, %result[%i] : memref<64xi8>
  return
}

// Another body may take the place of this one.
func.func @replaced_callee(%i: index) {
  %zero = arith.constant 0 : i8
  // CHECK-DAG: [[#@LINE+1]]:{{.*}} lifetime [2, 4), 64 bytes
  %a = memref.alloc() : memref<64xi8>
  memref.store %zero, %a[%i] : memref<64xi8>
  call @weak(%a) : (memref<64xi8>) -> ()
  // CHECK-DAG: [[#@LINE+1]]:{{.*}} lifetime [5, 7), 64 bytes
  %b = memref.alloc() : memref<64xi8>
  memref.store %zero, %b[%i] : memref<64xi8>
  call @equivalent(%b) : (memref<64xi8>) -> ()
  return
}
