//===- Interpretation of control flow ------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

//===----------------------------------------------------------------------===//
// Regions that run once, or in sequence
//===----------------------------------------------------------------------===//

/// Run region `region` once, or skip the operation if the region is empty.
static void enterOnce(Machine &m, Activation &a, const Instruction &i,
                      unsigned region) {
  if (!i.blocks[region])
    return;
  m.enter(a, i);
  m.jump(a, i.blocks[region], {});
}

static void handleOnce(Machine &m, Task &, Activation &a,
                       const Instruction &i) {
  enterOnce(m, a, i, 0);
}

static void handleIf(Machine &m, Task &, Activation &a, const Instruction &i) {
  enterOnce(m, a, i, m.integer(a, i, 0) ? 0 : 1);
}

static void handleAffineIf(Machine &m, Task &, Activation &a,
                           const Instruction &i) {
  SmallVector<int64_t, 4> operands;
  for (unsigned k = 0; k < i.numOperands; ++k)
    operands.push_back(m.integer(a, i, k));
  bool holds =
      evaluateSet(cast<affine::AffineIfOp>(i.op).getIntegerSet(), operands);
  enterOnce(m, a, i, holds ? 0 : 1);
}

static void handleIndexSwitch(Machine &m, Task &, Activation &a,
                              const Instruction &i) {
  // Region 0 is the default.
  unsigned region = 0;
  ArrayRef<int64_t> cases = cast<scf::IndexSwitchOp>(i.op).getCases();
  for (auto [k, value] : llvm::enumerate(cases))
    if (m.integer(a, i, 0) == value)
      region = k + 1;
  enterOnce(m, a, i, region);
}

static void startLoop(Machine &m, Activation &a, const Instruction &i,
                      int64_t lower, int64_t upper, int64_t step,
                      ArrayRef<Val> inits) {
  RegionEntry &entry = m.enter(a, i);
  if (step <= 0)
    m.fail("loop step is not positive");
  if (lower >= upper || step <= 0)
    return m.leave(a, inits);
  entry.iv = lower;
  entry.upper = upper;
  entry.step = step;
  SmallVector<Val, 8> arguments = {makeVal(lower)};
  llvm::append_range(arguments, inits);
  m.jump(a, i.blocks[0], arguments);
}

static void handleFor(Machine &m, Task &, Activation &a, const Instruction &i) {
  startLoop(m, a, i, m.integer(a, i, 0), m.integer(a, i, 1), m.integer(a, i, 2),
            m.getOperands(a, i, 3));
}

static void handleAffineFor(Machine &m, Task &, Activation &a,
                            const Instruction &i) {
  auto op = cast<affine::AffineForOp>(i.op);
  auto getInts = [&](ValueRange values, unsigned first) {
    SmallVector<int64_t, 4> ints;
    for (unsigned k = 0; k < values.size(); ++k)
      ints.push_back(m.integer(a, i, first + k));
    return ints;
  };
  unsigned numLower = op.getLowerBoundOperands().size();
  unsigned numUpper = op.getUpperBoundOperands().size();
  auto lower = evaluateMap(op.getLowerBoundMap(),
                           getInts(op.getLowerBoundOperands(), 0));
  auto upper = evaluateMap(op.getUpperBoundMap(),
                           getInts(op.getUpperBoundOperands(), numLower));
  startLoop(m, a, i, *llvm::max_element(lower), *llvm::min_element(upper),
            op.getStepAsInt(), m.getOperands(a, i, numLower + numUpper));
}

static void handleWhile(Machine &m, Task &, Activation &a,
                        const Instruction &i) {
  m.enter(a, i);
  m.jump(a, i.blocks[0], m.getOperands(a, i));
}

static void handleCondition(Machine &m, Task &, Activation &a,
                            const Instruction &i) {
  SmallVector<Val, 8> values = m.getOperands(a, i, 1);
  if (m.integer(a, i, 0))
    return m.jump(a, a.regions.back().instruction->blocks[1], values);
  m.leave(a, values);
}

//===----------------------------------------------------------------------===//
// Parallel loops
//===----------------------------------------------------------------------===//

