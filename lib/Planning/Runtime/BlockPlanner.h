//===- BlockPlanner.h - Run-time pools of one block -------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_BLOCKPLANNER_H
#define BUFFER_MERGE_LIB_PLANNING_BLOCKPLANNER_H

#include "Analysis/FunctionContext.h"
#include "SampledHeap.h"
#include "SymbolicHeap.h"
#include "buffer-merge/Planning/MergePlan.h"

#include "mlir/IR/Dominance.h"

namespace buffer_merge {
/// A buffer that may be in a pool of run-time size.
struct Candidate {
  const BufferLifetime *buffer;
  SizePolynomial bytes;
  /// From its allocation until it may be freed: the ticks of operations.
  TickRange held;
  /// When it is in use, and nothing else is in its place.
  TickRange alive;
  bool isDynamic;
  int64_t alignment;
  SampledHeap::Member sampled = {};
  /// What it is in place of, if that is in the same pool.
  const Candidate *inPlaceOf = nullptr;
};

using Candidates = llvm::SmallVector<const Candidate *, 0>;

/// Finds the pools of one block in one memory space.
class BlockPlanner {
public:
  BlockPlanner(const MergePlanOptions &options, mlir::Block *block,
               const FunctionContext &context, SizePolynomials &sizes,
               mlir::DominanceInfo &dominance,
               llvm::ArrayRef<int64_t> assertions, const ProgramHeap *given,
               llvm::function_ref<const ProgramHeap &()> getPlanned,
               bool hasArena)
      : options(options), block(block), context(context), sizes(sizes),
        dominance(dominance), assertions(assertions), given(given),
        getPlanned(getPlanned), hasArena(hasArena) {}

  /// Add `buffer` if it can be in a pool here.
  void add(const BufferLifetime &buffer, bool isDynamic);

  /// Add the buffers of `pool`, which does not count any more.
  void replace(const PoolPlan &pool, const BufferLifetimes &lifetimes);

  /// Return the pools of the buffers that were added, of which `pairs` may be
  /// in place of each other.
  llvm::SmallVector<RuntimePool, 1>
  findPools(llvm::ArrayRef<InPlaceBuffers> pairs);

  /// Return the buffers, in pools or not, that could not be in some pool with
  /// others because it would raise the peak.
  const llvm::DenseSet<const BufferLifetime *> &getPeakRaising() const {
    return peakRaising;
  }

  /// Return the buffers of run-time size that may be in pools with others.
  auto getDynamic() const {
    return llvm::map_range(
        llvm::make_filter_range(
            candidates,
            [](const Candidate &candidate) { return candidate.isDynamic; }),
        [](const Candidate &candidate) { return candidate.buffer; });
  }

  /// What is held beside a pool, and without it.
  struct Surroundings {
    struct Beside {
      int64_t tick;
      /// The largest of these.
      llvm::SmallVector<LinearBytes, 1> bytes;
      /// What is held without the pool at the same tick, if something of
      /// unknown size is held beside it.
      std::optional<LinearBytes> allowed;
    };

    /// From its tick on, until that of the next one.
    llvm::SmallVector<Beside, 0> beside;
    /// What is held without the pool at some ticks of its block.
    LargestBytes given;

    /// Return what they come to; nothing if that is too much to be proved.
    std::optional<llvm::SmallVector<PeakBound, 1>> getBounds() const;

    /// Return a tick at which every pool of the buffers of `pool` would raise
    /// the peak if the variables are `values`: the one next to the tick at
    /// which most of their bytes are alive, which is set.
    std::optional<int64_t> findExcess(const RuntimePool &pool,
                                      llvm::ArrayRef<int64_t> values,
                                      int64_t &aliveTick) const;
  };

private:
  /// More buffers in one pool would take too long: every two are compared.
  static constexpr size_t maxTogether = 2048;
  /// What may be looked at, in all, to find out what is held beside the pools
  /// of a block: each of them asks for all of it, some seconds for thousands of
  /// pools.
  static constexpr int64_t maxVisits = int64_t(1) << 23;

  std::optional<RuntimePool> findPool(Candidates members, int64_t &tried);
  Candidates collectKnown(llvm::ArrayRef<const Candidate *> from);
  void chooseInPlace(llvm::ArrayRef<InPlaceBuffers> pairs);
  void addPools(Candidates &left, bool mayMeet, unsigned maxPlaces);
  void addPoolsBeside(Candidates left);
  bool raisesNoPeak();
  bool isKnownAt(const SizePolynomial &bytes, mlir::Operation *first);
  bool mayBeInArena(const Candidate &candidate);
  mlir::Operation *findLast(llvm::ArrayRef<const Candidate *> members);
  TickRange findHeld(const RuntimePool &pool,
                     llvm::ArrayRef<const Candidate *> members) const;
  llvm::SmallVector<int64_t, 0>
  visitHeap(llvm::function_ref<void(const HeapItem &)> addHeld,
            llvm::function_ref<void(const HeapItem &)> addGiven) const;
  void sampleHeap();
  void samplePool(const RuntimePool &pool,
                  llvm::ArrayRef<const Candidate *> inPool);
  /// Return what buffers must have in common to be in one pool: the alignment,
  /// if one asks for more than all get.
  int64_t getAlignmentClass(int64_t alignment) const {
    return std::max(
        {alignment, MergePlanOptions::defaultAlignment,
         options.getLeastAlignment(candidates.front().buffer->getMemorySpace(),
                                   /*isInDeviceCode=*/false,
                                   /*isWorkgroup=*/false)});
  }
  /// In what terms the bytes of something held are known: one of the first
  /// two, or as a number that is fixed, or that may be another at each tick.
  struct ItemBytes {
    const SizePolynomial *polynomial;
    std::optional<int64_t> number;
    bool mayVary = false;
  };
  /// Return that for `item` of a heap, in front of `first`.
  ItemBytes findBytes(const HeapItem &item, mlir::Operation *first);
  SymbolicItem makeItem(const HeapItem &item, const RuntimePool &pool,
                        PoolVariables &variables);
  std::optional<Surroundings> findSurroundings(const RuntimePool &pool,
                                               PoolVariables &variables,
                                               TickRange held);

  const MergePlanOptions &options;
  mlir::Block *block;
  const FunctionContext &context;
  SizePolynomials &sizes;
  mlir::DominanceInfo &dominance;
  /// The ticks of `cf.assert` in the function.
  llvm::ArrayRef<int64_t> assertions;
  /// What the program holds without pools, and with those of the plan; null if
  /// the peak is not limited, or no pool raises it.
  const ProgramHeap *given, *planned = nullptr;
  llvm::function_ref<const ProgramHeap &()> getPlanned;
  /// Pools may be in the arena of the function, and those that are looked for
  /// now are.
  bool hasArena, isForArena = false, mayBeStatic = false;
  bool isPeakProved = false;
  /// More buffers together have had too many terms, this often so far.
  size_t mostTogether = maxTogether;
  unsigned numTooMany = 0;
  int64_t visitsLeft = maxVisits;
  /// Pools that do not count, and the allocations that are in them.
  llvm::DenseSet<const PoolPlan *> replaced;
  llvm::DenseSet<mlir::Operation *> inReplaced;
  llvm::SmallVector<Candidate, 0> candidates;
  llvm::DenseSet<const BufferLifetime *> peakRaising;
  std::optional<SampledHeap> sampled;
  /// Those that were found so far.
  llvm::SmallVector<RuntimePool, 1> pools;
  /// The operations of the block, each behind its last tick.
  llvm::SmallVector<std::pair<int64_t, mlir::Operation *>, 0> byTick;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_BLOCKPLANNER_H
