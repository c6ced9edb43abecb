//===- ArenaPlan.cpp - Which functions get an arena -----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArenaPlan.h"
#include "Analysis/AllocScope.h"
#include "Analysis/ArgumentSizes.h"
#include "Analysis/BufferSize.h"
#include "Analysis/CalleeSummaries.h"
#include "Mutation.h"
#include "Scheduling/SaturatingBytes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

std::optional<unsigned> buffer_merge::findArenaArgument(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, arenaAttrName))
      return i;
  return std::nullopt;
}

/// Return `value` and what it is a view of by operations of type `ViewOp`, one
/// of the other. In a block that is never executed, a view may be one of
/// itself.
template <typename ViewOp>
static llvm::SmallSetVector<Value, 4> getViewChain(Value value) {
  llvm::SmallSetVector<Value, 4> chain;
  while (chain.insert(value))
    if (auto view = value.getDefiningOp<ViewOp>())
      value = view.getViewSource();
  return chain;
}

Value buffer_merge::stripCasts(Value value) {
  return getViewChain<memref::CastOp>(value).back();
}

std::optional<int64_t> buffer_merge::getStaticBytes(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  return type.getNumElements();
}

//===----------------------------------------------------------------------===//
// What the program says
//===----------------------------------------------------------------------===//

/// Find the marked arguments and what earlier runs have made of them.
LogicalResult ArenaPlan::collectMarked(ModuleOp module,
                                       PlanMessages &messages) {
  for (auto [node, arena] : llvm::zip_equal(graph.getFunctions(), arenas)) {
    func::FuncOp function = node.op;
    arena.argument = findArenaArgument(function);
    if (!arena.argument)
      continue;
    arena.isMarked = true;
    auto type =
        dyn_cast<MemRefType>(function.getArgumentTypes()[*arena.argument]);
    if (!type || type.getRank() != 1 || !type.getElementType().isInteger(8) ||
        !type.getLayout().isIdentity() || type.getMemorySpace())
      return messages.addError(function.getLoc())
             << "the arena of '" << function.getSymName()
             << "' must be of the type memref<?xi8> or memref<Nxi8>, not "
             << function.getArgumentTypes()[*arena.argument];
    for (unsigned i = *arena.argument + 1; i < function.getNumArguments(); ++i)
      if (function.getArgAttr(i, arenaAttrName))
        return messages.addError(function.getLoc())
               << "'" << function.getSymName() << "' has two arenas: arguments "
               << *arena.argument << " and " << i;
    if (Attribute attribute = function->getAttr(arenaAttrName)) {
      auto dictionary = dyn_cast<DictionaryAttr>(attribute);
      auto get = [&](StringRef name) {
        auto number =
            dictionary ? dictionary.getAs<IntegerAttr>(name) : IntegerAttr();
        return number && number.getType().isSignlessInteger(64)
                   ? number.getInt()
                   : -1;
      };
      arena.isFixed = true;
      arena.bytes = get(arenaBytesName);
      arena.alignment = get(arenaAlignmentName);
      if (arena.bytes < 0 || arena.bytes > maxBytes || arena.alignment < 1 ||
          !llvm::isPowerOf2_64(arena.alignment))
        return messages.addError(function.getLoc())
               << "the attribute '" << arenaAttrName << "' of '"
               << function.getSymName()
               << "' is not {alignment = A : i64, bytes = N : i64}";
      continue;
    }
    if (function->getParentOp() != module)
      return messages.addError(function.getLoc())
             << "'" << function.getSymName()
             << "' can have no arena: it is not directly inside the module";
    if (node.isRecursive)
      return messages.addError(function.getLoc())
             << "'" << function.getSymName()
             << "' can have no arena: it is recursive";
  }
  return success();
}

/// Check that the program does not say that a marked argument is not used.
LogicalResult ArenaPlan::checkAttributes(const BufferLifetimes &lifetimes,
                                         PlanMessages &messages) const {
  std::optional<FalseForArguments> arguments;
  for (auto [index, arena] : llvm::enumerate(arenas)) {
    if (!arena.isMarked || arena.isFixed)
      continue;
    if (!arguments)
      arguments.emplace(graph, lifetimes);
    func::FuncOp function = graph.getFunctions()[index].op;
    auto found = buffer_merge::findFalseAttribute(
        function, AttributeChanges() | AttributeChange::MayAbort);
    if (const FalseAttribute *ofArgument =
            arguments->lookup(function, *arena.argument, /*isPassed=*/true))
      found = *ofArgument;
    if (found)
      return messages.addError(function.getLoc())
             << "'" << function.getSymName()
             << "' can have no arena: " << found->describe();
  }
  return success();
}

