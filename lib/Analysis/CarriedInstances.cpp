//===- Instances of loop-carried buffers ---------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Analysis/CarriedInstances.h"
#include "AllocScope.h"
#include "Analysis/Dealloc/DeallocGroups.h"
#include "Analysis/Dealloc/OwnedOrigins.h"
#include "Analysis/FunctionContext.h"
#include "Analysis/GPU/Uniformity.h"
#include "Analysis/GPU/WorkgroupMemory.h"
#include "Mutation.h"
#include "Premises.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
struct ObstacleText {
  StringLiteral name, description, advice;
};
} // namespace

/// In the order of the enumeration.
static constexpr ObstacleText obstacleTexts[] = {
    {"use", "one of its uses rules out moving it", ""},
    {"blocks",
     "blocks carry it, or execute its allocation more than once in an "
     "iteration",
     "run the pass before structured control flow is lowered to blocks"},
    {"loop-nest",
     "there is an operation other than a loop between the loops that carry it",
     ""},
    {"too-many-instances",
     "more instances of it are in use at once than slots are allowed, or their "
     "number has no known bound",
     "copy contents that must survive for long into a buffer from before the "
     "loop, or allow more with max-slots"},
    {"dealloc-group", "a deallocation of it may also free a buffer that stays",
     "run the pass before deallocations are inserted"},
    {"no-barrier",
     "threads may be iterations apart: no barrier that all of them execute in "
     "each iteration separates two uses of a slot",
     "let all threads meet at a barrier in each iteration of the loop"},
};
static_assert(std::size(obstacleTexts) ==
              unsigned(CarriedObstacle::NoBarrier) + 1);

StringRef buffer_merge::getObstacleName(CarriedObstacle obstacle) {
  return obstacleTexts[unsigned(obstacle)].name;
}

StringRef buffer_merge::getObstacleDescription(CarriedObstacle obstacle) {
  return obstacleTexts[unsigned(obstacle)].description;
}

StringRef buffer_merge::getObstacleAdvice(CarriedObstacle obstacle) {
  return obstacleTexts[unsigned(obstacle)].advice;
}

//===----------------------------------------------------------------------===//
// Instances within one function
//===----------------------------------------------------------------------===//

namespace {
/// An access of a carried buffer, and the number of instances that are in use
/// if it accesses the oldest one that it may.
struct CarriedAccess {
  Operation *op;
  int64_t numInstances;
};

/// Analyzes the carried buffers of one function.
class FunctionInstances {
public:
  FunctionInstances(const FunctionContext &context,
                    const CarriedInstancesOptions &options)
      : options(options), context(context), order(context.order),
        aliases(context.aliases) {}

  /// Find an obstacle or the number of instances of `buffer`, which an access
  /// of a later iteration may see. `workgroup` is null if one thread executes
  /// all accesses.
  void analyzeCarried(CarriedBuffer &buffer, const WorkgroupOptions *workgroup);

  /// Check the uses of `buffer`, for which one slot is enough, and whether it
  /// leaves its iteration.
  void analyzeSingle(CarriedBuffer &buffer);

