//===- RegionExecution.cpp - How an operation runs its regions ------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What MLIR's interfaces say. Listed are the operations whose interfaces in
// MLIR 22.1 say too little; not believed are those that say too much.
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Analysis/RegionExecution.h"
#include "Analysis/BufferUses.h"
#include "Compatibility.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace buffer_merge;

#include "buffer-merge/Analysis/RegionExecutionOpInterface.cpp.inc"

static RegionExecution deferIf(bool isDeferred) {
  return isDeferred ? RegionExecution::Deferred : RegionExecution::Parallel;
}

/// Return how operations run whose interfaces do not say it.
static std::optional<RegionExecution> lookupKnown(Operation *op) {
  // They do not implement the invocation bounds of RegionBranchOpInterface.
  if (isa<scf::ExecuteRegionOp, affine::AffineIfOp, memref::AllocaScopeOp>(op))
    return RegionExecution::Once;
  // It does not implement RegionBranchOpInterface.
  if (isa<affine::AffineParallelOp>(op))
    return RegionExecution::Parallel;
  // What is done for each element, in whatever order and number of threads.
  if (isa<scf::InParallelOp, scf::ReduceOp, memref::GenericAtomicRMWOp,
          vector::MaskOp, linalg::LinalgOp>(op))
    return RegionExecution::Parallel;
  // The end of its region is the end of the task, not of the operation.
  if (isa<async::ExecuteOp>(op))
    return RegionExecution::Deferred;
  if (auto launch = dyn_cast<gpu::LaunchOp>(op))
    return deferIf(launch.getAsyncToken() != nullptr);
  return std::nullopt;
}

/// Return how an operation of OpenMP runs its region.
static RegionExecution lookupOpenMP(Operation *op) {
  // Without a barrier at the end, other threads may still be at work.
  if (auto loop = dyn_cast<omp::WsloopOp>(op))
    return deferIf(loop.getNowait());
  if (auto sections = dyn_cast<omp::SectionsOp>(op))
    return deferIf(sections.getNowait());
  if (auto single = dyn_cast<omp::SingleOp>(op))
    return deferIf(single.getNowait());
  // A parallel region ends with a barrier, at which its tasks are done as well;
  // a group waits for its tasks.
  if (isa<omp::ParallelOp, omp::TaskgroupOp, omp::LoopNestOp, omp::SimdOp,
          omp::SectionOp, omp::MasterOp, omp::MaskedOp, omp::CriticalOp>(op))
    return RegionExecution::Parallel;
  if (isa<omp::TaskOp, TaskloopOp>(op))
    return RegionExecution::Deferred;
  return isa<TaskloopWrapperOp>(op) ? RegionExecution::Parallel
                                    : RegionExecution::Unknown;
}

RegionExecution buffer_merge::getRegionExecution(Operation *op) {
  if (auto interface = dyn_cast<RegionExecutionOpInterface>(op))
    return interface.getRegionExecution();
  // The most frequent ones, of which the interfaces below say the same: nests
  // of loops ask for each loop at each access.
  if (isa<scf::ForOp, affine::AffineForOp, scf::WhileOp>(op))
    return RegionExecution::Repeated;
  if (isa<scf::IfOp>(op))
    return RegionExecution::Once;
  if (std::optional<RegionExecution> known = lookupKnown(op))
    return *known;
  if (isa_and_nonnull<omp::OpenMPDialect>(op->getDialect()))
    return lookupOpenMP(op);
  // acc.loop says that it is a sequential loop, and may be a parallel one. The
  // regions of others may go on when the operation is done.
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!branch || mayActLater(op))
    return RegionExecution::Unknown;
  if (op->hasTrait<OpTrait::HasParallelRegion>())
    return RegionExecution::Parallel;
  SmallVector<InvocationBounds, 2> bounds;
  branch.getRegionInvocationBounds(SmallVector<Attribute>(op->getNumOperands()),
                                   bounds);
  bool isOnce = llvm::all_of(bounds, [](const InvocationBounds &bound) {
    return bound.getUpperBound().value_or(2) <= 1;
  });
  if (isOnce && !bounds.empty())
    return RegionExecution::Once;
  return isa<LoopLikeOpInterface>(op) ? RegionExecution::Repeated
                                      : RegionExecution::Unknown;
}
