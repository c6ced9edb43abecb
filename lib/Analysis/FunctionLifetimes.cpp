//===- Lifetimes within one function --------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionLifetimes.h"
#include "AccessAlignment.h"
#include "AccessCover.h"
#include "AllocScope.h"
#include "AllocationChecks.h"
#include "Analysis/Dealloc/CloneDeallocs.h"
#include "Analysis/GPU/DeviceCode.h"
#include "Analysis/GPU/WorkgroupMemory.h"
#include "Compatibility.h"
#include "Mutation.h"
#include "Premises.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "buffer-merge"

using namespace mlir;
using namespace buffer_merge;

FunctionLifetimes::FunctionLifetimes(const FunctionContext &context,
                                     const BufferLifetimesOptions &options,
                                     const KernelLaunches *launches)
    : options(options), context(context), launches(launches),
      deallocation(context) {}

/// Return what was found out about `buffer`, for developers.
[[maybe_unused]] static std::string getDebugText(const BufferLifetime &buffer) {
  std::string text;
  llvm::raw_string_ostream os(text);
  // Not of other functions, which other threads analyze.
  buffer.alloc.print(os, OpPrintingFlags().useLocalScope());
  os << " at " << buffer.alloc.getLoc() << ": ";
  if (buffer.refusal)
    os << describeReason(buffer.refusal->reason, buffer.refusal->op);
  else
    os << "[" << buffer.ticks.first << ", " << buffer.ticks.last + 1
       << ") in the scope of " << buffer.scope->getParentOp()->getName()
       << " at " << buffer.scope->getLoc();
  for (TickRange gap : buffer.gaps)
    os << ", not [" << gap.first << ", " << gap.last + 1 << ")";
  return text;
}

SmallVector<Value> FunctionLifetimes::collectAttributions() const {
  FunctionOpInterface function = context.function;
  auto kernel = dyn_cast<gpu::GPUFuncOp>(function.getOperation());
  if (!kernel || !options.attributions)
    return {};
  SmallVector<Value> attributions(getWorkgroupArguments(kernel));
  llvm::append_range(attributions, kernel.getPrivateAttributions());
  return attributions;
}

FunctionBuffers FunctionLifetimes::run() {
  // By the ticks: the lifetimes are larger.
  SmallVector<std::pair<int64_t, memref::AllocOp>, 0> allocs;
  context.function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // A function inside is analyzed by itself.
    if (op->getNumRegions() != 0 && op != context.function &&
        isa<FunctionOpInterface>(op))
      return WalkResult::skip();
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      allocs.emplace_back(context.order.getTicks(op).first, alloc);
    } else if (std::optional<OtherAllocation> other = findOtherAllocation(op)) {
      otherAllocations.push_back(*other);
    }
    return WalkResult::advance();
  });
  llvm::sort(allocs, llvm::less_first());
  FunctionBuffers result;
  SmallVector<BufferLifetime> &buffers = result.buffers;
  SmallVector<Value> memrefs = collectAttributions();
  buffers.reserve(memrefs.size() + allocs.size());
  llvm::append_range(memrefs, llvm::make_second_range(allocs));
  for (Value memref : memrefs) {
    BufferLifetime &buffer = buffers.emplace_back();
    buffer.alloc = cast<TypedValue<MemRefType>>(memref);
    buffer.function = context.function;
    buffer.isInDeviceCode = context.device.contains(buffer.getPlace());
  }
  for (BufferLifetime &buffer : buffers) {
    buffer.refusal =
        checkAllocation(buffer, context.layout, dynamicSizes, options);
    if (buffer.refusal) {
      memref::AllocOp alloc = buffer.getAllocOp();
      if (alloc && buffer.refusal->reason == UnmergeableReason::DynamicShape &&
          options.dynamic != DynamicPolicy::None)
        buffer.refusal->op = findSizeOperation(alloc);
      checkRuntimeSize(buffer);
      continue;
    }
    SmallVector<ClassifiedUse> uses = analyze(buffer);
    if (options.findValues)
      findValues(buffer, uses, result.values);
  }
  deallocation.refuseUnfreeable(buffers);
  llvm::DenseSet<Value> refused;
  for (BufferLifetime &buffer : buffers)
    if (buffer.refusal) {
      refused.insert(buffer.alloc);
      findOneObject(buffer);
    }
  llvm::erase_if(result.values, [&](const BufferLifetime &value) {
    return refused.contains(value.alloc);
  });
  for (const BufferLifetime &buffer : buffers)
    LDBG() << getDebugText(buffer);
  return result;
}

