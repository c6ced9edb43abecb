//===- PlanParts.cpp - Plans of allocations that may be split -------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanParts.h"

#include "Mutation.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the bytes of all buffers of `plan`, in pools or not, apart from those
/// in arguments.
static int64_t countBytes(const MergePlan &plan) {
  int64_t bytes = 0;
  for (const PoolPlan &pool : plan.pools)
    if (!pool.argument)
      bytes +=
          pool.getPool() ? pool.getPool()->schedule.poolSize : pool.totalBytes;
  return bytes;
}

FailureOr<MergePlan>
buffer_merge::planParts(Operation *root, const BufferMergeOptions &options,
                        const MergePlanOptions &planOptions,
                        BufferParts &parts) {
  if (!options.splitBuffers)
    return computeMergePlan(root, planOptions);
  SplitBuffersOptions splitOptions;
  splitOptions.calls = planOptions.lifetimes.calls;
  splitOptions.workgroup = planOptions.lifetimes.workgroup;
  auto computePlan = [&] {
    parts.split(root, splitOptions);
    // What is joined may leave other pools without a gain.
    for (int round = 0;; ++round) {
      FailureOr<MergePlan> plan = computeMergePlan(root, planOptions);
      if (failed(plan) || !parts.joinWhatStays(*plan))
        return plan;
      constexpr int maxRounds = 2;
      if (round == maxRounds)
        parts.joinAll();
    }
  };
  FailureOr<MergePlan> plan = computePlan();
  if (failed(plan) || parts.areProvedToHelp(*plan))
    return plan;
  // A scheduler may find a larger pool for more buffers.
  int64_t bytes = countBytes(*plan);
  parts.joinAll();
  plan = computeMergePlan(root, planOptions);
  if (failed(plan) || countBytes(*plan) <= bytes)
    return plan;
  return computePlan();
}

/// Add to `plan`, which has no allocation that was split, what splitting saves.
static void addSplitAdvice(Operation *root, MergePlan &plan,
                           const BufferMergeOptions &options,
                           const MergePlanOptions &planOptions) {
  BufferMergeOptions other = options;
  other.splitBuffers = true;
  MergePlanOptions otherPlan = planOptions;
  otherPlan.fixOffsets = MergePlanOptions().fixOffsets;
  ScopedDiagnosticHandler noErrors(root->getContext(),
                                   [](Diagnostic &) { return success(); });
  BufferParts parts;
  FailureOr<MergePlan> split = planParts(root, other, otherPlan, parts);
  if (succeeded(split))
    addPlanAdvice(plan, AdviceKind::SplitBuffers, *split, parts.getParts());
  parts.joinAll();
}

SmallVector<AlternativePlan, 0>
buffer_merge::addAdvice(Operation *root, MergePlan &plan,
                        const BufferMergeOptions &options,
                        const MergePlanOptions &planOptions) {
  SmallVector<AlternativePlan, 0> alternatives =
      planAlternatives(root, plan, planOptions);
  for (const AlternativePlan &alternative : alternatives)
    addPlanAdvice(plan, alternative.kind, alternative.plan, BufferPartMap());
  if (!options.splitBuffers && !isMutated("advice-no-split"))
    addSplitAdvice(root, plan, options, planOptions);
  addBufferAdvice(plan, planOptions);
  sortAdvice(plan);
  return alternatives;
}
