//===- AccessedBytes.cpp - The bytes that an access touches ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/GPU/AccessedBytes.h"
#include "Analysis/BufferSize.h"
#include "Analysis/WholeOverwrite.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace buffer_merge;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

namespace {
/// Where the elements of a memref are in the buffer.
struct Placement {
  /// The first byte; not known: nothing is.
  ThreadValues::Lanes first;
  /// In bytes; dynamic if not known.
  SmallVector<int64_t> strides;
  /// In elements; dynamic if not known.
  SmallVector<int64_t> sizes;
  int64_t elementBytes = 0;
};
} // namespace

/// Return `type` with its elements at `first`, if its strides are static.
static std::optional<Placement>
place(MemRefType type, ThreadValues::Lanes first, const DataLayout &layout) {
  Placement placement;
  int64_t offset;
  placement.elementBytes = getElementBytes(type, layout).value_or(0);
  if (failed(type.getStridesAndOffset(placement.strides, offset)) ||
      placement.elementBytes == 0)
    return std::nullopt;
  for (int64_t &stride : placement.strides) {
    if (ShapedType::isDynamic(stride))
      return std::nullopt;
    stride *= placement.elementBytes;
  }
  placement.first = std::move(first);
  placement.sizes.assign(type.getShape().begin(), type.getShape().end());
  return placement;
}

static std::optional<Placement>
placeSubView(memref::SubViewOp view, Placement source, ThreadValues &values) {
  Placement placement;
  placement.first = source.first;
  placement.elementBytes = source.elementBytes;
  llvm::SmallBitVector dropped = view.getDroppedDims();
  SmallVector<OpFoldResult> offsets = view.getMixedOffsets();
  SmallVector<OpFoldResult> sizes = view.getMixedSizes();
  SmallVector<OpFoldResult> strides = view.getMixedStrides();
  for (auto [dim, stride] : llvm::enumerate(source.strides)) {
    placement.first = values.multiplyAdd(
        placement.first, values.getFolded(offsets[dim]), stride);
    if (dropped.test(dim))
      continue;
    std::optional<int64_t> step = getConstantIntValue(strides[dim]);
    if (!step)
      return std::nullopt;
    placement.strides.push_back(stride * *step);
    placement.sizes.push_back(
        getConstantIntValue(sizes[dim]).value_or(ShapedType::kDynamic));
  }
  return placement;
}

/// Return where `view` has its elements if the source of the view has them at
/// `source`.
static std::optional<Placement> placeView(Operation *view, Placement source,
                                          Value alloc, ThreadValues &values,
                                          const DataLayout &layout) {
  using Result = std::optional<Placement>;
  return llvm::TypeSwitch<Operation *, Result>(view)
      .Case<memref::CastOp, memref::MemorySpaceCastOp,
            memref::AssumeAlignmentOp>([&](auto op) -> Result {
        if (!isa<MemRefType>(op->getResult(0).getType()))
          return std::nullopt;
        return source;
      })
      .Case([&](memref::TransposeOp transpose) {
        AffineMap map = transpose.getPermutation();
        source.strides = applyPermutationMap(map, ArrayRef(source.strides));
        source.sizes = applyPermutationMap(map, ArrayRef(source.sizes));
        return source;
      })
      .Case<memref::ExpandShapeOp, memref::CollapseShapeOp>([&](auto reshape) {
        return place(cast<MemRefType>(reshape.getResult().getType()),
                     source.first, layout);
      })
      .Case([&](memref::SubViewOp subview) {
        return placeSubView(subview, source, values);
      })
      .Case([&](memref::ReinterpretCastOp cast) -> Result {
        // Its offset counts from the allocation, not from the source.
        SmallVector<OpFoldResult> offsets = cast.getMixedOffsets();
        if (cast.getSource() != alloc || offsets.size() != 1)
          return std::nullopt;
        return place(cast.getType(),
                     values.multiplyAdd(source.first,
                                        values.getFolded(offsets[0]),
                                        source.elementBytes),
                     layout);
      })
      .Case([&](memref::ViewOp bytes) {
        ThreadValues::Lanes shift = values.get(bytes.getByteShift());
        return place(bytes.getType(),
                     values.multiplyAdd(source.first, shift, 1), layout);
      })
      .Default([](Operation *) { return Result(); });
}

