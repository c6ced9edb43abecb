// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=pool=stack -o %t.stack.mlir
// RUN: FileCheck %s --check-prefix=STACK < %t.stack.mlir
// RUN: cat %t.stack.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=pool=global | %execute | diff %t.before -

// A pool for the one buffer of a loop: each iteration overwrites all of it, and adds it
// up. A slot that something else had would change the sum.

// IR-LABEL: func.func private @often
//       IR:   memref.alloc() {{.*}} : memref<64xi8>
//       IR:   scf.for
//   IR-NOT:   memref.alloc
//       IR:   return
func.func private @often() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %zero = arith.constant 0 : i32
  %sum = scf.for %i = %c0 to %c1000 step %c1 iter_args(%before = %zero) -> (i32) {
    %x = arith.index_cast %i : index to i32
    %a = memref.alloc() : memref<16xi32>
    linalg.fill ins(%x : i32) outs(%a : memref<16xi32>)
    %c5 = arith.constant 5 : index
    %y = memref.load %a[%c5] : memref<16xi32>
    %after = arith.addi %before, %y : i32
    scf.yield %after : i32
  }
  return %sum : i32
}

// Buffers of 3, 4 and 16 bytes at once, the last of which is accessed as a vector: in 23
// bytes, aligned as each needs.

// STACK-LABEL: func.func private @tight
//       STACK:   memref.alloca() {alignment = 16 : i64} : memref<23xi8>
func.func private @tight(%i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %b = arith.constant 7 : i8
  %one = arith.constant 1.5 : f32
  %a = memref.alloc() : memref<3xi8>
  %f = memref.alloc() : memref<1xf32>
  %m = memref.alloc() : memref<16xi8>
  memref.store %b, %a[%i] : memref<3xi8>
  memref.store %one, %f[%c0] : memref<1xf32>
  %v = memref.view %m[%c0][] : memref<16xi8> to memref<1xvector<4xf32>>
  %splat = vector.broadcast %one : f32 to vector<4xf32>
  memref.store %splat, %v[%c0] : memref<1xvector<4xf32>>
  %l = memref.load %v[%c0] : memref<1xvector<4xf32>>
  %x = vector.extract %l[2] : f32 from vector<4xf32>
  %y = memref.load %f[%c0] : memref<1xf32>
  %z = memref.load %a[%i] : memref<3xi8>
  %w = arith.sitofp %z : i8 to f32
  %s = arith.addf %x, %y : f32
  %t = arith.addf %s, %w : f32
  return %t : f32
}

// CHECK: 499500
// CHECK-NEXT: 10
func.func @main() {
  %c2 = arith.constant 2 : index
  %often = call @often() : () -> i32
  vector.print %often : i32
  %tight = call @tight(%c2) : (index) -> f32
  vector.print %tight : f32
  return
}
