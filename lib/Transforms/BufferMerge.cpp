//===- Merging as a library call -----------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Transforms/BufferMerge.h"
#include "Analysis/FunctionContext.h"
#include "ArenaRewriter.h"
#include "MergeAction.h"
#include "Mutation.h"
#include "Planning/Advice.h"
#include "Planning/Pins.h"
#include "PoolBuilder.h"
#include "Report/PlanErrors.h"
#include "Report/Remarks.h"
#include "RuntimePoolBuilder.h"
#include "Transforms/Values/CopyRewriting.h"
#include "Transforms/Values/RefillCopies.h"
#include "Transforms/Values/SplitAllocation.h"
#include "WorkgroupPool.h"
#include "buffer-merge/Report/EmitMessages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

/// Replace `alloc`, the result of an allocation or an attribution, by `value`.
/// An attribution stays, without uses.
static void replaceMemRef(RewriterBase &rewriter, Value alloc, Value value) {
  if (Operation *op = alloc.getDefiningOp())
    rewriter.replaceOp(op, value);
  else
    rewriter.replaceAllUsesWith(alloc, value);
}

/// Replace `alloc` by a view of `pool` from byte `offset` on (R2 views), which
/// has `address`, if that is fixed, at the insertion point. Return what its
/// uses have now.
static Value replaceByView(RewriterBase &rewriter, TypedValue<MemRefType> alloc,
                           Value pool, Value offset,
                           std::optional<int64_t> address) {
  Location loc = alloc.getLoc();
  MemRefType type = alloc.getType();
  // In a region of another memory space (`SpaceUses`).
  Attribute memorySpace = cast<MemRefType>(pool.getType()).getMemorySpace();
  if (memorySpace != type.getMemorySpace())
    type = MemRefType::get(type.getShape(), type.getElementType(),
                           type.getLayout(), memorySpace);
  // Views have no layout; what was merged is row-major all the same.
  MemRefType viewType = type;
  if (!type.getLayout().isIdentity())
    viewType =
        MemRefType::get(type.getShape(), type.getElementType(),
                        MemRefLayoutAttrInterface(), type.getMemorySpace());
  auto op = alloc.getDefiningOp<memref::AllocOp>();
  auto view = memref::ViewOp::create(rewriter, loc, viewType, pool, offset,
                                     op ? op.getDynamicSizes() : ValueRange());
  if (op)
    view->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  removePins(view);
  view->removeDiscardableAttr(
      bufferization::BufferizationDialect::kManualDeallocation);
  if (address)
    view->setDiscardableAttr(bufferAddressAttrName,
                             rewriter.getI64IntegerAttr(*address));
  if (viewType == type) {
    replaceMemRef(rewriter, alloc, view);
    return view;
  }
  // No memref.cast: normalize-memrefs changes the type of its result only.
  SmallVector<int64_t> strides;
  int64_t typeOffset;
  [[maybe_unused]] LogicalResult isStrided =
      type.getStridesAndOffset(strides, typeOffset);
  assert(succeeded(isStrided) && "row-major layouts have strides");
  auto cast = memref::ReinterpretCastOp::create(
      rewriter, loc, type, view, rewriter.getIndexAttr(typeOffset),
      getMixedValues(type.getShape(), view.getSizes(), rewriter),
      getAsIndexOpFoldResult(rewriter.getContext(), strides));
  replaceMemRef(rewriter, alloc, cast);
  return cast;
}

/// Replace `alloc` by the first bytes of `host`, which has the same element
/// type, or by a result of the same type. Return what its uses have now.
static Value replaceByCast(RewriterBase &rewriter, memref::AllocOp alloc,
                           Value host) {
  rewriter.setInsertionPoint(alloc);
  MemRefType type = alloc.getType();
  if (host.getDefiningOp() && host.getType() == type) {
    rewriter.replaceOp(alloc, host);
    return host;
  }
  SmallVector<int64_t> strides;
  int64_t offset;
  [[maybe_unused]] LogicalResult isStrided =
      type.getStridesAndOffset(strides, offset);
  assert(succeeded(isStrided) && "an identity layout has strides");
  return rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(
      alloc, type, host, offset, type.getShape(), strides);
}

