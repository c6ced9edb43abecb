//===- Plans and lifetimes as remarks ------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Remarks.h"
#include "Advice.h"
#include "Analysis/GPU/WorkgroupSync.h"
#include "Analysis/IterationSpace.h"
#include "Locations.h"
#include "Planning/GPU/KernelMemory.h"
#include "Planning/Heap/Footprint.h"
#include "Scheduling/SaturatingBytes.h"
#include "buffer-merge/Report/ReportFormat.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;
using namespace buffer_merge;

/// Return ` in memory space S`, or nothing for the default space.
static std::string describeSpace(Attribute memorySpace) {
  if (!memorySpace)
    return "";
  std::string text;
  llvm::raw_string_ostream(text) << " in memory space " << memorySpace;
  return text;
}

std::string buffer_merge::getPoolNote(const PoolPlan &pool) {
  if (const NoPool *noPool = pool.getNoPool();
      noPool && !noPool->message.empty())
    return noPool->message;
  if (!pool.workgroup)
    return pool.capacityNote.str();
  return pool.workgroup->note.empty() ? pool.workgroup->storageNote
                                      : pool.workgroup->note;
}

static std::string describePool(const PoolPlan &pool) {
  std::string place = describeSpace(pool.memorySpace);
  if (pool.region)
    place += " in region " + pool.region->region->name;
  // The parts of calls follow the buffers.
  int64_t callBytes = 0;
  for (const Buffer &part :
       ArrayRef(pool.problem.buffers).drop_front(pool.buffers.size()))
    callBytes += part.size;
  std::string text = llvm::formatv(
      "pool{0}: {1} buffer{2} of {3} bytes", place, pool.buffers.size(),
      pool.buffers.size() == 1 ? "" : "s", pool.totalBytes - callBytes);
  if (!pool.calls.empty())
    text += llvm::formatv(", {0} call{1} that need{2} {3} bytes",
                          pool.calls.size(), pool.calls.size() == 1 ? "" : "s",
                          pool.calls.size() == 1 ? "s" : "", callBytes);
  text += llvm::formatv(", {0} alive at tick {1}", pool.lowerBound.bytes,
                        pool.lowerBound.peakTick);
  const NoPool *noPool = pool.getNoPool();
  if (noPool)
    text +=
        llvm::formatv(", no pool: {0}", getReasonName(noPool->reason)).str();
  if (noPool && !noPool->storageNote.empty())
    text += "; " + noPool->storageNote;
  if (!noPool)
    text +=
        llvm::formatv(", pool of {0} bytes", pool.getPool()->schedule.poolSize)
            .str();
  if (!noPool && pool.getPool()->storage == PoolStorage::Dynamic &&
      pool.getPool()->schedule.poolAlignment > dynamicMemoryAlignment)
    text += llvm::formatv(", {0} with what aligns it",
                          getDynamicBytes(pool.getPool()->schedule))
                .str();
  if (std::optional<int64_t> address = pool.getAddress(std::nullopt))
    text += llvm::formatv(" at address {0:x}", *address).str();
  if (pool.region && !noPool)
    text += llvm::formatv(", accesses move {0} bytes", pool.region->movedBytes)
                .str();
  if (pool.reuse)
    text += llvm::formatv(
                ", pairs that wait for their bytes: {0} instead of {1}",
                pool.reuse->cost.numPairs, pool.reuse->costOfSmallest.numPairs)
                .str();
  if (pool.banks)
    text += llvm::formatv(", pairs in the same bank: {0} of {1} instead of {2}",
                          pool.banks->numInSameBank, pool.banks->numPairs,
                          pool.banks->numInSameBankBefore)
                .str();
  if (pool.excessiveBytes &&
      pool.getReason() != UnmergeableReason::OverCapacity)
    text +=
        llvm::formatv(", more than its capacity of {0}", *pool.capacity).str();
  if (!noPool && pool.workgroup && pool.workgroup->bytesWithoutBarriers)
    text += llvm::formatv(", {0} without the inserted barriers",
                          *pool.workgroup->bytesWithoutBarriers)
                .str();
  if (std::string note = getPoolNote(pool); !note.empty())
    text += " (" + note + ")";
  return text;
}