/// Return true if `buffer` may be memory that threads share although no known
/// operation of a device is around it: in an unknown operation, a space other
/// than the default one may be that of a workgroup.
static bool maySpaceBeShared(const BufferLifetime &buffer,
                             Operation *function) {
  if (!buffer.getMemorySpace() || isMutated("R1-unknown-space"))
    return false;
  for (Operation *op = buffer.getPlace()->getParentOp(); op != function;
       op = op->getParentOp())
    if (getRegionExecution(op) == RegionExecution::Unknown)
      return true;
  return false;
}

std::optional<Refusal>
FunctionLifetimes::checkPlace(BufferLifetime &buffer) const {
  for (Operation *op = buffer.getPlace(); op != context.function;
       op = op->getParentOp())
    if (!context.order.isReachable(op->getBlock()))
      return UnmergeableReason::Unreachable;
  std::variant<Region *, Refusal> scope =
      buffer.isWorkgroup ? findKernel(buffer.getPlace(), context.device)
                         : context.scopes.find(buffer.getPlace());
  if (auto *refusal = std::get_if<Refusal>(&scope))
    return *refusal;
  if (!context.order.hasKnownControlFlow())
    return Refusal{UnmergeableReason::NoAllocScope, context.function};
  if (!buffer.isWorkgroup && maySpaceBeShared(buffer, context.function))
    return UnmergeableReason::MemorySpace;
  buffer.scope = std::get<Region *>(scope);
  return std::nullopt;
}

void FunctionLifetimes::checkRuntimeSize(BufferLifetime &buffer) {
  memref::AllocOp alloc = buffer.getAllocOp();
  if (options.dynamic == DynamicPolicy::None || !alloc ||
      alloc.getType().hasStaticShape() || !alloc.getSymbolOperands().empty() ||
      options.workgroup.isWorkgroupSpace(buffer.getMemorySpace(),
                                         buffer.isInDeviceCode) ||
      checkKind(buffer, options))
    return;
  BufferLifetime found = buffer;
  found.refusal.reset();
  addRequestedAlignment(found);
  analyze(found);
  // Where sizes of run time are no reason to stay, another one is.
  auto refuse = [&](Refusal refusal) { buffer.refusal = refusal; };
  if (found.refusal)
    return refuse(*found.refusal);
  // It might be in use when the allocation is freed.
  if (found.isInFlightAtEnd)
    return refuse({UnmergeableReason::Asynchronous, found.lastAccess});
  for (OpOperand *dealloc : found.deallocs) {
    std::optional<SmallVector<Value>> origins =
        context.aliases.getOrigins(dealloc->get());
    if (!isa<memref::DeallocOp>(dealloc->getOwner()) || !origins ||
        origins->size() != 1)
      return refuse({UnmergeableReason::DeallocGroup, dealloc->getOwner()});
  }
  // Buffers at one offset have one address; nobody may want to know.
  endPremise<Stage::Sharing, Premise::OwnAddress>();
  for (Value alias : context.aliases.getAliases(buffer.alloc))
    for (Operation *user : alias.getUsers())
      if (ask<Stage::Sharing, Premise::OwnAddress, Proof::ComparedAddresses>(
              isa<memref::ExtractAlignedPointerAsIndexOp,
                  bufferization::DeallocOp>(user)))
        return refuse({UnmergeableReason::AddressTaken, user});
  found.isOfRuntimeSize = true;
  found.refusal = buffer.refusal;
  buffer = std::move(found);
}

