//===- EmplaceBuffersPass.cpp - The emplace-buffers pass ------------------===//
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

namespace buffer_merge {
#define GEN_PASS_DEF_EMPLACEBUFFERSPASS
#include "buffer-merge/Transforms/Passes.h.inc"
} // namespace buffer_merge

using namespace mlir;
using namespace buffer_merge;

namespace {
struct EmplaceBuffersPass
    : public KernelPass<
          buffer_merge::impl::EmplaceBuffersPassBase<EmplaceBuffersPass>> {
  using KernelPass::KernelPass;

  LogicalResult initialize(MLIRContext *context) override {
    options.calls = calls;
    options.mayRaisePeak = !limitPeak;
    options.strided = strided;
    return translate(context, options.workgroup);
  }

  void runOnOperation() override {
    namedSpaces.warnIfUnused(getOperation());
    EmplaceBuffersResult result = emplaceBuffers(getOperation(), options);
    numEmplaced = result.numEmplaced;
    bytesNotCopied = result.bytesNotCopied;
    if (result.numEmplaced == 0)
      markAllAnalysesPreserved();
  }

  EmplaceBuffersOptions options;
};
} // namespace
