//===- LaunchWarnings.cpp - Launches that contradict kernels --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchWarnings.h"
#include "Analysis/GPU/DeviceCode.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace buffer_merge;

/// Return true if a kernel in a module of `root` says how many threads it has.
/// Most programs have none, and are not looked at.
static bool haveKnownSize(Operation *root) {
  for (Region &region : root->getRegions())
    for (auto module : region.getOps<gpu::GPUModuleOp>())
      for (auto kernel : module.getOps<gpu::GPUFuncOp>())
        if (kernel.getKnownBlockSize())
          return true;
  return false;
}

void buffer_merge::addLaunchWarnings(Operation *root, PlanMessages &messages) {
  if (!haveKnownSize(root))
    return;
  SymbolTableCollection symbolTables;
  root->walk([&](gpu::LaunchFuncOp launch) {
    auto kernel = dyn_cast_or_null<gpu::GPUFuncOp>(
        lookupInside(root, launch, launch.getKernelAttr(), symbolTables));
    std::optional<ArrayRef<int32_t>> known =
        kernel ? kernel.getKnownBlockSize() : std::nullopt;
    if (!known)
      return;
    gpu::KernelDim3 given = launch.getBlockSizeOperandValues();
    const Value sizes[] = {given.x, given.y, given.z};
    for (auto [name, operand, size] :
         llvm::zip(StringRef("xyz"), sizes, *known)) {
      std::optional<int64_t> number = getConstantIntValue(operand);
      if (!number || *number == size)
        continue;
      Diagnostic &warning = messages.addWarning(launch.getLoc())
                            << "launches '" << kernel.getName() << "' with "
                            << *number << " threads in dimension " << name
                            << ", its known_block_size is " << size;
      warning.attachNote(kernel.getLoc())
          << "plans rely on the size that the kernel states";
    }
  });
}
