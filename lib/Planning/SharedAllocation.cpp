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
#include "llvm/ADT/MapVector.h"

#include <map>

using namespace mlir;
using namespace buffer_merge;

namespace {
/// Buffers that can have one allocation so far.
class Group {
public:
  explicit Group(const BufferLifetime &first) { add(first); }

  /// Return true if `buffer` can have the same allocation, as far as lifetimes
  /// and deallocations are concerned.
  bool admits(const BufferLifetime &buffer) const;
  void add(const BufferLifetime &buffer);

  memref::AllocOp getFirst() const { return buffers.front()->alloc; }
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

memref::DeallocOp Group::findDealloc(const BufferLifetime &buffer) {
  memref::AllocOp alloc = buffer.alloc;
  if (buffer.deallocs.size() != 1)
    return {};
  auto dealloc = cast<memref::DeallocOp>(buffer.deallocs.front()->getOwner());
  return dealloc->getBlock() == alloc->getBlock() ? dealloc
                                                  : memref::DeallocOp();
}

bool Group::admits(const BufferLifetime &buffer) const {
  auto next = byFirstTick.upper_bound(buffer.ticks.first);
  if (next != byFirstTick.end() && next->first <= buffer.ticks.last)
    return false;
  if (next != byFirstTick.begin() &&
      std::prev(next)->second->ticks.last >= buffer.ticks.first &&
      !isMutated("dynamic-alive-together"))
    return false;
  if (!isDeallocated && buffer.deallocs.empty())
    return true;
  // The last one to be accessed frees them all, if nothing is accessed behind
  // its deallocation: what is in between is in the block of all of them.
  memref::AllocOp alloc = buffer.alloc;
  memref::AllocOp first = getFirst();
  const BufferLifetime &last = next == byFirstTick.end()
                                   ? buffer
                                   : *std::prev(byFirstTick.end())->second;
  if (areInOneBlock && alloc->getBlock() == first->getBlock() &&
      findDealloc(last))
    return true;
  return ((stayInRegions && buffer.shareable->staysInRegion) ||
          isMutated("dynamic-freed-too-early")) &&
         (first->getParentRegion()->hasOneBlock() ||
          isMutated("dynamic-freed-in-any-block"));
}

void Group::add(const BufferLifetime &buffer) {
  buffers.push_back(&buffer);
  byFirstTick[buffer.ticks.first] = &buffer;
  isDeallocated |= !buffer.deallocs.empty();
  memref::AllocOp alloc = buffer.alloc;
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

SmallVector<SharedAllocation, 0>
buffer_merge::findSharedAllocations(const BufferLifetimes &lifetimes) {
  // Of many groups only the first are tried, so that the time is not quadratic.
  constexpr size_t maxGroups = 32;
  DominanceInfo dominance;
  DynamicSizes sizes;
  llvm::MapVector<std::pair<Region *, Type>, SmallVector<Group, 0>> groups;
  for (const BufferLifetime &buffer : lifetimes.getBuffers()) {
    memref::AllocOp alloc = buffer.alloc;
    // It may be asked for that a buffer has bytes of its own.
    if (!buffer.shareable || (hasPin(alloc) && !isMutated("dynamic-pinned")))
      continue;
    SmallVector<Group, 0> &candidates = groups[{buffer.scope, alloc.getType()}];
    auto *group = llvm::find_if(
        MutableArrayRef(candidates).take_back(maxGroups), [&](Group &group) {
          return group.admits(buffer) &&
                 (dominance.properlyDominates(group.getFirst().getOperation(),
                                              alloc.getOperation()) ||
                  isMutated("dynamic-out-of-reach")) &&
                 sizes.areEqual(group.getFirst(), alloc) &&
                 (!buffer.shareable->isSizeUsed ||
                  isMutated("dynamic-loses-symbols") ||
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
