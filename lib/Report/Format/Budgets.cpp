//===- Budgets.cpp - How many bytes a plan may take ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A report is summed up function by function and memory by memory, and each sum
// is compared with its limit.
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Report/Budgets.h"

#include "FunctionSummary.h"
#include "Mutation.h"
#include "TextEscape.h"

#include "llvm/ADT/STLExtras.h"

using namespace buffer_merge;

/// Return the name of the memory that `pool` is in, if it has no regions.
static std::string getMemoryName(const ReportPool &pool) {
  return pool.memorySpace.empty() ? "default"
                                  : "memory space " + pool.memorySpace;
}

/// Return the bytes of pools in each memory, by name.
static std::map<std::string, int64_t> sumRegions(const Report &report) {
  std::map<std::string, int64_t> regions;
  for (auto [pool, added] :
       llvm::zip_equal(report.pools, computeAddedBytes(report))) {
    if (!pool.reason.empty())
      continue;
    if (pool.regions.empty())
      regions[getMemoryName(pool)] += added;
    for (const ReportRegion &region : pool.regions)
      regions[region.name] += std::max<int64_t>(
          0, std::min(region.end, pool.poolSize) - region.begin);
  }
  return regions;
}

Budgets buffer_merge::makeBudgets(const Report &report, const Budgets *old) {
  Budgets budgets;
  if (old)
    budgets = *old;
  auto set = [&](Budget &budget, int64_t bytes, int64_t left) {
    if (!old || budget.bytes)
      budget.bytes = bytes;
    if (!old || budget.left)
      budget.left = left;
  };
  if (!old) {
    budgets.total.emplace();
    budgets.functions.emplace();
    budgets.regions.emplace();
  }
  ReportTotals totals = computeTotals(report);
  if (budgets.total)
    set(*budgets.total, totals.poolBytes + totals.leftBytes, totals.left);
  if (budgets.functions) {
    std::map<std::string, Budget> functions;
    for (const FunctionSummary &function : summarize(report)) {
      auto it = budgets.functions->find(function.name.str());
      Budget &budget = functions[function.name.str()];
      if (it == budgets.functions->end()) {
        budget.bytes = function.bytes;
        budget.left = function.numLeft;
        continue;
      }
      budget = it->second;
      set(budget, function.bytes, function.numLeft);
    }
    budgets.functions = std::move(functions);
  }
  if (budgets.regions) {
    std::map<std::string, Budget> regions;
    for (auto [name, bytes] : sumRegions(report)) {
      auto it = budgets.regions->find(name);
      if (it != budgets.regions->end())
        regions[name] = it->second;
      regions[name].bytes = bytes;
    }
    budgets.regions = std::move(regions);
  }
  return budgets;
}

/// Return `bytes` and `headroom` percent of it.
static int64_t addHeadroom(int64_t bytes, double headroom) {
  if (headroom == 0 || isMutated("check-no-headroom"))
    return bytes;
  constexpr int64_t maxBytes = int64_t(1) << 62;
  double limit = double(bytes) * (1 + headroom / 100);
  return limit >= double(maxBytes) ? maxBytes : int64_t(limit);
}

/// What is printed of a check that fails is cut off after this many lines.
static constexpr size_t maxDetails = 5;

/// Return the largest of `items`, as lines, and the number of the others. Equal
/// ones are ordered by their text.
static std::vector<std::string>
listLargest(std::vector<std::pair<int64_t, std::string>> items,
            llvm::StringRef noun) {
  llvm::sort(items, [](const auto &a, const auto &b) {
    return std::tie(b.first, a.second) < std::tie(a.first, b.second);
  });
  std::vector<std::string> lines;
  for (auto &[bytes, text] : llvm::ArrayRef(items).take_front(maxDetails))
    lines.push_back(text);
  if (items.size() > maxDetails)
    lines.push_back("and " + formatCount(items.size() - maxDetails,
                                         ("more " + noun).str()));
  return lines;
}

/// Return the allocations of `functions` that stay, the largest first.
static std::vector<std::string>
listLeft(llvm::ArrayRef<FunctionSummary> functions) {
  std::vector<std::pair<int64_t, std::string>> items;
  for (const FunctionSummary &function : functions)
    for (const BufferPlace &place : function.buffers)
      if (!place.reason.empty())
        items.emplace_back(
            place.size,
            llvm::formatv("stays: {0} in {1}, {2} bytes: {3}",
                          escapeText(place.name), formatSymbol(function.name),
                          place.size ? std::to_string(place.size) : "?",
                          escapeText(place.reason)));
  return listLargest(std::move(items), "allocation");
}

/// Return what the bytes of `function` are: what is alive at the peak of its
/// largest pool, and what stays.
static std::vector<std::string> listBytes(const Report &report,
                                          const FunctionSummary &function) {
  const ReportPool *largest = nullptr;
  for (const ReportPool &pool : report.pools)
    if (pool.function == function.name && pool.reason.empty() &&
        (!largest || pool.poolSize > largest->poolSize))
      largest = &pool;
  std::vector<std::string> lines;
  if (largest) {
    std::vector<std::pair<int64_t, std::string>> items;
    for (const ReportBuffer &buffer : largest->buffers)
      if (buffer.isAliveAt(largest->peakTick))
        items.emplace_back(
            buffer.size,
            llvm::formatv(
                "at the peak, tick {0}: {1}, {2} bytes, {3}", largest->peakTick,
                escapeText(buffer.name), buffer.size,
                escapeText(buffer.producer.empty() ? buffer.firstAccess
                                                   : buffer.producer)));
    lines = listLargest(std::move(items), "buffer");
  }
  llvm::append_range(lines, listLeft(function));
  return lines;
}

