//===- WorkgroupSync.cpp - What barriers keep apart ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/GPU/WorkgroupSync.h"
#include "Analysis/CalleeSummaries.h"
#include "Analysis/GPU/ThreadValues.h"
#include "Mutation.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <optional>
#include <set>

using namespace mlir;
using namespace buffer_merge;

StringRef buffer_merge::getRuleName(SyncRule rule) {
  switch (rule) {
  case SyncRule::NoBarrier:
    return "no-barrier";
  case SyncRule::BackEdge:
    return "back-edge";
  case SyncRule::Divergent:
    return "divergent";
  case SyncRule::InFlight:
    return "in-flight";
  }
  llvm_unreachable("unknown rule");
}

StringRef buffer_merge::getRuleDescription(SyncRule rule) {
  switch (rule) {
  case SyncRule::NoBarrier:
    return "there is a path without a barrier";
  case SyncRule::BackEdge:
    return "there is a path without a barrier into the next iteration";
  case SyncRule::Divergent:
    return "threads may diverge between them";
  case SyncRule::InFlight:
    return "an asynchronous copy may still be in flight";
  }
  llvm_unreachable("unknown rule");
}

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

//===----------------------------------------------------------------------===//
// Dataflow
//===----------------------------------------------------------------------===//

/// Computes what may be pending at each block of steps, to a fixed point.
class WorkgroupSync::Solver {
public:
  Solver(const WorkgroupSync &sync,
         llvm::function_ref<bool(unsigned, unsigned)> mayShareBytes,
         const llvm::DenseSet<Operation *> &barriers,
         bool findRacesOfIterations = false, bool isCertain = false)
      : sync(sync), mayShareBytes(mayShareBytes), barriers(barriers),
        findRacesOfIterations(findRacesOfIterations), isCertain(isCertain),
        states(sync.blocks.size()), isReached(sync.blocks.size()) {}

  std::optional<SmallVector<SyncConflict, 0>> run();

private:
  static constexpr unsigned none = ~0u;
  /// Limits of what is worth looking at, some 100 MB each.
  static constexpr size_t maxConflicts = 2000000;
  static constexpr size_t maxPending = 5000000;
  /// What may have been done to one object and is not yet separated from what
  /// comes: the first such step, or none.
  struct Pending {
    unsigned object;
    unsigned read = none;
    unsigned write = none;
    /// A copy whose group has not ended.
    unsigned copy = none;
    /// A copy whose group has ended, by the number of groups that have ended
    /// since; the last one also stands for more.
    static constexpr unsigned maxAge = 7;
    std::array<unsigned, maxAge + 1> groups;

    explicit Pending(unsigned object) : object(object) { groups.fill(none); }
    unsigned getInFlight() const {
      return std::min(copy, *llvm::min_element(groups));
    }
    bool isNone() const {
      return std::min({read, write, getInFlight()}) == none;
    }
    /// The copies so far are a group, and what were groups is older.
    void endGroup();
    /// All groups but the youngest `numInFlight` are complete.
    void wait(unsigned numInFlight);
    /// Take over what `other` has; return true if that changes anything.
    bool join(const Pending &other);
  };
  /// Sorted by object.
  using State = SmallVector<Pending, 0>;

  static Pending &getPending(State &state, unsigned object);
  static bool join(State &state, const State &other);
  static void passBarrier(State &state);
  /// Return the number that stands for `object` as an earlier iteration of the
  /// loop that allocates it has accessed it.
  unsigned getEarlier(unsigned object) const {
    return object + sync.numbers.size();
  }
  void execute(unsigned step, State &state, bool isFinal);
  void addConflicts(const Access &access, unsigned step, const State &state);
  void runBlock(unsigned block, State &state, bool isFinal);

  const WorkgroupSync &sync;
  llvm::function_ref<bool(unsigned, unsigned)> mayShareBytes;
  const llvm::DenseSet<Operation *> &barriers;
  /// Instead of conflicts between two objects.
  bool findRacesOfIterations;
  /// Only what no synchronization of another kind could separate.
  bool isCertain;
  /// At the begin of each block.
  SmallVector<State, 0> states;
  SmallVector<bool> isReached;
  llvm::DenseMap<std::pair<unsigned, unsigned>, SyncConflict> conflicts;
};

bool WorkgroupSync::Solver::Pending::join(const Pending &other) {
  bool isChanged = false;
  auto take = [&](unsigned &mine, unsigned theirs) {
    isChanged |= theirs < mine;
    mine = std::min(mine, theirs);
  };
  take(read, other.read);
  take(write, other.write);
  take(copy, other.copy);
  for (auto [mine, theirs] : llvm::zip_equal(groups, other.groups))
    take(mine, theirs);
  return isChanged;
}

