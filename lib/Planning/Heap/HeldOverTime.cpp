//===- HeldOverTime.cpp - What a function and its callees hold ------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeldOverTime.h"

#include "llvm/ADT/MapVector.h"

#include <map>
#include <queue>

using namespace mlir;
using namespace buffer_merge;

/// A function that is called from everywhere has as many executions.
static constexpr size_t maxItems = 4096;

namespace {
/// One execution of a function.
struct Frame {
  /// The frame of the caller, and the tick of the call in it; of no meaning for
  /// the first one.
  size_t caller = 0;
  int64_t callTick = 0;
  /// The ticks of the function.
  TickRange ticks = {0, -1};
  /// By tick of a call, how many ticks more than one it takes; at last, how
  /// many all calls up to there do.
  std::map<int64_t, int64_t> calls = {};
  /// When it begins on the axis of all.
  int64_t begin = 0;

  /// Return where `tick` begins on the axis of all.
  int64_t place(int64_t tick) const {
    auto behind = calls.lower_bound(tick);
    return begin + tick - ticks.first +
           (behind == calls.begin() ? 0 : std::prev(behind)->second);
  }
};

class HeldOverTime {
public:
  explicit HeldOverTime(const ProgramHeap &planned);

  SmallVector<HeldItem, 0> find(FunctionOpInterface function);

private:
  struct Item : HeldItem {
    size_t frame;
  };
  /// The items of one call in all memory spaces; those with most bytes come
  /// first, of equal ones those that were found first.
  struct Call {
    int64_t bytes = 0;
    SmallVector<size_t, 1> items;

    bool operator<(const Call &other) const {
      return std::pair(bytes, other.items.front()) <
             std::pair(other.bytes, items.front());
    }
  };

  void addFrame(Region *body, Frame frame);
  void addScope(Region *scope, Attribute space, TickRange ticks);
  void expand(const Call &call);
  void placeFrames();

  llvm::DenseMap<Region *,
                 SmallVector<std::pair<Attribute, const ScopeHeap *>, 1>>
      scopes;
  SmallVector<Frame, 0> frames;
  SmallVector<Item, 0> items;
  std::priority_queue<Call> calls;
};
} // namespace

HeldOverTime::HeldOverTime(const ProgramHeap &planned) {
  planned.forEachScope(
      [&](Region *scope, Attribute space, const ScopeHeap &heap) {
        scopes[scope].emplace_back(space, &heap);
      });
}

/// Add what `scope`, which runs during `ticks` of the last frame, holds in
/// `space`, and what the scopes inside of it do.
void HeldOverTime::addScope(Region *scope, Attribute space, TickRange ticks) {
  auto function = cast<FunctionOpInterface>(scope->getParentOp());
  SmallVector<std::pair<Region *, TickRange>> open = {{scope, ticks}};
  while (!open.empty()) {
    auto [next, during] = open.pop_back_val();
    const auto *found = llvm::find_if(
        scopes[next], [&](auto &entry) { return entry.first == space; });
    const ScopeHeap &heap = *found->second;
    for (const HeapItem &item : heap.items) {
      TickRange held = heap.clamp(item).ticks;
      held = {std::max(held.first, during.first),
              std::min(held.last, during.last)};
      bool isPartOfCaller = item.isArena && frames.size() > 1;
      if (held.first > held.last || item.bytes.most <= 0 || isPartOfCaller)
        continue;
      // What is freed while the scope runs counts as if it were not.
      bool isInnerScope =
          item.inner && !isa<FunctionOpInterface>(item.inner->getParentOp());
      if (isInnerScope && item.executions == 1 &&
          llvm::any_of(scopes[item.inner], [&](auto &entry) {
            return entry.first == space && entry.second->outerItems.empty();
          })) {
        open.emplace_back(item.inner, held);
        continue;
      }
      Item &added = items.emplace_back();
      added.frame = frames.size() - 1;
      added.function = function;
      added.ticks = held;
      added.bytes = item.bytes.most;
      added.isPool = item.pool || item.isRuntimePool;
      added.inner = item.inner;
      added.op = item.op;
      // What an inner scope passes on is not its result.
      added.isReturned = item.isReturned && next == scope;
    }
  }
}

