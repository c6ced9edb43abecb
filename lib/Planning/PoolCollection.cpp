//===- PoolCollection.cpp - Which buffers may share a pool ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PoolCollection.h"
#include "Analysis/FunctionContext.h"
#include "Analysis/GPU/OtherSync.h"
#include "Mutation.h"
#include "Planning/GPU/KernelMemory.h"
#include "Planning/GPU/WorkgroupPlan.h"
#include "Planning/Regions/RegionPlan.h"
#include "Planning/Storage/ArgumentPools.h"
#include "Premises.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

SchedulingProblem
buffer_merge::buildSchedulingProblem(ArrayRef<const BufferLifetime *> buffers,
                                     int64_t alignment) {
  SchedulingProblem problem;
  for (const BufferLifetime *lifetime : buffers) {
    Buffer &buffer = problem.buffers.emplace_back();
    buffer.size = *lifetime->size;
    buffer.alignment = std::max(lifetime->alignment, alignment);
    // Closed in the analysis, half open in the problem.
    buffer.begin = lifetime->ticks.first;
    buffer.end = lifetime->ticks.last + 1;
    for (TickRange gap : lifetime->gaps)
      buffer.gaps.push_back({gap.first, gap.last + 1});
  }
  return problem;
}

void buffer_merge::addInPlacePair(SchedulingProblem &problem,
                                  BufferId earlierId, BufferId laterId,
                                  const InPlaceBuffers &pair) {
  // An operation with regions has several ticks. In the problem the two meet
  // at the first one, as no buffer begins at the others.
  Buffer &earlier = problem.buffers[earlierId];
  if (earlier.end == pair.ticks.last + 1) {
    earlier.end = pair.ticks.first + 1;
    auto &gaps =
        *ask<Stage::Gaps, Premise::ContentsStay, Proof::InPlace>(&earlier.gaps);
    while (!gaps.empty() && gaps.back().end >= earlier.end)
      gaps.pop_back();
  }
  problem.inPlacePairs.push_back({earlierId, laterId, pair.condition});
}

namespace {
/// Buffers that are in pools of their own.
enum class Apart { No, DeallocLists, Erased };
/// What the buffers of a pool have in common: their scope and memory space, and
/// what keeps them apart from others.
using PoolKey = std::tuple<Region *, Attribute, Apart>;
using PoolMap = llvm::MapVector<PoolKey, PoolPlan>;
} // namespace

/// Return true if `type` is a list of a decision about deallocations.
static bool isListType(Type type) {
  auto list = dyn_cast<MemRefType>(type);
  return list && list.getRank() == 1 && !list.getMemorySpace() &&
         (list.getElementType().isIndex() ||
          list.getElementType().isInteger(1));
}

/// Return true if `alloc` is one of the five lists that a lowered
/// `bufferization.dealloc` gives to the function that decides what is to be
/// freed (`dealloc_helper`).
static bool isDeallocList(memref::AllocOp alloc) {
  if (!isListType(alloc.getType()) || isMutated("R4-dealloc-lists"))
    return false;
  auto isHelperCall = [](Operation *op) {
    return isa<func::CallOp>(op) && op->getNumOperands() == 5 &&
           op->getNumResults() == 0 &&
           llvm::all_of(op->getOperandTypes(), isListType);
  };
  return llvm::any_of(alloc->getUsers(), [&](Operation *user) {
    return isa<memref::CastOp>(user) &&
           llvm::any_of(user->getUsers(), isHelperCall);
  });
}

/// Return true if nothing needs the bytes of `buffer` any more (L12 refills).
static bool isErased(const BufferLifetime &buffer,
                     const BufferLifetimes &lifetimes) {
  const FunctionContext *context = lifetimes.getContext(buffer.function);
  return context && !buffer.value && !buffer.parts &&
         context->refills.isErased(buffer.getAllocOp());
}

/// Lists are used where everything else is freed, and would keep an allocated
/// pool until then.
static PoolKey getPoolKey(const BufferLifetime &buffer,
                          const BufferLifetimes &lifetimes,
                          const MergePlanOptions &options) {
  PoolKey key = {buffer.scope, buffer.getMemorySpace(), Apart::No};
  // A region has one pool for each function, all the time.
  if (!buffer.getAllocOp() || options.hasRegions(buffer.getMemorySpace()))
    return key;
  if (isErased(buffer, lifetimes))
    std::get<Apart>(key) = Apart::Erased;
  else if (options.pool == PoolStorage::Alloc &&
           isDeallocList(buffer.getAllocOp()))
    std::get<Apart>(key) = Apart::DeallocLists;
  return key;
}

/// By buffer, its number in its pool.
using BufferIds = llvm::DenseMap<const BufferLifetime *, BufferId>;

/// Group the mergeable ones of `buffers`, which are not in arguments, and
/// `unshared` by their keys. Add the others to `plan`.
static std::pair<PoolMap, BufferIds>
groupBuffers(const BufferLifetimes &lifetimes,
             ArrayRef<const BufferLifetime *> buffers,
             const llvm::DenseSet<const BufferLifetime *> &unshared,
             const MergePlanOptions &options, MergePlan &plan) {
  llvm::SmallPtrSet<const BufferLifetime *, 8> inArguments;
  for (const PoolPlan &pool : plan.pools)
    inArguments.insert(pool.buffers.begin(), pool.buffers.end());
  PoolMap pools;
  BufferIds ids;
  for (const BufferLifetime *buffer : buffers) {
    if (buffer->refusal && !unshared.contains(buffer)) {
      plan.unmergeable.push_back({buffer, *buffer->refusal});
      continue;
    }
    if (inArguments.contains(buffer))
      continue;
    PoolKey key = getPoolKey(*buffer, lifetimes, options);
    PoolPlan &pool = pools[key];
    pool.isErased = std::get<Apart>(key) == Apart::Erased;
    pool.scope = buffer->scope;
    pool.memorySpace = buffer->getMemorySpace();
    if (buffer->isWorkgroup && !pool.workgroup)
      pool.workgroup.emplace().sync = lifetimes.getWorkgroupSync(buffer->scope);
    ids[buffer] = pool.buffers.size();
    pool.buffers.push_back(buffer);
  }
  return {std::move(pools), std::move(ids)};
}

