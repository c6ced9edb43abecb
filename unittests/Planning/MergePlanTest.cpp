//===- Tests of hooks and decisions --------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Planning/MergePlan.h"
#include "../SeedStep.h"
#include "buffer-merge/Report/EmitMessages.h"
#include "buffer-merge/Transforms/BufferMerge.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/AnalysisManager.h"
#include "gtest/gtest.h"

#include <thread>

using namespace mlir;
using namespace buffer_merge;

namespace {
/// Three buffers of 64 bytes in a chain, and one that is returned.
class MergePlanTest : public testing::Test {
protected:
  MergePlanTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        memref::MemRefDialect>();
    module = parseSourceString<ModuleOp>(R"mlir(
      func.func @chain(%in: memref<64xi8>) -> memref<64xi8> {
        %a = memref.alloc() {name = "a"} : memref<64xi8>
        memref.copy %in, %a : memref<64xi8> to memref<64xi8>
        %b = memref.alloc() {name = "b"} : memref<64xi8>
        memref.copy %a, %b : memref<64xi8> to memref<64xi8>
        %c = memref.alloc() {name = "c"} : memref<64xi8>
        memref.copy %b, %c : memref<64xi8> to memref<64xi8>
        %d = memref.alloc() {name = "d"} : memref<64xi8>
        memref.copy %c, %d : memref<64xi8> to memref<64xi8>
        return %d : memref<64xi8>
      })mlir",
                                         &context);
    options.scheduler = lookupScheduler("first-fit");
    // One pool for each chain, beside the buffer that is returned.
    options.limitPeak.reset();
  }

  static StringRef getName(memref::AllocOp alloc) {
    return alloc->getAttrOfType<StringAttr>("name").getValue();
  }

  int64_t countAllocations() {
    int64_t count = 0;
    module->walk([&](memref::AllocOp) { ++count; });
    return count;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  MergePlanOptions options;
  PlanMessages messages;
};

/// A scheduler that finds nothing.
class EmptyHandedScheduler final : public Scheduler {
public:
  llvm::StringRef getName() const override { return "empty-handed"; }
  llvm::StringRef getDescription() const override { return "Finds nothing"; }
  llvm::Expected<Schedule>
  schedule(const SchedulingProblem &problem,
           const SchedulerOptions &options) const override {
    return llvm::createStringError("no luck today");
  }
};

/// A scheduler that lets all buffers share their bytes.
class LyingScheduler final : public Scheduler {
public:
  llvm::StringRef getName() const override { return "lying"; }
  llvm::StringRef getDescription() const override { return "All at 0"; }
  llvm::Expected<Schedule>
  schedule(const SchedulingProblem &problem,
           const SchedulerOptions &options) const override {
    return makeSchedule(
        problem, llvm::SmallVector<int64_t, 0>(problem.buffers.size(), 0));
  }
};
} // namespace

TEST_F(MergePlanTest, IsAnOrdinaryAnalysis) {
  ModuleAnalysisManager manager(*module, /*passInstrumentor=*/nullptr);
  AnalysisManager analyses = manager;
  BufferLifetimes &lifetimes = analyses.getAnalysis<BufferLifetimes>();
  ASSERT_EQ(lifetimes.getBuffers().size(), 4u);
  for (const BufferLifetime &buffer : lifetimes.getBuffers()) {
    EXPECT_EQ(lifetimes.lookup(buffer.alloc), &buffer);
    EXPECT_EQ(buffer.size, 64);
    EXPECT_EQ(buffer.refusal.has_value(), getName(buffer.getAllocOp()) == "d");
  }
  EXPECT_EQ(lifetimes.getBuffers()[1].ticks, (TickRange{3, 5}));
}

TEST_F(MergePlanTest, OnePoolForTheChain) {
  BufferLifetimes lifetimes(*module);
  MergePlan plan = *computeMergePlan(lifetimes, options, messages);
  ASSERT_EQ(plan.pools.size(), 1u);
  EXPECT_FALSE(plan.pools[0].getReason());
  EXPECT_EQ(plan.pools[0].totalBytes, 192);
  // Each is in place of the one before it.
  EXPECT_EQ(plan.pools[0].lowerBound.bytes, 64);
  EXPECT_EQ(plan.pools[0].getSchedule()->poolSize, 64);
  ASSERT_EQ(plan.unmergeable.size(), 1u);
  EXPECT_EQ(plan.unmergeable[0].refusal.reason, UnmergeableReason::Returned);
}

