//===- Tests of groups of deallocations -----------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/Dealloc/DeallocGroups.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
class DeallocGroupsTest : public testing::Test {
protected:
  DeallocGroupsTest() {
    context.loadDialect<memref::MemRefDialect>();
    module = ModuleOp::create(UnknownLoc::get(&context));
    OpBuilder builder(module->getBodyRegion());
    memref = memref::AllocOp::create(
        builder, module->getLoc(),
        MemRefType::get({1}, builder.getIntegerType(8)));
  }

  /// Tie `buffers` with a new deallocation.
  OpOperand *addGroup(DeallocGroups &groups, ArrayRef<unsigned> buffers) {
    auto builder = OpBuilder::atBlockEnd(module->getBody());
    auto op = memref::DeallocOp::create(builder, module->getLoc(), memref);
    OpOperand *dealloc = &op.getMemrefMutable();
    for (auto [index, buffer] : llvm::enumerate(buffers))
      EXPECT_EQ(groups.add(dealloc, buffer), index == 0);
    return dealloc;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Value memref;
};
} // namespace

TEST_F(DeallocGroupsTest, NothingStaysByItself) {
  DeallocGroups groups(3);
  EXPECT_TRUE(groups.findStaying().empty());
  addGroup(groups, {0, 1});
  addGroup(groups, {1, 2});
  EXPECT_TRUE(groups.findStaying().empty());
}

TEST_F(DeallocGroupsTest, OneStaysWithAllThatAreTiedToIt) {
  // The example of the header, with %e among the buffers that stay.
  DeallocGroups groups(3);
  addGroup(groups, {0, 1});
  OpOperand *ofBAndE = addGroup(groups, {1});
  addGroup(groups, {2});
  groups.addStaying(ofBAndE);
  auto staying = groups.findStaying();
  EXPECT_EQ(staying.lookup(groups.getGroup(0)), ofBAndE);
  EXPECT_EQ(staying.lookup(groups.getGroup(1)), ofBAndE);
  EXPECT_EQ(staying.lookup(groups.getGroup(2)), nullptr);
}

TEST_F(DeallocGroupsTest, TheFirstOfSeveralReasons) {
  DeallocGroups groups(2);
  OpOperand *first = addGroup(groups, {1, 0, 1});
  groups.addStaying(first);
  groups.addStaying(addGroup(groups, {0, 1}));
  EXPECT_EQ(groups.findStaying().size(), 1u);
  EXPECT_EQ(groups.findStaying().lookup(groups.getGroup(1)), first);
}

TEST_F(DeallocGroupsTest, TiedThroughOthers) {
  DeallocGroups groups(6);
  addGroup(groups, {4, 0});
  addGroup(groups, {4, 2});
  addGroup(groups, {3, 5});
  EXPECT_EQ(groups.getGroup(2), groups.getGroup(0));
  EXPECT_EQ(groups.getGroup(5), groups.getGroup(3));
  EXPECT_NE(groups.getGroup(3), groups.getGroup(0));
  EXPECT_NE(groups.getGroup(1), groups.getGroup(0));
}

TEST_F(DeallocGroupsTest, LongChainsTakeLinearTime) {
  constexpr unsigned numBuffers = 100000;
  DeallocGroups groups(numBuffers);
  groups.addStaying(addGroup(groups, {0}));
  for (unsigned i = 1; i < numBuffers; ++i)
    addGroup(groups, {i - 1, i});
  EXPECT_EQ(groups.getGroup(numBuffers - 1), 0u);
  EXPECT_EQ(groups.findStaying().size(), 1u);
}
