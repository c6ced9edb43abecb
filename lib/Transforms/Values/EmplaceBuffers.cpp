//===- EmplaceBuffers.cpp - Buffers inside of others ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several buffers that are copied into one are decided about together: the
// first of them alone would only make the outer one alive for longer.
//
//===----------------------------------------------------------------------===//

#include "AliveBytes.h"
#include "Analysis/Emplacement.h"
#include "Analysis/FunctionContext.h"
#include "CopyRewriting.h"
#include "Mutation.h"
#include "Premises.h"
#include "Report/Remarks.h"
#include "buffer-merge/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
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
    AliveBytes alive;
    EmplaceBuffersResult result;
  };

  bool keepWithinPeak(memref::AllocOp outer,
                      SmallVectorImpl<Emplacement> &group);
  void emplace(memref::AllocOp outer, ArrayRef<Emplacement> group);
  memref::AllocOp replaceByBytes(memref::AllocOp outer, int64_t alignment);
  memref::AllocOp alignAtLeast(memref::AllocOp outer, int64_t alignment);
  void emitRemarks() const;

  const FunctionContext &context;
  const EmplaceBuffersOptions &options;
  EmplacementFinder finder;
  llvm::MapVector<AliveBytes::Scopes::key_type, Scope> scopes;
};
} // namespace

BufferEmplacer::BufferEmplacer(const FunctionContext &context,
                               ArrayRef<const BufferLifetime *> lifetimes,
                               const EmplaceBuffersOptions &options)
    : context(context), options(options), finder(context, options.strided) {
  for (const BufferLifetime *buffer : lifetimes)
    if (!buffer->refusal && buffer->deallocs.empty())
      finder.add(*buffer);
  for (auto &[key, alive] : AliveBytes::collect(lifetimes))
    scopes[key].alive = std::move(alive);
}

