//===- WorkgroupMemory.cpp - Memory shared by a workgroup ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/GPU/WorkgroupMemory.h"
#include "Analysis/AllocScope.h"
#include "Analysis/GPU/DeviceCode.h"
#include "Compatibility.h"
#include "Mutation.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace buffer_merge;

bool WorkgroupOptions::isWorkgroupSpace(Attribute space,
                                        bool isInDeviceCode) const {
  if (auto gpuSpace = dyn_cast_or_null<gpu::AddressSpaceAttr>(space))
    return gpuSpace.getValue() == gpu::AddressSpace::Workgroup;
  return llvm::is_contained(spaces, space) ||
         (llvm::is_contained(deviceSpaces, space) && isInDeviceCode);
}

bool WorkgroupOptions::isWorkgroupBarrier(Operation *op) const {
  if (auto barrier = dyn_cast<gpu::BarrierOp>(op)) {
    if (!isOfWorkgroup(barrier))
      return false;
    // Later versions of it can name the memory that they order.
    auto spaces = op->getAttrOfType<ArrayAttr>("address_spaces");
    return !spaces ||
           llvm::is_contained(
               spaces, gpu::AddressSpaceAttr::get(
                           op->getContext(), gpu::AddressSpace::Workgroup));
  }
  // With a number of threads it is for some of them. Those that do not agree on
  // its own number wait at different barriers, and those at one that is not
  // aligned may wait for threads at another operation.
  if (auto barrier = dyn_cast<NVVM::BarrierOp>(op))
    return !barrier.getNumberOfThreads() && isAlignedBarrier(barrier) &&
           (!barrier.getBarrierId() ||
            matchPattern(barrier.getBarrierId(), m_Constant()));
  // By name: the dialects need not be loaded.
  StringRef name = op->getName().getStringRef();
  if (name == "nvvm.barrier0" || name == "rocdl.barrier" ||
      name == "amdgpu.lds_barrier")
    return true;
  return llvm::is_contained(barrierOps, name) || (isBarrier && isBarrier(op));
}

/// Return who executes what `attribute`, of one dimension, is given to.
static LoopMapping getDimensionMapping(Attribute attribute) {
  if (isa<gpu::GPUThreadMappingAttr, gpu::GPUWarpMappingAttr,
          gpu::GPUWarpgroupMappingAttr, gpu::GPULaneMappingAttr>(attribute))
    return LoopMapping::Threads;
  if (isa<gpu::GPUBlockMappingAttr>(attribute))
    return LoopMapping::Workgroup;
  auto dimension = dyn_cast<gpu::ParallelLoopDimMappingAttr>(attribute);
  if (!dimension)
    return LoopMapping::Other;
  switch (dimension.getProcessor()) {
  case gpu::Processor::BlockX:
  case gpu::Processor::BlockY:
  case gpu::Processor::BlockZ:
    return LoopMapping::Workgroup;
  case gpu::Processor::ThreadX:
  case gpu::Processor::ThreadY:
  case gpu::Processor::ThreadZ:
    return LoopMapping::Threads;
  case gpu::Processor::Sequential:
    return LoopMapping::Other;
  }
  return LoopMapping::Other;
}

LoopMapping buffer_merge::getLoopMapping(Operation *op) {
  bool isParallel = isa<scf::ParallelOp, affine::AffineParallelOp>(op);
  auto mapping = isParallel || isa<scf::ForallOp>(op)
                     ? op->getAttrOfType<ArrayAttr>("mapping")
                     : ArrayAttr();
  if (!mapping || mapping.empty())
    return LoopMapping::None;
  if (isParallel && mapping.size() != op->getRegion(0).getNumArguments())
    return LoopMapping::Other;
  std::optional<LoopMapping> found;
  for (Attribute attribute : mapping) {
    // It says which of them there are iterations for.
    if (isa<gpu::GPUMappingMaskAttr>(attribute))
      continue;
    LoopMapping ofDimension = getDimensionMapping(attribute);
    if (found && *found != ofDimension)
      return LoopMapping::Other;
    found = ofDimension;
  }
  return found.value_or(LoopMapping::Other);
}

bool buffer_merge::isInThreads(Operation *op) {
  while ((op = op->getParentOp()))
    if (getLoopMapping(op) == LoopMapping::Threads)
      return !isMutated("G11-in-threads");
  return false;
}

