//===- TableJSON.h - Tables of buffers in JSON ------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_TOOLS_SCHEDULE_TABLEJSON_H
#define BUFFER_MERGE_TOOLS_SCHEDULE_TABLEJSON_H

#include "buffer-merge/Scheduling/CSV.h"

#include "llvm/Support/JSON.h"

namespace buffer_merge {
/// Print `"buffers": [{...}, ...]`, an object for each row of `table` with
/// `offsets`: what `printBufferTable` prints in its columns, numbers as
/// integers and everything else as texts, the alignment even if all are 1, and
/// what `printMore` adds to the row.
void printTableRows(llvm::json::OStream &json, const BufferTable &table,
                    llvm::ArrayRef<int64_t> offsets,
                    llvm::function_ref<void(BufferId)> printMore = nullptr);

/// Return the table, as CSV, of the rows that `printTableRows` has printed in
/// `value`; nothing if it has none. The error names the first member that
/// cannot be in a table, or is no column and nothing that is printed beside.
llvm::Expected<std::optional<std::string>>
readTableRows(const llvm::json::Value &value);
} // namespace buffer_merge

#endif // BUFFER_MERGE_TOOLS_SCHEDULE_TABLEJSON_H
