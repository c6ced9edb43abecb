//===- Pipelines with merging --------------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Transforms/Pipelines.h"
#include "PassOptions.h"

#include "mlir/Dialect/Bufferization/IR/AllocationOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferViewFlowOpInterface.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace buffer_merge;

/// Return true if `buffer-results-to-out-params` fails for no result of
/// `function`, all uses of which are `users`, and changes nothing that it
/// computes: each result is another value of known size, and is allocated once.
static bool mayHaveOutParams(func::FuncOp function,
                             ArrayRef<Operation *> users) {
  if (!function.getBody().hasOneBlock() ||
      !llvm::all_of(users, llvm::IsaPred<func::CallOp>))
    return false;
  llvm::SmallDenseSet<Value> results;
  return llvm::all_of(function.front().getTerminator()->getOperands(),
                      [&](Value result) {
                        auto type = dyn_cast<MemRefType>(result.getType());
                        return !type || (type.hasStaticShape() &&
                                         type.getLayout().isIdentity() &&
                                         results.insert(result).second);
                      });
}

// Passes that only the pipeline adds. They have names because a pipeline is
// printed, in a reproducer, and read again.
namespace {
struct OutParamsPass : PassWrapper<OutParamsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OutParamsPass)

  StringRef getArgument() const override { return "buffer-merge-out-params"; }
  StringRef getDescription() const override {
    return "buffer-results-to-out-params, for the functions that it can handle";
  }

  void runOnOperation() override {
    SymbolTableCollection tables;
    SymbolUserMap users(tables, getOperation());
    llvm::DenseSet<Operation *> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (mayHaveOutParams(function, users.getUsers(function)))
        functions.insert(function);
    bufferization::BufferResultsToOutParamsOpts options;
    options.hoistStaticAllocs = true;
    options.filterFn = [&](func::FuncOp *function) {
      return functions.contains(*function);
    };
    if (failed(bufferization::promoteBufferResultsToOutParams(getOperation(),
                                                              options)))
      signalPassFailure();
  }
};

/// `optimize-allocation-liveness`, but not where it frees what is in use: it
/// takes the result of an operation for other memory than the operands unless
/// an interface says that it is a view (`memref.transpose`,
/// `memref.distinct_objects`).
struct EarlyFreesPass : PassWrapper<EarlyFreesPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EarlyFreesPass)

  StringRef getArgument() const override { return "buffer-merge-early-frees"; }
  StringRef getDescription() const override {
    return "optimize-allocation-liveness, where it knows all views";
  }

  void runOnOperation() override {
    auto isMemRef = [](Type type) { return isa<BaseMemRefType>(type); };
    WalkResult result = getOperation()->walk([&](Operation *op) {
      return llvm::any_of(op->getOperandTypes(), isMemRef) &&
                     llvm::any_of(op->getResultTypes(), isMemRef) &&
                     !isa<ViewLikeOpInterface, SelectLikeOpInterface,
                          RegionBranchOpInterface, CallOpInterface,
                          bufferization::BufferViewFlowOpInterface,
                          bufferization::AllocationOpInterface>(op)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    OpPassManager passes(getOperation()->getName());
    passes.addPass(bufferization::createOptimizeAllocationLivenessPass());
    if (!result.wasInterrupted() && failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }
};
} // namespace

/// Add the pipeline with `merge`, a `buffer-merge` pass.
static void buildPipeline(OpPassManager &pm,
                          const BufferMergePipelineOptions &options,
                          std::unique_ptr<Pass> merge) {
  if (options.unshareEmpty)
    pm.addPass(createUnshareEmptyTensorsPass());
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  if (options.outParams)
    pm.addPass(std::make_unique<OutParamsPass>());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createRefillCopiesPass());
  if (options.propagate)
    pm.addPass(createPropagateCopiesPass());
  if (options.emplace || options.emplaceStrided) {
    EmplaceBuffersPassOptions emplace;
    emplace.strided = options.emplaceStrided;
    pm.addPass(createEmplaceBuffersPass(emplace));
  }
  if (options.reorder)
    pm.addPass(createReorderForPeakPass());
  if (options.parallelSlots != 0) {
    HoistParallelPoolsPassOptions hoist;
    hoist.maxSlots = options.parallelSlots;
    pm.addPass(createHoistParallelPoolsPass(hoist));
  }
  // First, so that merging knows when the program frees what.
  if (options.deallocate) {
    bufferization::buildBufferDeallocationPipeline(
        pm, bufferization::BufferDeallocationPipelineOptions());
    pm.addNestedPass<func::FuncOp>(std::make_unique<EarlyFreesPass>());
  }
  pm.addPass(std::move(merge));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void buffer_merge::buildBufferMergePipeline(
    OpPassManager &pm, const BufferMergePipelineOptions &options) {
  buildPipeline(pm, options, createBufferMergePass(options.merge));
}

void buffer_merge::registerBufferMergePipelines() {
  PassRegistration<OutParamsPass>();
  PassRegistration<EarlyFreesPass>();
  registerPassPipeline(
      "buffer-merge-pipeline",
      "Bufferize tensors, merge the buffers, and free the pools",
      [](OpPassManager &pm, StringRef text,
         function_ref<LogicalResult(const Twine &)> emitError) {
        BufferMergePipelineOptions options;
        std::string message;
        llvm::raw_string_ostream os(message);
        if (failed(options.parseFromString(text, os)))
          return handleOptionError(message, "buffer-merge-pipeline",
                                   *options.mergeText.Subs.begin(), emitError);
        std::unique_ptr<Pass> merge = createBufferMergePass();
        if (failed(merge->initializeOptions(options.mergeText, emitError)))
          return failure();
        buildPipeline(pm, options, std::move(merge));
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> handle) {
        handle(BufferMergePipelineOptions());
      });
}
