//===- Ordered.cpp - Schedulers that are an order and a placement --------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most schedulers sort the buffers by a few keys and place them one after the
// other: `first-fit`, `best-fit`, `greedy-*` each in a gap between those that
// are placed, `canonical-*` from bottom to top. They are rows of one table.
//
//===----------------------------------------------------------------------===//

#include "../BufferOrder.h"
#include "../Builtins.h"
#include "../CanonicalFit.h"
#include "../GapFit.h"

using namespace buffer_merge;

namespace {
/// Where the next buffer of the order goes to.
enum class Destination {
  /// The one that can be put lowest comes first, and goes there.
  Bottom,
  /// A gap between the buffers that are placed.
  LowestGap,
  SmallestGap,
};

struct OrderedRule {
  const char *name;
  const char *description;
  /// None for the order of time.
  llvm::SmallVector<OrderKey, 3> keys;
  Destination destination;
};
} // namespace

static llvm::SmallVector<int64_t, 0>
placeByRule(const SchedulingProblem &problem, llvm::ArrayRef<OrderKey> keys,
            Destination destination, int64_t limit) {
  GapChoice choice = destination == Destination::SmallestGap ? GapChoice::Best
                                                             : GapChoice::First;
  // In the order of time, the placed buffers that matter are those alive.
  if (keys.empty())
    return fitOnline(problem, choice, limit);
  Sections sections(problem.buffers);
  llvm::SmallVector<BufferId, 0> order = orderBuffers(problem, sections, keys);
  if (destination == Destination::Bottom)
    return fitCanonically(problem, sections, order);
  return fitInOrder(problem, order, choice);
}

void buffer_merge::appendOrderedSchedulers(OnePassSchedulers &schedulers) {
  using Key = OrderKey;
  // Those most likely to meet the lower bound come first.
  const OrderedRule rules[] = {
      {"canonical-by-contention-and-duration",
       "From bottom to top, those alive with the most bytes first, then the "
       "longest lived",
       {Key::Contention, Key::Duration, Key::Area},
       Destination::Bottom},
      {"canonical-by-contention-and-conflicts",
       "From bottom to top, those alive with the most bytes first, then those "
       "that exclude the most others",
       {Key::Contention, Key::Conflicts, Key::Size},
       Destination::Bottom},
      {"canonical-by-contention",
       "From bottom to top, those alive with the most bytes first, then the "
       "largest areas",
       {Key::Contention, Key::Area, Key::Duration},
       Destination::Bottom},
      {"canonical-by-area",
       "From bottom to top, the largest products of size and duration first",
       {Key::Area},
       Destination::Bottom},
      {"canonical-by-duration",
       "From bottom to top, the longest lived first",
       {Key::Duration, Key::Area, Key::Contention},
       Destination::Bottom},
      {"greedy-by-size",
       "The largest buffers first, each in the smallest gap",
       {Key::Size},
       Destination::SmallestGap},
      {"greedy-by-contention",
       "The buffers alive with the most bytes first, each in the lowest gap",
       {Key::Contention, Key::Duration, Key::Size},
       Destination::LowestGap},
      {"best-fit",
       "The smallest gap between live buffers, in the order of their begin",
       {},
       Destination::SmallestGap},
      {"first-fit",
       "The lowest offset free for the whole lifetime, in the order of begin",
       {},
       Destination::LowestGap},
  };
  for (const OrderedRule &rule : rules) {
    using Cost = OnePassScheduler::Cost;
    auto function = [keys = rule.keys, destination = rule.destination](
                        const SchedulingProblem &problem, int64_t limit) {
      return placeByRule(problem, keys, destination, limit);
    };
    schedulers.push_back(std::make_unique<OnePassScheduler>(
        rule.name, rule.description, function,
        rule.keys.empty()                         ? Cost::Low
        : rule.destination == Destination::Bottom ? Cost::Medium
                                                  : Cost::Pairs));
  }
}
