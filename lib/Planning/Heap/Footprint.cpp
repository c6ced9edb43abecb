//===- Footprint.cpp - The bytes of a program -----------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Footprint.h"
#include "HeldOverTime.h"
#include "Planning/GPU/KernelMemory.h"
#include "Planning/Gain.h"
#include "Planning/Storage/ArenaPlan.h"
#include "ProgramHeap.h"
#include "Scheduling/SaturatingBytes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace buffer_merge;

/// Return what all allocations of `plan` take, those that were split once.
static int64_t countAllocatedBytes(const MergePlan &plan) {
  int64_t bytes = 0;
  for (const BufferLifetime &buffer : plan.lifetimes->getBuffers())
    if (buffer.size)
      bytes = addBytes(bytes, getAllocatedBytes(buffer));
  for (const OtherAllocation &other : plan.lifetimes->getOtherAllocations())
    if (!isa<memref::AllocaOp>(other.op))
      bytes = addBytes(bytes, other.size);
  return bytes;
}

namespace {
/// Sums by memory space.
using BytesBySpace = llvm::SmallMapVector<Attribute, PeakBytes, 2>;
} // namespace

/// Add what the kernels inside of each function take of workgroup memory, each
/// all of it at the same time, to `bytesOf`.
static void
addWorkgroupMemory(const MergePlan &plan,
                   llvm::MapVector<Operation *, BytesBySpace> &bytesOf) {
  llvm::MapVector<Operation *, BytesBySpace> kernels;
  auto getBytes = [&](Operation *inside, Attribute space) -> PeakBytes & {
    Operation *kernel = inside->getParentOfType<gpu::LaunchOp>();
    if (!kernel)
      kernel = inside->getParentOfType<FunctionOpInterface>();
    return kernels[kernel][space];
  };
  llvm::DenseSet<const BufferLifetime *> merged;
  for (const PoolPlan &pool : plan.pools)
    if (pool.workgroup && pool.getPool()) {
      merged.insert(pool.buffers.begin(), pool.buffers.end());
      PeakBytes &bytes =
          getBytes(pool.buffers.front()->getPlace(), pool.memorySpace);
      const Pool &made = *pool.getPool();
      bytes.planned =
          addBytes(bytes.planned, made.storage == PoolStorage::Dynamic
                                      ? getDynamicBytes(made.schedule)
                                      : made.schedule.poolSize);
    }
  for (const BufferLifetime &buffer : plan.lifetimes->getBuffers())
    if (buffer.isWorkgroup && buffer.size) {
      PeakBytes &bytes = getBytes(buffer.getPlace(), buffer.getMemorySpace());
      bytes.baseline = addBytes(bytes.baseline, getAllocatedBytes(buffer));
      if (!merged.contains(&buffer))
        bytes.planned = addBytes(bytes.planned, getAllocatedBytes(buffer));
    }
  for (const auto &[kernel, spaces] : kernels) {
    Operation *function = kernel;
    if (isa_and_nonnull<gpu::LaunchOp>(kernel))
      function = kernel->getParentOfType<FunctionOpInterface>();
    // One kernel of a function runs after the other.
    for (const auto &[space, bytes] : spaces) {
      PeakBytes &most = bytesOf[function][space];
      most.baseline = std::max(most.baseline, bytes.baseline);
      most.planned = std::max(most.planned, bytes.planned);
    }
  }
}

int64_t buffer_merge::countInnerArena(const MergePlan &plan, Operation *op) {
  if (!plan.arenas)
    return 0;
  const FunctionGraph &graph = plan.arenas->getGraph();
  std::optional<unsigned> index = graph.lookup(op);
  bool isInner = index && plan.arenas->isActive(*index) &&
                 !plan.arenas->getArenas()[*index].isOwn &&
                 !plan.arenas->isCalledFromOutside(*index) &&
                 !graph.getFunctions()[*index].callers.empty();
  return isInner ? plan.arenas->getArenas()[*index].bytes : 0;
}

int64_t buffer_merge::countGlobalBytes(const MergePlan &plan,
                                       Attribute memorySpace) {
  int64_t bytes = 0;
  for (const StaticGlobal &global : plan.globals)
    if (global.memorySpace == memorySpace)
      bytes = addBytes(bytes, global.bytes);
  return bytes;
}