/// Add the in-place pairs of `lifetimes` whose buffers are in one pool to its
/// problem.
static void addInPlacePairs(const BufferLifetimes &lifetimes,
                            const MergePlanOptions &options,
                            const BufferIds &ids, PoolMap &pools) {
  for (const InPlaceBuffers &pair : lifetimes.getInPlaceBuffers()) {
    auto earlierId = ids.find(pair.earlier), laterId = ids.find(pair.later);
    if (earlierId == ids.end() || laterId == ids.end() ||
        getPoolKey(*pair.later, lifetimes, options) !=
            getPoolKey(*pair.earlier, lifetimes, options))
      continue;
    addInPlacePair(pools[getPoolKey(*pair.later, lifetimes, options)].problem,
                   earlierId->second, laterId->second, pair);
  }
}

/// Choose where `pool`, in workgroup memory, is, and find out what else is
/// there.
static void addWorkgroupPart(PoolPlan &pool, const MergePlanOptions &options,
                             KernelMemory &kernelMemory) {
  chooseWorkgroupPool(pool, options.workgroupPool, kernelMemory);
  llvm::DenseSet<Value> merged;
  bool isAnyAllocated = false;
  for (const BufferLifetime *buffer : pool.buffers) {
    merged.insert(buffer->alloc);
    isAnyAllocated |= buffer->getAllocOp() != nullptr;
  }
  // An attribution has a lowering without a pool.
  pool.workgroup->isWantedAnyway =
      pool.workgroup->storage != PoolStorage::Alloc && isAnyAllocated;
  if (const Capacity *capacity =
          options.findCapacity(pool.memorySpace, pool.isInDeviceCode())) {
    pool.workgroup->others =
        kernelMemory.collect(*pool.scope, capacity->spaces, merged);
    int64_t alignment = 1;
    for (const Buffer &buffer : pool.problem.buffers)
      alignment = std::max(alignment, buffer.alignment);
    if (int64_t slack = getDynamicSlack(alignment);
        slack != 0 && pool.workgroup->storage == PoolStorage::Dynamic)
      pool.workgroup->others.push_back(
          {"alignment", pool.scope->getParentOp()->getLoc(), slack});
    pool.workgroup->otherBytes = sumBytes(pool.workgroup->others);
    pool.workgroup->kernelCapacity = capacity->bytes;
  }
}

/// Return the least alignment of the buffers of `pool`. Regions of a target
/// have their own.
static int64_t getPoolAlignment(const PoolPlan &pool,
                                const MergePlanOptions &options) {
  if (mayHaveRegions(pool, options))
    return 1;
  return options.getLeastAlignment(pool.memorySpace, pool.isInDeviceCode(),
                                   pool.workgroup.has_value());
}

MergePlan buffer_merge::collectPools(const BufferLifetimes &lifetimes,
                                     ArrayRef<const BufferLifetime *> buffers,
                                     const MergePlanOptions &options) {
  MergePlan plan;
  plan.otherAllocations = lifetimes.getOtherAllocations();
  SmallVector<PoolPlan, 0> inArguments =
      planArgumentPools(lifetimes, buffers, options, plan.refusedArguments);
  plan.pools = std::move(inArguments);
  KernelMemory kernelMemory(lifetimes.getRoot(), lifetimes.getDeviceCode());
  auto [pools, ids] =
      groupBuffers(lifetimes, buffers,
                   findUnsharedParts(buffers, lifetimes, options, kernelMemory),
                   options, plan);
  inArguments = std::exchange(plan.pools, {});
  for (auto &[key, pool] : pools) {
    pool.problem =
        buildSchedulingProblem(pool.buffers, getPoolAlignment(pool, options));
    for (auto [buffer, lifetime] :
         llvm::zip_equal(pool.problem.buffers, pool.buffers))
      if (lifetime->refusal)
        buffer.alignment = getOwnAlignment(*lifetime, options);
    pool.mayAlignLess = !options.alignment && options.spaceAlignments.empty() &&
                        !pool.workgroup;
  }
  addInPlacePairs(lifetimes, options, ids, pools);

  std::optional<OtherSync> otherBarriers;
  if (options.barriers != BarrierPolicy::Existing)
    otherBarriers.emplace(lifetimes.getRoot(), OtherSync::Kind::SharedBarrier,
                          lifetimes.getWorkgroupOptions());
  for (auto &[key, pool] : pools) {
    if (pool.workgroup) {
      // It is lowered to a barrier of all threads, which some of them might
      // meet at another operation.
      if (otherBarriers)
        pool.workgroup->barrierObstacle = otherBarriers->findIn(*pool.scope);
      addWorkgroupPart(pool, options, kernelMemory);
    }
    plan.pools.push_back(std::move(pool));
  }
  llvm::append_range(plan.pools, std::move(inArguments));
  plan.overfullKernels =
      findOverfullKernels(lifetimes, plan.pools, options, kernelMemory);
  return plan;
}
