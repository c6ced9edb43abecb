//===- DroppedValues.cpp - What canonicalization removes ------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DroppedValues.h"
#include "Analysis/FunctionContext.h"
#include "Mutation.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

/// Return what the operations of `scf` in `function` pass memrefs on as.
static SmallVector<RegionBranchSuccessorMapping, 0>
findPassedMemrefs(Operation *function) {
  SmallVector<RegionBranchSuccessorMapping, 0> mappings;
  function->walk([&](RegionBranchOpInterface op) {
    if (!isa_and_present<scf::SCFDialect>(op->getDialect()))
      return;
    RegionBranchSuccessorMapping mapping, memrefs;
    op.getSuccessorOperandInputMapping(mapping);
    for (const auto &[operand, inputs] : mapping)
      if (isa<BaseMemRefType>(operand->get().getType()))
        memrefs[operand] = inputs;
    if (!memrefs.empty())
      mappings.push_back(std::move(memrefs));
  });
  return mappings;
}

DroppedValues::DroppedValues(const FunctionContext &context) {
  if (!context.aliases.haveOneOfSeveral() || isMutated("peak-passed-in-vain"))
    return;
  SmallVector<RegionBranchSuccessorMapping, 0> mappings =
      findPassedMemrefs(context.function);
  // What is removed may have been the last use of something else.
  for (bool isChanged = true; std::exchange(isChanged, false);)
    for (const RegionBranchSuccessorMapping &mapping : mappings) {
      llvm::DenseSet<Value> used;
      for (const auto &[operand, inputs] : mapping)
        for (Value input : inputs)
          if (!llvm::all_of(input.getUses(), [&](OpOperand &use) {
                return uses.contains(&use);
              }))
            used.insert(input);
      // All that one operand is passed on as stays, or none of it.
      for (bool isGrowing = true; std::exchange(isGrowing, false);)
        for (const auto &[operand, inputs] : mapping)
          if (llvm::any_of(inputs,
                           [&](Value input) { return used.contains(input); }))
            for (Value input : inputs)
              isGrowing |= used.insert(input).second;
      for (const auto &[operand, inputs] : mapping)
        if (llvm::none_of(inputs,
                          [&](Value input) { return used.contains(input); })) {
          isChanged |= uses.insert(operand).second;
          values.insert(inputs.begin(), inputs.end());
        }
    }
}