SmallVector<ClassifiedUse>
FunctionLifetimes::collectUses(ArrayRef<Value> values) {
  // Uses of few buffers are classified for each of them.
  constexpr size_t minShared = 8;
  SmallVector<OpOperand *> uses = context.order.collectUses(values);
  if (values.size() < minShared)
    return llvm::map_to_vector(uses, [&](OpOperand *use) {
      return context.refills.apply({use, classifyUse(*use, context.callees)});
    });
  return llvm::map_to_vector(uses, [&](OpOperand *use) {
    auto [entry, isNew] = sharedUses.try_emplace(use);
    ClassifiedUse &shared = entry->second;
    if (isNew) {
      shared = {use, classifyUse(*use, context.callees)};
      shared.alignment = getNeededAlignment(*use, shared.use.kind,
                                            context.callees, context.layout);
    }
    return context.refills.apply(shared);
  });
}

std::optional<SmallVector<Value>>
FunctionLifetimes::findAliases(const BufferLifetime &buffer) {
  std::optional<SmallVector<Value>> aliases =
      context.aliases.getAliases(buffer.alloc, aliasBudget);
  clones.clear();
  if (aliases)
    clones = context.aliases.getClones(buffer.alloc, *aliases);
  return aliases;
}

SmallVector<ClassifiedUse> FunctionLifetimes::analyze(BufferLifetime &buffer) {
  webs.reset();
  buffer.refusal = checkPlace(buffer);
  memref::AllocOp alloc = buffer.getAllocOp();
  if (!buffer.refusal && options.isEligible && alloc &&
      !options.isEligible(alloc))
    buffer.refusal = UnmergeableReason::Ineligible;
  if (buffer.refusal)
    return {};
  std::optional<SmallVector<Value>> values = findAliases(buffer);
  if (!values) {
    buffer.refuse(UnmergeableReason::TooManyAliases, nullptr);
    return {};
  }
  checkAliases(buffer, *values);
  if (buffer.refusal)
    return {};

  SmallVector<ClassifiedUse> uses = collectUses(*values);
  ownAlignment = buffer.alignment;
  home = findHome(buffer, uses);
  addUses(buffer, uses);
  return uses;
}

void FunctionLifetimes::addUses(BufferLifetime &buffer,
                                ArrayRef<ClassifiedUse> uses) {
  buffer.events.reserve(uses.size());
  for (const ClassifiedUse &use : uses) {
    addUse(buffer, use);
    if (buffer.refusal)
      return;
  }
  // The deallocations are some of the uses, in the same order.
  auto dealloc = buffer.deallocs.rbegin();
  for (const ClassifiedUse &use : llvm::reverse(uses)) {
    if (dealloc == buffer.deallocs.rend() || *dealloc != use.operand) {
      buffer.lastUse = use.operand->getOwner();
      break;
    }
    ++dealloc;
  }
  if (!buffer.firstAccess)
    return buffer.refuse(UnmergeableReason::NeverAccessed, nullptr);
  addGaps(buffer);
  buffer.needsManualDealloc = deallocation.needsManualDealloc(buffer.scope);
}

/// Return the uses of each web of `alloc`, in the order of execution: its
/// accesses, the views that they need, and the deallocations, which free each
/// of them. What needs no value is about the first one; but what is assumed
/// about the address holds for each.
static SmallVector<SmallVector<ClassifiedUse>, 0>
divideUses(ArrayRef<ClassifiedUse> uses, const Webs &webs) {
  llvm::DenseMap<OpOperand *, size_t> positions;
  SmallVector<llvm::SetVector<size_t>, 0> divided(webs.size());
  for (auto [position, use] : llvm::enumerate(uses)) {
    positions[use.operand] = position;
    std::optional<unsigned> web = webs.lookup(use.operand);
    if (use.use.kind == BufferUse::Kind::Dealloc)
      for (auto &own : divided)
        own.insert(position);
    else if (!web && !isSourceOfView(*use.operand))
      divided.front().insert(position);
    if (!web)
      continue;
    divided[*web].insert(position);
    for (Value view = use.operand->get();
         webs.isView(view) && getSourceOfView(view);) {
      OpOperand &source =
          *llvm::find_if(view.getDefiningOp()->getOpOperands(), isSourceOfView);
      if (!divided[*web].insert(positions.lookup(&source)))
        break;
      view = source.get();
    }
  }
  llvm::BitVector isOwned(uses.size());
  for (const auto &own : divided)
    for (size_t position : own)
      isOwned.set(position);
  // Of what no value needs, the strictest assumption stands for all.
  std::optional<size_t> strictest;
  uint32_t alignment = 0;
  for (auto [position, use] : llvm::enumerate(uses))
    if (auto assume =
            dyn_cast<memref::AssumeAlignmentOp>(use.operand->getOwner());
        assume && !isOwned[position] && assume.getAlignment() > alignment) {
      strictest = position;
      alignment = assume.getAlignment();
    }
  if (strictest)
    for (auto &own : divided)
      own.insert(*strictest);
  SmallVector<SmallVector<ClassifiedUse>, 0> result;
  for (auto &own : divided) {
    SmallVector<size_t> sorted = own.takeVector();
    llvm::sort(sorted);
    result.push_back(llvm::map_to_vector(
        sorted, [&](size_t position) { return uses[position]; }));
  }
  return result;
}

