//===- PoolBuilder.cpp - Making pools -------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PoolBuilder.h"
#include "Mutation.h"
#include "Planning/ArenaPlan.h"
#include "WorkgroupPool.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace buffer_merge;

Value buffer_merge::createPoolAlloc(OpBuilder &builder, Location loc,
                                    const PoolPlan &plan) {
  return memref::AllocOp::create(
      builder, loc, plan.getPoolType(),
      builder.getI64IntegerAttr(plan.getPool()->schedule.poolAlignment));
}

void buffer_merge::createPoolDealloc(OpBuilder &builder, Location loc,
                                     const PoolPlan & /*plan*/, Value pool) {
  memref::DeallocOp::create(builder, loc, pool);
}

Value PoolBuilder::createGlobal(func::FuncOp function, MemRefType type,
                                int64_t alignment) {
  Location loc = function.getLoc();
  auto take = [&](memref::GlobalOp global) {
    return memref::GetGlobalOp::create(rewriter, loc, global.getType(),
                                       global.getSymName());
  };
  bool isShared =
      arenas && !type.getMemorySpace() && arenas->hasSharedGlobal(function);
  if (isShared && sharedGlobal)
    return take(sharedGlobal);
  std::string name = (function.getSymName() + "_pool").str();
  if (isShared) {
    ArenaPlan::SharedGlobal shared = arenas->getSharedGlobal();
    type = MemRefType::get({shared.bytes}, type.getElementType());
    alignment = shared.alignment;
    name = "entries_pool";
  }
  // It must not know the new symbol yet.
  SymbolTable &symbols = symbolTables.getSymbolTable(function->getParentOp());
  OpBuilder builder(function);
  auto global = memref::GlobalOp::create(
      builder, loc, name, builder.getStringAttr("private"), type,
      /*initial_value=*/builder.getUnitAttr(), /*constant=*/false,
      builder.getI64IntegerAttr(alignment));
  // Takes another name if there is such a symbol already.
  symbols.insert(global);
  if (isShared)
    sharedGlobal = global;
  return take(global);
}

Value PoolBuilder::create(const PoolPlan &plan) {
  PoolStorage storage = plan.getPool()->storage;
  if (storage == PoolStorage::Attribution || storage == PoolStorage::Dynamic)
    return createWorkgroupPool(rewriter, plan, symbolTables);
  Operation *&lastOp = lastOps[plan.scope];
  Block &entry = plan.scope->front();
  if (plan.first)
    rewriter.setInsertionPoint(plan.first);
  else if (lastOp)
    rewriter.setInsertionPointAfter(lastOp);
  else
    rewriter.setInsertionPointToStart(&entry);
  Location loc = plan.scope->getLoc();
  Value pool;
  switch (storage) {
  case PoolStorage::Alloc:
    pool = options.createPool(rewriter, loc, plan);
    break;
  case PoolStorage::Stack:
    pool = memref::AllocaOp::create(
        rewriter, loc, plan.getPoolType(),
        rewriter.getI64IntegerAttr(plan.getPool()->schedule.poolAlignment));
    break;
  case PoolStorage::Arena: {
    auto function = cast<func::FuncOp>(plan.scope->getParentOp());
    pool = function.getArgument(*findArenaArgument(function));
    break;
  }
  case PoolStorage::Global:
    pool = createGlobal(cast<func::FuncOp>(plan.scope->getParentOp()),
                        plan.getPoolType(),
                        plan.getPool()->schedule.poolAlignment);
    break;
  case PoolStorage::Attribution:
  case PoolStorage::Dynamic:
    llvm_unreachable("made above");
  }
  if (!plan.first && rewriter.getInsertionPoint() != entry.begin())
    lastOp = &*std::prev(rewriter.getInsertionPoint());
  return pool;
}

void PoolBuilder::freeAtExits(const PoolPlan &plan, Value pool) {
  if (plan.getPool()->storage != PoolStorage::Alloc &&
      !isMutated("pool-is-freed-although-not-allocated"))
    return;
  // The memory of a workgroup is that of its kernel.
  if (plan.workgroup && !isMutated("G6-workgroup-memory-is-freed"))
    return;
  // Passes that insert deallocations must know that they are not to free it.
  auto mark = [&](Operation *op) {
    if (!plan.isDeallocated() &&
        !isMutated("R3-pool-across-blocks-is-not-marked") &&
        isa_and_present<memref::AllocOp, memref::DeallocOp>(op))
      op->setAttr(bufferization::BufferizationDialect::kManualDeallocation,
                  rewriter.getUnitAttr());
  };
  mark(pool.getDefiningOp());
  if (plan.last) {
    rewriter.setInsertionPointAfter(plan.last);
    options.destroyPool(rewriter, pool.getLoc(), plan, pool);
    mark(plan.last->getNextNode());
    return;
  }
  for (Block &block : *plan.scope) {
    if (block.getNumSuccessors() != 0)
      continue;
    Operation *terminator = block.getTerminator();
    rewriter.setInsertionPoint(terminator);
    options.destroyPool(rewriter, pool.getLoc(), plan, pool);
    if (isMutated("R3-pool-is-freed-at-one-exit"))
      break;
    mark(terminator->getPrevNode());
  }
}

void PoolBuilder::discard(const PoolPlan &plan, Value pool) {
  Operation *op = pool.getDefiningOp();
  if (!op || !pool.use_empty())
    return;
  if (auto getGlobal = dyn_cast<memref::GetGlobalOp>(op);
      getGlobal && plan.getPool()->storage == PoolStorage::Global &&
      !(sharedGlobal && getGlobal.getName() == sharedGlobal.getSymName())) {
    Operation *module = plan.scope->getParentOp()->getParentOp();
    SymbolTable &symbols = symbolTables.getSymbolTable(module);
    symbols.erase(symbols.lookup(getGlobal.getName()));
  }
  if (isa<memref::AllocOp, memref::AllocaOp, memref::GetGlobalOp>(op))
    rewriter.eraseOp(op);
}
