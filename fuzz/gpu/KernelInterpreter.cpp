//===- Runs kernels thread by thread -------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelInterpreter.h"
#include "Compatibility.h"
#include "Random.h"
#include "WorkgroupMachine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace buffer_merge::fuzz;

StringRef buffer_merge::fuzz::stringify(ThreadOrder order) {
  switch (order) {
  case ThreadOrder::RoundRobin:
    return "round robin";
  case ThreadOrder::Forward:
    return "forward";
  case ThreadOrder::Backward:
    return "backward";
  case ThreadOrder::Random:
    return "random";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// WorkgroupMachine
//===----------------------------------------------------------------------===//

/// Return how many threads have different ids in the first dimension: as many
/// as the kernel says, or all.
static unsigned findNumColumns(FunctionOpInterface kernel) {
  auto function = dyn_cast<gpu::GPUFuncOp>(*kernel);
  std::optional<ArrayRef<int32_t>> known =
      function ? function.getKnownBlockSize() : std::nullopt;
  unsigned columns = known && !known->empty() ? known->front() : 0;
  return columns != 0 && numThreads % columns == 0 ? columns : numThreads;
}

WorkgroupMachine::WorkgroupMachine(
    const CompiledProgram &program, FunctionOpInterface kernel,
    const DenseMap<Operation *, unsigned> &aligned,
    const SharedMemoryLayout &layout, const LaunchOptions &options)
    : Machine(program, TaskOrder::Early), options(options), kernel(kernel),
      aligned(aligned), layout(layout), columns(findNumColumns(kernel)),
      alignments(aligned.size(), infinitelyAligned),
      random(options.arguments * 4 + unsigned(options.order)) {
  memory.observer = this;
  kernel.walk([&](Operation *op) {
    hasOtherUnits |= isa<nvgpu::TmaAsyncLoadOp, nvgpu::TmaAsyncStoreOp,
                         nvgpu::WarpgroupMmaOp>(op);
  });
  if (layout.hasDynamicMemory())
    window = allocateShared(layout.getBytes(), "", infinitelyAligned);
}

/// A scalar argument: small, so that loops end.
static uint64_t getScalarArgument(unsigned set, unsigned number) {
  if (set < 2)
    return set;
  return Random(set * 97 + number).below(4);
}

Allocation *WorkgroupMachine::allocateShared(int64_t bytes, StringRef name,
                                             int64_t alignment) {
  Allocation *allocation = memory.allocate(bytes, name, /*onStack=*/true);
  allocation->alignment = alignment;
  // A buffer has one shadow for all its instances, as if all had the same
  // bytes: that is what merging makes of them.
  bool isOnItsOwn = name.empty() || name.starts_with(carriedPrefix);
  ShadowMemory *&shadow =
      isOnItsOwn ? shadows[allocation] : shadowsByName[name];
  if (!shadow)
    shadow = &shadowMemories.emplace_back(bytes, hasOtherUnits);
  shadows[allocation] = shadow;
  return allocation;
}

Descriptor WorkgroupMachine::makeDescriptor(MemRefType type) const {
  Descriptor descriptor;
  descriptor.rank = type.getRank();
  llvm::copy(type.getShape(), descriptor.sizes);
  descriptor.setIdentityStrides();
  descriptor.elementBytes =
      DataLayout::closest(kernel).getTypeSize(type.getElementType());
  return descriptor;
}

Descriptor WorkgroupMachine::makeStatic(MemRefType type, StringRef name,
                                        int64_t alignment,
                                        SharedMemoryLayout::Range range) {
  Descriptor descriptor = makeDescriptor(type);
  if (window) {
    descriptor.allocation = window;
    descriptor.base = range.begin;
    descriptor.instance = memory.addSlice(window, name, range.begin, range.end);
    return descriptor;
  }
  int64_t bytes = descriptor.getNumElements() * descriptor.elementBytes;
  descriptor.allocation = allocateShared(bytes, name, alignment);
  descriptor.instance = descriptor.allocation->instance;
  return descriptor;
}

Descriptor WorkgroupMachine::makePrivate(MemRefType type) {
  Descriptor descriptor = makeDescriptor(type);
  descriptor.allocation =
      memory.allocate(descriptor.getNumElements() * descriptor.elementBytes,
                      "argument", /*onStack=*/true);
  descriptor.instance = descriptor.allocation->instance;
  return descriptor;
}

/// The alignment that `{llvm.align = N}` gives workgroup attribution `index`,
/// or its elements do.
static int64_t getAttributionAlignment(gpu::GPUFuncOp kernel, unsigned index) {
  auto attr = dyn_cast_or_null<IntegerAttr>(
      kernel.getWorkgroupAttributionAttr(index, "llvm.align"));
  auto type = cast<MemRefType>(
      buffer_merge::getWorkgroupArguments(kernel)[index].getType());
  int64_t natural =
      DataLayout::closest(kernel).getTypeABIAlignment(type.getElementType());
  return std::max(natural, attr ? attr.getInt() : 1);
}

void WorkgroupMachine::start() {
  SmallVector<Val, 8> values;
  Block &entry = kernel.getFunctionBody().front();
  unsigned numInputs = kernel.getNumArguments();
  auto add = [&](const Descriptor &descriptor) {
    values.emplace_back().word[0] =
        reinterpret_cast<uint64_t>(memory.create(descriptor));
  };
  for (BlockArgument argument : entry.getArguments().take_front(numInputs)) {
    if (!isa<MemRefType>(argument.getType())) {
      Val &value = values.emplace_back();
      value.word[0] =
          getScalarArgument(options.arguments, argument.getArgNumber());
      if (argument.getType().isInteger(1))
        value.word[0] &= 1;
      continue;
    }
    Descriptor descriptor = makePrivate(cast<MemRefType>(argument.getType()));
    Allocation &allocation = *descriptor.allocation;
    for (auto [byte, index] : llvm::zip(
             allocation.data, llvm::seq<int64_t>(0, allocation.data.size())))
      byte = getInput(index + argument.getArgNumber() * 1000);
    llvm::fill(allocation.tags, allocation.instance);
    arguments.push_back(descriptor.allocation);
    add(descriptor);
  }
  auto gpuFunc = dyn_cast<gpu::GPUFuncOp>(*kernel);
  if (gpuFunc)
    for (auto [index, argument] :
         llvm::enumerate(buffer_merge::getWorkgroupArguments(gpuFunc)))
      add(makeStatic(cast<MemRefType>(argument.getType()),
                     getBufferName(argument.getLoc()),
                     getAttributionAlignment(gpuFunc, index),
                     layout.getAttribution(argument)));
  size_t firstPrivate = values.size();
  for (unsigned k = 0; k < numThreads; ++k) {
    Thread &thread = threads[k];
    values.truncate(firstPrivate);
    if (gpuFunc)
      for (BlockArgument argument : gpuFunc.getPrivateAttributions())
        add(makePrivate(cast<MemRefType>(argument.getType())));
    Task &task = tasks.emplace_back();
    thread.task = &task;
    task.stack.push_back(std::make_unique<Activation>());
    Activation &activation = *task.stack.back();
    activation.function = program.main;
    activation.slots.resize(program.main->numSlots);
    jump(activation, program.main->entry, values);
  }
}

bool WorkgroupMachine::goesOn() {
  outOfSteps |= steps > options.maxSteps;
  return !memory.hasFailed() && !outOfSteps;
}

void WorkgroupMachine::stepThread(ThreadId k) {
  current = k;
  Task &task = *threads[k].task;
  Activation &activation = *task.stack.back();
  currentOp = activation.block->instructions[activation.position].op;
  step(task);
}

void WorkgroupMachine::runToBarrier() {
  switch (options.order) {
  case ThreadOrder::RoundRobin: {
    bool progress = true;
    while (progress && goesOn()) {
      progress = false;
      for (ThreadId k = 0; k < numThreads && goesOn(); ++k)
        if (threads[k].isRunning()) {
          stepThread(k);
          progress = true;
        }
    }
    return;
  }
  case ThreadOrder::Forward:
  case ThreadOrder::Backward:
    // Threads that a barrier of some threads had stopped have another turn.
    while (llvm::any_of(threads,
                        [](Thread &thread) { return thread.isRunning(); }) &&
           goesOn())
      for (ThreadId turn = 0; turn < numThreads; ++turn) {
        ThreadId k = options.order == ThreadOrder::Forward
                         ? turn
                         : numThreads - 1 - turn;
        while (threads[k].isRunning() && goesOn())
          stepThread(k);
      }
    return;
  case ThreadOrder::Random:
    while (goesOn()) {
      SmallVector<ThreadId, numThreads> running;
      for (ThreadId k = 0; k < numThreads; ++k)
        if (threads[k].isRunning())
          running.push_back(k);
      if (running.empty())
        return;
      stepThread(running[random.below(running.size())]);
      // One of the copies in flight, now and then.
      if (!copies.empty() && random.chance(10))
        land(copies[random.below(copies.size())]);
    }
    return;
  }
}

void WorkgroupMachine::passBarrier() {
  Operation *first = threads[0].barrier;
  for (auto [k, thread] : llvm::enumerate(threads)) {
    if (!thread.barrier != !first)
      return fail("thread " + Twine(first ? 0 : k) +
                  " waits at a barrier, thread " + Twine(first ? k : 0) +
                  " has left the kernel");
    if (thread.barrierCount != numThreads)
      return fail("thread " + Twine(k) + " waits at barrier " +
                  Twine(thread.barrierId) + " for " +
                  Twine(thread.barrierCount) + " threads, which do not come");
    if (thread.barrier != first && !options.allowsDivergentBarriers)
      return fail("threads 0 and " + Twine(k) + " wait at different barriers");
  }
  for (Thread &thread : threads) {
    thread.barrier = nullptr;
    thread.clock = {};
  }
  ++epoch;
}

void WorkgroupMachine::passPartialBarrier(int64_t id) {
  Clock joined = {};
  SmallVector<Thread *, numThreads> waiting;
  for (auto [k, thread] : llvm::enumerate(threads)) {
    if (!thread.barrier || thread.barrierId != id)
      continue;
    waiting.push_back(&thread);
    for (ThreadId other = 0; other < numThreads; ++other)
      joined[other] = std::max(joined[other], thread.clock[other]);
    joined[k] = thread.clock[k] + 1;
  }
  for (Thread *thread : waiting) {
    thread->barrier = nullptr;
    thread->clock = joined;
  }
}

void WorkgroupMachine::wait(Operation *op, int64_t id, int64_t count) {
  getThread().barrier = op;
  getThread().barrierId = id;
  getThread().barrierCount = count;
  int64_t numWaiting = 0;
  for (auto [k, thread] : llvm::enumerate(threads)) {
    if (!thread.barrier || thread.barrierId != id)
      continue;
    ++numWaiting;
    if (thread.barrierCount != count)
      return fail("threads " + Twine(current) + " and " + Twine(k) +
                  " wait at barrier " + Twine(id) + " for " + Twine(count) +
                  " and " + Twine(thread.barrierCount) + " threads");
  }
  // The end of an epoch is not for a thread alone to decide.
  if (numWaiting == count && count < numThreads)
    passPartialBarrier(id);
}

LaunchResult WorkgroupMachine::launch() {
  start();
  uint64_t barriers = 0;
  while (goesOn()) {
    runToBarrier();
    if (!goesOn())
      break;
    if (llvm::all_of(threads,
                     [](const Thread &thread) { return thread.task->done; }))
      break;
    passBarrier();
    ++barriers;
  }
  for (Copy &copy : copies)
    land(copy);

  LaunchResult result;
  result.failure = memory.getFailure().str();
  result.isRace = isRace;
  if (!result.failure.empty() && !isRace)
    result.failure += " (thread " + std::to_string(current) + ", " +
                      printOperation(currentOp) + ")";
  for (const ShadowMemory &shadow : shadowMemories)
    if (result.ownRace.empty())
      result.ownRace = shadow.getOwnRace().str();
  for (Allocation *allocation : arguments)
    result.arguments.push_back(allocation->data);
  result.steps = steps;
  result.barriers = barriers;
  result.handovers = handovers;
  result.alignments = alignments;
  result.outOfSteps = outOfSteps;
  return result;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

void WorkgroupMachine::observe(const Descriptor &memref, int64_t byte,
                               unsigned bytes, bool isWrite) {
  auto shadow = shadows.find(memref.allocation);
  if (shadow == shadows.end())
    return;
  StringRef owner = getOwner(memref);
  shadow->second->access(getAccessor(owner), threads[current].clock, byte,
                         byte + bytes, isWrite, epoch);
  if (isWrite)
    for (InstanceId tag : ArrayRef(memref.allocation->tags).slice(byte, bytes))
      handovers += tag != 0 && memory.getInstance(tag).name != owner;
  if (!shadow->second->getRace().empty() && !memory.hasFailed()) {
    isRace = true;
    fail(shadow->second->getRace());
  }
}

void WorkgroupMachine::checkAlignment(const Descriptor &memref, int64_t byte) {
  auto number = aligned.find(currentOp);
  if (number == aligned.end() || byte < 0)
    return;
  int64_t alignment = memref.allocation->alignment;
  if (byte != 0)
    alignment = std::min(alignment, byte & -byte);
  int64_t &least = alignments[number->second];
  least = std::min(least, alignment);
  if (options.demandedAlignments.empty())
    return;
  int64_t demanded = options.demandedAlignments[number->second];
  if (alignment < demanded)
    fail("access of " + getOwner(memref) + " at byte " + Twine(byte) +
         " is aligned to " + Twine(alignment) + ", not to " + Twine(demanded));
}

void WorkgroupMachine::startCopy(Copy copy) {
  copy.number = ++numCopies;
  copy.by = getAccessor(getOwner(copy.target));
  if (auto shadow = shadows.find(copy.target.allocation);
      shadow != shadows.end()) {
    shadow->second->startCopy(copy.by, threads[current].clock, copy.targetByte,
                              copy.targetByte + copy.bytes, epoch, copy.number,
                              copy.isWrite(),
                              copy.unit == Unit::Threads ? nullptr : &fences);
    if (!shadow->second->getRace().empty()) {
      isRace = true;
      fail(shadow->second->getRace());
    }
  }
  if (options.order == ThreadOrder::RoundRobin)
    land(copy);
  copies.push_back(copy);
}

void WorkgroupMachine::land(Copy &copy) {
  if (copy.hasLanded || memory.hasFailed())
    return;
  copy.hasLanded = true;
  Allocation &target = *copy.target.allocation;
  if (!copy.isWrite()) {
    for (InstanceId tag :
         ArrayRef(target.tags).slice(copy.targetByte, copy.bytes))
      if (tag != 0 && memory.getInstance(tag).name != copy.by.owner)
        return fail("an asynchronous read of " + copy.by.owner +
                    " reads what belongs to " + memory.getInstance(tag).name);
    return;
  }
  auto data = target.data.begin() + copy.targetByte;
  std::fill_n(data, copy.bytes, 0);
  std::copy_n(copy.source.allocation->data.begin() + copy.sourceByte,
              copy.sourceBytes, data);
  std::fill_n(target.tags.begin() + copy.targetByte, copy.bytes,
              copy.target.instance);
}

void WorkgroupMachine::groupCopies(Unit unit) {
  unsigned group = ++getThread().numGroups[unsigned(unit)];
  for (Copy &copy : copies)
    if (copy.by.thread == current && copy.group == 0 && copy.unit == unit)
      copy.group = group;
}

void WorkgroupMachine::finish(Copy &copy) {
  land(copy);
  auto shadow = shadows.find(copy.target.allocation);
  if (shadow != shadows.end())
    shadow->second->finishCopy(getAccessor(copy.by.owner),
                               threads[current].clock, copy.targetByte,
                               copy.targetByte + copy.bytes, epoch, copy.number,
                               copy.isWrite(), copy.unit == Unit::Threads);
}

void WorkgroupMachine::waitForCopies(Unit unit, unsigned numPending) {
  unsigned numGroups = getThread().numGroups[unsigned(unit)];
  llvm::erase_if(copies, [&](Copy &copy) {
    if (copy.unit != unit || copy.by.thread != current || copy.group == 0 ||
        copy.group + numPending > numGroups)
      return false;
    finish(copy);
    return true;
  });
}

void WorkgroupMachine::waitForEngine(const MBarrier &mbarrier) {
  llvm::erase_if(copies, [&](Copy &copy) {
    if (copy.mbarrier != &mbarrier)
      return false;
    finish(copy);
    return true;
  });
}

//===----------------------------------------------------------------------===//
// KernelInterpreter
//===----------------------------------------------------------------------===//

KernelInterpreter::KernelInterpreter() = default;
KernelInterpreter::~KernelInterpreter() = default;

/// 32 bytes are what PTX asks of the address of a fragment.
static int64_t getWantedAlignment(Operation *op) {
  // MLIR's lowering promises no more of a vector than of one element.
  auto getElementBytes = [](MemRefType type) -> int64_t {
    return llvm::PowerOf2Ceil(type.getElementTypeBitWidth() / 8);
  };
  if (isa<gpu::SubgroupMmaLoadMatrixOp, gpu::SubgroupMmaStoreMatrixOp>(op))
    return 32;
  if (auto load = dyn_cast<vector::LoadOp>(op))
    return getElementBytes(load.getMemRefType());
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return getElementBytes(store.getMemRefType());
  return 0;
}

std::string KernelInterpreter::compile(ModuleOp module) {
  static const HandlerMap handlers = [] {
    HandlerMap map = getHandlers();
    addKernelHandlers(map);
    return map;
  }();
  unsigned numKernels = 0;
  kernel = nullptr;
  module.walk([&](gpu::GPUFuncOp op) {
    if (!op.isKernel())
      return;
    kernel = op;
    ++numKernels;
  });
  for (StringRef name : {"entry", "kernel"})
    if (auto op = module.lookupSymbol<func::FuncOp>(name); op && !numKernels) {
      kernel = op;
      ++numKernels;
    }
  if (numKernels != 1 || kernel.isExternal())
    return "there is not one kernel";
  layout = std::make_unique<SharedMemoryLayout>(kernel->getParentOp(),
                                                /*dynamicBytes=*/0);
  wanted.clear();
  aligned.clear();
  kernel->getParentOp()->walk([&](Operation *op) {
    int64_t alignment = getWantedAlignment(op);
    if (alignment == 0)
      return;
    aligned[op] = wanted.size();
    wanted.push_back({op, alignment});
  });
  program = std::make_unique<CompiledProgram>();
  return compileProgram(*program, module, kernel->getParentOp(), handlers,
                        kernel.getName());
}

void KernelInterpreter::requireAlignment(StringRef name, int64_t alignment) {
  program->requiredAlignments[name] = alignment;
}

LaunchResult KernelInterpreter::run(const LaunchOptions &options) const {
  if (!layout->hasDynamicMemory())
    return WorkgroupMachine(*program, kernel, aligned, *layout, options)
        .launch();
  SharedMemoryLayout withBytes(kernel->getParentOp(),
                               options.dynamicWorkgroupBytes);
  return WorkgroupMachine(*program, kernel, aligned, withBytes, options)
      .launch();
}
