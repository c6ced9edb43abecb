//===- Generated copies of copy engines -----------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelGeneratorImpl.h"
#include "KernelInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

namespace {
/// An mbarrier, as the thread that issues copies knows it.
struct Phases {
  unsigned number = 0;
  /// Copies of the current phase.
  SmallVector<int, 2> stages;
};
} // namespace

Value KernelGenerator::makeTensorMap(MemRefType box) {
  bool isMatrix = box.getRank() == 2;
  auto type = nvgpu::TensorMapDescriptorType::get(
      b.getContext(), box,
      isMatrix ? nvgpu::TensorMapSwizzleKind::SWIZZLE_128B
               : nvgpu::TensorMapSwizzleKind::SWIZZLE_NONE,
      nvgpu::TensorMapL2PromoKind::L2PROMO_NONE,
      nvgpu::TensorMapOOBKind::OOB_ZERO,
      nvgpu::TensorMapInterleaveKind::INTERLEAVE_NONE);
  return make<UnrealizedConversionCastOp>(TypeRange(type),
                                          ValueRange(makeIndex(0)))
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Copies to tiles
//===----------------------------------------------------------------------===//

/// One thread announces bytes, issues copies and waits for their phases, in a
/// random order that ends, and sometimes does not wait, or not long enough.
void KernelGenerator::genEngineCopies() {
  // Phases are counted from the only initialization on.
  if (!position.isConvergent || position.depth != 0 || !tokens.empty())
    return;
  Type i1 = b.getI1Type();
  int64_t perThread = int64_t(1) << random.below(3);
  auto type = makeShared({int64_t(numThreads) * perThread}, b.getF32Type());
  SmallVector<int, 3> stages;
  for (unsigned k = random.range(1, 3); k > 0; --k) {
    int stage = makeBuffer(type, perThread);
    if (buffers[stage].value.getType() == type &&
        buffers[stage].value.getDefiningOp<memref::AllocOp>())
      stages.push_back(stage);
  }
  if (stages.empty())
    return;
  Value descriptor = makeTensorMap(type);
  SmallVector<Phases, 2> phases(random.range(1, 2));
  Value group = make<nvgpu::MBarrierCreateOp>(nvgpu::MBarrierGroupType::get(
      b.getContext(), type.getMemorySpace(), phases.size()));
  Value isIssuer =
      make<arith::CmpIOp>(arith::CmpIPredicate::eq, thread,
                          makeIndex(random.below(unsigned(numThreads))));
  Value one = makeIndex(1), ticks = makeIndex(1000), zero = makeIndex(0);
  for (unsigned k = 0; k < phases.size(); ++k)
    make<nvgpu::MBarrierInitOp>(group, one, makeIndex(k), isIssuer);
  if (random.chance(60))
    createFence();
  barrier();

  int64_t bytes = type.getNumElements() * 4;
  bool isInBranch = random.chance(30);
  auto issue = [&](Value id, ArrayRef<int> copied) {
    OpBuilder::InsertionGuard guard(b);
    Value predicate = isIssuer;
    if (isInBranch) {
      auto ifOp = make<scf::IfOp>(isIssuer, /*withElseRegion=*/false);
      b.setInsertionPointToStart(ifOp.thenBlock());
      predicate = Value();
    }
    Value announced = makeIndex(bytes * int64_t(copied.size()));
    make<nvgpu::MBarrierArriveExpectTxOp>(group, announced, id, predicate);
    for (int stage : copied)
      make<nvgpu::TmaAsyncLoadOp>(buffers[stage].value, group, descriptor,
                                  ValueRange(zero), id, Value(), predicate);
  };
  auto isInFlight = [&](int stage) {
    return llvm::any_of(phases, [&](const Phases &phase) {
      return llvm::is_contained(phase.stages, stage);
    });
  };
  for (unsigned k = random.range(2, 7); k > 0; --k) {
    unsigned number = random.below(unsigned(phases.size()));
    Phases &phase = phases[number];
    Value id = makeIndex(number);
    if (random.chance(25)) {
      Position outer = position;
      ++position.depth;
      genStatement();
      position = outer;
    }
    int stage = stages[random.below(unsigned(stages.size()))];
    if (!phase.stages.empty()) {
      // The other parity is that of a phase that is over.
      bool isRight = random.chance(80);
      Value parity = makeInt(i1, (phase.number & 1) == isRight);
      make<nvgpu::MBarrierTryWaitParityOp>(group, parity, ticks, id);
      if (!isRight)
        continue;
      ++phase.number;
      SmallVector<int, 2> done = std::exchange(phase.stages, {});
      if (random.chance(60)) {
        barrier();
        for (int filled : done)
          readFirst(buffers[filled], pickPermutation());
        maybeBarrier(85);
      }
    } else if (isInFlight(stage)) {
      continue;
    } else if (random.chance(30)) {
      features.insert("engine-loop");
      int64_t count = random.range(1, 4);
      auto forOp = make<scf::ForOp>(zero, makeIndex(count), one);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(forOp.getBody());
      issue(id, stage);
      Value round = add(forOp.getInductionVar(), makeIndex(phase.number));
      Value bit = make<arith::AndIOp>(round, one);
      Value parity = make<arith::CmpIOp>(arith::CmpIPredicate::eq, bit, one);
      make<nvgpu::MBarrierTryWaitParityOp>(group, parity, ticks, id);
      createBarrier();
      readFirst(buffers[stage], pickPermutation());
      createBarrier();
      phase.number += count;
      b.setInsertionPointAfter(forOp);
      passBarrier();
    } else {
      phase.stages.push_back(stage);
      for (int other : stages)
        if (other != stage && !isInFlight(other) && random.chance(40))
          phase.stages.push_back(other);
      issue(id, phase.stages);
    }
  }
  // The others do not know when that thread has waited.
  if (phases[0].stages.empty() && !isInFlight(stages[0]) && random.chance(40)) {
    issue(zero, stages[0]);
    barrier();
    make<nvgpu::MBarrierTryWaitParityOp>(
        group, makeInt(i1, phases[0].number & 1), ticks, zero);
    fill(makeBuffer(type, perThread), pickPermutation());
  }
  for (int stage : stages)
    states[stage].forgotten = true;
  maybeBarrier(80);
}

//===----------------------------------------------------------------------===//
// Reads of tiles
//===----------------------------------------------------------------------===//

void KernelGenerator::createFence() {
  MLIRContext *context = b.getContext();
  make<NVVM::FenceProxyOp>(
      NVVM::ProxyKindAttr::get(context, NVVM::ProxyKind::async_shared),
      NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
}

/// A fence of all threads, or of some, or in front of the end of copies.
void KernelGenerator::genProxyFence() {
  OpBuilder::InsertionGuard guard(b);
  if (position.isConvergent && tokens.empty() && random.chance(30)) {
    int tile = makeBuffer(makeShared({numThreads}, b.getF32Type()), 1);
    states[tile].forgotten = true;
    if (!canCopy(buffers[tile]))
      return;
    Value group = createGroup(startCopy(tile, pickPermutation()));
    createFence();
    make<nvgpu::DeviceAsyncWaitOp>(group, IntegerAttr());
    return barrier();
  }
  if (random.chance(30)) {
    auto ifOp = make<scf::IfOp>(makeDivergentBool(), /*withElseRegion=*/false);
    b.setInsertionPointToStart(ifOp.thenBlock());
  }
  createFence();
}

/// Return new tiles that threads have filled, mostly with all that other units
/// need.
SmallVector<int, 3> KernelGenerator::makeFilledTiles(MemRefType type,
                                                     int64_t perThread,
                                                     unsigned count) {
  SmallVector<int, 3> tiles;
  for (; count > 0; --count) {
    int tile = makeBuffer(type, perThread);
    fill(tile, pickPermutation());
    // Nothing else accesses it, so that it has no races of its own.
    states[tile].forgotten = true;
    if (buffers[tile].value.getType() == type &&
        buffers[tile].value.getDefiningOp<memref::AllocOp>())
      tiles.push_back(tile);
  }
  // All must be filled, but a fence may be missing, or too late.
  bool isLate = random.chance(15);
  if (!isLate && random.chance(80))
    createFence();
  barrier();
  if (isLate)
    createFence();
  return tiles;
}

/// Mostly wait for groups, of the right unit, of all threads, and meet.
void KernelGenerator::genWaitOrNot(bool isOfMatrices) {
  if (random.chance(25)) {
    Position outer = position;
    ++position.depth;
    genStatement();
    position = outer;
  }
  if (random.chance(80)) {
    OpBuilder::InsertionGuard guard(b);
    if (random.chance(15)) {
      auto ifOp = make<scf::IfOp>(random.chance(50) ? makeDivergentBool()
                                                    : makeUniformBool(),
                                  /*withElseRegion=*/false);
      b.setInsertionPointToStart(ifOp.thenBlock());
    }
    unsigned left = random.chance(75) ? 0 : random.range(1, 2);
    if (random.chance(90) == isOfMatrices)
      make<NVVM::WgmmaWaitGroupSyncOp>(left);
    else
      make<NVVM::CpAsyncBulkWaitGroupOp>(
          left, random.chance(50) ? b.getUnitAttr() : UnitAttr());
  }
  maybeBarrier(85);
}

/// One thread stores tiles in groups.
void KernelGenerator::genEngineStores() {
  if (!position.isConvergent || !tokens.empty())
    return;
  int64_t perThread = int64_t(1) << random.below(3);
  auto type = makeShared({int64_t(numThreads) * perThread}, b.getF32Type());
  Value descriptor = makeTensorMap(type);
  Value zero = makeIndex(0);
  Value isIssuer =
      make<arith::CmpIOp>(arith::CmpIPredicate::eq, thread,
                          makeIndex(random.below(unsigned(numThreads))));
  for (int tile : makeFilledTiles(type, perThread, random.range(1, 3))) {
    OpBuilder::InsertionGuard guard(b);
    Value predicate = isIssuer;
    bool isInBranch = random.chance(30);
    if (isInBranch) {
      features.insert("engine-store-in-branch");
      auto ifOp = make<scf::IfOp>(isIssuer, /*withElseRegion=*/false);
      b.setInsertionPointToStart(ifOp.thenBlock());
      predicate = Value();
    }
    make<nvgpu::TmaAsyncStoreOp>(buffers[tile].value, descriptor,
                                 ValueRange(zero), predicate);
    if (random.chance(90))
      make<NVVM::CpAsyncBulkCommitGroupOp>();
    if (isInBranch && random.chance(50))
      make<NVVM::CpAsyncBulkWaitGroupOp>(0, b.getUnitAttr());
  }
  genWaitOrNot(/*isOfMatrices=*/false);
}

/// All threads multiply tiles, whose shapes are not those of matrices.
void KernelGenerator::genMatrixUnits() {
  if (!position.isConvergent || !tokens.empty())
    return;
  MLIRContext *context = b.getContext();
  int64_t perThread = int64_t(1) << random.below(3);
  auto type = makeShared({int64_t(numThreads) * perThread}, b.getF32Type());
  auto half = [&](ArrayRef<int64_t> shape) {
    return makeShared(shape, b.getF16Type());
  };
  Value descriptor = makeTensorMap(MemRefType::get(
      {64, 64}, b.getF16Type(), MemRefLayoutAttrInterface(), workgroup));
  SmallVector<int, 3> tiles =
      makeFilledTiles(type, perThread, random.range(2, 4));
  if (tiles.size() < 2)
    return;
  auto describe = [&](int tile, ArrayRef<int64_t> shape) -> Value {
    return make<nvgpu::WarpgroupGenerateDescriptorOp>(
        nvgpu::WarpgroupMatrixDescriptorType::get(context, half(shape)),
        buffers[tile].value, descriptor);
  };
  Type accumulator = nvgpu::WarpgroupAccumulatorType::get(
      context, VectorType::get({64, 8}, b.getF32Type()));
  Value sum = make<nvgpu::WarpgroupMmaInitAccumulatorOp>(accumulator);
  for (size_t k = 0; k + 1 < tiles.size(); k += 2) {
    Value left = describe(tiles[k], {64, 16});
    Value right = describe(tiles[k + 1], {16, 8});
    auto multiply = [&] {
      sum = make<nvgpu::WarpgroupMmaOp>(accumulator, left, right,
                                        b.getI64IntegerAttr(random.below(3)),
                                        UnitAttr(), UnitAttr(), sum);
    };
    multiply();
    if (random.chance(80))
      continue;
    // By a descriptor that is not known.
    left = make<arith::SelectOp>(makeUniformBool(), left, left);
    Position outer = position;
    ++position.depth;
    genStatement();
    position = outer;
    multiply();
  }
  genWaitOrNot(/*isOfMatrices=*/true);
}
