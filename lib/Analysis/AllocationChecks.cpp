//===- What an allocation is by itself ------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AllocationChecks.h"
#include "buffer-merge/Analysis/BufferSize.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace buffer_merge;

bool buffer_merge::isOfOneThread(memref::AllocOp alloc) {
  Attribute space = alloc.getType().getMemorySpace();
  if (!space)
    return true;
  if (auto gpuSpace = dyn_cast<gpu::AddressSpaceAttr>(space))
    return gpuSpace.getValue() == gpu::AddressSpace::Private;
  // In device code a number may mean workgroup memory.
  return !alloc->getParentOfType<gpu::GPUModuleOp>() &&
         !alloc->getParentOfType<gpu::LaunchOp>();
}

/// Return true if a pool in the memory space of `alloc` may hold what it
/// allocates.
static bool isMergeableSpace(memref::AllocOp alloc,
                             const WorkgroupOptions &workgroup) {
  Attribute space = alloc.getType().getMemorySpace();
  // What threads of a workgroup share is separated by barriers besides.
  if (workgroup.isWorkgroupSpace(space))
    return !isCompiledToSPIRV(alloc);
  // SPIR-V cannot view memory as another element type.
  if (space && space.getDialect().getNamespace() == "spirv")
    return false;
  return isOfOneThread(alloc);
}

std::optional<UnmergeableReason>
buffer_merge::checkKind(memref::AllocOp alloc,
                        const BufferLifetimesOptions &options) {
  Attribute space = alloc.getType().getMemorySpace();
  if (!isMergeableSpace(alloc, options.workgroup) ||
      (options.memorySpaces &&
       llvm::none_of(*options.memorySpaces, [&](const MemorySpaces &spaces) {
         return spaces.contains(space, alloc);
       })))
    return UnmergeableReason::MemorySpace;
  if (alloc->hasAttr(bufferization::BufferizationDialect::kManualDeallocation))
    return UnmergeableReason::ManualDeallocation;
  return std::nullopt;
}

void buffer_merge::addRequestedAlignment(BufferLifetime &buffer) {
  if (std::optional<uint64_t> alignment = buffer.alloc.getAlignment())
    buffer.alignment =
        std::max(buffer.alignment, static_cast<int64_t>(*alignment));
}

std::optional<UnmergeableReason>
buffer_merge::checkAllocation(BufferLifetime &buffer, const DataLayout &layout,
                              DynamicSizes &dynamicSizes,
                              const BufferLifetimesOptions &options) {
  MemRefType type = buffer.alloc.getType();
  if (!buffer.alloc.getSymbolOperands().empty())
    return UnmergeableReason::Layout;
  // The size of workgroup memory is that of a static variable.
  bool isBounded = options.dynamic == DynamicPolicy::Bounded &&
                   !type.hasStaticShape() &&
                   !options.workgroup.isWorkgroupSpace(type.getMemorySpace());
  std::variant<BufferSize, UnmergeableReason> size =
      isBounded ? dynamicSizes.computeBound(buffer.alloc, layout,
                                            options.maxDynamicWaste)
                : computeBufferSize(type, layout);
  if (auto *reason = std::get_if<UnmergeableReason>(&size))
    return *reason;
  buffer.size = std::get<BufferSize>(size).bytes;
  buffer.alignment = std::get<BufferSize>(size).alignment;
  if (buffer.size == 0)
    return UnmergeableReason::ZeroSize;
  addRequestedAlignment(buffer);
  buffer.isWorkgroup =
      options.workgroup.isWorkgroupSpace(type.getMemorySpace());
  return checkKind(buffer.alloc, options);
}
