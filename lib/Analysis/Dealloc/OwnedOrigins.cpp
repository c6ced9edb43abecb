//===- OwnedOrigins.cpp - What flags of ownership allow to free -----------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OwnedOrigins.h"
#include "Analysis/ViewSources.h"
#include "Compatibility.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

/// A memref, and a flag that goes with it.
using OwnedValue = std::pair<Value, Value>;

Value buffer_merge::findFreeCondition(OpOperand &dealloc) {
  Operation *op = dealloc.getOwner();
  if (auto many = dyn_cast<bufferization::DeallocOp>(op)) {
    unsigned number = dealloc.getOperandNumber();
    return number < many.getMemrefs().size() ? many.getConditions()[number]
                                             : Value();
  }
  auto guard = dyn_cast<scf::IfOp>(op->getParentOp());
  return guard && op->getBlock() == guard.thenBlock() ? guard.getCondition()
                                                      : Value();
}

/// Add to `bound` what the predecessors of their block bind to `memref` and
/// `flag`. Return false if one of them says nothing about a value.
static bool addFromBlocks(BlockArgument memref, BlockArgument flag,
                          llvm::SmallSetVector<OwnedValue, 8> &bound) {
  Block *block = memref.getOwner();
  for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
    auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
    if (!branch)
      return false;
    SuccessorOperands operands =
        branch.getSuccessorOperands(it.getSuccessorIndex());
    Value newMemref = operands[memref.getArgNumber()];
    Value newFlag = operands[flag.getArgNumber()];
    if (!newMemref || !newFlag)
      return false;
    bound.insert({newMemref, newFlag});
  }
  return true;
}

/// Add to `bound` what is bound to `memref` and `flag`, both results of `op` or
/// arguments of its region `target`, by `op` and by the ends of its regions.
/// Return false if one of them says nothing about a value.
static bool addFromRegions(RegionBranchOpInterface op, Region *target,
                           Value memref, Value flag,
                           llvm::SmallSetVector<OwnedValue, 8> &bound) {
  for (RegionBranchPoint point : op.getAllRegionBranchPoints()) {
    SmallVector<RegionSuccessor> successors;
    op.getSuccessorRegions(point, successors);
    for (RegionSuccessor successor : successors) {
      if (successor.getSuccessor() != target)
        continue;
      ValueRange inputs = getSuccessorInputs(op, successor);
      OperandRange operands = op.getSuccessorOperands(point, successor);
      auto memrefIt = llvm::find(inputs, memref);
      auto flagIt = llvm::find(inputs, flag);
      if (memrefIt == inputs.end() || flagIt == inputs.end() ||
          operands.size() != inputs.size())
        return false;
      bound.insert({operands[memrefIt - inputs.begin()],
                    operands[flagIt - inputs.begin()]});
    }
  }
  return true;
}

/// Add to `bound` what is bound to `memref` and `flag` at the same time. Return
/// false if not all of that is known.
static bool addBound(Value memref, Value flag,
                     llvm::SmallSetVector<OwnedValue, 8> &bound) {
  auto select = memref.getDefiningOp<arith::SelectOp>();
  auto flagSelect = flag.getDefiningOp<arith::SelectOp>();
  if (select && flagSelect &&
      select.getCondition() == flagSelect.getCondition()) {
    bound.insert({select.getTrueValue(), flagSelect.getTrueValue()});
    bound.insert({select.getFalseValue(), flagSelect.getFalseValue()});
    return true;
  }
  auto argument = dyn_cast<BlockArgument>(memref);
  auto flagArgument = dyn_cast<BlockArgument>(flag);
  if (!argument && !flagArgument) {
    auto op = memref.getDefiningOp<RegionBranchOpInterface>();
    return op && op == flag.getDefiningOp() &&
           addFromRegions(op, /*target=*/nullptr, memref, flag, bound);
  }
  if (!argument || !flagArgument ||
      argument.getOwner() != flagArgument.getOwner())
    return false;
  Block *block = argument.getOwner();
  if (!block->isEntryBlock())
    return addFromBlocks(argument, flagArgument, bound);
  auto op = dyn_cast<RegionBranchOpInterface>(block->getParentOp());
  return op && addFromRegions(op, block->getParent(), memref, flag, bound);
}

std::optional<SmallVector<Value>>
buffer_merge::getOwnedOrigins(Value memref, Value condition,
                              const BufferAliases &aliases,
                              DistantOrigins *known) {
  constexpr size_t maxPairs = 64;
  llvm::SmallSetVector<OwnedValue, 8> pairs;
  pairs.insert({memref, condition});
  llvm::SmallSetVector<Value, 8> origins;
  for (size_t i = 0; i < pairs.size(); ++i) {
    auto [value, flag] = pairs[i];
    if (matchPattern(flag, m_Zero()))
      continue;
    value = findViewedMemory(value);
    if (pairs.size() < maxPairs && addBound(value, flag, pairs))
      continue;
    std::optional<SmallVector<Value>> all = aliases.getOrigins(value, known);
    if (!all)
      return std::nullopt;
    origins.insert_range(*all);
  }
  return origins.takeVector();
}
