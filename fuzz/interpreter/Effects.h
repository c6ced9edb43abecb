//===- Effects.h - What functions did to memory -----------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_FUZZ_EFFECTS_H
#define BUFFER_MERGE_FUZZ_EFFECTS_H

#include "Memory.h"

#include <map>
#include <string>
#include <vector>

namespace buffer_merge::fuzz {
class Machine;

/// What all calls of a function did to the bytes behind an argument, through
/// the argument or what was derived from it.
struct ArgumentEffects {
  bool reads = false;
  bool writes = false;
  /// During a call, somebody wrote a byte that was accessed through the
  /// argument and in another way.
  bool isShared = false;
};

/// What all calls of a function did, what they called included.
struct FunctionEffects {
  std::vector<ArgumentEffects> arguments;
  /// Of memory that was there before the call, in other ways than through the
  /// arguments.
  bool readsOther = false;
  bool writesOther = false;
  /// A function was called of which only the declaration is known.
  bool callsOutside = false;
};

/// By the names of the functions that were called.
using Effects = std::map<std::string, FunctionEffects>;

/// Of one call of a function that is being executed.
struct CallEffects {
  struct Argument {
    /// 0 for what is no memref.
    InstanceId instance = 0;
    /// For each byte who accessed it; see `EffectRecorder`.
    std::vector<uint8_t> accesses;
  };
  FunctionEffects *effects = nullptr;
  /// What was made at a later step is the own memory of the call.
  uint64_t begin = 0;
  std::vector<Argument> arguments;
};

/// Records the effects of all functions that are being executed.
class EffectRecorder : public AccessObserver {
public:
  EffectRecorder(Machine &machine, Effects &effects)
      : machine(machine), effects(effects) {}

  /// The task that is being executed calls a function with the memrefs
  /// `arguments`, null for other values.
  CallEffects begin(llvm::StringRef name,
                    llvm::ArrayRef<const Descriptor *> arguments);
  /// It calls a function of which only the declaration is known.
  void callOutside();
  void observe(const Descriptor &memref, int64_t byte, unsigned bytes,
               bool isWrite) override;

private:
  void record(CallEffects &call, const Descriptor &memref, int64_t byte,
              unsigned bytes, bool isWrite);

  Machine &machine;
  Effects &effects;
};
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_FUZZ_EFFECTS_H