/// Return the source and the target of `op` if it copies all elements of one
/// memref to the same places of another.
static std::pair<Value, Value> getCopied(Operation *op) {
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return {copy.getSource(), copy.getTarget()};
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalg::isaCopyOpInterface(linalgOp) ||
      linalgOp.getIndexingMapsArray()[0] != linalgOp.getIndexingMapsArray()[1])
    return {};
  return {linalgOp.getDpsInputs()[0], linalgOp.getDpsInits()[0]};
}

/// Return true if elements of the two memrefs are at the same places, counted
/// from the base of each.
static bool haveSamePlaces(MemRefType a, MemRefType b) {
  if (a == b && a.getLayout().isIdentity())
    return true;
  SmallVector<int64_t> stridesA, stridesB;
  int64_t offsetA, offsetB;
  return a.hasStaticShape() && a.getShape() == b.getShape() &&
         a.getElementType() == b.getElementType() &&
         succeeded(a.getStridesAndOffset(stridesA, offsetA)) &&
         succeeded(b.getStridesAndOffset(stridesB, offsetB)) &&
         stridesA == stridesB && offsetA == offsetB &&
         !ShapedType::isDynamic(offsetA) &&
         !llvm::is_contained(stridesA, ShapedType::kDynamic);
}

/// Erase the copies of one of `views` to itself, and those between views of it.
/// A copy from one to another one stays, even if they are the same bytes:
/// passes that tell memory apart by values must see the write. Return their
/// number.
static int64_t eraseCopiesToItself(RewriterBase &rewriter,
                                   const llvm::SetVector<Value> &views) {
  // By view, what it is a view of.
  llvm::MapVector<Value, Value> bases;
  for (Value view : views)
    bases[view] = view;
  for (size_t i = 0; i < bases.size(); ++i) {
    auto [view, base] = bases.begin()[i];
    for (Operation *user : view.getUsers())
      if (isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp,
              memref::TransposeOp, memref::SubViewOp>(user) &&
          user->getOperand(0) == view)
        bases.try_emplace(user->getResult(0), base);
  }
  llvm::SetVector<Operation *> copies;
  for (const auto &[view, base] : bases)
    for (Operation *user : view.getUsers()) {
      auto [source, target] = getCopied(user);
      auto sourceType = dyn_cast<MemRefType>(view.getType());
      auto targetType =
          target ? dyn_cast<MemRefType>(target.getType()) : MemRefType();
      if (source == view && sourceType && targetType &&
          bases.contains(target) &&
          (bases.lookup(target) == base || isMutated("R2-copy-value")) &&
          haveSamePlaces(sourceType, targetType))
        copies.insert(user);
    }
  for (Operation *copy : copies)
    rewriter.eraseOp(copy);
  return copies.size();
}

/// Take the operands `deallocs` out of the deallocations that they belong to.
static void removeDeallocs(RewriterBase &rewriter,
                           ArrayRef<OpOperand *> deallocs) {
  llvm::MapVector<Operation *, llvm::BitVector> removed;
  for (OpOperand *dealloc : deallocs) {
    Operation *op = dealloc->getOwner();
    llvm::BitVector &operands = removed[op];
    operands.resize(op->getNumOperands());
    operands.set(dealloc->getOperandNumber());
  }
  for (auto &[op, operands] : removed) {
    auto dealloc = dyn_cast<bufferization::DeallocOp>(op);
    if (!dealloc) {
      if (!isMutated("R3-deallocations"))
        rewriter.eraseOp(op);
      continue;
    }
    SmallVector<Value> memrefs, conditions;
    for (auto [index, memref, condition] :
         llvm::enumerate(dealloc.getMemrefs(), dealloc.getConditions())) {
      if (operands.test(index))
        continue;
      memrefs.push_back(memref);
      conditions.push_back(condition);
    }
    rewriter.setInsertionPoint(op);
    if (memrefs.empty()) {
      // All owners were merged: nothing is owned any more, so every result is
      // false.
      SmallVector<Value> owned;
      for (size_t i = 0; i < op->getNumResults(); ++i)
        owned.push_back(arith::ConstantIntOp::create(rewriter, op->getLoc(),
                                                     /*value=*/0, /*width=*/1));
      rewriter.replaceOp(op, owned);
      continue;
    }
    rewriter.replaceOpWithNewOp<bufferization::DeallocOp>(
        dealloc, memrefs, conditions, dealloc.getRetained());
  }
}

