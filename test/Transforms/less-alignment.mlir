// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge=alignment=64 | FileCheck %s --check-prefix=STATED
// RUN: buffer-merge-opt %s --buffer-merge=report=%t.json -o %t.mlir
// RUN: buffer-merge-opt %s --buffer-merge=offsets=%t.json | diff %t.mlir -
// RUN: not buffer-merge-opt %s --buffer-merge="offsets=%t.json alignment=64" 2>&1 | FileCheck %s --check-prefix=REFUSED

// REFUSED: error: {{.*}}.json: invalid schedule: {{.*}}
// REFUSED-NOT: error:

// Where only the alignment that nobody asked for makes a pool larger than its
// buffers are at once, a buffer is aligned to what its size is a multiple of.

// Two scalars beside two buffers in turn.
// CHECK-LABEL: func.func @scalars(
//       CHECK:   memref.alloc() {alignment = 64 : i64} : memref<4104xi8>
// STATED-LABEL: func.func @scalars(
//       STATED:   memref.alloc() {alignment = 64 : i64} : memref<4164xi8>
func.func @scalars(%x: f32, %i: index) -> f32 {
  %s = memref.alloc() : memref<f32>
  memref.store %x, %s[] : memref<f32>
  %t = memref.alloc() : memref<f32>
  memref.store %x, %t[] : memref<f32>
  %a = memref.alloc() : memref<1024xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<1024xf32>)
  %v = memref.load %a[%i] : memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  linalg.fill ins(%v : f32) outs(%b : memref<1024xf32>)
  %w = memref.load %b[%i] : memref<1024xf32>
  %y = memref.load %s[] : memref<f32>
  %z = memref.load %t[] : memref<f32>
  %sum = arith.addf %w, %y : f32
  %all = arith.addf %sum, %z : f32
  return %all : f32
}

// One asks for 64 bytes, and an access to the other relies on 32.
// CHECK-LABEL: func.func @needed(
//       CHECK:   memref.alloc() {alignment = 64 : i64} : memref<4068xi8>
func.func @needed(%x: f32, %i: index) -> f32 {
  %s = memref.alloc() {alignment = 64 : i64} : memref<f32>
  memref.store %x, %s[] : memref<f32>
  %t = memref.alloc() : memref<f32>
  %t32 = memref.assume_alignment %t, 32 : memref<f32>
  memref.store %x, %t32[] : memref<f32>
  %u = memref.alloc() {alignment = 64 : i64} : memref<f32>
  memref.store %x, %u[] : memref<f32>
  %a = memref.alloc() : memref<1000xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<1000xf32>)
  %v = memref.load %a[%i] : memref<1000xf32>
  %b = memref.alloc() : memref<1000xf32>
  linalg.fill ins(%v : f32) outs(%b : memref<1000xf32>)
  %w = memref.load %b[%i] : memref<1000xf32>
  %y = memref.load %s[] : memref<f32>
  %z = memref.load %t32[] : memref<f32>
  %p = memref.load %u[] : memref<f32>
  %sum = arith.addf %w, %y : f32
  %all = arith.addf %sum, %z : f32
  %last = arith.addf %all, %p : f32
  return %last : f32
}

// Nothing is lost at 64 bytes.
// CHECK-LABEL: func.func @even(
//       CHECK:   memref.alloc() {alignment = 64 : i64} : memref<256xi8>
func.func @even(%x: f32, %i: index) -> f32 {
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %v = memref.load %a[%i] : memref<64xf32>
  %b = memref.alloc() : memref<16xf32>
  linalg.fill ins(%v : f32) outs(%b : memref<16xf32>)
  %w = memref.load %b[%i] : memref<16xf32>
  return %w : f32
}

// 16 bytes for 20, as from malloc, and 8 for 12.
// CHECK-LABEL: func.func @as_given(
//       CHECK:   memref.alloc() {alignment = 64 : i64} : memref<548xi8>
func.func @as_given(%x: f32, %i: index) -> f32 {
  %s = memref.alloc() : memref<5xf32>
  memref.store %x, %s[%i] : memref<5xf32>
  %t = memref.alloc() : memref<3xf32>
  memref.store %x, %t[%i] : memref<3xf32>
  %a = memref.alloc() : memref<128xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<128xf32>)
  %v = memref.load %a[%i] : memref<128xf32>
  %b = memref.alloc() : memref<128xf32>
  linalg.fill ins(%v : f32) outs(%b : memref<128xf32>)
  %w = memref.load %b[%i] : memref<128xf32>
  %y = memref.load %s[%i] : memref<5xf32>
  %z = memref.load %t[%i] : memref<3xf32>
  %sum = arith.addf %w, %y : f32
  %all = arith.addf %sum, %z : f32
  return %all : f32
}
