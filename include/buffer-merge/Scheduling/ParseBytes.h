//===- ParseBytes.h - Numbers of bytes as text ------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_PARSEBYTES_H
#define BUFFER_MERGE_SCHEDULING_PARSEBYTES_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace buffer_merge {
/// Return the number of bytes that `text` stands for, such as `65536`, `48KiB`,
/// `1MiB` or `2GiB`, or nothing if it is none or does not fit. It may be
/// negative.
std::optional<int64_t> parseBytes(llvm::StringRef text);
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_PARSEBYTES_H
