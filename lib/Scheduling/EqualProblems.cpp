//===- EqualProblems.cpp - Problems that cannot be told apart ------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EqualProblems.h"

#include "llvm/ADT/STLExtras.h"

using namespace buffer_merge;

static bool areBuffersEqual(const Buffer &a, const Buffer &b) {
  return a.size == b.size && a.begin == b.begin && a.end == b.end &&
         a.alignment == b.alignment && a.fixedOffset == b.fixedOffset &&
         a.gaps == b.gaps;
}

bool buffer_merge::areEqual(const SchedulingProblem &a,
                            const SchedulingProblem &b) {
  return a.capacity == b.capacity &&
         llvm::equal(a.buffers, b.buffers, areBuffersEqual) &&
         a.conflicts == b.conflicts && a.inPlacePairs == b.inPlacePairs &&
         a.samePlaces == b.samePlaces;
}
