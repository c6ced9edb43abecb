//===- CompareReports.h - What changed between two plans --------*- C++ -*-===//
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
    /// It is only in the plan after, or only in the one before.
    New,
    Gone,
  };
  Kind kind;
  std::string name;
  int64_t size;
  /// Why it is left alone, for `NoLongerMerged`.
  std::string reason;
  /// How many buffers used its bytes before, for `StoppedSharing`.
  int64_t sharers = 0;
};

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
  /// Nothing if the function is not in that plan.
  std::optional<int64_t> before, after;
  /// Pools of another size, and buffers that are treated differently.
  std::vector<PoolChange> pools;
  std::vector<BufferChange> buffers;

  /// Return true if the function is in both plans and takes more than
  /// `tolerance` percent more bytes.
  bool grew(double tolerance) const {
    return before && after && *after > *before &&
           double(*after - *before) > double(*before) / 100 * tolerance;
  }
};

/// Compare two reports on versions of one program. Return the functions that
/// differ, in the order of `after`, those that are gone last. Functions are
/// matched by their symbols, pools by their scopes and memory spaces, buffers
/// by their names; several of one name in their order.
std::vector<FunctionChange> compareReports(const Report &before,
                                           const Report &after);

/// Print `changes` as text.
void printChanges(llvm::raw_ostream &os,
                  const std::vector<FunctionChange> &changes);
} // namespace buffer_merge

#endif // BUFFER_MERGE_REPORT_COMPAREREPORTS_H
