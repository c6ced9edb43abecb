// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=bump | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=best-fit | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=first-fit -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Guards L8: what an asynchronous operation accesses is alive until it has been
// waited for. The task takes its time before it writes; by then %b, which is used
// before and behind the wait, holds its values.

//    IR-LABEL: func.func @task(
//          IR:   memref.alloc() {{.*}} : memref<128xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @task(%out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %many = arith.constant 30000000 : index
  %zero = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %five = arith.constant 5 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<8xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<8xi64>)
  %t = async.execute {
    %last = scf.for %i = %c0 to %many step %c1 iter_args(%x = %zero) -> i64 {
      %y = arith.addi %x, %two : i64
      %z = arith.muli %y, %five : i64
      %w = arith.remui %z, %seven : i64
      scf.yield %w : i64
    }
    %old = memref.load %a[%c1] : memref<8xi64>
    %sum = arith.addi %old, %last : i64
    linalg.fill ins(%sum : i64) outs(%a : memref<8xi64>)
    %new = memref.load %a[%c1] : memref<8xi64>
    memref.store %new, %out[%c0] : memref<8xi64>
    async.yield
  }
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
  async.await %t : !async.token
  %x = memref.load %b[%c1] : memref<8xi64>
  memref.store %x, %out[%c1] : memref<8xi64>
  %c = memref.alloc() : memref<8xi64>
  linalg.fill ins(%five : i64) outs(%c : memref<8xi64>)
  %y = memref.load %c[%c1] : memref<8xi64>
  memref.store %y, %out[%c3] : memref<8xi64>
  return
}

func.func @main() {
  %zero = arith.constant 0 : i64
  %out = memref.alloc() : memref<8xi64>
  %any = memref.cast %out : memref<8xi64> to memref<*xi64>
  linalg.fill ins(%zero : i64) outs(%out : memref<8xi64>)
  call @task(%out) : (memref<8xi64>) -> ()
  // CHECK: [{{7|8|9|10|11|12|13}},  2,  0,  5,  0,  0,  0,  0]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
