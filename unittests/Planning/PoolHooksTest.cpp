//===- Tests of hooks that make pools ------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Transforms/BufferMerge.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
/// A function with two exits and two pools, one of which is freed.
class PoolHooksTest : public testing::Test {
protected:
  PoolHooksTest() {
    context.loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                        func::FuncDialect, memref::MemRefDialect>();
    module = parseSourceString<ModuleOp>(R"mlir(
      func.func private @acquire(index, index) -> memref<?xi8>
      func.func private @release(memref<?xi8>)
      func.func @f(%x: i8, %i: index, %c: i1) {
        %a = memref.alloc() : memref<64xi8>
        memref.store %x, %a[%i] : memref<64xi8>
        memref.dealloc %a : memref<64xi8>
        %s = memref.alloc() : memref<96xi8, 1>
        memref.store %x, %s[%i] : memref<96xi8, 1>
        %b = memref.alloc() : memref<64xi8>
        memref.store %x, %b[%i] : memref<64xi8>
        memref.dealloc %b : memref<64xi8>
        %t = memref.alloc() : memref<96xi8, 1>
        memref.store %x, %t[%i] : memref<96xi8, 1>
        cf.cond_br %c, ^bb1, ^bb2
      ^bb1:
        return
      ^bb2:
        return
      })mlir",
                                         &context);
    options.plan.scheduler = lookupScheduler("first-fit");
  }

  template <typename OpTy>
  int64_t count() {
    int64_t number = 0;
    module->walk([&](OpTy) { ++number; });
    return number;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  BufferMergeOptions options;
};
} // namespace

TEST_F(PoolHooksTest, TheDefaultAllocatesAndFrees) {
  FailureOr<BufferMergeResult> result = mergeBuffers(*module, options);
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(result->numPools, 2);
  EXPECT_EQ(count<memref::AllocOp>(), 2);
  // At both exits, one of the pools.
  EXPECT_EQ(count<memref::DeallocOp>(), 2);
}

TEST_F(PoolHooksTest, CallsOfARuntimeInstead) {
  SmallVector<int64_t> made, freed;
  options.createPool = [&](OpBuilder &builder, Location loc,
                           const PoolPlan &plan) -> Value {
    made.push_back(plan.getPool()->schedule.poolSize);
    if (plan.memorySpace)
      return createPoolAlloc(builder, loc, plan);
    Value bytes = arith::ConstantIndexOp::create(
        builder, loc, plan.getPool()->schedule.poolSize);
    Value alignment = arith::ConstantIndexOp::create(
        builder, loc, plan.getPool()->schedule.poolAlignment);
    auto type = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
    return func::CallOp::create(builder, loc, "acquire", type,
                                ValueRange{bytes, alignment})
        .getResult(0);
  };
  options.destroyPool = [&](OpBuilder &builder, Location loc,
                            const PoolPlan &plan, Value pool) {
    freed.push_back(plan.getPool()->schedule.poolSize);
    func::CallOp::create(builder, loc, "release", TypeRange(), pool);
  };
  ASSERT_TRUE(succeeded(mergeBuffers(*module, options)));
  ASSERT_TRUE(succeeded(verify(*module)));
  EXPECT_EQ(made, (SmallVector<int64_t>{64, 96}));
  EXPECT_EQ(freed, (SmallVector<int64_t>{64, 64}));
  EXPECT_EQ(count<memref::DeallocOp>(), 0);

  // In the order of the plan, at the front of the scope, whatever a hook needs.
  auto function = module->lookupSymbol<func::FuncOp>("f");
  SmallVector<StringRef> names;
  for (Operation &op :
       llvm::make_range(function.getBody().front().begin(),
                        std::next(function.getBody().front().begin(), 4)))
    names.push_back(op.getName().getStringRef());
  EXPECT_EQ(names, (SmallVector<StringRef>{"arith.constant", "arith.constant",
                                           "func.call", "memref.alloc"}));
}

TEST_F(PoolHooksTest, OtherStorageIsNotAsked) {
  options.plan.pool = PoolStorage::Stack;
  int64_t numAsked = 0;
  options.createPool = [&](OpBuilder &builder, Location loc,
                           const PoolPlan &plan) {
    ++numAsked;
    EXPECT_TRUE(plan.memorySpace);
    EXPECT_EQ(plan.getPool()->storageNote,
              "the stack is in another memory space");
    return createPoolAlloc(builder, loc, plan);
  };
  ASSERT_TRUE(succeeded(mergeBuffers(*module, options)));
  EXPECT_EQ(numAsked, 1);
  EXPECT_EQ(count<memref::AllocaOp>(), 1);
  EXPECT_EQ(count<memref::AllocOp>(), 1);
  EXPECT_EQ(count<memref::DeallocOp>(), 0);
}
