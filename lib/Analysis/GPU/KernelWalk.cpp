//===- KernelWalk.cpp - The ways of threads through a kernel --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/GPU/KernelWalk.h"
#include "Analysis/GPU/WorkgroupMemory.h"
#include "Mutation.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace buffer_merge;

using Lanes = ThreadValues::Lanes;

/// The most iterations of a loop that are executed one by one.
static constexpr int64_t maxIterations = 1 << 14;
/// The most iterations that follow by themselves: few, as there are stages of a
/// pipeline.
static constexpr int64_t maxLast = 8;

Threads KernelWalk::getAllThreads() const {
  Threads threads;
  threads.surely.resize(values.getNumLanes(), true);
  threads.maybe.resize(values.getNumLanes(), true);
  return threads;
}

bool KernelWalk::run(Block &block, State &state, const Threads &threads) {
  return llvm::all_of(block, [&](Operation &op) {
    return !isOfInterest(&op) || runOp(&op, state, threads);
  });
}

bool KernelWalk::runOp(Operation *op, State &state, const Threads &threads) {
  bool hasRegion = llvm::any_of(op->getRegions(),
                                [](Region &region) { return !region.empty(); });
  bool isParting = hasRegion && threads.areTogether &&
                   !uniformity.isUniformRegionOp(op) &&
                   !isMutated("G3-divergent");
  if (!enter(op, state, threads, isParting))
    return false;
  if (hasRegion) {
    Threads inside = threads;
    inside.areTogether &= !isParting;
    if (!runRegions(op, state, inside, threads.areAll()))
      return false;
  }
  leave(op, state, threads);
  return true;
}

/// Walk through the regions of `op`, which all threads of the workgroup execute
/// if `areAll`; `threads` are together if they stay so inside.
bool KernelWalk::runRegions(Operation *op, State &state, const Threads &threads,
                            bool areAll) {
  if (!hasOneBlockEach(op) || (!threads.areTogether && !followsParted()))
    return runUnknown(op, state, threads);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return runIf(op, Lanes(values.get(branch.getCondition())), state, threads);
  if (auto branch = dyn_cast<affine::AffineIfOp>(op))
    return runIf(op, values.isIn(branch.getIntegerSet(), branch.getOperands()),
                 state, threads);
  if (isa<scf::IndexSwitchOp>(op))
    return runArms(op, state, threads);
  if (isa<scf::ForOp, affine::AffineForOp>(op))
    return runFor(cast<LoopLikeOpInterface>(op), state, threads, areAll);
  if (threads.areTogether && getLoopMapping(op) == LoopMapping::Threads)
    return runEach(op, state, threads);
  if (isa<scf::ForallOp, scf::ParallelOp>(op))
    return runForall(cast<LoopLikeOpInterface>(op), state, threads, areAll);
  if (isa<scf::ExecuteRegionOp, memref::AllocaScopeOp>(op))
    return run(op->getRegion(0).front(), state, threads);
  if (isa<scf::WhileOp>(op) && threads.areTogether)
    return runWhile(op, state, threads);
  return runUnknown(op, state, threads);
}

