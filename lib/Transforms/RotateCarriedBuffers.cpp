//===- Slots for loop-carried buffers ------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Transforms/RotateCarriedBuffers.h"
#include "Mutation.h"
#include "Planning/Pins.h"
#include "Report/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace buffer_merge;

//===----------------------------------------------------------------------===//
// Numbers that loops carry
//===----------------------------------------------------------------------===//

namespace {
/// A loop with one more value that it carries. As long as nothing else is said,
/// each iteration hands on what it was given.
struct ThreadedLoop {
  Operation *loop = nullptr;
  /// The value within the region of interest.
  Value inside;
  /// The operand by which that region hands the value on.
  OpOperand *yielded = nullptr;
  /// The value behind the loop.
  Value result;
};
} // namespace

/// Replace `loop` by one that also carries a value, at first `init`.
static ThreadedLoop addCarriedValue(RewriterBase &rewriter, scf::WhileOp loop,
                                    Value init, bool isInsideBefore) {
  Location loc = init.getLoc();
  Type type = init.getType();
  SmallVector<Value> inits(loop.getInits());
  inits.push_back(init);
  SmallVector<Type> types(loop.getResultTypes());
  types.push_back(type);
  rewriter.setInsertionPoint(loop);
  OperationState state(loop.getLoc(), scf::WhileOp::getOperationName());
  state.addOperands(inits);
  state.addTypes(types);
  state.addAttributes(loop->getAttrs());
  state.addRegion()->takeBody(loop.getBefore());
  state.addRegion()->takeBody(loop.getAfter());
  auto newLoop = cast<scf::WhileOp>(rewriter.create(state));

  Value before = newLoop.getBefore().addArgument(type, loc);
  Value after = newLoop.getAfter().addArgument(type, loc);
  scf::ConditionOp condition = newLoop.getConditionOp();
  scf::YieldOp yield = newLoop.getYieldOp();
  rewriter.modifyOpInPlace(condition,
                           [&] { condition.getArgsMutable().append(before); });
  rewriter.modifyOpInPlace(yield,
                           [&] { yield.getResultsMutable().append(after); });
  rewriter.replaceOp(loop, newLoop.getResults().drop_back());

  Operation *terminator = yield;
  if (isInsideBefore)
    terminator = condition;
  return {newLoop, isInsideBefore ? before : after,
          &terminator->getOpOperands().back(), newLoop.getResults().back()};
}

/// Replace `loop`, one of those that `CarriedInstances` knows, by one that also
/// carries a value, at first `init`. `inner` is some operation in its body.
static ThreadedLoop addCarriedValue(RewriterBase &rewriter, Operation *loop,
                                    Value init, Operation *inner) {
  if (auto whileLoop = dyn_cast<scf::WhileOp>(loop))
    return addCarriedValue(
        rewriter, whileLoop, init,
        whileLoop.getBefore().isAncestor(inner->getParentRegion()));
  rewriter.setInsertionPoint(loop);
  DictionaryAttr attributes = loop->getDiscardableAttrDictionary();
  FailureOr<LoopLikeOpInterface> newLoop =
      cast<LoopLikeOpInterface>(loop).replaceWithAdditionalYields(
          rewriter, init, /*replaceInitOperandUsesInLoop=*/false,
          [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
            return SmallVector<Value>(arguments);
          });
  assert(succeeded(newLoop) && "scf.for and affine.for carry any value");
  Operation *op = *newLoop;
  op->setDiscardableAttrs(attributes);
  return {op, newLoop->getRegionIterArgs().back(),
          &newLoop->getYieldedValuesMutable()->back(), op->getResults().back()};
}

namespace {
/// Makes the numbers that choose slots.
class IterationCounters {
public:
  explicit IterationCounters(RewriterBase &rewriter) : rewriter(rewriter) {}

  /// Return a value that is defined where an iteration of the innermost loop of
  /// `buffer` begins: the number of the iteration modulo the number of slots,
  /// counted from where the outermost of its loops is entered.
  Value get(const CarriedBuffer &buffer);

private:
  /// Make all loops of `buffer` carry such a number.
  Value create(const CarriedBuffer &buffer);

  RewriterBase &rewriter;
  /// What became of the loops that were replaced.
  DenseMap<Operation *, Operation *> newest;
  /// The argument of the body, by the loops as they were at first, the region
  /// of the innermost, and the number of slots. Values would not outlive that a
  /// loop is replaced once more; new arguments are appended.
  DenseMap<std::tuple<Operation *, Operation *, unsigned, int64_t>, unsigned>
      arguments;
};
} // namespace

