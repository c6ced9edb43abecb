//===- Interpretation of asynchronous operations -------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A token or an asynchronous value is the task that makes it available, and the
// number of the value among those that the task yields (0 for the token).
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "mlir/Dialect/Async/IR/Async.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

/// Set the results of `i` to the token and the values of `task`.
static void setResults(Step &s, Task *task) {
  unsigned number = 0;
  for (unsigned k = 0; k < s.i.numResults; ++k) {
    Val &value = s.result(k);
    bool isToken = isa<async::TokenType>(s.i.op->getResult(k).getType());
    value.word[0] = reinterpret_cast<uint64_t>(task);
    value.word[1] = isToken ? 0 : ++number;
  }
}

static void handleExecute(Step &s) {
  auto op = cast<async::ExecuteOp>(s.i.op);
  Task *child = s.m.fork(s.task, s.a, s.i, s.i.blocks[0]);
  for (unsigned k = 0; k < s.i.numOperands; ++k)
    child->waits.push_back(getTask(s.operand(k)));
  // The values that the body gets are known when their tasks are done; they
  // are fetched by the first instruction that runs, so they are remembered.
  for (unsigned k = op.getDependencies().size(); k < s.i.numOperands; ++k)
    child->arguments.push_back(s.operand(k));
  setResults(s, child);
  s.m.start(child, /*parallel=*/false);
}

/// The caller goes on at once; lowered, it does when the callee waits for the
/// first time.
static void handleAsyncCall(Step &s) {
  Task &child = s.m.tasks.emplace_back();
  child.parent = &s.task;
  child.stack.push_back(s.m.makeActivation(s.i.callee, s.getOperands()));
  setResults(s, &child);
  s.m.start(&child, /*parallel=*/false);
}

static void handleAwait(Step &s) {
  Val value = s.operand(0);
  Task *awaited = getTask(value);
  if (!awaited->done) {
    s.task.waits.push_back(awaited);
    --s.a.position;
    return;
  }
  if (s.i.numResults == 1)
    s.result() = awaited->yielded[value.word[1] - 1];
}

void buffer_merge::fuzz::handleCreateTaskGroup(Step &s) {
  Task &group = s.m.tasks.emplace_back();
  group.isGroup = true;
  s.result().word[0] = reinterpret_cast<uint64_t>(&group);
}

void buffer_merge::fuzz::handleAddToTaskGroup(Step &s) {
  Task *member = getTask(s.operand(0));
  Task *group = getTask(s.operand(1));
  s.result().word[0] = group->members.size();
  group->members.push_back(member);
}

void buffer_merge::fuzz::handleAwaitTasks(Step &s) {
  s.task.waits.push_back(getTask(s.operand(0)));
}

/// The end of a task's body.
static void handleTaskYield(Step &s) { s.finishTask(s.getOperands()); }

void buffer_merge::fuzz::addAsyncHandlers(HandlerMap &map) {
  addHandler<async::ExecuteOp>(map, handleExecute);
  addHandler<async::CallOp>(map, handleAsyncCall);
  addHandler<async::AwaitOp>(map, handleAwait);
  addHandler<async::CreateGroupOp>(map, handleCreateTaskGroup);
  addHandler<async::AddToGroupOp>(map, handleAddToTaskGroup);
  addHandler<async::AwaitAllOp>(map, handleAwaitTasks);
  addHandler<async::YieldOp, async::ReturnOp>(map, handleTaskYield);
}
