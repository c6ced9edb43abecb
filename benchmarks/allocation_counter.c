//===- allocation_counter.c - What a program allocates -------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     LD_PRELOAD=allocation_counter.so ALLOCATION_COUNTER=counts.json program
//
// Between allocation_counter_start() and allocation_counter_stop(), which the
// program calls if it finds them, every call of the allocator is counted, and
// the bytes asked for that are alive, and how far the stack reaches, up to
// 4 MiB. At the end of the process one line of JSON goes to the file that
// ALLOCATION_COUNTER names.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes of live allocations, by address: open addressing with linear probing. A
 * slot that was freed keeps a mark, so that probing goes on behind it. */
enum { NUM_SLOTS = 1 << 22 };
static struct Slot {
  uintptr_t address;
  size_t size;
} slots[NUM_SLOTS];
static const uintptr_t freed = 1;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_counting;
static uint64_t num_allocations, num_frees, total_bytes, live_bytes, peak_bytes,
    num_lost;

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void *(*next_aligned_alloc)(size_t, size_t);
static int (*next_posix_memalign)(void **, size_t, size_t);
static void (*next_free)(void *);

/* dlsym() itself may call calloc() before there is a next one. */
static char early[4096];
static size_t early_used;

static void find_next(void) {
  static int is_looking;
  if (next_free || is_looking)
    return;
  is_looking = 1;
  next_malloc = dlsym(RTLD_NEXT, "malloc");
  next_calloc = dlsym(RTLD_NEXT, "calloc");
  next_realloc = dlsym(RTLD_NEXT, "realloc");
  next_aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
  next_posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
  next_free = dlsym(RTLD_NEXT, "free");
  is_looking = 0;
}

static size_t hash(uintptr_t address) {
  return (address >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 42;
}

static void *add(void *pointer, size_t size) {
  if (!is_counting || !pointer)
    return pointer;
  pthread_mutex_lock(&mutex);
  ++num_allocations;
  total_bytes += size;
  live_bytes += size;
  if (live_bytes > peak_bytes)
    peak_bytes = live_bytes;
  size_t i = hash((uintptr_t)pointer), probes = 0;
  while (slots[i].address > freed && ++probes < NUM_SLOTS)
    i = (i + 1) % NUM_SLOTS;
  if (probes < NUM_SLOTS)
    slots[i] = (struct Slot){(uintptr_t)pointer, size};
  else
    ++num_lost;
  pthread_mutex_unlock(&mutex);
  return pointer;
}

static void take(void *pointer) {
  if (!is_counting || !pointer)
    return;
  pthread_mutex_lock(&mutex);
  size_t i = hash((uintptr_t)pointer), probes = 0;
  while (slots[i].address && slots[i].address != (uintptr_t)pointer &&
         ++probes < NUM_SLOTS)
    i = (i + 1) % NUM_SLOTS;
  /* What was allocated before counting began is not there. */
  if (slots[i].address == (uintptr_t)pointer) {
    ++num_frees;
    live_bytes -= slots[i].size;
    slots[i].address = freed;
  }
  pthread_mutex_unlock(&mutex);
}

void *malloc(size_t size) {
  find_next();
  return next_malloc ? add(next_malloc(size), size) : NULL;
}

void *calloc(size_t count, size_t size) {
  find_next();
  if (next_calloc)
    return add(next_calloc(count, size), count * size);
  size_t bytes = (count * size + 15) / 16 * 16;
  if (early_used + bytes > sizeof(early))
    return NULL;
  early_used += bytes;
  return early + early_used - bytes;
}

void *realloc(void *pointer, size_t size) {
  find_next();
  take(pointer);
  return add(next_realloc(pointer, size), size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  find_next();
  return add(next_aligned_alloc(alignment, size), size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  find_next();
  int code = next_posix_memalign(result, alignment, size);
  if (code == 0)
    add(*result, size);
  return code;
}

void free(void *pointer) {
  if ((char *)pointer >= early && (char *)pointer < early + sizeof(early))
    return;
  find_next();
  take(pointer);
  next_free(pointer);
}

/* The stack below the caller is filled with a pattern; what is found of it at
 * the end was not used. */
enum { STACK_BYTES = 4 << 20 };
static const uint64_t pattern = UINT64_C(0x5afe5afe5afe5afe);
static uint64_t stack_bytes;

__attribute__((noinline)) static void fill_stack(void) {
  volatile uint64_t words[STACK_BYTES / sizeof(uint64_t)];
  for (size_t i = 0; i < STACK_BYTES / sizeof(uint64_t); ++i)
    words[i] = pattern;
}

__attribute__((noinline)) static void measure_stack(void) {
  /* Not initialized: what was left there. */
  volatile uint64_t words[STACK_BYTES / sizeof(uint64_t)];
  size_t i = 0;
  while (i < STACK_BYTES / sizeof(uint64_t) && words[i] == pattern)
    ++i;
  stack_bytes = STACK_BYTES - i * sizeof(uint64_t);
}

void allocation_counter_start(void) {
  fill_stack();
  is_counting = 1;
}
void allocation_counter_stop(void) {
  is_counting = 0;
  measure_stack();
}

__attribute__((destructor)) static void print(void) {
  is_counting = 0;
  const char *path = getenv("ALLOCATION_COUNTER");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file)
    return;
  fprintf(file,
          "{\"allocations\": %llu, \"frees\": %llu, \"totalBytes\": %llu, "
          "\"peakBytes\": %llu, \"lost\": %llu, \"stackBytes\": %llu}\n",
          (unsigned long long)num_allocations, (unsigned long long)num_frees,
          (unsigned long long)total_bytes, (unsigned long long)peak_bytes,
          (unsigned long long)num_lost,
          (unsigned long long)stack_bytes);
  fclose(file);
}
