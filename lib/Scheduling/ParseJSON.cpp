//===- ParseJSON.cpp - JSON from anywhere ---------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/ParseJSON.h"

using namespace buffer_merge;

llvm::StringRef buffer_merge::dropByteOrderMark(llvm::StringRef text) {
  text.consume_front("\xEF\xBB\xBF");
  return text;
}

/// Return the offset of the first bracket in `text` that is nested deeper than
/// any of our formats, or `npos`.
static size_t findTooDeep(llvm::StringRef text) {
  constexpr int maxDepth = 64;
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString && c == '\\')
      ++i;
    else if (c == '"')
      inString = !inString;
    else if (!inString)
      depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    if (depth > maxDepth)
      return i;
  }
  return llvm::StringRef::npos;
}

llvm::Expected<llvm::json::Value>
buffer_merge::parseJSON(llvm::StringRef text) {
  text = dropByteOrderMark(text);
  size_t offset = findTooDeep(text);
  if (offset == llvm::StringRef::npos)
    return llvm::json::parse(text);
  llvm::StringRef before = text.take_front(offset);
  size_t lineBegin = before.rfind('\n') + 1; // 0 if there is none.
  return llvm::make_error<llvm::json::ParseError>(
      "Nested too deeply", before.count('\n') + 1, offset - lineBegin + 1,
      offset);
}
