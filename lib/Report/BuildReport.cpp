//===- BuildReport.cpp - From a plan to a report -------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Report/BuildReport.h"
#include "Advice.h"
#include "Analysis/FunctionContext.h"
#include "Analysis/GPU/WorkgroupSync.h"
#include "Locations.h"
#include "Planning/GPU/KernelMemory.h"
#include "Planning/Gain.h"
#include "Planning/Heap/EntryMemory.h"
#include "Planning/Heap/Footprint.h"
#include "Planning/Heap/WorkingSet.h"
#include "Planning/Storage/ArenaPlan.h"
#include "Remarks.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <map>

using namespace mlir;
using namespace buffer_merge;

/// Return what `print` prints, as valid UTF-8.
template <typename T>
static std::string toText(const T &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return llvm::json::fixUTF8(text);
}

/// Return the symbols of `op` and of what is around it, `kernels::f`, but not
/// that of the top-level module.
static std::string getSymbolPath(Operation *op) {
  std::string path;
  for (; op && !(isa<ModuleOp>(op) && !op->getParentOp());
       op = op->getParentOp()) {
    auto name = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    if (name)
      path = name.str() + (path.empty() ? "" : "::" + path);
  }
  return llvm::json::fixUTF8(path);
}

namespace {
/// Builds one report.
class ReportBuilder {
public:
  ReportBuilder(Operation *root, const BufferLifetimes &lifetimes)
      : root(root), lifetimes(lifetimes) {}

  Report build(const MergePlan &plan, StringRef scheduler);
  ReportPool describePool(const PoolPlan &plan);

private:
  void addBuffers(ReportPool &pool, const PoolPlan &plan);
  std::string getName(Value alloc);
  /// Set the name, the type and the location of `buffer`.
  template <typename T>
  void identify(T &buffer, Value alloc);
  std::string describeProducer(const BufferLifetime &buffer);
  ReportSync describeSync(const PoolPlan &plan);
  std::string describeAdvice(const PoolPlan &plan, const PoolAdvice &advice);
  void describeHolds(ReportProgram &program, const Footprint &footprint);
  std::vector<ReportFunction> describeFunctions(const Footprint &footprint);
  ReportLeft describeAllocation(const BufferLifetime &buffer);
  ReportRuntimePool describeRuntimePool(const RuntimePool &pool);
  void addLeft(UnmergeableReason reason, const BufferLifetime &buffer,
               Operation *reasonOp);

  Operation *root;
  const BufferLifetimes &lifetimes;
  SourceNames sourceNames;
  /// Numbers the values of the root; made when the first name is asked for.
  std::optional<AsmState> asmState;
  const ArenaPlan *arenas = nullptr;
  /// In the order of the enumeration.
  std::map<UnmergeableReason, std::vector<ReportLeft>> left;
  /// What helps them, in the order of the allocations, each once.
  std::map<UnmergeableReason, SmallVector<std::string, 1>> leftAdvice;
};
} // namespace

std::string ReportBuilder::getName(Value alloc) {
  if (std::string name = findLocationName(alloc.getLoc()); !name.empty())
    return name;
  if (std::string name = sourceNames.lookup(alloc.getLoc()); !name.empty())
    return name;
  if (!asmState)
    asmState.emplace(root, OpPrintingFlags().assumeVerified());
  std::string name;
  llvm::raw_string_ostream os(name);
  alloc.printAsOperand(os, *asmState);
  return name;
}

template <typename T>
void ReportBuilder::identify(T &buffer, Value alloc) {
  buffer.name = getName(alloc);
  buffer.type = toText(alloc.getType());
  buffer.location = describeLocation(alloc.getLoc());
  // A name is all that some locations have: once is enough.
  if (buffer.location == buffer.name)
    buffer.location.clear();
}

/// Return true if `op` writes `value` and reads another one.
static bool computesInto(Operation *op, Value value) {
  return hasEffect<MemoryEffects::Write>(op, value) &&
         llvm::any_of(op->getOperands(), [&](Value other) {
           return other != value && hasEffect<MemoryEffects::Read>(op, other);
         });
}

