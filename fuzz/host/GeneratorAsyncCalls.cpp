//===- Generated asynchronous execution across functions -----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that start what goes on after they have returned, or wait for what
// their callers have started; and the ways that tokens and asynchronous values
// take in between.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

/// Return true if a function of `kind` starts something.
static bool isStarting(AsyncKind kind) { return kind < AsyncKind::AwaitToken; }

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The type of a function of `kind` that gets or gives buffers of `type`.
static FunctionType getAsyncType(OpBuilder &b, AsyncKind kind, Type type) {
  Type i64 = b.getI64Type(), token = b.getType<async::TokenType>();
  Type value = async::ValueType::get(type);
  switch (kind) {
  case AsyncKind::Token:
    return b.getFunctionType({i64, type}, {token});
  case AsyncKind::Value:
    return b.getFunctionType({i64, type}, {value});
  case AsyncKind::Coroutine:
    return b.getFunctionType({i64, type}, {token, value});
  case AsyncKind::Group:
    return b.getFunctionType({i64, type, b.getType<async::GroupType>()}, {});
  case AsyncKind::Dropped:
    return b.getFunctionType({i64, type}, {});
  case AsyncKind::AwaitToken:
    return b.getFunctionType({i64, type, token}, {i64});
  case AsyncKind::AwaitGroup:
    return b.getFunctionType({i64, type, b.getType<async::GroupType>()}, {i64});
  case AsyncKind::Unwrap:
    return b.getFunctionType({i64, value}, {i64, type});
  }
  return {};
}

SmallVector<Value, 4> Generator::genTaskOfCallee(const MemVal &argument,
                                                 bool yieldsMem) {
  // Often the task does no more than to yield what it was given. Otherwise it
  // may use a buffer of the callee's own after that has returned.
  std::optional<MemVal> local;
  bool onlyYields = yieldsMem && random.chance(60);
  if (!onlyYields && random.chance(70)) {
    local = allocate(random.chance(50) ? argument.getType() : pickType(),
                     /*isPinned=*/true);
    fill(*local);
  }
  SmallVector<Type, 1> types;
  if (yieldsMem)
    types.push_back(argument.value.getType());
  auto op = make<async::ExecuteOp>(types, ValueRange(), ValueRange());
  Pending started;
  // Not waited for in this function.
  started.level = -nextLevel++;
  genTask(op, started.log, Value(), [&]() -> SmallVector<Value, 4> {
    if (onlyYields)
      return {argument.value};
    SmallVector<Value, 4> yielded = genTaskBody(argument, local, yieldsMem);
    if (local && frees && random.chance(60) &&
        (!yieldsMem || yielded[0] == argument.value)) {
      make<memref::DeallocOp>(local->value);
      features.insert("free-in-task");
    }
    return yielded;
  });
  if (local)
    forget(local->roots[0]);
  pending.push_back(started);
  SmallVector<Value, 4> results = {op.getToken()};
  llvm::append_range(results, op.getBodyResults());
  return results;
}

SmallVector<Value, 4> Generator::genTaskBody(const MemVal &argument,
                                             const std::optional<MemVal> &local,
                                             bool yieldsMem) {
  if (local && canRead(*local))
    read(*local, /*all=*/true);
  if (random.chance(50))
    read(argument, /*all=*/true);
  genBody(random.range(0, 2), {});
  if (canTouch(argument, /*write=*/true) && random.chance(70))
    store(argument);
  if (!yieldsMem)
    return {};
  MemVal result = argument;
  if (local && local->getType() == argument.getType() && random.chance(40)) {
    result = *local;
  } else if (random.chance(30)) {
    result = makeFilled(argument.getType(), /*isPinned=*/true);
  }
  if (random.chance(20))
    return {
        make<arith::SelectOp>(makeCondition(), argument.value, result.value)};
  return {result.value};
}

