//===- PoolSlots.cpp - A slot of a pool for each iteration ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PoolSlots.h"
#include "Analysis/IterationSpace.h"
#include "Mutation.h"
#include "Planning/Storage/StorageChoice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace buffer_merge;

static memref::AllocOp allocateSlots(RewriterBase &rewriter,
                                     const PoolPlan &plan, int64_t numSlots) {
  const Schedule &schedule = plan.getPool()->schedule;
  // Nothing is behind the last slot that would have to be aligned.
  int64_t bytes =
      (numSlots - 1) * getSlotDistance(schedule) + schedule.poolSize;
  auto type = MemRefType::get({bytes}, rewriter.getI8Type(),
                              MemRefLayoutAttrInterface(), plan.memorySpace);
  return memref::AllocOp::create(
      rewriter, plan.scope->getLoc(), type,
      rewriter.getI64IntegerAttr(schedule.poolAlignment));
}

/// Return the number of the iteration, from 0 on: the last of `ranges` is the
/// one that counts fastest.
static Value numberIteration(RewriterBase &rewriter, Location loc,
                             ArrayRef<IterationRange> ranges) {
  auto makeConstant = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, number);
  };
  Value number;
  for (const IterationRange &range : ranges) {
    if (range.count == 1)
      continue;
    Value digit = range.variable;
    if (range.lower != 0 && !isMutated("R8-lower-bound"))
      digit = arith::SubIOp::create(rewriter, loc, digit,
                                    makeConstant(range.lower));
    // The distance from the lower bound may need all bits of an index.
    if (range.step != 1 && !isMutated("R8-step"))
      digit = arith::DivUIOp::create(rewriter, loc, digit,
                                     makeConstant(range.step));
    if (number && !isMutated("R8-dimensions"))
      digit = arith::AddIOp::create(
          rewriter, loc,
          arith::MulIOp::create(rewriter, loc, number,
                                makeConstant(range.count)),
          digit);
    number = digit;
  }
  return number ? number : makeConstant(0);
}

Value buffer_merge::createSlot(RewriterBase &rewriter, const PoolPlan &plan) {
  Operation *loop = plan.scope->getParentOp();
  Location loc = loop->getLoc();
  auto ranges = *getIterationRanges(loop);
  Value slots;
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(loop);
    slots = allocateSlots(rewriter, plan, countIterations(ranges));
  }
  Value number = numberIteration(rewriter, loc, ranges);
  Value distance = arith::ConstantIndexOp::create(
      rewriter, loc, getSlotDistance(plan.getPool()->schedule));
  Value offset = arith::MulIOp::create(rewriter, loc, number, distance);
  return memref::ViewOp::create(rewriter, loc, plan.getPoolType(), slots,
                                offset, /*sizes=*/ValueRange());
}

void buffer_merge::freeSlots(RewriterBase &rewriter, Value slot) {
  Value slots = slot.getDefiningOp<memref::ViewOp>().getSource();
  Operation *loop = slot.getDefiningOp()->getParentOp();
  rewriter.setInsertionPointAfter(loop);
  memref::DeallocOp::create(rewriter, slots.getLoc(), slots);
}

void buffer_merge::discardSlots(RewriterBase &rewriter, Value slot) {
  auto view = slot.getDefiningOp<memref::ViewOp>();
  Operation *alloc = view.getSource().getDefiningOp();
  rewriter.eraseOp(view);
  rewriter.eraseOp(alloc);
}
