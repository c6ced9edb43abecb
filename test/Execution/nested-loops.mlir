// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=first-fit | %execute > %t.after
// RUN: diff %t.before %t.after
// RUN: FileCheck %s < %t.after
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=first-fit | FileCheck %s --check-prefix=IR

// %acc is accessed in the innermost loop only, but the outer loop does it again:
// %tmp, which is used between two executions of the inner loop, must not take its
// bytes (L3 at every level).

// IR-LABEL: func.func @nested
//       IR:   memref.alloc() {{.*}} : memref<128xi8>
//   IR-NOT:   memref.alloc
//       IR:   return
func.func @nested(%out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i64
  %acc = memref.alloc() : memref<8xi64>
  linalg.fill ins(%one : i64) outs(%acc : memref<8xi64>)
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      %old = memref.load %acc[%c1] : memref<8xi64>
      %new = arith.addi %old, %old : i64
      memref.store %new, %acc[%c1] : memref<8xi64>
    }
    %tmp = memref.alloc() : memref<8xi64>
    linalg.fill ins(%one : i64) outs(%tmp : memref<8xi64>)
    memref.copy %tmp, %out : memref<8xi64> to memref<8xi64>
    %tmp2 = memref.alloc() : memref<8xi64>
    linalg.fill ins(%one : i64) outs(%tmp2 : memref<8xi64>)
    memref.copy %tmp2, %out : memref<8xi64> to memref<8xi64>
  }
  memref.copy %acc, %out : memref<8xi64> to memref<8xi64>
  return
}

func.func @main() {
  %out = memref.alloc() : memref<8xi64>
  call @nested(%out) : (memref<8xi64>) -> ()
  %any = memref.cast %out : memref<8xi64> to memref<*xi64>
  // CHECK: [1,  512,  1,  1,  1,  1,  1,  1]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
