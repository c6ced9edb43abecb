/*===- Compiled.c - What compiled programs run in -------------------------===*\
|*
|* Part of the buffer-merge project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Runs each of `programs`, in a process of its own, and prints a line of its
|* number and of what it passes to @use_i64, or of how it ended. With generic
|* functions for allocation (finalize-memref-to-llvm{use-generic-functions}) the
|* heap is here: it gives the lowest bytes that are free, so that the address of
|* what was freed last is often the next one.
|*
\*===----------------------------------------------------------------------===*/

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern void (*const programs[])(void);
extern const unsigned numPrograms;

void use_i64(int64_t value) { printf(" %" PRId64, value); }

/* The same as in the interpreter. */
int64_t input_i64(int64_t value) {
  uint64_t bits = (uint64_t)value * 0x9E3779B97F4A7C15u;
  return (int64_t)((bits ^ (bits >> 29)) & 0xFFFF);
}

enum { maxBlocks = 1 << 14 };
static _Alignas(4096) char heap[1 << 24];
/* Sorted by address. */
static struct Block {
  size_t begin, end;
} blocks[maxBlocks];
static unsigned numBlocks;

void *_mlir_memref_to_llvm_aligned_alloc(size_t alignment, size_t bytes) {
  size_t begin = 0;
  unsigned place = 0;
  bytes += bytes == 0;
  for (; place < numBlocks; ++place) {
    if (begin + bytes <= blocks[place].begin)
      break;
    begin = blocks[place].end + alignment - 1;
    begin -= begin % alignment;
  }
  if (numBlocks == maxBlocks || begin + bytes > sizeof(heap))
    abort();
  for (unsigned k = numBlocks++; k > place; --k)
    blocks[k] = blocks[k - 1];
  blocks[place].begin = begin;
  blocks[place].end = begin + bytes;
  return heap + begin;
}

void *_mlir_memref_to_llvm_alloc(size_t bytes) {
  return _mlir_memref_to_llvm_aligned_alloc(64, bytes);
}

void _mlir_memref_to_llvm_free(void *pointer) {
  size_t begin = (char *)pointer - heap;
  for (unsigned place = 0; place < numBlocks; ++place) {
    if (blocks[place].begin != begin)
      continue;
    for (--numBlocks; place < numBlocks; ++place)
      blocks[place] = blocks[place + 1];
    return;
  }
  abort();
}

int main(void) {
  for (unsigned number = 0; number < numPrograms; ++number) {
    printf("%u:", number);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      programs[number]();
      fflush(stdout);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    puts(WIFSIGNALED(status) ? " crashes" : "");
  }
  return 0;
}
