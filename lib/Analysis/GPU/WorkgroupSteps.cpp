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
#include "Analysis/GPU/WorkgroupSync.h"
#include "Mutation.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <optional>

using namespace mlir;
using namespace buffer_merge;

/// Lays out the steps of a kernel.
class WorkgroupSync::Builder {
public:
  Builder(WorkgroupSync &sync, const WorkgroupOptions &options,
          const OtherSync *otherSync)
      : sync(sync), options(options), otherSync(otherSync),
        uniformity(*sync.kernel, options) {}

  void collectAccesses(ArrayRef<Aliases> objects,
                       const CalleeSummaries &callees,
                       const SyncExtras &extras);
  void run();

private:
  unsigned beginBlock();
  void addEdge(unsigned from, unsigned to) {
    sync.blocks[from].successors.push_back(to);
  }
  Step &addStep(Step::Kind kind, Operation *op,
                Operation *divergentOp = nullptr) {
    Step &step = sync.steps.emplace_back();
    step.kind = kind;
    step.op = op;
    step.divergentOp = divergentOp;
    sync.blocks.back().lastStep = sync.steps.size();
    return step;
  }
  /// Return the block that is being filled.
  unsigned getCurrent() const { return sync.blocks.size() - 1; }

  void visit(Region &region, Operation *divergentOp);
  void visit(Operation *op, Operation *divergentOp);
  void visitPaths(Operation *op);
  bool addSync(Operation *op);

  WorkgroupSync &sync;
  const WorkgroupOptions &options;
  const OtherSync *otherSync;
  Uniformity uniformity;
  llvm::DenseMap<Operation *, SmallVector<Access, 1>> accesses;
  /// The branches that are not taken in the iteration that is laid out: the
  /// last but a few of one loop.
  llvm::DenseSet<Operation *> notTaken;
  /// An iteration that was laid out before is laid out again.
  bool isRepeated = false;
  /// In what is laid out, threads may diverge and wait for each other in an
  /// unknown way.
  bool isOrderUnknown = false;
};

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

bool WorkgroupSync::isUnderstood(BufferUse::Kind kind, Operation *op) {
  return kind == BufferUse::Kind::Access ||
         (kind == BufferUse::Kind::DeferredAccess &&
          (isAsyncCopy(op) || isOrdinaryAccess(op)));
}

void WorkgroupSync::Builder::collectAccesses(ArrayRef<Aliases> objects,
                                             const CalleeSummaries &callees,
                                             const SyncExtras &extras) {
  /// What is done with each object anywhere.
  SmallVector<std::pair<bool, bool>> readAndWritten(objects.size());
  for (const auto &[number, aliases] : llvm::enumerate(objects)) {
    sync.numbers[aliases.front()] = number;
    for (Value alias : aliases)
      for (OpOperand &use : alias.getUses()) {
        BufferUse::Kind kind = classifyUse(use, callees).kind;
        if (kind == BufferUse::Kind::None || kind == BufferUse::Kind::Forward ||
            kind == BufferUse::Kind::Dealloc)
          continue;
        Operation *op = use.getOwner();
        auto [isRead, isWrite] = getReadAndWrite(use);
        SmallVector<Access, 1> &list = accesses[op];
        // The aliases of one object come one after the other.
        if (list.empty() || list.back().object != number)
          list.push_back({static_cast<unsigned>(number), false, false, false});
        list.back().isRead |= isRead;
        list.back().isWrite |= isWrite;
        list.back().isCopy |= isAsyncCopy(op);
        list.back().isUnderstood &= isUnderstood(kind, op);
        readAndWritten[number].first |= isRead;
        readAndWritten[number].second |= isWrite;
      }
  }
  for (auto [call, object] : extras.calleeAccesses) {
    auto [isRead, isWrite] = readAndWritten[object];
    accesses[call].push_back({object, isRead, isWrite, /*isCopy=*/false});
  }
}

//===----------------------------------------------------------------------===//
// The last iterations
//===----------------------------------------------------------------------===//

/// Return the number of iterations of `loop` if it is constant and not 0.
static std::optional<int64_t> getNumIterations(scf::ForOp loop) {
  std::optional<llvm::APInt> count = loop.getStaticTripCount();
  if (!count || count->getActiveBits() > 31 || count->isZero())
    return std::nullopt;
  return count->getSExtValue();
}

