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
    constant = make<arith::ConstantOp>(b.getIntegerAttr(type, value));
  }
  return constant;
}

Value KernelGenerator::makeIndex(int64_t value) {
  return makeInt(b.getIndexType(), value);
}

Value KernelGenerator::add(Value lhs, Value rhs) {
  return make<arith::AddIOp>(lhs, rhs);
}

Value KernelGenerator::load(Value memref, ValueRange indices) {
  return make<memref::LoadOp>(memref, indices);
}

/// Data that tells thread and statement.
Value KernelGenerator::makeData(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return make<vector::BroadcastOp>(vector, makeData(vector.getElementType()));
  Value scaled = make<arith::MulIOp>(thread, makeIndex(37));
  Value index = add(scaled, makeIndex(++site % 91));
  if (type.isIndex())
    return index;
  Value wide = make<arith::IndexCastOp>(b.getI64Type(), index);
  if (type.isInteger(64))
    return wide;
  if (isa<FloatType>(type))
    return make<arith::SIToFPOp>(type, wide);
  return make<arith::TruncIOp>(type, wide);
}

/// Make the value matter for the output of this thread.
void KernelGenerator::consume(Value value) {
  Type type = value.getType();
  if (isa<VectorType>(type)) {
    value = make<vector::ExtractOp>(value, ArrayRef<int64_t>{1});
    type = value.getType();
  }
  if (auto real = dyn_cast<FloatType>(type)) {
    type = b.getIntegerType(real.getWidth());
    value = make<arith::BitcastOp>(type, value);
  }
  if (type.isIndex())
    value = make<arith::IndexCastOp>(b.getI64Type(), value);
  else if (!type.isInteger(64))
    value = make<arith::ExtUIOp>(b.getI64Type(), value);
  Value old = load(out, thread);
  Value scaled = make<arith::MulIOp>(old, makeInt(b.getI64Type(), 31));
  make<memref::StoreOp>(add(scaled, value), out, thread);
}

/// The slice that the current thread accesses.
Value KernelGenerator::getSlice(Permutation pattern) {
  if (pattern % 8 == 0)
    return thread;
  Value amount = makeIndex(pattern % 8);
  if (pattern >= 8)
    return make<arith::XOrIOp>(thread, amount);
  return make<arith::RemUIOp>(add(thread, amount), makeIndex(numThreads));
}

Value KernelGenerator::makeUniformIndex() {
  switch (random.below(4)) {
  case 0:
    return makeIndex(random.range(0, 2));
  case 1:
    return make<gpu::BlockIdOp>(gpu::Dimension::x);
  default:
    return counts[random.below(counts.size())];
  }
}

Value KernelGenerator::makeUniformBool() {
  if (random.chance(50))
    return flags[random.below(flags.size())];
  return make<arith::CmpIOp>(random.chance(50) ? arith::CmpIPredicate::eq
                                               : arith::CmpIPredicate::ugt,
                             makeUniformIndex(), makeIndex(random.range(0, 1)));
}

Value KernelGenerator::makeHiddenBool() {
  Value value = load(inputs[0], makeIndex(random.range(0, 7)));
  return make<arith::TruncIOp>(b.getI1Type(), value);
}

Value KernelGenerator::makeDivergentBool() {
  auto compare = [&](Value value, arith::CmpIPredicate predicate, int64_t k) {
    return make<arith::CmpIOp>(predicate, value, makeIndex(k));
  };
  switch (random.below(6)) {
  case 5:
    return compare(make<arith::SelectOp>(makeDivergentBool(),
                                         makeUniformIndex(), makeIndex(1)),
                   arith::CmpIPredicate::eq, 1);
  case 0:
    return compare(thread, arith::CmpIPredicate::ult, random.range(0, 8));
  case 1:
    return compare(make<gpu::LaneIdOp>(IntegerAttr()), arith::CmpIPredicate::eq,
                   random.range(0, 3));
  case 2:
    return compare(make<gpu::SubgroupIdOp>(IntegerAttr()),
                   arith::CmpIPredicate::eq, random.range(0, 1));
  case 3:
    return compare(make<arith::AndIOp>(thread, makeIndex(random.range(1, 2))),
                   arith::CmpIPredicate::eq, 0);
  default:
    return make<arith::TruncIOp>(b.getI1Type(), load(inputs[0], thread));
  }
}
