//===- UnshareEmptyTensorsPass.cpp - The unshare-empty-tensors pass -------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassOptions.h"
#include "buffer-merge/Transforms/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace buffer_merge {
#define GEN_PASS_DEF_UNSHAREEMPTYTENSORSPASS
#include "buffer-merge/Transforms/Passes.h.inc"
} // namespace buffer_merge

using namespace mlir;
using namespace buffer_merge;

namespace {
/// The `tensor.empty` of operations that may work in place of each other, one
/// after the other, by the last of them and the shared one.
using Chains = llvm::DenseMap<std::pair<Operation *, Operation *>, Value>;

/// By each value that is a later version of another one, the operation that
/// has computed the first version.
using Versions = llvm::DenseMap<Value, Operation *>;
} // namespace

/// Return the operation that has computed the first version of `value`, which
/// the others overwrite: a fill, for example, of the result of a product.
static Operation *getFirstVersion(const Versions &versions, Value value) {
  auto it = versions.find(value);
  return it != versions.end() ? it->second : value.getDefiningOp();
}

/// Add the results of `op` that overwrite what nothing else needs.
static void addVersions(Versions &versions, DestinationStyleOpInterface op) {
  for (OpResult result : op->getResults()) {
    Value init = op.getTiedOpOperand(result)->get();
    if (init.hasOneUse() && !init.getDefiningOp<tensor::EmptyOp>())
      versions[result] = getFirstVersion(versions, init);
  }
}

/// Return the `tensor.empty` in place of `empty` of the operation whose result
/// `op` is the last to read, and take the chain that it is the last one of out
/// of `chains`. Return null if there is none.
static Value takeChain(Chains &chains, const Versions &versions, Operation *op,
                       Operation *empty) {
  Block *block = op->getBlock();
  auto isNotAfter = [&](Operation *user) {
    Operation *ancestor = block->findAncestorOpInBlock(*user);
    return ancestor && !op->isBeforeInBlock(ancestor);
  };
  for (Value operand : op->getOperands()) {
    auto it = chains.find({getFirstVersion(versions, operand), empty});
    if (it == chains.end() || it->first.first->getBlock() != block ||
        !llvm::all_of(operand.getUsers(), isNotAfter))
      continue;
    Value own = it->second;
    chains.erase(it);
    return own;
  }
  return {};
}

namespace {
struct UnshareEmptyTensorsPass
    : public OptionsPass<buffer_merge::impl::UnshareEmptyTensorsPassBase<
          UnshareEmptyTensorsPass>> {
  using OptionsPass::OptionsPass;

  void runOnOperation() override {
    unsigned count = 0;
    SmallVector<OpOperand *> uses;
    Versions versions;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto dpsOp = dyn_cast<DestinationStyleOpInterface>(op))
        addVersions(versions, dpsOp);
      for (OpOperand &operand : op->getOpOperands())
        if (auto empty = operand.get().getDefiningOp<tensor::EmptyOp>();
            empty && !empty->hasOneUse())
          uses.push_back(&operand);
    });
    Chains chains;
    llvm::SetVector<Operation *> shared;
    for (OpOperand *use : uses) {
      Operation *op = use->getOwner(), *empty = use->get().getDefiningOp();
      shared.insert(empty);
      Value own = takeChain(chains, versions, op, empty);
      if (!own) {
        // Where it is used: bufferization allocates there.
        own = OpBuilder(op).clone(*empty)->getResult(0);
        ++count;
      }
      use->set(own);
      chains[{op, empty}] = own;
    }
    for (Operation *empty : shared)
      empty->erase();
    numMade = count;
    if (uses.empty())
      markAllAnalysesPreserved();
  }
};
} // namespace
