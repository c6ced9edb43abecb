//===- What the fuzzer does to a program ---------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Merge.h"
#include "Interpreter.h"
#include "Random.h"

#include "buffer-merge/Planning/MergePlan.h"
#include "buffer-merge/Transforms/Passes.h"
#include "buffer-merge/Transforms/Transforms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <limits>

using namespace mlir;
using namespace buffer_merge;
using namespace buffer_merge::fuzz;

void buffer_merge::fuzz::mergeAtZero(ModuleOp module) {
  for (auto funcOp : module.getOps<func::FuncOp>()) {
    if (funcOp.isExternal())
      continue;
    SmallVector<memref::AllocOp> allocs;
    int64_t size = 0;
    for (auto op : funcOp.getBody().front().getOps<memref::AllocOp>()) {
      MemRefType type = op.getType();
      if (!type.hasStaticShape() || type.getMemorySpace() ||
          isa<BaseMemRefType>(type.getElementType()))
        continue;
      allocs.push_back(op);
      size = std::max<int64_t>(
          size, type.getNumElements() *
                    DataLayout(module).getTypeSize(type.getElementType()));
    }
    if (allocs.size() < 2)
      continue;
    OpBuilder b(module.getContext());
    b.setInsertionPointToStart(&funcOp.getBody().front());
    Location loc = funcOp.getLoc();
    auto pool =
        memref::AllocOp::create(b, loc, MemRefType::get({size}, b.getI8Type()),
                                b.getI64IntegerAttr(256));
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    for (memref::AllocOp op : allocs) {
      for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
        if (isa<memref::DeallocOp>(user))
          user->erase();
      b.setInsertionPoint(op);
      Value view = memref::ViewOp::create(b, op.getLoc(), op.getType(), pool,
                                          zero, ValueRange());
      op.replaceAllUsesWith(view);
      op.erase();
    }
  }
}

/// Return the target of `options`, with what else a target says.
static std::string makeTargetText(const MergeOptions &options) {
  std::string text = "{";
  if (!options.target.empty())
    text = StringRef(options.target).drop_back().str() + ", ";
  llvm::raw_string_ostream(text)
      << "\"stack\": {\"limit\": " << maxBytes
      << "}, \"dynamic\": {\"waste\": " << options.dynamicWaste
      << "}, \"globals\": {\"entries\": \""
      << (options.exclusiveEntries ? "exclusive" : "separate") << "\"}}";
  return text;
}

std::string buffer_merge::fuzz::runPass(ModuleOp module,
                                        std::unique_ptr<Pass> pass,
                                        StringRef options) {
  std::string error;
  if (failed(pass->initializeOptions(options, [&](const Twine &message) {
        error = message.str();
        return failure();
      })))
    return "bad options: " + error;
  PassManager manager(module.getContext());
  // The caller verifies, and wants to see a failure of its own.
  manager.enableVerifier(false);
  manager.addPass(std::move(pass));
  return succeeded(manager.run(module)) ? "" : "the pass signals a failure";
}

std::string buffer_merge::fuzz::mergeBuffers(ModuleOp module,
                                             const MergeOptions &options) {
  if (options.mutation == "all-at-zero") {
    mergeAtZero(module);
    return "";
  }
  if (!options.mutation.empty())
    return "unknown mutation '" + options.mutation + "'";
  BufferMergePassOptions passOptions;
  passOptions.scheduler = options.scheduler;
  if (options.statesAlignment())
    passOptions.alignment = {std::to_string(options.alignment)};
  passOptions.target = makeTargetText(options);
  passOptions.overCapacity = OverCapacityPolicy::Warn;
  passOptions.inPlace = options.inPlace;
  passOptions.splitBuffers = options.splitBuffers;
  // The bytes of an erased copy would still be those of its source.
  passOptions.eraseCopies = false;
  passOptions.pool = options.pool;
  passOptions.dynamic = options.dynamic;
  passOptions.limitPeak = options.limitPeak;
  passOptions.goal = options.goal;
  return runPass(module, createBufferMergePass(passOptions));
}