void WorkgroupSync::Solver::Pending::endGroup() {
  groups[maxAge] = std::min(groups[maxAge], groups[maxAge - 1]);
  std::copy_backward(groups.begin(), groups.end() - 2, groups.end() - 1);
  groups[0] = copy;
  copy = none;
}

void WorkgroupSync::Solver::Pending::wait(unsigned numInFlight) {
  for (unsigned age = numInFlight; age <= maxAge; ++age) {
    // Complete for the thread that has waited, not yet seen by the others.
    if (!isMutated("G4-wait-is-barrier"))
      write = std::min(write, groups[age]);
    groups[age] = none;
  }
}

/// Return the entry of `object`, which is added if need be.
WorkgroupSync::Solver::Pending &
WorkgroupSync::Solver::getPending(State &state, unsigned object) {
  auto *it = llvm::lower_bound(state, object,
                               [](const Pending &pending, unsigned object) {
                                 return pending.object < object;
                               });
  if (it == state.end() || it->object != object)
    it = state.insert(it, Pending(object));
  return *it;
}

/// Add what is pending in `other` to `state`; return true if that changes it.
bool WorkgroupSync::Solver::join(State &state, const State &other) {
  State result;
  bool isChanged = false;
  const Pending *it = state.begin();
  for (const Pending &pending : other) {
    while (it != state.end() && it->object < pending.object)
      result.push_back(*it++);
    if (it != state.end() && it->object == pending.object) {
      result.push_back(*it++);
      isChanged |= result.back().join(pending);
    } else {
      result.push_back(pending);
      isChanged = true;
    }
  }
  result.append(it, static_cast<const State &>(state).end());
  if (isChanged)
    state = std::move(result);
  return isChanged;
}

void WorkgroupSync::Solver::passBarrier(State &state) {
  for (Pending &pending : state)
    pending.read = pending.write = none;
  llvm::erase_if(state,
                 [](const Pending &pending) { return pending.isNone(); });
}

void WorkgroupSync::Solver::addConflicts(const Access &access, unsigned step,
                                         const State &state) {
  for (const Pending &pending : state) {
    unsigned earlier = isMutated("G7-any-race-is-one-of-iterations")
                           ? access.object
                           : getEarlier(access.object);
    if (findRacesOfIterations ? pending.object != earlier
                              : pending.object == access.object)
      continue;
    unsigned inFlight = pending.getInFlight();
    unsigned done = pending.write;
    if (access.isWrite && !isMutated("G1-write-after-read"))
      done = std::min(done, pending.read);
    if (std::min(inFlight, done) == none)
      continue;
    unsigned other = findRacesOfIterations ? access.object : pending.object;
    std::pair<unsigned, unsigned> key(std::min(other, access.object),
                                      std::max(other, access.object));
    // Of several reasons, one within an iteration is easier to see.
    auto known = conflicts.find(key);
    if ((known != conflicts.end() &&
         known->second.rule != SyncRule::BackEdge) ||
        (mayShareBytes && !mayShareBytes(key.first, key.second)))
      continue;
    SyncRule rule = SyncRule::NoBarrier;
    unsigned from = done != none ? done : inFlight;
    Operation *divergentOp = sync.steps[from].divergentOp;
    if (done == none)
      rule = SyncRule::InFlight;
    else if (findRacesOfIterations)
      rule = SyncRule::BackEdge;
    else if (divergentOp && divergentOp == sync.steps[step].divergentOp)
      rule = SyncRule::Divergent;
    else if (from > step)
      rule = SyncRule::BackEdge;
    if (known != conflicts.end() && rule == SyncRule::BackEdge)
      continue;
    conflicts[key] = {key.first, key.second, rule, sync.steps[from].op,
                      sync.steps[step].op};
  }
}

/// Update `state` by what `step` does. If `isFinal`, note what conflicts with
/// it.
void WorkgroupSync::Solver::execute(unsigned step, State &state, bool isFinal) {
  const Step &current = sync.steps[step];
  switch (current.kind) {
  case Step::Kind::OtherSync:
    if (isCertain)
      state.clear();
    return;
  case Step::Kind::Begin:
    if (isCertain && sync.haveOtherSync.contains(current.op))
      state.clear();
    if (barriers.contains(current.op))
      passBarrier(state);
    return;
  case Step::Kind::Barrier:
    return passBarrier(state);
  case Step::Kind::EndGroup:
    for (Pending &pending : state)
      pending.endGroup();
    return;
  case Step::Kind::Wait:
    for (Pending &pending : state)
      pending.wait(isCertain ? 0 : current.numInFlight);
    return;
  case Step::Kind::Allocate:
    if (!findRacesOfIterations)
      return;
    // What may still be done to the object is done to that of an earlier
    // iteration from here on.
    {
      unsigned object = sync.numbers.at(current.op->getResult(0));
      Pending earlier = getPending(state, object);
      if (!earlier.isNone())
        if (!isMutated("G7-every-iteration-has-its-own"))
          getPending(state, getEarlier(object)).join(earlier);
    }
    return;
  case Step::Kind::Access:
    break;
  }
  if (!current.divergentOp && barriers.contains(current.op))
    passBarrier(state);
  if (isCertain && sync.haveOtherSync.contains(current.divergentOp))
    return;
  for (const Access &access : sync.accesses.find(current.op)->second) {
    if (isCertain && !access.isUnderstood)
      continue;
    if (isFinal)
      addConflicts(access, step, state);
    Pending &pending = getPending(state, access.object);
    if (access.isRead)
      pending.read = std::min(pending.read, step);
    if (access.isWrite)
      pending.write = std::min(pending.write, step);
    if (!access.isCopy || current.copyEnd == CopyEnd::Wait ||
        isMutated("G4-copies-are-done"))
      continue;
    bool isGroup = current.copyEnd == CopyEnd::Group ||
                   isMutated("G4-every-copy-is-a-group");
    unsigned &copy = isGroup ? pending.groups[0] : pending.copy;
    copy = std::min(copy, step);
  }
}

