//===- Inner workings of the interpreter ------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_FUZZ_MACHINE_H
#define BUFFER_MERGE_FUZZ_MACHINE_H

#include "Effects.h"
#include "Interpreter.h"
#include "Memory.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace buffer_merge::fuzz {
struct Activation;
struct Code;
struct Function;
struct Instruction;
struct Task;
class Machine;

struct Step;

/// Executes one instruction. The position was already moved past it.
using Handler = void (*)(Step &s);

/// One operation, with everything looked up that does not change.
struct Instruction {
  Handler handler = nullptr;
  mlir::Operation *op = nullptr;
  /// Slots of operands and results.
  uint32_t *operands = nullptr;
  uint32_t *results = nullptr;
  uint32_t numOperands = 0;
  uint32_t numResults = 0;
  /// Entry blocks of the regions (null if empty), then the successors.
  Code **blocks = nullptr;
  uint32_t numRegions = 0;
  /// Slots of the memrefs that a call, a choice or the regions may use.
  llvm::ArrayRef<uint32_t> usedMemrefs;
  bool isLoop = false;
  /// For branches: first operand and number of operands of each successor.
  std::pair<uint32_t, uint32_t> *successorOperands = nullptr;
  /// Bit widths of the first operand and the first result, if scalar.
  uint16_t operandWidth = 0;
  uint16_t resultWidth = 0;
  /// Bytes of the element that is loaded, stored, filled or copied.
  uint16_t elementBytes = 0;
  /// Bytes from one element of the first memref result to the next.
  uint16_t resultStride = 0;
  Val constant;
  Function *callee = nullptr;
  /// The name of an allocation, or of the view that stands for one.
  llvm::StringRef name;
  int64_t alignment = 1;
};

struct Code {
  std::vector<Instruction> instructions;
  std::vector<uint32_t> arguments;
};

struct Function {
  mlir::Operation *op = nullptr;
  /// Null for a declaration.
  Code *entry = nullptr;
  uint32_t numSlots = 0;
};

struct CompiledProgram {
  std::deque<Function> functions;
  std::deque<Code> blocks;
  llvm::BumpPtrAllocator arrays;
  llvm::StringMap<int64_t> requiredAlignments;
  Function *main = nullptr;
};

/// A region being executed.
struct RegionEntry {
  const Instruction *instruction;
  /// Where to go on afterwards.
  Code *block;
  size_t position;
  /// For loops; of scf.while, `iv` is 1 after its first iteration.
  int64_t iv = 0;
  int64_t upper = 0;
  int64_t step = 0;
  /// The number of stack allocations of the activation at the entry.
  size_t numStack = 0;
};

/// A function, or the body of a task, being executed.
struct Activation {
  Function *function = nullptr;
  Code *block = nullptr;
  size_t position = 0;
  std::vector<Val> slots;
  std::vector<RegionEntry> regions;
  /// What is on the stack; gone when the function returns.
  std::vector<Allocation *> stack;
  /// The arenas and globals that are held until the function returns, see
  /// `Memory::beginHold`.
  std::vector<size_t> holds;
  const Instruction *call = nullptr;
  /// What it does, if that is recorded.
  CallEffects effects;
  /// The coroutine that the function is, once it has begun.
  Task *coroutine = nullptr;
  /// The parallel loop that is being executed, and its iterations.
  const Instruction *reducing = nullptr;
  std::vector<Task *> reductions;

  /// End the life of all stack allocations but the first `numLeft`.
  void releaseStack(size_t numLeft);
};

/// A thread of execution: the main program, an iteration of a parallel loop,
/// the body of an asynchronous operation, or what is left of a coroutine after
/// it was suspended. What a function starts may go on after the function has
/// returned.
struct Task {
  std::vector<std::unique_ptr<Activation>> stack;
  /// Iterations of a parallel loop not yet done.
  std::vector<Task *> children;
  std::vector<Task *> waits;
  Task *parent = nullptr;
  /// What a body yields: results of async.execute, operands of scf.reduce.
  std::vector<Val> yielded;
  /// For asynchronous bodies that did not start: the asynchronous values that
  /// its block arguments come from.
  std::vector<Val> arguments;
  /// For groups, which are tasks that never run: the members.
  std::vector<Task *> members;
  bool isGroup = false;
  /// It never runs: a token or a value of the asynchronous runtime.
  bool isValue = false;
  bool done = false;
  /// For coroutines: where it was suspended, and what it waits for before it
  /// goes on from there.
  std::optional<RegionEntry> suspended;
  std::vector<Task *> resumeWaits;
};

