//===- Lifetimes of allocations ------------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Analysis/BufferLifetimes.h"
#include "AsyncWaits.h"
#include "DeallocDecisions.h"
#include "buffer-merge/Analysis/AllocScope.h"
#include "buffer-merge/Analysis/BufferSize.h"
#include "buffer-merge/Analysis/CalleeSummaries.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Threading.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

//===----------------------------------------------------------------------===//
// The allocation by itself
//===----------------------------------------------------------------------===//

/// Return true if what `alloc` allocates in memory space `space` is not shared
/// by threads of a GPU kernel, each of which executes the same operations.
static bool isOfOneThread(Attribute space, memref::AllocOp alloc) {
  if (!space)
    return true;
  if (auto gpuSpace = dyn_cast<gpu::AddressSpaceAttr>(space))
    return gpuSpace.getValue() == gpu::AddressSpace::Private;
  // In device code a number may mean workgroup memory.
  return !alloc->getParentOfType<gpu::GPUModuleOp>() &&
         !alloc->getParentOfType<gpu::LaunchOp>();
}

/// Return true if a pool in memory space `space` may hold what `alloc`
/// allocates.
static bool isMergeableSpace(Attribute space, memref::AllocOp alloc,
                             const WorkgroupOptions &workgroup) {
  // What threads of a workgroup share is separated by barriers besides.
  if (workgroup.isWorkgroupSpace(space))
    return !isCompiledToSPIRV(alloc);
  // SPIR-V cannot view memory as another element type.
  if (space && space.getDialect().getNamespace() == "spirv")
    return false;
  return isOfOneThread(space, alloc);
}

/// Return why the allocation by itself, apart from its size, cannot be merged,
/// or nothing.
static std::optional<UnmergeableReason>
checkKind(memref::AllocOp alloc, const BufferLifetimesOptions &options) {
  Attribute space = alloc.getType().getMemorySpace();
  if (!isMergeableSpace(space, alloc, options.workgroup) ||
      (options.memorySpaces &&
       !llvm::is_contained(*options.memorySpaces, space)))
    return UnmergeableReason::MemorySpace;
  if (alloc->hasAttr(bufferization::BufferizationDialect::kManualDeallocation))
    return UnmergeableReason::ManualDeallocation;
  return std::nullopt;
}

/// Raise the alignment of `buffer` to what its allocation asks for.
static void addRequestedAlignment(BufferLifetime &buffer) {
  if (std::optional<uint64_t> alignment = buffer.alloc.getAlignment())
    buffer.alignment =
        std::max(buffer.alignment, static_cast<int64_t>(*alignment));
}

/// Check `buffer` without regard to its uses, fill in what follows from its
/// type, and return the reason why it stays, if there is one.
static std::optional<UnmergeableReason>
checkAllocation(BufferLifetime &buffer, const DataLayout &layout,
                DynamicSizes &dynamicSizes,
                const BufferLifetimesOptions &options) {
  MemRefType type = buffer.alloc.getType();
  if (!buffer.alloc.getSymbolOperands().empty())
    return UnmergeableReason::Layout;
  // The size of workgroup memory is that of a static variable.
  bool isBounded = options.dynamic == DynamicPolicy::Bounded &&
                   !type.hasStaticShape() &&
                   !options.workgroup.isWorkgroupSpace(type.getMemorySpace());
  std::variant<BufferSize, UnmergeableReason> size =
      isBounded ? dynamicSizes.computeBound(buffer.alloc, layout,
                                            options.maxDynamicWaste)
                : computeBufferSize(type, layout);
  if (auto *reason = std::get_if<UnmergeableReason>(&size))
    return *reason;
  buffer.size = std::get<BufferSize>(size).bytes;
  buffer.alignment = std::get<BufferSize>(size).alignment;
  if (buffer.size == 0)
    return UnmergeableReason::ZeroSize;
  addRequestedAlignment(buffer);
  buffer.isWorkgroup =
      options.workgroup.isWorkgroupSpace(type.getMemorySpace());
  return checkKind(buffer.alloc, options);
}

//===----------------------------------------------------------------------===//
// Lifetimes within one function
//===----------------------------------------------------------------------===//

