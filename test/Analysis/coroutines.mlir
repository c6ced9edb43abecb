// RUN: sed 's/!llvm.token/%token/' %s > %t.mlir
// RUN: buffer-merge-opt %t.mlir --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null

// The successors of async.coro.suspend are no alternatives: the coroutine returns to
// its caller through one, and is resumed in another. Nothing is known of the order.

func.func @coroutine(%x: f32, %i: index) -> !async.token {
  %t = async.runtime.create : !async.token
  %id = async.coro.id
  %handle = async.coro.begin %id
  // expected-remark @below {{not mergeable: no-alloc-scope, 'func.func' may run its region in another thread}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %state = async.coro.save %handle
  async.runtime.resume %handle
  async.coro.suspend %state, ^suspend, ^resume, ^cleanup
^resume:
  %y = memref.load %a[%i] : memref<16xf32>
  // expected-remark @below {{not mergeable: no-alloc-scope,}}
  %b = memref.alloc() : memref<16xf32>
  memref.store %y, %b[%i] : memref<16xf32>
  async.runtime.set_available %t : !async.token
  cf.br ^cleanup
^cleanup:
  async.coro.free %id, %handle
  cf.br ^suspend
^suspend:
  async.coro.end %handle
  return %t : !async.token
}

// Who starts it is a function like any other.
func.func @caller(%x: f32, %i: index) {
  // expected-remark @below {{lifetime [1, 2), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %t = call @coroutine(%x, %i) : (f32, index) -> !async.token
  async.runtime.await %t : !async.token
  return
}

// What a coroutine accesses, it may access when it has returned to its caller.
func.func private @reads(%m: memref<16xf32>, %i: index) -> !async.token {
  %t = async.runtime.create : !async.token
  %id = async.coro.id
  %handle = async.coro.begin %id
  %state = async.coro.save %handle
  async.runtime.resume %handle
  async.coro.suspend %state, ^suspend, ^resume, ^cleanup
^resume:
  %y = memref.load %m[%i] : memref<16xf32>
  async.runtime.set_available %t : !async.token
  cf.br ^cleanup
^cleanup:
  async.coro.free %id, %handle
  cf.br ^suspend
^suspend:
  async.coro.end %handle
  return %t : !async.token
}
func.func private @calls_it(%m: memref<16xf32>, %i: index) {
  %t = call @reads(%m, %i) : (memref<16xf32>, index) -> !async.token
  return
}
func.func @passes(%x: f32, %i: index) {
  // expected-remark-re @below {{not mergeable: asynchronous, {{.*}}'func.call'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %t = call @reads(%a, %i) : (memref<16xf32>, index) -> !async.token
  // expected-remark-re @below {{not mergeable: asynchronous, {{.*}}'func.call'}}
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  call @calls_it(%b, %i) : (memref<16xf32>, index) -> ()
  async.runtime.await %t : !async.token
  return
}

// The same as LLVM's intrinsics: the terminator is an ordinary switch.
llvm.func @allocate(i64) -> !llvm.ptr
func.func private @intrinsics(%m: memref<16xf32>, %x: f32, %i: index) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %id = llvm.intr.coro.id %zero, %null, %null, %null : (i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> !llvm.token
  %size = llvm.intr.coro.size : i64
  %frame = llvm.call @allocate(%size) : (i64) -> !llvm.ptr
  %handle = llvm.intr.coro.begin %id, %frame : (!llvm.token, !llvm.ptr) -> !llvm.ptr
  // expected-remark @below {{not mergeable: no-alloc-scope,}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %state = llvm.intr.coro.save %handle : (!llvm.ptr) -> !llvm.token
  %final = llvm.mlir.constant(false) : i1
  %next = llvm.intr.coro.suspend %state, %final : i8
  %wide = llvm.sext %next : i8 to i32
  llvm.switch %wide : i32, ^suspend [0: ^resume, 1: ^suspend]
^resume:
  %y = memref.load %a[%i] : memref<16xf32>
  memref.store %y, %m[%i] : memref<16xf32>
  cf.br ^suspend
^suspend:
  %none = llvm.mlir.none : !llvm.token
  %end = llvm.intr.coro.end %handle, %final, %none : (!llvm.ptr, i1, !llvm.token) -> i1
  return
}
func.func @passes_to_intrinsics(%x: f32, %i: index) {
  // expected-remark-re @below {{not mergeable: asynchronous, {{.*}}'func.call'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  call @intrinsics(%a, %x, %i) : (memref<16xf32>, f32, index) -> ()
  return
}
