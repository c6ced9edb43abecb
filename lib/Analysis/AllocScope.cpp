//===- AllocScope.cpp - Who owns a pool -----------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AllocScope.h"
#include "Mutation.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

// Lists, because no interface of MLIR 22.1 tells the truth for all of them:
// scf.forall says that it is not repetitive, affine.parallel and omp.parallel
// do not implement RegionBranchOpInterface, async.execute claims no parallel
// region.

bool buffer_merge::runsRegionsAtMostOnce(Operation *op) {
  return isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp,
             affine::AffineIfOp, memref::AllocaScopeOp>(op);
}

bool buffer_merge::isSequentialRegionOp(Operation *op) {
  return runsRegionsAtMostOnce(op) ||
         isa<scf::ForOp, scf::WhileOp, affine::AffineForOp>(op);
}

bool buffer_merge::isDoneAtEnd(Operation *op) {
  if (isSequentialRegionOp(op) ||
      (op->getNumRegions() != 0 && isMutated("L8-done-at-end")))
    return true;
  if (auto launch = dyn_cast<gpu::LaunchOp>(op))
    return !launch.getAsyncToken();
  if (auto loop = dyn_cast<omp::WsloopOp>(op))
    return !loop.getNowait();
  if (auto sections = dyn_cast<omp::SectionsOp>(op))
    return !sections.getNowait();
  if (auto single = dyn_cast<omp::SingleOp>(op))
    return !single.getNowait();
  if (isa<omp::LoopNestOp, omp::SimdOp, omp::SectionOp, omp::MasterOp,
          omp::MaskedOp, omp::CriticalOp>(op))
    return true;
  // A parallel region ends with a barrier, at which its tasks are done as well.
  return isa<scf::ForallOp, scf::InParallelOp, scf::ParallelOp, scf::ReduceOp,
             affine::AffineParallelOp, memref::GenericAtomicRMWOp,
             vector::MaskOp, omp::ParallelOp>(op) ||
         isa<linalg::LinalgOp>(op);
}

/// Return true if each execution of a region of `op` owns a pool. Besides
/// these, sequential loops and operations that distribute work over threads in
/// ways of their own (OpenMP, OpenACC) have the trait AutomaticAllocationScope.
static bool ownsPools(Operation *op) {
  if (isa<FunctionOpInterface>(op))
    return op->hasTrait<OpTrait::AutomaticAllocationScope>();
  return isa<scf::ForallOp, scf::ParallelOp, affine::AffineParallelOp,
             gpu::LaunchOp, async::ExecuteOp, memref::AllocaScopeOp>(op);
}

Region *buffer_merge::findAllocScope(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       op = parent, parent = parent->getParentOp()) {
    bool isSkipped =
        (isa<async::ExecuteOp>(parent) &&
         isMutated("scope-tasks-use-the-pool-of-their-function")) ||
        (isa<scf::ForallOp, scf::ParallelOp>(parent) &&
         isMutated("scope-parallel-loops-use-the-pool-of-their-function"));
    if (isSkipped)
      continue;
    if (ownsPools(parent))
      return op->getParentRegion();
    if (!isSequentialRegionOp(parent))
      return nullptr;
  }
  return nullptr;
}

/// Return true if `op` is part of a coroutine as LLVM's intrinsics. What the
/// function is resumed at hangs on an ordinary `llvm.switch`.
static bool isCoroutineIntrinsic(Operation *op) {
  if (op->getName().getStringRef().starts_with("llvm.intr.coro."))
    return true;
  if (op->getName().getStringRef() != "llvm.call_intrinsic")
    return false;
  auto intrinsic = op->getAttrOfType<StringAttr>("intrin");
  return intrinsic && intrinsic.getValue().starts_with("llvm.coro.");
}

bool buffer_merge::hasKnownControlFlow(Operation *function) {
  // The successors of async.coro.suspend are no alternatives: the coroutine
  // returns to its caller through one, and is resumed in another.
  WalkResult result = function->walk([](Operation *op) {
    bool isKnown = op->getNumSuccessors() == 0 || isa<BranchOpInterface>(op) ||
                   isMutated("L9-coroutines");
    if (isCoroutineIntrinsic(op) && !isMutated("coroutine-intrinsics"))
      isKnown = false;
    return isKnown ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}
