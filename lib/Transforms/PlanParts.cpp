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

static SplitBuffersOptions getSplitOptions(const MergePlanOptions &options) {
  SplitBuffersOptions splitOptions;
  splitOptions.calls = options.lifetimes.calls;
  splitOptions.workgroup = options.lifetimes.workgroup;
  splitOptions.dynamicShapes =
      options.lifetimes.dynamic == DynamicPolicy::Bounded;
  return splitOptions;
}

/// Split what holds several values, and compute a plan in which every
/// allocation that is split is merged in all of its parts: join the others.
static FailureOr<MergePlan> planValues(Operation *root,
                                       const MergePlanOptions &planOptions,
                                       BufferParts &parts,
                                       PlanMessages &messages) {
  SplitBuffersOptions splitOptions = getSplitOptions(planOptions);
  auto computePlan = [&] {
    parts.split(root, splitOptions);
    MergePlanOptions partOptions = planOptions;
    // What is joined may leave other pools without a gain.
    for (int round = 0;; ++round) {
      BufferPartMap partMap = parts.getParts();
      if (!isMutated("peak-of-parts-apart"))
        partOptions.parts = &partMap;
      FailureOr<MergePlan> plan = computeMergePlan(root, partOptions, messages);
      if (failed(plan) || !parts.joinWhatStays(*plan))
        return plan;
      constexpr int maxRounds = 2;
      if (round == maxRounds)
        parts.joinAll();
    }
  };
  FailureOr<MergePlan> plan = computePlan();
  if (succeeded(plan) && plan->hasRaisedPeak) {
    parts.joinAll();
    return computeMergePlan(root, planOptions, messages);
  }
  if (failed(plan) || parts.areProvedToHelp(*plan))
    return plan;
  // A scheduler may find a larger pool for more buffers.
  int64_t bytes = countBytes(*plan);
  parts.joinAll();
  plan = computeMergePlan(root, planOptions, messages);
  if (failed(plan) || countBytes(*plan) <= bytes)
    return plan;
  return computePlan();
}

FailureOr<MergePlan>
buffer_merge::planParts(Operation *root, const BufferMergeOptions &options,
                        const MergePlanOptions &planOptions,
                        BranchBuffers &branches, BufferParts &parts,
                        PlanMessages &messages) {
  if (!options.splitBuffers)
    return computeMergePlan(root, planOptions, messages);
  branches.unite(root, getSplitOptions(planOptions));
  for (int round = 0;; ++round) {
    FailureOr<MergePlan> plan = planValues(root, planOptions, parts, messages);
    if (failed(plan))
      return plan;
    llvm::DenseSet<Operation *> unmerged = branches.findUnmerged(*plan);
    if (unmerged.empty())
      return plan;
    parts.joinAll();
    constexpr int maxRounds = 2;
    if (round == maxRounds)
      branches.separateAll();
    else
      branches.separate(unmerged);
  }
}

/// Add to `plan`, which has no allocation that was split, what splitting saves.
static void addSplitAdvice(Operation *root, MergePlan &plan,
                           const MergePlanOptions &planOptions) {
  MergePlanOptions otherPlan = planOptions;
  otherPlan.fixOffsets = MergePlanOptions().fixOffsets;
  BufferParts parts;
  // Nobody has asked for this plan.
  PlanMessages messages;
  FailureOr<MergePlan> split = planValues(root, otherPlan, parts, messages);
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
    addSplitAdvice(root, plan, planOptions);
  addBufferAdvice(plan, planOptions);
  sortAdvice(plan);
  return alternatives;
}
