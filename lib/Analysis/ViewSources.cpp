//===- ViewSources.cpp - What values are views of -------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ViewSources.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace buffer_merge;

Value buffer_merge::followSources(Value value,
                                  llvm::function_ref<Value(Value)> getSource) {
  // Brent's algorithm: a circle is as long as one of the distances at most, and
  // is then met again.
  Value mark = value;
  uint64_t distance = 1, left = distance;
  while (Value source = getSource(value)) {
    value = source;
    if (value == mark)
      break;
    if (--left == 0) {
      mark = value;
      distance *= 2;
      left = distance;
    }
  }
  return value;
}

Value buffer_merge::findViewedMemory(Value value) {
  return followSources(value, [](Value view) {
    auto op = view.getDefiningOp<ViewLikeOpInterface>();
    return op ? op.getViewSource() : Value();
  });
}

memref::ViewOp buffer_merge::findSlice(Value value) {
  auto getSlice = [](Value part) {
    auto slice = part.getDefiningOp<memref::ViewOp>();
    return slice && getConstantIntValue(slice.getByteShift()) ? slice : nullptr;
  };
  return getSlice(followSources(value, [&](Value part) {
    auto view = part.getDefiningOp<ViewLikeOpInterface>();
    return view && !getSlice(part) ? view.getViewSource() : Value();
  }));
}
