//===- Auto.h - The default scheduler ---------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_SCHEDULERS_AUTO_H
#define BUFFER_MERGE_SCHEDULING_SCHEDULERS_AUTO_H

#include "buffer-merge/Scheduling/Scheduler.h"

namespace buffer_merge {
/// `auto`, the default: all other schedulers, one after the other, until a pool
/// is as small as the lower bound; of each independent part of the problem the
/// best offsets are kept. Then search, as far as the effort reaches.
///
/// - Source: the portfolios of XLA (ChooseBest) and ExecuTorch; the parts, the
///   order and the search are our own.
/// - Objective: the smallest pool that any of them finds, or a smaller one.
/// - Guarantee: never larger than the pool of any other built-in scheduler that
///   it ran, because it ran it on the same problem with the same options;
///   optimal where the lower bound is met. All run on every problem of up to
///   5,792 buffers, and on larger ones of up to 2^24 pairs of buffers that
///   overlap in time. Above that, the greedy and canonical schedulers are left
///   out, which need minutes there, unless the effort is 5 or more. Of more
///   than 10,000 buffers without a capacity, `exact` is not run: the search
///   begins with the best of the others, what `exact` begins with among them.
/// - Complexity: the sum of its parts in the worst case, that is if nothing
///   meets the lower bound: 5 ms for 300 buffers. With more than 10,000 buffers
///   `peaks-first` comes first and is mended by at most as many steps of search
///   as there are pairs of buffers that overlap; for 1,000,000 buffers, ten of
///   which are alive at once, that takes 2 s and meets the lower bound as a
///   rule. Where it does not, all the others take a minute. Otherwise effort 0
///   does not search; above, the effort is the number of steps of `exact` and,
///   after it, of `improveSchedule()`.
/// - Failure: the pool does not fit the capacity.
std::unique_ptr<Scheduler> createAutoScheduler();
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_SCHEDULERS_AUTO_H
