//===- Interpretation of lowered asynchronous operations -----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Coroutines and the asynchronous runtime, as operations of the async dialect
// and as what these become in the LLVM dialect: intrinsics and calls of
// functions.
//
// A coroutine runs in the task of its caller until it is first suspended. From
// then on it is a task of its own with a copy of all values, its frame.
// Whenever it is suspended, what stands between the suspend block and the end
// of the coroutine is executed, and what follows that end is by the first
// caller alone.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

static Task *getTask(const Val &value) {
  return reinterpret_cast<Task *>(value.word[0]);
}

//===----------------------------------------------------------------------===//
// Coroutines
//===----------------------------------------------------------------------===//

static void handleBegin(Machine &m, Task &, Activation &a,
                        const Instruction &i) {
  a.coroutine = &m.tasks.emplace_back();
  m.result(a, i).word[0] = reinterpret_cast<uint64_t>(a.coroutine);
}

/// Continue at a suspend point: `outcome` is what the intrinsic returns, -1 if
/// the coroutine was suspended just now and 0 if it was resumed.
static void continueAt(Machine &m, Activation &a, const RegionEntry &point,
                       int64_t outcome) {
  const Instruction &i = *point.instruction;
  if (isa<async::CoroSuspendOp>(i.op))
    return m.jump(a, i.blocks[outcome < 0 ? 0 : 1], {});
  a.block = point.block;
  a.position = point.position;
  m.result(a, i) = makeVal(truncate(outcome, 8));
}

static void handleSuspend(Machine &m, Task &task, Activation &a,
                          const Instruction &i) {
  RegionEntry point = {&i, a.block, a.position};
  Task *coroutine = a.coroutine;
  if (!coroutine)
    return m.fail("suspended before the coroutine has begun");
  if (coroutine == &task) {
    task.suspended = point;
    return continueAt(m, a, point, -1);
  }
  if (!coroutine->stack.empty())
    return m.fail("suspended twice by its caller");
  auto frame = std::make_unique<Activation>(a);
  frame->call = nullptr;
  // What is on the stack lives in the frame.
  a.stack.clear();
  continueAt(m, *frame, point, 0);
  coroutine->stack.push_back(std::move(frame));
  std::swap(coroutine->waits, coroutine->resumeWaits);
  m.start(coroutine, /*parallel=*/false);
  continueAt(m, a, point, -1);
}

static void handleEnd(Machine &m, Task &task, Activation &a,
                      const Instruction &i) {
  for (unsigned k = 0; k < i.numResults; ++k)
    m.result(a, i, k) = Val();
  if (a.coroutine != &task)
    return;
  if (!task.suspended)
    return m.finishTask(task, a, {});
  RegionEntry point = *task.suspended;
  task.suspended.reset();
  std::swap(task.waits, task.resumeWaits);
  continueAt(m, a, point, 0);
}

/// Operands: what to wait for, the coroutine.
static void handleAwaitAndResume(Machine &m, Task &, Activation &a,
                                 const Instruction &i) {
  getTask(m.operand(a, i, 1))
      ->resumeWaits.push_back(getTask(m.operand(a, i, 0)));
}

//===----------------------------------------------------------------------===//
// The runtime
//===----------------------------------------------------------------------===//

static void handleCreate(Machine &m, Task &, Activation &a,
                         const Instruction &i) {
  Task &value = m.tasks.emplace_back();
  value.isValue = true;
  m.result(a, i).word[0] = reinterpret_cast<uint64_t>(&value);
}

static void handleSetAvailable(Machine &m, Task &, Activation &a,
                               const Instruction &i) {
  Task *value = getTask(m.operand(a, i, 0));
  if (value->done)
    m.fail("made available twice");
  value->done = true;
}

static void handleSetError(Machine &m, Task &, Activation &,
                           const Instruction &) {
  m.fail("error in an asynchronous value");
}

static void handleIsError(Machine &m, Task &, Activation &a,
                          const Instruction &i) {
  m.result(a, i) = Val();
}

/// Operands: the value, and where it goes.
static void handleStore(Machine &m, Task &, Activation &a,
                        const Instruction &i) {
  getTask(m.operand(a, i, 1))->yielded = {m.operand(a, i, 0)};
}

static void handleLoad(Machine &m, Task &, Activation &a,
                       const Instruction &i) {
  Task *value = getTask(m.operand(a, i, 0));
  if (!value->done || value->yielded.empty())
    return m.fail("load of an asynchronous value that is not available");
  m.result(a, i) = value->yielded[0];
}

