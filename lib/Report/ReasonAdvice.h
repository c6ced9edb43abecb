//===- ReasonAdvice.h - What to do about a reason ---------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_REPORT_REASONADVICE_H
#define BUFFER_MERGE_LIB_REPORT_REASONADVICE_H

#include "buffer-merge/Analysis/UnmergeableReason.h"

namespace buffer_merge {
/// Return what the author of a pipeline can do so that an allocation with
/// `reason` may be merged: a sentence without a final period, or nothing if
/// there is no advice.
llvm::StringRef getReasonAdvice(UnmergeableReason reason);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_REPORT_REASONADVICE_H
