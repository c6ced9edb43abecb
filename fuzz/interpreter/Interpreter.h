//===- The oracle: runs a module, trusts nothing ----------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_FUZZ_INTERPRETER_H
#define BUFFER_MERGE_FUZZ_INTERPRETER_H

#include "Effects.h"
#include "Memory.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <string>
#include <vector>

namespace buffer_merge::fuzz {
struct CompiledProgram;

/// In what order things run whose order the program leaves open.
enum class TaskOrder {
  /// Iterations of parallel loops one after the other; an asynchronous body
  /// as soon as it may start.
  Early,
  /// Parallel iterations in reverse order; an asynchronous body when somebody
  /// waits for it, and not before.
  Late,
  /// Everything that may run does one operation in turn.
  Interleaved,
};

llvm::StringRef stringify(TaskOrder order);

/// What one run did.
struct ExecutionResult {
  /// The arguments of all calls of `@use_i64`, in order.
  std::vector<int64_t> trace;
  /// The first thing that went wrong; empty if nothing did.
  std::string failure;
  /// Names of the heap allocations that were not freed, in order of their
  /// allocation.
  std::vector<std::string> leaks;
  /// Operations executed.
  uint64_t steps = 0;
  /// The run was given up because it took too many steps.
  bool outOfSteps = false;
  /// What the heap holds, see `getHeapPeak`.
  std::vector<HeldAllocation> held;
  /// A loop ran no iteration, or less than two although it carries buffers.
  bool skipsLoop = false;
  /// With effects only: an address of a freed buffer was compared.
  bool comparesFreed = false;
};

/// When an allocation ends.
enum class HoldEnd {
  /// When the program frees it, and never if it does not.
  Free,
  /// After its last use: the last access to its bytes (views and deallocations
  /// are none), the end of a call or loop that it is passed to or that uses it,
  /// or the begin of another operation whose regions use it.
  LastUse
};

/// Return the most bytes that are held in a memory space at one step, each
/// allocation rounded up to `alignment` or to what it asks for, whichever is
/// more. Pools are not rounded up: the end of one is padding. Arenas and
/// globals are held while the function runs that begins with them.
int64_t getHeapPeak(llvm::ArrayRef<HeldAllocation> held, HoldEnd end,
                    const void *space, int64_t alignment);

/// Return the most bytes at one step by which `getHeapPeak` rounds up what is
/// held there, beyond what it asks for.
int64_t getMostPadding(llvm::ArrayRef<HeldAllocation> held, HoldEnd end,
                       const void *space, int64_t alignment);

/// A module, made ready to run several times. It refers to the module, which
/// must stay as it is.
///
/// The interpreter knows nothing of lifetimes and schedules. It knows which
/// `memref.alloc` is which by a convention: every allocation of the original
/// program has the location `loc("b<N>")`, unique in the module, and nothing
/// else has one of that form. A `memref.view` with such a location stands for
/// an allocation that was merged, and every execution of it starts a new
/// logical buffer. Reading a byte that another logical buffer wrote is a
/// failure, even if the value is the same by chance.
class Interpreter {
public:
  Interpreter();
  ~Interpreter();

  /// Translate `module`. Returns an empty string, or why it cannot be run: the
  /// name of an operation that is not known.
  std::string compile(mlir::ModuleOp module);

  /// Demand that the slices named like `name` start at a multiple of
  /// `alignment` and that their pool says it is aligned so.
  void requireAlignment(llvm::StringRef name, int64_t alignment);

  /// Run `@main` for at most `maxSteps` operations.
  ExecutionResult run(TaskOrder order, uint64_t maxSteps = 400000) const;

  /// Run `@main`, with addresses by `policy`, and record the effects of the
  /// functions that it calls.
  ExecutionResult run(AddressPolicy policy, Effects &effects) const;

private:
  std::unique_ptr<CompiledProgram> program;
};

/// What `@input_i64(value)` returns: nothing that a compiler could fold.
int64_t getInput(int64_t value);

/// Return `N` and the `b` before it if `loc` names an allocation of the
/// original program, the first of several, otherwise an empty string.
llvm::StringRef getBufferName(mlir::Location loc);

/// The attribute of a view of a pool without a name whose bytes may also be
/// written as another one: a part (`Memory::addPart`).
inline constexpr llvm::StringLiteral partAttrName("part");

/// Return the names of all allocations that `loc` names: what is in place of
/// each other is one view.
llvm::SmallVector<llvm::StringRef, 1> getBufferNames(mlir::Location loc);
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_FUZZ_INTERPRETER_H
