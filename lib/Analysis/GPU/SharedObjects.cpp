//===- SharedObjects.cpp - Parts of pools in workgroup memory ------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedObjects.h"
#include "Analysis/BufferSize.h"
#include "Analysis/ViewSources.h"
#include "Mutation.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include <limits>

using namespace mlir;
using namespace buffer_merge;

const SharedObject &SharedObject::getBuffer() const {
  const SharedObject *object = this;
  while (!object->isView && object->parent)
    object = object->parent;
  return *object;
}

std::optional<SharedObject::Bytes> SharedObject::getBytesAround() const {
  const SharedObject *around = this;
  while (!around->bytes && !around->isView && around->parent &&
         around->parent->parent)
    around =
        isMutated("races-nested-parts") ? &around->getBuffer() : around->parent;
  return around->bytes;
}

/// Return true if `a` is part of `b`.
static bool isPartOf(const SharedObject *a, const SharedObject *b) {
  for (; a; a = a->isView ? nullptr : a->parent)
    if (a == b)
      return true;
  return false;
}

/// Return true if `a` and `b`, of one buffer and with the same strides, have no
/// element in common, as far as that is seen from one of their dimensions.
static bool areDisjointBoxes(const SharedObject::Place &a,
                             const SharedObject::Place &b) {
  SmallVector<std::tuple<int64_t, int64_t, int64_t>> dimensions;
  for (auto [stride, sizeA, sizeB] :
       llvm::zip_equal(a.strides, a.sizes, b.sizes)) {
    if (stride <= 0)
      return false;
    dimensions.emplace_back(stride, sizeA, sizeB);
  }
  llvm::sort(dimensions, std::greater<>());
  // Each index is what those with larger strides leave of the offset.
  int64_t offsetA = a.offset, offsetB = b.offset, outer = 0;
  bool areDisjoint = false;
  for (auto [stride, sizeA, sizeB] : dimensions) {
    if (outer % stride != 0)
      return false;
    outer = stride;
    int64_t beginA = offsetA / stride, beginB = offsetB / stride;
    areDisjoint |= beginA + sizeA <= beginB || beginB + sizeB <= beginA;
    offsetA %= stride;
    offsetB %= stride;
  }
  // What is left is which elements of a step are taken.
  return areDisjoint || offsetA != offsetB;
}

/// Compare two parts of one buffer.
static Overlap compareParts(const SharedObject &a, const SharedObject &b) {
  if (isPartOf(&a, &b) || isPartOf(&b, &a) || !a.place || !b.place ||
      isMutated("races-subviews"))
    return Overlap::None;
  if (a.place->strides == b.place->strides) {
    if (a.place->offset == b.place->offset ||
        areDisjointBoxes(*a.place, *b.place))
      return Overlap::None;
  }
  // They are elements of one buffer, and each thread may keep to its own.
  return isMutated("races-subviews-are-buffers") ? Overlap::Some
                                                 : Overlap::Unknown;
}

/// Return true if `a` and `b` are known to have no byte in common.
static bool areDisjoint(const std::optional<SharedObject::Bytes> &a,
                        const std::optional<SharedObject::Bytes> &b) {
  return a && b && (a->end <= b->begin || b->end <= a->begin);
}

Overlap buffer_merge::compare(const SharedObject &a, const SharedObject &b) {
  if (!a.isAccessed || !b.isAccessed || areDisjoint(a.bytes, b.bytes))
    return Overlap::None;
  const SharedObject &bufferA = a.getBuffer(), &bufferB = b.getBuffer();
  if (&bufferA == &bufferB)
    return compareParts(a, b);
  std::optional<SharedObject::Bytes> bytesA = a.getBytesAround();
  std::optional<SharedObject::Bytes> bytesB = b.getBytesAround();
  if (areDisjoint(bytesA, bytesB))
    return Overlap::None;
  // Of a caller and its callee, two parts of one variable that is no pool.
  bool isOneVariable =
      a.function != b.function && !bufferA.isView && !bufferB.isView;
  return bytesA && bytesB && !isOneVariable ? Overlap::Some : Overlap::Unknown;
}

/// Return true if `value` is an object of its own.
static bool isPart(Value value) {
  return isa_and_nonnull<memref::ViewOp, memref::SubViewOp,
                         memref::ReinterpretCastOp>(value.getDefiningOp());
}

/// Return what `part` is derived from, seen through what changes no byte.
static Value getSource(Value part) {
  Value source = part.getDefiningOp<ViewLikeOpInterface>().getViewSource();
  return followSources(source, [](Value value) {
    auto view = value.getDefiningOp<ViewLikeOpInterface>();
    return view && !isPart(value) ? view.getViewSource() : Value();
  });
}

/// Return the bytes between a buffer and `value`, a memref that begins there
/// but for the offset in its type; nothing if that is not known.
static std::optional<int64_t> getByteOffset(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type)
    return std::nullopt;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(offset))
    return std::nullopt;
  Operation *op = value.getDefiningOp();
  const DataLayout layout =
      DataLayout::closest(op ? op : value.getParentBlock()->getParentOp());
  std::variant<BufferSize, UnmergeableReason> element =
      computeBufferSize(MemRefType::get({1}, type.getElementType()), layout);
  auto *known = std::get_if<BufferSize>(&element);
  int64_t bytes;
  if (!known || llvm::MulOverflow(offset, known->bytes, bytes) || bytes < 0)
    return std::nullopt;
  return bytes;
}

