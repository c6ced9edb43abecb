//===- Uniformity.cpp - What threads of a workgroup agree on -------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values are uniform until they are found not to be (an optimistic analysis),
// because a value that is carried around a loop is uniform only if it is
// assumed to be.
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Analysis/Uniformity.h"
#include "Mutation.h"
#include "buffer-merge/Analysis/WorkgroupMemory.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

/// Return true if `op` computes the same in all threads from the same operands.
static bool preservesUniformity(Operation *op) {
  // Each thread may see another value in place of a poison.
  if (op->hasTrait<OpTrait::ConstantLike>())
    return op->getName().getDialectNamespace() != "ub";
  if (isa<gpu::BlockIdOp, gpu::BlockDimOp, gpu::GridDimOp, gpu::NumSubgroupsOp,
          gpu::SubgroupSizeOp, memref::DimOp>(op))
    return true;
  StringRef name = op->getName().getStringRef();
  if (name.starts_with("nvvm.read.ptx.sreg.ctaid.") ||
      name.starts_with("nvvm.read.ptx.sreg.nctaid.") ||
      name.starts_with("nvvm.read.ptx.sreg.ntid.") ||
      name.starts_with("rocdl.workgroup.id."))
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

Uniformity::Uniformity(Region &kernel) {
  // What is outside of a launch is computed by the host, once for all threads.
  Region *root = &kernel;
  while (!isa<gpu::LaunchOp, FunctionOpInterface>(root->getParentOp()))
    root = root->getParentRegion();
  Operation *rootOp = root->getParentOp();
  if (auto launch = dyn_cast<gpu::LaunchOp>(rootOp)) {
    gpu::KernelDim3 ids = launch.getThreadIds();
    for (Value id : {ids.x, ids.y, ids.z})
      if (!isMutated("G3-thread-ids-of-launch"))
        taint(id);
  } else if (root == &kernel && mayRunAgain(&kernel)) {
    // It may be called by threads with arguments of their own.
    for (Value argument : root->getArguments())
      if (!isMutated("G3-arguments-are-uniform"))
        taint(argument);
  }
  rootOp->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != rootOp)
      seed(op, kernel);
  });
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (OpOperand &use : value.getUses())
      propagate(use);
  }
}

void Uniformity::taint(Value value) {
  if (divergent.insert(value).second)
    worklist.push_back(value);
}

void Uniformity::taintAll(Operation *op) {
  for (Value result : op->getResults())
    taint(result);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Value argument : block.getArguments())
        taint(argument);
}

void Uniformity::seed(Operation *op, Region &kernel) {
  if (op->getNumRegions() == 0) {
    if (isMutated("G3-loads-are-uniform") ? isa<gpu::ThreadIdOp>(op)
                                          : !preservesUniformity(op))
      taintAll(op);
    return;
  }
  // The iterations of the kernel itself are workgroups.
  if (op == kernel.getParentOp())
    return;
  bool hasOneBlockEach = llvm::all_of(op->getRegions(), [](Region &region) {
    return region.empty() || llvm::hasSingleElement(region);
  });
  if (!isKnownRegionOp(op) || !hasOneBlockEach)
    return taintAll(op);
  cast<RegionBranchOpInterface>(op).getSuccessorOperandInputMapping(forwarded);
}

void Uniformity::propagate(OpOperand &use) {
  if (auto it = forwarded.find(&use); it != forwarded.end()) {
    for (Value target : it->second)
      if (isa<OpResult>(target) || !isMutated("G3-carried-is-uniform"))
        taint(target);
    return;
  }
  // What a region operation or its terminator does not hand on decides what
  // runs next, and how often: threads that leave a loop at different times have
  // seen different iterations. Blocks are tainted already.
  Operation *op = use.getOwner();
  if (op->hasTrait<OpTrait::IsTerminator>())
    op = op->getParentOp();
  else if (op->getNumRegions() == 0)
    return taintAll(op);
  if (isKnownRegionOp(op))
    taintAll(op);
}

bool Uniformity::isUniformRegionOp(Operation *op) const {
  if (!isKnownRegionOp(op))
    return false;
  for (Region &region : op->getRegions())
    if (!region.empty() && !llvm::hasSingleElement(region))
      return false;
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return isUniform(loop.getConditionOp().getCondition());
  unsigned numControl = op->getNumOperands();
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    numControl -= loop.getInits().size();
  return llvm::all_of(op->getOperands().take_front(numControl),
                      [&](Value operand) { return isUniform(operand); });
}
