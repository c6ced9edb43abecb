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
#include "Analysis/GPU/ThreadValues.h"
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

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Return whether `use`, an access, may read and whether it may write.
static std::pair<bool, bool> getReadAndWrite(OpOperand &use) {
  bool isRead = false, isWrite = false;
  if (auto interface = dyn_cast<MemoryEffectOpInterface>(use.getOwner())) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffectsOnValue(use.get(), effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      isRead |= isa<MemoryEffects::Read>(effect.getEffect());
      isWrite |= !isa<MemoryEffects::Read>(effect.getEffect());
    }
  }
  if (!isRead && !isWrite)
    return {true, true};
  return {isRead, isWrite};
}

bool WorkgroupSync::isUnderstood(BufferUse::Kind kind, Operation *op) {
  return kind == BufferUse::Kind::Access ||
         (kind == BufferUse::Kind::DeferredAccess &&
          (isAsyncCopy(op) || isOrdinaryAccess(op)));
}

void WorkgroupSync::collectAccesses(ArrayRef<Aliases> objects,
                                    const CalleeSummaries &callees,
                                    const Extras &extras) {
  /// What is done with each object anywhere.
  SmallVector<std::pair<bool, bool>> readAndWritten(objects.size());
  for (const auto &[number, aliases] : llvm::enumerate(objects)) {
    numbers[aliases.front()] = number;
    for (Value alias : aliases)
      for (OpOperand &use : alias.getUses()) {
        BufferUse::Kind kind = classifyUse(use, callees).kind;
        if (kind == BufferUse::Kind::None || kind == BufferUse::Kind::Forward ||
            kind == BufferUse::Kind::Dealloc)
          continue;
        Operation *op = use.getOwner();
        auto [isRead, isWrite] = getReadAndWrite(use);
        SmallVector<Access, 2> &list = accesses[op];
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
// Control flow
//===----------------------------------------------------------------------===//

/// Lays out the steps of a kernel, without recursion.
class WorkgroupSync::Builder {
public:
  Builder(WorkgroupSync &sync, const WorkgroupOptions &options,
          const OtherSync *otherSync)
      : sync(sync), options(options), otherSync(otherSync),
        uniformity(*sync.kernel, options) {}

  void run();

private:
  /// An operation whose regions are being laid out.
  struct Frame {
    Operation *op = nullptr;
    /// The outermost operation in which threads may part, or null.
    Operation *divergentOp = nullptr;
    Region *region = nullptr;
    Block *block = nullptr;
    Block::iterator next;
    /// The block of steps before the operation, and those at the end of each of
    /// its regions so far.
    unsigned before = 0;
    SmallVector<unsigned, 2> ends;
    /// If only one of its regions is executed, that one.
    Region *onlyRegion = nullptr;
    /// Of a loop: iterations that are still to be laid out by themselves.
    unsigned numLast = 0;
  };

  unsigned beginBlock();
  void addEdge(unsigned from, unsigned to) {
    sync.blocks[from].successors.push_back(to);
  }
  void addStep(Step::Kind kind, Operation *op, Operation *divergentOp) {
    sync.steps.push_back({kind, op, divergentOp});
    sync.blocks.back().lastStep = sync.steps.size();
  }
  /// Return the block that is being filled.
  unsigned getCurrent() const { return sync.blocks.size() - 1; }

  void visit(Operation *op, Operation *divergentOp);
  void enter(Operation *op, Operation *divergentOp);
  bool addSync(Operation *op);
  void knowIteration(scf::ForOp loop, unsigned numLast);
  void addOtherSync(Operation *op, Operation *divergentOp);
  void enterRegion(Frame &frame, Region *region);
  bool advance(Frame &frame);
  void leave(const Frame &frame);
  Region *findNextRegion(Operation *op, Region *region) const;

  WorkgroupSync &sync;
  const WorkgroupOptions &options;
  const OtherSync *otherSync;
  Uniformity uniformity;
  SmallVector<Frame, 0> frames;
  /// The branches that are not taken in the iteration that is laid out: the
  /// last but a few of one loop.
  llvm::DenseSet<Operation *> notTaken;
  /// An iteration that was laid out before is laid out again.
  bool isRepeated = false;
};

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
static SmallVector<Operation *> findNotTaken(scf::ForOp loop,
                                             unsigned numLast) {
  SmallVector<Operation *> branches;
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
      branches.push_back(branch);
  }
  return branches;
}

/// Return how many of the last iterations of `op` do not start all copies that
/// others start: few, as there are stages of a pipeline.
static unsigned countLastIterations(Operation *op) {
  constexpr unsigned maxStages = 8;
  auto loop = dyn_cast<scf::ForOp>(op);
  unsigned numLast = 0;
  while (loop && numLast < maxStages &&
         !findNotTaken(loop, numLast + 1).empty() &&
         !isMutated("G4-last-iterations-are-alike"))
    ++numLast;
  return numLast;
}

void WorkgroupSync::Builder::knowIteration(scf::ForOp loop, unsigned numLast) {
  notTaken.clear();
  if (numLast != 0)
    for (Operation *branch : findNotTaken(loop, numLast))
      notTaken.insert(branch);
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

/// Return the first region of `op` behind `region`, or of all if that is null,
/// that is not empty; null if there is none.
Region *WorkgroupSync::Builder::findNextRegion(Operation *op,
                                               Region *region) const {
  unsigned first = region ? region->getRegionNumber() + 1 : 0;
  for (unsigned i = first; i < op->getNumRegions(); ++i)
    if (!op->getRegion(i).empty())
      return &op->getRegion(i);
  return nullptr;
}

/// Go on with `region` of the operation of `frame`.
void WorkgroupSync::Builder::enterRegion(Frame &frame, Region *region) {
  frame.region = region;
  frame.block = &region->front();
  frame.next = frame.block->begin();
  if (frame.divergentOp)
    return;
  unsigned begin = beginBlock();
  // The second region of a while loop is entered from the first, and each of
  // the last iterations of a loop from the one before.
  bool isNext = isa<scf::WhileOp, scf::ForOp>(frame.op) && !frame.ends.empty();
  addEdge(isNext ? frame.ends.back() : frame.before, begin);
}

/// Go on where the current block of `frame` has ended; return false if that was
/// the last.
bool WorkgroupSync::Builder::advance(Frame &frame) {
  if (Block *block = frame.block->getNextNode()) {
    frame.block = block;
    frame.next = block->begin();
    return true;
  }
  frame.ends.push_back(getCurrent());
  Region *next =
      frame.onlyRegion ? nullptr : findNextRegion(frame.op, frame.region);
  // The same region again, for the iteration that follows.
  if (frame.numLast != 0) {
    next = frame.region;
    knowIteration(cast<scf::ForOp>(frame.op), frame.numLast--);
    isRepeated = true;
  }
  if (next)
    enterRegion(frame, next);
  return next != nullptr;
}

/// Connect what is in the regions of an operation with what comes behind it.
void WorkgroupSync::Builder::leave(const Frame &frame) {
  Operation *op = frame.op;
  if (frame.divergentOp == op && sync.haveOtherSync.contains(op))
    addStep(Step::Kind::OtherSync, op, nullptr);
  if (frame.divergentOp) {
    // The threads are done together at the end of the outermost one only.
    if (frame.divergentOp == op && endsWithBarrier(op, options)) {
      addStep(Step::Kind::Barrier, op, nullptr);
      sync.barrierOps.push_back(op);
    }
    return;
  }
  if (isa<scf::WhileOp>(op)) {
    unsigned condition = frame.ends.front();
    // The first block of the first region comes right behind `before`.
    if (!isMutated("G2-no-back-edge-of-while"))
      addEdge(frame.ends.back(), frame.before + 1);
    addEdge(condition, beginBlock());
    return;
  }
  if (isa<scf::ForOp, affine::AffineForOp>(op)) {
    unsigned numLast = frame.ends.size() - 1;
    bool hasOthers =
        numLast == 0 || *getNumIterations(cast<scf::ForOp>(op)) > numLast;
    if (hasOthers && !isMutated("G2-no-back-edge"))
      addEdge(frame.ends.front(), frame.before + 1);
    // There are no others than these: the first one comes behind `before`.
    if (!hasOthers)
      addEdge(frame.before, frame.ends.front() + 1);
    unsigned behind = beginBlock();
    addEdge(frame.ends.back(), behind);
    if (!isExecutedAtLeastOnce(op) && !isMutated("G1-always-one-trip"))
      addEdge(frame.before, behind);
    if (numLast != 0) {
      knowIteration(cast<scf::ForOp>(op), 0);
      isRepeated = false;
    }
    return;
  }
  unsigned behind = beginBlock();
  for (unsigned end : frame.ends)
    if (end == frame.ends.front() || !isMutated("G1-else-arm-forgotten"))
      addEdge(end, behind);
  bool mayBeSkipped =
      !frame.onlyRegion && llvm::any_of(op->getRegions(), [](Region &region) {
        return region.empty();
      });
  if (mayBeSkipped && !isMutated("G1-branch-not-skipped"))
    addEdge(frame.before, behind);
}

void WorkgroupSync::Builder::addOtherSync(Operation *op,
                                          Operation *divergentOp) {
  if (divergentOp)
    sync.haveOtherSync.insert(divergentOp);
  else
    addStep(Step::Kind::OtherSync, op, nullptr);
}

/// Begin to lay out the regions of `op`.
void WorkgroupSync::Builder::enter(Operation *op, Operation *divergentOp) {
  Frame frame;
  frame.op = op;
  frame.divergentOp = divergentOp;
  frame.before = getCurrent();
  Region *region = findNextRegion(op, nullptr);
  if (notTaken.contains(op))
    region = frame.onlyRegion = &cast<scf::IfOp>(op).getElseRegion();
  else if (!divergentOp && !isRepeated)
    frame.numLast = countLastIterations(op);
  frames.push_back(std::move(frame));
  enterRegion(frames.back(), region);
}

/// Add a step if `op`, executed by all threads together, synchronizes them or
/// copies; return false if it does not.
bool WorkgroupSync::Builder::addSync(Operation *op) {
  if (options.isWorkgroupBarrier(op)) {
    addStep(Step::Kind::Barrier, op, nullptr);
    if (!isRepeated)
      sync.barrierOps.push_back(op);
  } else if (isEndOfGroup(op)) {
    addStep(Step::Kind::EndGroup, op, nullptr);
  } else if (std::optional<unsigned> left = getGroupsInFlight(op)) {
    addStep(Step::Kind::Wait, op, nullptr);
    // With a number it leaves that many groups in flight.
    if (!isMutated("G4-any-wait-is-for-all"))
      sync.steps.back().numInFlight = *left;
  } else {
    return false;
  }
  return true;
}

/// Groups that end in `divergentOp`, in which threads may part, and waits in it
/// are those of some threads; but a thread that executes `copy` executes what
/// comes behind it in its block, and behind the branches and loops around it.
WorkgroupSync::CopyEnd WorkgroupSync::findCopyEnd(Operation *copy,
                                                  Operation *divergentOp) {
  CopyEnd end = CopyEnd::None;
  Operation *op = copy;
  while (op == copy || (op != divergentOp &&
                        isa<scf::IfOp, scf::ForOp, affine::AffineForOp>(op))) {
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (isEndOfGroup(next))
        end = CopyEnd::Group;
      else if (getGroupsInFlight(next) == 0 &&
               (end == CopyEnd::Group || isMutated("G4-wait-for-no-group")))
        return CopyEnd::Wait;
    op = op->getParentOp();
  }
  return end;
}

void WorkgroupSync::Builder::visit(Operation *op, Operation *divergentOp) {
  Region *region = findNextRegion(op, nullptr);
  // Nothing of it is executed.
  if (notTaken.contains(op) && cast<scf::IfOp>(op).getElseRegion().empty())
    return;
  if (region && !divergentOp)
    addStep(Step::Kind::Begin, op, nullptr);
  Operation *outermost = divergentOp;
  if (region && !outermost && !uniformity.isUniformRegionOp(op) &&
      !isMutated("G3-divergent-as-uniform"))
    outermost = op;
  bool isOtherSync = otherSync && otherSync->lookup(op);
  if (isOtherSync)
    addOtherSync(op, outermost);
  if (sync.accesses.contains(op)) {
    addStep(Step::Kind::Access, op, outermost);
    sync.divergentOps[op] = outermost;
    if (outermost && isAsyncCopy(op))
      sync.steps.back().copyEnd = findCopyEnd(op, outermost);
  }
  if (region)
    return enter(op, outermost);
  // A callee may wait before its accesses or after them.
  if (isOtherSync)
    addOtherSync(op, outermost);
  // What only some of the threads wait for is not done for all.
  if (divergentOp && !isMutated("G3-divergent-barrier-counts"))
    return;
  if (!addSync(op) && isa<memref::AllocOp>(op) &&
      op->getParentRegion() != sync.kernel &&
      sync.numbers.contains(op->getResult(0)))
    addStep(Step::Kind::Allocate, op, nullptr);
}

void WorkgroupSync::Builder::run() {
  beginBlock();
  Block *block = &sync.kernel->front();
  Frame kernel;
  kernel.op = sync.kernel->getParentOp();
  kernel.region = sync.kernel;
  kernel.block = block;
  kernel.next = block->begin();
  frames.push_back(std::move(kernel));
  // Code around a loop over workgroups may be executed by some threads only.
  if (auto forall = dyn_cast<scf::ForallOp>(sync.kernel->getParentOp()))
    for (Operation *op = forall->getParentOp(); !isa<FunctionOpInterface>(op);
         op = op->getParentOp())
      if (!isa<scf::ForallOp>(op) && !uniformity.isUniformRegionOp(op))
        frames.front().divergentOp = forall;
  while (true) {
    Frame &frame = frames.back();
    if (frame.next != frame.block->end()) {
      visit(&*frame.next++, frame.divergentOp);
      continue;
    }
    if (frames.size() == 1)
      break;
    if (advance(frame))
      continue;
    leave(frame);
    frames.pop_back();
  }
  if (mayRunAgain(sync.kernel, options) && !isMutated("G2-never-called-again"))
    addEdge(getCurrent(), 0);
}

WorkgroupSync::WorkgroupSync(Region &kernel, ArrayRef<Aliases> objects,
                             const CalleeSummaries &callees,
                             const WorkgroupOptions &options,
                             const Extras &extras)
    : kernel(&kernel) {
  collectAccesses(objects, callees, extras);
  Builder(*this, options, extras.otherSync).run();
}
