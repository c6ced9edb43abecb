//===- ArenaRewriter.cpp - Arenas as arguments of functions ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArenaRewriter.h"
#include "Analysis/ArgumentSizes.h"
#include "Analysis/CalleeSummaries.h"
#include "RuntimePoolBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace buffer_merge;

void ArenaRewriter::addArguments(RewriterBase &rewriter) {
  for (auto [index, arena] : llvm::enumerate(plan.getArenas())) {
    arguments.push_back(arena.argument);
    func::FuncOp function = getFunction(index);
    memory.push_back(arena.argument ? function.getArgument(*arena.argument)
                                    : Value());
    if (!plan.isActive(index) || arena.isMarked || arena.isOwn)
      continue;
    arguments.back() = function.getNumArguments();
    auto type = MemRefType::get({ShapedType::kDynamic}, rewriter.getI8Type());
    auto attributes = rewriter.getDictionaryAttr(
        rewriter.getNamedAttr(arenaAttrName, rewriter.getUnitAttr()));
    LogicalResult inserted = function.insertArgument(
        *arguments.back(), type, attributes, function.getLoc());
    assert(succeeded(inserted) && "the function has a body");
    (void)inserted;
    memory.back() = function.getArgument(*arguments.back());
  }
}

/// Create a failing assertion at the front of `function` if what the caller
/// provides is not enough.
void ArenaRewriter::createChecks(RewriterBase &rewriter, unsigned index) {
  const ArenaPlan::Arena &arena = plan.getArenas()[index];
  func::FuncOp function = getFunction(index);
  Location loc = function.getLoc();
  Value argument = function.getArgument(*arguments[index]);
  rewriter.setInsertionPointToStart(&function.getBody().front());
  Value ofRunTime = needed.lookup(index);
  if (ofRunTime)
    rewriter.setInsertionPointAfterValue(ofRunTime);
  if (ofRunTime || !getStaticBytes(argument)) {
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value bytes = memref::DimOp::create(rewriter, loc, argument, zero);
    Value atLeast =
        ofRunTime ? ofRunTime
                  : arith::ConstantIndexOp::create(rewriter, loc, arena.bytes);
    Value isEnough = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::uge, bytes, atLeast);
    std::string text = ofRunTime ? getSizeQueryName(function) + "(..)"
                                 : std::to_string(arena.bytes);
    cf::AssertOp::create(rewriter, loc, isEnough,
                         llvm::formatv("{0}: the arena must have {1} bytes",
                                       function.getSymName(), text)
                             .str());
  }
  if (arena.alignment > 1) {
    Value pointer =
        memref::ExtractAlignedPointerAsIndexOp::create(rewriter, loc, argument);
    Value mask =
        arith::ConstantIndexOp::create(rewriter, loc, arena.alignment - 1);
    Value rest = arith::AndIOp::create(rewriter, loc, pointer, mask);
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value isAligned = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::eq, rest, zero);
    cf::AssertOp::create(
        rewriter, loc, isAligned,
        llvm::formatv("{0}: the arena must be aligned to {1} bytes",
                      function.getSymName(), arena.alignment)
            .str());
  }
}

/// Define the constant that is the number of bytes that `index` needs, after
/// `previous`.
void ArenaRewriter::createConstant(RewriterBase &rewriter, unsigned index,
                                   Operation *previous) {
  func::FuncOp function = getFunction(index);
  auto name = rewriter.getStringAttr(getConstantName(function));
  memref::GlobalOp global = plan.lookupConstant(name);
  if (!global) {
    rewriter.setInsertionPointAfter(previous);
    global = memref::GlobalOp::create(
        rewriter, function.getLoc(), name,
        /*sym_visibility=*/function.getSymVisibilityAttr(),
        MemRefType::get({}, rewriter.getI64Type()),
        /*initial_value=*/Attribute(), /*constant=*/true,
        /*alignment=*/IntegerAttr());
  }
  auto type = RankedTensorType::get({}, rewriter.getI64Type());
  rewriter.modifyOpInPlace(global, [&] {
    global.setInitialValueAttr(
        DenseElementsAttr::get(type, plan.getArenas()[index].bytes));
    global.setConstant(true);
  });
}

