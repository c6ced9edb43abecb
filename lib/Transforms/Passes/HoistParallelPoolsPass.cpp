//===- HoistParallelPoolsPass.cpp - The hoist-parallel-pools pass ---------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassOptions.h"
#include "buffer-merge/Transforms/Passes.h"
#include "buffer-merge/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace buffer_merge {
#define GEN_PASS_DEF_HOISTPARALLELPOOLSPASS
#include "buffer-merge/Transforms/Passes.h.inc"
} // namespace buffer_merge

using namespace mlir;
using namespace buffer_merge;

namespace {
struct HoistParallelPoolsPass
    : public KernelPass<buffer_merge::impl::HoistParallelPoolsPassBase<
          HoistParallelPoolsPass>> {
  using KernelPass::KernelPass;

  LogicalResult initialize(MLIRContext *context) override {
    options = HoistParallelPoolsOptions();
    options.lifetimes.calls = calls;
    options.alignment = alignment;
    options.maxSlots = maxSlots;
    MergePlanOptions plan;
    if (failed(setScheduler(scheduler, /*effort=*/2, context, plan)) ||
        failed(checkAlignment(context, "alignment", alignment)) ||
        failed(translate(context, options.lifetimes.workgroup)))
      return failure();
    options.scheduler = plan.scheduler;
    if (options.maxSlots < 1)
      return emitError(UnknownLoc::get(context))
             << "max-slots " << options.maxSlots << " is not 1 or more";
    return success();
  }

  void runOnOperation() override {
    if (failed(namedSpaces.check(getOperation())))
      return signalPassFailure();
    FailureOr<HoistParallelPoolsResult> result =
        hoistParallelPools(getOperation(), options);
    if (failed(result))
      return signalPassFailure();
    numHoisted = result->numHoisted;
    numLeft = result->numLeft;
    numSlots = result->numSlots;
    if (result->numHoisted == 0)
      markAllAnalysesPreserved();
  }

  HoistParallelPoolsOptions options;
};
} // namespace
