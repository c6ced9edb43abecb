//===- CompareReports.h - What changed between plans ------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_REPORT_COMPAREREPORTS_H
#define BUFFER_MERGE_REPORT_COMPAREREPORTS_H

#include "buffer-merge/Report/Report.h"

#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace buffer_merge {
/// The change of one buffer of a function.
struct BufferChange {
  enum class Kind {
    /// It was in a pool and is left alone.
    NoLongerMerged,
    /// It was left alone and is in a pool.
    Merged,
    /// It is in a pool as before, but no other buffer uses its bytes any more.
    StoppedSharing,
    /// It takes more bytes, or less.
    Grew,
    Shrank,
    /// It is only in the plan after, or only in the one before.
    New,
    Gone,
    /// It is in a pool as before, at another offset.
    Moved,
  };
  Kind kind;
  std::string name;
  /// In the plan after; for `Gone`, in the one before.
  int64_t size;
  /// Why it is left alone, for `NoLongerMerged` and `New`.
  std::string reason;
  /// How many buffers used its bytes before, for `StoppedSharing`.
  int64_t sharers = 0;
  /// The bytes that it took before, for `Grew` and `Shrank`.
  int64_t sizeBefore = 0;
  /// Where it is in each report, if it is in a pool there: the index of the
  /// pool, and that of the buffer.
  std::optional<std::pair<size_t, size_t>> before = std::nullopt,
                                           after = std::nullopt;
};

/// Return the name of `kind` in files: `no-longer-merged` and so on.
llvm::StringRef getChangeName(BufferChange::Kind kind);

/// The bytes of one pool before and after; nothing where it is not there.
struct PoolChange {
  /// The operation of the scope, and the memory space unless it is the default.
  std::string scope;
  std::optional<int64_t> before, after;
};

/// The change of one function: the bytes of its pools, and of its remaining
/// allocations of known size.
struct FunctionChange {
  std::string function;
  /// Its symbol before, if that was another one.
  std::string renamedFrom = {};
  /// Nothing if the function is not in that plan.
  std::optional<int64_t> before, after;
  /// Pools of another size, and buffers that are treated differently.
  std::vector<PoolChange> pools;
  std::vector<BufferChange> buffers;

  /// Return true if the function is in both plans and takes more than
  /// `tolerance` percent more bytes.
  bool grew(double tolerance) const;
};

/// The change from one plan to another.
struct ReportChange {
  /// The bytes of all functions.
  int64_t before = 0, after = 0;
  /// The number of functions with pools or remaining allocations, after.
  size_t numFunctions = 0;
  /// The functions that differ, in the order of the plan after; those that are
  /// gone are last.
  std::vector<FunctionChange> functions = {};

  /// Return the bytes of the functions that are only in the plan after.
  int64_t getNewBytes() const;

  /// Return true if more than `tolerance` percent more bytes are needed by a
  /// function that is in both plans, or by the program; or if the new functions
  /// take more than `tolerance` percent of the bytes of the program before.
  bool grew(double tolerance) const;
};

/// Compare two reports on versions of one program.
///
/// Functions are matched by their symbols; those that are left are matched if
/// all of their buffers have the same operations and types. Buffers are matched
/// by the first operation that accesses them, their types and their positions,
/// and by names that the program gives, but not by those that a printer numbers
/// (`%alloc_3`). Pools are matched by their scopes and memory spaces.
/// O(n log n) time.
ReportChange compareReports(const Report &before, const Report &after);

/// Print `change` as text.
void printChanges(llvm::raw_ostream &os, const ReportChange &change);

/// Print `change` as a section of a Markdown page.
void printChangesAsMarkdown(llvm::raw_ostream &os, const ReportChange &change);

/// Print `change` as JSON; docs/ReportFormat.md documents it.
void printChangesAsJSON(llvm::raw_ostream &os, const ReportChange &change,
                        unsigned indent = 2);

/// Print a page that shows both plans and `change`, which is that from `before`
/// to `after` (see `printHTML`).
void printChangesAsHTML(llvm::raw_ostream &os, const Report &before,
                        const Report &after, const ReportChange &change);

/// One plan of a series.
struct TrendPoint {
  /// What it is called, such as the path of its file.
  std::string label;
  Report report;
};

/// How a trend is printed.
enum class TrendFormat { Text, Markdown, JSON };

/// Print the totals of plans on versions of one program, the oldest first, and
/// the bytes of each function that does not take the same in all of them.
void printTrend(llvm::raw_ostream &os, llvm::ArrayRef<TrendPoint> points,
                TrendFormat format);
} // namespace buffer_merge

#endif // BUFFER_MERGE_REPORT_COMPAREREPORTS_H
