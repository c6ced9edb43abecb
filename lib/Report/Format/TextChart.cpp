//===- TextChart.cpp - A map of a pool in letters
//----------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextChart.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace buffer_merge;

/// Return letter number `index` in charts: they repeat.
static char getLetterAt(size_t index) {
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
    // The last bits of a large number do not show, and no product overflows.
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

namespace {
/// The axes of a chart.
struct Axes {
  explicit Axes(const ReportPool &pool);

  /// The columns beside the chart have the labels of the offsets.
  size_t labelWidth;
  int64_t begin, end, grain = 0;
  std::optional<Axis> columns, rows;
};
} // namespace

Axes::Axes(const ReportPool &pool) {
  // A label, a mark and two edges stand beside the columns.
  labelWidth = std::max<size_t>(15, std::to_string(pool.poolSize).size());
  const int64_t maxColumns = std::min<int64_t>(80 - labelWidth - 4, 60),
                maxRows = 16;
  begin = end = pool.buffers.front().begin;
  for (const ReportBuffer &buffer : pool.buffers) {
    begin = std::min(begin, buffer.begin);
    end = std::max(end, buffer.end);
    grain = std::gcd(grain, std::gcd(buffer.offset, buffer.size));
  }
  grain = std::gcd(grain, pool.poolSize);
  columns.emplace(begin, end, 1, maxColumns, 6);
  rows.emplace(0, pool.poolSize, grain, maxRows, 2);
}

TextChart::TextChart(const ReportPool &pool)
    : pool(pool), letters(pool.buffers.size(), ' ') {
  Axes axes(pool);
  const Axis &columns = *axes.columns, &rowAxis = *axes.rows;
  // Where a cell is more than a unit, any buffer in it is better than none, and
  // the one in its middle is better than any.
  constexpr size_t none = -1;
  std::vector<std::vector<size_t>> cells(
      rowAxis.getNumCells(), std::vector<size_t>(columns.getNumCells(), none));
  auto paint = [&](size_t index, int64_t begin, int64_t end) {
    const ReportBuffer &buffer = pool.buffers[index];
    int64_t top = buffer.offset + buffer.size;
    int64_t firstColumn = columns.getCell(begin);
    int64_t lastColumn = columns.getLastCell(end);
    int64_t lastRow = rowAxis.getLastCell(top);
    for (int64_t row = rowAxis.getCell(buffer.offset); row <= lastRow; ++row)
      for (int64_t column = firstColumn; column <= lastColumn; ++column) {
        size_t &cell = cells[row][column];
        if (cell == none || (rowAxis.isMiddleIn(row, buffer.offset, top) &&
                             columns.isMiddleIn(column, begin, end)))
          cell = index;
      }
  };
  for (auto [index, buffer] : llvm::enumerate(pool.buffers)) {
    int64_t begin = buffer.begin;
    for (const ReportInterval &gap : buffer.gaps) {
      paint(index, begin, gap.begin);
      begin = gap.end;
    }
    paint(index, begin, buffer.end);
  }

  std::vector<bool> isShown(pool.buffers.size(), false);
  for (const std::vector<size_t> &row : cells)
    for (size_t cell : row)
      if (cell != none)
        isShown[cell] = true;
  size_t numShown = 0;
  for (size_t index = 0; index < letters.size(); ++index)
    if (isShown[index])
      letters[index] = getLetterAt(numShown++);
  for (const std::vector<size_t> &row : cells) {
    std::string &text = rows.emplace_back();
    for (size_t cell : row)
      text += cell == none ? ' ' : letters[cell];
  }
}

void TextChart::print(llvm::raw_ostream &os) const {
  Axes axes(pool);
  const Axis &columns = *axes.columns, &rowAxis = *axes.rows;
  auto printLine = [&](llvm::StringRef label, bool isBound, char edge,
                       llvm::StringRef line) {
    os << llvm::right_justify(label, axes.labelWidth)
       << llvm::formatv(" {0}{1}{2}{1}\n", isBound ? '>' : ' ', edge, line);
  };
  std::string border(columns.getNumCells(), '-');
  bool isTight = pool.lowerBound >= pool.poolSize;
  printLine(std::to_string(pool.poolSize), isTight, '+', border);
  for (int64_t row = rowAxis.getNumCells() - 1; row >= 0; --row)
    printLine(row % rowAxis.getCellsPerUnit() == 0
                  ? std::to_string(rowAxis.getStart(row))
                  : "",
              !isTight && row == rowAxis.getCell(pool.lowerBound), '|',
              rows[row]);
  for (int64_t column = columns.getCell(pool.peakTick),
               peakEnd = column + columns.getCellsPerUnit();
       column < peakEnd; ++column)
    border[column] = '^';
  printLine("", false, '+', border);
  std::string first = "tick " + std::to_string(axes.begin);
  std::string last = std::to_string(axes.end);
  os << std::string(axes.labelWidth + 3, ' ') << first
     << std::string(std::max<int64_t>(columns.getNumCells() - first.size() -
                                          last.size() + 1,
                                      1),
                    ' ')
     << last << "\n\n";
}
