//===- Producer.cpp - The operation that makes a buffer ------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Producer.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

/// Return true if `op` writes `value` and reads another one.
static bool computesInto(Operation *op, Value value) {
  return hasEffect<MemoryEffects::Write>(op, value) &&
         llvm::any_of(op->getOperands(), [&](Value other) {
           return other != value && hasEffect<MemoryEffects::Read>(op, other);
         });
}

Operation *buffer_merge::findProducer(const BufferLifetime &buffer) {
  if (!buffer.firstAccess)
    return nullptr;
  Value value = buffer.alloc;
  for (const BufferEvent &event : buffer.events) {
    Operation *op = event.operand->getOwner();
    if (event.operand->get() == value &&
        op->getBlock() == buffer.firstAccess->getBlock() &&
        computesInto(op, value))
      return op;
  }
  return buffer.firstAccess;
}

std::string buffer_merge::describeOperation(Operation *op) {
  std::string text = op->getName().getStringRef().str();
  if (text != "linalg.generic" || op->getNumRegions() != 1 ||
      !op->getRegion(0).hasOneBlock())
    return text;
  constexpr size_t maxNames = 3;
  SmallVector<StringRef> names;
  for (Operation &inner : op->getRegion(0).front()) {
    StringRef name = inner.getName().getStringRef();
    if (!inner.hasTrait<OpTrait::IsTerminator>() &&
        !llvm::is_contained(names, name))
      names.push_back(name);
  }
  if (names.empty())
    return text;
  text += "[" + llvm::join(ArrayRef(names).take_front(maxNames), ", ");
  return text + (names.size() > maxNames ? ", ...]" : "]");
}
