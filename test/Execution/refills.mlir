// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=first-fit -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: buffer-merge-opt %s --buffer-merge='scheduler=first-fit in-place=false' | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --buffer-merge | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge='scheduler=first-fit erase-copies=false' -o %t.copies.mlir
// RUN: cat %t.copies.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=COPIES < %t.copies.mlir

// Guards the proofs of L12 refills: what copies no longer read is overwritten.

!m = memref<8xi64>

// The zeros are alive in front of their last use only: two buffers are enough.
//      IR-LABEL: func.func @zeros(
//            IR:   memref.alloc() {{.*}} : memref<128xi8>
//        IR-NOT:   memref.copy
//            IR:   return
//  COPIES-LABEL: func.func @zeros(
//  COPIES-COUNT-2:   memref.copy
//        COPIES:   return
func.func @zeros(%x: !m, %out: !m) {
  %zero = arith.constant 0 : i64
  %z = memref.alloc() : !m
  linalg.fill ins(%zero : i64) outs(%z : !m)
  %a = memref.alloc() : !m
  memref.copy %z, %a : !m to !m
  func.call @accumulate(%x, %a) : (!m, !m) -> ()
  %b = memref.alloc() : !m
  memref.copy %z, %b : !m to !m
  func.call @accumulate(%a, %b) : (!m, !m) -> ()
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                  iterator_types = ["parallel"]}
      ins(%b : !m) outs(%z : !m) {
  ^bb0(%in: i64, %acc: i64):
    %sum = arith.addi %in, %acc : i64
    linalg.yield %sum : i64
  }
  func.call @accumulate(%z, %out) : (!m, !m) -> ()
  return
}

func.func private @accumulate(%x: !m, %y: !m) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (7 - i)>, affine_map<(i) -> (i)>],
                  iterator_types = ["parallel"]}
      ins(%x : !m) outs(%y : !m) {
  ^bb0(%in: i64, %acc: i64):
    %sum = arith.addi %in, %acc : i64
    linalg.yield %sum : i64
  }
  return
}

// Only a part is accessed first: the fill is where it was.
// IR-LABEL: func.func @part(
//       IR:   linalg.fill
//       IR:   return
func.func @part(%x: !m, %out: !m) {
  %t = memref.alloc() : !m
  linalg.add ins(%x, %x : !m, !m) outs(%t : !m)
  func.call @accumulate(%t, %out) : (!m, !m) -> ()
  %seven = arith.constant 7 : i64
  %z = memref.alloc() : !m
  linalg.fill ins(%seven : i64) outs(%z : !m)
  %a = memref.alloc() : !m
  memref.copy %z, %a : !m to !m
  func.call @accumulate(%x, %a) : (!m, !m) -> ()
  %half = memref.subview %z[4] [4] [1] : !m to memref<4xi64, strided<[1], offset: 4>>
  %quarter = memref.subview %a[2] [4] [1] : !m to memref<4xi64, strided<[1], offset: 2>>
  linalg.add ins(%half, %quarter : memref<4xi64, strided<[1], offset: 4>>, memref<4xi64, strided<[1], offset: 2>>)
      outs(%half : memref<4xi64, strided<[1], offset: 4>>)
  linalg.add ins(%z, %x : !m, !m) outs(%out : !m)
  return
}

// A view of other elements is not what was filled.
// IR-LABEL: func.func @other_elements(
//       IR:   linalg.fill {{.*}} outs({{.*}} : memref<64xi8>)
//       IR:   return
func.func @other_elements(%x: !m, %out: !m) {
  %t = memref.alloc() : !m
  linalg.add ins(%x, %x : !m, !m) outs(%t : !m)
  func.call @accumulate(%t, %out) : (!m, !m) -> ()
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i8
  %z = memref.alloc() : memref<64xi8>
  linalg.fill ins(%one : i8) outs(%z : memref<64xi8>)
  %a = memref.alloc() : memref<64xi8>
  memref.copy %z, %a : memref<64xi8> to memref<64xi8>
  %c = memref.load %a[%c0] : memref<64xi8>
  %wide = arith.extsi %c : i8 to i64
  %view = memref.view %z[%c0][] : memref<64xi8> to !m
  linalg.add ins(%view, %x : !m, !m) outs(%view : !m)
  memref.store %wide, %view[%c0] : !m
  memref.copy %view, %out : !m to !m
  return
}

