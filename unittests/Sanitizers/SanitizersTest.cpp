//===- SanitizersTest.cpp - What sanitizers stop --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"

#include <limits>

namespace {
// The compiler must not know what these are.
volatile int largest = std::numeric_limits<int>::max();
volatile int width = 32;

TEST(SanitizersTest, SignedOverflow) {
  EXPECT_DEATH(largest = largest + 1, "signed integer overflow");
}

TEST(SanitizersTest, Shift) {
  EXPECT_DEATH(largest = 1 << width, "shift exponent 32 is too large");
}

TEST(SanitizersTest, UseAfterFree) {
  int *volatile freed = new int(0);
  delete freed;
  EXPECT_DEATH(largest = *freed, "heap-use-after-free");
}
} // namespace