void Generator::genAsyncFunction(unsigned number) {
  // The first gives a buffer, what one of the others waits for.
  AsyncKind kind = AsyncKind(random.below(unsigned(AsyncKind::Unwrap) + 1));
  if (number == 0 && random.chance(70))
    kind = AsyncKind::Value;
  if (number == 1 && random.chance(50))
    kind = AsyncKind::Unwrap;
  MemRefType type = palette[random.below(2)];
  FunctionType functionType = getAsyncType(b, kind, type);
  std::string name = "async" + std::to_string(number);
  b.setInsertionPointToEnd(module->getBody());
  FunctionOpInterface funcOp;
  if (kind == AsyncKind::Coroutine)
    funcOp = make<async::FuncOp>(name, functionType);
  else
    funcOp = make<func::FuncOp>(name, functionType);
  SymbolTable::setSymbolVisibility(funcOp, SymbolTable::Visibility::Private);
  beginCallee(funcOp.addEntryBlock());
  position.canBranch = kind != AsyncKind::Coroutine;
  AccessLog log;
  logs.push_back(&log);
  SmallVector<Value, 4> results = genAsyncFunctionBody(kind, funcOp);
  logs.pop_back();
  if (kind == AsyncKind::Coroutine)
    make<async::ReturnOp>(results);
  else
    make<func::ReturnOp>(results);
  asyncCallees.push_back({funcOp, kind, type});
}

