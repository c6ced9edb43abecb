//===- MemoryTraffic.cpp - Bytes that accesses move -----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryTraffic.h"
#include "Analysis/BufferSize.h"
#include "Analysis/FunctionContext.h"
#include "Planning/Gain.h"
#include "Scheduling/SaturatingBytes.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the bytes of the largest vector or scalar that `op` takes or returns;
/// 0 if there is none. Indices are not what is moved.
static int64_t getMovedValueBytes(Operation *op, const DataLayout &layout) {
  int64_t bytes = 0;
  auto add = [&](Type type) {
    // Data layouts do not expect a vector of rank 0.
    if (auto vector = dyn_cast<VectorType>(type); vector && !vector.getRank())
      type = vector.getElementType();
    if (isa<VectorType, IntegerType, FloatType, ComplexType>(type))
      if (llvm::TypeSize size = layout.getTypeSize(type); !size.isScalable())
        bytes = std::max<int64_t>(bytes, size.getFixedValue());
  };
  llvm::for_each(op->getOperandTypes(), add);
  llvm::for_each(op->getResultTypes(), add);
  return bytes;
}

/// Return the bytes that one execution of the operation of `use` moves.
static int64_t getMovedBytes(OpOperand &use, int64_t bufferBytes,
                             const DataLayout &layout) {
  Operation *op = use.getOwner();
  auto isMemRef = [](Type type) { return isa<BaseMemRefType>(type); };
  if (op->getNumRegions() == 0 && !isa<CallOpInterface>(op) &&
      llvm::count_if(op->getOperandTypes(), isMemRef) == 1)
    if (int64_t bytes = getMovedValueBytes(op, layout))
      return bytes;
  auto type = dyn_cast<MemRefType>(use.get().getType());
  if (!type || !type.hasStaticShape())
    return bufferBytes;
  // The elements of a view need not be next to each other.
  auto elements =
      MemRefType::get(type.getShape(), type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  std::variant<BufferSize, UnmergeableReason> size =
      computeBufferSize(elements, layout);
  auto *known = std::get_if<BufferSize>(&size);
  return known ? known->bytes : bufferBytes;
}

/// Return how often `op` is executed while its function is, as far as that is
/// known.
static int64_t countExecutions(Operation *op) {
  int64_t count = 1;
  for (op = op->getParentOp(); op && !isa<FunctionOpInterface>(op);
       op = op->getParentOp())
    count = multiplyBytes(count, getNumIterations(op).value_or(1));
  return count;
}

MemoryTraffic buffer_merge::computeTraffic(const BufferLifetime &buffer,
                                           const BufferLifetimes &lifetimes) {
  const FunctionContext &context = *lifetimes.getContext(buffer.function);
  MemoryTraffic traffic;
  for (const BufferEvent &event : buffer.events) {
    if (!event.isAccess())
      continue;
    OpOperand &use = *event.operand;
    Operation *op = use.getOwner();
    int64_t bytes = multiplyBytes(
        getMovedBytes(use, *buffer.size, context.layout), countExecutions(op));
    int64_t &sum = hasEffect<MemoryEffects::Write>(op, use.get())
                       ? traffic.writtenBytes
                       : traffic.readBytes;
    sum = std::min(sum + bytes, maxBytes);
  }
  return traffic;
}
