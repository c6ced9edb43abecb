//===- SplitAllocation.cpp - An allocation for each value -----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitAllocation.h"
#include "Analysis/Webs.h"
#include "CopyRewriting.h"
#include "Mutation.h"
#include "Planning/Pins.h"
#include "buffer-merge/Transforms/Transforms.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace buffer_merge;

/// Return `view` as the same view of what `clones` has in place of its
/// allocation: cloned now, or one of `clones`, which also remembers, as null,
/// what is no view of it.
static Value cloneView(RewriterBase &rewriter, Value view,
                       llvm::DenseMap<Value, Value> &clones,
                       llvm::SetVector<Value> &oldViews) {
  SmallVector<Value> missing;
  while (view && clones.try_emplace(view).second) {
    missing.push_back(view);
    view = getSourceOfView(view);
  }
  Value source = clones.lookup(view);
  if (!source)
    return {};
  for (Value old : llvm::reverse(missing)) {
    Operation *op = old.getDefiningOp();
    rewriter.setInsertionPointAfter(op);
    IRMapping mapping;
    mapping.map(getSourceOfView(old), source);
    source = clones[old] = rewriter.clone(*op, mapping)->getResult(0);
    oldViews.insert(old);
  }
  return source;
}

SmallVector<memref::AllocOp, 2>
buffer_merge::splitAllocation(RewriterBase &rewriter,
                              ArrayRef<BufferLifetime> values,
                              llvm::SetVector<Value> &oldViews) {
  memref::AllocOp alloc = values.front().getAllocOp();
  SmallVector<memref::AllocOp, 2> parts = {alloc};
  for (const BufferLifetime &value : values.drop_front()) {
    rewriter.setInsertionPointAfter(parts.back());
    parts.push_back(cast<memref::AllocOp>(rewriter.clone(*alloc)));
    llvm::DenseMap<Value, Value> clones;
    clones[alloc] = parts.back();
    // What is accessed through other values than views follows what forwards
    // the allocation to them.
    for (const BufferEvent &event : value.events)
      if (Value own =
              cloneView(rewriter, event.operand->get(), clones, oldViews))
        rewriter.modifyOpInPlace(event.operand->getOwner(),
                                 [&] { event.operand->set(own); });
  }
  return parts;
}

SplitBuffersResult
buffer_merge::splitBuffers(Operation *root,
                           const SplitBuffersOptions &options) {
  BufferLifetimesOptions lifetimesOptions = getLifetimesOptions(options);
  lifetimesOptions.findValues = true;
  BufferLifetimes lifetimes(root, lifetimesOptions);
  IRRewriter rewriter(root->getContext());
  llvm::SetVector<Value> oldViews;
  SplitBuffersResult result;
  for (const BufferLifetime &buffer : lifetimes.getBuffers()) {
    ArrayRef<BufferLifetime> values = lifetimes.getValues(buffer);
    if (values.empty() || hasPin(buffer.getAllocOp()))
      continue;
    SmallVector<memref::AllocOp, 2> parts =
        splitAllocation(rewriter, values, oldViews);
    ++result.numSplit;
    result.numParts += parts.size();
    for (OpOperand *dealloc : buffer.deallocs) {
      rewriter.setInsertionPointAfter(dealloc->getOwner());
      for (memref::AllocOp part : ArrayRef(parts).drop_front())
        if (!isMutated("L10-deallocations"))
          memref::DeallocOp::create(rewriter, dealloc->getOwner()->getLoc(),
                                    part);
    }
  }
  eraseUnusedViews(rewriter, std::move(oldViews));
  return result;
}
