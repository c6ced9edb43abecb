//===- KernelMemory.cpp - Workgroup memory besides pools -----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelMemory.h"
#include "buffer-merge/Analysis/BufferSize.h"

#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace buffer_merge;

/// The elements in workgroup memory that `gpu.all_reduce` is lowered with, one
/// for each subgroup.
static constexpr int64_t maxReducedSubgroups = 32;

Region *KernelMemory::findCallee(Operation *op) {
  auto call = dyn_cast<CallOpInterface>(op);
  if (!call)
    return nullptr;
  Operation *table = SymbolTable::getNearestSymbolTable(op);
  if (!table || !root->isAncestor(table))
    return nullptr;
  auto callee = dyn_cast_or_null<CallableOpInterface>(
      call.resolveCallableInTable(&symbolTables));
  if (!callee || !root->isAncestor(callee))
    return nullptr;
  return callee.getCallableRegion();
}

SmallVector<KernelBytes, 0>
KernelMemory::collect(Region &kernel, Attribute space,
                      const llvm::DenseSet<Operation *> &merged) {
  SmallVector<KernelBytes, 0> parts;
  const DataLayout layout = DataLayout::closest(kernel.getParentOp());
  auto add = [&](StringRef what, Location loc, Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref || memref.getMemorySpace() != space)
      return;
    std::variant<BufferSize, UnmergeableReason> size =
        computeBufferSize(memref, layout);
    if (auto *known = std::get_if<BufferSize>(&size); known && known->bytes)
      parts.push_back({what, loc, known->bytes});
  };
  auto addAttributions = [&](auto function) {
    for (BlockArgument attribution : function.getWorkgroupAttributions())
      add("attribution", attribution.getLoc(), attribution.getType());
  };
  // Functions may use the same one.
  llvm::DenseSet<Operation *> globals;
  auto addGlobal = [&](memref::GetGlobalOp get) {
    Operation *table = SymbolTable::getNearestSymbolTable(get);
    Operation *global =
        table && root->isAncestor(table)
            ? symbolTables.lookupSymbolIn(table, get.getNameAttr())
            : nullptr;
    // One that is not found has a name at least.
    return global ? globals.insert(global).second : true;
  };

  llvm::SmallSetVector<Region *, 4> regions;
  regions.insert(&kernel);
  for (size_t i = 0; i < regions.size(); ++i) {
    Region *region = regions[i];
    if (auto function = dyn_cast<gpu::GPUFuncOp>(region->getParentOp()))
      addAttributions(function);
    if (auto launch = dyn_cast<gpu::LaunchOp>(region->getParentOp()))
      addAttributions(launch);
    region->walk([&](Operation *op) {
      if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
        // A callee that is a kernel itself has a pool of its own.
        bool isCounted = i == 0 || std::holds_alternative<UnmergeableReason>(
                                       findKernel(op, device));
        if (isCounted && !merged.contains(op))
          add("allocation", op->getLoc(), alloc.getType());
      } else if (auto get = dyn_cast<memref::GetGlobalOp>(op)) {
        if (get.getType().getMemorySpace() == space && addGlobal(get))
          add("global", op->getLoc(), get.getType());
      } else if (auto barriers = dyn_cast<nvgpu::MBarrierCreateOp>(op)) {
        // Each is a global of 64-bit integers.
        auto type = barriers.getBarriers().getType();
        if (type.getMemorySpace() == space)
          parts.push_back({"barrier object", op->getLoc(),
                           8 * int64_t(type.getNumBarriers())});
      } else if (auto reduce = dyn_cast<gpu::AllReduceOp>(op)) {
        // Lowered with an attribution for the results of subgroups.
        Type type = reduce.getType();
        if (auto gpuSpace = dyn_cast<gpu::AddressSpaceAttr>(space);
            gpuSpace && gpuSpace.getValue() == gpu::AddressSpace::Workgroup)
          add("reduction", op->getLoc(),
              MemRefType::get({maxReducedSubgroups}, type,
                              MemRefLayoutAttrInterface(), space));
      } else if (Region *callee = findCallee(op)) {
        regions.insert(callee);
      }
    });
  }
  return parts;
}

int64_t buffer_merge::sumBytes(ArrayRef<KernelBytes> parts) {
  int64_t bytes = 0;
  for (const KernelBytes &part : parts)
    bytes += std::min(part.bytes, maxBytes - bytes);
  return bytes;
}

SmallVector<OverfullKernel, 0> buffer_merge::findOverfullKernels(
    const BufferLifetimes &lifetimes, ArrayRef<PoolPlan> pools,
    const MergePlanOptions &options, KernelMemory &memory) {
  SmallVector<OverfullKernel, 0> overfull;
  if (options.capacities.empty())
    return overfull;
  // What is a kernel only because of its workgroup memory.
  llvm::SmallSetVector<Region *, 4> kernels;
  for (const BufferLifetime &buffer : lifetimes.getBuffers())
    if (buffer.reason && buffer.isWorkgroup)
      if (auto kernel = findKernel(buffer.alloc, lifetimes.getDeviceCode());
          auto *region = std::get_if<Region *>(&kernel))
        kernels.insert(*region);
  lifetimes.getRoot()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto function = dyn_cast<gpu::GPUFuncOp>(op)) {
      if (function.isKernel() && !function.getBody().empty())
        kernels.insert(&function.getBody());
    } else if (auto launch = dyn_cast<gpu::LaunchOp>(op)) {
      kernels.insert(&launch.getBody());
    }
  });
  llvm::DenseSet<std::pair<Region *, Attribute>> havePool;
  for (const PoolPlan &pool : pools)
    havePool.insert({pool.scope, pool.memorySpace});
  for (Region *kernel : kernels)
    for (auto [space, capacity] : options.capacities) {
      // A capacity of other memory is about pools alone.
      if (!space || !lifetimes.getWorkgroupOptions().isWorkgroupSpace(space) ||
          havePool.contains({kernel, space}))
        continue;
      SmallVector<KernelBytes, 0> parts = memory.collect(*kernel, space, {});
      if (int64_t bytes = sumBytes(parts); bytes > capacity)
        overfull.push_back(
            {kernel->getParentOp(), space, bytes, capacity, std::move(parts)});
    }
  return overfull;
}