  /// Refuse buffers that share a deallocation with one that stays. Of `buffers`
  /// return those that are to be given slots, or that had an obstacle: all that
  /// are carried, and what deallocations tie to them.
  SmallVector<CarriedBuffer, 0>
  closeDeallocGroups(SmallVector<CarriedBuffer, 0> buffers);

private:
  /// Find the home of `buffer`. Return true if it is outside of the innermost
  /// loop that holds the allocation.
  bool findHome(CarriedBuffer &buffer, ArrayRef<Value> values) const;
  /// Find the loops that carry `buffer`. Sets `marker` to the operation in the
  /// body of the innermost that is or contains the allocation.
  void findLoops(CarriedBuffer &buffer, ArrayRef<Value> values,
                 Operation *&marker) const;
  /// Return how often an iteration of the innermost of `loops` may reach
  /// `marker` between the binding of `value` and the execution of `point`, at
  /// most `options.maxInstances`.
  int64_t countMarkers(Value value, Operation *point, Operation *marker,
                       ArrayRef<Operation *> loops) const;
  /// Return the age that an instance may have when it is bound to a value, for
  /// each of its aliases, at most `options.maxInstances`.
  DenseMap<Value, int64_t> computeAges(CarriedBuffer &buffer,
                                       Operation *marker) const;
  /// Let barriers separate the instances of a slot of `buffer`: by one more
  /// instance than one thread needs, if that helps.
  void separateThreads(CarriedBuffer &buffer, Operation *marker,
                       ArrayRef<CarriedAccess> accesses,
                       const WorkgroupOptions &workgroup);
  /// Call `onAccess` for the accesses through `values`, in the order of
  /// execution, until there is an obstacle; collect deallocations.
  void visitUses(CarriedBuffer &buffer, ArrayRef<Value> values,
                 llvm::function_ref<void(OpOperand &)> onAccess);
  /// Return the buffers that `dealloc` may free, or nothing if they are too
  /// many to look at.
  const std::optional<SmallVector<Value>> &
  getFreedBuffers(memref::DeallocOp dealloc);

  const CarriedInstancesOptions &options;
  const FunctionContext &context;
  const ExecutionOrder &order;
  const BufferAliases &aliases;
  DenseMap<Operation *, std::optional<SmallVector<Value>>> freedBuffers;
  /// By kernel, on what its threads agree; by block, its barriers.
  DenseMap<Region *, std::unique_ptr<Uniformity>> uniformities;
  DenseMap<Block *, SmallVector<Operation *>> barriers;
};
} // namespace

static void refuse(CarriedBuffer &buffer, CarriedObstacle obstacle,
                   Operation *op) {
  if (buffer.obstacle)
    return;
  buffer.obstacle = obstacle;
  buffer.obstacleOp = op;
}

static void refuseUse(CarriedBuffer &buffer, UnmergeableReason reason,
                      Operation *op) {
  if (buffer.obstacle || isMutated("slots-uses"))
    return;
  buffer.useReason = reason;
  refuse(buffer, CarriedObstacle::Use, op);
}

//===----------------------------------------------------------------------===//
// Loops and ages
//===----------------------------------------------------------------------===//

void FunctionInstances::findLoops(CarriedBuffer &buffer, ArrayRef<Value> values,
                                  Operation *&marker) const {
  // The way up to the innermost loop: the allocation is executed at most once
  // in each iteration.
  for (marker = buffer.alloc;; marker = marker->getParentOp()) {
    if ((order.getCycle(marker->getBlock(), nullptr) &&
         !isMutated("slots-cycle")) ||
        marker->getParentRegion() == buffer.scope)
      return refuse(buffer, CarriedObstacle::Blocks, nullptr);
    if (!runsRegionsAtMostOnce(marker->getParentOp()))
      break;
  }

  // Which regions around it are entered with an instance?
  llvm::SmallPtrSet<Region *, 4> carrying;
  for (Value value : values) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.use_empty())
      continue;
    Block *block = argument.getOwner();
    Operation *ancestor =
        block->getParent()->findAncestorOpInRegion(*buffer.alloc);
    if (!ancestor)
      continue;
    if (block->isEntryBlock())
      carrying.insert(block->getParent());
    else if (order.isBackEdge(ancestor->getBlock(), block))
      return refuse(buffer, CarriedObstacle::Blocks, nullptr);
  }
  SmallVector<Operation *, 4> path;
  size_t numLoops = 0;
  for (Operation *op = marker; op->getParentRegion() != buffer.scope;
       op = op->getParentOp()) {
    path.push_back(op->getParentOp());
    if (carrying.contains(op->getParentRegion()))
      numLoops = path.size();
  }
  path.truncate(numLoops);
  for (Operation *op : llvm::reverse(path)) {
    if (!isa<scf::ForOp, scf::WhileOp, affine::AffineForOp>(op))
      return refuse(buffer, CarriedObstacle::LoopNest, op);
    buffer.loops.push_back(op);
  }
  if (buffer.loops.empty())
    refuse(buffer, CarriedObstacle::Blocks, nullptr);
}

