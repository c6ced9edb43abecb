//===- WorkgroupPool.cpp - Pools in workgroup memory ---------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkgroupPool.h"
#include "Analysis/ArgumentSizes.h"
#include "Analysis/GPU/RuntimeTiles.h"
#include "Analysis/GPU/WorkgroupMemory.h"
#include "Compatibility.h"
#include "Mutation.h"
#include "Planning/GPU/KernelMemory.h"
#include "RuntimePoolBuilder.h"

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
  return arith::ConstantIntOp::create(
      rewriter, loc, rewriter.getI32Type(),
      getDynamicBytes(plan.getPool()->schedule));
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

/// Return `memory`, dynamic memory of any size, as the pool of `plan`. Stock
/// lowering aligns it to less than the pool may need: then the pool begins at
/// the first byte that is aligned.
static Value alignPool(RewriterBase &rewriter, Location loc, Value memory,
                       const PoolPlan &plan) {
  const Schedule &schedule = plan.getPool()->schedule;
  int64_t alignment = schedule.poolAlignment;
  int64_t bytes = getDynamicBytes(schedule);
  if (bytes == schedule.poolSize &&
      isa<gpu::LaunchOp>(plan.scope->getParentOp()))
    return memory;
  auto type = MemRefType::get({bytes}, rewriter.getI8Type(),
                              MemRefLayoutAttrInterface(), plan.memorySpace);
  Value all = memref::ReinterpretCastOp::create(
      rewriter, loc, type, memory, /*offset=*/0, ArrayRef<int64_t>{bytes},
      ArrayRef<int64_t>{1});
  if (bytes == schedule.poolSize || isMutated("G9-alignment"))
    return all;
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(rewriter, loc, memory);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value mask = arith::ConstantIndexOp::create(rewriter, loc, alignment - 1);
  Value negative = arith::SubIOp::create(rewriter, loc, zero, address);
  Value skipped = arith::AndIOp::create(rewriter, loc, negative, mask);
  return memref::ViewOp::create(rewriter, loc, plan.getPoolType(), all, skipped,
                                /*sizes=*/ValueRange());
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
    return alignPool(rewriter, loc,
                     gpu::DynamicSharedMemoryOp::create(rewriter, loc, type),
                     plan);
  }
  memref::GlobalOp global =
      getDynamicMemory(rewriter, module, plan.memorySpace, symbolTables);
  rewriter.setInsertionPointToStart(&plan.scope->front());
  auto memory = memref::GetGlobalOp::create(rewriter, loc, global.getType(),
                                            global.getSymName());
  return alignPool(rewriter, loc, memory, plan);
}

void buffer_merge::buildKernelPool(RewriterBase &rewriter,
                                   const RuntimePool &pool,
                                   SymbolTableCollection &symbolTables,
                                   SmallVectorImpl<Value> &views) {
  auto kernel = cast<gpu::GPUFuncOp>(pool.buffers.front()->function);
  Location loc = kernel.getLoc();
  memref::GlobalOp global =
      getDynamicMemory(rewriter, kernel->getParentOfType<gpu::GPUModuleOp>(),
                       pool.memorySpace, symbolTables);
  auto type = MemRefType::get({ShapedType::kDynamic}, rewriter.getI8Type(),
                              MemRefLayoutAttrInterface(), pool.memorySpace);
  Value needed = buildPoolsBehind(
      rewriter, &kernel.getBody().front(), pool.staticBytes, &pool, views,
      [&](Value bytes) -> Value {
        Value memory = memref::GetGlobalOp::create(
            rewriter, loc, global.getType(), global.getSymName());
        return memref::ReinterpretCastOp::create(
            rewriter, loc, type, memory, rewriter.getIndexAttr(0),
            ArrayRef<OpFoldResult>{bytes},
            ArrayRef<OpFoldResult>{rewriter.getIndexAttr(1)});
      });
  for (Operation *op : pool.launches) {
    auto launch = cast<gpu::LaunchFuncOp>(op);
    rewriter.setInsertionPoint(launch);
    IRMapping there;
    auto getSource = [&](Value value) -> Value {
      if (std::optional<ArgumentSize> size = findArgumentSize(value)) {
        Value operand = launch.getKernelOperands()[size->argument];
        if (!size->dimension)
          return operand;
        return memref::DimOp::create(rewriter, launch.getLoc(), operand,
                                     *size->dimension);
      }
      std::optional<LaunchSize> size = findLaunchSize(value);
      if (!size)
        return Value();
      gpu::KernelDim3 sizes = size->isOfGrid
                                  ? launch.getGridSizeOperandValues()
                                  : launch.getBlockSizeOperandValues();
      Value result = size->dimension == gpu::Dimension::x   ? sizes.x
                     : size->dimension == gpu::Dimension::y ? sizes.y
                                                            : sizes.z;
      if (result.getType().isIndex())
        return result;
      return arith::IndexCastOp::create(rewriter, launch.getLoc(),
                                        rewriter.getIndexType(), result);
    };
    Value bytes = computeFromArgumentSizes(rewriter, needed, there, getSource);
    // A launch with more bytes than there are fails.
    Value most = arith::ConstantIndexOp::create(
        rewriter, launch.getLoc(), std::numeric_limits<int32_t>::max());
    bytes = arith::MinUIOp::create(rewriter, launch.getLoc(), bytes, most);
    bytes = arith::IndexCastOp::create(rewriter, launch.getLoc(),
                                       rewriter.getI32Type(), bytes);
    rewriter.modifyOpInPlace(launch, [&] {
      launch.getDynamicSharedMemorySizeMutable().assign(bytes);
    });
  }
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
  memref::AllocOp alloc = own.buffer->getAllocOp();
  rewriter.replaceOp(alloc, createAttribution(rewriter, own.buffer->scope,
                                              alloc.getType(), alloc.getLoc(),
                                              own.alignment));
}

void buffer_merge::eraseAttributions(RewriterBase &rewriter,
                                     gpu::GPUFuncOp kernel,
                                     const llvm::DenseSet<Value> &merged) {
  llvm::BitVector erased(kernel.getBody().getNumArguments());
  SmallVector<Attribute> attributes;
  ArrayAttr all = kernel.getWorkgroupAttribAttrsAttr();
  for (auto [index, attribution] :
       llvm::enumerate(getWorkgroupArguments(kernel))) {
    if (merged.contains(attribution))
      erased.set(attribution.getArgNumber());
    else if (all && index < all.size())
      attributes.push_back(all[index]);
  }
  rewriter.modifyOpInPlace(kernel, [&] {
    setNumWorkgroupAttributions(kernel, kernel.getNumWorkgroupAttributions() -
                                            erased.count());
    if (attributes.empty())
      kernel.removeWorkgroupAttribAttrsAttr();
    else
      kernel.setWorkgroupAttribAttrsAttr(rewriter.getArrayAttr(attributes));
    kernel.getBody().front().eraseArguments(erased);
  });
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
    if (llvm::is_contained(plan.workgroup->fencedBarriers, op))
      createProxyFence(rewriter, op->getLoc());
    gpu::BarrierOp::create(rewriter, op->getLoc());
  }
}
