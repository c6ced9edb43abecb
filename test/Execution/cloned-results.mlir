// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --buffer-merge=scheduler=bump | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --buffer-merge=scheduler=best-fit | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --buffer-merge=scheduler=bump -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// A callee returns its argument; after MLIR's deallocation passes, a clone of it, which
// the caller deallocates by itself. What decides at run time whether it does compares
// the clone with the buffers, and goes on to do so.

//    IR-LABEL: func.func @call(
//          IR:   %[[POOL:.*]] = memref.alloc() {{.*}} : memref<128xi8>
//      IR-NOT:   memref.alloc() : memref<8xi64>
//          IR:   memref.view %[[POOL]]{{.*}} to memref<8xi64>
//          IR:   memref.view %[[POOL]]{{.*}} to memref<8xi64>
//          IR:   scf.if
//          IR:     memref.dealloc %{{.*}} : memref<i64>
//          IR:   return
func.func private @same(%m: memref<8xi64>) -> memref<8xi64> {
  return %m : memref<8xi64>
}
func.func @call(%out: memref<8xi64>) {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %six = arith.constant 6 : i64
  %a = memref.alloc() : memref<8xi64>
  linalg.fill ins(%six : i64) outs(%a : memref<8xi64>)
  %b = call @same(%a) : (memref<8xi64>) -> memref<8xi64>
  %x = memref.load %b[%c1] : memref<8xi64>
  memref.store %x, %out[%c5] : memref<8xi64>
  %d = memref.alloc() : memref<8xi64>
  linalg.fill ins(%x : i64) outs(%d : memref<8xi64>)
  %y = memref.load %d[%c1] : memref<8xi64>
  memref.store %y, %out[%c6] : memref<8xi64>
  return
}

func.func @main() {
  %zero = arith.constant 0 : i64
  %out = memref.alloc() : memref<8xi64>
  %any = memref.cast %out : memref<8xi64> to memref<*xi64>
  linalg.fill ins(%zero : i64) outs(%out : memref<8xi64>)
  call @call(%out) : (memref<8xi64>) -> ()
  // CHECK: [0,  0,  0,  0,  0,  6,  6,  0]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
