//===- main.c - Call both entries of the network -------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Calls both entries of digits.py for one image and prints the sums of the results,
// bit by bit: the same on every machine.
#include "model.h"
#include "platform.h"

#include <stdint.h>

typedef struct {
  float *allocated, *aligned;
  intptr_t offset, sizes[4], strides[4];
} MemRef4D;

typedef struct {
  float *allocated, *aligned;
  intptr_t offset, sizes[2], strides[2];
} MemRef2D;

void _mlir_ciface_features(MemRef4D *image, MemRef4D *features);
void _mlir_ciface_digits(MemRef4D *image, MemRef2D *scores);

static float image[28 * 28], features[4 * 4 * 16], scores[10];

static void printBits(const char *name, const float *values, int count) {
  uint32_t hash = 2166136261u;
  for (int i = 0; i < count; ++i) {
    union {
      float value;
      uint32_t bits;
    } number = {values[i]};
    hash = (hash ^ number.bits) * 16777619u;
  }
  char text[9];
  for (int i = 0; i < 8; ++i)
    text[i] = "0123456789abcdef"[hash >> (28 - 4 * i) & 15];
  text[8] = 0;
  print(name);
  print(": ");
  print(text);
  print("\n");
}

int main(void) {
  for (int i = 0; i < 28 * 28; ++i)
    image[i] = (float)(i * 37 % 256) / 256;
  MemRef4D in = {image, image, 0, {1, 28, 28, 1}, {784, 28, 1, 1}};
  MemRef4D maps = {features, features, 0, {1, 4, 4, 16}, {256, 64, 16, 1}};
  MemRef2D out = {scores, scores, 0, {1, 10}, {10, 1}};
  _mlir_ciface_digits(&in, &out);
  printBits("digits", scores, 10);
  _mlir_ciface_features(&in, &maps);
  printBits("features", features, 4 * 4 * 16);
  return 0;
}
