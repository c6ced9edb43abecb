// RUN: buffer-merge-opt %s --buffer-merge="pool=global left=error" --split-input-file --verify-diagnostics -o %t.none
// RUN: split-file %s %t.dir
// RUN: not buffer-merge-opt %t.dir/one.mlir --pass-pipeline='builtin.module(func.func(buffer-merge{pool=global}))' 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: not buffer-merge-opt %t.dir/one.mlir --pass-pipeline='builtin.module(func.func(buffer-merge{pool=arena}))' 2>&1 | FileCheck %s --check-prefix=ARENA
// RUN: not buffer-merge-opt %t.dir/one.mlir --pass-pipeline='builtin.module(builtin.module(buffer-merge{pool=global}))' 2>&1 | FileCheck %s --check-prefix=INNER
// RUN: not buffer-merge-opt %t.dir/one.mlir --buffer-merge='pool=stack target={"stack": {"limit": -1}}' 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not buffer-merge-opt %t.dir/one.mlir --buffer-merge=pool=heap 2>&1 | FileCheck %s --check-prefix=POOL
// RUN: not buffer-merge-opt %t.dir/recursive.mlir --buffer-merge="pool=global left=error" --mlir-print-ir-after-failure -o %t.none 2>&1 | FileCheck %s --check-prefix=UNTOUCHED
// RUN: not ls %t.none.mlir

// NESTED: error: pool=global changes the module, so the pass must run on the top-level module, not on 'func.func'
// NESTED-NOT: error
// ARENA: error: pool=arena changes the module
// ARENA-NOT: error
// INNER: error: pool=global changes the module
// LIMIT: error: target:1:21: limit -1 is not in 0 to
// POOL: there is no value 'heap'; the nearest is '{{[a-z-]+}}'
// UNTOUCHED: error: the pool of 'recursive' cannot be a global: the function is recursive
// UNTOUCHED-NOT: error:
// UNTOUCHED-NOT: memref.global
// UNTOUCHED: func.func @fine
// UNTOUCHED-NEXT: memref.alloc() : memref<15xf32>
// UNTOUCHED-NOT: memref.global

// expected-error @below {{the pool of 'taken' cannot be a global: something other than a call refers to the function}}
func.func @taken(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}
func.func @taker() -> ((f32, index) -> ()) {
  // expected-note @below {{because of this}}
  %f = func.constant @taken : (f32, index) -> ()
  return %f : (f32, index) -> ()
}

// -----

// A coroutine returns where it is suspended, and another one may call the function.

// expected-error @below {{the pool of 'work' cannot be a global: two calls may run at the same time}}
func.func private @work(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}
func.func private @between(%x: f32, %i: index) {
  call @work(%x, %i) : (f32, index) -> ()
  return
}
func.func @coroutine(%x: f32, %i: index) {
  %id = async.coro.id
  %handle = async.coro.begin %id
  %state = async.coro.save %handle
  async.runtime.resume %handle
  async.coro.suspend %state, ^suspend, ^resume, ^suspend
^resume:
  // expected-note @below {{because of this}}
  func.call @between(%x, %i) : (f32, index) -> ()
  cf.br ^suspend
^suspend:
  async.coro.end %handle
  return
}

// -----

// Through a function that is called at the same time as itself.

// expected-error @below {{the pool of 'leaf' cannot be a global: two calls may run at the same time}}
func.func private @leaf(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}
func.func private @middle(%x: f32, %i: index) {
  func.call @leaf(%x, %i) : (f32, index) -> ()
  return
}
func.func @parallel(%x: f32, %i: index, %n: index) {
  scf.forall (%k) in (%n) {
    // expected-note @below {{because of this}}
    func.call @middle(%x, %i) : (f32, index) -> ()
  }
  return
}

// -----

// expected-error @below {{the pool of 'leaf' cannot be a global: two calls may run at the same time}}
func.func private @leaf(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}
func.func @starts(%x: f32, %i: index) {
  %token = async.execute {
    // expected-note @below {{because of this}}
    func.call @leaf(%x, %i) : (f32, index) -> ()
    async.yield
  }
  func.call @leaf(%x, %i) : (f32, index) -> ()
  async.await %token : !async.token
  return
}

// -----

// A call from what is no func.func.

// expected-error @below {{the pool of 'leaf' cannot be a global: something other than a call}}
func.func private @leaf(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}
async.func @coroutine(%x: f32, %i: index) -> !async.token {
  // expected-note @below {{because of this}}
  func.call @leaf(%x, %i) : (f32, index) -> ()
  return
}

// -----

// expected-error @below {{the pool of 'in_flight' cannot be a global: it may be accessed after the function returns}}
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

// Through a pointer, a function may be called again before it returns.

// expected-error @below {{the pool of 'calls_pointer' cannot be a global: the function is recursive}}
func.func @calls_pointer(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %f = func.constant @calls_back : (f32, index) -> ()
  func.call_indirect %f(%x, %i) : (f32, index) -> ()
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}
func.func @calls_back(%x: f32, %i: index) {
  func.call @calls_pointer(%x, %i) : (f32, index) -> ()
  return
}

// -----

//--- recursive.mlir
func.func @fine(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}
// expected-error @below {{the pool of 'recursive' cannot be a global: the function is recursive}}
func.func @recursive(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  func.call @other(%x, %i) : (f32, index) -> ()
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}
func.func @other(%x: f32, %i: index) {
  func.call @recursive(%x, %i) : (f32, index) -> ()
  return
}

// -----

//--- one.mlir
func.func @f() {
  return
}
module {
}
