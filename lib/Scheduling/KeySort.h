//===- KeySort.h - Sorting by a number --------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ticks are small numbers as a rule, no larger than a few times the number of
// buffers. They are sorted digit by digit, with digits that grow with the
// number of items, which takes a quarter of the time of comparisons. Not part
// of the public interface.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_KEYSORT_H
#define BUFFER_MERGE_LIB_SCHEDULING_KEYSORT_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace buffer_merge {
/// Sort `items` by `keyOf(item)`, an int64_t, the smallest first; those with
/// the same key keep their order. O(n) time if the keys are not much further
/// apart than there are items, O(n log n) otherwise.
template <typename Item, typename KeyOf>
void sortByKey(llvm::SmallVector<Item, 0> &items, KeyOf keyOf) {
  auto isBefore = [&](const Item &a, const Item &b) {
    return keyOf(a) < keyOf(b);
  };
  if (llvm::is_sorted(items, isBefore))
    return;
  uint64_t smallest = keyOf(items.front()), largest = smallest;
  for (const Item &item : items) {
    smallest = std::min<int64_t>(smallest, keyOf(item));
    largest = std::max<int64_t>(largest, keyOf(item));
  }
  // Keys may be anywhere in 64 bits: differences are taken without a sign.
  const unsigned keyBits = llvm::Log2_64(largest - smallest) + 1;
  constexpr unsigned maxDigitBits = 11, maxDigits = 4;
  constexpr size_t few = 64;
  const unsigned numDigits = llvm::divideCeil(
      keyBits, std::min(maxDigitBits, llvm::Log2_64(items.size()) + 1));
  if (items.size() < few || numDigits > maxDigits) {
    llvm::stable_sort(items, isBefore);
    return;
  }
  const unsigned digitBits = llvm::divideCeil(keyBits, numDigits);
  const uint64_t mask = (uint64_t(1) << digitBits) - 1;
  llvm::SmallVector<Item, 0> sorted(items.size());
  llvm::SmallVector<size_t, 0> next;
  for (unsigned shift = 0; shift < keyBits; shift += digitBits) {
    auto digitOf = [&](const Item &item) {
      return (uint64_t(keyOf(item)) - smallest) >> shift & mask;
    };
    next.assign(mask + 2, 0);
    for (const Item &item : items)
      ++next[digitOf(item) + 1];
    for (uint64_t digit = 0; digit <= mask; ++digit)
      next[digit + 1] += next[digit];
    for (const Item &item : items)
      sorted[next[digitOf(item)]++] = item;
    std::swap(items, sorted);
  }
}

/// Sort numbers, the smallest first.
inline void sortNumbers(llvm::SmallVector<int64_t, 0> &numbers) {
  sortByKey(numbers, [](int64_t number) { return number; });
}

/// Return the numbers below `count` in the order of `keyOf(number)`, and of
/// themselves.
template <typename KeyOf>
llvm::SmallVector<unsigned, 0> orderByKey(size_t count, KeyOf keyOf) {
  struct Entry {
    int64_t key;
    unsigned id;
  };
  llvm::SmallVector<Entry, 0> entries;
  entries.reserve(count);
  for (unsigned id = 0; id < count; ++id)
    entries.push_back({keyOf(id), id});
  sortByKey(entries, [](const Entry &entry) { return entry.key; });
  llvm::SmallVector<unsigned, 0> order;
  order.reserve(count);
  for (const Entry &entry : entries)
    order.push_back(entry.id);
  return order;
}

/// Return the ids of `buffers` in the order of their begins; those that begin
/// at the same tick in the order of `tieOf(id)`, and of themselves.
template <typename TieOf>
llvm::SmallVector<BufferId, 0> orderByBegin(llvm::ArrayRef<Buffer> buffers,
                                            TieOf tieOf) {
  llvm::SmallVector<BufferId, 0> order = orderByKey(
      buffers.size(), [&](BufferId id) { return buffers[id].begin; });
  for (BufferId *first = order.begin(); first != order.end();) {
    int64_t tick = buffers[*first].begin;
    BufferId *last = first + 1;
    while (last != order.end() && buffers[*last].begin == tick)
      ++last;
    if (last - first > 1)
      std::sort(first, last, [&](BufferId a, BufferId b) {
        return std::pair(tieOf(a), a) < std::pair(tieOf(b), b);
      });
    first = last;
  }
  return order;
}
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_KEYSORT_H
