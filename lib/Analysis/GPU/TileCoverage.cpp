//===- TileCoverage.cpp - Tiles that are filled before use ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state is what must have been written, so that it can only grow along a
// path: at a loop that is not executed iteration by iteration, one execution of
// the body from the state before it stands for all. Reads are what may be read.
//
//===----------------------------------------------------------------------===//

#include "Analysis/GPU/TileCoverage.h"
#include "Analysis/BufferSize.h"
#include "Analysis/GPU/AccessedBytes.h"
#include "Analysis/GPU/WorkgroupMemory.h"
#include "Mutation.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace buffer_merge;

using Lanes = ThreadValues::Lanes;

/// The most bytes of a buffer that is looked at: all that any device has.
static constexpr int64_t maxTileBytes = 1 << 20;
/// The deepest nest of regions that is looked at.
static constexpr unsigned maxDepth = 64;
/// The most iterations of a loop that are executed one by one.
static constexpr int64_t maxIterations = 1 << 14;

namespace {
/// What must have been written at a program point.
struct State {
  /// Seen by all threads; written, but maybe not seen by all yet.
  llvm::BitVector visible, written;
  /// Copies that are in no group yet, and those of each group that may not be
  /// complete, the youngest first.
  llvm::BitVector copies;
  SmallVector<llvm::BitVector, 4> groups;
  /// Writes that all threads which come here have executed, in this iteration
  /// of every loop around: they may read what they have written.
  SmallVector<AccessedBytes, 4> own;

  /// Keep only what is written here and in `other`, which have the first
  /// `numOwn` of their own writes in common.
  void meet(const State &other, size_t numOwn);
};

/// Who executes an operation.
struct Threads {
  /// The threads that surely do, one bit for each lane.
  llvm::BitVector lanes;
  /// Those that may do so as well, by the lanes that they are like: threads
  /// without a lane, which differ in dimensions of unknown size, and others
  /// than `lanes`.
  llvm::BitVector others;
  /// Maybe none of `lanes` does.
  bool mayBeNone = false;
  /// All threads, together: barriers and waits count.
  bool areTogether = true;
  /// Not the threads of the lanes, but others that are not known: numbers that
  /// depend on the thread in dimensions of unknown size, or in all.
  bool hidesFirst = false, hidesAll = false;

  /// All threads of the workgroup surely do.
  bool areAll() const { return areTogether && !mayBeNone && lanes.all(); }
  bool areHidden(const Lanes &value) const {
    return (hidesFirst && value.isOfFirst) || (hidesAll && !value.isUniform());
  }
};
} // namespace

void State::meet(const State &other, size_t numOwn) {
  visible &= other.visible;
  written &= other.written;
  copies &= other.copies;
  groups.resize(std::min(groups.size(), other.groups.size()));
  for (auto [group, otherGroup] : llvm::zip(groups, other.groups))
    group &= otherGroup;
  own.truncate(numOwn);
}

namespace {
/// The lower bound, the upper bound and the step of a loop with one counter.
using Bounds = std::array<Lanes, 3>;

/// Executes a block for all threads.
class Execution {
public:
  /// If `unrollsAll`, loops with barriers inside are executed iteration by
  /// iteration as well.
  Execution(const Tile &tile, Block &block, bool unrollsAll);