TEST_F(MergePlanTest, EligibilityHook) {
  BufferMergeOptions mergeOptions;
  mergeOptions.plan = options;
  llvm::SmallVector<std::string> asked;
  mergeOptions.plan.lifetimes.isEligible = [&](memref::AllocOp alloc) {
    asked.push_back(getName(alloc).str());
    return getName(alloc) != "b";
  };
  BufferLifetimes lifetimes(*module, mergeOptions.plan.lifetimes);
  EXPECT_EQ(lifetimes.getBuffers()[1].refusal->reason,
            UnmergeableReason::Ineligible);
  EXPECT_EQ(asked, (llvm::SmallVector<std::string>{"a", "b", "c", "d"}));

  // a and c do not meet: both are in the result.
  FailureOr<BufferMergeResult> result = mergeBuffers(*module, mergeOptions);
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(result->numMerged, 2);
  EXPECT_EQ(result->bytesPools, 0);
  EXPECT_EQ(result->numLeft, 2);
  for (UnmergeableReason reason : getAllReasons())
    EXPECT_EQ(result->numLeftByReason[static_cast<size_t>(reason)],
              reason == UnmergeableReason::Ineligible ||
                  reason == UnmergeableReason::Returned);
  EXPECT_EQ(countAllocations(), 2);
}

TEST_F(MergePlanTest, HooksAreCalledInOrderByOneThread) {
  // A hundred functions like the one that is there.
  auto first = *module->getOps<func::FuncOp>().begin();
  for (unsigned i = 1; i < 100; ++i) {
    func::FuncOp copy = first.clone();
    copy.setName("chain" + std::to_string(i));
    module->push_back(copy);
  }
  ASSERT_TRUE(context.isMultithreadingEnabled());
  std::thread::id thread = std::this_thread::get_id();
  llvm::SmallVector<Operation *> asked;
  BufferLifetimesOptions lifetimeOptions;
  lifetimeOptions.isEligible = [&](memref::AllocOp alloc) {
    EXPECT_EQ(std::this_thread::get_id(), thread);
    asked.push_back(alloc);
    return true;
  };
  BufferLifetimes lifetimes(*module, lifetimeOptions);
  ASSERT_EQ(lifetimes.getBuffers().size(), 400u);
  EXPECT_EQ(asked.size(), 400u);
  for (auto [op, buffer] : llvm::zip_equal(asked, lifetimes.getBuffers()))
    EXPECT_EQ(op, buffer.getAllocOp());

  // One pool after the other.
  options.scheduler = lookupScheduler("auto");
  auto progress = [&](const SearchProgress &) {
    EXPECT_EQ(std::this_thread::get_id(), thread);
    return true;
  };
  options.schedulerOptions.progress = progress;
  MergePlan plan = *computeMergePlan(lifetimes, options, messages);
  EXPECT_EQ(plan.pools.size(), 100u);
}

TEST_F(MergePlanTest, ThreadsMakeNoDifference) {
  options.limitPeak = FreePoint::Deallocated;
  auto first = *module->getOps<func::FuncOp>().begin();
  for (unsigned i = 1; i < 300; ++i) {
    func::FuncOp copy = first.clone();
    copy.setName("chain" + std::to_string(i));
    module->push_back(copy);
  }
  auto merge = [&](bool isThreaded) {
    context.enableMultithreading(isThreaded);
    OwningOpRef<ModuleOp> copy = module->clone();
    BufferMergeOptions mergeOptions;
    mergeOptions.plan = options;
    FailureOr<BufferMergeResult> result = mergeBuffers(*copy, mergeOptions);
    EXPECT_TRUE(succeeded(result));
    EXPECT_EQ(result->numMerged, 900);
    EXPECT_EQ(result->numPools, 300);
    std::string text;
    llvm::raw_string_ostream(text) << *copy;
    return text;
  };
  std::string expected = merge(/*isThreaded=*/false);
  for (unsigned run = 0; run < 5; run += seedStep)
    EXPECT_EQ(merge(/*isThreaded=*/true), expected);
}

