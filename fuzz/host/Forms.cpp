//===- Lowered forms of a program ----------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "Interpreter.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/AsyncToLLVM/AsyncToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/Async/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

static void buildCoroutines(OpPassManager &manager) {
  manager.addPass(createAsyncFuncToAsyncRuntimePass());
  manager.addPass(createAsyncToAsyncRuntimePass());
}

static void buildCounting(OpPassManager &manager) {
  OpPassManager &nested = manager.nest<func::FuncOp>();
  nested.addPass(createAsyncRuntimeRefCountingPass());
  nested.addPass(createAsyncRuntimeRefCountingOptPass());
}

static void buildLLVMCoroutines(OpPassManager &manager) {
  manager.addPass(createConvertAsyncToLLVMPass());
}

static void buildBranches(OpPassManager &manager) {
  manager.addPass(createLowerAffinePass());
  manager.addPass(createSCFToControlFlowPass());
}

static void buildLLVMBranches(OpPassManager &manager) {
  manager.addPass(createConvertControlFlowToLLVMPass());
}

ArrayRef<Form> buffer_merge::fuzz::getForms() {
  // Counting takes fewer programs than the rest, and owns no buffers.
  Form::Step coroutines = {buildCoroutines}, branches = {buildBranches};
  Form::Step counting = {buildCounting, /*isOptional=*/true};
  static const Form forms[] = {
      {"coroutines", true, {coroutines, counting}},
      {"llvm-coroutines", true, {coroutines, counting, {buildLLVMCoroutines}}},
      {"branches", false, {branches}},
      {"llvm-branches", false, {branches, {buildLLVMBranches}}},
  };
  return forms;
}

/// Return true if `isWanted` holds for an operation in `module`.
static bool hasOp(ModuleOp module, function_ref<bool(Operation *)> isWanted) {
  return module
      .walk([&](Operation *op) {
        return isWanted(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool isAsyncOp(Operation *op) {
  return isa_and_present<async::AsyncDialect>(op->getDialect());
}

bool buffer_merge::fuzz::hasAsync(ModuleOp module) {
  return hasOp(module, isAsyncOp);
}

bool buffer_merge::fuzz::hasOpenOrder(ModuleOp module) {
  return hasOp(module, [](Operation *op) {
    return isAsyncOp(op) ||
           isa<scf::ParallelOp, scf::ForallOp, affine::AffineParallelOp,
               memref::DmaStartOp, affine::AffineDmaStartOp,
               bufferization::CloneOp>(op);
  });
}

OwningOpRef<ModuleOp>
buffer_merge::fuzz::tryPasses(ModuleOp module,
                              function_ref<void(OpPassManager &)> build) {
  MLIRContext *context = module.getContext();
  ScopedDiagnosticHandler quiet(context,
                                [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager manager(context);
  build(manager);
  if (failed(manager.run(*copy)))
    return nullptr;
  return copy;
}

OwningOpRef<ModuleOp> buffer_merge::fuzz::lower(ModuleOp module,
                                                const Form &form) {
  OwningOpRef<ModuleOp> lowered = module.clone();
  for (const Form::Step &step : form.steps) {
    OwningOpRef<ModuleOp> next = tryPasses(*lowered, step.build);
    if (next)
      lowered = std::move(next);
    else if (!step.isOptional)
      return nullptr;
  }
  // Casts between types get the location of what they cast.
  lowered->walk([](Operation *op) {
    if (!isa<memref::AllocOp>(op) && !getBufferName(op->getLoc()).empty())
      op->setLoc(UnknownLoc::get(op->getContext()));
  });
  return lowered;
}
