//===- ReportFormatTest.cpp - Tests of reports as text --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Report/ReportFormat.h"

#include "gtest/gtest.h"

#include <random>

using namespace buffer_merge;

namespace {
std::string print(const Report &report, ReportFormat format) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printReport(os, report, format);
  return text;
}

/// Return a report on one pool with `count` buffers at places that are nearly
/// as large as they may be, or small.
Report makeRandomReport(std::mt19937_64 &random, size_t count, bool isLarge) {
  int64_t range = isLarge ? int64_t(1) << 53 : 100;
  auto pick = [&](int64_t range) { return int64_t(random() % range); };
  Report report;
  report.scheduler = "random";
  ReportPool &pool = report.pools.emplace_back();
  pool.function = "f";
  pool.scope = "func.func";
  for (size_t i = 0; i < count; ++i) {
    ReportBuffer &buffer = pool.buffers.emplace_back();
    buffer.name = "b" + std::to_string(i);
    buffer.type = "memref<1xi8>";
    buffer.size = 1 + pick(range);
    buffer.offset = pick(range);
    buffer.begin = pick(range) - range / 2;
    buffer.end = buffer.begin + 1 + pick(range);
    pool.totalBytes += buffer.size;
    pool.poolSize = std::max(pool.poolSize, buffer.offset + buffer.size);
  }
  pool.peakTick = pool.buffers.front().begin;
  pool.lowerBound = pick(pool.poolSize) + 1;
  pool.provedBound = pool.lowerBound;
  return report;
}

/// Return a report on two buffers of which the second may be in place of the
/// first.
Report makeInPlaceReport() {
  std::mt19937_64 random(0);
  Report report = makeRandomReport(random, 3, /*isLarge=*/false);
  addInPlacePair(report.pools[0], 0, 1, /*needsSameOffset=*/true);
  addInPlacePair(report.pools[0], 0, 2, /*needsSameOffset=*/false);
  return report;
}

/// Return the CSV of pools with one buffer each, which are alive at the given
/// ticks.
std::string printTicks(llvm::ArrayRef<std::pair<int64_t, int64_t>> ticks) {
  Report report;
  for (auto [begin, end] : ticks) {
    ReportBuffer &buffer = report.pools.emplace_back().buffers.emplace_back();
    buffer.begin = begin;
    buffer.end = end;
    buffer.size = 1;
  }
  return print(report, ReportFormat::CSV);
}

TEST(ReportFormat, InPlacePairs) {
  Report report = makeInPlaceReport();
  std::string json = print(report, ReportFormat::JSON);
  llvm::Expected<Report> parsed = parseReport(json);
  ASSERT_TRUE(bool(parsed));
  EXPECT_EQ(parsed->pools[0].buffers[1].inPlaceOf, std::vector<int64_t>{0});
  EXPECT_EQ(parsed->pools[0].buffers[2].inPlaceOfAny, std::vector<int64_t>{0});
  EXPECT_EQ(print(*parsed, ReportFormat::JSON), json);
  std::string csv = print(report, ReportFormat::CSV);
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "id,lower,upper,size,alignment,in-place,in-place-any,offset");
  EXPECT_NE(csv.find(",f/1/b0,,"), std::string::npos);
  EXPECT_NE(csv.find(",,f/1/b0,"), std::string::npos);
  report.pools[0].buffers[1].inPlaceOf = {3};
  parsed = parseReport(print(report, ReportFormat::JSON));
  ASSERT_FALSE(bool(parsed));
  EXPECT_NE(llvm::toString(parsed.takeError())
                .find("in place of a buffer that is not there"),
            std::string::npos);
}

TEST(ReportFormatTest, Sync) {
  std::mt19937_64 random(0);
  Report report = makeRandomReport(random, 2, /*isLarge=*/false);
  EXPECT_EQ(print(report, ReportFormat::JSON).find("sync"), std::string::npos);
  report.pools[0].sync = {
      {"barrier"},
      {"place"},
      3,
      {{0, 1, "rule", "what it means", "write at a:1:2", "read at a:3:4"}},
      "said",
      {7},
      {-1}};
  std::string json = print(report, ReportFormat::JSON);
  llvm::Expected<Report> parsed = parseReport(json);
  ASSERT_TRUE(bool(parsed));
  EXPECT_EQ(print(*parsed, ReportFormat::JSON), json);
  std::string text = print(*parsed, ReportFormat::Text);
  EXPECT_NE(text.find("  said\n"
                      "  1 barrier, 1 inserted, 3 pairs kept apart\n"
                      "    barrier\n"
                      "    inserted before place\n"
                      "     buffer     buffer  rule  between         and\n"
                      "  A  b0      B  b1      rule  write at a:1:2  "
                      "read at a:3:4\n"
                      "    and 2 more pairs\n"),
            std::string::npos)
      << text;
}

TEST(ReportFormatTest, PoolsAreNotAliveAtOneTickInCSV) {
  EXPECT_EQ(printTicks({{-2, 5}, {1, 4}, {9, 10}, {9, 11}}),
            "id,lower,upper,size,alignment,offset\n"
            "/1/,-2,5,1,1,0\n"
            "/2/,5,8,1,1,0\n"
            "/3/,9,10,1,1,0\n"
            "/4/,10,12,1,1,0\n");
  // As far as there are numbers for it.
  int64_t large = int64_t(1) << 62;
  EXPECT_EQ(printTicks({{-large, large}, {-large, large}}),
            "id,lower,upper,size,alignment,offset\n"
            "/1/,-4611686018427387904,4611686018427387904,1,1,0\n"
            "/2/,-4611686018427387904,4611686018427387904,1,1,0\n");
}

