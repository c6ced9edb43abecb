/* Part of the buffer-merge project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Six buffers with known lifetimes, one pool. */

#include <buffer-merge-c/Planner.h>

#include <inttypes.h>
#include <stdio.h>

int main(void) {
  /* Alive from the first tick to the one before the last. */
  static const int64_t begins[] = {1, 1, 1, 2, 3, 4};
  static const int64_t ends[] = {3, 4, 5, 6, 7, 9};
  static const int64_t sizes[] = {256, 64, 192, 64, 128, 192};
  int64_t offsets[6];
  size_t i;

  bm_problem problem = BM_PROBLEM_INIT;
  bm_result result = BM_RESULT_INIT;
  problem.num_buffers = 6;
  problem.begins = begins;
  problem.ends = ends;
  problem.sizes = sizes;

  if (bm_plan(&problem, NULL, offsets, &result) != BM_OK) {
    fprintf(stderr, "plan: %s\n", result.message);
    return 1;
  }
  for (i = 0; i < problem.num_buffers; ++i)
    printf("buffer %zu: bytes %" PRId64 " to %" PRId64 "\n", i, offsets[i],
           offsets[i] + sizes[i] - 1);
  printf("pool %" PRId64 " of %" PRId64 " bytes, %s\n", result.pool_size,
         result.total_bytes,
         result.is_optimal ? "proved to be the smallest" : "not proved");

  /* What is wrong is a value, not an exit. */
  problem.capacity = 500;
  if (bm_plan(&problem, NULL, offsets, &result) == BM_OVER_CAPACITY)
    printf("%s\n", result.message);
  return 0;
}
