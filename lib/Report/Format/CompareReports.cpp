//===- CompareReports.cpp - What changed between two plans ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A report is summed up function by function; functions are matched, then the
// pools and the buffers (MatchBuffers.h) of the two versions of each.
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Report/CompareReports.h"

#include "FunctionSummary.h"
#include "MatchBuffers.h"
#include "Mutation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <map>

using namespace buffer_merge;

/// Return true if `after` is more than `tolerance` percent more than `before`.
static bool isMore(int64_t before, int64_t after, double tolerance) {
  return after > before &&
         double(after - before) > double(before) / 100 * tolerance;
}

bool FunctionChange::grew(double tolerance) const {
  return before && after && isMore(*before, *after, tolerance);
}

int64_t ReportChange::getNewBytes() const {
  int64_t bytes = 0;
  for (const FunctionChange &function : functions)
    if (!function.before)
      bytes += *function.after;
  return bytes;
}

bool ReportChange::grew(double tolerance) const {
  if (!isMutated("compare-new-functions") &&
      isMore(before, before + getNewBytes(), tolerance))
    return true;
  if (!isMutated("compare-total") && isMore(before, after, tolerance))
    return true;
  return llvm::any_of(functions, [&](const FunctionChange &function) {
    return function.grew(tolerance);
  });
}

llvm::StringRef buffer_merge::getChangeName(BufferChange::Kind kind) {
  using Kind = BufferChange::Kind;
  switch (kind) {
  case Kind::NoLongerMerged:
    return "no-longer-merged";
  case Kind::Merged:
    return "merged";
  case Kind::StoppedSharing:
    return "stopped-sharing";
  case Kind::Grew:
    return "grew";
  case Kind::Shrank:
    return "shrank";
  case Kind::New:
    return "new";
  case Kind::Gone:
    return "gone";
  case Kind::Moved:
    return "moved";
  }
  llvm_unreachable("all kinds are named");
}

static BufferIdentity getIdentity(const BufferPlace &place) {
  return {isNumberedName(place.name) ? "" : place.name, place.operation,
          place.type};
}

static llvm::SmallVector<BufferIdentity, 0>
getIdentities(const FunctionSummary &function) {
  llvm::SmallVector<BufferIdentity, 0> identities;
  for (const BufferPlace &place : function.buffers)
    identities.push_back(getIdentity(place));
  return identities;
}

/// Start the description of a change of `kind`.
static BufferChange makeChange(BufferChange::Kind kind,
                               const BufferPlace &place) {
  BufferChange change;
  change.kind = kind;
  change.name = place.name.str();
  change.size = place.size;
  change.reason = place.reason.str();
  return change;
}

/// Return how `place` differs from `old`, the same buffer before, if it does.
static std::optional<BufferChange> compareBuffers(const BufferPlace &old,
                                                  const BufferPlace &place) {
  using Kind = BufferChange::Kind;
  std::optional<Kind> kind;
  if (old.reason.empty() != place.reason.empty())
    kind = place.reason.empty() ? Kind::Merged : Kind::NoLongerMerged;
  else if (old.size != place.size)
    kind = place.size > old.size ? Kind::Grew : Kind::Shrank;
  else if (old.sharers > 0 && place.sharers == 0 && place.reason.empty())
    kind = Kind::StoppedSharing;
  else if (old.reason.empty() && old.offset != place.offset)
    kind = Kind::Moved;
  if (!kind)
    return std::nullopt;
  BufferChange change = makeChange(*kind, place);
  change.sharers = old.sharers;
  change.sizeBefore = old.size;
  change.before = old.index;
  change.after = place.index;
  return change;
}

static void comparePools(const FunctionSummary &before,
                         const FunctionSummary &after, FunctionChange &change) {
  std::map<PoolKey, int64_t> oldPools(before.pools.begin(), before.pools.end());
  for (const auto &[key, size] : after.pools) {
    auto it = oldPools.find(key);
    if (it == oldPools.end()) {
      change.pools.push_back({key.first, std::nullopt, size});
      continue;
    }
    if (it->second != size)
      change.pools.push_back({key.first, it->second, size});
    oldPools.erase(it);
  }
  for (const auto &[key, size] : before.pools)
    if (oldPools.count(key))
      change.pools.push_back({key.first, size, std::nullopt});
}

