//===- main.c - Call both entries of the network -------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Calls both entries of digits.py for one image and prints the sums of the
// results, bit by bit: the same on every machine.
#include "model.h"
#include "platform.h"

#include <stdint.h>

// What the entries are given, of as many elements as the header says.
#define ELEMENTS(argument) (argument##_BYTES / sizeof(float))
static float image[ELEMENTS(DIGITS_INPUT_0)];
static float features[ELEMENTS(FEATURES_OUTPUT_1)];
static float scores[ELEMENTS(DIGITS_OUTPUT_1)];

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
  for (unsigned i = 0; i < ELEMENTS(DIGITS_INPUT_0); ++i)
    image[i] = (float)(i * 37 % 256) / 256;
  MemRef4D_f32 in = DIGITS_INPUT_0_DESCRIPTOR(image);
  MemRef4D_f32 maps = FEATURES_OUTPUT_1_DESCRIPTOR(features);
  MemRef2D_f32 out = DIGITS_OUTPUT_1_DESCRIPTOR(scores);
  _mlir_ciface_digits(&in, &out);
  printBits("digits", scores, ELEMENTS(DIGITS_OUTPUT_1));
  _mlir_ciface_features(&in, &maps);
  printBits("features", features, ELEMENTS(FEATURES_OUTPUT_1));
  return 0;
}
