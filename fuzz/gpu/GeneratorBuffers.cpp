//===- Generated buffers and their slices ---------------------------------===//
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
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

MemRefType KernelGenerator::makeType(int64_t &perThread) {
  Type elements[] = {
      b.getI32Type(),   b.getF32Type(), b.getI8Type(),
      b.getI16Type(),   b.getI64Type(), b.getF64Type(),
      b.getIndexType(), b.getI1Type(),  VectorType::get({4}, b.getF32Type())};
  Type element =
      elements[random.chance(45) ? random.below(2)
                                 : random.below(std::size(elements))];
  perThread = int64_t(1) << random.below(3);
  SmallVector<int64_t> shape;
  if (random.chance(35)) {
    shape = {numThreads, perThread + (random.chance(30) ? 1 : 0)};
  } else {
    shape = {numThreads * perThread +
             (random.chance(20) ? random.range(1, 9) : 0)};
  }
  return makeShared(shape, element);
}

int KernelGenerator::makeBuffer(MemRefType type, int64_t perThread) {
  OpBuilder::InsertionGuard guard(b);
  // Some allocations stand where a pass that hoists would put them.
  if (kind == KernelKind::Tiles || random.chance(25) ||
      position.isInThreadLoop) {
    b.setInsertionPointToStart(body);
    features.insert("hoisted-alloc");
  }
  Buffer buffer;
  buffer.value = makeOtherMemory(type);
  buffer.type = type;
  buffer.perThread = perThread;
  if (!buffer.value) {
    auto allocOp = make<memref::AllocOp>(type);
    if (random.chance(10))
      allocOp.setAlignment(int64_t(16) << random.below(4));
    buffer.value = allocOp;
  }
  if (random.chance(12)) {
    SmallVector<int64_t> shape(type.getRank(), ShapedType::kDynamic);
    buffer.value = make<memref::CastOp>(
        MemRefType::get(shape, type.getElementType(),
                        MemRefLayoutAttrInterface(), type.getMemorySpace()),
        buffer.value);
    features.insert("cast");
  }
  buffers.push_back(buffer);
  states.emplace_back();
  return buffers.size() - 1;
}

int KernelGenerator::makeBuffer() {
  unsigned k = random.below(palette.size());
  return makeBuffer(palette[k], palettePerThread[k]);
}

int KernelGenerator::pickBuffer(
    function_ref<bool(const BufferState &)> isGood) {
  SmallVector<int> good;
  for (int k = 0, e = states.size(); k < e; ++k)
    if (!states[k].forgotten && isGood(states[k]))
      good.push_back(k);
  return good.empty() ? -1 : good[random.below(good.size())];
}

int KernelGenerator::pickTwin(int buffer,
                              function_ref<bool(const BufferState &)> isGood) {
  SmallVector<int> good;
  for (int k = 0, e = states.size(); k < e; ++k)
    if (k != buffer && !states[k].forgotten && isGood(states[k]) &&
        buffers[k].value.getType() == buffers[buffer].value.getType() &&
        buffers[k].perThread == buffers[buffer].perThread)
      good.push_back(k);
  return good.empty() ? -1 : good[random.below(good.size())];
}

Permutation KernelGenerator::pickPermutation() {
  return random.chance(35) ? 0 : Permutation(random.below(16));
}

Value KernelGenerator::getElement(const Slice &slice, int64_t j,
                                  SmallVectorImpl<Value> &at) {
  llvm::append_range(at, slice.indices);
  if (j != 0)
    at[slice.varying] = add(at[slice.varying], makeIndex(j));
  return slice.memref;
}