/// Return where `memref`, an alias of `alloc`, has its elements.
static std::optional<Placement> findPlacement(Value memref, Value alloc,
                                              ThreadValues &values,
                                              const DataLayout &layout) {
  SmallVector<Operation *> views;
  for (; memref != alloc; memref = views.back()->getOperand(0)) {
    Operation *op = memref.getDefiningOp();
    if (!op || op->getNumOperands() == 0 || op->getNumResults() != 1 ||
        !isa<MemRefType>(op->getOperand(0).getType()))
      return std::nullopt;
    views.push_back(op);
  }
  std::optional<Placement> placement = place(
      cast<MemRefType>(alloc.getType()), ThreadValues::getConstant(0), layout);
  for (Operation *view : llvm::reverse(views)) {
    if (!placement)
      return std::nullopt;
    placement = placeView(view, std::move(*placement), alloc, values, layout);
  }
  return placement;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Beyond that, an access is not worth looking at.
static constexpr size_t maxRuns = 4096;
static constexpr int64_t maxExtent = 1 << 20;

/// Return the ranges of a box of `extents` elements, at distances of `strides`
/// bytes; nothing if they are too many.
static SmallVector<std::pair<int64_t, int64_t>, 1>
getRuns(ArrayRef<int64_t> extents, ArrayRef<int64_t> strides,
        int64_t elementBytes) {
  SmallVector<std::pair<int64_t, int64_t>, 1> runs = {{0, elementBytes}};
  for (auto [extent, stride] :
       llvm::zip_equal(llvm::reverse(extents), llvm::reverse(strides))) {
    if (ShapedType::isDynamic(extent) || extent == 0 || stride < 0 ||
        extent > maxExtent)
      return {};
    size_t count = runs.size();
    // Rows one after the other are one.
    if (count == 1 && stride == runs.front().second) {
      runs.front().second *= extent;
      continue;
    }
    if (count * extent > maxRuns)
      return {};
    for (int64_t i = 1; i < extent; ++i)
      for (size_t j = 0; j < count; ++j)
        runs.emplace_back(runs[j].first + i * stride,
                          runs[j].second + i * stride);
  }
  return runs;
}

namespace {
/// How an operation uses the elements of a memref: a box of them at an index.
struct Box {
  /// The indices are the results of `map`, if there is one, with these.
  SmallVector<Value, 3> indices;
  AffineMap map;
  /// Elements in each dimension of the memref, or of a matrix.
  SmallVector<int64_t> extents;
  /// In elements, if not those of the memref.
  SmallVector<int64_t> strides;
  bool mustWrite = false;
  bool isCopy = false;
  bool isMasked = false;
};
} // namespace

/// Return a box of `shape` elements in the last dimensions of a memref of
/// `rank` dimensions.
static SmallVector<int64_t> getLastExtents(ArrayRef<int64_t> shape,
                                           int64_t rank) {
  SmallVector<int64_t> extents(rank, 1);
  if (int64_t(shape.size()) > rank)
    return {};
  llvm::copy(shape, extents.end() - shape.size());
  return extents;
}

/// Return what `op` transfers, a vector of `type`.
template <typename Transfer>
static std::optional<Box> getTransferBox(Transfer op, bool isWrite) {
  VectorType type = op.getVectorType();
  if (type.isScalable() || isa<VectorType>(op.getShapedType().getElementType()))
    return std::nullopt;
  Box box;
  box.indices.assign(op.getIndices().begin(), op.getIndices().end());
  box.extents.assign(box.indices.size(), 1);
  for (auto [result, size] :
       llvm::zip_equal(op.getPermutationMap().getResults(), type.getShape()))
    if (auto dim = dyn_cast<AffineDimExpr>(result))
      box.extents[dim.getPosition()] = size;
  // What is out of bounds or masked out is neither read nor written.
  box.isMasked = op.getMask() || op.hasOutOfBoundsDim();
  box.mustWrite = isWrite && !box.isMasked;
  return box;
}

template <typename MatrixOp>
static Box getMatrixBox(MatrixOp op, gpu::MMAMatrixType type) {
  Box box;
  box.indices.assign(op.getIndices().begin(), op.getIndices().end());
  box.extents.assign(type.getShape().begin(), type.getShape().end());
  box.strides = {op.getLeadDimension().getSExtValue(), 1};
  if (op.getTranspose().value_or(false))
    std::swap(box.strides[0], box.strides[1]);
  box.mustWrite = std::is_same_v<MatrixOp, gpu::SubgroupMmaStoreMatrixOp>;
  return box;
}

/// Return the elements that `use` accesses, or nothing if they are not known.
static std::optional<Box> getBox(OpOperand &use) {
  using Result = std::optional<Box>;
  auto type = dyn_cast<MemRefType>(use.get().getType());
  if (!type)
    return std::nullopt;
  int64_t rank = type.getRank();
  auto make = [&](ValueRange indices, ArrayRef<int64_t> shape, bool mustWrite,
                  AffineMap map = AffineMap(), bool isCopy = false) -> Box {
    Box box;
    box.indices.assign(indices.begin(), indices.end());
    box.map = map;
    box.extents = getLastExtents(shape, rank);
    box.mustWrite = mustWrite;
    box.isCopy = isCopy;
    return box;
  };
  return llvm::TypeSwitch<Operation *, Result>(use.getOwner())
      .Case([&](memref::LoadOp op) { return make(op.getIndices(), {}, false); })
      .Case([&](memref::StoreOp op) { return make(op.getIndices(), {}, true); })
      .Case<memref::AtomicRMWOp, memref::GenericAtomicRMWOp>(
          [&](auto op) { return make(op.getIndices(), {}, true); })
      .Case([&](affine::AffineLoadOp op) {
        return make(op.getMapOperands(), {}, false, op.getAffineMap());
      })
      .Case([&](affine::AffineStoreOp op) {
        return make(op.getMapOperands(), {}, true, op.getAffineMap());
      })
      .Case<vector::LoadOp, vector::StoreOp>([&](auto op) -> Result {
        VectorType vector = op.getVectorType();
        if (vector.isScalable())
          return std::nullopt;
        bool isElement = vector == type.getElementType();
        return make(op.getIndices(),
                    isElement ? ArrayRef<int64_t>() : vector.getShape(),
                    std::is_same_v<decltype(op), vector::StoreOp>);
      })
      .Case([&](vector::TransferReadOp op) {
        return getTransferBox(op, /*isWrite=*/false);
      })
      .Case([&](vector::TransferWriteOp op) {
        return getTransferBox(op, /*isWrite=*/true);
      })
      .Case([&](nvgpu::DeviceAsyncCopyOp op) {
        bool isTarget = &use == &op.getDstMutable();
        int64_t count = op.getDstElements().getSExtValue();
        return make(isTarget ? op.getDstIndices() : op.getSrcIndices(), count,
                    isTarget, AffineMap(), isTarget);
      })
      .Case([&](nvgpu::LdMatrixOp op) -> Result {
        // 16 bytes of a row for each thread whose address counts.
        constexpr unsigned bits = 128;
        Type element = type.getElementType();
        if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8 ||
            !type.isLastDimUnitStride())
          return std::nullopt;
        int64_t count = bits / element.getIntOrFloatBitWidth();
        return make(op.getIndices(), count, false);
      })
      .Case([&](gpu::SubgroupMmaLoadMatrixOp op) {
        return getMatrixBox(op, cast<gpu::MMAMatrixType>(op.getType()));
      })
      .Case([&](gpu::SubgroupMmaStoreMatrixOp op) {
        return getMatrixBox(op,
                            cast<gpu::MMAMatrixType>(op.getSrc().getType()));
      })
      .Default([](Operation *) { return Result(); });
}

