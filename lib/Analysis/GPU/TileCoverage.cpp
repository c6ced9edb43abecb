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
#include "Analysis/GPU/KernelWalk.h"
#include "Analysis/GPU/WorkgroupMemory.h"
#include "Mutation.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace buffer_merge;

/// The most bytes of a buffer that is looked at: all that any device has.
static constexpr int64_t maxTileBytes = 1 << 20;
/// The deepest nest of regions that is looked at.
static constexpr unsigned maxDepth = 64;

namespace {
/// What must have been written at a program point.
struct Written {
  /// Seen by all threads; written, but maybe not seen by all yet.
  llvm::BitVector visible, written;
  /// Copies that are in no group yet, and those of each group that may not be
  /// complete, the youngest first.
  llvm::BitVector copies;
  SmallVector<llvm::BitVector, 4> groups;

  explicit Written(int64_t bytes)
      : visible(bytes), written(bytes), copies(bytes) {}

  /// Keep only what is written here and in `other`.
  void meet(const Written &other);
};

/// Executes a block for all threads.
class TileCoverage : public KernelWalk {
public:
  /// If `unrollsAll`, loops with barriers inside are executed iteration by
  /// iteration as well.
  TileCoverage(const Tile &tile, Block &block, bool unrollsAll);

  /// Return true if all that is read of the `bytes` of the tile is written
  /// before.
  bool isCovered(int64_t bytes);

private:
  bool run(Block &block, State &state, const Threads &threads) override;
  bool enter(Operation *op, State &state, const Threads &threads,
             bool isParting) override;
  void leave(Operation *op, State &state, const Threads &threads) override;
  bool isOfInterest(Operation *op) const override {
    return relevant.contains(op);
  }
  bool followsParted() const override { return true; }
  bool canUnroll(Operation *op) const override {
    return unrollsAll || !relevant.lookup(op);
  }
  void join(State &state, const State &other) override {
    std::any_cast<Written &>(state).meet(std::any_cast<const Written &>(other));
  }
  void skip(State &state, const State &before) override { state = before; }
  bool isRead(const AccessedBytes &bytes, const Written &state,
              const Threads &threads) const;
  void write(const AccessedBytes &bytes, Written &state,
             const Threads &threads);

  const Tile &tile;
  Block &root;
  bool unrollsAll;
  llvm::DenseMap<Operation *, SmallVector<OpOperand *, 1>> accesses;
  /// Operations with something of interest in them: with synchronization, if
  /// true.
  llvm::DenseMap<Operation *, bool> relevant;
  /// Writes that all threads which come here have executed, in this iteration
  /// of every loop around, from `firstOwn` on: they may read what they have
  /// written.
  SmallVector<AccessedBytes, 0> own;
  size_t firstOwn = 0;
  unsigned depth = 0;
};
} // namespace

void Written::meet(const Written &other) {
  visible &= other.visible;
  written &= other.written;
  copies &= other.copies;
  groups.resize(std::min(groups.size(), other.groups.size()),
                llvm::BitVector());
  for (auto [group, otherGroup] : llvm::zip(groups, other.groups))
    group &= otherGroup;
}

/// Return true if the end of `op` is a barrier.
static bool isBarrier(Operation *op, const WorkgroupOptions &options) {
  return options.isWorkgroupBarrier(op) || endsWithBarrier(op, options);
}

TileCoverage::TileCoverage(const Tile &tile, Block &block, bool unrollsAll)
    : KernelWalk(tile.options, tile.uniformity, tile.blockSize, tile.budget),
      tile(tile), root(block), unrollsAll(unrollsAll) {
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
      if (isBarrier(nested, options) || isEndOfGroup(nested) ||
          getGroupsInFlight(nested))
        mark(nested, /*isSync=*/true);
    });
}

bool TileCoverage::isCovered(int64_t bytes) {
  State state = Written(bytes);
  Threads threads = getAllThreads();
  return run(root, state, threads);
}

