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
static void enterOnce(Step &s, unsigned region) {
  if (!s.i.blocks[region])
    return;
  s.enter();
  s.jump(s.i.blocks[region], {});
}

static void handleOnce(Step &s) { enterOnce(s, 0); }

static void handleIf(Step &s) { enterOnce(s, s.integer(0) ? 0 : 1); }

static void handleAffineIf(Step &s) {
  IntegerSet set = cast<affine::AffineIfOp>(s.i.op).getIntegerSet();
  bool holds = evaluateSet(set, s.getIntegers());
  enterOnce(s, holds ? 0 : 1);
}

static void handleIndexSwitch(Step &s) {
  // Region 0 is the default.
  unsigned region = 0;
  ArrayRef<int64_t> cases = cast<scf::IndexSwitchOp>(s.i.op).getCases();
  for (auto [k, value] : llvm::enumerate(cases))
    if (s.integer(0) == value)
      region = k + 1;
  enterOnce(s, region);
}

/// Return the number of iterations that a loop counts as run at least: with
/// buffers that it carries, it holds what two iterations have allocated.
static int64_t getLeastIterations(Operation *loop) {
  return llvm::any_of(loop->getResultTypes(), llvm::IsaPred<BaseMemRefType>)
             ? 2
             : 1;
}

static void startLoop(Step &s, int64_t lower, int64_t upper, int64_t step,
                      ArrayRef<Val> inits) {
  RegionEntry &entry = s.enter();
  if (step <= 0)
    s.fail("loop step is not positive");
  s.m.skipsLoop |= lower + (getLeastIterations(s.i.op) - 1) * step >= upper;
  if (lower >= upper || step <= 0)
    return s.leave(inits);
  entry.iv = lower;
  entry.upper = upper;
  entry.step = step;
  SmallVector<Val, 8> arguments = {makeVal(lower)};
  llvm::append_range(arguments, inits);
  s.jump(s.i.blocks[0], arguments);
}

static void handleFor(Step &s) {
  startLoop(s, s.integer(0), s.integer(1), s.integer(2), s.getOperands(3));
}

static void handleAffineFor(Step &s) {
  auto op = cast<affine::AffineForOp>(s.i.op);
  unsigned numLower = op.getLowerBoundOperands().size();
  unsigned numUpper = op.getUpperBoundOperands().size();
  auto lower = evaluateMap(op.getLowerBoundMap(), s.getIntegers(0, numLower));
  auto upper =
      evaluateMap(op.getUpperBoundMap(), s.getIntegers(numLower, numUpper));
  startLoop(s, *llvm::max_element(lower), *llvm::min_element(upper),
            op.getStepAsInt(), s.getOperands(numLower + numUpper));
}

static void handleWhile(Step &s) {
  s.enter();
  s.jump(s.i.blocks[0], s.getOperands());
}

static void handleCondition(Step &s) {
  SmallVector<Val, 8> values = s.getOperands(1);
  RegionEntry &entry = s.a.regions.back();
  if (s.integer(0)) {
    ++entry.iv;
    return s.jump(entry.instruction->blocks[1], values);
  }
  s.m.skipsLoop |= entry.iv < getLeastIterations(entry.instruction->op);
  s.leave(values);
}

//===----------------------------------------------------------------------===//
// Parallel loops
//===----------------------------------------------------------------------===//

/// Start one task for every point of a grid.
static void startGrid(Step &s, ArrayRef<int64_t> lower, ArrayRef<int64_t> upper,
                      ArrayRef<int64_t> step) {
  Descriptor grid;
  grid.rank = lower.size();
  if (grid.rank > Descriptor::maxRank)
    return s.fail("parallel loop with too many dimensions");
  for (unsigned dim = 0; dim < grid.rank; ++dim) {
    if (step[dim] <= 0)
      return s.fail("loop step is not positive");
    int64_t range = upper[dim] - lower[dim];
    grid.sizes[dim] = range <= 0 ? 0 : (range + step[dim] - 1) / step[dim];
  }
  SmallVector<Task *> children;
  forEachIndex(grid, [&](ArrayRef<int64_t> point) {
    Task *child = s.m.fork(s.task, s.a, s.i, s.i.blocks[0]);
    SmallVector<Val, 4> ivs;
    for (unsigned dim = 0; dim < grid.rank; ++dim)
      ivs.push_back(makeVal(lower[dim] + point[dim] * step[dim]));
    s.m.jump(*child->stack.back(), s.i.blocks[0], ivs);
    children.push_back(child);
  });
  s.task.children.assign(children.begin(), children.end());
  s.m.start(children, /*parallel=*/true);
}

