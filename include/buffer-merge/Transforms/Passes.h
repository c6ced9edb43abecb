//===- Pass entry points ----------------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_TRANSFORMS_PASSES_H
#define BUFFER_MERGE_TRANSFORMS_PASSES_H

#include "buffer-merge/Planning/MergePlanOptions.h"
#include "buffer-merge/Scheduling/ValueParser.h"
#include "buffer-merge/Transforms/RotateCarriedBuffers.h"
#include "mlir/Pass/Pass.h"

// Options of passes name the nearest value of one that there is not.
#define BUFFER_MERGE_VALUES(ENUM)                                              \
  template <>                                                                  \
  class llvm::cl::parser<buffer_merge::ENUM>                                   \
      : public buffer_merge::ValueParser<buffer_merge::ENUM> {                 \
  public:                                                                      \
    using ValueParser::ValueParser;                                            \
  };
BUFFER_MERGE_VALUES(CallPolicy)
BUFFER_MERGE_VALUES(DynamicPolicy)
BUFFER_MERGE_VALUES(PoolStorage)
BUFFER_MERGE_VALUES(BarrierPolicy)
BUFFER_MERGE_VALUES(OverCapacityPolicy)
BUFFER_MERGE_VALUES(ReusePolicy)
BUFFER_MERGE_VALUES(Goal)
BUFFER_MERGE_VALUES(LeftPolicy)
BUFFER_MERGE_VALUES(SlotPlace)
#undef BUFFER_MERGE_VALUES

// Generated from Passes.td: for each pass a struct with its options,
// `createXPass()` without and with it, and `registerXPass()`; and
// `registerBufferMergePasses()` for all of them.
namespace buffer_merge {
#define GEN_PASS_DECL
#include "buffer-merge/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "buffer-merge/Transforms/Passes.h.inc"
} // namespace buffer_merge

#endif // BUFFER_MERGE_TRANSFORMS_PASSES_H
