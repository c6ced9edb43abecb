//===- RefillCopies.cpp - Fills in place of copies of fills ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RefillCopies.h"

using namespace mlir;
using namespace buffer_merge;

int64_t buffer_merge::applyRefills(RewriterBase &rewriter,
                                   const FunctionRefills &refills,
                                   const llvm::DenseSet<Operation *> &merged,
                                   llvm::SetVector<Value> &unused) {
  for (const LateFill &late : refills.fills) {
    linalg::FillOp fill = late.fill;
    if (late.reader && (!late.operand || !merged.contains(late.alloc)))
      continue;
    Value filled = fill.getOutputs().front();
    if (late.operand) {
      rewriter.setInsertionPoint(late.reader);
      linalg::FillOp::create(rewriter, fill.getLoc(), fill.getInputs().front(),
                             late.operand->get());
    }
    rewriter.eraseOp(fill);
    unused.insert(filled);
  }
  for (const Refill &refill : refills.copies) {
    memref::CopyOp copy = refill.copy;
    unused.insert(copy.getSource());
    rewriter.setInsertionPoint(copy);
    rewriter.replaceOpWithNewOp<linalg::FillOp>(copy, refill.scalar,
                                                copy.getTarget());
  }
  return refills.copies.size();
}