void FunctionLifetimes::findValues(const BufferLifetime &buffer,
                                   ArrayRef<ClassifiedUse> uses,
                                   SmallVectorImpl<BufferLifetime> &values) {
  if (buffer.refusal || !webs)
    return;
  endPremise<Stage::Splitting, Premise::OneAddress>();
  if (!ask<Stage::Splitting, Premise::OneAddress, Proof::ComparedAddresses>(
          webs->areSeparable()) ||
      webs->size() < 2 || webs->needManyViews(uses))
    return;
  if (!valueBudget)
    valueBudget.emplace(context.order);
  SmallVector<BufferLifetime> found;
  for (auto [index, own] : llvm::enumerate(divideUses(uses, *webs))) {
    BufferLifetime &value = found.emplace_back();
    value.alloc = buffer.alloc;
    value.function = buffer.function;
    value.value = ValueOfBuffer{static_cast<unsigned>(index), webs->size(),
                                webs->getBegin(index)};
    value.size = buffer.size;
    value.alignment = ownAlignment;
    value.scope = buffer.scope;
    Webs ownWebs(buffer.getAllocOp(), own, *valueBudget, /*wantsSplit=*/true);
    deadTicks = ownWebs.findDeadTicks(context.order);
    home = ownWebs.findHome(dominance);
    addUses(value, own);
    if (value.refusal)
      return;
  }
  llvm::append_range(values, found);
}

Operation *FunctionLifetimes::findHome(const BufferLifetime &buffer,
                                       ArrayRef<ClassifiedUse> uses) {
  deadTicks.clear();
  if (buffer.isWorkgroup)
    return findTileHome(buffer, uses);
  // Other threads may still read what one overwrites.
  if (buffer.isInDeviceCode)
    return buffer.getPlace();
  // Pools of run-time size know of no values.
  if (!buffer.size)
    return buffer.getPlace();
  if (!webBudget)
    webBudget.emplace(context.order);
  webs.emplace(buffer.getAllocOp(), uses, *webBudget, /*wantsSplit=*/true);
  deadTicks = webs->findDeadTicks(context.order);
  return webs->findHome(dominance);
}

Operation *FunctionLifetimes::findTileHome(const BufferLifetime &buffer,
                                           ArrayRef<ClassifiedUse> uses) {
  SmallVector<OpOperand *> accesses;
  for (const ClassifiedUse &use : uses)
    if (use.use.kind == BufferUse::Kind::Access ||
        use.use.kind == BufferUse::Kind::DeferredAccess)
      accesses.push_back(use.operand);
  // What a copy engine writes ahead is not looked for, nor what is done through
  // descriptors.
  if (llvm::any_of(accesses, [](OpOperand *access) {
        Operation *op = access->getOwner();
        return getAccessUnit(op) == AccessUnit::Loads ||
               !getMatrixReaders(op).empty();
      }))
    return buffer.getPlace();
  Operation *inner = buffer_merge::findTileHome(
      {buffer.alloc, accesses, *buffer.scope,
       findBlockSize(*buffer.scope, launches), getUniformity(*buffer.scope),
       options.workgroup, context.layout, tileBudget});
  return inner ? inner : buffer.getPlace();
}