Value IterationCounters::get(const CarriedBuffer &buffer) {
  Operation *outermost = buffer.loops.front(), *innermost = buffer.loops.back();
  Operation *loop = newest.try_emplace(innermost, innermost).first->second;
  Region *body = llvm::find_if(loop->getRegions(), [&](Region &region) {
    return region.isAncestor(buffer.alloc->getParentRegion());
  });
  unsigned number = body->getRegionNumber();
  auto [it, isNew] = arguments.try_emplace(
      {outermost, innermost, number, buffer.numInstances}, 0);
  if (!isNew)
    return body->getArgument(it->second);
  Value counter = create(buffer);
  it->second = cast<BlockArgument>(counter).getArgNumber();
  return counter;
}

Value IterationCounters::create(const CarriedBuffer &buffer) {
  Location loc = buffer.alloc->getLoc();
  SmallVector<ThreadedLoop> threaded;
  for (Operation *original : buffer.loops) {
    Operation *&loop = newest.try_emplace(original, original).first->second;
    Value init;
    if (threaded.empty()) {
      rewriter.setInsertionPoint(loop);
      init = arith::ConstantIndexOp::create(rewriter, loc, 0);
    } else {
      init = threaded.back().inside;
    }
    threaded.push_back(addCarriedValue(rewriter, loop, init, buffer.alloc));
    loop = threaded.back().loop;
  }
  for (auto [outer, inner] : llvm::zip(threaded, llvm::drop_begin(threaded)))
    if (!isMutated("slots-number"))
      outer.yielded->set(inner.result);

  // The next number is made where the iteration hands it on.
  OpOperand *yielded = threaded.back().yielded;
  Value counter = threaded.back().inside;
  rewriter.setInsertionPoint(yielded->getOwner());
  Value last =
      arith::ConstantIndexOp::create(rewriter, loc, buffer.numInstances - 1);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value isLast = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                       counter, last);
  Value next = arith::AddIOp::create(rewriter, loc, counter, one);
  yielded->set(arith::SelectOp::create(rewriter, loc, isLast, zero, next));
  return counter;
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// Return the region in which `buffer` gets its slots: all of its instances end
/// when an execution of the region does.
static Region *findSlotRegion(const CarriedBuffer &buffer, SlotPlace place) {
  if (place == SlotPlace::Scope && !buffer.deallocs.empty())
    return buffer.scope;
  Region *region = buffer.alloc->getParentRegion();
  for (unsigned level = 0; level < buffer.homeLevel; ++level)
    region = region->getParentRegion();
  // What nothing frees leaks. In a branch it does so only if that is taken.
  if (place == SlotPlace::Scope)
    while (region != buffer.scope &&
           isa<LoopLikeOpInterface>(region->getParentOp()))
      region = region->getParentRegion();
  return region;
}

/// Go to where `alloc`, in `region`, gets its slots: a place that is executed
/// once for an execution of the region, and before `alloc`. In a region of
/// several blocks it is behind `previous` if that is not null.
static void setInsertionPointToSlots(RewriterBase &rewriter, Region *region,
                                     memref::AllocOp alloc,
                                     Operation *previous) {
  // Of several blocks, some may be executed more than once, or not at all on
  // the way to an exit.
  if (llvm::hasSingleElement(*region))
    rewriter.setInsertionPoint(region->findAncestorOpInRegion(*alloc));
  else if (previous)
    rewriter.setInsertionPointAfter(previous);
  else
    rewriter.setInsertionPointToStart(&region->front());
}

/// Free `slots` wherever control leaves `region`.
static void freeAtExits(RewriterBase &rewriter, Region &region,
                        ArrayRef<Value> slots) {
  for (Block &block : region) {
    if (block.getNumSuccessors() != 0)
      continue;
    rewriter.setInsertionPoint(block.getTerminator());
    for (Value slot : slots)
      memref::DeallocOp::create(rewriter, slot.getLoc(), slot);
  }
}

/// Return the slot of number `counter`, as a value at the place of `alloc`.
static Value selectSlot(RewriterBase &rewriter, memref::AllocOp alloc,
                        ArrayRef<Value> slots, Value counter) {
  Location loc = alloc.getLoc();
  rewriter.setInsertionPoint(alloc);
  Value slot = slots.front();
  for (auto [number, other] : llvm::enumerate(slots)) {
    if (number == 0)
      continue;
    Value constant = arith::ConstantIndexOp::create(rewriter, loc, number);
    Value isOther = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::eq, counter, constant);
    slot = arith::SelectOp::create(rewriter, loc, isOther, other, slot);
  }
  return slot;
}

