//===- TextTable.cpp - Columns in a terminal -----------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextTable.h"

#include "TextEscape.h"

#include "llvm/ADT/STLExtras.h"

using namespace buffer_merge;

/// The columns of a terminal.
static constexpr size_t maxWidth = 80;
/// Less of a text would not be worth its column.
static constexpr size_t minTextWidth = 8;

TextTable::TextTable(llvm::ArrayRef<Column> columns) {
  std::vector<std::string> titles;
  for (const Column &column : columns) {
    kinds.push_back(column.kind);
    titles.push_back(column.title.str());
  }
  if (!llvm::all_of(titles, std::mem_fn(&std::string::empty)))
    rows.push_back(std::move(titles));
}

void TextTable::addRow(std::vector<std::string> cells) {
  for (std::string &cell : cells)
    cell = escapeText(cell);
  rows.push_back(std::move(cells));
}

/// Return `text` with at most `width` bytes. Characters of several bytes stay
/// whole.
static std::string fit(llvm::StringRef text, size_t width, bool cutsFront) {
  auto isInside = [&](size_t index) {
    return index < text.size() && (text[index] & 0xc0) == 0x80;
  };
  if (text.size() <= width)
    return text.str();
  size_t kept = width - 3;
  if (!cutsFront) {
    while (kept > 0 && isInside(kept))
      --kept;
    return text.take_front(kept).str() + "...";
  }
  while (kept > 0 && isInside(text.size() - kept))
    --kept;
  return "..." + text.take_back(kept).str();
}

void TextTable::print(llvm::raw_ostream &os, llvm::StringRef indent) const {
  std::vector<size_t> widths(kinds.size(), 0);
  for (const std::vector<std::string> &row : rows)
    for (auto [width, cell] : llvm::zip_equal(widths, row))
      width = std::max(width, cell.size());
  // One column after the other, always the widest, becomes narrower.
  size_t total = indent.size() + 2 * (kinds.size() - 1);
  for (size_t width : widths)
    total += width;
  while (total > maxWidth) {
    size_t widest = kinds.size();
    for (size_t i = 0; i < kinds.size(); ++i)
      if ((kinds[i] == Text || kinds[i] == Place) && widths[i] > minTextWidth &&
          (widest == kinds.size() || widths[i] > widths[widest]))
        widest = i;
    if (widest == kinds.size())
      break;
    --widths[widest];
    --total;
  }
  for (const std::vector<std::string> &row : rows) {
    std::string line = indent.str();
    for (auto [cell, width, kind] : llvm::zip_equal(row, widths, kinds)) {
      std::string text = fit(cell, width, kind == Place);
      std::string padding(width - text.size(), ' ');
      line += (kind == Number ? padding + text : text + padding) + "  ";
    }
    os << llvm::StringRef(line).rtrim() << "\n";
  }
}