/// Start one task for every point of a grid.
static void startGrid(Machine &m, Task &task, Activation &a,
                      const Instruction &i, ArrayRef<int64_t> lower,
                      ArrayRef<int64_t> upper, ArrayRef<int64_t> step) {
  Descriptor grid;
  grid.rank = lower.size();
  if (grid.rank > Descriptor::maxRank)
    return m.fail("parallel loop with too many dimensions");
  for (unsigned dim = 0; dim < grid.rank; ++dim) {
    if (step[dim] <= 0)
      return m.fail("loop step is not positive");
    int64_t range = upper[dim] - lower[dim];
    grid.sizes[dim] = range <= 0 ? 0 : (range + step[dim] - 1) / step[dim];
  }
  SmallVector<Task *> children;
  forEachIndex(grid, [&](ArrayRef<int64_t> point) {
    Task *child = m.fork(task, a, i, i.blocks[0]);
    SmallVector<Val, 4> ivs;
    for (unsigned dim = 0; dim < grid.rank; ++dim)
      ivs.push_back(makeVal(lower[dim] + point[dim] * step[dim]));
    m.jump(*child->stack.back(), i.blocks[0], ivs);
    children.push_back(child);
  });
  task.children.assign(children.begin(), children.end());
  m.start(children, /*parallel=*/true);
}

static void handleParallel(Machine &m, Task &task, Activation &a,
                           const Instruction &i) {
  auto op = cast<scf::ParallelOp>(i.op);
  unsigned rank = op.getNumLoops();
  // The first execution starts the iterations; the position stays here, so
  // that a second one reduces when all of them are done.
  if (a.reducing == &i) {
    a.reducing = nullptr;
    SmallVector<Val, 8> values = m.getOperands(a, i, 3 * rank);
    if (!values.empty()) {
      const Instruction &reduce = i.blocks[0]->instructions.back();
      for (Task *child : a.reductions)
        for (unsigned k = 0; k < values.size(); ++k)
          values[k] = m.evaluate(task, a, reduce.blocks[k],
                                 {values[k], child->yielded[k]})[0];
    }
    for (unsigned k = 0; k < i.numResults; ++k)
      m.result(a, i, k) = values[k];
    return;
  }
  SmallVector<int64_t, 4> lower, upper, step;
  for (unsigned dim = 0; dim < rank; ++dim) {
    lower.push_back(m.integer(a, i, dim));
    upper.push_back(m.integer(a, i, rank + dim));
    step.push_back(m.integer(a, i, 2 * rank + dim));
  }
  startGrid(m, task, a, i, lower, upper, step);
  a.reducing = &i;
  a.reductions = task.children;
  --a.position;
}

static void handleForall(Machine &m, Task &task, Activation &a,
                         const Instruction &i) {
  auto op = cast<scf::ForallOp>(i.op);
  unsigned next = 0;
  auto resolve = [&](ArrayRef<int64_t> statics) {
    SmallVector<int64_t, 4> values;
    for (int64_t value : statics)
      values.push_back(ShapedType::isDynamic(value) ? m.integer(a, i, next++)
                                                    : value);
    return values;
  };
  auto lower = resolve(op.getStaticLowerBound());
  auto upper = resolve(op.getStaticUpperBound());
  auto step = resolve(op.getStaticStep());
  startGrid(m, task, a, i, lower, upper, step);
}

static void handleAffineParallel(Machine &m, Task &task, Activation &a,
                                 const Instruction &i) {
  auto op = cast<affine::AffineParallelOp>(i.op);
  SmallVector<int64_t, 4> lower, upper, step;
  for (unsigned dim = 0; dim < op.getNumDims(); ++dim) {
    AffineMap lowerMap = op.getLowerBoundMap(dim);
    AffineMap upperMap = op.getUpperBoundMap(dim);
    if (!lowerMap.isConstant() || !upperMap.isConstant() ||
        op.getNumResults() != 0)
      return m.fail("affine.parallel of this form is not known");
    lower.push_back(lowerMap.getSingleConstantResult());
    upper.push_back(upperMap.getSingleConstantResult());
  }
  llvm::append_range(step, op.getSteps());
  startGrid(m, task, a, i, lower, upper, step);
}

//===----------------------------------------------------------------------===//
// Terminators
//===----------------------------------------------------------------------===//

static void handleYield(Machine &m, Task &task, Activation &a,
                        const Instruction &i) {
  RegionEntry &entry = a.regions.back();
  Operation *op = entry.instruction->op;
  if (!entry.block)
    return m.finishTask(task, a, m.getOperands(a, i));
  SmallVector<Val, 8> values = m.getOperands(a, i);
  if (isa<scf::WhileOp>(op))
    return m.jump(a, entry.instruction->blocks[0], values);
  if (entry.step != 0) {
    entry.iv += entry.step;
    if (entry.iv < entry.upper) {
      values.insert(values.begin(), makeVal(entry.iv));
      return m.jump(a, entry.instruction->blocks[0], values);
    }
  }
  m.leave(a, values);
}

static void handleBranch(Machine &m, Activation &a, const Instruction &i,
                         unsigned successor) {
  auto [first, count] = i.successorOperands[successor];
  SmallVector<Val, 8> values = m.getOperands(a, i, first, count);
  m.jump(a, i.blocks[i.numRegions + successor], values);
}

