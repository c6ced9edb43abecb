//===- JSONPositions.cpp - Where values of JSON are -----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JSONPositions.h"

using namespace buffer_merge;

JSONPositions::JSONPositions(llvm::StringRef text) : text(text) {
  visitValue("");
}

void JSONPositions::skipSpace() {
  while (at < text.size() && llvm::StringRef(" \t\r\n,:").contains(text[at]))
    ++at;
}

/// Keys that matter have no escapes.
std::string JSONPositions::readKey() {
  size_t begin = ++at;
  for (; text[at] != '"'; ++at)
    at += text[at] == '\\';
  return text.slice(begin, at++).str();
}

void JSONPositions::visitValue(const std::string &path) {
  skipSpace();
  auto [it, isNew] = offsets.try_emplace(path, at);
  if (!isNew && !duplicate)
    duplicate = path;
  // The position of the second one is what a message is about.
  it->second = at;
  char open = text[at];
  if (open == '"') {
    readKey();
    return;
  }
  if (open != '{' && open != '[') {
    at = std::min(text.find_first_of(" \t\r\n,]}", at), text.size());
    return;
  }
  ++at;
  for (size_t index = 0;; ++index) {
    skipSpace();
    if (text[at] == '}' || text[at] == ']')
      break;
    std::string key = open == '{' ? readKey() : std::to_string(index);
    visitValue(path + "/" + key);
  }
  ++at;
}

std::string JSONPositions::describe(llvm::StringRef path) const {
  auto it = offsets.find(path);
  while (it == offsets.end()) {
    path = path.rsplit('/').first;
    it = offsets.find(path);
  }
  llvm::StringRef before = text.take_front(it->second);
  size_t line = before.count('\n') + 1;
  size_t lineBegin = before.rfind('\n') + 1; // 0 if there is none.
  return std::to_string(line) + ":" +
         std::to_string(it->second - lineBegin + 1);
}