/// Reach the slice of a thread in one of several ways.
Slice KernelGenerator::access(const Buffer &buffer, Permutation pattern) {
  Value slice = getSlice(pattern);
  auto type = cast<MemRefType>(buffer.value.getType());
  int64_t perThread = buffer.perThread;
  int64_t row =
      buffer.type.getRank() == 2 ? buffer.type.getDimSize(1) : perThread;
  Value zero = makeIndex(0);
  auto getFirst = [&]() -> Value {
    if (row == 1)
      return slice;
    return make<arith::MulIOp>(slice, makeIndex(row));
  };
  unsigned kind = random.below(14);
  bool isMatrix = type.getRank() == 2;
  if (kind == 0) {
    features.insert("subview");
    SmallVector<OpFoldResult> offsets, sizes,
        strides(type.getRank(), b.getIndexAttr(1));
    if (isMatrix) {
      offsets = {slice, b.getIndexAttr(0)};
      sizes = {b.getIndexAttr(1), b.getIndexAttr(perThread)};
    } else {
      offsets = {getFirst()};
      sizes = {b.getIndexAttr(perThread)};
    }
    Value view = make<memref::SubViewOp>(buffer.value, offsets, sizes, strides);
    return isMatrix ? Slice{view, {zero, zero}, 1} : Slice{view, {zero}, 0};
  }
  if (kind == 1 && isMatrix) {
    features.insert("transpose");
    AffineMap permutation =
        AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0}, b.getContext());
    Value view = make<memref::TransposeOp>(buffer.value,
                                           AffineMapAttr::get(permutation));
    return {view, {zero, slice}, 0};
  }
  if (kind == 2 && isMatrix) {
    features.insert("collapse-shape");
    Value view = make<memref::CollapseShapeOp>(
        buffer.value, SmallVector<ReassociationIndices>{{0, 1}});
    return {view, {getFirst()}, 0};
  }
  if (kind == 3 && !isMatrix && type.hasStaticShape() &&
      type.getDimSize(0) == int64_t(numThreads) * perThread) {
    features.insert("expand-shape");
    Value view = make<memref::ExpandShapeOp>(
        ArrayRef<int64_t>{numThreads, perThread}, buffer.value,
        SmallVector<ReassociationIndices>{{0, 1}});
    return {view, {slice, zero}, 1};
  }
  if (kind == 4 && !isMatrix) {
    features.insert("reinterpret-cast");
    auto viewType = MemRefType::get(
        perThread, type.getElementType(),
        StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {1}),
        type.getMemorySpace());
    Value view = make<memref::ReinterpretCastOp>(
        viewType, buffer.value, OpFoldResult(getFirst()),
        ArrayRef<OpFoldResult>{b.getIndexAttr(perThread)},
        ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
    return {view, {zero}, 0};
  }
  if (kind == 5 && random.chance(50)) {
    features.insert("memory-space-cast");
    auto viewType = MemRefType::get(type.getShape(), type.getElementType(),
                                    type.getLayout());
    Value view = make<memref::MemorySpaceCastOp>(viewType, buffer.value);
    if (isMatrix)
      return {view, {slice, zero}, 1};
    return {view, {getFirst()}, 0};
  }
  if (isMatrix)
    return {buffer.value, {slice, zero}, 1};
  return {buffer.value, {getFirst()}, 0};
}

