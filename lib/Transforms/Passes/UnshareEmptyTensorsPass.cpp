//===- UnshareEmptyTensorsPass.cpp - The unshare-empty-tensors pass -------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Transforms/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace buffer_merge {
#define GEN_PASS_DEF_UNSHAREEMPTYTENSORSPASS
#include "buffer-merge/Transforms/Passes.h.inc"
} // namespace buffer_merge

using namespace mlir;
using namespace buffer_merge;

namespace {
struct UnshareEmptyTensorsPass
    : public buffer_merge::impl::UnshareEmptyTensorsPassBase<
          UnshareEmptyTensorsPass> {
  using UnshareEmptyTensorsPassBase::UnshareEmptyTensorsPassBase;

  void runOnOperation() override {
    SmallVector<tensor::EmptyOp> shared;
    getOperation()->walk([&](tensor::EmptyOp empty) {
      if (!empty->use_empty() && !empty->hasOneUse())
        shared.push_back(empty);
    });
    unsigned count = 0;
    for (tensor::EmptyOp empty : shared) {
      // Where they are used: bufferization allocates there.
      for (OpOperand &use : llvm::make_early_inc_range(empty->getUses())) {
        OpBuilder builder(use.getOwner());
        use.set(builder.clone(*empty)->getResult(0));
        ++count;
      }
      empty.erase();
    }
    numMade = count;
    if (shared.empty())
      markAllAnalysesPreserved();
  }
};
} // namespace