static MergePlanOptions getPlanOptions(const MergeOptions &options) {
  MergePlanOptions planOptions;
  planOptions.scheduler = lookupScheduler(options.scheduler);
  if (options.statesAlignment())
    planOptions.alignment = options.alignment;
  planOptions.pool = options.pool;
  planOptions.goal = options.goal;
  planOptions.stackLimit = std::numeric_limits<int64_t>::max();
  planOptions.lifetimes.findValues = options.splitBuffers;
  planOptions.lifetimes.findInPlacePairs = options.inPlace;
  planOptions.lifetimes.dynamic = options.dynamic;
  planOptions.lifetimes.maxDynamicWaste = options.dynamicWaste;
  if (options.limitPeak == "none")
    planOptions.limitPeak = std::nullopt;
  else if (options.limitPeak == "deallocated")
    planOptions.limitPeak = FreePoint::Deallocated;
  return planOptions;
}

bool buffer_merge::fuzz::isLimitedByPeak(ModuleOp module,
                                         const MergeOptions &options) {
  if (options.limitPeak == "none")
    return false;
  MergePlanOptions planOptions = getPlanOptions(options);
  PlanMessages messages;
  FailureOr<MergePlan> limited =
      computeMergePlan(module, planOptions, messages);
  planOptions.limitPeak = std::nullopt;
  FailureOr<MergePlan> plan = computeMergePlan(module, planOptions, messages);
  if (failed(limited) || failed(plan) ||
      limited->pools.size() != plan->pools.size())
    return true;
  return llvm::any_of(
      llvm::zip_equal(limited->pools, plan->pools), [](const auto &pools) {
        const auto &[with, without] = pools;
        return with.first || with.scope != without.scope ||
               with.getReason() != without.getReason() ||
               with.getReason() == UnmergeableReason::NoGain ||
               (with.getPool() &&
                with.getPool()->storage != without.getPool()->storage);
      });
}

int64_t buffer_merge::fuzz::getBytesAboveBounds(ModuleOp module,
                                                const MergeOptions &options) {
  PlanMessages messages;
  FailureOr<MergePlan> plan =
      computeMergePlan(module, getPlanOptions(options), messages);
  int64_t bytes = 0;
  if (succeeded(plan))
    for (const PoolPlan &plan : plan->pools)
      if (const Pool *pool = plan.getPool();
          pool && (pool->storage == PoolStorage::Arena ||
                   pool->storage == PoolStorage::Global))
        bytes += pool->schedule.poolSize - plan.lowerBound.bytes;
  return bytes;
}

/// Slot k of buffer n has the number firstSlot + slotsOfBuffer * n + k.
static constexpr uint64_t firstSlot = 1000000, slotsOfBuffer = 100;

std::string buffer_merge::fuzz::rotateBuffers(ModuleOp module, bool inScope) {
  RotateCarriedBuffersPassOptions passOptions;
  passOptions.slots = inScope ? SlotPlace::Scope : SlotPlace::Loop;
  std::string error =
      runPass(module, createRotateCarriedBuffersPass(passOptions));
  if (!error.empty())
    return error;
  llvm::StringSet<> selected;
  module.walk(
      [&](arith::SelectOp op) { selected.insert(getBufferName(op.getLoc())); });
  llvm::StringMap<unsigned> numSlots;
  module.walk([&](memref::AllocOp op) {
    StringRef name = getBufferName(op.getLoc());
    uint64_t number;
    if (!selected.contains(name) || name.drop_front().getAsInteger(10, number))
      return;
    number = firstSlot + slotsOfBuffer * number + numSlots[name]++;
    op->setLoc(NameLoc::get(
        StringAttr::get(op.getContext(), "b" + std::to_string(number))));
  });
  return "";
}

std::string buffer_merge::fuzz::getBufferOfSlot(StringRef name) {
  StringRef digits = name;
  uint64_t number;
  if (!digits.consume_front("b") || digits.getAsInteger(10, number) ||
      number < firstSlot)
    return name.str();
  return "b" + std::to_string((number - firstSlot) / slotsOfBuffer);
}

std::string buffer_merge::fuzz::splitBuffers(ModuleOp module) {
  std::string error = runPass(module, createSplitBuffersPass());
  if (!error.empty())
    return error;
  llvm::StringMap<unsigned> numValues;
  module.walk([&](memref::AllocOp op) {
    StringRef name = getBufferName(op.getLoc());
    uint64_t number;
    unsigned value = name.empty() ? 0 : numValues[name]++;
    if (value == 0 || name.drop_front().getAsInteger(10, number))
      return;
    number = 2000000 + 1000 * number + value;
    op->setLoc(NameLoc::get(
        StringAttr::get(op.getContext(), "b" + std::to_string(number))));
  });
  return "";
}