const Uniformity &FunctionLifetimes::getUniformity(Region &kernel) {
  std::unique_ptr<const Uniformity> &uniformity = uniformities[&kernel];
  if (!uniformity)
    uniformity = std::make_unique<const Uniformity>(kernel, options.workgroup);
  return *uniformity;
}

bool FunctionLifetimes::isOfKnownUnit(const BufferLifetime &buffer,
                                      Operation *op) {
  AccessUnit unit = getAccessUnit(op);
  if (!buffer.isWorkgroup || !buffer.size || unit == AccessUnit::Threads)
    return false;
  if (unit != AccessUnit::Loads)
    return true;
  std::unique_ptr<const EngineCopies> &known = engineCopies[buffer.scope];
  if (!known)
    known = std::make_unique<const EngineCopies>(
        *buffer.scope, getUniformity(*buffer.scope), options.workgroup);
  return known->isKnown(op);
}

bool FunctionLifetimes::isCarried(BlockArgument value, Operation *place) const {
  Block *block = value.getOwner();
  Operation *ancestor = block->getParent()->findAncestorOpInRegion(*place);
  // A region that does not hold the allocation is entered between two
  // executions of it, if at all. What it was given is gone when it is entered
  // again.
  if (!ancestor || value.use_empty())
    return false;
  // The region was entered with the buffer, so that it was entered before.
  if (block->isEntryBlock())
    return !isMutated("L7-regions");
  return context.order.isBackEdge(ancestor->getBlock(), block) &&
         !isMutated("L7-blocks");
}

void FunctionLifetimes::checkAliases(BufferLifetime &buffer,
                                     ArrayRef<Value> values) const {
  // Of several reasons of this kind the same must be found each time.
  bool isCarriedAnywhere = false;
  for (Value value : values) {
    if (!buffer.scope->isAncestor(value.getParentRegion()) &&
        !isMutated("L9-leaves-scope"))
      return buffer.refuse(UnmergeableReason::LeavesScope, nullptr);
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && value != buffer.alloc)
      isCarriedAnywhere |= isCarried(argument, buffer.getPlace());
  }
  if (isCarriedAnywhere)
    buffer.refuse(UnmergeableReason::LoopCarried, nullptr);
}

/// Return true if `reason` does not say that the allocation must stay, or that
/// there may be several objects.
static bool allowsOneObject(UnmergeableReason reason) {
  switch (reason) {
  case UnmergeableReason::ZeroSize:
  case UnmergeableReason::ManualDeallocation:
  case UnmergeableReason::Unreachable:
  case UnmergeableReason::Unstructured:
  case UnmergeableReason::StoredAsValue:
  case UnmergeableReason::AddressTaken:
  case UnmergeableReason::DistinctObjects:
  case UnmergeableReason::PassedToCall:
  case UnmergeableReason::UnknownUse:
  case UnmergeableReason::AsyncProxy:
  case UnmergeableReason::Asynchronous:
  case UnmergeableReason::AccessedByTerminator:
  case UnmergeableReason::NeverAccessed:
    return true;
  default:
    return false;
  }
}

bool FunctionLifetimes::keepsOneObject(BufferLifetime &buffer, OpOperand &use,
                                       bool isExecutedOnce) const {
  Operation *op = use.getOwner();
  BufferUse kind = classifyUse(use, context.callees);
  if (kind.kind == BufferUse::Kind::Dealloc) {
    std::optional<SmallVector<Value>> origins =
        context.aliases.getOrigins(use.get());
    buffer.deallocs.push_back(&use);
    return origins && origins->size() == 1;
  }
  if (kind.kind != BufferUse::Kind::Refused) {
    buffer.alignment = std::max(
        buffer.alignment,
        getNeededAlignment(use, kind.kind, context.callees, context.layout));
    return true;
  }
  static constexpr StringLiteral dialects[] = {
      "amdgpu", "gpu", "memref", "nvgpu", "nvvm", "rocdl", "xegpu"};
  switch (kind.reason) {
  case UnmergeableReason::DistinctObjects:
    return true;
  case UnmergeableReason::UnknownUse:
    // What is not known may free it.
    if (!llvm::is_contained(dialects, op->getName().getDialectNamespace()))
      return false;
    [[fallthrough]];
  case UnmergeableReason::StoredAsValue:
  case UnmergeableReason::AddressTaken:
  case UnmergeableReason::PassedToCall:
  case UnmergeableReason::Asynchronous:
    // The address of an earlier execution of the allocation may be in use.
    return isExecutedOnce || isMutated("G6-object-executions");
  default:
    return false;
  }
}

