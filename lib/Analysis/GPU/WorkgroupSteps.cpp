//===- WorkgroupSteps.cpp - What happens in a kernel ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first half of `WorkgroupSync`: the accesses and barriers of a kernel, and
// the ways that its threads take from one to the next.
//
//===----------------------------------------------------------------------===//

#include "Analysis/CalleeSummaries.h"
#include "Analysis/GPU/AccessedBytes.h"
#include "Analysis/GPU/EngineCopies.h"
#include "Analysis/GPU/KernelWalk.h"
#include "Analysis/GPU/WorkgroupSync.h"
#include "Mutation.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <map>

using namespace mlir;
using namespace buffer_merge;

/// Lays out the steps of a kernel. The state of the walk is the number of the
/// block of steps that is being filled, the last one.
class WorkgroupSync::Builder : public KernelWalk {
public:
  Builder(WorkgroupSync &sync, const WorkgroupOptions &options,
          const Uniformity &uniformity, Accesses accesses,
          const OtherSync *otherSync = nullptr)
      : KernelWalk(options, uniformity, BlockSize(), budget), sync(sync),
        otherSync(otherSync), accesses(std::move(accesses)) {}

  void layOut();

private:
  bool enter(Operation *op, State &state, const Threads &threads,
             bool isParting) override;
  void leave(Operation *op, State &state, const Threads &threads) override;
  bool followsParted() const override { return false; }
  bool canUnroll(Operation *) const override { return false; }
  bool isByItself(LoopLikeOpInterface loop) override;
  State fork(const State &state) override { return beginBlock({state}); }
  void join(State &state, const State &other) override {
    state = beginBlock({state, other});
  }
  void repeat(const State &begin, State &end) override {
    if (!isMutated("G2-back-edge"))
      addEdge(end, begin);
    end = fork(end);
  }

  void addEdge(const State &from, const State &to) {
    sync.blocks[std::any_cast<unsigned>(from)].successors.push_back(
        std::any_cast<unsigned>(to));
  }
  State beginBlock(ArrayRef<State> before);
  Step &addStep(Step::Kind kind, Operation *op);
  bool mayWait(Operation *op) const;
  void findEngineCopies();
  void addComplete(Operation *op);

  WorkgroupSync &sync;
  const OtherSync *otherSync;
  /// More than any kernel needs.
  int64_t budget = 1 << 24;
  Accesses accesses;
  /// The outermost operation in which threads may diverge around what is laid
  /// out, or null; there they may wait for each other in an unknown way.
  Operation *divergentOp = nullptr;
  bool isOrderUnknown = false;
  /// The copies of copy engines, and by object those into it.
  std::optional<EngineCopies> engine;
  llvm::MapVector<unsigned, SmallVector<Operation *>> engineCopies;
};

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