/// Return true if `call` is or shall be given a part of its caller's arena.
bool ArenaPlan::isForwarded(const FunctionGraph::Call &call) const {
  const Arena &callee = arenas[call.callee], &caller = arenas[call.caller];
  if (!callee.isMarked)
    return !callee.isOwn;
  func::CallOp op = call.op;
  auto argument =
      dyn_cast<BlockArgument>(stripCasts(op.getOperand(*callee.argument)));
  return argument && caller.isMarked &&
         argument.getOwner()->getParentOp() ==
             graph.getFunctions()[call.caller].op &&
         argument.getArgNumber() == *caller.argument;
}

/// Check that nothing but its pool and callees uses the arena of `index`.
LogicalResult ArenaPlan::checkMarked(unsigned index, PlanMessages &messages) {
  const Arena &arena = arenas[index];
  if (!arena.isMarked || arena.isFixed)
    return success();
  const FunctionGraph::Function &node = graph.getFunctions()[index];
  llvm::SmallPtrSet<OpOperand *, 4> forwarded;
  for (unsigned i : node.calls) {
    const FunctionGraph::Call &call = graph.getCalls()[i];
    if (arenas[call.callee].isMarked && isForwarded(call)) {
      func::CallOp op = call.op;
      forwarded.insert(&op->getOpOperand(*arenas[call.callee].argument));
    }
  }
  func::FuncOp function = node.op;
  SmallVector<Value> values = {function.getArgument(*arena.argument)};
  while (!values.empty())
    for (OpOperand &use : values.pop_back_val().getUses()) {
      if (forwarded.contains(&use))
        continue;
      if (auto cast = dyn_cast<memref::CastOp>(use.getOwner())) {
        values.push_back(cast);
        continue;
      }
      Diagnostic &error =
          messages.addError(function.getLoc())
          << "'" << function.getSymName()
          << "' uses its arena itself, so its pool cannot be there";
      error.attachNote(use.getOwner()->getLoc()) << "used here";
      return failure();
    }
  return success();
}

/// Check what the program passes for a marked argument.
LogicalResult ArenaPlan::checkCall(const FunctionGraph::Call &call,
                                   PlanMessages &messages) {
  const Arena &callee = arenas[call.callee];
  if (!callee.isMarked)
    return success();
  func::CallOp op = call.op;
  Value passed = stripCasts(op.getOperand(*callee.argument));
  auto chain = getViewChain<ViewLikeOpInterface>(passed);
  for (OpOperand &other : op->getOpOperands()) {
    if (other.getOperandNumber() == *callee.argument ||
        !isa<BaseMemRefType>(other.get().getType()))
      continue;
    Value stripped = stripCasts(other.get());
    if (chain.contains(stripped) ||
        getViewChain<ViewLikeOpInterface>(stripped).contains(passed))
      return messages.addError(op.getLoc())
             << "the arena passed to '" << op.getCallee()
             << "' is also its argument " << other.getOperandNumber();
  }
  if (isForwarded(call)) {
    func::FuncOp callerOp = graph.getFunctions()[call.caller].op;
    StringRef caller = callerOp.getSymName();
    if (call.isConcurrent)
      return messages.addError(op.getLoc())
             << "calls of '" << op.getCallee()
             << "' that may run at the same time share the arena of '" << caller
             << "'";
    if (arenas[call.caller].isFixed)
      return messages.addError(op.getLoc())
             << "'" << caller << "' has a pool at the start of the arena that "
             << "it passes to '" << op.getCallee() << "'";
    return success();
  }
  if (!call.isConcurrent)
    return success();
  // What runs concurrently must have an arena of its own, or a part of one that
  // it has cut out itself.
  Region *origin = passed.getParentRegion();
  for (Operation *current = op; current->getParentRegion() != origin;
       current = current->getParentOp())
    if (!isSequentialRegionOp(current->getParentOp()))
      return messages.addError(op.getLoc())
             << "calls of '" << op.getCallee()
             << "' that may run at the same time share an arena";
  return success();
}

//===----------------------------------------------------------------------===//
// Who gets an arena
//===----------------------------------------------------------------------===//