void FunctionLifetimes::findOneObject(BufferLifetime &buffer) {
  FunctionOpInterface function = context.function;
  auto kernel = dyn_cast<gpu::GPUFuncOp>(function.getOperation());
  memref::AllocOp alloc = buffer.getAllocOp();
  if (!kernel || !kernel.isKernel() || !alloc || !buffer.isWorkgroup ||
      !buffer.size || !allowsOneObject(buffer.refusal->reason))
    return;
  Region *scope = &kernel.getBody();
  for (Operation *op = alloc->getParentOp(); op != kernel;
       op = op->getParentOp())
    if (!isSequentialRegionOp(op))
      return;
  std::optional<SmallVector<Value>> values =
      context.aliases.getAliases(buffer.alloc, aliasBudget);
  if (!values)
    return;
  bool isOnce = isExecutedOnce(alloc, scope, context.order);
  buffer.deallocs.clear();
  for (Value value : *values) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && isCarried(argument, alloc))
      return;
    for (OpOperand &use : value.getUses())
      if (!keepsOneObject(buffer, use, isOnce))
        return;
  }
  buffer.scope = scope;
  buffer.isOneObject = true;
  // Not all of its accesses need be known.
  if (!isMutated("G9-unshared"))
    buffer.ticks = {0, context.order.getNumTicks() - 1};
  buffer.gaps.clear();
  buffer.events.clear();
  buffer.firstAccess = buffer.lastAccess = nullptr;
}

void FunctionLifetimes::addUse(BufferLifetime &buffer,
                               const ClassifiedUse &classified) {
  OpOperand &use = *classified.operand;
  Operation *op = use.getOwner();
  // What depends on comparisons of buffers is looked at when it is known which
  // buffers may be merged (`refuseUnfreeable`).
  if (auto extract = dyn_cast<memref::ExtractAlignedPointerAsIndexOp>(op);
      extract && deallocation.isUnderstood(extract)) {
    for (Operation *observer : deallocation.getObservers(extract))
      addComparison(buffer, observer);
    return;
  }
  if (auto dealloc = dyn_cast<bufferization::DeallocOp>(op)) {
    if (use.getOperandNumber() < dealloc.getMemrefs().size())
      addDealloc(buffer, use);
    return;
  }
  // Matrix units read it where the descriptor is used.
  if (SmallVector<Operation *> readers = getMatrixReaders(op);
      buffer.isWorkgroup && buffer.size && !readers.empty()) {
    buffer.alignment =
        std::max(buffer.alignment, getEngineAlignment(*buffer.size));
    buffer.events.push_back({&use, BufferEvent::Kind::DeferredAccess});
    for (Operation *reader : readers)
      addAccess(buffer, reader, /*isDeferred=*/false);
    return;
  }
  const BufferUse &kind = classified.use;
  switch (kind.kind) {
  case BufferUse::Kind::None:
    return;
  case BufferUse::Kind::Forward:
    if (!isSourceOfView(use))
      buffer.events.push_back({&use, BufferEvent::Kind::Forward});
    break;
  case BufferUse::Kind::Refused:
    return buffer.refuse(kind.reason, op);
  case BufferUse::Kind::Dealloc:
    return addDealloc(buffer, use);
  case BufferUse::Kind::Access:
    buffer.events.push_back({&use, BufferEvent::Kind::Access});
    addAccess(buffer, op, /*isDeferred=*/false);
    break;
  case BufferUse::Kind::DeferredAccess:
    // What is in flight at other accesses of the workgroup is a conflict, not a
    // longer lifetime.
    if (isOfKnownUnit(buffer, op)) {
      // What it wants is nothing that an operation says.
      buffer.alignment =
          std::max(buffer.alignment, getEngineAlignment(*buffer.size));
    } else if (buffer.isWorkgroup && !isAsyncCopy(op) &&
               !isOrdinaryAccess(op) && !isMutated("G8-copy-engines")) {
      return buffer.refuse(UnmergeableReason::AsyncProxy, op);
    }
    buffer.events.push_back({&use, BufferEvent::Kind::DeferredAccess});
    addAccess(buffer, op, /*isDeferred=*/!buffer.isWorkgroup);
    break;
  }
  int64_t alignment = classified.alignment;
  if (alignment == 0)
    alignment =
        getNeededAlignment(use, kind.kind, context.callees, context.layout);
  buffer.alignment = std::max(buffer.alignment, alignment);
}