SmallVector<Value, 4>
Generator::genAsyncFunctionBody(AsyncKind kind, FunctionOpInterface funcOp) {
  if (random.chance(40))
    genStatements(1);
  // What is waited for is not seen before.
  if (kind == AsyncKind::Unwrap) {
    auto await = make<async::AwaitOp>(funcOp.getArgument(1));
    addMem(await.getResult(), addRoot(-1));
    MemVal mem = scope.mems.back();
    read(mem, /*all=*/true);
    Yields yields = genBody(random.range(0, 2), {});
    return {yields.values[0], mem.value};
  }
  if (kind == AsyncKind::AwaitToken)
    make<async::AwaitOp>(funcOp.getArgument(2));
  if (kind == AsyncKind::AwaitGroup)
    make<async::AwaitAllOp>(funcOp.getArgument(2));
  addMem(funcOp.getArgument(1), addRoot(-1));
  MemVal argument = scope.mems.back();
  if (kind == AsyncKind::AwaitToken || kind == AsyncKind::AwaitGroup) {
    read(argument, /*all=*/true);
    return {genBody(random.range(1, 3), {}).values[0]};
  }
  if (kind == AsyncKind::Coroutine && random.chance(40))
    return {argument.value};
  if (kind == AsyncKind::Coroutine) {
    Yields yields = genBody(random.range(1, 3), {argument.getType()});
    return {random.chance(50) ? argument.value : yields.values[1]};
  }
  SmallVector<Value, 4> started =
      genTaskOfCallee(argument, kind == AsyncKind::Value);
  if (kind == AsyncKind::Group)
    make<async::AddToGroupOp>(started[0], funcOp.getArgument(2));
  // What would take the place of a buffer that is thought to be dead.
  genBody(random.range(0, 3), {});
  switch (kind) {
  case AsyncKind::Token:
    return {started[0]};
  case AsyncKind::Value:
    return {started[1]};
  default:
    return {};
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

const AsyncCallee *
Generator::pickAsyncCallee(function_ref<bool(const AsyncCallee &)> isWanted) {
  SmallVector<const AsyncCallee *> candidates;
  for (const AsyncCallee &callee : asyncCallees)
    if (isWanted(callee))
      candidates.push_back(&callee);
  return candidates.empty() ? nullptr
                            : candidates[random.below(candidates.size())];
}

SmallVector<Value, 4> Generator::callAsync(const AsyncCallee &callee,
                                           ArrayRef<Value> arguments) {
  Operation *op;
  if (callee.kind == AsyncKind::Coroutine)
    op = make<async::CallOp>(cast<async::FuncOp>(callee.op), arguments);
  else
    op = make<func::CallOp>(cast<func::FuncOp>(callee.op), arguments);
  SmallVector<Value, 4> results;
  llvm::append_range(results, op->getResults());
  return results;
}

/// Add what a call that was given `mem` has returned to what it started.
void Generator::addStarted(Pending &started, const MemVal &mem,
                           ArrayRef<Value> results) {
  started.argument = mem;
  started.log.reads.insert(mem.roots.begin(), mem.roots.end());
  started.log.writes.insert(mem.roots.begin(), mem.roots.end());
  for (Value result : results) {
    if (isa<async::TokenType>(result.getType())) {
      started.token = result;
      continue;
    }
    started.values.push_back(result);
    MemVal yielded;
    yielded.roots.assign(mem.roots.begin(), mem.roots.end());
    yielded.roots.push_back(addRoot(-1));
    started.yielded.push_back(yielded);
  }
}

void Generator::genAsyncCall() {
  if (isFull() || position.work > 12)
    return genTemporary();
  const AsyncCallee *callee = pickAsyncCallee([&](const AsyncCallee &other) {
    return isStarting(other.kind) &&
           (other.kind != AsyncKind::Dropped || canDrop());
  });
  if (!callee)
    return genAsync();
  features.insert("async-call");
  size_t index = pending.size();
  pending.emplace_back();
  pending[index].level =
      callee->kind == AsyncKind::Dropped ? -nextLevel++ : position.level;
  unsigned numCalls = 1;
  Value group;
  if (callee->kind == AsyncKind::Group) {
    numCalls = random.range(1, 2);
    group = make<async::CreateGroupOp>(makeIndex(numCalls));
    pending[index].group = group;
  }
  for (unsigned k = 0; k < numCalls; ++k) {
    MemVal mem;
    if (random.chance(60)) {
      mem = makeFilled(callee->type);
    } else {
      mem = getReadable(callee->type, /*isPinned=*/false);
    }
    record(mem, /*write=*/false);
    record(mem, /*write=*/true);
    SmallVector<Value, 4> arguments = {pickInt(), mem.value};
    if (group)
      arguments.push_back(group);
    addStarted(pending[index], mem, callAsync(*callee, arguments));
    // Mostly it is the last use of the buffer by its name.
    if (random.chance(70))
      llvm::erase_if(scope.mems, [&](const MemVal &other) {
        return other.value == mem.value;
      });
  }
  // What would take its place.
  Value token = pending[index].token;
  if (random.chance(60)) {
    MemVal next = makeFilled(callee->type);
    read(next, /*all=*/true);
  }
  genStatements(random.range(0, 1));
  if (random.chance(50) && index < pending.size() &&
      pending[index].level == position.level && pending[index].token == token)
    awaitPending(index);
}

bool Generator::awaitByCall(AsyncKind kind, Value awaited,
                            const Pending &done) {
  const std::optional<MemVal> &argument = done.argument;
  const AsyncCallee *callee = pickAsyncCallee(
      [&](const AsyncCallee &other) { return other.kind == kind; });
  if (!callee || random.chance(50))
    return false;
  MemVal mem;
  if (argument && argument->value.getType() == callee->type &&
      canRead(*argument) && canTouch(*argument, /*write=*/true)) {
    mem = *argument;
  } else {
    // It is still running.
    pending.push_back(done);
    mem = getReadable(callee->type, /*isPinned=*/false);
    pending.pop_back();
  }
  record(mem, /*write=*/false);
  record(mem, /*write=*/true);
  accumulate(callAsync(*callee, {pickInt(), mem.value, awaited})[0]);
  features.insert("await-in-callee");
  return true;
}

Value Generator::awaitMem(Value value, MemVal &mem) {
  const AsyncCallee *callee = pickAsyncCallee([&](const AsyncCallee &other) {
    return other.kind == AsyncKind::Unwrap &&
           async::ValueType::get(other.type) == value.getType();
  });
  // The function may write the buffer.
  if (!callee || !canTouch(mem, /*write=*/true) || random.chance(50))
    return make<async::AwaitOp>(value).getResult();
  features.insert("unwrap-in-callee");
  SmallVector<Value, 4> results = callAsync(*callee, {pickInt(), value});
  accumulate(results[0]);
  record(mem, /*write=*/true);
  mem.roots.push_back(addRoot(-1));
  return results[1];
}

void Generator::addAwaited(MemVal mem, Value value) {
  mem.value = value;
  mem.state = -1;
  mem.whole = false;
  scope.mems.push_back(mem);
  if (options.async && random.chance(60) && canRead(mem))
    read(mem, /*all=*/true);
}

//===----------------------------------------------------------------------===//
// The ways of tokens and values
//===----------------------------------------------------------------------===//

Value Generator::routeThroughFunction(Value value) {
  // One function for each type.
  func::FuncOp &funcOp = routeFunctions[value.getType()];
  if (!funcOp) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module->getBody());
    funcOp = make<func::FuncOp>(
        "route" + std::to_string(routeFunctions.size()),
        b.getFunctionType({value.getType()}, {value.getType()}));
    funcOp.setPrivate();
    b.setInsertionPointToEnd(funcOp.addEntryBlock());
    make<func::ReturnOp>(funcOp.getArguments());
  }
  return make<func::CallOp>(funcOp, value).getResult(0);
}

