//===- Options of passes that schedule -----------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SchedulingOptions.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

LogicalResult buffer_merge::translateOptions(MLIRContext *context,
                                             StringRef scheduler,
                                             unsigned effort, int64_t alignment,
                                             CallPolicy calls,
                                             BufferMergeOptions &options) {
  Location loc = UnknownLoc::get(context);
  options.plan.scheduler = lookupScheduler(scheduler);
  if (!options.plan.scheduler)
    return emitError(loc) << "unknown scheduler '" << scheduler
                          << "', expected one of: "
                          << getRegisteredSchedulerNames();
  if (effort > 9)
    return emitError(loc) << "effort " << effort << " is not in 0 to 9";
  if (alignment <= 0 || !llvm::isPowerOf2_64(alignment) || alignment > maxBytes)
    return emitError(loc) << "alignment " << alignment
                          << " is not a power of two of at most " << maxBytes
                          << " bytes";
  options.plan.schedulerOptions.effort = effort;
  options.plan.alignment = alignment;
  options.lifetimes.calls = calls;
  return success();
}
