//===- CompareReports.cpp - What changed between two plans ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Report/CompareReports.h"

#include "TextEscape.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace buffer_merge;

namespace {
/// A buffer in a pool, or left alone for a reason.
struct Place {
  int64_t size;
  std::string reason;
  int64_t sharers = 0;
};

/// Names a thing among others: how it is called, and which of those it is.
using Key = std::pair<std::string, unsigned>;

/// What a report says about one function.
struct FunctionSummary {
  int64_t bytes = 0;
  llvm::MapVector<Key, int64_t, std::map<Key, unsigned>> pools;
  llvm::MapVector<Key, Place, std::map<Key, unsigned>> buffers;
  llvm::StringMap<unsigned> poolCounts, bufferCounts;

  void addPool(llvm::StringRef scope, int64_t size) {
    bytes += size;
    pools[{scope.str(), poolCounts[scope]++}] = size;
  }
  void addBuffer(llvm::StringRef name, Place place) {
    buffers[{name.str(), bufferCounts[name]++}] = std::move(place);
  }
};

using Summary = llvm::MapVector<std::string, FunctionSummary,
                                std::map<std::string, unsigned>>;
} // namespace

static Summary summarize(const Report &report) {
  Summary summary;
  for (const ReportPool &pool : report.pools) {
    if (!pool.reason.empty())
      continue;
    FunctionSummary &function = summary[pool.function];
    std::string scope = pool.scope;
    if (!pool.memorySpace.empty())
      scope += " in memory space " + pool.memorySpace;
    function.addPool(scope, pool.poolSize);
    for (auto [buffer, sharers] :
         llvm::zip_equal(pool.buffers, countSharers(pool)))
      function.addBuffer(buffer.name, {buffer.size, "", sharers});
  }
  for (const ReportReason &reason : report.left)
    for (const ReportLeft &buffer : reason.buffers) {
      FunctionSummary &function = summary[buffer.function];
      function.bytes += buffer.size;
      function.addBuffer(buffer.name, {buffer.size, reason.name});
    }
  return summary;
}

/// Return what differs between two versions of a function.
static FunctionChange compareFunctions(const FunctionSummary &before,
                                       const FunctionSummary &after) {
  FunctionChange change;
  change.before = before.bytes;
  change.after = after.bytes;
  for (const auto &[key, size] : after.pools) {
    auto it = before.pools.find(key);
    if (it == before.pools.end())
      change.pools.push_back({key.first, std::nullopt, size});
    else if (it->second != size)
      change.pools.push_back({key.first, it->second, size});
  }
  for (const auto &[key, size] : before.pools)
    if (!after.pools.contains(key))
      change.pools.push_back({key.first, size, std::nullopt});

  using Kind = BufferChange::Kind;
  for (const auto &[key, place] : after.buffers) {
    auto it = before.buffers.find(key);
    if (it == before.buffers.end()) {
      change.buffers.push_back(
          {Kind::New, key.first, place.size, place.reason});
      continue;
    }
    const Place &old = it->second;
    if (old.reason.empty() && !place.reason.empty())
      change.buffers.push_back(
          {Kind::NoLongerMerged, key.first, place.size, place.reason});
    else if (!old.reason.empty() && place.reason.empty())
      change.buffers.push_back({Kind::Merged, key.first, place.size, ""});
    else if (place.reason.empty() && old.sharers > 0 && place.sharers == 0)
      change.buffers.push_back(
          {Kind::StoppedSharing, key.first, place.size, "", old.sharers});
  }
  for (const auto &[key, place] : before.buffers)
    if (!after.buffers.contains(key))
      change.buffers.push_back({Kind::Gone, key.first, place.size, ""});
  return change;
}

std::vector<FunctionChange> buffer_merge::compareReports(const Report &before,
                                                         const Report &after) {
  Summary oldSummary = summarize(before), newSummary = summarize(after);
  std::vector<FunctionChange> changes;
  for (const auto &[name, function] : newSummary) {
    auto it = oldSummary.find(name);
    FunctionChange change;
    if (it == oldSummary.end())
      change.after = function.bytes;
    else
      change = compareFunctions(it->second, function);
    change.function = name;
    if (change.before != change.after || !change.pools.empty() ||
        !change.buffers.empty())
      changes.push_back(std::move(change));
  }
  for (const auto &[name, function] : oldSummary)
    if (!newSummary.contains(name)) {
      FunctionChange &change = changes.emplace_back();
      change.function = name;
      change.before = function.bytes;
    }
  return changes;
}

/// Print `10 -> 15 bytes (+50.0 %)`, or `new, 15 bytes` and the like.
static void printBytes(llvm::raw_ostream &os, std::optional<int64_t> before,
                       std::optional<int64_t> after) {
  if (!before)
    os << "new, " << *after << " bytes\n";
  else if (!after)
    os << "gone, " << *before << " bytes before\n";
  else if (*before == 0 || *before == *after)
    os << *before << " -> " << *after << " bytes\n";
  else
    os << llvm::formatv("{0} -> {1} bytes ({2}{3:F1} %)\n", *before, *after,
                        *after > *before ? "+" : "",
                        100 * (double(*after) / double(*before) - 1));
}

static void printBuffer(llvm::raw_ostream &os, const BufferChange &change) {
  using Kind = BufferChange::Kind;
  std::string subject =
      llvm::formatv("{0}, {1} bytes", escapeText(change.name), change.size);
  switch (change.kind) {
  case Kind::NoLongerMerged:
    os << "no longer merged: " << subject << ": " << escapeText(change.reason);
    break;
  case Kind::Merged:
    os << "merged now: " << subject;
    break;
  case Kind::StoppedSharing:
    os << "stopped sharing: " << subject << ": with " << change.sharers
       << (change.sharers == 1 ? " other" : " others") << " before";
    break;
  case Kind::New:
    os << "new: " << subject;
    if (!change.reason.empty())
      os << ", left alone: " << escapeText(change.reason);
    break;
  case Kind::Gone:
    os << "gone: " << subject;
    break;
  }
  os << "\n";
}

void buffer_merge::printChanges(llvm::raw_ostream &os,
                                const std::vector<FunctionChange> &changes) {
  for (const FunctionChange &change : changes) {
    os << (change.function.empty() ? "(no function)"
                                   : "@" + escapeText(change.function))
       << ": ";
    printBytes(os, change.before, change.after);
    for (const PoolChange &pool : change.pools) {
      os << "  pool of " << escapeText(pool.scope) << ": ";
      printBytes(os, pool.before, pool.after);
    }
    for (const BufferChange &buffer : change.buffers)
      printBuffer(os << "  ", buffer);
  }
}
