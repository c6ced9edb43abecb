//===- PoolBuilder.cpp - Making pools -------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PoolBuilder.h"
#include "Mutation.h"
#include "Planning/Storage/ArenaPlan.h"
#include "Planning/Storage/StaticGlobals.h"
#include "PoolSlots.h"
#include "WorkgroupPool.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// Say at `op`, which makes a pool of `bytes` bytes in `region`, if that is not
/// null, where in which memory of the target it is. One that exceeds it is
/// nowhere.
static void annotateRegion(Operation *op, const PoolRegion *region,
                           int64_t bytes) {
  if (!region || bytes > region->range.end - region->range.begin)
    return;
  Builder builder(op->getContext());
  SmallVector<NamedAttribute> entries = {
      builder.getNamedAttr("name", builder.getStringAttr(region->region->name)),
      builder.getNamedAttr("offset",
                           builder.getI64IntegerAttr(region->range.begin))};
  if (std::optional<int64_t> address = region->getAddress())
    entries.push_back(
        builder.getNamedAttr("address", builder.getI64IntegerAttr(*address)));
  op->setAttr(poolRegionAttrName, builder.getDictionaryAttr(entries));
}

/// Return the region of `plan`, or null.
static const PoolRegion *getRegion(const PoolPlan &plan) {
  return plan.region ? &*plan.region : nullptr;
}

Value PoolBuilder::createGlobal(func::FuncOp function, Attribute memorySpace,
                                const PoolRegion *region) {
  Location loc = function.getLoc();
  const StaticGlobal *planned =
      findGlobal(mergePlan, function, memorySpace, region);
  memref::GlobalOp &global = globals[planned];
  if (!global) {
    // It must not know the new symbol yet.
    SymbolTable &symbols = symbolTables.getSymbolTable(function->getParentOp());
    OpBuilder builder(function);
    auto type = MemRefType::get({planned->bytes}, builder.getI8Type(),
                                MemRefLayoutAttrInterface(), memorySpace);
    GlobalLinkage linkage = planned->storage.linkage;
    global = memref::GlobalOp::create(
        builder, loc, planned->name,
        linkage == GlobalLinkage::Private ? builder.getStringAttr("private")
                                          : StringAttr(),
        type,
        linkage == GlobalLinkage::External ? Attribute()
                                           : builder.getUnitAttr(),
        /*constant=*/false, builder.getI64IntegerAttr(planned->alignment));
    symbols.insert(global);
    annotateRegion(global, region, planned->bytes);
  }
  return memref::GetGlobalOp::create(rewriter, loc, global.getType(),
                                     global.getSymName());
}

/// Return what is to be known of `global` by passes that come later.
static DictionaryAttr describeGlobal(Builder &builder,
                                     const StaticGlobal &global) {
  SmallVector<NamedAttribute> entries = {
      builder.getNamedAttr(arenaBytesName,
                           builder.getI64IntegerAttr(global.bytes)),
      builder.getNamedAttr(arenaAlignmentName,
                           builder.getI64IntegerAttr(global.alignment))};
  if (!global.storage.section.empty())
    entries.push_back(builder.getNamedAttr(
        sectionName, builder.getStringAttr(global.storage.section)));
  return builder.getDictionaryAttr(entries);
}

void PoolBuilder::describeGlobals() {
  for (const StaticGlobal &global : mergePlan.globals) {
    memref::GlobalOp made = globals.lookup(&global);
    if (!made)
      continue;
    Operation *module = made->getParentOp();
    NamedAttrList all(module->getAttrOfType<DictionaryAttr>(globalsAttrName));
    all.set(global.name, describeGlobal(rewriter, global));
    module->setAttr(globalsAttrName, all.getDictionary(module->getContext()));
  }
}

Value PoolBuilder::create(const PoolPlan &plan) {
  PoolStorage storage = plan.getPool()->storage;
  if (storage == PoolStorage::Attribution || storage == PoolStorage::Dynamic) {
    Value pool = createWorkgroupPool(rewriter, plan, symbolTables);
    fronts[pool] = plan.scope;
    return pool;
  }
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
                        plan.memorySpace, getRegion(plan));
    break;
  case PoolStorage::Argument:
  case PoolStorage::Result:
    pool = plan.host;
    break;
  case PoolStorage::Slots:
    pool = createSlot(rewriter, plan);
    break;
  case PoolStorage::Attribution:
  case PoolStorage::Dynamic:
    llvm_unreachable("made above");
  }
  if (storage == PoolStorage::Alloc || storage == PoolStorage::Stack)
    annotateRegion(pool.getDefiningOp(), getRegion(plan),
                   plan.getPool()->schedule.poolSize);
  if (plan.first)
    return pool;
  fronts[pool] = plan.scope;
  if (rewriter.getInsertionPoint() != entry.begin())
    lastOp = &*std::prev(rewriter.getInsertionPoint());
  return pool;
}

