//===- SplitBuffersPass.cpp - The split-buffers pass ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassOptions.h"
#include "buffer-merge/Transforms/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace buffer_merge {
#define GEN_PASS_DEF_SPLITBUFFERSPASS
#include "buffer-merge/Transforms/Passes.h.inc"
} // namespace buffer_merge

using namespace mlir;
using namespace buffer_merge;

namespace {
struct SplitBuffersPass
    : public KernelPass<
          buffer_merge::impl::SplitBuffersPassBase<SplitBuffersPass>> {
  using KernelPass::KernelPass;

  LogicalResult initialize(MLIRContext *context) override {
    options.calls = calls;
    return translate(context, options.workgroup);
  }

  void runOnOperation() override {
    namedSpaces.warnIfUnused(getOperation());
    SplitBuffersResult result = splitBuffers(getOperation(), options);
    numSplit = result.numSplit;
    numParts = result.numParts;
    if (result.numSplit == 0)
      markAllAnalysesPreserved();
  }

  SplitBuffersOptions options;
};
} // namespace