/// Return true if the pool of `plan` is freed at the exits of its scope (R3
/// deallocations).
static bool mustFree(const PoolPlan &plan) {
  return (plan.isDeallocated() || plan.needsManualDealloc()) &&
         !isMutated("R3-freed");
}

namespace {
/// Carries out one plan.
class PlanRewriter {
public:
  PlanRewriter(RewriterBase &rewriter, const MergePlan &plan,
               const BufferMergeOptions &options)
      : rewriter(rewriter), plan(plan), options(options),
        builder(rewriter, options, plan) {}

  BufferMergeResult run();

private:
  /// Buffers that become one value, and that value once there is one.
  struct SameBuffers {
    SmallVector<const BufferLifetime *, 2> buffers;
    Value value;
    /// Where they were allocated.
    SmallVector<Location, 2> locations;
  };

  /// A pool that is being filled.
  struct FilledPool {
    const PoolPlan &plan;
    Value memory;
    int64_t numMerged = 0;
    /// What frees it.
    SmallVector<Operation *> frees = {};
  };

  void countLeft(UnmergeableReason reason, int64_t count) {
    result.numLeft += count;
    result.numLeftByReason[static_cast<size_t>(reason)] += count;
  }

  void createPools();
  TypedValue<MemRefType> findAllocation(const BufferLifetime &buffer);
  void findSameBuffers(const PoolPlan &pool);
  bool isInFront(Operation *alloc, const SameBuffers &same) const;
  Value replace(const FilledPool &pool, size_t index);
  void replaceParts(const FilledPool &pool, size_t index);
  void merge(MergeUnit unit);
  void complete(FilledPool &pool);
  void finish(FilledPool &pool);
  void buildRuntimePools(ArenaRewriter *arenas);
  void eraseCopies();
  void handOn(ArenaRewriter &arenas);

  RewriterBase &rewriter;
  const MergePlan &plan;
  const BufferMergeOptions &options;
  PoolBuilder builder;
  BufferMergeResult result;
  SmallVector<FilledPool> pools;
  /// By value, the allocation that it has been given.
  llvm::DenseMap<const BufferLifetime *, memref::AllocOp> allocationOf;
  /// Views of allocations that were split.
  llvm::SetVector<Value> oldViews;
  /// What allocations have become.
  llvm::SetVector<Value> views;
  /// The allocations that `views` replace.
  llvm::DenseSet<Operation *> merged;
  /// The attributions that views replace, and by kernel the last such view.
  llvm::DenseSet<Value> attributions;
  llvm::MapVector<Operation *, Operation *> attributionViews;
  /// Buffers in place of each other (`findSameBuffers`), and by buffer which of
  /// them it is one of.
  SmallVector<SameBuffers, 0> sameBuffers;
  llvm::DenseMap<const BufferLifetime *, size_t> sameOf;
  /// Copies of what is where it is copied to.
  SmallVector<memref::CopyOp> copiesOfParts;
  /// A deallocation may free one buffer of several: it vanishes once.
  llvm::SmallSetVector<OpOperand *, 8> deallocs;
};
} // namespace

/// Create the pools, and count the buffers that get none.
void PlanRewriter::createPools() {
  for (const PoolPlan &poolPlan : plan.pools) {
    if (const NoPool *noPool = poolPlan.getNoPool()) {
      countLeft(noPool->reason, poolPlan.countAllocations());
      continue;
    }
    // A pool in workgroup memory changes the kernel, and its launches.
    findSameBuffers(poolPlan);
    bool isMadeLater =
        poolPlan.workgroup && poolPlan.getPool()->storage != PoolStorage::Alloc;
    pools.push_back(
        {poolPlan, isMadeLater ? Value() : builder.create(poolPlan)});
  }
  // Where other pools are made has been found.
  for (const FilledPool &pool : pools) {
    if (!isInResult(pool.plan))
      continue;
    Operation *host = pool.memory.getDefiningOp();
    if (Operation *place = pool.plan.getHostPlace(); place != host)
      rewriter.moveOpBefore(host, place);
    // Buffers of its type become the same value.
    SmallVector<Location> locations = {host->getLoc()};
    for (const BufferLifetime *buffer : pool.plan.buffers)
      if (buffer->alloc.getType() == pool.memory.getType())
        locations.push_back(buffer->alloc.getLoc());
    host->setLoc(FusedLoc::get(host->getContext(), locations));
  }
}

