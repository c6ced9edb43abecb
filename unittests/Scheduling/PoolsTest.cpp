//===- PoolsTest.cpp - Pools on record
//-------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pools of `auto` are the same everywhere: none may be larger than in
// pools.json, which has those of every generated shape and of the tables in
// ../shared/instances, where that is there. With BUFFER_MERGE_UPDATE_POOLS in
// the environment, what is measured is written there instead.
//
//===----------------------------------------------------------------------===//

#include "../SeedStep.h"
#include "Shapes.h"
#include "buffer-merge/Scheduling/CSV.h"
#include "buffer-merge/Scheduling/Scheduler.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include "gtest/gtest.h"

using namespace buffer_merge;

static constexpr const char *recordPath =
    BUFFER_MERGE_SOURCE_DIR "/unittests/Scheduling/pools.json";

namespace {
class PoolsTest : public testing::Test {
protected:
  PoolsTest() {
    if (auto file = llvm::MemoryBuffer::getFile(recordPath))
      record =
          std::move(*llvm::cantFail(llvm::json::parse((*file)->getBuffer()))
                         .getAsObject());
  }

  /// Compare the pool of `problem`, or make it the record.
  void check(const std::string &name, const SchedulingProblem &problem,
             unsigned effort) {
    SchedulerOptions options;
    options.effort = effort;
    Schedule schedule = llvm::cantFail(
        runScheduler(*lookupScheduler("auto"), problem, options));
    std::string key = name + ", effort " + std::to_string(effort);
    if (std::getenv("BUFFER_MERGE_UPDATE_POOLS"))
      record[key] = schedule.poolSize;
    std::optional<int64_t> expected = record.getInteger(key);
    ASSERT_TRUE(expected.has_value()) << key << " is not on record";
    EXPECT_LE(schedule.poolSize, *expected) << key;
  }

  void TearDown() override {
    if (!std::getenv("BUFFER_MERGE_UPDATE_POOLS"))
      return;
    std::error_code error;
    llvm::raw_fd_ostream file(recordPath, error);
    file << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(record)));
  }

  llvm::json::Object record;
};
} // namespace

TEST_F(PoolsTest, Shapes) {
  for (const Shape &shape : getShapes()) {
    check(std::string(shape.name) + ", 600", shape.make(600, 1), 0);
    // Sanitizers have seen enough.
    if (seedStep == 1)
      check(std::string(shape.name) + ", 600", shape.make(600, 1), 2);
#ifdef NDEBUG
    // They take a minute without optimization.
    check(std::string(shape.name) + ", 12000", shape.make(12000, 1), 0);
#endif
  }
}

TEST_F(PoolsTest, SharedInstances) {
  std::error_code error;
  llvm::sys::fs::directory_iterator it(
      BUFFER_MERGE_SOURCE_DIR "/../shared/instances", error),
      end;
  for (; !error && it != end; it.increment(error)) {
    llvm::StringRef path = it->path();
    if (!path.ends_with(".csv"))
      continue;
    BufferTable table = llvm::cantFail(readBufferTable(path));
    for (unsigned effort : {0, 2})
      check(llvm::sys::path::stem(path).str(), table.problem, effort);
  }
}
