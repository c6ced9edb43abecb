//===- Programs as machine code ------------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Jit.h"
#include "Interpreter.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

void buffer_merge::fuzz::registerJitDialects(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

/// What the program that is running passed to `@use_i64`.
static std::vector<int64_t> currentTrace;

static void useInt(int64_t value) { currentTrace.push_back(value); }

static void buildLowering(OpPassManager &manager) {
  manager.addNestedPass<func::FuncOp>(createForallToParallelLoopPass());
  // The stock deallocation adds clones.
  manager.addPass(createConvertBufferizationToMemRefPass());
  manager.addPass(createConvertLinalgToLoopsPass());
  manager.addPass(memref::createExpandReallocPass());
  manager.addPass(memref::createExpandOpsPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createConvertComplexToLLVMPass());
  manager.addPass(createConvertVectorToLLVMPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createFinalizeMemRefToLLVMConversionPass());
  manager.addPass(createConvertFuncToLLVMPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createConvertIndexToLLVMPass());
  manager.addPass(createUBToLLVMConversionPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
}

void JitBatch::add(ModuleOp module, std::vector<int64_t> expected,
                   std::string label) {
  programs.push_back({module.clone(), std::move(expected), std::move(label)});
}

/// Move the functions of `module` to `batch`, renamed with `prefix`.
static void moveFunctions(ModuleOp module, ModuleOp batch,
                          const std::string &prefix) {
  Builder b(batch.getContext());
  auto functions = llvm::to_vector(module.getOps<LLVM::LLVMFuncOp>());
  for (LLVM::LLVMFuncOp function : functions) {
    if (function.isExternal())
      continue;
    StringAttr name = b.getStringAttr(prefix + function.getSymName().str());
    (void)SymbolTable::replaceAllSymbolUses(function, name, module);
    function.setSymNameAttr(name);
  }
  for (LLVM::LLVMFuncOp function : functions)
    if (!batch.lookupSymbol(function.getSymName()))
      function->moveBefore(batch.getBody(), batch.getBody()->end());
}

std::string JitBatch::run() {
  if (programs.empty())
    return "";
  std::vector<Program> current;
  std::swap(current, programs);
  MLIRContext *context = current[0].module->getContext();
  OwningOpRef<ModuleOp> batch = ModuleOp::create(UnknownLoc::get(context));
  PassManager manager(context);
  buildLowering(manager);
  for (auto [number, program] : llvm::enumerate(current)) {
    std::string diagnostics;
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      diagnostics += diagnostic.str() + "; ";
      return success();
    });
    if (failed(manager.run(*program.module)))
      return program.label + " cannot be lowered: " + diagnostics;
    moveFunctions(*program.module, *batch, "p" + std::to_string(number) + "_");
  }

  std::string diagnostics;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    diagnostics += diagnostic.str() + "; ";
    return success();
  });
  [[maybe_unused]] static bool isInitialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  ExecutionEngineOptions options;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::None;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  SmallVector<StringRef> libraries = {BUFFER_MERGE_RUNNER_UTILS};
  options.sharedLibPaths = libraries;
  auto engine = ExecutionEngine::create(*batch, options);
  if (!engine)
    return current[0].label +
           ": no engine: " + llvm::toString(engine.takeError()) + ": " +
           diagnostics;
  (*engine)->registerSymbols([](llvm::orc::MangleAndInterner intern) {
    llvm::orc::SymbolMap symbols;
    symbols[intern("use_i64")] = {llvm::orc::ExecutorAddr::fromPtr(&useInt),
                                  llvm::JITSymbolFlags::Exported};
    symbols[intern("input_i64")] = {llvm::orc::ExecutorAddr::fromPtr(&getInput),
                                    llvm::JITSymbolFlags::Exported};
    return symbols;
  });
  (*engine)->initialize();
  for (auto [number, program] : llvm::enumerate(current)) {
    currentTrace.clear();
    // main has neither arguments nor results.
    llvm::Error error =
        (*engine)->invokePacked("p" + std::to_string(number) + "_main", {});
    if (error)
      return program.label + ": " + llvm::toString(std::move(error));
    if (currentTrace != program.expected)
      return program.label +
             ": machine code prints something else than the interpreter";
  }
  return "";
}
