//===- Generated asynchronous execution ----------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

void Generator::genTask(async::ExecuteOp op, AccessLog &log, Value acc,
                        function_ref<SmallVector<Value, 4>()> generate) {
  {
    Nested nested(*this);
    position.canBranch = false;
    position.canPrint = false;
    if (!op.getBody()->empty())
      op.getBody()->back().erase();
    b.setInsertionPointToEnd(op.getBody());
    scope.acc = acc ? acc : makeInt(random.range(0, 99));
    logs.push_back(&log);
    make<async::YieldOp>(generate());
    logs.pop_back();
  }
  b.setInsertionPointAfter(op);
}

void Generator::awaitPending(size_t index) {
  Pending done = pending[index];
  // It is still running on the way.
  for (Value &value : done.values)
    value = route(value);
  for (Value *value : {&done.group, &done.token})
    if (*value)
      *value = route(*value);
  pending.erase(pending.begin() + index);
  if (done.group && !awaitByCall(AsyncKind::AwaitGroup, done.group, done))
    make<async::AwaitAllOp>(done.group);
  if (done.token && !awaitByCall(AsyncKind::AwaitToken, done.token, done))
    make<async::AwaitOp>(done.token);
  size_t nextMem = 0;
  for (Value value : done.values) {
    if (cast<async::ValueType>(value.getType()).getValueType().isInteger(64)) {
      accumulate(make<async::AwaitOp>(value).getResult());
      continue;
    }
    MemVal mem = done.yielded[nextMem++];
    Value result = awaitMem(value, mem);
    addAwaited(mem, result);
  }
}

void Generator::genAsync() {
  if (isFull())
    return genTemporary();
  SmallVector<Type, 2> types = {b.getI64Type()};
  auto memTypes = pickResultTypes();
  types.append(memTypes.begin(), memTypes.end());
  SmallVector<Value> dependencies;
  for (const Pending &other : pending)
    if (other.token && other.level == position.level && random.chance(20))
      dependencies.push_back(other.token);
  auto op = make<async::ExecuteOp>(types, dependencies, ValueRange());
  Pending started;
  started.level = position.level;
  started.token = op.getToken();
  started.values.assign(op.getBodyResults().begin(), op.getBodyResults().end());
  SmallVector<int, 8> from;
  genTask(op, started.log, Value(), [&] {
    Yields yields = genBody(bodySize(), memTypes);
    from = yields.roots;
    return yields.values;
  });
  if (!memTypes.empty()) {
    MemVal mem;
    std::set<int> unique(from.begin(), from.end());
    unique.insert(addRoot(-1));
    mem.roots.assign(unique.begin(), unique.end());
    started.yielded.push_back(mem);
    // Nobody frees what it hands out.
    started.log.reads.insert(unique.begin(), unique.end());
  }
  pending.push_back(started);
  if (random.chance(25))
    return awaitPending(pending.size() - 1);
  if (random.chance(15) && !isFull()) {
    // A wait in one arm is none in the other.
    auto ifOp = make<scf::IfOp>(makeCondition(), false);
    b.setInsertionPoint(ifOp.thenBlock()->getTerminator());
    make<async::AwaitOp>(started.token);
    b.setInsertionPointAfter(ifOp);
    features.insert("await-on-a-path");
    genTemporary();
  }
}

void Generator::genAwait() {
  for (size_t k = pending.size(); k-- > 0;) {
    if (pending[k].level == position.level)
      return awaitPending(k);
    // A wait on some paths only, which ends nothing.
    if (pending[k].token && random.chance(60)) {
      make<async::AwaitOp>(pending[k].token);
      features.insert("await-on-a-path");
      return;
    }
  }
  genAsync();
}

