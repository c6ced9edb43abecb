//===- AttributionBuffers.cpp - Attributions as allocations --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttributionBuffers.h"
#include "Report/Remarks.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace buffer_merge;

/// Return why a workgroup attribution of type `type` is not merged, or nothing.
static std::optional<UnmergeableReason>
checkAttribution(gpu::GPUFuncOp kernel, MemRefType type,
                 const WorkgroupOptions &options) {
  if (!kernel.isKernel())
    return UnmergeableReason::NotAKernel;
  // It is lowered to workgroup memory whatever its type says. An allocation of
  // the same type is not.
  if (!options.isWorkgroupSpace(type.getMemorySpace(),
                                /*isInDeviceCode=*/true))
    return UnmergeableReason::MemorySpace;
  if (!type.hasStaticShape())
    return UnmergeableReason::DynamicShape;
  return std::nullopt;
}

/// Return the attributes of each workgroup attribution of `kernel`, null where
/// it has none.
static SmallVector<DictionaryAttr> getAttributes(gpu::GPUFuncOp kernel) {
  SmallVector<DictionaryAttr> attributes(kernel.getNumWorkgroupAttributions());
  if (ArrayAttr array = kernel.getWorkgroupAttribAttrsAttr())
    for (auto [attribute, entry] : llvm::zip(attributes, array))
      attribute = cast<DictionaryAttr>(entry);
  return attributes;
}

/// Tell `kernel` that its workgroup attributions are those with `attributes`.
static void setAttributes(gpu::GPUFuncOp kernel,
                          ArrayRef<DictionaryAttr> attributes) {
  Builder builder(kernel.getContext());
  kernel->setAttr(gpu::GPUFuncOp::getNumWorkgroupAttributionsAttrName(),
                  builder.getI64IntegerAttr(attributes.size()));
  if (llvm::none_of(attributes, [](DictionaryAttr entry) { return !!entry; })) {
    kernel.removeWorkgroupAttribAttrsAttr();
    return;
  }
  SmallVector<Attribute> array;
  for (DictionaryAttr entry : attributes)
    array.push_back(entry ? entry : builder.getDictionaryAttr({}));
  kernel.setWorkgroupAttribAttrsAttr(builder.getArrayAttr(array));
}

void AttributionBuffers::toAllocations(gpu::GPUFuncOp kernel,
                                       const WorkgroupOptions &options) {
  auto refuse = [&](BlockArgument attribution, UnmergeableReason reason) {
    left.push_back({kernel, attribution.getLoc(),
                    cast<MemRefType>(attribution.getType()), reason});
  };
  SmallVector<DictionaryAttr> attributes = getAttributes(kernel);
  SmallVector<DictionaryAttr> kept;
  llvm::BitVector erased(kernel.getBody().getNumArguments());
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  for (auto [index, argument] :
       llvm::enumerate(kernel.getWorkgroupAttributions())) {
    BlockArgument attribution = argument;
    auto type = cast<MemRefType>(attribution.getType());
    if (std::optional<UnmergeableReason> reason =
            checkAttribution(kernel, type, options)) {
      refuse(attribution, *reason);
      kept.push_back(attributes[index]);
      continue;
    }
    IntegerAttr alignment;
    if (attributes[index])
      alignment = attributes[index].getAs<IntegerAttr>(
          LLVM::LLVMDialect::getAlignAttrName());
    auto alloc = memref::AllocOp::create(
        builder, attribution.getLoc(), type,
        alignment ? builder.getI64IntegerAttr(alignment.getInt())
                  : IntegerAttr());
    attribution.replaceAllUsesWith(alloc);
    erased.set(attribution.getArgNumber());
    entries.push_back({kernel, alloc, unsigned(index), attributes[index]});
  }
  // They are memory of one thread, lowered to its stack.
  for (BlockArgument attribution : kernel.getPrivateAttributions())
    refuse(attribution, UnmergeableReason::MemorySpace);
  if (erased.none())
    return;
  kernel.getBody().front().eraseArguments(erased);
  setAttributes(kernel, kept);
}

void AttributionBuffers::toAllocations(Operation *root,
                                       const WorkgroupOptions &options) {
  root->walk([&](gpu::GPUFuncOp kernel) {
    if (!kernel.isExternal())
      toAllocations(kernel, options);
  });
}

void AttributionBuffers::toAttributions(
    const llvm::DenseSet<Operation *> &merged) {
  gpu::GPUFuncOp kernel;
  unsigned numMerged = 0;
  for (Entry &entry : entries) {
    if (entry.kernel != kernel)
      numMerged = 0;
    kernel = entry.kernel;
    if (merged.contains(entry.alloc)) {
      ++numMerged;
      continue;
    }
    // All that come before it are there again, except those that are merged.
    unsigned index = entry.index - numMerged;
    SmallVector<DictionaryAttr> attributes = getAttributes(kernel);
    attributes.insert(attributes.begin() + index, entry.attributes);
    BlockArgument attribution = kernel.getBody().insertArgument(
        kernel.getFirstWorkgroupAttributionIndex() + index,
        entry.alloc.getType(), entry.alloc.getLoc());
    setAttributes(kernel, attributes);
    entry.alloc.getResult().replaceAllUsesWith(attribution);
    entry.alloc.erase();
  }
  entries.clear();
}

void AttributionBuffers::emitRemarks() const {
  for (const Left &attribution : left)
    emitAttributionRemark(attribution.kernel, attribution.loc, attribution.type,
                          attribution.reason);
}

llvm::DenseSet<Operation *> AttributionBuffers::getAllocations() const {
  llvm::DenseSet<Operation *> allocations;
  for (const Entry &entry : entries)
    allocations.insert(Entry(entry).alloc);
  return allocations;
}
