//===- BestFit.cpp - Online best-fit scheduling ---------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/Schedulers/BestFit.h"

#include "../OnePassScheduler.h"
#include "../OnlineFit.h"

using namespace buffer_merge;

std::unique_ptr<Scheduler> buffer_merge::createBestFitScheduler() {
  return std::make_unique<OnePassScheduler>(
      "best-fit",
      "The smallest gap between live buffers, in the order of their begin",
      [](const SchedulingProblem &problem) {
        return fitOnline(problem, GapChoice::Best);
      });
}
