//===- RefillCopies.cpp - Fills in place of copies of fills ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy knows what it reads if one operation has overwritten all of its
// source, on every path, and nothing has changed it since. What is overwritten
// by a copy is the source of others: from each fill, its scalar is propagated
// along the copies. A fill that is left with fewer readers is moved to the
// first of them.
//
//===----------------------------------------------------------------------===//

#include "Analysis/AllocScope.h"
#include "Analysis/CalleeSummaries.h"
#include "Analysis/ExecutionOrder.h"
#include "Analysis/GPU/DeviceCode.h"
#include "Analysis/ViewSources.h"
#include "Analysis/Webs.h"
#include "CopyRewriting.h"
#include "Mutation.h"
#include "buffer-merge/Transforms/Transforms.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
/// Looks at the values of the allocations of one function.
class CopyRefiller {
public:
  CopyRefiller(FunctionOpInterface function, const CalleeSummaries &callees)
      : callees(callees), order(function),
        aliases(callees.getAliases(function)), webBudget(function),
        dominance(function) {}

  void addValues(memref::AllocOp alloc);
  RefillCopiesResult run();

private:
  const CalleeSummaries &callees;
  ExecutionOrder order;
  std::shared_ptr<const BufferAliases> aliases;
  AliasBudget aliasBudget;
  WebBudget webBudget;
  DominanceInfo dominance;

  struct KnownValue {
    /// The copies that read it, in the order of execution.
    SmallVector<memref::CopyOp, 2> copies;
    /// The other accesses to the value.
    SmallVector<Operation *, 2> others;
  };
  /// By what overwrites all of the allocation.
  llvm::MapVector<Operation *, KnownValue> values;
};
} // namespace

void CopyRefiller::addValues(memref::AllocOp alloc) {
  std::optional<SmallVector<Value>> all =
      aliases->getAliases(alloc, aliasBudget);
  if (!all)
    return;
  SmallVector<OpOperand *> uses = order.collectUses(*all);
  Webs webs(alloc, classifyUses(uses, callees), webBudget);
  if (!webs.areSeparable())
    return;
  llvm::DenseSet<OpOperand *> unchanged =
      webs.findUnchanged([](OpOperand &use) {
        return !isOnlyRead(use) && !isMutated("refill-changed");
      });
  SmallVector<KnownValue> found(webs.size());
  for (OpOperand *use : uses) {
    std::optional<unsigned> web = webs.lookup(use);
    if (!web || webs.getOnlyOverwrite(*web) == use->getOwner())
      continue;
    auto copy = dyn_cast<memref::CopyOp>(use->getOwner());
    if (copy && use == &copy.getSourceMutable() && unchanged.contains(use) &&
        webs.isView(use->get()))
      found[*web].copies.push_back(copy);
    else
      found[*web].others.push_back(use->getOwner());
  }
  for (unsigned web : llvm::seq(webs.size())) {
    Operation *overwrite = webs.getOnlyOverwrite(web);
    if (isa_and_nonnull<linalg::FillOp, memref::CopyOp>(overwrite))
      values[overwrite] = std::move(found[web]);
  }
}

/// Return the operation in the block of `op` that is the first of `accesses` or
/// contains it, or null if they are not all after `op` in that block.
static Operation *findFirstReader(Operation *op,
                                  ArrayRef<Operation *> accesses) {
  Operation *first = nullptr;
  for (Operation *access : accesses) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*access);
    if (!ancestor || !op->isBeforeInBlock(ancestor))
      return nullptr;
    if (!first || ancestor->isBeforeInBlock(first))
      first = ancestor;
  }
  return first;
}

