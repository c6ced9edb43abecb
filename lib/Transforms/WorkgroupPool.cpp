//===- WorkgroupPool.cpp - Pools in workgroup memory ---------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkgroupPool.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the bytes of `plan` as a launch before which `rewriter` inserts gives
/// them.
static Value createSize(RewriterBase &rewriter, Location loc,
                        const PoolPlan &plan) {
  return arith::ConstantIntOp::create(rewriter, loc, rewriter.getI32Type(),
                                      plan.schedule.poolSize);
}

static Value createDynamicMemory(RewriterBase &rewriter, const PoolPlan &plan) {
  Operation *kernel = plan.scope->getParentOp();
  auto setSize = [&](auto launch) {
    rewriter.setInsertionPoint(launch);
    Value size = createSize(rewriter, launch.getLoc(), plan);
    rewriter.modifyOpInPlace(launch, [&] {
      launch.getDynamicSharedMemorySizeMutable().assign(size);
    });
  };
  if (auto launch = dyn_cast<gpu::LaunchOp>(kernel))
    setSize(launch);
  for (gpu::LaunchFuncOp launch : plan.launches)
    setSize(launch);
  rewriter.setInsertionPointToStart(&plan.scope->front());
  auto type = MemRefType::get({ShapedType::kDynamic}, rewriter.getI8Type(),
                              MemRefLayoutAttrInterface(), plan.memorySpace);
  return gpu::DynamicSharedMemoryOp::create(rewriter, kernel->getLoc(), type);
}

static Value createAttribution(RewriterBase &rewriter, const PoolPlan &plan) {
  auto kernel = cast<gpu::GPUFuncOp>(plan.scope->getParentOp());
  auto type = MemRefType::get({plan.schedule.poolSize}, rewriter.getI8Type(),
                              MemRefLayoutAttrInterface(), plan.memorySpace);
  Value pool;
  rewriter.modifyOpInPlace(kernel, [&] {
    unsigned index = kernel.getNumWorkgroupAttributions();
    pool = kernel.addWorkgroupAttribution(type, kernel.getLoc());
    kernel.setWorkgroupAttributionAttr(
        index, LLVM::LLVMDialect::getAlignAttrName(),
        rewriter.getI64IntegerAttr(plan.schedule.poolAlignment));
  });
  return pool;
}

Value buffer_merge::createWorkgroupPool(RewriterBase &rewriter,
                                        const PoolPlan &plan) {
  return plan.kind == PoolKind::Dynamic ? createDynamicMemory(rewriter, plan)
                                        : createAttribution(rewriter, plan);
}

void buffer_merge::insertBarriers(RewriterBase &rewriter,
                                  const PoolPlan &plan) {
  for (Operation *op : plan.barriers) {
    rewriter.setInsertionPoint(op);
    gpu::BarrierOp::create(rewriter, op->getLoc());
  }
}