bool TileCoverage::run(Block &block, State &state, const Threads &threads) {
  // States are copied, and joined at barriers.
  tile.budget -= std::any_cast<Written &>(state).visible.size() / 64;
  if (++depth > maxDepth)
    return false;
  // What a thread writes is its own in the iteration and the arm only, and not
  // that of another one that may be here.
  size_t numOwn = own.size();
  llvm::SaveAndRestore save(firstOwn);
  if (threads.unknownOp && threads.unknownOp == block.getParentOp())
    firstOwn = numOwn;
  if (!KernelWalk::run(block, state, threads))
    return false;
  if (!isa<scf::ExecuteRegionOp, memref::AllocaScopeOp>(block.getParentOp()) &&
      !isMutated("G10-other-arm"))
    own.truncate(numOwn);
  --depth;
  return tile.budget >= 0;
}

bool TileCoverage::enter(Operation *op, State &state, const Threads &threads,
                         bool isParting) {
  --tile.budget;
  auto &written = std::any_cast<Written &>(state);
  for (OpOperand *use : accesses.lookup(op)) {
    AccessedBytes bytes =
        getAccessedBytes(*use, tile.alloc, values, tile.layout);
    if (bytes.mayRead && !isRead(bytes, written, threads))
      return false;
    if (bytes.mustWrite)
      write(bytes, written, threads);
  }
  return true;
}

void TileCoverage::leave(Operation *op, State &state, const Threads &threads) {
  if (!threads.areTogether)
    return;
  auto &written = std::any_cast<Written &>(state);
  // What other units read is done at any time.
  bool isOfThreads = getAccessUnit(op) == AccessUnit::Threads;
  if (isBarrier(op, options)) {
    written.visible |= written.written;
  } else if (!isOfThreads) {
    return;
  } else if (isEndOfGroup(op)) {
    written.groups.insert(written.groups.begin(), written.copies);
    written.copies.reset();
  } else if (std::optional<unsigned> left = getGroupsInFlight(op)) {
    while (written.groups.size() > *left)
      written.written |= written.groups.pop_back_val();
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

bool TileCoverage::isRead(const AccessedBytes &bytes, const Written &state,
                          const Threads &threads) const {
  if (state.visible.all())
    return true;
  // What the thread has written itself.
  if (llvm::any_of(llvm::drop_begin(own, firstOwn),
                   [&](const AccessedBytes &written) {
                     return written.isSameElement(bytes);
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
    bool mayRead = end == 1 || threads.maybe.test(lane);
    if (mayRead && !contains(state.visible, bytes, lane))
      return false;
  }
  return true;
}

void TileCoverage::write(const AccessedBytes &bytes, Written &state,
                         const Threads &threads) {
  if (!bytes.isCopy && !bytes.key.empty())
    own.push_back(bytes);
  if (!bytes.first.isKnown() || bytes.runs.empty() ||
      threads.areHidden(bytes.first))
    return;
  llvm::BitVector &target = bytes.isCopy               ? state.copies
                            : isMutated("G10-barrier") ? state.visible
                                                       : state.written;
  tile.budget -= bytes.first.numbers.size() * bytes.runs.size();
  unsigned end = bytes.first.numbers.size();
  for (unsigned lane = 0; lane < end; ++lane) {
    if (end == 1 ? threads.surely.none() : !threads.surely.test(lane))
      continue;
    for (auto [from, to] : bytes.runs) {
      int64_t begin = bytes.first[lane] + from, limit = bytes.first[lane] + to;
      if (begin >= 0 && limit <= int64_t(target.size()))
        target.set(begin, limit);
    }
  }
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
  return TileCoverage(tile, block, /*unrollsAll=*/false)
             .isCovered(known->bytes) ||
         TileCoverage(tile, block, /*unrollsAll=*/true).isCovered(known->bytes);
}
