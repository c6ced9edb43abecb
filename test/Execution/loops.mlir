// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=bump | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=best-fit | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=first-fit -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Guards L3 at one level: a loop that accesses a buffer from outside is covered
// whole, begin to end, for it will access it again.

// %acc is read and written at the end of the body only, %tmp at its beginning: in
// textual order they do not meet.
//    IR-LABEL: func.func @for_loop
// IR-COUNT-1:   memref.alloc() {{.*}} : memref<128xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @for_loop(%out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i64
  %hundred = arith.constant 100 : i64
  %acc = memref.alloc() : memref<8xi64>
  linalg.fill ins(%one : i64) outs(%acc : memref<8xi64>)
  scf.for %i = %c0 to %c3 step %c1 {
    %tmp = memref.alloc() : memref<8xi64>
    linalg.fill ins(%hundred : i64) outs(%tmp : memref<8xi64>)
    %x = memref.load %tmp[%i] : memref<8xi64>
    %old = memref.load %acc[%c1] : memref<8xi64>
    %new = arith.addi %old, %x : i64
    memref.store %new, %acc[%c1] : memref<8xi64>
    %tmp2 = memref.alloc() : memref<8xi64>
    linalg.fill ins(%hundred : i64) outs(%tmp2 : memref<8xi64>)
    memref.copy %tmp2, %out : memref<8xi64> to memref<8xi64>
  }
  memref.copy %acc, %out : memref<8xi64> to memref<8xi64>
  return
}

// Not accessed behind the loop: only the next iteration looks at it.
//    IR-LABEL: func.func @last_access_in_loop
//          IR:   memref.alloc() {{.*}} : memref<128xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @last_access_in_loop(%out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i64
  %hundred = arith.constant 100 : i64
  %acc = memref.alloc() : memref<8xi64>
  linalg.fill ins(%one : i64) outs(%acc : memref<8xi64>)
  scf.for %i = %c0 to %c4 step %c1 {
    %old = memref.load %acc[%c1] : memref<8xi64>
    %new = arith.addi %old, %old : i64
    memref.store %new, %acc[%c1] : memref<8xi64>
    memref.store %new, %out[%i] : memref<8xi64>
    %tmp = memref.alloc() : memref<8xi64>
    linalg.fill ins(%hundred : i64) outs(%tmp : memref<8xi64>)
    %x = memref.load %tmp[%c1] : memref<8xi64>
    %tmp2 = memref.alloc() : memref<8xi64>
    linalg.fill ins(%x : i64) outs(%tmp2 : memref<8xi64>)
    %y = memref.load %tmp2[%c1] : memref<8xi64>
    memref.store %y, %out[%c4] : memref<8xi64>
  }
  return
}

//    IR-LABEL: func.func @while_loop
//          IR:   memref.alloc() {{.*}} : memref<128xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @while_loop(%out: memref<8xi64>) {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %six = arith.constant 6 : i64
  %acc = memref.alloc() : memref<8xi64>
  linalg.fill ins(%one : i64) outs(%acc : memref<8xi64>)
  scf.while (%i = %zero) : (i64) -> i64 {
    %more = arith.cmpi slt, %i, %six : i64
    scf.condition(%more) %i : i64
  } do {
  ^bb0(%i: i64):
    %old = memref.load %acc[%c1] : memref<8xi64>
    %new = arith.addi %old, %old : i64
    memref.store %new, %acc[%c1] : memref<8xi64>
    memref.store %new, %out[%c1] : memref<8xi64>
    %tmp = memref.alloc() : memref<8xi64>
    linalg.fill ins(%one : i64) outs(%tmp : memref<8xi64>)
    %x = memref.load %tmp[%c1] : memref<8xi64>
    %tmp2 = memref.alloc() : memref<8xi64>
    linalg.fill ins(%x : i64) outs(%tmp2 : memref<8xi64>)
    %y = memref.load %tmp2[%c1] : memref<8xi64>
    %z = memref.load %out[%c1] : memref<8xi64>
    %w = arith.muli %z, %y : i64
    memref.store %w, %out[%c1] : memref<8xi64>
    %next = arith.addi %i, %one : i64
    scf.yield %next : i64
  }
  return
}

//    IR-LABEL: func.func @affine_loop
//          IR:   memref.alloc() {{.*}} : memref<128xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @affine_loop(%out: memref<8xi64>) {
  %one = arith.constant 1 : i64
  %hundred = arith.constant 100 : i64
  %acc = memref.alloc() : memref<8xi64>
  linalg.fill ins(%one : i64) outs(%acc : memref<8xi64>)
  affine.for %i = 0 to 5 {
    %old = affine.load %acc[2] : memref<8xi64>
    %new = arith.addi %old, %old : i64
    affine.store %new, %acc[2] : memref<8xi64>
    affine.store %new, %out[%i] : memref<8xi64>
    %tmp = memref.alloc() : memref<8xi64>
    linalg.fill ins(%hundred : i64) outs(%tmp : memref<8xi64>)
    %x = affine.load %tmp[1] : memref<8xi64>
    %tmp2 = memref.alloc() : memref<8xi64>
    linalg.fill ins(%x : i64) outs(%tmp2 : memref<8xi64>)
    %y = affine.load %tmp2[1] : memref<8xi64>
    affine.store %y, %out[6] : memref<8xi64>
  }
  return
}

func.func @main() {
  %c0 = arith.constant 0 : i64
  %out = memref.alloc() : memref<8xi64>
  %any = memref.cast %out : memref<8xi64> to memref<*xi64>
  linalg.fill ins(%c0 : i64) outs(%out : memref<8xi64>)
  call @for_loop(%out) : (memref<8xi64>) -> ()
  // CHECK: [1,  301,  1,  1,  1,  1,  1,  1]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  linalg.fill ins(%c0 : i64) outs(%out : memref<8xi64>)
  call @last_access_in_loop(%out) : (memref<8xi64>) -> ()
  // CHECK: [2,  4,  8,  16,  100,  0,  0,  0]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  linalg.fill ins(%c0 : i64) outs(%out : memref<8xi64>)
  call @while_loop(%out) : (memref<8xi64>) -> ()
  // CHECK: [0,  64,  0,  0,  0,  0,  0,  0]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  linalg.fill ins(%c0 : i64) outs(%out : memref<8xi64>)
  call @affine_loop(%out) : (memref<8xi64>) -> ()
  // CHECK: [2,  4,  8,  16,  32,  0,  100,  0]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
