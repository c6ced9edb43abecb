//===- EmplaceBuffers.cpp - Buffers inside of others ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inner buffer and the copy are in one block, so that from the first access
// to the inner buffer to the copy nothing is executed but what is between the
// two in the block. That is all that has to be looked at: the part of the outer
// buffer holds now from the first access on what it held from the copy on.
//
// Several buffers that are copied into one are decided about together: the
// first of them alone would only make the outer one alive for longer.
//
//===----------------------------------------------------------------------===//

#include "AliveBytes.h"
#include "Analysis/AllocScope.h"
#include "Analysis/BufferSize.h"
#include "Analysis/FunctionContext.h"
#include "Analysis/PlacedUses.h"
#include "CopyRewriting.h"
#include "Mutation.h"
#include "Planning/Pins.h"
#include "Premises.h"
#include "Report/Remarks.h"
#include "StridedParts.h"
#include "buffer-merge/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

#include <numeric>

using namespace mlir;
using namespace buffer_merge;

namespace {
/// An allocation that may be emplaced, or hold what is.
struct EmplaceableBuffer {
  int64_t size, alignment;
  TickRange ticks;
  Region *scope;
  /// Ticks of the lifetime at which it is not alive.
  SmallVector<TickRange, 0> gaps;

  /// Add the bytes of the buffer to `changes`, or take them away.
  void add(SmallVectorImpl<AliveBytes::Change> &changes, int64_t bytes) const {
    changes.push_back({ticks, bytes});
    for (TickRange gap : gaps)
      changes.push_back({gap, -bytes});
  }
};

/// The offset of a part in bytes: a constant plus sizes of dimensions times
/// indices.
struct PartOffset {
  int64_t bytes = 0;
  SmallVector<std::pair<Value, int64_t>> indices;
};

/// A copy of all of `inner` into a part of another buffer.
struct Candidate {
  memref::CopyOp copy;
  memref::AllocOp inner;
  PartOffset offset;
  /// Its first and last byte and what is between, if that is known.
  std::optional<ByteRange> bytes;
  /// The part, if it is not contiguous; else null.
  memref::SubViewOp strided;
  /// The first access to the inner buffer, and the first use, in the block of
  /// the copy.
  Operation *firstAccess = nullptr, *firstUse = nullptr;
  /// The last access to the inner buffer there, no earlier than the copy.
  Operation *lastAccess = nullptr;
  /// What fills the outer buffer between the first access and the copy.
  SmallVector<linalg::LinalgOp, 1> fills;
};

/// Emplaces the buffers of one function.
class BufferEmplacer {
public:
  /// `lifetimes` are those of the buffers of the function.
  BufferEmplacer(const FunctionContext &context,
                 ArrayRef<const BufferLifetime *> lifetimes,
                 const EmplaceBuffersOptions &options);

  EmplaceBuffersResult run();

private:
  /// The buffers of one alloc scope and memory space, and what became of them.
  struct Scope {
    std::optional<AliveBytes> alive;
    EmplaceBuffersResult result;
  };
  using ScopeKey = std::pair<Region *, Attribute>;

  std::optional<Candidate> match(memref::CopyOp copy, memref::AllocOp outer,
                                 ArrayRef<PlacedUse> outerUses);
  bool findAccesses(Candidate &candidate);
  bool isPartFree(Candidate &candidate, memref::AllocOp outer,
                  ArrayRef<PlacedUse> uses);
  bool canMove(linalg::LinalgOp fill, const Candidate &candidate,
               ArrayRef<PlacedUse> uses) const;
  bool keepWithinPeak(memref::AllocOp outer, SmallVectorImpl<Candidate> &group);
  void emplace(memref::AllocOp outer, ArrayRef<Candidate> group);
  memref::AllocOp replaceByBytes(memref::AllocOp outer, int64_t alignment);
  memref::AllocOp alignAtLeast(memref::AllocOp outer, int64_t alignment);
  void emitRemarks() const;

