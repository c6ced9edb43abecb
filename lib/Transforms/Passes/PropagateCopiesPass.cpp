//===- PropagateCopiesPass.cpp - The propagate-copies pass ----------------===//
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
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace buffer_merge {
#define GEN_PASS_DEF_PROPAGATECOPIESPASS
#include "buffer-merge/Transforms/Passes.h.inc"
} // namespace buffer_merge

using namespace mlir;
using namespace buffer_merge;

namespace {
struct PropagateCopiesPass
    : public KernelPass<
          buffer_merge::impl::PropagateCopiesPassBase<PropagateCopiesPass>> {
  using KernelPass::KernelPass;

  LogicalResult initialize(MLIRContext *context) override {
    options.calls = calls;
    options.generalize = generalize;
    MergePlanOptions plan;
    if (failed(setMinGain(minGain, context, plan)))
      return failure();
    options.minGain = plan.minGain;
    return translate(context, options.workgroup);
  }

  void runOnOperation() override {
    namedSpaces.warnIfUnused(getOperation());
    PropagateCopiesResult result = propagateCopies(getOperation(), options);
    numBuffers = result.numBuffers;
    bytesNotMoved = result.bytesNotMoved;
    numGeneralized = result.numGeneralized;
    if (result.numBuffers == 0)
      markAllAnalysesPreserved();
  }

  PropagateCopiesOptions options;
};
} // namespace
