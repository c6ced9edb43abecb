//===- JSONPositions.h - Where values of JSON are ---------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_SCHEDULING_JSONPOSITIONS_H
#define BUFFER_MERGE_LIB_SCHEDULING_JSONPOSITIONS_H

#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>

namespace buffer_merge {
/// Finds the values of a text in JSON, for messages: `llvm::json::Value` does
/// not know where it was read.
class JSONPositions {
public:
  /// `text` must be what `parseJSON` accepts, without a byte order mark.
  explicit JSONPositions(llvm::StringRef text);

  /// Return `line:column`, both from 1 on, of the value at `path`: the keys and
  /// indices that lead to it, each after a slash, such as `/regions/0/bytes`.
  /// Of a value that is not there, the position of what it would be in.
  std::string describe(llvm::StringRef path) const;

  /// Return the offset of the value at `path`, which must be there.
  size_t getOffset(llvm::StringRef path) const { return offsets.at(path); }

  /// Return the path of the first key that an object has already, if any.
  std::optional<llvm::StringRef> getDuplicate() const { return duplicate; }

private:
  void skipSpace();
  std::string readKey();
  void visitValue(const std::string &path);

  llvm::StringRef text;
  size_t at = 0;
  llvm::StringMap<size_t> offsets;
  std::optional<std::string> duplicate;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_SCHEDULING_JSONPOSITIONS_H
