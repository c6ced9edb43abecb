//===- ScaleBenchmark.cpp - How schedulers grow with the problem ----------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problems of many shapes, from 1000 buffers on, each run in a process of its
// own so that its memory can be told. The time of the process counts, not that
// of a clock; problems are made before. The exponent e of a row says that the
// time grew with n^e since the row before of the same shape; bytes for each
// buffer are those of the memory since then.
//
//===----------------------------------------------------------------------===//

#include "ScaleBenchmark.h"
#include "Shapes.h"

#include "buffer-merge/Scheduling/LowerBound.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace buffer_merge;

namespace {
/// What a process has measured.
struct Measurement {
  double milliseconds = 0;
  double bytes = 0;
  double ratio = 0;
};
} // namespace

static double getCPUTime(const rusage &usage) {
  return 1000.0 * usage.ru_utime.tv_sec + usage.ru_utime.tv_usec / 1000.0;
}

/// Run `scheduler` in this process.
static Measurement run(const Scheduler &scheduler, const Shape &shape,
                       int64_t count, unsigned effort, unsigned seed) {
  SchedulingProblem problem = shape.make(count, seed);
  SchedulerOptions options;
  options.effort = effort;
  rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  llvm::Expected<Schedule> schedule = runScheduler(scheduler, problem, options);
  getrusage(RUSAGE_SELF, &after);
  if (!schedule) {
    llvm::errs() << llvm::toString(schedule.takeError()) << '\n';
    _exit(1);
  }
  return {getCPUTime(after) - getCPUTime(before), 1024.0 * after.ru_maxrss,
          double(schedule->poolSize) / computeLowerBound(problem).bytes};
}

/// Run `scheduler` in a process of its own.
static Measurement measure(const Scheduler &scheduler, const Shape &shape,
                           int64_t count, unsigned effort, unsigned seed) {
  int ends[2];
  if (pipe(ends) != 0)
    llvm::report_fatal_error("no pipe");
  llvm::outs().flush();
  pid_t child = fork();
  if (child == 0) {
    Measurement result = run(scheduler, shape, count, effort, seed);
    bool isWritten = write(ends[1], &result, sizeof(result)) == sizeof(result);
    _exit(!isWritten);
  }
  close(ends[1]);
  Measurement result;
  bool isRead = read(ends[0], &result, sizeof(result)) == sizeof(result);
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0 || !isRead)
    llvm::report_fatal_error("a process has failed");
  return result;
}

void buffer_merge::compareScales(const Scheduler &scheduler,
                                 llvm::ArrayRef<unsigned> efforts,
                                 int64_t largest, unsigned seed,
                                 llvm::StringRef only) {
  for (unsigned effort : efforts) {
    llvm::outs() << llvm::formatv(
        "\n{0}, effort {1}\n{2,-24}{3,9}{4,12}{5,10}{6,9}{7,13}{8,9}\n",
        scheduler.getName(), effort, "shape", "buffers", "ms", "exponent",
        "MiB", "bytes/buffer", "ratio");
    for (const Shape &shape : getShapes()) {
      if (!llvm::StringRef(shape.name).contains(only))
        continue;
      Measurement before;
      for (int64_t count = 1000; count <= largest; count *= 10) {
        Measurement result = measure(scheduler, shape, count, effort, seed);
        std::string exponent, bytesOfBuffer;
        if (before.milliseconds > 0)
          exponent = llvm::formatv(
              "{0:f2}", std::log10(result.milliseconds / before.milliseconds));
        // Of fewer buffers, the libraries take most of it.
        if (count > 100000)
          bytesOfBuffer = llvm::formatv(
              "{0:f0}", (result.bytes - before.bytes) / (count - count / 10));
        llvm::outs() << llvm::formatv(
            "{0,-24}{1,9}{2,12:f1}{3,10}{4,9:f0}{5,13}{6,9:f4}\n", shape.name,
            count, result.milliseconds, exponent, result.bytes / (1 << 20),
            bytesOfBuffer, result.ratio);
        before = result;
      }
    }
  }
}
