// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=bump | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=best-fit | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='scheduler=first-fit limit-peak=none' -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: buffer-merge-opt %s --canonicalize | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge --canonicalize -o %t.folded.mlir
// RUN: cat %t.folded.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=FOLDED < %t.folded.mlir

// Clones may become aliases of their source after merging: `canonicalize` does that to
// the first one. Its source keeps its bytes as long as the clone is read.

//    IR-LABEL: func.func @read(
//          IR:   memref.alloc() {{.*}} : memref<128xi8>
//      IR-NOT:   memref.alloc
//          IR:   memref.dealloc
//      IR-NOT:   memref.dealloc
//          IR:   return
// FOLDED-LABEL: func.func @read(
//   FOLDED-NOT:   bufferization.clone
//       FOLDED:   return
func.func @read(%out: memref<8xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %a = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%a : memref<8xi64>)
  %b = bufferization.clone %a : memref<8xi64> to memref<8xi64>
  %d = memref.alloc() : memref<8xi64>
  linalg.fill ins(%three : i64) outs(%d : memref<8xi64>)
  %x = memref.load %d[%c1] : memref<8xi64>
  %y = memref.load %b[%c1] : memref<8xi64>
  memref.store %x, %out[%c0] : memref<8xi64>
  memref.store %y, %out[%c1] : memref<8xi64>
  memref.dealloc %b : memref<8xi64>
  %e = memref.alloc() : memref<8xi64>
  linalg.fill ins(%x : i64) outs(%e : memref<8xi64>)
  %z = memref.load %e[%c1] : memref<8xi64>
  memref.store %z, %out[%c2] : memref<8xi64>
  return
}

// The clone outlives the deallocation of its source, and is freed by itself.
func.func @outlives(%out: memref<8xi64>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %four = arith.constant 4 : i64
  %five = arith.constant 5 : i64
  %a = memref.alloc() : memref<8xi64>
  linalg.fill ins(%four : i64) outs(%a : memref<8xi64>)
  %b = bufferization.clone %a : memref<8xi64> to memref<8xi64>
  memref.dealloc %a : memref<8xi64>
  %d = memref.alloc() : memref<8xi64>
  linalg.fill ins(%five : i64) outs(%d : memref<8xi64>)
  %x = memref.load %d[%c1] : memref<8xi64>
  %y = memref.load %b[%c1] : memref<8xi64>
  memref.store %y, %out[%c3] : memref<8xi64>
  memref.store %x, %out[%c4] : memref<8xi64>
  memref.dealloc %b : memref<8xi64>
  memref.dealloc %d : memref<8xi64>
  return
}

func.func @main() {
  %zero = arith.constant 0 : i64
  %out = memref.alloc() : memref<8xi64>
  %any = memref.cast %out : memref<8xi64> to memref<*xi64>
  linalg.fill ins(%zero : i64) outs(%out : memref<8xi64>)
  call @read(%out) : (memref<8xi64>) -> ()
  call @outlives(%out) : (memref<8xi64>) -> ()
  // CHECK: [3,  2,  3,  4,  5,  0,  0,  0]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
