//===- ParseJSON.h - JSON from anywhere -------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_PARSEJSON_H
#define BUFFER_MERGE_SCHEDULING_PARSEJSON_H

#include "llvm/Support/JSON.h"

namespace buffer_merge {
/// Return `text` without the byte order mark of UTF-8 that some editors and
/// spreadsheets put in front.
llvm::StringRef dropByteOrderMark(llvm::StringRef text);

/// Parse `text`, with or without a byte order mark. Unlike LLVM's parser, which
/// recurses, fail if it is nested more deeply than any of our formats. The
/// error is a `llvm::json::ParseError`.
llvm::Expected<llvm::json::Value> parseJSON(llvm::StringRef text);
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_PARSEJSON_H
