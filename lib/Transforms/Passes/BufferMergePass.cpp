//===- The buffer-merge pass ---------------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NameWarnings.h"
#include "PassOptions.h"
#include "buffer-merge/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <deque>

namespace buffer_merge {
#define GEN_PASS_DEF_BUFFERMERGEPASS
#include "buffer-merge/Transforms/Passes.h.inc"
} // namespace buffer_merge

using namespace mlir;
using namespace buffer_merge;

namespace {
/// One statistic for each reason why allocations stay.
class ReasonStatistics {
public:
  explicit ReasonStatistics(Pass *owner) {
    for (UnmergeableReason reason : getAllReasons()) {
      names.push_back(("num-left-" + getReasonName(reason)).str());
      statistics.push_back(std::make_unique<Pass::Statistic>(
          owner, names.back().c_str(), getReasonDescription(reason).data()));
    }
  }

  void operator=(llvm::ArrayRef<int64_t> counts) {
    for (auto [statistic, count] : llvm::zip_equal(statistics, counts))
      *statistic = count;
  }

private:
  /// Statistics keep pointers to their names.
  std::deque<std::string> names;
  llvm::SmallVector<std::unique_ptr<Pass::Statistic>> statistics;
};

struct BufferMergePass
    : public PlanPass<
          buffer_merge::impl::BufferMergePassBase<BufferMergePass>> {
  using PlanPass::PlanPass;
  BufferMergePass() = default;
  // Statistics belong to one pass object and are not copied.
  BufferMergePass(const BufferMergePass &other) : PlanPass(other) {}

  void runOnOperation() override {
    if (failed(namedSpaces.check(getOperation())))
      return signalPassFailure();
    warnAboutAttributes(getOperation());
    warnAboutTensors(getOperation());
    FailureOr<BufferMergeResult> result =
        mergeBuffers(getOperation(), getMergeOptions());
    if (failed(result))
      return signalPassFailure();
    numMerged = result->numMerged;
    numLeft = result->numLeft;
    numLeftByReason = result->numLeftByReason;
    numSplit = result->numSplit;
    numCopiesErased = result->numCopiesErased;
    numRefilled = result->numRefilled;
    numPools = result->numPools;
    numBarriers = result->numBarriers;
    bytesMerged = result->bytesMerged;
    bytesPools = result->bytesPools;
    if (result->numPools == 0 && result->numRefilled == 0)
      markAllAnalysesPreserved();
  }

  ReasonStatistics numLeftByReason{this};
};
} // namespace
