//===- TextEscape.h - Names on one line -------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_REPORT_FORMAT_TEXTESCAPE_H
#define BUFFER_MERGE_LIB_REPORT_FORMAT_TEXTESCAPE_H

#include "llvm/ADT/StringExtras.h"

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
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_REPORT_FORMAT_TEXTESCAPE_H