/// Return the task that `value`, a token, a group or an asynchronous value, is.
inline Task *getTask(const Val &value) {
  return reinterpret_cast<Task *>(value.word[0]);
}

/// A copy that was started and not waited for.
struct Transfer {
  Descriptor source;
  Descriptor target;
  Descriptor tag;
  int64_t sourceIndex;
  int64_t targetIndex;
  int64_t tagIndex;
  int64_t count;
  unsigned bytes;
};

/// The state of one run.
class Machine {
public:
  Machine(const CompiledProgram &program, TaskOrder order)
      : program(program), order(order) {}

  void run(uint64_t maxSteps);

  Val &operand(Activation &activation, const Instruction &instruction,
               unsigned i) {
    return activation.slots[instruction.operands[i]];
  }
  Val &result(Activation &activation, const Instruction &instruction,
              unsigned i = 0) {
    return activation.slots[instruction.results[i]];
  }
  /// Set the arguments of `block` and continue there.
  void jump(Activation &activation, Code *block, llvm::ArrayRef<Val> values);
  /// Enter `block` of a region of `instruction`.
  RegionEntry &enter(Activation &activation, const Instruction &instruction);
  /// Leave the innermost region with `values` as results of its operation.
  void leave(Activation &activation, llvm::ArrayRef<Val> values);
  /// Record that `instruction` may use memrefs, now or later.
  void useMemrefs(Activation &activation, const Instruction &instruction);
  /// Run the single block `block`, which has no control flow and ends in a
  /// terminator with operands; return these.
  llvm::SmallVector<Val, 2> evaluate(Task &task, Activation &activation,
                                     Code *block, llvm::ArrayRef<Val> values);
  /// Create a task that continues in `block` with all values of `activation`.
  Task *fork(Task &parent, Activation &activation,
             const Instruction &instruction, Code *block);
  /// Return the activation of a call of `callee` with `values`.
  std::unique_ptr<Activation> makeActivation(Function *callee,
                                             llvm::ArrayRef<Val> values);
  /// End `task`, whose body has yielded `values`.
  void finishTask(Task &task, Activation &activation,
                  llvm::ArrayRef<Val> values);
  /// Let `tasks` run; `parallel` if they are iterations of one loop.
  void start(llvm::ArrayRef<Task *> tasks, bool parallel);

  void fail(const llvm::Twine &message) { memory.fail(message); }

  Memory memory;
  /// Null if effects are not recorded.
  EffectRecorder *recorder = nullptr;
  /// The task whose operation is being executed.
  Task *current = nullptr;
  /// A comparison with an address of a freed buffer was executed.
  bool comparesFreed = false;
  /// Stands for a memref after a failure.
  Descriptor nothing;
  std::vector<int64_t> trace;
  std::vector<Transfer> transfers;
  /// The memories of the target, by their names.
  llvm::DenseMap<mlir::Attribute, Allocation *> regions;
  /// What was used of the globals so far.
  llvm::DenseMap<mlir::Operation *, Allocation *> globals;
  std::deque<Task> tasks;
  const CompiledProgram &program;
  TaskOrder order;
  uint64_t steps = 0;
  bool outOfSteps = false;
  bool skipsLoop = false;

protected:
  /// Execute the next operation of `task`.
  void step(Task &task);

private:
  void execute(Task &task, Activation &activation,
               const Instruction &instruction);
  /// Give `@main` sizes, and the arena that it says it needs for these, if it
  /// does.
  void passArguments(Activation &activation);
  /// Return a task that can run and for which `task` waits, or `task`, or null.
  Task *findRunnable(Task *task);
  Task *pick();

  std::vector<Task *> running;
  bool hasNewTasks = false;
};

/// The execution of one instruction, with what handlers do to it.
struct Step {
  Machine &m;
  Task &task;
  Activation &a;
  const Instruction &i;

