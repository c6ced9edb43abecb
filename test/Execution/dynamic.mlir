// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge="dynamic=bounded scheduler=bump" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="dynamic=bounded scheduler=best-fit" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="dynamic=bounded in-place" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="dynamic=bounded scheduler=first-fit" -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: buffer-merge-opt %s --buffer-merge | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --ownership-based-buffer-deallocation --buffer-deallocation-simplification --bufferization-lower-deallocations --buffer-merge=dynamic=bounded | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=dynamic=bounded --ownership-based-buffer-deallocation --buffer-deallocation-simplification --bufferization-lower-deallocations | %execute | diff %t.before -

// Guards dynamic shapes: for no size at run time, the bound and 0 among them, buffers
// that share bytes get in each other's way.

#atMost8 = affine_map<(i) -> (8, i)>
#id = affine_map<(i) -> (i)>

// %a and %b are alive together, %c takes the place of %a.
//    IR-LABEL: func.func @bounded
//          IR:   memref.alloc() {{.*}} : memref<128xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @bounded(%k: index, %x: memref<?xi64>, %out: memref<?xi64>) {
  %n = affine.min #atMost8(%k)
  %xs = memref.subview %x[0] [%n] [1] : memref<?xi64> to memref<?xi64, strided<[1]>>
  %outs = memref.subview %out[0] [%n] [1] : memref<?xi64> to memref<?xi64, strided<[1]>>
  %a = memref.alloc(%n) : memref<?xi64>
  memref.copy %xs, %a : memref<?xi64, strided<[1]>> to memref<?xi64>
  %b = memref.alloc(%n) : memref<?xi64>
  linalg.add ins(%a, %a : memref<?xi64>, memref<?xi64>) outs(%b : memref<?xi64>)
  linalg.add ins(%a, %b : memref<?xi64>, memref<?xi64>) outs(%b : memref<?xi64>)
  %c = memref.alloc(%n) : memref<?xi64>
  linalg.add ins(%b, %b : memref<?xi64>, memref<?xi64>) outs(%c : memref<?xi64>)
  linalg.add ins(%c, %b : memref<?xi64>, memref<?xi64>) outs(%c : memref<?xi64>)
  memref.copy %c, %outs : memref<?xi64> to memref<?xi64, strided<[1]>>
  return
}

// Without a bound: one pool, and %e, in the loop, by itself.
//    IR-LABEL: func.func @equal
//  IR-COUNT-2:   memref.alloc(
//      IR-NOT:   memref.alloc(
//          IR:   return
func.func @equal(%k: index, %x: memref<?xi64>, %out: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %xs = memref.subview %x[0] [%k] [1] : memref<?xi64> to memref<?xi64, strided<[1]>>
  %outs = memref.subview %out[0] [%k] [1] : memref<?xi64> to memref<?xi64, strided<[1]>>
  %a = memref.alloc(%k) : memref<?xi64>
  memref.copy %xs, %a : memref<?xi64, strided<[1]>> to memref<?xi64>
  %b = memref.alloc(%k) : memref<?xi64>
  linalg.add ins(%a, %a : memref<?xi64>, memref<?xi64>) outs(%b : memref<?xi64>)
  %m = memref.dim %a, %c0 : memref<?xi64>
  %c = memref.alloc(%m) : memref<?xi64>
  linalg.add ins(%b, %b : memref<?xi64>, memref<?xi64>) outs(%c : memref<?xi64>)
  linalg.add ins(%c, %b : memref<?xi64>, memref<?xi64>) outs(%b : memref<?xi64>)
  scf.for %i = %c0 to %c3 step %c1 {
    %e = memref.alloc(%k) : memref<?xi64>
    linalg.add ins(%b, %b : memref<?xi64>, memref<?xi64>) outs(%e : memref<?xi64>)
    linalg.add ins(%e, %b : memref<?xi64>, memref<?xi64>) outs(%b : memref<?xi64>)
  }
  memref.copy %b, %outs : memref<?xi64> to memref<?xi64, strided<[1]>>
  return
}

// One element more than where %a was.
//    IR-LABEL: func.func @larger
//          IR:   memref.alloc(
//      IR-NOT:   memref.alloc(
//          IR:   return
func.func @larger(%k: index, %out: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i64
  %c9 = arith.constant 9 : i64
  %m = arith.addi %k, %c1 : index
  %a = memref.alloc(%k) : memref<?xi64>
  linalg.fill ins(%c7 : i64) outs(%a : memref<?xi64>)
  %guard = memref.alloc(%m) : memref<?xi64>
  linalg.fill ins(%c9 : i64) outs(%guard : memref<?xi64>)
  %b = memref.alloc(%m) : memref<?xi64>
  linalg.fill ins(%c7 : i64) outs(%b : memref<?xi64>)
  %x = memref.load %guard[%c0] : memref<?xi64>
  %y = memref.load %b[%k] : memref<?xi64>
  memref.store %x, %out[%c0] : memref<?xi64>
  memref.store %y, %out[%c1] : memref<?xi64>
  return
}

func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %c10 = arith.constant 10 : index
  %zero = arith.constant 0 : i64
  %x10 = memref.alloca() : memref<10xi64>
  %out10 = memref.alloca() : memref<10xi64>
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x10 : memref<10xi64>) {
    ^bb0(%o: i64):
      %i = linalg.index 0 : index
      %i1 = arith.addi %i, %c1 : index
      %v = arith.index_cast %i1 : index to i64
      linalg.yield %v : i64
  }
  linalg.fill ins(%zero : i64) outs(%out10 : memref<10xi64>)
  %x = memref.cast %x10 : memref<10xi64> to memref<?xi64>
  %out = memref.cast %out10 : memref<10xi64> to memref<?xi64>
  %any = memref.cast %out10 : memref<10xi64> to memref<*xi64>

  // CHECK: [0,  0,  0,  0,  0,  0,  0,  0,  0,  0]
  call @bounded(%c0, %x, %out) : (index, memref<?xi64>, memref<?xi64>) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [9,  0,  0,  0,  0,  0,  0,  0,  0,  0]
  call @bounded(%c1, %x, %out) : (index, memref<?xi64>, memref<?xi64>) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [9,  18,  27,  36,  45,  0,  0,  0,  0,  0]
  call @bounded(%c5, %x, %out) : (index, memref<?xi64>, memref<?xi64>) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [9,  18,  27,  36,  45,  54,  63,  72,  0,  0]
  call @bounded(%c8, %x, %out) : (index, memref<?xi64>, memref<?xi64>) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  call @bounded(%c10, %x, %out) : (index, memref<?xi64>, memref<?xi64>) -> ()
  // CHECK: [9,  18,  27,  36,  45,  54,  63,  72,  0,  0]
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()

  // 6 * 27
  // CHECK: [9,  18,  27,  36,  45,  54,  63,  72,  0,  0]
  call @equal(%c0, %x, %out) : (index, memref<?xi64>, memref<?xi64>) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [162,  324,  486,  648,  810,  54,  63,  72,  0,  0]
  call @equal(%c5, %x, %out) : (index, memref<?xi64>, memref<?xi64>) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [162,  324,  486,  648,  810,  972,  1134,  1296,  1458,  1620]
  call @equal(%c10, %x, %out) : (index, memref<?xi64>, memref<?xi64>) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()

  // CHECK: [9,  7,
  call @larger(%c10, %out) : (index, memref<?xi64>) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
