//===- Trend.cpp - A series of plans -------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Report/CompareReports.h"

#include "FunctionSummary.h"
#include "TextEscape.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

#include <map>

using namespace buffer_merge;

namespace {
/// The bytes of one function in each plan; nothing where it is not there.
struct FunctionTrend {
  std::string name;
  std::vector<std::optional<int64_t>> bytes;
};
} // namespace

/// Return the functions that do not take the same in all plans.
static std::vector<FunctionTrend>
findChanges(llvm::ArrayRef<TrendPoint> points) {
  std::vector<FunctionTrend> functions;
  std::map<std::string, size_t> indices;
  for (auto [index, point] : llvm::enumerate(points))
    for (const FunctionSummary &summary : summarize(point.report)) {
      auto [it, isNew] =
          indices.try_emplace(summary.name.str(), functions.size());
      if (isNew)
        functions.push_back(
            {summary.name.str(),
             std::vector<std::optional<int64_t>>(points.size())});
      functions[it->second].bytes[index] = summary.bytes;
    }
  llvm::erase_if(functions, [](const FunctionTrend &function) {
    return llvm::all_equal(function.bytes);
  });
  return functions;
}

/// Return the rows of a table: the totals of each plan.
static std::vector<std::vector<std::string>>
makeTotals(llvm::ArrayRef<TrendPoint> points) {
  std::vector<std::vector<std::string>> rows = {
      {"plan", "pools", "left", "total", "change"}};
  std::optional<int64_t> last;
  for (const TrendPoint &point : points) {
    ReportTotals totals = computeTotals(point.report);
    int64_t total = totals.poolBytes + totals.leftBytes;
    rows.push_back({escapeText(point.label), std::to_string(totals.poolBytes),
                    std::to_string(totals.leftBytes), std::to_string(total),
                    last && *last != total ? formatGrowth(*last, total) : ""});
    last = total;
  }
  return rows;
}

/// Return the rows of a table: the functions that changed, with a column for
/// each plan.
static std::vector<std::vector<std::string>>
makeFunctions(llvm::ArrayRef<FunctionTrend> functions, size_t numPlans) {
  std::vector<std::vector<std::string>> rows(1, {"function"});
  for (size_t i = 0; i < numPlans; ++i)
    rows.front().push_back("plan " + std::to_string(i + 1));
  for (const FunctionTrend &function : functions) {
    std::vector<std::string> &row = rows.emplace_back();
    row.push_back(formatSymbol(function.name));
    for (std::optional<int64_t> bytes : function.bytes)
      row.push_back(bytes ? std::to_string(*bytes) : "-");
  }
  return rows;
}

/// Print `rows`: the first column is text, the others are numbers.
static void printTable(llvm::raw_ostream &os,
                       llvm::ArrayRef<std::vector<std::string>> rows,
                       TrendFormat format) {
  if (format == TrendFormat::Markdown) {
    for (auto [index, row] : llvm::enumerate(rows)) {
      os << "| "
         << (index == 0 ? row[0] : formatCode(row[0], /*isInTable=*/true));
      for (const std::string &cell : llvm::drop_begin(row))
        os << " | " << cell;
      os << " |\n";
      if (index == 0) {
        os << "| ---";
        for (size_t i = 1; i < row.size(); ++i)
          os << " | ---:";
        os << " |\n";
      }
    }
    return;
  }
  std::vector<size_t> widths(rows.front().size(), 0);
  for (const std::vector<std::string> &row : rows)
    for (auto [width, cell] : llvm::zip_equal(widths, row))
      width = std::max(width, cell.size());
  for (const std::vector<std::string> &row : rows) {
    std::string line;
    for (auto [index, width, cell] : llvm::enumerate(widths, row)) {
      std::string padding(width - cell.size(), ' ');
      line += index == 0 ? cell + padding : "  " + padding + cell;
    }
    os << llvm::StringRef(line).rtrim() << "\n";
  }
}

static void printTrendJSON(llvm::raw_ostream &os,
                           llvm::ArrayRef<TrendPoint> points,
                           llvm::ArrayRef<FunctionTrend> functions) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("kind", "trend");
    json.attributeArray("plans", [&] {
      for (const TrendPoint &point : points)
        json.object([&] {
          ReportTotals totals = computeTotals(point.report);
          json.attribute("label", llvm::json::fixUTF8(point.label));
          json.attribute("poolBytes", totals.poolBytes);
          json.attribute("leftBytes", totals.leftBytes);
        });
    });
    json.attributeArray("functions", [&] {
      for (const FunctionTrend &function : functions)
        json.object([&] {
          json.attribute("function", function.name);
          json.attributeArray("bytes", [&] {
            for (std::optional<int64_t> bytes : function.bytes)
              json.value(bytes ? llvm::json::Value(*bytes)
                               : llvm::json::Value(nullptr));
          });
        });
    });
  });
  os << "\n";
}

void buffer_merge::printTrend(llvm::raw_ostream &os,
                              llvm::ArrayRef<TrendPoint> points,
                              TrendFormat format) {
  std::vector<FunctionTrend> functions = findChanges(points);
  if (format == TrendFormat::JSON)
    return printTrendJSON(os, points, functions);
  if (format == TrendFormat::Markdown)
    os << "### Memory of " << formatCount(points.size(), "plan") << "\n\n";
  printTable(os, makeTotals(points), format);
  os << "\n";
  if (functions.empty())
    os << "no function changed\n";
  else
    printTable(os, makeFunctions(functions, points.size()), format);
}
