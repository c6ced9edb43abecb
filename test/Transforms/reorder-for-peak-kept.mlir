// RUN: split-file %s %t
// RUN: buffer-merge-opt %t/kept.mlir -o %t/before.mlir
// RUN: buffer-merge-opt %t/kept.mlir --reorder-for-peak | diff %t/before.mlir -
// RUN: buffer-merge-opt %t/kept.mlir --reorder-for-peak --remark-format=emitRemark --remarks-filter=buffer-merge -o /dev/null 2>&1 | count 0
// RUN: buffer-merge-opt %t/given.mlir -o %t/before-given.mlir
// RUN: buffer-merge-opt %t/given.mlir --reorder-for-peak | diff %t/before-given.mlir -
// RUN: buffer-merge-opt %t/called.mlir --reorder-for-peak | FileCheck %s

// A new order is kept only if the peak of the program falls (T5): @small and @called
// need less than @large in any case. A callee counts as a part of what calls it.

//--- kept.mlir
!m = memref<1024xf32>
!l = memref<4096xf32>
!s = memref<f32>

func.func @large(%x: !l) {
  %a = memref.alloc() : !l
  %b = memref.alloc() : !l
  linalg.exp ins(%x : !l) outs(%a : !l)
  linalg.abs ins(%x : !l) outs(%b : !l)
  linalg.add ins(%a, %b : !l, !l) outs(%x : !l)
  return
}

func.func @small(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}) {
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0]
  return
}

func.func @called(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}) {
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0]
  return
}

func.func @caller(%x: !m, %s: !s, %t: !s) {
  call @called(%x, %s, %t) : (!m, !s, !s) -> ()
  return
}

// No order is better: each one needs all three.
func.func @best(%x: !m) {
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  %c = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  linalg.sqrt ins(%x : !m) outs(%c : !m)
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a, %b, %c : !m, !m, !m) outs(%x : !m) {
  ^bb0(%p: f32, %q: f32, %r: f32, %out: f32):
    %0 = arith.addf %p, %q : f32
    %1 = arith.mulf %0, %r : f32
    linalg.yield %1 : f32
  }
  return
}

//--- given.mlir
#broadcast = {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
#row = {indexing_maps = [affine_map<(i, j) -> (0, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}

// If the rest is freed, %3 is better computed after %4 and %5; if it is not, the pool
// of the rest is larger then. The results are of another type: they hold nothing else.
func.func @given(%x: memref<16xf32> {llvm.noalias}) -> (memref<1x16xi32>, memref<4x16xi32>) {
  %0 = memref.alloc() : memref<2x16xf32>
  linalg.generic #broadcast ins(%x : memref<16xf32>) outs(%0 : memref<2x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  %1 = memref.alloc() : memref<1x16xf32>
  linalg.generic #row ins(%0 : memref<2x16xf32>) outs(%1 : memref<1x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  %2 = memref.alloc() : memref<1x16xi32>
  linalg.generic #row ins(%0 : memref<2x16xf32>) outs(%2 : memref<1x16xi32>) {
  ^bb0(%in: f32, %out: i32):
    %bits = arith.bitcast %in : f32 to i32
    linalg.yield %bits : i32
  }
  %3 = memref.alloc() : memref<4x16xi32>
  linalg.generic #row ins(%0 : memref<2x16xf32>) outs(%3 : memref<4x16xi32>) {
  ^bb0(%in: f32, %out: i32):
    %bits = arith.bitcast %in : f32 to i32
    linalg.yield %bits : i32
  }
  %4 = memref.alloc() : memref<4x16xf32>
  linalg.generic #row ins(%0 : memref<2x16xf32>) outs(%4 : memref<4x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  %5 = memref.alloc() : memref<8x16xf32>
  linalg.generic #row ins(%4 : memref<4x16xf32>) outs(%5 : memref<8x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return %2, %3 : memref<1x16xi32>, memref<4x16xi32>
}

//--- called.mlir
!m = memref<1024xf32>
!s = memref<f32>

// CHECK-LABEL: func.func private @callee(
//       CHECK:   linalg.exp
//       CHECK:   linalg.reduce
//       CHECK:   linalg.abs
//       CHECK:   linalg.reduce
func.func private @callee(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}) {
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0]
  return
}

func.func @caller(%x: !m, %s: !s, %t: !s) {
  %a = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  call @callee(%a, %s, %t) : (!m, !s, !s) -> ()
  return
}
