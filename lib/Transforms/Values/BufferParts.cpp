//===- BufferParts.cpp - Allocations that are split for a time ------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferParts.h"
#include "Analysis/AllocScope.h"
#include "Analysis/CalleeSummaries.h"
#include "Analysis/ExecutionOrder.h"
#include "Analysis/GPU/DeviceCode.h"
#include "Analysis/Webs.h"
#include "Analysis/WholeOverwrite.h"
#include "Mutation.h"
#include "Planning/Gain.h"
#include "Planning/Pins.h"
#include "Premises.h"
#include "buffer-merge/Planning/MergePlan.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

/// Return true if an access may come before `overwrite`, an operation that
/// overwrites all of `alloc`, and find what it overwrites there.
static bool mayBeFull(memref::AllocOp alloc, Operation *overwrite,
                      ArrayRef<Operation *> accesses) {
  if (overwrite->getBlock() != alloc->getBlock())
    return true;
  // What is in another block is executed after the overwrite, which follows the
  // allocation at once.
  return llvm::any_of(accesses, [&](Operation *op) {
    Operation *ancestor = alloc->getBlock()->findAncestorOpInBlock(*op);
    return ancestor && ancestor != overwrite &&
           ancestor->isBeforeInBlock(overwrite);
  });
}

/// Return true if something may be in `alloc` when an operation overwrites all
/// of it: a quick answer, which spares most programs the analysis.
static bool mayHoldSeveralValues(memref::AllocOp alloc) {
  // Views, and whether they have all elements.
  SmallVector<std::pair<Value, bool>> views = {{alloc, true}};
  SmallVector<OpOperand *> overwrites;
  SmallVector<Operation *> accesses;
  for (size_t i = 0; i < views.size(); ++i) {
    auto [view, isAll] = views[i];
    for (OpOperand &use : view.getUses()) {
      Operation *op = use.getOwner();
      if (isa<memref::DeallocOp>(op))
        continue;
      if (isSourceOfView(use)) {
        Value result = op->getResult(0);
        views.push_back({result, isAll && isViewOfAll(result, view)});
        continue;
      }
      accesses.push_back(op);
      if (isAll && mayOverwriteWhole(use))
        overwrites.push_back(&use);
    }
  }
  // Most are overwritten once, before all else: nothing has to be proved.
  if (overwrites.empty() ||
      (overwrites.size() == 1 &&
       !mayBeFull(alloc, overwrites.front()->getOwner(), accesses)))
    return false;
  Operation *first = nullptr;
  for (OpOperand *use : overwrites) {
    Operation *found = findWholeOverwrite(*use);
    if (found && first)
      return true;
    if (found)
      first = found;
  }
  return first && mayBeFull(alloc, first, accesses);
}

void BufferParts::split(Operation *root, const SplitBuffersOptions &options) {
  llvm::MapVector<FunctionOpInterface, SmallVector<memref::AllocOp>> candidates;
  std::optional<DeviceCode> device;
  root->walk<WalkOrder::PreOrder>([&](memref::AllocOp alloc) {
    if ((!alloc.getType().hasStaticShape() && !options.dynamicShapes) ||
        !alloc.getSymbolOperands().empty() || !mayHoldSeveralValues(alloc) ||
        (hasPin(alloc) && !isMutated("pin-split")))
      return;
    auto function = alloc->getParentOfType<FunctionOpInterface>();
    if (!function || !root->isAncestor(function))
      return;
    if (!device)
      device.emplace(root, options.workgroup);
    // Other threads may still read what one overwrites.
    if ((device->contains(alloc) ||
         options.workgroup.isWorkgroupSpace(alloc.getType().getMemorySpace(),
                                            /*isInDeviceCode=*/false)) &&
        !isMutated("split-device-code"))
      return;
    candidates[function].push_back(alloc);
  });
  if (candidates.empty())
    return;
  CalleeSummaries callees(root, options.calls);
  for (auto &[function, allocs] : candidates)
    if (hasKnownControlFlow(function) || isMutated("split-coroutines"))
      splitFunction(function, allocs, callees);
}

