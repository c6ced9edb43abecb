// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=bump alignment=1" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=best-fit alignment=1" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=target=%S/Inputs/target.json | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=first-fit alignment=1" -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// A vector without a dimension is one element. Of %a and %b, next to each other,
// each is filled before and after the other, and %c takes the place of both.

// CHECK-COUNT-3: 11
// CHECK-COUNT-3: 23
//             IR: memref.alloc() {{.*}} : memref<24xi8>
//         IR-NOT: memref.alloc()
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f32
  %ten = arith.constant 10.0 : f32
  %v = vector.broadcast %one : f32 to vector<f32>
  %a = memref.alloc() : memref<3xvector<f32>>
  %b = memref.alloc() : memref<3xf32>
  scf.for %i = %c0 to %c3 step %c1 {
    memref.store %v, %a[%i] : memref<3xvector<f32>>
  }
  scf.for %i = %c0 to %c3 step %c1 {
    memref.store %ten, %b[%i] : memref<3xf32>
  }
  %sums = scf.for %i = %c0 to %c3 step %c1 iter_args(%all = %v) -> vector<f32> {
    %x = memref.load %a[%i] : memref<3xvector<f32>>
    %y = memref.load %b[%i] : memref<3xf32>
    %z = vector.broadcast %y : f32 to vector<f32>
    %sum = arith.addf %x, %z : vector<f32>
    %scalar = vector.extract %sum[] : f32 from vector<f32>
    vector.print %scalar : f32
    memref.store %sum, %a[%i] : memref<3xvector<f32>>
    scf.yield %sum : vector<f32>
  }
  scf.for %i = %c0 to %c3 step %c1 {
    %x = memref.load %a[%i] : memref<3xvector<f32>>
    %y = memref.load %b[%i] : memref<3xf32>
    %z = vector.extract %x[] : f32 from vector<f32>
    %t = arith.addf %y, %z : f32
    %u = arith.addf %t, %one : f32
    %r = arith.addf %u, %one : f32
    vector.print %r : f32
  }
  %c = memref.alloc() : memref<6xf32>
  scf.for %i = %c0 to %c3 step %c1 {
    memref.store %one, %c[%i] : memref<6xf32>
  }
  return
}
