//===- WorkingSet.cpp - What one operation needs --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkingSet.h"
#include "Analysis/FunctionGraph.h"
#include "Planning/Storage/ArenaPlan.h"
#include "Scheduling/SaturatingBytes.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
/// Buffers that an operation may write in place of others, which it reads.
struct InPlaceBytes {
  /// Of each, the most bytes that it may have in common with one of the others,
  /// and its size.
  using Shared = llvm::MapVector<Value, std::pair<int64_t, int64_t>>;
  Shared earlier, later;
  /// Whether one may be in place of several.
  bool mayBeAnywhere = false;

  void add(const InPlaceBuffers &pair);

  /// Return an upper bound of the bytes that they have in common.
  int64_t count() const { return std::min(sumUp(earlier), sumUp(later)); }

private:
  int64_t sumUp(const Shared &buffers) const;
};
} // namespace

void InPlaceBytes::add(const InPlaceBuffers &pair) {
  auto addTo = [&](Shared &buffers, const BufferLifetime &buffer) {
    auto &[common, size] = buffers[buffer.alloc];
    size = *buffer.size;
    common = std::max(common, std::min(*pair.earlier->size, *pair.later->size));
  };
  addTo(earlier, *pair.earlier);
  addTo(later, *pair.later);
  mayBeAnywhere |= pair.condition == InPlaceCondition::AnyOffset;
}

int64_t InPlaceBytes::sumUp(const Shared &buffers) const {
  int64_t sum = 0;
  for (const auto &[common, size] : llvm::make_second_range(buffers))
    sum += mayBeAnywhere ? size : common;
  return sum;
}

namespace {
/// What an operation accesses of buffers that may be parts of one.
class AccessedBytes {
public:
  void add(Value buffer, int64_t begin, int64_t end) {
    ranges.push_back({begin, end, buffer});
  }

  /// Return the bytes, those of several buffers once.
  int64_t count();

  /// Return true if `buffer` takes no bytes where it is a part of another one.
  bool isCovered(Value buffer) const;

private:
  struct Range {
    int64_t begin, end;
    Value buffer;
  };
  SmallVector<Range, 1> ranges;
};
} // namespace

