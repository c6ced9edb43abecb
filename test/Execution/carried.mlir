// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=bump | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=best-fit | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=first-fit limit-peak=none" -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Guards L7: a buffer that an access of the next iteration sees is not merged. In
// each function, two other buffers are.

// Each iteration reads what the one before has written, behind writing its own.
//    IR-LABEL: func.func @iter_arg
//          IR:   memref.alloc() {{.*}} : memref<64xi8>
//          IR:   memref.alloc() : memref<8xi64>
//          IR:   return
func.func @iter_arg(%init: memref<8xi64>, %out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i64
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%old = %init) -> memref<8xi64> {
    %tmp = memref.alloc() : memref<8xi64>
    linalg.fill ins(%one : i64) outs(%tmp : memref<8xi64>)
    %x = memref.load %tmp[%c1] : memref<8xi64>
    %tmp2 = memref.alloc() : memref<8xi64>
    linalg.fill ins(%x : i64) outs(%tmp2 : memref<8xi64>)
    %y = memref.load %tmp2[%c1] : memref<8xi64>
    %a = memref.alloc() : memref<8xi64>
    linalg.fill ins(%y : i64) outs(%a : memref<8xi64>)
    %p = memref.load %old[%c1] : memref<8xi64>
    %q = arith.addi %p, %p : i64
    memref.store %q, %a[%c1] : memref<8xi64>
    memref.store %p, %out[%i] : memref<8xi64>
    scf.yield %a : memref<8xi64>
  }
  return
}

// Kept across an iteration by a select.
//    IR-LABEL: func.func @select
//          IR:   memref.alloc() {{.*}} : memref<64xi8>
//          IR:   memref.alloc() : memref<8xi64>
//          IR:   return
func.func @select(%init: memref<8xi64>, %out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i64
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%old = %init) -> memref<8xi64> {
    %tmp = memref.alloc() : memref<8xi64>
    linalg.fill ins(%one : i64) outs(%tmp : memref<8xi64>)
    %x = memref.load %tmp[%c1] : memref<8xi64>
    %tmp2 = memref.alloc() : memref<8xi64>
    linalg.fill ins(%x : i64) outs(%tmp2 : memref<8xi64>)
    %y = memref.load %tmp2[%c1] : memref<8xi64>
    %a = memref.alloc() : memref<8xi64>
    %v = arith.index_cast %i : index to i64
    %w = arith.muli %v, %y : i64
    linalg.fill ins(%w : i64) outs(%a : memref<8xi64>)
    // The buffer of iteration 1 stays.
    %new = arith.cmpi ule, %i, %c1 : index
    %next = arith.select %new, %a, %old : memref<8xi64>
    scf.yield %next : memref<8xi64>
  }
  memref.copy %r, %out : memref<8xi64> to memref<8xi64>
  return
}

// Over the back edge of a cycle of blocks.
//    IR-LABEL: func.func @blocks
//          IR:   memref.alloc() {{.*}} : memref<64xi8>
//          IR:   memref.alloc() : memref<8xi64>
//          IR:   return
func.func @blocks(%init: memref<8xi64>, %out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i64
  cf.br ^head(%c0, %init : index, memref<8xi64>)
^head(%i: index, %old: memref<8xi64>):
  %more = arith.cmpi ult, %i, %c4 : index
  cf.cond_br %more, ^body, ^exit
^body:
  %tmp = memref.alloc() : memref<8xi64>
  linalg.fill ins(%one : i64) outs(%tmp : memref<8xi64>)
  %x = memref.load %tmp[%c1] : memref<8xi64>
  %tmp2 = memref.alloc() : memref<8xi64>
  linalg.fill ins(%x : i64) outs(%tmp2 : memref<8xi64>)
  %y = memref.load %tmp2[%c1] : memref<8xi64>
  %a = memref.alloc() : memref<8xi64>
  linalg.fill ins(%y : i64) outs(%a : memref<8xi64>)
  %p = memref.load %old[%c1] : memref<8xi64>
  %q = arith.addi %p, %p : i64
  memref.store %q, %a[%c1] : memref<8xi64>
  memref.store %p, %out[%i] : memref<8xi64>
  %next = arith.addi %i, %c1 : index
  cf.br ^latch(%a : memref<8xi64>)
^latch(%b: memref<8xi64>):
  cf.br ^head(%next, %b : index, memref<8xi64>)
^exit:
  return
}

// From the second region of scf.while to the first, and from there to the second.
//    IR-LABEL: func.func @while
//          IR:   memref.alloc() {{.*}} : memref<64xi8>
//          IR:   memref.alloc() : memref<8xi64>
//          IR:   return
func.func @while(%init: memref<8xi64>, %out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i64
  %r:2 = scf.while (%i = %c0, %old = %init) : (index, memref<8xi64>) -> (index, memref<8xi64>) {
    %more = arith.cmpi ult, %i, %c4 : index
    scf.condition(%more) %i, %old : index, memref<8xi64>
  } do {
  ^bb0(%i: index, %old: memref<8xi64>):
    %tmp = memref.alloc() : memref<8xi64>
    linalg.fill ins(%one : i64) outs(%tmp : memref<8xi64>)
    %x = memref.load %tmp[%c1] : memref<8xi64>
    %tmp2 = memref.alloc() : memref<8xi64>
    linalg.fill ins(%x : i64) outs(%tmp2 : memref<8xi64>)
    %y = memref.load %tmp2[%c1] : memref<8xi64>
    %a = memref.alloc() : memref<8xi64>
    linalg.fill ins(%y : i64) outs(%a : memref<8xi64>)
    %p = memref.load %old[%c1] : memref<8xi64>
    %q = arith.addi %p, %p : i64
    memref.store %q, %a[%c1] : memref<8xi64>
    memref.store %p, %out[%i] : memref<8xi64>
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %a : index, memref<8xi64>
  }
  return
}

func.func @main() {
  %c0 = arith.constant 0 : i64
  %three = arith.constant 3 : i64
  %init = memref.alloc() : memref<8xi64>
  %out = memref.alloc() : memref<8xi64>
  %any = memref.cast %out : memref<8xi64> to memref<*xi64>
  linalg.fill ins(%three : i64) outs(%init : memref<8xi64>)
  linalg.fill ins(%c0 : i64) outs(%out : memref<8xi64>)
  call @iter_arg(%init, %out) : (memref<8xi64>, memref<8xi64>) -> ()
  // CHECK: [3,  6,  12,  24,  0,  0,  0,  0]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  call @select(%init, %out) : (memref<8xi64>, memref<8xi64>) -> ()
  // CHECK: [1,  1,  1,  1,  1,  1,  1,  1]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  call @blocks(%init, %out) : (memref<8xi64>, memref<8xi64>) -> ()
  // CHECK: [3,  6,  12,  24,  1,  1,  1,  1]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  linalg.fill ins(%c0 : i64) outs(%out : memref<8xi64>)
  call @while(%init, %out) : (memref<8xi64>, memref<8xi64>) -> ()
  // CHECK: [3,  6,  12,  24,  0,  0,  0,  0]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
