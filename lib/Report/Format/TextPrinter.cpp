//===- TextPrinter.cpp - Reports for a terminal --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Report/ReportFormat.h"

#include "TextEscape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace buffer_merge;

/// Return `3 buffers` and the like.
static std::string count(int64_t number, llvm::StringRef noun) {
  return llvm::formatv("{0} {1}{2}", number, noun, number == 1 ? "" : "s");
}

/// Return `numerator / denominator` with three digits, or `-`.
static std::string ratio(int64_t numerator, int64_t denominator) {
  if (denominator == 0)
    return "-";
  return llvm::formatv("{0:F3}", double(numerator) / double(denominator));
}

/// Return the letter of buffer `index` in charts: they repeat.
static char getLetter(size_t index) {
  constexpr llvm::StringLiteral letters(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789");
  return letters[index % letters.size()];
}

namespace {
/// Divides [from, to) into cells of a chart, of equal size.
///
/// If there are enough cells, each unit takes the same number of them and
/// nothing is lost; if not, a cell is more than a unit.
class Axis {
public:
  Axis(int64_t from, int64_t to, int64_t unit, int64_t maxCells,
       int64_t maxCellsPerUnit)
      : from(from) {
    int64_t units = (to - from) / unit;
    if (units <= maxCells)
      cellsPerUnit = std::min(maxCells / units, maxCellsPerUnit);
    numCells = std::min(units * cellsPerUnit, maxCells);
    // Nobody sees the last bits of a large number: no product overflows.
    while ((to - from) >> shift >= int64_t(1) << 48)
      ++shift;
    length = (to - from) >> shift;
  }

  int64_t getNumCells() const { return numCells; }
  int64_t getCellsPerUnit() const { return cellsPerUnit; }

  /// Return the position at which `cell` starts, rounded down.
  int64_t getStart(int64_t cell) const {
    return from + ((length * cell / numCells) << shift);
  }
  /// Return the cell that holds the start of `position`.
  int64_t getCell(int64_t position) const {
    return std::clamp<int64_t>(scale(position) / length, 0, numCells - 1);
  }
  /// Return the last cell that a range up to `end` is in.
  int64_t getLastCell(int64_t end) const {
    return std::clamp<int64_t>((scale(end) + length - 1) / length - 1, 0,
                               numCells - 1);
  }
  /// Return true if the middle of `cell` is in [begin, end).
  bool isMiddleIn(int64_t cell, int64_t begin, int64_t end) const {
    int64_t middle = (2 * cell + 1) * length;
    return 2 * scale(begin) <= middle && middle < 2 * scale(end);
  }

private:
  /// Return `numCells` times the distance of `position` from the start.
  int64_t scale(int64_t position) const {
    return ((position - from) >> shift) * numCells;
  }

  int64_t from, length;
  int64_t numCells, cellsPerUnit = 1;
  unsigned shift = 0;
};
} // namespace

/// Print a chart of `pool`: ticks from left to right, offsets from bottom to
/// top, a letter where a buffer is.
///
/// ```
///    131072 >+------------+
///     65536  |  BBBBBB    |      >  lower bound
///         0  |AAAA  CCCCCC|      ^  peak
///            +--^---------+
///            1            7
/// ```
static void printChart(llvm::raw_ostream &os, const ReportPool &pool) {
  // A label, a mark and two edges stand beside the columns.
  const size_t labelWidth =
      std::max<size_t>(15, std::to_string(pool.poolSize).size());
  const int64_t maxColumns = std::min<int64_t>(80 - labelWidth - 4, 60),
                maxRows = 16;
  int64_t begin = pool.buffers.front().begin, end = begin, grain = 0;
  for (const ReportBuffer &buffer : pool.buffers) {
    begin = std::min(begin, buffer.begin);
    end = std::max(end, buffer.end);
    grain = std::gcd(grain, std::gcd(buffer.offset, buffer.size));
  }
  grain = std::gcd(grain, pool.poolSize);
  Axis columns(begin, end, 1, maxColumns, 6);
  Axis rows(0, pool.poolSize, grain, maxRows, 2);

  // Where a cell is more than a unit, any buffer in it is better than none, and
  // the one in its middle is better than any.
  std::vector<std::string> cells(rows.getNumCells(),
                                 std::string(columns.getNumCells(), ' '));
  for (auto [index, buffer] : llvm::enumerate(pool.buffers)) {
    int64_t top = buffer.offset + buffer.size;
    int64_t firstColumn = columns.getCell(buffer.begin);
    int64_t lastColumn = columns.getLastCell(buffer.end);
    int64_t lastRow = rows.getLastCell(top);
    for (int64_t row = rows.getCell(buffer.offset); row <= lastRow; ++row)
      for (int64_t column = firstColumn; column <= lastColumn; ++column) {
        char &cell = cells[row][column];
        if (cell == ' ' ||
            (rows.isMiddleIn(row, buffer.offset, top) &&
             columns.isMiddleIn(column, buffer.begin, buffer.end)))
          cell = getLetter(index);
      }
  }

  auto printLine = [&](llvm::StringRef label, bool isBound, char edge,
                       llvm::StringRef line) {
    os << llvm::right_justify(label, labelWidth)
       << llvm::formatv(" {0}{1}{2}{1}\n", isBound ? '>' : ' ', edge, line);
  };
  std::string border(columns.getNumCells(), '-');
  bool isTight = pool.lowerBound >= pool.poolSize;
  printLine(std::to_string(pool.poolSize), isTight, '+', border);
  for (int64_t row = rows.getNumCells() - 1; row >= 0; --row)
    printLine(
        row % rows.getCellsPerUnit() == 0 ? std::to_string(rows.getStart(row))
                                          : "",
        !isTight && row == rows.getCell(pool.lowerBound), '|', cells[row]);
  for (int64_t column = columns.getCell(pool.peakTick),
               peakEnd = column + columns.getCellsPerUnit();
       column < peakEnd; ++column)
    border[column] = '^';
  printLine("", false, '+', border);
  std::string first = "tick " + std::to_string(begin);
  std::string last = std::to_string(end);
  os << std::string(labelWidth + 3, ' ') << first
     << std::string(std::max<int64_t>(columns.getNumCells() - first.size() -
                                          last.size() + 1,
                                      1),
                    ' ')
     << last << "\n\n";
}

/// Print `rows` with columns as wide as what is in them; the last is ragged.
static void printTable(llvm::raw_ostream &os, llvm::StringRef indent,
                       llvm::ArrayRef<llvm::SmallVector<std::string, 8>> rows,
                       llvm::ArrayRef<bool> isNumeric) {
  llvm::SmallVector<size_t> widths(isNumeric.size(), 0);
  for (const auto &row : rows)
    for (auto [width, text] : llvm::zip_equal(widths, row))
      width = std::max(width, text.size());
  for (const auto &row : rows) {
    std::string line = indent.str();
    for (size_t i = 0; i < row.size(); ++i) {
      std::string padding(widths[i] - row[i].size(), ' ');
      line += (isNumeric[i] ? padding + row[i] : row[i] + padding) + "  ";
    }
    os << llvm::StringRef(line).rtrim() << "\n";
  }
}

/// Return `name (operation at location)` for a scope, as headers print it.
static std::string describeScope(const ReportPool &pool) {
  std::string text = pool.function.empty() ? "" : "@" + pool.function + " ";
  text += "(" + pool.scope;
  if (!pool.location.empty())
    text += " at " + pool.location;
  text += ")";
  if (!pool.memorySpace.empty())
    text += ", memory space " + pool.memorySpace;
  if (!pool.storage.empty())
    text += (pool.sync ? ", workgroup-pool=" : ", pool=") + pool.storage;
  return escapeText(text);
}

/// Print what keeps the threads of `pool` apart: the barriers, and the pairs of
/// buffers for which they do not.
static void printSync(llvm::raw_ostream &os, const ReportPool &pool,
                      const ReportSync &sync) {
  if (!sync.note.empty())
    os << "  " << escapeText(sync.note) << "\n";
  os << llvm::formatv("  {0}, {1} inserted, {2} kept apart\n",
                      count(sync.barriers.size(), "barrier"),
                      sync.insertedBarriers.size(),
                      count(sync.numConflicts, "pair"));
  for (const std::string &barrier : sync.barriers)
    os << "    " << escapeText(barrier) << "\n";
  for (const std::string &place : sync.insertedBarriers)
    os << "    inserted before " << escapeText(place) << "\n";
  if (!sync.conflicts.empty()) {
    std::vector<llvm::SmallVector<std::string, 8>> rows;
    rows.push_back({"", "buffer", "", "buffer", "rule", "between", "and"});
    for (const ReportConflict &conflict : sync.conflicts)
      rows.push_back({std::string(1, getLetter(conflict.first)),
                      escapeText(pool.buffers[conflict.first].name),
                      std::string(1, getLetter(conflict.second)),
                      escapeText(pool.buffers[conflict.second].name),
                      escapeText(conflict.rule), escapeText(conflict.from),
                      escapeText(conflict.to)});
    printTable(os, "    ", rows,
               {false, false, false, false, false, false, false});
  }
  if (int64_t numMore = sync.numConflicts - int64_t(sync.conflicts.size()))
    os << "    and " << count(numMore, "more pair") << "\n";
  os << "\n";
}

static void printPool(llvm::raw_ostream &os, const ReportPool &pool) {
  if (!pool.reason.empty())
    os << "  no pool: " << escapeText(pool.reason) << "\n";
  os << llvm::formatv(
      "  before {0} bytes, pool {1} bytes, ratio {2}\n"
      "  lower bound {3} bytes at tick {4}, pool / lower bound {5}\n",
      pool.totalBytes, pool.poolSize, ratio(pool.poolSize, pool.totalBytes),
      pool.lowerBound, pool.peakTick, ratio(pool.poolSize, pool.lowerBound));
  if (pool.provedBound > pool.lowerBound)
    os << llvm::formatv("  proved bound {0} bytes, pool / proved bound {1}\n",
                        pool.provedBound,
                        ratio(pool.poolSize, pool.provedBound));
  os << "\n";
  if (pool.buffers.empty() || pool.poolSize <= 0)
    return;
  printChart(os, pool);

  std::vector<llvm::SmallVector<std::string, 8>> rows;
  rows.push_back({"", "buffer", "offset", "bytes", "lifetime", "peak", "type",
                  "location"});
  for (auto [index, buffer] : llvm::enumerate(pool.buffers)) {
    bool atPeak = buffer.begin <= pool.peakTick && pool.peakTick < buffer.end;
    rows.push_back({std::string(1, getLetter(index)), escapeText(buffer.name),
                    std::to_string(buffer.offset), std::to_string(buffer.size),
                    llvm::formatv("[{0}, {1})", buffer.begin, buffer.end),
                    atPeak ? "^" : "", escapeText(buffer.type),
                    escapeText(buffer.location)});
  }
  printTable(os, "  ", rows,
             {false, false, true, true, true, false, false, false});
  os << "\n";
  if (pool.sync)
    printSync(os, pool, *pool.sync);
}

static void printReason(llvm::raw_ostream &os, const ReportReason &reason) {
  int64_t bytes = 0;
  for (const ReportLeft &buffer : reason.buffers)
    bytes += buffer.size;
  os << llvm::formatv("  {0}: {1}, {2} bytes\n", escapeText(reason.name),
                      count(reason.buffers.size(), "allocation"), bytes);
  os << "    " << escapeText(reason.description) << "\n";
  if (!reason.advice.empty())
    os << "    advice: " << escapeText(reason.advice) << "\n";
  std::vector<llvm::SmallVector<std::string, 8>> rows;
  for (const ReportLeft &buffer : reason.buffers)
    rows.push_back(
        {escapeText(buffer.name),
         buffer.size ? std::to_string(buffer.size) : "?",
         escapeText(buffer.type),
         escapeText(buffer.function.empty() ? "" : "@" + buffer.function),
         escapeText(buffer.location), escapeText(buffer.operation)});
  printTable(os, "      ", rows, {false, true, false, false, false, false});
}

void buffer_merge::printText(llvm::raw_ostream &os, const Report &report) {
  ReportTotals totals = computeTotals(report);
  os << "buffer-merge report";
  if (!report.module.empty())
    os << " of " << escapeText(report.module);
  os << ", scheduler " << escapeText(report.scheduler) << "\n";
  os << llvm::formatv(
      "{0} of {1} bytes merged into {2} bytes; {3} of {4} bytes "
      "left alone\n\n",
      count(totals.merged, "allocation"), totals.mergedBytes, totals.poolBytes,
      totals.left, totals.leftBytes);
  for (auto [index, pool] : llvm::enumerate(report.pools)) {
    os << llvm::formatv("pool {0} of {1}: {2}\n", index + 1,
                        report.pools.size(), describeScope(pool));
    printPool(os, pool);
  }
  if (report.left.empty())
    return;
  os << llvm::formatv("left alone: {0} of {1} bytes\n",
                      count(totals.left, "allocation"), totals.leftBytes);
  for (const ReportReason &reason : report.left)
    printReason(os, reason);
}
