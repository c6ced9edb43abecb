//===- ReorderForPeak.cpp - Orders with a lower peak ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// New orders are tried: the program is planned as it is, and as it would be. If
// its peak is not lower then, every operation goes back to where it was.
//
//===----------------------------------------------------------------------===//

#include "FunctionOrder.h"
#include "Mutation.h"
#include "Planning/Heap/Footprint.h"
#include "Report/Remarks.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
/// The new orders of a function, and its peak.
struct ReorderedFunction {
  FunctionOpInterface function;
  SmallVector<NewOrder, 0> orders;
  int64_t before = 0, after = 0;
  bool isCalled = false;
};

/// What a program takes, as `buffer-merge` would plan it.
struct ProgramPeak {
  int64_t bytes = 0;
  llvm::DenseMap<Operation *, int64_t> functions;
};
} // namespace

/// Return the options that `buffer-merge` plans with by default; but where
/// nothing is freed, as if everything were after its last use. What has no size
/// takes no bytes, and should not take up others.
static MergePlanOptions getPlanOptions(const ReorderForPeakOptions &options,
                                       Operation *root) {
  MergePlanOptions plan;
  plan.lifetimes.calls = options.calls;
  plan.lifetimes.workgroup = options.workgroup;
  plan.lifetimes.dynamic = DynamicPolicy::None;
  plan.lifetimes.findRefills = plan.lifetimes.findEmplaced = true;
  plan.lifetimes.partAlignment = MergePlanOptions::defaultAlignment;
  plan.scheduler = lookupScheduler("auto");
  bool isAnyFreed =
      root->walk([](Operation *op) {
            return isa<memref::DeallocOp, bufferization::DeallocOp>(op)
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
  plan.limitPeak = isAnyFreed ? FreePoint::AsGiven : FreePoint::Deallocated;
  return plan;
}

static ProgramPeak getPeak(const MergePlan &plan) {
  Footprint footprint = computeFootprint(plan);
  ProgramPeak peak;
  peak.bytes = footprint.peak.planned;
  for (const auto &[function, bytes] : footprint.functions)
    peak.functions[function] = bytes.planned;
  return peak;
}

/// Return the peak of the program as it is now; nothing if there is no plan.
static std::optional<ProgramPeak> planPeak(Operation *root,
                                           const MergePlanOptions &options) {
  PlanMessages messages;
  FailureOr<MergePlan> plan = computeMergePlan(root, options, messages);
  if (failed(plan))
    return std::nullopt;
  return getPeak(*plan);
}

static void undo(ReorderedFunction &function) {
  for (const NewOrder &order : function.orders)
    order.undo();
  function.orders.clear();
}

/// Keep of `functions`, whose new orders are in the program, what lowers its
/// peak of `before`. Return the peak then, or nothing if nothing is left.
static std::optional<ProgramPeak>
keepWhatHelps(Operation *root, const ProgramPeak &before,
              const MergePlanOptions &options,
              MutableArrayRef<ReorderedFunction> functions) {
  std::optional<ProgramPeak> after = planPeak(root, options);
  // Some may be worse than the search has thought.
  if (after && after->bytes >= before.bytes) {
    bool isAnyBetter = false, isAnyWorse = false;
    for (ReorderedFunction &function : functions) {
      bool isBetter = after->functions.lookup(function.function) <
                      before.functions.lookup(function.function);
      (isBetter ? isAnyBetter : isAnyWorse) = true;
      if (!isBetter)
        undo(function);
    }
    if (!isAnyBetter)
      return std::nullopt;
    if (isAnyWorse)
      after = planPeak(root, options);
  }
  if (!after || (after->bytes >= before.bytes && !isMutated("T5-peak")))
    return std::nullopt;
  // Those that need less than that in any case stay as they were.
  for (ReorderedFunction &function : functions)
    if (!function.isCalled &&
        before.functions.lookup(function.function) <= after->bytes)
      undo(function);
  return after;
}

/// Return false if the program, whose new orders `functions` have, holds more
/// with them if nothing that it does not free itself is ever freed. Where it
/// frees nothing, a later pass may, or may not.
static bool helpsAsGiven(Operation *root, MergePlanOptions options,
                         ArrayRef<ReorderedFunction> functions) {
  if (options.limitPeak == FreePoint::AsGiven || isMutated("T5-as-given"))
    return true;
  options.limitPeak = FreePoint::AsGiven;
  std::optional<ProgramPeak> after = planPeak(root, options);
  for (const ReorderedFunction &function : functions)
    for (const NewOrder &order : function.orders)
      order.undo();
  std::optional<ProgramPeak> before = planPeak(root, options);
  for (const ReorderedFunction &function : functions)
    for (const NewOrder &order : function.orders)
      order.apply();
  return before && after && after->bytes <= before->bytes;
}

static void emitRemarks(ArrayRef<ReorderedFunction> functions) {
  for (const ReorderedFunction &function : functions) {
    int64_t numMoved = 0;
    for (const NewOrder &order : function.orders)
      numMoved += order.numMoved;
    FunctionOpInterface op = function.function;
    auto lock = lockRemarks(op->getContext());
    if (!lock || numMoved == 0)
      continue;
    remark::passed(op.getLoc(), getRemarkOpts("Reordered", op))
        << remark::metric("PeakBefore", function.before)
        << remark::metric("PeakAfter", function.after)
        << remark::metric("Moved", numMoved);
  }
}

/// Return the names of what is called inside `root`.
static llvm::DenseSet<StringRef> findCallees(Operation *root) {
  llvm::DenseSet<StringRef> callees;
  root->walk([&](CallOpInterface call) {
    if (auto symbol =
            dyn_cast_if_present<SymbolRefAttr>(call.getCallableForCallee()))
      callees.insert(symbol.getLeafReference());
  });
  return callees;
}

ReorderForPeakResult
buffer_merge::reorderForPeak(Operation *root,
                             const ReorderForPeakOptions &options) {
  const MergePlanOptions planOptions = getPlanOptions(options, root);
  SmallVector<ReorderedFunction, 0> functions;
  ProgramPeak before;
  {
    PlanMessages messages;
    FailureOr<MergePlan> plan = computeMergePlan(root, planOptions, messages);
    if (failed(plan))
      return {};
    before = getPeak(*plan);
    UnsharedArguments unshared(*plan->lifetimes);
    llvm::DenseSet<StringRef> callees = findCallees(root);
    int64_t steps = options.steps;
    root->walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
      if (function.isExternal())
        return;
      SmallVector<NewOrder, 0> orders =
          findNewOrders(function, *plan->lifetimes, unshared, options, steps);
      if (orders.empty())
        return;
      functions.push_back({function, std::move(orders)});
      functions.back().isCalled = callees.contains(function.getName());
    });
  }
  ReorderForPeakResult result = {0, before.bytes, before.bytes};
  if (functions.empty())
    return result;
  for (const ReorderedFunction &function : functions)
    for (const NewOrder &order : function.orders)
      order.apply();
  if (!options.chooseOrder) {
    std::optional<ProgramPeak> after =
        keepWhatHelps(root, before, planOptions, functions);
    if (after && !helpsAsGiven(root, planOptions, functions))
      after.reset();
    if (!after)
      for (ReorderedFunction &function : functions)
        undo(function);
    else
      result.peakAfter = after->bytes;
    for (ReorderedFunction &function : functions) {
      function.before = before.functions.lookup(function.function);
      function.after =
          after ? after->functions.lookup(function.function) : function.before;
    }
    emitRemarks(functions);
  }
  for (const ReorderedFunction &function : functions)
    for (const NewOrder &order : function.orders)
      result.numMoved += order.numMoved;
  return result;
}
