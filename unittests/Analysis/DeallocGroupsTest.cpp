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

/// Buffers that stay, each with the number of a deallocation.
using Staying = std::vector<std::pair<unsigned, size_t>>;
/// Buffers in ascending order.
using Buffers = std::vector<unsigned>;

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

  /// Return the operand of a new deallocation.
  OpOperand *makeDealloc() {
    auto builder = OpBuilder::atBlockEnd(module->getBody());
    auto op = memref::DeallocOp::create(builder, module->getLoc(), memref);
    deallocs.push_back(&op.getMemrefMutable());
    return deallocs.back();
  }

  /// Add a group of `buffers` with a new deallocation.
  OpOperand *addGroup(DeallocGroups &groups, ArrayRef<unsigned> buffers) {
    OpOperand *dealloc = makeDealloc();
    EXPECT_TRUE(groups.insert(dealloc));
    for (unsigned buffer : buffers)
      groups.add(dealloc, buffer);
    return dealloc;
  }

  /// Return the buffers that have to stay, with the number of the deallocation
  /// that is the reason.
  Staying findStaying(const DeallocGroups &groups) const {
    Staying found;
    for (auto [buffer, dealloc] : groups.findStaying())
      found.emplace_back(buffer,
                         llvm::find(deallocs, dealloc) - deallocs.begin());
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Value memref;
  SmallVector<OpOperand *> deallocs;
};
} // namespace

/// Return the indices of the bits that are set.
static Buffers list(const llvm::BitVector &bits) {
  return Buffers(bits.set_bits_begin(), bits.set_bits_end());
}

TEST_F(DeallocGroupsTest, NothingStaysByItself) {
  DeallocGroups groups(3);
  EXPECT_EQ(findStaying(groups), Staying());
  addGroup(groups, {0, 1});
  addGroup(groups, {1, 2});
  EXPECT_EQ(findStaying(groups), Staying());
}

TEST_F(DeallocGroupsTest, OneStaysWithAllThatAreTiedToIt) {
  // The example of the header, with %e among the buffers that stay.
  DeallocGroups groups(3);
  addGroup(groups, {0, 1});
  OpOperand *ofBAndE = addGroup(groups, {1});
  addGroup(groups, {2});
  groups.addStaying(ofBAndE);
  EXPECT_EQ(findStaying(groups), (Staying{{1, 1}, {0, 0}}));
}

TEST_F(DeallocGroupsTest, EachStaysForOneReason) {
  DeallocGroups groups(2);
  for (int i = 0; i < 2; ++i)
    groups.addStaying(addGroup(groups, {0, 1, 0}));
  EXPECT_EQ(findStaying(groups), (Staying{{0, 1}, {1, 1}}));
}

TEST_F(DeallocGroupsTest, OrderOfBuffersDoesNotMatter) {
  DeallocGroups groups(4);
  groups.addStaying(addGroup(groups, {3, 1, 2}));
  EXPECT_EQ(findStaying(groups), (Staying{{1, 0}, {2, 0}, {3, 0}}));
}

TEST_F(DeallocGroupsTest, ADeallocationHasOneGroup) {
  DeallocGroups groups(2);
  OpOperand *dealloc = addGroup(groups, {0});
  EXPECT_FALSE(groups.insert(dealloc));
  groups.add(dealloc, 1);
  EXPECT_EQ(list(groups.findTied({0})), (Buffers{0, 1}));
}

TEST_F(DeallocGroupsTest, TiedThroughOthers) {
  DeallocGroups groups(6);
  addGroup(groups, {4, 0});
  addGroup(groups, {4, 2});
  // Whether something stays makes no difference.
  groups.addStaying(addGroup(groups, {3, 5}));
  EXPECT_EQ(list(groups.findTied({})), Buffers());
  EXPECT_EQ(list(groups.findTied({1})), (Buffers{1}));
  EXPECT_EQ(list(groups.findTied({0})), (Buffers{0, 2, 4}));
  EXPECT_EQ(list(groups.findTied({1, 5})), (Buffers{1, 3, 5}));
}

TEST_F(DeallocGroupsTest, LongChainsAreNoRecursion) {
  constexpr unsigned numBuffers = 100000;
  DeallocGroups groups(numBuffers);
  groups.addStaying(addGroup(groups, {0}));
  for (unsigned i = 1; i < numBuffers; ++i)
    addGroup(groups, {i - 1, i});
  EXPECT_EQ(groups.findStaying().size(), numBuffers);
  EXPECT_EQ(groups.findTied({numBuffers - 1}).count(), numBuffers);
}

TEST_F(DeallocGroupsTest, LargeGroupsThatOverlapTakeLinearTime) {
  constexpr unsigned numBuffers = 1000, numGroups = 1000;
  auto all = llvm::to_vector(llvm::seq(numBuffers));
  DeallocGroups groups(numBuffers);
  for (unsigned i = 0; i < numGroups; ++i)
    addGroup(groups, all);
  groups.addStaying(deallocs.front());
  EXPECT_EQ(groups.findStaying().size(), numBuffers);
  EXPECT_EQ(groups.findTied({7}).count(), numBuffers);
}