/// Return true if vectors and matrices of `op` have the element type of the
/// memref: then a box is counted in its elements.
static bool hasElementsOf(Operation *op, MemRefType type,
                          const DataLayout &layout) {
  auto isPacked = [&](Type element) {
    return isPackedInVectors(element, layout);
  };
  auto isSame = [&](Type other) {
    if (auto vector = dyn_cast<VectorType>(other))
      return (vector.getElementType() == type.getElementType() &&
              !isPacked(vector.getElementType())) ||
             other == type.getElementType();
    auto matrix = dyn_cast<gpu::MMAMatrixType>(other);
    return !matrix || matrix.getElementType() == type.getElementType();
  };
  return isa<nvgpu::LdMatrixOp>(op) ||
         (llvm::all_of(op->getResultTypes(), isSame) &&
          llvm::all_of(op->getOperandTypes(), isSame));
}

std::pair<bool, bool> buffer_merge::getReadAndWrite(OpOperand &use) {
  SmallVector<MemoryEffects::EffectInstance> effects;
  if (auto interface = dyn_cast<MemoryEffectOpInterface>(use.getOwner()))
    interface.getEffectsOnValue(use.get(), effects);
  auto isRead = [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Read>(effect.getEffect());
  };
  return {effects.empty() || llvm::any_of(effects, isRead),
          effects.empty() || !llvm::all_of(effects, isRead)};
}

