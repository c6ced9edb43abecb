//===- Generated loops over threads, and work of subgroups ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compatibility.h"
#include "KernelGeneratorImpl.h"
#include "KernelInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

//===----------------------------------------------------------------------===//
// Loops over threads
//===----------------------------------------------------------------------===//

static scf::ForallOp makeForall(OpBuilder &b, Location loc, int64_t count,
                                Attribute mapping) {
  std::optional<ArrayAttr> mappings;
  if (mapping)
    mappings = b.getArrayAttr(mapping);
  return scf::ForallOp::create(b, loc,
                               ArrayRef<OpFoldResult>{b.getIndexAttr(count)},
                               ValueRange(), mappings);
}

void KernelGenerator::genThreadLoop() {
  if (isDeep() || !position.isConvergent || position.isInThreadLoop)
    return;
  MLIRContext *context = b.getContext();
  int64_t count = numThreads;
  Attribute mapping;
  unsigned k = random.below(20);
  bool isOfSubgroups = k < 5;
  // In a function, iterations that are mapped to nothing are workgroups.
  bool isMapped = k < 17 || kind == KernelKind::Function;
  if (isOfSubgroups) {
    features.insert("subgroup-loop");
    count = numThreads / subgroupSize - (random.chance(20) ? 1 : 0);
    mapping = gpu::GPUWarpMappingAttr::get(context, gpu::MappingId::LinearDim0);
  } else {
    count -= random.chance(20) ? random.range(1, 7) : 0;
    if (isMapped)
      mapping = gpu::GPUThreadMappingAttr::get(
          context, random.chance(50) ? gpu::MappingId::DimX
                                     : gpu::MappingId::LinearDim0);
    else
      features.insert("unmapped-loop");
  }
  bool isFull = count == (isOfSubgroups ? numThreads / subgroupSize
                                        : int64_t(numThreads));
  // If all threads are in the loop, they can meet there.
  bool canMeet = isFull && isMapped && random.chance(50);
  if (canMeet)
    features.insert("barrier-in-thread-loop");
  auto forall = makeForall(b, loc, count, mapping);
  std::vector<BufferState> before = states;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forall.getBody());
    Value outerThread = thread;
    if (!isOfSubgroups)
      thread = forall.getInductionVar(0);
    position.isInThreadLoop = true;
    if (canMeet)
      maybeBarrier(50);
    genRegion(pickSize() + (canMeet ? 2 : 0), canMeet, 1);
    if (canMeet)
      maybeBarrier(50);
    position.isInThreadLoop = false;
    thread = outerThread;
  }
  if (!isFull)
    forgetPartialWrites(before);
  if (isMapped)
    passBarrier();
}

/// Subgroups, and in them lanes or nothing: threads meet at the end of the
/// outer loop only.
void KernelGenerator::genNestedThreadLoop() {
  if (isDeep() || !position.isConvergent || position.isInThreadLoop)
    return;
  MLIRContext *context = b.getContext();
  auto outer = makeForall(
      b, loc, numThreads / subgroupSize,
      gpu::GPUWarpMappingAttr::get(context, gpu::MappingId::LinearDim0));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(outer.getBody());
    position.isInThreadLoop = true;
    Value outerThread = thread;
    for (unsigned k = 0, e = random.range(1, 2); k < e; ++k) {
      auto inner = makeForall(
          b, loc, subgroupSize,
          gpu::GPULaneMappingAttr::get(context, gpu::MappingId::LinearDim0));
      OpBuilder::InsertionGuard innerGuard(b);
      b.setInsertionPointToStart(inner.getBody());
      Value first = make<arith::MulIOp>(outer.getInductionVar(0),
                                        makeIndex(subgroupSize));
      thread = add(first, inner.getInductionVar(0));
      genRegion(random.range(1, 2), /*isConvergent=*/false, 1);
      thread = outerThread;
    }
    position.isInThreadLoop = false;
  }
  passBarrier();
}

//===----------------------------------------------------------------------===//
// Subgroups
//===----------------------------------------------------------------------===//

/// Threads of one subgroup, or of each, meet at a barrier of their own.
void KernelGenerator::genSubgroupExchange() {
  if (!position.isConvergent || isDeep())
    return;
  Type i32 = b.getI32Type();
  auto type = makeShared({numThreads}, i32);
  Value memref = make<memref::AllocOp>(type);
  Value subgroup = make<gpu::SubgroupIdOp>(IntegerAttr());
  bool isOfAll = random.chance(30);
  Value isChosen = make<arith::CmpIOp>(isOfAll ? arith::CmpIPredicate::uge
                                               : arith::CmpIPredicate::eq,
                                       subgroup, makeIndex(0));
  auto ifOp = make<scf::IfOp>(isChosen, /*withElseRegion=*/false);
  std::vector<BufferState> before = states;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifOp.thenBlock());
    if (random.chance(50))
      genRegion(1, /*isConvergent=*/false, 1);
    make<memref::StoreOp>(makeData(i32), memref, thread);
    // All threads may be at barrier 0, unless theirs has another number.
    Value id = makeInt(i32, 0);
    if (!usesNamedBarriers || isOfAll)
      id = make<arith::IndexCastOp>(i32, add(subgroup, makeIndex(2)));
    else
      features.insert("partial-barrier-0");
    buffer_merge::createNVVMBarrier<NVVM::BarrierOp>(
        b, loc, id, makeInt(i32, subgroupSize));
    // Another lane of the subgroup.
    consume(load(memref, getSlice(8 + random.range(1, subgroupSize - 1))));
    if (random.chance(50))
      genRegion(1, /*isConvergent=*/false, 1);
  }
  if (!isOfAll)
    forgetPartialWrites(before);
  maybeBarrier(60);
}

/// A matrix that threads fill and subgroups load, and maybe another one that
/// one of them stores.
void KernelGenerator::genMatrix() {
  if (!position.isConvergent || isDeep())
    return;
  constexpr int64_t rows = 2 * numThreads, columns = 8, width = 4;
  Type f32 = b.getF32Type();
  auto type = makeShared({rows, columns}, f32);
  auto matrix = gpu::MMAMatrixType::get({rows, columns}, f32, "COp");
  Value source = make<memref::AllocOp>(type);
  Value data = makeData(VectorType::get({width}, f32));
  for (int64_t row = 0; row < rows / numThreads; ++row)
    for (int64_t column = 0; column < columns; column += width) {
      Value first = add(thread, makeIndex(row * numThreads));
      make<vector::StoreOp>(data, source, ValueRange{first, makeIndex(column)});
    }
  barrier();
  Value zero = makeIndex(0);
  Value loaded =
      make<gpu::SubgroupMmaLoadMatrixOp>(matrix, source, ValueRange{zero, zero},
                                         b.getIndexAttr(columns), UnitAttr());
  if (random.chance(40))
    genStatement();
  if (random.chance(40)) {
    maybeBarrier(50);
    barrier();
  }
  Value target = make<memref::AllocOp>(type);
  Value isChosen = make<arith::CmpIOp>(
      arith::CmpIPredicate::eq, make<gpu::SubgroupIdOp>(IntegerAttr()), zero);
  auto ifOp = make<scf::IfOp>(isChosen, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifOp.thenBlock());
    make<gpu::SubgroupMmaStoreMatrixOp>(loaded, target, ValueRange{zero, zero},
                                        b.getIndexAttr(columns), UnitAttr());
  }
  barrier();
  consume(load(target, {thread, makeIndex(random.below(columns))}));
  maybeBarrier(80);
}