void WorkgroupSync::Solver::runBlock(unsigned block, State &state,
                                     bool isFinal) {
  const StepBlock &steps = sync.blocks[block];
  for (unsigned step = steps.firstStep; step < steps.lastStep; ++step) {
    execute(step, state, isFinal);
    if (conflicts.size() > maxConflicts)
      return;
  }
}

std::optional<SmallVector<SyncConflict, 0>> WorkgroupSync::Solver::run() {
  // In the order of the program, so that one pass for each level of loops is
  // enough.
  std::set<unsigned> worklist = {0};
  isReached[0] = true;
  size_t numPending = 0;
  while (!worklist.empty()) {
    unsigned block = *worklist.begin();
    worklist.erase(worklist.begin());
    State state = states[block];
    runBlock(block, state, /*isFinal=*/false);
    for (unsigned successor : sync.blocks[block].successors) {
      numPending -= states[successor].size();
      if (join(states[successor], state) || !isReached[successor]) {
        isReached[successor] = true;
        worklist.insert(successor);
      }
      numPending += states[successor].size();
    }
    if (numPending > maxPending)
      return std::nullopt;
  }
  for (unsigned block = 0; block < sync.blocks.size(); ++block) {
    State state = std::move(states[block]);
    runBlock(block, state, /*isFinal=*/true);
    if (conflicts.size() > maxConflicts)
      return std::nullopt;
  }
  SmallVector<SyncConflict, 0> sorted;
  for (const auto &[pair, conflict] : conflicts)
    sorted.push_back(conflict);
  llvm::sort(sorted, [](const SyncConflict &a, const SyncConflict &b) {
    return std::pair(a.first, a.second) < std::pair(b.first, b.second);
  });
  return sorted;
}

std::optional<SmallVector<SyncConflict, 0>> WorkgroupSync::findConflicts(
    llvm::function_ref<bool(unsigned, unsigned)> mayShareBytes,
    const llvm::DenseSet<Operation *> &barriers) const {
  return Solver(*this, mayShareBytes, barriers).run();
}

std::optional<SmallVector<SyncConflict, 0>> WorkgroupSync::findCertainConflicts(
    llvm::function_ref<bool(unsigned, unsigned)> mayShareBytes) const {
  return Solver(*this, mayShareBytes, {}, /*findRacesOfIterations=*/false,
                /*isCertain=*/true)
      .run();
}

SmallVector<SyncConflict, 0> WorkgroupSync::findRacesOfIterations(
    const llvm::DenseSet<Operation *> &barriers) const {
  bool isAllocatedInLoop = llvm::any_of(steps, [](const Step &step) {
    return step.kind == Step::Kind::Allocate;
  });
  if (!isAllocatedInLoop)
    return {};
  std::optional<SmallVector<SyncConflict, 0>> races =
      Solver(*this, {}, barriers, /*findRacesOfIterations=*/true).run();
  return races ? std::move(*races) : SmallVector<SyncConflict, 0>();
}

//===----------------------------------------------------------------------===//
// Places for barriers
//===----------------------------------------------------------------------===//

Operation *WorkgroupSync::findBarrierPlace(Operation *op,
                                           bool outsideLoops) const {
  if (Operation *divergentOp = divergentOps.lookup(op);
      divergentOp && !isMutated("G3-barrier-in-divergent"))
    op = divergentOp;
  if (!outsideLoops)
    return op;
  Operation *place = op;
  for (Operation *parent = op->getParentOp(); parent != kernel->getParentOp();
       parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      place = parent;
  return place;
}

SmallVector<Operation *>
WorkgroupSync::findBarrierPlaces(bool outsideLoops) const {
  llvm::SetVector<Operation *> places;
  for (const Step &step : steps)
    if (step.kind == Step::Kind::Access)
      places.insert(findBarrierPlace(step.op, outsideLoops));
  return places.takeVector();
}
