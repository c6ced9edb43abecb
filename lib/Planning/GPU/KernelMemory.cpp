//===- KernelMemory.cpp - Workgroup memory besides pools -----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelMemory.h"
#include "Analysis/BufferSize.h"
#include "Analysis/GPU/DeviceCode.h"
#include "Analysis/GPU/OtherSync.h"
#include "Mutation.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace buffer_merge;

/// The elements in workgroup memory that `gpu.all_reduce` is lowered with, one
/// for each subgroup.
static constexpr int64_t maxReducedSubgroups = 32;

//===----------------------------------------------------------------------===//
// What belongs to a kernel
//===----------------------------------------------------------------------===//

void KernelMemory::addCallee(Operation *op, KernelCode &code,
                             llvm::SmallPtrSetImpl<Region *> &seen) {
  auto call = dyn_cast<CallOpInterface>(op);
  if (!call)
    return;
  auto callee = dyn_cast_or_null<CallableOpInterface>(
      findCallee(root, call, symbolTables));
  Region *body = callee ? callee.getCallableRegion() : nullptr;
  if ((!body || body->empty()) && isMathLibraryCall(call))
    return;
  if (!callee)
    code.callsUnknown = true;
  else if (!body || body->empty())
    code.callsExternal = true;
  else if (seen.insert(body).second && !isMutated("R6-callees"))
    code.regions.push_back(body);
}

KernelCode KernelMemory::findCode(Region &kernel) {
  KernelCode code;
  llvm::SmallPtrSet<Region *, 4> seen = {&kernel};
  code.regions.push_back(&kernel);
  for (size_t i = 0; i < code.regions.size(); ++i)
    code.regions[i]->walk([&](Operation *op) { addCallee(op, code, seen); });
  return code;
}

//===----------------------------------------------------------------------===//
// Dynamic and static memory
//===----------------------------------------------------------------------===//

/// The address space of workgroup memory in LLVM, on NVIDIA and AMD.
static constexpr unsigned sharedAddressSpace = 3;

/// Return true if `space` may be that of a workgroup: not that of one thread or
/// of the device.
static bool mayBeWorkgroupSpace(Attribute space) {
  if (auto gpuSpace = dyn_cast_or_null<gpu::AddressSpaceAttr>(space))
    return gpuSpace.getValue() == gpu::AddressSpace::Workgroup;
  return space != nullptr;
}

static bool mayBeInWorkgroupMemory(Type type) {
  auto memref = dyn_cast<BaseMemRefType>(type);
  return memref && mayBeWorkgroupSpace(memref.getMemorySpace());
}

DynamicUse KernelMemory::getDynamicUse(Operation *op) {
  if (isa<gpu::DynamicSharedMemoryOp>(op))
    return DynamicUse::Overlapping;
  if (auto get = dyn_cast<memref::GetGlobalOp>(op)) {
    MemRefType type = get.getType();
    if (!mayBeInWorkgroupMemory(type) || type.getNumElements() != 0)
      return DynamicUse::None;
    // A private one becomes a variable of one byte.
    auto global = dyn_cast_or_null<memref::GlobalOp>(
        lookupInside(root, op, get.getNameAttr(), symbolTables));
    bool isSeparate = global && global.isExternal() && global.isPublic();
    return isSeparate ? DynamicUse::Separate : DynamicUse::Overlapping;
  }
  auto address = dyn_cast<LLVM::AddressOfOp>(op);
  if (!address || address.getType().getAddressSpace() != sharedAddressSpace)
    return DynamicUse::None;
  auto global = dyn_cast_or_null<LLVM::GlobalOp>(
      lookupInside(root, op, address.getGlobalNameAttr(), symbolTables));
  if (!global)
    return DynamicUse::Overlapping;
  auto array = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
  if (!array || array.getNumElements() != 0)
    return DynamicUse::None;
  return global.getLinkage() == LLVM::Linkage::External
             ? DynamicUse::Separate
             : DynamicUse::Overlapping;
}

DynamicUse KernelMemory::findDynamicUse(const KernelCode &code) {
  DynamicUse use = DynamicUse::None;
  for (Region *region : code.regions)
    region->walk(
        [&](Operation *op) { use = std::max(use, getDynamicUse(op)); });
  return use;
}

