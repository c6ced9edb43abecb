//===- TextChart.h - A map of a pool in letters -------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_REPORT_FORMAT_TEXTCHART_H
#define BUFFER_MERGE_LIB_REPORT_FORMAT_TEXTCHART_H

#include "buffer-merge/Report/Report.h"

#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace buffer_merge {
/// A chart of a pool, at most 80 columns wide: ticks from left to right,
/// offsets from bottom to top, a letter where a buffer is.
///
/// ```
///    131072 >+------------+
///     65536  |  BBBBBB    |      >  lower bound
///         0  |AAAA  CCCCCC|      ^  peak
///            +--^---------+
///            1            7
/// ```
class TextChart {
public:
  /// `pool`, which the chart refers to, has buffers and bytes.
  explicit TextChart(const ReportPool &pool);

  /// Return the letter of buffer `index`, or a space if it is in no cell. Only
  /// buffers in the chart have letters, in the order of the pool: a letter
  /// repeats after 62 of them.
  char getLetter(size_t index) const { return letters[index]; }

  void print(llvm::raw_ostream &os) const;

private:
  const ReportPool &pool;
  std::vector<char> letters;
  /// The rows, from the bottom to the top.
  std::vector<std::string> rows;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_REPORT_FORMAT_TEXTCHART_H