/// Return the operation that computes what is in the buffer: the first one in
/// the block of the first access that writes the buffer and reads another one,
/// so that `linalg.matmul` comes before the `linalg.fill` of its result.
/// Without one it is the first access.
static Operation *findProducer(const BufferLifetime &buffer) {
  if (!buffer.firstAccess)
    return nullptr;
  Value value = buffer.alloc;
  for (const BufferEvent &event : buffer.events) {
    Operation *op = event.operand->getOwner();
    if (event.operand->get() == value &&
        op->getBlock() == buffer.firstAccess->getBlock() &&
        computesInto(op, value))
      return op;
  }
  return buffer.firstAccess;
}

/// Return the name of `op`; that of a `linalg.generic`, which says nothing,
/// with the operations in its body: `linalg.generic[arith.addf]`.
static std::string describeOperation(Operation *op) {
  std::string text = op->getName().getStringRef().str();
  if (text != "linalg.generic" || op->getNumRegions() != 1 ||
      !op->getRegion(0).hasOneBlock())
    return text;
  constexpr size_t maxNames = 3;
  SmallVector<StringRef> names;
  for (Operation &inner : op->getRegion(0).front()) {
    StringRef name = inner.getName().getStringRef();
    if (!inner.hasTrait<OpTrait::IsTerminator>() &&
        !llvm::is_contained(names, name))
      names.push_back(name);
  }
  if (names.empty())
    return text;
  text += "[" + llvm::join(ArrayRef(names).take_front(maxNames), ", ");
  return text + (names.size() > maxNames ? ", ...]" : "]");
}

/// Return what computes the buffer, unless its first access says as much.
std::string ReportBuilder::describeProducer(const BufferLifetime &buffer) {
  Operation *producer = findProducer(buffer);
  if (!producer)
    return "";
  std::string name = describeOperation(producer);
  std::string text = describeAccess(producer);
  if (producer == buffer.firstAccess &&
      name == producer->getName().getStringRef())
    return "";
  return llvm::json::fixUTF8(
      name + text.substr(producer->getName().getStringRef().size()));
}

/// In a kernel without barriers, every buffer conflicts with every other one.
/// Beyond this number the pairs say nothing that the number does not.
static constexpr size_t maxListedConflicts = 20000;

ReportSync ReportBuilder::describeSync(const PoolPlan &plan) {
  ReportSync sync;
  Operation *function = plan.scope->getParentOp();
  while (!isa<FunctionOpInterface>(function))
    function = function->getParentOp();
  // As lifetimes are numbered. The end of a loop over threads is the barrier.
  const ExecutionOrder &order = lifetimes.getContext(function)->order;
  const WorkgroupPlan &workgroup = *plan.workgroup;
  if (workgroup.sync)
    for (Operation *op : workgroup.sync->getBarriers()) {
      sync.barriers.push_back(describeAccess(op));
      sync.barrierTicks.push_back(order.getTicks(op).last);
    }
  for (Operation *op : workgroup.barriers) {
    sync.insertedBarriers.push_back(describeAccess(op));
    sync.insertedBarrierTicks.push_back(order.getTicks(op).first);
  }
  sync.note = llvm::json::fixUTF8(getPoolNote(plan));
  sync.numConflicts = workgroup.conflicts.size();
  for (const SyncConflict &conflict :
       ArrayRef<SyncConflict>(workgroup.conflicts)
           .take_front(maxListedConflicts)) {
    ReportConflict &pair = sync.conflicts.emplace_back();
    pair.first = conflict.first;
    pair.second = conflict.second;
    pair.rule = getRuleName(conflict.rule).str();
    pair.description = getRuleDescription(conflict.rule).str();
    pair.from = describeAccess(conflict.from);
    pair.to = describeAccess(conflict.to);
  }
  return sync;
}

