//===- mlir-opt with buffer-merge ----------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassHelp.h"
#include "UnknownOption.h"
#include "Verbose.h"
#include "Version.h"
#include "buffer-merge/Transforms/Passes.h"
#include "buffer-merge/Transforms/Pipelines.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

// An LLVM without assertions has no such option, but what it needs.
#if !defined(NDEBUG) && !LLVM_ENABLE_ABI_BREAKING_CHECKS
static llvm::cl::opt<std::string>
    debugOnly("debug-only", llvm::cl::desc("Print debug output of these types"),
              llvm::cl::value_desc("TYPE"),
              llvm::cl::callback([](const std::string &type) {
                llvm::DebugFlag = true;
                llvm::setCurrentDebugType(type.c_str());
              }));
#endif

/// Do as `mlir::MlirOptMain` does, and say what merging did.
static llvm::LogicalResult runVerbosely(int argc, char **argv,
                                        llvm::StringRef input,
                                        llvm::StringRef output,
                                        mlir::DialectRegistry &registry) {
  llvm::InitLLVM init(argc, argv);
  mlir::MlirOptMainConfig config =
      mlir::MlirOptMainConfig::createFromCLOptions();
  buffer_merge::printSummaries(config);
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file =
      mlir::openInputFile(input, &message);
  std::unique_ptr<llvm::ToolOutputFile> result =
      file ? mlir::openOutputFile(output, &message) : nullptr;
  if (!result) {
    llvm::WithColor::error(llvm::errs(), "buffer-merge-opt") << message << "\n";
    return llvm::failure();
  }
  if (failed(
          mlir::MlirOptMain(result->os(), std::move(file), registry, config)))
    return llvm::failure();
  result->keep();
  return llvm::success();
}

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter(buffer_merge::printVersion);
  mlir::registerAllPasses();
  buffer_merge::registerBufferMergePasses();
  buffer_merge::registerBufferMergePipelines();

  buffer_merge::printPassHelpIfAsked(argc, argv);

  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  // gpu-module-to-binary translates to LLVM IR inside a pass.
  mlir::registerAllGPUToLLVMIRTranslations(registry);

  std::string header =
      mlir::registerCLIOptions("Buffer merging optimizer driver\n", registry);
  buffer_merge::refuseUnknownOptions(argc, argv, "buffer-merge-opt",
                                     /*exitStatus=*/1);
  auto [input, output] = mlir::parseCLIOptions(argc, argv, header);
  buffer_merge::refuseUnknownInPipeline(argc, argv);
  return mlir::asMainReturnCode(
      buffer_merge::isVerbose()
          ? runVerbosely(argc, argv, input, output, registry)
          : mlir::MlirOptMain(argc, argv, input, output, registry));
}
