//===- ReportTest.cpp - Tests of reports as data --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Report/Report.h"
#include "buffer-merge/Report/CompareReports.h"

#include "gtest/gtest.h"

#include <random>

using namespace buffer_merge;

namespace {
ReportBuffer makeBuffer(std::string name, int64_t offset, int64_t size,
                        int64_t begin, int64_t end) {
  ReportBuffer buffer;
  buffer.name = std::move(name);
  buffer.offset = offset;
  buffer.size = size;
  buffer.begin = begin;
  buffer.end = end;
  return buffer;
}

ReportPool makePool(std::string function, std::vector<ReportBuffer> buffers) {
  ReportPool pool;
  pool.function = std::move(function);
  pool.scope = "func.func";
  for (const ReportBuffer &buffer : buffers) {
    pool.totalBytes += buffer.size;
    pool.poolSize = std::max(pool.poolSize, buffer.offset + buffer.size);
  }
  pool.buffers = std::move(buffers);
  return pool;
}

/// One buffer below, and one that spans two, at other ticks.
///
///   8 | bbb cc
///   4 | aaa cc
///   0 | ddddddd
Report makeReport() {
  Report report;
  report.pools.push_back(makePool(
      "f", {makeBuffer("a", 4, 4, 0, 3), makeBuffer("b", 8, 4, 0, 3),
            makeBuffer("c", 4, 8, 4, 6), makeBuffer("d", 0, 4, 0, 7)}));
  report.left.push_back({"returned", "it is", "", {{"e", "", "", "f", "", 5}}});
  return report;
}

TEST(ReportTest, Totals) {
  Report report = makeReport();
  ReportPool unmade = makePool("g", {makeBuffer("x", 0, 100, 0, 1)});
  unmade.reason = "no-gain";
  report.pools.push_back(unmade);
  ReportTotals totals = computeTotals(report);
  EXPECT_EQ(totals.merged, 4);
  EXPECT_EQ(totals.mergedBytes, 20);
  EXPECT_EQ(totals.poolBytes, 12);
  EXPECT_EQ(totals.left, 1);
  EXPECT_EQ(totals.leftBytes, 5);
}

TEST(ReportTest, Sharers) {
  EXPECT_EQ(countSharers(makeReport().pools.front()),
            (llvm::SmallVector<int64_t, 0>{1, 1, 2, 0}));
}

TEST(ReportTest, SharersOfRandomPools) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    ReportPool pool;
    for (int i = 0; i < 40; ++i)
      pool.buffers.push_back(
          makeBuffer("", random() % 50, 1 + random() % 10, 0, 1));
    llvm::SmallVector<int64_t, 0> sharers = countSharers(pool);
    for (size_t i = 0; i < pool.buffers.size(); ++i) {
      const ReportBuffer &a = pool.buffers[i];
      int64_t expected = -1;
      for (const ReportBuffer &b : pool.buffers)
        expected +=
            a.offset < b.offset + b.size && b.offset < a.offset + a.size;
      EXPECT_EQ(sharers[i], expected);
    }
  }
}

TEST(CompareReportsTest, SameReport) {
  EXPECT_TRUE(compareReports(makeReport(), makeReport()).functions.empty());
}

TEST(CompareReportsTest, EmptyReports) {
  EXPECT_TRUE(compareReports({}, {}).functions.empty());
  std::vector<FunctionChange> changes =
      compareReports({}, makeReport()).functions;
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].before, std::nullopt);
  EXPECT_EQ(changes[0].after, 17);
  // It is the program that grew, by a new function.
  EXPECT_FALSE(changes[0].grew(0));
  EXPECT_TRUE(compareReports({}, makeReport()).grew(0));
  EXPECT_FALSE(compareReports(makeReport(), {}).grew(0));
}

TEST(CompareReportsTest, PoolThatVanishesIsNoGain) {
  // All four buffers of the pool, 20 bytes, are left alone instead.
  Report before = makeReport(), after = makeReport();
  for (const ReportBuffer &buffer : after.pools.front().buffers)
    after.left.front().buffers.push_back(
        {buffer.name, "", "", "f", "", buffer.size});
  after.pools.front().reason = "no-gain";
  std::vector<FunctionChange> changes = compareReports(before, after).functions;
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].before, 17);
  EXPECT_EQ(changes[0].after, 25);
  EXPECT_TRUE(changes[0].grew(47));
  EXPECT_FALSE(changes[0].grew(48));
  EXPECT_EQ(changes[0].buffers.size(), 4u);
  EXPECT_EQ(changes[0].buffers.front().kind,
            BufferChange::Kind::NoLongerMerged);
}

TEST(CompareReportsTest, SeveralOfOneName) {
  Report before = makeReport(), after = makeReport();
  for (Report *report : {&before, &after})
    for (ReportBuffer &buffer : report->pools.front().buffers)
      buffer.name = "t";
  EXPECT_TRUE(compareReports(before, after).functions.empty());
  after.pools.front().buffers.pop_back();
  std::vector<FunctionChange> changes = compareReports(before, after).functions;
  ASSERT_EQ(changes.size(), 1u);
  ASSERT_EQ(changes[0].buffers.size(), 1u);
  EXPECT_EQ(changes[0].buffers[0].kind, BufferChange::Kind::Gone);
}

