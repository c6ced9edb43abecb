// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null

// The successors of async.coro.suspend are no alternatives: the coroutine returns to
// its caller through one, and is resumed in another. Nothing is known of the order.

func.func @coroutine(%x: f32, %i: index) -> !async.token {
  %t = async.runtime.create : !async.token
  %id = async.coro.id
  %handle = async.coro.begin %id
  // expected-remark @below {{not mergeable: no-alloc-scope, it is in no function, in one whose control flow is not known, or}}
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