Value Generator::routeThroughLoop(Value value) {
  auto loop = make<scf::ForOp>(makeIndex(0), makeIndex(random.range(0, 2)),
                               makeIndex(1), value);
  {
    Nested nested(*this);
    position.canBranch = false;
    position.work *= 2;
    b.setInsertionPointToStart(loop.getBody());
    genBody(1, {});
    make<scf::YieldOp>(loop.getRegionIterArgs());
  }
  b.setInsertionPointAfter(loop);
  return loop.getResult(0);
}

Value Generator::routeThroughArms(Value value) {
  auto ifOp = make<scf::IfOp>(value.getType(), makeCondition(), true, true);
  for (Region &region : ifOp->getRegions()) {
    Nested nested(*this);
    position.canBranch = false;
    b.setInsertionPointToEnd(&region.front());
    genBody(random.below(2), {});
    make<scf::YieldOp>(value);
  }
  b.setInsertionPointAfter(ifOp);
  return ifOp.getResult(0);
}

Value Generator::routeThroughBlock(Value value) {
  Block *from = currentBlock();
  Block *to = b.createBlock(from->getParent(), std::next(from->getIterator()),
                            value.getType(), loc);
  b.setInsertionPointToEnd(from);
  make<cf::BranchOp>(to, value);
  b.setInsertionPointToEnd(to);
  return to->getArgument(0);
}

Value Generator::route(Value value) {
  if (!options.async || random.chance(60))
    return value;
  features.insert("async-routed");
  switch (random.below(5)) {
  case 0:
    return make<arith::SelectOp>(makeCondition(), value, value);
  case 1:
    return isFull() ? value : routeThroughLoop(value);
  case 2:
    return isFull() ? value : routeThroughArms(value);
  case 3:
    return position.canBranch && !structured ? routeThroughBlock(value) : value;
  default:
    return routeThroughFunction(value);
  }
}

void Generator::genSelectedValue() {
  // One of two asynchronous buffers, whichever it is.
  auto isWanted = [&](const Pending &other) {
    return other.level == position.level && !other.values.empty() &&
           !other.values.back().getType().isInteger(64) &&
           !other.yielded.empty();
  };
  SmallVector<size_t, 4> candidates;
  for (size_t k = 0; k < pending.size(); ++k)
    if (isWanted(pending[k]))
      candidates.push_back(k);
  for (size_t one : candidates)
    for (size_t other : candidates) {
      Value first = pending[one].values.back();
      Value second = pending[other].values.back();
      if (other <= one || first.getType() != second.getType())
        continue;
      features.insert("async-selected");
      MemVal mem = pending[one].yielded.back();
      llvm::append_range(mem.roots, pending[other].yielded.back().roots);
      Value selected = make<arith::SelectOp>(makeCondition(), first, second);
      Value value = make<async::AwaitOp>(selected).getResult();
      awaitPending(other);
      awaitPending(one);
      return addAwaited(mem, value);
    }
  genAsyncCall();
}

