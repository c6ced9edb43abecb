//===- WorkgroupBytes.cpp - Workgroup memory by sizes of tiles ------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What can share bytes depends on sizes: whether a loop runs, whether threads
// fill a tile, where an index points. So each configuration is planned for
// itself, on a copy in which the sizes are constants, and no formula is made.
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Transforms/WorkgroupBytes.h"
#include "Analysis/GPU/WorkgroupMemory.h"
#include "Planning/GPU/KernelMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the patterns of the pass `canonicalize`.
static FrozenRewritePatternSet getCanonicalization(MLIRContext *context) {
  RewritePatternSet patterns(context);
  for (Dialect *dialect : context->getLoadedDialects())
    dialect->getCanonicalizationPatterns(patterns);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    op.getCanonicalizationPatterns(patterns, context);
  return patterns;
}

/// Return the kernels inside of `function`.
static llvm::SmallSetVector<Region *, 2>
findKernels(FunctionOpInterface function, const DeviceCode &device) {
  llvm::SmallSetVector<Region *, 2> kernels;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto kernel = dyn_cast<gpu::GPUFuncOp>(op)) {
      kernels.insert(&kernel.getBody());
    } else if (auto launch = dyn_cast<gpu::LaunchOp>(op)) {
      kernels.insert(&launch.getBody());
    } else if (isa<memref::AllocOp>(op) && device.contains(op)) {
      std::variant<Region *, Refusal> kernel = findKernel(op, device);
      if (auto *region = std::get_if<Region *>(&kernel))
        kernels.insert(*region);
    }
  });
  return kernels;
}

/// Return what the kernels inside of `function` take as planned.
static WorkgroupBytes getBytes(const MergePlan &plan,
                               FunctionOpInterface function) {
  const BufferLifetimes &lifetimes = *plan.lifetimes;
  const DeviceCode &device = lifetimes.getDeviceCode();
  MemorySpaces workgroup =
      *parseMemorySpaces("workgroup", function->getContext());
  KernelMemory memory(lifetimes.getRoot(), device);
  llvm::DenseSet<Value> merged;
  llvm::DenseMap<Region *, int64_t> poolBytes;
  for (const PoolPlan &pool : plan.pools) {
    const Pool *made = pool.getPool();
    if (!made || !pool.workgroup)
      continue;
    for (const BufferLifetime *buffer : pool.buffers)
      merged.insert(buffer->alloc);
    poolBytes[pool.scope] += made->storage == PoolStorage::Dynamic
                                 ? getDynamicBytes(made->schedule)
                                 : made->schedule.poolSize;
  }
  WorkgroupBytes result = {0, std::nullopt};
  for (Region *kernel : findKernels(function, device)) {
    int64_t bytes =
        sumBytes(memory.collect(*kernel, workgroup, merged, &result.unknown));
    if (result.unknown) {
      result.bytes.reset();
      return result;
    }
    bytes += std::min(poolBytes.lookup(kernel), maxBytes - bytes);
    result.bytes = std::max(*result.bytes, bytes);
  }
  return result;
}

FailureOr<SmallVector<WorkgroupBytes, 0>>
buffer_merge::computeWorkgroupBytes(Operation *root, const KernelSizes &sizes,
                                    const BufferMergeOptions &options) {
  FrozenRewritePatternSet canonicalization =
      getCanonicalization(root->getContext());
  BufferMergeOptions copyOptions = options;
  copyOptions.plan.overCapacity = OverCapacityPolicy::Warn;
  SmallVector<WorkgroupBytes, 0> result;
  for (ArrayRef<int64_t> values : sizes.configurations) {
    IRMapping mapping;
    OwningOpRef<Operation *> copy = root->clone(mapping);
    FunctionOpInterface function = sizes.function;
    function =
        cast<FunctionOpInterface>(mapping.lookup(function.getOperation()));
    OpBuilder builder(function.getFunctionBody());
    for (auto [argument, value] : llvm::zip_equal(sizes.arguments, values)) {
      BlockArgument size = function.getArgument(argument);
      Value constant = arith::ConstantOp::create(
          builder, function.getLoc(),
          builder.getIntegerAttr(size.getType(), value));
      size.replaceAllUsesWith(constant);
    }
    // That it does not converge is no failure of `canonicalize` either.
    (void)applyPatternsGreedily(function, canonicalization);
    if (failed(inspectMergePlan(*copy, copyOptions, [&](const MergePlan &plan) {
          result.push_back(getBytes(plan, function));
        })))
      return failure();
  }
  return result;
}
