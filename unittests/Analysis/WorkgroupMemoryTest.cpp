//===- Tests of barriers and kernels -------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/GPU/WorkgroupMemory.h"
#include "Analysis/GPU/DeviceCode.h"
#include "KernelFixture.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
class WorkgroupMemoryTest : public KernelFixture {
protected:
  /// Return the reason why the operation `name` is in no kernel.
  UnmergeableReason getReason(StringRef name) {
    return std::get<Refusal>(
               findKernel(find(name), DeviceCode(*module, WorkgroupOptions())))
        .reason;
  }
};

TEST_F(WorkgroupMemoryTest, Spaces) {
  WorkgroupOptions options;
  auto number = IntegerAttr::get(IntegerType::get(&context, 64), 3);
  auto getSpace = [&](gpu::AddressSpace space) {
    return gpu::AddressSpaceAttr::get(&context, space);
  };
  EXPECT_TRUE(
      options.isWorkgroupSpace(getSpace(gpu::AddressSpace::Workgroup), true));
  EXPECT_FALSE(
      options.isWorkgroupSpace(getSpace(gpu::AddressSpace::Private), true));
  EXPECT_FALSE(options.isWorkgroupSpace(Attribute(), true));
  EXPECT_FALSE(options.isWorkgroupSpace(number, true));
  options.spaces.push_back(number);
  EXPECT_TRUE(options.isWorkgroupSpace(number, true));
  options.spaces.clear();
  options.deviceSpaces.push_back(number);
  EXPECT_TRUE(options.isWorkgroupSpace(number, true));
  EXPECT_FALSE(options.isWorkgroupSpace(number, false));
}

TEST_F(WorkgroupMemoryTest, Barriers) {
  parseKernel(R"mlir(
    gpu.barrier
    gpu.barrier {tile}
    gpu.barrier {address_spaces = [#gpu.address_space<global>]}
    "my.barrier"() {name = "mine"} : () -> ()
    "amdgpu.other"() {name = "other"} : () -> ()
  )mlir");
  WorkgroupOptions options;
  SmallVector<bool> isBarrier;
  module->walk([&](gpu::BarrierOp op) {
    isBarrier.push_back(options.isWorkgroupBarrier(op));
  });
  // One that orders other memory is none.
  EXPECT_EQ(isBarrier, SmallVector<bool>({true, true, false}));
  EXPECT_FALSE(options.isWorkgroupBarrier(find("mine")));
  options.barrierOps.push_back("my.barrier");
  EXPECT_TRUE(options.isWorkgroupBarrier(find("mine")));
  EXPECT_FALSE(options.isWorkgroupBarrier(find("other")));
  options.isBarrier = [](Operation *op) { return op->hasAttr("name"); };
  EXPECT_TRUE(options.isWorkgroupBarrier(find("other")));
}

TEST_F(WorkgroupMemoryTest, Kernels) {
  parse(R"mlir(
    gpu.module @m {
      gpu.func @kernel(%n: index) kernel {
        scf.for %i = %n to %n step %n {
          %a = memref.alloc() {name = "in loop"} : !wg
        }
        scf.forall (%t) in (%n) {
          %a = memref.alloc() {name = "in thread"} : !wg
        } {mapping = [#gpu.thread<x>]}
        gpu.return
      }
      gpu.func @device() {
        %a = memref.alloc() {name = "in device function"} : !wg
        gpu.return
      }
      gpu.func @blocks() kernel {
        %a = memref.alloc() {name = "in blocks"} : !wg
        cf.br ^bb1
      ^bb1:
        gpu.return
      }
    }
    func.func @function(%n: index) {
      %a = memref.alloc() {name = "in function"} : !wg
      scf.forall (%t) in (%n) {
        %b = memref.alloc() {name = "in workgroup"} : !wg
      }
      return
    })mlir");
  auto getKernelOp = [&](StringRef name) {
    return std::get<Region *>(
               findKernel(find(name), DeviceCode(*module, WorkgroupOptions())))
        ->getParentOp();
  };
  EXPECT_TRUE(isa<gpu::GPUFuncOp>(getKernelOp("in loop")));
  EXPECT_TRUE(isa<func::FuncOp>(getKernelOp("in function")));
  EXPECT_TRUE(isa<scf::ForallOp>(getKernelOp("in workgroup")));
  EXPECT_EQ(getReason("in thread"), UnmergeableReason::NoAllocScope);
  EXPECT_EQ(getReason("in device function"), UnmergeableReason::NotAKernel);
  EXPECT_EQ(getReason("in blocks"), UnmergeableReason::Unstructured);
  EXPECT_FALSE(mayRunAgain(&getKernelOp("in loop")->getRegion(0), {}));
  EXPECT_TRUE(mayRunAgain(&getKernelOp("in function")->getRegion(0), {}));
}

TEST_F(WorkgroupMemoryTest, Mappings) {
  auto isMapped = [&](StringRef mapping) {
    parse(
        ("func.func @f() { scf.forall (%t) in (2) {} " + mapping + " return }")
            .str());
    bool result = false;
    module->walk([&](scf::ForallOp op) {
      result = getLoopMapping(op) == LoopMapping::Threads;
    });
    return result;
  };
  EXPECT_FALSE(isMapped(""));
  EXPECT_FALSE(isMapped("{mapping = [#gpu.block<x>]}"));
  EXPECT_TRUE(isMapped("{mapping = [#gpu.thread<x>]}"));
  EXPECT_TRUE(isMapped("{mapping = [#gpu.warpgroup<x>]}"));
  EXPECT_TRUE(
      isMapped("{mapping = [#gpu.warp<linear_dim_0>, #gpu.mask<0x3>]}"));
  EXPECT_FALSE(
      isMapped("{mapping = [#gpu.block<linear_dim_0>, #gpu.mask<0x3>]}"));
}
} // namespace
