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

static Task *getTask(const Val &value) {
  return reinterpret_cast<Task *>(value.word[0]);
}

/// Set the results of `i` to the token and the values of `task`.
static void setResults(Machine &m, Activation &a, const Instruction &i,
                       Task *task) {
  unsigned number = 0;
  for (unsigned k = 0; k < i.numResults; ++k) {
    Val &value = m.result(a, i, k);
    bool isToken = isa<async::TokenType>(i.op->getResult(k).getType());
    value.word[0] = reinterpret_cast<uint64_t>(task);
    value.word[1] = isToken ? 0 : ++number;
  }
}

static void handleExecute(Machine &m, Task &task, Activation &a,
                          const Instruction &i) {
  auto op = cast<async::ExecuteOp>(i.op);
  Task *child = m.fork(task, a, i, i.blocks[0]);
  for (unsigned k = 0; k < i.numOperands; ++k)
    child->waits.push_back(getTask(m.operand(a, i, k)));
  // The values that the body gets are known when their tasks are done; they
  // are fetched by the first instruction that runs, so they are remembered.
  for (unsigned k = op.getDependencies().size(); k < i.numOperands; ++k)
    child->arguments.push_back(m.operand(a, i, k));
  setResults(m, a, i, child);
  m.start(child, /*parallel=*/false);
}

/// The caller goes on at once; lowered, it does when the callee waits for the
/// first time.
static void handleAsyncCall(Machine &m, Task &task, Activation &a,
                            const Instruction &i) {
  Task &child = m.tasks.emplace_back();
  child.parent = &task;
  child.stack.push_back(m.makeActivation(i.callee, m.getOperands(a, i)));
  setResults(m, a, i, &child);
  m.start(&child, /*parallel=*/false);
}

static void handleAwait(Machine &m, Task &task, Activation &a,
                        const Instruction &i) {
  Val value = m.operand(a, i, 0);
  Task *awaited = getTask(value);
  if (!awaited->done) {
    task.waits.push_back(awaited);
    --a.position;
    return;
  }
  if (i.numResults == 1)
    m.result(a, i) = awaited->yielded[value.word[1] - 1];
}

void buffer_merge::fuzz::handleCreateTaskGroup(Machine &m, Task &,
                                               Activation &a,
                                               const Instruction &i) {
  Task &group = m.tasks.emplace_back();
  group.isGroup = true;
  m.result(a, i).word[0] = reinterpret_cast<uint64_t>(&group);
}

void buffer_merge::fuzz::handleAddToTaskGroup(Machine &m, Task &, Activation &a,
                                              const Instruction &i) {
  Task *member = getTask(m.operand(a, i, 0));
  Task *group = getTask(m.operand(a, i, 1));
  m.result(a, i).word[0] = group->members.size();
  group->members.push_back(member);
}

void buffer_merge::fuzz::handleAwaitTasks(Machine &m, Task &task, Activation &a,
                                          const Instruction &i) {
  task.waits.push_back(getTask(m.operand(a, i, 0)));
}

/// The end of a task's body.
static void handleYield(Machine &m, Task &task, Activation &a,
                        const Instruction &i) {
  m.finishTask(task, a, m.getOperands(a, i));
}

void buffer_merge::fuzz::addAsyncHandlers(HandlerMap &map) {
  addHandler<async::ExecuteOp>(map, handleExecute);
  addHandler<async::CallOp>(map, handleAsyncCall);
  addHandler<async::AwaitOp>(map, handleAwait);
  addHandler<async::CreateGroupOp>(map, handleCreateTaskGroup);
  addHandler<async::AddToGroupOp>(map, handleAddToTaskGroup);
  addHandler<async::AwaitAllOp>(map, handleAwaitTasks);
  addHandler<async::YieldOp>(map, handleYield);
  addHandler<async::ReturnOp>(map, handleYield);
}
