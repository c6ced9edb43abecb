//===- Buffers that may be in place of each other -------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InPlacePairs.h"
#include "BufferSize.h"
#include "Mutation.h"
#include "PlacedUses.h"
#include "Premises.h"
#include "WholeOverwrite.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

/// Return true if `value` begins at the first byte of `buffer`, and its
/// elements lie one after the other.
static bool beginsWith(Value value, const BufferLifetime &buffer) {
  auto type = dyn_cast<MemRefType>(value.getType());
  auto [root, base] = findBase(value);
  return type && isRowMajor(type) && base == 0 && root == buffer.alloc;
}

/// Return the condition under which `op`, the last access of `earlier` and the
/// first one of `later`, works in place, or nothing.
static std::optional<InPlaceCondition>
checkInPlace(Operation *op, const BufferLifetime &earlier,
             const BufferLifetime &later, const BufferAliases &aliases,
             const BufferLifetimesOptions &options) {
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
          !options.getInPlaceCondition(*read.operand, *write.operand))
        return std::nullopt;
    }
  }
  // Every operand that may be one of the two counts, not only the one by which
  // the pair was found.
  SmallVector<OpOperand *> reads, writes;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<BaseMemRefType>(operand.get().getType()))
      continue;
    std::optional<SmallVector<Value>> origins =
        aliases.getOrigins(operand.get());
    // A clone may be either of the two as well.
    if (!origins ||
        llvm::any_of(*origins, [&](Value v) { return aliases.isClone(v); }))
      return std::nullopt;
    bool isRead = llvm::is_contained(*origins, earlier.alloc);
    bool isWritten = llvm::is_contained(*origins, later.alloc);
    // Which of the two it is, is known at run time only.
    if (isRead && isWritten)
      return std::nullopt;
    if (isRead)
      reads.push_back(&operand);
    if (isWritten)
      writes.push_back(&operand);
  }
  if (reads.empty() || writes.empty())
    return std::nullopt;
  InPlaceCondition result = InPlaceCondition::AnyOffset;
  for (OpOperand *read : reads)
    for (OpOperand *written : writes) {
      std::optional<InPlaceCondition> condition =
          options.getInPlaceCondition(*read, *written);
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

SmallVector<InPlaceBuffers>
buffer_merge::findInPlacePairs(ArrayRef<const BufferLifetime *> buffers,
                               const FunctionContext &context,
                               const BufferLifetimesOptions &options) {
  const ExecutionOrder &order = context.order;
  // What loops extend a lifetime to is no single execution of an operation:
  // both ends must be those of the operation itself.
  llvm::MapVector<Operation *, SmallVector<size_t, 2>> diesIn;
  auto isLeft = [](const BufferLifetime *buffer) {
    return buffer->refusal && !buffer->shareable;
  };
  for (auto [index, buffer] : llvm::enumerate(buffers))
    if (!isLeft(buffer) &&
        buffer->ticks.last == order.getTicks(buffer->lastAccess).last)
      diesIn[buffer->lastAccess].push_back(index);
  // By their numbers, and the pairs.
  SmallVector<std::tuple<int64_t, size_t, size_t, InPlaceBuffers>> found;
  constexpr unsigned maxOperands = 64;
  for (auto [index, later] : llvm::enumerate(buffers)) {
    // Of several threads that execute the operation, one would read what
    // another one has written already.
    if (isLeft(later) || (later->isWorkgroup && !isMutated("G6-in-place")))
      continue;
    Operation *op = later->firstAccess;
    auto *it = diesIn.find(op);
    if (it == diesIn.end() || later->ticks.first != order.getTicks(op).first ||
        op->getNumOperands() > maxOperands || usesMemRefsInside(op))
      continue;
    // The fill would overwrite what the operation has not read yet.
    endPremise<Stage::Refilling, Premise::FirstAccess>();
    relyOn<Proof::InPlace, Premise::FirstAccess>();
    if (ask<Stage::Refilling, Premise::FirstAccess, Proof::InPlace>(
            context.refills.isFilledInFrontOf(op)) &&
        !isMutated("L12-in-place"))
      continue;
    for (size_t earlierIndex : it->second) {
      const BufferLifetime *earlier = buffers[earlierIndex];
      if (earlier->ticks.first >= later->ticks.first ||
          earlier->alloc == later->alloc || earlier->scope != later->scope ||
          earlier->getMemorySpace() != later->getMemorySpace())
        continue;
      relyOn<Proof::InPlace, Premise::ContentsStay>();
      TickRange ticks = order.getTicks(op);
      if (std::optional<InPlaceCondition> condition =
              checkInPlace(op, *earlier, *later, context.aliases, options))
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