/// Return what is only `buffer`: an allocation or an attribution.
TypedValue<MemRefType>
PlanRewriter::findAllocation(const BufferLifetime &buffer) {
  if (!buffer.value)
    return buffer.alloc;
  if (memref::AllocOp known = allocationOf.lookup(&buffer))
    return known.getResult();
  ++result.numSplit;
  ArrayRef<BufferLifetime> values =
      plan.lifetimes->getValues(*plan.lifetimes->getWhole(&buffer));
  for (auto [value, alloc] :
       llvm::zip_equal(values, splitAllocation(rewriter, values, oldViews)))
    allocationOf[&value] = alloc;
  return allocationOf.lookup(&buffer).getResult();
}

/// Find the buffers of `pool` that become one value: one is in place of the
/// other, at the same offset and of the same type. To passes that tell memory
/// apart by values, writing one is writing the other then.
void PlanRewriter::findSameBuffers(const PoolPlan &pool) {
  ArrayRef<int64_t> offsets = pool.getPool()->schedule.offsets;
  llvm::EquivalenceClasses<const BufferLifetime *> classes;
  for (const InPlacePair &pair : pool.problem.inPlacePairs) {
    const BufferLifetime *earlier = pool.buffers[pair.earlier];
    const BufferLifetime *later = pool.buffers[pair.later];
    memref::AllocOp first = earlier->getAllocOp();
    memref::AllocOp second = later->getAllocOp();
    if (offsets[pair.earlier] == offsets[pair.later] &&
        first.getType() == second.getType() &&
        first.getType().getLayout().isIdentity() &&
        first.getType().hasStaticShape() &&
        first->getDiscardableAttrDictionary() ==
            second->getDiscardableAttrDictionary())
      classes.unionSets(earlier, later);
  }
  for (const auto &entry : classes) {
    if (!entry->isLeader())
      continue;
    SameBuffers &same = sameBuffers.emplace_back();
    for (const BufferLifetime *buffer : classes.members(*entry)) {
      same.buffers.push_back(buffer);
      sameOf[buffer] = sameBuffers.size() - 1;
    }
  }
}

/// Return true if `alloc`, one of `same`, is in front of the others.
bool PlanRewriter::isInFront(Operation *alloc, const SameBuffers &same) const {
  return llvm::all_of(same.buffers, [&](const BufferLifetime *buffer) {
    memref::AllocOp other = allocationOf.lookup(buffer);
    if (!other)
      other = buffer->getAllocOp();
    return other == alloc || (other->getBlock() == alloc->getBlock() &&
                              alloc->isBeforeInBlock(other));
  });
}

/// Replace the buffer `index` of `pool`. Return what it has become.
Value PlanRewriter::replace(const FilledPool &pool, size_t index) {
  const BufferLifetime &buffer = *pool.plan.buffers[index];
  TypedValue<MemRefType> alloc = findAllocation(buffer);
  auto op = alloc.getDefiningOp<memref::AllocOp>();
  if (pool.plan.host)
    return replaceByCast(rewriter, op, pool.memory);
  Value offset = builder.getOffset(
      pool.memory, pool.plan.getPool()->schedule.offsets[index]);
  auto replaceByOwnView = [&] {
    return replaceByView(rewriter, alloc, pool.memory, offset,
                         pool.plan.getAddress(index));
  };
  if (!op) {
    Operation *&last = attributionViews[buffer.function];
    if (last)
      rewriter.setInsertionPointAfter(last);
    else
      rewriter.setInsertionPointAfterValue(offset);
    Value view = replaceByOwnView();
    last = view.getDefiningOp();
    return view;
  }
  rewriter.setInsertionPoint(op);
  auto it = sameOf.find(&buffer);
  if (it == sameOf.end())
    return replaceByOwnView();
  SameBuffers &same = sameBuffers[it->second];
  same.locations.push_back(alloc.getLoc());
  if (same.value) {
    rewriter.replaceOp(op, same.value);
    return same.value;
  }
  bool mayStay = isInFront(op, same);
  same.value = replaceByOwnView();
  if (!mayStay)
    rewriter.moveOpAfter(same.value.getDefiningOp(), offset.getDefiningOp());
  return same.value;
}