/// Return true if the views that would be cloned are many times as many as
/// there are uses: where each of n values is accessed through the last of n
/// views.
static bool needsManyViews(memref::AllocOp alloc, ArrayRef<OpOperand *> uses,
                           const Webs &webs) {
  constexpr size_t maxFactor = 16;
  size_t left = maxFactor * uses.size();
  llvm::DenseSet<std::pair<Value, unsigned>> clones;
  for (OpOperand *use : uses) {
    std::optional<unsigned> web = webs.lookup(use);
    if (!web || *web == 0 || !webs.isView(use->get()))
      continue;
    for (Value view = use->get();
         view != alloc && clones.insert({view, *web}).second;
         view = getSourceOfView(view))
      if (left-- == 0 && !isMutated("split-many-views"))
        return true;
  }
  return false;
}

void BufferParts::splitFunction(FunctionOpInterface function,
                                ArrayRef<memref::AllocOp> allocs,
                                const CalleeSummaries &callees) {
  // Not those of the lifetimes, which are computed for what becomes of it.
  ExecutionOrder order(function);
  std::shared_ptr<const BufferAliases> aliases = callees.getAliases(function);
  AliasBudget aliasBudget;
  WebBudget webBudget(function);
  // A split changes the uses of other allocations only by adding to them.
  for (memref::AllocOp alloc : allocs) {
    std::optional<SmallVector<Value>> values =
        aliases->getAliases(alloc, aliasBudget);
    if (!values)
      continue;
    SmallVector<OpOperand *> uses = order.collectUses(*values);
    Webs webs(alloc, classifyUses(uses, callees), webBudget,
              /*wantsSplit=*/true);
    endPremise<Stage::Splitting, Premise::OneAddress>();
    if (ask<Stage::Splitting, Premise::OneAddress, Proof::ComparedAddresses>(
            webs.areSeparable()) &&
        webs.size() > 1 && !needsManyViews(alloc, uses, webs))
      apply(alloc, uses, webs);
  }
}

void BufferParts::apply(memref::AllocOp alloc, ArrayRef<OpOperand *> uses,
                        const Webs &webs) {
  Split &split = splits.emplace_back();
  OpBuilder builder(alloc);
  split.parts.push_back(alloc);
  split.begins.push_back(webs.getBegin(0));
  for (unsigned index : llvm::seq<unsigned>(1, webs.size())) {
    builder.setInsertionPointAfter(split.parts.back());
    split.parts.push_back(cast<memref::AllocOp>(builder.clone(*alloc)));
    split.begins.push_back(webs.getBegin(index));
  }

  // For each view of the first part, the same view of the others.
  llvm::DenseMap<std::pair<Value, unsigned>, Value> clones;
  auto getView = [&](Value view, unsigned index) {
    SmallVector<Operation *> missing;
    while (view != alloc && !clones.contains({view, index})) {
      missing.push_back(view.getDefiningOp());
      view = getSourceOfView(view);
    }
    Value source =
        view == alloc ? split.parts[index] : clones.lookup({view, index});
    for (Operation *op : llvm::reverse(missing)) {
      builder.setInsertionPointAfter(op);
      IRMapping mapping;
      mapping.map(getSourceOfView(op->getResult(0)), source);
      split.added.push_back(builder.clone(*op, mapping));
      source = split.added.back()->getResult(0);
      clones[{op->getResult(0), index}] = source;
      split.oldViews.insert(op);
    }
    return source;
  };
  for (OpOperand *use : uses) {
    Operation *op = use->getOwner();
    Value view = use->get();
    if (!webs.isView(view))
      continue;
    if (isa<memref::DeallocOp>(op)) {
      builder.setInsertionPointAfter(op);
      for (memref::AllocOp part : llvm::drop_begin(split.parts))
        if (!isMutated("split-leaks"))
          split.added.push_back(
              memref::DeallocOp::create(builder, op->getLoc(), part));
      continue;
    }
    std::optional<unsigned> web = webs.lookup(use);
    if (!web || *web == 0)
      continue;
    split.orders.try_emplace(view, view);
    split.changed.push_back({use, view});
    use->set(getView(view, *web));
  }
}

void BufferParts::undo(Split &split) {
  for (auto [use, value] : llvm::reverse(split.changed))
    use->set(value);
  for (Operation *op : llvm::reverse(split.added))
    op->erase();
  for (memref::AllocOp part : llvm::drop_begin(split.parts))
    part.erase();
  for (auto &[value, order] : split.orders)
    order.restore();
}

