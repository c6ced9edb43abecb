//===- ReportTest.cpp - Tests of reports as data --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Report/Report.h"

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
} // namespace
