//===- Refills.cpp - Copies of buffers that were filled -------------------===//
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
// along the copies. A fill that is left with fewer readers may be executed in
// front of the first of them.
//
//===----------------------------------------------------------------------===//

#include "Refills.h"
#include "FunctionContext.h"
#include "Mutation.h"
#include "Webs.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
/// Looks at the values of the allocations of one function.
class RefillFinder {
public:
  explicit RefillFinder(const FunctionContext &context)
      : context(context), webBudget(context.order),
        dominance(context.function) {}

  void addValues(memref::AllocOp alloc);
  void find(FunctionRefills &refills);

private:
  const FunctionContext &context;
  AliasBudget aliasBudget;
  WebBudget webBudget;
  DominanceInfo dominance;

  struct KnownValue {
    memref::AllocOp alloc;
    /// The copies that read it, in the order of execution.
    SmallVector<memref::CopyOp, 2> copies;
    struct Access {
      Operation *op;
      /// How it accesses all of the buffer, if it does.
      OpOperand *all;
    };
    /// The other accesses to the value.
    SmallVector<Access, 2> others;
  };
  /// By what overwrites all of the allocation.
  llvm::MapVector<Operation *, KnownValue> values;
};
} // namespace

void RefillFinder::addValues(memref::AllocOp alloc) {
  std::optional<SmallVector<Value>> all =
      context.aliases.getAliases(alloc, aliasBudget);
  if (!all)
    return;
  SmallVector<ClassifiedUse> uses =
      classifyUses(context.order.collectUses(*all), context.callees);
  Webs webs(alloc, uses, webBudget);
  if (!webs.areSeparable())
    return;
  llvm::DenseSet<OpOperand *> unchanged =
      webs.findUnchanged([](OpOperand &use) {
        return !isOnlyRead(use) && !isMutated("L12-changed");
      });
  SmallVector<KnownValue> found(webs.size());
  for (const ClassifiedUse &classified : uses) {
    OpOperand *use = classified.operand;
    std::optional<unsigned> web = webs.lookup(use);
    if (!web || webs.getOnlyOverwrite(*web) == use->getOwner())
      continue;
    auto copy = dyn_cast<memref::CopyOp>(use->getOwner());
    bool isOfAll = classified.use.kind == BufferUse::Kind::Access &&
                   (webs.isViewOfAll(use->get()) || isMutated("L12-part")) &&
                   !isa<RegionBranchOpInterface>(use->getOwner());
    if (copy && use == &copy.getSourceMutable() && unchanged.contains(use) &&
        webs.isView(use->get()))
      found[*web].copies.push_back(copy);
    else
      found[*web].others.push_back({use->getOwner(), isOfAll ? use : nullptr});
  }
  for (unsigned web : llvm::seq(webs.size())) {
    Operation *overwrite = webs.getOnlyOverwrite(web);
    if (!isa_and_nonnull<linalg::FillOp, memref::CopyOp>(overwrite))
      continue;
    found[web].alloc = alloc;
    values[overwrite] = std::move(found[web]);
  }
}

/// Set the reader of `late` to the first of `accesses`, if all of them are
/// after the fill in its block. Return false if they are not.
template <typename Accesses>
static bool findFirstReader(LateFill &late, const Accesses &accesses) {
  linalg::FillOp fill = late.fill;
  for (const auto &access : accesses) {
    Operation *ancestor = fill->getBlock()->findAncestorOpInBlock(*access.op);
    if (!ancestor || !fill->isBeforeInBlock(ancestor)) {
      if (isMutated("L12-reader"))
        continue;
      return false;
    }
    if (late.reader && !ancestor->isBeforeInBlock(late.reader))
      continue;
    late.reader = ancestor;
    late.operand = ancestor == access.op ? access.all : nullptr;
  }
  return true;
}

