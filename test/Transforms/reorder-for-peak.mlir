// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(func.func(reorder-for-peak))' -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: buffer-merge-opt %t.mlir --pass-pipeline='builtin.module(func.func(reorder-for-peak))' | diff %t.mlir -
// RUN: buffer-merge-opt %s --reorder-for-peak --remark-format=emitRemark --remarks-filter=buffer-merge -o %t.module.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --check-prefix=MODULE < %t.module.mlir
// RUN: not buffer-merge-opt %s --reorder-for-peak=steps=-1 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: steps=-1 is less than 0
// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(func.func(reorder-for-peak{steps=0}))' | FileCheck %s

// What moves: every function is a program here, but with REMARK and MODULE.

!m = memref<64x64xf32>
!h = memref<64x64xbf16>
!s = memref<f32>
#id = affine_map<(i, j) -> (i, j)>
#all = affine_map<(i, j) -> ()>

// Conversions come right after what they convert, allocations and views directly
// before their first use; constants stay in front.
// CHECK-LABEL: func.func @conversions(
//  CHECK-NEXT:   %[[ZERO:.*]] = arith.constant 0
//  CHECK-NEXT:   %[[A:.*]] = memref.alloc() : memref<64x64xf32>
//  CHECK-NEXT:   linalg.exp ins(%{{.*}}) outs(%[[A]] :
//  CHECK-NEXT:   %[[T:.*]] = memref.alloc() : memref<64x64xbf16>
//  CHECK-NEXT:   %[[VIEW:.*]] = memref.subview %[[A]]
//  CHECK-NEXT:   linalg.map { arith.truncf } ins(%[[VIEW]] {{.*}} outs(%[[T]] :
//  CHECK-NEXT:   %[[B:.*]] = memref.alloc() : memref<64x64xf32>
//  CHECK-NEXT:   linalg.abs ins(%{{.*}}) outs(%[[B]] :
//  CHECK-NEXT:   %[[U:.*]] = memref.alloc() : memref<64x64xbf16>
//  CHECK-NEXT:   linalg.map { arith.truncf } ins(%[[B]] {{.*}} outs(%[[U]] :
//  CHECK-NEXT:   return %[[T]], %[[U]], %[[ZERO]]
func.func @conversions(%x: !m) -> (!h, !h, index) {
  %zero = arith.constant 0 : index
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  %t = memref.alloc() : !h
  %u = memref.alloc() : !h
  %view = memref.subview %a[0, 0] [64, 64] [1, 1] : !m to memref<64x64xf32, strided<[64, 1]>>
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  linalg.map { arith.truncf } ins(%view : memref<64x64xf32, strided<[64, 1]>>) outs(%t : !h)
  linalg.map { arith.truncf } ins(%b : !m) outs(%u : !h)
  return %t, %u, %zero : !h, !h, index
}

// A deallocation is behind the last use, one that needs no byte included.
// CHECK-LABEL: func.func @deallocations(
//       CHECK:   linalg.exp {{.*}} outs(%[[A:[a-z_0-9]+]] :
//       CHECK:   linalg.reduce {{.*}} ins(%[[A]] :
//       CHECK:   memref.dim %[[A]]
//  CHECK-NEXT:   memref.dealloc %[[A]]
//       CHECK:   linalg.abs {{.*}} outs(%[[B:[a-z_0-9]+]] :
//  CHECK-NEXT:   linalg.reduce {{.*}} ins(%[[B]] :
//  CHECK-NEXT:   memref.dealloc %[[B]]
//       CHECK:   memref.store
func.func @deallocations(%x: !m, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}, %n: memref<1xindex> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : !m
  %b = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  linalg.abs ins(%x : !m) outs(%b : !m)
  linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0, 1]
  linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0, 1]
  %dim = memref.dim %a, %c0 : !m
  memref.dealloc %a : !m
  memref.dealloc %b : !m
  memref.store %dim, %n[%c0] : memref<1xindex>
  return
}

// In a loop, and with what is inside of another operation. What the loop is
// given stays where it is.
// CHECK-LABEL: func.func @nested(
//       CHECK:   scf.for
//       CHECK:     linalg.exp
//       CHECK:     linalg.reduce
//       CHECK:     scf.if
//       CHECK:       linalg.abs
//       CHECK:     linalg.reduce
//   CHECK-NOT:     linalg
func.func @nested(%x: !m, %n: index, %c: i1, %s: !s {llvm.noalias}, %t: !s {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : !m
    %b = memref.alloc() : !m
    linalg.exp ins(%x : !m) outs(%a : !m)
    scf.if %c {
      linalg.abs ins(%x : !m) outs(%b : !m)
    }
    linalg.reduce { arith.addf } ins(%a : !m) outs(%s : !s) dimensions = [0, 1]
    linalg.reduce { arith.addf } ins(%b : !m) outs(%t : !s) dimensions = [0, 1]
  }
  return
}

// The program has the peak of @conversions. What needs less stays as it is.
//  REMARK-NOT: remark
//      REMARK: remark: [Passed] Reordered {{.*}} Function=conversions | Moved=1, PeakAfter=32768, PeakBefore=49152
//  REMARK-NOT: remark
// MODULE-LABEL: func.func @deallocations(
//       MODULE:   linalg.exp
//  MODULE-NEXT:   linalg.abs
// MODULE-LABEL: func.func @nested(
