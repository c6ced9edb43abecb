// RUN: buffer-merge-opt %s --propagate-copies --remark-format=emitRemark --remarks-filter=buffer-merge 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: buffer-merge-opt %s --propagate-copies=min-gain=99% | FileCheck %s --check-prefix=KEPT
// RUN: buffer-merge-opt %s --propagate-copies=min-gain=4KiB | FileCheck %s --check-prefix=KEPT
// RUN: buffer-merge-opt %s --propagate-copies='min-gain=4KiB generalize' | FileCheck %s --check-prefix=ALL
// RUN: not buffer-merge-opt %s --propagate-copies=min-gain=little 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: min-gain 'little' is neither a number of bytes nor a percentage up to 100, such as 4KiB or 1%

// Which names are lost, in the order of the program, and what that must save.

// REMARK: :[[#@LINE+10]]:1: remark: [Analysis] Propagated {{.*}} Function=names | Buffers=2, BytesNotMoved=1280
// REMARK: :[[#@LINE+16]]:3: remark: [Analysis] Generalized {{.*}} Becomes=linalg.contract, Operation=linalg.matvec
// REMARK: :[[#@LINE+18]]:3: remark: [Analysis] Generalized {{.*}} Becomes=linalg.generic, Operation=linalg.div
//   KEPT-LABEL: func.func @names(
//         KEPT:   linalg.matvec
//         KEPT:   linalg.div
//    ALL-LABEL: func.func @names(
//          ALL:   linalg.contract
//          ALL:   linalg.generic

func.func @names(%w: memref<16x16xf32>, %x: memref<16xf32>, %s: memref<f32>) -> (memref<16xf32>, memref<64xf32>) {
  %y = memref.alloc() : memref<16xf32>
  %z = memref.alloc() : memref<64xf32>
  %other = memref.alloc() : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%other : memref<16xf32>)
  %t = memref.alloc() : memref<16x16xf32>
  linalg.transpose ins(%w : memref<16x16xf32>) outs(%t : memref<16x16xf32>) permutation = [1, 0]
  linalg.matvec ins(%t, %other : memref<16x16xf32>, memref<16xf32>) outs(%y : memref<16xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.broadcast ins(%s : memref<f32>) outs(%b : memref<64xf32>) dimensions = [0]
  linalg.div ins(%b, %b : memref<64xf32>, memref<64xf32>) outs(%z : memref<64xf32>)
  return %y, %z : memref<16xf32>, memref<64xf32>
}