void RefillFinder::find(FunctionRefills &refills) {
  // What overwrites a known value, and the scalar in all of its elements.
  SmallVector<std::pair<Operation *, Value>> list;
  for (auto &[op, value] : values)
    if (auto fill = dyn_cast<linalg::FillOp>(op))
      list.push_back({fill, fill.getInputs().front()});
  for (size_t i = 0; i < list.size(); ++i) {
    auto [op, scalar] = list[i];
    KnownValue &value = values[op];
    size_t numRefilled = refills.copies.size();
    for (memref::CopyOp copy : value.copies) {
      auto source = cast<BaseMemRefType>(copy.getSource().getType());
      auto target = dyn_cast<MemRefType>(copy.getTarget().getType());
      // A view of bytes may have other elements than what is filled.
      bool isPossible = target && target.getElementType() == scalar.getType() &&
                        target.getMemorySpace() == source.getMemorySpace() &&
                        dominance.properlyDominates(scalar, copy);
      if (!isPossible) {
        value.others.push_back({copy, nullptr});
        continue;
      }
      refills.copies.push_back({copy, scalar, value.alloc});
      if (values.contains(copy))
        list.push_back({copy, scalar});
    }
    auto fill = dyn_cast<linalg::FillOp>(op);
    if (!fill || refills.copies.size() == numRefilled)
      continue;
    LateFill late = {fill, value.alloc};
    if (!findFirstReader(late, value.others))
      continue;
    refills.fills.push_back(late);
  }
}

ClassifiedUse FunctionRefills::apply(ClassifiedUse use) const {
  if (notRead.contains(use.operand))
    use.use = BufferUse{BufferUse::Kind::None};
  use.isFilledBefore = filled.contains(use.operand);
  return use;
}

bool FunctionRefills::isErased(memref::AllocOp alloc) const {
  return !erased.empty() && llvm::all_of(alloc->getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return notRead.contains(&use) || erased.contains(user) ||
           isa<memref::DeallocOp>(user);
  });
}

namespace {
/// Finds the allocations of one function that values are views of. Each view is
/// followed once, so that a chain of n views, all of them used, takes O(n)
/// time.
class AllocationFinder {
public:
  /// Return the allocation that `value` is, or is a view of, or null.
  memref::AllocOp find(Value value);

private:
  /// Null as well for what is being followed: in unreachable code, a view may
  /// be one of itself.
  llvm::DenseMap<Value, memref::AllocOp> known;
};
} // namespace

memref::AllocOp AllocationFinder::find(Value value) {
  SmallVector<Value> views;
  memref::AllocOp alloc;
  while (true) {
    Value source = getSourceOfView(value);
    if (!source) {
      alloc = value.getDefiningOp<memref::AllocOp>();
      break;
    }
    auto [entry, isNew] = known.try_emplace(value);
    if (!isNew) {
      alloc = entry->second;
      break;
    }
    views.push_back(value);
    value = source;
  }
  for (Value view : views)
    known[view] = alloc;
  return alloc;
}

FunctionRefills buffer_merge::findRefills(const FunctionContext &context,
                                          const WorkgroupOptions &workgroup) {
  FunctionRefills refills;
  if (context.order.getCopies().empty())
    return refills;
  FunctionOpInterface function = context.function;
  // What is filled, and where that is copied to. Only the sources of these
  // copies matter, and webs take time.
  llvm::SetVector<Operation *> known;
  llvm::DenseMap<Operation *, SmallVector<Operation *, 2>> targets;
  AllocationFinder allocations;
  function->walk([&](linalg::FillOp fill) {
    if (memref::AllocOp alloc = allocations.find(fill.getOutputs().front()))
      known.insert(alloc);
  });
  for (memref::CopyOp copy : context.order.getCopies())
    if (memref::AllocOp source = allocations.find(copy.getSource()))
      targets[source].push_back(allocations.find(copy.getTarget()));
  if (targets.empty() || known.empty() || !context.order.hasKnownControlFlow())
    return refills;
  RefillFinder finder(context);
  for (size_t i = 0; i < known.size(); ++i) {
    auto alloc = cast<memref::AllocOp>(known[i]);
    auto copies = targets.find(alloc);
    if (copies == targets.end())
      continue;
    for (Operation *target : copies->second)
      if (target)
        known.insert(target);
    if (alloc->getParentOfType<FunctionOpInterface>() == function &&
        alloc.getType().hasStaticShape() && !hasOwnAttribute(alloc) &&
        !context.device.contains(alloc) &&
        !workgroup.isWorkgroupSpace(alloc.getType().getMemorySpace(),
                                    /*isInDeviceCode=*/false))
      finder.addValues(alloc);
  }
  finder.find(refills);
  for (Refill &refill : refills.copies)
    refills.notRead.insert(&refill.copy.getSourceMutable());
  for (const LateFill &late : refills.fills)
    if (!late.reader) {
      refills.erased.insert(late.fill);
    } else if (late.operand) {
      refills.filled.insert(late.operand);
    }
  return refills;
}
