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

/// One thread announces bytes, issues copies and waits for their phases, in a
/// random order that ends, and sometimes does not wait, or not long enough.
void KernelGenerator::genEngineCopies() {
  // Phases are counted from the only initialization on.
  if (!position.isConvergent || position.depth != 0 || !tokens.empty())
    return;
  MLIRContext *context = b.getContext();
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
  auto descriptorType = nvgpu::TensorMapDescriptorType::get(
      context, type, nvgpu::TensorMapSwizzleKind::SWIZZLE_NONE,
      nvgpu::TensorMapL2PromoKind::L2PROMO_NONE,
      nvgpu::TensorMapOOBKind::OOB_ZERO,
      nvgpu::TensorMapInterleaveKind::INTERLEAVE_NONE);
  Value descriptor = make<UnrealizedConversionCastOp>(TypeRange(descriptorType),
                                                      ValueRange(makeIndex(0)))
                         .getResult(0);
  SmallVector<Phases, 2> phases(random.range(1, 2));
  Value group = make<nvgpu::MBarrierCreateOp>(nvgpu::MBarrierGroupType::get(
      context, type.getMemorySpace(), phases.size()));
  Value isIssuer =
      make<arith::CmpIOp>(arith::CmpIPredicate::eq, thread,
                          makeIndex(random.below(unsigned(numThreads))));
  Value one = makeIndex(1), ticks = makeIndex(1000), zero = makeIndex(0);
  for (unsigned k = 0; k < phases.size(); ++k)
    make<nvgpu::MBarrierInitOp>(group, one, makeIndex(k), isIssuer);
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
  for (int stage : stages)
    states[stage].forgotten = true;
  maybeBarrier(80);
}
