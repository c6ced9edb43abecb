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

static void buildLowering(OpPassManager &manager, bool usesGenericFunctions) {
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
  FinalizeMemRefToLLVMConversionPassOptions options;
  options.useGenericFunctions = usesGenericFunctions;
  manager.addPass(createFinalizeMemRefToLLVMConversionPass(options));
  manager.addPass(createConvertFuncToLLVMPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createConvertIndexToLLVMPass());
  manager.addPass(createUBToLLVMConversionPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
}

/// What the arguments of a function are: the number of values that each becomes
/// when it is lowered, and its attributes.
using Promises =
    llvm::StringMap<SmallVector<std::pair<unsigned, DictionaryAttr>>>;

/// Return what is promised of the arguments of the functions in `module`. The
/// stock lowering drops that where a memref becomes several values.
static Promises takePromises(ModuleOp module) {
  Promises promises;
  for (auto function : module.getOps<func::FuncOp>()) {
    auto &arguments = promises[function.getSymName()];
    for (auto [k, type] : llvm::enumerate(function.getArgumentTypes())) {
      auto memref = dyn_cast<MemRefType>(type);
      arguments.emplace_back(memref ? 3 + 2 * memref.getRank() : 1,
                             function.getArgAttrDict(k));
    }
  }
  return promises;
}

/// Let the aligned pointers, with which memory is accessed, have the attributes
/// of LLVM that the memrefs had.
static void keepPromises(ModuleOp module, const Promises &promises) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    unsigned number = 0;
    for (auto [count, attributes] : promises.lookup(function.getSymName())) {
      for (NamedAttribute attribute :
           attributes ? attributes.getValue() : ArrayRef<NamedAttribute>())
        if (count > 1 && attribute.getName().strref().starts_with("llvm."))
          function.setArgAttr(number + 1, attribute.getName(),
                              attribute.getValue());
      number += count;
    }
  }
}

void JitBatch::add(ModuleOp module, std::vector<int64_t> expected,
                   std::string label) {
  programs.push_back({module.clone(), std::move(expected), std::move(label)});
}

void buffer_merge::fuzz::moveSymbols(ModuleOp module, ModuleOp batch,
                                     const std::string &prefix) {
  Builder b(batch.getContext());
  auto symbols = llvm::to_vector(module.getOps<SymbolOpInterface>());
  for (SymbolOpInterface symbol : symbols) {
    auto function = dyn_cast<FunctionOpInterface>(*symbol);
    if (function && function.isExternal())
      continue;
    StringAttr name = b.getStringAttr(prefix + symbol.getName().str());
    (void)SymbolTable::replaceAllSymbolUses(symbol, name, module);
    symbol.setName(name);
  }
  for (SymbolOpInterface symbol : symbols)
    if (!batch.lookupSymbol(symbol.getName()))
      symbol->moveBefore(batch.getBody(), batch.getBody()->end());
}

OwningOpRef<ModuleOp> JitBatch::link(MutableArrayRef<Program> programs,
                                     size_t firstNumber,
                                     bool usesGenericFunctions,
                                     std::string &error) {
  MLIRContext *context = programs[0].module->getContext();
  OwningOpRef<ModuleOp> batch = ModuleOp::create(UnknownLoc::get(context));
  PassManager manager(context);
  buildLowering(manager, usesGenericFunctions);
  for (Program &program : programs) {
    std::string diagnostics;
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      diagnostics += diagnostic.str() + "; ";
      return success();
    });
    auto promises = takePromises(*program.module);
    if (failed(manager.run(*program.module))) {
      error = program.label + " cannot be lowered: " + diagnostics;
      return nullptr;
    }
    keepPromises(*program.module, promises);
    moveSymbols(*program.module, *batch,
                "p" + std::to_string(firstNumber++) + "_");
  }
  return batch;
}

std::string JitBatch::run() {
  if (programs.empty())
    return "";
  std::vector<Program> current;
  std::swap(current, programs);
  MLIRContext *context = current[0].module->getContext();
  std::string error;
  OwningOpRef<ModuleOp> batch =
      link(current, 0, /*usesGenericFunctions=*/false, error);
  if (!batch)
    return error;

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
