// The oracle of host programs: what goes on after its function has returned, in
// each form that it is lowered to; clones and transfers. The programs are merged
// by hand.

// DEFINE: %{fuzz} = buffer-merge-fuzz
// DEFINE: %{lower} = buffer-merge-opt --mlir-print-debuginfo --async-func-to-async-runtime --async-to-async-runtime

// RUN: split-file %s %t
// RUN: not %{fuzz} %t/outlives.mlir | FileCheck %s --check-prefix=OUTLIVES
// RUN: %{lower} %t/outlives.mlir -o %t/outlives-coro.mlir
// RUN: not %{fuzz} %t/outlives-coro.mlir | FileCheck %s --check-prefix=OUTLIVES
// RUN: buffer-merge-opt --mlir-print-debuginfo --convert-async-to-llvm %t/outlives-coro.mlir -o %t/outlives-llvm.mlir
// RUN: not %{fuzz} %t/outlives-llvm.mlir | FileCheck %s --check-prefix=OUTLIVES
// RUN: %{fuzz} %t/waited.mlir | FileCheck %s --check-prefix=WAITED
// RUN: %{lower} %t/waited.mlir | %{fuzz} - | FileCheck %s --check-prefix=WAITED
// RUN: %{lower} --convert-async-to-llvm %t/waited.mlir | %{fuzz} - | FileCheck %s --check-prefix=WAITED
// RUN: not %{fuzz} %t/after-main.mlir | FileCheck %s --check-prefix=AFTER-MAIN
// RUN: not %{fuzz} %t/wrapped.mlir | FileCheck %s --check-prefix=WRAPPED
// RUN: not %{fuzz} %t/frame.mlir | FileCheck %s --check-prefix=FRAME
// RUN: not %{fuzz} %t/clone.mlir | FileCheck %s --check-prefix=CLONE
// RUN: not %{fuzz} %t/transfer.mlir | FileCheck %s --check-prefix=TRANSFER

// The task reads b0 when b1 has its bytes.
// OUTLIVES: early: prints 1
// OUTLIVES: late: read of b0 {{.*}} finds byte 0 written by b1
//--- outlives.mlir
func.func private @use_i64(i64)
func.func private @start(%m: memref<1xi64>) -> (!async.token, !async.value<i64>) {
  %c0 = arith.constant 0 : index
  %t, %v = async.execute -> !async.value<i64> {
    %x = memref.load %m[%c0] : memref<1xi64>
    async.yield %x : i64
  }
  return %t, %v : !async.token, !async.value<i64>
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %pool = memref.alloc() {alignment = 8 : i64} : memref<8xi8>
  %a = memref.view %pool[%c0][] : memref<8xi8> to memref<1xi64> loc("b0")
  memref.store %one, %a[%c0] : memref<1xi64>
  %t, %v = func.call @start(%a) : (memref<1xi64>) -> (!async.token, !async.value<i64>)
  %b = memref.view %pool[%c0][] : memref<8xi8> to memref<1xi64> loc("b1")
  memref.store %one, %b[%c0] : memref<1xi64>
  %x = async.await %v : !async.value<i64>
  func.call @use_i64(%x) : (i64) -> ()
  return
}

// The same after the callee has waited, in an async.func, and for a group.
// WAITED: early: prints 1{{$}}
// WAITED: late: prints 1{{$}}
// WAITED: interleaved: prints 1{{$}}
//--- waited.mlir
func.func private @use_i64(i64)
async.func private @start(%m: memref<1xi64>) -> (!async.token, !async.value<i64>) {
  %c0 = arith.constant 0 : index
  %t = async.execute {
    async.yield
  }
  async.await %t : !async.token
  %x = memref.load %m[%c0] : memref<1xi64>
  return %x : i64
}
func.func private @wait(%t: !async.token, %g: !async.group) {
  %rank = async.add_to_group %t, %g : !async.token
  async.await_all %g
  return
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %pool = memref.alloc() {alignment = 8 : i64} : memref<8xi8>
  %a = memref.view %pool[%c0][] : memref<8xi8> to memref<1xi64> loc("b0")
  memref.store %one, %a[%c0] : memref<1xi64>
  %g = async.create_group %c1 : !async.group
  %t, %v = async.call @start(%a) : (memref<1xi64>) -> (!async.token, !async.value<i64>)
  func.call @wait(%t, %g) : (!async.token, !async.group) -> ()
  %b = memref.view %pool[%c0][] : memref<8xi8> to memref<1xi64> loc("b1")
  memref.store %one, %b[%c0] : memref<1xi64>
  memref.dealloc %pool : memref<8xi8>
  %x = async.await %v : !async.value<i64>
  func.call @use_i64(%x) : (i64) -> ()
  return
}