static void handleParallel(Step &s) {
  auto op = cast<scf::ParallelOp>(s.i.op);
  unsigned rank = op.getNumLoops();
  // The first execution starts the iterations; the position stays here, so
  // that a second one reduces when all of them are done.
  if (s.a.reducing == &s.i) {
    s.a.reducing = nullptr;
    SmallVector<Val, 8> values = s.getOperands(3 * rank);
    if (!values.empty()) {
      const Instruction &reduce = s.i.blocks[0]->instructions.back();
      for (Task *child : s.a.reductions)
        for (unsigned k = 0; k < values.size(); ++k)
          values[k] =
              s.evaluate(reduce.blocks[k], {values[k], child->yielded[k]})[0];
    }
    for (unsigned k = 0; k < s.i.numResults; ++k)
      s.result(k) = values[k];
    return;
  }
  SmallVector<int64_t, 4> lower, upper, step;
  for (unsigned dim = 0; dim < rank; ++dim) {
    lower.push_back(s.integer(dim));
    upper.push_back(s.integer(rank + dim));
    step.push_back(s.integer(2 * rank + dim));
  }
  startGrid(s, lower, upper, step);
  s.a.reducing = &s.i;
  s.a.reductions = s.task.children;
  --s.a.position;
}

static void handleForall(Step &s) {
  auto op = cast<scf::ForallOp>(s.i.op);
  unsigned next = 0;
  auto resolve = [&](ArrayRef<int64_t> statics) {
    SmallVector<int64_t, 4> values;
    for (int64_t value : statics)
      values.push_back(ShapedType::isDynamic(value) ? s.integer(next++)
                                                    : value);
    return values;
  };
  auto lower = resolve(op.getStaticLowerBound());
  auto upper = resolve(op.getStaticUpperBound());
  auto step = resolve(op.getStaticStep());
  startGrid(s, lower, upper, step);
}

static void handleAffineParallel(Step &s) {
  auto op = cast<affine::AffineParallelOp>(s.i.op);
  SmallVector<int64_t, 4> lower, upper, step;
  for (unsigned dim = 0; dim < op.getNumDims(); ++dim) {
    AffineMap lowerMap = op.getLowerBoundMap(dim);
    AffineMap upperMap = op.getUpperBoundMap(dim);
    if (!lowerMap.isConstant() || !upperMap.isConstant() ||
        op.getNumResults() != 0)
      return s.fail("affine.parallel of this form is not known");
    lower.push_back(lowerMap.getSingleConstantResult());
    upper.push_back(upperMap.getSingleConstantResult());
  }
  llvm::append_range(step, op.getSteps());
  startGrid(s, lower, upper, step);
}

//===----------------------------------------------------------------------===//
// Terminators
//===----------------------------------------------------------------------===//

static void handleYield(Step &s) {
  RegionEntry &entry = s.a.regions.back();
  Operation *op = entry.instruction->op;
  if (!entry.block)
    return s.finishTask(s.getOperands());
  SmallVector<Val, 8> values = s.getOperands();
  if (isa<scf::WhileOp>(op))
    return s.jump(entry.instruction->blocks[0], values);
  if (entry.step != 0) {
    entry.iv += entry.step;
    if (entry.iv < entry.upper) {
      values.insert(values.begin(), makeVal(entry.iv));
      return s.jump(entry.instruction->blocks[0], values);
    }
  }
  s.leave(values);
}

static void handleBranch(Step &s, unsigned successor) {
  auto [first, count] = s.i.successorOperands[successor];
  SmallVector<Val, 8> values = s.getOperands(first, count);
  s.jump(s.i.blocks[s.i.numRegions + successor], values);
}

static void handleBr(Step &s) { handleBranch(s, 0); }

static void handleCondBr(Step &s) { handleBranch(s, s.integer(0) ? 0 : 1); }

