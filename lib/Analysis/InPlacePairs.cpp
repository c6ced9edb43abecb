//===- Buffers that may be in place of each other -------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InPlacePairs.h"
#include "AttributeChanges.h"
#include "BufferSize.h"
#include "LentArguments.h"
#include "Mutation.h"
#include "PlacedUses.h"
#include "Premises.h"
#include "WholeOverwrite.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

/// How many operands an operation may have to be looked at.
static constexpr unsigned maxOperands = 64;

/// How many functions may pass two arguments on to each other.
static constexpr unsigned maxDepth = 64;

/// Return true if `value` begins at the first byte of `buffer`, and its
/// elements lie one after the other.
static bool beginsWith(Value value, Value buffer) {
  auto type = dyn_cast<MemRefType>(value.getType());
  auto [root, base] = findBase(value);
  return type && isRowMajor(type) && base == 0 && root == buffer;
}

/// Return true if nothing but what `op` says of its operands decides whether it
/// works in place.
static bool mayWorkInPlace(Operation *op) {
  return op->getNumOperands() <= maxOperands && !usesMemRefsInside(op);
}

/// Return true if `op`, a function or a call, says something that is not true
/// if the arguments `earlier` and `later` share bytes.
static bool saysOtherwise(Operation *op, unsigned earlier, unsigned later) {
  if (isMutated("in-place-attributes"))
    return false;
  AttributeChanges changes = AttributeChange::ReadsArgument |
                             AttributeChange::WritesArgument |
                             AttributeChange::SharesArgument;
  return findFalseAttribute(op, AttributeChanges() |
                                    AttributeChange::AccessesArguments) ||
         findFalseArgumentAttribute(op, earlier, changes) ||
         findFalseArgumentAttribute(op, later, changes);
}

/// Return true if buffers of `function` may be put into the bytes of one of
/// these arguments (`findLentArguments`): the other one would lose them.
static bool mayHoldBuffers(func::FuncOp function, unsigned earlier,
                           unsigned later) {
  if (isMutated("in-place-lent"))
    return false;
  if (getLentAlignment(function, earlier) || getLentAlignment(function, later))
    return true;
  return !isCalledFromOutside(function) &&
         function->walk([](memref::AllocOp) { return WalkResult::interrupt(); })
             .wasInterrupted();
}

InPlacePairs::Condition InPlacePairs::checkArguments(BlockArgument earlier,
                                                     BlockArgument later) {
  auto function = cast<func::FuncOp>(earlier.getOwner()->getParentOp());
  unsigned first = earlier.getArgNumber(), second = later.getArgNumber();
  const FunctionContext *context = lifetimes.getContext(function);
  if (!context || !context->order.hasKnownControlFlow() ||
      saysOtherwise(function, first, second) ||
      mayHoldBuffers(function, first, second))
    return std::nullopt;
  auto reads = collectAccesses(earlier, *context);
  auto writes = collectAccesses(later, *context);
  if (!reads || !writes || reads->empty() || writes->empty())
    return std::nullopt;
  std::optional<TickRange> readTicks = coverAll(*reads, *context);
  std::optional<TickRange> writtenTicks = coverAll(*writes, *context);
  if (!readTicks || !writtenTicks)
    return std::nullopt;
  // As for buffers that are allocated where the function begins.
  if (readTicks->last < writtenTicks->first || isMutated("in-place-order"))
    return InPlaceCondition::AnyOffset;
  Operation *op = writes->front()->getOwner();
  TickRange ticks = context->order.getTicks(op);
  bool isOnce = reads->back()->getOwner() == op &&
                readTicks->last == ticks.last &&
                writtenTicks->first == ticks.first;
  if ((!isOnce && !isMutated("in-place-once")) || !mayWorkInPlace(op))
    return std::nullopt;
  return checkOperation(op, earlier, later, *context);
}

InPlacePairs::Condition
InPlacePairs::getCondition(OpOperand &read, OpOperand &written,
                           const FunctionContext &context) {
  if (Condition condition = options.getInPlaceCondition(read, written))
    return condition;
  auto call = dyn_cast<func::CallOp>(read.getOwner());
  func::FuncOp callee = call ? context.callees.getCallee(call) : func::FuncOp();
  unsigned earlier = read.getOperandNumber();
  unsigned later = written.getOperandNumber();
  if (!callee || depth == maxDepth || saysOtherwise(call, earlier, later))
    return std::nullopt;
  auto [it, isNew] = known.try_emplace({callee, earlier, later}, std::nullopt);
  if (!isNew)
    return it->second;
  ++depth;
  Condition condition =
      checkArguments(callee.getArgument(earlier), callee.getArgument(later));
  --depth;
  known[{callee, earlier, later}] = condition;
  return condition;
}

