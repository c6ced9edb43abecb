//===- PlacedUses.cpp - Which bytes of an allocation are used -------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The offset in the type of a memref counts from its base, which most views
// share with their source: the type alone says where the elements are.
// memref.view makes a new base.
//
//===----------------------------------------------------------------------===//

#include "PlacedUses.h"
#include "BufferSize.h"
#include "Premises.h"
#include "ViewSources.h"
#include "Webs.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace buffer_merge;

/// Compute the strides and the offset of `type`, in elements. Most layouts are
/// the default one, for which MLIR would build affine expressions.
static LogicalResult computePlacement(MemRefType type,
                                      SmallVectorImpl<int64_t> &strides,
                                      int64_t &offset) {
  if (!hasDefaultLayout(type) || !type.hasStaticShape())
    return type.getStridesAndOffset(strides, offset);
  offset = 0;
  strides.assign(type.getRank(), 1);
  for (int64_t dim = type.getRank() - 1; dim > 0; --dim) {
    std::optional<int64_t> stride =
        llvm::checkedMul(strides[dim], type.getDimSize(dim));
    if (!stride)
      return failure();
    strides[dim - 1] = *stride;
  }
  return success();
}

bool buffer_merge::isContiguous(MemRefType type) {
  if (hasDefaultLayout(type))
    return type.hasStaticShape();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type.hasStaticShape() || failed(computePlacement(type, strides, offset)))
    return false;
  int64_t distance = 1;
  for (auto [size, stride] : llvm::zip_equal(llvm::reverse(type.getShape()),
                                             llvm::reverse(strides))) {
    if (size != 1 && stride != distance)
      return false;
    distance *= size;
  }
  return true;
}

/// Return the byte of an allocation that `view`, a view of `source`, has as its
/// base, if `base` is that of the source.
static std::optional<int64_t> getBase(Operation *view,
                                      std::optional<int64_t> base) {
  if (!base)
    return std::nullopt;
  if (isa<memref::SubViewOp, memref::ExpandShapeOp, memref::CollapseShapeOp,
          memref::CastOp, memref::TransposeOp, memref::ReinterpretCastOp,
          memref::AssumeAlignmentOp>(view))
    return base;
  auto shifted = dyn_cast<memref::ViewOp>(view);
  std::optional<int64_t> shift =
      shifted ? getConstantIntValue(shifted.getByteShift()) : std::nullopt;
  if (!shift)
    return std::nullopt;
  return *base + *shift;
}

std::optional<ByteRange> buffer_merge::getBytes(Value value,
                                                std::optional<int64_t> base,
                                                const DataLayout &layout) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!base || !type || !type.hasStaticShape() ||
      llvm::is_contained(type.getShape(), 0))
    return std::nullopt;
  std::optional<int64_t> element = getElementBytes(type, layout);
  if (!element)
    return std::nullopt;
  // Most of all, and without gaps.
  if (hasDefaultLayout(type)) {
    std::optional<int64_t> end = element;
    for (int64_t size : type.getShape())
      end = end ? llvm::checkedMul(*end, size) : std::nullopt;
    end = end ? llvm::checkedAdd(*end, *base) : std::nullopt;
    return end ? std::optional(ByteRange{*base, *end}) : std::nullopt;
  }
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(computePlacement(type, strides, offset)) ||
      ShapedType::isDynamic(offset))
    return std::nullopt;
  std::optional<int64_t> last = offset;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides)) {
    if (!last || (size != 1 && (ShapedType::isDynamic(stride) || stride < 0)))
      return std::nullopt;
    if (size != 1)
      last = llvm::checkedMulAdd(size - 1, stride, *last);
  }
  std::optional<int64_t> begin = llvm::checkedMulAdd(offset, *element, *base);
  if (last)
    last = llvm::checkedMulAdd(*last, *element, *base + *element);
  return begin && last ? std::optional(ByteRange{*begin, *last}) : std::nullopt;
}

std::optional<SmallVector<PlacedUse>>
buffer_merge::collectPlacedUses(memref::AllocOp alloc,
                                const CalleeSummaries &callees,
                                const DataLayout &layout) {
  SmallVector<PlacedUse> uses;
  SmallVector<std::pair<Value, std::optional<int64_t>>> views = {{alloc, 0}};
  for (size_t i = 0; i < views.size(); ++i) {
    auto [view, base] = views[i];
    std::optional<ByteRange> bytes = getBytes(view, base, layout);
    for (OpOperand &use : view.getUses()) {
      Operation *op = use.getOwner();
      if (isSourceOfView(use)) {
        views.push_back({op->getResult(0), getBase(op, base)});
        continue;
      }
      BufferUse::Kind kind = classifyUse(use, callees).kind;
      if (kind == BufferUse::Kind::Dealloc)
        continue;
      if (kind == BufferUse::Kind::Access &&
          llvm::none_of(op->getResultTypes(), mayHoldAddress))
        uses.push_back({&use, bytes});
      else if (ask<Stage::Emplacement, Premise::OwnAddress,
                   Proof::ComparedAddresses>(kind) != BufferUse::Kind::None)
        return std::nullopt;
    }
  }
  return uses;
}

std::pair<Value, std::optional<int64_t>> buffer_merge::findBase(Value value) {
  SmallVector<Operation *> views;
  Value root = followSources(value, [&](Value view) {
    Value source = getSourceOfView(view);
    if (source)
      views.push_back(view.getDefiningOp());
    return source;
  });
  std::optional<int64_t> base = 0;
  for (Operation *view : llvm::reverse(views))
    base = getBase(view, base);
  return {root, base};
}

std::pair<memref::AllocOp, std::optional<ByteRange>>
buffer_merge::findPlace(Value value, const DataLayout &layout) {
  auto [root, base] = findBase(value);
  auto alloc = root.getDefiningOp<memref::AllocOp>();
  if (!alloc)
    return {};
  return {alloc, getBytes(value, base, layout)};
}