TEST(CompareReportsTest, NewFunctionsAndTheTotal) {
  ReportChange change;
  change.before = 200;
  change.after = 208;
  auto add = [&](std::optional<int64_t> before, std::optional<int64_t> after) {
    FunctionChange &function = change.functions.emplace_back();
    function.before = before;
    function.after = after;
  };
  add(100, 104);
  add(100, 100);
  add(std::nullopt, 4);
  EXPECT_EQ(change.getNewBytes(), 4);
  EXPECT_TRUE(change.grew(3.9));
  EXPECT_FALSE(change.grew(4));
  // A function that takes as much as all the others, and one that is gone.
  add(std::nullopt, 96);
  add(104, std::nullopt);
  EXPECT_TRUE(change.grew(49));
  EXPECT_FALSE(change.grew(50));
}

/// Return a function `f` whose buffers have the given names, operations and
/// types, one after the other at offset 0.
Report makeProgram(
    std::vector<std::tuple<std::string, std::string, std::string>> buffers,
    int64_t size = 4) {
  std::vector<ReportBuffer> row;
  for (auto [name, operation, type] : buffers) {
    ReportBuffer buffer = makeBuffer(name, 0, size, row.size(), row.size() + 1);
    buffer.firstAccess = operation + " at a.mlir:" + name + ":1";
    buffer.type = type;
    row.push_back(buffer);
  }
  Report report;
  report.pools.push_back(makePool("f", row));
  return report;
}

/// Return the changes of the only function that changed, `kind name` each.
std::vector<std::string> listChanges(const Report &before,
                                     const Report &after) {
  std::vector<std::string> list;
  for (const FunctionChange &function : compareReports(before, after).functions)
    for (const BufferChange &buffer : function.buffers)
      list.push_back(getChangeName(buffer.kind).str() + " " + buffer.name);
  return list;
}

using Strings = std::vector<std::string>;

TEST(CompareReportsTest, RenamedBuffersAreTheSame) {
  Report before = makeProgram({{"%alloc", "fill", "x"},
                               {"%alloc_0", "conv", "y"},
                               {"%named", "relu", "y"}});
  Report after = makeProgram({{"%alloc_3", "fill", "x"},
                              {"%alloc", "conv", "y"},
                              {"%other", "relu", "y"}});
  EXPECT_EQ(listChanges(before, after), Strings());
}

TEST(CompareReportsTest, OneOfManyEqualBuffersIsNew) {
  // All numbers may have changed, and nothing else tells equal buffers that
  // follow each other apart: one of them is new, by convention the last.
  std::vector<std::tuple<std::string, std::string, std::string>> rows;
  for (int i = 0; i < 6; ++i)
    rows.emplace_back("%alloc_" + std::to_string(i), i == 3 ? "conv" : "add",
                      "x");
  Report before = makeProgram(rows);
  rows.insert(rows.begin() + 4, {"%alloc_9", "add", "x"});
  Report after = makeProgram(rows);
  EXPECT_EQ(listChanges(before, after), Strings({"new %alloc_5"}));
  EXPECT_EQ(listChanges(after, before), Strings({"gone %alloc_5"}));
}

TEST(CompareReportsTest, AnotherShapeIsGrowth) {
  Report before = makeProgram({{"%0", "conv", "1x4"}, {"n", "add", "1x4"}});
  Report after = makeProgram({{"%1", "conv", "2x4"}, {"n", "add", "2x4"}}, 8);
  EXPECT_EQ(listChanges(before, after), Strings({"grew %1", "grew n"}));
  EXPECT_EQ(listChanges(after, before), Strings({"shrank %0", "shrank n"}));
}

TEST(CompareReportsTest, NamesComeBeforePositions) {
  Report before = makeProgram({{"a", "add", "x"}, {"b", "add", "x"}});
  Report after = makeProgram({{"b", "add", "x"}, {"a", "add", "x"}});
  before.pools[0].buffers[1].offset = 4;
  after.pools[0].buffers[0].offset = 8;
  before.pools[0].poolSize = after.pools[0].poolSize = 12;
  EXPECT_EQ(listChanges(before, after), Strings({"moved b"}));
}

TEST(CompareReportsTest, RenamedFunctionsAreTheSame) {
  Report before = makeReport(), after = makeReport();
  after.pools[0].function = "g";
  after.left[0].buffers[0].function = "g";
  ReportChange change = compareReports(before, after);
  ASSERT_EQ(change.functions.size(), 1u);
  EXPECT_EQ(change.functions[0].function, "g");
  EXPECT_EQ(change.functions[0].renamedFrom, "f");
  EXPECT_FALSE(change.grew(0));
}

TEST(CompareReportsTest, GrowthFromNothing) {
  FunctionChange change;
  change.before = 0;
  change.after = 1;
  EXPECT_TRUE(change.grew(1000));
  change.after = 0;
  EXPECT_FALSE(change.grew(0));
}
} // namespace
