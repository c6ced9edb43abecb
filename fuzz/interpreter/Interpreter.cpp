//===- The oracle: runs a module, trusts nothing -------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

#include <optional>

using namespace mlir;
using namespace buffer_merge::fuzz;

StringRef buffer_merge::fuzz::stringify(TaskOrder order) {
  switch (order) {
  case TaskOrder::Early:
    return "early";
  case TaskOrder::Late:
    return "late";
  case TaskOrder::Interleaved:
    return "interleaved";
  }
  return "";
}

SmallVector<StringRef, 1> buffer_merge::fuzz::getBufferNames(Location loc) {
  SmallVector<StringRef, 1> names;
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location part : fused.getLocations())
      llvm::append_range(names, getBufferNames(part));
  } else if (StringRef name = getBufferName(loc); !name.empty()) {
    names.push_back(name);
  }
  return names;
}

StringRef buffer_merge::fuzz::getBufferName(Location loc) {
  if (isa<FusedLoc>(loc)) {
    SmallVector<StringRef, 1> names = getBufferNames(loc);
    return names.empty() ? StringRef() : names.front();
  }
  auto name = dyn_cast<NameLoc>(loc);
  if (!name)
    return {};
  StringRef text = name.getName().getValue();
  StringRef digits = text;
  if (!digits.consume_front("b") || digits.empty() ||
      !llvm::all_of(digits, llvm::isDigit))
    return {};
  return text;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

namespace {
class Compiler {
public:
  Compiler(CompiledProgram &program, ModuleOp module, Operation *root,
           const HandlerMap &handlers)
      : program(program), root(root), handlers(handlers), layout(module) {}

  std::string compile(StringRef entry);

private:
  struct TypeInfo {
    uint16_t bytes = 0;
    uint16_t stride = 0;
    uint16_t alignment = 1;
  };

  void compileFunction(FunctionOpInterface funcOp);
  void compileRegion(Region &region);
  void compileOp(Operation *op, Instruction &instruction);
  /// Look up what depends on the types that matter for bytes.
  void setTypes(Operation *op, Instruction &instruction);
  void setUsedMemrefs(Operation *op, Instruction &instruction);
  void setSuccessors(Operation *op, Instruction &instruction);
  Code *getBlock(mlir::Block *block) { return blockMap.lookup(block); }
  uint32_t *getSlots(ValueRange values);
  TypeInfo getTypeInfo(Type type);
  Val getConstant(Attribute attr, Type type);

  void unsupported(Operation *op) {
    if (error.empty())
      error = op->getName().getStringRef().str();
  }

  CompiledProgram &program;
  /// The operation whose functions are compiled.
  Operation *root;
  const HandlerMap &handlers;
  DataLayout layout;
  llvm::DenseMap<Value, uint32_t> slots;
  llvm::DenseMap<mlir::Block *, Code *> blockMap;
  llvm::StringMap<Function *> functions;
  llvm::DenseMap<Type, TypeInfo> typeInfos;
  std::string error;
};
} // namespace

const HandlerMap &buffer_merge::fuzz::getHandlers() {
  static const HandlerMap handlers = [] {
    HandlerMap map;
    addArithHandlers(map);
    addMemRefHandlers(map);
    addLinalgHandlers(map);
    addControlFlowHandlers(map);
    addAsyncHandlers(map);
    addCoroutineHandlers(map);
    return map;
  }();
  return handlers;
}

static unsigned getScalarWidth(Type type) {
  if (type.isIndex())
    return 64;
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
}

std::string Compiler::compile(StringRef entry) {
  auto funcOps = root->getRegion(0).getOps<FunctionOpInterface>();
  for (FunctionOpInterface funcOp : funcOps) {
    Function &function = program.functions.emplace_back();
    function.op = funcOp;
    functions[funcOp.getName()] = &function;
  }
  for (FunctionOpInterface funcOp : funcOps)
    compileFunction(funcOp);
  program.main = functions.lookup(entry);
  if (error.empty() && (!program.main || !program.main->entry))
    error = "no @" + entry.str();
  return error;
}

void Compiler::compileFunction(FunctionOpInterface funcOp) {
  if (funcOp.isExternal())
    return;
  slots.clear();
  blockMap.clear();
  compileRegion(funcOp.getFunctionBody());
  Function *function = functions.lookup(funcOp.getName());
  function->entry = getBlock(&funcOp.getFunctionBody().front());
  function->numSlots = slots.size();
}

void Compiler::compileRegion(Region &region) {
  for (mlir::Block &block : region) {
    Code &compiled = program.blocks.emplace_back();
    blockMap[&block] = &compiled;
    for (BlockArgument argument : block.getArguments()) {
      compiled.arguments.push_back(slots.size());
      slots[argument] = slots.size();
    }
    // Blocks may stand in any order: all results get their slots before any
    // operand is looked up.
    for (Operation &op : block)
      for (Value value : op.getResults())
        slots.try_emplace(value, slots.size());
  }
  for (mlir::Block &block : region) {
    Code *compiled = getBlock(&block);
    compiled->instructions.resize(block.getOperations().size());
    size_t i = 0;
    for (Operation &op : block)
      compileOp(&op, compiled->instructions[i++]);
  }
}

uint32_t *Compiler::getSlots(ValueRange values) {
  uint32_t *array = program.arrays.Allocate<uint32_t>(values.size());
  for (auto [i, value] : llvm::enumerate(values))
    array[i] = slots.lookup(value);
  return array;
}

Compiler::TypeInfo Compiler::getTypeInfo(Type type) {
  auto [it, isNew] = typeInfos.try_emplace(type);
  TypeInfo &info = it->second;
  if (!isNew)
    return info;
  if (isa<BaseMemRefType>(type))
    info = {8, 8, 8};
  else if (auto complex = dyn_cast<ComplexType>(type)) {
    TypeInfo part = getTypeInfo(complex.getElementType());
    typeInfos[type] = {uint16_t(2 * part.bytes), uint16_t(2 * part.stride),
                       part.alignment};
  } else if (auto vector = dyn_cast<VectorType>(type)) {
    unsigned bits =
        vector.getNumElements() * getScalarWidth(vector.getElementType());
    info.bytes = bits / 8;
    info.stride = layout.getTypeSize(type).getFixedValue();
    info.alignment = layout.getTypeABIAlignment(type);
  } else if (type.isIntOrIndexOrFloat()) {
    info.bytes = llvm::divideCeil(getScalarWidth(type), 8);
    info.stride = layout.getTypeSize(type).getFixedValue();
    info.alignment = layout.getTypeABIAlignment(type);
  }
  return typeInfos[type];
}

Val Compiler::getConstant(Attribute attr, Type type) {
  Val value;
  if (auto integer = dyn_cast<IntegerAttr>(attr)) {
    value.word[0] =
        truncate(integer.getValue().getZExtValue(), getScalarWidth(type));
  } else if (auto real = dyn_cast<FloatAttr>(attr)) {
    value.word[0] = real.getValue().bitcastToAPInt().getZExtValue();
  } else if (auto array = dyn_cast<ArrayAttr>(attr)) {
    // complex.constant
    auto part = cast<ComplexType>(type).getElementType();
    unsigned width = getScalarWidth(part);
    uint64_t re = getConstant(array[0], part).word[0];
    uint64_t im = getConstant(array[1], part).word[0];
    if (width == 64)
      value.word[0] = re, value.word[1] = im;
    else
      value.word[0] = re | im << width;
  } else if (auto dense = dyn_cast<DenseElementsAttr>(attr)) {
    unsigned width = getScalarWidth(dense.getElementType());
    unsigned bit = 0;
    auto append = [&](const APInt &bits) {
      if (bit < 128)
        value.word[bit / 64] |= bits.getZExtValue() << (bit % 64);
      bit += width;
    };
    if (isa<FloatType>(dense.getElementType()))
      for (const APFloat &element : dense.getValues<APFloat>())
        append(element.bitcastToAPInt());
    else
      for (const APInt &element : dense.getValues<APInt>())
        append(element);
  }
  return value;
}

void Compiler::setTypes(Operation *op, Instruction &instruction) {
  auto getElement = [](Type type) {
    auto shaped = dyn_cast<BaseMemRefType>(type);
    return shaped ? shaped.getElementType() : type;
  };
  if (op->getNumOperands() > 0)
    instruction.operandWidth =
        getScalarWidth(getElementTypeOrSelf(op->getOperand(0).getType()));
  if (op->getNumResults() > 0) {
    Type type = op->getResult(0).getType();
    instruction.resultWidth = getScalarWidth(getElementTypeOrSelf(type));
    instruction.resultStride = getTypeInfo(getElement(type)).stride;
    // What a load gives may itself be a memref.
    bool isLoad = isa<memref::LoadOp>(op);
    instruction.elementBytes =
        getTypeInfo(isLoad ? type : getElement(type)).bytes;
    instruction.name = getBufferName(op->getLoc());
    instruction.alignment = getTypeInfo(getElement(type)).alignment;
  } else {
    // Stores, copies and fills: all memref operands are of one element type.
    for (Type type : op->getOperandTypes())
      if (auto shaped = dyn_cast<BaseMemRefType>(type)) {
        instruction.elementBytes = getTypeInfo(shaped.getElementType()).bytes;
        break;
      }
    // The value of a store may itself be a memref.
    if (isa<memref::StoreOp>(op))
      instruction.elementBytes = getTypeInfo(op->getOperand(0).getType()).bytes;
  }
  if (auto allocOp = dyn_cast<memref::AllocOp>(op))
    instruction.alignment = allocOp.getAlignment().value_or(1);
  if (auto allocaOp = dyn_cast<memref::AllocaOp>(op))
    instruction.alignment = allocaOp.getAlignment().value_or(1);
}

void Compiler::compileOp(Operation *op, Instruction &instruction) {
  Handler handler = handlers.lookup(op->getName().getTypeID());
  if (!handler)
    return unsupported(op);
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (getTypeInfo(type).bytes > sizeof(Val))
        return unsupported(op);
  instruction.handler = handler;
  instruction.op = op;
  instruction.numOperands = op->getNumOperands();
  instruction.numResults = op->getNumResults();
  instruction.operands = getSlots(op->getOperands());
  instruction.results = getSlots(op->getResults());

  setTypes(op, instruction);
  if (op->hasTrait<OpTrait::ConstantLike>() || op->hasAttr("value")) {
    if (Attribute attr = op->getAttr("value"))
      instruction.constant = getConstant(attr, op->getResult(0).getType());
  }
  if (isa<func::CallOp, async::CallOp>(op)) {
    auto callee = op->getAttrOfType<FlatSymbolRefAttr>("callee");
    instruction.callee = functions.lookup(callee.getValue());
    if (!instruction.callee)
      return unsupported(op);
  }

  setUsedMemrefs(op, instruction);
  // These copy bytes, whatever the type of the elements is.
  bool hasOwnLoops = isa<linalg::FillOp, linalg::CopyOp>(op);
  instruction.numRegions = op->getNumRegions();
  instruction.blocks = program.arrays.Allocate<Code *>(op->getNumRegions() +
                                                       op->getNumSuccessors());
  for (Region &region : op->getRegions()) {
    Code *&entry = instruction.blocks[region.getRegionNumber()];
    entry = nullptr;
    if (region.empty() || hasOwnLoops)
      continue;
    compileRegion(region);
    entry = getBlock(&region.front());
  }
  setSuccessors(op, instruction);
}

void Compiler::setUsedMemrefs(Operation *op, Instruction &instruction) {
  if (op->getNumRegions() == 0 && !isa<CallOpInterface, arith::SelectOp>(op))
    return;
  instruction.isLoop = isa<LoopLikeOpInterface>(op);
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  SmallVector<Value> memrefs;
  for (Value value : values)
    if (isa<BaseMemRefType>(value.getType()))
      memrefs.push_back(value);
  instruction.usedMemrefs = {getSlots(memrefs), memrefs.size()};
}

void Compiler::setSuccessors(Operation *op, Instruction &instruction) {
  if (op->getNumSuccessors() == 0)
    return;
  // Suspending is no branch by its interfaces, and passes nothing on.
  auto branchOp = dyn_cast<BranchOpInterface>(op);
  if (!branchOp && !isa<async::CoroSuspendOp>(op))
    return unsupported(op);
  instruction.successorOperands =
      program.arrays.Allocate<std::pair<uint32_t, uint32_t>>(
          op->getNumSuccessors());
  for (unsigned i = 0, e = op->getNumSuccessors(); i < e; ++i) {
    instruction.blocks[op->getNumRegions() + i] = getBlock(op->getSuccessor(i));
    if (!branchOp)
      continue;
    OperandRange forwarded =
        branchOp.getSuccessorOperands(i).getForwardedOperands();
    instruction.successorOperands[i] = {
        forwarded.empty() ? 0 : forwarded.getBeginOperandIndex(),
        forwarded.size()};
  }
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

void Activation::releaseStack(size_t numLeft) {
  for (; stack.size() > numLeft; stack.pop_back())
    stack.back()->freed = true;
}

void Machine::jump(Activation &activation, Code *block, ArrayRef<Val> values) {
  for (auto [slot, value] : llvm::zip(block->arguments, values))
    activation.slots[slot] = value;
  activation.block = block;
  activation.position = 0;
}

RegionEntry &Machine::enter(Activation &activation,
                            const Instruction &instruction) {
  activation.regions.push_back(
      {&instruction, activation.block, activation.position});
  activation.regions.back().numStack = activation.stack.size();
  return activation.regions.back();
}

void Machine::leave(Activation &activation, ArrayRef<Val> values) {
  RegionEntry entry = activation.regions.back();
  activation.regions.pop_back();
  if (isa<memref::AllocaScopeOp>(entry.instruction->op))
    activation.releaseStack(entry.numStack);
  for (unsigned i = 0; i < entry.instruction->numResults; ++i)
    result(activation, *entry.instruction, i) = values[i];
  if (entry.instruction->isLoop)
    useMemrefs(activation, *entry.instruction);
  activation.block = entry.block;
  activation.position = entry.position;
}

void Machine::useMemrefs(Activation &activation,
                         const Instruction &instruction) {
  for (uint32_t slot : instruction.usedMemrefs)
    if (uint64_t pointer = activation.slots[slot].word[0])
      memory.use(*reinterpret_cast<Descriptor *>(pointer));
}

SmallVector<Val, 2> Machine::evaluate(Task &task, Activation &activation,
                                      Code *block, ArrayRef<Val> values) {
  for (auto [slot, value] : llvm::zip(block->arguments, values))
    activation.slots[slot] = value;
  for (const Instruction &instruction :
       llvm::drop_end(ArrayRef(block->instructions)))
    execute(task, activation, instruction);
  SmallVector<Val, 2> results;
  const Instruction &terminator = block->instructions.back();
  for (unsigned i = 0; i < terminator.numOperands; ++i)
    results.push_back(operand(activation, terminator, i));
  return results;
}

Task *Machine::fork(Task &parent, Activation &activation,
                    const Instruction &instruction, Code *block) {
  constexpr size_t maxTasks = 4096;
  if (tasks.size() > maxTasks)
    outOfSteps = true;
  Task &task = tasks.emplace_back();
  task.parent = &parent;
  auto copy = std::make_unique<Activation>();
  copy->function = activation.function;
  copy->slots = activation.slots;
  copy->block = block;
  copy->regions.push_back({&instruction, nullptr, 0});
  task.stack.push_back(std::move(copy));
  return &task;
}

std::unique_ptr<Activation> Machine::makeActivation(Function *callee,
                                                    ArrayRef<Val> values) {
  auto activation = std::make_unique<Activation>();
  activation->function = callee;
  activation->slots.resize(callee->numSlots);
  jump(*activation, callee->entry, values);
  return activation;
}

void Machine::finishTask(Task &task, Activation &activation,
                         ArrayRef<Val> values) {
  activation.releaseStack(0);
  task.yielded.assign(values.begin(), values.end());
  task.done = true;
}

void Machine::start(ArrayRef<Task *> newTasks, bool parallel) {
  // The last of `running` runs first, see pick().
  if (!parallel && order == TaskOrder::Late)
    running.insert(running.begin(), newTasks.begin(), newTasks.end());
  else if (parallel && order == TaskOrder::Late)
    running.insert(running.end(), newTasks.begin(), newTasks.end());
  else
    running.insert(running.end(), newTasks.rbegin(), newTasks.rend());
  hasNewTasks = true;
}

void Machine::step(Task &task) {
  memory.now = ++steps;
  current = &task;
  Activation &activation = *task.stack.back();
  if (!task.arguments.empty()) {
    for (auto [slot, value] :
         llvm::zip(activation.block->arguments, task.arguments))
      activation.slots[slot] =
          reinterpret_cast<Task *>(value.word[0])->yielded[value.word[1] - 1];
    task.arguments.clear();
  }
  size_t position = activation.position++;
  execute(task, activation, activation.block->instructions[position]);
}

void Machine::execute(Task &task, Activation &activation,
                      const Instruction &instruction) {
  Step step = {*this, task, activation, instruction};
  useMemrefs(activation, instruction);
  instruction.handler(step);
}

static bool isDone(const Task *task) {
  if (!task->isGroup)
    return task->done;
  return llvm::all_of(task->members,
                      [](const Task *member) { return isDone(member); });
}

Task *Machine::findRunnable(Task *task) {
  while (true) {
    llvm::erase_if(task->children, isDone);
    llvm::erase_if(task->waits, isDone);
    if (task->isGroup) {
      auto undone = llvm::find_if(llvm::reverse(task->members),
                                  [](Task *member) { return !isDone(member); });
      if (undone == task->members.rend())
        return nullptr;
      task = *undone;
      continue;
    }
    if (task->isValue || !task->children.empty())
      return nullptr;
    if (task->waits.empty())
      return task;
    task = task->waits.back();
  }
}

Task *Machine::pick() {
  for (Task *task : llvm::reverse(running))
    if (Task *runnable = findRunnable(task))
      return runnable;
  return nullptr;
}

/// What `@main` is given for arguments of type index.
static constexpr int64_t mainSizes[] = {5, 3};

/// Return what `query` returns for these sizes.
static int64_t evaluateQuery(func::FuncOp query) {
  DenseMap<Value, Attribute> known;
  Builder builder(query.getContext());
  for (auto [argument, size] : llvm::zip(query.getArguments(), mainSizes))
    known[argument] = builder.getIndexAttr(size);
  for (Operation &op : query.getBody().front().without_terminator()) {
    SmallVector<Attribute> operands;
    for (Value operand : op.getOperands())
      operands.push_back(known.lookup(operand));
    SmallVector<OpFoldResult> results;
    LogicalResult folded = op.fold(operands, results);
    assert(succeeded(folded) && "the operations of a query fold");
    (void)folded;
    for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
      known[result] = isa<Attribute>(value) ? cast<Attribute>(value)
                                            : known.lookup(cast<Value>(value));
  }
  Value bytes = query.getBody().front().getTerminator()->getOperand(0);
  return cast<IntegerAttr>(known.lookup(bytes)).getInt();
}

void Machine::passArguments(Activation &activation) {
  func::FuncOp mainOp = cast<func::FuncOp>(program.main->op);
  unsigned numSizes = 0;
  for (auto [argument, slot] :
       llvm::zip(mainOp.getArguments(), activation.block->arguments))
    if (argument.getType().isIndex())
      activation.slots[slot].word[0] = mainSizes[numSizes++];
  auto needs =
      program.main->op->getAttrOfType<DictionaryAttr>("buffer_merge.arena");
  if (!needs)
    return;
  // Not a byte more than it asks for.
  auto get = [&](StringRef name) {
    return needs.getAs<IntegerAttr>(name).getInt();
  };
  Descriptor descriptor;
  descriptor.elementBytes = 1;
  descriptor.rank = 1;
  descriptor.sizes[0] = get("bytes");
  if (auto query =
          mainOp->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(
              "main_arena_size_for"))
    descriptor.sizes[0] = evaluateQuery(query);
  descriptor.setIdentityStrides();
  descriptor.allocation =
      memory.allocate(descriptor.sizes[0], "", /*onStack=*/true);
  descriptor.allocation->isArena = true;
  descriptor.allocation->alignment = get("alignment");
  activation.holds.push_back(memory.beginHold(*descriptor.allocation));
  descriptor.instance = descriptor.allocation->instance;
  activation.slots[activation.block->arguments.back()].word[0] =
      reinterpret_cast<uint64_t>(memory.create(descriptor));
}

void Machine::run(uint64_t maxSteps) {
  Task &main = tasks.emplace_back();
  main.stack.push_back(std::make_unique<Activation>());
  main.stack.back()->function = program.main;
  main.stack.back()->slots.resize(program.main->numSlots);
  main.stack.back()->block = program.main->entry;
  passArguments(*main.stack.back());
  running.push_back(&main);

  auto goesOn = [&] {
    outOfSteps |= steps > maxSteps;
    return !outOfSteps && !memory.hasFailed();
  };
  // What nobody waits for still runs after `@main` has returned.
  while (goesOn()) {
    llvm::erase_if(running, isDone);
    if (running.empty())
      break;
    if (order == TaskOrder::Interleaved) {
      // A copy: tasks that appear now have their turn in the next round.
      bool progress = false;
      for (Task *task : std::vector<Task *>(running)) {
        if (task->done || findRunnable(task) != task)
          continue;
        progress = true;
        step(*task);
        if (!goesOn())
          break;
      }
      if (!progress)
        fail("deadlock");
      continue;
    }
    Task *task = pick();
    if (!task) {
      fail("deadlock");
      break;
    }
    hasNewTasks = false;
    while (goesOn() && !hasNewTasks && !task->done && task->waits.empty() &&
           task->children.empty())
      step(*task);
  }
}

//===----------------------------------------------------------------------===//
// Interpreter
//===----------------------------------------------------------------------===//

Interpreter::Interpreter() = default;
Interpreter::~Interpreter() = default;

std::string Interpreter::compile(ModuleOp module) {
  program = std::make_unique<CompiledProgram>();
  return compileProgram(*program, module, module, getHandlers(), "main");
}

std::string buffer_merge::fuzz::compileProgram(CompiledProgram &program,
                                               ModuleOp module, Operation *root,
                                               const HandlerMap &handlers,
                                               StringRef entry) {
  return Compiler(program, module, root, handlers).compile(entry);
}

void Interpreter::requireAlignment(StringRef name, int64_t alignment) {
  program->requiredAlignments[name] = alignment;
}

static ExecutionResult getResult(Machine &machine) {
  ExecutionResult result;
  result.trace = std::move(machine.trace);
  result.failure = machine.memory.getFailure().str();
  for (StringRef leak : machine.memory.getLeaks())
    result.leaks.push_back(leak.str());
  result.steps = machine.steps;
  result.outOfSteps = machine.outOfSteps;
  result.held = machine.memory.getHeld();
  result.skipsLoop = machine.skipsLoop;
  result.comparesFreed = machine.comparesFreed;
  return result;
}

ExecutionResult Interpreter::run(TaskOrder order, uint64_t maxSteps) const {
  Machine machine(*program, order);
  machine.run(maxSteps);
  return getResult(machine);
}

ExecutionResult Interpreter::run(AddressPolicy policy, Effects &effects) const {
  Machine machine(*program, TaskOrder::Early);
  EffectRecorder recorder(machine, effects);
  machine.recorder = &recorder;
  machine.memory.observer = &recorder;
  machine.memory.addresses = policy;
  machine.run(/*maxSteps=*/400000);
  return getResult(machine);
}

/// Return the largest sum over the allocations in `space` that are held at one
/// step.
static int64_t
findLargestSum(ArrayRef<HeldAllocation> held, HoldEnd end, const void *space,
               llvm::function_ref<int64_t(const HeldAllocation &)> getBytes) {
  // What ends before a step is gone at that step: negative numbers first.
  std::vector<std::pair<uint64_t, int64_t>> changes;
  for (const HeldAllocation &allocation : held) {
    if (allocation.space != space)
      continue;
    int64_t bytes = getBytes(allocation);
    changes.emplace_back(allocation.made, bytes);
    bool isFreed = end == HoldEnd::LastUse || allocation.isOutside;
    uint64_t last = isFreed ? allocation.lastUse : allocation.freedAt;
    changes.emplace_back(last + 1, -bytes);
  }
  llvm::sort(changes);
  int64_t bytes = 0, most = 0;
  for (auto [step, change] : changes)
    most = std::max(most, bytes += change);
  return most;
}

static int64_t roundUp(const HeldAllocation &allocation, int64_t alignment) {
  if (allocation.isPool)
    return allocation.bytes;
  return llvm::alignTo(allocation.bytes,
                       std::max(alignment, allocation.alignment));
}

int64_t buffer_merge::fuzz::getHeapPeak(ArrayRef<HeldAllocation> held,
                                        HoldEnd end, const void *space,
                                        int64_t alignment) {
  return findLargestSum(held, end, space,
                        [&](const HeldAllocation &allocation) {
                          return roundUp(allocation, alignment);
                        });
}

int64_t buffer_merge::fuzz::getMostPadding(ArrayRef<HeldAllocation> held,
                                           HoldEnd end, const void *space,
                                           int64_t alignment) {
  return findLargestSum(
      held, end, space, [&](const HeldAllocation &allocation) {
        return roundUp(allocation, alignment) - roundUp(allocation, 1);
      });
}