namespace {
/// Computes the lifetimes of the buffers of one function.
class FunctionLifetimes {
public:
  FunctionLifetimes(FunctionOpInterface function,
                    const BufferLifetimesOptions &options,
                    const CalleeSummaries &callees)
      : function(function), options(options), callees(callees), order(function),
        aliases(function, callees), decisions(function, aliases, callees),
        isControlFlowKnown(hasKnownControlFlow()) {}

  /// Return the buffers that `function` allocates, in the order of execution.
  SmallVector<BufferLifetime> run();

  /// Return for each kernel among the scopes of `buffers` what keeps the
  /// accesses of its threads apart.
  SmallVector<std::unique_ptr<const WorkgroupSync>>
  analyzeKernels(ArrayRef<BufferLifetime> buffers) const;
  /// Return which of `buffers`, the result of `run()`, may be in place of each
  /// other.
  SmallVector<InPlaceBuffers> findInPlace(ArrayRef<BufferLifetime> buffers);

private:
  /// Find a reason or the lifetime of one buffer.
  void analyze(BufferLifetime &buffer);
  /// Find the lifetime of a buffer that stays because of its dynamic shape.
  void checkShareable(BufferLifetime &buffer);
  std::optional<UnmergeableReason> checkPlace(BufferLifetime &buffer);
  void checkAliases(BufferLifetime &buffer, ArrayRef<Value> values);
  void addUse(BufferLifetime &buffer, OpOperand &use);
  void addAccess(BufferLifetime &buffer, Operation *op, bool isDeferred);
  TickRange coverExit(memref::AllocOp alloc, Region *common,
                      TickRange ticks) const;

  /// Refuse buffers that share a deallocation with one that is not merged.
  void checkDeallocGroups(MutableArrayRef<BufferLifetime> buffers);
  /// Refuse buffers in use at the end of a scope whose pool would be freed
  /// there. Return true if there was one.
  bool checkInFlight(MutableArrayRef<BufferLifetime> buffers);

  /// Return true if `ownership-based-buffer-deallocation` may run on the
  /// function later and would have to follow views of a pool of `scope` from
  /// block to block.
  bool needsManualDealloc(Region &scope);
  /// Return the condition under which `op`, the last access of `earlier` and
  /// the first one of `later`, works in place, or nothing.
  std::optional<InPlaceCondition> checkInPlace(Operation *op,
                                               const BufferLifetime &earlier,
                                               const BufferLifetime &later);

  /// Return true if control leaves every block of the function to one of its
  /// successors, by the terminator's own account.
  bool hasKnownControlFlow() const;
  /// Return true if `alloc` is executed at most once for an execution of
  /// `scope`.
  bool isExecutedOnce(BufferLifetime &buffer) const;
  /// Return true if `value` may be bound to a buffer of an earlier execution of
  /// `alloc` when `alloc` is executed again.
  bool isCarried(BlockArgument value, memref::AllocOp alloc) const;

  FunctionOpInterface function;
  const BufferLifetimesOptions &options;
  const CalleeSummaries &callees;
  ExecutionOrder order;
  BufferAliases aliases;
  DeallocDecisions decisions;
  bool isControlFlowKnown;
  /// What `needsManualDealloc` has found.
  DenseMap<Region *, bool> manualScopes;
  DynamicSizes dynamicSizes;
};
} // namespace

static void refuse(BufferLifetime &buffer, UnmergeableReason reason,
                   Operation *op) {
  if (buffer.reason)
    return;
  buffer.reason = reason;
  buffer.reasonOp = op;
}

/// Return the operation in a block of `region` that is `op` or contains it, or
/// null if `op` is not inside `region`.
static Operation *findAncestorIn(Region *region, Operation *op) {
  return region->findAncestorOpInRegion(*op);
}

SmallVector<BufferLifetime> FunctionLifetimes::run() {
  SmallVector<BufferLifetime> buffers;
  const DataLayout layout = DataLayout::closest(function);
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // A function inside is analyzed by itself.
    if (op != function && isa<FunctionOpInterface>(op))
      return WalkResult::skip();
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      BufferLifetime &buffer = buffers.emplace_back();
      buffer.alloc = alloc;
    }
    return WalkResult::advance();
  });
  llvm::sort(buffers, [&](const BufferLifetime &a, const BufferLifetime &b) {
    return order.getTicks(a.alloc).first < order.getTicks(b.alloc).first;
  });
  for (BufferLifetime &buffer : buffers) {
    buffer.reason = checkAllocation(buffer, layout, dynamicSizes, options);
    if (buffer.reason)
      checkShareable(buffer);
    else
      analyze(buffer);
  }
  // Each may refuse a buffer that the other has counted on.
  do
    checkDeallocGroups(buffers);
  while (checkInFlight(buffers));
  return buffers;
}

