//===- Merges as actions -------------------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergeAction.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace buffer_merge;

MLIR_DEFINE_EXPLICIT_TYPE_ID(buffer_merge::MergeAction)

void MergeAction::print(llvm::raw_ostream &os) const {
  os << "`" << tag << "` of";
  llvm::interleave(
      getContextIRUnits(), os,
      [&](const IRUnit &unit) {
        // Of an attribution there is no operation.
        if (auto *op = dyn_cast<Operation *>(unit))
          os << " '" << *op << "' at " << op->getLoc();
        else
          os << " '" << cast<Value>(unit) << "' at "
             << cast<Value>(unit).getLoc();
      },
      ",");
}

void buffer_merge::forEachMerge(ArrayRef<const PoolPlan *> pools,
                                MLIRContext *context,
                                function_ref<void(MergeUnit)> merge) {
  SmallVector<std::pair<size_t, size_t>> buffers;
  for (auto [poolIndex, pool] : llvm::enumerate(pools))
    for (size_t index = 0; index < pool->buffers.size(); ++index)
      buffers.emplace_back(poolIndex, index);
  if (!context->hasActionHandler())
    return merge(buffers);

  llvm::IntEqClasses classes(buffers.size());
  DenseMap<void *, size_t> firstOf;
  auto getLifetime = [&](std::pair<size_t, size_t> buffer) {
    return pools[buffer.first]->buffers[buffer.second];
  };
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    auto join = [&, index = index](void *with) {
      classes.join(firstOf.try_emplace(with, index).first->second, index);
    };
    for (OpOperand *dealloc : getLifetime(buffer)->deallocs)
      join(dealloc);
    // Its values.
    join(getLifetime(buffer)->alloc.getAsOpaquePointer());
  }
  classes.compress();
  SmallVector<SmallVector<std::pair<size_t, size_t>, 1>> units(
      classes.getNumClasses());
  for (auto [index, buffer] : llvm::enumerate(buffers))
    units[classes[index]].push_back(buffer);
  for (MergeUnit unit : units) {
    llvm::SmallSetVector<Value, 1> allocs;
    for (auto buffer : unit)
      allocs.insert_range(getLifetime(buffer)->getAllocs());
    auto irUnits = llvm::map_to_vector(allocs, [](Value alloc) {
      Operation *op = alloc.getDefiningOp();
      return op ? IRUnit(op) : IRUnit(alloc);
    });
    context->executeAction<MergeAction>([&] { merge(unit); }, irUnits);
  }
}
