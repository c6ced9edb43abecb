//===- Effects.cpp - What functions did to memory -------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Effects.h"
#include "Machine.h"

using namespace buffer_merge::fuzz;

/// Call `fn` with the effects of each call that `task` is in. An iteration of a
/// parallel loop is in those of the task with the loop as well.
static void forEachCall(Task *task,
                        llvm::function_ref<void(CallEffects &)> fn) {
  for (; task; task = task->parent)
    for (const std::unique_ptr<Activation> &activation : task->stack)
      if (activation->effects.effects)
        fn(activation->effects);
}

CallEffects
EffectRecorder::begin(llvm::StringRef name,
                      llvm::ArrayRef<const Descriptor *> arguments) {
  CallEffects call;
  call.effects = &effects[name.str()];
  call.effects->arguments.resize(arguments.size());
  call.begin = machine.steps;
  for (const Descriptor *memref : arguments) {
    CallEffects::Argument &argument = call.arguments.emplace_back();
    if (!memref)
      continue;
    argument.instance = memref->instance;
    const Instance &instance = machine.memory.getInstance(memref->instance);
    argument.accesses.resize(instance.end - instance.begin);
  }
  return call;
}

void EffectRecorder::callOutside() {
  forEachCall(machine.current,
              [](CallEffects &call) { call.effects->callsOutside = true; });
}

void EffectRecorder::observe(const Descriptor &memref, int64_t byte,
                             unsigned bytes, bool isWrite) {
  forEachCall(machine.current, [&](CallEffects &call) {
    record(call, memref, byte, bytes, isWrite);
  });
}

void EffectRecorder::record(CallEffects &call, const Descriptor &memref,
                            int64_t byte, unsigned bytes, bool isWrite) {
  auto isDerivedFrom = [&](InstanceId argument) {
    InstanceId id = memref.instance;
    while (id != 0 && id != argument)
      id = machine.memory.getInstance(id).source;
    return id == argument;
  };
  bool isArgument = false;
  for (size_t k = 0; k < call.arguments.size(); ++k) {
    CallEffects::Argument &argument = call.arguments[k];
    const Instance &instance = machine.memory.getInstance(argument.instance);
    if (argument.instance == 0 || instance.allocation != memref.allocation)
      continue;
    ArgumentEffects &effects = call.effects->arguments[k];
    bool isDerived = isDerivedFrom(argument.instance);
    // Two arguments that are one buffer: either of them may be meant.
    bool isAmbiguous = llvm::count_if(call.arguments, [&](const auto &other) {
                         return other.instance == argument.instance;
                       }) > 1;
    if (isDerived) {
      isArgument = true;
      (isWrite ? effects.writes : effects.reads) = true;
      effects.isShared |= isAmbiguous && isWrite;
    }
    // Bits for reads and writes, through the argument and otherwise.
    uint8_t bit = (isWrite ? 2 : 1) << (isDerived ? 0 : 2);
    for (int64_t at = byte; at < byte + int64_t(bytes); ++at) {
      if (at < instance.begin || at >= instance.end)
        continue;
      uint8_t &accesses = argument.accesses[at - instance.begin];
      accesses |= bit;
      effects.isShared |= (accesses & 3) && (accesses & 12) && (accesses & 10);
    }
  }
  if (!isArgument && memref.allocation->made <= call.begin)
    (isWrite ? call.effects->writesOther : call.effects->readsOther) = true;
}