SmallVector<std::unique_ptr<const WorkgroupSync>>
FunctionLifetimes::analyzeKernels(ArrayRef<BufferLifetime> buffers) const {
  llvm::MapVector<Region *, SmallVector<WorkgroupSync::Aliases>> kernels;
  for (const BufferLifetime &buffer : buffers)
    if (!buffer.reason && buffer.isWorkgroup)
      kernels[buffer.scope].push_back(
          aliases.getAliases(buffer.alloc->getResult(0)));
  SmallVector<std::unique_ptr<const WorkgroupSync>> syncs;
  for (const auto &[kernel, objects] : kernels)
    syncs.push_back(std::make_unique<const WorkgroupSync>(
        *kernel, objects, options.calls, callees, options.workgroup));
  return syncs;
}

bool FunctionLifetimes::hasKnownControlFlow() const {
  // The successors of async.coro.suspend are no alternatives: the coroutine
  // returns to its caller through one, and is resumed in another.
  WalkResult result = function->walk([](Operation *op) {
    return op->getNumSuccessors() == 0 || isa<BranchOpInterface>(op)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

std::optional<UnmergeableReason>
FunctionLifetimes::checkPlace(BufferLifetime &buffer) {
  for (Operation *op = buffer.alloc; op != function; op = op->getParentOp())
    if (!order.isReachable(op->getBlock()))
      return UnmergeableReason::Unreachable;
  if (buffer.isWorkgroup) {
    std::variant<Region *, UnmergeableReason> kernel = findKernel(buffer.alloc);
    if (auto *reason = std::get_if<UnmergeableReason>(&kernel))
      return *reason;
    buffer.scope = std::get<Region *>(kernel);
  } else {
    buffer.scope = findAllocScope(buffer.alloc);
  }
  if (!buffer.scope || !isControlFlowKnown)
    return UnmergeableReason::NoAllocScope;
  return std::nullopt;
}

void FunctionLifetimes::checkShareable(BufferLifetime &buffer) {
  if (options.dynamic == DynamicPolicy::None ||
      buffer.alloc.getType().hasStaticShape() ||
      !buffer.alloc.getSymbolOperands().empty() ||
      options.workgroup.isWorkgroupSpace(buffer.getMemorySpace()) ||
      checkKind(buffer.alloc, options))
    return;
  // Whatever is found below, the reason is that which it has.
  BufferLifetime found = buffer;
  found.reason.reset();
  addRequestedAlignment(found);
  analyze(found);
  if (found.reason)
    return;
  // It might be in use when the allocation is freed.
  if (found.isInFlightAtEnd)
    return;
  for (OpOperand *dealloc : found.deallocs)
    if (!isa<memref::DeallocOp>(dealloc->getOwner()) ||
        aliases.getOrigins(dealloc->get()).size() != 1)
      return;
  // Buffers with one allocation have one address; nobody may want to know.
  for (Value alias : aliases.getAliases(buffer.alloc))
    for (Operation *user : alias.getUsers())
      if (isa<memref::ExtractAlignedPointerAsIndexOp, bufferization::DeallocOp>(
              user))
        return;
  TickRange region = order.getTicks(buffer.alloc->getParentRegion());
  found.staysInRegion = region.hull(found.ticks) == region;
  found.isShareable = true;
  found.reason = buffer.reason;
  buffer = std::move(found);
}

void FunctionLifetimes::analyze(BufferLifetime &buffer) {
  buffer.reason = checkPlace(buffer);
  if (!buffer.reason && options.isEligible && !options.isEligible(buffer.alloc))
    buffer.reason = UnmergeableReason::Ineligible;
  if (buffer.reason)
    return;
  SmallVector<Value> values = aliases.getAliases(buffer.alloc);
  checkAliases(buffer, values);
  if (buffer.reason)
    return;

  SmallVector<OpOperand *> uses;
  for (Value value : values)
    for (OpOperand &use : value.getUses())
      uses.push_back(&use);
  // The order of aliases and of uses is arbitrary; that of execution is not.
  llvm::sort(uses, [&](OpOperand *a, OpOperand *b) {
    return std::pair(order.getTicks(a->getOwner()).first,
                     a->getOperandNumber()) <
           std::pair(order.getTicks(b->getOwner()).first,
                     b->getOperandNumber());
  });
  for (OpOperand *use : uses) {
    addUse(buffer, *use);
    if (buffer.reason)
      return;
  }
  if (!buffer.firstAccess)
    return refuse(buffer, UnmergeableReason::NeverAccessed, nullptr);
  buffer.needsManualDealloc = needsManualDealloc(*buffer.scope);
}

/// Return true if nothing inside `function` is freed, except by hand.
static bool isWithoutDeallocs(FunctionOpInterface function) {
  auto manual = bufferization::BufferizationDialect::kManualDeallocation;
  WalkResult result = function->walk([&](Operation *op) {
    bool isDealloc = isa<memref::DeallocOp, bufferization::DeallocOp>(op);
    return isDealloc && !op->hasAttr(manual) ? WalkResult::interrupt()
                                             : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

bool FunctionLifetimes::needsManualDealloc(Region &scope) {
  auto [it, isNew] = manualScopes.try_emplace(&scope, false);
  if (!isNew)
    return it->second;
  // The pass runs on `func.func`. It knows a buffer in another block by its
  // aligned pointer. It takes a view for the owner of its pool if it begins
  // where the pool does, and for nobody's if it does not: the pool is freed too
  // early, or twice. The views need not be there yet: `cse` may replace one by
  // another of an earlier block.
  auto hasBlocks = [](Region &region) {
    return !region.empty() && !region.hasOneBlock();
  };
  bool isAcrossBlocks = hasBlocks(scope);
  scope.walk([&](Operation *op) {
    isAcrossBlocks |= llvm::any_of(op->getRegions(), hasBlocks);
  });
  return it->second = isAcrossBlocks && isa<func::FuncOp>(function) &&
                      isWithoutDeallocs(function);
}

bool FunctionLifetimes::isCarried(BlockArgument value,
                                  memref::AllocOp alloc) const {
  Block *block = value.getOwner();
  Operation *ancestor = findAncestorIn(block->getParent(), alloc);
  // A region that does not hold the allocation is entered between two
  // executions of it, if at all. What it was given is gone when it is entered
  // again.
  if (!ancestor || value.use_empty())
    return false;
  // The region was entered with the buffer, so that it was entered before.
  if (block->isEntryBlock())
    return true;
  return order.isBackEdge(ancestor->getBlock(), block);
}

/// Check which values the buffer may be bound to (L7), and that none of them
/// outlives the scope.
void FunctionLifetimes::checkAliases(BufferLifetime &buffer,
                                     ArrayRef<Value> values) {
  // Of several reasons of this kind the same must be found each time.
  bool isCarriedAnywhere = false;
  for (Value value : values) {
    if (!buffer.scope->isAncestor(value.getParentRegion()))
      return refuse(buffer, UnmergeableReason::LeavesScope, nullptr);
    if (auto argument = dyn_cast<BlockArgument>(value))
      isCarriedAnywhere |= isCarried(argument, buffer.alloc);
  }
  if (isCarriedAnywhere)
    refuse(buffer, UnmergeableReason::LoopCarried, nullptr);
}

void FunctionLifetimes::addUse(BufferLifetime &buffer, OpOperand &use) {
  Operation *op = use.getOwner();
  // What depends on comparisons of buffers is looked at when it is known which
  // buffers may be merged (`checkDeallocGroups`).
  if (auto extract = dyn_cast<memref::ExtractAlignedPointerAsIndexOp>(op);
      extract && decisions.isUnderstood(extract))
    return;
  if (auto dealloc = dyn_cast<bufferization::DeallocOp>(op)) {
    if (use.getOperandNumber() < dealloc.getMemrefs().size())
      buffer.deallocs.push_back(&use);
    return;
  }
  BufferUse kind = classifyUse(use, options.calls, callees);
  switch (kind.kind) {
  case BufferUse::Kind::None:
    return;
  case BufferUse::Kind::Forward:
    break;
  case BufferUse::Kind::Refused:
    return refuse(buffer, kind.reason, op);
  case BufferUse::Kind::Dealloc:
    buffer.deallocs.push_back(&use);
    return;
  case BufferUse::Kind::Access:
    addAccess(buffer, op, /*isDeferred=*/false);
    break;
  case BufferUse::Kind::DeferredAccess:
    // What is in flight at other accesses of the workgroup is a conflict, not a
    // longer lifetime.
    if (buffer.isWorkgroup && !isAsyncCopy(op) && !isOrdinaryAccess(op))
      return refuse(buffer, UnmergeableReason::AsyncProxy, op);
    addAccess(buffer, op, /*isDeferred=*/!buffer.isWorkgroup);
    break;
  }
  buffer.alignment =
      std::max(buffer.alignment, getPromisedAlignment(use, callees));
}

bool FunctionLifetimes::isExecutedOnce(BufferLifetime &buffer) const {
  for (Operation *op = buffer.alloc;; op = op->getParentOp()) {
    if (order.getCycle(op->getBlock(), nullptr))
      return false;
    if (op->getParentRegion() == buffer.scope)
      return true;
    if (!runsRegionsAtMostOnce(op->getParentOp()))
      return false;
  }
}

/// Cover what may be executed between two accesses of one instance of the
/// buffer because of the access `op`: the operation itself, and every loop
/// around it that the allocation is not inside of (L3, L4).
void FunctionLifetimes::addAccess(BufferLifetime &buffer, Operation *op,
                                  bool isDeferred) {
  TickRange ticks = order.getTicks(op);
  auto cover = [&](TickRange range) { ticks = ticks.hull(range); };

  // Climb to the innermost region that holds the allocation as well. What an
  // operation on the way has started stays pending until a wait for just that.
  SmallVector<Operation *> pending;
  if (isDeferred)
    pending.push_back(op);
  Operation *current = op;
  while (true) {
    llvm::erase_if(pending, [&](Operation *starter) {
      Operation *wait = findWait(starter, current);
      if (wait)
        cover(order.getTicks(wait));
      return wait != nullptr;
    });
    Region *region = current->getParentRegion();
    Operation *allocAncestor = findAncestorIn(region, buffer.alloc);
    Block *without = allocAncestor ? allocAncestor->getBlock() : nullptr;
    if (std::optional<TickRange> cycle =
            order.getCycle(current->getBlock(), without))
      cover(*cycle);
    if (allocAncestor) {
      // Nothing inside the scope can wait for the terminator's accesses.
      if (region == buffer.scope && current->getNumSuccessors() == 0 &&
          current->hasTrait<OpTrait::IsTerminator>())
        return refuse(buffer, UnmergeableReason::AccessedByTerminator, op);
      ticks = coverExit(buffer.alloc, region, ticks);
      break;
    }
    current = region->getParentOp();
    if (!runsRegionsAtMostOnce(current))
      cover(order.getTicks(current));
    if (!isDoneAtEnd(current))
      pending.push_back(current);
  }
  if (!pending.empty()) {
    // To the end of the scope, if no later iteration can get in the way.
    if (!isExecutedOnce(buffer))
      return refuse(buffer, UnmergeableReason::Asynchronous, op);
    buffer.isInFlightAtEnd = true;
    int64_t end = order.getTicks(buffer.scope).last;
    cover({end, end});
  }

  if (!buffer.firstAccess) {
    buffer.firstAccess = op;
    buffer.ticks = ticks;
  }
  buffer.lastAccess = op;
  buffer.ticks = buffer.ticks.hull(ticks);
}

/// Return `ticks` extended by what may be executed between the allocation and
/// an access in `common`, a region around it: the loops that the buffer has
/// left as a result.
TickRange FunctionLifetimes::coverExit(memref::AllocOp alloc, Region *common,
                                       TickRange ticks) const {
  Operation *current = alloc;
  while (current->getParentRegion() != common) {
    if (std::optional<TickRange> cycle =
            order.getCycle(current->getBlock(), nullptr))
      ticks = ticks.hull(*cycle);
    current = current->getParentOp();
    if (!runsRegionsAtMostOnce(current))
      ticks = ticks.hull(order.getTicks(current));
  }
  return ticks;
}

//===----------------------------------------------------------------------===//
// Buffers that depend on each other
//===----------------------------------------------------------------------===//

void FunctionLifetimes::checkDeallocGroups(
    MutableArrayRef<BufferLifetime> buffers) {
  DenseMap<Value, unsigned> indices;
  for (auto [index, buffer] : llvm::enumerate(buffers))
    indices[buffer.alloc.getResult()] = index;

  auto isCandidate = [&](Value value) {
    auto it = indices.find(value);
    return it != indices.end() && !buffers[it->second].reason;
  };
  for (DecisionGroup &group : decisions.collectGroups(isCandidate))
    for (Value value : group.buffers) {
      BufferLifetime &buffer = buffers[indices.lookup(value)];
      if (group.otherUse)
        refuse(buffer, UnmergeableReason::AddressTaken, group.otherUse);
      for (OpOperand *dealloc : group.deallocs)
        if (!llvm::is_contained(buffer.deallocs, dealloc))
          buffer.deallocs.push_back(dealloc);
    }

  /// The buffers that one deallocation may free, and those that decide it.
  struct Group {
    OpOperand *dealloc;
    SmallVector<unsigned, 2> members;
    bool mayFreeOthers = false;
  };
  SmallVector<Group> groups;
  SmallVector<SmallVector<unsigned, 1>> groupsOf(buffers.size());
  DenseMap<OpOperand *, size_t> groupOfDealloc;
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    if (buffer.reason)
      continue;
    for (OpOperand *dealloc : buffer.deallocs) {
      auto [it, isNew] = groupOfDealloc.try_emplace(dealloc, groups.size());
      if (!isNew) {
        if (!llvm::is_contained(groupsOf[index], it->second)) {
          groups[it->second].members.push_back(index);
          groupsOf[index].push_back(it->second);
        }
        continue;
      }
      Group group;
      group.dealloc = dealloc;
      group.members.push_back(index);
      for (Value origin : aliases.getOrigins(dealloc->get())) {
        auto it = indices.find(origin);
        if (it == indices.end() || buffers[it->second].reason) {
          group.mayFreeOthers = true;
          continue;
        }
        if (it->second != index)
          group.members.push_back(it->second);
      }
      llvm::sort(group.members);
      for (unsigned member : group.members)
        groupsOf[member].push_back(groups.size());
      groups.push_back(std::move(group));
    }
  }

  // One buffer of a group that is not merged takes the others with it, and so
  // their groups.
  SmallVector<unsigned> worklist;
  for (auto [index, group] : llvm::enumerate(groups))
    if (group.mayFreeOthers)
      worklist.push_back(index);
  while (!worklist.empty()) {
    Group &group = groups[worklist.pop_back_val()];
    for (unsigned member : group.members) {
      if (buffers[member].reason)
        continue;
      refuse(buffers[member], UnmergeableReason::DeallocGroup,
             group.dealloc->getOwner());
      llvm::append_range(worklist, groupsOf[member]);
    }
  }
}

bool FunctionLifetimes::checkInFlight(MutableArrayRef<BufferLifetime> buffers) {
  if (llvm::none_of(buffers, [](const BufferLifetime &buffer) {
        return buffer.isInFlightAtEnd;
      }))
    return false;
  // A pool with deallocations, or that nobody else can free, is freed where its
  // scope ends, and nobody has waited by then.
  llvm::DenseSet<std::pair<Region *, Attribute>> freedPools;
  for (BufferLifetime &buffer : buffers)
    if (!buffer.reason &&
        (!buffer.deallocs.empty() || buffer.needsManualDealloc))
      freedPools.insert({buffer.scope, buffer.getMemorySpace()});
  bool isAnyRefused = false;
  for (BufferLifetime &buffer : buffers) {
    if (buffer.reason || !buffer.isInFlightAtEnd ||
        !freedPools.contains({buffer.scope, buffer.getMemorySpace()}))
      continue;
    refuse(buffer, UnmergeableReason::Asynchronous, buffer.lastAccess);
    isAnyRefused = true;
  }
  return isAnyRefused;
}

//===----------------------------------------------------------------------===//
// Buffers in place of each other
//===----------------------------------------------------------------------===//

/// Return the buffer that `value` is all of, from its first byte on, or `value`
/// itself.
static Value findWholeBuffer(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<memref::CastOp, memref::AssumeAlignmentOp, memref::ExpandShapeOp,
             memref::CollapseShapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Return true if an operation inside the regions of `op` has an operand of
/// memref type.
static bool usesMemRefsInside(Operation *op) {
  for (Region &region : op->getRegions()) {
    WalkResult result = region.walk([](Operation *nested) {
      bool usesMemRef = llvm::any_of(nested->getOperandTypes(), [](Type type) {
        return isa<BaseMemRefType>(type);
      });
      return usesMemRef ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return true;
  }
  return false;
}

std::optional<InPlaceCondition>
FunctionLifetimes::checkInPlace(Operation *op, const BufferLifetime &earlier,
                                const BufferLifetime &later) {
  // Every operand that may be one of the two counts, not only the one by which
  // the pair was found.
  memref::AllocOp earlierAlloc = earlier.alloc, laterAlloc = later.alloc;
  SmallVector<OpOperand *> reads, writes;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<BaseMemRefType>(operand.get().getType()))
      continue;
    SmallVector<Value> origins = aliases.getOrigins(operand.get());
    bool isRead = llvm::is_contained(origins, earlierAlloc.getResult());
    bool isWritten = llvm::is_contained(origins, laterAlloc.getResult());
    // Which of the two it is, is known at run time only.
    if (isRead && isWritten)
      return std::nullopt;
    if (isRead)
      reads.push_back(&operand);
    if (isWritten)
      writes.push_back(&operand);
  }
  if (reads.empty() || writes.empty())
    return std::nullopt;
  InPlaceCondition result = InPlaceCondition::AnyOffset;
  for (OpOperand *read : reads)
    for (OpOperand *written : writes) {
      std::optional<InPlaceCondition> condition =
          options.getInPlaceCondition(*read, *written);
      if (!condition)
        return std::nullopt;
      if (*condition == InPlaceCondition::AnyOffset)
        continue;
      // Offsets of buffers say nothing about views of parts of them.
      if (findWholeBuffer(read->get()) != earlierAlloc.getResult() ||
          findWholeBuffer(written->get()) != laterAlloc.getResult())
        return std::nullopt;
      result = InPlaceCondition::SameOffset;
    }
  return result;
}

SmallVector<InPlaceBuffers>
FunctionLifetimes::findInPlace(ArrayRef<BufferLifetime> buffers) {
  // What loops extend a lifetime to is no single execution of an operation:
  // both ends must be those of the operation itself.
  llvm::MapVector<Operation *, SmallVector<size_t, 2>> diesIn;
  for (auto [index, buffer] : llvm::enumerate(buffers))
    if (!buffer.reason &&
        buffer.ticks.last == order.getTicks(buffer.lastAccess).last)
      diesIn[buffer.lastAccess].push_back(index);
  SmallVector<InPlaceBuffers> found;
  constexpr unsigned maxOperands = 64;
  for (auto [index, later] : llvm::enumerate(buffers)) {
    // Of several threads that execute the operation, one would read what
    // another one has written already.
    if (later.reason || later.isWorkgroup ||
        !isOfOneThread(later.getMemorySpace(), later.alloc))
      continue;
    Operation *op = later.firstAccess;
    auto it = diesIn.find(op);
    if (it == diesIn.end() || later.ticks.first != order.getTicks(op).first ||
        op->getNumOperands() > maxOperands || usesMemRefsInside(op))
      continue;
    for (size_t earlierIndex : it->second) {
      const BufferLifetime &earlier = buffers[earlierIndex];
      if (earlier.ticks.first >= later.ticks.first ||
          earlier.scope != later.scope ||
          earlier.getMemorySpace() != later.getMemorySpace())
        continue;
      if (std::optional<InPlaceCondition> condition =
              checkInPlace(op, earlier, later))
        found.push_back(
            {earlierIndex, index, *condition, op, order.getTicks(op)});
    }
  }
  llvm::sort(found, [&](const InPlaceBuffers &a, const InPlaceBuffers &b) {
    return std::tuple(a.ticks.first, a.later, a.earlier) <
           std::tuple(b.ticks.first, b.later, b.earlier);
  });
  return found;
}

//===----------------------------------------------------------------------===//
// BufferLifetimes
//===----------------------------------------------------------------------===//

BufferLifetimes::BufferLifetimes(Operation *root)
    : BufferLifetimes(root, BufferLifetimesOptions()) {}

namespace {
/// What is known of a function and of those inside it.
struct FunctionResult {
  SmallVector<BufferLifetime> buffers;
  /// By index among these buffers.
  SmallVector<InPlaceBuffers> inPlaceBuffers;
  /// Of the kernels.
  SmallVector<std::unique_ptr<const WorkgroupSync>, 1> syncs;
};
} // namespace

/// Analyze `function` and the functions inside it, each by itself.
static FunctionResult analyzeFunctions(FunctionOpInterface function,
                                       const BufferLifetimesOptions &options,
                                       const CalleeSummaries &callees) {
  FunctionResult result;
  function->walk<WalkOrder::PreOrder>([&](FunctionOpInterface op) {
    if (op.isExternal())
      return;
    FunctionLifetimes analysis(op, options, callees);
    SmallVector<BufferLifetime> buffers = analysis.run();
    for (auto &sync : analysis.analyzeKernels(buffers))
      result.syncs.push_back(std::move(sync));
    if (options.findInPlacePairs)
      for (InPlaceBuffers pair : analysis.findInPlace(buffers)) {
        pair.earlier += result.buffers.size();
        pair.later += result.buffers.size();
        result.inPlaceBuffers.push_back(pair);
      }
    llvm::append_range(result.buffers, std::move(buffers));
  });
  return result;
}

BufferLifetimes::BufferLifetimes(Operation *root,
                                 const BufferLifetimesOptions &options)
    : root(root), workgroup(options.workgroup) {
  SmallVector<FunctionOpInterface> functions;
  bool isInFunction = root->getParentOfType<FunctionOpInterface>() != nullptr;
  DynamicSizes dynamicSizes;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // Functions are looked into below.
    if (auto function = dyn_cast<FunctionOpInterface>(op)) {
      functions.push_back(function);
      return WalkResult::skip();
    }
    auto alloc = dyn_cast<memref::AllocOp>(op);
    if (!alloc || isInFunction)
      return WalkResult::advance();
    BufferLifetime &buffer = buffers.emplace_back();
    buffer.alloc = alloc;
    buffer.reason = checkAllocation(buffer, DataLayout::closest(alloc),
                                    dynamicSizes, options);
    if (!buffer.reason)
      buffer.reason = UnmergeableReason::NoAllocScope;
    return WalkResult::advance();
  });
  CalleeSummaries callees(root, options.calls);

  // A function inside another is left to the thread of the outer one: some
  // interfaces cache what they compute in attributes of their operation, and
  // both functions ask its operations.
  SmallVector<FunctionResult, 0> found(functions.size());
  auto analyze = [&](size_t index) {
    found[index] = analyzeFunctions(functions[index], options, callees);
  };
  // Hooks are not asked by several threads.
  if (options.isEligible || options.findInPlacePairs ||
      options.workgroup.isBarrier)
    llvm::for_each(llvm::seq(functions.size()), analyze);
  else
    parallelFor(root->getContext(), 0, functions.size(), analyze);
  size_t count = buffers.size();
  for (const FunctionResult &result : found)
    count += result.buffers.size();
  buffers.reserve(count);
  for (FunctionResult &result : found) {
    for (auto &sync : result.syncs)
      syncs[&sync->getKernel()] = std::move(sync);
    for (InPlaceBuffers pair : result.inPlaceBuffers) {
      pair.earlier += buffers.size();
      pair.later += buffers.size();
      inPlaceBuffers.push_back(pair);
    }
    buffers.append(std::make_move_iterator(result.buffers.begin()),
                   std::make_move_iterator(result.buffers.end()));
  }
  indices.reserve(count);
  for (auto [index, buffer] : llvm::enumerate(buffers))
    indices[buffer.alloc] = index;
}

const BufferLifetime *BufferLifetimes::lookup(memref::AllocOp alloc) const {
  auto it = indices.find(alloc);
  return it == indices.end() ? nullptr : &buffers[it->second];
}
