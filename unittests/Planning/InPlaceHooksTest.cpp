//===- InPlaceHooksTest.cpp - What users say works in place ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Planning/MergePlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
/// Calls say by an attribute of theirs how they work in place.
struct CallModel
    : public InPlaceOpInterface::ExternalModel<CallModel, func::CallOp> {
  std::optional<InPlaceCondition>
  getInPlaceCondition(Operation *op, OpOperand &read,
                      OpOperand &written) const {
    if (written.getOperandNumber() != op->getNumOperands() - 1)
      return std::nullopt;
    if (op->hasAttr("same"))
      return InPlaceCondition::SameOffset;
    if (op->hasAttr("any"))
      return InPlaceCondition::AnyOffset;
    return std::nullopt;
  }
};

class InPlaceHooksTest : public testing::Test {
protected:
  InPlaceHooksTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        linalg::LinalgDialect, memref::MemRefDialect>();
    options.findInPlacePairs = true;
    planOptions.scheduler = lookupScheduler("exact");
  }

  /// Return the pool of a function with this body and the memrefs %in and
  /// %out, of 64 bytes each; the buffers are aligned to 1 byte.
  PoolPlan plan(StringRef body) {
    std::string text =
        "func.func private @f(memref<64xi8>, memref<64xi8>)\n"
        "func.func private @g(memref<32xi8, strided<[1], offset: 32>>, "
        "memref<64xi8>)\n"
        "func.func private @h(memref<64xi8>, memref<64xi8>, "
        "memref<128xi8>)\n"
        "func.func @test(%in: memref<64xi8>, %out: "
        "memref<64xi8>) {\n";
    module = parseSourceString<ModuleOp>((text + body + "  return\n}\n").str(),
                                         &context);
    if (!module)
      return {};
    lifetimes.emplace(*module, options);
    planOptions.alignment = 1;
    MergePlan plan = *computeMergePlan(*lifetimes, planOptions, messages);
    return plan.pools.empty() ? PoolPlan() : plan.pools.front();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  BufferLifetimesOptions options;
  MergePlanOptions planOptions;
  PlanMessages messages;
  std::optional<BufferLifetimes> lifetimes;
};
} // namespace

static constexpr const char *oneCall = R"mlir(
  %a = memref.alloc() : memref<64xi8>
  memref.copy %in, %a : memref<64xi8> to memref<64xi8>
  %b = memref.alloc() : memref<64xi8>
  call @f(%a, %b) {same} : (memref<64xi8>, memref<64xi8>) -> ()
  memref.copy %b, %out : memref<64xi8> to memref<64xi8>
)mlir";

TEST_F(InPlaceHooksTest, AnInterfaceMayBeAttached) {
  EXPECT_EQ(plan(oneCall).getSchedule()->poolSize, 128);
  func::CallOp::attachInterface<CallModel>(context);
  PoolPlan pool = plan(oneCall);
  EXPECT_EQ(pool.getSchedule()->poolSize, 64);
  EXPECT_EQ(pool.lowerBound.bytes, 64);
  ASSERT_EQ(pool.problem.inPlacePairs.size(), 1u);
  EXPECT_EQ(pool.problem.inPlacePairs[0],
            (InPlacePair{0, 1, InPlaceCondition::SameOffset}));
  // Only who asks for it gets it.
  options.findInPlacePairs = false;
  EXPECT_EQ(plan(oneCall).getSchedule()->poolSize, 128);
}

TEST_F(InPlaceHooksTest, AHookReplacesTheRules) {
  options.getInPlaceCondition = [](OpOperand &read, OpOperand &written) {
    return std::optional(InPlaceCondition::AnyOffset);
  };
  EXPECT_EQ(plan(oneCall).getSchedule()->poolSize, 64);
  options.getInPlaceCondition =
      [](OpOperand &, OpOperand &) -> std::optional<InPlaceCondition> {
    return std::nullopt;
  };
  EXPECT_EQ(plan(oneCall).getSchedule()->poolSize, 128);
}

TEST_F(InPlaceHooksTest, TwoBuffersMakeRoomForALargerOne) {
  func::CallOp::attachInterface<CallModel>(context);
  std::string body = R"mlir(
    %a = memref.alloc() : memref<64xi8>
    memref.copy %in, %a : memref<64xi8> to memref<64xi8>
    %b = memref.alloc() : memref<64xi8>
    memref.copy %in, %b : memref<64xi8> to memref<64xi8>
    %c = memref.alloc() : memref<128xi8>
    call @h(%a, %b, %c) {any} : (memref<64xi8>, memref<64xi8>, memref<128xi8>) -> ()
    %z = arith.constant 0 : index
    %v = memref.load %c[%z] : memref<128xi8>
    memref.store %v, %out[%z] : memref<64xi8>
  )mlir";
  EXPECT_EQ(plan(body).getSchedule()->poolSize, 128);
  // At a common offset there is room for one of the two.
  body.replace(body.find("{any}"), 5, "{same}");
  EXPECT_EQ(plan(body).getSchedule()->poolSize, 192);
}

