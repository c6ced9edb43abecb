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

#include "buffer-merge/Scheduling/LowerBound.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace buffer_merge;

namespace {
/// Builds a problem of `count` buffers.
class ShapeBuilder {
public:
  ShapeBuilder(int64_t count, unsigned seed) : count(count), random(seed) {}

  SchedulingProblem makeChain(int64_t spread);
  SchedulingProblem makeStaircase(bool isEven);
  SchedulingProblem makeRandom(int64_t alive);
  SchedulingProblem makeEqual();
  SchedulingProblem makeSkewed();
  SchedulingProblem makeNested();
  SchedulingProblem makeStack();
  SchedulingProblem makeLoops();
  SchedulingProblem makePowerLaw();
  SchedulingProblem makeTransformer();
  SchedulingProblem makeTraining();
  SchedulingProblem makeClique();
  SchedulingProblem makeMixture();

private:
  int64_t pick(int64_t limit) { return random() % uint64_t(limit); }
  int64_t pickSize() { return 64 * (1 + pick(1000)); }
  void add(int64_t begin, int64_t end, int64_t size) {
    problem.buffers.push_back({size, begin, end, 64});
  }
  bool isFull() const { return int64_t(problem.buffers.size()) >= count; }
  SchedulingProblem take() {
    problem.buffers.truncate(count);
    return std::move(problem);
  }

  int64_t count;
  // Of the generator only the raw numbers are used: the distributions of the
  // standard differ between libraries.
  std::mt19937_64 random;
  SchedulingProblem problem;
};
} // namespace

/// Each result is read by the next operation, or by one of the `spread` ones
/// after it.
SchedulingProblem ShapeBuilder::makeChain(int64_t spread) {
  for (int64_t i = 0; i < count; ++i)
    add(i, i + 2 + pick(spread + 1), pickSize());
  return take();
}

/// Each step has a result that the next 40 steps read. They grow, evenly or
/// not.
SchedulingProblem ShapeBuilder::makeStaircase(bool isEven) {
  for (int64_t i = 0; i < count; ++i)
    add(i, i + 40, 64 * (1 + i) + (isEven ? 0 : pickSize()));
  return take();
}

/// Groups of 32 with the same lifetime, three groups alive at a time.
SchedulingProblem ShapeBuilder::makeEqual() {
  for (int64_t i = 0; i < count; ++i)
    add(i / 32, i / 32 + 3, pickSize());
  return take();
}

/// One in ten lives for a tenth of the time, most of these from early on; the
/// others live for a moment.
SchedulingProblem ShapeBuilder::makeSkewed() {
  for (int64_t i = 0; i < count; ++i) {
    int64_t begin = pick(count);
    if (i % 10 == 0)
      begin = begin * begin / count, add(begin, begin + count / 10, pickSize());
    else
      add(begin, begin + 1 + pick(20), pickSize());
  }
  return take();
}

/// Lifetimes begin anywhere, `alive` at once on average.
SchedulingProblem ShapeBuilder::makeRandom(int64_t alive) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t begin = pick(count);
    add(begin, begin + 1 + pick(2 * alive), pickSize());
  }
  return take();
}

/// Lifetimes within lifetimes, like calls within calls.
SchedulingProblem ShapeBuilder::makeNested() {
  llvm::SmallVector<std::pair<int64_t, int64_t>, 0> open = {{0, 4 * count}};
  for (size_t i = 0; i < open.size() && !isFull(); ++i) {
    auto [begin, end] = open[i];
    add(begin, end, pickSize());
    if (end - begin < 4)
      continue;
    int64_t middle = begin + 1 + pick(end - begin - 2);
    open.push_back({begin, middle});
    open.push_back({middle, end});
  }
  while (!isFull()) {
    int64_t begin = pick(4 * count);
    add(begin, begin + 1, pickSize());
  }
  return take();
}

/// What a stack does: the last one that was pushed is popped first.
SchedulingProblem ShapeBuilder::makeStack() {
  llvm::SmallVector<int64_t> begins;
  for (int64_t tick = 0; !isFull(); ++tick) {
    if (begins.empty() || pick(2) == 0)
      begins.push_back(tick);
    else
      add(begins.pop_back_val(), tick, pickSize());
  }
  return take();
}

/// Loops of three levels, unrolled: what an iteration of each level holds until
/// its end, and what it computes from the iteration before.
SchedulingProblem ShapeBuilder::makeLoops() {
  for (int64_t tick = 0; !isFull();) {
    int64_t outer = tick, outerSize = pickSize(), numMiddle = 2 + pick(5);
    for (int64_t j = 0; j < numMiddle; ++j) {
      int64_t middle = tick, numInner = 2 + pick(9);
      for (int64_t k = 0; k < numInner; ++k, tick += 3) {
        add(tick, tick + 2, pickSize());
        add(tick + 1, tick + 5, pickSize());
      }
      add(middle, tick, pickSize());
      add(middle, tick + 3, pickSize());
    }
    add(outer, tick, outerSize);
    add(outer, tick + 30, pickSize());
  }
  return take();
}

/// Few large ones and few long ones, many small and short ones.
SchedulingProblem ShapeBuilder::makePowerLaw() {
  for (int64_t i = 0; i < count; ++i) {
    int64_t begin = pick(count);
    add(begin, begin + count / (1 + pick(count)), 6400000 / (1 + pick(100000)));
  }
  return take();
}