RefillCopiesResult CopyRefiller::run() {
  RefillCopiesResult result;
  // What overwrites a known value, and the scalar in all of its elements.
  SmallVector<std::pair<Operation *, Value>> list;
  for (auto &[op, value] : values)
    if (auto fill = dyn_cast<linalg::FillOp>(op))
      list.push_back({fill, fill.getInputs().front()});
  SmallVector<std::pair<memref::CopyOp, Value>> refilled;
  SmallVector<Operation *> unused;
  SmallVector<std::pair<Operation *, Operation *>> moved;
  for (size_t i = 0; i < list.size(); ++i) {
    auto [op, scalar] = list[i];
    KnownValue &value = values[op];
    size_t numRefilled = refilled.size();
    for (memref::CopyOp copy : value.copies) {
      auto source = cast<BaseMemRefType>(copy.getSource().getType());
      auto target = dyn_cast<MemRefType>(copy.getTarget().getType());
      // A view of bytes may have other elements than what is filled.
      bool isPossible = target &&
                        (target.getElementType() == scalar.getType() ||
                         isMutated("refill-other-type")) &&
                        (target.getMemorySpace() == source.getMemorySpace() ||
                         isMutated("refill-other-memory")) &&
                        (dominance.properlyDominates(scalar, copy) ||
                         isMutated("refill-scalar-is-elsewhere"));
      if (!isPossible) {
        value.others.push_back(copy);
        continue;
      }
      refilled.push_back({copy, scalar});
      if (values.contains(copy))
        list.push_back({copy, scalar});
    }
    if (!isa<linalg::FillOp>(op) || refilled.size() == numRefilled)
      continue;
    if (value.others.empty())
      unused.push_back(op);
    else if (Operation *reader = findFirstReader(op, value.others))
      moved.push_back({op, reader});
  }
  // A reader may be a copy that is replaced.
  for (auto [fill, reader] : moved)
    fill->moveBefore(reader);
  for (auto [copy, scalar] : refilled) {
    OpBuilder builder(copy);
    linalg::FillOp::create(builder, copy.getLoc(), scalar, copy.getTarget());
    Value source = copy.getSource();
    copy.erase();
    eraseUnused(source);
  }
  for (Operation *op : unused) {
    Value filled = cast<linalg::FillOp>(op).getOutputs().front();
    op->erase();
    eraseUnused(filled);
  }
  result.numRefilled = refilled.size();
  result.numErased = unused.size();
  return result;
}

/// Return the allocation that `value` is, or is a view of, or null.
static Operation *findAllocation(Value value) {
  if (!isMutated("refill-without-views"))
    value = followSources(value, getSourceOfView);
  return value.getDefiningOp<memref::AllocOp>();
}

RefillCopiesResult
buffer_merge::refillCopies(Operation *root,
                           const SplitBuffersOptions &options) {
  llvm::DenseSet<Operation *> copied;
  root->walk([&](memref::CopyOp copy) {
    copied.insert(findAllocation(copy.getSource()));
    copied.insert(findAllocation(copy.getTarget()));
  });
  // Allocations that are filled, and those that are copied to.
  llvm::MapVector<FunctionOpInterface, SmallVector<memref::AllocOp>> candidates;
  std::optional<DeviceCode> device;
  root->walk<WalkOrder::PreOrder>([&](memref::AllocOp alloc) {
    auto function = alloc->getParentOfType<FunctionOpInterface>();
    if (!function || !root->isAncestor(function) ||
        !alloc.getType().hasStaticShape() || !copied.contains(alloc))
      return;
    if (!device)
      device.emplace(root, options.workgroup);
    if (!device->contains(alloc) &&
        !options.workgroup.isWorkgroupSpace(alloc.getType().getMemorySpace(),
                                            /*isInDeviceCode=*/false))
      candidates[function].push_back(alloc);
  });
  RefillCopiesResult result;
  if (candidates.empty())
    return result;
  CalleeSummaries callees(root, options.calls);
  for (auto &[function, allocs] : candidates) {
    if (!hasKnownControlFlow(function))
      continue;
    CopyRefiller refiller(function, callees);
    for (memref::AllocOp alloc : allocs)
      refiller.addValues(alloc);
    RefillCopiesResult found = refiller.run();
    result.numRefilled += found.numRefilled;
    result.numErased += found.numErased;
  }
  return result;
}