/// In a kernel without barriers, every buffer conflicts with every other one.
static constexpr size_t maxShownConflicts = 1000;

static ArrayRef<SyncConflict> getShownConflicts(const PoolPlan &pool) {
  if (!pool.workgroup)
    return {};
  return ArrayRef<SyncConflict>(pool.workgroup->conflicts)
      .take_front(maxShownConflicts);
}

/// Emit a remark for a pair of buffers that cannot overlap because of a missing
/// barrier.
static void emitConflictRemark(const PoolPlan &pool,
                               const SyncConflict &conflict) {
  Location loc = pool.buffers[conflict.first]->alloc.getLoc();
  InFlightDiagnostic remark = emitRemark(loc);
  remark << "cannot share bytes with buffer " << conflict.second
         << " of the pool: " << getRuleName(conflict.rule);
  remark.attachNote(conflict.from->getLoc()) << "between this access";
  remark.attachNote(conflict.to->getLoc()) << "and this one";
}

/// Return the allocations of `pool` whose iterations race as it is planned,
/// each with such a race.
static SmallVector<std::pair<Value, SyncConflict>>
findRacesOfIterations(const PoolPlan &pool) {
  SmallVector<std::pair<Value, SyncConflict>> found;
  if (!pool.workgroup || !pool.workgroup->sync || !pool.getPool())
    return found;
  const WorkgroupPlan &workgroup = *pool.workgroup;
  // A kernel may have another pool in another memory space.
  llvm::DenseMap<unsigned, Value> allocs;
  for (const BufferLifetime *buffer : pool.buffers)
    if (!buffer->refusal)
      allocs[workgroup.sync->getNumber(buffer->alloc)] = buffer->alloc;
  for (const SyncConflict &race :
       workgroup.sync->findRacesOfIterations(llvm::DenseSet<Operation *>(
           workgroup.barriers.begin(), workgroup.barriers.end())))
    if (Value alloc = allocs.lookup(race.first))
      found.emplace_back(alloc, race);
  return found;
}

/// Return `gaps` half open, as in `2-5 7-8`.
static std::string printGaps(ArrayRef<TickRange> gaps) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      gaps, os, [&](TickRange gap) { os << gap.first << "-" << gap.last + 1; },
      " ");
  return text;
}

/// Emit a remark with the lifetime of a buffer, its region and address if it
/// has one, where else it is allocated, and where it begins if it is one of
/// several values of an allocation.
static void emitLifetimeRemark(const PoolPlan &pool, BufferId id) {
  const BufferLifetime &buffer = *pool.buffers[id];
  InFlightDiagnostic remark = emitRemark(buffer.alloc.getLoc());
  remark << "lifetime [" << buffer.ticks.first << ", " << buffer.ticks.last + 1
         << ")";
  for (auto [index, gap] : llvm::enumerate(buffer.gaps))
    remark << (index == 0 ? " without [" : ", [") << gap.first << ", "
           << gap.last + 1 << ")";
  remark << ", " << *buffer.size << " bytes";
  if (pool.region && pool.getPool()) {
    remark << ", region " << pool.region->region->name;
    if (Attribute own = buffer.getMemorySpace(); own != pool.memorySpace)
      remark << " instead of memory space " << getMemorySpaceName(own);
    ArrayRef<Operation *> obstacles = pool.region->spaceObstacles;
    if (!obstacles.empty() && obstacles[id])
      remark << ", stays in its memory space for '" << obstacles[id]->getName()
             << "'";
  }
  if (std::optional<int64_t> address = pool.getAddress(id))
    remark << ", address " << llvm::formatv("{0:x}", *address).str();
  if (buffer.refusal)
    remark << ", shares no bytes: "
           << describeReason(buffer.refusal->reason, buffer.refusal->op);
  if (buffer.parts)
    for (const BufferParts::Part &part : buffer.parts->parts)
      remark.attachNote(memref::AllocOp(part.alloc).getLoc())
          << "it is at byte " << part.offset << " of this buffer";
  if (!buffer.value)
    return;
  remark << ", value " << buffer.value->index + 1 << " of "
         << buffer.value->count;
  remark.attachNote(buffer.value->begin->getLoc()) << "it begins here";
}