/// The storage of a value is the value.
static void handleGetStorage(Machine &m, Task &, Activation &a,
                             const Instruction &i) {
  m.result(a, i) = m.operand(a, i, 0);
}

Handler buffer_merge::fuzz::getRuntimeFunction(StringRef name) {
  if (!name.consume_front("mlirAsyncRuntime"))
    return nullptr;
  return llvm::StringSwitch<Handler>(name)
      .Cases({"AddRef", "DropRef", "Execute"}, handleNothing)
      .Cases({"CreateToken", "CreateValue"}, handleCreate)
      .Case("CreateGroup", handleCreateTaskGroup)
      .Cases({"EmplaceToken", "EmplaceValue"}, handleSetAvailable)
      .Cases({"SetTokenError", "SetValueError"}, handleSetError)
      .Cases({"IsTokenError", "IsValueError", "IsGroupError"}, handleIsError)
      .Cases({"AwaitToken", "AwaitValue", "AwaitAllInGroup"}, handleAwaitTasks)
      .Case("GetValueStorage", handleGetStorage)
      .Case("AddTokenToGroup", handleAddToTaskGroup)
      .Cases({"AwaitTokenAndExecute", "AwaitValueAndExecute",
              "AwaitAllInGroupAndExecute"},
             handleAwaitAndResume)
      .Default(nullptr);
}

static void handleSExt(Machine &m, Task &, Activation &a,
                       const Instruction &i) {
  m.result(a, i) = makeVal(
      truncate(signExtend(m.integer(a, i, 0), i.operandWidth), i.resultWidth));
}

static void handleConstant(Machine &m, Task &, Activation &a,
                           const Instruction &i) {
  m.result(a, i) = i.constant;
}

template <typename... OpTys>
static void addNothing(HandlerMap &map) {
  (addHandler<OpTys>(map, handleNothing), ...);
}

void buffer_merge::fuzz::addCoroutineHandlers(HandlerMap &map) {
  addNothing<async::CoroIdOp, async::CoroSaveOp, async::CoroFreeOp,
             async::RuntimeResumeOp, async::RuntimeAddRefOp,
             async::RuntimeDropRefOp>(map);
  addHandler<async::CoroBeginOp>(map, handleBegin);
  addHandler<async::CoroSuspendOp>(map, handleSuspend);
  addHandler<async::CoroEndOp>(map, handleEnd);
  addHandler<async::RuntimeCreateOp>(map, handleCreate);
  addHandler<async::RuntimeCreateGroupOp>(map, handleCreateTaskGroup);
  addHandler<async::RuntimeSetAvailableOp>(map, handleSetAvailable);
  addHandler<async::RuntimeSetErrorOp>(map, handleSetError);
  addHandler<async::RuntimeIsErrorOp>(map, handleIsError);
  addHandler<async::RuntimeAwaitOp>(map, handleAwaitTasks);
  addHandler<async::RuntimeAwaitAndResumeOp>(map, handleAwaitAndResume);
  addHandler<async::RuntimeStoreOp>(map, handleStore);
  addHandler<async::RuntimeLoadOp>(map, handleLoad);
  addHandler<async::RuntimeAddToGroupOp>(map, handleAddToTaskGroup);

  // Sizes and addresses of frames make no difference here.
  addNothing<LLVM::CoroIdOp, LLVM::CoroSaveOp, LLVM::CoroFreeOp,
             LLVM::CoroSizeOp, LLVM::CoroAlignOp, LLVM::CoroResumeOp,
             LLVM::CallOp, LLVM::AddOp, LLVM::SubOp, LLVM::AndOp, LLVM::ZeroOp,
             LLVM::NoneTokenOp, LLVM::AddressOfOp, LLVM::GEPOp,
             LLVM::PtrToIntOp, LLVM::ReturnOp>(map);
  addHandler<LLVM::CoroBeginOp>(map, handleBegin);
  addHandler<LLVM::CoroSuspendOp>(map, handleSuspend);
  addHandler<LLVM::CoroEndOp>(map, handleEnd);
  addHandler<LLVM::ConstantOp>(map, handleConstant);
  addHandler<LLVM::SExtOp>(map, handleSExt);
  addHandler<LLVM::SwitchOp>(map, handleSwitch);
  addHandler<LLVM::StoreOp>(map, handleStore);
  addHandler<LLVM::LoadOp>(map, handleLoad);
}
