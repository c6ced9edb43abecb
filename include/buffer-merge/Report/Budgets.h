//===- Budgets.h - How many bytes a plan may take ---------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_REPORT_BUDGETS_H
#define BUFFER_MERGE_REPORT_BUDGETS_H

#include "buffer-merge/Report/Report.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace buffer_merge {
/// The limits for a program, a function or a region. A limit that is missing is
/// not checked.
struct Budget {
  std::optional<int64_t> bytes = std::nullopt;
  /// Allocations that stay.
  std::optional<int64_t> left = std::nullopt;
  /// By how many percent `bytes` may be exceeded, if that is not
  /// `Budgets::headroom`.
  std::optional<double> headroom = std::nullopt;
};

/// A file of budgets; docs/ReportFormat.md documents it.
struct Budgets {
  /// By how many percent each number of bytes may be exceeded.
  double headroom = 0;
  /// The whole program: pools, and allocations that stay as far as their sizes
  /// are known.
  std::optional<Budget> total = std::nullopt;
  /// The bytes of all functions without an entry in `functions`.
  int64_t newFunctions = 0;
  /// The same for each function, by its symbol; nothing if functions are not
  /// checked one by one.
  std::optional<std::map<std::string, Budget>> functions = std::nullopt;
  /// The bytes of pools in each memory: a region of the report, `memory space
  /// X`, or `default`; nothing if memories are not checked. A memory without an
  /// entry has a budget of 0 bytes.
  std::optional<std::map<std::string, Budget>> regions = std::nullopt;
};

/// One comparison of a plan with a budget.
struct BudgetCheck {
  enum class Kind { Total, Function, NewFunctions, Region };
  Kind kind;
  /// The symbol of the function, or the name of the memory.
  std::string name;
  /// Allocations that stay are counted, and not bytes.
  bool isCount = false;
  int64_t value = 0;
  /// The most that is allowed, headroom included.
  int64_t limit = 0;
  /// What the value consists of, the largest first, for checks that fail: lines
  /// without control characters.
  std::vector<std::string> details = {};

  bool passed() const { return value <= limit; }
};

/// Read budgets. A member that is not known is an error: a misspelt limit must
/// not be ignored.
llvm::Expected<Budgets> parseBudgets(llvm::StringRef text);

/// Print `budgets` such that `parseBudgets` reads them.
void printBudgets(llvm::raw_ostream &os, const Budgets &budgets);

/// Return the budgets that `report` just meets, with the headrooms and
/// `newFunctions` of `old`. What `old` does not check is not in the result;
/// without `old` everything is.
Budgets makeBudgets(const Report &report, const Budgets *old);

/// Compare `report` with `budgets`: the program, functions in the order of the
/// report, memories. A function that is only in `budgets` is not checked.
std::vector<BudgetCheck> checkBudgets(const Report &report,
                                      const Budgets &budgets);

/// How the result of a check is printed.
enum class CheckFormat { Text, Markdown, JUnit, JSON };

/// Print `checks`. Text and Markdown list the functions that fail and count the
/// others; JUnit and JSON list all.
void printChecks(llvm::raw_ostream &os, llvm::ArrayRef<BudgetCheck> checks,
                 CheckFormat format);
} // namespace buffer_merge

#endif // BUFFER_MERGE_REPORT_BUDGETS_H