/// Emit remarks about what the threads of a workgroup mean for `pool`.
static void emitWorkgroupRemarks(const PoolPlan &pool,
                                 const WorkgroupPlan &workgroup) {
  for (const SyncConflict &conflict : getShownConflicts(pool))
    emitConflictRemark(pool, conflict);
  if (workgroup.conflicts.size() > maxShownConflicts)
    emitRemark(pool.scope->getParentOp()->getLoc())
        << "cannot share bytes: "
        << workgroup.conflicts.size() - maxShownConflicts << " more pairs";
  for (auto &[alloc, race] : findRacesOfIterations(pool)) {
    InFlightDiagnostic remark = emitRemark(alloc.getLoc());
    remark << "iterations race for the bytes of this allocation: "
           << getRuleName(race.rule);
    remark.attachNote(race.from->getLoc()) << "between this access";
    remark.attachNote(race.to->getLoc()) << "and this one, an iteration later";
  }
  for (Operation *op : workgroup.barriers)
    emitRemark(op->getLoc())
        << (llvm::is_contained(workgroup.fencedBarriers, op)
                ? "proxy fence and "
                : "")
        << "barrier to be inserted before this";
  if (workgroup.barrierObstacle && !workgroup.conflicts.empty())
    emitRemark(workgroup.barrierObstacle->getLoc())
        << "no barrier is inserted into the kernel: this operation may use the "
           "same hardware barrier for some threads";
}

/// Emit a remark at what would have to change.
static void emitAdvice(const PoolPlan &pool, const PoolAdvice &advice) {
  emitRemark(getAdviceLocation(pool, advice))
      << "advice: " << describeChange(pool, advice)
      << (pool.getNoPool() ? "; a pool then takes " : "; the pool is then ")
      << advice.savedBytes
      << (pool.getNoPool() ? " bytes less than its buffers" : " bytes smaller");
}

/// Emit the advice for the program, at `root`, at the buffers that would have
/// to change, or at the operation.
static void emitProgramAdvice(Operation *root, const MergePlan &plan) {
  if (plan.advice.empty() && !plan.peakOp)
    return;
  ReportProgram program;
  program.peakBytes = computePeakBytes(plan);
  if (plan.peakOp)
    emitRemark(plan.peakOp->getLoc())
        << "this operation alone needs the " << program.peakBytes
        << " bytes of the program's peak: only fusing or tiling it can go "
           "below";
  for (const ProgramAdvice &advice : plan.advice)
    emitRemark(advice.pool
                   ? getAdviceLocation(plan.pools[*advice.pool], advice.change)
                   : root->getLoc())
        << describeAdvice(
               program, {advice.pool ? describeChange(plan.pools[*advice.pool],
                                                      advice.change)
                                     : advice.options,
                         advice.savedBytes, advice.numMerged});
}

/// Return the allocations of `plan` that become attributions of their own.
static llvm::DenseSet<Value> getOwnAttributions(const MergePlan &plan) {
  llvm::DenseSet<Value> allocs;
  for (const OwnAttribution &own : plan.ownAttributions)
    allocs.insert(own.buffer->alloc);
  return allocs;
}

