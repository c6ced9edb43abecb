//===- Builtins.cpp - The list of built-in schedulers --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"

#include "buffer-merge/Scheduling/Schedulers/BestFit.h"
#include "buffer-merge/Scheduling/Schedulers/Bump.h"
#include "buffer-merge/Scheduling/Schedulers/Canonical.h"
#include "buffer-merge/Scheduling/Schedulers/FirstFit.h"
#include "buffer-merge/Scheduling/Schedulers/Greedy.h"
#include "buffer-merge/Scheduling/Schedulers/HotFirst.h"
#include "buffer-merge/Scheduling/Schedulers/InterferenceGraph.h"
#include "buffer-merge/Scheduling/Schedulers/LinearScan.h"
#include "buffer-merge/Scheduling/Schedulers/PeaksFirst.h"
#include "buffer-merge/Scheduling/Schedulers/SharedFreeList.h"

using namespace buffer_merge;

llvm::SmallVector<std::unique_ptr<Scheduler>>
buffer_merge::createOnePassSchedulers() {
  llvm::SmallVector<std::unique_ptr<Scheduler>> schedulers;
  auto append = [&](llvm::SmallVector<std::unique_ptr<Scheduler>> table) {
    for (std::unique_ptr<Scheduler> &scheduler : table)
      schedulers.push_back(std::move(scheduler));
  };
  append(createCanonicalSchedulers());
  append(createGreedySchedulers());
  schedulers.push_back(createPeaksFirstScheduler());
  schedulers.push_back(createSizeFirstScheduler());
  schedulers.push_back(createHotFirstScheduler());
  schedulers.push_back(createBestFitScheduler());
  schedulers.push_back(createFirstFitScheduler());
  schedulers.push_back(createInterferenceGraphScheduler());
  schedulers.push_back(createLinearScanScheduler());
  schedulers.push_back(createSharedFreeListScheduler());
  schedulers.push_back(createBumpScheduler());
  return schedulers;
}