bool FunctionInstances::findHome(CarriedBuffer &buffer,
                                 ArrayRef<Value> values) const {
  Region *home = buffer.loops.empty() ? buffer.alloc->getParentRegion()
                                      : buffer.loops.front()->getParentRegion();
  for (Value value : values)
    while (!home->isAncestor(value.getParentRegion()))
      home = home->getParentRegion();
  bool leavesLoop = false;
  for (Region *region = buffer.alloc->getParentRegion(); region != home;
       region = region->getParentRegion()) {
    ++buffer.homeLevel;
    leavesLoop |= !runsRegionsAtMostOnce(region->getParentOp());
  }
  return leavesLoop;
}

int64_t FunctionInstances::countMarkers(Value value, Operation *point,
                                        Operation *marker,
                                        ArrayRef<Operation *> loops) const {
  Region *region = value.getParentRegion();
  // No iteration of the loop begins as long as an execution of a region inside
  // or beside of its body lasts.
  Operation *current = region->findAncestorOpInRegion(*marker);
  if (!current)
    return 0;
  int64_t bound = -1;
  if (Operation *op = value.getDefiningOp())
    bound = order.getTicks(op).last;
  else if (!cast<BlockArgument>(value).getOwner()->isEntryBlock())
    bound = order.getTicks(cast<BlockArgument>(value).getOwner()).first - 1;
  if (current == marker) {
    int64_t reached = order.getTicks(marker).first;
    return bound < reached && reached < order.getTicks(point).first;
  }
  // The marker is reached any number of times by the outermost loop that holds
  // it but not the value.
  Operation *loop = loops.back();
  for (Operation *op = loop;; op = op->getParentOp()) {
    if (!runsRegionsAtMostOnce(op))
      loop = op;
    if (op->getParentRegion() == region)
      break;
  }
  TickRange ticks = order.getTicks(loop);
  if (bound >= ticks.last || point == loop ||
      order.getTicks(point).first < ticks.first)
    return 0;
  return options.maxInstances;
}