void FunctionLifetimes::addDealloc(BufferLifetime &buffer,
                                   OpOperand &use) const {
  if (!clones.contains(use.get())) {
    if (deallocation.mayFree(use, buffer.alloc))
      buffer.deallocs.push_back(&use);
  }
  // What frees a clone of the buffer stays, and must not free the pool.
  else if (mayFreeSourceOfClone(use, buffer.scope, context.aliases))
    buffer.refuse(UnmergeableReason::ConditionalDealloc, use.getOwner());
}

void FunctionLifetimes::addAccess(BufferLifetime &buffer, Operation *op,
                                  bool isDeferred) {
  // What a thread executes of a loop over threads, if all of them do.
  auto isOnce = [&](Operation *loop) {
    return buffer.isWorkgroup && getLoopMapping(loop) == LoopMapping::Threads &&
           getUniformity(*buffer.scope).isUniformRegionOp(loop);
  };
  std::variant<AccessCover, UnmergeableReason> result =
      coverAccess(op, isDeferred, home, buffer.scope, context.order, isOnce);
  if (auto *reason = std::get_if<UnmergeableReason>(&result))
    return buffer.refuse(*reason, op);
  auto [ticks, isInFlightAtEnd] = std::get<AccessCover>(result);
  buffer.isInFlightAtEnd |= isInFlightAtEnd;
  if (!buffer.firstAccess) {
    buffer.firstAccess = op;
    buffer.ticks = ticks;
  }
  buffer.lastAccess = op;
  if (!isMutated("L2-interval"))
    buffer.ticks = buffer.ticks.hull(ticks);
}

void FunctionLifetimes::addComparison(BufferLifetime &buffer,
                                      Operation *op) const {
  // There is one address for as long as there is the allocation, whatever its
  // values are.
  std::variant<AccessCover, UnmergeableReason> result = coverAccess(
      op, /*isDeferred=*/false, buffer.getPlace(), buffer.scope, context.order);
  if (auto *reason = std::get_if<UnmergeableReason>(&result))
    return buffer.refuse(*reason, op);
  auto [ticks, isInFlightAtEnd] = std::get<AccessCover>(result);
  buffer.isInFlightAtEnd |= isInFlightAtEnd;
  if (!isMutated("R3-last-comparison"))
    buffer.lastComparison = std::max(buffer.lastComparison, ticks.last);
}

void FunctionLifetimes::addGaps(BufferLifetime &buffer) const {
  // Both ends are in use: the lifetime may be longer than the accesses.
  for (TickRange dead : deadTicks) {
    endPremise<Stage::Gaps, Premise::ContentsStay>();
    TickRange gap = {std::max(dead.first, buffer.ticks.first + 1),
                     std::min(dead.last, buffer.ticks.last - 1)};
    if (gap.first <= gap.last)
      buffer.gaps.push_back(gap);
  }
}

SmallVector<std::unique_ptr<const WorkgroupSync>>
FunctionLifetimes::analyzeKernels(ArrayRef<BufferLifetime> buffers) {
  llvm::MapVector<Region *, SmallVector<WorkgroupSync::Aliases>> kernels;
  for (const BufferLifetime &buffer : buffers)
    if (!buffer.refusal && buffer.isWorkgroup)
      kernels[buffer.scope].push_back(context.aliases.getAliases(buffer.alloc));
  SmallVector<std::unique_ptr<const WorkgroupSync>> syncs;
  for (const auto &[kernel, objects] : kernels)
    syncs.push_back(std::make_unique<const WorkgroupSync>(
        *kernel, objects, context.callees, getUniformity(*kernel),
        options.workgroup));
  return syncs;
}