/// Add the buffers of `plan`, and the parts that calls need, to `pool`.
void ReportBuilder::addBuffers(ReportPool &pool, const PoolPlan &plan) {
  const Schedule *schedule = plan.getSchedule();
  for (auto [index, lifetime, place] : llvm::enumerate(
           plan.buffers,
           ArrayRef(plan.problem.buffers).take_front(plan.buffers.size()))) {
    ReportBuffer &buffer = pool.buffers.emplace_back();
    identify(buffer, lifetime->alloc);
    buffer.firstAccess = describeAccess(lifetime->firstAccess);
    buffer.lastAccess = describeAccess(lifetime->lastAccess);
    buffer.producer = describeProducer(*lifetime);
    if (lifetime->refusal)
      buffer.unshared = getReasonName(lifetime->refusal->reason).str();
    if (lifetime->value) {
      buffer.value = lifetime->value->index + 1;
      buffer.values = lifetime->value->count;
    }
    if (lifetime->parts)
      buffer.allocations = lifetime->countAllocations();
    buffer.size = place.size;
    buffer.alignment = place.alignment;
    buffer.begin = place.begin;
    buffer.end = place.end;
    for (const TickInterval &gap : place.gaps)
      buffer.gaps.push_back({gap.begin, gap.end});
    if (schedule)
      buffer.offset = schedule->offsets[index];
  }
  if (!schedule)
    return;
  size_t index = plan.buffers.size();
  for (func::CallOp call : plan.calls) {
    const Buffer &place = plan.problem.buffers[index];
    ReportBuffer &part = pool.buffers.emplace_back();
    part.callee = llvm::json::fixUTF8(call.getCallee());
    part.name = "call @" + part.callee;
    part.location = describeLocation(call->getLoc());
    part.firstAccess = part.lastAccess = describeAccess(call);
    part.size = place.size;
    part.alignment = place.alignment;
    part.begin = place.begin;
    part.end = place.end;
    part.offset = schedule->offsets[index++];
  }
}

/// Describe the memory that the pool of `plan` is in, and how it is used.
static void describeMemory(ReportPool &pool, const PoolPlan &plan) {
  pool.capacity = plan.capacity;
  if (plan.region && pool.poolSize > 0)
    pool.regions.push_back({llvm::json::fixUTF8(plan.region->region->name), 0,
                            pool.poolSize, plan.capacity,
                            plan.getAddress(/*id=*/std::nullopt),
                            plan.region->movedBytes});
  if (plan.reuse) {
    pool.reuse =
        ReportReuse{plan.reuse->cost.numPairs, plan.reuse->cost.penalty,
                    plan.reuse->costOfSmallest.numPairs,
                    plan.reuse->costOfSmallest.penalty};
    for (const ReusePenalty &item : plan.reuse->penalties)
      pool.reuse->penalties.push_back({item.first, item.second, item.penalty});
  }
  if (plan.banks)
    pool.banks = ReportBanks{plan.banks->numPairs, plan.banks->numInSameBank,
                             plan.banks->numInSameBankBefore};
}

std::string ReportBuilder::describeAdvice(const PoolPlan &plan,
                                          const PoolAdvice &advice) {
  std::string buffer;
  if (advice.buffer)
    buffer = getName(plan.buffers[*advice.buffer]->alloc);
  return llvm::json::fixUTF8(describeChange(plan, advice, buffer));
}

ReportPool ReportBuilder::describePool(const PoolPlan &plan) {
  Operation *scopeOp = plan.scope->getParentOp();
  ReportPool pool;
  pool.function = getSymbolPath(scopeOp);
  pool.scope = scopeOp->getName().getStringRef().str();
  pool.location = describeLocation(scopeOp->getLoc());
  if (plan.memorySpace) {
    // As in memref types: `1`, not `1 : i64`.
    llvm::raw_string_ostream os(pool.memorySpace);
    plan.memorySpace.print(os, /*elideType=*/true);
    pool.memorySpace = llvm::json::fixUTF8(pool.memorySpace);
  }
  // A pool that is not made comes from nowhere.
  PoolStorage storage = PoolStorage::Alloc;
  if (const Pool *made = plan.getPool())
    storage = made->storage;
  else
    pool.reason = getReasonName(plan.getNoPool()->reason).str();
  if (plan.isErased)
    pool.storage = "none";
  else if (storage != PoolStorage::Alloc)
    pool.storage = storage == PoolStorage::Global && arenas &&
                           !plan.memorySpace && !plan.region &&
                           arenas->hasSharedGlobal(cast<func::FuncOp>(scopeOp))
                       ? "shared-global"
                       : getPoolStorageName(storage).str();
  pool.totalBytes = plan.totalBytes;
  pool.lowerBound = plan.lowerBound.bytes;
  pool.peakTick = plan.lowerBound.peakTick;
  pool.provedBound = plan.getProvedBound();
  if (const Schedule *schedule = plan.getSchedule()) {
    pool.poolSize = schedule->poolSize;
    pool.poolAlignment = schedule->poolAlignment;
    if (plan.getPool() && plan.getPool()->storage == PoolStorage::Dynamic &&
        getDynamicBytes(*schedule) != pool.poolSize)
      pool.launchBytes = getDynamicBytes(*schedule);
  }
  addBuffers(pool, plan);
  for (const InPlacePair &pair : plan.problem.inPlacePairs)
    addInPlacePair(pool, pair.earlier, pair.later,
                   pair.condition == InPlaceCondition::SameOffset);
  if (plan.workgroup)
    pool.sync = describeSync(plan);
  describeMemory(pool, plan);
  for (const PoolAdvice &advice : plan.advice)
    pool.advice.push_back({describeAdvice(plan, advice), advice.savedBytes});
  return pool;
}

