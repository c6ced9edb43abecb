//===- A compiler that uses buffer-merge ---------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Registers a dialect and a scheduler of its own, puts the pass into a pipeline
// of its own, and prints the result.

#include "MyDialect.h"

#include "buffer-merge/Scheduling/Scheduler.h"
#include "buffer-merge/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

namespace {
/// Two slots, used in turn, except for a buffer that may be in place of another
/// one: right for chains, in which a buffer is needed until the next one is
/// done. For any other problem the verifier refuses the schedule, and the
/// program stays as it is.
class PingPongScheduler final : public buffer_merge::Scheduler {
public:
  llvm::StringRef getName() const override { return "ping-pong"; }

  llvm::StringRef getDescription() const override {
    return "Two slots, used in turn";
  }

  llvm::Expected<buffer_merge::Schedule>
  schedule(const buffer_merge::SchedulingProblem &problem,
           const buffer_merge::SchedulerOptions &options) const override {
    int64_t slotSize = 0;
    for (const buffer_merge::Buffer &buffer : problem.buffers)
      slotSize = std::max(slotSize, buffer.size);
    llvm::SmallVector<int64_t, 0> offsets(problem.buffers.size());
    for (size_t i = 1; i < offsets.size(); ++i) {
      offsets[i] = slotSize - offsets[i - 1];
      for (const buffer_merge::InPlacePair &pair : problem.inPlacePairs)
        if (size_t(pair.later) == i)
          offsets[i] = offsets[pair.earlier];
    }
    return buffer_merge::makeSchedule(problem, std::move(offsets));
  }
};
} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: " << argv[0] << " FILE.mlir\n";
    return 1;
  }
  buffer_merge::registerScheduler(std::make_unique<PingPongScheduler>());

  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<my::MyDialect>();
  mlir::MLIRContext context(registry);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;

  mlir::PassManager passManager(&context);
  buffer_merge::BufferMergePassOptions options;
  options.scheduler = "ping-pong";
  passManager.addPass(buffer_merge::createBufferMergePass(options));
  mlir::bufferization::BufferDeallocationPipelineOptions deallocation;
  mlir::bufferization::buildBufferDeallocationPipeline(passManager,
                                                       deallocation);
  if (mlir::failed(passManager.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