void buffer_merge::emitLifetimeRemarks(Operation *root, const MergePlan &plan) {
  struct Count {
    int64_t allocations = 0;
    int64_t bytes = 0;
  };
  // Ordered as the enumeration is.
  std::map<UnmergeableReason, Count> counts;
  auto count = [&](UnmergeableReason reason, int64_t bytes) {
    ++counts[reason].allocations;
    counts[reason].bytes = addBytes(counts[reason].bytes, bytes);
  };

  llvm::DenseSet<Value> ownAttributions = getOwnAttributions(plan);
  for (const auto &[buffer, refusal] : plan.unmergeable) {
    count(refusal.reason, buffer->size.value_or(0));
    InFlightDiagnostic remark = emitRemark(buffer->alloc.getLoc());
    remark << "not mergeable: " << describeReason(refusal.reason, refusal.op);
    if (ownAttributions.contains(buffer->alloc))
      remark << "; it becomes a workgroup attribution of its own";
  }
  for (const OtherAllocation &other : plan.otherAllocations) {
    count(UnmergeableReason::NotAnAlloc, other.size);
    emitRemark(other.op->getLoc())
        << "not mergeable: "
        << describeReason(UnmergeableReason::NotAnAlloc, other.op);
  }
  for (const RefusedArgument &refused : plan.refusedArguments)
    emitRemark(refused.argument.getLoc())
        << "argument " << refused.argument.getArgNumber()
        << " holds no buffer: " << refused.reason;
  for (const RuntimePool &pool : plan.runtimePools) {
    const bool isStatic =
        llvm::all_of(pool.buffers, [](const BufferLifetime *buffer) {
          return buffer->alloc.getType().hasStaticShape();
        });
    StringRef kind = isStatic ? "pool" : "pool of run-time size";
    for (const BufferLifetime *buffer : pool.buffers)
      emitRemark(buffer->alloc.getLoc())
          << "lifetime [" << buffer->ticks.first << ", "
          << buffer->ticks.last + 1 << "), in a " << kind;
    emitRemark(pool.first->getParentOp()->getLoc())
        << kind
        << (pool.isInArena    ? " in the arena"
            : pool.isInKernel ? " in dynamic memory"
                              : "")
        << ": " << pool.buffers.size()
        << (pool.buffers.size() == 1 ? " buffer, " : " buffers, ")
        << describeBytes(pool, pool.alive) << " bytes alive, pool of "
        << describeBytes(pool) << " bytes";
  }
  for (const PoolPlan &pool : plan.pools) {
    for (auto [id, buffer] : llvm::enumerate(pool.buffers)) {
      if (const NoPool *noPool = pool.getNoPool())
        count(noPool->reason, *buffer->size);
      emitLifetimeRemark(pool, id);
    }
    if (pool.workgroup)
      emitWorkgroupRemarks(pool, *pool.workgroup);
    emitRemark(pool.scope->getParentOp()->getLoc()) << describePool(pool);
    for (const PoolAdvice &advice : pool.advice)
      emitAdvice(pool, advice);
  }
  for (auto [reason, total] : counts)
    emitRemark(root->getLoc())
        << "left alone: " << total.allocations
        << (total.allocations == 1 ? " allocation of " : " allocations of ")
        << total.bytes << " bytes: " << getReasonName(reason);
  emitProgramAdvice(root, plan);
}

/// Return the name of the function around `op`, or nothing.
static StringRef getFunctionName(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    function = op->getParentOfType<FunctionOpInterface>();
  return function ? function.getName() : StringRef();
}

remark::RemarkOpts buffer_merge::getRemarkOpts(StringRef name, Operation *op) {
  return remark::RemarkOpts::name(name)
      .category("buffer-merge")
      .function(getFunctionName(op));
}

std::optional<std::lock_guard<std::mutex>>
buffer_merge::lockRemarks(MLIRContext *context) {
  static std::mutex mutex;
  if (!context || !context->getRemarkEngine())
    return std::nullopt;
  return std::optional<std::lock_guard<std::mutex>>(std::in_place, mutex);
}

static void emitMissedRemark(const BufferLifetimes &lifetimes, Location loc,
                             const remark::RemarkOpts &options, int64_t bytes,
                             UnmergeableReason reason, Operation *reasonOp,
                             Operation *allocation, bool isAttribution = false,
                             StringRef storageNote = "") {
  remark::detail::InFlightRemark missed = remark::missed(loc, options);
  if (!missed)
    return;
  missed << remark::reason("{0}", describeReason(reason, reasonOp))
         << remark::metric("Bytes", bytes);
  if (isAttribution)
    missed << remark::metric("Becomes", "attribution");
  if (!storageNote.empty())
    missed << remark::metric("Storage", storageNote);
  if (std::string advice =
          getLeftAdvice(lifetimes, reason, reasonOp, allocation);
      !advice.empty())
    missed << remark::suggest("{0}", advice);
}

/// Return the context of the operations in `plan`, or null if there are none.
static MLIRContext *getContext(const MergePlan &plan) {
  if (!plan.unmergeable.empty())
    return plan.unmergeable.front().buffer->alloc.getContext();
  if (!plan.otherAllocations.empty())
    return plan.otherAllocations.front().op->getContext();
  if (!plan.runtimePools.empty())
    return plan.runtimePools.front().first->getContext();
  return plan.pools.empty() ? nullptr : plan.pools.front().scope->getContext();
}

