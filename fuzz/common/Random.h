//===- Random numbers that are the same everywhere --------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_FUZZ_RANDOM_H
#define BUFFER_MERGE_FUZZ_RANDOM_H

#include <cstdint>

namespace buffer_merge::fuzz {
/// SplitMix64: small, good enough, the same everywhere.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {
    // The streams of neighbours must not be the same with an offset.
    state = next() ^ (seed << 32);
  }
  uint64_t next() {
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// Return a number in [0, bound).
  unsigned below(unsigned bound) { return bound ? next() % bound : 0; }
  /// Return a number in [low, high].
  int64_t range(int64_t low, int64_t high) {
    return low + int64_t(next() % uint64_t(high - low + 1));
  }
  bool chance(unsigned percent) { return below(100) < percent; }

private:
  uint64_t state;
};
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_FUZZ_RANDOM_H
