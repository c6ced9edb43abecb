// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=bump alignment=1" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=best-fit alignment=1" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=first-fit alignment=1" -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: buffer-merge-opt %s --buffer-merge="alignment=1 pool=stack" | %execute | diff %t.before -

// Guards alignments that are taken for granted: a vector is stored by an instruction that
// fails where the buffer is not aligned. Nothing is passed to functions without a body, for
// which alone every buffer would be aligned.

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
  call @print(%a) : (memref<4xi32>) -> ()
  %b = memref.alloc() : memref<4xi32>
  linalg.fill ins(%k : i32) outs(%b : memref<4xi32>)
  call @print(%b) : (memref<4xi32>) -> ()
  %last = memref.load %small[%c0] : memref<1xi32>
  vector.print %last : i32
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
  call @print(%a) : (memref<4xi32>) -> ()
  %b = memref.alloc() : memref<4xi32>
  linalg.fill ins(%k : i32) outs(%b : memref<4xi32>)
  call @print(%b) : (memref<4xi32>) -> ()
  %last = memref.load %small[%c0] : memref<1xi32>
  vector.print %last : i32
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
  call @print(%a) : (memref<4xi32>) -> ()
  %b = memref.alloc() : memref<4xi32>
  linalg.fill ins(%k : i32) outs(%b : memref<4xi32>)
  call @print(%b) : (memref<4xi32>) -> ()
  %last = memref.load %small[%c0] : memref<1xi32>
  vector.print %last : i32
  return
}
func.func @fill(%v: vector<4xi32>, %m: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %aligned = memref.assume_alignment %m, 16 : memref<4xi32>
  vector.store %v, %aligned[%c0] {alignment = 16 : i64} : memref<4xi32>, vector<4xi32>
  return
}

// Bytes that are accessed as vectors, which nothing promises to be aligned.
//    IR-LABEL: func.func @by_view(
//          IR:   memref.alloc() {{.*}} : memref<32xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @by_view(%v: vector<4xi32>, %k: i32) {
  %c0 = arith.constant 0 : index
  %small = memref.alloc() : memref<1xi32>
  memref.store %k, %small[%c0] : memref<1xi32>
  %bytes = memref.alloc() : memref<16xi8>
  %vectors = memref.view %bytes[%c0][] : memref<16xi8> to memref<1xvector<4xi32>>
  memref.store %v, %vectors[%c0] : memref<1xvector<4xi32>>
  %a = memref.view %bytes[%c0][] : memref<16xi8> to memref<4xi32>
  call @print(%a) : (memref<4xi32>) -> ()
  %b = memref.alloc() : memref<4xi32>
  linalg.fill ins(%k : i32) outs(%b : memref<4xi32>)
  call @print(%b) : (memref<4xi32>) -> ()
  %last = memref.load %small[%c0] : memref<1xi32>
  vector.print %last : i32
  return
}

//    IR-LABEL: func.func @by_type_cast(
//          IR:   memref.alloc() {{.*}} : memref<32xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @by_type_cast(%v: vector<4xi32>, %k: i32) {
  %c0 = arith.constant 0 : index
  %small = memref.alloc() : memref<1xi32>
  memref.store %k, %small[%c0] : memref<1xi32>
  %a = memref.alloc() : memref<4xi32>
  %vector = vector.type_cast %a : memref<4xi32> to memref<vector<4xi32>>
  memref.store %v, %vector[] : memref<vector<4xi32>>
  call @print(%a) : (memref<4xi32>) -> ()
  %b = memref.alloc() : memref<4xi32>
  linalg.fill ins(%k : i32) outs(%b : memref<4xi32>)
  call @print(%b) : (memref<4xi32>) -> ()
  %last = memref.load %small[%c0] : memref<1xi32>
  vector.print %last : i32
  return
}

//    IR-LABEL: func.func @by_view_in_callee(
//          IR:   memref.alloc() {{.*}} : memref<32xi8>
//      IR-NOT:   memref.alloc
//          IR:   return
func.func @by_view_in_callee(%v: vector<4xi32>, %k: i32) {
  %c0 = arith.constant 0 : index
  %small = memref.alloc() : memref<1xi32>
  memref.store %k, %small[%c0] : memref<1xi32>
  %bytes = memref.alloc() : memref<16xi8>
  call @fill_view(%v, %bytes) : (vector<4xi32>, memref<16xi8>) -> ()
  %a = memref.view %bytes[%c0][] : memref<16xi8> to memref<4xi32>
  call @print(%a) : (memref<4xi32>) -> ()
  %b = memref.alloc() : memref<4xi32>
  linalg.fill ins(%k : i32) outs(%b : memref<4xi32>)
  call @print(%b) : (memref<4xi32>) -> ()
  %last = memref.load %small[%c0] : memref<1xi32>
  vector.print %last : i32
  return
}
func.func @fill_view(%v: vector<4xi32>, %m: memref<16xi8>) {
  %c0 = arith.constant 0 : index
  %vectors = memref.view %m[%c0][] : memref<16xi8> to memref<1xvector<4xi32>>
  memref.store %v, %vectors[%c0] : memref<1xvector<4xi32>>
  return
}

func.func @print(%m: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %m[%c0] : memref<4xi32>, vector<4xi32>
  vector.print %v : vector<4xi32>
  return
}

func.func @main() {
  %v = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
  %seven = arith.constant 7 : i32
  // CHECK: ( 1, 2, 3, 4 )
  // CHECK-NEXT: ( 7, 7, 7, 7 )
  // CHECK-NEXT: 7
  call @assumed(%v, %seven) : (vector<4xi32>, i32) -> ()
  // CHECK: ( 1, 2, 3, 4 )
  // CHECK-NEXT: ( 7, 7, 7, 7 )
  // CHECK-NEXT: 7
  call @by_attribute(%v, %seven) : (vector<4xi32>, i32) -> ()
  // CHECK: ( 1, 2, 3, 4 )
  // CHECK-NEXT: ( 7, 7, 7, 7 )
  // CHECK-NEXT: 7
  call @by_callee(%v, %seven) : (vector<4xi32>, i32) -> ()
  // CHECK: ( 1, 2, 3, 4 )
  // CHECK-NEXT: ( 7, 7, 7, 7 )
  // CHECK-NEXT: 7
  call @by_view(%v, %seven) : (vector<4xi32>, i32) -> ()
  // CHECK: ( 1, 2, 3, 4 )
  // CHECK-NEXT: ( 7, 7, 7, 7 )
  // CHECK-NEXT: 7
  call @by_type_cast(%v, %seven) : (vector<4xi32>, i32) -> ()
  // CHECK: ( 1, 2, 3, 4 )
  // CHECK-NEXT: ( 7, 7, 7, 7 )
  // CHECK-NEXT: 7
  call @by_view_in_callee(%v, %seven) : (vector<4xi32>, i32) -> ()
  return
}