static void handleBr(Machine &m, Task &, Activation &a, const Instruction &i) {
  handleBranch(m, a, i, 0);
}

static void handleCondBr(Machine &m, Task &, Activation &a,
                         const Instruction &i) {
  handleBranch(m, a, i, m.integer(a, i, 0) ? 0 : 1);
}

void buffer_merge::fuzz::handleSwitch(Machine &m, Task &, Activation &a,
                                      const Instruction &i) {
  auto cases = isa<cf::SwitchOp>(i.op)
                   ? cast<cf::SwitchOp>(i.op).getCaseValues()
                   : cast<LLVM::SwitchOp>(i.op).getCaseValues();
  unsigned successor = 0;
  if (cases)
    for (auto [k, value] : llvm::enumerate(cases->getValues<APInt>()))
      if (value.getZExtValue() == uint64_t(m.integer(a, i, 0)))
        successor = k + 1;
  handleBranch(m, a, i, successor);
}

static void handleAssert(Machine &m, Task &, Activation &a,
                         const Instruction &i) {
  if (!m.integer(a, i, 0))
    m.fail("assertion");
}

int64_t buffer_merge::fuzz::getInput(int64_t value) {
  uint64_t bits = uint64_t(value) * 0x9E3779B97F4A7C15u;
  return int64_t((bits ^ (bits >> 29)) & 0xFFFF);
}

static void handleCall(Machine &m, Task &task, Activation &a,
                       const Instruction &i) {
  constexpr size_t maxDepth = 64;
  Function *callee = i.callee;
  if (!callee->entry) {
    StringRef name = SymbolTable::getSymbolName(callee->op).getValue();
    if (name == "use_i64")
      m.trace.push_back(m.integer(a, i, 0));
    else if (name == "input_i64")
      m.result(a, i).word[0] = getInput(m.integer(a, i, 0));
    else if (Handler handler = getRuntimeFunction(name))
      handler(m, task, a, i);
    else
      m.fail("call of unknown @" + name);
    return;
  }
  if (task.stack.size() > maxDepth)
    return m.fail("recursion is too deep");
  task.stack.push_back(m.makeActivation(callee, m.getOperands(a, i)));
  task.stack.back()->call = &i;
}

static void handleReturn(Machine &m, Task &task, Activation &a,
                         const Instruction &i) {
  SmallVector<Val, 8> values = m.getOperands(a, i);
  const Instruction *call = a.call;
  a.releaseStack(0);
  task.stack.pop_back();
  if (task.stack.empty()) {
    task.done = true;
    return;
  }
  Activation &caller = *task.stack.back();
  for (unsigned k = 0; k < call->numResults; ++k)
    m.result(caller, *call, k) = values[k];
}

void buffer_merge::fuzz::addControlFlowHandlers(HandlerMap &map) {
  addHandler<scf::ExecuteRegionOp>(map, handleOnce);
  addHandler<memref::AllocaScopeOp>(map, handleOnce);
  addHandler<scf::IfOp>(map, handleIf);
  addHandler<affine::AffineIfOp>(map, handleAffineIf);
  addHandler<scf::IndexSwitchOp>(map, handleIndexSwitch);
  addHandler<scf::ForOp>(map, handleFor);
  addHandler<affine::AffineForOp>(map, handleAffineFor);
  addHandler<scf::WhileOp>(map, handleWhile);
  addHandler<scf::ConditionOp>(map, handleCondition);
  addHandler<scf::ParallelOp>(map, handleParallel);
  addHandler<scf::ForallOp>(map, handleForall);
  addHandler<affine::AffineParallelOp>(map, handleAffineParallel);
  addHandler<scf::YieldOp>(map, handleYield);
  addHandler<affine::AffineYieldOp>(map, handleYield);
  addHandler<memref::AllocaScopeReturnOp>(map, handleYield);
  addHandler<scf::ReduceOp>(map, handleYield);
  addHandler<scf::ReduceReturnOp>(map, handleYield);
  addHandler<scf::InParallelOp>(map, handleYield);
  addHandler<cf::BranchOp>(map, handleBr);
  addHandler<cf::CondBranchOp>(map, handleCondBr);
  addHandler<cf::SwitchOp>(map, handleSwitch);
  addHandler<LLVM::BrOp>(map, handleBr);
  addHandler<LLVM::CondBrOp>(map, handleCondBr);
  addHandler<cf::AssertOp>(map, handleAssert);
  addHandler<func::CallOp>(map, handleCall);
  addHandler<func::ReturnOp>(map, handleReturn);
}
