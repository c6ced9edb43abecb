//===- InputFile.h - Reading files that options name ------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_INPUTFILE_H
#define BUFFER_MERGE_SCHEDULING_INPUTFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/MemoryBuffer.h"

namespace buffer_merge {
/// The most bytes of a file, and of what is none, such as a pipe or a device.
/// A table of a million buffers has about 30 MB.
constexpr uint64_t maxFileBytes = uint64_t(1) << 30;
constexpr uint64_t maxStreamBytes = uint64_t(1) << 26;

/// Read the file, pipe or device `path`. The error is `errc::file_too_large`
/// for one that has more bytes, such as `/dev/zero`, which has no end.
llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
readInputFile(llvm::StringRef path);

/// The same; `-` stands for the standard input.
llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
readInputFileOrStdin(llvm::StringRef path);
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_INPUTFILE_H
