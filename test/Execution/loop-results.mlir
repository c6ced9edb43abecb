// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=bump | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=best-fit | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=first-fit limit-peak=none" -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Guards L3 on the way down to the allocation: a loop that a buffer leaves as a
// result is covered whole.

// %a is accessed at the end of the body, before %tmp of the iteration that follows;
// behind the loop the last %a is read. In the iteration that makes no new %a, the
// one of the iteration before is still needed.
//    IR-LABEL: func.func @while_result
//          IR:   memref.alloc() {{.*}} : memref<128xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @while_result(%out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %hundred = arith.constant 100 : i64
  %last:2 = scf.while (%i = %zero, %m = %out) : (i64, memref<8xi64>) -> (i64, memref<8xi64>) {
    // Executed once more than the other region, behind the last %a.
    %tmp = memref.alloc() : memref<8xi64>
    linalg.fill ins(%hundred : i64) outs(%tmp : memref<8xi64>)
    %x = memref.load %tmp[%c1] : memref<8xi64>
    %tmp2 = memref.alloc() : memref<8xi64>
    linalg.fill ins(%x : i64) outs(%tmp2 : memref<8xi64>)
    %y = memref.load %tmp2[%c1] : memref<8xi64>
    memref.store %y, %out[%c0] : memref<8xi64>
    %more = arith.cmpi slt, %i, %three : i64
    scf.condition(%more) %i, %m : i64, memref<8xi64>
  } do {
  ^bb0(%i: i64, %unused: memref<8xi64>):
    %next = arith.addi %i, %one : i64
    %a = memref.alloc() : memref<8xi64>
    linalg.fill ins(%next : i64) outs(%a : memref<8xi64>)
    scf.yield %next, %a : i64, memref<8xi64>
  }
  %r = memref.load %last#1[%c1] : memref<8xi64>
  memref.store %r, %out[%c1] : memref<8xi64>
  return
}

func.func @main() {
  %c0 = arith.constant 0 : i64
  %out = memref.alloc() : memref<8xi64>
  %any = memref.cast %out : memref<8xi64> to memref<*xi64>
  linalg.fill ins(%c0 : i64) outs(%out : memref<8xi64>)
  call @while_result(%out) : (memref<8xi64>) -> ()
  // CHECK: [100,  3,  0,  0,  0,  0,  0,  0]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
