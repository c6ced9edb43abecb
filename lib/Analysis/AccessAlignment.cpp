//===- AccessAlignment.cpp - What accesses need of an address -------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessAlignment.h"
#include "Analysis/BufferSize.h"
#include "Mutation.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

/// What `malloc` gives on 64-bit targets, `alignof(max_align_t)`.
static constexpr int64_t mallocAlignment = 16;

/// Return the alignment that `op` promises its operand to have.
static int64_t getPromisedAlignment(Operation *op) {
  auto attribute = op->getAttrOfType<IntegerAttr>("alignment");
  if (!attribute || !attribute.getType().isSignlessInteger() ||
      !attribute.getValue().isPowerOf2() ||
      attribute.getValue().getActiveBits() >= 63)
    return 1;
  return attribute.getValue().getSExtValue();
}

/// Return the bytes that a thread copies with one cp.async, 4, 8 or 16, of
/// which both addresses must be multiples.
static int64_t getCopiedBytes(nvgpu::DeviceAsyncCopyOp copy) {
  Type type = copy.getDst().getType().getElementType();
  uint64_t elementBits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  uint64_t bytes = copy.getDstElements().getZExtValue() * elementBits / 8;
  return llvm::isPowerOf2_64(bytes) && bytes <= 16 ? bytes : 16;
}

/// Return the alignment that the instruction needs that the access `op`
/// becomes, if that is not a matter of the element type.
static int64_t getInstructionAlignment(Operation *op) {
  // PTX: the address of a matrix is a multiple of the bytes that one thread
  // holds of it, at most 32.
  if (isa<gpu::SubgroupMmaLoadMatrixOp, gpu::SubgroupMmaStoreMatrixOp>(op))
    return 32;
  // Each thread gives the address of a row of 16 bytes.
  if (isa<nvgpu::LdMatrixOp>(op))
    return 16;
  if (auto copy = dyn_cast<nvgpu::DeviceAsyncCopyOp>(op))
    return getCopiedBytes(copy);
  return 1;
}

int64_t buffer_merge::getNeededAlignment(OpOperand &use, BufferUse::Kind kind,
                                         const CalleeSummaries &callees,
                                         const DataLayout &layout) {
  if (const ArgumentSummary *summary = callees.lookup(use))
    return isMutated("R1-callee-alignment") ? 1 : summary->alignment;
  Operation *op = use.getOwner();
  int64_t alignment = getPromisedAlignment(op);
  if (kind != BufferUse::Kind::Access &&
      kind != BufferUse::Kind::DeferredAccess)
    return alignment;
  // An attribute that asks for less is not trusted to stay there: passes that
  // fold views into loads drop it.
  if (!isMutated("R1-element-alignment"))
    alignment =
        std::max(alignment,
                 getNaturalAlignment(getElementTypeOrSelf(use.get()), layout));
  alignment = std::max(alignment, getInstructionAlignment(op));
  if (isa<CallOpInterface, gpu::LaunchFuncOp>(op))
    alignment = std::max(alignment, mallocAlignment);
  return alignment;
}
