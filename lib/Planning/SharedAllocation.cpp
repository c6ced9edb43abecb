//===- SharedAllocation.cpp - One allocation for several ------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Planning/SharedAllocation.h"
#include "Analysis/DynamicSize.h"
#include "Mutation.h"
#include "Planning/Pins.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

#include <map>

using namespace mlir;
using namespace buffer_merge;

namespace {
/// Knows where the operations of blocks allocate and free memory, if they may.
class AllocationOrder {
public:
  /// About what is inside `root`.
  AllocationOrder(Operation *root, std::optional<FreePoint> limit)
      : root(root), limit(limit) {}

  bool isLimited() const { return limit.has_value(); }

  /// Return true if the heap does not hold more than it did before if it holds
  /// the bytes of `earlier` until `later` is allocated, which has as many: what
  /// is in between frees memory at first, if at all, and then allocates some.
  /// So it holds no more than either in front of it or behind it.
  bool mayHoldUntil(const BufferLifetime &earlier, const BufferLifetime &later);

private:
  /// By operation of the block: its place, the next operation that may
  /// allocate, and the last one before it that may free.
  struct Place {
    size_t index;
    size_t nextAllocation;
    size_t lastFree;
  };
  const Place &getPlace(Operation *op);
  void findOperations();

  Operation *root;
  std::optional<FreePoint> limit;
  /// Operations that may allocate or free memory, or with such inside; empty
  /// until the first question.
  llvm::DenseSet<Operation *> allocating, freeing;
  llvm::DenseMap<Operation *, Place> places;
};

/// Buffers that can have one allocation so far.
class Group {
public:
  explicit Group(const BufferLifetime &first) { add(first); }

  /// Return true if `buffer` can have the same allocation, as far as lifetimes
  /// and deallocations are concerned, and the peak does not rise by `order`.
  bool admits(const BufferLifetime &buffer, AllocationOrder &order) const;
  void add(const BufferLifetime &buffer);

  memref::AllocOp getFirst() const { return buffers.front()->getAllocOp(); }
  /// Return what is to be done; there are two buffers or more.
  SharedAllocation finish() const;

private:
  /// Return the one deallocation of `buffer` if it is in the block that
  /// allocates the buffer. All accesses to it come before.
  static memref::DeallocOp findDealloc(const BufferLifetime &buffer);

  SmallVector<const BufferLifetime *> buffers;
  /// The lifetimes, from their first tick to the buffer.
  std::map<int64_t, const BufferLifetime *> byFirstTick;
  bool isDeallocated = false;
  bool areInOneBlock = true;
  bool stayInRegions = true;
};
} // namespace

/// Add `op` and all operations around it to `ops`.
static void addWithParents(Operation *op, llvm::DenseSet<Operation *> &ops) {
  while (op && ops.insert(op).second)
    op = op->getParentOp();
}

void AllocationOrder::findOperations() {
  root->walk([&](Operation *op) {
    bool allocates = hasEffect<MemoryEffects::Allocate>(op);
    if (allocates || isa<CallOpInterface>(op))
      addWithParents(op, allocating);
    // Anything may be the last use of a buffer; of what has regions, such as
    // linalg, only what is given one.
    auto mayUse = [&] {
      return op->getNumRegions() == 0 ||
             llvm::any_of(op->getOperandTypes(), llvm::IsaPred<BaseMemRefType>);
    };
    if (hasEffect<MemoryEffects::Free>(op) || isa<CallOpInterface>(op) ||
        (limit == FreePoint::Deallocated && !allocates && !isPure(op) &&
         mayUse()))
      addWithParents(op, freeing);
  });
}

const AllocationOrder::Place &AllocationOrder::getPlace(Operation *op) {
  auto known = places.find(op);
  if (known != places.end())
    return known->second;
  if (allocating.empty())
    findOperations();
  SmallVector<Operation *> ops = llvm::map_to_vector(
      *op->getBlock(), [](Operation &inBlock) { return &inBlock; });
  size_t lastFree = 0;
  for (auto [index, inBlock] : llvm::enumerate(ops)) {
    places[inBlock] = {index + 1, ops.size() + 1, lastFree};
    if (freeing.contains(inBlock))
      lastFree = index + 1;
  }
  size_t nextAllocation = ops.size() + 1;
  for (Operation *inBlock : llvm::reverse(ops)) {
    places[inBlock].nextAllocation = nextAllocation;
    if (allocating.contains(inBlock))
      nextAllocation = places[inBlock].index;
  }
  return places[op];
}

bool AllocationOrder::mayHoldUntil(const BufferLifetime &earlier,
                                   const BufferLifetime &later) {
  if (!limit || isMutated("R7-equal-sizes"))
    return true;
  Operation *end = earlier.lastUse;
  if (limit == FreePoint::AsGiven) {
    // It is held for good.
    if (earlier.deallocs.empty())
      return true;
    if (earlier.deallocs.size() != 1)
      return false;
    end = earlier.deallocs.front()->getOwner();
  }
  memref::AllocOp alloc = later.getAllocOp();
  Operation *ancestor = alloc->getBlock()->findAncestorOpInBlock(*end);
  if (!ancestor)
    return false;
  if (alloc->isBeforeInBlock(ancestor))
    return true;
  // What is around the end may allocate behind it.
  const Place begin = getPlace(ancestor);
  size_t firstAllocation = ancestor != end && allocating.contains(ancestor)
                               ? begin.index
                               : begin.nextAllocation;
  return firstAllocation > getPlace(alloc).lastFree;
}

