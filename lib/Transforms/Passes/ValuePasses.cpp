//===- ValuePasses.cpp - Passes on the values of buffers ------------------===//
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
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace buffer_merge {
#define GEN_PASS_DEF_EMPLACEBUFFERSPASS
#define GEN_PASS_DEF_PROPAGATECOPIESPASS
#define GEN_PASS_DEF_REORDERFORPEAKPASS
#define GEN_PASS_DEF_SPLITBUFFERSPASS
#include "buffer-merge/Transforms/Passes.h.inc"
} // namespace buffer_merge

using namespace mlir;
using namespace buffer_merge;

namespace {
/// A pass with the options `calls` and `target`, and perhaps others, that are
/// `Options` in C++.
template <typename PassBase, typename Options>
class ValuePass : public KernelPass<PassBase> {
public:
  using KernelPass<PassBase>::KernelPass;

  LogicalResult initialize(MLIRContext *context) override {
    options.calls = this->calls;
    return this->translate(context, options.workgroup);
  }

  void runOnOperation() override {
    if (failed(this->namedSpaces.check(this->getOperation())))
      return this->signalPassFailure();
    if (run() == 0)
      this->markAllAnalysesPreserved();
  }

protected:
  /// Set the statistics, which some builds do not count. Return how many places
  /// have changed.
  virtual int64_t run() = 0;

  Options options;
};

struct SplitBuffersPass
    : public ValuePass<
          buffer_merge::impl::SplitBuffersPassBase<SplitBuffersPass>,
          SplitBuffersOptions> {
  using ValuePass::ValuePass;

  int64_t run() override {
    SplitBuffersResult result = splitBuffers(getOperation(), options);
    numParts = result.numParts;
    numSplit = result.numSplit;
    return result.numSplit;
  }
};

struct PropagateCopiesPass
    : public ValuePass<
          buffer_merge::impl::PropagateCopiesPassBase<PropagateCopiesPass>,
          PropagateCopiesOptions> {
  using ValuePass::ValuePass;

  LogicalResult initialize(MLIRContext *context) override {
    options.generalize = generalize;
    FailureOr<MinGain> needed = parseMinGain(minGain, context);
    if (failed(needed))
      return failure();
    options.minGain = *needed;
    return ValuePass::initialize(context);
  }

  int64_t run() override {
    PropagateCopiesResult result = propagateCopies(getOperation(), options);
    bytesNotMoved = result.bytesNotMoved;
    numGeneralized = result.numGeneralized;
    numBuffers = result.numBuffers;
    return result.numBuffers;
  }
};

struct ReorderForPeakPass
    : public ValuePass<
          buffer_merge::impl::ReorderForPeakPassBase<ReorderForPeakPass>,
          ReorderForPeakOptions> {
  using ValuePass::ValuePass;

  LogicalResult initialize(MLIRContext *context) override {
    if (steps < 0)
      return emitError(UnknownLoc::get(context))
             << "steps=" << steps.getValue() << " is less than 0";
    options.steps = steps;
    return ValuePass::initialize(context);
  }

  int64_t run() override {
    ReorderForPeakResult result = reorderForPeak(getOperation(), options);
    numMoved = result.numMoved;
    bytesSaved = result.peakBefore - result.peakAfter;
    return result.numMoved;
  }
};

struct EmplaceBuffersPass
    : public ValuePass<
          buffer_merge::impl::EmplaceBuffersPassBase<EmplaceBuffersPass>,
          EmplaceBuffersOptions> {
  using ValuePass::ValuePass;

  LogicalResult initialize(MLIRContext *context) override {
    options.mayRaisePeak = !limitPeak;
    options.strided = strided;
    return ValuePass::initialize(context);
  }

  int64_t run() override {
    EmplaceBuffersResult result = emplaceBuffers(getOperation(), options);
    bytesNotCopied = result.bytesNotCopied;
    numEmplaced = result.numEmplaced;
    return result.numEmplaced;
  }
};
} // namespace