std::variant<Region *, Refusal>
buffer_merge::findKernel(Operation *op, const DeviceCode &device) {
  auto checkBlocks = [](Region *kernel) -> std::variant<Region *, Refusal> {
    if (!llvm::hasSingleElement(*kernel))
      return UnmergeableReason::Unstructured;
    return kernel;
  };
  for (Operation *parent = op->getParentOp(); parent;
       op = parent, parent = parent->getParentOp()) {
    Region *region = op->getParentRegion();
    if (auto function = dyn_cast<gpu::GPUFuncOp>(parent)) {
      if (!function.isKernel() && !isMutated("G6-kernel"))
        return UnmergeableReason::NotAKernel;
      return checkBlocks(region);
    }
    if (isa<gpu::LaunchOp>(parent))
      return checkBlocks(region);
    if (isa<FunctionOpInterface>(parent)) {
      if (parent->getParentOfType<gpu::GPUModuleOp>() ||
          parent->getParentOfType<gpu::LaunchOp>())
        return UnmergeableReason::NotAKernel;
      // Some threads may execute it while others do not.
      if (device.isCalled(parent))
        return UnmergeableReason::NotAKernel;
      if (!parent->hasTrait<OpTrait::AutomaticAllocationScope>())
        return Refusal{UnmergeableReason::NoAllocScope, parent};
      return checkBlocks(region);
    }
    if (LoopMapping mapping = getLoopMapping(parent);
        isa<scf::ForallOp>(parent) || mapping == LoopMapping::Workgroup) {
      // Its iterations are workgroups, unless they are threads or it is inside
      // of what threads execute already.
      if (mapping == LoopMapping::Threads ||
          device.isInDeviceFunction(parent) || isInThreads(parent))
        return Refusal{UnmergeableReason::NoAllocScope, parent};
      return checkBlocks(region);
    }
    if (!isSequentialRegionOp(parent))
      return Refusal{UnmergeableReason::NoAllocScope, parent};
  }
  return UnmergeableReason::NoAllocScope;
}

FunctionOpInterface buffer_merge::getFunctionOfArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !argument.getOwner()->isEntryBlock())
    return nullptr;
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return function && argument.getArgNumber() < function.getNumArguments()
             ? function
             : nullptr;
}

ArrayRef<BlockArgument>
buffer_merge::getWorkgroupAttributions(Operation *kernel) {
  if (auto function = dyn_cast<gpu::GPUFuncOp>(kernel))
    return getWorkgroupArguments(function);
  if (auto launch = dyn_cast<gpu::LaunchOp>(kernel))
    return getWorkgroupArguments(launch);
  return {};
}

int64_t buffer_merge::getAttributionAlignment(BlockArgument attribution) {
  auto kernel = cast<gpu::GPUFuncOp>(attribution.getOwner()->getParentOp());
  auto alignment =
      dyn_cast_or_null<IntegerAttr>(kernel.getWorkgroupAttributionAttr(
          attribution.getArgNumber() -
              kernel.getFirstWorkgroupAttributionIndex(),
          LLVM::LLVMDialect::getAlignAttrName()));
  if (!alignment)
    return 1;
  return std::max<int64_t>(alignment.getValue().trySExtValue().value_or(1), 1);
}

bool buffer_merge::isWorkgroupAttribution(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && llvm::is_contained(getWorkgroupAttributions(
                                            argument.getOwner()->getParentOp()),
                                        argument);
}

bool buffer_merge::mayRunAgain(Region *kernel,
                               const WorkgroupOptions &options) {
  Operation *op = kernel->getParentOp();
  if (isa<gpu::GPUFuncOp, gpu::LaunchOp>(op))
    return false;
  if (getLoopMapping(op) == LoopMapping::Workgroup) {
    // One workgroup may execute what is between two loops, and repeat it.
    bool isBetween = false;
    for (op = op->getParentOp(); !isa<FunctionOpInterface>(op);
         op = op->getParentOp()) {
      bool isMapped = getLoopMapping(op) == LoopMapping::Workgroup;
      if (isMapped && isBetween && !isMutated("G11-repeated"))
        return true;
      isBetween |= !isMapped;
    }
    return false;
  }
  bool isKernel = options.kernelFunctions || gpu::GPUDialect::isKernel(op);
  return !isa<FunctionOpInterface>(op) || !isKernel;
}

bool buffer_merge::isCompiledToSPIRV(Operation *op) {
  auto isSPIRV = [](Attribute attribute) {
    return attribute && attribute.getDialect().getNamespace() == "spirv";
  };
  for (; op; op = op->getParentOp()) {
    if (op->hasAttr("spirv.target_env"))
      return true;
    if (auto module = dyn_cast<gpu::GPUModuleOp>(op))
      if (ArrayAttr targets = module.getTargetsAttr();
          targets && llvm::any_of(targets, isSPIRV))
        return true;
  }
  return false;
}

