//===- MatchBuffers.h - The same buffer in two plans ------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_REPORT_FORMAT_MATCHBUFFERS_H
#define BUFFER_MERGE_LIB_REPORT_FORMAT_MATCHBUFFERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace buffer_merge {
/// What identifies a buffer across versions of a program.
struct BufferIdentity {
  /// The name, or nothing if a printer has numbered it.
  llvm::StringRef name;
  /// The operation that accesses it first; empty if that is not known.
  llvm::StringRef operation;
  llvm::StringRef type;
};

/// Return true if a printer of MLIR may have numbered `name`, so that it
/// changes with the values before it: `%3`, `%alloc`, `%alloc_3`,
/// `%expanded_3`.
bool isNumberedName(llvm::StringRef name);

/// Match the buffers of two versions of a function, each in the order of the
/// program. Return, for each buffer of `after`, the index of the same buffer in
/// `before`, or nothing.
llvm::SmallVector<std::optional<size_t>, 0>
matchBuffers(llvm::ArrayRef<BufferIdentity> before,
             llvm::ArrayRef<BufferIdentity> after);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_REPORT_FORMAT_MATCHBUFFERS_H