/// Return the branches right in the body of `loop` with copies in one arm, that
/// are not taken `numLast` iterations before its end: 1 is the last one.
static llvm::DenseSet<Operation *> findNotTaken(scf::ForOp loop,
                                                unsigned numLast) {
  llvm::DenseSet<Operation *> branches;
  std::optional<int64_t> count = getNumIterations(loop);
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!count || *count < numLast || !lower || !step)
    return branches;
  int64_t budget = 1 << 12;
  ThreadValues values(BlockSize(), budget);
  std::optional<int64_t> counter =
      llvm::checkedMulAdd<int64_t>(*count - numLast, *step, *lower);
  if (!counter)
    return branches;
  values.bind(loop.getInductionVar(), ThreadValues::getConstant(*counter));
  for (auto branch : loop.getBody()->getOps<scf::IfOp>()) {
    bool hasCopies = branch.getThenRegion()
                         .walk([](Operation *op) {
                           return isAsyncCopy(op) ? WalkResult::interrupt()
                                                  : WalkResult::advance();
                         })
                         .wasInterrupted();
    if (!hasCopies)
      continue;
    const ThreadValues::Lanes &condition = values.get(branch.getCondition());
    if (condition.isKnown() && condition.isUniform() && condition[0] == 0)
      branches.insert(branch);
  }
  return branches;
}

