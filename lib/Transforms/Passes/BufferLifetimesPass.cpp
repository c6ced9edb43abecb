//===- The buffer-lifetimes pass -----------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NameWarnings.h"
#include "PassOptions.h"
#include "Report/Remarks.h"
#include "buffer-merge/Transforms/Passes.h"

namespace buffer_merge {
#define GEN_PASS_DEF_BUFFERLIFETIMESPASS
#include "buffer-merge/Transforms/Passes.h.inc"
} // namespace buffer_merge

using namespace mlir;
using namespace buffer_merge;

namespace {
struct BufferLifetimesPass
    : public PlanPass<
          buffer_merge::impl::BufferLifetimesPassBase<BufferLifetimesPass>> {
  using PlanPass::PlanPass;

  void runOnOperation() override {
    Operation *root = getOperation();
    if (failed(namedSpaces.check(root)))
      return signalPassFailure();
    warnAboutAttributes(root);
    warnAboutTensors(root);
    auto show = [&](const MergePlan &plan) { emitLifetimeRemarks(root, plan); };
    BufferMergeOptions options = getMergeOptions();
    options.advise = advise;
    if (failed(inspectMergePlan(root, options, show)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
