//===- Interpretation of what only kernels do ----------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkgroupMachine.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

static WorkgroupMachine &get(Machine &m) { return getWorkgroup(m); }

//===----------------------------------------------------------------------===//
// Who am I
//===----------------------------------------------------------------------===//

template <unsigned number>
static void handleNumber(Machine &m, Task &, Activation &a,
                         const Instruction &i) {
  m.result(a, i).word[0] = number;
}

/// The threads lie in one row.
static void handleThreadId(Machine &m, Task &, Activation &a,
                           const Instruction &i) {
  bool isX = cast<gpu::ThreadIdOp>(i.op).getDimension() == gpu::Dimension::x;
  m.result(a, i).word[0] = isX ? get(m).current : 0;
}

static void handleBlockDim(Machine &m, Task &, Activation &a,
                           const Instruction &i) {
  bool isX = cast<gpu::BlockDimOp>(i.op).getDimension() == gpu::Dimension::x;
  m.result(a, i).word[0] = isX ? numThreads : 1;
}

static void handleLaneId(Machine &m, Task &, Activation &a,
                         const Instruction &i) {
  m.result(a, i).word[0] = get(m).current % subgroupSize;
}

static void handleSubgroupId(Machine &m, Task &, Activation &a,
                             const Instruction &i) {
  m.result(a, i).word[0] = get(m).current / subgroupSize;
}

/// Which of the blocks this is depends on the arguments only.
static void handleBlockId(Machine &m, Task &, Activation &a,
                          const Instruction &i) {
  m.result(a, i).word[0] = get(m).options.arguments % 3;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static bool isInWorkgroupMemory(Value memref) {
  return isSharedSpace(cast<BaseMemRefType>(memref.getType()).getMemorySpace());
}

static void handleAlloc(Machine &m, Task &task, Activation &a,
                        const Instruction &i) {
  auto type = cast<MemRefType>(i.op->getResult(0).getType());
  if (!isInWorkgroupMemory(i.op->getResult(0))) {
    static const Handler handler =
        getHandlers().lookup(TypeID::get<memref::AllocOp>());
    return handler(m, task, a, i);
  }
  WorkgroupMachine &machine = get(m);
  // A pool is the same bytes in all executions.
  bool isPool = i.name.empty();
  unsigned execution = isPool ? 0 : machine.getThread().executions[&i]++;
  auto [shared, isFirst] =
      machine.sharedAllocs.try_emplace({&i, execution}, Descriptor());
  Descriptor &descriptor = shared->second;
  if (isFirst) {
    unsigned next = 0;
    descriptor.rank = type.getRank();
    for (unsigned dim = 0; dim < descriptor.rank; ++dim)
      descriptor.sizes[dim] = type.isDynamicDim(dim) ? m.integer(a, i, next++)
                                                     : type.getDimSize(dim);
    descriptor.setIdentityStrides();
    descriptor.elementBytes = i.resultStride;
    descriptor.allocation = machine.allocateShared(
        descriptor.getNumElements() * descriptor.elementBytes, i.name,
        isPool ? i.alignment : infinitelyAligned);
    descriptor.instance = descriptor.allocation->instance;
  }
  m.setMemref(a, i, 0, descriptor);
}

/// There is one dynamic memory, whichever operation names it.
static void handleDynamicSharedMemory(Machine &m, Task &, Activation &a,
                                      const Instruction &i) {
  WorkgroupMachine &machine = get(m);
  auto [shared, isFirst] = machine.statics.try_emplace(nullptr, Descriptor());
  Descriptor &descriptor = shared->second;
  if (isFirst) {
    SharedMemoryLayout::Range range = machine.layout.getDynamicMemory();
    auto type = MemRefType::get(range.end - range.begin,
                                IntegerType::get(i.op->getContext(), 8));
    descriptor = machine.makeStatic(type, "", /*alignment=*/1, range);
  }
  m.setMemref(a, i, 0, descriptor);
}

static void handleGetGlobal(Machine &m, Task &task, Activation &a,
                            const Instruction &i) {
  if (!isInWorkgroupMemory(i.op->getResult(0))) {
    static const Handler handler =
        getHandlers().lookup(TypeID::get<memref::GetGlobalOp>());
    return handler(m, task, a, i);
  }
  WorkgroupMachine &machine = get(m);
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      i.op, cast<memref::GetGlobalOp>(i.op).getNameAttr());
  auto [shared, isFirst] =
      machine.statics.try_emplace(global.getOperation(), Descriptor());
  Descriptor &descriptor = shared->second;
  if (isFirst) {
    // One without elements is where pools may lie, which have no names.
    MemRefType type = global.getType();
    StringRef name = type.getNumElements() != 0 ? global.getName() : "";
    descriptor =
        machine.makeStatic(type, name, global.getAlignment().value_or(1),
                           machine.layout.getGlobal(global));
  }
  m.setMemref(a, i, 0, descriptor);
}

/// Nobody can give back workgroup memory; that this is no synchronisation
/// either is what matters.
static void handleDealloc(Machine &m, Task &task, Activation &a,
                          const Instruction &i) {
  static const Handler handler =
      getHandlers().lookup(TypeID::get<memref::DeallocOp>());
  if (!isInWorkgroupMemory(i.op->getOperand(0)))
    handler(m, task, a, i);
}