  const FunctionContext &context;
  const EmplaceBuffersOptions &options;
  DominanceInfo dominance;
  llvm::DenseMap<Operation *, EmplaceableBuffer> buffers;
  llvm::MapVector<ScopeKey, Scope> scopes;
  /// By the allocation: one may be copied into many others.
  llvm::DenseMap<Operation *, std::optional<SmallVector<PlacedUse>>>
      usesOfInner;
  /// How many ticks and uses may still be looked at: each of n groups may be
  /// alive at n ticks, and each of n parts or copies of one buffer is compared
  /// with n uses of it. What is left then stays.
  int64_t stepsLeft;
};
} // namespace

BufferEmplacer::BufferEmplacer(const FunctionContext &context,
                               ArrayRef<const BufferLifetime *> lifetimes,
                               const EmplaceBuffersOptions &options)
    : context(context), options(options), dominance(context.function) {
  constexpr int64_t maxFactor = 256;
  stepsLeft = maxFactor * context.order.getNumTicks();
  llvm::MapVector<ScopeKey, SmallVector<AliveBytes::Change>> alive;
  for (const BufferLifetime *buffer : lifetimes) {
    memref::AllocOp alloc = buffer->getAllocOp();
    if (buffer->refusal)
      continue;
    EmplaceableBuffer info = {*buffer->size, buffer->alignment, buffer->ticks,
                              buffer->scope, buffer->gaps};
    info.add(alive[{buffer->scope, buffer->getMemorySpace()}], info.size);
    // Where the program wants a buffer, no other one is. Other threads may
    // still read what is in the part.
    if (hasPin(alloc) || buffer->isWorkgroup || buffer->isInDeviceCode ||
        buffer->isInFlightAtEnd || !buffer->deallocs.empty() ||
        !alloc.getType().hasStaticShape() ||
        !alloc.getType().getLayout().isIdentity())
      continue;
    buffers[alloc] = std::move(info);
  }
  for (const auto &[key, changes] : alive)
    scopes[key].alive.emplace(changes);
}

//===----------------------------------------------------------------------===//
// What can be emplaced
//===----------------------------------------------------------------------===//

/// Return true if `value` has none of the bytes of the part of `candidate`;
/// `bytes` are those that it may have, if that is known.
static bool isElsewhere(const Candidate &candidate, Value value,
                        std::optional<ByteRange> bytes) {
  return (bytes && candidate.bytes && !bytes->overlaps(*candidate.bytes)) ||
         (candidate.strided && (isBeside(candidate.strided, value) ||
                                isMutated("emplace-strided-beside")));
}

/// Return the offset of `part` in `outer`, a view of it that is contiguous, or
/// nothing if it is not known how to compute it.
static std::optional<PartOffset>
computeOffset(Value part, memref::AllocOp outer, const DataLayout &layout) {
  auto [root, bytes] = findPlace(part, layout);
  if (root != outer)
    return std::nullopt;
  if (bytes)
    return PartOffset{bytes->begin, {}};
  // The offset of one subview, of something at a known place.
  auto subview = part.getDefiningOp<memref::SubViewOp>();
  if (!subview || !llvm::all_of(subview.getStaticStrides(),
                                [](int64_t stride) { return stride == 1; }))
    return std::nullopt;
  MemRefType type = subview.getSourceType();
  auto sourceBytes = findPlace(subview.getSource(), layout).second;
  std::optional<int64_t> element = getElementBytes(type, layout);
  SmallVector<int64_t> strides;
  int64_t typeOffset;
  if (!sourceBytes || !element || !isContiguous(type) ||
      failed(type.getStridesAndOffset(strides, typeOffset)))
    return std::nullopt;
  PartOffset offset{sourceBytes->begin, {}};
  for (auto [index, stride] :
       llvm::zip_equal(subview.getMixedOffsets(), strides)) {
    if (std::optional<int64_t> constant = getConstantIntValue(index))
      offset.bytes += *constant * stride * *element;
    else
      offset.indices.push_back({cast<Value>(index), stride * *element});
  }
  return offset;
}

