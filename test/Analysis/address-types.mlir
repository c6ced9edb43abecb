// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null

// A memref inside a value of another type: who has the value has the buffer.

func.func private @wrap(%m: memref<16xf32>) -> !async.value<memref<16xf32>> {
  %t, %v = async.execute -> !async.value<memref<16xf32>> {
    async.yield %m : memref<16xf32>
  }
  return %v : !async.value<memref<16xf32>>
}

// The result of the call is the buffer.
func.func @wrapped(%x: f32, %i: index) -> f32 {
  // expected-remark-re @below {{not mergeable: unknown-use, {{.*}}'async.await'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %v = call @wrap(%a) : (memref<16xf32>) -> !async.value<memref<16xf32>>
  %m = async.await %v : !async.value<memref<16xf32>>
  %y = memref.load %m[%i] : memref<16xf32>
  return %y : f32
}

func.func @wrapped_returned(%x: f32, %i: index) -> !async.value<memref<16xf32>> {
  // expected-remark-re @below {{not mergeable: returned, {{.*}}'func.return'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %v = call @wrap(%a) : (memref<16xf32>) -> !async.value<memref<16xf32>>
  return %v : !async.value<memref<16xf32>>
}

// The operand of a call is the buffer.
func.func private @unwrap(%v: !async.value<memref<16xf32>>) -> memref<16xf32> {
  %m = async.await %v : !async.value<memref<16xf32>>
  return %m : memref<16xf32>
}
func.func @passed(%x: f32, %i: index) -> f32 {
  // expected-remark-re @below {{not mergeable: unknown-use, {{.*}}'func.call'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %t, %v = async.execute -> !async.value<memref<16xf32>> {
    async.yield %a : memref<16xf32>
  }
  %m = call @unwrap(%v) : (!async.value<memref<16xf32>>) -> memref<16xf32>
  %y = memref.load %m[%i] : memref<16xf32>
  return %y : f32
}

// A declaration may return what it is given in any type, and wait for it in work that
// goes on when it has returned.
func.func private @declared(!async.value<memref<16xf32>>) -> memref<16xf32>
func.func @passed_to_declared(%x: f32, %i: index) -> f32 {
  // expected-remark @below {{lifetime [1, 8), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                           // 0
  memref.store %x, %a[%i] : memref<16xf32>                                       // 1
  %t, %v = async.execute -> !async.value<memref<16xf32>> {                       // 2
    async.yield %a : memref<16xf32>                                              // 3
  }                                                                              // 4
  %m = call @declared(%v) : (!async.value<memref<16xf32>>) -> memref<16xf32>     // 5
  %y = memref.load %m[%i] : memref<16xf32>                                       // 6
  return %y : f32                                                                // 7
}

func.func private @tuple(memref<16xf32>) -> tuple<memref<16xf32>>
func.func @in_tuple(%x: f32, %i: index) {
  // expected-remark-re @below {{not mergeable: address-taken, {{.*}}'func.call'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %t = call @tuple(%a) : (memref<16xf32>) -> tuple<memref<16xf32>>
  return
}

// What is selected, and what blocks are given.
func.func @selected(%c: i1, %w: !async.value<memref<16xf32>>, %x: f32, %i: index) -> f32 {
  // expected-remark-re @below {{not mergeable: unknown-use, {{.*}}'async.await'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %t, %v = async.execute -> !async.value<memref<16xf32>> {
    async.yield %a : memref<16xf32>
  }
  %s = arith.select %c, %v, %w : !async.value<memref<16xf32>>
  %m = async.await %s : !async.value<memref<16xf32>>
  %y = memref.load %m[%i] : memref<16xf32>
  return %y : f32
}