TEST(ReportFormatTest, Extensions) {
  EXPECT_EQ(*getReportFormat("a/b.c/map.html"), ReportFormat::HTML);
  EXPECT_EQ(*getReportFormat("map.json"), ReportFormat::JSON);
  EXPECT_EQ(*getReportFormat("map.csv"), ReportFormat::CSV);
  EXPECT_EQ(*getReportFormat("map.txt"), ReportFormat::Text);
  EXPECT_EQ(*getReportFormat("-"), ReportFormat::Text);
  for (llvm::StringRef path : {"", "map", "map.", "map.HTML", "a.html/map"}) {
    llvm::Expected<ReportFormat> format = getReportFormat(path);
    EXPECT_FALSE(bool(format)) << path.str();
    llvm::consumeError(format.takeError());
  }
}

TEST(ReportFormatTest, EmptyReport) {
  for (ReportFormat format : {ReportFormat::Text, ReportFormat::JSON,
                              ReportFormat::CSV, ReportFormat::HTML})
    EXPECT_FALSE(print({}, format).empty());
}

TEST(ReportFormatTest, ChartsFitTheTerminal) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    Report report =
        makeRandomReport(random, 1 + random() % 80, /*isLarge=*/round % 2);
    std::string text = print(report, ReportFormat::Text);
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(text).split(lines, '\n');
    unsigned rows = 0;
    for (llvm::StringRef line : lines) {
      if (!line.ends_with("|") && !line.ends_with("+"))
        continue;
      ++rows;
      EXPECT_LE(line.size(), 80u);
    }
    EXPECT_GE(rows, 3u);
    EXPECT_LE(rows, 18u);
  }
}

TEST(ReportFormatTest, EveryBufferIsInItsCells) {
  // Where a cell is a unit, the chart is exact.
  Report report;
  ReportPool &pool = report.pools.emplace_back();
  pool.poolSize = 3;
  pool.lowerBound = 3;
  pool.buffers = {{"a", "", "", "", "", 1, 1, 0, 2, 0},
                  {"b", "", "", "", "", 2, 1, 0, 1, 1},
                  {"c", "", "", "", "", 1, 1, 2, 3, 2}};
  EXPECT_NE(print(report, ReportFormat::Text)
                .find("              3 >+------------------+\n"
                      "                 |BBBBBB      CCCCCC|\n"
                      "              2  |BBBBBB      CCCCCC|\n"
                      "                 |BBBBBB            |\n"
                      "              1  |BBBBBB            |\n"
                      "                 |AAAAAAAAAAAA      |\n"
                      "              0  |AAAAAAAAAAAA      |\n"
                      "                 +^^^^^^------------+\n"
                      "                  tick 0            3\n"),
            std::string::npos);
}

TEST(ReportFormatTest, RoundTrip) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 50; ++round) {
    Report report = makeRandomReport(random, 1 + random() % 20, round % 2);
    report.module = "a \"name\" <of> \\ \n \xc3\xa4";
    report.pools.front().memorySpace = "1";
    report.pools.front().buffers.front().firstAccess = "x at y";
    report.left.push_back({"r", "d", "a", {{"n", "t", "l", "f", "o", 3}}});
    std::string json = print(report, ReportFormat::JSON);
    llvm::Expected<Report> parsed = parseReport(json);
    ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
    EXPECT_EQ(print(*parsed, ReportFormat::JSON), json);
    EXPECT_EQ(print(*parsed, ReportFormat::Text),
              print(report, ReportFormat::Text));
  }
}

TEST(ReportFormatTest, NothingInAPageEndsItsData) {
  Report report;
  report.module = "</title><script>";
  ReportPool &pool = report.pools.emplace_back();
  pool.poolSize = 1;
  pool.buffers.resize(1);
  pool.buffers[0] = {"</script><!--<script>", "<", "<<", "", "", 1, 1, 0, 1, 0};
  std::string text = print(report, ReportFormat::HTML);
  llvm::StringRef page = text;
  auto [before, data] = page.split("id=\"report\">");
  EXPECT_EQ(before.count("<script"), 1u);
  EXPECT_EQ(before.count("<title>"), 1u);
  llvm::StringRef json = data.take_until([](char c) { return c == '<'; });
  EXPECT_TRUE(data.drop_front(json.size()).starts_with("</script>"));
  // The data is still the report.
  llvm::Expected<Report> parsed = parseReport(json);
  ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  EXPECT_EQ(parsed->pools[0].buffers[0].name, "</script><!--<script>");
}

TEST(ReportFormatTest, DamagedJSONIsAnError) {
  // Each prefix, and each version with one byte changed, is read or refused.
  std::mt19937_64 random(3);
  std::string json;
  llvm::raw_string_ostream os(json);
  printJSON(os, makeRandomReport(random, 3, /*isLarge=*/false), /*indent=*/0);
  for (size_t i = 0; i < json.size(); ++i) {
    llvm::Expected<Report> cut =
        parseReport(llvm::StringRef(json).take_front(i));
    EXPECT_FALSE(bool(cut));
    llvm::consumeError(cut.takeError());
    for (char c : {'0', '"', '{', '-', '\xff'}) {
      std::string damaged = json;
      damaged[i] = c;
      if (llvm::Expected<Report> report = parseReport(damaged))
        print(*report, ReportFormat::Text);
      else
        llvm::consumeError(report.takeError());
    }
  }
}
} // namespace