/// Return where the elements of `type` are; nothing if that is not known.
static std::optional<SharedObject::Place> getPlace(MemRefType type) {
  SharedObject::Place place;
  if (!type.hasStaticShape() ||
      failed(type.getStridesAndOffset(place.strides, place.offset)) ||
      ShapedType::isDynamic(place.offset) ||
      llvm::is_contained(place.strides, ShapedType::kDynamic))
    return std::nullopt;
  llvm::append_range(place.sizes, type.getShape());
  return place;
}

/// Return the number of elements from the first of `place` to its last one.
static std::optional<int64_t> getExtent(const SharedObject::Place &place) {
  int64_t extent = 1;
  for (auto [size, stride] : llvm::zip_equal(place.sizes, place.strides)) {
    int64_t elements;
    if (size == 0)
      return 0;
    if (stride < 0 || llvm::MulOverflow(size - 1, stride, elements) ||
        llvm::AddOverflow(extent, elements, extent))
      return std::nullopt;
  }
  return extent;
}

/// Set where the bytes of `object`, which has a parent, are.
void SharedObjects::setPlace(SharedObject &object) const {
  const std::optional<SharedObject::Bytes> &around =
      object.parent->getBuffer().bytes;
  Value value = object.aliases.front();
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!around || !type)
    return;
  std::optional<int64_t> begin = getByteOffset(value), size;
  if (auto view = value.getDefiningOp<memref::ViewOp>()) {
    std::optional<int64_t> shift = getConstantIntValue(view.getByteShift());
    begin = getByteOffset(view.getSource());
    if (begin &&
        (!shift || *shift < 0 || llvm::AddOverflow(*begin, *shift, *begin)))
      begin = std::nullopt;
    std::variant<BufferSize, UnmergeableReason> bytes =
        computeBufferSize(type, DataLayout::closest(view));
    if (auto *known = std::get_if<BufferSize>(&bytes))
      size = known->bytes;
  } else if (std::optional<SharedObject::Place> place = getPlace(type)) {
    std::optional<int64_t> extent = getExtent(*place);
    std::variant<BufferSize, UnmergeableReason> bytes = computeBufferSize(
        MemRefType::get({extent.value_or(0)}, type.getElementType()),
        context.layout);
    if (auto *known = std::get_if<BufferSize>(&bytes); known && extent) {
      size = known->bytes;
      object.place = std::move(place);
    }
  }
  int64_t first, last;
  if (!begin || !size || llvm::AddOverflow(around->begin, *begin, first) ||
      llvm::AddOverflow(first, *size, last))
    return;
  object.bytes = {first, last};
}

/// Set what is done with `object`.
void SharedObjects::findUses(SharedObject &object) const {
  for (Value alias : object.aliases)
    for (OpOperand &use : alias.getUses()) {
      BufferUse::Kind kind = classifyUse(use, context.callees).kind;
      Operation *op = use.getOwner();
      if (kind == BufferUse::Kind::None || kind == BufferUse::Kind::Forward ||
          kind == BufferUse::Kind::Dealloc)
        continue;
      object.isAccessed = true;
      // Uses come in an arbitrary context.order.
      if (!WorkgroupSync::isUnderstood(kind, op) &&
          (!object.unknownUse ||
           context.order.getTicks(op).first <
               context.order.getTicks(object.unknownUse).first))
        object.unknownUse = op;
    }
}

/// Complete `object`, whose aliases are those that its pool or operation gives
/// it, and add to `found` the parts of it that are not in `seen`.
void SharedObjects::addParts(SharedObject &object, llvm::DenseSet<Value> &seen,
                             SmallVectorImpl<SharedObject *> &found) {
  WorkgroupSync::Aliases starts = std::move(object.aliases);
  object.aliases.clear();
  SmallVector<Value> parts;
  for (Value start : starts)
    for (Value alias : context.aliases.getAliases(start, isPart)) {
      if (alias == start || !isPart(alias))
        object.aliases.push_back(alias);
      else if (seen.insert(alias).second)
        parts.push_back(alias);
    }
  findUses(object);
  llvm::sort(parts, [&](Value a, Value b) {
    return context.order.getTicks(a.getDefiningOp()).first <
           context.order.getTicks(b.getDefiningOp()).first;
  });
  for (Value part : parts) {
    SharedObject &added =
        *objects.emplace_back(std::make_unique<SharedObject>());
    added.function = context.function;
    added.aliases = {part};
    added.parent = &object;
    added.isView = part.getDefiningOp<memref::ViewOp>() != nullptr;
    // Another one may be that of any object that the source is bound to.
    if (llvm::is_contained(starts, getSource(part)))
      setPlace(added);
    found.push_back(&added);
  }
}

void SharedObjects::collect(ArrayRef<Value> values,
                            SmallVectorImpl<const SharedObject *> &result) {
  SharedObject &pool = *objects.emplace_back(std::make_unique<SharedObject>());
  pool.function = context.function;
  pool.aliases.assign(values.begin(), values.end());
  pool.bytes = {0, std::numeric_limits<int64_t>::max()};
  llvm::DenseSet<Value> seen;
  SmallVector<SharedObject *> found = {&pool};
  for (size_t i = 0; i < found.size(); ++i)
    addParts(*found[i], seen, found);
  // The parts come first, in the order of the program.
  SmallVector<SharedObject *> sorted(llvm::drop_begin(found));
  llvm::sort(sorted, [&](SharedObject *a, SharedObject *b) {
    auto getTick = [&](SharedObject *object) {
      return context.order.getTicks(object->aliases.front().getDefiningOp())
          .first;
    };
    return getTick(a) < getTick(b);
  });
  llvm::append_range(result, sorted);
  result.push_back(&pool);
}
