//===- Tests of instances and their slots --------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Transforms/RotateCarriedBuffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
/// A nest of three loops, of which the inner two carry a buffer.
class RotateCarriedBuffersTest : public testing::Test {
protected:
  RotateCarriedBuffersTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        memref::MemRefDialect, scf::SCFDialect>();
    module = parseSourceString<ModuleOp>(R"mlir(
      func.func @f(%init: memref<8xi8>, %n: index, %s: index) {
        scf.for %i = %s to %n step %s {
          %x = scf.for %j = %s to %n step %s iter_args(%p = %init)
              -> memref<8xi8> {
            %y = scf.for %k = %s to %n step %s iter_args(%old = %p)
                -> memref<8xi8> {
              %a = memref.alloc() : memref<8xi8>
              memref.copy %old, %a : memref<8xi8> to memref<8xi8>
              scf.yield %a : memref<8xi8>
            }
            scf.yield %y : memref<8xi8>
          }
          memref.copy %x, %init : memref<8xi8> to memref<8xi8>
        }
        return
      })mlir",
                                         &context);
  }

  /// Return the first operation `OpTy` in the order of the text.
  template <typename OpTy>
  OpTy findFirst() {
    OpTy found;
    module->walk<WalkOrder::PreOrder>([&](OpTy op) {
      found = op;
      return WalkResult::interrupt();
    });
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  RotateCarriedBuffersOptions options;
};
} // namespace

TEST_F(RotateCarriedBuffersTest, FindsLoopsAndHome) {
  BufferLifetimes lifetimes(*module, options.lifetimes);
  CarriedInstances instances(*module, lifetimes, options.instances);
  ASSERT_EQ(instances.getBuffers().size(), 1u);
  const CarriedBuffer &buffer = instances.getBuffers().front();
  EXPECT_TRUE(buffer.isCarried);
  EXPECT_FALSE(buffer.obstacle);
  EXPECT_EQ(buffer.numInstances, 2);
  auto outer = findFirst<scf::ForOp>();
  ASSERT_EQ(buffer.loops.size(), 2u);
  EXPECT_EQ(buffer.loops[0]->getParentOp(), outer);
  EXPECT_EQ(buffer.loops[1]->getParentOp(), buffer.loops[0]);
  // From the body of the innermost loop to that of the outermost.
  EXPECT_EQ(buffer.homeLevel, 2u);
  EXPECT_EQ(buffer.scope, &findFirst<func::FuncOp>().getBody());
}

TEST_F(RotateCarriedBuffersTest, PutsSlotsIntoTheHome) {
  RotateCarriedBuffersResult result = rotateCarriedBuffers(*module, options);
  EXPECT_EQ(result.numRotated, 1);
  EXPECT_EQ(result.numSlots, 2);
  EXPECT_EQ(result.numLeft, 0);
  EXPECT_TRUE(succeeded(verify(*module)));
  EXPECT_EQ(findFirst<memref::AllocOp>()->getParentOp(),
            findFirst<scf::ForOp>());
}

TEST_F(RotateCarriedBuffersTest, PutsSlotsIntoTheScope) {
  options.slots = SlotPlace::Scope;
  rotateCarriedBuffers(*module, options);
  EXPECT_TRUE(succeeded(verify(*module)));
  EXPECT_EQ(findFirst<memref::AllocOp>()->getParentOp(),
            findFirst<func::FuncOp>());
}

TEST_F(RotateCarriedBuffersTest, LeavesAloneWhatNeedsMoreSlots) {
  options.instances.maxInstances = 1;
  BufferLifetimes lifetimes(*module, options.lifetimes);
  CarriedInstances instances(*module, lifetimes, options.instances);
  ASSERT_EQ(instances.getBuffers().size(), 1u);
  EXPECT_EQ(instances.getBuffers()[0].obstacle,
            CarriedObstacle::TooManyInstances);
  EXPECT_EQ(instances.getBuffers()[0].obstacleOp, findFirst<memref::CopyOp>());
  IRRewriter rewriter(&context);
  RotateCarriedBuffersResult result =
      applyRotation(rewriter, instances, options.slots);
  EXPECT_EQ(result.numRotated, 0);
  EXPECT_EQ(result.numSlots, 0);
  EXPECT_EQ(result.numLeft, 1);
}

// What a user of the library excludes is not rotated either.
TEST_F(RotateCarriedBuffersTest, AsksTheHookOfLifetimes) {
  options.lifetimes.isEligible = [](memref::AllocOp) { return false; };
  RotateCarriedBuffersResult result = rotateCarriedBuffers(*module, options);
  EXPECT_EQ(result.numRotated, 0);
  EXPECT_EQ(result.numLeft, 0);
}

// Lifetimes may be asked for buffers whose size has a bound. Slots would need
// the size where it is not known yet.
TEST_F(RotateCarriedBuffersTest, LeavesDynamicShapesAlone) {
  module = parseSourceString<ModuleOp>(R"mlir(
    func.func @f(%init: memref<?xi8>, %n: index, %s: index) {
      %c8 = arith.constant 8 : index
      scf.for %i = %s to %n step %s iter_args(%old = %init) -> memref<?xi8> {
        %size = arith.minui %i, %c8 : index
        %a = memref.alloc(%size) : memref<?xi8>
        memref.copy %old, %a : memref<?xi8> to memref<?xi8>
        scf.yield %a : memref<?xi8>
      }
      return
    })mlir",
                                       &context);
  ASSERT_TRUE(module);
  options.lifetimes.dynamic = DynamicPolicy::Bounded;
  RotateCarriedBuffersResult result = rotateCarriedBuffers(*module, options);
  EXPECT_EQ(result.numRotated, 0);
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST(CarriedObstacle, HasNamesAndDescriptions) {
  for (CarriedObstacle obstacle :
       {CarriedObstacle::Use, CarriedObstacle::Blocks,
        CarriedObstacle::LoopNest, CarriedObstacle::TooManyInstances,
        CarriedObstacle::DeallocGroup, CarriedObstacle::NoBarrier}) {
    EXPECT_FALSE(getObstacleName(obstacle).empty());
    EXPECT_FALSE(getObstacleDescription(obstacle).ends_with("."));
  }
}
