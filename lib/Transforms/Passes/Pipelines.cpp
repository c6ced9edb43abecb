//===- Pipelines with merging --------------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Transforms/Pipelines.h"
#include "Analysis/BufferUses.h"
#include "PassOptions.h"

#include "mlir/Dialect/Bufferization/IR/AllocationOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferViewFlowOpInterface.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
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
/// computes: each result is another value of known size that is allocated once,
/// and neither an argument nor a global.
static bool mayHaveOutParams(func::FuncOp function,
                             ArrayRef<Operation *> users) {
  if (!function.getBody().hasOneBlock() ||
      !llvm::all_of(users, llvm::IsaPred<func::CallOp>))
    return false;
  BufferViewFlowAnalysis flow(function);
  // Callers may know it by another name, and see what is written to it.
  auto isOutside = [&](Value value) {
    return llvm::is_contained(function.getArguments(), value) ||
           value.getDefiningOp<memref::GetGlobalOp>();
  };
  llvm::SmallDenseSet<Value> results;
  return llvm::all_of(
      function.front().getTerminator()->getOperands(), [&](Value result) {
        auto type = dyn_cast<MemRefType>(result.getType());
        return !type ||
               (type.hasStaticShape() && type.getLayout().isIdentity() &&
                results.insert(result).second &&
                llvm::none_of(flow.resolveReverse(result), isOutside));
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
    // It looks up all calls here, those in nested modules as well.
    SmallVector<std::pair<Operation *, Operation *>> nested;
    for (Operation &op : *getOperation().getBody())
      if (op.hasTrait<OpTrait::SymbolTable>())
        nested.emplace_back(&op, op.getNextNode());
    for (Operation *op : llvm::make_first_range(nested))
      op->remove();
    if (failed(bufferization::promoteBufferResultsToOutParams(getOperation(),
                                                              options)))
      signalPassFailure();
    Block *body = getOperation().getBody();
    for (auto [op, next] : llvm::reverse(nested))
      body->getOperations().insert(next ? Block::iterator(next) : body->end(),
                                   op);
  }
};

/// `buffer-deallocation-pipeline`, and `optimize-allocation-liveness` where
/// that does not free what is in use: it takes the result of an operation for
/// other memory than the operands unless an interface says that it is a view
/// (`memref.transpose`, `memref.distinct_objects`), and knows nothing of what
/// is accessed through an address, or after the end of an operation. One pass,
/// because comparisons of addresses are also what deallocations become.
struct DeallocatePass : PassWrapper<DeallocatePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DeallocatePass)

  StringRef getArgument() const override { return "buffer-merge-deallocate"; }
  StringRef getDescription() const override {
    return "buffer-deallocation-pipeline, and optimize-allocation-liveness "
           "where that knows all uses";
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    getDeallocation().getDependentDialects(registry);
  }

  void runOnOperation() override {
    // Who gets an address may pass it on, to wherever it is called from, and
    // who starts a transfer may leave it to others to wait.
    bool isUsedOtherwise = false;
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      bool areViewsKnown = true;
      function.walk([&](Operation *op) {
        isUsedOtherwise |= mayActLater(op) || op->hasAttr(untilAttrName);
        if (!llvm::any_of(op->getOperandTypes(), isMemRef))
          return;
        isUsedOtherwise |= takesAddress(op);
        areViewsKnown &= !llvm::any_of(op->getResultTypes(), isMemRef) ||
                         isa<ViewLikeOpInterface, SelectLikeOpInterface,
                             RegionBranchOpInterface, CallOpInterface,
                             bufferization::BufferViewFlowOpInterface,
                             bufferization::AllocationOpInterface>(op);
      });
      if (areViewsKnown)
        functions.push_back(function);
    }
    OpPassManager deallocation = getDeallocation();
    if (failed(runPipeline(deallocation, getOperation())))
      return signalPassFailure();
    OpPassManager early(func::FuncOp::getOperationName());
    early.addPass(bufferization::createOptimizeAllocationLivenessPass());
    for (func::FuncOp function : functions)
      if (!isUsedOtherwise && failed(runPipeline(early, function)))
        return signalPassFailure();
  }

private:
  static OpPassManager getDeallocation() {
    OpPassManager passes(ModuleOp::getOperationName());
    bufferization::buildBufferDeallocationPipeline(
        passes, bufferization::BufferDeallocationPipelineOptions());
    return passes;
  }

  static bool isMemRef(Type type) { return isa<BaseMemRefType>(type); }

  /// Return true if `op`, on a memref, makes an address or something else that
  /// is no memref of it, or stores it.
  static bool takesAddress(Operation *op) {
    auto isOther = [](Type type) {
      return !isMemRef(type) && mayHoldAddress(type);
    };
    auto holdsAddresses = [](Type type) {
      auto memref = dyn_cast<BaseMemRefType>(type);
      return memref && mayHoldAddress(memref.getElementType());
    };
    return isa<memref::ExtractAlignedPointerAsIndexOp>(op) ||
           llvm::any_of(op->getResultTypes(), isOther) ||
           llvm::any_of(op->getOperandTypes(), holdsAddresses);
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
  bufferize.allowReturnAllocsFromLoops = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  if (options.outParams)
    pm.addPass(std::make_unique<OutParamsPass>());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
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
  if (options.deallocate)
    pm.addPass(std::make_unique<DeallocatePass>());
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
  PassRegistration<DeallocatePass>();
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
