//===- Tests of what threads agree on ------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/GPU/Uniformity.h"
#include "KernelFixture.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
class UniformityTest : public KernelFixture {
protected:
  /// Return whether the first result of the operation `name` is uniform.
  bool isUniform(StringRef name) {
    return Uniformity(getKernel(), {}).isUniform(find(name)->getResult(0));
  }
  bool isUniformRegionOp(StringRef name) {
    return Uniformity(getKernel(), {}).isUniformRegionOp(find(name));
  }
};

TEST_F(UniformityTest, ValuesOfOneThread) {
  parseKernel(R"mlir(
    %b = gpu.block_id x {name = "block"}
    %s = arith.addi %b, %n {name = "sum"} : index
    %d = arith.addi %s, %t {name = "of thread"} : index
    %l = gpu.lane_id {name = "lane"}
    %m = memref.alloca() : memref<1xindex>
    %v = memref.load %m[%c0] {name = "loaded"} : memref<1xindex>
    %u = "unknown.op"() {name = "unknown"} : () -> index
  )mlir");
  EXPECT_TRUE(isUniform("block"));
  EXPECT_TRUE(isUniform("sum"));
  EXPECT_FALSE(isUniform("of thread"));
  EXPECT_FALSE(isUniform("lane"));
  EXPECT_FALSE(isUniform("loaded"));
  EXPECT_FALSE(isUniform("unknown"));
}

TEST_F(UniformityTest, CarriedValues) {
  // The second value becomes the first one an iteration later.
  parseKernel(R"mlir(
    %r:3 = scf.for %i = %c0 to %n step %c1
        iter_args(%p = %c0, %q = %t, %o = %c0) -> (index, index, index) {
      %next = arith.addi %o, %i : index
      scf.yield %q, %p, %next : index, index, index
    } {name = "loop"}
  )mlir");
  Uniformity uniformity(getKernel(), {});
  Operation *loop = find("loop");
  EXPECT_FALSE(uniformity.isUniform(loop->getResult(0)));
  EXPECT_FALSE(uniformity.isUniform(loop->getResult(1)));
  EXPECT_TRUE(uniformity.isUniform(loop->getResult(2)));
  EXPECT_TRUE(uniformity.isUniformRegionOp(loop));
}

TEST_F(UniformityTest, ThreadsPart) {
  parseKernel(R"mlir(
    %c = arith.cmpi slt, %t, %n : index
    %r = scf.if %c -> (index) {
      scf.yield %c0 : index
    } else {
      scf.yield %c1 : index
    } {name = "branch"}
    scf.for %i = %c0 to %t step %c1 {
      %s = arith.addi %i, %c1 {name = "counter"} : index
    } {name = "loop"}
    %w = scf.while (%a = %c0) : (index) -> index {
      %go = arith.cmpi slt, %a, %t : index
      scf.condition(%go) %a : index
    } do {
    ^bb0(%a: index):
      scf.yield %a : index
    } attributes {name = "while"}
  )mlir");
  EXPECT_FALSE(isUniform("branch"));
  EXPECT_FALSE(isUniform("counter"));
  EXPECT_FALSE(isUniform("while"));
  EXPECT_FALSE(isUniformRegionOp("branch"));
  EXPECT_FALSE(isUniformRegionOp("loop"));
  EXPECT_FALSE(isUniformRegionOp("while"));
}

TEST_F(UniformityTest, EqualNumbers) {
  auto parseWith = [&](StringRef attributes) {
    parse(("gpu.module @m { gpu.func @k() kernel " + attributes + R"mlir( {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %t = gpu.thread_id x
      %y = gpu.thread_id y
      %group = arith.divui %t, %c64 : index
      %first = arith.cmpi eq, %group, %c0 : index
      %r = scf.if %first -> (index) {
        scf.yield %c0 : index
      } else {
        scf.yield %c64 : index
      } {name = "group"}
      %row = arith.cmpi eq, %y, %c0 : index
      scf.if %row {
      } {name = "row"}
      %one = arith.cmpi eq, %t, %c0 : index
      scf.if %one {
      } {name = "one"}
      gpu.return } })mlir")
              .str());
  };
  parseWith("attributes {known_block_size = array<i32: 64, 1, 1>}");
  EXPECT_TRUE(isUniformRegionOp("group"));
  EXPECT_TRUE(isUniform("group"));
  EXPECT_TRUE(isUniformRegionOp("row"));
  EXPECT_FALSE(isUniformRegionOp("one"));
  parseWith("attributes {known_block_size = array<i32: 65, 2, 1>}");
  EXPECT_FALSE(isUniformRegionOp("group"));
  EXPECT_FALSE(isUniform("group"));
  EXPECT_FALSE(isUniformRegionOp("row"));
  parseWith("");
  EXPECT_FALSE(isUniformRegionOp("group"));
  EXPECT_FALSE(isUniformRegionOp("row"));
}

TEST_F(UniformityTest, SeveralBlocks) {
  parseKernel(R"mlir(
    %r = scf.execute_region -> index {
      cf.br ^bb1
    ^bb1:
      scf.yield %c0 : index
    } {name = "region"}
  )mlir");
  EXPECT_FALSE(isUniform("region"));
  EXPECT_FALSE(isUniformRegionOp("region"));
}

TEST_F(UniformityTest, Arguments) {
  // Those of a kernel are the same for all threads; any thread may call a
  // function with its own.
  parseKernel("");
  Region &kernel = getKernel();
  EXPECT_TRUE(Uniformity(kernel, {}).isUniform(kernel.getArgument(0)));
  parse("func.func @f(%n: index) { return }");
  Region &function = (*module->getOps<func::FuncOp>().begin()).getBody();
  EXPECT_FALSE(Uniformity(function, {}).isUniform(function.getArgument(0)));
}
} // namespace
