//===- The function that decides deallocations at run time ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeallocHelper.h"
#include "Mutation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace buffer_merge;

/// Return true if `a` stands for `b`: the same constant, or values that stand
/// for each other by `map`.
static bool areEquivalent(Value a, Value b, const IRMapping &map) {
  Attribute constantA, constantB;
  if (matchPattern(a, m_Constant(&constantA)))
    return matchPattern(b, m_Constant(&constantB)) && constantA == constantB;
  return map.lookupOrNull(a) == b;
}

/// Return the properties of `op`. A flag that is not set is no property: the
/// parser leaves it out, and the builder does not.
static SmallVector<NamedAttribute> getProperties(Operation &op) {
  SmallVector<NamedAttribute> properties;
  if (auto all =
          dyn_cast_or_null<DictionaryAttr>(op.getPropertiesAsAttribute()))
    llvm::append_range(properties, all);
  llvm::erase_if(properties, [&](NamedAttribute property) {
    return property.getValue() == BoolAttr::get(op.getContext(), false);
  });
  return properties;
}

/// Return true if the regions hold the same operations in the same order, but
/// for constants. They are as deep as what the builder builds, or `false`.
static bool areEquivalent(Region &a, Region &b, IRMapping &map) {
  if (!a.hasOneBlock() || !b.hasOneBlock())
    return a.empty() && b.empty();
  if (a.getArgumentTypes() != b.getArgumentTypes())
    return false;
  map.map(a.getArguments(), b.getArguments());
  auto isNoConstant = [](Operation &op) {
    return !op.hasTrait<OpTrait::ConstantLike>();
  };
  auto opsA = llvm::make_filter_range(a.front(), isNoConstant);
  auto opsB = llvm::make_filter_range(b.front(), isNoConstant);
  auto itA = opsA.begin(), itB = opsB.begin();
  for (; itA != opsA.end() && itB != opsB.end(); ++itA, ++itB) {
    Operation &opA = *itA, &opB = *itB;
    if (opA.getName() != opB.getName() ||
        opA.getNumOperands() != opB.getNumOperands() ||
        opA.getResultTypes() != opB.getResultTypes() ||
        opA.getNumRegions() != opB.getNumRegions() ||
        getProperties(opA) != getProperties(opB))
      return false;
    for (auto [x, y] : llvm::zip_equal(opA.getOperands(), opB.getOperands()))
      if (!areEquivalent(x, y, map))
        return false;
    for (auto [x, y] : llvm::zip_equal(opA.getRegions(), opB.getRegions()))
      if (!areEquivalent(x, y, map))
        return false;
    map.map(opA.getResults(), opB.getResults());
  }
  return itA == opsA.end() && itB == opsB.end();
}

bool buffer_merge::isDeallocHelper(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  FunctionType type = function.getFunctionType();
  auto isList = [](Type type, unsigned width) {
    auto list = dyn_cast<MemRefType>(type);
    return list && list.getRank() == 1 && !list.hasStaticShape() &&
           list.getLayout().isIdentity() && !list.getMemorySpace() &&
           (width ? list.getElementType().isInteger(width)
                  : list.getElementType().isIndex());
  };
  if (function.isExternal() || type.getNumInputs() != 5 ||
      type.getNumResults() != 0 || !isList(type.getInput(0), 0) ||
      !isList(type.getInput(1), 0) || !isList(type.getInput(2), 1) ||
      !isList(type.getInput(3), 1) || !isList(type.getInput(4), 1))
    return false;
  // Who has written the function has loaded them; no dialect may be loaded
  // here.
  if (!context->getLoadedDialect<arith::ArithDialect>() ||
      !context->getLoadedDialect<memref::MemRefDialect>() ||
      !context->getLoadedDialect<scf::SCFDialect>())
    return false;
  Location loc = UnknownLoc::get(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  SymbolTable symbolTable(*module);
  OpBuilder builder(context);
  func::FuncOp reference = bufferization::buildDeallocationLibraryFunction(
      builder, loc, symbolTable);
  IRMapping map;
  return isMutated("R3-other-helper") ||
         areEquivalent(function.getBody(), reference.getBody(), map);
}