int64_t AccessedBytes::count() {
  llvm::sort(ranges, [](const Range &a, const Range &b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  int64_t bytes = 0, end = 0;
  for (const Range &range : ranges) {
    bytes += std::max<int64_t>(range.end - std::max(range.begin, end), 0);
    end = std::max(end, range.end);
  }
  return bytes;
}

bool AccessedBytes::isCovered(Value buffer) const {
  const auto *own = llvm::find_if(
      ranges, [&](const Range &range) { return range.buffer == buffer; });
  return own != ranges.end() && llvm::any_of(ranges, [&](const Range &range) {
           return range.buffer != buffer && range.begin <= own->begin &&
                  own->end <= range.end;
         });
}

WorkingSet buffer_merge::findLargestWorkingSet(const MergePlan &plan) {
  const BufferLifetimes &lifetimes = *plan.lifetimes;
  llvm::DenseSet<const BufferLifetime *> elsewhere;
  for (const PoolPlan &pool : plan.pools)
    if (isa_and_present<BlockArgument>(pool.host))
      for (const BufferLifetime *buffer : pool.buffers)
        elsewhere.insert(lifetimes.lookup(buffer->alloc));
  auto isCounted = [&](const BufferLifetime &buffer) {
    return !buffer.refusal && buffer.size && !buffer.isWorkgroup &&
           !buffer.isInDeviceCode && !elsewhere.contains(&buffer);
  };
  // What may be a part of another buffer takes no more bytes than that, and
  // needs no copy.
  llvm::DenseMap<Value, std::pair<Value, int64_t>> places;
  llvm::DenseSet<Operation *> copies;
  for (const BufferLifetime &buffer : lifetimes.getEmplacedBuffers()) {
    for (BufferParts::Part part : buffer.parts->parts)
      places[part.alloc] = {buffer.alloc, part.offset};
    copies.insert_range(buffer.parts->copies);
  }
  // What may be one buffer or another is one of them.
  llvm::DenseMap<OpOperand *, unsigned> numBuffers;
  for (const BufferLifetime &buffer : lifetimes.getBuffers())
    if (isCounted(buffer))
      for (const BufferEvent &event : buffer.events)
        ++numBuffers[event.operand];
  // By operation and buffer, the bytes of that.
  llvm::MapVector<Operation *, llvm::MapVector<Value, AccessedBytes>> accessed;
  for (const BufferLifetime &buffer : lifetimes.getBuffers()) {
    if (!isCounted(buffer))
      continue;
    Value alloc = buffer.alloc;
    auto [whole, offset] =
        places.try_emplace(alloc, alloc, int64_t(0)).first->second;
    llvm::SmallPtrSet<Operation *, 8> seen;
    for (const BufferEvent &event : buffer.events) {
      Operation *op = event.operand->getOwner();
      if (event.kind != BufferEvent::Kind::Forward && !copies.contains(op) &&
          numBuffers.lookup(event.operand) == 1 && seen.insert(op).second)
        accessed[op][whole].add(alloc, offset, offset + *buffer.size);
    }
  }
  // Of results no events are known, but what accesses one itself needs it.
  for (const BufferLifetime &buffer : lifetimes.getBuffers())
    if (buffer.refusal && buffer.size && !buffer.isInDeviceCode &&
        buffer.refusal->reason == UnmergeableReason::Returned)
      for (Operation *op : buffer.alloc.getUsers())
        if (hasEffect<MemoryEffects::Read>(op, buffer.alloc) ||
            hasEffect<MemoryEffects::Write>(op, buffer.alloc))
          accessed[op][buffer.alloc].add(buffer.alloc, 0, *buffer.size);
  // What is a part of what the operation accesses is not in its place as well.
  auto isCovered = [&](Operation *op, const BufferLifetime &buffer) {
    auto buffers = accessed.find(op);
    if (buffers == accessed.end())
      return false;
    auto place = places.find(buffer.alloc);
    return place != places.end() &&
           buffers->second.lookup(place->second.first).isCovered(buffer.alloc);
  };
  llvm::DenseMap<Operation *, InPlaceBytes> inPlace;
  for (const InPlaceBuffers &pair : lifetimes.getInPlaceBuffers())
    if (!pair.earlier->refusal && !pair.later->refusal &&
        !isCovered(pair.op, *pair.earlier) && !isCovered(pair.op, *pair.later))
      inPlace[pair.op].add(pair);
  for (const LentResult &result : lifetimes.getLentResults())
    for (const BufferLifetime *buffer : result.inPlace)
      inPlace[buffer->lastAccess].add({buffer, result.buffer,
                                       InPlaceCondition::SameOffset,
                                       buffer->lastAccess, result.busy});
  llvm::DenseMap<Operation *, int64_t> needed;
  WorkingSet largest;
  for (auto &[op, buffers] : accessed) {
    int64_t bytes = 0;
    for (auto &[whole, part] : buffers)
      bytes += part.count();
    if (auto it = inPlace.find(op); it != inPlace.end())
      bytes -= it->second.count();
    needed[op] = bytes;
    if (bytes > largest.bytes)
      largest = {bytes, op};
  }
  // What a call accesses is there while its callee runs.
  FunctionGraph graph(lifetimes.getRoot());
  if (graph.getCalls().empty())
    return largest;
  // Its buffers are in bytes that callers have for themselves, and may count.
  auto getsArena = [&](func::FuncOp function) {
    std::optional<unsigned> index =
        plan.arenas ? plan.arenas->getGraph().lookup(function) : std::nullopt;
    return index && plan.arenas->isActive(*index) &&
           !plan.arenas->getArenas()[*index].isOwn;
  };
  SmallVector<WorkingSet> sets(graph.getFunctions().size());
  for (auto &[op, buffers] : accessed)
    if (std::optional<unsigned> index =
            graph.lookup(op->getParentOfType<func::FuncOp>());
        index && needed.lookup(op) > sets[*index].bytes)
      sets[*index] = {needed.lookup(op), op};
  for (unsigned index : graph.getCalleesFirst())
    for (unsigned callIndex : graph.getFunctions()[index].calls) {
      const FunctionGraph::Call &call = graph.getCalls()[callIndex];
      const WorkingSet &inner = sets[call.callee];
      if (call.isConcurrent || !inner.op ||
          graph.getFunctions()[index].isRecursive ||
          getsArena(graph.getFunctions()[call.callee].op))
        continue;
      int64_t bytes = addBytes(needed.lookup(call.op), inner.bytes);
      if (bytes > sets[index].bytes)
        sets[index] = {bytes, inner.op};
      if (bytes > largest.bytes)
        largest = {bytes, inner.op};
    }
  return largest;
}
