//===- Gain.cpp - What a pool saves ---------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gain.h"
#include "Analysis/AllocScope.h"
#include "BranchTree.h"
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

int64_t buffer_merge::getAllocatedBytes(const BufferLifetime &buffer) {
  memref::AllocOp alloc = buffer.alloc;
  uint64_t alignment = alloc.getAlignment().value_or(1);
  return llvm::alignTo(*buffer.size, std::max<uint64_t>(alignment, 1));
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
  // Most buffers are in the region of the one before.
  Region *region = nullptr;
  int64_t executions = 1;
  for (const BufferLifetime *buffer : buffers) {
    int64_t bytes = isMutated("R4-size-of-the-value")
                        ? *buffer->size
                        : getAllocatedBytes(*buffer);
    cost.bytes = std::min(cost.bytes + std::min(bytes, maxBytes), maxBytes);
    Operation *alloc = buffer->alloc;
    if (alloc->getParentRegion() != region) {
      region = alloc->getParentRegion();
      executions = countExecutions(alloc, scope);
    }
    cost.executions = std::min(cost.executions + executions, maxBytes);
  }
  return cost;
}

std::optional<int64_t>
buffer_merge::countConcurrentExecutions(Operation *scopeOp,
                                        unsigned maxThreads) {
  RegionExecution execution = getRegionExecution(scopeOp);
  std::optional<int64_t> iterations = 1;
  if (execution == RegionExecution::Parallel)
    iterations = getNumIterations(scopeOp);
  // A task, of which loops around it start several.
  if (execution == RegionExecution::Deferred)
    for (Operation *op = scopeOp->getParentOp();
         iterations && isSequentialRegionOp(op); op = op->getParentOp())
      if (!runsRegionsAtMostOnce(op)) {
        std::optional<int64_t> count = getNumIterations(op);
        iterations =
            count ? std::optional(multiply(*iterations, *count)) : std::nullopt;
      }
  if (maxThreads == 0)
    return iterations;
  return std::min<int64_t>(iterations.value_or(maxBytes), maxThreads);
}

/// Return `poolSize`, rounded up to the alignment that the allocations of
/// `plan` ask for.
static int64_t getPoolBytes(const PoolPlan &plan, int64_t poolSize) {
  uint64_t alignment = 1;
  for (const BufferLifetime *buffer : plan.buffers) {
    memref::AllocOp alloc = buffer->alloc;
    alignment = std::max(alignment, alloc.getAlignment().value_or(1));
  }
  return llvm::alignTo(poolSize, alignment);
}

int64_t buffer_merge::getPoolBytes(const PoolPlan &plan) {
  return ::getPoolBytes(plan, plan.getPool()->schedule.poolSize);
}

bool buffer_merge::hasGain(const PoolPlan &plan, int64_t poolSize,
                           const MergePlanOptions &options) {
  AllocationCost cost = getAllocationCost(plan.buffers, *plan.scope);
  // Rounded up as they are: otherwise the pool of one buffer, an earlier pool,
  // would be smaller than that.
  int64_t gain = cost.bytes - ::getPoolBytes(plan, poolSize) +
                 isMutated("R4-pool-without-gain");
  if (plan.workgroup)
    return gain > 0;
  const MinGain &minGain = options.minGain;
  auto percent = static_cast<int64_t>(
      std::ceil(static_cast<double>(cost.bytes) / 100 * minGain.percent));
  int64_t needed = std::max<int64_t>({minGain.bytes, percent, 1});
  bool isTooMuch = plan.capacity && cost.bytes > *plan.capacity &&
                   !isMutated("R4-gain-within-capacity");
  if (isTooMuch || isMutated("R4-any-gain"))
    needed = 1;
  if (gain >= needed)
    return true;
  // What an allocator adds to each allocation. Allocations that a pool replaces
  // one by one, outside of loops, count only with their bytes.
  constexpr int64_t headerBytes = 16;
  int64_t repeated = cost.executions - int64_t(plan.buffers.size());
  bool isLarger = gain < 0 && !isMutated("R4-larger-pool");
  return repeated > 0 && !isLarger &&
         gain + multiply(repeated, headerBytes) >= needed &&
         !isMutated("R4-executions");
}
