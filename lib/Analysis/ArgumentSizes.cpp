//===- ArgumentSizes.cpp - Sizes that the caller of a function knows ------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/ArgumentSizes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

SmallVector<ArgumentSize>
buffer_merge::getArgumentSizes(FunctionOpInterface function,
                               std::optional<unsigned> except) {
  SmallVector<ArgumentSize> sizes;
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes())) {
    unsigned argument = number;
    if (argument == except)
      continue;
    if (type.isIndex())
      sizes.push_back({argument, std::nullopt});
    if (auto memref = dyn_cast<MemRefType>(type))
      for (int64_t i = 0; i < memref.getRank(); ++i)
        if (memref.isDynamicDim(i))
          sizes.push_back({argument, i});
  }
  return sizes;
}

/// Return true if `argument` is one of a function.
static bool isOfFunction(BlockArgument argument) {
  Block *block = argument.getOwner();
  return block->isEntryBlock() &&
         isa<FunctionOpInterface>(block->getParentOp());
}

std::optional<ArgumentSize> buffer_merge::findArgumentSize(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && isOfFunction(argument) && value.getType().isIndex())
    return ArgumentSize{argument.getArgNumber(), std::nullopt};
  auto dim = value.getDefiningOp<memref::DimOp>();
  if (!dim)
    return std::nullopt;
  Value source = dim.getSource();
  while (auto cast = source.getDefiningOp<memref::CastOp>())
    source = cast.getSource();
  argument = dyn_cast<BlockArgument>(source);
  auto type = dyn_cast<MemRefType>(source.getType());
  std::optional<int64_t> index = dim.getConstantIndex();
  if (!argument || !isOfFunction(argument) || !type || !index || *index < 0 ||
      *index >= type.getRank() || !type.isDynamicDim(*index))
    return std::nullopt;
  return ArgumentSize{argument.getArgNumber(), *index};
}

/// Return true if `op` computes the same from the same, wherever it is.
static bool isArithmetic(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() ||
         (isa_and_present<arith::ArithDialect, affine::AffineDialect>(
              op->getDialect()) &&
          op->getNumRegions() == 0 && isPure(op));
}

bool buffer_merge::isFromArgumentSizes(Value value,
                                       function_ref<bool(Value)> isSource) {
  constexpr unsigned maxOps = 16;
  SmallVector<Value> worklist = {value};
  for (unsigned i = 0; i < worklist.size(); ++i) {
    if (findArgumentSize(worklist[i]) || isSource(worklist[i]))
      continue;
    Operation *op = worklist[i].getDefiningOp();
    if (!op || !isArithmetic(op) || i >= maxOps)
      return false;
    llvm::append_range(worklist, op->getOperands());
  }
  return true;
}

Value buffer_merge::computeFromArgumentSizes(
    OpBuilder &builder, Value value, IRMapping &there,
    function_ref<Value(Value)> getSource) {
  if (Value known = there.lookupOrNull(value))
    return known;
  if (Value source = getSource(value)) {
    there.map(value, source);
    return source;
  }
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    computeFromArgumentSizes(builder, operand, there, getSource);
  builder.clone(*op, there);
  return there.lookup(value);
}
