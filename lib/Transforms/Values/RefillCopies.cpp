//===- RefillCopies.cpp - Fills in place of copies of fills ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RefillCopies.h"
#include "Analysis/FunctionContext.h"
#include "CopyRewriting.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

/// Fill the target of the copy of `refill` instead. Return what it has read.
static Value fillTarget(RewriterBase &rewriter, const Refill &refill) {
  memref::CopyOp copy = refill.copy;
  Value source = copy.getSource();
  rewriter.setInsertionPoint(copy);
  linalg::FillOp::create(rewriter, copy.getLoc(), refill.scalar,
                         copy.getTarget());
  rewriter.eraseOp(copy);
  return source;
}

RefillCopiesResult buffer_merge::applyRefills(
    RewriterBase &rewriter, const FunctionRefills &refills,
    const llvm::DenseSet<Operation *> &merged, llvm::SetVector<Value> &unused) {
  RefillCopiesResult result;
  for (const LateFill &late : refills.fills) {
    linalg::FillOp fill = late.fill;
    if (!merged.contains(late.alloc) || (late.reader && !late.operand))
      continue;
    Value filled = fill.getOutputs().front();
    if (late.operand) {
      rewriter.setInsertionPoint(late.reader);
      linalg::FillOp::create(rewriter, fill.getLoc(), fill.getInputs().front(),
                             late.operand->get());
    } else {
      ++result.numErased;
    }
    rewriter.eraseOp(fill);
    unused.insert(filled);
  }
  for (const Refill &refill : refills.copies)
    if (merged.contains(refill.source)) {
      unused.insert(fillTarget(rewriter, refill));
      ++result.numRefilled;
    }
  return result;
}

RefillCopiesResult
buffer_merge::refillCopies(Operation *root,
                           const SplitBuffersOptions &options) {
  RefillCopiesResult result;
  DeviceCode device(root, options.workgroup);
  CalleeSummaries callees(root, options.calls);
  IRRewriter rewriter(root->getContext());
  root->walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
    if (function.isExternal())
      return;
    FunctionContext context(function, callees, device);
    FunctionRefills refills = findRefills(context, options.workgroup);
    // A reader may be a copy that is replaced.
    for (const LateFill &late : refills.fills)
      if (late.reader)
        rewriter.moveOpBefore(late.fill, late.reader);
    for (const Refill &refill : refills.copies)
      eraseUnused(fillTarget(rewriter, refill));
    for (const LateFill &late : refills.fills) {
      linalg::FillOp fill = late.fill;
      if (late.reader)
        continue;
      Value filled = fill.getOutputs().front();
      rewriter.eraseOp(fill);
      eraseUnused(filled);
      ++result.numErased;
    }
    result.numRefilled += refills.copies.size();
  });
  return result;
}
