//===- Interpretation of linalg on memrefs --------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

void IterationCheck::read(Memory &memory, const Descriptor &memref,
                          ArrayRef<int64_t> indices, unsigned bytes,
                          int64_t iteration) {
  int64_t byte = memory.locate(memref, indices, bytes);
  for (unsigned k = 0; byte >= 0 && k < bytes; ++k) {
    auto [it, isNew] =
        readers.try_emplace({memref.allocation, byte + k}, iteration);
    if (it->second != iteration)
      it->second = -1;
  }
}

void IterationCheck::write(Memory &memory, const Descriptor &memref,
                           ArrayRef<int64_t> indices, unsigned bytes,
                           int64_t iteration) {
  int64_t byte = memory.locate(memref, indices, bytes);
  for (unsigned k = 0; byte >= 0 && k < bytes; ++k) {
    auto it = readers.find({memref.allocation, byte + k});
    if (it != readers.end() && it->second != iteration)
      memory.fail("one iteration writes byte " + Twine(byte + k) + " of " +
                  memory.getInstance(memref.instance).name +
                  " and another one reads it");
  }
}

namespace {
/// One execution of an operation.
class Nest {
public:
  explicit Nest(Step &s)
      : s(s), m(s.m), op(cast<linalg::LinalgOp>(s.i.op)),
        maps(op.getIndexingMapsArray()) {
    for (OpOperand &operand : op->getOpOperands())
      memrefs.push_back(isa<MemRefType>(operand.get().getType())
                            ? &s.memref(operand.getOperandNumber())
                            : nullptr);
  }

  /// Find out how often each loop runs. Returns false after a failure.
  bool computeExtents();
  void checkIterations();
  void run();

private:
  SmallVector<int64_t, 4> getIndices(unsigned operand,
                                     ArrayRef<int64_t> iteration) {
    return evaluateMap(maps[operand], iteration);
  }

  Step &s;
  Machine &m;
  linalg::LinalgOp op;
  SmallVector<AffineMap> maps;
  SmallVector<Descriptor *, 4> memrefs;
  /// The iterations, as indices of a memref that has one element for each.
  Descriptor loops;
};
} // namespace

bool Nest::computeExtents() {
  loops.rank = op.getNumLoops();
  if (loops.rank > Descriptor::maxRank) {
    m.fail("too many loops");
    return false;
  }
  std::fill_n(loops.sizes, loops.rank, -1);
  for (auto [map, memref] : llvm::zip(maps, memrefs)) {
    for (unsigned dim = 0; memref && dim < memref->rank; ++dim) {
      auto loop = dyn_cast<AffineDimExpr>(map.getResult(dim));
      if (!loop)
        continue;
      int64_t &extent = loops.sizes[loop.getPosition()];
      if (extent >= 0 && extent != memref->sizes[dim])
        m.fail("operands of different shapes");
      extent = memref->sizes[dim];
    }
  }
  if (llvm::any_of(ArrayRef(loops.sizes, loops.rank),
                   [](int64_t extent) { return extent < 0; }))
    m.fail("a loop of which no operand knows the extent");
  return !m.memory.hasFailed();
}

void Nest::checkIterations() {
  IterationCheck check;
  auto forEachOperand = [&](bool isWritten, auto fn) {
    int64_t number = 0;
    forEachIndex(loops, [&](ArrayRef<int64_t> iteration) {
      for (OpOperand &operand : op->getOpOperands()) {
        unsigned k = operand.getOperandNumber();
        if (memrefs[k] && op.isDpsInit(&operand) == isWritten)
          fn(*memrefs[k], getIndices(k, iteration), number);
      }
      ++number;
    });
  };
  forEachOperand(false, [&](const Descriptor &memref, ArrayRef<int64_t> indices,
                            int64_t number) {
    check.read(m.memory, memref, indices, memref.elementBytes, number);
  });
  forEachOperand(true, [&](const Descriptor &memref, ArrayRef<int64_t> indices,
                           int64_t number) {
    check.write(m.memory, memref, indices, memref.elementBytes, number);
  });
}

void Nest::run() {
  Block &body = *op.getBlock();
  forEachIndex(loops, [&](ArrayRef<int64_t> iteration) {
    ++m.steps;
    SmallVector<Val, 4> values;
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned k = operand.getOperandNumber();
      bool isUsed =
          k < body.getNumArguments() && !body.getArgument(k).use_empty();
      if (!memrefs[k])
        values.push_back(s.operand(k));
      else if (isUsed)
        values.push_back(m.memory.read(*memrefs[k], getIndices(k, iteration),
                                       memrefs[k]->elementBytes));
      else
        values.emplace_back();
    }
    SmallVector<Val, 2> results = s.evaluate(s.i.blocks[0], values);
    for (auto [operand, value] : llvm::zip(op.getDpsInitsMutable(), results)) {
      unsigned k = operand.getOperandNumber();
      m.memory.write(*memrefs[k], getIndices(k, iteration),
                     memrefs[k]->elementBytes, value);
    }
  });
}

/// Execute the iterations in order, each of which reads what it needs, computes
/// and writes. Elements take as many bytes as they have in memory: types for
/// which that is not so are not known.
static void handleLinalg(Step &s) {
  Nest nest(s);
  if (s.m.memory.hasFailed() || !nest.computeExtents())
    return;
  nest.checkIterations();
  nest.run();
}

void buffer_merge::fuzz::addLinalgHandlers(HandlerMap &map) {
  addHandler<linalg::CopyOp>(map, handleCopy);
  addHandler<linalg::FillOp>(map, handleFill);
  addHandler<linalg::GenericOp, linalg::MapOp, linalg::AddOp,
             linalg::TransposeOp, linalg::BroadcastOp, linalg::MatmulOp,
             linalg::ContractOp>(map, handleLinalg);
  addHandler<linalg::YieldOp>(map, handleNothing);
}