/// Weights that are alive throughout, activations that are saved for the way
/// back, and short results in both directions.
SchedulingProblem ShapeBuilder::makeTransformer() {
  const int64_t numLayers = count / 19 + 1, end = 12 * numLayers;
  for (int64_t layer = 0; layer < numLayers; ++layer) {
    for (int64_t i = 0; i < 4; ++i)
      add(0, end, 4096 * (1 + i));
    for (int64_t i = 0; i < 6; ++i) {
      int64_t there = 6 * layer + i, back = end - 1 - there;
      if (i % 2 == 0)
        add(there, back + 1, 512 * (1 + pick(16)));
      add(there, there + 2 + pick(3), 512 * (1 + pick(64)));
      add(back, std::min(end, back + 2 + pick(3)), 512 * (1 + pick(64)));
    }
  }
  return take();
}

/// What forward computes is read by backward, in which each layer has gradients
/// of its own.
SchedulingProblem ShapeBuilder::makeTraining() {
  const int64_t numLayers = count / 5 + 1, end = 4 * numLayers;
  for (int64_t layer = 0; layer < numLayers; ++layer) {
    int64_t there = 2 * layer, back = end - 2 - there, size = pickSize();
    add(there, back + 1, size);
    add(there, there + 3, pickSize());
    add(back, back + 3, size);
    add(back, back + 2, pickSize());
    add(back, end, 64 * (1 + pick(20)));
  }
  return take();
}

/// All buffers are alive at once.
SchedulingProblem ShapeBuilder::makeClique() {
  for (int64_t i = 0; i < count; ++i)
    add(i, 2 * count - i, pickSize());
  return take();
}

/// Programs of other shapes that begin at random times and run at once.
SchedulingProblem ShapeBuilder::makeMixture() {
  const int64_t all = count, numParts = std::min<int64_t>(10, count / 500);
  llvm::SmallVector<Buffer, 0> mixed;
  for (int64_t part = 0; part < numParts; ++part) {
    count = all * (part + 1) / numParts - all * part / numParts;
    using Make = SchedulingProblem (*)(ShapeBuilder &);
    static constexpr Make makes[] = {
        [](ShapeBuilder &b) { return b.makeTraining(); },
        [](ShapeBuilder &b) { return b.makeChain(2); },
        [](ShapeBuilder &b) { return b.makeRandom(50); },
        [](ShapeBuilder &b) { return b.makeLoops(); },
        [](ShapeBuilder &b) { return b.makeEqual(); },
    };
    int64_t start = pick(all);
    for (Buffer &buffer : makes[part % std::size(makes)](*this).buffers) {
      buffer.begin += start;
      buffer.end += start;
      mixed.push_back(buffer);
    }
    problem.buffers.clear();
  }
  count = all;
  problem.buffers = std::move(mixed);
  return take();
}

namespace {
struct Shape {
  const char *name;
  SchedulingProblem (*make)(ShapeBuilder builder, int64_t count);
};

/// What a process has measured.
struct Measurement {
  double milliseconds = 0;
  double bytes = 0;
  double ratio = 0;
};
} // namespace

static const Shape shapes[] = {
    {"chain", [](ShapeBuilder b, int64_t) { return b.makeChain(0); }},
    {"chain, read later",
     [](ShapeBuilder b, int64_t) { return b.makeChain(2); }},
    {"staircase",
     [](ShapeBuilder b, int64_t) { return b.makeStaircase(true); }},
    {"staircase, uneven",
     [](ShapeBuilder b, int64_t) { return b.makeStaircase(false); }},
    {"clique", [](ShapeBuilder b, int64_t) { return b.makeClique(); }},
    {"transformer",
     [](ShapeBuilder b, int64_t) { return b.makeTransformer(); }},
    {"training", [](ShapeBuilder b, int64_t) { return b.makeTraining(); }},
    {"random, 10 alive",
     [](ShapeBuilder b, int64_t) { return b.makeRandom(10); }},
    {"random, 100 alive",
     [](ShapeBuilder b, int64_t) { return b.makeRandom(100); }},
    {"random, sqrt(n) alive",
     [](ShapeBuilder b, int64_t n) {
       return b.makeRandom(std::sqrt(double(n)));
     }},
    {"dense", [](ShapeBuilder b, int64_t n) { return b.makeRandom(n / 4); }},
    {"equal", [](ShapeBuilder b, int64_t) { return b.makeEqual(); }},
    {"skewed", [](ShapeBuilder b, int64_t) { return b.makeSkewed(); }},
    {"power law", [](ShapeBuilder b, int64_t) { return b.makePowerLaw(); }},
    {"nested", [](ShapeBuilder b, int64_t) { return b.makeNested(); }},
    {"stack", [](ShapeBuilder b, int64_t) { return b.makeStack(); }},
    {"loops", [](ShapeBuilder b, int64_t) { return b.makeLoops(); }},
    {"mixture", [](ShapeBuilder b, int64_t) { return b.makeMixture(); }},
};

static double getCPUTime(const rusage &usage) {
  return 1000.0 * usage.ru_utime.tv_sec + usage.ru_utime.tv_usec / 1000.0;
}

/// Run `scheduler` in this process.
static Measurement run(const Scheduler &scheduler, const Shape &shape,
                       int64_t count, unsigned effort, unsigned seed) {
  SchedulingProblem problem = shape.make(ShapeBuilder(count, seed), count);
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
    for (const Shape &shape : shapes) {
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