DenseMap<Value, int64_t>
FunctionInstances::computeAges(CarriedBuffer &buffer, Operation *marker) const {
  DenseMap<Value, int64_t> ages;
  ages[buffer.alloc] = 0;
  SmallVector<Value> worklist = {buffer.alloc};
  // An age only grows, and no further than the most instances: each value is
  // visited that often at most.
  while (!worklist.empty()) {
    Value from = worklist.pop_back_val();
    // A value is bound by an operand of the operation that it belongs to, or by
    // a terminator inside.
    llvm::SmallDenseMap<Operation *, int64_t, 8> agesByBinder;
    for (Operation *user : from.getUsers()) {
      int64_t age =
          std::min(ages[from] + countMarkers(from, user, marker, buffer.loops),
                   options.maxInstances);
      Operation *binder =
          user->hasTrait<OpTrait::IsTerminator>() ? user->getParentOp() : user;
      int64_t &oldest = agesByBinder.try_emplace(binder, 0).first->second;
      oldest = std::max(oldest, age);
    }
    for (Value to : aliases.getTargets(from)) {
      Operation *binder = to.getDefiningOp();
      if (!binder)
        binder = to.getParentRegion()->getParentOp();
      auto age = agesByBinder.find(binder);
      if (age == agesByBinder.end()) {
        refuseUse(buffer, UnmergeableReason::UnknownUse, nullptr);
        return ages;
      }
      auto [it, isNew] = ages.try_emplace(to, age->second);
      if (!isNew && it->second >= age->second)
        continue;
      it->second = age->second;
      worklist.push_back(to);
    }
  }
  return ages;
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

void FunctionInstances::visitUses(
    CarriedBuffer &buffer, ArrayRef<Value> values,
    llvm::function_ref<void(OpOperand &)> onAccess) {
  for (OpOperand *use : order.collectUses(values)) {
    Operation *op = use->getOwner();
    BufferUse kind = classifyUse(*use, context.callees);
    switch (kind.kind) {
    case BufferUse::Kind::None:
    case BufferUse::Kind::Forward:
      break;
    case BufferUse::Kind::Refused:
      endPremise<Stage::Rotation, Premise::OwnAddress>();
      refuseUse(
          buffer,
          ask<Stage::Rotation, Premise::OwnAddress, Proof::ComparedAddresses>(
              kind.reason),
          op);
      break;
    case BufferUse::Kind::Dealloc: {
      auto dealloc = cast<memref::DeallocOp>(op);
      const std::optional<SmallVector<Value>> &freed = getFreedBuffers(dealloc);
      if (!freed || llvm::is_contained(*freed, buffer.alloc.getResult()))
        buffer.deallocs.push_back(dealloc);
      break;
    }
    case BufferUse::Kind::DeferredAccess:
      refuseUse(buffer, UnmergeableReason::Asynchronous, op);
      break;
    case BufferUse::Kind::Access:
      // What goes on behind its operation might do so in later iterations.
      for (Operation *parent = op->getParentOp();
           parent != buffer.scope->getParentOp();
           parent = parent->getParentOp())
        if (!isDoneAtEnd(parent))
          refuseUse(buffer, UnmergeableReason::Asynchronous, op);
      // Slots are freed before the terminator.
      if (buffer.scope->findAncestorOpInRegion(*op)
              ->hasTrait<OpTrait::IsTerminator>())
        refuseUse(buffer, UnmergeableReason::AccessedByTerminator, op);
      onAccess(*use);
      break;
    }
    if (buffer.obstacle)
      return;
  }
}

/// Return true if all threads execute `op`, in `kernel`, together, and no loop
/// around it does so again. A kernel is one block.
static bool isExecutedTogether(Operation *op, Region &kernel,
                               const Uniformity &uniformity) {
  for (op = op->getParentOp(); op != kernel.getParentOp();
       op = op->getParentOp())
    if (!uniformity.isUniformRegionOp(op) || !runsRegionsAtMostOnce(op))
      return false;
  return true;
}

void FunctionInstances::separateThreads(CarriedBuffer &buffer,
                                        Operation *marker,
                                        ArrayRef<CarriedAccess> accesses,
                                        const WorkgroupOptions &workgroup) {
  Operation *loop = buffer.loops.back();
  std::unique_ptr<Uniformity> &uniformity = uniformities[buffer.scope];
  if (!uniformity)
    uniformity = std::make_unique<Uniformity>(*buffer.scope, workgroup);
  // Around the outermost loop, all slots would be used from the first one on.
  if (mayRunAgain(buffer.scope, workgroup) ||
      !isExecutedTogether(buffer.loops.front(), *buffer.scope, *uniformity) ||
      !llvm::all_of(buffer.loops, [&](Operation *op) {
        return isa<scf::ForOp, affine::AffineForOp>(op) &&
               uniformity->isUniformRegionOp(op);
      }))
    return refuse(buffer, CarriedObstacle::NoBarrier, loop);

  // Ticks from one time that the marker is reached to the next one: what is in
  // front of it comes behind the end of the body, an iteration later.
  Block *body = marker->getBlock();
  TickRange all = order.getTicks(body);
  int64_t begin = order.getTicks(marker).last;
  int64_t betweenIterations = all.last + 1;
  int64_t length = all.last - all.first + 2;
  auto getPosition = [&](Operation *op) {
    int64_t tick = order.getTicks(op).first;
    return tick > begin ? tick : tick + length;
  };
  auto [inBody, isNew] = barriers.try_emplace(body);
  if (isNew)
    for (Operation &op : *body)
      if (workgroup.isWorkgroupBarrier(&op))
        inBody->second.push_back(&op);
  if (llvm::all_of(inBody->second, [&](Operation *op) { return op == marker; }))
    return refuse(buffer, CarriedObstacle::NoBarrier, loop);

  // An instance is accessed last by `last`, and the next one in its slot first
  // by `first`.
  int64_t last = begin, first = begin + length;
  for (const CarriedAccess &access : accesses) {
    // What comes behind the loops does so instead of another iteration, and is
    // no reason for a slot to be used again.
    if (!buffer.loops.front()->isProperAncestor(access.op)) {
      if (!isMutated("slots-behind"))
        first = std::min(first, betweenIterations);
      continue;
    }
    Operation *ancestor = body->findAncestorOpInBlock(*access.op);
    int64_t earliest = betweenIterations, latest = betweenIterations;
    if (ancestor == marker) {
      earliest = begin;
      latest = begin + length;
    } else if (ancestor) {
      earliest = latest = getPosition(ancestor);
    }
    first = std::min(first, earliest);
    if (access.numInstances == buffer.numInstances)
      last = std::max(last, latest);
  }
  if (llvm::any_of(inBody->second, [&](Operation *barrier) {
        return barrier != marker &&
               (getPosition(barrier) > last || getPosition(barrier) < first);
      }))
    return;
  if (!isMutated("slots-barrier"))
    ++buffer.numInstances;
  if (buffer.numInstances > options.maxInstances)
    refuse(buffer, CarriedObstacle::TooManyInstances, loop);
}

void FunctionInstances::analyzeCarried(CarriedBuffer &buffer,
                                       const WorkgroupOptions *workgroup) {
  SmallVector<Value> values = aliases.getAliases(buffer.alloc);
  Operation *marker = nullptr;
  findLoops(buffer, values, marker);
  if (buffer.obstacle)
    return;
  DenseMap<Value, int64_t> ages = computeAges(buffer, marker);
  if (buffer.obstacle)
    return;
  SmallVector<CarriedAccess> accesses;
  visitUses(buffer, values, [&](OpOperand &use) {
    auto age = ages.find(use.get());
    // An alias that nothing hands the buffer on to.
    if (age == ages.end())
      return refuseUse(buffer, UnmergeableReason::UnknownUse, use.getOwner());
    int64_t instances =
        age->second + 1 +
        countMarkers(use.get(), use.getOwner(), marker, buffer.loops);
    if (instances > options.maxInstances)
      return refuse(buffer, CarriedObstacle::TooManyInstances, use.getOwner());
    buffer.numInstances = std::max(buffer.numInstances, instances);
    accesses.push_back({use.getOwner(), instances});
  });
  if (workgroup && !buffer.obstacle)
    separateThreads(buffer, marker, accesses, *workgroup);
  findHome(buffer, values);
}

void FunctionInstances::analyzeSingle(CarriedBuffer &buffer) {
  SmallVector<Value> values = aliases.getAliases(buffer.alloc);
  visitUses(buffer, values, [](OpOperand &) {});
  buffer.isCarried = findHome(buffer, values);
}

//===----------------------------------------------------------------------===//
// Deallocations
//===----------------------------------------------------------------------===//

const std::optional<SmallVector<Value>> &
FunctionInstances::getFreedBuffers(memref::DeallocOp dealloc) {
  auto [it, isNew] = freedBuffers.try_emplace(dealloc);
  if (isNew) {
    Value condition = findFreeCondition(dealloc.getMemrefMutable());
    it->second = condition
                     ? getOwnedOrigins(dealloc.getMemref(), condition, aliases)
                     : aliases.getOrigins(dealloc.getMemref());
  }
  return it->second;
}

SmallVector<CarriedBuffer, 0>
FunctionInstances::closeDeallocGroups(SmallVector<CarriedBuffer, 0> buffers) {
  DenseMap<Value, unsigned> indices;
  for (auto [index, buffer] : llvm::enumerate(buffers))
    indices[buffer.alloc.getResult()] = index;

  DeallocGroups groups(buffers.size());
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    if (buffer.obstacle)
      continue;
    for (memref::DeallocOp op : buffer.deallocs) {
      OpOperand *dealloc = &op.getMemrefMutable();
      if (!groups.add(dealloc, index))
        continue;
      const std::optional<SmallVector<Value>> &freedBuffers =
          getFreedBuffers(op);
      // One of many that are not looked at might stay.
      if (!freedBuffers)
        groups.addStaying(dealloc);
      for (Value freed : freedBuffers.value_or(SmallVector<Value>())) {
        auto it = indices.find(freed);
        if (it != indices.end() && !buffers[it->second].obstacle)
          groups.add(dealloc, it->second);
        else
          groups.addStaying(dealloc);
      }
    }
  }
  // Of the buffers that are not carried, those are of interest that free
  // together with one that is.
  llvm::DenseMap<unsigned, OpOperand *> staying = groups.findStaying();
  llvm::DenseSet<unsigned> carried;
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    unsigned group = groups.getGroup(index);
    if (OpOperand *dealloc = staying.lookup(group))
      refuse(buffer, CarriedObstacle::DeallocGroup, dealloc->getOwner());
    else if (buffer.isCarried && !buffer.obstacle)
      carried.insert(group);
  }
  SmallVector<CarriedBuffer, 0> taken;
  for (auto [index, buffer] : llvm::enumerate(buffers))
    if (buffer.isCarried || carried.contains(groups.getGroup(index)))
      taken.push_back(std::move(buffer));
  return taken;
}

