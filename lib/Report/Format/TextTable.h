//===- TextTable.h - Columns in a terminal ----------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_REPORT_FORMAT_TEXTTABLE_H
#define BUFFER_MERGE_LIB_REPORT_FORMAT_TEXTTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace buffer_merge {
/// A table for a terminal of 80 columns. Its widest texts are cut off if it
/// does not fit: `...`.
class TextTable {
public:
  enum Kind {
    /// Never cut off.
    Fixed,
    /// Never cut off, and aligned to the right.
    Number,
    /// The end may be cut off.
    Text,
    /// The front may be cut off: the end of a location tells more.
    Place,
  };
  struct Column {
    llvm::StringRef title;
    Kind kind = Fixed;
  };

  /// A table without titles has no line for them.
  explicit TextTable(llvm::ArrayRef<Column> columns);

  /// Add a row with one cell for each column. Control characters are escaped.
  void addRow(std::vector<std::string> cells);

  /// Print all rows after `indent`.
  void print(llvm::raw_ostream &os, llvm::StringRef indent) const;

private:
  std::vector<Kind> kinds;
  std::vector<std::vector<std::string>> rows;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_REPORT_FORMAT_TEXTTABLE_H
