//===- Emplacement.cpp - Buffers that may be parts of others --------------===//
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
//===----------------------------------------------------------------------===//

#include "Emplacement.h"
#include "AllocScope.h"
#include "BufferSize.h"
#include "FunctionContext.h"
#include "Mutation.h"
#include "Premises.h"
#include "StridedParts.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/Sequence.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace buffer_merge;

EmplacementFinder::EmplacementFinder(const FunctionContext &context,
                                     bool isStrided)
    : context(context), isStrided(isStrided), dominance(context.function) {
  constexpr int64_t maxFactor = 256;
  stepsLeft = maxFactor * context.order.getNumTicks();
}

void EmplacementFinder::add(const BufferLifetime &lifetime) {
  memref::AllocOp alloc = lifetime.getAllocOp();
  // Where the program wants a buffer, no other one is. Other threads may
  // still read what is in the part.
  if (!alloc || lifetime.refusal || hasOwnAttribute(alloc) ||
      lifetime.isWorkgroup || lifetime.isInDeviceCode ||
      lifetime.isInFlightAtEnd || !alloc.getType().hasStaticShape() ||
      !alloc.getType().getLayout().isIdentity())
    return;
  buffers[alloc] = {*lifetime.size, lifetime.alignment, lifetime.ticks,
                    lifetime.scope, lifetime.gaps};
}

EmplaceableBuffer *EmplacementFinder::lookup(Operation *alloc) {
  auto it = buffers.find(alloc);
  return it == buffers.end() ? nullptr : &it->second;
}