/// Return the largest power of two that divides `offset` whatever the indices
/// are, 0 if it is 0.
static int64_t getAlignment(const PartOffset &offset) {
  int64_t divisor = offset.bytes;
  for (auto [index, bytes] : offset.indices)
    divisor = std::gcd(divisor, bytes);
  return divisor & -divisor;
}

/// Return true if all work of `op` is done when the operation around it in
/// `region` is.
static bool isDoneIn(Operation *op, Region *region) {
  for (; op && op->getParentRegion() != region; op = op->getParentOp())
    if (!isDoneAtEnd(op->getParentOp()))
      return false;
  return true;
}

/// Return the candidate that `copy` is for a place in `outer`, which has
/// `outerUses`, or nothing.
std::optional<Candidate> BufferEmplacer::match(memref::CopyOp copy,
                                               memref::AllocOp outer,
                                               ArrayRef<PlacedUse> outerUses) {
  auto sourceType = dyn_cast<MemRefType>(copy.getSource().getType());
  auto partType = dyn_cast<MemRefType>(copy.getTarget().getType());
  if (!sourceType || !partType || !isContiguous(sourceType))
    return std::nullopt;
  Candidate candidate;
  candidate.copy = copy;
  auto [inner, innerBytes] = findPlace(copy.getSource(), context.layout);
  auto innerInfo = buffers.find(inner);
  auto outerInfo = buffers.find(outer);
  if (inner == outer || innerInfo == buffers.end() ||
      outerInfo == buffers.end() || !innerBytes || innerBytes->begin != 0 ||
      (innerBytes->end != innerInfo->second.size &&
       !isMutated("emplace-whole")) ||
      inner.getType().getMemorySpace() != outer.getType().getMemorySpace() ||
      innerInfo->second.scope != outerInfo->second.scope ||
      inner->getBlock() != copy->getBlock())
    return std::nullopt;
  candidate.inner = inner;
  if (!isContiguous(partType)) {
    if (options.strided)
      candidate.strided = findStridedPart(copy, inner);
    if (!candidate.strided)
      return std::nullopt;
  }
  std::optional<PartOffset> offset =
      computeOffset(copy.getTarget(), outer, context.layout);
  if (!offset)
    return std::nullopt;
  candidate.offset = *offset;
  int64_t alignment = getAlignment(*offset);
  if (candidate.strided) {
    candidate.bytes = findPlace(copy.getTarget(), context.layout).second;
    alignment =
        std::gcd(alignment, getRowAlignment(candidate.strided, context.layout));
  } else if (offset->indices.empty()) {
    candidate.bytes = {offset->bytes, offset->bytes + innerInfo->second.size};
  }
  if (alignment != 0 && alignment % innerInfo->second.alignment != 0 &&
      !isMutated("emplace-alignment"))
    return std::nullopt;
  if (!findAccesses(candidate) || !isPartFree(candidate, outer, outerUses))
    return std::nullopt;
  for (auto [index, bytes] : candidate.offset.indices)
    if (!dominance.properlyDominates(index, candidate.firstUse))
      return std::nullopt;
  // The allocation moves if it has to, a view does not.
  if (candidate.strided && candidate.strided.getSource() != outer &&
      !dominance.properlyDominates(candidate.strided.getSource(),
                                   candidate.firstUse))
    return std::nullopt;
  return candidate;
}

