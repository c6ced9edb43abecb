//===- AdviceText.cpp - What would make pools smaller, in words -----------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AdviceText.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace buffer_merge;

std::string buffer_merge::describeCondition(const PoolAdvice &advice) {
  switch (advice.kind) {
  case AdviceKind::InPlace:
  case AdviceKind::InsertBarriers:
  case AdviceKind::SplitBuffers:
    return ("with " + advice.getOption()).str();
  case AdviceKind::InArgument:
    return "with this buffer in the argument that it is copied to";
  case AdviceKind::Fuse:
    return "with the operations that fill and read this buffer fused";
  case AdviceKind::Between:
    return llvm::formatv("without this buffer in ticks [{0}, {1})",
                         advice.ticks.begin, advice.ticks.end);
  case AdviceKind::Halve:
    return llvm::formatv(
        "with half of dimension {0} in the buffers of this type",
        advice.dimension);
  case AdviceKind::Elsewhere:
    return "without this buffer";
  }
  llvm_unreachable("not a kind of advice");
}

Location buffer_merge::getAdviceLocation(const PoolPlan &pool,
                                         const PoolAdvice &advice) {
  return advice.buffer ? pool.buffers[*advice.buffer]->alloc.getLoc()
                       : pool.scope->getParentOp()->getLoc();
}

std::string buffer_merge::describeChange(const PoolPlan &pool,
                                         const PoolAdvice &advice,
                                         const ReportPool &described) {
  const ReportBuffer *buffer =
      advice.buffer ? &described.buffers[*advice.buffer] : nullptr;
  switch (advice.kind) {
  case AdviceKind::InPlace:
  case AdviceKind::InsertBarriers:
  case AdviceKind::SplitBuffers:
    return ("merge with the option " + advice.getOption()).str();
  case AdviceKind::InArgument:
    return "compute " + buffer->name + " in the argument that it is copied to";
  case AdviceKind::Fuse:
    return "fuse the operations that fill and read " + buffer->name;
  case AdviceKind::Between:
    return llvm::formatv(
        "do not keep {0} in ticks [{1}, {2}): compute it again, or move it to "
        "another memory meanwhile",
        buffer->name, advice.ticks.begin, advice.ticks.end);
  case AdviceKind::Halve: {
    TypedValue<MemRefType> alloc = pool.buffers[*advice.buffer]->alloc;
    int64_t elements = alloc.getType().getDimSize(advice.dimension);
    return llvm::formatv("choose a smaller tile or batch: half of the {0} "
                         "elements in dimension {1} of all {2}",
                         elements, advice.dimension, buffer->type);
  }
  case AdviceKind::Elsewhere:
    return "keep " + buffer->name +
           " elsewhere: in another memory, or in a buffer of the caller";
  }
  llvm_unreachable("not a kind of advice");
}
