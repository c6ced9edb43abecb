// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=bump erase-copies=false" -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Flags say whether a loop frees what it is given: a buffer of the pool is not to be
// freed by it.

func.func private @next(%old: memref<64xi64>, %new: memref<64xi64>) {
  %t = memref.alloc() : memref<64xi64>
  linalg.add ins(%old, %old : memref<64xi64>, memref<64xi64>) outs(%t : memref<64xi64>)
  linalg.add ins(%t, %old : memref<64xi64>, memref<64xi64>) outs(%new : memref<64xi64>)
  memref.dealloc %t : memref<64xi64>
  return
}

// The loop never frees the first one, which is freed behind it: that is merged.
//    IR-LABEL: func.func @kept(
//          IR:   memref.alloc() {{.*}} : memref<1024xi8>
//          IR:   scf.for
//          IR:     scf.if
//          IR:       memref.dealloc
func.func @kept(%out: memref<64xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %false = arith.constant false
  %true = arith.constant true
  %one = arith.constant 1 : i64
  %b = memref.alloc() : memref<64xi64>
  linalg.fill ins(%one : i64) outs(%b : memref<64xi64>)
  %a = memref.alloc() : memref<64xi64>
  memref.copy %b, %a : memref<64xi64> to memref<64xi64>
  memref.dealloc %b : memref<64xi64>
  %s, %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%m = %a, %owned = %false) -> (memref<64xi64>, i1) {
    %u = memref.alloc() : memref<64xi64>
    func.call @next(%m, %u) : (memref<64xi64>, memref<64xi64>) -> ()
    scf.if %owned {
      memref.dealloc %m : memref<64xi64>
    }
    scf.yield %u, %true : memref<64xi64>, i1
  }
  memref.dealloc %a : memref<64xi64>
  memref.copy %s, %out : memref<64xi64> to memref<64xi64>
  scf.if %last {
    memref.dealloc %s : memref<64xi64>
  }
  return
}

// The same in blocks.
//    IR-LABEL: func.func @blocks(
//          IR:   memref.alloc() {{.*}} : memref<1024xi8>
func.func @blocks(%n: index, %out: memref<64xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  %true = arith.constant true
  %one = arith.constant 1 : i64
  %b = memref.alloc() : memref<64xi64>
  linalg.fill ins(%one : i64) outs(%b : memref<64xi64>)
  %a = memref.alloc() : memref<64xi64>
  memref.copy %b, %a : memref<64xi64> to memref<64xi64>
  memref.dealloc %b : memref<64xi64>
  cf.br ^head(%c0, %a, %false : index, memref<64xi64>, i1)
^head(%i: index, %m: memref<64xi64>, %owned: i1):
  %more = arith.cmpi ult, %i, %n : index
  cf.cond_br %more, ^body, ^end
^body:
  %u = memref.alloc() : memref<64xi64>
  func.call @next(%m, %u) : (memref<64xi64>, memref<64xi64>) -> ()
  scf.if %owned {
    memref.dealloc %m : memref<64xi64>
  }
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %u, %true : index, memref<64xi64>, i1)
^end:
  memref.copy %m, %out : memref<64xi64> to memref<64xi64>
  scf.if %owned {
    memref.dealloc %m : memref<64xi64>
  }
  memref.dealloc %a : memref<64xi64>
  return
}

// The loop is given the first one to free, in one function by a branch that says so:
// that stays.
//    IR-LABEL: func.func @owned(
//          IR:   memref.alloc() {{.*}} : memref<1024xi8>
//          IR:   scf.for
//          IR:     scf.if
//          IR:       memref.dealloc
func.func @owned(%c: i1, %out: memref<64xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %true = arith.constant true
  %one = arith.constant 1 : i64
  %b = memref.alloc() : memref<64xi64>
  linalg.fill ins(%one : i64) outs(%b : memref<64xi64>)
  %d = memref.alloc() : memref<64xi64>
  memref.copy %b, %d : memref<64xi64> to memref<64xi64>
  memref.dealloc %b : memref<64xi64>
  %a = memref.alloc() : memref<64xi64>
  memref.copy %d, %a : memref<64xi64> to memref<64xi64>
  memref.dealloc %d : memref<64xi64>
  %s, %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%m = %a, %owned = %c) -> (memref<64xi64>, i1) {
    %u = memref.alloc() : memref<64xi64>
    func.call @next(%m, %u) : (memref<64xi64>, memref<64xi64>) -> ()
    scf.if %owned {
      memref.dealloc %m : memref<64xi64>
    }
    scf.yield %u, %true : memref<64xi64>, i1
  }
  memref.copy %s, %out : memref<64xi64> to memref<64xi64>
  scf.if %last {
    memref.dealloc %s : memref<64xi64>
  }
  return
}