/// Return the functions that `function` refers to, each once: it may call them.
static std::vector<std::string> listCalls(Operation *function,
                                          SymbolTableCollection &symbols) {
  llvm::SetVector<Operation *> callees;
  if (auto uses = SymbolTable::getSymbolUses(function))
    for (const SymbolTable::SymbolUse &use : *uses)
      if (auto callee = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
              use.getUser(), use.getSymbolRef()))
        callees.insert(callee);
  std::vector<std::string> names;
  for (Operation *callee : callees)
    names.push_back(getSymbolPath(callee));
  return names;
}

std::vector<ReportFunction>
ReportBuilder::describeFunctions(const Footprint &footprint) {
  std::vector<ReportFunction> functions;
  SymbolTableCollection symbols;
  for (const auto &[op, peak] : footprint.functions) {
    ReportFunction &function = functions.emplace_back();
    function.name = getSymbolPath(op);
    function.baselineBytes = peak.baseline;
    function.peakBytes = peak.planned;
    if (arenas)
      if (std::optional<unsigned> index = arenas->getGraph().lookup(op);
          index && arenas->isActive(*index) &&
          !arenas->getArenas()[*index].isOwn)
        function.arenaBytes = arenas->getArenas()[*index].getLeastBytes();
    function.calls = listCalls(op, symbols);
  }
  return functions;
}

/// Say what the largest function of the program holds, with all that it calls.
void ReportBuilder::describeHolds(ReportProgram &program,
                                  const Footprint &footprint) {
  if (!footprint.largest)
    return;
  program.largestFunction = getSymbolPath(footprint.largest);
  for (const HeldItem &item : footprint.largestHolds) {
    ReportHold &hold = program.holds.emplace_back();
    hold.begin = item.ticks.first;
    hold.end = item.ticks.last + 1;
    hold.bytes = item.bytes;
    if (item.function && item.function != footprint.largest)
      hold.function = getSymbolPath(item.function);
    hold.what = item.isGlobals    ? "globals"
                : item.isPool     ? "pool"
                : item.isReturned ? "result"
                : !item.inner     ? "stays"
                                  : "scope";
    if (item.inner) {
      Operation *inner = item.inner->getParentOp();
      hold.name = inner->getName().getStringRef().str();
      if (isa<FunctionOpInterface>(inner)) {
        hold.what = "call";
        hold.name = "@" + getSymbolPath(inner);
      }
    } else if (auto alloc = dyn_cast_or_null<memref::AllocOp>(item.op);
               alloc && !item.isPool) {
      hold.name = getName(alloc);
    }
  }
}

/// Return `entries` as data.
static std::vector<ReportEntry> describeEntries(ArrayRef<EntryMemory> entries) {
  std::vector<ReportEntry> described;
  for (const EntryMemory &memory : entries) {
    ReportEntry &entry = described.emplace_back();
    entry.name = getSymbolPath(memory.function);
    entry.poolBytes = memory.poolBytes;
    entry.heapBytes = memory.heapBytes;
    entry.stackBytes = memory.stackBytes;
    entry.constantBytes = memory.constantBytes;
    entry.variableBytes = memory.variableBytes;
    entry.inputBytes = memory.inputBytes;
    entry.outputBytes = memory.outputBytes;
    for (StringRef text : memory.unknown)
      entry.unknown.push_back(text.str());
  }
  return described;
}

ReportLeft ReportBuilder::describeAllocation(const BufferLifetime &lifetime) {
  ReportLeft buffer;
  identify(buffer, lifetime.alloc);
  buffer.function = getSymbolPath(lifetime.getPlace());
  buffer.size = lifetime.size.value_or(0);
  return buffer;
}

