// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false limit-peak=none" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --buffer-merge | %execute | diff %t.before -

// Buffers that are aligned to less than 64 bytes, R1, do not overlap, and an access
// of 16 bytes to a buffer of 20 is aligned, as malloc would have it.

// 4 bytes, 20 at a multiple of 16, and 128 twice in turn: 152, and 196 at multiples of 64.
//    IR-LABEL: func.func @small
//          IR:   memref.alloc() {alignment = 64 : i64} : memref<152xi8>
func.func @small(%x: f32) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c31 = arith.constant 31 : index
  %s = memref.alloc() : memref<f32>
  memref.store %x, %s[] : memref<f32>
  %v = memref.alloc() : memref<5xf32>
  %ones = arith.constant dense<[1., 2., 3., 4.]> : vector<4xf32>
  vector.store %ones, %v[%c0] : memref<5xf32>, vector<4xf32>
  %a = memref.alloc() : memref<32xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<32xf32>)
  %y = memref.load %a[%c31] : memref<32xf32>
  %z = arith.addf %y, %y : f32
  %b = memref.alloc() : memref<32xf32>
  linalg.fill ins(%z : f32) outs(%b : memref<32xf32>)
  %w = memref.load %b[%c0] : memref<32xf32>
  %p = memref.load %s[] : memref<f32>
  %q = vector.load %v[%c0] : memref<5xf32>, vector<4xf32>
  %sum = arith.addf %w, %p : f32
  %all = vector.broadcast %sum : f32 to vector<4xf32>
  %r = arith.addf %q, %all : vector<4xf32>
  return %r : vector<4xf32>
}

func.func @main() {
  %x = arith.constant 10.0 : f32
  %r = call @small(%x) : (f32) -> vector<4xf32>
  // CHECK: ( 31, 32, 33, 34 )
  vector.print %r : vector<4xf32>
  return
}
