//===- Interpretation of what only kernels do ----------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkgroupMachine.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
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
static void handleNumber(Step &s) {
  s.result().word[0] = number;
}

static void handleThreadId(Step &s) {
  unsigned columns = get(s.m).columns, id = get(s.m).current;
  unsigned ids[] = {id % columns, id / columns, 0};
  s.result().word[0] =
      ids[unsigned(cast<gpu::ThreadIdOp>(s.i.op).getDimension())];
}

static void handleBlockDim(Step &s) {
  unsigned columns = get(s.m).columns;
  unsigned sizes[] = {columns, numThreads / columns, 1};
  s.result().word[0] =
      sizes[unsigned(cast<gpu::BlockDimOp>(s.i.op).getDimension())];
}

static void handleLaneId(Step &s) {
  s.result().word[0] = get(s.m).current % subgroupSize;
}

static void handleSubgroupId(Step &s) {
  s.result().word[0] = get(s.m).current / subgroupSize;
}

/// Which of the blocks this is depends on the arguments only.
static void handleBlockId(Step &s) {
  s.result().word[0] = get(s.m).options.arguments % 3;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static bool isInWorkgroupMemory(Value memref) {
  return isSharedSpace(cast<BaseMemRefType>(memref.getType()).getMemorySpace());
}

static void handleAlloc(Step &s) {
  auto type = cast<MemRefType>(s.i.op->getResult(0).getType());
  if (!isInWorkgroupMemory(s.i.op->getResult(0))) {
    static const Handler handler =
        getHandlers().lookup(TypeID::get<memref::AllocOp>());
    return handler(s);
  }
  WorkgroupMachine &machine = get(s.m);
  // A pool is the same bytes in all executions.
  bool isPool = s.i.name.empty();
  unsigned execution = isPool ? 0 : machine.getThread().executions[&s.i]++;
  auto [shared, isFirst] =
      machine.sharedAllocs.try_emplace({&s.i, execution}, Descriptor());
  Descriptor &descriptor = shared->second;
  if (isFirst) {
    unsigned next = 0;
    descriptor.rank = type.getRank();
    for (unsigned dim = 0; dim < descriptor.rank; ++dim)
      descriptor.sizes[dim] =
          type.isDynamicDim(dim) ? s.integer(next++) : type.getDimSize(dim);
    descriptor.setIdentityStrides();
    descriptor.elementBytes = s.i.resultStride;
    descriptor.allocation = machine.allocateShared(
        descriptor.getNumElements() * descriptor.elementBytes, s.i.name,
        isPool ? s.i.alignment : infinitelyAligned);
    descriptor.instance = descriptor.allocation->instance;
  }
  s.setMemref(0, descriptor);
}

/// There is one dynamic memory, whichever operation names it.
static void handleDynamicSharedMemory(Step &s) {
  WorkgroupMachine &machine = get(s.m);
  auto [shared, isFirst] = machine.statics.try_emplace(nullptr, Descriptor());
  Descriptor &descriptor = shared->second;
  if (isFirst) {
    SharedMemoryLayout::Range range = machine.layout.getDynamicMemory();
    auto type = MemRefType::get(range.end - range.begin,
                                IntegerType::get(s.i.op->getContext(), 8));
    descriptor = machine.makeStatic(type, "", /*alignment=*/1, range);
  }
  s.setMemref(0, descriptor);
}

static void handleGetGlobal(Step &s) {
  if (!isInWorkgroupMemory(s.i.op->getResult(0))) {
    static const Handler handler =
        getHandlers().lookup(TypeID::get<memref::GetGlobalOp>());
    return handler(s);
  }
  WorkgroupMachine &machine = get(s.m);
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      s.i.op, cast<memref::GetGlobalOp>(s.i.op).getNameAttr());
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
  s.setMemref(0, descriptor);
}

/// Nobody can give back workgroup memory; that this is no synchronisation
/// either is what matters.
static void handleDealloc(Step &s) {
  static const Handler handler =
      getHandlers().lookup(TypeID::get<memref::DeallocOp>());
  if (!isInWorkgroupMemory(s.i.op->getOperand(0)))
    handler(s);
}