TEST_F(InPlaceHooksTest, PartsOfBuffersHaveNoOffsetInCommon) {
  func::CallOp::attachInterface<CallModel>(context);
  std::string body = R"mlir(
    %a = memref.alloc() : memref<64xi8>
    memref.copy %in, %a : memref<64xi8> to memref<64xi8>
    %part = memref.subview %a[32] [32] [1] : memref<64xi8> to memref<32xi8, strided<[1], offset: 32>>
    %b = memref.alloc() : memref<64xi8>
    call @g(%part, %b) {same} : (memref<32xi8, strided<[1], offset: 32>>, memref<64xi8>) -> ()
    memref.copy %b, %out : memref<64xi8> to memref<64xi8>
  )mlir";
  EXPECT_TRUE(plan(body).problem.inPlacePairs.empty());
  body.replace(body.find("{same}"), 6, "{any}");
  EXPECT_EQ(plan(body).getSchedule()->poolSize, 64);
}

TEST_F(InPlaceHooksTest, EveryOperandOfABufferIsAskedFor) {
  // The last operand is the only one that may be written in place.
  func::CallOp::attachInterface<CallModel>(context);
  PoolPlan pool = plan(R"mlir(
    %a = memref.alloc() : memref<128xi8>
    %z = arith.constant 0 : index
    %x = memref.load %in[%z] : memref<64xi8>
    memref.store %x, %a[%z] : memref<128xi8>
    %b = memref.alloc() : memref<64xi8>
    call @h(%b, %b, %a) {any} : (memref<64xi8>, memref<64xi8>, memref<128xi8>) -> ()
    memref.copy %b, %out : memref<64xi8> to memref<64xi8>
  )mlir");
  EXPECT_TRUE(pool.problem.inPlacePairs.empty());
}

TEST_F(InPlaceHooksTest, AHookCannotLieAboutLifetimes) {
  // Whatever it says, a buffer that is still in use is not written over, nor
  // one of which it is not known which one it is.
  options.getInPlaceCondition = [](OpOperand &, OpOperand &) {
    return std::optional(InPlaceCondition::AnyOffset);
  };
  EXPECT_EQ(plan(R"mlir(
    %a = memref.alloc() : memref<64xi8>
    memref.copy %in, %a : memref<64xi8> to memref<64xi8>
    %b = memref.alloc() : memref<64xi8>
    call @f(%a, %b) : (memref<64xi8>, memref<64xi8>) -> ()
    call @f(%a, %b) : (memref<64xi8>, memref<64xi8>) -> ()
    memref.copy %b, %out : memref<64xi8> to memref<64xi8>
  )mlir")
                .getSchedule()
                ->poolSize,
            128);
  PoolPlan pool = plan(R"mlir(
    %a = memref.alloc() : memref<64xi8>
    memref.copy %in, %a : memref<64xi8> to memref<64xi8>
    %b = memref.alloc() : memref<64xi8>
    %z = arith.constant 0 : index
    %x = memref.load %in[%z] : memref<64xi8>
    %c = arith.trunci %x : i8 to i1
    %ab = arith.select %c, %a, %b : memref<64xi8>
    call @f(%ab, %ab) : (memref<64xi8>, memref<64xi8>) -> ()
    memref.copy %b, %out : memref<64xi8> to memref<64xi8>
  )mlir");
  EXPECT_TRUE(pool.problem.inPlacePairs.empty());
}

TEST_F(InPlaceHooksTest, AFillInFrontOverwrites) {
  // %z is filled in front of the first call, which reads %a after that (L12).
  func::CallOp::attachInterface<CallModel>(context);
  std::string body = R"mlir(
    %zero = arith.constant 0 : i8
    %z = memref.alloc() : memref<64xi8>
    linalg.fill ins(%zero : i8) outs(%z : memref<64xi8>)
    %a = memref.alloc() : memref<64xi8>
    memref.copy %z, %a : memref<64xi8> to memref<64xi8>
    call @f(%in, %a) : (memref<64xi8>, memref<64xi8>) -> ()
    call @f(%a, %z) {any} : (memref<64xi8>, memref<64xi8>) -> ()
    call @f(%z, %out) : (memref<64xi8>, memref<64xi8>) -> ()
  )mlir";
  options.findRefills = true;
  PoolPlan pool = plan(body);
  EXPECT_FALSE(pool.buffers.empty());
  EXPECT_TRUE(pool.problem.inPlacePairs.empty());
}

TEST_F(InPlaceHooksTest, ALiarIsNoPlan) {
  // A plan that says that a buffer dies where it does not: no pool is made.
  lifetimes.reset();
  plan(oneCall);
  planOptions.fixOffsets = [](Operation *, MergePlan &merged, PlanMessages &) {
    for (PoolPlan &pool : merged.pools)
      pool.problem.inPlacePairs = {{1, 0, InPlaceCondition::AnyOffset}};
    return success();
  };
  MergePlan merged = *computeMergePlan(*lifetimes, planOptions, messages);
  ASSERT_EQ(merged.pools.size(), 1u);
  EXPECT_EQ(merged.pools[0].getReason(), UnmergeableReason::NotScheduled);
  EXPECT_EQ(merged.pools[0].getNoPool()->message,
            "in-place pair 0: buffer 1 does not begin "
            "before buffer 0");
}