void Generator::genAsyncConsumer() {
  // The next task gets the buffer of one that is still running.
  for (size_t k = pending.size(); k-- > 0;) {
    if (pending[k].level != position.level || pending[k].yielded.size() != 1 ||
        isFull())
      continue;
    Pending started = pending[k];
    Value operand = route(started.values.back());
    pending.erase(pending.begin() + k);
    MemVal mem = started.yielded[0];
    auto op = make<async::ExecuteOp>(
        TypeRange{b.getI64Type()},
        started.token ? ValueRange(started.token) : ValueRange(), operand);
    genTask(op, started.log, Value(), [&] {
      mem.value = op.getBody()->getArguments().back();
      scope.mems.push_back(mem);
      if (canRead(mem))
        read(mem, /*all=*/true);
      return genBody(bodySize(), {}).values;
    });
    started.token = op.getToken();
    started.group = Value();
    started.values = {op.getBodyResults()[0]};
    started.yielded.clear();
    pending.push_back(started);
    features.insert("async-consumer");
    return;
  }
  genAsyncCall();
}

void Generator::genAsyncChain() {
  if (isFull() || position.work > 12 || (isInCoroutine() && !awaitsAnywhere))
    return genTemporary();
  // Every iteration starts what makes a buffer, and waits for the buffer that
  // the iteration before has started.
  MemRefType type = pickType();
  auto startOne = [&]() -> Value {
    Nested nested(*this);
    // What others may be writing, or will, is none of its business.
    scope.mems.clear();
    std::optional<MemVal> outer;
    if (random.chance(50)) {
      outer = allocate(type, /*isPinned=*/true);
      fill(*outer);
    }
    auto op =
        make<async::ExecuteOp>(TypeRange{type}, ValueRange(), ValueRange());
    AccessLog log;
    genTask(op, log, Value(), [&]() -> SmallVector<Value, 4> {
      MemVal mem = outer ? *outer : allocate(type, /*isPinned=*/true);
      outer ? store(mem) : fill(mem);
      return {mem.value};
    });
    return op.getBodyResults()[0];
  };
  int made = addRoot(-1);
  auto readOne = [&](Value value) {
    addMem(make<async::AwaitOp>(value).getResult(), made);
    MemVal mem = scope.mems.back();
    if (random.chance(80))
      read(mem, /*all=*/true);
  };
  unsigned trips;
  Value upper = makeTripCount(trips);
  auto loop = make<scf::ForOp>(makeIndex(0), upper, makeIndex(1),
                               ValueRange{scope.acc, startOne()});
  {
    Nested nested(*this);
    position.canBranch = false;
    position.work *= std::max(trips, 1u);
    b.setInsertionPointToStart(loop.getBody());
    scope.acc = loop.getRegionIterArgs()[0];
    bool readsFirst = random.chance(50);
    if (readsFirst)
      readOne(loop.getRegionIterArgs()[1]);
    Value next = startOne();
    Yields yields = genBody(random.range(0, 2), {});
    scope.acc = yields.values[0];
    if (!readsFirst)
      readOne(loop.getRegionIterArgs()[1]);
    make<scf::YieldOp>(ValueRange{scope.acc, next});
  }
  b.setInsertionPointAfter(loop);
  scope.acc = loop.getResult(0);
  if (random.chance(50))
    genStatements(1);
  readOne(route(loop.getResult(1)));
}
