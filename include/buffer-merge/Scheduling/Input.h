//===- Input.h - Reading what users write -----------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_INPUT_H
#define BUFFER_MERGE_SCHEDULING_INPUT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <optional>

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

/// Return `text` without the byte order mark of UTF-8 that some editors and
/// spreadsheets put in front.
llvm::StringRef dropByteOrderMark(llvm::StringRef text);

/// Parse `text`, with or without a byte order mark. Unlike LLVM's parser, which
/// recurses, fail if it is nested more deeply than any of our formats. The
/// error is a `llvm::json::ParseError`.
llvm::Expected<llvm::json::Value> parseJSON(llvm::StringRef text);

/// Return the number of bytes that `text` stands for, such as `65536`, `48KiB`,
/// `1MiB` or `2GiB`, or nothing if it is none or does not fit. It may be
/// negative.
std::optional<int64_t> parseBytes(llvm::StringRef text);

/// Return the name of `names` that takes the fewest edits to become from
/// `text`, whatever the case of letters: the first of several, or an empty one
/// if there are none.
template <typename Range>
llvm::StringRef findNearestName(llvm::StringRef text, const Range &names) {
  llvm::StringRef nearest;
  unsigned least = ~0u;
  for (llvm::StringRef name : names)
    if (unsigned distance = text.edit_distance_insensitive(name);
        distance < least) {
      least = distance;
      nearest = name;
    }
  return nearest;
}
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_INPUT_H
