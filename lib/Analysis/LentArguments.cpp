//===- LentArguments.cpp - Arguments that may hold buffers ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LentArguments.h"
#include "AccessCover.h"
#include "BufferSize.h"
#include "Mutation.h"
#include "WholeOverwrite.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

std::optional<int64_t> buffer_merge::getLentAlignment(func::FuncOp function,
                                                      unsigned index) {
  if (!function.getArgAttr(index, donatedAttrName) &&
      !function.getArgAttr(index, outputAttrName))
    return std::nullopt;
  return getPromisedAlignment(function, index);
}

int64_t buffer_merge::getPromisedAlignment(func::FuncOp function,
                                           unsigned index) {
  auto promised = function.getArgAttrOfType<IntegerAttr>(
      index, LLVM::LLVMDialect::getAlignAttrName());
  if (!promised || !promised.getValue().isPowerOf2() ||
      promised.getValue().getActiveBits() > 61)
    return 1;
  return promised.getValue().getZExtValue();
}

/// Return the bytes and the alignment of `argument`, as its type says, or
/// nothing if it cannot hold buffers.
static std::optional<LentArgument> checkType(BlockArgument argument,
                                             func::FuncOp function,
                                             const DataLayout &layout) {
  auto type = dyn_cast<MemRefType>(argument.getType());
  if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity() ||
      function.getArgAttr(argument.getArgNumber(), arenaAttrName))
    return std::nullopt;
  auto size = computeBufferSize(type, layout);
  auto *known = std::get_if<BufferSize>(&size);
  if (!known || known->bytes == 0)
    return std::nullopt;
  return LentArgument{argument, known->bytes, known->alignment, {0, 0}};
}

std::optional<SmallVector<OpOperand *>>
buffer_merge::collectAccesses(Value memory, const FunctionContext &context,
                              bool isReturned) {
  AliasBudget budget;
  std::optional<SmallVector<Value>> aliases =
      context.aliases.getAliases(memory, budget);
  if (!aliases)
    return std::nullopt;
  SmallVector<OpOperand *> accesses;
  for (OpOperand *use : context.order.collectUses(*aliases)) {
    // It may compare addresses, of which two buffers would have one.
    if (isa<bufferization::DeallocOp>(use->getOwner()))
      return std::nullopt;
    BufferUse what = classifyUse(*use, context.callees);
    if (isReturned && what.kind == BufferUse::Kind::Refused &&
        what.reason == UnmergeableReason::Returned)
      continue;
    switch (what.kind) {
    case BufferUse::Kind::None:
    case BufferUse::Kind::Forward:
      continue;
    case BufferUse::Kind::Access:
      accesses.push_back(use);
      continue;
    case BufferUse::Kind::DeferredAccess:
    case BufferUse::Kind::Dealloc:
    case BufferUse::Kind::Refused:
      return std::nullopt;
    }
  }
  return accesses;
}

/// Return the operation with which all that the function does to an argument
/// begins, on every path, if it overwrites all of it; else null.
static Operation *findFirstOverwrite(BlockArgument argument,
                                     ArrayRef<OpOperand *> accesses,
                                     const FunctionContext &context) {
  Block *entry = argument.getOwner();
  OpOperand &first = *accesses.front();
  Operation *overwrite =
      first.get() == argument || isMutated("lent-whole-output")
          ? findWholeOverwrite(first)
          : nullptr;
  if (!overwrite || overwrite->getBlock() != entry)
    return nullptr;
  TickRange ticks = context.order.getTicks(overwrite);
  for (OpOperand *use : accesses.drop_front())
    if (context.order.getTicks(use->getOwner()).first <= ticks.last)
      return nullptr;
  return overwrite;
}

std::optional<TickRange>
buffer_merge::coverAll(ArrayRef<OpOperand *> accesses,
                       const FunctionContext &context) {
  FunctionOpInterface function = context.function;
  Region *body = &function.getFunctionBody();
  // As if it were allocated where the function begins.
  Operation *begin = &body->front().front();
  std::optional<TickRange> all;
  for (OpOperand *use : accesses) {
    auto result = coverAccess(use->getOwner(), /*isDeferred=*/false, begin,
                              body, context.order);
    auto *cover = std::get_if<AccessCover>(&result);
    if (!cover || cover->isInFlightAtEnd)
      return std::nullopt;
    all = all ? all->hull(cover->ticks) : cover->ticks;
  }
  return all;
}

SmallVector<LentArgument, 0>
buffer_merge::findLentArguments(const FunctionContext &context,
                                UnsharedArguments &unshared) {
  SmallVector<LentArgument, 0> lent;
  FunctionOpInterface interface = context.function;
  auto function = dyn_cast<func::FuncOp>(interface.getOperation());
  if (!function || !context.order.hasKnownControlFlow())
    return lent;
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    bool isOutput = !function.getArgAttr(number, donatedAttrName) ||
                    function.getArgAttr(number, outputAttrName);
    std::optional<int64_t> alignment = getLentAlignment(function, number);
    std::optional<LentArgument> found =
        checkType(argument, function, context.layout);
    if (!found || (!alignment && !unshared.mayKnowCallers(function)))
      continue;
    std::optional<SmallVector<OpOperand *>> accesses =
        collectAccesses(argument, context);
    if (!accesses || accesses->empty() ||
        (isOutput && !findFirstOverwrite(argument, *accesses, context)))
      continue;
    if (!alignment)
      alignment = unshared.getAlignment(function, number);
    std::optional<TickRange> busy = coverAll(*accesses, context);
    if (!alignment || !busy)
      continue;
    found->alignment = std::max(found->alignment, *alignment);
    TickRange body = context.order.getTicks(&function.getBody());
    found->busy = isOutput ? TickRange{busy->first, body.last}
                           : TickRange{body.first, busy->last};
    lent.push_back(*found);
  }
  return lent;
}
