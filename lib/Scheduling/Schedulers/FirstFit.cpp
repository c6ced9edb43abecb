//===- FirstFit.cpp - First-fit by lifetime -------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/Schedulers/FirstFit.h"

#include "../OnePassScheduler.h"
#include "../OnlineFit.h"

using namespace buffer_merge;

std::unique_ptr<Scheduler> buffer_merge::createFirstFitScheduler() {
  return std::make_unique<OnePassScheduler>(
      "first-fit",
      "The lowest offset free for the whole lifetime, in the order of begin",
      [](const SchedulingProblem &problem) {
        return fitOnline(problem, GapChoice::First);
      });
}
