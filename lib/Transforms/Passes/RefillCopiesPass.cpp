//===- RefillCopiesPass.cpp - The refill-copies pass ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassOptions.h"
#include "buffer-merge/Transforms/Passes.h"
#include "buffer-merge/Transforms/Transforms.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace buffer_merge {
#define GEN_PASS_DEF_REFILLCOPIESPASS
#include "buffer-merge/Transforms/Passes.h.inc"
} // namespace buffer_merge

using namespace mlir;
using namespace buffer_merge;

namespace {
struct RefillCopiesPass
    : public KernelPass<
          buffer_merge::impl::RefillCopiesPassBase<RefillCopiesPass>> {
  using KernelPass::KernelPass;

  LogicalResult initialize(MLIRContext *context) override {
    options.calls = calls;
    return translate(context, options.workgroup);
  }

  void runOnOperation() override {
    namedSpaces.warnIfUnused(getOperation());
    RefillCopiesResult result = refillCopies(getOperation(), options);
    numRefilled = result.numRefilled;
    numErased = result.numErased;
    if (result.numRefilled == 0)
      markAllAnalysesPreserved();
  }

  SplitBuffersOptions options;
};
} // namespace