static void handleView(Step &s) {
  static const Handler handler =
      getHandlers().lookup(TypeID::get<memref::ViewOp>());
  handler(s);
  if (s.i.name.empty() || s.m.memory.hasFailed())
    return;
  // The host's slices are new with every execution, and here all are one.
  auto &descriptor = *reinterpret_cast<Descriptor *>(s.result().word[0]);
  if (!get(s.m).isShared(descriptor))
    return;
  auto [slice, isFirst] =
      get(s.m).slices.try_emplace(s.i.name, descriptor.instance);
  descriptor.instance = slice->second;
}

static unsigned getBytes(VectorType type) {
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

static SmallVector<int64_t, 4> getIndices(Step &s, OperandRange range) {
  return s.getIntegers(range.empty() ? 0 : range.getBeginOperandIndex(),
                       range.size());
}

static void handleVectorLoad(Step &s) {
  auto op = cast<vector::LoadOp>(s.i.op);
  auto indices = getIndices(s, op.getIndices());
  unsigned bytes = getBytes(op.getVectorType());
  Descriptor &source = s.memref(0);
  get(s.m).checkAlignment(source, s.m.memory.locate(source, indices, bytes));
  s.result() = s.m.memory.read(source, indices, bytes);
}

static void handleVectorStore(Step &s) {
  auto op = cast<vector::StoreOp>(s.i.op);
  auto indices = getIndices(s, op.getIndices());
  unsigned bytes = getBytes(op.getVectorType());
  Descriptor &target = s.memref(1);
  get(s.m).checkAlignment(target, s.m.memory.locate(target, indices, bytes));
  s.m.memory.write(target, indices, bytes, s.operand(0));
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

static void handleAsyncCopy(Step &s) {
  auto op = cast<nvgpu::DeviceAsyncCopyOp>(s.i.op);
  auto getOperand = [&](OpOperand &operand) {
    return operand.getOperandNumber();
  };
  Copy copy;
  copy.source = s.memref(getOperand(op.getSrcMutable()));
  copy.target = s.memref(getOperand(op.getDstMutable()));
  copy.bytes = op.getDstElements().getSExtValue() * copy.target.elementBytes;
  copy.sourceBytes = copy.bytes;
  if (op.getSrcElements())
    copy.sourceBytes =
        s.integer(op->getNumOperands() - 1) * copy.source.elementBytes;
  copy.sourceByte = s.m.memory.locate(
      copy.source, getIndices(s, op.getSrcIndices()), copy.sourceBytes);
  copy.targetByte = s.m.memory.locate(
      copy.target, getIndices(s, op.getDstIndices()), copy.bytes);
  if (s.m.memory.hasFailed())
    return;
  get(s.m).startCopy(copy);
}

static void handleCast(Step &) {}

static void handleMBarrierCreate(Step &s) {
  s.result().word[0] = reinterpret_cast<uint64_t>(s.i.op);
}

/// Return whether the current thread executes an operation that has `operands`
/// operands with a predicate, and one less without.
static bool isPredicated(Step &s, Value predicate) {
  return !predicate || s.integer(s.i.op->getNumOperands() - 1) != 0;
}

static MBarrier &findMBarrier(Step &s, unsigned group, unsigned id) {
  return get(s.m).mbarriers[{uint64_t(s.integer(group)), s.integer(id)}];
}

static void handleMBarrierInit(Step &s) {
  auto op = cast<nvgpu::MBarrierInitOp>(s.i.op);
  if (isPredicated(s, op.getPredicate()))
    findMBarrier(s, 0, 2) = MBarrier();
}

static void handleAnnounce(Step &s) {
  auto op = cast<nvgpu::MBarrierArriveExpectTxOp>(s.i.op);
  if (!isPredicated(s, op.getPredicate()))
    return;
  MBarrier &mbarrier = findMBarrier(s, 0, 2);
  if (mbarrier.numAnnounced != mbarrier.numComplete)
    return s.fail("a phase is announced twice");
  ++mbarrier.numAnnounced;
  mbarrier.issuer = get(s.m).current;
}

/// Start what `unit` does with all of `memref`.
static void startWhole(Step &s, Unit unit, const Descriptor &memref,
                       MBarrier *mbarrier = nullptr) {
  Copy copy;
  copy.unit = unit;
  copy.target = memref;
  // Which bytes come does not matter.
  copy.source = copy.target;
  copy.bytes = copy.target.getNumElements() * copy.target.elementBytes;
  copy.targetByte = s.m.memory.locate(
      copy.target, SmallVector<int64_t>(copy.target.rank, 0), copy.bytes);
  copy.mbarrier = mbarrier;
  if (copy.targetByte >= 0)
    get(s.m).startCopy(copy);
}

static void handleEngineCopy(Step &s) {
  auto op = cast<nvgpu::TmaAsyncLoadOp>(s.i.op);
  if (isPredicated(s, op.getPredicate()))
    startWhole(s, Unit::Loads, s.memref(0),
               &findMBarrier(s, 1, 3 + op.getCoordinates().size()));
}

static void handleEngineStore(Step &s) {
  if (isPredicated(s, cast<nvgpu::TmaAsyncStoreOp>(s.i.op).getPredicate()))
    startWhole(s, Unit::Stores, s.memref(0));
}

template <Unit unit>
static void handleCommit(Step &s) {
  get(s.m).groupCopies(unit);
}

static void handleBulkWait(Step &s) {
  get(s.m).waitForCopies(Unit::Stores,
                         cast<NVVM::CpAsyncBulkWaitGroupOp>(s.i.op).getGroup());
}

/// The descriptor of a matrix is its memref.
static void handleDescriptor(Step &s) { s.result() = s.operand(0); }

/// What is multiplied does not matter.
static void handleMultiply(Step &s) {
  for (unsigned number : {0, 1})
    startWhole(s, Unit::Matrices, s.memref(number));
  get(s.m).groupCopies(Unit::Matrices);
  get(s.m).waitForCopies(Unit::Matrices,
                         cast<nvgpu::WarpgroupMmaOp>(s.i.op).getWaitGroup());
  s.result().word[0] = 0;
}

static void handleMatrixWait(Step &s) {
  get(s.m).waitForCopies(Unit::Matrices,
                         cast<NVVM::WgmmaWaitGroupSyncOp>(s.i.op).getGroup());
}

static void handleFence(Step &s) {
  NVVM::ProxyKind kind = cast<NVVM::FenceProxyOp>(s.i.op).getKind();
  if (kind == NVVM::ProxyKind::async || kind == NVVM::ProxyKind::async_shared)
    get(s.m).fence();
}

static void handleTryWait(Step &s) {
  MBarrier &mbarrier = findMBarrier(s, 0, 3);
  // What others learn from it, nothing relies on.
  bool isIssuer = mbarrier.issuer == get(s.m).current;
  if (!isIssuer || (s.integer(1) & 1) != (mbarrier.numComplete & 1))
    return;
  if (mbarrier.numAnnounced == mbarrier.numComplete)
    return s.fail("a wait for a phase that nothing announces");
  get(s.m).waitForEngine(mbarrier);
  ++mbarrier.numComplete;
}

/// As a group, it lowers to an instruction that knows no tokens: without
/// `numGroups`, it waits for all groups of the thread.
static void handleAsyncWait(Step &s) {
  get(s.m).waitForCopies(
      Unit::Threads,
      cast<nvgpu::DeviceAsyncWaitOp>(s.i.op).getNumGroups().value_or(0));
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
  addHandler<nvgpu::DeviceAsyncCreateGroupOp>(map, handleCommit<Unit::Threads>);
  addHandler<nvgpu::DeviceAsyncWaitOp>(map, handleAsyncWait);
  addHandler<UnrealizedConversionCastOp>(map, handleCast);
  addHandler<nvgpu::MBarrierCreateOp>(map, handleMBarrierCreate);
  addHandler<nvgpu::MBarrierInitOp>(map, handleMBarrierInit);
  addHandler<nvgpu::MBarrierArriveExpectTxOp>(map, handleAnnounce);
  addHandler<nvgpu::TmaAsyncLoadOp>(map, handleEngineCopy);
  addHandler<nvgpu::MBarrierTryWaitParityOp>(map, handleTryWait);
  addHandler<nvgpu::TmaAsyncStoreOp>(map, handleEngineStore);
  addHandler<NVVM::CpAsyncBulkCommitGroupOp>(map, handleCommit<Unit::Stores>);
  addHandler<NVVM::CpAsyncBulkWaitGroupOp>(map, handleBulkWait);
  addHandler<nvgpu::WarpgroupGenerateDescriptorOp>(map, handleDescriptor);
  addHandler<nvgpu::WarpgroupMmaInitAccumulatorOp>(map, handleNumber<0>);
  addHandler<nvgpu::WarpgroupMmaOp>(map, handleMultiply);
  addHandler<NVVM::WgmmaWaitGroupSyncOp>(map, handleMatrixWait);
  addHandler<NVVM::FenceProxyOp>(map, handleFence);
}
