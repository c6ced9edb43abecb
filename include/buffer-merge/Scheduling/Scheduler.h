//===- Scheduler.h - Interface and registry of schedulers -------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_SCHEDULER_H
#define BUFFER_MERGE_SCHEDULING_SCHEDULER_H

#include "buffer-merge/Scheduling/SchedulingProblem.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <limits>
#include <memory>

namespace buffer_merge {
/// Where a search stands.
struct SearchProgress {
  /// Steps done so far.
  int64_t steps = 0;
  /// Bytes of the smallest pool found so far.
  int64_t poolSize = 0;
  /// Bytes that every pool needs, as far as that is proved.
  int64_t lowerBound = 0;
};

/// Called every few thousand steps. Returning false stops the search, which
/// then returns the best that it has: a tool does so on an interrupt. Stopping
/// by the clock gives up that the result is the same on every machine.
using SearchCallback = llvm::function_ref<bool(const SearchProgress &)>;

/// What a caller may ask of every scheduler. A scheduler that has no use for an
/// option ignores it.
struct SchedulerOptions {
  /// How much work a search may do, from 0 (one pass) to 9. It is a limit on
  /// steps, never on time: the same problem has the same schedule on every
  /// machine.
  unsigned effort = 2;

  /// A limit on the steps of each search beside that of the effort.
  int64_t maxSteps = std::numeric_limits<int64_t>::max();

  /// With a capacity that the effort does not decide: the steps that higher
  /// efforts may take in all. About 10 s; 0: the effort is not raised.
  int64_t decisionSteps = 10'000'000;

  /// Called from time to time by those that search; null: never.
  SearchCallback progress = nullptr;
};

/// The error of a scheduler whose pool does not fit the capacity of its
/// problem, to be told from input that is wrong.
class CapacityError : public llvm::ErrorInfo<CapacityError> {
public:
  static char ID;

  /// `neededBytes` is the smallest pool that the scheduler has found or, if
  /// `isProved`, what every schedule needs at least. `isOpen`: a search ended
  /// because of its limit of steps.
  CapacityError(std::string message, int64_t neededBytes, bool isProved,
                bool isOpen = false)
      : text(std::move(message)), neededBytes(neededBytes), proved(isProved),
        open(isOpen) {}

  int64_t getNeededBytes() const { return neededBytes; }
  /// Return true if no scheduler can do better.
  bool isProved() const { return proved; }
  /// Return true if the same scheduler may do better with more effort.
  bool isOpen() const { return open; }

  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string text;
  int64_t neededBytes;
  bool proved;
  bool open;
};

/// An algorithm from lifetimes to offsets.
///
/// A scheduler is a pure function of its arguments: the same problem and
/// options give the same schedule, whatever ran before, on however many
/// threads. `schedule()` may be called by several threads at once, and only
/// once for equal problems of one plan.
class Scheduler {
public:
  virtual ~Scheduler();

  /// The name under which users pick it, such as `best-fit`.
  virtual llvm::StringRef getName() const = 0;

  /// One sentence for `--help`, without a final period.
  virtual llvm::StringRef getDescription() const = 0;

  /// Return true if buffers may share bytes in its schedules. A scheduler that
  /// never reuses a byte (`bump`) is asked for in order to bisect; its pool is
  /// of use although it saves nothing.
  virtual bool reusesBytes() const { return true; }

  /// Return a schedule for `problem`, which is well formed (`checkProblem`), or
  /// an error that says why there is none. Callers go through `runScheduler`,
  /// which checks what comes back.
  virtual llvm::Expected<Schedule>
  schedule(const SchedulingProblem &problem,
           const SchedulerOptions &options) const = 0;
};

/// Run `scheduler` on `problem`: check the problem, schedule it, and verify the
/// result with the independent verifier, in release builds too. The error says
/// which of the three failed and why. A capacity below the lower bound or the
/// proved one is refused without asking the scheduler; a problem of which all
/// offsets are fixed has only one schedule and needs no scheduler.
///
/// A capacity is decided: as long as the scheduler leaves open whether anything
/// fits, it is asked again with more effort, up to `decisionSteps`. The error
/// says how far that went, and what more effort means.
///
/// In-place pairs are made use of for every scheduler: it is asked up to three
/// times, for problems in which buffers that are to be in place of each other
/// are one, and for the problem as it is without pairs. The smallest pool wins,
/// so that pairs never make it larger. For the same reason lifetimes with gaps
/// are scheduled a second time without them, unless the pool is as small as
/// any. Buffers that have one place are one buffer for the scheduler; in-place
/// pairs with them are not made use of.
llvm::Expected<Schedule> runScheduler(const Scheduler &scheduler,
                                      const SchedulingProblem &problem,
                                      const SchedulerOptions &options = {});

/// Make `scheduler` known under its name. Downstream projects call this where
/// they register their passes: before any pass runs, from one thread.
///
/// ```
///   registerScheduler(std::make_unique<MyScheduler>());
/// ```
///
/// Registering a name again replaces the scheduler, so that a downstream
/// project can override a built-in one.
void registerScheduler(std::unique_ptr<Scheduler> scheduler);

/// Return the scheduler registered as `name`, or null. The built-in schedulers
/// are always there. The pointer is valid until the name is registered again.
const Scheduler *lookupScheduler(llvm::StringRef name);

/// Return every registered scheduler, sorted by name.
llvm::SmallVector<const Scheduler *> getRegisteredSchedulers();

/// Return the names of the registered schedulers, sorted and separated by
/// commas, as diagnostics list them.
std::string getRegisteredSchedulerNames();

/// Return the name of a registered scheduler that is nearest to `name`.
llvm::StringRef findNearestScheduler(llvm::StringRef name);
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_SCHEDULER_H