bool buffer_merge::isOrdinaryAccess(Operation *op) {
  // By name: the dialect need not be loaded.
  return isa<nvgpu::LdMatrixOp, nvgpu::WarpgroupMmaStoreOp>(op) ||
         op->getName().getStringRef() == "amdgpu.transpose_load";
}

bool buffer_merge::isAsyncCopy(Operation *op) {
  return isa<nvgpu::DeviceAsyncCopyOp>(op);
}

AccessUnit buffer_merge::getAccessUnit(Operation *op) {
  if (isa<nvgpu::TmaAsyncLoadOp>(op))
    return AccessUnit::Loads;
  if (isa<nvgpu::TmaAsyncStoreOp, NVVM::CpAsyncBulkCommitGroupOp,
          NVVM::CpAsyncBulkWaitGroupOp>(op))
    return AccessUnit::Stores;
  if (isa<nvgpu::WarpgroupMmaOp, NVVM::WgmmaGroupSyncAlignedOp,
          NVVM::WgmmaWaitGroupSyncOp>(op))
    return AccessUnit::Matrices;
  return AccessUnit::Threads;
}

SmallVector<Operation *> buffer_merge::getMatrixReaders(Operation *op) {
  SmallVector<Operation *> readers;
  if (!isa<nvgpu::WarpgroupGenerateDescriptorOp>(op))
    return readers;
  for (Operation *user : op->getUsers())
    if (isa<nvgpu::WarpgroupMmaOp>(user))
      readers.push_back(user);
    else if (!isMutated("G13-descriptor"))
      return {};
  return readers;
}

bool buffer_merge::isProxyFence(Operation *op) {
  auto fence = dyn_cast<NVVM::FenceProxyOp>(op);
  return fence && (fence.getKind() == NVVM::ProxyKind::async ||
                   fence.getKind() == NVVM::ProxyKind::async_shared);
}

void buffer_merge::createProxyFence(OpBuilder &b, Location loc) {
  NVVM::FenceProxyOp::create(
      b, loc,
      NVVM::ProxyKindAttr::get(b.getContext(), NVVM::ProxyKind::async_shared),
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

bool buffer_merge::isEndOfGroup(Operation *op) {
  return isa<nvgpu::DeviceAsyncCreateGroupOp, NVVM::CpAsyncCommitGroupOp,
             NVVM::CpAsyncBulkCommitGroupOp, NVVM::WgmmaGroupSyncAlignedOp,
             nvgpu::WarpgroupMmaOp>(op);
}

std::optional<unsigned> buffer_merge::getGroupsInFlight(Operation *op) {
  if (auto wait = dyn_cast<nvgpu::DeviceAsyncWaitOp>(op))
    return std::max(0, int32_t(wait.getNumGroups().value_or(0)));
  if (auto wait = dyn_cast<NVVM::CpAsyncWaitGroupOp>(op))
    return std::max(0, int32_t(wait.getN()));
  if (auto wait = dyn_cast<NVVM::CpAsyncBulkWaitGroupOp>(op))
    return wait.getGroup();
  if (auto wait = dyn_cast<NVVM::WgmmaWaitGroupSyncOp>(op))
    return std::max<int64_t>(0, wait.getGroup());
  // It is lowered to what it multiplies, the end of a group, and a wait.
  if (auto multiply = dyn_cast<nvgpu::WarpgroupMmaOp>(op))
    return std::max<int64_t>(0, multiply.getWaitGroup());
  return std::nullopt;
}

bool buffer_merge::isExecutedAtLeastOnce(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
    std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
    // Of two numbers that are not negative both comparisons say the same.
    return lower && upper && *lower >= 0 && *lower < *upper;
  }
  if (auto loop = dyn_cast<affine::AffineForOp>(op))
    return loop.hasConstantBounds() &&
           loop.getConstantLowerBound() < loop.getConstantUpperBound();
  if (getLoopMapping(op) != LoopMapping::Threads)
    return false;
  if (auto loop = dyn_cast<affine::AffineParallelOp>(op)) {
    auto ranges = loop.getConstantRanges();
    return ranges &&
           llvm::all_of(*ranges, [](int64_t size) { return size > 0; });
  }
  auto loop = cast<LoopLikeOpInterface>(op);
  auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds();
  return lower && upper &&
         llvm::all_of_zip(*lower, *upper, [](auto from, auto to) {
           std::optional<int64_t> first = getConstantIntValue(from);
           std::optional<int64_t> end = getConstantIntValue(to);
           return first && end && *first < *end;
         });
}
