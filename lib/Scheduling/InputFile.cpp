//===- InputFile.cpp - Reading files that options name --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/InputFile.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"

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