/// Return what differs between two versions of a function.
static FunctionChange compareFunctions(const FunctionSummary &before,
                                       const FunctionSummary &after) {
  FunctionChange change;
  change.before = before.bytes;
  change.after = after.bytes;
  comparePools(before, after, change);

  std::vector<bool> isMatched(before.buffers.size(), false);
  for (auto [place, match] :
       llvm::zip_equal(after.buffers, matchBuffers(getIdentities(before),
                                                   getIdentities(after)))) {
    if (!match) {
      change.buffers.push_back(makeChange(BufferChange::Kind::New, place));
      change.buffers.back().after = place.index;
      continue;
    }
    isMatched[*match] = true;
    if (auto buffer = compareBuffers(before.buffers[*match], place))
      change.buffers.push_back(std::move(*buffer));
  }
  for (auto [index, place] : llvm::enumerate(before.buffers))
    if (!isMatched[index]) {
      change.buffers.push_back(makeChange(BufferChange::Kind::Gone, place));
      change.buffers.back().before = place.index;
    }
  return change;
}

/// Return, for each function of `after`, the index of the one in `before` that
/// it is a version of: the one of the same symbol or, if neither symbol is in
/// both, one with the same structure.
static llvm::SmallVector<std::optional<size_t>, 0>
matchFunctions(llvm::ArrayRef<FunctionSummary> before,
               llvm::ArrayRef<FunctionSummary> after) {
  std::map<llvm::StringRef, size_t> oldByName;
  for (auto [index, function] : llvm::enumerate(before))
    oldByName[function.name] = index;
  llvm::SmallVector<std::optional<size_t>, 0> matches(after.size());
  for (auto [match, function] : llvm::zip_equal(matches, after))
    if (auto it = oldByName.find(function.name); it != oldByName.end()) {
      match = it->second;
      oldByName.erase(it);
    }
  if (isMutated("compare-renamed-functions"))
    return matches;

  using Structure = std::vector<std::pair<llvm::StringRef, llvm::StringRef>>;
  auto getStructure = [](const FunctionSummary &function) {
    Structure structure;
    for (const BufferPlace &place : function.buffers)
      structure.emplace_back(place.operation, place.type);
    return structure;
  };
  // Several functions of one structure: in the order of the program.
  std::map<Structure, std::vector<size_t>> oldByStructure;
  for (auto [index, function] : llvm::enumerate(before))
    if (oldByName.count(function.name))
      oldByStructure[getStructure(function)].push_back(index);
  for (auto &[structure, indices] : oldByStructure)
    std::reverse(indices.begin(), indices.end());
  for (auto [match, function] : llvm::zip_equal(matches, after)) {
    if (match)
      continue;
    auto it = oldByStructure.find(getStructure(function));
    if (it == oldByStructure.end() || it->second.empty())
      continue;
    match = it->second.back();
    it->second.pop_back();
  }
  return matches;
}

ReportChange buffer_merge::compareReports(const Report &before,
                                          const Report &after) {
  llvm::SmallVector<FunctionSummary, 0> oldFunctions = summarize(before),
                                        newFunctions = summarize(after);
  ReportChange result;
  result.numFunctions = newFunctions.size();
  for (const FunctionSummary &function : oldFunctions)
    result.before += function.bytes;
  std::vector<bool> isMatched(oldFunctions.size(), false);
  for (auto [function, match] : llvm::zip_equal(
           newFunctions, matchFunctions(oldFunctions, newFunctions))) {
    result.after += function.bytes;
    FunctionChange change;
    if (match) {
      isMatched[*match] = true;
      const FunctionSummary &old = oldFunctions[*match];
      change = compareFunctions(old, function);
      if (old.name != function.name)
        change.renamedFrom = old.name.str();
    } else {
      change.after = function.bytes;
    }
    change.function = function.name.str();
    if (change.before != change.after || !change.pools.empty() ||
        !change.buffers.empty() || !change.renamedFrom.empty())
      result.functions.push_back(std::move(change));
  }
  for (auto [index, function] : llvm::enumerate(oldFunctions))
    if (!isMatched[index]) {
      FunctionChange &change = result.functions.emplace_back();
      change.function = function.name.str();
      change.before = function.bytes;
    }
  return result;
}