void Generator::genAsyncLoop() {
  if (isFull())
    return genTemporary();
  // Every iteration starts something; all are waited for after the loop.
  int64_t trips = random.range(1, 3);
  MemVal out = makeOut(trips);
  bool usesGroup = random.chance(70);
  Value group;
  SmallVector<Value> inits = {scope.acc};
  if (usesGroup) {
    group = make<async::CreateGroupOp>(makeIndex(trips));
  } else {
    auto first =
        make<async::ExecuteOp>(TypeRange(), ValueRange(), ValueRange());
    inits.push_back(first.getToken());
  }
  auto loop =
      make<scf::ForOp>(makeIndex(0), makeIndex(trips), makeIndex(1), inits);
  size_t numRoots = roots.size();
  {
    Nested nested(*this);
    position.canBranch = false;
    position.canPrint = false;
    position.work *= trips;
    // Every iteration may still be running when the next one writes.
    enterParallel();
    b.setInsertionPointToStart(loop.getBody());
    Value iv = loop.getInductionVar();
    scope.acc = loop.getRegionIterArgs()[0];
    scope.ints.push_back(toInt(iv));
    MemVal local = makeFilled(pickType(), /*isPinned=*/true);
    // Chained: one token stands for all of them.
    SmallVector<Value> dependencies;
    if (!usesGroup)
      dependencies.push_back(loop.getRegionIterArgs()[1]);
    auto op = make<async::ExecuteOp>(TypeRange(), dependencies, ValueRange());
    Pending started;
    started.level = -nextLevel++;
    started.token = op.getToken();
    genTask(op, started.log, scope.ints.back(), [&]() -> SmallVector<Value, 4> {
      if (isWritten(local))
        read(local, /*all=*/true);
      Yields yields = genBody(bodySize(), {});
      make<memref::StoreOp>(scope.acc, out.value, iv);
      return {};
    });
    for (int root : started.log.reads)
      roots[root].pinned |= size_t(root) >= numRoots;
    for (int root : started.log.writes)
      roots[root].pinned |= size_t(root) >= numRoots;
    pending.push_back(started);
    if (usesGroup)
      make<async::AddToGroupOp>(op.getToken(), group);
    Yields yields = genBody(random.below(3), {});
    llvm::erase_if(pending, [&](const Pending &other) {
      return other.level == started.level;
    });
    if (!usesGroup)
      yields.values.push_back(op.getToken());
    make<scf::YieldOp>(yields.values);
  }
  leaveParallel(numRoots);
  b.setInsertionPointAfter(loop);
  scope.acc = loop.getResult(0);
  if (usesGroup)
    make<async::AwaitAllOp>(group);
  else
    make<async::AwaitOp>(loop.getResult(1));
  finishOut(out);
}

void Generator::genAsyncValue() {
  if (isFull())
    return genTemporary();
  // A buffer made by one asynchronous operation is what the next one gets, and
  // may come out of that one as well.
  MemRefType type = pickType();
  Type i64 = b.getI64Type();
  size_t numRoots = roots.size();
  enterParallel();
  auto producer =
      make<async::ExecuteOp>(TypeRange{type}, ValueRange(), ValueRange());
  Pending started;
  started.level = position.level;
  genTask(producer, started.log, Value(), [&]() -> SmallVector<Value, 4> {
    position.level = nextLevel++;
    ++position.depth;
    MemVal mem = makeFilled(type, /*isPinned=*/true);
    genStatements(1);
    endLevel();
    return {mem.value};
  });
  bool passesOn = random.chance(50);
  SmallVector<Type, 2> types = {i64};
  if (passesOn)
    types.push_back(type);
  auto consumer =
      make<async::ExecuteOp>(types, ValueRange(), producer.getBodyResults());
  started.token = consumer.getToken();
  started.values.assign(consumer.getBodyResults().begin(),
                        consumer.getBodyResults().end());
  int root = addRoot(-1);
  genTask(consumer, started.log, Value(), [&] {
    addMem(consumer.getBody()->getArguments().back(), root);
    MemVal mem = scope.mems.back();
    read(mem, /*all=*/true);
    Yields yields = genBody(1, {});
    if (passesOn)
      yields.values.push_back(mem.value);
    return yields.values;
  });
  leaveParallel(numRoots);
  if (passesOn) {
    MemVal mem;
    mem.roots = {root};
    started.yielded.push_back(mem);
  }
  pending.push_back(started);
  if (random.chance(50))
    genStatements(1);
}

bool Generator::canAwait() {
  if (!options.async || awaitsAnywhere)
    return true;
  for (Operation *op = currentBlock()->getParentOp(); op;
       op = op->getParentOp()) {
    if (isa<async::ExecuteOp, async::FuncOp>(op))
      return true;
    if (!isa<scf::IfOp>(op))
      return !isInCoroutine();
  }
  return true;
}

bool Generator::isInCoroutine() {
  Operation *op = currentBlock()->getParentOp();
  return isa<async::ExecuteOp, async::FuncOp>(op) ||
         op->getParentOfType<async::ExecuteOp>() ||
         op->getParentOfType<async::FuncOp>();
}

bool Generator::canDrop() {
  return !frees && position.canPrint && position.depth <= 1;
}

void Generator::genUnawaited() {
  // Nobody waits: the last that may still use a buffer is the end of the
  // function. Not in parallel bodies and not with frees, which would have to
  // come after it.
  if (isFull() || !canDrop())
    return genTemporary();
  auto op = make<async::ExecuteOp>(TypeRange(), ValueRange(), ValueRange());
  Pending started;
  started.level = -nextLevel++;
  started.token = op.getToken();
  genTask(op, started.log, Value(), [&]() -> SmallVector<Value, 4> {
    genBody(bodySize(), {});
    return {};
  });
  pending.push_back(started);
}
