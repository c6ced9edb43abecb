//===- StaticGlobals.cpp - The globals of a plan --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StaticGlobals.h"
#include "ArenaPlan.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the symbol that `global` should have.
static std::string getWantedName(const StaticGlobal &global) {
  StringRef name = global.storage.name;
  func::FuncOp function = global.function;
  if (!global.region.empty())
    return (function.getSymName() + "_" + global.region + "_pool").str();
  if (!function)
    return name.empty() ? "entries_pool" : name.str();
  return (function.getSymName() + "_" + (name.empty() ? "pool" : name)).str();
}

std::string buffer_merge::toSymbolPart(StringRef name) {
  std::string part = name.str();
  for (char &c : part)
    if (!llvm::isAlnum(c))
      c = '_';
  return part;
}

/// Return the global of `pool`, in a region, without its name. Each has a
/// section of its own, for the linker must not move one behind another.
static StaticGlobal makeRegionGlobal(const PoolPlan &pool) {
  const TargetRegion &region = *pool.region->region;
  StaticGlobal global;
  global.function = cast<func::FuncOp>(pool.scope->getParentOp());
  global.memorySpace = pool.memorySpace;
  global.bytes = pool.getPool()->schedule.poolSize;
  global.alignment = pool.getPool()->schedule.poolAlignment;
  global.region = pool.region->getSymbol();
  global.regionOffset = pool.region->range.begin;
  if (region.section.empty())
    return global;
  global.storage.section =
      region.section + "." + toSymbolPart(global.function.getSymName());
  if (region.getFreeRanges().size() > 1)
    global.storage.section += "." + std::to_string(global.regionOffset);
  global.storage.address = pool.getAddress(/*id=*/std::nullopt);
  return global;
}

/// Add the globals of `options.pool` to `globals`.
static void listGlobals(const MergePlan &plan, const ArenaPlan &arenas,
                        const MergePlanOptions &options,
                        SmallVectorImpl<StaticGlobal> &globals) {
  auto add = [&](func::FuncOp function, Attribute space, int64_t bytes,
                 int64_t alignment) {
    StaticGlobal &global = globals.emplace_back();
    global.function = function;
    global.memorySpace = space;
    global.bytes = bytes;
    global.alignment = alignment;
    global.storage = options.globals;
    global.alignment = std::max(global.alignment, options.globals.alignment);
  };
  for (auto [index, node, arena] :
       llvm::enumerate(arenas.getGraph().getFunctions(), arenas.getArenas()))
    if (arenas.isActive(index) && arena.isOwn &&
        !arenas.hasSharedGlobal(node.op))
      add(node.op, Attribute(), arena.bytes, arena.alignment);
  if (ArenaPlan::SharedGlobal shared = arenas.getSharedGlobal(); shared.bytes)
    add(func::FuncOp(), Attribute(), shared.bytes, shared.alignment);
  // Each memory space, and each module inside, has globals of its own.
  for (const PoolPlan &pool : plan.pools) {
    const Pool *made = pool.getPool();
    if (!made || made->storage != PoolStorage::Global || pool.region)
      continue;
    auto function = cast<func::FuncOp>(pool.scope->getParentOp());
    if (pool.memorySpace ||
        !arenas.isActive(*arenas.getGraph().lookup(function)))
      add(function, pool.memorySpace, made->schedule.poolSize,
          made->schedule.poolAlignment);
  }
}

LogicalResult buffer_merge::collectGlobals(ModuleOp module, MergePlan &plan,
                                           const MergePlanOptions &options,
                                           PlanMessages &messages) {
  if (plan.arenas && options.pool == PoolStorage::Global)
    listGlobals(plan, *plan.arenas, options, plan.globals);
  for (const PoolPlan &pool : plan.pools)
    if (pool.region && pool.getPool() &&
        pool.getPool()->storage == PoolStorage::Global)
      plan.globals.push_back(makeRegionGlobal(pool));
  llvm::DenseMap<Operation *, llvm::StringSet<>> namesOf;
  for (StaticGlobal &global : plan.globals) {
    Operation *table = module;
    if (global.function)
      table = global.function->getParentOp();
    auto [it, isNew] = namesOf.try_emplace(table);
    llvm::StringSet<> &names = it->second;
    if (isNew)
      for (Operation &op : table->getRegion(0).getOps())
        if (auto symbol = dyn_cast<SymbolOpInterface>(op))
          names.insert(symbol.getName());
    if (global.region.empty() && options.globals.address &&
        *options.globals.address % global.alignment != 0)
      return messages.addError(table->getLoc())
             << "the section of the globals begins at an address that is no "
                "multiple of the "
             << global.alignment << " bytes that one of them is aligned to";
    std::string wanted = getWantedName(global);
    global.name = wanted;
    for (int number = 0; !names.insert(global.name).second; ++number) {
      // What others refer to cannot have another name.
      if (global.storage.linkage != GlobalLinkage::Private)
        return messages.addError(table->getLoc())
               << "the global '" << wanted << "' would have linkage "
               << getGlobalLinkageName(global.storage.linkage)
               << ", but the module has another symbol of that name";
      global.name = wanted + "_" + std::to_string(number);
    }
  }
  return success();
}

const StaticGlobal *buffer_merge::findGlobal(const MergePlan &plan,
                                             func::FuncOp function,
                                             Attribute memorySpace,
                                             const PoolRegion *region) {
  bool isShared = !memorySpace && !region && plan.arenas &&
                  plan.arenas->hasSharedGlobal(function);
  auto *it = llvm::find_if(plan.globals, [&](const StaticGlobal &global) {
    return global.memorySpace == memorySpace &&
           global.region == (region ? region->getSymbol() : "") &&
           global.regionOffset == (region ? region->range.begin : 0) &&
           global.function == (isShared ? func::FuncOp() : function);
  });
  return it == plan.globals.end() ? nullptr : it;
}
