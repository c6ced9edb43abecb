//===- EmitMessages.h - The diagnostics of planning -------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_REPORT_EMITMESSAGES_H
#define BUFFER_MERGE_REPORT_EMITMESSAGES_H

#include "buffer-merge/Planning/PlanMessages.h"

namespace buffer_merge {
/// Emit `messages` as diagnostics of their context, in their order.
void emitMessages(PlanMessages messages);
} // namespace buffer_merge

#endif // BUFFER_MERGE_REPORT_EMITMESSAGES_H
