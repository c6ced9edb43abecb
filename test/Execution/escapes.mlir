// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=bump | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=best-fit | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=first-fit limit-peak=none erase-copies=false" -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Guards the escapes: a buffer that is stored as a value, or that a callee stores,
// is read again by way of memory when %b and %c have had its bytes.

//    IR-LABEL: func.func @stored(
//          IR:   memref.alloc() {{.*}} : memref<64xi8>
//          IR:   memref.alloc() : memref<8xi64>
//          IR:   return
func.func @stored(%box: memref<1xmemref<8xi64>>, %out: memref<8xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<8xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<8xi64>)
  memref.store %a, %box[%c0] : memref<1xmemref<8xi64>>
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
  memref.copy %b, %out : memref<8xi64> to memref<8xi64>
  %c = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%c : memref<8xi64>)
  memref.copy %c, %out : memref<8xi64> to memref<8xi64>
  %m = memref.load %box[%c0] : memref<1xmemref<8xi64>>
  %r = memref.load %m[%c1] : memref<8xi64>
  return %r : i64
}

//    IR-LABEL: func.func @stored_by_callee(
//          IR:   memref.alloc() {{.*}} : memref<64xi8>
//          IR:   memref.alloc() : memref<8xi64>
//          IR:   return
func.func @stored_by_callee(%box: memref<1xmemref<8xi64>>, %out: memref<8xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<8xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<8xi64>)
  call @keep(%a, %box) : (memref<8xi64>, memref<1xmemref<8xi64>>) -> ()
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
  memref.copy %b, %out : memref<8xi64> to memref<8xi64>
  %c = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%c : memref<8xi64>)
  memref.copy %c, %out : memref<8xi64> to memref<8xi64>
  %m = memref.load %box[%c0] : memref<1xmemref<8xi64>>
  %r = memref.load %m[%c1] : memref<8xi64>
  return %r : i64
}
func.func @keep(%m: memref<8xi64>, %box: memref<1xmemref<8xi64>>) {
  %c0 = arith.constant 0 : index
  memref.store %m, %box[%c0] : memref<1xmemref<8xi64>>
  return
}

// Returned, perhaps: it must outlive the pool, which is freed.
//    IR-LABEL: func.func @returned(
//          IR:   memref.alloc() {{.*}} : memref<64xi8>
//          IR:   memref.alloc() : memref<8xi64>
//          IR:   return
func.func @returned(%c: i1, %arg: memref<8xi64>, %out: memref<8xi64>) -> memref<8xi64> {
  %two = arith.constant 2 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<8xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<8xi64>)
  %s = arith.select %c, %a, %arg : memref<8xi64>
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
  memref.copy %b, %out : memref<8xi64> to memref<8xi64>
  memref.dealloc %b : memref<8xi64>
  %d = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%d : memref<8xi64>)
  memref.copy %d, %out : memref<8xi64> to memref<8xi64>
  memref.dealloc %d : memref<8xi64>
  return %s : memref<8xi64>
}

// One of two freed, of which one is the caller's: both stay, and the right one is
// freed. %kept is read afterwards.
//    IR-LABEL: func.func @group(
//          IR:   memref.alloc() {{.*}} : memref<64xi8>
//          IR:   memref.alloc() : memref<8xi64>
//          IR:   memref.dealloc
//          IR:   return
func.func @group(%c: i1, %arg: memref<8xi64>, %out: memref<8xi64>) {
  %two = arith.constant 2 : i64
  %a = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%a : memref<8xi64>)
  memref.copy %a, %out : memref<8xi64> to memref<8xi64>
  %s = arith.select %c, %a, %arg : memref<8xi64>
  memref.dealloc %s : memref<8xi64>
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%b : memref<8xi64>)
  memref.copy %b, %out : memref<8xi64> to memref<8xi64>
  %d = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%d : memref<8xi64>)
  memref.copy %d, %out : memref<8xi64> to memref<8xi64>
  memref.dealloc %d : memref<8xi64>
  memref.dealloc %b : memref<8xi64>
  return
}

func.func @main() {
  %true = arith.constant true
  %c1 = arith.constant 1 : index
  %five = arith.constant 5 : i64
  %box = memref.alloc() : memref<1xmemref<8xi64>>
  %out = memref.alloc() : memref<8xi64>
  %arg = memref.alloc() : memref<8xi64>
  linalg.fill ins(%five : i64) outs(%arg : memref<8xi64>)
  // CHECK: 7
  %0 = call @stored(%box, %out) : (memref<1xmemref<8xi64>>, memref<8xi64>) -> i64
  vector.print %0 : i64
  // CHECK-NEXT: 7
  %1 = call @stored_by_callee(%box, %out) : (memref<1xmemref<8xi64>>, memref<8xi64>) -> i64
  vector.print %1 : i64
  // CHECK-NEXT: 7
  %m = call @returned(%true, %arg, %out) : (i1, memref<8xi64>, memref<8xi64>) -> memref<8xi64>
  %2 = memref.load %m[%c1] : memref<8xi64>
  vector.print %2 : i64
  call @group(%true, %arg, %out) : (i1, memref<8xi64>, memref<8xi64>) -> ()
  // CHECK-NEXT: 5
  %3 = memref.load %arg[%c1] : memref<8xi64>
  vector.print %3 : i64
  return
}
