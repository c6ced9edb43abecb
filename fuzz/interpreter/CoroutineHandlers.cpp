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

//===----------------------------------------------------------------------===//
// Coroutines
//===----------------------------------------------------------------------===//

static void handleBegin(Step &s) {
  s.a.coroutine = &s.m.tasks.emplace_back();
  s.result().word[0] = reinterpret_cast<uint64_t>(s.a.coroutine);
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

static void handleSuspend(Step &s) {
  RegionEntry point = {&s.i, s.a.block, s.a.position};
  Task *coroutine = s.a.coroutine;
  if (!coroutine)
    return s.fail("suspended before the coroutine has begun");
  if (coroutine == &s.task) {
    s.task.suspended = point;
    return continueAt(s.m, s.a, point, -1);
  }
  if (!coroutine->stack.empty())
    return s.fail("suspended twice by its caller");
  auto frame = std::make_unique<Activation>(s.a);
  frame->call = nullptr;
  // What is on the stack lives in the frame.
  s.a.stack.clear();
  continueAt(s.m, *frame, point, 0);
  coroutine->stack.push_back(std::move(frame));
  std::swap(coroutine->waits, coroutine->resumeWaits);
  s.m.start(coroutine, /*parallel=*/false);
  continueAt(s.m, s.a, point, -1);
}

static void handleEnd(Step &s) {
  for (unsigned k = 0; k < s.i.numResults; ++k)
    s.result(k) = Val();
  if (s.a.coroutine != &s.task)
    return;
  if (!s.task.suspended)
    return s.finishTask({});
  RegionEntry point = *s.task.suspended;
  s.task.suspended.reset();
  std::swap(s.task.waits, s.task.resumeWaits);
  continueAt(s.m, s.a, point, 0);
}

/// Operands: what to wait for, the coroutine.
static void handleAwaitAndResume(Step &s) {
  getTask(s.operand(1))->resumeWaits.push_back(getTask(s.operand(0)));
}

//===----------------------------------------------------------------------===//
// The runtime
//===----------------------------------------------------------------------===//

static void handleCreate(Step &s) {
  Task &value = s.m.tasks.emplace_back();
  value.isValue = true;
  s.result().word[0] = reinterpret_cast<uint64_t>(&value);
}

static void handleSetAvailable(Step &s) {
  Task *value = getTask(s.operand(0));
  if (value->done)
    s.fail("made available twice");
  value->done = true;
}

static void handleSetError(Step &s) {
  s.fail("error in an asynchronous value");
}

static void handleIsError(Step &s) { s.result() = Val(); }

/// Operands: the value, and where it goes.
static void handleRuntimeStore(Step &s) {
  getTask(s.operand(1))->yielded = {s.operand(0)};
}

static void handleRuntimeLoad(Step &s) {
  Task *value = getTask(s.operand(0));
  if (!value->done || value->yielded.empty())
    return s.fail("load of an asynchronous value that is not available");
  s.result() = value->yielded[0];
}

/// The storage of a value is the value.
static void handleGetStorage(Step &s) { s.result() = s.operand(0); }

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

void buffer_merge::fuzz::addCoroutineHandlers(HandlerMap &map) {
  addHandler<async::CoroIdOp, async::CoroSaveOp, async::CoroFreeOp,
             async::RuntimeResumeOp, async::RuntimeAddRefOp,
             async::RuntimeDropRefOp>(map, handleNothing);
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
  addHandler<async::RuntimeStoreOp>(map, handleRuntimeStore);
  addHandler<async::RuntimeLoadOp>(map, handleRuntimeLoad);
  addHandler<async::RuntimeAddToGroupOp>(map, handleAddToTaskGroup);

  // Sizes and addresses of frames make no difference here.
  addHandler<LLVM::CoroIdOp, LLVM::CoroSaveOp, LLVM::CoroFreeOp,
             LLVM::CoroSizeOp, LLVM::CoroAlignOp, LLVM::CoroResumeOp,
             LLVM::CallOp, LLVM::AddOp, LLVM::SubOp, LLVM::AndOp, LLVM::ZeroOp,
             LLVM::NoneTokenOp, LLVM::AddressOfOp, LLVM::GEPOp,
             LLVM::PtrToIntOp, LLVM::ReturnOp>(map, handleNothing);
  addHandler<LLVM::CoroBeginOp>(map, handleBegin);
  addHandler<LLVM::CoroSuspendOp>(map, handleSuspend);
  addHandler<LLVM::CoroEndOp>(map, handleEnd);
  addHandler<LLVM::ConstantOp>(map, handleConstant);
  addHandler<LLVM::SExtOp>(map, handleSignedCast);
  addHandler<LLVM::SwitchOp>(map, handleSwitch);
  addHandler<LLVM::StoreOp>(map, handleRuntimeStore);
  addHandler<LLVM::LoadOp>(map, handleRuntimeLoad);
}