AccessedBytes buffer_merge::getAccessedBytes(OpOperand &use, Value alloc,
                                             ThreadValues &values,
                                             const DataLayout &layout) {
  AccessedBytes accessed;
  accessed.mayRead = getReadAndWrite(use).first;
  Operation *op = use.getOwner();
  std::optional<Placement> placement =
      findPlacement(use.get(), alloc, values, layout);
  if (!placement)
    return accessed;
  // All of the memref.
  if (isa<linalg::LinalgOp, memref::CopyOp>(op)) {
    accessed.first = std::move(placement->first);
    accessed.runs =
        getRuns(placement->sizes, placement->strides, placement->elementBytes);
    // What is accessed inside may be what it has not written yet.
    accessed.mustWrite =
        findWholeOverwrite(use) == op && !usesMemRefsInside(op);
    return accessed;
  }
  std::optional<Box> box = getBox(use);
  auto type = cast<MemRefType>(use.get().getType());
  if (!box || !hasElementsOf(op, type, layout) ||
      (box->strides.empty() && int64_t(box->extents.size()) != type.getRank()))
    return accessed;
  accessed.mustWrite = box->mustWrite;
  accessed.isCopy = box->isCopy;
  if (!box->isMasked) {
    accessed.key = {use.get()};
    llvm::append_range(accessed.key, box->indices);
    accessed.map = box->map;
  }
  for (auto [dim, stride] : llvm::enumerate(placement->strides)) {
    ThreadValues::Lanes index;
    if (box->map)
      index = values.apply(box->map, dim, box->indices);
    else
      index = values.get(box->indices[dim]);
    placement->first = values.multiplyAdd(placement->first, index, stride);
  }
  accessed.first = std::move(placement->first);
  SmallVector<int64_t> strides = box->strides;
  for (int64_t &stride : strides)
    stride *= placement->elementBytes;
  accessed.runs =
      getRuns(box->extents, strides.empty() ? placement->strides : strides,
              placement->elementBytes);
  return accessed;
}
