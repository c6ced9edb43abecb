//===- RegionExecutionTest.cpp - How operations run their regions ---------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Analysis/RegionExecution.h"
#include "KernelFixture.h"
#include "buffer-merge/Analysis/BufferLifetimes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
/// Loops say by an attribute that their iterations are tasks.
struct LoopModel
    : public RegionExecutionOpInterface::ExternalModel<LoopModel, scf::ForOp> {
  RegionExecution getRegionExecution(Operation *op) const {
    return op->hasAttr("tasks") ? RegionExecution::Deferred
                                : RegionExecution::Repeated;
  }
};

class RegionExecutionTest : public KernelFixture {};
} // namespace

TEST_F(RegionExecutionTest, ExternalModel) {
  scf::ForOp::attachInterface<LoopModel>(context);
  parse(R"mlir(
    func.func @f(%n: index, %x: f32) {
      scf.for %i = %n to %n step %n {
        %a = memref.alloc() {name = "in loop"} : memref<16xf32>
        memref.store %x, %a[%i] : memref<16xf32>
      }
      scf.for %i = %n to %n step %n {
        %b = memref.alloc() {name = "in task"} : memref<16xf32>
        memref.store %x, %b[%i] : memref<16xf32>
      } {tasks}
      return
    })mlir");
  BufferLifetimes lifetimes(*module);
  auto getScope = [&](StringRef name) {
    return lifetimes.lookup(cast<memref::AllocOp>(find(name)))
        ->scope->getParentOp();
  };
  EXPECT_TRUE(isa<FunctionOpInterface>(getScope("in loop")));
  EXPECT_TRUE(isa<scf::ForOp>(getScope("in task")));
  EXPECT_EQ(getRegionExecution(getScope("in task")), RegionExecution::Deferred);
}
