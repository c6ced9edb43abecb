//===- Scheduler.cpp - Interface and registry of schedulers ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/Scheduler.h"
#include "buffer-merge/Scheduling/Schedulers/BestFit.h"
#include "buffer-merge/Scheduling/Schedulers/Bump.h"
#include "buffer-merge/Scheduling/Schedulers/Exact.h"
#include "buffer-merge/Scheduling/Schedulers/FirstFit.h"
#include "buffer-merge/Scheduling/Verifier.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace buffer_merge;

Scheduler::~Scheduler() = default;

llvm::Expected<Schedule>
buffer_merge::runScheduler(const Scheduler &scheduler,
                           const SchedulingProblem &problem,
                           const SchedulerOptions &options) {
  if (llvm::Error error = checkProblem(problem))
    return std::move(error);
  llvm::Expected<Schedule> schedule = scheduler.schedule(problem, options);
  if (!schedule)
    return schedule;
  if (llvm::Error error = verifySchedule(problem, *schedule))
    return llvm::joinErrors(
        llvm::createStringError("scheduler '" + scheduler.getName() +
                                "' returned an invalid schedule"),
        std::move(error));
  return schedule;
}

namespace {
/// Ordered by name, so that listings are the same everywhere.
using Registry = std::map<std::string, std::unique_ptr<Scheduler>, std::less<>>;
} // namespace

static void addTo(Registry &registry, std::unique_ptr<Scheduler> scheduler) {
  std::string name = scheduler->getName().str();
  registry[name] = std::move(scheduler);
}

static Registry &getRegistry() {
  // The built-in schedulers are named here and not by static constructors,
  // which a linker drops with the archive member that nobody refers to.
  static Registry registry = [] {
    Registry builtins;
    addTo(builtins, createBestFitScheduler());
    addTo(builtins, createBumpScheduler());
    addTo(builtins, createExactScheduler());
    addTo(builtins, createFirstFitScheduler());
    return builtins;
  }();
  return registry;
}

void buffer_merge::registerScheduler(std::unique_ptr<Scheduler> scheduler) {
  addTo(getRegistry(), std::move(scheduler));
}

const Scheduler *buffer_merge::lookupScheduler(llvm::StringRef name) {
  const Registry &registry = getRegistry();
  auto it = registry.find(name.str());
  return it == registry.end() ? nullptr : it->second.get();
}

llvm::SmallVector<const Scheduler *> buffer_merge::getRegisteredSchedulers() {
  llvm::SmallVector<const Scheduler *> schedulers;
  for (const auto &entry : getRegistry())
    schedulers.push_back(entry.second.get());
  return schedulers;
}

std::string buffer_merge::getRegisteredSchedulerNames() {
  llvm::SmallVector<llvm::StringRef> names;
  for (const Scheduler *scheduler : getRegisteredSchedulers())
    names.push_back(scheduler->getName());
  return llvm::join(names, ", ");
}