  /// Return true if all that is read of the `bytes` of the tile is written
  /// before.
  bool run(int64_t bytes);

private:
  bool runBlock(Block &block, State &state, const Threads &threads);
  bool runOp(Operation *op, State &state, const Threads &threads);
  bool runRegions(Operation *op, State &state, const Threads &threads);
  bool runIf(Operation *op, const Lanes &condition, State &state,
             const Threads &threads);
  bool runArms(Operation *op, State &state, const Threads &threads);
  bool runLoop(LoopLikeOpInterface op, State &state, const Threads &threads);
  bool runIterations(LoopLikeOpInterface op, const Bounds &bounds,
                     ArrayRef<int64_t> counts, State &state,
                     const Threads &threads);
  bool isStridedByBlock(Operation *op, const Threads &threads) const;
  bool runForall(LoopLikeOpInterface op, State &state, const Threads &threads);
  bool runEach(LoopLikeOpInterface op, ArrayRef<Bounds> bounds, State &state,
               const Threads &threads);
  bool runOnceForAll(LoopLikeOpInterface op, State &state,
                     const Threads &threads);
  bool runUnknown(Operation *op, State &state, const Threads &threads);
  bool access(OpOperand &use, State &state, const Threads &threads);
  bool isRead(const AccessedBytes &bytes, const State &state,
              const Threads &threads) const;
  void write(const AccessedBytes &bytes, State &state, const Threads &threads);
  void synchronize(Operation *op, State &state) const;
  bool canUnroll(Operation *op) const {
    return unrollsAll || !relevant.lookup(op);
  }
  Threads getThreadsIn(Operation *op, const Threads &threads,
                       bool isKnown) const;

  const Tile &tile;
  Block &root;
  bool unrollsAll;
  ThreadValues values;
  llvm::DenseMap<Operation *, SmallVector<OpOperand *, 1>> accesses;
  /// Operations with something of interest in them: with synchronization, if
  /// true.
  llvm::DenseMap<Operation *, bool> relevant;
  unsigned depth = 0;
};
} // namespace

/// Return true if `op` synchronizes threads or copies.
static bool isSynchronizing(Operation *op, const WorkgroupOptions &options) {
  return options.isWorkgroupBarrier(op) || isEndOfGroup(op) ||
         getGroupsInFlight(op) ||
         (isa<scf::ForallOp>(op) && endsWithBarrier(op, options));
}

Execution::Execution(const Tile &tile, Block &block, bool unrollsAll)
    : tile(tile), root(block), unrollsAll(unrollsAll),
      values(tile.blockSize, tile.budget) {
  auto mark = [&](Operation *op, bool isSync) {
    for (;; op = op->getParentOp()) {
      auto [it, isNew] = relevant.try_emplace(op, isSync);
      if (!isNew && (it->second || !isSync))
        return;
      it->second = isSync;
      if (op->getBlock() == &root)
        return;
    }
  };
  for (OpOperand *use : tile.uses) {
    accesses[use->getOwner()].push_back(use);
    mark(use->getOwner(), /*isSync=*/false);
  }
  for (Operation &op : root)
    op.walk([&](Operation *nested) {
      --tile.budget;
      if (isSynchronizing(nested, tile.options))
        mark(nested, /*isSync=*/true);
    });
}

bool Execution::run(int64_t bytes) {
  State state;
  for (llvm::BitVector *bits : {&state.visible, &state.written, &state.copies})
    bits->resize(bytes);
  Threads threads;
  threads.lanes.resize(values.getNumLanes(), true);
  threads.others.resize(
      values.getNumLanes(),
      llvm::is_contained(values.getBlockSize(), std::nullopt));
  return runBlock(root, state, threads);
}

bool Execution::runBlock(Block &block, State &state, const Threads &threads) {
  // States are copied, and joined at barriers.
  tile.budget -= state.visible.size() / 64;
  if (++depth > maxDepth)
    return false;
  for (Operation &op : block)
    if (relevant.contains(&op) && !runOp(&op, state, threads))
      return false;
  --depth;
  return tile.budget >= 0;
}

bool Execution::runOp(Operation *op, State &state, const Threads &threads) {
  --tile.budget;
  if (auto it = accesses.find(op); it != accesses.end())
    for (OpOperand *use : it->second)
      if (!access(*use, state, threads))
        return false;
  if (op->getNumRegions() != 0)
    return runRegions(op, state, threads);
  if (threads.areTogether || isMutated("G10-divergent-barrier"))
    synchronize(op, state);
  return true;
}