/// Emit remarks about what the threads of a workgroup mean for `pool`.
static void emitSyncRemarks(const PoolPlan &pool,
                            const WorkgroupPlan &workgroup) {
  Operation *scopeOp = pool.scope->getParentOp();
  {
    remark::detail::InFlightRemark barriers =
        remark::analysis(scopeOp->getLoc(), getRemarkOpts("Barriers", scopeOp));
    barriers << remark::metric(
                    "Existing",
                    workgroup.sync ? workgroup.sync->getBarriers().size() : 0)
             << remark::metric("Inserted", workgroup.barriers.size())
             << remark::metric("PairsKeptApart", workgroup.conflicts.size());
    if (workgroup.bytesWithoutBarriers)
      barriers << remark::metric("PoolBytesWithoutInserted",
                                 *workgroup.bytesWithoutBarriers);
  }
  for (Operation *op : workgroup.barriers)
    remark::passed(op->getLoc(), getRemarkOpts("BarrierInserted", op))
        << remark::metric("Before", describeAccess(op))
        << remark::metric("ProxyFence",
                          llvm::is_contained(workgroup.fencedBarriers, op));
  if (workgroup.barrierObstacle && !workgroup.conflicts.empty())
    remark::missed(scopeOp->getLoc(),
                   getRemarkOpts("NoBarrierInserted", scopeOp))
        << remark::reason("an operation may use the same hardware barrier "
                          "for some threads")
        << remark::metric("At", describeAccess(workgroup.barrierObstacle));
  for (const SyncConflict &conflict : getShownConflicts(pool)) {
    const BufferLifetime *buffer = pool.buffers[conflict.first];
    remark::missed(buffer->alloc.getLoc(),
                   getRemarkOpts("NotShared", buffer->getPlace()))
        << remark::reason("{0}, {1}", getRuleName(conflict.rule),
                          getRuleDescription(conflict.rule))
        << remark::metric(
               "With",
               describeLocation(pool.buffers[conflict.second]->alloc.getLoc()))
        << remark::metric("From", describeAccess(conflict.from))
        << remark::metric("To", describeAccess(conflict.to));
  }
  for (auto &[alloc, race] : findRacesOfIterations(pool))
    remark::analysis(alloc.getLoc(),
                     getRemarkOpts("IterationsRace", alloc.getDefiningOp()))
        << remark::reason("{0}, {1}", getRuleName(race.rule),
                          getRuleDescription(race.rule))
        << remark::metric("From", describeAccess(race.from))
        << remark::metric("To", describeAccess(race.to));
}

/// Return how many more bytes the function of `plan` takes with its pools than
/// without if everything is freed after its last use in both.
static int64_t findExcessIfDeallocated(const PoolPlan &plan,
                                       const Footprint &footprint) {
  for (const auto &[function, bytes] : footprint.functions)
    if (function->isAncestor(plan.scope->getParentOp()))
      return bytes.excessIfDeallocated;
  return 0;
}

