//===- OtherSync.cpp - Synchronization that is not modeled ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk notes such operations, and all calls by the functions that they are
// in. Then what is found in a function spreads to its calls.
//
//===----------------------------------------------------------------------===//

#include "Analysis/GPU/OtherSync.h"
#include "Analysis/GPU/DeviceCode.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the text that `op` becomes, if it is inline assembly or an intrinsic
/// by its name; nothing if it is not.
static StringRef getInlineText(Operation *op) {
  if (auto inlineAsm = dyn_cast<LLVM::InlineAsmOp>(op))
    return inlineAsm.getAsmString();
  if (auto ptx = dyn_cast<NVVM::InlinePtxOp>(op))
    return ptx.getPtxCode();
  if (auto intrinsic = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return intrinsic.getIntrin();
  return "";
}

/// Return true if the hardware barrier with the number `id` may be that of
/// `gpu.barrier`; without a number it is.
static bool mayBeBarrierZero(Value id) {
  llvm::APInt number;
  return !id || !matchPattern(id, m_ConstantInt(&number)) || number.isZero();
}

/// Return true if `op` may use the hardware barrier of `gpu.barrier`.
static bool mayUseSharedBarrier(Operation *op) {
  if (auto barrier = dyn_cast<NVVM::BarrierOp>(op))
    return mayBeBarrierZero(barrier.getBarrierId());
  if (auto arrive = dyn_cast<NVVM::BarrierArriveOp>(op))
    return mayBeBarrierZero(arrive.getBarrierId());
  if (isa<gpu::BarrierOp>(op) || getInlineText(op).contains("bar"))
    return true;
  StringRef name = op->getName().getStringRef();
  return name == "nvvm.barrier.reduction" ||
         name.starts_with("rocdl.s.barrier") ||
         (name.starts_with("xegpu.") && name.contains("nbarrier"));
}

/// Return true if `op` may order accesses of threads in any way.
static bool mayOrder(Operation *op) {
  StringRef text = getInlineText(op);
  if (mayUseSharedBarrier(op) || text.contains("wait") ||
      text.contains("fence"))
    return true;
  // They are known, and order no other thread.
  if (isa<nvgpu::DeviceAsyncWaitOp>(op) ||
      (getGroupsInFlight(op) && getAccessUnit(op) != AccessUnit::Threads))
    return false;
  static constexpr StringLiteral dialects[] = {"amdgpu", "gpu",   "nvgpu",
                                               "nvvm",   "rocdl", "xegpu"};
  if (!llvm::is_contained(dialects, op->getName().getDialectNamespace()))
    return false;
  // Barrier objects are made, and arrived at, before any thread waits.
  StringRef name = op->getName().getStringRef();
  if (name.contains("wait"))
    return true;
  return !name.contains("mbarrier") && !name.starts_with("rocdl.sched") &&
         (name.contains("barrier") || name.contains(".bar."));
}

bool buffer_merge::isMathLibraryCall(CallOpInterface call) {
  auto symbol = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
  if (!symbol)
    return false;
  StringRef name = symbol.getLeafReference().getValue();
  return name.starts_with("__nv_") || name.starts_with("__ocml_");
}

OtherSync::OtherSync(Operation *root, Kind kind,
                     const WorkgroupOptions &options) {
  SymbolTableCollection symbolTables;
  llvm::DenseMap<Operation *, SmallVector<Operation *, 1>> callsOf;
  // The operation that is found, and another one in whose function it counts.
  SmallVector<std::pair<Operation *, Operation *>> worklist;
  auto add = [&](Operation *op, Operation *cause) {
    if (found.try_emplace(op, cause).second)
      worklist.emplace_back(cause, op);
  };
  // Barriers and fences that are none to the kernel if they are in a callee.
  SmallVector<Operation *> barriers;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->hasTrait<OpTrait::IsTerminator>())
      return;
    if (options.isWorkgroupBarrier(op) || isProxyFence(op)) {
      if (kind == Kind::Any)
        barriers.push_back(op);
      return;
    }
    if (auto call = dyn_cast<CallOpInterface>(op)) {
      if (isMathLibraryCall(call))
        return;
      auto callee = dyn_cast_or_null<FunctionOpInterface>(
          findCallee(root, call, symbolTables));
      if (callee && !callee.isExternal())
        callsOf[callee].push_back(op);
      else
        add(op, op);
      return;
    }
    bool isSync = kind == Kind::Any ? mayOrder(op) : mayUseSharedBarrier(op);
    if (isSync || !op->isRegistered())
      add(op, op);
  });
  for (Operation *barrier : barriers)
    worklist.emplace_back(barrier, barrier);
  // What is found in a function spreads to its calls.
  llvm::DenseSet<Operation *> done;
  for (size_t i = 0; i < worklist.size(); ++i) {
    auto [cause, op] = worklist[i];
    Operation *function = op->getParentOfType<FunctionOpInterface>();
    auto calls = callsOf.find(function);
    if (calls == callsOf.end() || !done.insert(function).second)
      continue;
    for (Operation *call : calls->second)
      add(call, cause);
  }
}

Operation *OtherSync::findIn(Region &region) const {
  Operation *first = nullptr;
  region.walk<WalkOrder::PreOrder>([&](Operation *op) {
    first = lookup(op);
    return first ? WalkResult::interrupt() : WalkResult::advance();
  });
  return first;
}
