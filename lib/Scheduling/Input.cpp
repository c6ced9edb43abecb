//===- Input.cpp - Reading what users write -------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/Input.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"

using namespace buffer_merge;
using llvm::sys::fs::file_t;

static llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
readInput(file_t file, llvm::StringRef name) {
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(file, status))
    return error;
  if (llvm::sys::fs::is_regular_file(status)) {
    if (status.getSize() > maxFileBytes)
      return std::make_error_code(std::errc::file_too_large);
    return llvm::MemoryBuffer::getOpenFile(file, name, status.getSize());
  }
  // `MemoryBuffer` would wait for the end.
  llvm::SmallVector<char, 0> text;
  while (text.size() <= maxStreamBytes) {
    size_t size = text.size();
    text.resize_for_overwrite(size + llvm::sys::fs::DefaultReadChunkSize);
    llvm::Expected<size_t> numRead = llvm::sys::fs::readNativeFile(
        file, llvm::MutableArrayRef<char>(text).drop_front(size));
    if (!numRead)
      return llvm::errorToErrorCode(numRead.takeError());
    text.truncate(size + *numRead);
    if (*numRead == 0)
      return llvm::MemoryBuffer::getMemBufferCopy(
          llvm::StringRef(text.data(), text.size()), name);
  }
  return std::make_error_code(std::errc::file_too_large);
}

llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
buffer_merge::readInputFile(llvm::StringRef path) {
  llvm::Expected<file_t> file = llvm::sys::fs::openNativeFileForRead(path);
  if (!file)
    return llvm::errorToErrorCode(file.takeError());
  llvm::scope_exit closer([&] { llvm::sys::fs::closeFile(*file); });
  return readInput(*file, path);
}

llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
buffer_merge::readInputFileOrStdin(llvm::StringRef path) {
  return path == "-" ? readInput(llvm::sys::fs::getStdinHandle(), "<stdin>")
                     : readInputFile(path);
}

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

std::optional<int64_t> buffer_merge::parseBytes(llvm::StringRef text) {
  int64_t unit = 1;
  if (text.consume_back("KiB"))
    unit = int64_t(1) << 10;
  else if (text.consume_back("MiB"))
    unit = int64_t(1) << 20;
  else if (text.consume_back("GiB"))
    unit = int64_t(1) << 30;
  int64_t number, bytes;
  if (text.getAsInteger(10, number) || llvm::MulOverflow(number, unit, bytes))
    return std::nullopt;
  return bytes;
}