/// Replace the allocations that are the buffer `index` of `pool`.
void PlanRewriter::replaceParts(const FilledPool &pool, size_t index) {
  const BufferParts &parts = *pool.plan.buffers[index]->parts;
  int64_t begin = pool.plan.getPool()->schedule.offsets[index];
  std::optional<int64_t> address = pool.plan.getAddress(index);
  for (BufferParts::Part part : parts.parts) {
    Value offset = builder.getOffset(pool.memory, begin + part.offset);
    std::optional<int64_t> own;
    if (address)
      own = *address + part.offset;
    rewriter.setInsertionPoint(part.alloc);
    views.insert(replaceByView(rewriter, part.alloc.getResult(), pool.memory,
                               offset, own));
  }
  llvm::append_range(copiesOfParts, parts.copies);
}

/// Replace the buffers of `unit`.
void PlanRewriter::merge(MergeUnit unit) {
  // As long as all of them are there.
  for (auto [poolIndex, index] : unit)
    for (Value alloc : pools[poolIndex].plan.buffers[index]->getAllocs())
      if (Operation *op = alloc.getDefiningOp())
        merged.insert(op);
      else
        attributions.insert(alloc);
  for (auto [poolIndex, index] : unit) {
    FilledPool &pool = pools[poolIndex];
    const BufferLifetime &buffer = *pool.plan.buffers[index];
    deallocs.insert_range(buffer.deallocs);
    if (!buffer.value || buffer.value->index == 0) {
      pool.numMerged += buffer.countAllocations();
      result.bytesMerged += pool.plan.problem.buffers[index].size;
    }
    if (!pool.memory)
      pool.memory = builder.create(pool.plan);
    if (buffer.parts)
      replaceParts(pool, index);
    else
      views.insert(replace(pool, index));
  }
}

/// Add what `pool` needs besides views.
void PlanRewriter::complete(FilledPool &pool) {
  if (pool.numMerged == 0 && pool.plan.calls.empty())
    return;
  insertBarriers(rewriter, pool.plan);
  if (pool.plan.workgroup)
    result.numBarriers += pool.plan.workgroup->barriers.size();
  if (mustFree(pool.plan))
    pool.frees = builder.freeAtExits(pool.plan, pool.memory);
}

/// Count `pool`, or remove it if it has no views.
void PlanRewriter::finish(FilledPool &pool) {
  result.numLeft += pool.plan.countAllocations() - pool.numMerged;
  result.numMerged += pool.numMerged;
  // Callees may have parts of a pool that no buffer of its own is in. What was
  // only filled and copied needs none when the copies are fills.
  bool isUsed = pool.numMerged != 0 &&
                llvm::any_of(pool.memory.getUsers(), [&](Operation *user) {
                  return !llvm::is_contained(pool.frees, user);
                });
  if (!isUsed && pool.plan.calls.empty()) {
    for (Operation *op : llvm::reverse(pool.frees))
      rewriter.eraseOp(op);
    if (pool.memory)
      builder.discard(pool.plan, pool.memory);
    return;
  }
  ++result.numPools;
  if (!pool.plan.host &&
      (!plan.arenas || !plan.arenas->isInsideCallers(pool.plan)))
    result.bytesPools += pool.plan.getPool()->schedule.poolSize;
}