memref::DeallocOp Group::findDealloc(const BufferLifetime &buffer) {
  memref::AllocOp alloc = buffer.getAllocOp();
  if (buffer.deallocs.size() != 1)
    return {};
  auto dealloc = cast<memref::DeallocOp>(buffer.deallocs.front()->getOwner());
  return dealloc->getBlock() == alloc->getBlock() ? dealloc
                                                  : memref::DeallocOp();
}

bool Group::admits(const BufferLifetime &buffer, AllocationOrder &order) const {
  auto next = byFirstTick.upper_bound(buffer.ticks.first);
  if (next != byFirstTick.end() && next->first <= buffer.ticks.last)
    return false;
  if (next != byFirstTick.begin() &&
      std::prev(next)->second->ticks.last >= buffer.ticks.first &&
      !isMutated("dynamic-lifetimes"))
    return false;
  if ((next != byFirstTick.end() &&
       !order.mayHoldUntil(buffer, *next->second)) ||
      (next != byFirstTick.begin() &&
       !order.mayHoldUntil(*std::prev(next)->second, buffer)))
    return false;
  if (!isDeallocated && buffer.deallocs.empty())
    return true;
  // The last one to be accessed frees them all, if nothing is accessed behind
  // its deallocation: what is in between is in the block of all of them.
  memref::AllocOp alloc = buffer.getAllocOp();
  memref::AllocOp first = getFirst();
  const BufferLifetime &last = next == byFirstTick.end()
                                   ? buffer
                                   : *std::prev(byFirstTick.end())->second;
  if (areInOneBlock && alloc->getBlock() == first->getBlock() &&
      findDealloc(last))
    return true;
  // The end of the region may be later than the deallocation.
  if (order.isLimited() && !last.deallocs.empty())
    return false;
  return stayInRegions && buffer.shareable->staysInRegion &&
         first->getParentRegion()->hasOneBlock();
}

void Group::add(const BufferLifetime &buffer) {
  buffers.push_back(&buffer);
  byFirstTick[buffer.ticks.first] = &buffer;
  isDeallocated |= !buffer.deallocs.empty();
  memref::AllocOp alloc = buffer.getAllocOp();
  areInOneBlock &= alloc->getBlock() == getFirst()->getBlock();
  stayInRegions &= buffer.shareable->staysInRegion;
}

SharedAllocation Group::finish() const {
  SharedAllocation shared;
  shared.buffers = buffers;
  // Promises about the address of the first one are kept already.
  int64_t alignment = buffers.front()->alignment;
  for (const BufferLifetime *buffer : buffers)
    alignment = std::max(alignment, buffer->alignment);
  if (alignment != buffers.front()->alignment)
    shared.alignment = alignment;
  if (!isDeallocated)
    return shared;
  if (areInOneBlock)
    shared.lastDealloc = findDealloc(*std::prev(byFirstTick.end())->second);
  shared.isFreedAtEnd = !shared.lastDealloc;
  return shared;
}

SmallVector<SharedAllocation, 0> buffer_merge::findSharedAllocations(
    const BufferLifetimes &lifetimes, std::optional<FreePoint> limitPeak,
    const llvm::DenseSet<const BufferLifetime *> &others) {
  // Of many groups only the first are tried, so that the time is not quadratic.
  constexpr size_t maxGroups = 32;
  DominanceInfo dominance;
  DynamicSizes sizes;
  AllocationOrder order(lifetimes.getRoot(), limitPeak);
  llvm::MapVector<std::pair<Region *, Type>, SmallVector<Group, 0>> groups;
  for (const BufferLifetime &buffer : lifetimes.getBuffers()) {
    memref::AllocOp alloc = buffer.getAllocOp();
    // It may be asked for that a buffer has bytes of its own.
    if (!buffer.shareable || others.contains(&buffer) || hasPin(alloc))
      continue;
    SmallVector<Group, 0> &candidates = groups[{buffer.scope, alloc.getType()}];
    auto *group = llvm::find_if(
        MutableArrayRef(candidates).take_back(maxGroups), [&](Group &group) {
          return group.admits(buffer, order) &&
                 (dominance.properlyDominates(group.getFirst().getOperation(),
                                              alloc.getOperation()) ||
                  isMutated("dynamic-dominance")) &&
                 sizes.areEqual(group.getFirst(), alloc) &&
                 (!buffer.shareable->isSizeUsed ||
                  DynamicSizes::keepsSymbols(group.getFirst(), alloc));
        });
    if (group == candidates.end())
      candidates.emplace_back(buffer);
    else
      group->add(buffer);
  }
  SmallVector<SharedAllocation, 0> found;
  for (const auto &[key, candidates] : groups)
    for (const Group &group : candidates)
      if (SharedAllocation shared = group.finish(); shared.buffers.size() > 1)
        found.push_back(std::move(shared));
  return found;
}
