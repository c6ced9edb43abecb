//===- CSV.h - Tables of buffers as text ------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_CSV_H
#define BUFFER_MERGE_SCHEDULING_CSV_H

#include "buffer-merge/Scheduling/ReuseAsNeeded.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace buffer_merge {
/// A row of size 0: no part of the problem, and printed behind the others, at
/// offset 0.
struct EmptyBuffer {
  std::string id;
  int64_t begin = 0, end = 0, alignment = 1;
};

/// A problem whose buffers have names: what a file of comma-separated values
/// holds.
///
/// The format is that of MiniMalloc (github.com/google/minimalloc). The first
/// row names the columns, in any order:
///
/// | column | meaning | needed |
/// | --- | --- | --- |
/// | `id`, `buffer`, `buffer_id` | name | yes |
/// | `lower`, `begin`, `start` | first tick of the lifetime | yes |
/// | `upper`, `end-exclusive` | first tick after the lifetime | one of |
/// | `end`, `end-inclusive` | last tick of the lifetime | these |
/// | `size` | bytes | yes |
/// | `alignment` | of the offset, in bytes | no |
/// | `hint` | an offset that others may prefer; negative: none | no |
/// | `offset` | the offset, decided elsewhere; empty: open | no |
/// | `gaps` | gaps in the lifetime, such as `2-5 7-8` | no |
/// | `conflicts` | ids of buffers that must not share bytes, with spaces | no |
/// | `in-place` | ids of buffers to be in place of, at the same offset | no |
/// | `in-place-any` | ids of buffers to be in place of, at any offset | no |
/// | `penalties` | ids of buffers that had better not share bytes, each with
/// what it costs, such as `a=500 b=20` | no |
/// | `reads`, `writes` | bytes that accesses read and write | no |
/// | `region` | name of the memory that it is in; empty: open | no |
///
/// `conflicts`, `in-place`, `in-place-any`, `penalties`, `reads`, `writes`,
/// `region`, an empty `offset` and the two names that say what an end means are
/// additions of this project. Any other column is an error. The second number
/// of a gap is the first tick after it where the lifetime has an `upper`, and
/// its last tick where it has an `end`. MiniMalloc's gaps with a window
/// (`2-5@0:64`) are refused.
///
/// Columns are separated by commas, semicolons or tabs, as in the first row.
/// Spaces around a field are not part of it, names of columns may be in upper
/// case, and a field may be in double quotes, in which two quotes stand for
/// one. Empty lines and those that begin with `#` are skipped. A line may end
/// with a carriage return, and the first one begin with a byte order mark.
struct BufferTable {
  /// The buffers in the order of the rows. A row with an offset has it as its
  /// `fixedOffset`.
  SchedulingProblem problem;
  /// The id of each buffer. They are different.
  llvm::SmallVector<std::string, 0> ids;
  /// The line of the input that each buffer is in, from 1 on.
  llvm::SmallVector<unsigned, 0> lines;
  /// The rows that are no buffers.
  llvm::SmallVector<EmptyBuffer, 0> empties;
  /// The hint of each buffer, kept to be printed again. Empty if there is no
  /// such column.
  llvm::SmallVector<int64_t, 0> hints;
  /// What it costs that buffers share bytes; nothing if there is no such
  /// column.
  std::optional<llvm::SmallVector<ReusePenalty, 0>> penalties;
  /// The bytes that accesses of each buffer read and write, 0 to `maxBytes`.
  /// Empty if there is no such column.
  llvm::SmallVector<int64_t, 0> reads, writes;
  /// The region of each buffer, or an empty string. Empty if there is no such
  /// column.
  llvm::SmallVector<std::string, 0> regions;
};

/// A column under a name that it may have.
struct TableColumn {
  llvm::StringLiteral name;
  bool isNumber;
};

/// Return the columns that there are, under all their names.
llvm::SmallVector<TableColumn> getTableColumns();

/// Print `text` as one field of a table, in quotes where it needs them. It has
/// no line breaks.
void printTableField(llvm::raw_ostream &os, llvm::StringRef text);

/// Parse a table. The error names the file, line and column (from 1 on, in
/// bytes) of what is wrong first, as in
/// `in.csv:3:7: size: 'many' is not an integer`.
llvm::Expected<BufferTable> parseBufferTable(llvm::MemoryBufferRef input);

/// Read and parse a file; `-` stands for the standard input.
llvm::Expected<BufferTable> readBufferTable(llvm::StringRef path);

/// Parse offsets that a solver has decided: of the columns, only the ids and
/// the offsets are needed. What the input does not say, ticks or sizes, is 0 in
/// the problem, which is then not well formed. A row may have no offset.
llvm::Expected<BufferTable> parseOffsetTable(llvm::MemoryBufferRef input);

/// Read and parse a file of offsets; `-` stands for the standard input.
llvm::Expected<BufferTable> readOffsetTable(llvm::StringRef path);

/// Print `table` with the given offsets, one a buffer; without any, with the
/// fixed ones, if there are. Columns that every reader assumes otherwise are
/// left out: `alignment` where all are 1, `hint` where none is given, `gaps`,
/// `conflicts` and in-place pairs where there are none; and so are the columns
/// about memories that the table does not have. A plan has `alignment` and
/// `offset` in any case. What is printed with offsets can be read by
/// MiniMalloc.
void printBufferTable(llvm::raw_ostream &os, const BufferTable &table,
                      llvm::ArrayRef<int64_t> offsets = {},
                      bool isPlan = false);

/// Call `visit` on the fields of each line of the same: first the names of the
/// columns.
void visitTableRows(
    const BufferTable &table, llvm::ArrayRef<int64_t> offsets, bool isPlan,
    llvm::function_ref<void(llvm::ArrayRef<std::string>)> visit);
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_CSV_H