InPlacePairs::Condition
InPlacePairs::checkOperation(Operation *op, Value earlier, Value later,
                             const FunctionContext &context) {
  // Every operand that may be one of the two counts, not only the one by which
  // the pair was found.
  SmallVector<OpOperand *> reads, writes;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!mayHoldAddress(operand.get().getType()))
      continue;
    std::optional<SmallVector<Value>> origins =
        context.aliases.getOrigins(operand.get());
    // A clone may be either of the two as well.
    if (!origins || llvm::any_of(*origins, [&](Value v) {
          return context.aliases.isClone(v);
        }))
      return std::nullopt;
    bool isRead = llvm::is_contained(*origins, earlier);
    bool isWritten = llvm::is_contained(*origins, later);
    // Which of the two it is, is known at run time only.
    if (isRead && isWritten)
      return std::nullopt;
    // What else holds an address is accessed in ways that no condition is
    // about.
    if ((isRead || isWritten) && !isa<BaseMemRefType>(operand.get().getType()))
      return std::nullopt;
    if (isRead)
      reads.push_back(&operand);
    // The fill would overwrite what the operation has not read yet.
    endPremise<Stage::Refilling, Premise::FirstAccess>();
    relyOn<Proof::InPlace, Premise::FirstAccess>();
    if (isWritten && !isMutated("L12-in-place") &&
        ask<Stage::Refilling, Premise::FirstAccess, Proof::InPlace>(
            context.refills.isFilledBefore(operand)))
      return std::nullopt;
    if (isWritten)
      writes.push_back(&operand);
  }
  if (reads.empty() || writes.empty())
    return std::nullopt;
  auto result = InPlaceCondition::AnyOffset;
  for (OpOperand *read : reads)
    for (OpOperand *written : writes) {
      Condition condition = getCondition(*read, *written, context);
      if (!condition)
        return std::nullopt;
      if (*condition == InPlaceCondition::AnyOffset)
        continue;
      // Offsets of buffers say nothing about views of later parts of them.
      if (!isMutated("in-place-parts") && (!beginsWith(read->get(), earlier) ||
                                           !beginsWith(written->get(), later)))
        return std::nullopt;
      result = InPlaceCondition::SameOffset;
    }
  return result;
}

InPlacePairs::Condition
InPlacePairs::checkBuffers(Operation *op, const BufferLifetime &earlier,
                           const BufferLifetime &later,
                           const FunctionContext &context) {
  // Most are none by the operands that are known to be theirs.
  auto isOther = [](OpOperand *operand) {
    return !isa<BaseMemRefType>(operand->get().getType());
  };
  for (const BufferEvent &read : llvm::reverse(earlier.events)) {
    if (read.operand->getOwner() != op)
      break;
    for (const BufferEvent &write : later.events) {
      if (write.operand->getOwner() != op)
        break;
      if (isOther(read.operand) || isOther(write.operand) ||
          read.operand == write.operand ||
          !getCondition(*read.operand, *write.operand, context))
        return std::nullopt;
    }
  }
  return checkOperation(op, earlier.alloc, later.alloc, context);
}

