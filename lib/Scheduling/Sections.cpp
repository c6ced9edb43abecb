//===- Sections.cpp - Ticks reduced to what matters ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The largest sets of live buffers, found by a sweep: one ends where a buffer
// dies after another was born. Lifetimes are then intervals of sections.
//
//===----------------------------------------------------------------------===//

#include "Sections.h"

#include "KeySort.h"

#include "llvm/ADT/STLExtras.h"

using namespace buffer_merge;

void SectionGaps::append(unsigned index, SectionRange gap) {
  assert(ends.size() <= index + 1 && "not in ascending order");
  ends.resize(index + 1, ranges.size());
  ranges.push_back(gap);
  ++ends.back();
}

llvm::ArrayRef<SectionRange> SectionGaps::of(unsigned index) const {
  if (index >= ends.size())
    return {};
  unsigned begin = index == 0 ? 0 : ends[index - 1];
  return llvm::ArrayRef(ranges).slice(begin, ends[index] - begin);
}

Sections::Sections(llvm::ArrayRef<Buffer> buffers) {
  const size_t count = buffers.size();
  llvm::SmallVector<int64_t, 0> beginTicks, endTicks;
  beginTicks.reserve(count);
  endTicks.reserve(count);
  for (const Buffer &buffer : buffers) {
    buffer.forEachLiveInterval([&](int64_t begin, int64_t end) {
      beginTicks.push_back(begin);
      endTicks.push_back(end);
    });
  }
  sortNumbers(beginTicks);
  sortNumbers(endTicks);

  // The live set is a largest one at the last tick before a buffer dies, if
  // another was born since the death before. That tick stands for the section.
  llvm::SmallVector<int64_t, 0> ticks;
  const int64_t *nextEnd = endTicks.begin();
  for (const int64_t *it = beginTicks.begin(); it != beginTicks.end();) {
    while (*nextEnd <= *it)
      ++nextEnd;
    ticks.push_back(*nextEnd - 1);
    while (it != beginTicks.end() && *it < *nextEnd)
      ++it;
  }

  begins.reserve(count);
  ends.reserve(count);
  totals.assign(ticks.size(), 0);
  for (const auto &[index, buffer] : llvm::enumerate(buffers)) {
    const int64_t *begin = llvm::lower_bound(ticks, buffer.begin);
    // Short lifetimes are the rule: look near the begin first.
    const int64_t *end = begin;
    for (unsigned step = 0; step < 8 && end != ticks.end(); ++step, ++end)
      if (*end >= buffer.end)
        break;
    if (end != ticks.end() && *end < buffer.end)
      end = std::lower_bound(end, static_cast<const int64_t *>(ticks.end()),
                             buffer.end);
    begins.push_back(begin - ticks.begin());
    ends.push_back(end - ticks.begin());
    totals[begins.back()] += buffer.size;
    if (end != ticks.end())
      totals[ends.back()] -= buffer.size;
    for (const TickInterval &interval : buffer.gaps) {
      unsigned gapBegin =
          llvm::lower_bound(ticks, interval.begin) - ticks.begin();
      unsigned gapEnd = llvm::lower_bound(ticks, interval.end) - ticks.begin();
      if (gapBegin == gapEnd)
        continue;
      gaps.append(index, {gapBegin, gapEnd});
      totals[gapBegin] -= buffer.size;
      totals[gapEnd] += buffer.size;
    }
  }
  for (unsigned i = 1; i < totals.size(); ++i)
    totals[i] += totals[i - 1];
}