  Val &operand(unsigned k) { return m.operand(a, i, k); }
  Val &result(unsigned k = 0) { return m.result(a, i, k); }
  int64_t integer(unsigned k) { return operand(k).word[0]; }
  Descriptor &memref(unsigned k) {
    if (uint64_t pointer = operand(k).word[0])
      return *reinterpret_cast<Descriptor *>(pointer);
    fail("use of a memref that was never made");
    return m.nothing;
  }
  void setMemref(unsigned k, const Descriptor &descriptor) {
    result(k).word[0] = reinterpret_cast<uint64_t>(m.memory.create(descriptor));
  }
  /// The operands from `first` on, all or `count` of them.
  llvm::SmallVector<Val, 8> getOperands(unsigned first = 0,
                                        std::optional<unsigned> count = {}) {
    llvm::SmallVector<Val, 8> values;
    for (unsigned k = 0, e = count.value_or(i.numOperands - first); k < e; ++k)
      values.push_back(operand(first + k));
    return values;
  }
  llvm::SmallVector<int64_t, 4>
  getIntegers(unsigned first = 0, std::optional<unsigned> count = {}) {
    llvm::SmallVector<int64_t, 4> values;
    for (const Val &value : getOperands(first, count))
      values.push_back(value.word[0]);
    return values;
  }
  /// See the methods of `Machine`.
  RegionEntry &enter() { return m.enter(a, i); }
  void jump(Code *block, llvm::ArrayRef<Val> values) {
    m.jump(a, block, values);
  }
  void leave(llvm::ArrayRef<Val> values) { m.leave(a, values); }
  llvm::SmallVector<Val, 2> evaluate(Code *block, llvm::ArrayRef<Val> values) {
    return m.evaluate(task, a, block, values);
  }
  void finishTask(llvm::ArrayRef<Val> values) { m.finishTask(task, a, values); }
  void fail(const llvm::Twine &message) { m.fail(message); }
};

/// Handlers by operation name.
using HandlerMap = llvm::DenseMap<mlir::TypeID, Handler>;
void addArithHandlers(HandlerMap &map);
void addMemRefHandlers(HandlerMap &map);
void addLinalgHandlers(HandlerMap &map);
void addControlFlowHandlers(HandlerMap &map);
void addAsyncHandlers(HandlerMap &map);
void addCoroutineHandlers(HandlerMap &map);
/// Return all of these.
const HandlerMap &getHandlers();

/// Return what the function of the asynchronous runtime called `name` does, or
/// null if there is none.
Handler getRuntimeFunction(llvm::StringRef name);

/// Groups and waits, which are the same for tasks and for the runtime.
void handleCreateTaskGroup(Step &s);
void handleAddToTaskGroup(Step &s);
void handleAwaitTasks(Step &s);
/// The results are the operands, or nothing of interest happens.
void handleNothing(Step &s);
void handleConstant(Step &s);
void handleSignedCast(Step &s);
void handleSwitch(Step &s);
/// Copy operand 0 to operand 1; fill operand 1 with operand 0.
void handleCopy(Step &s);
void handleFill(Step &s);

/// Looks for bytes that one iteration of an operation reads and another one
/// writes: the operation does not say which comes first. All reads must be
/// recorded before the first write.
class IterationCheck {
public:
  void read(Memory &memory, const Descriptor &memref,
            llvm::ArrayRef<int64_t> indices, unsigned bytes, int64_t iteration);
  void write(Memory &memory, const Descriptor &memref,
             llvm::ArrayRef<int64_t> indices, unsigned bytes,
             int64_t iteration);

private:
  /// The iteration that reads a byte, or -1 for several.
  llvm::DenseMap<std::pair<Allocation *, int64_t>, int64_t> readers;
};

template <typename... OpTys>
void addHandler(HandlerMap &map, Handler handler) {
  ((map[mlir::TypeID::get<OpTys>()] = handler), ...);
}

/// Translate the functions directly below `root`, which is `module` or in it.
/// Returns an empty string, or why they cannot be run: the name of an operation
/// that has no handler, or that there is no function `entry` to start with.
std::string compileProgram(CompiledProgram &program, mlir::ModuleOp module,
                           mlir::Operation *root, const HandlerMap &handlers,
                           llvm::StringRef entry);

/// Evaluate an affine map or set; dimensions first, then symbols.
llvm::SmallVector<int64_t, 4> evaluateMap(mlir::AffineMap map,
                                          llvm::ArrayRef<int64_t> operands);
bool evaluateSet(mlir::IntegerSet set, llvm::ArrayRef<int64_t> operands);

inline Val makeVal(uint64_t bits) {
  Val value;
  value.word[0] = bits;
  return value;
}
/// Sign-extend the low `width` bits.
inline int64_t signExtend(uint64_t value, unsigned width) {
  if (width >= 64)
    return value;
  return int64_t(value << (64 - width)) >> (64 - width);
}
/// Keep the low `width` bits.
inline uint64_t truncate(uint64_t value, unsigned width) {
  return width >= 64 ? value : value & ((uint64_t(1) << width) - 1);
}
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_FUZZ_MACHINE_H
