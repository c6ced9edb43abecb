//===- GeneratorLent.cpp - Arguments that callers lend --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions with one argument that is donated and one that is an output, and
// calls that keep what the attributes promise: both are buffers that nothing
// else uses meanwhile, and what was in the donated one is never read again. The
// interpreter forgets it when the function returns, in every program.
//
// Private ones may have no attributes: then calls may pass one buffer as both,
// and functions without attributes pass their arguments on to others.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

/// What the address of a lent argument is a multiple of, if that is promised.
static constexpr int64_t promisedAlignment = 64;

MemVal Generator::makeAligned(MemRefType type) {
  MemVal mem = makeFilled(type);
  if (!random.chance(30))
    return mem;
  // More than what callers that do not say it have.
  int64_t &alignment = roots[mem.roots[0]].alignment;
  alignment = std::max(alignment, promisedAlignment);
  mem.value.getDefiningOp<memref::AllocOp>().setAlignment(alignment);
  return mem;
}

void Generator::genLentFunction(unsigned number) {
  LentCallee callee;
  callee.donated = palette[random.below(palette.size())];
  callee.output = random.chance(60) ? callee.donated
                                    : palette[random.below(palette.size())];
  b.setInsertionPointToEnd(module->getBody());
  Type i64 = b.getI64Type();
  auto funcOp = make<func::FuncOp>(
      "lent" + std::to_string(number),
      b.getFunctionType({i64, callee.donated, callee.output}, {i64}));
  callee.op = funcOp;
  callee.isPromised = random.chance(50);
  if (!callee.isPromised || random.chance(50))
    funcOp.setPrivate();
  if (callee.isPromised) {
    funcOp.setArgAttr(1, "buffer_merge.donated", b.getUnitAttr());
    funcOp.setArgAttr(2, "buffer_merge.output", b.getUnitAttr());
    for (unsigned k : {1, 2})
      if (random.chance(60))
        funcOp.setArgAttr(k, "llvm.align",
                          b.getI64IntegerAttr(promisedAlignment));
  }

  Block *entry = funcOp.addEntryBlock();
  beginCallee(entry);
  prints = false;
  int donated = addRoot(-1), output = addRoot(-1);
  addMem(entry->getArgument(1), donated);
  // Buffers before the output is written, and after the last use of what is
  // donated.
  MemVal early = makeAligned(callee.output);
  genStatements(random.range(0, 2));
  if (canRead(early))
    read(early, /*all=*/true);
  scope.mems.push_back(makeUnwritten(entry->getArgument(2), output));
  MemVal written = scope.mems.back();
  const LentCallee *inner = pickInner(callee);
  if (inner && random.chance(50)) {
    auto call = make<func::CallOp>(
        cast<func::FuncOp>(inner->op),
        ValueRange({pickInt(), entry->getArgument(1), entry->getArgument(2)}));
    accumulate(call.getResult(0));
    setWritten(written);
  } else if (random.chance(60)) {
    Value element = toElement(callee.output.getElementType(), pickInt());
    make<linalg::FillOp>(ValueRange(element), ValueRange(written.value));
    setWritten(written);
  } else {
    fill(written);
  }
  if (random.chance(70))
    forget(donated);
  MemVal late = makeAligned(callee.donated);
  genStatements(random.range(0, 2));
  if (canRead(late))
    read(late, /*all=*/true);
  Yields yields = genBody(random.range(0, 2), {});
  make<func::ReturnOp>(yields.values);
  lentCallees.push_back(callee);
}

const LentCallee *Generator::pickInner(const LentCallee &outer) {
  if (outer.isPromised)
    return nullptr;
  for (const LentCallee &callee : lentCallees)
    if (!callee.isPromised && callee.donated == outer.donated &&
        callee.output == outer.output)
      return &callee;
  return nullptr;
}

void Generator::genLentCall() {
  if (lentCallees.empty() || position.work > 24)
    return genTemporary();
  const LentCallee &callee = lentCallees[random.below(lentCallees.size())];
  MemVal donated = makeFilled(callee.donated);
  bool isSame = !callee.isPromised && callee.donated == callee.output &&
                random.chance(30);
  MemVal output = isSame ? donated : allocate(callee.output);
  for (const MemVal &mem : {donated, output}) {
    if (!callee.isPromised && random.chance(30))
      continue;
    roots[mem.roots[0]].alignment =
        std::max(roots[mem.roots[0]].alignment, promisedAlignment);
    mem.value.getDefiningOp<memref::AllocOp>().setAlignment(
        roots[mem.roots[0]].alignment);
  }
  record(donated, /*write=*/true);
  record(output, /*write=*/true);
  auto call =
      make<func::CallOp>(cast<func::FuncOp>(callee.op),
                         ValueRange({pickInt(), donated.value, output.value}));
  accumulate(call.getResult(0));
  setWritten(output);
  if (callee.isPromised)
    scope.written[donated.state] = false;
  if (random.chance(50))
    fill(donated);
  read(output, /*all=*/true);
}