bool BufferParts::join(
    llvm::function_ref<bool(ArrayRef<memref::AllocOp>)> shouldJoin) {
  size_t count = splits.size();
  llvm::erase_if(splits, [&](Split &split) {
    if (!shouldJoin(split.parts))
      return false;
    undo(split);
    return true;
  });
  return splits.size() != count;
}

bool BufferParts::joinWhatStays(const MergePlan &plan) {
  if (splits.empty())
    return false;
  llvm::DenseSet<Operation *> added, merged;
  for (const Split &split : splits)
    for (memref::AllocOp part : llvm::drop_begin(split.parts))
      added.insert(part);
  for (const PoolPlan &pool : plan.pools) {
    // What there would be without a pool.
    int64_t bytes = pool.totalBytes;
    for (const BufferLifetime *buffer : pool.buffers)
      if (added.contains(buffer->alloc))
        bytes -= getAllocatedBytes(*buffer);
    const Pool *made = pool.getPool();
    bool isMade = made && (made->schedule.poolSize < bytes ||
                           isMutated("split-without-gain"));
    // A pool that is too large is an error, and would be no smaller.
    if (isMade || pool.getReason() == UnmergeableReason::OverCapacity)
      for (const BufferLifetime *buffer : pool.buffers)
        merged.insert(buffer->alloc);
  }
  return join([&](ArrayRef<memref::AllocOp> parts) {
    return !isMutated("split-stays") &&
           !llvm::all_of(parts, [&](memref::AllocOp part) {
             return merged.contains(part);
           });
  });
}

bool BufferParts::areProvedToHelp(const MergePlan &plan) const {
  llvm::DenseMap<Operation *, size_t> splitOf;
  for (auto [index, split] : llvm::enumerate(splits))
    for (memref::AllocOp part : split.parts)
      splitOf[part] = index;
  for (const PoolPlan &pool : plan.pools) {
    if (!pool.getPool())
      continue;
    // The parts of an allocation as one buffer, from the first to the last. Its
    // lifetime would not be shorter.
    SchedulingProblem whole;
    llvm::DenseMap<size_t, size_t> bufferOf;
    for (auto [lifetime, buffer] :
         llvm::zip(pool.buffers, pool.problem.buffers)) {
      // The offsets have been decided elsewhere.
      if (buffer.fixedOffset)
        return true;
      size_t next = whole.buffers.size();
      auto split = splitOf.find(lifetime->alloc);
      if (split != splitOf.end())
        next = bufferOf.try_emplace(split->second, next).first->second;
      if (next == whole.buffers.size()) {
        whole.buffers.push_back(buffer);
        continue;
      }
      Buffer &joined = whole.buffers[next];
      joined.begin = std::min(joined.begin, buffer.begin);
      joined.end = std::max(joined.end, buffer.end);
      joined.gaps.clear();
    }
    whole.buffers.append(pool.problem.buffers.begin() + pool.buffers.size(),
                         pool.problem.buffers.end());
    if (whole.buffers.size() == pool.problem.buffers.size())
      continue;
    if (!pool.problem.inPlacePairs.empty() ||
        pool.getPool()->schedule.poolSize > computeLowerBound(whole).bytes)
      return false;
  }
  return true;
}

void BufferParts::commit() {
  for (Split &split : splits)
    for (Operation *view : llvm::reverse(split.oldViews.getArrayRef()))
      if (view->use_empty())
        view->erase();
  splits.clear();
}

BufferPartMap BufferParts::getParts() const {
  BufferPartMap parts;
  for (const Split &split : splits)
    for (auto [index, part] : llvm::enumerate(split.parts))
      parts[memref::AllocOp(part)] = {
          unsigned(index), unsigned(split.parts.size()), split.begins[index],
          memref::AllocOp(split.parts.front())};
  return parts;
}

SplitBuffersResult BufferParts::getCounts() const {
  SplitBuffersResult result;
  result.numSplit = splits.size();
  for (const Split &split : splits)
    result.numParts += split.parts.size();
  return result;
}

SplitBuffersResult
buffer_merge::splitBuffers(Operation *root,
                           const SplitBuffersOptions &options) {
  BufferParts parts;
  parts.split(root, options);
  SplitBuffersResult result = parts.getCounts();
  parts.commit();
  return result;
}