/// Define what tells what `index` needs, after it: functions and a constant.
void ArenaRewriter::createQueries(RewriterBase &rewriter, unsigned index) {
  const ArenaPlan::Arena &arena = plan.getArenas()[index];
  func::FuncOp function = getFunction(index);
  const auto [sizeQuery, alignmentQuery] = getQueryNames(function);
  Operation *previous = function;
  Location loc = function.getLoc();
  // Returns the entry block of the query.
  auto define = [&](const std::string &name, unsigned numInputs) {
    func::FuncOp query = plan.lookupQuery(rewriter.getStringAttr(name));
    if (!query) {
      rewriter.setInsertionPointAfter(previous);
      SmallVector<Type> inputs(numInputs, rewriter.getIndexType());
      query = func::FuncOp::create(
          rewriter, loc, name,
          rewriter.getFunctionType(inputs, rewriter.getIndexType()));
      query.setVisibility(function.getVisibility());
      previous = query;
    }
    Block *block = query.addEntryBlock();
    rewriter.setInsertionPointToStart(block);
    return block;
  };
  auto getConstant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  auto defineAs = [&](const std::string &name, int64_t value) {
    define(name, 0);
    func::ReturnOp::create(rewriter, loc, getConstant(value));
  };
  Value ofRunTime = needed.lookup(index);
  const std::string queryForSizes = getSizeQueryName(function);
  if (ofRunTime || plan.lookupQuery(rewriter.getStringAttr(queryForSizes))) {
    SmallVector<ArgumentSize> sizes =
        getArgumentSizes(function, arguments[index]);
    Block *block = define(queryForSizes, sizes.size());
    IRMapping there;
    auto getSource = [&](Value value) -> Value {
      std::optional<ArgumentSize> size = findArgumentSize(value);
      return size ? block->getArgument(llvm::find(sizes, *size) - sizes.begin())
                  : Value();
    };
    func::ReturnOp::create(
        rewriter, loc,
        ofRunTime
            ? computeFromArgumentSizes(rewriter, ofRunTime, there, getSource)
            : getConstant(arena.bytes));
  }
  if (!ofRunTime)
    defineAs(sizeQuery, arena.bytes);
  defineAs(alignmentQuery, arena.alignment);
  if (!ofRunTime)
    createConstant(rewriter, index, previous);
}

/// Pass a part of its caller's arena to `call`.
void ArenaRewriter::forward(RewriterBase &rewriter, unsigned index,
                            PoolBuilder &pools) {
  const FunctionGraph::Call &call = plan.getGraph().getCalls()[index];
  int64_t bytes = plan.getForwardedBytes(call.callee);
  if (!plan.takesPart(index))
    return;
  func::CallOp op = call.op;
  func::FuncOp callee = getFunction(call.callee);
  rewriter.setInsertionPoint(op);
  Value offset =
      pools.getOffset(memory[call.caller], plan.getForwardedOffset(index));
  auto type = MemRefType::get({bytes}, rewriter.getI8Type());
  Value part = memref::ViewOp::create(rewriter, op.getLoc(), type,
                                      memory[call.caller], offset,
                                      /*sizes=*/ValueRange());
  auto argumentType =
      cast<MemRefType>(callee.getArgumentTypes()[*arguments[call.callee]]);
  if (type != argumentType)
    part = memref::CastOp::create(rewriter, op.getLoc(), argumentType, part);
  if (!plan.getArenas()[call.callee].isMarked) {
    rewriter.modifyOpInPlace(op, [&] {
      op->insertOperands(op->getNumOperands(), part);
      // They say nothing: `findFalseForArena` has seen to that. Lowering would
      // make several operands of the new one, and want as many.
      op.removeArgAttrsAttr();
    });
    return;
  }
  unsigned argument = *arguments[call.callee];
  Value old = op.getOperand(argument);
  rewriter.modifyOpInPlace(op, [&] { op->setOperand(argument, part); });
  while (auto cast = old.getDefiningOp<memref::CastOp>()) {
    if (!cast->use_empty())
      break;
    old = cast.getSource();
    rewriter.eraseOp(cast);
  }
}

void ArenaRewriter::forwardArenas(RewriterBase &rewriter, PoolBuilder &pools) {
  const FunctionGraph &graph = plan.getGraph();
  for (auto [index, arena] : llvm::enumerate(plan.getArenas())) {
    if (!plan.isActive(index))
      continue;
    const FunctionGraph::Function &node = graph.getFunctions()[index];
    func::FuncOp function = node.op;
    auto isForwarded = [&](unsigned call) { return plan.takesPart(call); };
    if (arena.isOwn && !memory[index] &&
        llvm::any_of(node.calls, isForwarded)) {
      rewriter.setInsertionPointToStart(&function.getBody().front());
      memory[index] = pools.createGlobal(function, /*memorySpace=*/Attribute());
    }
    for (unsigned call : node.calls)
      forward(rewriter, call, pools);
    if (arena.isOwn)
      continue;
    function->setAttr(
        arenaAttrName,
        rewriter.getDictionaryAttr(
            {rewriter.getNamedAttr(arenaAlignmentName,
                                   rewriter.getI64IntegerAttr(arena.alignment)),
             rewriter.getNamedAttr(
                 arenaBytesName,
                 rewriter.getI64IntegerAttr(arena.getLeastBytes()))}));
    if (!plan.isCalledFromOutside(index))
      continue;
    if (hasChecks && (arena.bytes > 0 || arena.runtimeBytes))
      createChecks(rewriter, index);
    if (Value bytes = needed.lookup(index); bytes && arena.mostBytes) {
      rewriter.setInsertionPointAfterValue(bytes);
      buildCapacityCheck(rewriter, function, bytes, *arena.mostBytes);
    }
    createQueries(rewriter, index);
  }
}
