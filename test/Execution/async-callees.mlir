// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=bump | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=best-fit | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=first-fit -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: buffer-merge-opt %s --async-to-async-runtime --buffer-merge | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --async-to-async-runtime --convert-async-to-llvm --buffer-merge -o %t.llvm.mlir
// RUN: cat %t.llvm.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=LLVM < %t.llvm.mlir

// What a callee returns in another type than a memref, and what it goes on with when
// it has returned.

// The buffer comes back inside an !async.value. It stays; the two after it share.
func.func private @wrap(%m: memref<8xi64>) -> !async.value<memref<8xi64>> {
  %t, %v = async.execute -> !async.value<memref<8xi64>> {
    async.yield %m : memref<8xi64>
  }
  return %v : !async.value<memref<8xi64>>
}
// IR-LABEL: func.func @wrapped(
//       IR:   memref.alloc() : memref<8xi64>
//       IR:   memref.alloc() {{.*}} : memref<64xi8>
//   IR-NOT:   memref.alloc
//       IR:   return
func.func @wrapped(%out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %three = arith.constant 3 : i64
  %four = arith.constant 4 : i64
  %a = memref.alloc() : memref<8xi64>
  memref.store %three, %a[%c1] : memref<8xi64>
  %v = call @wrap(%a) : (memref<8xi64>) -> !async.value<memref<8xi64>>
  %b = memref.alloc() : memref<8xi64>
  memref.store %four, %b[%c1] : memref<8xi64>
  %y = memref.load %b[%c1] : memref<8xi64>
  %d = memref.alloc() : memref<8xi64>
  memref.store %y, %d[%c1] : memref<8xi64>
  %z = memref.load %d[%c1] : memref<8xi64>
  memref.store %z, %out[%c0] : memref<8xi64>
  %m = async.await %v : !async.value<memref<8xi64>>
  %x = memref.load %m[%c1] : memref<8xi64>
  memref.store %x, %out[%c1] : memref<8xi64>
  return
}

// A task that takes its time before it reads: a coroutine after
// `async-to-async-runtime`, to which the buffer is passed by an ordinary call.
func.func @task(%out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %many = arith.constant 30000000 : index
  %two = arith.constant 2 : i64
  %five = arith.constant 5 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<8xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<8xi64>)
  %t = async.execute {
    %last = scf.for %i = %c0 to %many step %c1 iter_args(%x = %two) -> i64 {
      %y = arith.addi %x, %two : i64
      %z = arith.muli %y, %five : i64
      %w = arith.remui %z, %seven : i64
      scf.yield %w : i64
    }
    %less = arith.cmpi slt, %last, %seven : i64
    %bit = arith.extui %less : i1 to i64
    %old = memref.load %a[%c1] : memref<8xi64>
    %sum = arith.addi %old, %bit : i64
    memref.store %sum, %out[%c2] : memref<8xi64>
    async.yield
  }
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
  %y = memref.load %b[%c1] : memref<8xi64>
  memref.store %y, %out[%c3] : memref<8xi64>
  async.await %t : !async.token
  return
}

// The pool of a coroutine would be freed where it is suspended.
// LLVM-LABEL: func.func private @async_execute_fn
//   LLVM-NOT:   memref.view
func.func @task_with_buffers(%out: memref<8xi64>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %five = arith.constant 5 : i64
  %t = async.execute {
    %a = memref.alloc() : memref<8xi64>
    linalg.fill ins(%five : i64) outs(%a : memref<8xi64>)
    %x = memref.load %a[%c1] : memref<8xi64>
    memref.dealloc %a : memref<8xi64>
    %b = memref.alloc() : memref<8xi64>
    linalg.fill ins(%x : i64) outs(%b : memref<8xi64>)
    %y = memref.load %b[%c1] : memref<8xi64>
    memref.dealloc %b : memref<8xi64>
    memref.store %y, %out[%c4] : memref<8xi64>
    async.yield
  }
  async.await %t : !async.token
  return
}

func.func @main() {
  %zero = arith.constant 0 : i64
  %out = memref.alloc() : memref<8xi64>
  %any = memref.cast %out : memref<8xi64> to memref<*xi64>
  linalg.fill ins(%zero : i64) outs(%out : memref<8xi64>)
  call @wrapped(%out) : (memref<8xi64>) -> ()
  call @task(%out) : (memref<8xi64>) -> ()
  call @task_with_buffers(%out) : (memref<8xi64>) -> ()
  // CHECK: [4,  3,  8,  2,  5,  0,  0,  0]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
