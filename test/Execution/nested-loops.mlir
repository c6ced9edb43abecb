// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=bump | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=best-fit | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=first-fit -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Guards L3 at every level: %acc is accessed in the innermost loop only, and not
// behind it, but the outer loop does it again. What is used between two executions
// of the inner loop must not take its bytes.

//    IR-LABEL: func.func @nested(
//          IR:   memref.alloc() {{.*}} : memref<128xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
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
      memref.store %new, %out[%i] : memref<8xi64>
    }
    %tmp = memref.alloc() : memref<8xi64>
    linalg.fill ins(%one : i64) outs(%tmp : memref<8xi64>)
    %x = memref.load %tmp[%c1] : memref<8xi64>
    %tmp2 = memref.alloc() : memref<8xi64>
    linalg.fill ins(%x : i64) outs(%tmp2 : memref<8xi64>)
    %y = memref.load %tmp2[%c1] : memref<8xi64>
    memref.store %y, %out[%c3] : memref<8xi64>
  }
  return
}

// The same with loops of different kinds, the outermost of three being the one that
// matters.
//    IR-LABEL: func.func @three_levels(
//          IR:   memref.alloc() {{.*}} : memref<128xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @three_levels(%out: memref<8xi64>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %acc = memref.alloc() : memref<8xi64>
  linalg.fill ins(%one : i64) outs(%acc : memref<8xi64>)
  affine.for %i = 0 to 3 {
    scf.while (%k = %zero) : (i64) -> i64 {
      %more = arith.cmpi slt, %k, %two : i64
      scf.condition(%more) %k : i64
    } do {
    ^bb0(%k: i64):
      affine.for %j = 0 to 2 {
        %old = memref.load %acc[%c1] : memref<8xi64>
        %new = arith.addi %old, %old : i64
        memref.store %new, %acc[%c1] : memref<8xi64>
        memref.store %new, %out[%i] : memref<8xi64>
      }
      %next = arith.addi %k, %one : i64
      scf.yield %next : i64
    }
    %tmp = memref.alloc() : memref<8xi64>
    linalg.fill ins(%one : i64) outs(%tmp : memref<8xi64>)
    %x = memref.load %tmp[%c1] : memref<8xi64>
    %tmp2 = memref.alloc() : memref<8xi64>
    linalg.fill ins(%x : i64) outs(%tmp2 : memref<8xi64>)
    %y = memref.load %tmp2[%c1] : memref<8xi64>
    affine.store %y, %out[3] : memref<8xi64>
  }
  return
}

func.func @main() {
  %zero = arith.constant 0 : i64
  %out = memref.alloc() : memref<8xi64>
  %any = memref.cast %out : memref<8xi64> to memref<*xi64>
  linalg.fill ins(%zero : i64) outs(%out : memref<8xi64>)
  call @nested(%out) : (memref<8xi64>) -> ()
  // CHECK: [8,  64,  512,  1,  0,  0,  0,  0]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  linalg.fill ins(%zero : i64) outs(%out : memref<8xi64>)
  call @three_levels(%out) : (memref<8xi64>) -> ()
  // CHECK: [16,  256,  4096,  1,  0,  0,  0,  0]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
