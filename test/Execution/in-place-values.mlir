// A buffer in place of another one is the same value, so that passes that tell memory
// apart by values see that the loop stores what it loads, although the copy in
// between is gone.

// RUN: buffer-merge-opt %s | %execute | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge=limit-peak=none -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: mlir-opt %t.mlir --convert-linalg-to-affine-loops --affine-loop-invariant-code-motion | %execute | FileCheck %s
// RUN: mlir-opt %t.mlir --convert-linalg-to-affine-loops --affine-data-copy-generate='fast-mem-space=0 skip-non-unit-stride-loops=0' | %execute | FileCheck %s
// RUN: mlir-opt %t.mlir --convert-linalg-to-parallel-loops --scf-parallel-loop-tiling | %execute | FileCheck %s

func.func private @printI64(i64)
func.func private @printNewline()

// 0 + 1 + 2 + 3 + 4
// CHECK: 10

// IR-LABEL: func.func @sum
//       IR:   memref.alloc() {{.*}} : memref<512xi8>
//       IR:   %[[V:.*]] = memref.view {{.*}} : memref<512xi8> to memref<64xi64>
//       IR:   affine.store %{{.*}}, %[[V]]
//   IR-NOT:   linalg.copy
//       IR:   affine.load %[[V]]
func.func @sum() -> i64 {
  %z = arith.constant 0 : i64
  %a = memref.alloc() : memref<64xi64>
  %b = memref.alloc() : memref<64xi64>
  %s = affine.for %k = 0 to 5 iter_args(%acc = %z) -> (i64) {
    %v = arith.index_cast %k : index to i64
    affine.for %i = 0 to 64 {
      affine.store %v, %a[%i] : memref<64xi64>
    }
    linalg.copy ins(%a : memref<64xi64>) outs(%b : memref<64xi64>)
    %x = affine.load %b[0] : memref<64xi64>
    %t = arith.addi %acc, %x : i64
    affine.yield %t : i64
  }
  memref.dealloc %a : memref<64xi64>
  memref.dealloc %b : memref<64xi64>
  return %s : i64
}

// Of another type it is another value, which is written beside the first one.
// CHECK: 10

// IR-LABEL: func.func @sum_of_bits
//       IR:   memref.alloc() {{.*}} : memref<512xi8>
//       IR:   linalg.generic {{.*}} ins(%[[A:.*]] : memref<64xf64>) outs(%[[B:.*]] : memref<64xi64>)
//       IR:   affine.load %[[B]]
func.func @sum_of_bits() -> i64 {
  %z = arith.constant 0 : i64
  %a = memref.alloc() : memref<64xf64>
  %b = memref.alloc() : memref<64xi64>
  %s = affine.for %k = 0 to 5 iter_args(%acc = %z) -> (i64) {
    %v = arith.index_cast %k : index to i64
    %bits = arith.bitcast %v : i64 to f64
    affine.for %i = 0 to 64 {
      affine.store %bits, %a[%i] : memref<64xf64>
    }
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : memref<64xf64>) outs(%b : memref<64xi64>) {
    ^bb0(%x: f64, %old: i64):
      %y = arith.bitcast %x : f64 to i64
      linalg.yield %y : i64
    }
    %x = affine.load %b[0] : memref<64xi64>
    %t = arith.addi %acc, %x : i64
    affine.yield %t : i64
  }
  memref.dealloc %a : memref<64xf64>
  memref.dealloc %b : memref<64xi64>
  return %s : i64
}

// The one value is in front of both branches.
// CHECK: 7
// CHECK: 7

// IR-LABEL: func.func @branches
//       IR:   %[[V:.*]] = memref.view
//       IR:   scf.if
//       IR:   linalg.exp ins(%[[V]] : memref<64xf32>) outs(%[[V]] : memref<64xf32>)
func.func @branches(%c: i1) -> i64 {
  %one = arith.constant 1.0 : f32
  %seven = arith.constant 7 : i64
  %zero_i = arith.constant 0 : i64
  %b = memref.alloc() : memref<64xf32>
  %a = memref.alloc() : memref<64xf32>
  scf.if %c {
    linalg.fill ins(%one : f32) outs(%a : memref<64xf32>)
    linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  } else {
    linalg.fill ins(%one : f32) outs(%b : memref<64xf32>)
  }
  %zero = arith.constant 0 : index
  %x = memref.load %b[%zero] : memref<64xf32>
  %limit = arith.constant 10.0 : f32
  %small = arith.cmpf olt, %x, %limit : f32
  %r = arith.select %small, %seven, %zero_i : i64
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return %r : i64
}

func.func @main() {
  %s = call @sum() : () -> i64
  call @printI64(%s) : (i64) -> ()
  call @printNewline() : () -> ()
  %t = call @sum_of_bits() : () -> i64
  call @printI64(%t) : (i64) -> ()
  call @printNewline() : () -> ()
  %true = arith.constant true
  %false = arith.constant false
  %u = call @branches(%true) : (i1) -> i64
  call @printI64(%u) : (i64) -> ()
  call @printNewline() : () -> ()
  %v = call @branches(%false) : (i1) -> i64
  call @printI64(%v) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