/// Emit remarks about `pool`, which `plan` makes, number `index` of those that
/// `getFootprint` returns the sizes of.
static void
emitPoolRemarks(const PoolPlan &plan, const Pool &pool, size_t index,
                llvm::function_ref<const Footprint &()> getFootprint) {
  Operation *scopeOp = plan.scope->getParentOp();
  if (remark::detail::InFlightRemark remark =
          remark::analysis(scopeOp->getLoc(), getRemarkOpts("Pool", scopeOp))) {
    remark << remark::metric("PoolBytes", pool.schedule.poolSize)
           << remark::metric("LowerBound", plan.lowerBound.bytes)
           << remark::metric("AllocatedBytes", plan.totalBytes)
           << remark::metric("BaselineBytes",
                             getFootprint().poolBaselines[index])
           << remark::metric("Buffers", plan.buffers.size())
           << remark::metric("SavedBytes",
                             plan.totalBytes - pool.schedule.poolSize);
    if (int64_t excess = findExcessIfDeallocated(plan, getFootprint()))
      remark << remark::metric(
          "IfDeallocated",
          llvm::formatv("{0} bytes above; limit-peak=deallocated keeps below",
                        excess)
              .str());
    if (int64_t bound = plan.getProvedBound(); bound > plan.lowerBound.bytes)
      remark << remark::metric("ProvedBound", bound);
    if (!plan.capacityNote.empty())
      remark << remark::metric("Capacity", plan.capacityNote);
    if (pool.storage != PoolStorage::Alloc && !plan.workgroup)
      remark << remark::metric("Storage", getPoolStorageName(pool.storage));
    if (plan.region)
      remark << remark::metric("Region", plan.region->region->name)
             << remark::metric("MovedBytes", plan.region->movedBytes);
    if (std::optional<int64_t> address = plan.getAddress(std::nullopt))
      remark << remark::metric("Address", *address);
    if (plan.reuse)
      remark << remark::metric("WaitingPairs", plan.reuse->cost.numPairs)
             << remark::metric("ReusePenalty", plan.reuse->cost.penalty)
             << remark::metric("WaitingPairsOfSmallest",
                               plan.reuse->costOfSmallest.numPairs)
             << remark::metric("ReusePenaltyOfSmallest",
                               plan.reuse->costOfSmallest.penalty);
    if (plan.banks)
      remark << remark::metric("BankPairs", plan.banks->numPairs)
             << remark::metric("SameBankPairs", plan.banks->numInSameBank)
             << remark::metric("SameBankPairsBefore",
                               plan.banks->numInSameBankBefore);
  }
  if (!pool.storageNote.empty())
    remark::missed(
        scopeOp->getLoc(),
        getRemarkOpts(plan.workgroup ? "PoolIsStatic" : "PoolIsAllocated",
                      scopeOp))
        << remark::reason("{0}", pool.storageNote)
        << remark::metric("PoolBytes", pool.schedule.poolSize);
  if (plan.workgroup)
    emitSyncRemarks(plan, *plan.workgroup);
  const remark::RemarkOpts opts = getRemarkOpts("Merged", scopeOp);
  for (auto [buffer, offset] : llvm::zip(plan.buffers, pool.schedule.offsets)) {
    auto remark = remark::passed(buffer->alloc.getLoc(), opts);
    if (!remark)
      continue;
    remark << remark::metric("Offset", offset)
           << remark::metric("Bytes", *buffer->size)
           << remark::metric("Begin", buffer->ticks.first)
           << remark::metric("End", buffer->ticks.last + 1);
    if (!buffer->gaps.empty())
      remark << remark::metric("Gaps", printGaps(buffer->gaps));
    if (buffer->refusal)
      remark << remark::metric(
          "SharesNothing",
          describeReason(buffer->refusal->reason, buffer->refusal->op));
  }
}

void buffer_merge::emitMergeRemarks(const MergePlan &plan) {
  auto lock = lockRemarks(getContext(plan));
  if (!lock)
    return;
  llvm::DenseSet<Value> ownAttributions = getOwnAttributions(plan);
  auto emitMissed = [&](const BufferLifetime &buffer, UnmergeableReason reason,
                        Operation *reasonOp, StringRef storageNote = "") {
    emitMissedRemark(*plan.lifetimes, buffer.alloc.getLoc(),
                     getRemarkOpts("NotMerged", buffer.getPlace()),
                     buffer.size.value_or(0), reason, reasonOp,
                     buffer.getAllocOp(),
                     ownAttributions.contains(buffer.alloc), storageNote);
  };
  for (const auto &[buffer, refusal] : plan.unmergeable)
    emitMissed(*buffer, refusal.reason, refusal.op);
  for (const OtherAllocation &other : plan.otherAllocations)
    emitMissedRemark(*plan.lifetimes, other.op->getLoc(),
                     getRemarkOpts("NotMerged", other.op), other.size,
                     UnmergeableReason::NotAnAlloc, other.op, other.op);
  for (const RefusedArgument &refused : plan.refusedArguments)
    remark::missed(refused.argument.getLoc(),
                   getRemarkOpts("ArgumentHoldsNothing",
                                 refused.argument.getOwner()->getParentOp()))
        << remark::reason("{0}", refused.reason)
        << remark::metric("Argument", refused.argument.getArgNumber());
  for (const RuntimePool &pool : plan.runtimePools)
    // Words are found only if anyone listens.
    if (remark::detail::InFlightRemark remark = remark::passed(
            pool.first->getLoc(), getRemarkOpts("RuntimePool", pool.first)))
      remark << remark::metric("Buffers", pool.buffers.size())
             << remark::metric("Alive", describeBytes(pool, pool.alive))
             << remark::metric("Bytes", describeBytes(pool));
  // Computed only if anyone listens.
  std::optional<Footprint> footprint;
  auto getFootprint = [&]() -> const Footprint & {
    if (!footprint)
      footprint = computeFootprint(plan);
    return *footprint;
  };
  Operation *root = plan.lifetimes->getRoot();
  // A category of its own, as it is about the program and not about merging.
  if (!root->getParentOp())
    if (remark::detail::InFlightRemark remark = remark::analysis(
            root->getLoc(),
            remark::RemarkOpts::name("Program").category("memory-footprint")))
      remark << remark::metric("AllocatedBytes", getFootprint().allocatedBytes)
             << remark::metric("BaselineBytes", getFootprint().peak.baseline)
             << remark::metric("PeakBytes", getFootprint().peak.planned);
  for (const auto &[index, pool] : llvm::enumerate(plan.pools)) {
    if (const NoPool *noPool = pool.getNoPool())
      for (const BufferLifetime *buffer : pool.buffers)
        emitMissed(*buffer, noPool->reason, nullptr, noPool->storageNote);
    else
      emitPoolRemarks(pool, *pool.getPool(), index, getFootprint);
  }
}