/// Return true if `value` has none of the bytes of the part of `candidate`;
/// `bytes` are those that it may have, if that is known.
static bool isElsewhere(const Emplacement &candidate, Value value,
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

/// The uses of a buffer by their bytes: a concatenation of many has as many
/// uses for each of them, of which most are beside it, in its block.
class buffer_merge::UsesByBytes {
public:
  explicit UsesByBytes(ArrayRef<PlacedUse> uses) : uses(uses) {
    for (const auto &[number, use] : llvm::enumerate(uses)) {
      Block *inBlock = use.operand->getOwner()->getBlock();
      if (use.bytes && !block)
        block = inBlock;
      (use.bytes && inBlock == block ? byBegin : others).push_back(number);
    }
    llvm::stable_sort(byBegin, [&](unsigned a, unsigned b) {
      return uses[a].bytes->begin < uses[b].bytes->begin;
    });
    int64_t end = 0;
    for (unsigned number : byBegin)
      latestEnd.push_back(end = std::max(end, uses[number].bytes->end));
  }

  ArrayRef<PlacedUse> getUses() const { return uses; }

  /// Return the numbers of the uses, in ascending order, but those in `inBlock`
  /// that are known not to access `bytes`.
  SmallVector<unsigned> collect(Block *inBlock, ByteRange bytes) const {
    if (inBlock != block)
      return llvm::to_vector(llvm::seq<unsigned>(0, uses.size()));
    SmallVector<unsigned> found(others.begin(), others.end());
    size_t i =
        llvm::partition_point(byBegin,
                              [&](unsigned number) {
                                return uses[number].bytes->begin < bytes.end;
                              }) -
        byBegin.begin();
    for (; i != 0 && latestEnd[i - 1] > bytes.begin; --i)
      if (uses[byBegin[i - 1]].bytes->overlaps(bytes))
        found.push_back(byBegin[i - 1]);
    llvm::sort(found);
    return found;
  }

private:
  ArrayRef<PlacedUse> uses;
  /// What those in `byBegin` are in, all of which have bytes.
  Block *block = nullptr;
  SmallVector<unsigned, 0> byBegin, others;
  /// The latest end of these up to each of `byBegin`.
  SmallVector<int64_t, 0> latestEnd;
};

/// Return the candidate that `copy` is for a place in `outer`, which has
/// `outerUses`, or nothing.
std::optional<Emplacement>
EmplacementFinder::match(memref::CopyOp copy, memref::AllocOp outer,
                         const UsesByBytes &outerUses) {
  auto sourceType = dyn_cast<MemRefType>(copy.getSource().getType());
  auto partType = dyn_cast<MemRefType>(copy.getTarget().getType());
  if (!sourceType || !partType || !isContiguous(sourceType))
    return std::nullopt;
  Emplacement candidate;
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
    if (isStrided)
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

/// Return the uses of `alloc` that `collectPlacedUses` finds, until they are
/// forgotten.
const EmplacementFinder::PlacedUses &
EmplacementFinder::getUses(memref::AllocOp alloc) {
  std::unique_ptr<PlacedUses> &uses = usesOf[alloc];
  if (!uses)
    uses = std::make_unique<PlacedUses>(
        collectPlacedUses(alloc, context.callees, context.layout));
  return *uses;
}

/// Find the first and the last access to the inner buffer of `candidate`.
/// Return false if it cannot be emplaced because of what happens to it.
bool EmplacementFinder::findAccesses(Emplacement &candidate) {
  memref::CopyOp copy = candidate.copy;
  candidate.lastAccess = copy;
  Block *block = copy->getBlock();
  const PlacedUses &uses = getUses(candidate.inner);
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
  if (const EmplaceableBuffer &info = *lookup(candidate.inner);
      info.firstOfParts && !isMutated("emplaced-nested")) {
    if (!candidate.firstAccess ||
        info.firstOfParts->isBeforeInBlock(candidate.firstAccess))
      candidate.firstAccess = info.firstOfParts;
    if (candidate.lastAccess->isBeforeInBlock(info.lastOfParts))
      candidate.lastAccess = info.lastOfParts;
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
bool EmplacementFinder::isPartFree(Emplacement &candidate,
                                   memref::AllocOp outer,
                                   const UsesByBytes &outerUses) {
  memref::CopyOp copy = candidate.copy;
  Block *block = copy->getBlock();
  ArrayRef<PlacedUse> uses = outerUses.getUses();
  Region *region = outer->getParentRegion();
  SmallVector<unsigned> numbers =
      candidate.bytes && isDoneIn(copy, region)
          ? outerUses.collect(block, *candidate.bytes)
          : llvm::to_vector(llvm::seq<unsigned>(0, uses.size()));
  stepsLeft -= numbers.size();
  if (stepsLeft < 0)
    return false;
  for (unsigned number : numbers) {
    const PlacedUse &use = uses[number];
    Operation *op = use.operand->getOwner();
    if (op == copy)
      continue;
    if (!isDoneIn(op, region))
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
    if (!isBefore || !fill || !isFill(fill))
      return false;
    stepsLeft -= uses.size();
    if (stepsLeft < 0 || !canMove(fill, candidate, uses))
      return false;
    candidate.fills.push_back(fill);
  }
  return true;
}

/// Return true if `fill`, of the outer buffer with `uses`, could be executed in
/// front of the first access to the inner buffer of `candidate`.
bool EmplacementFinder::canMove(linalg::LinalgOp fill,
                                const Emplacement &candidate,
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
static bool movesFillOverReads(const Emplacement &candidate,
                               const Emplacement &other) {
  memref::CopyOp otherCopy = other.copy;
  // What is not moved is in the way of what is in other blocks.
  return !candidate.fills.empty() &&
         otherCopy->getBlock() == candidate.firstAccess->getBlock() &&
         otherCopy->isBeforeInBlock(candidate.firstAccess) &&
         !other.lastAccess->isBeforeInBlock(candidate.firstAccess) &&
         !isMutated("emplace-fill-before-reads");
}

llvm::MapVector<Operation *, SmallVector<memref::CopyOp>>
EmplacementFinder::collectCopies() {
  llvm::MapVector<Operation *, SmallVector<memref::CopyOp>> groups;
  for (memref::CopyOp copy : context.order.getCopies())
    if (memref::AllocOp outer =
            findPlace(copy.getTarget(), context.layout).first;
        outer && buffers.contains(outer))
      groups[outer].push_back(copy);
  return groups;
}

namespace {
/// Those that can be in one buffer together.
class EmplacementGroup {
public:
  /// Add `candidate` unless it might be where another one is, or one of the two
  /// needs what a fill that the other one moves would overwrite.
  void add(Emplacement candidate) {
    auto isInTheWay = [&](const Emplacement &other) {
      memref::CopyOp otherCopy = other.copy;
      return movesFillOverReads(candidate, other) ||
             movesFillOverReads(other, candidate) ||
             !isElsewhere(candidate, otherCopy.getTarget(), other.bytes);
    };
    auto isNumberInTheWay = [&](unsigned number) {
      return isInTheWay(group[number]);
    };
    if (inners.contains(candidate.inner))
      return;
    if (hasOnlyBytes(candidate)) {
      auto [begin, end] = *candidate.bytes;
      auto near = llvm::make_second_range(llvm::make_range(
          byBegin.lower_bound(begin - longest), byBegin.lower_bound(end)));
      if (llvm::any_of(others, isNumberInTheWay) ||
          llvm::any_of(near, isNumberInTheWay))
        return;
      longest = std::max(longest, end - begin);
      byBegin.insert({begin, group.size()});
    } else {
      if (llvm::any_of(group, isInTheWay))
        return;
      others.push_back(group.size());
    }
    inners.insert(candidate.inner);
    group.push_back(std::move(candidate));
  }

  SmallVector<Emplacement> take() { return std::move(group); }

private:
  /// Of two of these, only the bytes can be in the way.
  static bool hasOnlyBytes(const Emplacement &candidate) {
    return candidate.bytes && candidate.fills.empty();
  }

  SmallVector<Emplacement> group;
  llvm::DenseSet<Operation *> inners;
  /// The numbers of those that have only bytes, and of the others.
  std::multimap<int64_t, unsigned> byBegin;
  SmallVector<unsigned> others;
  int64_t longest = 0;
};
} // namespace

SmallVector<Emplacement>
EmplacementFinder::find(memref::AllocOp outer,
                        ArrayRef<memref::CopyOp> copies) {
  const PlacedUses &uses = getUses(outer);
  if (!uses)
    return {};
  UsesByBytes usesByBytes(*uses);
  EmplacementGroup group;
  for (memref::CopyOp copy : copies)
    if (std::optional<Emplacement> candidate = match(copy, outer, usesByBytes))
      group.add(std::move(*candidate));
  return group.take();
}

//===----------------------------------------------------------------------===//
// Buffers with parts
//===----------------------------------------------------------------------===//

namespace {
/// Collects what becomes one buffer in one function.
class PartCollector {
public:
  PartCollector(const FunctionContext &context,
                ArrayRef<const BufferLifetime *> buffers, int64_t alignment)
      : context(context), alignment(alignment),
        finder(context, /*isStrided=*/false) {
    for (const BufferLifetime *buffer : buffers) {
      finder.add(*buffer);
      if (memref::AllocOp alloc = buffer->getAllocOp())
        lifetimes[alloc] = buffer;
    }
  }

  void run(SmallVectorImpl<BufferLifetime> &found,
           std::deque<BufferParts> &parts);

private:
  bool mayBePart(const Emplacement &candidate) const;
  void add(memref::AllocOp outer, ArrayRef<Emplacement> group);
  std::optional<BufferLifetime> makeBuffer(memref::AllocOp outer,
                                           BufferParts &parts) const;

  const FunctionContext &context;
  int64_t alignment;
  EmplacementFinder finder;
  llvm::DenseMap<Operation *, const BufferLifetime *> lifetimes;
  /// By the allocation that the others are parts of.
  llvm::MapVector<Operation *, BufferParts> partsOf;
  llvm::DenseSet<Operation *> inners;
};
} // namespace

/// Return true if `candidate` needs no change of the program but the erasure of
/// its copy, which is not made anything else.
bool PartCollector::mayBePart(const Emplacement &candidate) const {
  memref::CopyOp copy = candidate.copy;
  return candidate.offset.indices.empty() && candidate.fills.empty() &&
         (candidate.offset.bytes % alignment == 0 ||
          isMutated("emplaced-alignment")) &&
         !inners.contains(candidate.inner) &&
         (!context.refills.isRefilled(copy.getSourceMutable()) ||
          isMutated("emplaced-refilled"));
}

/// Let the inner buffers of `group`, with what is a part of them, be parts of
/// `outer`.
void PartCollector::add(memref::AllocOp outer, ArrayRef<Emplacement> group) {
  BufferParts parts;
  parts.parts.push_back({outer, 0, *lifetimes.lookup(outer)->size});
  EmplaceableBuffer &info = *finder.lookup(outer);
  auto extend = [&](Operation *op) {
    op = outer->getBlock()->findAncestorOpInBlock(*op);
    if (!op)
      return false;
    if (!info.firstOfParts || op->isBeforeInBlock(info.firstOfParts))
      info.firstOfParts = op;
    if (!info.lastOfParts || info.lastOfParts->isBeforeInBlock(op))
      info.lastOfParts = op;
    return true;
  };
  for (const Emplacement &candidate : group) {
    memref::CopyOp copy = candidate.copy;
    if (!extend(candidate.firstAccess) || !extend(candidate.lastAccess)) {
      finder.erase(outer);
      return;
    }
    inners.insert(candidate.inner);
    if (!copy->getParentOfType<LoopLikeOpInterface>() ||
        isMutated("emplaced-copy-in-loop"))
      parts.copies.push_back(copy);
    auto nested = partsOf.find(candidate.inner);
    if (nested == partsOf.end()) {
      parts.parts.push_back({candidate.inner, candidate.offset.bytes,
                             *lifetimes.lookup(candidate.inner)->size});
    } else {
      for (const BufferParts::Part &part : nested->second.parts)
        parts.parts.push_back(
            {part.alloc, candidate.offset.bytes + part.offset, part.size});
      llvm::append_range(parts.copies, nested->second.copies);
      nested->second.parts.clear();
    }
    info.alignment =
        std::max(info.alignment, finder.lookup(candidate.inner)->alignment);
  }
  partsOf[outer] = std::move(parts);
}

/// Return `outer` with all of `parts`, which are sorted by that, or nothing if
/// the first of them is not in front of the others.
std::optional<BufferLifetime>
PartCollector::makeBuffer(memref::AllocOp outer, BufferParts &parts) const {
  const ExecutionOrder &order = context.order;
  llvm::sort(parts.parts, [&](const auto &a, const auto &b) {
    return order.getTicks(a.alloc).first < order.getTicks(b.alloc).first;
  });
  BufferLifetime buffer;
  buffer.alloc = parts.parts.front().alloc;
  const BufferLifetime &whole = *lifetimes.lookup(outer);
  buffer.function = whole.function;
  buffer.size = whole.size;
  buffer.scope = whole.scope;
  buffer.ticks = whole.ticks;
  llvm::DenseSet<Operation *> gone(parts.copies.begin(), parts.copies.end());
  for (const BufferParts::Part &part : parts.parts) {
    if (!buffer.getAllocOp()->getBlock()->findAncestorOpInBlock(*part.alloc))
      return std::nullopt;
    const BufferLifetime &own = *lifetimes.lookup(part.alloc);
    buffer.alignment = std::max(buffer.alignment, own.alignment);
    endPremise<Stage::Emplacement, Premise::OwnAddress>();
    relyOn<Proof::Emplacing, Premise::ContentsStay>();
    buffer.ticks = buffer.ticks.hull(own.ticks);
    buffer.lastComparison = std::max(buffer.lastComparison, own.lastComparison);
    buffer.needsManualDealloc |= own.needsManualDealloc;
    for (const BufferEvent &event : own.events)
      if (!gone.contains(event.operand->getOwner()))
        buffer.events.push_back(event);
    for (OpOperand *dealloc : own.deallocs)
      if (!llvm::is_contained(buffer.deallocs, dealloc))
        buffer.deallocs.push_back(dealloc);
    if (!buffer.lastUse ||
        order.getTicks(own.lastUse).last > order.getTicks(buffer.lastUse).last)
      buffer.lastUse = own.lastUse;
  }
  llvm::stable_sort(buffer.events, [&](const auto &a, const auto &b) {
    return order.getTicks(a.operand->getOwner()).first <
           order.getTicks(b.operand->getOwner()).first;
  });
  for (const BufferEvent &event : buffer.events)
    if (event.isAccess()) {
      if (!buffer.firstAccess)
        buffer.firstAccess = event.operand->getOwner();
      buffer.lastAccess = event.operand->getOwner();
    }
  if (!buffer.firstAccess)
    return std::nullopt;
  return buffer;
}

void PartCollector::run(SmallVectorImpl<BufferLifetime> &found,
                        std::deque<BufferParts> &parts) {
  for (auto &[op, copies] : finder.collectCopies()) {
    auto outer = cast<memref::AllocOp>(op);
    // What is as large may be in place.
    llvm::erase_if(copies, [&](memref::CopyOp copy) {
      return copy.getTarget() == outer.getResult();
    });
    if (copies.empty() || inners.contains(outer))
      continue;
    SmallVector<Emplacement> group = finder.find(outer, copies);
    llvm::erase_if(group, [&](const Emplacement &candidate) {
      return *lifetimes.lookup(candidate.inner)->size >=
                 *lifetimes.lookup(outer)->size ||
             !mayBePart(candidate);
    });
    if (!group.empty())
      add(outer, group);
  }
  SmallVector<std::pair<BufferLifetime, BufferParts>, 0> collected;
  for (auto &[op, own] : partsOf)
    if (!own.parts.empty())
      if (std::optional<BufferLifetime> buffer =
              makeBuffer(cast<memref::AllocOp>(op), own))
        collected.emplace_back(std::move(*buffer), std::move(own));
  llvm::sort(collected, [&](const auto &a, const auto &b) {
    return context.order.getTicks(a.first.getAllocOp()).first <
           context.order.getTicks(b.first.getAllocOp()).first;
  });
  for (auto &[buffer, own] : collected) {
    buffer.parts = &parts.emplace_back(std::move(own));
    found.push_back(std::move(buffer));
  }
}

void buffer_merge::findEmplacedBuffers(const FunctionContext &context,
                                       ArrayRef<const BufferLifetime *> buffers,
                                       int64_t alignment,
                                       SmallVectorImpl<BufferLifetime> &found,
                                       std::deque<BufferParts> &parts) {
  // Most functions have none.
  if (!context.order.getCopies().empty())
    PartCollector(context, buffers, alignment).run(found, parts);
}
