//===- Report.cpp - A merge plan as plain data ---------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Report/Report.h"
#include "Scheduling/SaturatingBytes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace buffer_merge;

std::string ReportBuffer::getTitle() const {
  if (!value || !values)
    return name;
  return name + " (" + std::to_string(*value) + "/" + std::to_string(*values) +
         ")";
}

bool ReportBuffer::isAliveAt(int64_t tick) const {
  return begin <= tick && tick < end &&
         llvm::none_of(
             gaps,
             [&](const ReportInterval &gap) {
               return gap.begin <= tick && tick < gap.end;
             });
}

bool ReportBuffer::areGapsInside() const {
  int64_t last = begin;
  for (const ReportInterval &gap : gaps) {
    if (gap.begin <= last)
      return false;
    last = gap.end;
  }
  return gaps.empty() || last < end;
}

std::pair<llvm::StringLiteral, llvm::StringLiteral>
ReportPool::findContradiction() const {
  for (size_t i = 1; i < regions.size(); ++i)
    if (regions[i].begin < regions[i - 1].end)
      return {"regions", "not ordered and disjoint"};
  if (buffers.empty())
    return {"buffers", "no buffer"};
  auto isThere = [&](int64_t index) {
    return index >= 0 && index < int64_t(buffers.size());
  };
  for (const ReportBuffer &buffer : buffers) {
    if (buffer.offset + buffer.size > poolSize)
      return {"buffers", "a buffer ends after its pool"};
    if (!llvm::all_of(buffer.inPlaceOf, isThere) ||
        !llvm::all_of(buffer.inPlaceOfAny, isThere))
      return {"buffers", "in place of a buffer that is not there"};
  }
  if (reuse)
    for (const ReportPenalty &item : reuse->penalties)
      if (!isThere(item.first) || !isThere(item.second))
        return {"reuse", "a penalty of a buffer that is not there"};
  if (sync)
    for (const ReportConflict &conflict : sync->conflicts)
      if (!isThere(conflict.second))
        return {"sync", "a conflict with a buffer that is not there"};
  if (llvm::none_of(buffers, [&](const ReportBuffer &buffer) {
        return buffer.isAliveAt(peakTick);
      }))
    return {"peakTick", "no buffer is alive"};
  return {"", ""};
}

bool Report::isSumInRange() const {
  int64_t sum = 0;
  auto add = [&](int64_t size) {
    sum = std::min(sum + size, 2 * maxReportNumber);
  };
  for (const ReportPool &pool : pools) {
    add(pool.poolSize);
    add(pool.totalBytes);
    for (const ReportBuffer &buffer : pool.buffers)
      add(buffer.size);
  }
  for (const ReportReason &reason : left)
    for (const ReportLeft &buffer : reason.buffers)
      add(buffer.size);
  return sum <= maxReportNumber;
}

std::optional<int64_t> buffer_merge::getAddress(const ReportPool &pool,
                                                int64_t offset) {
  for (const ReportRegion &region : pool.regions)
    if (region.address && region.begin <= offset && offset < region.end)
      return *region.address + (offset - region.begin);
  return std::nullopt;
}

llvm::StringRef buffer_merge::getOperationName(llvm::StringRef access) {
  return access.split(" at ").first;
}

void buffer_merge::addInPlacePair(ReportPool &pool, int64_t earlier,
                                  int64_t later, bool needsSameOffset) {
  ReportBuffer &buffer = pool.buffers[later];
  (needsSameOffset ? buffer.inPlaceOf : buffer.inPlaceOfAny).push_back(earlier);
}

llvm::SmallVector<int64_t, 0>
buffer_merge::computeAddedBytes(const Report &report) {
  llvm::StringSet<> callees;
  for (const ReportPool &pool : report.pools)
    for (const ReportBuffer &buffer : pool.buffers)
      if (!buffer.callee.empty())
        callees.insert(buffer.callee);
  llvm::SmallVector<int64_t, 0> added;
  std::optional<size_t> largestShared;
  for (auto [index, pool] : llvm::enumerate(report.pools)) {
    // What an argument or a result holds needs no more, and what is erased
    // needs nothing.
    bool isPart = pool.storage == "argument" || pool.storage == "result" ||
                  pool.storage == "none" ||
                  (pool.storage == "arena" && callees.contains(pool.function));
    added.push_back(pool.reason.empty() && !isPart
                        ? pool.launchBytes.value_or(pool.poolSize)
                        : 0);
    if (pool.storage != "shared-global")
      continue;
    // Of pools that share memory the largest counts.
    size_t smaller = index;
    if (!largestShared || added[*largestShared] < added[index])
      smaller = std::exchange(largestShared, index).value_or(index);
    if (smaller != largestShared)
      added[smaller] = 0;
  }
  return added;
}

std::optional<int64_t> ReportRuntimePool::getStaticBytes() const {
  int64_t number;
  return llvm::to_integer(bytes, number, /*Base=*/10) ? std::optional(number)
                                                      : std::nullopt;
}

ReportTotals buffer_merge::computeTotals(const Report &report) {
  ReportTotals totals;
  for (auto [pool, added] :
       llvm::zip_equal(report.pools, computeAddedBytes(report))) {
    totals.poolBytes = addBytes(totals.poolBytes, added);
    if (!pool.reason.empty())
      continue;
    for (const ReportBuffer &buffer : pool.buffers)
      // An allocation counts once, however many values it holds.
      if (buffer.callee.empty() && buffer.value.value_or(1) == 1) {
        totals.merged += buffer.allocations.value_or(1);
        totals.mergedBytes = addBytes(totals.mergedBytes, buffer.size);
      }
  }
  for (const ReportRuntimePool &pool : report.runtimePools) {
    totals.poolBytes =
        addBytes(totals.poolBytes, pool.getStaticBytes().value_or(0));
    for (const ReportLeft &buffer : pool.buffers) {
      ++totals.merged;
      totals.mergedBytes = addBytes(totals.mergedBytes, buffer.size);
    }
  }
  for (const ReportReason &reason : report.left)
    for (const ReportLeft &buffer : reason.buffers) {
      ++totals.left;
      totals.leftBytes = addBytes(totals.leftBytes, buffer.size);
    }
  return totals;
}

llvm::SmallVector<int64_t, 0>
buffer_merge::countSharers(const ReportPool &pool) {
  // Of two buffers that have bytes in common none is completely below the
  // other, and they are alive at different ticks, or at one in place of each
  // other, as the schedule is valid.
  std::vector<int64_t> bottoms, tops;
  for (const ReportBuffer &buffer : pool.buffers) {
    bottoms.push_back(buffer.offset);
    tops.push_back(buffer.offset + buffer.size);
  }
  llvm::sort(bottoms);
  llvm::sort(tops);
  llvm::SmallVector<int64_t, 0> sharers;
  for (const ReportBuffer &buffer : pool.buffers) {
    int64_t below = llvm::upper_bound(tops, buffer.offset) - tops.begin();
    int64_t above =
        bottoms.end() - llvm::lower_bound(bottoms, buffer.offset + buffer.size);
    sharers.push_back(int64_t(pool.buffers.size()) - below - above - 1);
  }
  return sharers;
}