/// Walk through the regions of `op`, of which any may be executed, and none
/// need be.
bool KernelWalk::runUnknown(Operation *op, State &state, Threads threads) {
  threads.surely.reset();
  threads.maybe.set();
  threads.unknownOp = op;
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      State inside = state;
      size_t mark = values.getMark();
      if (!run(block, inside, threads))
        return false;
      values.unwind(mark);
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// Walk through the regions of `op`, of which all threads take one, or each
/// takes its own.
bool KernelWalk::runArms(Operation *op, State &state, Threads threads) {
  if (!threads.areTogether)
    threads.surely.reset();
  std::optional<State> after;
  for (Region &region : op->getRegions()) {
    State arm = region.empty() ? state : fork(state);
    if (!region.empty() && !run(region.front(), arm, threads))
      return false;
    if (!after)
      after = std::move(arm);
    else if (!isMutated("G1-arms"))
      join(*after, arm);
  }
  state = std::move(*after);
  return true;
}

/// Walk through the arms of `op`, whose `condition` may be known.
bool KernelWalk::runIf(Operation *op, const Lanes &condition, State &state,
                       const Threads &threads) {

  if (!condition.isKnown() || threads.areHidden(condition) ||
      (threads.areTogether && !condition.areEqual()))
    return runArms(op, state, threads);
  for (bool isThen : {true, false}) {
    Region &arm = op->getRegion(isThen ? 0 : 1);
    Threads inside = threads;
    for (unsigned lane = 0, end = inside.surely.size(); lane < end; ++lane) {
      if ((condition[lane] != 0) == isThen)
        continue;
      inside.surely.reset(lane);
      // Threads without a lane may take the other arm.
      if (!condition.isOfFirst)
        inside.maybe.reset(lane);
    }
    bool isAny = inside.surely.any() ||
                 (inside.maybe.any() && !isMutated("G10-no-others"));
    if (isAny && !arm.empty() && !run(arm.front(), state, inside))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Return the bounds of counter `index` of `op`; not known if they have none.
KernelWalk::Bounds KernelWalk::getBounds(LoopLikeOpInterface op,
                                         unsigned index) {
  auto lower = op.getLoopLowerBounds(), upper = op.getLoopUpperBounds(),
       steps = op.getLoopSteps();
  if (!lower || !upper || !steps)
    return Bounds();
  Bounds bounds = {values.getFolded((*lower)[index]),
                   values.getFolded((*upper)[index]),
                   values.getFolded((*steps)[index])};
  // Negative numbers are large ones there.
  auto isNegative = [](const Lanes &bound) {
    return llvm::any_of(bound.numbers,
                        [](int64_t number) { return number < 0; });
  };
  if (auto loop = dyn_cast<scf::ForOp>(op.getOperation());
      loop && loop.getUnsignedCmp() && llvm::any_of(bounds, isNegative))
    return Bounds();
  return bounds;
}

static bool isUniform(ArrayRef<Lanes> bounds) {
  return llvm::all_of(bounds,
                      [](const Lanes &bound) { return bound.isUniform(); });
}

/// Return how often a counter with `bounds`, which are known, counts in `lane`,
/// or -1 if that is not known or more often than `limit`.
static int64_t countLoopIterations(ArrayRef<Lanes> bounds, unsigned lane,
                                   uint64_t limit) {
  int64_t lower = bounds[0][lane], upper = bounds[1][lane];
  int64_t step = bounds[2][lane];
  if (step <= 0)
    return -1;
  if (upper <= lower)
    return 0;
  // The distance may exceed the largest signed number.
  uint64_t count =
      llvm::divideCeil(uint64_t(upper) - uint64_t(lower), uint64_t(step));
  return count <= limit ? count : -1;
}

/// Return true if `op` counts from the id of a thread in steps of the size of
/// the workgroup, which is not known: all threads together execute each
/// iteration, from 0 on.
bool KernelWalk::isStridedByBlock(Operation *op) const {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return false;
  auto id = ThreadValues::getThreadDimension(loop.getLowerBound());
  auto size = ThreadValues::getBlockDimension(loop.getStep());
  return id && !values.getBlockSize()[*id] &&
         (size == id || isMutated("G10-any-stride"));
}

bool KernelWalk::runFor(LoopLikeOpInterface op, State &state, Threads threads,
                        bool areAll) {
  if (!canUnroll(op))
    return runOnceForAll(op, state, std::move(threads));
  Bounds bounds = getBounds(op, 0);
  bool isStrided = areAll && isStridedByBlock(op);
  if (isStrided) {
    bounds[0] = ThreadValues::getConstant(0);
    bounds[2] = ThreadValues::getConstant(1);
  }
  bool isOne = isUniform(bounds);
  bool areKnown =
      isOne || (!isStrided && llvm::all_of(bounds, [&](const Lanes &bound) {
        return bound.isKnown() && !bound.isOfFirst && !threads.areHidden(bound);
      }));
  SmallVector<int64_t> counts;
  if (areKnown)
    for (unsigned lane = 0, end = isOne ? 1 : values.getNumLanes(); lane < end;
         ++lane)
      counts.push_back(countLoopIterations(bounds, lane, maxIterations));
  if (counts.empty() || llvm::is_contained(counts, -1))
    return runOnceForAll(op, state, std::move(threads));
  if (isStrided) {
    threads.areTogether = false;
    threads.hidesFirst = true;
  }
  return runIterations(op, bounds, counts, state, std::move(threads));
}

/// Return how many of the last of `count` iterations of `op` follow by
/// themselves.
int64_t KernelWalk::countLast(LoopLikeOpInterface op, const Bounds &bounds,
                              int64_t count) {
  int64_t number = 0;
  for (; !isLast && number < std::min(count, maxLast); ++number) {
    size_t mark = values.getMark();
    bindCounters(op, bounds, count - 1 - number);
    bool isNext = isByItself(op);
    values.unwind(mark);
    if (!isNext)
      break;
  }
  return number;
}

/// Walk through the body for all iterations at once: nothing is known of its
/// counter.
bool KernelWalk::runOnceForAll(LoopLikeOpInterface op, State &state,
                               Threads threads) {
  if (!threads.areTogether)
    threads.surely.reset();
  Block &body = op->getRegion(0).front();
  State begin = fork(state), end = begin;
  size_t mark = values.getMark();
  if (!run(body, end, threads))
    return false;
  values.unwind(mark);
  Bounds bounds = getBounds(op, 0);
  int64_t count =
      isUniform(bounds)
          ? countLoopIterations(bounds, 0, std::numeric_limits<int32_t>::max())
          : -1;
  int64_t numLast = countLast(op, bounds, count);
  if (numLast == 0 || numLast < count)
    repeat(begin, end);
  for (; numLast > 0; --numLast) {
    llvm::SaveAndRestore save(isLast, true);
    end = fork(end);
    bindCounters(op, bounds, count - numLast);
    if (!run(body, end, threads))
      return false;
    values.unwind(mark);
  }
  if (!isExecutedAtLeastOnce(op) && !isMutated("G1-trip"))
    skip(end, state);
  state = std::move(end);
  return true;
}

void KernelWalk::bindCounters(LoopLikeOpInterface op, ArrayRef<Bounds> bounds,
                              int64_t iteration) {
  SmallVector<Value> counters(*op.getLoopInductionVars());
  for (auto [counter, bound] : llvm::zip_equal(counters, bounds)) {
    int64_t count = bounds.size() == 1
                        ? iteration + 1
                        : countLoopIterations(bound, 0, maxIterations);
    values.bind(counter,
                values.multiplyAdd(bound[0], bound[2], iteration % count));
    iteration /= count;
  }
}

/// Walk through the body of `op`, whose counters have `bounds`, for each
/// iteration; lane `i` executes `counts[i]` of them, or all execute `counts[0]`
/// of them.
bool KernelWalk::runIterations(LoopLikeOpInterface op, ArrayRef<Bounds> bounds,
                               ArrayRef<int64_t> counts, State &state,
                               Threads threads) {
  // If iterations follow each other in each thread.
  SmallVector<Lanes> carried;
  bool isCarrying =
      isa<scf::ForOp, affine::AffineForOp>(op) && !threads.hidesFirst;
  if (isCarrying)
    for (Value init : op.getInits())
      carried.push_back(values.get(init));
  int64_t total = *llvm::max_element(counts);
  for (int64_t i = 0; i < total; ++i) {
    for (unsigned lane = 0, end = counts.size(); lane < end; ++lane)
      if (end > 1 && i >= counts[lane]) {
        threads.surely.reset(lane);
        threads.maybe.reset(lane);
      }
    if (threads.maybe.none())
      break;
    size_t mark = values.getMark();
    bindCounters(op, bounds, i);
    for (auto [argument, lanes] : llvm::zip(op.getRegionIterArgs(), carried))
      values.bind(argument, lanes);
    if (!run(op->getRegion(0).front(), state, threads))
      return false;
    for (auto [lanes, yielded] : llvm::zip(carried, op.getYieldedValues()))
      lanes = values.get(yielded);
    values.unwind(mark);
  }
  // Otherwise a thread has what it had when it left the loop.
  if (counts.size() == 1)
    for (auto [result, lanes] : llvm::zip(op->getResults(), carried))
      values.bind(result, lanes);
  return true;
}

/// Walk through each iteration of a parallel loop, executed by some thread.
bool KernelWalk::runForall(LoopLikeOpInterface op, State &state,
                           Threads threads, bool areAll) {
  SmallVector<Bounds> bounds;
  int64_t total = 1;
  for (unsigned i = 0, end = op.getLoopInductionVars()->size(); i < end; ++i) {
    bounds.push_back(getBounds(op, i));
    int64_t count = isUniform(bounds.back())
                        ? countLoopIterations(bounds.back(), 0, maxIterations)
                        : -1;
    total = count < 0 || total < 0 ? -1 : total * count;
    if (total > maxIterations)
      total = -1;
  }
  // The iterations of a loop over blocks are executed by other workgroups.
  LoopMapping mapping = getLoopMapping(op);
  bool isOfOthers =
      mapping != LoopMapping::None && mapping != LoopMapping::Threads;
  if (isOfOthers || total < 0 || !areAll || !canUnroll(op))
    return runUnknown(op, state, std::move(threads));
  threads.hidesAll = true;
  return runIterations(op, bounds, total, state, std::move(threads));
}

/// Walk through the body of a loop of which each thread executes one iteration.
bool KernelWalk::runEach(Operation *op, State &state, Threads threads) {
  threads.surely.reset();
  State inside = fork(state);
  if (!run(op->getRegion(0).front(), inside, threads))
    return false;
  if (!isExecutedAtLeastOnce(op) && !isMutated("G11-trip"))
    skip(inside, state);
  state = std::move(inside);
  return true;
}

/// Walk through a loop that all threads leave at the end of its first region.
bool KernelWalk::runWhile(Operation *op, State &state, const Threads &threads) {
  State begin = fork(state), exit = begin;
  if (!run(op->getRegion(0).front(), exit, threads))
    return false;
  State end = fork(exit);
  if (!run(op->getRegion(1).front(), end, threads))
    return false;
  repeat(begin, end);
  state = fork(exit);
  return true;
}