/// Add what an execution of the function with this `body` holds.
void HeldOverTime::addFrame(Region *body, Frame frame) {
  const auto &heaps = scopes[body];
  frame.ticks = heaps.front().second->ticks;
  bool isFirst = frames.empty();
  frames.push_back(frame);
  size_t numItems = items.size();
  for (const auto &[space, heap] : SmallVector(heaps)) {
    TickRange ticks = heap->ticks;
    // What is left behind is held by the caller.
    ticks.last += isFirst;
    addScope(body, space, ticks);
  }
  llvm::MapVector<std::pair<Operation *, Region *>, Call> found;
  for (size_t index = numItems; index < items.size(); ++index)
    if (const Item &item = items[index];
        item.inner && item.ticks.first == item.ticks.last &&
        isa<FunctionOpInterface>(item.inner->getParentOp())) {
      Call &call = found[{item.op, item.inner}];
      call.bytes += item.bytes;
      call.items.push_back(index);
    }
  for (auto &[key, call] : found)
    calls.push(std::move(call));
}

/// Let what the callee of `call` holds stand for the call, unless that is too
/// much.
void HeldOverTime::expand(const Call &call) {
  const Item &item = items[call.items.front()];
  Region *body = item.inner;
  size_t numItems = 0;
  for (const auto &[space, heap] : scopes[body])
    numItems += heap->items.size();
  if (items.size() + numItems > maxItems)
    return;
  Frame frame;
  frame.caller = item.frame;
  frame.callTick = item.ticks.first;
  // The first one still says that the callee runs.
  for (size_t index : call.items)
    items[index].bytes = 0;
  for (size_t index : ArrayRef(call.items).drop_front())
    items[index].ticks = {0, -1};
  addFrame(body, frame);
}

/// Decide how long each frame takes and where it begins.
void HeldOverTime::placeFrames() {
  for (Frame &frame : llvm::reverse(frames)) {
    int64_t more = 0;
    for (auto &[tick, ticks] : frame.calls)
      ticks = more += ticks;
    if (&frame != frames.begin()) {
      int64_t &ticks = frames[frame.caller].calls[frame.callTick];
      ticks = std::max(ticks, frame.ticks.last - frame.ticks.first + more);
    }
  }
  for (Frame &frame : MutableArrayRef(frames).drop_front())
    frame.begin = frames[frame.caller].place(frame.callTick);
}

SmallVector<HeldItem, 0> HeldOverTime::find(FunctionOpInterface function) {
  Region *body = &function.getFunctionBody();
  if (scopes[body].empty())
    return {};
  addFrame(body, Frame());
  frames.front().begin = frames.front().ticks.first;
  while (!calls.empty()) {
    Call call = calls.top();
    calls.pop();
    expand(call);
  }
  placeFrames();
  SmallVector<HeldItem, 0> held;
  for (const Item &item : items) {
    if (item.ticks.first > item.ticks.last)
      continue;
    const Frame &frame = frames[item.frame];
    HeldItem &placed = held.emplace_back(item);
    placed.ticks = {frame.place(item.ticks.first),
                    frame.place(item.ticks.last + 1) - 1};
  }
  llvm::stable_sort(held, [](const HeldItem &a, const HeldItem &b) {
    return std::pair(a.ticks.first, a.ticks.last) <
           std::pair(b.ticks.first, b.ticks.last);
  });
  return held;
}

SmallVector<HeldItem, 0>
buffer_merge::findHeldOverTime(const ProgramHeap &planned,
                               FunctionOpInterface function) {
  return HeldOverTime(planned).find(function);
}
