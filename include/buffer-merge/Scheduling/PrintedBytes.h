//===- PrintedBytes.h - Numbers of bytes in options -------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_PRINTEDBYTES_H
#define BUFFER_MERGE_SCHEDULING_PRINTEDBYTES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <optional>

namespace buffer_merge {
/// Return the number of bytes that `text` stands for, such as `65536`, `48KiB`,
/// `1MiB` or `2GiB`, or nothing if it is none or does not fit. It may be
/// negative.
std::optional<int64_t> parseBytes(llvm::StringRef text);

/// A number of bytes as the value of an option: an integer that is parsed by
/// `parseBytes`, and printed without a unit.
struct PrintedBytes {
  int64_t bytes = 0;

  PrintedBytes() = default;
  PrintedBytes(int64_t bytes) : bytes(bytes) {}
  operator int64_t() const { return bytes; }
};

inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                                     const PrintedBytes &value) {
  return os << value.bytes;
}
} // namespace buffer_merge

namespace llvm::cl {
/// Parses numbers of bytes, in options of passes and of tools.
template <>
class parser<buffer_merge::PrintedBytes>
    : public basic_parser<buffer_merge::PrintedBytes> {
public:
  using basic_parser::basic_parser;

  /// Set `value` to what `text` says. Return true after an error.
  bool parse(Option &option, StringRef name, StringRef text,
             buffer_merge::PrintedBytes &value);

  /// Print `value` for `--print-options`.
  void printOptionDiff(const Option &option,
                       const buffer_merge::PrintedBytes &value,
                       const OptionValue<buffer_merge::PrintedBytes> &initial,
                       size_t width) const;

  StringRef getValueName() const override { return "bytes"; }
};
} // namespace llvm::cl

#endif // BUFFER_MERGE_SCHEDULING_PRINTEDBYTES_H