// What still reads it is not in the block of the fill, which stays.
// IR-LABEL: func.func @outside(
//       IR:   scf.execute_region
//  IR-NEXT:     linalg.fill
//       IR:   return
func.func @outside(%x: !m, %out: !m) {
  %t = memref.alloc() : !m
  linalg.add ins(%x, %x : !m, !m) outs(%t : !m)
  func.call @accumulate(%t, %out) : (!m, !m) -> ()
  %nine = arith.constant 9 : i64
  %z = memref.alloc() : !m
  scf.execute_region {
    linalg.fill ins(%nine : i64) outs(%z : !m)
    scf.yield
  }
  %a = memref.alloc() : !m
  memref.copy %z, %a : !m to !m
  func.call @accumulate(%x, %a) : (!m, !m) -> ()
  linalg.add ins(%a, %z : !m, !m) outs(%out : !m)
  return
}

// The operation reads %b for the last time, and writes a part of %z, which was
// filled: %z must not be in the place of %b, where the fill would overwrite it.
// Each iteration has an element of its own, since the second loop has one only.
// IR-LABEL: func.func @not_in_place(
//       IR:   return
func.func @not_in_place(%x: !m, %out: !m) {
  %t = memref.alloc() : !m
  linalg.add ins(%x, %x : !m, !m) outs(%t : !m)
  func.call @accumulate(%t, %out) : (!m, !m) -> ()
  %five = arith.constant 5 : i64
  %z = memref.alloc() : memref<4x2xi64>
  linalg.fill ins(%five : i64) outs(%z : memref<4x2xi64>)
  %b = memref.alloc() : memref<4x2xi64>
  memref.copy %z, %b : memref<4x2xi64> to memref<4x2xi64>
  %flat = memref.collapse_shape %b [[0, 1]] : memref<4x2xi64> into !m
  func.call @accumulate(%x, %flat) : (!m, !m) -> ()
  %one = memref.subview %x[0] [1] [1] : !m to memref<1xi64, strided<[1]>>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (j)>,
                                   affine_map<(i, j) -> (i, 0)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%b, %one : memref<4x2xi64>, memref<1xi64, strided<[1]>>) outs(%z : memref<4x2xi64>) {
  ^bb0(%in: i64, %first: i64, %old: i64):
    %sum = arith.addi %in, %in : i64
    linalg.yield %sum : i64
  }
  %flat_z = memref.collapse_shape %z [[0, 1]] : memref<4x2xi64> into !m
  func.call @accumulate(%flat_z, %out) : (!m, !m) -> ()
  return
}

// %b is in place of %a although %z is filled in front of the addition.
// IR-LABEL: func.func @beside(
//       IR:   memref.alloc() {{.*}} : memref<128xi8>
//   IR-NOT:   memref.copy
//       IR:   return
func.func @beside(%x: !m, %out: !m) {
  %seven = arith.constant 7 : i64
  %z = memref.alloc() : !m
  linalg.fill ins(%seven : i64) outs(%z : !m)
  %a = memref.alloc() : !m
  memref.copy %z, %a : !m to !m
  func.call @accumulate(%x, %a) : (!m, !m) -> ()
  %b = memref.alloc() : !m
  linalg.sub ins(%a, %z : !m, !m) outs(%b : !m)
  func.call @accumulate(%b, %out) : (!m, !m) -> ()
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i64
  %x = memref.alloc() : !m
  scf.for %i = %c0 to %c8 step %c1 {
    %v = arith.index_cast %i : index to i64
    memref.store %v, %x[%i] : !m
  }
  %out = memref.alloc() : !m
  linalg.fill ins(%zero : i64) outs(%out : !m)
  // CHECK:      [7,  6,  5,  4,  3,  2,  1,  0]
  func.call @zeros(%x, %out) : (!m, !m) -> ()
  func.call @print(%out) : (!m) -> ()
  // CHECK:      [7,  8,  9,  10,  23,  23,  23,  23]
  func.call @part(%x, %out) : (!m, !m) -> ()
  func.call @print(%out) : (!m) -> ()
  // CHECK:      [1,  72340172838076674,
  func.call @other_elements(%x, %out) : (!m, !m) -> ()
  func.call @print(%out) : (!m) -> ()
  // CHECK:      [25,  24,  23,  22,  21,  20,  19,  18]
  func.call @outside(%x, %out) : (!m, !m) -> ()
  func.call @print(%out) : (!m) -> ()
  // CHECK:      [44,  48,  38,  46,  32,  44,  26,  42]
  func.call @not_in_place(%x, %out) : (!m, !m) -> ()
  func.call @print(%out) : (!m) -> ()
  // CHECK:      [44,  49,  40,  49,  36,  49,  32,  49]
  func.call @beside(%x, %out) : (!m, !m) -> ()
  func.call @print(%out) : (!m) -> ()
  return
}

func.func private @print(%m: !m) {
  %u = memref.cast %m : !m to memref<*xi64>
  call @printMemrefI64(%u) : (memref<*xi64>) -> ()
  return
}
func.func private @printMemrefI64(memref<*xi64>)
