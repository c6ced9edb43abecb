//===- Builtins.cpp - The list of built-in schedulers --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The list from which both the registry and `auto` take their schedulers. It
// names each of them; static constructors would be dropped by a linker with the
// archive member that nobody refers to.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"

#include "buffer-merge/Scheduling/Algorithms.h"

using namespace buffer_merge;

OnePassSchedulers buffer_merge::createOnePassSchedulers() {
  OnePassSchedulers schedulers;
  appendOrderedSchedulers(schedulers);
  appendFreeListSchedulers(schedulers);
  schedulers.push_back(createInterferenceGraphScheduler());
  schedulers.push_back(createBumpScheduler());
  return schedulers;
}

llvm::SmallVector<std::unique_ptr<Scheduler>>
buffer_merge::createBuiltinSchedulers() {
  llvm::SmallVector<std::unique_ptr<Scheduler>> schedulers;
  for (std::unique_ptr<OnePassScheduler> &scheduler : createOnePassSchedulers())
    schedulers.push_back(std::move(scheduler));
  schedulers.push_back(createExactScheduler());
  schedulers.push_back(createAutoScheduler());
  return schedulers;
}