/// Return what each function holds at its peak, by memory space, without pools
/// (`baseline`) and with `plan`.
static llvm::MapVector<Operation *, BytesBySpace>
computePeaks(const MergePlan &plan, const ProgramHeap &planned,
             const ProgramHeap &baseline) {
  llvm::MapVector<Operation *, BytesBySpace> bytesOf;
  addWorkgroupMemory(plan, bytesOf);
  auto addPeaks = [&](const ProgramHeap &program, int64_t PeakBytes::*which) {
    program.forEachScope(
        [&](Region *scope, Attribute space, const ScopeHeap &heap) {
          if (isa<FunctionOpInterface>(scope->getParentOp())) {
            int64_t &bytes = bytesOf[scope->getParentOp()][space].*which;
            bytes = addBytes(bytes, heap.peak.most);
          }
        });
  };
  addPeaks(baseline, &PeakBytes::baseline);
  addPeaks(planned, &PeakBytes::planned);
  return bytesOf;
}

/// Return the sum over all memory spaces.
static PeakBytes sumUp(const BytesBySpace &spaces) {
  PeakBytes total;
  for (const auto &[space, bytes] : spaces) {
    total.baseline = addBytes(total.baseline, bytes.baseline);
    total.planned = addBytes(total.planned, bytes.planned);
  }
  return total;
}

/// Return what the program takes whose functions take `bytesOf`.
static PeakBytes
findProgramPeak(const MergePlan &plan,
                const llvm::MapVector<Operation *, BytesBySpace> &bytesOf) {
  BytesBySpace program;
  for (const auto &[op, spaces] : bytesOf)
    for (const auto &[space, bytes] : spaces) {
      PeakBytes &peak = program[space];
      peak.baseline = std::max(peak.baseline, bytes.baseline);
      int64_t inner = space ? 0 : countInnerArena(plan, op);
      peak.planned = std::max(peak.planned, bytes.planned - inner);
    }
  for (auto &[space, peak] : program)
    peak.planned = addBytes(peak.planned, countGlobalBytes(plan, space));
  return sumUp(program);
}

/// Return for each pool of `plan` what its buffers take at one tick without it.
static SmallVector<int64_t, 0> findPoolBaselines(const MergePlan &plan,
                                                 const ProgramHeap &baseline) {
  // By allocation, the pools that have values of it.
  llvm::DenseMap<const BufferLifetime *, llvm::SmallSetVector<size_t, 1>>
      poolsOf;
  for (auto [index, pool] : llvm::enumerate(plan.pools))
    for (const BufferLifetime *buffer : pool.buffers)
      for (const BufferLifetime *whole : plan.lifetimes->getWholes(buffer))
        poolsOf[whole].insert(index);
  SmallVector<SmallVector<std::pair<TickRange, int64_t>>, 0> items(
      plan.pools.size());
  baseline.forEachScope([&](Region *, Attribute, const ScopeHeap &heap) {
    for (const HeapItem &item : heap.items)
      if (auto it = poolsOf.find(item.buffer);
          it != poolsOf.end() && item.ticks.first <= item.ticks.last)
        for (size_t index : it->second)
          items[index].emplace_back(item.ticks, item.bytes.most);
  });
  SmallVector<int64_t, 0> bytes;
  for (auto [pool, held] : llvm::zip_equal(plan.pools, items))
    bytes.push_back(pool.workgroup ? pool.totalBytes : findPeak(held).first);
  return bytes;
}

int64_t buffer_merge::computePeakBytes(const MergePlan &plan) {
  std::shared_ptr<const ProgramHeap> baseline = findBaseline(plan);
  return findProgramPeak(
             plan,
             computePeaks(plan,
                          analyzePlanned(plan, *baseline, /*countsStack=*/true),
                          *baseline))
      .planned;
}

int64_t buffer_merge::countReachedGlobals(const MergePlan &plan,
                                          Operation *function) {
  llvm::DenseSet<Operation *> reached = {function};
  bool isShared = false;
  std::optional<unsigned> index;
  if (plan.arenas)
    index = plan.arenas->getGraph().lookup(function);
  if (index)
    for (unsigned other : plan.arenas->getGraph().findReached(*index)) {
      func::FuncOp op = plan.arenas->getGraph().getFunctions()[other].op;
      reached.insert(op);
      isShared |= plan.arenas->hasSharedGlobal(op);
    }
  int64_t bytes = 0;
  for (const StaticGlobal &global : plan.globals) {
    func::FuncOp owner = global.function;
    if (owner ? reached.contains(owner) : isShared)
      bytes = addBytes(bytes, global.bytes);
  }
  return bytes;
}

