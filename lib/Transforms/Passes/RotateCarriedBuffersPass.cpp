//===- The rotate-carried-buffers pass -----------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassOptions.h"
#include "buffer-merge/Transforms/Passes.h"
#include "buffer-merge/Transforms/RotateCarriedBuffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace buffer_merge {
#define GEN_PASS_DEF_ROTATECARRIEDBUFFERSPASS
#include "buffer-merge/Transforms/Passes.h.inc"
} // namespace buffer_merge

using namespace mlir;
using namespace buffer_merge;

namespace {
struct RotateCarriedBuffersPass
    : public OptionsPass<buffer_merge::impl::RotateCarriedBuffersPassBase<
          RotateCarriedBuffersPass>> {
  using OptionsPass::OptionsPass;

  const llvm::cl::SubCommand *getOptions() const override {
    return *slots.Subs.begin();
  }

  LogicalResult initialize(MLIRContext *context) override {
    // The analysis iterates up to this bound, so it also limits compile time.
    int64_t number = maxSlots;
    if (number < 1 || number > 64)
      return emitError(UnknownLoc::get(context))
             << "max-slots " << number << " is not in 1 to 64";
    return success();
  }

  void runOnOperation() override {
    RotateCarriedBuffersOptions options;
    options.lifetimes.calls = calls;
    options.instances.maxInstances = maxSlots;
    options.slots = slots;
    RotateCarriedBuffersResult result =
        rotateCarriedBuffers(getOperation(), options);
    numRotated = result.numRotated;
    numLeft = result.numLeft;
    numSlots = result.numSlots;
    if (result.numRotated == 0)
      markAllAnalysesPreserved();
  }
};
} // namespace
