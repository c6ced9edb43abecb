//===- WorkgroupPool.cpp - Pools in workgroup memory ---------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkgroupPool.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace buffer_merge;

Value buffer_merge::createWorkgroupPool(RewriterBase &rewriter,
                                        const PoolPlan &plan) {
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
