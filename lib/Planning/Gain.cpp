//===- Gain.cpp - What a pool saves ---------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gain.h"
#include "HeapUse.h"
#include "Mutation.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace buffer_merge;

/// Return the product of two numbers of 0 or more, at most `maxBytes`.
static int64_t multiply(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? maxBytes
                                          : std::min(product, maxBytes);
}

std::optional<int64_t> buffer_merge::getNumIterations(Operation *op) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  if (!loop)
    return std::nullopt;
  auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds(),
       step = loop.getLoopSteps();
  if (!lower || !upper || !step || lower->size() != upper->size() ||
      lower->size() != step->size())
    return std::nullopt;
  int64_t product = 1;
  for (auto [from, to, by] : llvm::zip_equal(*lower, *upper, *step)) {
    auto noDifference = [](Value, Value, bool) {
      return std::optional<llvm::APSInt>();
    };
    std::optional<APInt> count =
        constantTripCount(from, to, by, /*isSigned=*/true, noDifference);
    if (!count)
      return std::nullopt;
    product = multiply(product, count->getLimitedValue(maxBytes));
  }
  return product;
}

/// Return how often `op` is executed at least while `scope` is executed once.
static int64_t countExecutions(Operation *op, Region &scope) {
  int64_t executions = 1;
  for (Region *region = op->getParentRegion(); region != &scope;
       region = region->getParentRegion()) {
    // The order of blocks may leave it out.
    if (mayNotRun(*region) || !region->hasOneBlock())
      return 1;
    executions = multiply(executions,
                          getNumIterations(region->getParentOp()).value_or(1));
  }
  return executions;
}

AllocationCost
buffer_merge::getAllocationCost(ArrayRef<const BufferLifetime *> buffers,
                                Region &scope) {
  AllocationCost cost;
  for (const BufferLifetime *buffer : buffers) {
    int64_t bytes = isMutated("R4-size-of-the-value")
                        ? *buffer->size
                        : getAllocatedBytes(*buffer);
    cost.bytes = std::min(cost.bytes + std::min(bytes, maxBytes), maxBytes);
    cost.executions = std::min(
        cost.executions + countExecutions(buffer->alloc, scope), maxBytes);
  }
  return cost;
}

bool buffer_merge::hasGain(const PoolPlan &plan, int64_t poolSize,
                           const MergePlanOptions &options) {
  AllocationCost cost = getAllocationCost(plan.buffers, *plan.scope);
  // Otherwise the pool of one buffer would be worth another pool.
  uint64_t alignment = 1;
  for (const BufferLifetime *buffer : plan.buffers) {
    memref::AllocOp alloc = buffer->alloc;
    alignment = std::max(alignment, alloc.getAlignment().value_or(1));
  }
  int64_t gain = cost.bytes - llvm::alignTo(poolSize, alignment) +
                 isMutated("R4-pool-without-gain");
  if (plan.workgroup)
    return gain > 0;
  const MinGain &minGain = options.minGain;
  auto percent = static_cast<int64_t>(
      std::ceil(static_cast<double>(cost.bytes) / 100 * minGain.percent));
  int64_t needed = std::max<int64_t>({minGain.bytes, percent, 1});
  if (isMutated("R4-any-gain"))
    needed = 1;
  if (gain >= needed)
    return true;
  // What an allocator adds to each allocation. Allocations that a pool replaces
  // one by one, outside of loops, count only with their bytes.
  constexpr int64_t headerBytes = 16;
  int64_t repeated = cost.executions - int64_t(plan.buffers.size());
  return repeated > 0 && gain + multiply(repeated, headerBytes) >= needed &&
         !isMutated("R4-executions");
}
