//===- AttributionBuffers.cpp - Attributions as allocations --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttributionBuffers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace buffer_merge;

void AttributionBuffers::toAllocations(Operation *root) {
  SmallVector<gpu::GPUFuncOp> kernels;
  root->walk([&](gpu::GPUFuncOp kernel) {
    // Without dynamic shapes: these are no allocations of a known size.
    if (kernel.isKernel() && kernel.getNumWorkgroupAttributions() != 0 &&
        llvm::all_of(kernel.getWorkgroupAttributions(), [](Value attribution) {
          return cast<MemRefType>(attribution.getType()).hasStaticShape();
        }))
      kernels.push_back(kernel);
  });
  for (gpu::GPUFuncOp kernel : kernels) {
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    unsigned first = kernel.getFirstWorkgroupAttributionIndex();
    unsigned count = kernel.getNumWorkgroupAttributions();
    ArrayAttr attributes = kernel.getWorkgroupAttribAttrsAttr();
    for (unsigned i = 0; i < count; ++i) {
      BlockArgument attribution = kernel.getWorkgroupAttributions()[i];
      IntegerAttr alignment;
      DictionaryAttr dictionary;
      if (attributes && i < attributes.size()) {
        dictionary = cast<DictionaryAttr>(attributes[i]);
        alignment = dictionary.getAs<IntegerAttr>(
            LLVM::LLVMDialect::getAlignAttrName());
      }
      auto alloc = memref::AllocOp::create(
          builder, attribution.getLoc(),
          cast<MemRefType>(attribution.getType()),
          alignment ? builder.getI64IntegerAttr(alignment.getInt())
                    : IntegerAttr());
      attribution.replaceAllUsesWith(alloc);
      entries.push_back({kernel, alloc, dictionary});
    }
    kernel.getBody().front().eraseArguments(first, count);
    kernel.removeWorkgroupAttribAttrsAttr();
    kernel->setAttr(gpu::GPUFuncOp::getNumWorkgroupAttributionsAttrName(),
                    builder.getI64IntegerAttr(0));
  }
}

void AttributionBuffers::toAttributions(
    const llvm::DenseSet<Operation *> &merged) {
  for (Entry &entry : entries) {
    if (merged.contains(entry.alloc))
      continue;
    unsigned index = entry.kernel.getNumWorkgroupAttributions();
    BlockArgument attribution = entry.kernel.addWorkgroupAttribution(
        entry.alloc.getType(), entry.alloc.getLoc());
    if (entry.attributes)
      for (NamedAttribute attribute : entry.attributes)
        entry.kernel.setWorkgroupAttributionAttr(index, attribute.getName(),
                                                 attribute.getValue());
    entry.alloc.getResult().replaceAllUsesWith(attribution);
    entry.alloc.erase();
  }
  entries.clear();
}

llvm::DenseSet<Operation *> AttributionBuffers::getAllocations() const {
  llvm::DenseSet<Operation *> allocations;
  for (const Entry &entry : entries)
    allocations.insert(Entry(entry).alloc);
  return allocations;
}
