//===- TextEscape.h - Names and numbers in text -----------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_REPORT_FORMAT_TEXTESCAPE_H
#define BUFFER_MERGE_LIB_REPORT_FORMAT_TEXTESCAPE_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <string>

namespace buffer_merge {
/// Return `text` on one line: control characters, which a terminal might obey,
/// as `\xNN`.
inline std::string escapeText(llvm::StringRef text) {
  std::string escaped;
  for (unsigned char c : text) {
    if (c >= 0x20 && c != 0x7f)
      escaped += c;
    else
      escaped += "\\x" + llvm::utohexstr(c, /*LowerCase=*/true, /*Width=*/2);
  }
  return escaped;
}

/// Return `@name`, on one line, for the symbol of a function.
inline std::string formatSymbol(llvm::StringRef name) {
  return name.empty() ? "(no function)" : "@" + escapeText(name);
}

/// Return `3 buffers` and the like.
inline std::string formatCount(int64_t number, llvm::StringRef noun) {
  return llvm::formatv("{0} {1}{2}", number, noun, number == 1 ? "" : "s");
}
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_REPORT_FORMAT_TEXTESCAPE_H
