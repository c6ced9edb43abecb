//===- OutOfMemoryTest.cpp - The C library without memory -----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From one allocation of a plan on, all fail: the call says so and returns.
// What it had allocated may be lost, so that this is not for builds with
// sanitizers, which have a malloc of their own as well.
//
//===----------------------------------------------------------------------===//

#include "PlannerFixture.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>

using namespace buffer_merge;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) ||     \
    __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

#if !defined(HAS_SANITIZER) && defined(__GLIBC__)
/// How many allocations of this thread succeed before the others fail; none
/// fails as long as it is negative.
static thread_local long numLeft = -1;
static thread_local bool hasFailed = false;

static bool fails() {
  if (numLeft < 0)
    return false;
  if (numLeft > 0) {
    --numLeft;
    return false;
  }
  hasFailed = true;
  errno = ENOMEM;
  return true;
}

// The library's containers call these, and operator new does.
extern "C" {
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

void *malloc(size_t size) { return fails() ? nullptr : __libc_malloc(size); }
void *calloc(size_t count, size_t size) {
  return fails() ? nullptr : __libc_calloc(count, size);
}
void *realloc(void *block, size_t size) {
  return fails() ? nullptr : __libc_realloc(block, size);
}
}

TEST(OutOfMemoryTest, AllocationsFail) {
  Columns columns = makeRandomColumns(3, 40);
  bm_problem problem = columns.get();
  bm_result result = BM_RESULT_INIT;
  std::vector<int64_t> offsets(40), again(40);
  ASSERT_EQ(bm_plan(&problem, nullptr, offsets.data(), &result), BM_OK);
  long numFailed = 0;
  for (long count = 0;; count += 1 + count / 16) {
    hasFailed = false;
    numLeft = count;
    bm_status status = bm_plan(&problem, nullptr, again.data(), &result);
    numLeft = -1;
    if (!hasFailed) {
      EXPECT_EQ(status, BM_OK);
      break;
    }
    // An allocation that is not needed may fail without harm.
    EXPECT_TRUE(status == BM_OUT_OF_MEMORY || status == BM_OK) << status;
    numFailed += status == BM_OUT_OF_MEMORY;
  }
  EXPECT_GE(numFailed, 20);
  ASSERT_EQ(bm_plan(&problem, nullptr, again.data(), &result), BM_OK);
  EXPECT_EQ(again, offsets);
}
#endif
