//===- Trend.h - A series of plans ------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_REPORT_TREND_H
#define BUFFER_MERGE_REPORT_TREND_H

#include "buffer-merge/Report/Report.h"

#include "llvm/Support/raw_ostream.h"

namespace buffer_merge {
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

#endif // BUFFER_MERGE_REPORT_TREND_H
