//===- SectionTops.cpp - How high each section is filled -----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A segment tree for the maximum of a range, walked from both ends of the range
// to the root.
//
//===----------------------------------------------------------------------===//

#include "SectionTops.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace buffer_merge;

SectionTops::SectionTops(unsigned numSections)
    : width(llvm::PowerOf2Ceil(std::max(numSections, 1u))), tops(2 * width, 0),
      marks(2 * width, 0) {}

int64_t SectionTops::getHighest(unsigned begin, unsigned end) const {
  // The leaves at both ends, the subtrees between them, whose roots are inner
  // siblings on the way up, and the marks above.
  size_t left = width + begin;
  size_t right = width + end - 1;
  int64_t offset = std::max(tops[left], tops[right]);
  for (; (left ^ right) > 1; left /= 2, right /= 2) {
    if (left % 2 == 0)
      offset = std::max(offset, tops[left + 1]);
    if (right % 2 == 1)
      offset = std::max(offset, tops[right - 1]);
    offset = std::max({offset, marks[left / 2], marks[right / 2]});
  }
  for (left /= 2; left != 0; left /= 2)
    offset = std::max(offset, marks[left]);
  return offset;
}

void SectionTops::raise(unsigned begin, unsigned end, int64_t top) {
  auto mark = [&](size_t node) {
    tops[node] = std::max(tops[node], top);
    marks[node] = std::max(marks[node], top);
  };
  size_t left = width + begin;
  size_t right = width + end - 1;
  mark(left);
  mark(right);
  for (; (left ^ right) > 1; left /= 2, right /= 2) {
    if (left % 2 == 0)
      mark(left + 1);
    if (right % 2 == 1)
      mark(right - 1);
    tops[left / 2] = std::max(tops[left / 2], top);
    tops[right / 2] = std::max(tops[right / 2], top);
  }
  for (left /= 2; left != 0; left /= 2)
    tops[left] = std::max(tops[left], top);
}
