//===- EngineCopies.cpp - When a copy engine is done ---------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An mbarrier that nothing arrives at but the thread that issues copies cannot
// have completed more phases than that has announced. It announces a phase only
// after it has waited for the one before, so the copies until the next
// announcement are those of this phase, which has no end before they are
// complete. A wait for a parity returns if the phase before the current one has
// that parity. So if `n` phases are known to be complete, a wait for the parity
// of `n` shows that `n + 1` are; any other shows nothing.
//
// All of that is about the order in which one thread executes its operations:
// how far the others are does not matter.
//
//===----------------------------------------------------------------------===//

#include "Analysis/GPU/EngineCopies.h"
#include "Analysis/GPU/KernelWalk.h"
#include "Analysis/GPU/WorkgroupMemory.h"
#include "Mutation.h"

#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace mlir;
using namespace buffer_merge;

/// Return the bytes that `copy` announces to be complete, whatever of them is
/// out of bounds; nothing if they are not known.
static std::optional<int64_t> getCopiedBytes(nvgpu::TmaAsyncLoadOp copy) {
  MemRefType box = copy.getTensorMapDescriptor().getType().getTensor();
  Type element = box.getElementType();
  if (!box.hasStaticShape() || !element.isIntOrFloat() ||
      element.getIntOrFloatBitWidth() % 8 != 0)
    return std::nullopt;
  return box.getNumElements() * (element.getIntOrFloatBitWidth() / 8);
}

/// Executes what the thread that issues copies does.
class EngineCopies::Walk : public KernelWalk {
public:
  Walk(EngineCopies &result, Region &kernel, const Uniformity &uniformity,
       const WorkgroupOptions &options)
      : KernelWalk(options, uniformity, findBlockSize(kernel), budget),
        result(result), kernel(kernel) {}

  /// Return false if what was found must not be used.
  bool runKernel();

private:
  /// What the thread knows of one mbarrier.
  struct MBarrier {
    bool isInitialized = false;
    /// The phases that were announced, and those known to be complete: the same
    /// number or one less.
    int64_t numAnnounced = 0, numComplete = 0;
    /// Of the last phase.
    int64_t announcedBytes = 0, copiedBytes = 0;
    SmallVector<Operation *> copies;
  };

  bool enter(Operation *op, State &state, const Threads &threads,
             bool isParting) override;
  void leave(Operation *op, State &state, const Threads &threads) override;
  bool isOfInterest(Operation *op) const override {
    return interesting.contains(op);
  }
  bool followsParted() const override { return true; }
  bool canUnroll(Operation *) const override { return true; }
  // There must be one way.
  State fork(const State &state) override {
    isOneWay = false;
    return state;
  }
  void join(State &, const State &) override { isOneWay = false; }

  bool addInteresting(Operation *op);
  std::optional<int64_t> getNumber(Value value, unsigned lane);
  std::optional<std::optional<unsigned>> findIssuer(const Threads &threads,
                                                    Value predicate);
  MBarrier *find(Value group, Value index, unsigned lane);
  bool initialize(nvgpu::MBarrierInitOp op);
  bool announce(nvgpu::MBarrierArriveExpectTxOp op, const Threads &threads);
  bool copy(nvgpu::TmaAsyncLoadOp op, const Threads &threads);
  bool wait(nvgpu::MBarrierTryWaitParityOp op, const Threads &threads);

  EngineCopies &result;
  Region &kernel;
  /// More than any kernel needs, in numbers and in operations.
  int64_t budget = 1 << 22, opBudget = 1 << 16;
  bool isOneWay = true;
  /// Those on mbarriers, and all around them.
  llvm::DenseSet<Operation *> interesting;
  /// The lane of the thread that issues copies, once it is known.
  std::optional<unsigned> issuer;
  std::map<std::pair<Operation *, int64_t>, MBarrier> mbarriers;
};

/// Note an operation on an mbarrier; return false if it is not understood.
bool EngineCopies::Walk::addInteresting(Operation *op) {
  for (Value operand : op->getOperands())
    if (isa<nvgpu::MBarrierGroupType>(operand.getType()) &&
        !operand.getDefiningOp<nvgpu::MBarrierCreateOp>())
      return false;
  for (; op != kernel.getParentOp(); op = op->getParentOp())
    interesting.insert(op);
  return true;
}

bool EngineCopies::Walk::runKernel() {
  if (llvm::is_contained(values.getBlockSize(), std::nullopt) ||
      mayRunAgain(&kernel, options))
    return false;
  WalkResult found = kernel.walk([&](Operation *op) {
    bool isOnMBarrier = llvm::any_of(op->getOperands(), [](Value operand) {
      return isa<nvgpu::MBarrierGroupType>(operand.getType());
    });
    if (!isOnMBarrier)
      return WalkResult::advance();
    // Those that only look do not matter.
    if (isa<nvgpu::MBarrierTestWaitOp>(op))
      return WalkResult::advance();
    bool isUnderstood =
        isa<nvgpu::MBarrierInitOp, nvgpu::MBarrierArriveExpectTxOp,
            nvgpu::MBarrierTryWaitParityOp, nvgpu::TmaAsyncLoadOp>(op) ||
        (isa<nvgpu::MBarrierArriveOp>(op) && isMutated("G12-arrivals"));
    return isUnderstood && addInteresting(op) ? WalkResult::advance()
                                              : WalkResult::interrupt();
  });
  State state;
  return !found.wasInterrupted() &&
         run(kernel.front(), state, getAllThreads()) && isOneWay;
}

std::optional<int64_t> EngineCopies::Walk::getNumber(Value value,
                                                     unsigned lane) {
  const ThreadValues::Lanes &lanes = values.get(value);
  if (!lanes.isKnown() || lanes.isOfFirst)
    return std::nullopt;
  return lanes[lane];
}