bool KernelMemory::hasStaticMemory(const KernelCode &code,
                                   const llvm::DenseSet<Value> &merged) {
  auto isStatic = [&](Operation *op) {
    if (isa<memref::AllocOp, memref::GetGlobalOp>(op))
      return !merged.contains(op->getResult(0)) &&
             mayBeInWorkgroupMemory(op->getResult(0).getType());
    if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
      return address.getType().getAddressSpace() == sharedAddressSpace;
    return isa<nvgpu::MBarrierCreateOp, gpu::AllReduceOp>(op);
  };
  return llvm::any_of(code.regions, [&](Region *region) {
    if (!getWorkgroupAttributions(region->getParentOp()).empty())
      return true;
    return region
        ->walk([&](Operation *op) {
          return isStatic(op) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  });
}

//===----------------------------------------------------------------------===//
// Where a pool may be
//===----------------------------------------------------------------------===//

StringRef KernelMemory::checkAttribution(Region &kernel) {
  KernelCode code = findCode(kernel);
  if (findDynamicUse(code) == DynamicUse::Overlapping)
    return "it uses dynamic memory, which static memory may overlap";
  if (code.callsUnknown)
    return "it calls functions that the pass does not see";
  return "";
}

StringRef KernelMemory::checkDynamic(PoolPlan &pool) {
  // Dynamic memory of a kernel is one, and `gpu.dynamic_shared_memory` has no
  // number for its space.
  if (!isa_and_present<gpu::AddressSpaceAttr>(pool.memorySpace))
    return "its memory space is not #gpu.address_space<workgroup>";
  KernelCode code = findCode(*pool.scope);
  if (findDynamicUse(code) != DynamicUse::None)
    return "it uses dynamic memory itself";
  if (code.callsUnknown)
    return "it calls functions that the pass does not see";
  if (isa<gpu::LaunchOp>(pool.scope->getParentOp()))
    return checkLaunch(pool, code);
  return checkKernel(pool);
}

StringRef KernelMemory::checkLaunch(PoolPlan &pool, const KernelCode &code) {
  auto launch = cast<gpu::LaunchOp>(pool.scope->getParentOp());
  if (launch.getDynamicSharedMemorySize())
    return "a launch already gives it dynamic memory";
  // There is no gpu.module yet that could hold a global.
  llvm::DenseSet<Value> merged;
  for (const BufferLifetime *buffer : pool.buffers)
    merged.insert(buffer->alloc);
  if ((code.callsExternal || hasStaticMemory(code, merged)) &&
      !isMutated("G9-static-memory"))
    return "it has static memory, which gpu.dynamic_shared_memory may overlap: "
           "outline it first";
  return "";
}

StringRef KernelMemory::checkKernel(PoolPlan &pool) {
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

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

SmallVector<KernelBytes, 0>
KernelMemory::collect(Region &kernel, const MemorySpaces &spaces,
                      const llvm::DenseSet<Value> &merged,
                      std::optional<Location> *unknown) {
  SmallVector<KernelBytes, 0> parts;
  const DataLayout layout = DataLayout::closest(kernel.getParentOp());
  // All of it is device code if the kernel is.
  bool isInDeviceCode = device.contains(&kernel.front().front());
  auto isThere = [&](Attribute space) {
    return spaces.contains(space, isInDeviceCode);
  };
  auto add = [&](StringRef what, Location loc, Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref || !isThere(memref.getMemorySpace()))
      return;
    std::variant<BufferSize, UnmergeableReason> size =
        computeBufferSize(memref, layout);
    auto *known = std::get_if<BufferSize>(&size);
    if (known && known->bytes)
      parts.push_back({what, loc, known->bytes});
    else if (!known && unknown && !*unknown)
      *unknown = loc;
  };
  // Functions may use the same one.
  llvm::DenseSet<Operation *> globals;
  auto addGlobal = [&](memref::GetGlobalOp get) {
    Operation *global =
        lookupInside(root, get, get.getNameAttr(), symbolTables);
    // One that is not found has a name at least.
    return !global || globals.insert(global).second;
  };

  for (Region *region : findCode(kernel).regions) {
    for (BlockArgument attribution :
         getWorkgroupAttributions(region->getParentOp()))
      if (!merged.contains(attribution))
        add("attribution", attribution.getLoc(), attribution.getType());
    region->walk([&](Operation *op) {
      if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
        // A callee that is a kernel itself has a pool of its own.
        bool isCounted = region == &kernel || std::holds_alternative<Refusal>(
                                                  findKernel(op, device));
        if (isCounted && !merged.contains(alloc))
          add("allocation", op->getLoc(), alloc.getType());
      } else if (auto get = dyn_cast<memref::GetGlobalOp>(op)) {
        if (isThere(get.getType().getMemorySpace()) && addGlobal(get))
          add("global", op->getLoc(), get.getType());
      } else if (auto barriers = dyn_cast<nvgpu::MBarrierCreateOp>(op)) {
        // Each is a global of 64-bit integers.
        auto type = barriers.getBarriers().getType();
        if (isThere(type.getMemorySpace()))
          parts.push_back({"barrier object", op->getLoc(),
                           8 * int64_t(type.getNumBarriers())});
      } else if (auto reduce = dyn_cast<gpu::AllReduceOp>(op)) {
        // Lowered with an attribution for the results of subgroups.
        auto space = gpu::AddressSpaceAttr::get(op->getContext(),
                                                gpu::AddressSpace::Workgroup);
        add("reduction", op->getLoc(),
            MemRefType::get({maxReducedSubgroups}, reduce.getType(),
                            MemRefLayoutAttrInterface(), space));
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
    if (buffer.refusal && buffer.isWorkgroup)
      if (auto kernel =
              findKernel(buffer.getPlace(), lifetimes.getDeviceCode());
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
  llvm::DenseMap<Region *, SmallVector<Attribute, 1>> poolSpaces;
  for (const PoolPlan &pool : pools)
    poolSpaces[pool.scope].push_back(pool.memorySpace);
  auto isInDeviceCode = [&](Region *kernel) {
    return lifetimes.getDeviceCode().contains(&kernel->front().front());
  };
  auto hasPool = [&](Region *kernel, const MemorySpaces &spaces) {
    return llvm::any_of(poolSpaces.lookup(kernel), [&](Attribute space) {
      return spaces.contains(space, isInDeviceCode(kernel));
    });
  };
  for (Region *kernel : kernels)
    for (const Capacity &capacity : options.capacities) {
      // A capacity of other memory is only about pools.
      const auto *space =
          llvm::find_if(capacity.spaces.spaces, [&](Attribute space) {
            return space && lifetimes.getWorkgroupOptions().isWorkgroupSpace(
                                space, isInDeviceCode(kernel));
          });
      if (space == capacity.spaces.spaces.end() ||
          hasPool(kernel, capacity.spaces))
        continue;
      SmallVector<KernelBytes, 0> parts =
          memory.collect(*kernel, capacity.spaces, {});
      if (int64_t bytes = sumBytes(parts);
          bytes > capacity.bytes && !isMutated("R6-kernels"))
        overfull.push_back({kernel->getParentOp(), *space, bytes,
                            capacity.bytes, std::move(parts)});
    }
  return overfull;
}
