//===- AccessAlignment.h - What accesses need of an address -----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_ACCESSALIGNMENT_H
#define BUFFER_MERGE_LIB_ANALYSIS_ACCESSALIGNMENT_H

#include "CalleeSummaries.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

namespace buffer_merge {
/// Return the alignment in bytes, a power of two, that `use` relies on for its
/// operand; 1 if it relies on none. `kind` is the result of `classifyUse`. The
/// original allocation kept it, by its attribute or because `malloc` gives that
/// much. It is the largest of
///
/// - what is promised: by `memref.assume_alignment`, or by an access with the
///   attribute `alignment`;
/// - for an access, the natural alignment of the element type that the operand
///   is accessed as (`getNaturalAlignment`), which the lowering to LLVM puts on
///   its loads and stores;
/// - what the instruction needs that the access becomes: 32 bytes for a matrix
///   of a subgroup, 16 for `nvgpu.ldmatrix`, the bytes that
///   `nvgpu.device_async_copy` copies at once;
/// - for a call of a function that is looked into, what the function takes for
///   granted, and nothing else; for any other call and the launch of a kernel,
///   the 16 bytes of `malloc`.
///
/// ```
///   %v = memref.view %a[%c0][] : memref<64xi8> to memref<4xvector<4xf32>>
///   memref.load %v[%i]                                  // 16: of an element
///   vector.load %f[%i] : memref<64xf32>, vector<4xf32>  // 4: of an element
/// ```
int64_t getNeededAlignment(mlir::OpOperand &use, BufferUse::Kind kind,
                           const CalleeSummaries &callees,
                           const mlir::DataLayout &layout);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_ACCESSALIGNMENT_H
