//===- RuntimeTiles.cpp - Tiles of run-time size --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/GPU/RuntimeTiles.h"
#include "Analysis/AccessAlignment.h"
#include "Mutation.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace buffer_merge;

std::optional<LaunchSize> buffer_merge::findLaunchSize(Value value) {
  if (auto op = value.getDefiningOp<gpu::BlockDimOp>())
    return LaunchSize{/*isOfGrid=*/false, op.getDimension()};
  if (auto op = value.getDefiningOp<gpu::GridDimOp>())
    return LaunchSize{/*isOfGrid=*/true, op.getDimension()};
  return std::nullopt;
}

/// Return true if `op` returns a view of its operand, and nothing else.
static bool isView(Operation *op) {
  return isa<memref::SubViewOp, memref::CastOp, memref::ViewOp,
             memref::ExpandShapeOp, memref::CollapseShapeOp,
             memref::ReinterpretCastOp, memref::TransposeOp>(op);
}

/// Return true if `use` is an access of the thread that executes it, which is
/// over when the operation is, or none.
static bool isPlainUse(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return use.get() != store.getValueToStore();
  if (auto store = dyn_cast<affine::AffineStoreOp>(op))
    return use.get() != store.getValueToStore();
  return isa<memref::LoadOp, memref::CopyOp, memref::DimOp, memref::AtomicRMWOp,
             affine::AffineLoadOp, affine::AffineVectorLoadOp,
             affine::AffineVectorStoreOp, vector::LoadOp, vector::StoreOp,
             vector::TransferReadOp, vector::TransferWriteOp, linalg::LinalgOp>(
      op);
}

std::optional<TileUse>
buffer_merge::findTileUse(memref::AllocOp alloc, const FunctionContext &context,
                          const WorkgroupOptions &workgroup) {
  Block *block = alloc->getBlock();
  auto kernel = dyn_cast<gpu::GPUFuncOp>(block->getParentOp());
  if (!kernel || !kernel.isKernel() || !kernel.getBody().hasOneBlock())
    return std::nullopt;
  std::optional<TileUse> found;
  Operation *last = nullptr;
  SmallVector<Value> views = {alloc};
  while (!views.empty())
    for (OpOperand &use : views.pop_back_val().getUses()) {
      Operation *op = use.getOwner();
      if (isView(op)) {
        llvm::append_range(views, op->getResults());
        continue;
      }
      if (!isPlainUse(use))
        return std::nullopt;
      Operation *there = block->findAncestorOpInBlock(*op);
      TickRange ticks = context.order.getTicks(there);
      if (!found)
        found = {ticks};
      if (!last || ticks.last > found->ticks.last)
        last = there;
      found->ticks = found->ticks.hull(ticks);
      found->alignment =
          std::max(found->alignment,
                   getNeededAlignment(use, BufferUse::Kind::Access,
                                      context.callees, context.layout));
    }
  if (!found || isMutated("G15-barrier"))
    return found;
  // Nothing behind the terminator has an access.
  do
    last = last->getNextNode();
  while (last != &block->back() && !workgroup.isWorkgroupBarrier(last));
  found->ticks.last = context.order.getTicks(last).first;
  return found;
}