/// Return the lane of the one thread that executes an operation with
/// `predicate`, or no lane if none does; nothing if that is not known, or it is
/// not the thread that issues copies.
std::optional<std::optional<unsigned>>
EngineCopies::Walk::findIssuer(const Threads &threads, Value predicate) {
  using Result = std::optional<unsigned>;
  bool acceptsMany = isMutated("G12-issuer");
  if (!predicate && threads.maybe.count() > 1 && !acceptsMany)
    return std::nullopt;
  Result found;
  for (unsigned lane : threads.maybe.set_bits()) {
    std::optional<int64_t> isTaken =
        predicate ? getNumber(predicate, lane) : std::optional<int64_t>(1);
    if (!isTaken)
      return std::nullopt;
    if (*isTaken == 0)
      continue;
    if (acceptsMany && found)
      continue;
    if (found || !threads.surely.test(lane))
      return std::nullopt;
    found = lane;
  }
  if (!found)
    return Result();
  if (issuer && issuer != found)
    return std::nullopt;
  issuer = found;
  return found;
}

EngineCopies::Walk::MBarrier *EngineCopies::Walk::find(Value group, Value index,
                                                       unsigned lane) {
  std::optional<int64_t> number = getNumber(index, lane);
  if (!number)
    return nullptr;
  return &mbarriers[{group.getDefiningOp(), *number}];
}

bool EngineCopies::Walk::initialize(nvgpu::MBarrierInitOp op) {
  // Each thread that does it does the same.
  if (!values.get(op.getMbarId()).areEqual())
    return false;
  MBarrier *mbarrier = find(op.getBarriers(), op.getMbarId(), /*lane=*/0);
  // Phases are counted from the beginning.
  if (!mbarrier || mbarrier->numAnnounced != 0)
    return false;
  mbarrier->isInitialized = true;
  return true;
}

bool EngineCopies::Walk::announce(nvgpu::MBarrierArriveExpectTxOp op,
                                  const Threads &threads) {
  auto lane = findIssuer(threads, op.getPredicate());
  if (!lane || !*lane)
    return lane.has_value();
  MBarrier *mbarrier = find(op.getBarriers(), op.getMbarId(), **lane);
  std::optional<int64_t> bytes = getNumber(op.getTxcount(), **lane);
  if (!mbarrier || !mbarrier->isInitialized || !bytes ||
      (mbarrier->numComplete != mbarrier->numAnnounced &&
       !isMutated("G12-order")))
    return false;
  ++mbarrier->numAnnounced;
  mbarrier->announcedBytes = *bytes;
  mbarrier->copiedBytes = 0;
  return true;
}

bool EngineCopies::Walk::copy(nvgpu::TmaAsyncLoadOp op,
                              const Threads &threads) {
  auto lane = findIssuer(threads, op.getPredicate());
  if (!lane || !*lane)
    return lane.has_value();
  MBarrier *mbarrier = find(op.getBarriers(), op.getMbarId(), **lane);
  std::optional<int64_t> bytes = getCopiedBytes(op);
  if (!mbarrier || !bytes || op.getMulticastMask() ||
      mbarrier->numComplete == mbarrier->numAnnounced)
    return false;
  mbarrier->copiedBytes += *bytes;
  if (mbarrier->copiedBytes > mbarrier->announcedBytes &&
      !isMutated("G12-bytes"))
    return false;
  mbarrier->copies.push_back(op);
  return true;
}

bool EngineCopies::Walk::wait(nvgpu::MBarrierTryWaitParityOp op,
                              const Threads &threads) {
  // What it may show can be left out.
  if (!issuer || !threads.surely.test(*issuer))
    return true;
  std::optional<int64_t> parity = getNumber(op.getPhaseParity(), *issuer);
  MBarrier *mbarrier = find(op.getBarriers(), op.getMbarId(), *issuer);
  if (!mbarrier || !parity || mbarrier->numComplete == mbarrier->numAnnounced)
    return true;
  bool isNext = (*parity & 1) == (mbarrier->numComplete & 1);
  if (!isNext && !isMutated("G12-parity"))
    return true;
  ++mbarrier->numComplete;
  mbarrier->copies.clear();
  return true;
}

bool EngineCopies::Walk::enter(Operation *op, State &, const Threads &threads,
                               bool) {
  if (--opBudget < 0 || !isOneWay)
    return false;
  if (op->getNumRegions() != 0)
    return true;
  // It is not known who does what how often.
  if (threads.unknownOp || threads.hidesFirst || threads.hidesAll)
    return false;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](nvgpu::MBarrierInitOp init) { return initialize(init); })
      .Case([&](nvgpu::MBarrierArriveExpectTxOp arrive) {
        return announce(arrive, threads);
      })
      .Case([&](nvgpu::TmaAsyncLoadOp load) { return copy(load, threads); })
      .Case([&](nvgpu::MBarrierTryWaitParityOp wait) {
        return this->wait(wait, threads);
      })
      .Default([](Operation *) { return true; });
}

void EngineCopies::Walk::leave(Operation *op, State &, const Threads &threads) {
  if (!threads.areTogether)
    return;
  auto &inFlight = result.inFlight[op];
  for (const auto &[key, mbarrier] : mbarriers)
    inFlight.insert(mbarrier.copies.begin(), mbarrier.copies.end());
}

EngineCopies::EngineCopies(Region &kernel, const Uniformity &uniformity,
                           const WorkgroupOptions &options) {
  kernel.walk([&](Operation *op) {
    if (getAccessUnit(op) == AccessUnit::Loads)
      copies.insert(op);
  });
  if (!copies.empty() &&
      !Walk(*this, kernel, uniformity, options).runKernel()) {
    copies.clear();
    inFlight.clear();
  }
}