/// Replace what asks `alloc`, or a cast of it, for a size. The size of a slot
/// that is selected is no affine symbol, and that of an allocation is.
static void foldSizes(RewriterBase &rewriter, memref::AllocOp alloc) {
  ArrayRef<int64_t> shape = alloc.getType().getShape();
  SmallVector<Value> worklist = {alloc};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
      if (auto cast = dyn_cast<memref::CastOp>(user))
        worklist.push_back(cast);
      auto dim = dyn_cast<memref::DimOp>(user);
      std::optional<int64_t> index =
          dim ? dim.getConstantIndex() : std::nullopt;
      if (!index || *index < 0 || *index >= static_cast<int64_t>(shape.size()))
        continue;
      rewriter.setInsertionPoint(dim);
      rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(dim, shape[*index]);
    }
  }
}

RotateCarriedBuffersResult
buffer_merge::applyRotation(RewriterBase &rewriter,
                            const CarriedInstances &instances,
                            SlotPlace place) {
  RotateCarriedBuffersResult result;
  SmallVector<const CarriedBuffer *> rotated;
  for (const CarriedBuffer &buffer : instances.getBuffers()) {
    if (buffer.obstacle)
      ++result.numLeft;
    else
      rotated.push_back(&buffer);
  }
  // Replaces loops, and with them their regions.
  IterationCounters counters(rewriter);
  for (const CarriedBuffer *buffer : rotated)
    if (buffer->numInstances > 1)
      counters.get(*buffer);

  llvm::SmallSetVector<Operation *, 8> deallocs;
  // Freed together, so that each block is visited once.
  llvm::MapVector<Region *, SmallVector<Value>> freed;
  DenseMap<Region *, Operation *> lastSlots;
  for (const CarriedBuffer *buffer : rotated) {
    memref::AllocOp alloc = buffer->alloc;
    Region *region = findSlotRegion(*buffer, place);
    Operation *&lastSlot = lastSlots[region];
    setInsertionPointToSlots(rewriter, region, alloc, lastSlot);
    SmallVector<Value> slots;
    for (int64_t number = 0; number < buffer->numInstances; ++number)
      slots.push_back(rewriter.clone(*alloc)->getResult(0));
    lastSlot = slots.back().getDefiningOp();
    if (!buffer->deallocs.empty() && !isMutated("slots-freed"))
      llvm::append_range(freed[region], slots);
    for (memref::DeallocOp dealloc : buffer->deallocs)
      deallocs.insert(dealloc);
    Value counter;
    if (buffer->numInstances > 1) {
      counter = counters.get(*buffer);
      foldSizes(rewriter, alloc);
    }
    rewriter.replaceOp(alloc, selectSlot(rewriter, alloc, slots, counter));
    result.numRotated += buffer->isCarried;
    result.numSlots += slots.size();
  }
  for (auto &[region, slots] : freed)
    freeAtExits(rewriter, *region, slots);
  for (Operation *dealloc : deallocs) {
    auto guard = dyn_cast<scf::IfOp>(dealloc->getParentOp());
    rewriter.eraseOp(dealloc);
    // Nothing is left of a branch that was made to free.
    if (guard && guard.getNumResults() == 0 && !guard.elseBlock() &&
        llvm::hasSingleElement(*guard.thenBlock()))
      rewriter.eraseOp(guard);
  }
  return result;
}

RotateCarriedBuffersResult
buffer_merge::rotateCarriedBuffers(Operation *root,
                                   const RotateCarriedBuffersOptions &options) {
  BufferLifetimesOptions lifetimesOptions = options.lifetimes;
  lifetimesOptions.findValues = lifetimesOptions.findInPlacePairs = false;
  // Only a bound is a size of slots.
  if (lifetimesOptions.dynamic != DynamicPolicy::Bounded)
    lifetimesOptions.dynamic = DynamicPolicy::None;
  // Several slots cannot be at the place of one buffer, nor have its name.
  lifetimesOptions.isEligible = [&](memref::AllocOp alloc) {
    return !hasPin(alloc) && (!options.lifetimes.isEligible ||
                              options.lifetimes.isEligible(alloc));
  };
  BufferLifetimes lifetimes(root, lifetimesOptions);
  CarriedInstances instances(root, lifetimes, options.instances);
  emitRotationRemarks(instances);
  IRRewriter rewriter(root->getContext());
  return applyRotation(rewriter, instances, options.slots);
}
