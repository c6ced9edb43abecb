//===- Uniformity.cpp - What threads of a workgroup agree on -------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/GPU/Uniformity.h"
#include "Analysis/GPU/ThreadValues.h"
#include "Analysis/GPU/WorkgroupMemory.h"
#include "Mutation.h"
#include "buffer-merge/Analysis/MemorySpaces.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

/// Return true if `op` computes the same in all threads from the same operands.
static bool preservesUniformity(Operation *op) {
  // Each thread may see another value in place of a poison.
  if (op->hasTrait<OpTrait::ConstantLike>())
    return op->getName().getDialectNamespace() != "ub";
  if (isa<gpu::BlockIdOp, gpu::BlockDimOp, gpu::GridDimOp, gpu::NumSubgroupsOp,
          gpu::SubgroupSizeOp, gpu::ClusterIdOp, gpu::ClusterBlockIdOp,
          gpu::ClusterDimOp, gpu::ClusterDimBlocksOp, memref::DimOp>(op))
    return true;
  static constexpr StringLiteral prefixes[] = {"nvvm.read.ptx.sreg.ctaid.",
                                               "nvvm.read.ptx.sreg.nctaid.",
                                               "nvvm.read.ptx.sreg.ntid.",
                                               "nvvm.read.ptx.sreg.cluster",
                                               "nvvm.read.ptx.sreg.nclusterid",
                                               "rocdl.workgroup.id.",
                                               "rocdl.workgroup.dim.",
                                               "rocdl.grid.dim.",
                                               "rocdl.cluster.id.",
                                               "xevm.group_id.",
                                               "xevm.local_size."};
  StringRef name = op->getName().getStringRef();
  if (llvm::any_of(prefixes,
                   [&](StringRef prefix) { return name.starts_with(prefix); }))
    return true;
  static constexpr StringLiteral dialects[] = {"affine", "arith", "complex",
                                               "index",  "math",  "vector"};
  return llvm::is_contained(dialects, op->getName().getDialectNamespace()) &&
         op->getNumOperands() != 0 && isMemoryEffectFree(op);
}

/// Return true if values flow into and out of the regions of `op` as
/// `Uniformity` knows it.
static bool isKnownRegionOp(Operation *op) {
  return isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp,
             scf::ExecuteRegionOp, affine::AffineForOp, affine::AffineIfOp,
             memref::AllocaScopeOp>(op);
}

bool buffer_merge::hasOneBlockEach(Operation *op) {
  return llvm::all_of(op->getRegions(), [](Region &region) {
    return region.empty() || llvm::hasSingleElement(region);
  });
}

SmallVector<Value> buffer_merge::getControl(Operation *op) {
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return {loop.getConditionOp().getCondition()};
  unsigned numControl = op->getNumOperands();
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    numControl -= loop.getInits().size();
  return SmallVector<Value>(op->getOperands().take_front(numControl));
}

static bool isDeclaredUniform(Value value) {
  if (Operation *op = value.getDefiningOp())
    return op->hasAttr(uniformAttrName);
  FunctionOpInterface function = getFunctionOfArgument(value);
  return function &&
         function.getArgAttr(cast<BlockArgument>(value).getArgNumber(),
                             uniformAttrName);
}

//===----------------------------------------------------------------------===//
// What barriers imply
//===----------------------------------------------------------------------===//

/// Return true if `op`, with regions, certainly executes one of `blocks`.
static bool certainlyExecutes(Operation *op,
                              const llvm::DenseSet<Block *> &blocks) {
  auto isIn = [&](Region &region) {
    return !region.empty() && blocks.contains(&region.front());
  };
  if (isa<scf::ExecuteRegionOp, memref::AllocaScopeOp, scf::IfOp,
          scf::IndexSwitchOp>(op))
    return llvm::all_of(op->getRegions(), isIn);
  if (isa<scf::WhileOp>(op))
    return isIn(op->getRegion(0));
  return isExecutedAtLeastOnce(op) && isIn(op->getRegion(0));
}

