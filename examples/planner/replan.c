/* Part of the buffer-merge project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program whose shapes are known when it runs: it plans once for each shape,
 * keeps the plans, and takes one pool for all of them. The layers below stand for
 * those of a network; each run in the pool is compared with one in separate
 * allocations. */

#include <buffer-merge-c/Planner.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUM_BUFFERS = 40 };

/* Layer i writes buffer i and reads the one before it and, every fourth layer, the
 * one four before. Buffer i is alive from tick i to the last layer that reads it. */
static int reads_skip(int layer) { return layer % 4 == 0 && layer >= 4; }

static void describe(int64_t seq, int64_t *sizes, int64_t *begins,
                     int64_t *ends) {
  int i;
  for (i = 0; i < NUM_BUFFERS; ++i) {
    /* Some grow with the square of the sequence, as attention does. */
    sizes[i] = i % 3 == 1 ? seq * seq : seq * 64;
    begins[i] = i;
    ends[i] = i + 2;
    if (i + 4 < NUM_BUFFERS && reads_skip(i + 4))
      ends[i] = i + 5;
  }
}

typedef struct plan {
  int64_t seq;
  int64_t pool_size;
  int64_t offsets[NUM_BUFFERS];
  struct plan *next;
} plan;

typedef struct planner {
  plan *plans; /* The one used last is the first. */
  char *pool;
  int64_t pool_size;
  int num_planned;
} planner;

/* Return the plan for `seq`, or null after a message. */
static const plan *get_plan(planner *cache, int64_t seq) {
  plan **link, *found;
  int64_t sizes[NUM_BUFFERS], begins[NUM_BUFFERS], ends[NUM_BUFFERS];
  int64_t alignments[NUM_BUFFERS];
  bm_problem problem = BM_PROBLEM_INIT;
  bm_result result = BM_RESULT_INIT;
  int i;

  for (link = &cache->plans; *link; link = &(*link)->next)
    if ((*link)->seq == seq) {
      found = *link;
      *link = found->next;
      found->next = cache->plans;
      cache->plans = found;
      return found;
    }

  found = malloc(sizeof(*found));
  if (!found)
    return NULL;
  describe(seq, sizes, begins, ends);
  for (i = 0; i < NUM_BUFFERS; ++i)
    alignments[i] = 64;
  problem.num_buffers = NUM_BUFFERS;
  problem.sizes = sizes;
  problem.begins = begins;
  problem.ends = ends;
  problem.alignments = alignments;
  if (bm_plan(&problem, NULL, found->offsets, &result) != BM_OK) {
    fprintf(stderr, "replan: %s\n", result.message);
    free(found);
    return NULL;
  }
  ++cache->num_planned;
  found->seq = seq;
  found->pool_size = result.pool_size;
  found->next = cache->plans;
  cache->plans = found;
  return found;
}

/* Compute the network and return a number that depends on every byte. */
static uint32_t run(int64_t seq, char *const buffers[NUM_BUFFERS]) {
  int64_t sizes[NUM_BUFFERS], begins[NUM_BUFFERS], ends[NUM_BUFFERS], j;
  uint32_t sum = 0;
  int i;
  describe(seq, sizes, begins, ends);
  for (i = 0; i < NUM_BUFFERS; ++i)
    for (j = 0; j < sizes[i]; ++j) {
      uint32_t value = (uint32_t)(i + j);
      if (i > 0)
        value += 3u * (unsigned char)buffers[i - 1][j % sizes[i - 1]];
      if (reads_skip(i))
        value += 5u * (unsigned char)buffers[i - 4][j % sizes[i - 4]];
      buffers[i][j] = (char)(value & 0xff);
    }
  for (j = 0; j < sizes[NUM_BUFFERS - 1]; ++j)
    sum = sum * 31u + (unsigned char)buffers[NUM_BUFFERS - 1][j];
  return sum;
}

static int run_in_pool(planner *cache, int64_t seq, uint32_t *sum) {
  char *buffers[NUM_BUFFERS];
  int i;
  const plan *use = get_plan(cache, seq);
  if (!use)
    return 0;
  if (use->pool_size > cache->pool_size) {
    free(cache->pool);
    cache->pool_size = use->pool_size;
    cache->pool = malloc((size_t)use->pool_size);
    if (!cache->pool)
      return 0;
  }
  for (i = 0; i < NUM_BUFFERS; ++i)
    buffers[i] = cache->pool + use->offsets[i];
  *sum = run(seq, buffers);
  printf("seq %" PRId64 ": pool %" PRId64 "\n", seq, use->pool_size);
  return 1;
}

static int run_apart(int64_t seq, uint32_t *sum) {
  int64_t sizes[NUM_BUFFERS], begins[NUM_BUFFERS], ends[NUM_BUFFERS];
  char *buffers[NUM_BUFFERS];
  int i, ok = 1;
  describe(seq, sizes, begins, ends);
  for (i = 0; i < NUM_BUFFERS; ++i) {
    buffers[i] = malloc((size_t)sizes[i]);
    ok = ok && buffers[i];
  }
  if (ok)
    *sum = run(seq, buffers);
  for (i = 0; i < NUM_BUFFERS; ++i)
    free(buffers[i]);
  return ok;
}

int main(void) {
  static const int64_t requests[] = {128, 384, 128, 200, 384, 128, 17, 200};
  const size_t num_requests = sizeof(requests) / sizeof(requests[0]);
  planner cache;
  size_t i;
  int ok = 1;
  memset(&cache, 0, sizeof(cache));
  for (i = 0; ok && i < num_requests; ++i) {
    uint32_t in_pool = 0, apart = 1;
    ok = run_in_pool(&cache, requests[i], &in_pool) &&
         run_apart(requests[i], &apart) && in_pool == apart;
  }
  printf("%zu requests, %d plans, pool of %" PRId64 " bytes, %s\n", i,
         cache.num_planned, cache.pool_size, ok ? "same results" : "FAILED");
  while (cache.plans) {
    plan *next = cache.plans->next;
    free(cache.plans);
    cache.plans = next;
  }
  free(cache.pool);
  return ok ? 0 : 1;
}
