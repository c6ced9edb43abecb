//===- Advice.cpp - What would make pools smaller -------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Advice.h"

using namespace mlir;
using namespace buffer_merge;

StringRef PoolAdvice::getOption() const {
  switch (kind) {
  case AdviceKind::InPlace:
    return "in-place";
  case AdviceKind::InsertBarriers:
    return "barriers=insert";
  case AdviceKind::SplitBuffers:
    return "split-buffers";
  case AdviceKind::InArgument:
  case AdviceKind::Fuse:
  case AdviceKind::Between:
  case AdviceKind::Halve:
  case AdviceKind::Elsewhere:
    return "";
  }
  llvm_unreachable("not a kind of advice");
}

std::optional<int64_t> buffer_merge::getNeededBytes(const PoolPlan &pool) {
  if (pool.excessiveBytes)
    return pool.excessiveBytes;
  if (const Pool *made = pool.getPool())
    return made->schedule.poolSize;
  if (pool.getReason() == UnmergeableReason::NoGain)
    return pool.totalBytes;
  return std::nullopt;
}

void buffer_merge::addIfSmaller(PoolPlan &pool, PoolAdvice advice,
                                int64_t bytes) {
  std::optional<int64_t> now = getNeededBytes(pool);
  if (!now || bytes >= *now)
    return;
  advice.savedBytes = *now - bytes;
  pool.advice.push_back(advice);
}

static llvm::DenseSet<Value> getAllocations(const PoolPlan &pool) {
  llvm::DenseSet<Value> allocations;
  for (const BufferLifetime *buffer : pool.buffers)
    allocations.insert_range(buffer->getAllocs());
  return allocations;
}

/// Add the advice `kind` to the pools of `plan` that are smaller in `other`;
/// pools are compared if they are for the same allocations.
static void addPlanAdvice(MergePlan &plan, AdviceKind kind,
                          const MergePlan &other) {
  for (PoolPlan &pool : plan.pools) {
    llvm::DenseSet<Value> allocs = getAllocations(pool);
    const auto *match = llvm::find_if(other.pools, [&](const PoolPlan &other) {
      return pool.scope == other.scope &&
             pool.memorySpace == other.memorySpace &&
             getAllocations(other) == allocs;
    });
    if (match == other.pools.end())
      continue;
    if (std::optional<int64_t> bytes = getNeededBytes(*match))
      addIfSmaller(pool, {kind, 0}, *bytes);
  }
}

SmallVector<PoolOption>
buffer_merge::findPoolOptions(const MergePlan &plan,
                              const MergePlanOptions &options) {
  SmallVector<PoolOption> found;
  if (!options.lifetimes.findInPlacePairs)
    found.push_back({AdviceKind::InPlace, [](MergePlanOptions &other) {
                       other.lifetimes.findInPlacePairs = true;
                     }});
  if (!options.lifetimes.findValues)
    found.push_back({AdviceKind::SplitBuffers, [](MergePlanOptions &other) {
                       other.lifetimes.findValues = true;
                     }});
  if (options.barriers != BarrierPolicy::Insert &&
      llvm::any_of(plan.pools, [](const PoolPlan &pool) {
        return pool.workgroup.has_value();
      }))
    found.push_back({AdviceKind::InsertBarriers, [](MergePlanOptions &other) {
                       other.barriers = BarrierPolicy::Insert;
                     }});
  return found;
}

FailureOr<MergePlan>
buffer_merge::planWith(Operation *root, MergePlanOptions options,
                       function_ref<void(MergePlanOptions &)> set) {
  // The offsets are those of another solver for this plan.
  options.fixOffsets = nullptr;
  // An option may make smaller what effort does not.
  options.schedulerOptions.decisionSteps = 0;
  set(options);
  PlanMessages messages;
  return computeMergePlan(root, options, messages);
}

SmallVector<AlternativePlan, 0>
buffer_merge::addAdvice(Operation *root, MergePlan &plan,
                        const MergePlanOptions &options) {
  SmallVector<AlternativePlan, 0> alternatives;
  for (PoolOption option : findPoolOptions(plan, options))
    if (FailureOr<MergePlan> found = planWith(root, options, option.set);
        succeeded(found))
      alternatives.push_back({option.kind, std::move(*found)});
  for (const AlternativePlan &alternative : alternatives)
    addPlanAdvice(plan, alternative.kind, alternative.plan);
  addBufferAdvice(plan, options);
  for (PoolPlan &pool : plan.pools)
    llvm::sort(pool.advice, [](const PoolAdvice &a, const PoolAdvice &b) {
      return std::tuple(-a.savedBytes, a.kind, a.buffer) <
             std::tuple(-b.savedBytes, b.kind, b.buffer);
    });
  return alternatives;
}
