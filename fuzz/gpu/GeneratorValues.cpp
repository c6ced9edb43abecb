//===- Generated scalars of kernels ---------------------------------------===//
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
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

Value KernelGenerator::makeInt(Type type, int64_t value) {
  Value &constant = constants[{type.getAsOpaquePointer(), value}];
  if (!constant) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(body);
    constant = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }
  return constant;
}

Value KernelGenerator::makeIndex(int64_t value) {
  return makeInt(b.getIndexType(), value);
}

Value KernelGenerator::add(Value lhs, Value rhs) {
  return arith::AddIOp::create(b, loc, lhs, rhs);
}

Value KernelGenerator::load(Value memref, ValueRange indices) {
  return memref::LoadOp::create(b, loc, memref, indices);
}

/// Data that tells thread and statement.
Value KernelGenerator::makeData(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector::BroadcastOp::create(b, loc, vector,
                                       makeData(vector.getElementType()));
  Value scaled = arith::MulIOp::create(b, loc, thread, makeIndex(37));
  Value index = add(scaled, makeIndex(++site % 91));
  if (type.isIndex())
    return index;
  Value wide = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  if (type.isInteger(64))
    return wide;
  if (isa<FloatType>(type))
    return arith::SIToFPOp::create(b, loc, type, wide);
  return arith::TruncIOp::create(b, loc, type, wide);
}

/// Make the value matter for the output of this thread.
void KernelGenerator::consume(Value value) {
  Type type = value.getType();
  if (isa<VectorType>(type)) {
    value = vector::ExtractOp::create(b, loc, value, ArrayRef<int64_t>{1});
    type = value.getType();
  }
  if (auto real = dyn_cast<FloatType>(type)) {
    type = b.getIntegerType(real.getWidth());
    value = arith::BitcastOp::create(b, loc, type, value);
  }
  if (type.isIndex())
    value = arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
  else if (!type.isInteger(64))
    value = arith::ExtUIOp::create(b, loc, b.getI64Type(), value);
  Value old = load(out, thread);
  Value scaled =
      arith::MulIOp::create(b, loc, old, makeInt(b.getI64Type(), 31));
  memref::StoreOp::create(b, loc, add(scaled, value), out, thread);
}

/// The slice that the current thread accesses.
Value KernelGenerator::getSlice(Permutation pattern) {
  if (pattern % 8 == 0)
    return thread;
  Value amount = makeIndex(pattern % 8);
  if (pattern >= 8)
    return arith::XOrIOp::create(b, loc, thread, amount);
  return arith::RemUIOp::create(b, loc, add(thread, amount),
                                makeIndex(numThreads));
}

Value KernelGenerator::makeUniformIndex() {
  switch (random.below(4)) {
  case 0:
    return makeIndex(random.range(0, 2));
  case 1:
    return gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
  default:
    return counts[random.below(counts.size())];
  }
}

Value KernelGenerator::makeUniformBool() {
  if (random.chance(50))
    return flags[random.below(flags.size())];
  return arith::CmpIOp::create(
      b, loc,
      random.chance(50) ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ugt,
      makeUniformIndex(), makeIndex(random.range(0, 1)));
}

Value KernelGenerator::makeHiddenBool() {
  Value value = load(inputs[0], makeIndex(random.range(0, 7)));
  return arith::TruncIOp::create(b, loc, b.getI1Type(), value);
}

Value KernelGenerator::makeDivergentBool() {
  auto compare = [&](Value value, arith::CmpIPredicate predicate, int64_t k) {
    return arith::CmpIOp::create(b, loc, predicate, value, makeIndex(k));
  };
  switch (random.below(6)) {
  case 5:
    return compare(arith::SelectOp::create(b, loc, makeDivergentBool(),
                                           makeUniformIndex(), makeIndex(1)),
                   arith::CmpIPredicate::eq, 1);
  case 0:
    return compare(thread, arith::CmpIPredicate::ult, random.range(0, 8));
  case 1:
    return compare(gpu::LaneIdOp::create(b, loc, IntegerAttr()),
                   arith::CmpIPredicate::eq, random.range(0, 3));
  case 2:
    return compare(gpu::SubgroupIdOp::create(b, loc, IntegerAttr()),
                   arith::CmpIPredicate::eq, random.range(0, 1));
  case 3:
    return compare(
        arith::AndIOp::create(b, loc, thread, makeIndex(random.range(1, 2))),
        arith::CmpIPredicate::eq, 0);
  default:
    return arith::TruncIOp::create(b, loc, b.getI1Type(),
                                   load(inputs[0], thread));
  }
}