void PlanRewriter::buildRuntimePools(ArenaRewriter *arenas) {
  DominanceInfo dominance;
  llvm::DenseSet<Operation *> places;
  for (const PoolPlan &pool : plan.pools) {
    places.insert(pool.first);
    places.insert(pool.last);
  }
  for (const RuntimePool &pool : plan.runtimePools) {
    places.insert(pool.first);
    places.insert(pool.last);
  }
  SmallVector<Value> made;
  llvm::MapVector<Operation *, SmallVector<const RuntimePool *, 1>> inArena;
  for (const RuntimePool &pool : plan.runtimePools) {
    for (const BufferLifetime *buffer : pool.buffers) {
      deallocs.insert_range(buffer->deallocs);
      merged.insert(buffer->getAllocOp());
    }
    ++result.numPools;
    result.numMerged += pool.buffers.size();
    if (pool.isInArena) {
      inArena[pool.buffers.front()->function].push_back(&pool);
      continue;
    }
    if (pool.isInKernel) {
      builder.buildKernelPool(pool, made);
      continue;
    }
    buildRuntimePool(rewriter, pool, dominance, places, made);
  }
  for (auto &[function, pools] : inArena) {
    Value arena = arenas->getArena(function);
    const ArenaPlan &arenaPlan = *plan.arenas;
    unsigned index = *arenaPlan.getGraph().lookup(function);
    arenas->setNeeded(
        function,
        buildPoolsBehind(rewriter, cast<BlockArgument>(arena).getOwner(),
                         arenaPlan.getArenas()[index].bytes, pools, made,
                         [&](Value) { return arena; }));
  }
  views.insert_range(made);
}

/// Erase the copies that are not needed any more, and the views that are not:
/// fill what was copied from buffers that no longer hold the value.
void PlanRewriter::eraseCopies() {
  llvm::SetVector<Value> unused;
  llvm::SetVector<Operation *> functions;
  for (const BufferLifetime &buffer : plan.lifetimes->getBuffers())
    functions.insert(buffer.function);
  for (Operation *function : functions)
    if (const FunctionContext *context = plan.lifetimes->getContext(function))
      result.numRefilled +=
          applyRefills(rewriter, context->refills, merged, unused);
  if (options.eraseCopies)
    result.numCopiesErased = eraseCopiesToItself(rewriter, views);
  for (memref::CopyOp copy : copiesOfParts) {
    unused.insert_range(ValueRange{copy.getSource(), copy.getTarget()});
    rewriter.eraseOp(copy);
    ++result.numCopiesErased;
  }
  unused.insert_range(oldViews);
  eraseUnusedViews(rewriter, std::move(unused));
}

/// Let `arenas` hand on the pools that are globals.
void PlanRewriter::handOn(ArenaRewriter &arenas) {
  for (const FilledPool &pool : pools)
    if (pool.memory && !pool.plan.memorySpace && !pool.plan.region &&
        pool.plan.getPool()->storage == PoolStorage::Global)
      arenas.setOwn(pool.plan.scope->getParentOp(), pool.memory);
  arenas.forwardArenas(rewriter, builder);
}

BufferMergeResult PlanRewriter::run() {
  result.numLeftByReason.resize(getAllReasons().size());
  for (const UnmergeableBuffer &left : plan.unmergeable)
    countLeft(left.refusal.reason, 1);
  std::optional<ArenaRewriter> arenas;
  if (plan.arenas)
    arenas.emplace(*plan.arenas, options.arenaChecks).addArguments(rewriter);
  createPools();
  SmallVector<const PoolPlan *> filled = llvm::map_to_vector(
      pools, [](const FilledPool &pool) { return &pool.plan; });
  forEachMerge(filled, rewriter.getContext(),
               [&](MergeUnit unit) { merge(unit); });
  for (const SameBuffers &same : sameBuffers)
    if (same.value)
      same.value.getDefiningOp()->setLoc(
          FusedLoc::get(rewriter.getContext(), same.locations));
  buildRuntimePools(arenas ? &*arenas : nullptr);
  for (const OwnAttribution &own : plan.ownAttributions) {
    deallocs.insert_range(own.buffer->deallocs);
    replaceByAttribution(rewriter, own);
  }
  // What follows erases operations that plans refer to.
  llvm::for_each(pools, [&](FilledPool &pool) { complete(pool); });
  removeDeallocs(rewriter, deallocs.getArrayRef());
  eraseCopies();
  for (FilledPool &pool : pools)
    finish(pool);
  for (const auto &[kernel, view] : attributionViews)
    eraseAttributions(rewriter, cast<gpu::GPUFuncOp>(kernel), attributions);
  if (plan.arenas)
    for (const PoolPlan &handover : plan.arenas->getHandovers())
      if (!plan.arenas->isInsideCallers(handover))
        result.bytesPools += handover.getPool()->schedule.poolSize;
  if (arenas)
    handOn(*arenas);
  builder.describeGlobals();
  builder.eraseUnusedOffsets();
  return std::move(result);
}

