/*===- Planner.h - The planner as a C library ---------------------*- C -*-===*\
|*                                                                            *|
|* Part of the buffer-merge project, under the Apache License v2.0 with LLVM  *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef BUFFER_MERGE_C_PLANNER_H
#define BUFFER_MERGE_C_PLANNER_H

/// Lifetimes in, offsets out: libbuffer-merge-planner, for C99 and whatever
/// calls C. The library needs neither MLIR nor libLLVM.
///
/// Every function may be called by several threads at once, keeps nothing
/// between calls, and lets no exception and no signal out; none of them ends
/// the process, prints, or reads a file. All memory belongs to the caller, and
/// what is passed in is not changed. The same call gives the same plan on every
/// machine, whatever ran before, on however many threads.
///
/// Structs grow at their end in later versions, and say by `struct_size` which
/// version the caller was compiled with: initialize each of them with its
/// macro `BM_..._INIT`. A library that is older than the caller refuses what it
/// does not know, unless that is zero. Arrays are of types that never change.

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define BM_EXPORT __attribute__((visibility("default")))
#else
#define BM_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// What a call came to. Values are never used again for something else.
typedef enum bm_status {
  BM_OK = 0,
  /// A pointer that is null and must not be, a `struct_size` that no version
  /// has, an option that is wrong, a scheduler that does not exist, or a
  /// callback that throws.
  BM_INVALID_ARGUMENT = 1,
  /// The problem contradicts what its members ask for.
  BM_INVALID_PROBLEM = 2,
  /// No plan within the capacity was found. It is proved that there is none if
  /// `bm_result::proved_bound` is above the capacity.
  BM_OVER_CAPACITY = 3,
  /// `bm_verify`: the offsets break a rule.
  BM_INVALID_PLAN = 4,
  /// Some of what the call has allocated until then may be lost.
  BM_OUT_OF_MEMORY = 5,
  /// A defect of this library, such as a schedule that its own verifier
  /// rejects.
  BM_INTERNAL_ERROR = 6
} bm_status;

/// Sizes, alignments and offsets are at most this many bytes, as are the sums
/// of the sizes and alignments of a problem.
#define BM_MAX_BYTES ((int64_t)1 << 61)

/// A buffer without a fixed offset.
#define BM_NO_OFFSET ((int64_t)(-1))

/// The ticks `begin` to `end - 1` of the lifetime of `buffer` do not belong to
/// it: others may use its bytes then, and what they held is lost. Live ticks
/// are before, between and after the gaps of a buffer.
typedef struct bm_gap {
  int64_t buffer;
  int64_t begin;
  int64_t end;
} bm_gap;

/// Two different buffers, by index.
typedef struct bm_pair {
  int64_t first;
  int64_t second;
} bm_pair;

/// Permission for `later` to share bytes with `earlier` at the one tick that
/// both are alive at: the last one of `earlier` and the first one of `later`.
typedef struct bm_in_place {
  int64_t earlier;
  int64_t later;
  /// 0: only if both have the same offset, for operations that read each byte
  /// before they write it. 1: at any offsets, for those that read everything
  /// first.
  int64_t at_any_offset;
} bm_in_place;

/// A problem: `num_buffers` buffers, each column an array with an entry for
/// each of them. Two buffers may share bytes if no tick belongs to both.
typedef struct bm_problem {
  /// sizeof(bm_problem).
  size_t struct_size;
  size_t num_buffers;
  /// Bytes, 1 or more.
  const int64_t *sizes;
  /// The first tick of each lifetime. Ticks are numbers of any unit and sign.
  const int64_t *begins;
  /// The first tick after each lifetime, more than its `begins`.
  const int64_t *ends;
  /// Powers of two that offsets are multiples of. Null: all are 1.
  const int64_t *alignments;
  /// Offsets that are decided already, or BM_NO_OFFSET. Null: none is.
  const int64_t *fixed_offsets;
  /// Gaps in lifetimes; those of one buffer in the order of their ticks.
  size_t num_gaps;
  const bm_gap *gaps;
  /// Pairs that must not share bytes, whatever their lifetimes.
  size_t num_conflicts;
  const bm_pair *conflicts;
  /// Pairs that may share bytes at one tick.
  size_t num_in_place;
  const bm_in_place *in_place;
  /// Pairs that must have the same offset.
  size_t num_same_places;
  const bm_pair *same_places;
  /// The most bytes that the pool may have, 1 or more; 0: no limit.
  int64_t capacity;
} bm_problem;

#define BM_PROBLEM_INIT                                                        \
  {sizeof(bm_problem),                                                         \
   0,                                                                          \
   NULL,                                                                       \
   NULL,                                                                       \
   NULL,                                                                       \
   NULL,                                                                       \
   NULL,                                                                       \
   0,                                                                          \
   NULL,                                                                       \
   0,                                                                          \
   NULL,                                                                       \
   0,                                                                          \
   NULL,                                                                       \
   0,                                                                          \
   NULL,                                                                       \
   0}

/// Called every few thousand steps of a search. Any value but 0 ends the
/// search, which then returns the best that it has: whether it does so by a
/// clock is up to the caller, and so is that plans are the same each time. An
/// exception ends the search as well, and the call with an error.
typedef int (*bm_progress)(void *user_data, int64_t steps, int64_t pool_size,
                           int64_t lower_bound);

/// How to plan. Null instead of a pointer to one stands for BM_OPTIONS_INIT.
typedef struct bm_options {
  /// sizeof(bm_options).
  size_t struct_size;
  /// One of `bm_get_scheduler_name`; null: `auto`.
  const char *scheduler;
  /// How much work a search may do, from 0 (one pass) to 9. A limit on steps,
  /// never on time.
  int64_t effort;
  /// With a capacity that the effort does not decide: the steps, of about a
  /// microsecond each, that higher efforts may take in all. 0: none.
  int64_t decision_steps;
  /// Null: not called.
  bm_progress progress;
  void *user_data;
} bm_options;

#define BM_OPTIONS_INIT {sizeof(bm_options), NULL, 2, 10000000, NULL, NULL}

/// The bytes of `bm_result::message`, its final zero included.
#define BM_MESSAGE_BYTES 512

/// What is known of a problem and its plan. Numbers that are not known are 0.
typedef struct bm_result {
  /// sizeof(bm_result), by the caller.
  size_t struct_size;
  /// Bytes of the pool. After BM_OVER_CAPACITY the smallest pool found, 0 if
  /// none was looked for.
  int64_t pool_size;
  /// The start of the pool must be a multiple of this many bytes.
  int64_t pool_alignment;
  /// The most bytes alive at one tick, or the end of the highest fixed offset
  /// if that is more: no pool is smaller.
  int64_t lower_bound;
  /// The first tick at which that many are alive.
  int64_t peak_tick;
  /// At least `lower_bound`: what every pool needs, as far as it is proved.
  int64_t proved_bound;
  /// The sum of all sizes.
  int64_t total_bytes;
  /// 1 if `pool_size` is proved to be the smallest, otherwise 0.
  int64_t is_optimal;
  /// What is wrong, in one line of UTF-8 that ends with a zero; empty after
  /// BM_OK.
  char message[BM_MESSAGE_BYTES];
} bm_result;

#define BM_RESULT_INIT {sizeof(bm_result), 0, 0, 0, 0, 0, 0, 0, {0}}

/// Plan `problem`: write the offset of each buffer, from the start of the pool,
/// to `offsets`, which has room for `num_buffers` of them, and what is known of
/// the plan to `result`, unless that is null. Every plan has passed a verifier
/// that shares no code with the schedulers. After anything but BM_OK, `offsets`
/// is as it was.
BM_EXPORT bm_status bm_plan(const bm_problem *problem,
                            const bm_options *options, int64_t *offsets,
                            bm_result *result);

/// Check `offsets`, one for each buffer, whoever made them: BM_OK or, with the
/// rule and the buffers in the message, BM_INVALID_PLAN. Fixed offsets and the
/// capacity are rules as well. `result` has the pool that the offsets need.
BM_EXPORT bm_status bm_verify(const bm_problem *problem, const int64_t *offsets,
                              bm_result *result);

/// Compute what no plan can beat, without planning: `lower_bound`, `peak_tick`,
/// `proved_bound` and `total_bytes` of `result`.
BM_EXPORT bm_status bm_get_bounds(const bm_problem *problem, bm_result *result);

/// Return the name of `status`, such as "over capacity"; "unknown" if no
/// version of this library returns it.
BM_EXPORT const char *bm_get_status_name(bm_status status);

/// Return the number of schedulers.
BM_EXPORT size_t bm_get_num_schedulers(void);

/// Return the name of a scheduler, or null if `index` is too large. They are
/// sorted.
BM_EXPORT const char *bm_get_scheduler_name(size_t index);

/// Return what a scheduler does, in one sentence without a period, or null.
BM_EXPORT const char *bm_get_scheduler_description(size_t index);

/// Return the version of the library, such as "0.2.0".
BM_EXPORT const char *bm_get_version(void);

#ifdef __cplusplus
}
#endif

#endif /* BUFFER_MERGE_C_PLANNER_H */