ReportRuntimePool ReportBuilder::describeRuntimePool(const RuntimePool &pool) {
  ReportRuntimePool described;
  described.bytes = describeBytes(pool);
  described.aliveBytes = describeBytes(pool, pool.alive);
  described.alignment = pool.alignment;
  if (pool.isInArena)
    described.storage = getPoolStorageName(PoolStorage::Arena);
  if (pool.isInKernel)
    described.storage = getPoolStorageName(PoolStorage::Dynamic);
  for (const BufferLifetime *buffer : pool.buffers)
    described.buffers.push_back(describeAllocation(*buffer));
  described.function = described.buffers.front().function;
  described.location = described.buffers.front().location;
  return described;
}

void ReportBuilder::addLeft(UnmergeableReason reason,
                            const BufferLifetime &lifetime,
                            Operation *reasonOp) {
  ReportLeft &buffer = left[reason].emplace_back(describeAllocation(lifetime));
  buffer.operation = describeAccess(reasonOp);
  // More of them say no more than the first ones.
  constexpr size_t maxListed = 3;
  SmallVector<std::string, 1> &advice = leftAdvice[reason];
  if (advice.size() == maxListed)
    return;
  std::string text =
      getLeftAdvice(lifetimes, reason, reasonOp, lifetime.getAllocOp());
  if (!llvm::is_contained(advice, text))
    advice.push_back(std::move(text));
}

Report ReportBuilder::build(const MergePlan &plan, StringRef scheduler) {
  Report report;
  if (auto module = dyn_cast<ModuleOp>(root); module && module.getSymName())
    report.module = llvm::json::fixUTF8(*module.getSymName());
  else
    report.module = getFileName(root->getLoc());
  report.scheduler = llvm::json::fixUTF8(scheduler);
  report.baseline =
      plan.freePoint == FreePoint::AsGiven ? "as given" : "deallocated";
  for (const UnmergeableBuffer &left : plan.unmergeable)
    addLeft(left.refusal.reason, *left.buffer, left.refusal.op);
  arenas = plan.arenas.get();
  Footprint footprint = computeFootprint(plan);
  for (auto [pool, baseline] :
       llvm::zip_equal(plan.pools, footprint.poolBaselines)) {
    if (const NoPool *noPool = pool.getNoPool())
      for (const BufferLifetime *buffer : pool.buffers)
        addLeft(noPool->reason, *buffer, nullptr);
    if (pool.getSchedule()) {
      report.pools.push_back(describePool(pool));
      report.pools.back().baselineBytes = baseline;
    }
  }
  // Behind the others, whose numbers do not depend on them.
  if (arenas)
    for (const PoolPlan &handover : arenas->getHandovers())
      report.pools.push_back(describePool(handover));
  for (auto &[reason, buffers] : left)
    report.left.push_back(
        {getReasonName(reason).str(), getReasonDescription(reason).str(),
         llvm::join(leftAdvice[reason], "; or "), std::move(buffers)});
  for (const RuntimePool &pool : plan.runtimePools)
    report.runtimePools.push_back(describeRuntimePool(pool));
  report.functions = describeFunctions(footprint);
  if (plan.arenas)
    report.entries = describeEntries(computeEntryMemory(plan, footprint));
  report.program = {footprint.allocatedBytes, footprint.peak.baseline,
                    footprint.peak.planned, footprint.peak.excessIfDeallocated};
  if (WorkingSet set = findLargestWorkingSet(plan); set.op) {
    report.program->workingSetBytes = set.bytes;
    report.program->workingSet = describeAccess(set.op);
  }
  describeHolds(*report.program, footprint);
  for (const ProgramAdvice &advice : plan.advice)
    report.program->advice.push_back(
        {advice.pool ? describeAdvice(plan.pools[*advice.pool], advice.change)
                     : advice.options,
         advice.savedBytes, advice.numMerged});
  return report;
}

Report buffer_merge::buildReport(Operation *root, const MergePlan &plan,
                                 StringRef scheduler) {
  return ReportBuilder(root, *plan.lifetimes).build(plan, scheduler);
}

std::vector<ReportPool>
buffer_merge::describeUnscheduledPools(Operation *root, const MergePlan &plan) {
  ReportBuilder builder(root, *plan.lifetimes);
  std::vector<ReportPool> pools;
  for (const PoolPlan &pool : plan.pools)
    if (pool.getPool())
      pools.push_back(builder.describePool(pool));
  return pools;
}