//===----------------------------------------------------------------------===//
// CarriedInstances
//===----------------------------------------------------------------------===//

/// Return true if a loop around `alloc`, in its alloc scope, hands on memrefs.
static bool isInCarryingLoop(memref::AllocOp alloc, Region *scope) {
  for (Operation *op = alloc->getParentOp(); op != scope->getParentOp();
       op = op->getParentOp())
    if (!runsRegionsAtMostOnce(op) &&
        (llvm::any_of(op->getResultTypes(), llvm::IsaPred<BaseMemRefType>) ||
         llvm::any_of(op->getOperandTypes(), llvm::IsaPred<BaseMemRefType>)))
      return true;
  return false;
}

/// Return true if `lifetime` is that of a buffer that may be carried, or that
/// deallocations may tie to one.
static bool isOfInterest(const BufferLifetime &lifetime) {
  // Sizes that are known at run time may not be known where slots are.
  memref::AllocOp alloc = lifetime.getAllocOp();
  if (!alloc || alloc->getNumOperands() != 0)
    return false;
  if (lifetime.refusal)
    return lifetime.refusal->reason == UnmergeableReason::LoopCarried ||
           lifetime.refusal->reason == UnmergeableReason::DeallocGroup;
  return isInCarryingLoop(alloc, lifetime.scope);
}

