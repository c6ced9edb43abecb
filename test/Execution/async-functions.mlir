// RUN: buffer-merge-opt %s --async-func-to-async-runtime | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false scheduler=bump erase-copies=false" --async-func-to-async-runtime | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false scheduler=best-fit erase-copies=false" --async-func-to-async-runtime | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false scheduler=best-fit pool=global erase-copies=false" --async-func-to-async-runtime | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false scheduler=best-fit pool=stack erase-copies=false" --async-func-to-async-runtime | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false scheduler=first-fit erase-copies=false" -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Executions of an async.func overlap: the second one begins while the first one
// waits for its task. Each has a pool of its own, which lives as long as the
// coroutine that the function becomes.

//    IR-LABEL: async.func @fill(
//     IR-NEXT:   memref.alloc() {{.*}} : memref<128xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
async.func @fill(%out: memref<4xi64>, %i: index, %v: i64) -> !async.token {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %a = memref.alloc() : memref<8xi64>
  linalg.fill ins(%v : i64) outs(%a : memref<8xi64>)
  %task = async.execute {
    func.call @take_time(%v) : (i64) -> ()
    async.yield
  }
  async.await %task : !async.token
  %b = memref.alloc() : memref<8xi64>
  memref.copy %a, %b : memref<8xi64> to memref<8xi64>
  memref.store %v, %b[%c0] : memref<8xi64>
  %c = memref.alloc() : memref<8xi64>
  memref.copy %b, %c : memref<8xi64> to memref<8xi64>
  %r = memref.load %c[%c7] : memref<8xi64>
  memref.store %r, %out[%i] : memref<4xi64>
  return
}

func.func @take_time(%v: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 3000000 : index
  %two = arith.constant 2 : i64
  %five = arith.constant 5 : i64
  %seven = arith.constant 7 : i64
  %seed = arith.constant -1 : i64
  %last = scf.for %k = %c0 to %many step %c1 iter_args(%x = %v) -> i64 {
    %y = arith.addi %x, %two : i64
    %z = arith.muli %y, %five : i64
    %w = arith.remui %z, %seven : i64
    scf.yield %w : i64
  }
  %c = arith.cmpi ne, %last, %seed : i64
  cf.assert %c, "a remainder"
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %v0 = arith.constant 10 : i64
  %v1 = arith.constant 11 : i64
  %v2 = arith.constant 12 : i64
  %v3 = arith.constant 13 : i64
  %out = memref.alloc() : memref<4xi64>
  %any = memref.cast %out : memref<4xi64> to memref<*xi64>
  %t0 = async.call @fill(%out, %c0, %v0) : (memref<4xi64>, index, i64) -> !async.token
  %t1 = async.call @fill(%out, %c1, %v1) : (memref<4xi64>, index, i64) -> !async.token
  %t2 = async.call @fill(%out, %c2, %v2) : (memref<4xi64>, index, i64) -> !async.token
  %t3 = async.call @fill(%out, %c3, %v3) : (memref<4xi64>, index, i64) -> !async.token
  async.await %t0 : !async.token
  async.await %t1 : !async.token
  async.await %t2 : !async.token
  async.await %t3 : !async.token
  // CHECK: [10,  11,  12,  13]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
