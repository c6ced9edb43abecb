//===- Version.h - What --version prints ------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_TOOLS_VERSION_H
#define BUFFER_MERGE_TOOLS_VERSION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

namespace buffer_merge {
#include "VersionText.inc"

/// Print the version of this project and that of LLVM, for
/// `llvm::cl::SetVersionPrinter`:
///
/// ```
///   buffer-merge version 0.2.0 (3f2a9c01d7e4)
///   LLVM version 22.1.8
/// ```
inline void printVersion(llvm::raw_ostream &os) {
  os << "buffer-merge version " << versionText << "\n"
     << "LLVM version " LLVM_VERSION_STRING "\n";
}
} // namespace buffer_merge

#endif // BUFFER_MERGE_TOOLS_VERSION_H
