// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --buffer-merge=scheduler=bump | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --buffer-merge=scheduler=bump -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=first-fit limit-peak=none" --cse --buffer-deallocation-pipeline | %execute | diff %t.before -

// Deallocations that are decided at run time. test/Memory runs this as well, and finds
// what is freed twice, too early, or not at all.

// One of two leaves a branch, and is freed by whoever owns it.
//    IR-LABEL: func.func @branches(
//          IR:   memref.alloc() {{.*}} : memref<1024xi8>
//          IR:   return
func.func @branches(%c: i1, %out: memref<64xi64>) {
  %two = arith.constant 2 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<64xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<64xi64>)
  %s = scf.if %c -> (memref<64xi64>) {
    %b = memref.alloc() : memref<64xi64>
    linalg.fill ins(%two : i64) outs(%b : memref<64xi64>)
    scf.yield %b : memref<64xi64>
  } else {
    scf.yield %a : memref<64xi64>
  }
  memref.copy %s, %out : memref<64xi64> to memref<64xi64>
  return
}

// Results of calls may be the same as what is returned: the general case.
//    IR-LABEL: func.func @called(
//          IR:   memref.alloc() {{.*}} : memref<1536xi8>
//          IR:   call @dealloc_helper
//          IR:   return
func.func @called(%out: memref<64xi64>) -> memref<64xi64> {
  %three = arith.constant 3 : i64
  %a = memref.alloc() : memref<64xi64>
  linalg.fill ins(%three : i64) outs(%a : memref<64xi64>)
  %x = call @make(%a) : (memref<64xi64>) -> memref<64xi64>
  %b = memref.alloc() : memref<64xi64>
  linalg.add ins(%a, %x : memref<64xi64>, memref<64xi64>) outs(%b : memref<64xi64>)
  %c = memref.alloc() : memref<64xi64>
  linalg.add ins(%b, %x : memref<64xi64>, memref<64xi64>) outs(%c : memref<64xi64>)
  %y = call @make(%c) : (memref<64xi64>) -> memref<64xi64>
  memref.copy %y, %out : memref<64xi64> to memref<64xi64>
  %r = memref.alloc() : memref<64xi64>
  linalg.add ins(%c, %y : memref<64xi64>, memref<64xi64>) outs(%r : memref<64xi64>)
  return %r : memref<64xi64>
}
func.func private @make(%m: memref<64xi64>) -> memref<64xi64> {
  %r = memref.alloc() : memref<64xi64>
  linalg.add ins(%m, %m : memref<64xi64>, memref<64xi64>) outs(%r : memref<64xi64>)
  return %r : memref<64xi64>
}

// Every iteration frees what the one before has left, or not: the first one must not
// free the pool, which a flag says.
//    IR-LABEL: func.func @loop(
//          IR:   memref.alloc() {{.*}} : memref<1024xi8>
//          IR:   return
func.func @loop(%out: memref<64xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i64
  %a = memref.alloc() : memref<64xi64>
  linalg.fill ins(%one : i64) outs(%a : memref<64xi64>)
  %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%m = %a) -> (memref<64xi64>) {
    %t = memref.alloc() : memref<64xi64>
    linalg.add ins(%m, %m : memref<64xi64>, memref<64xi64>) outs(%t : memref<64xi64>)
    %u = memref.alloc() : memref<64xi64>
    linalg.add ins(%t, %m : memref<64xi64>, memref<64xi64>) outs(%u : memref<64xi64>)
    scf.yield %u : memref<64xi64>
  }
  memref.copy %s, %out : memref<64xi64> to memref<64xi64>
  return
}

// Views of a pool in several blocks, and as an argument of one.
//    IR-LABEL: func.func @blocks(
//          IR:   return
func.func @blocks(%c: i1, %out: memref<64xi64>) {
  %five = arith.constant 5 : i64
  %six = arith.constant 6 : i64
  %a = memref.alloc() : memref<64xi64>
  linalg.fill ins(%five : i64) outs(%a : memref<64xi64>)
  %b = memref.alloc() : memref<64xi64>
  linalg.fill ins(%six : i64) outs(%b : memref<64xi64>)
  cf.cond_br %c, ^one, ^two(%a : memref<64xi64>)
^one:
  memref.copy %a, %out : memref<64xi64> to memref<64xi64>
  %d = memref.alloc() : memref<64xi64>
  linalg.add ins(%a, %b : memref<64xi64>, memref<64xi64>) outs(%d : memref<64xi64>)
  cf.br ^two(%d : memref<64xi64>)
^two(%m: memref<64xi64>):
  %e = memref.alloc() : memref<64xi64>
  linalg.add ins(%m, %b : memref<64xi64>, memref<64xi64>) outs(%e : memref<64xi64>)
  memref.copy %e, %out : memref<64xi64> to memref<64xi64>
  return
}

func.func @main() {
  %true = arith.constant true
  %false = arith.constant false
  %c1 = arith.constant 1 : index
  %out = memref.alloc() : memref<64xi64>
  // CHECK: 2
  call @branches(%true, %out) : (i1, memref<64xi64>) -> ()
  %0 = memref.load %out[%c1] : memref<64xi64>
  vector.print %0 : i64
  // CHECK-NEXT: 7
  call @branches(%false, %out) : (i1, memref<64xi64>) -> ()
  %1 = memref.load %out[%c1] : memref<64xi64>
  vector.print %1 : i64
  // 3, 6, 9, 15, 30; 45.
  // CHECK-NEXT: 30
  // CHECK-NEXT: 45
  %r = call @called(%out) : (memref<64xi64>) -> memref<64xi64>
  %2 = memref.load %out[%c1] : memref<64xi64>
  vector.print %2 : i64
  %3 = memref.load %r[%c1] : memref<64xi64>
  vector.print %3 : i64
  // CHECK-NEXT: 81
  call @loop(%out) : (memref<64xi64>) -> ()
  %4 = memref.load %out[%c1] : memref<64xi64>
  vector.print %4 : i64
  // CHECK-NEXT: 17
  call @blocks(%true, %out) : (i1, memref<64xi64>) -> ()
  %5 = memref.load %out[%c1] : memref<64xi64>
  vector.print %5 : i64
  // CHECK-NEXT: 11
  call @blocks(%false, %out) : (i1, memref<64xi64>) -> ()
  %6 = memref.load %out[%c1] : memref<64xi64>
  vector.print %6 : i64
  return
}
