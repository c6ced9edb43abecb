//===- WorkgroupSync.cpp - What barriers keep apart ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/GPU/WorkgroupSync.h"
#include "Mutation.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <optional>
#include <set>

using namespace mlir;
using namespace buffer_merge;

/// The name and the description of each rule, in the order of `SyncRule`.
static constexpr std::pair<StringLiteral, StringLiteral> rules[] = {
    {"no-barrier", "there is a path without a barrier"},
    {"back-edge", "there is a path without a barrier into the next iteration"},
    {"divergent", "threads may diverge between them"},
    {"in-flight", "an asynchronous access may still be in flight"},
    {"proxy", "there is a path without a proxy fence and a barrier behind it"},
};

StringRef buffer_merge::getRuleName(SyncRule rule) {
  return rules[unsigned(rule)].first;
}

StringRef buffer_merge::getRuleDescription(SyncRule rule) {
  return rules[unsigned(rule)].second;
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
         const llvm::DenseSet<Operation *> &unfenced,
         bool findRacesOfIterations = false, bool isCertain = false)
      : sync(sync), mayShareBytes(mayShareBytes), barriers(barriers),
        unfenced(unfenced), areFenced(sync.mayInsertFences()),
        findRacesOfIterations(findRacesOfIterations), isCertain(isCertain),
        states(sync.blocks.size()), isReached(sync.blocks.size()) {}

  std::optional<SmallVector<SyncConflict, 0>> run();

private:
  static constexpr unsigned none = ~0u;
  /// Limits of what is worth looking at, some 100 MB each.
  static constexpr size_t maxConflicts = 2000000;
  static constexpr size_t maxPending = 5000000;
  /// What may have been done to one object, and is not yet separated from what
  /// comes: the first such step, or none.
  struct Pending {
    unsigned read = none;
    unsigned write = none;
    /// An asynchronous access whose group has not ended.
    unsigned start = none;
    /// One whose group has ended, by the number of groups that have ended
    /// since; the last one also stands for more.
    static constexpr unsigned maxAge = 7;
    std::array<unsigned, maxAge + 1> groups;

    Pending() { groups.fill(none); }
    unsigned getInFlight() const {
      return std::min(start, *llvm::min_element(groups));
    }
    bool isNone() const {
      return std::min({read, write, getInFlight()}) == none;
    }
    /// What has started so far is a group, and what were groups is older.
    void endGroup();
    /// All groups but the youngest `numInFlight` are complete. They have read.
    void wait(unsigned numInFlight, bool isRead);
    /// The copy engine is done.
    void complete();
    /// Take over what `other` has; return true if that changes anything.
    bool join(const Pending &other);
  };
  /// What is kept of each object: what each `AccessUnit` does; and again what
  /// threads do, as others see it, without a fence behind it, and with one but
  /// without a barrier behind that.
  enum Part : unsigned { Unfenced = 4, Fenced, NumParts };
  /// By object and part (`getKey`).
  using State = llvm::MapVector<unsigned, Pending>;

  static unsigned getKey(unsigned object, unsigned part) {
    return object * NumParts + part;
  }
  static unsigned getKey(unsigned object, AccessUnit unit) {
    return getKey(object, unsigned(unit));
  }
  static bool isOfUnit(unsigned part, AccessUnit unit) {
    return part == unsigned(unit) || isMutated("G13-units");
  }
  static bool isReader(unsigned part) {
    return part == unsigned(AccessUnit::Stores) ||
           part == unsigned(AccessUnit::Matrices);
  }
  static bool join(State &state, const State &other);
  static void passBarrier(State &state);
  void passInserted(mlir::Operation *place, State &state) const;
  void passFence(State &state) const;
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
  const llvm::DenseSet<Operation *> &barriers, &unfenced;
  /// There is a proxy fence at the other `barriers`.
  bool areFenced;
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
  take(start, other.start);
  for (auto [mine, theirs] : llvm::zip_equal(groups, other.groups))
    take(mine, theirs);
  return isChanged;
}

void WorkgroupSync::Solver::Pending::endGroup() {
  groups[maxAge] = std::min(groups[maxAge], groups[maxAge - 1]);
  std::copy_backward(groups.begin(), groups.end() - 2, groups.end() - 1);
  groups[0] = start;
  start = none;
}