/// Find the first and the last access to the inner buffer of `candidate`.
/// Return false if it cannot be emplaced because of what happens to it.
bool BufferEmplacer::findAccesses(Candidate &candidate) {
  memref::CopyOp copy = candidate.copy;
  candidate.lastAccess = copy;
  Block *block = copy->getBlock();
  auto [it, isNew] = usesOfInner.try_emplace(candidate.inner);
  std::optional<SmallVector<PlacedUse>> &uses = it->second;
  if (isNew)
    uses = collectPlacedUses(candidate.inner, context.callees, context.layout);
  if (!uses)
    return false;
  stepsLeft -= uses->size();
  if (stepsLeft < 0)
    return false;
  for (const PlacedUse &use : *uses) {
    Operation *op = use.operand->getOwner();
    if (op == copy)
      continue;
    Operation *ancestor = block->findAncestorOpInBlock(*op);
    if (!ancestor || !isDoneIn(op, block->getParent()))
      return false;
    Operation *&first = candidate.firstAccess;
    if (ancestor->isBeforeInBlock(copy)) {
      if (!first || ancestor->isBeforeInBlock(first))
        first = ancestor;
      continue;
    }
    if (!isOnlyRead(*use.operand) && !isMutated("emplace-written-later"))
      return false;
    if (candidate.lastAccess->isBeforeInBlock(ancestor))
      candidate.lastAccess = ancestor;
  }
  for (Operation *user : candidate.inner->getUsers()) {
    Operation *ancestor = block->findAncestorOpInBlock(*user);
    Operation *&first = candidate.firstUse;
    if (ancestor && (!first || ancestor->isBeforeInBlock(first)))
      first = ancestor;
  }
  return candidate.firstAccess != nullptr;
}

/// Return true if `op` needs no other memory than its only output.
static bool isFill(linalg::LinalgOp op) {
  return op.hasPureBufferSemantics() && op.getNumDpsInits() == 1 &&
         llvm::none_of(op.getDpsInputs(),
                       [](Value input) {
                         return isa<BaseMemRefType>(input.getType());
                       }) &&
         llvm::all_of(*op.getBlock(),
                      [](Operation &op) { return isMemoryEffectFree(&op); });
}

/// Return true if nothing accesses the part of `candidate` in `outer` from the
/// first access to the inner buffer to the copy, and nothing writes it from
/// then on to the last one. Find the fills that have to be moved.
bool BufferEmplacer::isPartFree(Candidate &candidate, memref::AllocOp outer,
                                ArrayRef<PlacedUse> uses) {
  memref::CopyOp copy = candidate.copy;
  Block *block = copy->getBlock();
  stepsLeft -= uses.size();
  if (stepsLeft < 0)
    return false;
  for (const PlacedUse &use : uses) {
    Operation *op = use.operand->getOwner();
    if (op == copy)
      continue;
    if (!isDoneIn(op, outer->getParentRegion()))
      return false;
    // What is not in the block is not executed between the two.
    Operation *ancestor = block->findAncestorOpInBlock(*op);
    if (!ancestor) {
      if (op->isProperAncestor(copy))
        return false;
      continue;
    }
    bool isBefore = ancestor->isBeforeInBlock(copy);
    if (isBefore ? ancestor->isBeforeInBlock(candidate.firstAccess)
                 : candidate.lastAccess->isBeforeInBlock(ancestor))
      continue;
    if (isElsewhere(candidate, use.operand->get(), use.bytes) ||
        (!isBefore && isOnlyRead(*use.operand)))
      continue;
    auto fill = dyn_cast<linalg::LinalgOp>(op);
    if (!isBefore || !fill || !isFill(fill) || !canMove(fill, candidate, uses))
      return false;
    candidate.fills.push_back(fill);
  }
  return true;
}

/// Return true if `fill`, of the outer buffer with `uses`, could be executed in
/// front of the first access to the inner buffer of `candidate`.
bool BufferEmplacer::canMove(linalg::LinalgOp fill, const Candidate &candidate,
                             ArrayRef<PlacedUse> uses) const {
  Operation *first = candidate.firstAccess;
  Value filled = fill.getDpsInits().front();
  llvm::SetVector<Value> needed;
  getUsedValuesDefinedAbove(fill->getRegions(), needed);
  needed.insert(fill->operand_begin(), fill->operand_end());
  needed.remove(filled);
  if (fill->getBlock() != first->getBlock() ||
      !llvm::all_of(needed,
                    [&](Value value) {
                      return dominance.properlyDominates(value, first);
                    }) ||
      // The allocation and the view of its bytes move with the fill.
      (!filled.getDefiningOp<memref::AllocOp>() &&
       !dominance.properlyDominates(filled, first)))
    return false;
  return isMutated("emplace-fill-before-others") ||
         llvm::none_of(uses, [&](const PlacedUse &use) {
           Operation *ancestor = first->getBlock()->findAncestorOpInBlock(
               *use.operand->getOwner());
           return ancestor && ancestor != fill &&
                  !ancestor->isBeforeInBlock(first) &&
                  ancestor->isBeforeInBlock(fill);
         });
}