/// Return why the function of `node` can have no memory of its own in a program
/// that is `module`, whoever gives it; or nothing.
static StringRef checkFunction(const FunctionGraph::Function &node,
                               ModuleOp module) {
  if (node.op->getParentOp() != module)
    return "the function is not directly inside the module";
  if (node.isRecursive)
    return "the function is recursive";
  return node.otherUse ? "something other than a call refers to the function"
                       : "";
}

/// Set why functions without a marked argument cannot have one.
void ArenaPlan::findObstacles(ModuleOp module) {
  // A function that calls itself is one that has no arena, so that callers come
  // before what they hand an arena to.
  for (unsigned index : llvm::reverse(graph.getCalleesFirst())) {
    Arena &arena = arenas[index];
    if (arena.isMarked)
      continue;
    const FunctionGraph::Function &node = graph.getFunctions()[index];
    auto isProvider = [&](unsigned call) {
      return !isForwarded(graph.getCalls()[call]);
    };
    auto isConcurrent = [&](unsigned call) {
      return graph.getCalls()[call].isConcurrent;
    };
    auto isGivenNone = [&](unsigned call) {
      const Arena &caller = arenas[graph.getCalls()[call].caller];
      return !caller.obstacle.empty() || caller.isFixed;
    };
    arena.obstacle = checkFunction(node, module);
    if (!arena.obstacle.empty())
      continue;
    if (llvm::any_of(node.calls, isProvider))
      arena.obstacle = "the function provides arenas itself";
    else if (llvm::any_of(node.callers, isConcurrent) &&
             !isMutated("arena-concurrency"))
      arena.obstacle = "two calls of the function may run at the same time";
    else if (llvm::any_of(node.callers, isGivenNone))
      arena.obstacle = "a caller of the function has no arena to pass on";
    else if (auto found = buffer_merge::findFalseForArena(
                 graph, index, isCalledFromOutside(index)))
      arena.obstacle = found->describe();
  }
}

/// Choose the functions whose arenas are globals: all that are called from
/// outside of the module, or from where no arena can be passed, or that have an
/// arena of an earlier run.
void ArenaPlan::chooseGlobals(ModuleOp module, EntryPolicy entries) {
  falseForGlobals = findFalseForGlobals(graph);
  // Callers come before what they hand an arena to.
  for (unsigned index : llvm::reverse(graph.getCalleesFirst())) {
    Arena &arena = arenas[index];
    const FunctionGraph::Function &node = graph.getFunctions()[index];
    arena.obstacle = checkFunction(node, module);
    if (arena.obstacle.empty() && node.concurrentUse)
      arena.obstacle = "two calls of the function may run at the same time";
    func::FuncOp function = node.op;
    bool hasArena = findArenaArgument(function).has_value();
    auto passesNone = [&](unsigned index) {
      return !arenas[graph.getCalls()[index].caller].obstacle.empty();
    };
    arena.isOwn = hasArena || buffer_merge::isCalledFromOutside(function) ||
                  node.callers.empty() ||
                  llvm::any_of(node.callers, passesNone);
    auto found =
        arena.isOwn
            ? falseForGlobals[index]
            : buffer_merge::findFalseForArena(graph, index, /*mayAbort=*/false);
    if (found && arena.obstacle.empty())
      arena.obstacle = found->describe();
    // What a caller without an arena has called may run while the caller of
    // that one has bytes of the common global.
    auto isSeparate = [&](unsigned index) {
      return arenas[graph.getCalls()[index].caller].isSeparate;
    };
    arena.isSeparate = entries == EntryPolicy::Separate ||
                       !arena.obstacle.empty() ||
                       llvm::any_of(node.callers, isSeparate);
  }
}

const FalseAttribute *
ArenaPlan::findFalseForGlobal(const PoolPlan &pool) const {
  std::optional<unsigned> index = graph.lookup(pool.scope->getParentOp());
  return index && falseForGlobals[*index] ? &*falseForGlobals[*index] : nullptr;
}

StringRef ArenaPlan::check(const PoolPlan &pool) const {
  std::optional<unsigned> index = graph.lookup(pool.scope->getParentOp());
  if (!index)
    return "the scope is not a function";
  if (pool.memorySpace)
    return "the arena is in another memory space";
  if (pool.isInFlightAtEnd())
    return "it may be accessed after the function returns";
  if (arenas[*index].isFixed)
    return "the function has a pool in its arena already";
  return arenas[*index].obstacle;
}