void buffer_merge::emitSlotRemarks(const MergePlan &plan) {
  auto lock = lockRemarks(getContext(plan));
  if (!lock)
    return;
  for (const PoolPlan &pool : plan.pools) {
    Operation *loop = pool.scope->getParentOp();
    if (const Pool *made = pool.getPool()) {
      remark::passed(loop->getLoc(), getRemarkOpts("Slots", loop))
          << remark::metric("Slots", countIterations(*getIterationRanges(loop)))
          << remark::metric("SlotBytes", made->schedule.poolSize)
          << remark::metric("Buffers", pool.buffers.size());
      continue;
    }
    const NoPool &noPool = *pool.getNoPool();
    remark::missed(loop->getLoc(), getRemarkOpts("NoSlots", loop))
        << remark::reason("{0}", noPool.message.empty()
                                     ? getReasonName(noPool.reason)
                                     : StringRef(noPool.message))
        << remark::metric("Buffers", pool.buffers.size());
  }
}

static std::string describeObstacle(const CarriedBuffer &buffer) {
  // Uses have reasons of their own.
  if (*buffer.obstacle == CarriedObstacle::Use)
    return describeReason(buffer.useReason, buffer.obstacleOp);
  std::string text =
      llvm::formatv("{0}, {1}", getObstacleName(*buffer.obstacle),
                    getObstacleDescription(*buffer.obstacle))
          .str();
  if (buffer.obstacleOp)
    text += llvm::formatv(" ('{0}')", buffer.obstacleOp->getName()).str();
  return text;
}

void buffer_merge::emitRotationRemarks(const CarriedInstances &instances) {
  if (instances.getBuffers().empty())
    return;
  memref::AllocOp first = instances.getBuffers().front().alloc;
  auto lock = lockRemarks(first.getContext());
  if (!lock)
    return;
  for (const CarriedBuffer &buffer : instances.getBuffers()) {
    memref::AllocOp alloc = buffer.alloc;
    if (!buffer.obstacle) {
      remark::detail::InFlightRemark passed = remark::passed(
          alloc.getLoc(),
          getRemarkOpts(buffer.isCarried ? "Rotated" : "Hoisted", alloc));
      if (buffer.isCarried)
        passed << remark::metric("Slots", buffer.numInstances)
               << remark::metric("Loops", buffer.loops.size());
      continue;
    }
    remark::detail::InFlightRemark missed =
        remark::missed(alloc.getLoc(), getRemarkOpts("NotRotated", alloc));
    missed << remark::reason("{0}", describeObstacle(buffer));
    StringRef advice = *buffer.obstacle == CarriedObstacle::Use
                           ? getReasonAdvice(buffer.useReason)
                           : getObstacleAdvice(*buffer.obstacle);
    if (!advice.empty())
      missed << remark::suggest("{0}", advice);
  }
}
