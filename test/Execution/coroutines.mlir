// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --async-to-async-runtime --buffer-merge=scheduler=bump | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --async-to-async-runtime --buffer-merge=scheduler=best-fit | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --async-to-async-runtime --buffer-merge=scheduler=first-fit -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Guards L9 for coroutines: they return to their caller where they are suspended
// first. A pool that is freed there is still in use.

//   IR-LABEL: func.func private @async_execute_fn
//     IR-NOT:   memref.view
func.func @task(%out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %many = arith.constant 30000000 : index
  %two = arith.constant 2 : i64
  %five = arith.constant 5 : i64
  %seven = arith.constant 7 : i64
  %t = async.execute {
    %slow = async.execute {
      %last = scf.for %i = %c0 to %many step %c1 iter_args(%x = %two) -> i64 {
        %y = arith.addi %x, %two : i64
        %z = arith.muli %y, %five : i64
        %w = arith.remui %z, %seven : i64
        scf.yield %w : i64
      }
      %less = arith.cmpi slt, %last, %seven : i64
      %bit = arith.extui %less : i1 to i64
      memref.store %bit, %out[%c0] : memref<8xi64>
      async.yield
    }
    %a = memref.alloc() : memref<8xi64>
    linalg.fill ins(%seven : i64) outs(%a : memref<8xi64>)
    async.await %slow : !async.token
    %old = memref.load %a[%c1] : memref<8xi64>
    memref.store %old, %out[%c1] : memref<8xi64>
    memref.dealloc %a : memref<8xi64>
    %b = memref.alloc() : memref<8xi64>
    linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
    %new = memref.load %b[%c1] : memref<8xi64>
    memref.store %new, %out[%c2] : memref<8xi64>
    memref.dealloc %b : memref<8xi64>
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
  call @task(%out) : (memref<8xi64>) -> ()
  // CHECK: [1,  7,  2,  0,  0,  0,  0,  0]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
