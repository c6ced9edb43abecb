// A heap that gives freed addresses to the next allocation that fits, and the
// first bytes that fit. It aborts where something is freed that is not held.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MaxBlocks = 4096 };

static _Alignas(64) char heap[1 << 22];
static struct {
  uint64_t begin, size;
} blocks[MaxBlocks];
static int numBlocks;

void *_mlir_memref_to_llvm_alloc(uint64_t size) {
  size = (size + 63) / 64 * 64;
  uint64_t begin = 0;
  int i = 0;
  for (; i < numBlocks && blocks[i].begin - begin < size; ++i)
    begin = blocks[i].begin + blocks[i].size;
  if (begin + size > sizeof heap || numBlocks == MaxBlocks)
    abort();
  memmove(blocks + i + 1, blocks + i, (numBlocks - i) * sizeof *blocks);
  blocks[i].begin = begin;
  blocks[i].size = size;
  ++numBlocks;
  return heap + begin;
}

void _mlir_memref_to_llvm_free(void *pointer) {
  int i = 0;
  for (; i < numBlocks && heap + blocks[i].begin != pointer; ++i)
    ;
  if (i == numBlocks)
    abort();
  --numBlocks;
  memmove(blocks + i, blocks + i + 1, (numBlocks - i) * sizeof *blocks);
}

void print(int64_t value) { printf("%ld\n", (long)value); }

// What is still held.
void printHeld(void) { printf("held %d\n", numBlocks); }
