//===- StorageChoice.cpp - Where pools are --------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StorageChoice.h"
#include "Analysis/AllocScope.h"
#include "Analysis/AttributeChanges.h"
#include "Analysis/BufferSize.h"
#include "Analysis/IterationSpace.h"
#include "ArenaPlan.h"
#include "Mutation.h"
#include "Planning/PoolDecision.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

static bool isPrivateSpace(Attribute space) {
  auto gpuSpace = dyn_cast_or_null<gpu::AddressSpaceAttr>(space);
  return gpuSpace && gpuSpace.getValue() == gpu::AddressSpace::Private;
}

/// Return true if the stack frame of an execution of `scope` is released when
/// that is done, after every upstream lowering.
static bool hasStackFrame(Region &scope) {
  Operation *op = scope.getParentOp();
  // Coroutines keep their frames elsewhere, and only those that they know of.
  if (isa<func::FuncOp, gpu::GPUFuncOp, gpu::LaunchOp>(op))
    return true;
  // The bodies of parallel loops become bodies of sequential ones, at the end
  // of which nothing is released. Canonicalization removes memref.alloca_scope
  // from the end of a loop.
  if (!isa<memref::AllocaScopeOp>(op))
    return false;
  for (; isa<memref::AllocaScopeOp>(op) || runsRegionsAtMostOnce(op);
       op = op->getParentOp())
    if (!llvm::hasSingleElement(*op->getParentRegion()))
      return false;
  return isa<func::FuncOp>(op);
}