int64_t ArenaPlan::Arena::getLeastBytes() const {
  return runtimeBytes
             ? addBytes(llvm::alignTo(bytes, runtimeAlignment), *runtimeBytes)
             : bytes;
}

bool ArenaPlan::isActive(unsigned index) const {
  const Arena &arena = arenas[index];
  return arena.obstacle.empty() && !arena.isFixed &&
         (arena.isMarked || arena.bytes > 0 || arena.runtimeBytes);
}

bool ArenaPlan::isCalledFromOutside(unsigned index) const {
  func::FuncOp function = graph.getFunctions()[index].op;
  return arenas[index].isMarked || buffer_merge::isCalledFromOutside(function);
}

bool ArenaPlan::hasSharedGlobal(func::FuncOp function) const {
  std::optional<unsigned> index = graph.lookup(function);
  return index && arenas[*index].isOwn && !arenas[*index].isSeparate;
}

bool ArenaPlan::comesFromCallers(const PoolPlan &pool) const {
  return check(pool).empty() &&
         !arenas[*graph.lookup(pool.scope->getParentOp())].isOwn;
}

bool ArenaPlan::isInsideCallers(const PoolPlan &pool) const {
  if (!pool.getPool() || pool.getPool()->storage != PoolStorage::Arena)
    return false;
  unsigned index = *graph.lookup(pool.scope->getParentOp());
  return !isCalledFromOutside(index) &&
         !graph.getFunctions()[index].callers.empty();
}

/// Compare what functions need with what is known of what they get.
LogicalResult ArenaPlan::checkSizes(PlanMessages &messages) {
  for (auto [index, node] : llvm::enumerate(graph.getFunctions())) {
    func::FuncOp function = node.op;
    const Arena &arena = arenas[index];
    if (!arena.isMarked)
      continue;
    std::optional<int64_t> bytes =
        getStaticBytes(function.getArgument(*arena.argument));
    if (bytes && *bytes < arena.bytes)
      return messages.addError(function.getLoc())
             << "the arena of '" << function.getSymName() << "' has " << *bytes
             << " bytes, but " << arena.bytes << " are needed";
    for (unsigned i : node.callers) {
      const FunctionGraph::Call &call = graph.getCalls()[i];
      func::CallOp op = call.op;
      bytes = getStaticBytes(stripCasts(op.getOperand(*arena.argument)));
      if (!isForwarded(call) && bytes && *bytes < arena.bytes)
        return messages.addError(op.getLoc())
               << "the arena passed to '" << op.getCallee() << "' has "
               << *bytes << " bytes, but " << arena.bytes << " are needed";
    }
  }
  return success();
}

std::pair<std::string, std::string>
buffer_merge::getQueryNames(func::FuncOp function) {
  return {(function.getSymName() + "_arena_size").str(),
          (function.getSymName() + "_arena_alignment").str()};
}

std::string buffer_merge::getSizeQueryName(func::FuncOp function) {
  return (function.getSymName() + "_arena_size_for").str();
}

std::string buffer_merge::getConstantName(func::FuncOp function) {
  return (function.getSymName() + "_arena_bytes").str();
}

/// Check what the module has under the name of the constant of `function`.
LogicalResult ArenaPlan::checkConstant(const SymbolTable &symbols,
                                       func::FuncOp function,
                                       PlanMessages &messages) {
  std::string name = getConstantName(function);
  Operation *symbol = symbols.lookup(name);
  if (!symbol)
    return success();
  auto global = dyn_cast<memref::GlobalOp>(symbol);
  if (!global || !global.isExternal() || global.getType().getRank() != 0 ||
      !global.getType().getElementType().isInteger(64))
    return messages.addError(symbol->getLoc())
           << "'" << name << "' is the number of bytes that the arena of '"
           << function.getSymName()
           << "' needs, and must be a declaration of type memref<i64> or not "
              "exist";
  constants[global.getSymNameAttr()] = global;
  return success();
}

bool ArenaPlan::mayHaveRuntimePools(func::FuncOp function,
                                    const SymbolTable &symbols) const {
  std::optional<unsigned> index = graph.lookup(function);
  if (!index)
    return false;
  const Arena &arena = arenas[*index];
  auto isForwarded = [&](unsigned call) {
    return this->isForwarded(graph.getCalls()[call]);
  };
  const FunctionGraph::Function &node = graph.getFunctions()[*index];
  return arena.hasQueries && isCalledFromOutside(*index) &&
         !llvm::any_of(node.callers, isForwarded) &&
         ((node.callers.empty() && !node.otherUse) ||
          symbols.lookup(getSizeQueryName(function))) &&
         !symbols.lookup(getQueryNames(function).first) &&
         !symbols.lookup(getConstantName(function));
}