/// Return `findNotTaken` of those of the last iterations of `op` that do not
/// start all copies that others start, the last one first: few, as there are
/// stages of a pipeline.
static SmallVector<llvm::DenseSet<Operation *>>
findLastIterations(Operation *op) {
  constexpr unsigned maxStages = 8;
  SmallVector<llvm::DenseSet<Operation *>> iterations;
  auto loop = dyn_cast<scf::ForOp>(op);
  while (loop && iterations.size() < maxStages &&
         !isMutated("G4-last-iterations-are-alike")) {
    llvm::DenseSet<Operation *> branches =
        findNotTaken(loop, iterations.size() + 1);
    if (branches.empty())
      break;
    iterations.push_back(std::move(branches));
  }
  return iterations;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

unsigned WorkgroupSync::Builder::beginBlock() {
  unsigned step = sync.steps.size();
  StepBlock &block = sync.blocks.emplace_back();
  block.firstStep = block.lastStep = step;
  return sync.blocks.size() - 1;
}

/// Lay out the regions of `op`, through which all threads take the same way.
void WorkgroupSync::Builder::visitPaths(Operation *op) {
  unsigned before = getCurrent();
  SmallVector<unsigned, 2> begins, ends;
  auto layOut = [&](Region &region) {
    begins.push_back(beginBlock());
    visit(region, nullptr);
    ends.push_back(getCurrent());
  };
  bool mayBeTaken = !notTaken.contains(op);
  for (Region &region : op->getRegions())
    if (!region.empty() && (mayBeTaken || region.getRegionNumber() != 0))
      layOut(region);
  unsigned numLast = 0;
  if (!isRepeated) {
    SmallVector<llvm::DenseSet<Operation *>> last = findLastIterations(op);
    for (auto &branches : llvm::reverse(last)) {
      notTaken = std::move(branches);
      isRepeated = true;
      layOut(op->getRegion(0));
      ++numLast;
    }
    notTaken.clear();
    isRepeated = false;
  }

  unsigned behind = beginBlock();
  bool isWhile = isa<scf::WhileOp>(op);
  if (!isWhile && !isa<scf::ForOp, affine::AffineForOp>(op)) {
    for (auto [begin, end] : llvm::zip_equal(begins, ends)) {
      addEdge(before, begin);
      if (end == ends.front() || !isMutated("G1-else-arm-forgotten"))
        addEdge(end, behind);
    }
    bool mayBeSkipped =
        mayBeTaken && llvm::any_of(op->getRegions(), [](Region &region) {
          return region.empty();
        });
    if (mayBeSkipped && !isMutated("G1-branch-not-skipped"))
      addEdge(before, behind);
    return;
  }
  // The regions of a while loop follow each other, and so do the last
  // iterations of another one.
  addEdge(before, begins.front());
  for (unsigned i = 1; i < begins.size(); ++i)
    addEdge(ends[i - 1], begins[i]);
  bool hasOthers =
      numLast == 0 || *getNumIterations(cast<scf::ForOp>(op)) > numLast;
  if (!hasOthers)
    addEdge(before, begins[1]);
  else if (!isMutated("G2-no-back-edge"))
    addEdge(isWhile ? ends.back() : ends.front(), begins.front());
  addEdge(isWhile ? ends.front() : ends.back(), behind);
  if (!isWhile && !isExecutedAtLeastOnce(op) &&
      !isMutated("G1-always-one-trip"))
    addEdge(before, behind);
}

/// Add a step if `op`, executed by all threads together, synchronizes them or
/// copies; return false if it does not.
bool WorkgroupSync::Builder::addSync(Operation *op) {
  if (options.isWorkgroupBarrier(op)) {
    addStep(Step::Kind::Barrier, op);
    if (!isRepeated)
      sync.barrierOps.push_back(op);
  } else if (isEndOfGroup(op)) {
    addStep(Step::Kind::EndGroup, op);
  } else if (std::optional<unsigned> left = getGroupsInFlight(op)) {
    Step &wait = addStep(Step::Kind::Wait, op);
    // With a number it leaves that many groups in flight.
    if (!isMutated("G4-any-wait-is-for-all"))
      wait.numInFlight = *left;
  } else {
    return false;
  }
  return true;
}

/// Set what the threads that execute `copy` do with it before they meet the
/// others again. Groups that end in `divergentOp`, in which threads may part,
/// and waits in it are those of some threads; but a thread that executes `copy`
/// executes what comes behind it in its block, and behind the branches and
/// loops around it.
template <typename Access>
static void findCopyEnd(Operation *copy, Operation *divergentOp,
                        Access &access) {
  Operation *op = copy;
  while (op == copy || (op != divergentOp &&
                        isa<scf::IfOp, scf::ForOp, affine::AffineForOp>(op))) {
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (isEndOfGroup(next))
        access.isInGroup = true;
      else if (getGroupsInFlight(next) == 0 && access.isInGroup)
        access.isCopy = false;
    op = op->getParentOp();
  }
}

void WorkgroupSync::Builder::visit(Region &region, Operation *divergentOp) {
  for (Block &block : region)
    for (Operation &op : block)
      visit(&op, divergentOp);
}

void WorkgroupSync::Builder::visit(Operation *op, Operation *divergentOp) {
  auto hasBody = [](Region &region) { return !region.empty(); };
  bool hasRegion = llvm::any_of(op->getRegions(), hasBody);
  // Nothing of it is executed.
  if (notTaken.contains(op) && cast<scf::IfOp>(op).getElseRegion().empty())
    return;
  if (hasRegion && !divergentOp)
    addStep(Step::Kind::Begin, op);
  Operation *outermost = divergentOp;
  if (hasRegion && !outermost && !uniformity.isUniformRegionOp(op) &&
      !isMutated("G3-divergent-as-uniform"))
    outermost = op;
  bool isOtherSync = otherSync && otherSync->lookup(op);
  if (outermost && !divergentOp)
    isOtherSync |= otherSync && llvm::any_of(op->getRegions(), [&](Region &in) {
                     return otherSync->findIn(in);
                   });
  if (isOtherSync && !divergentOp)
    addStep(Step::Kind::OtherSync, op);
  if (outermost && !divergentOp)
    isOrderUnknown = isOtherSync;
  if (auto it = accesses.find(op); it != accesses.end()) {
    Step &step = addStep(Step::Kind::Access, op, outermost);
    step.accesses = it->second;
    sync.divergentOps[op] = outermost;
    for (Access &access : step.accesses) {
      access.isUnderstood &= !isOrderUnknown;
      if (outermost && isAsyncCopy(op))
        findCopyEnd(op, outermost, access);
    }
  }
  if (hasRegion && !outermost)
    return visitPaths(op);
  if (hasRegion) {
    for (Region &region : op->getRegions())
      visit(region, outermost);
    // The threads are done together at the end of the outermost one only.
    if (divergentOp)
      return;
    isOrderUnknown = false;
    if (isOtherSync)
      addStep(Step::Kind::OtherSync, op);
    if (endsWithBarrier(op, options)) {
      addStep(Step::Kind::Barrier, op);
      sync.barrierOps.push_back(op);
    }
    return;
  }
  // A callee may wait before its accesses or after them.
  if (isOtherSync && !divergentOp)
    addStep(Step::Kind::OtherSync, op);
  // What only some of the threads wait for is not done for all.
  if (divergentOp && !isMutated("G3-divergent-barrier-counts"))
    return;
  if (!addSync(op) && isa<memref::AllocOp>(op) &&
      op->getParentRegion() != sync.kernel &&
      sync.numbers.contains(op->getResult(0)))
    addStep(Step::Kind::Allocate, op);
}

void WorkgroupSync::Builder::run() {
  beginBlock();
  Operation *divergentOp = nullptr;
  // Code around a loop over workgroups may be executed by some threads only.
  if (auto forall = dyn_cast<scf::ForallOp>(sync.kernel->getParentOp()))
    for (Operation *op = forall->getParentOp(); !isa<FunctionOpInterface>(op);
         op = op->getParentOp())
      if (!isa<scf::ForallOp>(op) && !uniformity.isUniformRegionOp(op))
        divergentOp = forall;
  isOrderUnknown = divergentOp && otherSync && otherSync->findIn(*sync.kernel);
  visit(*sync.kernel, divergentOp);
  if (mayRunAgain(sync.kernel, options) && !isMutated("G2-never-called-again"))
    addEdge(getCurrent(), 0);
}

WorkgroupSync::WorkgroupSync(Region &kernel, ArrayRef<Aliases> objects,
                             const CalleeSummaries &callees,
                             const WorkgroupOptions &options,
                             const SyncExtras &extras)
    : kernel(&kernel) {
  Builder builder(*this, options, extras.otherSync);
  builder.collectAccesses(objects, callees, extras);
  builder.run();
}