Value PoolBuilder::getOffset(Value pool, int64_t offset) {
  Region *scope = fronts.lookup(pool);
  Offsets &made = scope ? frontOffsets[scope] : offsets[pool];
  Value &constant = made.constants[offset];
  if (constant)
    return constant;
  OpBuilder::InsertionGuard guard(rewriter);
  if (!made.last && scope)
    made.last = lastOps.lookup(scope);
  if (made.last)
    rewriter.setInsertionPointAfter(made.last);
  else
    rewriter.setInsertionPointAfterValue(pool);
  made.last = arith::ConstantIndexOp::create(rewriter, pool.getLoc(), offset);
  return constant = made.last->getResult(0);
}

void PoolBuilder::eraseUnusedOffsets() {
  auto eraseUnused = [&](Offsets &made) {
    for (auto [offset, constant] : made.constants)
      if (constant.use_empty())
        rewriter.eraseOp(constant.getDefiningOp());
    made = Offsets();
  };
  for (auto &[scope, made] : frontOffsets)
    eraseUnused(made);
  for (auto &[pool, made] : offsets)
    eraseUnused(made);
}

SmallVector<Operation *> PoolBuilder::freeAtExits(const PoolPlan &plan,
                                                  Value pool) {
  SmallVector<Operation *> created;
  if (plan.getPool()->storage == PoolStorage::Slots) {
    freeSlots(rewriter, pool);
    return created;
  }
  if (plan.getPool()->storage != PoolStorage::Alloc)
    return created;
  // The memory of a workgroup is that of its kernel.
  if (plan.workgroup)
    return created;
  // Passes that insert deallocations must know that they are not to free it.
  auto mark = [&](Operation *op) {
    if (!plan.isDeallocated() && !isMutated("R3-marked") &&
        isa_and_present<memref::AllocOp, memref::DeallocOp>(op))
      op->setAttr(bufferization::BufferizationDialect::kManualDeallocation,
                  rewriter.getUnitAttr());
  };
  mark(pool.getDefiningOp());
  auto destroyBefore = [&](Operation *next) {
    Operation *previous = next->getPrevNode();
    rewriter.setInsertionPoint(next);
    options.destroyPool(rewriter, pool.getLoc(), plan, pool);
    auto first = previous ? std::next(previous->getIterator())
                          : next->getBlock()->begin();
    for (Operation &op : llvm::make_range(first, next->getIterator()))
      created.push_back(&op);
  };
  if (plan.last) {
    destroyBefore(plan.last->getNextNode());
    mark(plan.last->getNextNode());
    return created;
  }
  for (Block &block : *plan.scope) {
    if (block.getNumSuccessors() != 0)
      continue;
    Operation *terminator = block.getTerminator();
    destroyBefore(terminator);
    mark(terminator->getPrevNode());
  }
  return created;
}

void PoolBuilder::buildKernelPool(const RuntimePool &pool,
                                  SmallVectorImpl<Value> &views) {
  buffer_merge::buildKernelPool(rewriter, pool, symbolTables, views);
}

void PoolBuilder::discard(const PoolPlan &plan, Value pool) {
  Operation *op = pool.getDefiningOp();
  if (!op || !pool.use_empty())
    return;
  if (plan.getPool()->storage == PoolStorage::Global) {
    auto function = cast<func::FuncOp>(plan.scope->getParentOp());
    const StaticGlobal *planned =
        findGlobal(mergePlan, function, plan.memorySpace, getRegion(plan));
    // One that entries share may be in use elsewhere.
    if (planned->function) {
      symbolTables.getSymbolTable(function->getParentOp())
          .erase(globals.lookup(planned));
      globals.erase(planned);
    }
  }
  if (plan.getPool()->storage == PoolStorage::Slots)
    return discardSlots(rewriter, pool);
  if (isa<memref::AllocOp, memref::AllocaOp, memref::GetGlobalOp>(op))
    rewriter.eraseOp(op);
}