llvm::MapVector<Operation *, WorkgroupSync::Access>
WorkgroupSync::collectAccesses(ArrayRef<Value> aliases,
                               const CalleeSummaries &callees) {
  llvm::MapVector<Operation *, Access> accesses;
  for (Value alias : aliases)
    for (OpOperand &use : alias.getUses()) {
      Operation *op = use.getOwner();
      for (Operation *reader : getMatrixReaders(op)) {
        Access &access = accesses[reader];
        access.isRead = access.isAsync = true;
        access.unit = getAccessUnit(reader);
      }
      if (!getMatrixReaders(op).empty())
        continue;
      BufferUse::Kind kind = classifyUse(use, callees).kind;
      if (kind == BufferUse::Kind::None || kind == BufferUse::Kind::Forward ||
          kind == BufferUse::Kind::Dealloc)
        continue;
      auto [isRead, isWrite] = getReadAndWrite(use);
      Access &access = accesses[op];
      access.isRead |= isRead;
      access.isWrite |= isWrite;
      access.unit = getAccessUnit(op);
      access.isAsync = isAsyncCopy(op) || access.unit != AccessUnit::Threads;
      access.isUnderstood &=
          kind == BufferUse::Kind::Access ||
          (kind == BufferUse::Kind::DeferredAccess &&
           ((access.isAsync && access.unit != AccessUnit::Loads) ||
            isOrdinaryAccess(op)));
    }
  return accesses;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Begin a block that may be executed after `before`.
KernelWalk::State WorkgroupSync::Builder::beginBlock(ArrayRef<State> before) {
  unsigned step = sync.steps.size();
  State block = unsigned(sync.blocks.size());
  sync.blocks.push_back({step, step, {}});
  for (const State &from : before)
    addEdge(from, block);
  return block;
}

WorkgroupSync::Step &WorkgroupSync::Builder::addStep(Step::Kind kind,
                                                     Operation *op) {
  Step &step = sync.steps.emplace_back();
  step.kind = kind;
  step.op = op;
  step.divergentOp = divergentOp;
  sync.blocks.back().lastStep = sync.steps.size();
  return step;
}

/// The last iterations of a loop that do not start all copies that others
/// start, because of branches right in its body.
bool WorkgroupSync::Builder::isByItself(LoopLikeOpInterface loop) {
  auto isLeftOut = [&](scf::IfOp branch) {
    auto copies = branch.getThenRegion().walk([](Operation *op) {
      return isAsyncCopy(op) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (!copies.wasInterrupted())
      return false;
    const ThreadValues::Lanes &condition = values.get(branch.getCondition());
    return condition.areEqual() && condition[0] == 0;
  };
  return llvm::any_of(loop->getRegion(0).getOps<scf::IfOp>(), isLeftOut);
}

/// Set what the threads that execute `start`, an asynchronous access, do with
/// it before they meet the others again. Groups that end in `divergentOp`, in
/// which threads may part, and waits in it are those of some threads; but a
/// thread that executes `start` executes what comes behind it in its block, and
/// behind the branches and loops around it.
template <typename Access>
static void findAccessEnd(Operation *start, Operation *divergentOp,
                          Access &access) {
  Operation *op = start;
  while (op == start || (op != divergentOp &&
                         isa<scf::IfOp, scf::ForOp, affine::AffineForOp>(op))) {
    Operation *next = op == start ? start : op->getNextNode();
    for (; next; next = next->getNextNode()) {
      if (getAccessUnit(next) != access.unit)
        continue;
      access.isInGroup |= isEndOfGroup(next);
      if (getGroupsInFlight(next) == 0 && access.isInGroup)
        access.isAsync = false;
    }
    op = op->getParentOp();
  }
}

/// Return whether threads may wait for each other in `op` in an unknown way;
/// if `op` is divergent, also in its regions.
bool WorkgroupSync::Builder::mayWait(Operation *op) const {
  return otherSync &&
         (otherSync->lookup(op) ||
          (op == divergentOp && llvm::any_of(op->getRegions(), [&](Region &in) {
             return otherSync->findIn(in);
           })));
}

bool WorkgroupSync::Builder::enter(Operation *op, State &state,
                                   const Threads &threads, bool isParting) {
  if (threads.areTogether && op->getNumRegions() != 0)
    addStep(Step::Kind::Begin, op);
  if (isParting)
    divergentOp = op;
  bool isOtherSync = threads.areTogether && mayWait(op);
  if (isOtherSync)
    addStep(Step::Kind::OtherSync, op);
  if (isParting)
    isOrderUnknown = isOtherSync;
  auto it = accesses.find(op);
  if (it == accesses.end())
    return true;
  Step &step = addStep(Step::Kind::Access, op);
  step.accesses = it->second;
  sync.divergentOps[op] = divergentOp;
  for (Access &access : step.accesses) {
    access.isUnderstood &= !isOrderUnknown;
    if (divergentOp && access.isAsync)
      findAccessEnd(op, divergentOp, access);
  }
  return true;
}

void WorkgroupSync::Builder::leave(Operation *op, State &state,
                                   const Threads &threads) {
  if (isProxyFence(op))
    addStep(Step::Kind::Fence, op);
  // What only some of the threads wait for is not done for all.
  if (!threads.areTogether && !isMutated("G3-divergent-barrier"))
    return;
  addComplete(op);
  // They may wait before the accesses of `op` or after them.
  bool isOtherSync = mayWait(op);
  // The threads are done together at the end of the outermost one only.
  divergentOp = nullptr;
  isOrderUnknown = false;
  if (isOtherSync)
    addStep(Step::Kind::OtherSync, op);
  if (options.isWorkgroupBarrier(op) || endsWithBarrier(op, options)) {
    addStep(Step::Kind::Barrier, op);
    if (!isLast)
      sync.barrierOps.push_back(op);
  }
  if (isEndOfGroup(op))
    addStep(Step::Kind::EndGroup, op).unit = getAccessUnit(op);
  if (std::optional<unsigned> left = getGroupsInFlight(op)) {
    Step &wait = addStep(Step::Kind::Wait, op);
    wait.unit = getAccessUnit(op);
    // With a number it leaves that many groups in flight.
    if (!isMutated("G4-groups"))
      wait.numInFlight = *left;
  } else if (isa<memref::AllocOp>(op) && op->getParentRegion() != sync.kernel &&
             sync.numbers.contains(op->getResult(0))) {
    addStep(Step::Kind::Allocate, op);
  }
}

void WorkgroupSync::Builder::findEngineCopies() {
  std::map<unsigned, SmallVector<Operation *>> copies;
  for (const auto &[op, accessesOfOp] : accesses)
    for (const Access &access : accessesOfOp) {
      sync.hasOtherUnits |= access.unit != AccessUnit::Threads;
      if (access.unit == AccessUnit::Loads)
        copies[access.object].push_back(op);
    }
  if (copies.empty())
    return;
  engine.emplace(*sync.kernel, uniformity, options);
  for (auto &[object, copiesOfObject] : copies)
    engineCopies.insert({object, std::move(copiesOfObject)});
}

/// Add a step for the objects that the copy engine is done with at the end of
/// `op`.
void WorkgroupSync::Builder::addComplete(Operation *op) {
  SmallVector<Access, 1> done;
  for (const auto &[object, copies] : engineCopies)
    if (llvm::all_of(copies, [&](Operation *copy) {
          return engine->isCompleteAfter(op, copy);
        }))
      done.emplace_back().object = object;
  if (!done.empty())
    addStep(Step::Kind::Complete, op).accesses = std::move(done);
}

void WorkgroupSync::Builder::layOut() {
  findEngineCopies();
  State state = beginBlock({});
  Threads threads = getAllThreads();
  // Code around a loop over workgroups may be executed by some threads only.
  auto isOfWorkgroups = [](Operation *op) {
    return isa<scf::ForallOp>(op) ||
           getLoopMapping(op) == LoopMapping::Workgroup;
  };
  if (Operation *loop = sync.kernel->getParentOp(); isOfWorkgroups(loop))
    for (Operation *op = loop->getParentOp(); !isa<FunctionOpInterface>(op);
         op = op->getParentOp())
      if (!isOfWorkgroups(op) && !uniformity.isUniformRegionOp(op))
        divergentOp = loop;
  threads.areTogether = !divergentOp;
  isOrderUnknown = divergentOp && mayWait(divergentOp);
  run(sync.kernel->front(), state, threads);
  if (mayRunAgain(sync.kernel, options) && !isMutated("G2-called-again"))
    addEdge(state, unsigned(0));
}

WorkgroupSync::WorkgroupSync(Region &kernel, ArrayRef<Aliases> objects,
                             const CalleeSummaries &callees,
                             const Uniformity &uniformity,
                             const WorkgroupOptions &options)
    : kernel(&kernel) {
  Accesses accesses;
  for (const auto &[number, aliases] : llvm::enumerate(objects)) {
    numbers[aliases.front()] = number;
    for (auto [op, access] : collectAccesses(aliases, callees)) {
      access.object = number;
      accesses[op].push_back(access);
    }
  }
  Builder(*this, options, uniformity, std::move(accesses)).layOut();
}

WorkgroupSync::WorkgroupSync(Region &kernel, Accesses accesses,
                             const Uniformity &uniformity,
                             const WorkgroupOptions &options,
                             const OtherSync &otherSync)
    : kernel(&kernel) {
  Builder(*this, options, uniformity, std::move(accesses), &otherSync).layOut();
}
