//===- CopyRewriting.cpp - What passes about copies have in common --------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopyRewriting.h"
#include "Analysis/Webs.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace buffer_merge;

BufferLifetimesOptions
buffer_merge::getLifetimesOptions(const SplitBuffersOptions &options) {
  BufferLifetimesOptions lifetimes;
  lifetimes.calls = options.calls;
  lifetimes.dynamic = DynamicPolicy::None;
  lifetimes.workgroup = options.workgroup;
  lifetimes.findValues = lifetimes.findInPlacePairs = false;
  return lifetimes;
}

void buffer_merge::eraseUnusedViews(RewriterBase &rewriter,
                                    llvm::SetVector<Value> values) {
  while (!values.empty()) {
    Value value = values.pop_back_val();
    Value source = getSourceOfView(value);
    if (!source || !value.use_empty())
      continue;
    values.insert(source);
    rewriter.eraseOp(value.getDefiningOp());
  }
}

void buffer_merge::eraseUnused(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<memref::AllocOp>(op) &&
        llvm::all_of(op->getUsers(), llvm::IsaPred<memref::DeallocOp>))
      for (Operation *dealloc : llvm::make_early_inc_range(op->getUsers()))
        dealloc->erase();
    if (!isOpTriviallyDead(op))
      return;
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    value = view ? view.getViewSource() : Value();
    op->erase();
    if (!value)
      return;
  }
}
