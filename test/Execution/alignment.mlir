// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=bump alignment=1" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=best-fit alignment=1" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=first-fit alignment=1" -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Guards promised alignments: a vector that is stored to a buffer that is said to be
// aligned is stored by an instruction that fails where it is not.

//    IR-LABEL: func.func @assumed(
//          IR:   memref.alloc() {{.*}} : memref<32xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @assumed(%v: vector<4xi32>, %k: i32) {
  %c0 = arith.constant 0 : index
  %small = memref.alloc() : memref<1xi32>
  memref.store %k, %small[%c0] : memref<1xi32>
  %a = memref.alloc() : memref<4xi32>
  %aligned = memref.assume_alignment %a, 16 : memref<4xi32>
  vector.store %v, %aligned[%c0] : memref<4xi32>, vector<4xi32>
  %any = memref.cast %aligned : memref<4xi32> to memref<*xi32>
  call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  %b = memref.alloc() : memref<4xi32>
  linalg.fill ins(%k : i32) outs(%b : memref<4xi32>)
  %any_b = memref.cast %b : memref<4xi32> to memref<*xi32>
  call @printMemrefI32(%any_b) : (memref<*xi32>) -> ()
  %any_small = memref.cast %small : memref<1xi32> to memref<*xi32>
  call @printMemrefI32(%any_small) : (memref<*xi32>) -> ()
  return
}

//    IR-LABEL: func.func @by_attribute(
//          IR:   memref.alloc() {{.*}} : memref<32xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @by_attribute(%v: vector<4xi32>, %k: i32) {
  %c0 = arith.constant 0 : index
  %small = memref.alloc() : memref<1xi32>
  memref.store %k, %small[%c0] : memref<1xi32>
  %a = memref.alloc() : memref<4xi32>
  vector.store %v, %a[%c0] {alignment = 16 : i64} : memref<4xi32>, vector<4xi32>
  %any = memref.cast %a : memref<4xi32> to memref<*xi32>
  call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  %b = memref.alloc() : memref<4xi32>
  linalg.fill ins(%k : i32) outs(%b : memref<4xi32>)
  %any_b = memref.cast %b : memref<4xi32> to memref<*xi32>
  call @printMemrefI32(%any_b) : (memref<*xi32>) -> ()
  %any_small = memref.cast %small : memref<1xi32> to memref<*xi32>
  call @printMemrefI32(%any_small) : (memref<*xi32>) -> ()
  return
}

//    IR-LABEL: func.func @by_callee(
//          IR:   memref.alloc() {{.*}} : memref<32xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @by_callee(%v: vector<4xi32>, %k: i32) {
  %c0 = arith.constant 0 : index
  %small = memref.alloc() : memref<1xi32>
  memref.store %k, %small[%c0] : memref<1xi32>
  %a = memref.alloc() : memref<4xi32>
  call @fill(%v, %a) : (vector<4xi32>, memref<4xi32>) -> ()
  %any = memref.cast %a : memref<4xi32> to memref<*xi32>
  call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  %b = memref.alloc() : memref<4xi32>
  linalg.fill ins(%k : i32) outs(%b : memref<4xi32>)
  %any_b = memref.cast %b : memref<4xi32> to memref<*xi32>
  call @printMemrefI32(%any_b) : (memref<*xi32>) -> ()
  %any_small = memref.cast %small : memref<1xi32> to memref<*xi32>
  call @printMemrefI32(%any_small) : (memref<*xi32>) -> ()
  return
}
func.func @fill(%v: vector<4xi32>, %m: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %aligned = memref.assume_alignment %m, 16 : memref<4xi32>
  vector.store %v, %aligned[%c0] {alignment = 16 : i64} : memref<4xi32>, vector<4xi32>
  return
}

func.func @main() {
  %v = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
  %seven = arith.constant 7 : i32
  // CHECK: [1,  2,  3,  4]
  // CHECK: [7,  7,  7,  7]
  // CHECK: [7]
  call @assumed(%v, %seven) : (vector<4xi32>, i32) -> ()
  // CHECK: [1,  2,  3,  4]
  // CHECK: [7,  7,  7,  7]
  // CHECK: [7]
  call @by_attribute(%v, %seven) : (vector<4xi32>, i32) -> ()
  // CHECK: [1,  2,  3,  4]
  // CHECK: [7,  7,  7,  7]
  // CHECK: [7]
  call @by_callee(%v, %seven) : (vector<4xi32>, i32) -> ()
  return
}
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