SmallVector<InPlaceBuffers>
InPlacePairs::find(ArrayRef<const BufferLifetime *> buffers,
                   const FunctionContext &context) {
  const ExecutionOrder &order = context.order;
  // What loops extend a lifetime to is no single execution of an operation:
  // both ends must be those of the operation itself.
  llvm::MapVector<Operation *, SmallVector<size_t, 2>> diesIn;
  auto isLeft = [](const BufferLifetime *buffer) {
    return buffer->refusal && !buffer->isOfRuntimeSize;
  };
  for (auto [index, buffer] : llvm::enumerate(buffers))
    if (!isLeft(buffer) &&
        buffer->ticks.last == order.getTicks(buffer->lastAccess).last)
      diesIn[buffer->lastAccess].push_back(index);
  // By their numbers, and the pairs.
  SmallVector<std::tuple<int64_t, size_t, size_t, InPlaceBuffers>> found;
  for (auto [index, later] : llvm::enumerate(buffers)) {
    // Of several threads that execute the operation, one would read what
    // another one has written already.
    if (isLeft(later) || (later->isWorkgroup && !isMutated("G6-in-place")))
      continue;
    Operation *op = later->firstAccess;
    auto *it = diesIn.find(op);
    if (it == diesIn.end() || later->ticks.first != order.getTicks(op).first ||
        !mayWorkInPlace(op))
      continue;
    for (size_t earlierIndex : it->second) {
      const BufferLifetime *earlier = buffers[earlierIndex];
      if (earlier->ticks.first >= later->ticks.first ||
          earlier->alloc == later->alloc || earlier->scope != later->scope ||
          earlier->getMemorySpace() != later->getMemorySpace())
        continue;
      relyOn<Proof::InPlace, Premise::ContentsStay>();
      TickRange ticks = order.getTicks(op);
      if (Condition condition = checkBuffers(op, *earlier, *later, context))
        found.push_back(
            {ticks.first, index, earlierIndex,
             InPlaceBuffers{earlier, later, *condition, op, ticks}});
    }
  }
  llvm::sort(found, [](const auto &a, const auto &b) {
    return std::tuple(std::get<0>(a), std::get<1>(a), std::get<2>(a)) <
           std::tuple(std::get<0>(b), std::get<1>(b), std::get<2>(b));
  });
  return llvm::map_to_vector(
      found, [](const auto &entry) { return std::get<3>(entry); });
}

/// Return when the function of `context` accesses `result`, which it returns,
/// and whatever it refers to is known; or nothing.
static std::optional<LentResult>
findLentResult(const BufferLifetime &result, const FunctionContext &context) {
  FunctionOpInterface function = context.function;
  Region &body = function.getFunctionBody();
  memref::AllocOp alloc = result.getAllocOp();
  if (!alloc || !result.size || alloc->getBlock() != &body.front() ||
      !alloc.getType().hasStaticShape() ||
      !alloc.getType().getLayout().isIdentity())
    return std::nullopt;
  auto accesses = collectAccesses(result.alloc, context, /*isReturned=*/true);
  if (!accesses || accesses->empty())
    return std::nullopt;
  std::optional<TickRange> busy = coverAll(*accesses, context);
  if (!busy)
    return std::nullopt;
  return LentResult{&result,
                    accesses->front()->getOwner(),
                    {busy->first, context.order.getTicks(&body).last},
                    {}};
}

SmallVector<LentResult, 0>
InPlacePairs::findLentResults(ArrayRef<const BufferLifetime *> results,
                              ArrayRef<const BufferLifetime *> buffers,
                              const FunctionContext &context) {
  const ExecutionOrder &order = context.order;
  FunctionOpInterface function = context.function;
  Region &body = function.getFunctionBody();
  // Sizes that are known only at run time are compared for the program as it is
  // (R9 run-time pools).
  if (!isa<func::FuncOp>(function) || !body.hasOneBlock() ||
      !order.hasKnownControlFlow() ||
      llvm::any_of(buffers, [](const auto *buffer) { return !buffer->size; }))
    return {};
  llvm::DenseMap<Operation *, SmallVector<const BufferLifetime *, 2>> diesIn;
  for (const BufferLifetime *buffer : buffers)
    if (buffer->scope == &body)
      diesIn[buffer->lastAccess].push_back(buffer);
  SmallVector<LentResult, 0> found;
  for (const BufferLifetime *result : results) {
    std::optional<LentResult> lent = findLentResult(*result, context);
    if (!lent)
      continue;
    Operation *op = lent->first;
    TickRange ticks = order.getTicks(op);
    auto dying = diesIn.find(op);
    if (dying != diesIn.end() && lent->busy.first == ticks.first &&
        mayWorkInPlace(op))
      for (const BufferLifetime *buffer : dying->second)
        if (buffer->ticks.last == ticks.last &&
            buffer->ticks.first < ticks.first &&
            buffer->alloc.getType() == result->alloc.getType() &&
            checkOperation(op, buffer->alloc, result->alloc, context)) {
          relyOn<Proof::InPlace, Premise::ContentsStay>();
          lent->inPlace.push_back(buffer);
        }
    found.push_back(std::move(*lent));
  }
  return found;
}