/// Return true if a fill that is moved for `candidate` would come before a read
/// of the inner buffer of `other`, and after the copy of that.
static bool movesFillOverReads(const Candidate &candidate,
                               const Candidate &other) {
  memref::CopyOp otherCopy = other.copy;
  // What is not moved is in the way of what is in other blocks.
  return !candidate.fills.empty() &&
         otherCopy->getBlock() == candidate.firstAccess->getBlock() &&
         otherCopy->isBeforeInBlock(candidate.firstAccess) &&
         !other.lastAccess->isBeforeInBlock(candidate.firstAccess) &&
         !isMutated("emplace-fill-before-reads");
}

/// Take those out of `group`, copies into parts of `outer`, that would raise
/// the peak; return false if none are left.
bool BufferEmplacer::keepWithinPeak(memref::AllocOp outer,
                                    SmallVectorImpl<Candidate> &group) {
  const EmplaceableBuffer &info = buffers.find(outer)->second;
  Scope &scope = scopes[{info.scope, outer.getType().getMemorySpace()}];
  while (!group.empty()) {
    TickRange ticks = info.ticks;
    SmallVector<AliveBytes::Change> changes;
    info.add(changes, -info.size);
    for (Candidate &candidate : group) {
      const EmplaceableBuffer &inner = buffers.find(candidate.inner)->second;
      inner.add(changes, -inner.size);
      ticks = ticks.hull(inner.ticks);
    }
    changes.push_back({ticks, info.size});
    stepsLeft -= ticks.last - ticks.first;
    if (options.mayRaisePeak || isMutated("R7-emplaced")) {
      scope.alive->apply(changes);
      return true;
    }
    if (stepsLeft < 0)
      return false;
    if (scope.alive->applyWithinPeak(changes))
      return true;
    // The outer buffer is alive from the first one on.
    group.erase(
        llvm::min_element(group, [&](const Candidate &a, const Candidate &b) {
          return buffers.find(a.inner)->second.ticks.first <
                 buffers.find(b.inner)->second.ticks.first;
        }));
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Make `outer` an allocation of bytes with a view of all of them, and return
/// the new one; unless it is one already.
memref::AllocOp BufferEmplacer::replaceByBytes(memref::AllocOp outer,
                                               int64_t alignment) {
  MemRefType type = outer.getType();
  EmplaceableBuffer info = buffers.find(outer)->second;
  OpBuilder builder(outer);
  auto bytesType =
      MemRefType::get({info.size}, builder.getI8Type(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  info.alignment = std::max(info.alignment, alignment);
  auto alignmentAttr = builder.getI64IntegerAttr(info.alignment);
  if (type == bytesType) {
    outer.setAlignmentAttr(alignmentAttr);
    buffers[outer] = info;
    return outer;
  }
  auto bytes = memref::AllocOp::create(builder, outer.getLoc(), bytesType,
                                       alignmentAttr);
  Value zero = arith::ConstantIndexOp::create(builder, outer.getLoc(), 0);
  auto view = memref::ViewOp::create(builder, outer.getLoc(), type, bytes, zero,
                                     ValueRange());
  bytes->setDiscardableAttrs(outer->getDiscardableAttrDictionary());
  outer.replaceAllUsesWith(view.getResult());
  buffers.erase(outer);
  outer.erase();
  buffers[bytes] = info;
  return bytes;
}

/// Align `outer` to at least `alignment` bytes.
memref::AllocOp BufferEmplacer::alignAtLeast(memref::AllocOp outer,
                                             int64_t alignment) {
  EmplaceableBuffer &info = buffers.find(outer)->second;
  if (info.alignment < alignment) {
    info.alignment = alignment;
    outer.setAlignment(alignment);
  }
  return outer;
}

/// Create operations that compute `offset`.
static Value createOffset(OpBuilder &builder, Location loc,
                          const PartOffset &offset) {
  Value sum = arith::ConstantIndexOp::create(builder, loc, offset.bytes);
  for (auto [index, bytes] : offset.indices) {
    Value factor = arith::ConstantIndexOp::create(builder, loc, bytes);
    Value product = arith::MulIOp::create(builder, loc, index, factor);
    sum = arith::AddIOp::create(builder, loc, sum, product);
  }
  return sum;
}

/// Let the inner buffers of `group`, at least one, be parts of `outer`.
void BufferEmplacer::emplace(memref::AllocOp outer, ArrayRef<Candidate> group) {
  Scope &scope = scopes[{buffers.find(outer)->second.scope,
                         outer.getType().getMemorySpace()}];
  int64_t alignment = 1;
  Operation *first = nullptr;
  llvm::MapVector<Operation *, Operation *> fills;
  usesOfInner.erase(outer);
  for (const Candidate &candidate : group) {
    usesOfInner.erase(candidate.inner);
    const EmplaceableBuffer &inner = buffers.find(candidate.inner)->second;
    alignment = std::max(alignment, inner.alignment);
    EmplaceableBuffer &info = buffers.find(outer)->second;
    endPremise<Stage::Emplacement, Premise::OwnAddress>();
    relyOn<Proof::Emplacing, Premise::ContentsStay>();
    info.ticks = info.ticks.hull(inner.ticks);
    ask<Stage::Gaps, Premise::ContentsStay, Proof::Emplacing>(&info.gaps)
        ->clear();
    Operation *use = candidate.firstUse;
    if (use->getBlock() == outer->getBlock() &&
        (!first || use->isBeforeInBlock(first)))
      first = use;
    for (linalg::LinalgOp fill : candidate.fills) {
      Operation *&place = fills[fill];
      if (!place || candidate.firstAccess->isBeforeInBlock(place))
        place = candidate.firstAccess;
    }
  }
  if (first && first->isBeforeInBlock(outer))
    outer->moveBefore(first);
  for (auto [fill, place] : fills)
    fill->moveBefore(place);
  bool isAnyContiguous = llvm::any_of(
      group, [](const Candidate &candidate) { return !candidate.strided; });
  memref::AllocOp bytes = isAnyContiguous ? replaceByBytes(outer, alignment)
                                          : alignAtLeast(outer, alignment);
  for (const Candidate &candidate : group) {
    memref::AllocOp inner = candidate.inner;
    OpBuilder builder(candidate.firstUse);
    if (memref::SubViewOp part = candidate.strided) {
      auto view = cast<memref::SubViewOp>(builder.clone(*part));
      view->setLoc(inner.getLoc());
      replaceByStrided(inner, view);
    } else {
      Value offset = createOffset(builder, inner.getLoc(), candidate.offset);
      auto view =
          memref::ViewOp::create(builder, inner.getLoc(), inner.getType(),
                                 bytes, offset, ValueRange());
      view->setDiscardableAttrs(inner->getDiscardableAttrDictionary());
      inner.replaceAllUsesWith(view.getResult());
    }
    ++scope.result.numEmplaced;
    scope.result.bytesNotCopied += buffers.find(inner)->second.size;
    buffers.erase(inner);
    inner.erase();
    memref::CopyOp copy = candidate.copy;
    Value source = copy.getSource(), part = copy.getTarget();
    copy.erase();
    eraseUnused(part);
    eraseUnused(source);
  }
}

void BufferEmplacer::emitRemarks() const {
  if (!context.function->getContext()->getRemarkEngine())
    return;
  std::lock_guard<std::mutex> lock(getRemarkMutex());
  for (const auto &[key, scope] : scopes) {
    if (scope.result.numEmplaced == 0)
      continue;
    FunctionOpInterface function = context.function;
    remark::analysis(key.first->getParentOp()->getLoc(),
                     remark::RemarkOpts::name("Emplaced")
                         .category("buffer-merge")
                         .function(function.getName()))
        << remark::metric("Copies", scope.result.numEmplaced)
        << remark::metric("BytesNotCopied", scope.result.bytesNotCopied)
        << remark::metric("AliveBytes", scope.alive->getPeak());
  }
}

EmplaceBuffersResult BufferEmplacer::run() {
  // By the allocation that is copied into, which another group may change.
  llvm::MapVector<Operation *, SmallVector<memref::CopyOp>> groups;
  context.function->walk<WalkOrder::PreOrder>([&](memref::CopyOp copy) {
    if (memref::AllocOp outer =
            findPlace(copy.getTarget(), context.layout).first;
        outer && buffers.contains(outer))
      groups[outer].push_back(copy);
  });
  for (const auto &[op, copies] : groups) {
    memref::CopyOp anyCopy = copies.front();
    memref::AllocOp outer =
        findPlace(anyCopy.getTarget(), context.layout).first;
    std::optional<SmallVector<PlacedUse>> uses =
        collectPlacedUses(outer, context.callees, context.layout);
    if (!uses)
      continue;
    SmallVector<Candidate> group;
    for (memref::CopyOp copy : copies) {
      std::optional<Candidate> candidate = match(copy, outer, *uses);
      // Of two that might be at one place, or of which one needs what a fill
      // that the other one moves would overwrite, the second stays.
      auto isInTheWay = [&](const Candidate &other) {
        memref::CopyOp otherCopy = other.copy;
        return other.inner == candidate->inner ||
               movesFillOverReads(*candidate, other) ||
               movesFillOverReads(other, *candidate) ||
               !isElsewhere(*candidate, otherCopy.getTarget(), other.bytes);
      };
      if (candidate && llvm::none_of(group, isInTheWay))
        group.push_back(std::move(*candidate));
    }
    if (!group.empty() && keepWithinPeak(outer, group))
      emplace(outer, group);
  }
  emitRemarks();
  EmplaceBuffersResult result;
  for (const auto &[key, scope] : scopes) {
    result.numEmplaced += scope.result.numEmplaced;
    result.bytesNotCopied += scope.result.bytesNotCopied;
  }
  return result;
}

EmplaceBuffersResult
buffer_merge::emplaceBuffers(Operation *root,
                             const EmplaceBuffersOptions &options) {
  EmplaceBuffersResult result;
  WalkResult hasCopies = root->walk([](memref::CopyOp copy) {
    return copy.getTarget().getDefiningOp() ? WalkResult::interrupt()
                                            : WalkResult::advance();
  });
  if (!hasCopies.wasInterrupted())
    return result;
  BufferLifetimesOptions lifetimesOptions;
  lifetimesOptions.calls = options.calls;
  lifetimesOptions.dynamic = DynamicPolicy::None;
  lifetimesOptions.workgroup = options.workgroup;
  lifetimesOptions.findValues = lifetimesOptions.findInPlacePairs = false;
  BufferLifetimes lifetimes(root, lifetimesOptions);
  llvm::MapVector<Operation *, SmallVector<const BufferLifetime *>> functions;
  for (const BufferLifetime &buffer : lifetimes.getBuffers())
    functions[buffer.function].push_back(&buffer);
  for (const auto &[function, buffers] : functions)
    if (const FunctionContext *context = lifetimes.getContext(function)) {
      EmplaceBuffersResult found =
          BufferEmplacer(*context, buffers, options).run();
      result.numEmplaced += found.numEmplaced;
      result.bytesNotCopied += found.bytesNotCopied;
    }
  return result;
}