void buffer_merge::fuzz::handleSwitch(Step &s) {
  auto cases = isa<cf::SwitchOp>(s.i.op)
                   ? cast<cf::SwitchOp>(s.i.op).getCaseValues()
                   : cast<LLVM::SwitchOp>(s.i.op).getCaseValues();
  unsigned successor = 0;
  if (cases)
    for (auto [k, value] : llvm::enumerate(cases->getValues<APInt>()))
      if (value.getZExtValue() == uint64_t(s.integer(0)))
        successor = k + 1;
  handleBranch(s, successor);
}

static void handleAssert(Step &s) {
  if (!s.integer(0))
    s.fail("assertion");
}

int64_t buffer_merge::fuzz::getInput(int64_t value) {
  uint64_t bits = uint64_t(value) * 0x9E3779B97F4A7C15u;
  return int64_t((bits ^ (bits >> 29)) & 0xFFFF);
}

static void handleCall(Step &s) {
  constexpr size_t maxDepth = 64;
  Function *callee = s.i.callee;
  if (!callee->entry) {
    StringRef name = SymbolTable::getSymbolName(callee->op).getValue();
    if (s.m.recorder)
      s.m.recorder->callOutside();
    if (name == "use_i64")
      s.m.trace.push_back(s.integer(0));
    else if (name == "input_i64")
      s.result().word[0] = getInput(s.integer(0));
    else if (Handler handler = getRuntimeFunction(name))
      handler(s);
    else
      s.fail("call of unknown @" + name);
    return;
  }
  if (s.task.stack.size() > maxDepth)
    return s.fail("recursion is too deep");
  s.task.stack.push_back(s.m.makeActivation(callee, s.getOperands()));
  s.task.stack.back()->call = &s.i;
  if (!s.m.recorder)
    return;
  SmallVector<const Descriptor *> memrefs;
  for (auto [k, type] : llvm::enumerate(s.i.op->getOperandTypes()))
    memrefs.push_back(isa<BaseMemRefType>(type) && s.operand(k).word[0]
                          ? &s.memref(k)
                          : nullptr);
  s.task.stack.back()->effects = s.m.recorder->begin(
      SymbolTable::getSymbolName(callee->op).getValue(), memrefs);
}

/// Forget what is in the arguments of `call`, a call in `caller`, that are
/// donated: nobody needs it.
static void forgetDonated(Machine &m, Activation &caller,
                          const Instruction &call) {
  auto function =
      call.callee ? dyn_cast<func::FuncOp>(call.callee->op) : func::FuncOp();
  if (!function || !isa<func::CallOp>(call.op))
    return;
  for (unsigned k = 0; k < function.getNumArguments(); ++k)
    if (function.getArgAttr(k, "buffer_merge.donated"))
      if (uint64_t pointer = m.operand(caller, call, k).word[0])
        m.memory.forget(reinterpret_cast<Descriptor *>(pointer)->instance);
}

static void handleReturn(Step &s) {
  SmallVector<Val, 8> values = s.getOperands();
  const Instruction *call = s.a.call;
  s.a.releaseStack(0);
  for (size_t number : s.a.holds)
    s.m.memory.endHold(number);
  s.task.stack.pop_back();
  if (s.task.stack.empty()) {
    s.task.done = true;
    return;
  }
  Activation &caller = *s.task.stack.back();
  for (unsigned k = 0; k < call->numResults; ++k)
    s.m.result(caller, *call, k) = values[k];
  s.m.useMemrefs(caller, *call);
  forgetDonated(s.m, caller, *call);
}

void buffer_merge::fuzz::addControlFlowHandlers(HandlerMap &map) {
  addHandler<scf::ExecuteRegionOp, memref::AllocaScopeOp>(map, handleOnce);
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
  addHandler<scf::YieldOp, affine::AffineYieldOp, memref::AllocaScopeReturnOp,
             scf::ReduceOp, scf::ReduceReturnOp, scf::InParallelOp>(
      map, handleYield);
  addHandler<cf::BranchOp>(map, handleBr);
  addHandler<cf::CondBranchOp>(map, handleCondBr);
  addHandler<cf::SwitchOp>(map, handleSwitch);
  addHandler<LLVM::BrOp>(map, handleBr);
  addHandler<LLVM::CondBrOp>(map, handleCondBr);
  addHandler<cf::AssertOp>(map, handleAssert);
  addHandler<func::CallOp>(map, handleCall);
  addHandler<func::ReturnOp>(map, handleReturn);
}
