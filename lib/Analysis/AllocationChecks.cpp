//===- What an allocation is by itself ------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AllocationChecks.h"
#include "Analysis/BufferSize.h"
#include "Analysis/GPU/WorkgroupMemory.h"
#include "Mutation.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace buffer_merge;

/// Return true if what the allocation of `buffer` allocates is not shared by
/// threads of a GPU kernel, each of which executes the same operations.
static bool isOfOneThread(const BufferLifetime &buffer) {
  Attribute space = buffer.getMemorySpace();
  if (!space)
    return true;
  if (auto gpuSpace = dyn_cast<gpu::AddressSpaceAttr>(space))
    return gpuSpace.getValue() == gpu::AddressSpace::Private;
  // In device code a number may mean workgroup memory.
  return !buffer.isInDeviceCode;
}

/// Return true if a pool in the memory space of `buffer` may hold it.
static bool isMergeableSpace(const BufferLifetime &buffer,
                             const WorkgroupOptions &workgroup) {
  Attribute space = buffer.getMemorySpace();
  // What threads of a workgroup share is separated by barriers besides.
  if (workgroup.isWorkgroupSpace(space, buffer.isInDeviceCode))
    return !isCompiledToSPIRV(buffer.getPlace());
  // SPIR-V cannot view memory as another element type.
  if (space && space.getDialect().getNamespace() == "spirv")
    return false;
  return isOfOneThread(buffer);
}

std::optional<UnmergeableReason>
buffer_merge::checkKind(const BufferLifetime &buffer,
                        const BufferLifetimesOptions &options) {
  memref::AllocOp alloc = buffer.getAllocOp();
  Attribute space = buffer.getMemorySpace();
  if (!isMergeableSpace(buffer, options.workgroup) ||
      (options.memorySpaces &&
       llvm::none_of(*options.memorySpaces, [&](const MemorySpaces &spaces) {
         return spaces.contains(space, buffer.isInDeviceCode);
       })))
    return UnmergeableReason::MemorySpace;
  // What lowers an attribution in no workgroup memory does not look at its
  // type.
  if (!alloc)
    return buffer.isWorkgroup ? std::optional<UnmergeableReason>()
                              : UnmergeableReason::MemorySpace;
  if (alloc->hasAttr(bufferization::BufferizationDialect::kManualDeallocation))
    return UnmergeableReason::ManualDeallocation;
  // A string is where a buffer shall be.
  if (alloc->getAttrOfType<DictionaryAttr>(poolRegionAttrName))
    return UnmergeableReason::Ineligible;
  return std::nullopt;
}

std::optional<OtherAllocation>
buffer_merge::findOtherAllocation(Operation *op) {
  if (llvm::none_of(op->getResultTypes(), llvm::IsaPred<BaseMemRefType>) ||
      isa<memref::AllocOp>(op))
    return std::nullopt;
  int64_t size = 0;
  bool allocates = false;
  for (Value result : op->getResults()) {
    if (!isa<BaseMemRefType>(result.getType()) ||
        !hasEffect<MemoryEffects::Allocate>(op, result))
      continue;
    allocates = true;
    auto type = dyn_cast<MemRefType>(result.getType());
    if (!type)
      continue;
    auto known = computeBufferSize(type, DataLayout::closest(op));
    if (auto *found = std::get_if<BufferSize>(&known))
      size += found->bytes;
  }
  if (!allocates)
    return std::nullopt;
  return OtherAllocation{op, size};
}

void buffer_merge::addRequestedAlignment(BufferLifetime &buffer) {
  if (!isMutated("R1-alignment"))
    buffer.alignment =
        std::max(buffer.alignment, buffer.getRequestedAlignment());
}

Operation *buffer_merge::findSizeOperation(memref::AllocOp alloc) {
  constexpr size_t maxValues = 64;
  llvm::SmallSetVector<Value, 8> values;
  values.insert_range(alloc.getDynamicSizes());
  for (size_t i = 0; i < values.size() && i < maxValues; ++i) {
    Operation *op = values[i].getDefiningOp();
    if (!op)
      continue;
    // The sizes of another buffer are known in front of it.
    if (!isa<memref::AllocOp>(op) && !isPure(op))
      return op;
    values.insert_range(op->getOperands());
  }
  return nullptr;
}

std::optional<UnmergeableReason>
buffer_merge::checkAllocation(BufferLifetime &buffer, const DataLayout &layout,
                              DynamicSizes &dynamicSizes,
                              const BufferLifetimesOptions &options) {
  MemRefType type = buffer.alloc.getType();
  memref::AllocOp alloc = buffer.getAllocOp();
  if (alloc && !alloc.getSymbolOperands().empty())
    return UnmergeableReason::Layout;
  bool isWorkgroup = options.workgroup.isWorkgroupSpace(
                         type.getMemorySpace(), buffer.isInDeviceCode) &&
                     (alloc || isWorkgroupAttribution(buffer.alloc));
  // The size of workgroup memory is that of a static variable.
  bool isBounded = options.dynamic == DynamicPolicy::Bounded &&
                   !type.hasStaticShape() && !isWorkgroup && alloc;
  std::variant<BufferSize, UnmergeableReason> size =
      isBounded
          ? dynamicSizes.computeBound(alloc, layout, options.maxDynamicWaste)
          : computeBufferSize(type, layout);
  if (auto *reason = std::get_if<UnmergeableReason>(&size))
    return *reason;
  buffer.size = std::get<BufferSize>(size).bytes;
  buffer.alignment = std::get<BufferSize>(size).alignment;
  buffer.isWorkgroup = isWorkgroup;
  if (buffer.size == 0)
    return UnmergeableReason::ZeroSize;
  addRequestedAlignment(buffer);
  return checkKind(buffer, options);
}
