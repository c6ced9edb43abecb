//===- Gain.cpp - What a pool saves ---------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gain.h"
#include "Analysis/AllocScope.h"
#include "Analysis/IterationSpace.h"
#include "Mutation.h"
#include "Planning/Heap/BranchTree.h"
#include "Scheduling/SaturatingBytes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace buffer_merge;

int64_t buffer_merge::getAllocatedBytes(const BufferLifetime &buffer) {
  if (!buffer.parts)
    return llvm::alignTo(*buffer.size, buffer.getRequestedAlignment());
  int64_t sum = 0;
  for (BufferParts::Part part : buffer.parts->parts) {
    uint64_t alignment = part.alloc.getAlignment().value_or(1);
    sum += llvm::alignTo(part.size, std::max<uint64_t>(alignment, 1));
    sum = std::min(sum, maxBytes);
  }
  return sum;
}

std::optional<int64_t> buffer_merge::getNumIterations(Operation *op) {
  if (auto ranges = getIterationRanges(op))
    return countIterations(*ranges);
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
    product = multiplyBytes(product, count->getLimitedValue(maxBytes));
  }
  return product;
}

/// Return the first of `buffers` of each allocation: the first of its values,
/// or all of it.
static SmallVector<const BufferLifetime *>
getAllocations(ArrayRef<const BufferLifetime *> buffers) {
  llvm::DenseSet<Value> seen;
  SmallVector<const BufferLifetime *> allocations;
  for (const BufferLifetime *buffer : buffers)
    if (!buffer->value || seen.insert(buffer->alloc).second)
      allocations.push_back(buffer);
  return allocations;
}

int64_t
buffer_merge::getAllocatedBytes(ArrayRef<const BufferLifetime *> buffers) {
  int64_t sum = 0;
  for (const BufferLifetime *buffer : getAllocations(buffers)) {
    int64_t bytes = getAllocatedBytes(*buffer);
    sum = std::min(sum + std::min(bytes, maxBytes), maxBytes);
  }
  return sum;
}

namespace {
/// Counts how often operations are executed at least while a scope is executed
/// once: in loops whose number of iterations is known, as often as these
/// iterate.
class ExecutionCounter {
public:
  explicit ExecutionCounter(Region &scope) { counts[&scope] = 1; }

  /// Return the number for the operations of `region`, at most `maxBytes`.
  int64_t count(Region *region) {
    SmallVector<Region *> path;
    for (; !counts.contains(region);
         region = region->getParentOp()->getParentRegion())
      path.push_back(region);
    for (Region *inner : llvm::reverse(path)) {
      // The order of blocks may leave it out.
      bool mayBeLeftOut = mayNotRun(*inner) || !inner->hasOneBlock() ||
                          counts.lookup(region) == 0;
      Operation *op = inner->getParentOp();
      counts[inner] = mayBeLeftOut
                          ? 0
                          : multiplyBytes(counts.lookup(region),
                                          getNumIterations(op).value_or(1));
      region = inner;
    }
    // As if it were not in a loop.
    return std::max<int64_t>(counts.lookup(region), 1);
  }

private:
  llvm::DenseMap<Region *, int64_t> counts;
};
} // namespace

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
        iterations = count ? std::optional(multiplyBytes(*iterations, *count))
                           : std::nullopt;
      }
  if (maxThreads == 0)
    return iterations;
  return std::min<int64_t>(iterations.value_or(maxBytes), maxThreads);
}

int64_t buffer_merge::getPoolBytes(const PoolPlan &plan, int64_t poolSize) {
  uint64_t alignment = 1;
  for (const BufferLifetime *buffer : plan.buffers) {
    alignment = std::max<uint64_t>(alignment, buffer->getRequestedAlignment());
    for (Value alloc : buffer->getAllocs())
      if (auto op = alloc.getDefiningOp<memref::AllocOp>())
        alignment = std::max(alignment, op.getAlignment().value_or(1));
  }
  return llvm::alignTo(poolSize, alignment);
}

int64_t buffer_merge::getPoolBytes(const PoolPlan &plan) {
  return getPoolBytes(plan, plan.getPool()->schedule.poolSize);
}

int64_t buffer_merge::getNeededGain(int64_t bytes, const MinGain &minGain) {
  auto percent = static_cast<int64_t>(
      std::ceil(static_cast<double>(bytes) / 100 * minGain.percent));
  return std::max<int64_t>({minGain.bytes, percent, 1});
}

int64_t buffer_merge::getNeededGain(int64_t bytes,
                                    const MergePlanOptions &options) {
  // A percentage keeps pools from being held beside more, which is of no
  // interest where the peak is not limited.
  bool isLimited = options.limitPeak || isMutated("R4-unlimited");
  return getNeededGain(
      bytes, options.minGain.value_or(isLimited ? MinGain() : MinGain{0, 0}));
}

bool buffer_merge::hasGain(const PoolPlan &plan, int64_t poolSize,
                           const MergePlanOptions &options) {
  if (plan.isErased)
    return true;
  int64_t bytes = getAllocatedBytes(plan.buffers);
  // Rounded up as they are: otherwise the pool of one buffer, an earlier pool,
  // would be smaller than that.
  int64_t gain = bytes - getPoolBytes(plan, poolSize);
  if (plan.workgroup)
    return gain > 0;
  int64_t needed = getNeededGain(bytes, options);
  bool isTooMuch = plan.capacity && bytes > *plan.capacity;
  if (isTooMuch || isMutated("R4-gain"))
    needed = 1;
  if (options.goal == Goal::Allocations && plan.countAllocations() > 1)
    needed = 0;
  if (gain >= needed)
    return true;
  // What an allocator adds to each allocation. Allocations that a pool replaces
  // one by one, outside of loops, count only with their bytes.
  constexpr int64_t headerBytes = 16;
  ExecutionCounter counter(*plan.scope);
  int64_t repeated = 0;
  for (const BufferLifetime *buffer : getAllocations(plan.buffers)) {
    Region *region = buffer->getPlace()->getParentRegion();
    repeated = std::min(repeated + counter.count(region) - 1, maxBytes);
  }
  return repeated > 0 && gain >= 0 &&
         gain + multiplyBytes(repeated, headerBytes) >= needed;
}
