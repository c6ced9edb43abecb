//===- Greedy.cpp - Buffers in the order of a key ------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/Schedulers/Greedy.h"

#include "../BufferOrder.h"
#include "../OnePassScheduler.h"
#include "../OrderedFit.h"

using namespace buffer_merge;

namespace {
struct GreedyRule {
  const char *name;
  const char *description;
  llvm::SmallVector<OrderKey, 3> keys;
  GapChoice choice;
};
} // namespace

llvm::SmallVector<std::unique_ptr<Scheduler>>
buffer_merge::createGreedySchedulers() {
  using Key = OrderKey;
  const GreedyRule rules[] = {
      {"greedy-by-size",
       "The largest buffers first, each in the smallest gap",
       {Key::Size},
       GapChoice::Best},
      {"greedy-by-size-and-duration",
       "The largest buffers first, of several the longest lived, each in the "
       "smallest gap",
       {Key::Size, Key::Duration},
       GapChoice::Best},
      {"greedy-by-duration",
       "The longest lived buffers first, each in the smallest gap",
       {Key::Duration, Key::Size},
       GapChoice::Best},
      {"greedy-by-area",
       "The largest products of size and duration first, each in the lowest "
       "gap",
       {Key::Area, Key::Size},
       GapChoice::First},
      {"greedy-by-conflicts",
       "The buffers that exclude the most others first, each in the lowest gap",
       {Key::Conflicts, Key::Size},
       GapChoice::First},
      {"greedy-by-contention",
       "The buffers alive with the most bytes first, each in the lowest gap",
       {Key::Contention, Key::Duration, Key::Size},
       GapChoice::First},
  };
  llvm::SmallVector<std::unique_ptr<Scheduler>> schedulers;
  for (const GreedyRule &rule : rules) {
    auto function = [keys = rule.keys,
                     choice = rule.choice](const SchedulingProblem &problem) {
      llvm::SmallVector<BufferId, 0> order =
          orderBuffers(problem, Sections(problem.buffers), keys);
      return fitInOrder(problem, order, choice);
    };
    schedulers.push_back(std::make_unique<OnePassScheduler>(
        rule.name, rule.description, function));
  }
  return schedulers;
}