// Nobody waits for the task.
// AFTER-MAIN: early: prints{{$}}
// AFTER-MAIN: late: use of b0 after free
//--- after-main.mlir
func.func @main() {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %pool = memref.alloc() {alignment = 8 : i64} : memref<8xi8>
  %a = memref.view %pool[%c0][] : memref<8xi8> to memref<1xi64> loc("b0")
  %t = async.execute {
    memref.store %one, %a[%c0] : memref<1xi64>
    async.yield
  }
  memref.dealloc %pool : memref<8xi8>
  return
}

// The value is b0.
// WRAPPED: early: read of b0 {{.*}} finds byte 0 written by b1
//--- wrapped.mlir
func.func private @wrap(%m: memref<1xi64>) -> !async.value<memref<1xi64>> {
  %t, %v = async.execute -> !async.value<memref<1xi64>> {
    async.yield %m : memref<1xi64>
  }
  return %v : !async.value<memref<1xi64>>
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %pool = memref.alloc() {alignment = 8 : i64} : memref<8xi8>
  %a = memref.view %pool[%c0][] : memref<8xi8> to memref<1xi64> loc("b0")
  memref.store %one, %a[%c0] : memref<1xi64>
  %v = func.call @wrap(%a) : (memref<1xi64>) -> !async.value<memref<1xi64>>
  %b = memref.view %pool[%c0][] : memref<8xi8> to memref<1xi64> loc("b1")
  memref.store %one, %b[%c0] : memref<1xi64>
  %m = async.await %v : !async.value<memref<1xi64>>
  %x = memref.load %m[%c0] : memref<1xi64>
  return
}

// What follows the end of the coroutine is executed when it is suspended.
// FRAME: late: use of b0 after free
//--- frame.mlir
func.func private @coroutine() -> !async.token {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %pool = memref.alloc() {alignment = 8 : i64} : memref<8xi8>
  %a = memref.view %pool[%c0][] : memref<8xi8> to memref<1xi64> loc("b0")
  %token = async.runtime.create : !async.token
  %id = async.coro.id
  %handle = async.coro.begin %id
  %state = async.coro.save %handle
  async.runtime.resume %handle
  async.coro.suspend %state, ^suspend, ^resume, ^cleanup
^resume:
  memref.store %one, %a[%c0] : memref<1xi64>
  async.runtime.set_available %token : !async.token
  cf.br ^cleanup
^cleanup:
  async.coro.free %id, %handle
  cf.br ^suspend
^suspend:
  async.coro.end %handle
  memref.dealloc %pool : memref<8xi8>
  return %token : !async.token
}
func.func @main() {
  %t0 = func.call @coroutine() : () -> !async.token
  async.runtime.await %t0 : !async.token
  return
}

// The clone is a copy of b0, or b0.
// CLONE: early: prints 1{{$}}
// CLONE: late: read of b0 {{.*}} finds byte 0 written by b1
// CLONE: interleaved: prints 1{{$}}
//--- clone.mlir
func.func private @use_i64(i64)
func.func @main() {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %pool = memref.alloc() {alignment = 8 : i64} : memref<8xi8>
  %a = memref.view %pool[%c0][] : memref<8xi8> to memref<1xi64> loc("b0")
  memref.store %one, %a[%c0] : memref<1xi64>
  %c = bufferization.clone %a : memref<1xi64> to memref<1xi64>
  %b = memref.view %pool[%c0][] : memref<8xi8> to memref<1xi64> loc("b1")
  memref.store %one, %b[%c0] : memref<1xi64>
  %x = memref.load %c[%c0] : memref<1xi64>
  func.call @use_i64(%x) : (i64) -> ()
  memref.dealloc %c : memref<1xi64>
  memref.dealloc %pool : memref<8xi8>
  return
}

// The copy is made when somebody waits for it.
// TRANSFER: early: prints 1
// TRANSFER: late: read of b0 {{.*}} finds byte 0 written by b1
//--- transfer.mlir
func.func private @use_i64(i64)
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %tag = memref.alloc() : memref<2xi32>
  %target = memref.alloc() : memref<2xi64>
  %pool = memref.alloc() {alignment = 8 : i64} : memref<8xi8>
  %a = memref.view %pool[%c0][] : memref<8xi8> to memref<1xi64> loc("b0")
  memref.store %one, %a[%c0] : memref<1xi64>
  affine.dma_start %a[%c0], %target[%c0 + 1], %tag[%c0 + 1], %c1 : memref<1xi64>, memref<2xi64>, memref<2xi32>
  %b = memref.view %pool[%c0][] : memref<8xi8> to memref<1xi64> loc("b1")
  memref.store %one, %b[%c0] : memref<1xi64>
  affine.dma_wait %tag[%c1], %c1 : memref<2xi32>
  %x = memref.load %target[%c1] : memref<2xi64>
  func.call @use_i64(%x) : (i64) -> ()
  return
}
