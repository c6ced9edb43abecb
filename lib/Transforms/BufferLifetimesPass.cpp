//===- The buffer-lifetimes pass -----------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OffsetsOption.h"
#include "ReportOption.h"
#include "SchedulingOptions.h"
#include "buffer-merge/Report/Remarks.h"
#include "buffer-merge/Transforms/Passes.h"

namespace buffer_merge {
#define GEN_PASS_DEF_BUFFERLIFETIMESPASS
#include "buffer-merge/Transforms/Passes.h.inc"
} // namespace buffer_merge

using namespace mlir;
using namespace buffer_merge;

namespace {
struct BufferLifetimesPass
    : public buffer_merge::impl::BufferLifetimesPassBase<BufferLifetimesPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    if (failed(translateOptions({scheduler, effort, alignment, calls,
                                 llvm::to_vector(memorySpaces),
                                 llvm::to_vector(capacity), dynamic,
                                 dynamicWaste, inPlace, overCapacity},
                                context, namedSpaces, mergeOptions)) ||
        failed(translateWorkgroupOptions(
            {barriers, workgroupPool, workgroupAlignment}, context,
            mergeOptions)) ||
        failed(translateKernelOptions(
            {llvm::to_vector(workgroupSpaces), llvm::to_vector(barrierOps),
             assumeForallSync},
            context, namedSpaces, mergeOptions.lifetimes.workgroup)))
      return failure();
    offsetsOption.initialize(offsets);
    return reportOption.initialize(context, report);
  }

  void runOnOperation() override {
    namedSpaces.warnIfUnused(getOperation());
    BufferLifetimes lifetimes(getOperation(), mergeOptions.lifetimes);
    MergePlan plan = collectPools(lifetimes, mergeOptions.plan);
    if (failed(offsetsOption.fixOffsets(getOperation(), plan)))
      return signalPassFailure();
    schedulePools(plan, mergeOptions.plan);
    if (failed(reportOption.write(getOperation(), plan,
                                  offsets.empty() ? scheduler : offsets)))
      return signalPassFailure();
    emitLifetimeRemarks(getOperation(), plan);
    markAllAnalysesPreserved();
  }

  BufferMergeOptions mergeOptions;
  NamedSpaces namedSpaces;
  OffsetsOption offsetsOption;
  ReportOption reportOption;
};
} // namespace