TEST_F(MergePlanTest, ErrorsAreValues) {
  std::vector<std::string> emitted;
  context.getDiagEngine().registerHandler(
      [&](Diagnostic &diagnostic) { emitted.push_back(diagnostic.str()); });
  // The arena would be one of the whole module.
  options.pool = PoolStorage::Arena;
  auto function = *module->getOps<func::FuncOp>().begin();
  for (int round = 0; round < 2; ++round)
    EXPECT_TRUE(failed(computeMergePlan(function, options, messages)));
  EXPECT_TRUE(emitted.empty());
  EXPECT_FALSE(messages.empty());
  emitMessages(std::move(messages));
  EXPECT_EQ(emitted, std::vector<std::string>{
                         "pool=arena changes the module, so the pass must run "
                         "on the top-level module, not on 'func.func'"});

  // What there is to say about one plan is not said about the next one.
  EXPECT_TRUE(failed(computeMergePlan(function, options, messages)));
  EXPECT_TRUE(succeeded(computeMergePlan(*module, options, messages)));
  EXPECT_TRUE(messages.empty());
}

TEST_F(MergePlanTest, NothingChangesWithoutASchedule) {
  EmptyHandedScheduler scheduler;
  options.scheduler = &scheduler;
  // What a result holds needs no schedule.
  options.lifetimes.findInPlacePairs = false;
  BufferMergeOptions mergeOptions;
  mergeOptions.plan = options;
  BufferLifetimes lifetimes(*module, options.lifetimes);
  MergePlan plan = *computeMergePlan(lifetimes, options, messages);
  ASSERT_EQ(plan.pools.size(), 1u);
  EXPECT_EQ(plan.pools[0].getReason(), UnmergeableReason::NotScheduled);
  EXPECT_EQ(plan.pools[0].getNoPool()->message, "no luck today");
  FailureOr<BufferMergeResult> result = mergeBuffers(*module, mergeOptions);
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(result->numPools, 0);
  EXPECT_EQ(countAllocations(), 4);
}

TEST_F(MergePlanTest, AWrongScheduleIsNotCarriedOut) {
  LyingScheduler scheduler;
  BufferMergeOptions mergeOptions;
  mergeOptions.plan.scheduler = &scheduler;
  mergeOptions.plan.lifetimes.findInPlacePairs = false;
  BufferLifetimes lifetimes(*module, mergeOptions.plan.lifetimes);
  MergePlan plan = *computeMergePlan(lifetimes, mergeOptions.plan, messages);
  EXPECT_EQ(plan.pools[0].getReason(), UnmergeableReason::NotScheduled);
  EXPECT_EQ(plan.pools[0].getNoPool()->message,
            "scheduler 'lying' returned an invalid schedule: "
            "overlap: buffers 0 and 1 share bytes at one tick");
  ASSERT_TRUE(succeeded(mergeBuffers(*module, mergeOptions)));
  EXPECT_EQ(countAllocations(), 4);
}

TEST_F(MergePlanTest, AdviceMakesTenPlansAtMost) {
  // Eight options are tried, and each of the others with the best one.
  module = parseSourceString<ModuleOp>(R"mlir(
    func.func private @use(memref<64xi8>)
    func.func @f(%in: memref<64xi8>, %n: index, %x: i8, %i: index) {
      %a = memref.alloc() {name = "a"} : memref<64xi8>
      memref.copy %in, %a : memref<64xi8> to memref<64xi8>
      %b = memref.alloc() : memref<64xi8>
      memref.copy %a, %b : memref<64xi8> to memref<64xi8>
      %c = memref.alloc() : memref<64xi8>
      call @use(%c) : (memref<64xi8>) -> ()
      %d = memref.alloc() : memref<64xi8>
      call @use(%d) : (memref<64xi8>) -> ()
      %e = memref.alloc(%n) : memref<?xi8>
      memref.store %x, %e[%i] : memref<?xi8>
      return
    })mlir",
                                       &context);
  BufferMergeOptions mergeOptions;
  mergeOptions.plan = options;
  mergeOptions.eraseCopies = false;
  BufferLifetimesOptions &lifetimes = mergeOptions.plan.lifetimes;
  lifetimes.findInPlacePairs = false;
  lifetimes.findValues = false;
  lifetimes.calls = CallPolicy::Escape;
  lifetimes.dynamic = DynamicPolicy::None;
  int64_t numPlans = 0;
  // Each plan looks at the allocation once.
  lifetimes.isEligible = [&](memref::AllocOp alloc) {
    numPlans += alloc->hasAttr("name");
    return true;
  };
  auto plan = [&] {
    numPlans = 0;
    EXPECT_TRUE(succeeded(
        inspectMergePlan(*module, mergeOptions, [](const MergePlan &) {})));
    return numPlans;
  };
  EXPECT_EQ(plan(), 1);
  mergeOptions.advise = true;
  EXPECT_EQ(plan(), 1 + 10);
}