std::string buffer_merge::fuzz::propagateCopies(ModuleOp module) {
  PropagateCopiesPassOptions options;
  options.generalize = true;
  return runPass(module, createPropagateCopiesPass(options));
}

std::string buffer_merge::fuzz::reorder(ModuleOp module, uint64_t seed,
                                        bool forPeak) {
  if (forPeak)
    return runPass(module, createReorderForPeakPass());
  ReorderForPeakOptions options;
  Random random(seed);
  options.chooseOrder = [&](ArrayRef<SmallVector<unsigned, 4>> preds) {
    SmallVector<SmallVector<unsigned>, 0> successors(preds.size());
    SmallVector<unsigned, 0> numLeft, ready, order;
    for (auto [node, own] : llvm::enumerate(preds)) {
      numLeft.push_back(own.size());
      if (own.empty())
        ready.push_back(node);
      for (unsigned pred : own)
        successors[pred].push_back(node);
    }
    while (!ready.empty()) {
      // The last one, or any.
      unsigned last = ready.size() - 1;
      unsigned *next =
          ready.begin() + (random.chance(50) ? last : random.below(last + 1));
      order.push_back(*next);
      ready.erase(next);
      for (unsigned successor : successors[order.back()])
        if (--numLeft[successor] == 0)
          ready.push_back(successor);
    }
    return order;
  };
  reorderForPeak(module, options);
  return "";
}

/// Return true if `inner` and `outer` are slices of one pool at known offsets,
/// and `inner` is inside of `outer`.
static bool isInside(memref::ViewOp inner, memref::ViewOp outer) {
  auto getRange =
      [](memref::ViewOp view) -> std::optional<std::pair<int64_t, int64_t>> {
    std::optional<int64_t> begin = getConstantIntValue(view.getByteShift());
    MemRefType type = view.getType();
    if (!begin || !type.hasStaticShape())
      return std::nullopt;
    DataLayout layout = DataLayout::closest(view);
    int64_t size = layout.getTypeSize(type.getElementType());
    return std::pair(*begin, *begin + size * type.getNumElements());
  };
  auto innerRange = getRange(inner), outerRange = getRange(outer);
  return inner.getSource() == outer.getSource() && innerRange && outerRange &&
         outerRange->first <= innerRange->first &&
         innerRange->second <= outerRange->second;
}

void buffer_merge::fuzz::forgetParts(ModuleOp original, ModuleOp merged) {
  auto getName = [](Value value) {
    while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
      value = view.getViewSource();
    return getBufferName(value.getLoc());
  };
  llvm::StringMap<SmallVector<memref::ViewOp>> views;
  merged.walk([&](memref::ViewOp op) {
    if (StringRef name = getBufferName(op.getLoc()); !name.empty())
      views[name].push_back(op);
  });
  SmallVector<memref::ViewOp> parts;
  original.walk([&](memref::CopyOp copy) {
    StringRef source = getName(copy.getSource());
    StringRef target = getName(copy.getTarget());
    if (source == target)
      return;
    for (memref::ViewOp inner : views.lookup(source))
      for (memref::ViewOp outer : views.lookup(target))
        if (isInside(inner, outer))
          parts.append({inner, outer});
  });
  for (memref::ViewOp op : parts) {
    op->setLoc(UnknownLoc::get(op.getContext()));
    op->setAttr(partAttrName, UnitAttr::get(op.getContext()));
  }
}

std::string buffer_merge::fuzz::emplaceBuffers(ModuleOp module, bool strided) {
  llvm::DenseSet<Operation *> views;
  module.walk([&](memref::ViewOp op) { views.insert(op); });
  EmplaceBuffersPassOptions options;
  options.limitPeak = false;
  options.strided = strided;
  std::string error = runPass(module, createEmplaceBuffersPass(options));
  if (!error.empty())
    return error;
  // The interpreter takes a view with a name for a slice of a pool.
  module.walk([&](memref::ViewOp op) {
    if (!views.contains(op))
      op->setLoc(UnknownLoc::get(op.getContext()));
  });
  return "";
}

std::string
buffer_merge::fuzz::hoistParallelPools(ModuleOp module,
                                       const MergeOptions &options) {
  HoistParallelPoolsPassOptions passOptions;
  passOptions.scheduler = options.scheduler;
  passOptions.alignment = options.alignment;
  return runPass(module, createHoistParallelPoolsPass(passOptions));
}
