//===- Shapes.h - Problems of many shapes and every length ------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_BENCHMARKS_SHAPES_H
#define BUFFER_MERGE_BENCHMARKS_SHAPES_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include "llvm/ADT/ArrayRef.h"

namespace buffer_merge {
/// A kind of problem.
struct Shape {
  const char *name;
  /// Return one of `count` buffers, 500 or more, from random numbers that begin
  /// with `seed`: the same everywhere.
  SchedulingProblem (*make)(int64_t count, unsigned seed);
};

llvm::ArrayRef<Shape> getShapes();
} // namespace buffer_merge

#endif // BUFFER_MERGE_BENCHMARKS_SHAPES_H