/// Return an attribute of a call in `scope` that says that what it is given is
/// not on the stack of the caller, or nothing.
static std::optional<FalseAttribute> findCallWithoutStack(Region &scope) {
  std::optional<FalseAttribute> found;
  scope.walk([&](CallOpInterface call) {
    found = findFalseAttribute(call, AttributeChanges() |
                                         AttributeChange::PassesStack);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

std::string buffer_merge::checkStack(const PoolPlan &plan,
                                     const Schedule &schedule,
                                     const FunctionGraph &graph,
                                     const MergePlanOptions &options) {
  if (!hasStackFrame(*plan.scope))
    return "the stack might grow with each execution of the scope";
  Operation *scopeOp = plan.scope->getParentOp();
  if (plan.memorySpace || plan.isInDeviceCode())
    if (!isPrivateSpace(plan.memorySpace) || !plan.isInDeviceCode())
      return "the stack is in another memory space";
  if (plan.isInFlightAtEnd())
    return "it may be accessed after the end of the scope";
  Operation *function = scopeOp;
  if (!isa<FunctionOpInterface>(function))
    function = function->getParentOfType<FunctionOpInterface>();
  if (std::optional<unsigned> index = graph.lookup(function);
      index && graph.getFunctions()[*index].isRecursive)
    return "the function is recursive";
  if (schedule.poolSize > options.stackLimit)
    return "it is larger than the limit for the stack";
  if (auto attribute = findCallWithoutStack(*plan.scope))
    return attribute->describe();
  return "";
}

std::pair<StringRef, Operation *>
buffer_merge::checkGlobal(const PoolPlan &plan, const FunctionGraph &graph) {
  auto function = dyn_cast<func::FuncOp>(plan.scope->getParentOp());
  // Executions of other scopes may overlap in time, and device code has memory
  // of its own. Lowering takes no globals in a module inside a function.
  if (!function || function->getParentOfType<FunctionOpInterface>() ||
      isPrivateSpace(plan.memorySpace) || plan.isInDeviceCode() ||
      !function->getParentOp()->hasTrait<OpTrait::SymbolTable>())
    return {"the scope is not a function of the host", nullptr};
  const FunctionGraph::Function &node =
      graph.getFunctions()[*graph.lookup(function)];
  if (node.isRecursive)
    return {"the function is recursive", nullptr};
  if (node.otherUse)
    return {"something other than a call refers to the function",
            node.otherUse};
  if (node.concurrentUse)
    return {"two calls may run at the same time", node.concurrentUse};
  if (plan.isInFlightAtEnd())
    return {"it may be accessed after the function returns", nullptr};
  return {};
}

int64_t buffer_merge::getSlotDistance(const Schedule &schedule) {
  return isMutated("R8-alignment")
             ? schedule.poolSize
             : llvm::alignTo(schedule.poolSize, schedule.poolAlignment);
}

StringRef buffer_merge::checkSlots(const PoolPlan &plan,
                                   const Schedule &schedule,
                                   const MergePlanOptions &options) {
  Operation *loop = plan.scope->getParentOp();
  std::optional<SmallVector<IterationRange>> ranges = getIterationRanges(loop);
  if (!ranges)
    return "how often the body is executed is not known";
  int64_t numSlots = countIterations(*ranges);
  if (numSlots == 0)
    return "the body is never executed";
  if (numSlots > options.maxSlots)
    return "there are more iterations than max-slots";
  int64_t limit =
      getMaxPoolBytes(DataLayout::closest(loop), plan.scope->getContext());
  if (numSlots > limit / getSlotDistance(schedule))
    return "the slots take more bytes than an index counts";
  // What is around the loop need not be able to allocate.
  if (!std::holds_alternative<Region *>(findAllocScope(loop)) &&
      !isMutated("R8-place"))
    return "the loop is in no alloc scope";
  // Later passes would free the slots too early (`PoolDeallocation`).
  if (plan.needsManualDealloc() && !plan.isDeallocated())
    return "the body has blocks, and frees nothing";
  return "";
}

/// Return the schedule of the pool that `plan` has, or would have if that were
/// not for saving nothing; nothing if there is to be no pool for other reasons.
static std::optional<Schedule> findPossibleSchedule(const PoolPlan &plan) {
  const NoPool *noPool = plan.getNoPool();
  if (!noPool)
    return plan.getPool()->schedule;
  if (noPool->reason == UnmergeableReason::NoPartner)
    return makeSchedule(plan.problem, {0});
  if (noPool->reason == UnmergeableReason::NoGain)
    return noPool->schedule;
  return std::nullopt;
}

std::optional<Schedule>
buffer_merge::scheduleForStorage(PoolPlan &plan,
                                 const MergePlanOptions &options) {
  // Stack, arena and global pools are worthwhile even if they save no bytes:
  // they remove the allocation.
  std::optional<Schedule> schedule = findPossibleSchedule(plan);
  if (!schedule)
    return std::nullopt;
  if (schedule->poolSize > plan.totalBytes && !hasFixedOffsets(plan.problem))
    if (std::optional<Schedule> own = scheduleByOwnAlignment(plan, options))
      return own;
  return schedule;
}

void buffer_merge::chooseStorage(const FunctionGraph &graph,
                                 const ArenaPlan &arenas, MergePlan &plan,
                                 const MergePlanOptions &options) {
  auto check =
      [&](const PoolPlan &pool,
          const Schedule &schedule) -> std::pair<std::string, Operation *> {
    if (options.pool == PoolStorage::Stack)
      return {checkStack(pool, schedule, graph, options), nullptr};
    if (options.pool == PoolStorage::Slots)
      return {checkSlots(pool, schedule, options).str(), nullptr};
    if (options.pool == PoolStorage::Arena)
      return {arenas.check(pool).str(), nullptr};
    std::pair<StringRef, Operation *> found = checkGlobal(pool, graph);
    const FalseAttribute *attribute = arenas.findFalseForGlobal(pool);
    if (found.first.empty() && attribute && !arenas.comesFromCallers(pool))
      return {attribute->describe(), attribute->op};
    return {found.first.str(), found.second};
  };
  for (PoolPlan &pool : plan.pools) {
    // Workgroups have memory of their own.
    if (pool.host || pool.workgroup || pool.region || pool.isErased)
      continue;
    std::optional<Schedule> schedule = scheduleForStorage(pool, options);
    if (!schedule)
      continue;
    auto [note, obstacle] = check(pool, *schedule);
    if (note.empty())
      pool.decision = Pool{options.pool == PoolStorage::Global &&
                                   arenas.comesFromCallers(pool)
                               ? PoolStorage::Arena
                               : options.pool,
                           "", nullptr, std::move(*schedule)};
    else if (options.pool == PoolStorage::Slots)
      pool.decision = NoPool{UnmergeableReason::Ineligible, note};
    else
      std::visit(
          [&note = note, &obstacle = obstacle](auto &decision) {
            decision.storageNote = note;
            decision.storageObstacle = obstacle;
          },
          pool.decision);
  }
  refuseSharedDeallocs(plan.pools);
}

void buffer_merge::refuseSharedDeallocs(MutableArrayRef<PoolPlan> pools) {
  DenseMap<OpOperand *, SmallVector<PoolPlan *, 1>> poolsOf;
  SmallVector<PoolPlan *> worklist;
  for (PoolPlan &pool : pools) {
    for (const BufferLifetime *buffer : pool.buffers)
      for (OpOperand *dealloc : buffer->deallocs)
        poolsOf[dealloc].push_back(&pool);
    if (pool.getNoPool())
      worklist.push_back(&pool);
  }
  while (!worklist.empty())
    for (const BufferLifetime *buffer : worklist.pop_back_val()->buffers)
      for (OpOperand *dealloc : buffer->deallocs)
        for (PoolPlan *other : poolsOf[dealloc]) {
          Pool *made = other->getPool();
          if (!made)
            continue;
          other->decision = NoPool{UnmergeableReason::DeallocGroup, "",
                                   std::move(made->schedule)};
          worklist.push_back(other);
        }
}
