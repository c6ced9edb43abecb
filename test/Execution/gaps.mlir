// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=bump | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=best-fit | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=exact | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=canonical-by-area split-buffers=false" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// What others write in the gaps of a buffer must not be what is read from it later.

!m = memref<8xi64>

// %b and the state share bytes in the middle of each iteration.
//    IR-LABEL: func.func @state(
//          IR:   memref.alloc() {{.*}} : memref<64xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @state(%out: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i64
  %a = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%a : !m)
  scf.for %i = %c0 to %c8 step %c1 {
    %x = memref.load %a[%i] : !m
    memref.store %x, %out[%i] : !m
    %b = memref.alloc() : !m
    linalg.fill ins(%x : i64) outs(%b : !m)
    %y = memref.load %b[%i] : !m
    %z = arith.addi %y, %one : i64
    linalg.fill ins(%z : i64) outs(%a : !m)
  }
  return
}

// Only one branch overwrites the state, so that it is needed in the other one.
func.func @one_branch(%out: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i64
  %hundred = arith.constant 100 : i64
  %a = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%a : !m)
  scf.for %i = %c0 to %c8 step %c1 {
    %x = memref.load %a[%i] : !m
    memref.store %x, %out[%i] : !m
    %b = memref.alloc() : !m
    linalg.fill ins(%hundred : i64) outs(%b : !m)
    %y = memref.load %b[%i] : !m
    %isThird = arith.cmpi eq, %i, %c3 : index
    scf.if %isThird {
      %d = memref.alloc() : !m
      linalg.fill ins(%y : i64) outs(%d : !m)
      %z = memref.load %d[%i] : !m
      linalg.fill ins(%z : i64) outs(%a : !m)
    } else {
      %d = memref.alloc() : !m
      linalg.fill ins(%hundred : i64) outs(%d : !m)
      memref.copy %d, %b : !m to !m
    }
  }
  return
}

// The last block of the cycle goes back to the first one, which reads.
func.func @cycle(%out: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i64
  %hundred = arith.constant 100 : i64
  %a = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%a : !m)
  cf.br ^loop(%c0 : index)
^loop(%i: index):
  %x = memref.load %a[%i] : !m
  memref.store %x, %out[%i] : !m
  %b = memref.alloc() : !m
  linalg.fill ins(%hundred : i64) outs(%b : !m)
  %y = memref.load %b[%i] : !m
  %z = arith.addi %x, %y : i64
  linalg.fill ins(%z : i64) outs(%a : !m)
  %d = memref.alloc() : !m
  linalg.fill ins(%hundred : i64) outs(%d : !m)
  %v = memref.load %d[%i] : !m
  %j = arith.addi %i, %c1 : index
  %more = arith.cmpi ult, %j, %c8 : index
  cf.cond_br %more, ^loop(%j : index), ^exit
^exit:
  return
}

// The second fill of %a is needed when %s is read, and so is that of %b.
func.func @selected(%out: !m, %c: i1) {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %hundred = arith.constant 100 : i64
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  %s = arith.select %c, %a, %b : !m
  linalg.fill ins(%one : i64) outs(%a : !m)
  linalg.fill ins(%two : i64) outs(%b : !m)
  %x = memref.load %s[%c1] : !m
  %d = memref.alloc() : !m
  linalg.fill ins(%hundred : i64) outs(%d : !m)
  %y = memref.load %d[%c1] : !m
  %z = arith.addi %x, %y : i64
  linalg.fill ins(%z : i64) outs(%a : !m)
  linalg.fill ins(%z : i64) outs(%b : !m)
  %e = memref.alloc() : !m
  linalg.fill ins(%hundred : i64) outs(%e : !m)
  memref.copy %e, %out : !m to !m
  memref.copy %s, %out : !m to !m
  return
}

func.func @main() {
  %zero = arith.constant 0 : i64
  %true = arith.constant true
  %false = arith.constant false
  %out = memref.alloc() : !m
  %any = memref.cast %out : !m to memref<*xi64>
  linalg.fill ins(%zero : i64) outs(%out : !m)
  // CHECK: [1,  2,  3,  4,  5,  6,  7,  8]
  call @state(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [1,  1,  1,  1,  100,  100,  100,  100]
  call @one_branch(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [1,  101,  201,  301,  401,  501,  601,  701]
  call @cycle(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [101,  101,  101,  101,  101,  101,  101,  101]
  call @selected(%out, %true) : (!m, i1) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [102,  102,  102,  102,  102,  102,  102,  102]
  call @selected(%out, %false) : (!m, i1) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}

func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