static void handleView(Machine &m, Task &task, Activation &a,
                       const Instruction &i) {
  static const Handler handler =
      getHandlers().lookup(TypeID::get<memref::ViewOp>());
  handler(m, task, a, i);
  if (i.name.empty() || m.memory.hasFailed())
    return;
  // The host's slices are new with every execution, and here all are one.
  auto &descriptor = *reinterpret_cast<Descriptor *>(m.result(a, i).word[0]);
  if (!get(m).isShared(descriptor))
    return;
  auto [slice, isFirst] =
      get(m).slices.try_emplace(i.name, descriptor.instance);
  descriptor.instance = slice->second;
}

static unsigned getBytes(VectorType type) {
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

static SmallVector<int64_t, 4> getIndices(Machine &m, Activation &a,
                                          const Instruction &i,
                                          OperandRange range) {
  SmallVector<int64_t, 4> indices;
  for (unsigned k = 0; k < range.size(); ++k)
    indices.push_back(m.integer(a, i, range.getBeginOperandIndex() + k));
  return indices;
}

static void handleVectorLoad(Machine &m, Task &, Activation &a,
                             const Instruction &i) {
  auto op = cast<vector::LoadOp>(i.op);
  auto indices = getIndices(m, a, i, op.getIndices());
  unsigned bytes = getBytes(op.getVectorType());
  Descriptor &source = m.memref(a, i, 0);
  get(m).checkAlignment(source, m.memory.locate(source, indices, bytes));
  m.result(a, i) = m.memory.read(source, indices, bytes);
}

static void handleVectorStore(Machine &m, Task &, Activation &a,
                              const Instruction &i) {
  auto op = cast<vector::StoreOp>(i.op);
  auto indices = getIndices(m, a, i, op.getIndices());
  unsigned bytes = getBytes(op.getVectorType());
  Descriptor &target = m.memref(a, i, 1);
  get(m).checkAlignment(target, m.memory.locate(target, indices, bytes));
  m.memory.write(target, indices, bytes, m.operand(a, i, 0));
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

static void handleAsyncCopy(Machine &m, Task &, Activation &a,
                            const Instruction &i) {
  auto op = cast<nvgpu::DeviceAsyncCopyOp>(i.op);
  auto getOperand = [&](OpOperand &operand) {
    return operand.getOperandNumber();
  };
  Copy copy;
  copy.source = m.memref(a, i, getOperand(op.getSrcMutable()));
  copy.target = m.memref(a, i, getOperand(op.getDstMutable()));
  copy.bytes = op.getDstElements().getSExtValue() * copy.target.elementBytes;
  copy.sourceBytes = copy.bytes;
  if (op.getSrcElements())
    copy.sourceBytes =
        m.integer(a, i, op->getNumOperands() - 1) * copy.source.elementBytes;
  copy.sourceByte = m.memory.locate(
      copy.source, getIndices(m, a, i, op.getSrcIndices()), copy.sourceBytes);
  copy.targetByte = m.memory.locate(
      copy.target, getIndices(m, a, i, op.getDstIndices()), copy.bytes);
  if (m.memory.hasFailed())
    return;
  get(m).startCopy(copy);
}

static void handleCreateGroup(Machine &m, Task &, Activation &,
                              const Instruction &) {
  get(m).groupCopies();
}

/// As a group, it lowers to an instruction that knows no tokens: without
/// `numGroups`, it waits for all groups of the thread.
static void handleAsyncWait(Machine &m, Task &, Activation &,
                            const Instruction &i) {
  get(m).waitForCopies(
      cast<nvgpu::DeviceAsyncWaitOp>(i.op).getNumGroups().value_or(0));
}

void buffer_merge::fuzz::addKernelHandlers(HandlerMap &map) {
  addHandler<gpu::ThreadIdOp>(map, handleThreadId);
  addHandler<gpu::BlockDimOp>(map, handleBlockDim);
  addHandler<gpu::LaneIdOp>(map, handleLaneId);
  addHandler<gpu::SubgroupIdOp>(map, handleSubgroupId);
  addHandler<gpu::SubgroupSizeOp>(map, handleNumber<subgroupSize>);
  addHandler<gpu::NumSubgroupsOp>(map, handleNumber<numThreads / subgroupSize>);
  addHandler<gpu::BlockIdOp>(map, handleBlockId);
  addHandler<gpu::GridDimOp>(map, handleNumber<3>);
  addWorkgroupControlHandlers(map);
  addMatrixHandlers(map);
  addHandler<gpu::DynamicSharedMemoryOp>(map, handleDynamicSharedMemory);
  addHandler<memref::GetGlobalOp>(map, handleGetGlobal);
  addHandler<memref::AllocOp>(map, handleAlloc);
  addHandler<memref::DeallocOp>(map, handleDealloc);
  addHandler<memref::ViewOp>(map, handleView);
  addHandler<vector::LoadOp>(map, handleVectorLoad);
  addHandler<vector::StoreOp>(map, handleVectorStore);
  addHandler<nvgpu::DeviceAsyncCopyOp>(map, handleAsyncCopy);
  addHandler<nvgpu::DeviceAsyncCreateGroupOp>(map, handleCreateGroup);
  addHandler<nvgpu::DeviceAsyncWaitOp>(map, handleAsyncWait);
}
