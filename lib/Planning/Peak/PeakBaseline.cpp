//===- PeakBaseline.cpp - What a scope holds without its pools ------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeakBaseline.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

PeakBaseline::PeakBaseline(const PoolPlan &whole, const HeapUse &heapUse,
                           ArrayRef<CalleePart> parts)
    : branches(heapUse.get(whole.scope, whole.memorySpace).branches),
      whole(whole), freePoint(heapUse.getFreePoint()) {
  const ScopeHeap &heap = heapUse.get(whole.scope, whole.memorySpace);
  llvm::DenseMap<const BufferLifetime *, BufferId> idOf;
  for (auto [id, buffer] : llvm::enumerate(whole.buffers)) {
    idOf[buffer] = id;
    memref::AllocOp alloc = buffer->alloc;
    branches.getBranch(alloc->getBlock());
  }
  items.resize(whole.buffers.size() + parts.size());
  llvm::append_range(items, heap.outerItems);
  llvm::DenseMap<Operation *, size_t> partOf;
  for (auto [index, part] : llvm::enumerate(parts)) {
    partOf[part.call] = whole.buffers.size() + index;
    HeldItem &item = items[whole.buffers.size() + index];
    item.ticks = {part.place.begin, part.place.end - 1};
    item.bytes = part.place.size;
    item.leastBytes = 0;
  }
  for (const HeapItem &item : heap.items)
    if (auto entry = idOf.find(item.buffer); entry != idOf.end())
      items[entry->second] = item;
    else {
      items.push_back(item);
      if (auto entry = partOf.find(item.op);
          entry != partOf.end() && item.mayVary)
        addPart(entry->second, items.back());
    }
  for (BufferId id = 0; id < whole.buffers.size(); ++id)
    items[id] = getItems(id).front();
}

/// Take what the part `index` has of `call` out of it.
void PeakBaseline::addPart(size_t index, HeldItem &call) {
  HeldItem &part = items[index];
  part.certainTicks = call.certainTicks;
  part.mayVary = true;
  part.leastBytes = std::min(*part.bytes, call.leastBytes);
  call.leastBytes -= part.leastBytes;
  if (call.bytes)
    call.bytes = std::max<int64_t>(*call.bytes - *part.bytes, 0);
}

void PeakBaseline::makeTimeline() {
  timeline.emplace(branches.getParents(), branches.getParts(), items,
                   otherTicks);
}

SmallVector<HeldItem, 0> PeakBaseline::getItems(ArrayRef<BufferId> ids,
                                                int64_t alignment) const {
  return llvm::map_to_vector<0>(ids, [&](BufferId id) {
    HeldItem item = items[id];
    if (id >= whole.buffers.size())
      return item;
    const Buffer &buffer = whole.problem.buffers[id];
    int64_t bytes =
        llvm::alignTo(buffer.size, std::max(buffer.alignment, alignment));
    if (item.bytes)
      item.bytes = item.leastBytes = std::max(*item.bytes, bytes);
    return item;
  });
}

bool PeakBaseline::raisesPeak(HeldBytes pool, ArrayRef<BufferId> ids) const {
  int64_t least = INT64_MAX, most = 1;
  for (BufferId id : ids) {
    if (id >= whole.buffers.size())
      continue;
    int64_t alignment = whole.problem.buffers[id].alignment;
    least = std::min(least, alignment);
    most = std::max(most, alignment);
  }
  SmallVector<HeldItem, 0> removed = getItems(ids, most);
  if (least == most)
    return timeline->findExcess(pool, removed).has_value();
  // Beside a buffer that is more aligned, a slice may take more.
  SmallVector<HeldItem, 0> padded(items);
  for (auto [id, item] : llvm::zip_equal(ids, removed))
    padded[id] = item;
  HeapTimeline other(branches.getParents(), branches.getParts(), padded,
                     otherTicks);
  for (const auto &[otherPool, members] : made)
    other.replace(otherPool, getItems(members));
  return other.findExcess(pool, removed).has_value();
}

void PeakBaseline::replace(HeldBytes pool, ArrayRef<BufferId> ids) {
  timeline->replace(pool, getItems(ids));
  made.emplace_back(pool, SmallVector<BufferId>(ids));
}
