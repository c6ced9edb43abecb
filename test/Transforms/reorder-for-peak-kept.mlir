// RUN: split-file %s %t
// RUN: buffer-merge-opt %t/kept.mlir -o %t/before.mlir
// RUN: buffer-merge-opt %t/kept.mlir --reorder-for-peak | diff %t/before.mlir -
// RUN: buffer-merge-opt %t/kept.mlir --reorder-for-peak --remark-format=emitRemark --remarks-filter=buffer-merge -o /dev/null 2>&1 | count 0
// RUN: buffer-merge-opt %t/called.mlir --reorder-for-peak | FileCheck %s

// A new order is kept only if the peak of the program falls (T5): @small needs less than
// @large in any case. A callee counts as a part of what calls it.

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