namespace {
/// Compares one report with budgets.
class Checker {
public:
  Checker(const Report &report, const Budgets &budgets)
      : report(report), budgets(budgets), functions(summarize(report)) {}

  std::vector<BudgetCheck> run();

private:
  using Kind = BudgetCheck::Kind;
  void checkBytes(Kind kind, llvm::StringRef name, int64_t bytes,
                  const Budget &budget,
                  llvm::function_ref<std::vector<std::string>()> list);
  void checkCount(Kind kind, llvm::StringRef name, int64_t count,
                  const Budget &budget,
                  llvm::ArrayRef<FunctionSummary> functions);
  void checkTotal(const Budget &budget);
  void checkFunctions(const std::map<std::string, Budget> &limits);
  void checkRegions(const std::map<std::string, Budget> &limits);

  const Report &report;
  const Budgets &budgets;
  llvm::SmallVector<FunctionSummary, 0> functions;
  std::vector<BudgetCheck> checks;
};
} // namespace

void Checker::checkBytes(Kind kind, llvm::StringRef name, int64_t bytes,
                         const Budget &budget,
                         llvm::function_ref<std::vector<std::string>()> list) {
  if (!budget.bytes)
    return;
  BudgetCheck &check = checks.emplace_back();
  check.kind = kind;
  check.name = name.str();
  check.value = bytes;
  check.limit =
      addHeadroom(*budget.bytes, budget.headroom.value_or(budgets.headroom));
  if (!check.passed())
    check.details = list();
}

void Checker::checkCount(Kind kind, llvm::StringRef name, int64_t count,
                         const Budget &budget,
                         llvm::ArrayRef<FunctionSummary> functions) {
  if (!budget.left || isMutated("check-left"))
    return;
  BudgetCheck &check = checks.emplace_back();
  check.kind = kind;
  check.name = name.str();
  check.isCount = true;
  check.value = count;
  check.limit = *budget.left;
  if (!check.passed())
    check.details = listLeft(functions);
}

void Checker::checkTotal(const Budget &budget) {
  ReportTotals totals = computeTotals(report);
  checkBytes(Kind::Total, "", totals.poolBytes + totals.leftBytes, budget, [&] {
    std::vector<std::pair<int64_t, std::string>> items;
    for (const FunctionSummary &function : functions)
      items.emplace_back(function.bytes,
                         llvm::formatv("{0}: {1} bytes",
                                       formatSymbol(function.name),
                                       function.bytes));
    return listLargest(std::move(items), "function");
  });
  checkCount(Kind::Total, "", totals.left, budget, functions);
}

void Checker::checkFunctions(const std::map<std::string, Budget> &limits) {
  int64_t newBytes = 0;
  std::vector<std::pair<int64_t, std::string>> newFunctions;
  for (const FunctionSummary &function : functions) {
    auto it = limits.find(function.name.str());
    if (it == limits.end()) {
      newBytes += function.bytes;
      newFunctions.emplace_back(function.bytes,
                                llvm::formatv("{0}: {1} bytes, no budget",
                                              formatSymbol(function.name),
                                              function.bytes));
      continue;
    }
    checkBytes(Kind::Function, function.name, function.bytes, it->second,
               [&] { return listBytes(report, function); });
    checkCount(Kind::Function, function.name, function.numLeft, it->second,
               function);
  }
  if (newFunctions.empty() || isMutated("check-new-functions"))
    return;
  Budget budget;
  budget.bytes = budgets.newFunctions;
  checkBytes(Kind::NewFunctions, "", newBytes, budget,
             [&] { return listLargest(std::move(newFunctions), "function"); });
}

void Checker::checkRegions(const std::map<std::string, Budget> &limits) {
  for (auto [name, bytes] : sumRegions(report)) {
    auto it = limits.find(name);
    Budget budget;
    budget.bytes = 0;
    if (it != limits.end())
      budget = it->second;
    std::vector<std::pair<int64_t, std::string>> items;
    for (const ReportPool &pool : report.pools) {
      bool isThere =
          pool.regions.empty()
              ? getMemoryName(pool) == name
              : llvm::any_of(pool.regions,
                             [&, &name = name](const ReportRegion &region) {
                               return region.name == name;
                             });
      if (isThere && pool.reason.empty())
        items.emplace_back(pool.poolSize,
                           llvm::formatv("pool of {0} in {1}: {2} bytes",
                                         escapeText(pool.scope),
                                         formatSymbol(pool.function),
                                         pool.poolSize));
    }
    checkBytes(Kind::Region, name, bytes, budget,
               [&] { return listLargest(std::move(items), "pool"); });
  }
}

std::vector<BudgetCheck> Checker::run() {
  if (budgets.total)
    checkTotal(*budgets.total);
  if (budgets.functions)
    checkFunctions(*budgets.functions);
  if (budgets.regions && !isMutated("check-regions"))
    checkRegions(*budgets.regions);
  return std::move(checks);
}

std::vector<BudgetCheck> buffer_merge::checkBudgets(const Report &report,
                                                    const Budgets &budgets) {
  return Checker(report, budgets).run();
}
