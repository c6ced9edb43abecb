// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=bump | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=best-fit | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=first-fit erase-copies=false" -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Guards L4: a cycle of blocks that the allocation is not in is covered whole; and
// L1: blocks of a cycle are numbered without a gap.

// A loop whose header is not the block with the access.
//    IR-LABEL: func.func @loop
//          IR:   memref.alloc() {{.*}} : memref<128xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @loop(%out: memref<8xi64>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %acc = memref.alloc() : memref<8xi64>
  linalg.fill ins(%one : i64) outs(%acc : memref<8xi64>)
  cf.br ^head(%zero : i64)
^head(%i: i64):
  %more = arith.cmpi slt, %i, %three : i64
  cf.cond_br %more, ^body, ^exit
^body:
  %old = memref.load %acc[%c1] : memref<8xi64>
  %new = arith.addi %old, %old : i64
  memref.store %new, %acc[%c1] : memref<8xi64>
  memref.store %new, %out[%c1] : memref<8xi64>
  cf.br ^latch
^latch:
  %tmp = memref.alloc() : memref<8xi64>
  linalg.fill ins(%one : i64) outs(%tmp : memref<8xi64>)
  %x = memref.load %tmp[%c1] : memref<8xi64>
  %tmp2 = memref.alloc() : memref<8xi64>
  linalg.fill ins(%x : i64) outs(%tmp2 : memref<8xi64>)
  %y = memref.load %tmp2[%c1] : memref<8xi64>
  %next = arith.addi %i, %y : i64
  cf.br ^head(%next : i64)
^exit:
  return
}

// A cycle with two entries: first ^right, then ^left and ^right in turn.
//    IR-LABEL: func.func @irreducible
//          IR:   memref.alloc() {{.*}} : memref<128xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @irreducible(%c: i1, %out: memref<8xi64>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %acc = memref.alloc() : memref<8xi64>
  linalg.fill ins(%one : i64) outs(%acc : memref<8xi64>)
  cf.cond_br %c, ^left(%zero : i64), ^right(%zero : i64)
^left(%i: i64):
  %old = memref.load %acc[%c1] : memref<8xi64>
  %new = arith.addi %old, %old : i64
  memref.store %new, %acc[%c1] : memref<8xi64>
  memref.store %new, %out[%c1] : memref<8xi64>
  cf.br ^right(%i : i64)
^right(%j: i64):
  %tmp = memref.alloc() : memref<8xi64>
  linalg.fill ins(%one : i64) outs(%tmp : memref<8xi64>)
  %x = memref.load %tmp[%c1] : memref<8xi64>
  %tmp2 = memref.alloc() : memref<8xi64>
  linalg.fill ins(%x : i64) outs(%tmp2 : memref<8xi64>)
  %y = memref.load %tmp2[%c1] : memref<8xi64>
  %next = arith.addi %j, %y : i64
  %more = arith.cmpi slt, %next, %three : i64
  cf.cond_br %more, ^left(%next : i64), ^exit
^exit:
  return
}

// ^behind is the first successor of ^head and textually before ^body, but it is
// executed behind all iterations.
//    IR-LABEL: func.func @behind_is_first
//          IR:   memref.alloc() {{.*}} : memref<128xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @behind_is_first(%out: memref<8xi64>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<8xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<8xi64>)
  cf.br ^head(%zero : i64)
^head(%i: i64):
  %done = arith.cmpi sge, %i, %three : i64
  cf.cond_br %done, ^behind, ^body
^behind:
  memref.copy %a, %out : memref<8xi64> to memref<8xi64>
  return
^body:
  %tmp = memref.alloc() : memref<8xi64>
  linalg.fill ins(%one : i64) outs(%tmp : memref<8xi64>)
  %x = memref.load %tmp[%c1] : memref<8xi64>
  %tmp2 = memref.alloc() : memref<8xi64>
  linalg.fill ins(%x : i64) outs(%tmp2 : memref<8xi64>)
  %y = memref.load %tmp2[%c1] : memref<8xi64>
  %next = arith.addi %i, %y : i64
  cf.br ^head(%next : i64)
}

// A cycle inside of scf.execute_region, in a loop.
//    IR-LABEL: func.func @in_execute_region
//          IR:   memref.alloc() {{.*}} : memref<128xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @in_execute_region(%out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  scf.for %k = %c0 to %c2 step %c1 {
    %acc = memref.alloc() : memref<8xi64>
    linalg.fill ins(%one : i64) outs(%acc : memref<8xi64>)
    scf.execute_region {
      cf.br ^body(%zero : i64)
    ^body(%i: i64):
      %old = memref.load %acc[%c1] : memref<8xi64>
      %new = arith.addi %old, %old : i64
      memref.store %new, %acc[%c1] : memref<8xi64>
      memref.store %new, %out[%k] : memref<8xi64>
      %tmp = memref.alloc() : memref<8xi64>
      linalg.fill ins(%one : i64) outs(%tmp : memref<8xi64>)
      %x = memref.load %tmp[%c1] : memref<8xi64>
      %tmp2 = memref.alloc() : memref<8xi64>
      linalg.fill ins(%x : i64) outs(%tmp2 : memref<8xi64>)
      %y = memref.load %tmp2[%c1] : memref<8xi64>
      %next = arith.addi %i, %y : i64
      %more = arith.cmpi slt, %next, %three : i64
      cf.cond_br %more, ^body(%next : i64), ^exit
    ^exit:
      scf.yield
    }
  }
  return
}

// Blocks in an order that is not the one of execution.
//    IR-LABEL: func.func @out_of_order
//          IR:   memref.alloc() {{.*}} : memref<128xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @out_of_order(%out: memref<8xi64>) {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<8xi64>
  %b = memref.alloc() : memref<8xi64>
  %c = memref.alloc() : memref<8xi64>
  cf.br ^first
^last:
  memref.copy %a, %out : memref<8xi64> to memref<8xi64>
  return
^second:
  linalg.fill ins(%one : i64) outs(%b : memref<8xi64>)
  %x = memref.load %b[%c1] : memref<8xi64>
  linalg.fill ins(%x : i64) outs(%c : memref<8xi64>)
  memref.copy %c, %out : memref<8xi64> to memref<8xi64>
  cf.br ^last
^first:
  linalg.fill ins(%seven : i64) outs(%a : memref<8xi64>)
  cf.br ^second
}

func.func @main() {
  %false = arith.constant false
  %c0 = arith.constant 0 : i64
  %out = memref.alloc() : memref<8xi64>
  %any = memref.cast %out : memref<8xi64> to memref<*xi64>
  linalg.fill ins(%c0 : i64) outs(%out : memref<8xi64>)
  call @loop(%out) : (memref<8xi64>) -> ()
  // CHECK: [0,  8,  0,  0,  0,  0,  0,  0]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  call @irreducible(%false, %out) : (i1, memref<8xi64>) -> ()
  // CHECK: [0,  4,  0,  0,  0,  0,  0,  0]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  call @behind_is_first(%out) : (memref<8xi64>) -> ()
  // CHECK: [7,  7,  7,  7,  7,  7,  7,  7]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  call @in_execute_region(%out) : (memref<8xi64>) -> ()
  // CHECK: [8,  8,  7,  7,  7,  7,  7,  7]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  call @out_of_order(%out) : (memref<8xi64>) -> ()
  // CHECK: [7,  7,  7,  7,  7,  7,  7,  7]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
