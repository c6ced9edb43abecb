//===- ReportFormat.h - Reports as files ------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_REPORT_REPORTFORMAT_H
#define BUFFER_MERGE_REPORT_REPORTFORMAT_H

#include "buffer-merge/Report/Report.h"
#include "buffer-merge/Scheduling/CSV.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace buffer_merge {
/// How a report is written.
enum class ReportFormat {
  /// Charts and tables for a terminal (`.txt`).
  Text,
  /// For programs (`.json`); docs/ReportFormat.md documents it.
  JSON,
  /// The scheduling problem and its schedule (`.csv`).
  CSV,
  /// A page for a browser, complete in itself (`.html`).
  HTML,
  /// Tables for a comment on a change (`.md`).
  Markdown,
};

/// Return the format for the extension of `path`, or an error that lists the
/// known extensions, with that of linker scripts if they can be written, too
/// (`hasPlan`). `-` is text.
llvm::Expected<ReportFormat> getReportFormat(llvm::StringRef path,
                                             bool hasPlan = false);

/// Return true if two paths name one file, which need not be there yet. `-`
/// names none.
bool nameSameFile(llvm::StringRef first, llvm::StringRef second);

/// Print `report` to `os` in `format`.
void printReport(llvm::raw_ostream &os, const Report &report,
                 ReportFormat format);

/// Print one line: how many allocations are merged and stay, and what the
/// program takes, if that is known.
void printSummary(llvm::raw_ostream &os, const Report &report);

/// Return `advice` for `program` in one line: `saves 1024 bytes (12.5 %) of the
/// program's peak: in-place`.
std::string describeAdvice(const ReportProgram &program,
                           const ReportProgramAdvice &advice);

/// Print `report` as text: for every pool a chart with the ticks from left to
/// right and the offsets from bottom to top, in 80 columns, and a table of its
/// buffers; then what stays, by reason.
void printText(llvm::raw_ostream &os, const Report &report);

/// Print `report` as JSON, on one line if `indent` is 0.
void printJSON(llvm::raw_ostream &os, Report report, unsigned indent = 2);

/// Print the schema of what `printJSON` prints, docs/report.schema.json.
void printSchema(llvm::raw_ostream &os);

/// Return the ids that CSV gives the buffers of `pool`, the pool with this
/// number (from 1 on) of its report: `function/number/name`, each once in a
/// report, of characters that the format can carry.
llvm::SmallVector<std::string, 0> makeBufferIds(const ReportPool &pool,
                                                size_t number);

/// Return the buffers of the pools of `report`, including those that are not
/// made, with their offsets and the ids of `makeBufferIds`. Every pool is a
/// problem of its own; its ticks are shifted, if necessary, to come after those
/// of the previous pool. A solver that takes all rows for one problem therefore
/// finds offsets that are valid for each pool.
BufferTable makeTable(const Report &report);

/// Print that table as CSV.
void printCSV(llvm::raw_ostream &os, const Report &report);

/// Print `report` as one page of HTML that needs nothing else: the report and a
/// script that draws a map of every pool. Nothing in the report can become
/// markup or script.
void printHTML(llvm::raw_ostream &os, const Report &report);

/// Print `report` as Markdown with tables (GitHub's): the line of
/// `printSummary`, functions, pools, and what stays, by reason. Names are code,
/// in which nothing is markup.
void printMarkdown(llvm::raw_ostream &os, const Report &report);

/// Print a page on two plans, and on `changes`, which buffer-merge-report has
/// found between them, as JSON on one line.
void printComparisonHTML(llvm::raw_ostream &os, const Report &before,
                         const Report &after, llvm::StringRef changes);

/// Read what `printJSON` printed. The error names the invalid part of `text`.
/// The result satisfies the contracts of `Report`.
llvm::Expected<Report> parseReport(llvm::StringRef text);

/// Write what `print` prints to the file `path`. The file is replaced as a
/// whole or, if an error is returned, not at all. If the path is not a regular
/// file, such as a pipe, it is written to directly. `what` is the file's role
/// in the message of an error, such as `report`.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef what,
                      llvm::function_ref<void(llvm::raw_ostream &)> print);

/// Write `report` to the file `path`, as `writeFile` does, in the format for
/// its extension.
llvm::Error writeReport(const Report &report, llvm::StringRef path);
} // namespace buffer_merge

#endif // BUFFER_MERGE_REPORT_REPORTFORMAT_H
