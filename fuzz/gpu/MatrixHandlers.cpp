//===- Interpretation of matrices of subgroups ---------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix is a number that its elements decide. Every thread of the subgroup
// reads all of it, and writes some of its rows: which thread has which elements
// is not for a program to know.
//
//===----------------------------------------------------------------------===//

#include "WorkgroupMachine.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

static uint64_t mix(uint64_t hash, uint64_t value) {
  return (hash ^ value) * 0x9E3779B97F4A7C15u + (hash >> 29);
}

/// Return operand `number` from the element on that the indices behind it name,
/// with `lead` elements from row to row.
static Descriptor getMatrix(Step &s, unsigned number, gpu::MMAMatrixType type,
                            int64_t lead) {
  Descriptor matrix = s.memref(number);
  if (s.m.memory.hasFailed())
    return matrix;
  for (unsigned dim = 0; dim < matrix.rank; ++dim)
    matrix.offset += s.integer(number + 1 + dim) * matrix.strides[dim];
  matrix.rank = 2;
  matrix.sizes[0] = type.getShape()[0];
  matrix.sizes[1] = type.getShape()[1];
  matrix.strides[0] = lead;
  matrix.strides[1] = 1;
  getWorkgroup(s.m).checkAlignment(
      matrix, s.m.memory.locate(matrix, {0, 0}, matrix.elementBytes));
  return matrix;
}

static void handleLoadMatrix(Step &s) {
  auto op = cast<gpu::SubgroupMmaLoadMatrixOp>(s.i.op);
  auto type = cast<gpu::MMAMatrixType>(op.getType());
  Descriptor matrix =
      getMatrix(s, 0, type, op.getLeadDimension().getSExtValue());
  uint64_t hash = 1;
  if (!s.m.memory.hasFailed())
    forEachIndex(matrix, [&](ArrayRef<int64_t> at) {
      hash =
          mix(hash, s.m.memory.read(matrix, at, matrix.elementBytes).word[0]);
    });
  s.result().word[0] = hash;
}

static void handleStoreMatrix(Step &s) {
  auto op = cast<gpu::SubgroupMmaStoreMatrixOp>(s.i.op);
  auto type = cast<gpu::MMAMatrixType>(op.getSrc().getType());
  Descriptor matrix =
      getMatrix(s, 1, type, op.getLeadDimension().getSExtValue());
  uint64_t hash = s.operand(0).word[0];
  unsigned lane = getWorkgroup(s.m).current % subgroupSize;
  if (!s.m.memory.hasFailed())
    forEachIndex(matrix, [&](ArrayRef<int64_t> at) {
      if (at[0] % subgroupSize != lane)
        return;
      Val value;
      value.word[0] = mix(hash, at[0] * matrix.sizes[1] + at[1]);
      s.m.memory.write(matrix, at, matrix.elementBytes, value);
    });
}

static void handleComputeMatrix(Step &s) {
  uint64_t hash = 2;
  for (unsigned k = 0; k < s.i.numOperands; ++k)
    hash = mix(hash, s.operand(k).word[0]);
  s.result().word[0] = hash;
}

void buffer_merge::fuzz::addMatrixHandlers(HandlerMap &map) {
  addHandler<gpu::SubgroupMmaLoadMatrixOp>(map, handleLoadMatrix);
  addHandler<gpu::SubgroupMmaStoreMatrixOp>(map, handleStoreMatrix);
  addHandler<gpu::SubgroupMmaComputeOp, gpu::SubgroupMmaConstantMatrixOp>(
      map, handleComputeMatrix);
}
