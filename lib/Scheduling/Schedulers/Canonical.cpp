//===- Canonical.cpp - Buffers from bottom to top ------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/Schedulers/Canonical.h"

#include "../BufferOrder.h"
#include "../CanonicalFit.h"
#include "../OnePassScheduler.h"

using namespace buffer_merge;

namespace {
struct CanonicalRule {
  const char *name;
  const char *description;
  llvm::SmallVector<OrderKey, 3> keys;
};
} // namespace

llvm::SmallVector<std::unique_ptr<Scheduler>>
buffer_merge::createCanonicalSchedulers() {
  using Key = OrderKey;
  const CanonicalRule rules[] = {
      {"canonical-by-duration",
       "From bottom to top, the longest lived first",
       {Key::Duration, Key::Area, Key::Contention}},
      {"canonical-by-contention",
       "From bottom to top, those alive with the most bytes first, then the "
       "largest areas",
       {Key::Contention, Key::Area, Key::Duration}},
      {"canonical-by-contention-and-duration",
       "From bottom to top, those alive with the most bytes first, then the "
       "longest lived",
       {Key::Contention, Key::Duration, Key::Area}},
      {"canonical-by-contention-and-conflicts",
       "From bottom to top, those alive with the most bytes first, then those "
       "that exclude the most others",
       {Key::Contention, Key::Conflicts, Key::Size}},
      {"canonical-by-area",
       "From bottom to top, the largest products of size and duration first",
       {Key::Area}},
      {"canonical-by-size",
       "From bottom to top, the largest first",
       {Key::Size}},
  };
  llvm::SmallVector<std::unique_ptr<Scheduler>> schedulers;
  for (const CanonicalRule &rule : rules) {
    auto function = [keys = rule.keys](const SchedulingProblem &problem) {
      Sections sections(problem.buffers);
      return fitCanonically(problem, sections,
                            orderBuffers(problem, sections, keys));
    };
    schedulers.push_back(std::make_unique<OnePassScheduler>(
        rule.name, rule.description, function));
  }
  return schedulers;
}
