//===- MemoryWrites.cpp - When memory of a function is written ------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryWrites.h"
#include "LentArguments.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

MemoryWrites::MemoryWrites(const FunctionContext &context,
                           UnsharedArguments &unshared, Operation *root)
    : context(context), origins(context, unshared, root) {
  FunctionOpInterface function = context.function;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != function.getOperation())
      addWrites(op);
  });
  // Blocks need not be in the order in which they are executed.
  llvm::sort(unknown);
  for (auto &[origin, ticks] : writes)
    llvm::sort(ticks);
}

MemoryOrigins::Kind MemoryOrigins::classify(Value origin) {
  if (context.aliases.isClone(origin))
    return Kind::Unknown;
  if (auto argument = dyn_cast<BlockArgument>(origin)) {
    FunctionOpInterface function = context.function;
    return argument.getOwner() == &function.getFunctionBody().front()
               ? Kind::Outside
               : Kind::Unknown;
  }
  Operation *op = origin.getDefiningOp();
  if (isa<memref::AllocOp, memref::AllocaOp>(op))
    return Kind::Local;
  auto get = dyn_cast<memref::GetGlobalOp>(op);
  if (!get)
    return Kind::Unknown;
  auto global = dyn_cast_or_null<memref::GlobalOp>(
      lookupInside(root, get, get.getNameAttr(), symbolTables));
  return global && global.getConstant() ? Kind::Constant : Kind::Outside;
}

void MemoryWrites::addWrites(Operation *op) {
  if (isa<bufferization::ToTensorOp, bufferization::ToBufferOp>(op))
    haveTensors = true;
  int64_t tick = context.order.getTicks(op).first;
  auto addUnknown = [&] { unknown.push_back(tick); };
  if (mayActLater(op))
    return addUnknown();
  auto effectsOp = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effectsOp) {
    // What is inside has ticks of its own.
    if (!op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
        !isMemoryEffectFree(op))
      addUnknown();
    return;
  }
  SmallVector<MemoryEffects::EffectInstance> effects;
  effectsOp.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (isa<MemoryEffects::Read, MemoryEffects::Allocate>(effect.getEffect()))
      continue;
    Value written = effect.getValue();
    std::optional<SmallVector<Value>> found;
    if (written)
      found = context.aliases.getOrigins(written);
    if (!found) {
      addUnknown();
      continue;
    }
    for (Value origin : *found) {
      Origin kind = origins.classify(origin);
      if (kind == Origin::Unknown) {
        addUnknown();
        continue;
      }
      auto [it, isNew] = writes.try_emplace(origin);
      if (isNew && kind == Origin::Outside)
        outside.push_back(origin);
      it->second.push_back(tick);
    }
  }
}

/// Return true if one of `sorted` is in `ticks`.
static bool isAnyIn(ArrayRef<int64_t> sorted, TickRange ticks) {
  const int64_t *it = llvm::lower_bound(sorted, ticks.first);
  return it != sorted.end() && *it <= ticks.last;
}

bool MemoryOrigins::isUnshared(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return false;
  auto [it, isNew] = unsharedArguments.try_emplace(value, false);
  if (!isNew)
    return it->second;
  FunctionOpInterface function = context.function;
  unsigned index = argument.getArgNumber();
  bool isPromised =
      llvm::any_of(ArrayRef<StringRef>{LLVM::LLVMDialect::getNoAliasAttrName(),
                                       outputAttrName, donatedAttrName},
                   [&](StringRef name) {
                     return function.getArgAttr(index, name) != nullptr;
                   });
  auto funcOp = dyn_cast<func::FuncOp>(function.getOperation());
  bool result =
      isPromised || (funcOp && isa<MemRefType>(argument.getType()) &&
                     unshared.mayKnowCallers(funcOp) &&
                     unshared.getAlignment(funcOp, index).has_value());
  unsharedArguments[value] = result;
  return result;
}

bool MemoryWrites::mayShareMemory(Value outside, Value other) {
  if (outside == other)
    return true;
  return !origins.isUnshared(outside) && !origins.isUnshared(other);
}

bool MemoryWrites::mayWrite(Value memref, TickRange ticks) {
  std::optional<SmallVector<Value>> found = context.aliases.getOrigins(memref);
  if (!found)
    return true;
  return llvm::any_of(*found, [&](Value origin) {
    Origin kind = origins.classify(origin);
    if (kind == Origin::Constant)
      return false;
    if (kind == Origin::Unknown || haveTensors || isAnyIn(unknown, ticks))
      return true;
    if (kind == Origin::Local) {
      auto it = writes.find(origin);
      return it != writes.end() && isAnyIn(it->second, ticks);
    }
    return llvm::any_of(outside, [&](Value written) {
      return mayShareMemory(written, origin) &&
             isAnyIn(writes.find(written)->second, ticks);
    });
  });
}
