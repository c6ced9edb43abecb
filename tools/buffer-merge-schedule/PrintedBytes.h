//===- PrintedBytes.h - Numbers of bytes in options -------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_TOOLS_PRINTEDBYTES_H
#define BUFFER_MERGE_TOOLS_PRINTEDBYTES_H

#include "buffer-merge/Scheduling/Input.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace buffer_merge {
/// A number of bytes as the value of an option: an integer that is parsed by
/// `parseBytes`, and printed without a unit.
struct PrintedBytes {
  int64_t bytes = 0;

  PrintedBytes() = default;
  PrintedBytes(int64_t bytes) : bytes(bytes) {}
  operator int64_t() const { return bytes; }
};
} // namespace buffer_merge

namespace llvm::cl {
template <>
class parser<buffer_merge::PrintedBytes>
    : public basic_parser<buffer_merge::PrintedBytes> {
public:
  using basic_parser::basic_parser;

  /// Set `value` to what `text` says. Return true after an error.
  bool parse(Option &option, StringRef /*name*/, StringRef text,
             buffer_merge::PrintedBytes &value) {
    std::optional<int64_t> bytes = buffer_merge::parseBytes(text);
    if (!bytes)
      return option.error("'" + text +
                          "' value invalid for bytes argument, expected a "
                          "number such as 65536, 64KiB or 1MiB");
    value = *bytes;
    return false;
  }

  /// Print `value` for `--print-options`.
  void printOptionDiff(const Option &option,
                       const buffer_merge::PrintedBytes &value,
                       const OptionValue<buffer_merge::PrintedBytes> &,
                       size_t width) const {
    printOptionName(option, width);
    outs() << "= " << int64_t(value) << "\n";
  }

  StringRef getValueName() const override { return "bytes"; }
};
} // namespace llvm::cl

#endif // BUFFER_MERGE_TOOLS_PRINTEDBYTES_H
