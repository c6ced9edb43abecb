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

/// Return `text` as code in Markdown: nothing in it is markup.
inline std::string formatCode(llvm::StringRef text, bool isInTable = false) {
  std::string code = "`";
  for (char c : escapeText(text)) {
    if (c == '|' && isInTable)
      code += '\\';
    code += c == '`' ? '\'' : c;
  }
  return code + "`";
}

/// Return `3 buffers` and the like.
inline std::string formatCount(int64_t number, llvm::StringRef noun) {
  return llvm::formatv("{0} {1}{2}", number, noun, number == 1 ? "" : "s");
}

/// Return `+50.0 %` and the like; `+` and the difference if there was nothing.
inline std::string formatGrowth(int64_t before, int64_t after) {
  if (before == 0)
    return (after > 0 ? "+" : "") + std::to_string(after);
  return llvm::formatv("{0}{1:F1} %", after > before ? "+" : "",
                       100 * (double(after) / double(before) - 1));
}
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_REPORT_FORMAT_TEXTESCAPE_H