/// Find the function of `footprint` that holds most in the program `planned`,
/// and what it holds.
static void addLargestHolds(Footprint &footprint, const ProgramHeap &planned) {
  int64_t most = 0;
  for (const auto &[function, bytes] : footprint.functions)
    most = std::max(most, bytes.planned);
  // A callee that holds as much is not where it starts.
  llvm::SetVector<Operation *> candidates;
  llvm::DenseSet<Operation *> called;
  for (const auto &[function, bytes] : footprint.functions)
    if (bytes.planned == most && most > 0)
      candidates.insert(function);
  planned.forEachScope([&](Region *scope, Attribute, const ScopeHeap &heap) {
    Operation *caller = scope->getParentOp();
    if (!candidates.contains(caller))
      return;
    for (const HeapItem &item : heap.items)
      if (item.inner && item.inner->getParentOp() != caller)
        called.insert(item.inner->getParentOp());
  });
  auto largest = llvm::find_if_not(
      candidates, [&](Operation *op) { return called.contains(op); });
  if (largest == candidates.end())
    return;
  auto function = cast<FunctionOpInterface>(*largest);
  SmallVector<HeldItem, 0> held = findHeldOverTime(planned, function);
  if (held.empty())
    return;
  footprint.largest = function;
  TickRange all = held.front().ticks;
  for (const HeldItem &item : held)
    all = all.hull(item.ticks);
  for (const auto &[other, bytes] : footprint.functions)
    if (other == function && bytes.globals > 0) {
      HeldItem item;
      item.ticks = all;
      item.bytes = bytes.globals;
      item.isGlobals = true;
      held.insert(held.begin(), item);
    }
  footprint.largestHolds = std::move(held);
}

Footprint buffer_merge::computeFootprint(const MergePlan &plan) {
  Footprint footprint;
  footprint.allocatedBytes = countAllocatedBytes(plan);
  ProgramHeapOptions options;
  options.freePoint = plan.freePoint;
  std::shared_ptr<const ProgramHeap> baseline = findBaseline(plan);
  ProgramHeap planned = analyzePlanned(plan, *baseline, /*countsStack=*/true);
  auto bytesOf = computePeaks(plan, planned, *baseline);
  footprint.peak = findProgramPeak(plan, bytesOf);

  llvm::MapVector<Operation *, BytesBySpace> ifDeallocated;
  auto setExcess = [](PeakBytes &bytes, const PeakBytes &other) {
    bytes.excessIfDeallocated =
        std::max<int64_t>(other.planned - other.baseline, 0);
  };
  if (plan.freePoint != FreePoint::Deallocated) {
    options.freePoint = FreePoint::Deallocated;
    options.other = baseline.get();
    ProgramHeap freed(plan, options);
    ifDeallocated = computePeaks(
        plan, analyzePlanned(plan, freed, /*countsStack=*/true), freed);
    setExcess(footprint.peak, findProgramPeak(plan, ifDeallocated));
  }
  plan.lifetimes->getRoot()->walk<WalkOrder::PreOrder>(
      [&](FunctionOpInterface function) {
        auto it = bytesOf.find(function);
        if (it == bytesOf.end())
          return;
        PeakBytes bytes = sumUp(it->second);
        if (!plan.globals.empty())
          bytes.globals = countReachedGlobals(plan, function);
        bytes.planned = addBytes(bytes.planned, bytes.globals);
        setExcess(bytes, sumUp(ifDeallocated.lookup(function)));
        footprint.functions.emplace_back(function, bytes);
      });
  addLargestHolds(footprint, planned);
  footprint.poolBaselines = findPoolBaselines(plan, *baseline);
  return footprint;
}

SmallVector<FunctionOpInterface>
buffer_merge::findRaisedPeaks(const MergePlan &plan,
                              const ProgramHeap &baseline) {
  int64_t padding = 0;
  for (const PoolPlan &pool : plan.pools)
    if (const Pool *made = pool.getPool())
      padding +=
          std::max<int64_t>(made->schedule.poolSize - pool.lowerBound.bytes, 0);
  SmallVector<FunctionOpInterface> raised;
  // The stack is there anyway.
  ProgramHeap planned = analyzePlanned(plan, baseline, /*countsStack=*/false);
  for (const auto &[op, spaces] : computePeaks(plan, planned, baseline))
    if (llvm::any_of(spaces, [&](const auto &entry) {
          return entry.second.planned > entry.second.baseline + padding;
        }))
      raised.push_back(cast<FunctionOpInterface>(op));
  return raised;
}