// What is freed where the flag is false stays as well.
//    IR-LABEL: func.func @other_branch(
//          IR:   memref.alloc() {{.*}} : memref<1024xi8>
//          IR:   scf.for
func.func @other_branch(%out: memref<64xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %false = arith.constant false
  %one = arith.constant 1 : i64
  %b = memref.alloc() : memref<64xi64>
  linalg.fill ins(%one : i64) outs(%b : memref<64xi64>)
  %d = memref.alloc() : memref<64xi64>
  memref.copy %b, %d : memref<64xi64> to memref<64xi64>
  memref.dealloc %b : memref<64xi64>
  %a = memref.alloc() : memref<64xi64>
  memref.copy %d, %a : memref<64xi64> to memref<64xi64>
  memref.dealloc %d : memref<64xi64>
  %s, %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%m = %a, %kept = %false) -> (memref<64xi64>, i1) {
    %u = memref.alloc() : memref<64xi64>
    func.call @next(%m, %u) : (memref<64xi64>, memref<64xi64>) -> ()
    scf.if %kept {
    } else {
      memref.dealloc %m : memref<64xi64>
    }
    scf.yield %u, %false : memref<64xi64>, i1
  }
  memref.copy %s, %out : memref<64xi64> to memref<64xi64>
  memref.dealloc %s : memref<64xi64>
  return
}

// The flag is selected by something else than the memref is.
//    IR-LABEL: func.func @selected(
//          IR:   memref.alloc() {{.*}} : memref<1024xi8>
//          IR:   scf.if
//          IR:     memref.dealloc
func.func @selected(%c: i1, %d: i1, %out: memref<64xi64>) {
  %false = arith.constant false
  %true = arith.constant true
  %one = arith.constant 81 : i64
  %b = memref.alloc() : memref<64xi64>
  linalg.fill ins(%one : i64) outs(%b : memref<64xi64>)
  %e = memref.alloc() : memref<64xi64>
  memref.copy %b, %e : memref<64xi64> to memref<64xi64>
  memref.dealloc %b : memref<64xi64>
  %a = memref.alloc() : memref<64xi64>
  memref.copy %e, %a : memref<64xi64> to memref<64xi64>
  memref.dealloc %e : memref<64xi64>
  %s = arith.select %c, %a, %out : memref<64xi64>
  %owned = arith.select %d, %false, %true : i1
  memref.copy %s, %out : memref<64xi64> to memref<64xi64>
  scf.if %owned {
    memref.dealloc %s : memref<64xi64>
  }
  return
}

func.func @main() {
  %false = arith.constant false
  %true = arith.constant true
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %out = memref.alloc() : memref<64xi64>
  // CHECK: 81
  call @kept(%out) : (memref<64xi64>) -> ()
  %0 = memref.load %out[%c1] : memref<64xi64>
  vector.print %0 : i64
  // CHECK-NEXT: 81
  call @blocks(%c4, %out) : (index, memref<64xi64>) -> ()
  %1 = memref.load %out[%c1] : memref<64xi64>
  vector.print %1 : i64
  // CHECK-NEXT: 81
  call @owned(%true, %out) : (i1, memref<64xi64>) -> ()
  %2 = memref.load %out[%c1] : memref<64xi64>
  vector.print %2 : i64
  // CHECK-NEXT: 81
  call @other_branch(%out) : (memref<64xi64>) -> ()
  %3 = memref.load %out[%c1] : memref<64xi64>
  vector.print %3 : i64
  // CHECK-NEXT: 81
  call @selected(%true, %false, %out) : (i1, i1, memref<64xi64>) -> ()
  %4 = memref.load %out[%c1] : memref<64xi64>
  vector.print %4 : i64
  return
}