void WorkgroupSync::Solver::Pending::wait(unsigned numInFlight, bool isRead) {
  unsigned &done = isRead ? read : write;
  for (unsigned age = numInFlight; age <= maxAge; ++age) {
    // Complete for the thread that has waited, not yet seen by the others.
    if (!isMutated("G4-wait"))
      done = std::min(done, groups[age]);
    groups[age] = none;
  }
}

void WorkgroupSync::Solver::Pending::complete() {
  // As after a wait.
  if (!isMutated("G12-visible"))
    write = std::min(write, start);
  start = none;
}

/// Add what is pending in `other` to `state`; return true if that changes it.
bool WorkgroupSync::Solver::join(State &state, const State &other) {
  bool isChanged = false;
  for (const auto &[object, pending] : other) {
    auto [it, isNew] = state.insert({object, pending});
    isChanged |= isNew || it->second.join(pending);
  }
  return isChanged;
}

void WorkgroupSync::Solver::passBarrier(State &state) {
  state.remove_if([](auto &entry) {
    Pending &pending = entry.second;
    if (entry.first % NumParts != Unfenced || isMutated("G14-fence"))
      pending.read = pending.write = none;
    return pending.isNone();
  });
}

/// Pass the barrier that is assumed before `place`, if there is one.
void WorkgroupSync::Solver::passInserted(Operation *place, State &state) const {
  if (!barriers.contains(place))
    return;
  if (areFenced && !unfenced.contains(place))
    passFence(state);
  passBarrier(state);
}

void WorkgroupSync::Solver::passFence(State &state) const {
  SmallVector<std::pair<unsigned, Pending>> fenced;
  for (auto &[key, pending] : state) {
    unsigned object = key / NumParts;
    // What a thread copies now it does not fence.
    auto it = state.find(getKey(object, AccessUnit::Threads));
    bool isInFlight = it != state.end() && it->second.getInFlight() != none;
    if (key % NumParts == Unfenced &&
        (!isInFlight || isCertain || isMutated("G14-in-flight")))
      fenced.emplace_back(getKey(object, Fenced), std::exchange(pending, {}));
  }
  // It is the thread that starts what follows which needs it, at the latest.
  if (!isCertain && !isMutated("G14-barrier"))
    for (const auto &[key, pending] : fenced)
      state[key].join(pending);
  state.remove_if([](auto &entry) { return entry.second.isNone(); });
}

void WorkgroupSync::Solver::addConflicts(const Access &access, unsigned step,
                                         const State &state) {
  for (const auto &[key, pending] : state) {
    unsigned object = key / NumParts, part = key % NumParts;
    bool isProxy = part >= Unfenced;
    // No barrier alone orders what another unit does.
    if (isProxy && (access.unit == AccessUnit::Threads ||
                    findRacesOfIterations || isMutated("G14-proxy")))
      continue;
    if (findRacesOfIterations ? object != getEarlier(access.object)
                              : object == access.object)
      continue;
    bool areReads = isReader(part) && !access.isWrite;
    unsigned inFlight = areReads ? none : pending.getInFlight();
    unsigned done = pending.write;
    if (access.isWrite && !isMutated("G1-write-after-read"))
      done = std::min(done, pending.read);
    if (std::min(inFlight, done) == none)
      continue;
    unsigned other = findRacesOfIterations ? access.object : object;
    std::pair<unsigned, unsigned> pair(std::min(other, access.object),
                                       std::max(other, access.object));
    // Of several reasons, one within an iteration is easier to see.
    auto known = conflicts.find(pair);
    if ((known != conflicts.end() &&
         known->second.rule != SyncRule::BackEdge) ||
        (mayShareBytes && !mayShareBytes(pair.first, pair.second)))
      continue;
    SyncRule rule = SyncRule::NoBarrier;
    unsigned from = done != none ? done : inFlight;
    Operation *divergentOp = sync.steps[from].divergentOp;
    if (isProxy)
      rule = SyncRule::Proxy;
    else if (done == none)
      rule = SyncRule::InFlight;
    else if (findRacesOfIterations)
      rule = SyncRule::BackEdge;
    else if (divergentOp && divergentOp == sync.steps[step].divergentOp)
      rule = SyncRule::Divergent;
    else if (from > step)
      rule = SyncRule::BackEdge;
    if (known != conflicts.end() && rule == SyncRule::BackEdge)
      continue;
    conflicts[pair] = {pair.first, pair.second, rule, sync.steps[from].op,
                       sync.steps[step].op};
  }
}

