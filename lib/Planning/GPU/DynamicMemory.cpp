//===- DynamicMemory.cpp - Dynamic workgroup memory ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DynamicMemory.h"
#include "Mutation.h"

using namespace mlir;
using namespace buffer_merge;

StringRef DynamicMemory::checkAttribution(Region &kernel) {
  KernelCode code = memory.findCode(kernel);
  if (isMutated("attribution-beside-dynamic-memory"))
    return "";
  if (memory.findDynamicUse(code) == DynamicUse::Overlapping)
    return "it uses dynamic memory, which static memory may overlap";
  if (code.callsUnknown && !isMutated("attribution-with-unknown-callees"))
    return "it calls functions that the pass does not see";
  return "";
}

StringRef DynamicMemory::checkDynamic(PoolPlan &pool) {
  // Dynamic memory of a kernel is one, and `gpu.dynamic_shared_memory` has no
  // number for its space.
  if (!isa_and_present<gpu::AddressSpaceAttr>(pool.memorySpace))
    return "its memory space is not #gpu.address_space<workgroup>";
  KernelCode code = memory.findCode(*pool.scope);
  if (memory.findDynamicUse(code) != DynamicUse::None)
    return "it uses dynamic memory itself";
  if (code.callsUnknown)
    return "it calls functions that the pass does not see";
  if (isa<gpu::LaunchOp>(pool.scope->getParentOp()))
    return checkLaunch(pool);
  return checkKernel(pool);
}

StringRef DynamicMemory::checkLaunch(PoolPlan &pool) {
  auto launch = cast<gpu::LaunchOp>(pool.scope->getParentOp());
  if (launch.getDynamicSharedMemorySize())
    return "a launch already gives it dynamic memory";
  // There is no gpu.module yet that could hold a global.
  llvm::DenseSet<Operation *> merged;
  for (const BufferLifetime *buffer : pool.buffers)
    merged.insert(buffer->alloc);
  KernelCode code = memory.findCode(*pool.scope);
  if ((code.callsExternal || memory.hasStaticMemory(code, merged)) &&
      !isMutated("dynamic-launch-with-statics"))
    return "it has static memory, which gpu.dynamic_shared_memory may overlap: "
           "outline it first";
  return "";
}

StringRef DynamicMemory::checkKernel(PoolPlan &pool) {
  auto kernel = cast<gpu::GPUFuncOp>(pool.scope->getParentOp());
  if (!launches)
    launches.emplace(root);
  if (StringRef obstacle = launches->check(kernel); !obstacle.empty())
    return obstacle;
  ArrayRef<gpu::LaunchFuncOp> all = launches->lookup(kernel);
  for (gpu::LaunchFuncOp launch : all)
    if (launch.getDynamicSharedMemorySize())
      return "a launch already gives it dynamic memory";
  pool.workgroup->launches.assign(all.begin(), all.end());
  return "";
}
