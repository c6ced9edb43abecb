// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=limit-peak=deallocated | %execute | diff %t.before -

// Buffers of run-time size that branches and other blocks free, or do not: each pool is
// freed once, in the block that it is in.

// IR-LABEL: func.func private @branch
//       IR:   %[[POOL:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?xi8>
//   IR-NOT:   memref.alloc(
//       IR:   memref.dealloc %[[POOL]]
//   IR-NOT:   memref.dealloc
//       IR:   return
func.func private @branch(%n: index, %f: f32, %x: memref<?xf32>, %c: i1) {
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.add ins(%a, %x : memref<?xf32>, memref<?xf32>) outs(%b : memref<?xf32>)
  linalg.add ins(%a, %b : memref<?xf32>, memref<?xf32>) outs(%x : memref<?xf32>)
  %d = memref.alloc(%n) : memref<?xf32>
  linalg.mul ins(%x, %b : memref<?xf32>, memref<?xf32>) outs(%d : memref<?xf32>)
  scf.if %c {
    memref.dealloc %a : memref<?xf32>
  }
  linalg.add ins(%d, %x : memref<?xf32>, memref<?xf32>) outs(%x : memref<?xf32>)
  scf.if %c {
    memref.dealloc %d : memref<?xf32>
  } else {
    memref.dealloc %a : memref<?xf32>
  }
  memref.dealloc %b : memref<?xf32>
  return
}

// IR-LABEL: func.func private @blocks
//       IR:   %[[POOL:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?xi8>
//   IR-NOT:   memref.alloc(
//       IR:   memref.dealloc %[[POOL]]
//   IR-NOT:   memref.dealloc
//       IR:   return
func.func private @blocks(%n: index, %f: f32, %x: memref<?xf32>, %c: i1) {
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  %b = memref.alloc(%n) : memref<?xf32>
  linalg.add ins(%a, %x : memref<?xf32>, memref<?xf32>) outs(%b : memref<?xf32>)
  linalg.mul ins(%a, %b : memref<?xf32>, memref<?xf32>) outs(%x : memref<?xf32>)
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  memref.dealloc %b : memref<?xf32>
  linalg.add ins(%x, %x : memref<?xf32>, memref<?xf32>) outs(%x : memref<?xf32>)
  memref.dealloc %a : memref<?xf32>
  cf.br ^bb3
^bb2:
  memref.dealloc %a : memref<?xf32>
  cf.br ^bb3
^bb3:
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %c40 = arith.constant 40 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %false = arith.constant false
  %true = arith.constant true
  scf.for %n = %c3 to %c40 step %c9 {
    %x = memref.alloc(%n) : memref<?xf32>
    linalg.fill ins(%one : f32) outs(%x : memref<?xf32>)
    func.call @branch(%n, %two, %x, %true) : (index, f32, memref<?xf32>, i1) -> ()
    func.call @branch(%n, %one, %x, %false) : (index, f32, memref<?xf32>, i1) -> ()
    func.call @blocks(%n, %two, %x, %true) : (index, f32, memref<?xf32>, i1) -> ()
    func.call @blocks(%n, %one, %x, %false) : (index, f32, memref<?xf32>, i1) -> ()
    %value = memref.load %x[%c1] : memref<?xf32>
    vector.print %value : f32
    memref.dealloc %x : memref<?xf32>
  }
  return
}
// CHECK-COUNT-5: 1945