/// Return true if what `unit` has in flight is left out.
static bool isForgotten(AccessUnit unit) {
  if (unit == AccessUnit::Threads)
    return isMutated("G4-in-flight");
  return unit == AccessUnit::Loads ? isMutated("G12-in-flight")
                                   : isMutated("G13-in-flight");
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
    return passInserted(current.op, state);
  case Step::Kind::Barrier:
    return passBarrier(state);
  case Step::Kind::EndGroup:
    for (auto &[key, pending] : state)
      if (isOfUnit(key % NumParts, current.unit))
        pending.endGroup();
    return;
  case Step::Kind::Wait:
    for (auto &[key, pending] : state)
      if (isOfUnit(key % NumParts, current.unit))
        pending.wait(isCertain ? 0 : current.numInFlight,
                     isReader(key % NumParts));
    return;
  case Step::Kind::Fence:
    if (!current.divergentOp || isCertain || isMutated("G14-divergent"))
      passFence(state);
    return;
  case Step::Kind::Complete:
    for (const Access &access : current.accesses)
      for (unsigned object : {access.object, getEarlier(access.object)})
        if (auto it = state.find(getKey(object, AccessUnit::Loads));
            it != state.end())
          it->second.complete();
    return;
  case Step::Kind::Allocate:
    if (!findRacesOfIterations)
      return;
    // What may still be done to the object is done to that of an earlier
    // iteration from here on.
    {
      unsigned object = sync.numbers.at(current.op->getResult(0));
      for (unsigned part = 0; part < Unfenced; ++part) {
        Pending earlier = state.lookup(getKey(object, part));
        if (!earlier.isNone() && !isMutated("G7-iterations"))
          state[getKey(getEarlier(object), part)].join(earlier);
      }
    }
    return;
  case Step::Kind::Access:
    break;
  }
  if (!current.divergentOp)
    passInserted(current.op, state);
  for (const Access &access : current.accesses) {
    if (isCertain && !access.isUnderstood)
      continue;
    if (isFinal)
      addConflicts(access, step, state);
    Pending accessed;
    if (access.isRead)
      accessed.read = step;
    if (access.isWrite)
      accessed.write = step;
    if (sync.hasOtherUnits && access.unit == AccessUnit::Threads)
      state[getKey(access.object, Unfenced)].join(accessed);
    if (access.isAsync && !isForgotten(access.unit))
      (access.isInGroup ? accessed.groups[0] : accessed.start) = step;
    state[getKey(access.object, access.unit)].join(accessed);
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
    const llvm::DenseSet<Operation *> &barriers,
    const llvm::DenseSet<Operation *> &unfenced) const {
  return Solver(*this, mayShareBytes, barriers, unfenced).run();
}

bool WorkgroupSync::mayInsertFences() const {
  return hasOtherUnits &&
         kernel->getContext()->getLoadedDialect<NVVM::NVVMDialect>();
}

std::optional<SmallVector<SyncConflict, 0>> WorkgroupSync::findCertainConflicts(
    llvm::function_ref<bool(unsigned, unsigned)> mayShareBytes) const {
  return Solver(*this, mayShareBytes, {}, {}, /*findRacesOfIterations=*/false,
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
      Solver(*this, {}, barriers, {}, /*findRacesOfIterations=*/true).run();
  return races ? std::move(*races) : SmallVector<SyncConflict, 0>();
}

//===----------------------------------------------------------------------===//
// Places for barriers
//===----------------------------------------------------------------------===//

Operation *WorkgroupSync::findBarrierPlace(Operation *op,
                                           bool outsideLoops) const {
  if (Operation *divergentOp = divergentOps.lookup(op);
      divergentOp && !isMutated("G3-inserted-barrier"))
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
