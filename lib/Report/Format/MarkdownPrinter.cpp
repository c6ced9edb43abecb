//===- MarkdownPrinter.cpp - Reports as Markdown --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scheduling/SaturatingBytes.h"
#include "TextEscape.h"
#include "buffer-merge/Report/ReportFormat.h"

#include "llvm/ADT/StringExtras.h"

using namespace buffer_merge;

/// Return `text` as code, in which nothing is markup or the name of a user, for
/// a cell of a table.
static std::string code(llvm::StringRef text) {
  if (text.empty())
    return "";
  std::string escaped;
  for (char c : escapeText(text)) {
    if (c == '|')
      escaped += '\\';
    escaped += c == '`' ? '\'' : c;
  }
  return "`" + escaped + "`";
}

static void printRow(llvm::raw_ostream &os, llvm::ArrayRef<std::string> cells) {
  os << "| " << llvm::join(cells, " | ") << " |\n";
}

/// Print the first rows of a table: columns after `numTexts` have numbers.
static void printHeader(llvm::raw_ostream &os, size_t numTexts,
                        llvm::ArrayRef<std::string> cells) {
  printRow(os, cells);
  os << "|";
  for (size_t column = 0; column < cells.size(); ++column)
    os << (column < numTexts ? " --- |" : " ---: |");
  os << "\n";
}

static std::string formatBytes(std::optional<int64_t> bytes) {
  return bytes ? std::to_string(*bytes) : "";
}

static void printFunctionTable(llvm::raw_ostream &os, const Report &report) {
  if (report.functions.empty())
    return;
  os << "\n";
  printHeader(os, 1, {"function", "peak " + report.baseline, "as planned"});
  for (const ReportFunction &function : report.functions)
    printRow(os, {code(formatSymbol(function.name)),
                  formatBytes(function.baselineBytes),
                  formatBytes(function.peakBytes)});
}

static void printRuntimePoolTable(llvm::raw_ostream &os, const Report &report) {
  if (report.runtimePools.empty())
    return;
  os << "\n";
  printHeader(os, 3, {"function", "bytes", "alive", "buffers"});
  for (const ReportRuntimePool &pool : report.runtimePools)
    printRow(os, {code(formatSymbol(pool.function)), code(pool.bytes),
                  code(pool.aliveBytes), std::to_string(pool.buffers.size())});
}

static void printPoolTable(llvm::raw_ostream &os, const Report &report) {
  if (report.pools.empty())
    return;
  os << "\n";
  printHeader(
      os, 2,
      {"pool of", "storage", "buffers", "their bytes", "most alive", "pool"});
  for (const ReportPool &pool : report.pools) {
    std::string storage = pool.storage.empty() ? "alloc" : pool.storage;
    if (!pool.reason.empty())
      storage = "none: " + pool.reason;
    std::string name = formatSymbol(pool.function);
    if (!pool.memorySpace.empty())
      name += ", " + pool.memorySpace;
    printRow(os,
             {code(name), code(storage), std::to_string(pool.buffers.size()),
              std::to_string(pool.totalBytes), std::to_string(pool.lowerBound),
              pool.reason.empty() ? std::to_string(pool.poolSize) : ""});
  }
}

static void printLeftTable(llvm::raw_ostream &os, const Report &report) {
  if (report.left.empty())
    return;
  os << "\n";
  printHeader(os, 2, {"left alone", "what helps", "allocations", "bytes"});
  for (const ReportReason &reason : report.left) {
    int64_t bytes = 0;
    for (const ReportLeft &buffer : reason.buffers)
      bytes = addBytes(bytes, buffer.size);
    printRow(os,
             {code(reason.name), code(reason.advice),
              std::to_string(reason.buffers.size()), std::to_string(bytes)});
  }
}

void buffer_merge::printMarkdown(llvm::raw_ostream &os, const Report &report) {
  std::string summary;
  llvm::raw_string_ostream summaryOS(summary);
  printSummary(summaryOS, report);
  os << code(llvm::StringRef(summary).rtrim()) << "\n";
  if (report.program && !report.program->advice.empty()) {
    os << "\n";
    for (const ReportProgramAdvice &advice : report.program->advice)
      os << "- " << code(describeAdvice(*report.program, advice)) << "\n";
  }
  printFunctionTable(os, report);
  printPoolTable(os, report);
  printRuntimePoolTable(os, report);
  printLeftTable(os, report);
}