/// Take those out of `group`, copies into parts of `outer`, that would raise
/// the peak; return false if none are left.
bool BufferEmplacer::keepWithinPeak(memref::AllocOp outer,
                                    SmallVectorImpl<Emplacement> &group) {
  const EmplaceableBuffer &info = *finder.lookup(outer);
  Scope &scope = scopes[{info.scope, outer.getType().getMemorySpace()}];
  while (!group.empty()) {
    TickRange ticks = info.ticks;
    SmallVector<AliveBytes::Change> changes;
    AliveBytes::add(info.ticks, info.gaps, -info.size, changes);
    for (Emplacement &candidate : group) {
      const EmplaceableBuffer &inner = *finder.lookup(candidate.inner);
      AliveBytes::add(inner.ticks, inner.gaps, -inner.size, changes);
      ticks = ticks.hull(inner.ticks);
    }
    changes.push_back({ticks, info.size});
    finder.stepsLeft -= ticks.last - ticks.first;
    if (options.mayRaisePeak || isMutated("R7-emplaced")) {
      scope.alive.apply(changes);
      return true;
    }
    if (finder.stepsLeft < 0)
      return false;
    if (scope.alive.applyWithinPeak(changes))
      return true;
    // The outer buffer is alive from the first one on.
    group.erase(llvm::min_element(
        group, [&](const Emplacement &a, const Emplacement &b) {
          return finder.lookup(a.inner)->ticks.first <
                 finder.lookup(b.inner)->ticks.first;
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
  EmplaceableBuffer info = *finder.lookup(outer);
  OpBuilder builder(outer);
  auto bytesType =
      MemRefType::get({info.size}, builder.getI8Type(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  info.alignment = std::max(info.alignment, alignment);
  auto alignmentAttr = builder.getI64IntegerAttr(info.alignment);
  if (type == bytesType) {
    outer.setAlignmentAttr(alignmentAttr);
    finder.set(outer, info);
    return outer;
  }
  auto bytes = memref::AllocOp::create(builder, outer.getLoc(), bytesType,
                                       alignmentAttr);
  Value zero = arith::ConstantIndexOp::create(builder, outer.getLoc(), 0);
  auto view = memref::ViewOp::create(builder, outer.getLoc(), type, bytes, zero,
                                     ValueRange());
  bytes->setDiscardableAttrs(outer->getDiscardableAttrDictionary());
  outer.replaceAllUsesWith(view.getResult());
  finder.erase(outer);
  outer.erase();
  finder.set(bytes, info);
  return bytes;
}

/// Align `outer` to at least `alignment` bytes.
memref::AllocOp BufferEmplacer::alignAtLeast(memref::AllocOp outer,
                                             int64_t alignment) {
  EmplaceableBuffer &info = *finder.lookup(outer);
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

/// Let `view`, a part that is not contiguous, take the place of `alloc`.
/// Subviews get the types that they have then.
static void replaceByStrided(memref::AllocOp alloc, memref::SubViewOp view) {
  alloc.replaceAllUsesWith(view.getResult());
  SmallVector<Value> views = {view};
  while (!views.empty()) {
    Value source = views.pop_back_val();
    for (Operation *op : source.getUsers())
      if (auto subview = dyn_cast<memref::SubViewOp>(op)) {
        subview.getResult().setType(
            memref::SubViewOp::inferRankReducedResultType(
                subview.getType().getShape(),
                cast<MemRefType>(source.getType()), subview.getMixedOffsets(),
                subview.getMixedSizes(), subview.getMixedStrides()));
        views.push_back(subview);
      }
  }
}

/// Let the inner buffers of `group`, at least one, be parts of `outer`.
void BufferEmplacer::emplace(memref::AllocOp outer,
                             ArrayRef<Emplacement> group) {
  Scope &scope =
      scopes[{finder.lookup(outer)->scope, outer.getType().getMemorySpace()}];
  int64_t alignment = 1;
  Operation *first = nullptr;
  llvm::MapVector<Operation *, Operation *> fills;
  finder.forgetUses(outer);
  for (const Emplacement &candidate : group) {
    finder.forgetUses(candidate.inner);
    const EmplaceableBuffer &inner = *finder.lookup(candidate.inner);
    alignment = std::max(alignment, inner.alignment);
    EmplaceableBuffer &info = *finder.lookup(outer);
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
      group, [](const Emplacement &candidate) { return !candidate.strided; });
  memref::AllocOp bytes = isAnyContiguous ? replaceByBytes(outer, alignment)
                                          : alignAtLeast(outer, alignment);
  for (const Emplacement &candidate : group) {
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
    scope.result.bytesNotCopied += finder.lookup(inner)->size;
    finder.erase(inner);
    inner.erase();
    memref::CopyOp copy = candidate.copy;
    Value source = copy.getSource(), part = copy.getTarget();
    copy.erase();
    eraseUnused(part);
    eraseUnused(source);
  }
}

void BufferEmplacer::emitRemarks() const {
  auto lock = lockRemarks(context.function->getContext());
  if (!lock)
    return;
  for (const auto &[key, scope] : scopes)
    if (scope.result.numEmplaced != 0)
      remark::analysis(key.first->getParentOp()->getLoc(),
                       getRemarkOpts("Emplaced", context.function))
          << remark::metric("Copies", scope.result.numEmplaced)
          << remark::metric("BytesNotCopied", scope.result.bytesNotCopied)
          << remark::metric("AliveBytes", scope.alive.getPeak());
}

EmplaceBuffersResult BufferEmplacer::run() {
  // By the allocation that is copied into, which another group may change.
  for (const auto &[op, copies] : finder.collectCopies()) {
    memref::CopyOp anyCopy = copies.front();
    memref::AllocOp outer =
        findPlace(anyCopy.getTarget(), context.layout).first;
    SmallVector<Emplacement> group = finder.find(outer, copies);
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
  BufferLifetimes lifetimes(root, getLifetimesOptions(options));
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