void Execution::synchronize(Operation *op, State &state) const {
  if (tile.options.isWorkgroupBarrier(op)) {
    state.visible |= state.written;
  } else if (isEndOfGroup(op)) {
    state.groups.insert(state.groups.begin(), state.copies);
    state.copies.reset();
  } else if (std::optional<unsigned> left = getGroupsInFlight(op)) {
    while (state.groups.size() > *left)
      state.written |= state.groups.pop_back_val();
  }
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Return true if `bits` has all of the bytes of `lane`. Those outside of the
/// buffer are none.
static bool contains(const llvm::BitVector &bits, const AccessedBytes &bytes,
                     unsigned lane) {
  return llvm::all_of(bytes.runs, [&](const auto &run) {
    int64_t begin = std::max<int64_t>(bytes.first[lane] + run.first, 0);
    int64_t end =
        std::min<int64_t>(bytes.first[lane] + run.second, bits.size());
    return begin >= end || bits.find_first_unset_in(begin, end) < 0;
  });
}

bool Execution::isRead(const AccessedBytes &bytes, const State &state,
                       const Threads &threads) const {
  if (state.visible.all())
    return true;
  // What the thread has written itself.
  if (llvm::any_of(state.own, [&](const AccessedBytes &own) {
        return own.isSameElement(bytes);
      }))
    return true;
  bool isKnown = bytes.first.isKnown() && !bytes.runs.empty() &&
                 !threads.areHidden(bytes.first) &&
                 (!bytes.first.isOfFirst || isMutated("G10-any-block-size"));
  if (!isKnown)
    return false;
  tile.budget -= bytes.first.numbers.size() * bytes.runs.size();
  unsigned end = bytes.first.numbers.size();
  for (unsigned lane = 0; lane < end; ++lane) {
    bool mayRead =
        threads.lanes.test(lane) || threads.others.test(lane) || end == 1;
    if (mayRead && !contains(state.visible, bytes, lane))
      return false;
  }
  return true;
}

void Execution::write(const AccessedBytes &bytes, State &state,
                      const Threads &threads) {
  if (!bytes.isCopy && !bytes.key.empty())
    state.own.push_back(bytes);
  if (threads.mayBeNone || !bytes.first.isKnown() || bytes.runs.empty() ||
      threads.areHidden(bytes.first))
    return;
  llvm::BitVector &target = bytes.isCopy && !isMutated("G10-copies-are-done")
                                ? state.copies
                            : isMutated("G10-no-barrier") ? state.visible
                                                          : state.written;
  tile.budget -= bytes.first.numbers.size() * bytes.runs.size();
  unsigned end = bytes.first.numbers.size();
  for (unsigned lane = 0; lane < end; ++lane) {
    if (end == 1 ? threads.lanes.none() : !threads.lanes.test(lane))
      continue;
    for (auto [from, to] : bytes.runs) {
      int64_t begin = bytes.first[lane] + from, limit = bytes.first[lane] + to;
      if (begin >= 0 && limit <= int64_t(target.size()))
        target.set(begin, limit);
    }
  }
}

bool Execution::access(OpOperand &use, State &state, const Threads &threads) {
  AccessedBytes bytes = getAccessedBytes(use, tile.alloc, values, tile.layout);
  if (bytes.mayRead && !isRead(bytes, state, threads))
    return false;
  if (bytes.mustWrite)
    write(bytes, state, threads);
  return true;
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

bool Execution::runRegions(Operation *op, State &state,
                           const Threads &threads) {
  bool hasOneBlockEach = llvm::all_of(op->getRegions(), [](Region &region) {
    return region.empty() || llvm::hasSingleElement(region);
  });
  if (!hasOneBlockEach)
    return runUnknown(op, state, threads);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return runIf(op, Lanes(values.get(branch.getCondition())), state, threads);
  if (auto branch = dyn_cast<affine::AffineIfOp>(op))
    return runIf(op, values.isIn(branch.getIntegerSet(), branch.getOperands()),
                 state, threads);
  if (isa<scf::IndexSwitchOp>(op))
    return runArms(op, state, threads);
  if (isa<scf::ForOp, affine::AffineForOp>(op))
    return runLoop(cast<LoopLikeOpInterface>(op), state, threads);
  if (isa<scf::ForallOp, scf::ParallelOp>(op))
    return runForall(cast<LoopLikeOpInterface>(op), state, threads);
  if (isa<scf::ExecuteRegionOp, memref::AllocaScopeOp>(op))
    return runBlock(op->getRegion(0).front(), state, threads);
  return runUnknown(op, state, threads);
}

/// Return who of `threads` executes the regions of `op`, if all threads agree
/// on them or if it `isKnown` who does.
Threads Execution::getThreadsIn(Operation *op, const Threads &threads,
                                bool isKnown) const {
  Threads inside = threads;
  inside.areTogether &= tile.uniformity.isUniformRegionOp(op);
  inside.mayBeNone |= !inside.areTogether && !isKnown;
  return inside;
}

/// Execute the regions of `op`, of which any may be executed, and none need be.
bool Execution::runUnknown(Operation *op, State &state,
                           const Threads &threads) {
  Threads some = getThreadsIn(op, threads, /*isKnown=*/false);
  if (!some.areTogether)
    some.others.set();
  // Its regions may be executed by other threads, and in any order.
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      State inside = state;
      inside.own.clear();
      size_t mark = values.getMark();
      if (!runBlock(block, inside, some))
        return false;
      values.unwind(mark);
    }
  return true;
}

/// Execute the regions of `op`, of which all threads take one, or each takes
/// its own.
bool Execution::runArms(Operation *op, State &state, const Threads &threads) {
  Threads inside = getThreadsIn(op, threads, /*isKnown=*/false);
  size_t numOwn = state.own.size();
  std::optional<State> after;
  for (Region &region : op->getRegions()) {
    State arm = state;
    if (!region.empty() && !runBlock(region.front(), arm, inside))
      return false;
    if (!after)
      after = std::move(arm);
    else if (!isMutated("G10-unknown-branch"))
      after->meet(arm, numOwn);
  }
  state = std::move(*after);
  return true;
}

/// Execute the arms of `op`, whose `condition` may be known.
bool Execution::runIf(Operation *op, const Lanes &condition, State &state,
                      const Threads &threads) {
  if (!condition.isKnown() || threads.areHidden(condition))
    return runArms(op, state, threads);
  Threads inside = getThreadsIn(op, threads, /*isKnown=*/true);
  size_t numOwn = state.own.size();
  for (bool isThen : {true, false}) {
    Region &arm = op->getRegion(isThen ? 0 : 1);
    if (arm.empty())
      continue;
    inside.lanes = threads.lanes;
    inside.others = threads.others;
    for (unsigned lane = 0, end = inside.lanes.size(); lane < end; ++lane) {
      if ((condition[lane] != 0) == isThen || isMutated("G10-any-branch"))
        continue;
      inside.lanes.reset(lane);
      // Threads without a lane may take the other arm.
      if (!condition.isOfFirst)
        inside.others.reset(lane);
    }
    bool isAny = inside.lanes.any() ||
                 (inside.others.any() && !isMutated("G10-no-others"));
    if (isAny && !runBlock(arm.front(), state, inside))
      return false;
    // The threads of the other arm have not written it.
    if (!isMutated("G10-other-arm"))
      state.own.truncate(numOwn);
  }
  state.own.truncate(numOwn);
  return true;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Return the bounds of counter `index` of `op`; not known if they have none.
static Bounds getBounds(LoopLikeOpInterface op, unsigned index,
                        ThreadValues &values) {
  Bounds bounds;
  auto lower = op.getLoopLowerBounds(), upper = op.getLoopUpperBounds(),
       steps = op.getLoopSteps();
  if (!lower || !upper || !steps)
    return bounds;
  bounds = {values.getFolded((*lower)[index]),
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

static bool isUniform(const Bounds &bounds) {
  return llvm::all_of(bounds, [](const Lanes &bound) {
    return bound.isKnown() && bound.isUniform();
  });
}

/// Return how often a counter with `bounds`, which are known, counts in `lane`,
/// or -1 if that is not known or too often.
static int64_t countIterations(const Bounds &bounds, unsigned lane) {
  int64_t lower = bounds[0][lane], upper = bounds[1][lane];
  int64_t step = bounds[2][lane];
  if (step <= 0)
    return -1;
  if (upper <= lower)
    return 0;
  // The distance may exceed the largest signed number.
  uint64_t count =
      llvm::divideCeil(uint64_t(upper) - uint64_t(lower), uint64_t(step));
  return count <= uint64_t(maxIterations) ? count : -1;
}

bool Execution::runLoop(LoopLikeOpInterface op, State &state,
                        const Threads &threads) {
  bool isStrided = isStridedByBlock(op, threads);
  Bounds bounds = getBounds(op, 0, values);
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
  if (areKnown && canUnroll(op))
    for (unsigned lane = 0, end = isOne ? 1 : threads.lanes.size(); lane < end;
         ++lane)
      counts.push_back(countIterations(bounds, lane));
  if (counts.empty() || llvm::is_contained(counts, -1))
    return runOnceForAll(op, state, threads);
  if (!isStrided)
    return runIterations(op, bounds, counts, state, threads);
  Threads inside = threads;
  inside.areTogether = false;
  inside.hidesFirst = true;
  return runEach(op, bounds, state, inside);
}

/// Execute the body for all iterations at once: nothing is known of its
/// counter.
bool Execution::runOnceForAll(LoopLikeOpInterface op, State &state,
                              const Threads &threads) {
  Threads inside = getThreadsIn(op, threads, /*isKnown=*/false);
  State after = state;
  size_t numOwn = state.own.size(), mark = values.getMark();
  if (!runBlock(op->getRegion(0).front(), after, inside))
    return false;
  values.unwind(mark);
  if (isExecutedAtLeastOnce(op) || isMutated("G10-one-trip")) {
    state = std::move(after);
    state.own.truncate(numOwn);
  }
  return true;
}

/// Execute the body for each iteration; lane `i` runs `counts[i]` of them, or
/// all run `counts[0]` of them.
bool Execution::runIterations(LoopLikeOpInterface op, const Bounds &bounds,
                              ArrayRef<int64_t> counts, State &state,
                              const Threads &threads) {
  Threads inside = getThreadsIn(op, threads, /*isKnown=*/true);
  Block &body = op->getRegion(0).front();
  size_t numOwn = state.own.size();
  SmallVector<Lanes> carried;
  for (Value init : op.getInits())
    carried.push_back(values.get(init));
  int64_t count = *llvm::max_element(counts);
  for (int64_t i = 0; i < count; ++i) {
    Lanes counter;
    for (unsigned lane = 0, end = counts.size(); lane < end; ++lane) {
      counter.numbers.push_back(bounds[0][lane] + i * bounds[2][lane]);
      if (end > 1 && i >= counts[lane]) {
        inside.lanes.reset(lane);
        inside.others.reset(lane);
      }
    }
    if (inside.lanes.none() && inside.others.none())
      break;
    size_t mark = values.getMark();
    values.bind((*op.getLoopInductionVars())[0], counter);
    for (auto [argument, lanes] :
         llvm::zip_equal(op.getRegionIterArgs(), carried))
      values.bind(argument, lanes);
    if (!runBlock(body, state, inside))
      return false;
    for (auto [lanes, yielded] :
         llvm::zip_equal(carried, op.getYieldedValues()))
      lanes = values.get(yielded);
    values.unwind(mark);
    state.own.truncate(numOwn);
  }
  // Otherwise a thread has what it had when it left the loop.
  if (counts.size() == 1)
    for (auto [result, lanes] : llvm::zip(op->getResults(), carried))
      values.bind(result, lanes);
  return true;
}

/// Return true if `op` counts from the id of a thread in steps of the size of
/// the workgroup, which is not known, and all threads execute it: together they
/// execute each iteration, from 0 on.
bool Execution::isStridedByBlock(Operation *op, const Threads &threads) const {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop || !threads.areAll())
    return false;
  auto id = ThreadValues::getThreadDimension(loop.getLowerBound());
  auto size = ThreadValues::getBlockDimension(loop.getStep());
  return id && !values.getBlockSize()[*id] &&
         (size == id || isMutated("G10-any-stride"));
}

/// Execute each iteration of `op`, whose counters have known and uniform
/// `bounds`, by itself.
bool Execution::runEach(LoopLikeOpInterface op, ArrayRef<Bounds> bounds,
                        State &state, const Threads &threads) {
  SmallVector<Value> counters(*op.getLoopInductionVars());
  int64_t total = 1;
  for (const Bounds &bound : bounds)
    total *= countIterations(bound, 0);
  size_t numOwn = state.own.size();
  for (int64_t i = 0; i < total; ++i) {
    size_t mark = values.getMark();
    int64_t rest = i;
    for (auto [counter, bound] : llvm::zip_equal(counters, bounds)) {
      int64_t count = countIterations(bound, 0);
      values.bind(counter, ThreadValues::getConstant(
                               bound[0][0] + rest % count * bound[2][0]));
      rest /= count;
    }
    if (!runBlock(op->getRegion(0).front(), state, threads))
      return false;
    values.unwind(mark);
    state.own.truncate(numOwn);
  }
  return true;
}

/// Execute each iteration of a parallel loop, for some thread.
bool Execution::runForall(LoopLikeOpInterface op, State &state,
                          const Threads &threads) {
  SmallVector<Bounds> bounds;
  int64_t total = 1;
  for (unsigned i = 0, end = op.getLoopInductionVars()->size(); i < end; ++i) {
    bounds.push_back(getBounds(op, i, values));
    int64_t count =
        isUniform(bounds.back()) ? countIterations(bounds.back(), 0) : -1;
    total = count < 0 || total < 0 ? -1 : total * count;
    if (total > maxIterations)
      total = -1;
  }
  // The iterations of a loop over blocks are executed by other workgroups.
  auto forall = dyn_cast<scf::ForallOp>(op.getOperation());
  bool isOfOthers = forall && forall.getMapping() &&
                    !forall.getMapping()->empty() && !isMappedToThreads(op) &&
                    !isMutated("G10-blocks-are-threads");
  if (isOfOthers || total < 0 || !threads.areAll() || !canUnroll(op))
    return runUnknown(op, state, threads);
  Threads inside = threads;
  inside.areTogether = false;
  inside.hidesAll = true;
  if (!runEach(op, bounds, state, inside))
    return false;
  if (endsWithBarrier(op, tile.options))
    state.visible |= state.written;
  return true;
}

bool buffer_merge::isFilledBeforeUse(const Tile &tile, Block &block) {
  auto type = cast<MemRefType>(tile.alloc.getType());
  auto size = computeBufferSize(type, tile.layout);
  auto *known = std::get_if<BufferSize>(&size);
  // Without a budget, even to look at the block takes too long: there may be as
  // many buffers as operations.
  if (!known || known->bytes <= 0 || known->bytes > maxTileBytes ||
      tile.budget < 0)
    return false;
  // Loops that synchronize are tiles themselves, more often than not, and their
  // iterations are alike.
  return Execution(tile, block, /*unrollsAll=*/false).run(known->bytes) ||
         Execution(tile, block, /*unrollsAll=*/true).run(known->bytes);
}