CarriedInstances::CarriedInstances(Operation *root,
                                   const BufferLifetimes &lifetimes,
                                   const CarriedInstancesOptions &options) {
  assert(options.maxInstances >= 1 && "no instance is no buffer");
  // Buffers come function by function.
  ArrayRef<BufferLifetime> rest = lifetimes.getBuffers();
  while (!rest.empty()) {
    Operation *function = rest.front().function;
    ArrayRef<BufferLifetime> some =
        rest.take_while([&](const BufferLifetime &lifetime) {
          return lifetime.function == function;
        });
    rest = rest.drop_front(some.size());
    if (llvm::none_of(some, isOfInterest))
      continue;
    FunctionInstances analysis(*lifetimes.getContext(function), options);
    SmallVector<CarriedBuffer, 0> found;
    for (const BufferLifetime &lifetime : some) {
      if (!isOfInterest(lifetime))
        continue;
      CarriedBuffer &buffer = found.emplace_back();
      buffer.alloc = lifetime.getAllocOp();
      buffer.scope = lifetime.scope;
      if (lifetime.refusal &&
          lifetime.refusal->reason == UnmergeableReason::LoopCarried)
        analysis.analyzeCarried(buffer, lifetime.isWorkgroup
                                            ? &lifetimes.getWorkgroupOptions()
                                            : nullptr);
      else
        analysis.analyzeSingle(buffer);
    }
    llvm::append_range(buffers, analysis.closeDeallocGroups(std::move(found)));
  }
}