void ArenaPlan::addRuntimePool(const RuntimePool &pool,
                               std::optional<int64_t> mostBytes) {
  Arena &arena = arenas[*graph.lookup(pool.buffers.front()->function)];
  arena.runtimeBytes = addBytes(arena.runtimeBytes.value_or(0),
                                buffer_merge::getLeastBytes(pool));
  arena.runtimeAlignment = std::max(arena.runtimeAlignment, pool.alignment);
  arena.alignment = std::max(arena.alignment, pool.alignment);
  arena.mostBytes = mostBytes;
}

void ArenaPlan::removePool(func::FuncOp function) {
  Arena &arena = arenas[*graph.lookup(function)];
  arena.bytes = 0;
  arena.alignment = 1;
}

/// Check what the module has under `name`, which tells what `function` needs
/// for `numInputs` sizes.
LogicalResult ArenaPlan::checkQuery(const SymbolTable &symbols,
                                    func::FuncOp function,
                                    const std::string &name, unsigned numInputs,
                                    PlanMessages &messages) {
  Operation *symbol = symbols.lookup(name);
  if (!symbol)
    return success();
  Type index = IndexType::get(function.getContext());
  auto type = FunctionType::get(function.getContext(),
                                SmallVector<Type>(numInputs, index), index);
  auto query = dyn_cast<func::FuncOp>(symbol);
  if (!query || !query.isExternal() || query.getFunctionType() != type)
    return messages.addError(symbol->getLoc())
           << "'" << name << "' tells what the arena of '"
           << function.getSymName()
           << "' needs, and must be a declaration of type " << type
           << " or not exist";
  declarations[query.getSymNameAttr()] = query;
  return success();
}

LogicalResult ArenaPlan::checkQueries(ModuleOp module, PlanMessages &messages) {
  SymbolTable symbols(module);
  for (auto [index, node] : llvm::enumerate(graph.getFunctions())) {
    func::FuncOp function = node.op;
    if (arenas[index].isOwn || !isCalledFromOutside(index) ||
        !arenas[index].obstacle.empty() || arenas[index].isFixed)
      continue;
    // Pools of run-time size may still be added. A function that needs nothing
    // else does without them where another symbol has the name of a query.
    PlanMessages ignored;
    PlanMessages &found = isActive(index) ? messages : ignored;
    auto [sizeQuery, alignmentQuery] = getQueryNames(function);
    unsigned numSizes =
        getArgumentSizes(function, arenas[index].argument).size();
    auto check = [&](const std::string &name, unsigned numInputs) {
      return succeeded(checkQuery(symbols, function, name, numInputs, found));
    };
    arenas[index].hasQueries =
        check(getSizeQueryName(function), numSizes) && check(alignmentQuery, 0);
    if (!isActive(index))
      continue;
    if (!arenas[index].hasQueries ||
        failed(checkConstant(symbols, function, messages)) ||
        !check(sizeQuery, 0))
      return failure();
  }
  return success();
}

LogicalResult ArenaPlan::initialize(const BufferLifetimes &lifetimes,
                                    const MergePlanOptions &options,
                                    PlanMessages &messages) {
  auto module = cast<ModuleOp>(lifetimes.getRoot());
  graph = FunctionGraph(module);
  arenas.resize(graph.getFunctions().size());
  if (options.pool == PoolStorage::Global) {
    chooseGlobals(module, options.entries);
    return success();
  }
  if (failed(collectMarked(module, messages)))
    return failure();
  for (unsigned index = 0; index < arenas.size(); ++index)
    if (failed(checkMarked(index, messages)))
      return failure();
  for (const FunctionGraph::Call &call : graph.getCalls())
    if (failed(checkCall(call, messages)))
      return failure();
  findObstacles(module);
  return checkAttributes(lifetimes, messages);
}

LogicalResult ArenaPlan::compute(ModuleOp module, MergePlan &plan,
                                 const MergePlanOptions &options,
                                 PlanMessages &messages) {
  if (failed(computeNeeds(plan, options, messages)) ||
      failed(checkSizes(messages)))
    return failure();
  return checkQueries(module, messages);
}
