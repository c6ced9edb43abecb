//===- WorkgroupPool.cpp - Pools in workgroup memory ---------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkgroupPool.h"
#include "Mutation.h"
#include "Planning/GPU/KernelMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the bytes of `plan` as a launch before which `rewriter` inserts gives
/// them.
static Value createSize(RewriterBase &rewriter, Location loc,
                        const PoolPlan &plan) {
  return arith::ConstantIntOp::create(rewriter, loc, rewriter.getI32Type(),
                                      plan.getPool()->schedule.poolSize);
}

/// Let all launches of the kernel of `plan` give it the bytes of the pool.
static void setLaunchSizes(RewriterBase &rewriter, const PoolPlan &plan) {
  auto setSize = [&](auto launch) {
    rewriter.setInsertionPoint(launch);
    Value size = createSize(rewriter, launch.getLoc(), plan);
    rewriter.modifyOpInPlace(launch, [&] {
      launch.getDynamicSharedMemorySizeMutable().assign(size);
    });
  };
  if (auto launch = dyn_cast<gpu::LaunchOp>(plan.scope->getParentOp()))
    setSize(launch);
  for (gpu::LaunchFuncOp launch : plan.workgroup->launches)
    if (launch == plan.workgroup->launches.front() ||
        !isMutated("G9-every-launch"))
      setSize(launch);
}

/// Return the global of `module` that stands for its dynamic memory.
///
/// Without bytes, public and without a value it is lowered to `.extern .shared`
/// on NVIDIA and to an external LDS variable on AMD, which lie after all static
/// memory and keep the alignment. `gpu.dynamic_shared_memory` does neither.
static memref::GlobalOp getDynamicMemory(RewriterBase &rewriter,
                                         gpu::GPUModuleOp module,
                                         Attribute memorySpace,
                                         SymbolTableCollection &symbolTables) {
  auto type = MemRefType::get({0}, rewriter.getI8Type(),
                              MemRefLayoutAttrInterface(), memorySpace);
  for (auto global : module.getOps<memref::GlobalOp>())
    if (global.getType() == type && global.isPublic() && global.isExternal() &&
        global.getAlignment() == dynamicMemoryAlignment)
      return global;
  // It must not know the new symbol yet.
  SymbolTable &symbols = symbolTables.getSymbolTable(module);
  rewriter.setInsertionPointToStart(module.getBody());
  auto global = memref::GlobalOp::create(
      rewriter, module.getLoc(), "dynamic_shared_memory",
      /*sym_visibility=*/StringAttr(), type,
      /*initial_value=*/Attribute(), /*constant=*/false,
      rewriter.getI64IntegerAttr(dynamicMemoryAlignment));
  // Takes another name if there is such a symbol already.
  symbols.insert(global);
  return global;
}

static Value createDynamicMemory(RewriterBase &rewriter, const PoolPlan &plan,
                                 SymbolTableCollection &symbolTables) {
  setLaunchSizes(rewriter, plan);
  Operation *kernel = plan.scope->getParentOp();
  Location loc = kernel->getLoc();
  auto module = dyn_cast<gpu::GPUModuleOp>(kernel->getParentOp());
  // A launch has no module of its own yet, and no static memory.
  if (isa<gpu::LaunchOp>(kernel)) {
    rewriter.setInsertionPointToStart(&plan.scope->front());
    auto type = MemRefType::get({ShapedType::kDynamic}, rewriter.getI8Type(),
                                MemRefLayoutAttrInterface(), plan.memorySpace);
    return gpu::DynamicSharedMemoryOp::create(rewriter, loc, type);
  }
  memref::GlobalOp global =
      getDynamicMemory(rewriter, module, plan.memorySpace, symbolTables);
  rewriter.setInsertionPointToStart(&plan.scope->front());
  auto memory = memref::GetGlobalOp::create(rewriter, loc, global.getType(),
                                            global.getSymName());
  return memref::ReinterpretCastOp::create(
      rewriter, loc, plan.getPoolType(), memory, /*offset=*/0,
      ArrayRef<int64_t>{plan.getPool()->schedule.poolSize},
      ArrayRef<int64_t>{1});
}

/// Add an attribution of `type` to the kernel with the body `scope`.
static Value createAttribution(RewriterBase &rewriter, Region *scope,
                               MemRefType type, Location loc,
                               int64_t alignment) {
  auto kernel = cast<gpu::GPUFuncOp>(scope->getParentOp());
  Value attribution;
  rewriter.modifyOpInPlace(kernel, [&] {
    unsigned index = kernel.getNumWorkgroupAttributions();
    attribution = kernel.addWorkgroupAttribution(type, loc);
    kernel.setWorkgroupAttributionAttr(index,
                                       LLVM::LLVMDialect::getAlignAttrName(),
                                       rewriter.getI64IntegerAttr(alignment));
  });
  return attribution;
}

void buffer_merge::replaceByAttribution(RewriterBase &rewriter,
                                        const OwnAttribution &own) {
  memref::AllocOp alloc = own.buffer->alloc;
  rewriter.replaceOp(alloc, createAttribution(rewriter, own.buffer->scope,
                                              alloc.getType(), alloc.getLoc(),
                                              own.alignment));
}

Value buffer_merge::createWorkgroupPool(RewriterBase &rewriter,
                                        const PoolPlan &plan,
                                        SymbolTableCollection &symbolTables) {
  return plan.getPool()->storage == PoolStorage::Dynamic
             ? createDynamicMemory(rewriter, plan, symbolTables)
             : createAttribution(rewriter, plan.scope, plan.getPoolType(),
                                 plan.scope->getParentOp()->getLoc(),
                                 plan.getPool()->schedule.poolAlignment);
}

void buffer_merge::insertBarriers(RewriterBase &rewriter,
                                  const PoolPlan &plan) {
  if (!plan.workgroup)
    return;
  for (Operation *op : plan.workgroup->barriers) {
    rewriter.setInsertionPoint(op);
    gpu::BarrierOp::create(rewriter, op->getLoc());
  }
}
