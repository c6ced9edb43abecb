//===- ScaleBenchmark.h - How schedulers grow with the problem --*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_BENCHMARKS_SCALEBENCHMARK_H
#define BUFFER_MERGE_BENCHMARKS_SCALEBENCHMARK_H

#include "buffer-merge/Scheduling/Scheduler.h"

namespace buffer_merge {
/// Print time, memory and pools of `scheduler` for problems of every shape with
/// 1000, 10,000, ... and up to `largest` buffers, made of random numbers
/// that begin with `seed`. Shapes whose names do not contain `only` are left
/// out.
void compareScales(const Scheduler &scheduler, llvm::ArrayRef<unsigned> efforts,
                   int64_t largest, unsigned seed, llvm::StringRef only);
} // namespace buffer_merge

#endif // BUFFER_MERGE_BENCHMARKS_SCALEBENCHMARK_H