void KernelGenerator::fill(int buffer, Permutation pattern) {
  Buffer &target = buffers[buffer];
  Slice slice = access(target, pattern);
  Type element = target.type.getElementType();
  SmallVector<Value, 2> at;
  if (target.perThread == 4 && element.isF32() && random.chance(50)) {
    features.insert("vector-store");
    Value memref = getElement(slice, 0, at);
    auto type = cast<MemRefType>(memref.getType());
    if (slice.varying == type.getRank() - 1) {
      make<vector::StoreOp>(makeData(VectorType::get({4}, element)), memref,
                            at);
    } else {
      for (int64_t j = 0; j < 4; ++j) {
        at.clear();
        getElement(slice, j, at);
        make<memref::StoreOp>(makeData(element), memref, at);
      }
    }
  } else if (target.perThread > 1 && random.chance(25)) {
    features.insert("fill-loop");
    auto forOp = make<scf::ForOp>(makeIndex(0), makeIndex(target.perThread),
                                  makeIndex(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    Value memref = getElement(slice, 0, at);
    at[slice.varying] = add(at[slice.varying], forOp.getInductionVar());
    make<memref::StoreOp>(makeData(element), memref, at);
  } else {
    for (int64_t j = 0; j < target.perThread; ++j) {
      at.clear();
      Value memref = getElement(slice, j, at);
      make<memref::StoreOp>(makeData(element), memref, at);
    }
  }
  states[buffer].written = true;
  states[buffer].writer = pattern;
}

void KernelGenerator::writeSome(int buffer, Permutation pattern) {
  Slice slice = access(buffers[buffer], pattern);
  SmallVector<Value, 2> at;
  Value memref = getElement(slice, random.below(buffers[buffer].perThread), at);
  make<memref::StoreOp>(makeData(buffers[buffer].type.getElementType()), memref,
                        at);
  states[buffer].writer = pattern;
}

void KernelGenerator::read(int buffer, Permutation pattern) {
  Buffer &source = buffers[buffer];
  Slice slice = access(source, pattern);
  SmallVector<Value, 2> at;
  if (source.perThread == 4 && source.type.getElementType().isF32() &&
      slice.varying + 1 == slice.indices.size() && random.chance(50)) {
    features.insert("vector-load");
    Value memref = getElement(slice, 0, at);
    consume(make<vector::LoadOp>(
        VectorType::get({4}, source.type.getElementType()), memref, at));
  } else {
    Value memref = getElement(slice, random.below(source.perThread), at);
    consume(load(memref, at));
  }
  states[buffer].read(pattern);
}

void KernelGenerator::readFirst(const Buffer &buffer, Permutation pattern) {
  Slice slice = access(buffer, pattern);
  SmallVector<Value, 2> at;
  Value memref = getElement(slice, 0, at);
  consume(load(memref, at));
}

MemRefType KernelGenerator::makeShared(ArrayRef<int64_t> shape, Type element) {
  return MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                         workgroup);
}

void KernelGenerator::passBarrier() {
  for (BufferState &state : states)
    state.writer = state.reader = none;
}

void KernelGenerator::createBarrier() {
  if (usesNamedBarriers) {
    Type type = b.getI32Type();
    Value count = random.chance(50) ? makeInt(type, numThreads) : Value();
    buffer_merge::createNVVMBarrier<NVVM::BarrierOp>(b, loc, makeInt(type, 1),
                                                     count);
    return;
  }
  bool isLowered = kind == KernelKind::Barriers && random.chance(30);
  if (isLowered)
    buffer_merge::createNVVMBarrier<NVVM::BarrierOp>(b, loc);
  else
    make<gpu::BarrierOp>();
}

void KernelGenerator::barrier() {
  createBarrier();
  // What only some threads wrote is not for others.
  if (!position.isConvergent)
    return;
  passBarrier();
}

bool KernelGenerator::prepareWrite(int buffer, Permutation pattern) {
  if (!states[buffer].mayWrite(pattern) && !states[buffer].inFlight &&
      position.isConvergent && random.chance(60))
    barrier();
  return states[buffer].mayWrite(pattern);
}

bool KernelGenerator::prepareRead(int buffer, Permutation pattern) {
  if (!states[buffer].mayRead(pattern) && states[buffer].written &&
      !states[buffer].inFlight && position.isConvergent && random.chance(75))
    barrier();
  return states[buffer].mayRead(pattern);
}

void KernelGenerator::forget(int buffer) {
  if (std::exchange(states[buffer].forgotten, true))
    return;
  if (usesDealloc && position.isConvergent && position.work == 1 &&
      position.depth == 0 && !states[buffer].inFlight &&
      buffers[buffer].value.getDefiningOp<memref::AllocOp>()) {
    make<memref::DeallocOp>(buffers[buffer].value);
    features.insert("dealloc");
  }
}