/// Find the branches and loops that threads cannot leave without meeting at a
/// barrier, except in one way. Of a loop that is mapped to threads each then
/// executes an iteration.
void Uniformity::findImplied() {
  llvm::DenseSet<Block *> withBarrier;
  rootOp->walk([&](Operation *op) {
    if (options.isWorkgroupBarrier(op) || endsWithBarrier(op, options))
      withBarrier.insert(op->getBlock());
    bool isOfThreads = getLoopMapping(op) == LoopMapping::Threads;
    if (op == rootOp || !(isKnownRegionOp(op) || isOfThreads) ||
        !hasOneBlockEach(op))
      return;
    bool isByThread = llvm::any_of(
        getControl(op), [&](Value value) { return !isUniform(value); });
    if (isByThread)
      return;
    if (certainlyExecutes(op, withBarrier))
      withBarrier.insert(op->getBlock());
    int64_t numWithout = llvm::count_if(op->getRegions(), [&](Region &region) {
      return region.empty() || !withBarrier.contains(&region.front());
    });
    bool isLoop = isa<LoopLikeOpInterface>(op);
    bool isImplied = isa<scf::WhileOp>(op) ? numWithout < 2
                     : isLoop              ? numWithout == 0
                                           : numWithout < 2;
    if ((isImplied && numWithout < op->getNumRegions()) ||
        (isOfThreads && isMutated("G11-together")))
      implied.insert(op);
  });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Return the memory that each thread has its own of, besides allocations.
static ArrayRef<BlockArgument> getPrivateAttributions(Operation *rootOp) {
  if (auto function = dyn_cast<gpu::GPUFuncOp>(rootOp))
    return function.getPrivateAttributions();
  if (auto launch = dyn_cast<gpu::LaunchOp>(rootOp))
    return launch.getPrivateAttributions();
  return {};
}

Uniformity::Uniformity(Region &kernel, const WorkgroupOptions &options)
    : kernel(kernel), options(options), numbers(findBlockSize(kernel), budget) {
  // What is outside of a launch is computed by the host, once for all threads.
  Region *root = &kernel;
  while (!isa<gpu::LaunchOp, FunctionOpInterface>(root->getParentOp()))
    root = root->getParentRegion();
  rootOp = root->getParentOp();
  runsAgain = root == &kernel && mayRunAgain(&kernel, options);
  RegionBranchSuccessorMapping forwarded;
  rootOp->walk([&](Operation *op) {
    if (op != rootOp && isKnownRegionOp(op))
      cast<RegionBranchOpInterface>(op).getSuccessorOperandInputMapping(
          forwarded);
  });
  for (const auto &[operand, targets] : forwarded)
    for (Value target : targets)
      sources[target].push_back(operand->get());
  findImplied();
  known.clear();
  isRest = true;
}

/// Return true if all threads compute one and the same number for `value`.
bool Uniformity::isOneNumber(Value value) const {
  // If no size is known, nothing is known of other threads than the first.
  if (numbers.getNumLanes() == 1)
    return false;
  const ThreadValues::Lanes &lanes = numbers.get(value);
  return lanes.areEqual();
}

/// Return true if `op` gives all threads of the workgroup the same value.
/// Return true if `op` names memory that all threads share, or makes a view of
/// its operand.
static bool isSharedMemRef(Operation *op, const WorkgroupOptions &options) {
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return options.isWorkgroupSpace(alloc.getType().getMemorySpace(),
                                    /*isInDeviceCode=*/true);
  if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
    // Each thread has a private one of its own.
    auto ofThread = parseMemorySpaces("private", op->getContext());
    return !ofThread->contains(global.getType().getMemorySpace(),
                               /*isInDeviceCode=*/true);
  }
  return isa<gpu::DynamicSharedMemoryOp>(op) ||
         (isa<ViewLikeOpInterface>(op) && isMemoryEffectFree(op));
}

/// Return true if threads of the root may have different values of `argument`.
bool Uniformity::isDivergentArgument(BlockArgument argument) const {
  if (llvm::is_contained(getPrivateAttributions(rootOp), argument))
    return true;
  if (isa<gpu::LaunchOp>(rootOp))
    return ThreadValues::getThreadDimension(argument).has_value();
  // It may be called by threads with arguments of their own.
  return runsAgain && isRest;
}

/// Add to `needed` the values that threads must agree on to agree on `value`;
/// return false if they do not agree anyway.
bool Uniformity::visit(Value value, SmallVectorImpl<Value> &needed) const {
  if (isDeclaredUniform(value) || isOneNumber(value))
    return true;
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *op = value.getParentBlock()->getParentOp();
  if (!argument)
    op = value.getDefiningOp();
  else if (op == rootOp)
    return !isDivergentArgument(argument);
  // The iterations of the kernel itself are workgroups.
  if (op == kernel.getParentOp() || !rootOp->isProperAncestor(op) ||
      isa<gpu::AllReduceOp>(op))
    return true;
  if (op->getNumRegions() == 0) {
    llvm::append_range(needed, op->getOperands());
    // What the ids of threads make of it depends on the address alone.
    if (isa<memref::LoadOp, affine::AffineLoadOp>(op))
      return !isRest || isMutated("G3-loads");
    return isSharedMemRef(op, options) || preservesUniformity(op);
  }
  if (!isKnownRegionOp(op) || !hasOneBlockEach(op))
    return false;
  llvm::append_range(needed, sources.lookup(value));
  // Threads that leave a loop at different times have seen different
  // iterations.
  if (!implied.contains(op)) {
    llvm::append_range(needed, getControl(op));
    return true;
  }
  // They do not, but may count from different numbers.
  if (auto loop = dyn_cast<affine::AffineForOp>(op);
      loop && value == loop.getInductionVar())
    llvm::append_range(needed, loop.getLowerBoundOperands());
  if (auto loop = dyn_cast<scf::ForOp>(op);
      loop && value == loop.getInductionVar())
    needed.append({loop.getLowerBound(), loop.getStep()});
  return true;
}

bool Uniformity::isUniform(Value value) const {
  // Each value that is needed, and one that needs it.
  llvm::MapVector<Value, Value> users;
  users.insert({value, Value()});
  SmallVector<Value> needed;
  for (unsigned i = 0; i < users.size(); ++i) {
    Value next = users.begin()[i].first;
    auto it = known.find(next);
    bool isKnown = it != known.end();
    needed.clear();
    if (isKnown ? it->second : visit(next, needed)) {
      for (Value other : needed)
        users.insert({other, next});
      continue;
    }
    for (; next; next = users.lookup(next))
      known[next] = false;
    return false;
  }
  // A value that is carried around a loop is uniform if it is assumed to be.
  for (Value next : llvm::make_first_range(users))
    known[next] = true;
  return true;
}

bool Uniformity::isUniformRegionOp(Operation *op) const {
  if (implied.contains(op))
    return true;
  return isKnownRegionOp(op) && hasOneBlockEach(op) &&
         llvm::all_of(getControl(op),
                      [&](Value value) { return isUniform(value); });
}