func.func @block_argument(%c: i1, %w: !async.value<memref<16xf32>>, %x: f32, %i: index) -> f32 {
  // expected-remark-re @below {{not mergeable: unknown-use, {{.*}}'async.await'}}
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %v = func.call @wrap(%a) : (memref<16xf32>) -> !async.value<memref<16xf32>>
  cf.cond_br %c, ^join(%v : !async.value<memref<16xf32>>), ^join(%w : !async.value<memref<16xf32>>)
^join(%s: !async.value<memref<16xf32>>):
  %m = async.await %s : !async.value<memref<16xf32>>
  %y = memref.load %m[%i] : memref<16xf32>
  return %y : f32
}

// A value that is passed on to a task.
func.func @operand_of_task(%x: f32, %i: index) {
  // expected-remark @below {{lifetime [1, 8), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                           // 0
  memref.store %x, %a[%i] : memref<16xf32>                                       // 1
  %v = call @wrap(%a) : (memref<16xf32>) -> !async.value<memref<16xf32>>         // 2
  %t = async.execute (%v as %m : !async.value<memref<16xf32>>) {                 // 3
    memref.store %x, %m[%i] : memref<16xf32>                                     // 4
    async.yield                                                                  // 5
  }                                                                              // 6
  async.await %t : !async.token                                                  // 7
  return                                                                         // 8
}

// A call with a group or a token may start work that accesses the buffer later.
func.func private @start(memref<16xf32>, !async.group)
func.func private @start_after(memref<16xf32>, !async.token)
func.func @group(%n: index) {
  %g = async.create_group %n : !async.group                                      // 0
  // expected-remark @below {{lifetime [2, 5), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                           // 1
  call @start(%a, %g) : (memref<16xf32>, !async.group) -> ()                     // 2
  %z = arith.constant 0 : index                                                  // 3
  return                                                                         // 4
}
func.func @token(%t: !async.token) {
  // expected-remark @below {{lifetime [1, 4), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                           // 0
  call @start_after(%a, %t) : (memref<16xf32>, !async.token) -> ()               // 1
  %z = arith.constant 0 : index                                                  // 2
  return                                                                         // 3
}
func.func private @starts(%m: memref<16xf32>, %g: !async.group) {
  func.call @start(%m, %g) : (memref<16xf32>, !async.group) -> ()
  return
}
func.func @callee_with_group(%n: index) {
  %g = async.create_group %n : !async.group
  // expected-remark-re @below {{not mergeable: asynchronous, {{.*}}'func.call'}}
  %a = memref.alloc() : memref<16xf32>
  call @starts(%a, %g) : (memref<16xf32>, !async.group) -> ()
  return
}

// What a group or a token is lowered to, and a stream, is a pointer. A tensor is none.
func.func private @start_on(memref<16xf32>, !llvm.ptr)
func.func private @start_all(memref<16xf32>, tuple<index, !async.token>)
func.func private @use_tensor(memref<16xf32>, tensor<4xf32>)
func.func @handles(%p: !llvm.ptr, %u: tuple<index, !async.token>, %v: tensor<4xf32>) {
  // expected-remark @below {{lifetime [1, 8), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>                                           // 0
  call @start_on(%a, %p) : (memref<16xf32>, !llvm.ptr) -> ()                     // 1
  // expected-remark @below {{lifetime [3, 8), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>                                           // 2
  call @start_all(%b, %u) : (memref<16xf32>, tuple<index, !async.token>) -> ()   // 3
  // expected-remark @below {{lifetime [5, 6), 64 bytes}}
  %c = memref.alloc() : memref<16xf32>                                           // 4
  call @use_tensor(%c, %v) : (memref<16xf32>, tensor<4xf32>) -> ()               // 5
  %z = arith.constant 0 : index                                                  // 6
  return                                                                         // 7
}

// These hold no address.
func.func private @data(memref<16xf32>) -> (index, complex<f32>, vector<4xf32>, () -> (), none)
func.func @plain_data() {
  // expected-remark @below {{lifetime [1, 2), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>
  %r:5 = call @data(%a) : (memref<16xf32>) -> (index, complex<f32>, vector<4xf32>, () -> (), none)
  return
}
