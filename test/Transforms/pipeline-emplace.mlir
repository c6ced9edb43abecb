// RUN: buffer-merge-opt %s --buffer-merge-pipeline=emplace | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge-pipeline=emplace-strided | FileCheck %s --check-prefixes=CHECK,STRIDED
// RUN: buffer-merge-opt %s --buffer-merge-pipeline | FileCheck %s --check-prefix=DEFAULT

// The rows are computed where the concatenation wants them.

// CHECK-LABEL: func.func @rows(
//   CHECK-NOT:   memref.copy
//       CHECK:   return
// DEFAULT-LABEL: func.func @rows(
//   DEFAULT-NOT:   memref.copy
//       DEFAULT: return
!row = tensor<1x16xf32>
!rows = tensor<2x16xf32>
func.func @rows(%a: !row, %b: !rows) -> !rows {
  %e0 = tensor.empty() : !row
  %0 = linalg.exp ins(%a : !row) outs(%e0 : !row) -> !row
  %e1 = tensor.empty() : !row
  %1 = linalg.sqrt ins(%0 : !row) outs(%e1 : !row) -> !row
  %e2 = tensor.empty() : !row
  %2 = linalg.add ins(%0, %1 : !row, !row) outs(%e2 : !row) -> !row
  %c = tensor.concat dim(0) %1, %2 : (!row, !row) -> !rows
  %e3 = tensor.empty() : !rows
  %3 = linalg.add ins(%c, %b : !rows, !rows) outs(%e3 : !rows) -> !rows
  return %3 : !rows
}

// The columns, too, if that is asked for.
// DEFAULT-LABEL: func.func @columns(
// DEFAULT-COUNT-2: memref.copy
//       DEFAULT: return
// STRIDED-LABEL: func.func @columns(
//   STRIDED-NOT:   memref.copy
//       STRIDED:   return
!column = tensor<4x16xf32>
!columns = tensor<4x32xf32>
func.func @columns(%a: !column, %b: !columns) -> !columns {
  %e0 = tensor.empty() : !column
  %0 = linalg.exp ins(%a : !column) outs(%e0 : !column) -> !column
  %e1 = tensor.empty() : !column
  %1 = linalg.sqrt ins(%0 : !column) outs(%e1 : !column) -> !column
  %e2 = tensor.empty() : !column
  %2 = linalg.add ins(%0, %1 : !column, !column) outs(%e2 : !column) -> !column
  %c = tensor.concat dim(1) %1, %2 : (!column, !column) -> !columns
  %e3 = tensor.empty() : !columns
  %3 = linalg.add ins(%c, %b : !columns, !columns) outs(%e3 : !columns) -> !columns
  return %3 : !columns
}