BufferMergeResult
buffer_merge::applyMergePlan(RewriterBase &rewriter, const MergePlan &plan,
                             const BufferMergeOptions &options) {
  return PlanRewriter(rewriter, plan, options).run();
}

/// Report what exceeds its capacity in `plan`, and find out what would help.
static LogicalResult reportCapacity(Operation *root, MergePlan &plan,
                                    const BufferMergeOptions &options,
                                    const MergePlanOptions &planOptions) {
  SmallVector<AlternativePlan, 0> alternatives;
  if (!plan.overfullScopes.empty() ||
      llvm::any_of(plan.pools, [](const PoolPlan &pool) {
        return pool.excessiveBytes.has_value();
      }))
    alternatives = addAdvice(root, plan, planOptions);
  return emitCapacityErrors(plan, planOptions.overCapacity, alternatives);
}

/// Return `options.plan` with what follows from other options.
static MergePlanOptions getPlanOptions(const BufferMergeOptions &options) {
  MergePlanOptions planOptions = options.plan;
  planOptions.lifetimes.findRefills = options.eraseCopies;
  planOptions.lifetimes.findEmplaced = options.eraseCopies &&
                                       planOptions.lifetimes.findInPlacePairs &&
                                       planOptions.pool != PoolStorage::Slots;
  planOptions.lifetimes.partAlignment =
      planOptions.alignment.value_or(MergePlanOptions::defaultAlignment);
  for (const auto &[spaces, bytes] : planOptions.spaceAlignments)
    planOptions.lifetimes.partAlignment =
        std::max(planOptions.lifetimes.partAlignment, bytes);
  return planOptions;
}

/// Decide what becomes of the buffers inside `root`, and say what there is to
/// say about that.
static FailureOr<MergePlan> planMerge(Operation *root,
                                      const BufferMergeOptions &options,
                                      const MergePlanOptions &planOptions) {
  PlanMessages messages;
  FailureOr<MergePlan> plan = failure();
  if (options.isPlanGiven) {
    MergePlanOptions unfixed = planOptions;
    unfixed.fixOffsets = nullptr;
    plan = computeMergePlan(root, unfixed, messages);
    if (succeeded(plan) && !options.isPlanGiven(root, *plan))
      plan = failure();
  }
  if (failed(plan))
    plan = computeMergePlan(root, planOptions, messages);
  emitMessages(std::move(messages));
  return plan;
}

LogicalResult buffer_merge::inspectMergePlan(
    Operation *root, const BufferMergeOptions &options,
    llvm::function_ref<void(const MergePlan &)> show) {
  const MergePlanOptions planOptions = getPlanOptions(options);
  FailureOr<MergePlan> plan = planMerge(root, options, planOptions);
  if (failed(plan))
    return failure();
  if (options.advise) {
    addProgramAdvice(root, *plan, planOptions,
                     addAdvice(root, *plan, planOptions));
    plan->advice.truncate(
        std::min<size_t>(plan->advice.size(), maxShownProgramAdvice));
    for (PoolPlan &pool : plan->pools)
      pool.advice.truncate(
          std::min<size_t>(pool.advice.size(), maxShownAdvice));
  }
  if (failed(options.inspectPlan(root, *plan)))
    return failure();
  show(*plan);
  return success();
}

FailureOr<BufferMergeResult>
buffer_merge::mergeBuffers(Operation *root, const BufferMergeOptions &options) {
  const MergePlanOptions planOptions = getPlanOptions(options);
  FailureOr<MergePlan> plan = planMerge(root, options, planOptions);
  if (failed(plan) ||
      failed(reportCapacity(root, *plan, options, planOptions)) ||
      (planOptions.left == LeftPolicy::Error &&
       failed(emitLeftErrors(*plan, planOptions.pool))) ||
      failed(options.inspectPlan(root, *plan)))
    return failure();
  if (planOptions.pool == PoolStorage::Slots)
    emitSlotRemarks(*plan);
  else
    emitMergeRemarks(*plan);
  IRRewriter rewriter(root->getContext());
  return applyMergePlan(rewriter, *plan, options);
}
