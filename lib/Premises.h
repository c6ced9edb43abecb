//===- Premises.h - What proofs take for granted ----------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stage that is added later may take away what an older proof, somewhere
// else, takes for granted. So both name it: the proof says `relyOn` where it
// concludes something, the stage says `endPremise` where it makes the premise
// untrue, and asks, for each proof that relies on it, whether that matters:
//
//   endPremise<Stage::EarlyFrees, Premise::PoolIsHeld>();
//   if (ask<Stage::EarlyFrees, Premise::PoolIsHeld,
//           Proof::ComparedAddresses>(buffer.getHeldUntil()) > tick)
//     return false;
//
// None of them does anything. test/Docs/premises.test fails if a stage ends a
// premise and does not ask for one of the proofs that rely on it, and for
// names that docs/Rules.md or the sources lack.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PREMISES_H
#define BUFFER_MERGE_LIB_PREMISES_H

#include <utility>

namespace buffer_merge {
/// What a proof takes for granted, and some stage makes untrue.
enum class Premise {
  /// The memory that a buffer is in is held from its allocation to its
  /// deallocation, or to the end of its alloc scope.
  PoolIsHeld,
  /// An execution of an allocation has one address, whatever is in it.
  OneAddress,
  /// Two allocations that exist at the same time have different addresses.
  OwnAddress,
  /// From the first access of a buffer to the last, nothing else is written to
  /// its bytes.
  ContentsStay,
  /// Nothing writes to a buffer before its first access.
  FirstAccess,
};

/// What is concluded from premises.
enum class Proof {
  /// A comparison of addresses has the outcome that it had (R3).
  ComparedAddresses,
  /// An access that nobody waits for does no harm until its scope ends (L8).
  InFlight,
  /// An operation may overwrite the buffer that it reads.
  InPlace,
  /// A buffer that is copied into a part of another one can be that part.
  Emplacing,
};

/// What makes a premise untrue.
enum class Stage {
  /// Buffers of one pool share bytes, and so addresses.
  Sharing,
  /// A pool is freed at the exits of its scope (R3).
  Frees,
  /// A pool is freed in the middle of its scope (R7).
  EarlyFrees,
  /// The values that an allocation holds become buffers of their own (L10).
  Splitting,
  /// Others use the bytes of a buffer while nobody needs them (L11).
  Gaps,
  /// Instances of a loop-carried buffer share slots.
  Rotation,
  /// A buffer is in an argument of its function.
  LentArguments,
  /// Buffers of a callee are in bytes that are idle in its callers.
  Arenas,
  /// A buffer becomes a part of another one.
  Emplacement,
  /// What was filled for copies is filled in front of what reads it (L12).
  Refilling,
};

/// Say that `proof` relies on `premises`, where it concludes something.
template <Proof proof, Premise... premises>
constexpr void relyOn() {}

/// Say that `stage` makes `premise` untrue.
template <Stage stage, Premise premise>
constexpr void endPremise() {}

/// Return `answer`, by which `stage`, which makes `premise` untrue, knows that
/// it does no harm to `proofs`.
template <Stage stage, Premise premise, Proof... proofs, typename T>
constexpr T ask(T answer) {
  return answer;
}
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PREMISES_H
