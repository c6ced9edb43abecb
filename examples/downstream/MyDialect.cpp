//===- MyDialect.cpp - A dialect with the interfaces ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MyDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#include "MyDialect.cpp.inc"

#define GET_OP_CLASSES
#include "MyOps.cpp.inc"

void my::MyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "MyOps.cpp.inc"
      >();
}

// Each element of the result is written after the same element of the operand
// was read: they may be in the same bytes.
std::optional<buffer_merge::InPlaceCondition>
my::ReluOp::getInPlaceCondition(mlir::OpOperand &read,
                                mlir::OpOperand &written) {
  return buffer_merge::InPlaceCondition::SameOffset;
}

// Each execution of the body needs buffers of its own.
buffer_merge::RegionExecution my::TilesOp::getRegionExecution() {
  return buffer_merge::RegionExecution::Parallel;
}
