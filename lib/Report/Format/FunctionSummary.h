//===- FunctionSummary.h - A report, function by function -------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_REPORT_FORMAT_FUNCTIONSUMMARY_H
#define BUFFER_MERGE_LIB_REPORT_FORMAT_FUNCTIONSUMMARY_H

#include "buffer-merge/Report/Report.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace buffer_merge {
/// A buffer in a pool, or left alone for a reason.
struct BufferPlace {
  llvm::StringRef name, operation, type;
  int64_t size = 0;
  /// Empty if it is in a pool.
  llvm::StringRef reason = "";
  int64_t offset = 0, sharers = 0;
  /// The index of the pool in the report, and that of the buffer in the pool.
  std::optional<std::pair<size_t, size_t>> index = std::nullopt;
};

/// The scope and memory space of a pool, and which of those in its function it
/// is.
using PoolKey = std::pair<std::string, unsigned>;

/// What a report says about one function. It refers to the report.
struct FunctionSummary {
  llvm::StringRef name;
  /// The bytes of the pools that are made, and of the allocations that stay as
  /// far as they are known.
  int64_t bytes = 0;
  llvm::SmallVector<std::pair<PoolKey, int64_t>, 1> pools = {};
  /// First those in pools, in the order of the program, then the others.
  llvm::SmallVector<BufferPlace, 0> buffers = {};
  /// How many allocations stay.
  int64_t numLeft = 0;
};

/// Sum up `report`, function by function, in the order in which it names them.
llvm::SmallVector<FunctionSummary, 0> summarize(const Report &report);

/// Return `func.func in memory space 3` and the like.
std::string describePoolKind(const ReportPool &pool);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_REPORT_FORMAT_FUNCTIONSUMMARY_H
