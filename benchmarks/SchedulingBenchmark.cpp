//===- SchedulingBenchmark.cpp - How good and how fast schedulers are ----===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     buffer-merge-scheduling-benchmark [options] [<file.csv>...]
//
// Prints for each scheduler the pool in relation to the lower bound, and the
// time of the process, for the given files and for generated problems that look
// like those of neural networks. For files of the instances published with
// MiniMalloc (A to K), the figures of other projects are printed too.
//
//     buffer-merge-scheduling-benchmark --scale=auto --efforts=0,2,5
//
// Prints how one scheduler grows with the problem; see ScaleBenchmark.cpp.
//
//===----------------------------------------------------------------------===//

#include "ScaleBenchmark.h"

#include "buffer-merge/Scheduling/CSV.h"
#include "buffer-merge/Scheduling/LowerBound.h"
#include "buffer-merge/Scheduling/Scheduler.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

#include <ctime>
#include <random>

using namespace buffer_merge;

namespace cl = llvm::cl;

static cl::OptionCategory category("Options of the benchmark");
static cl::list<std::string> paths(cl::Positional, cl::desc("[<file.csv>...]"),
                                   cl::cat(category));
static cl::opt<unsigned> effort("effort",
                                cl::desc("Effort of searches, 0 to 9"),
                                cl::init(0), cl::cat(category));
static cl::opt<unsigned>
    repetitions("repetitions", cl::desc("Runs of which the fastest counts"),
                cl::init(5), cl::cat(category));
static cl::list<std::string> only("only",
                                  cl::desc("Run these schedulers alone"),
                                  cl::CommaSeparated, cl::value_desc("names"),
                                  cl::cat(category));
static cl::opt<std::string>
    scales("scale",
           cl::desc("Print how this scheduler grows with the problem instead"),
           cl::value_desc("scheduler"), cl::cat(category));
static cl::list<unsigned> efforts("efforts",
                                  cl::desc("Efforts of --scale (default 0)"),
                                  cl::CommaSeparated, cl::cat(category));
static cl::opt<unsigned>
    largest("largest",
            cl::desc("Buffers of the largest problem of --scale (1000000)"),
            cl::init(1000000), cl::cat(category));
static cl::opt<std::string>
    shape("shape", cl::desc("Shapes of --scale whose names have this"),
          cl::value_desc("text"), cl::cat(category));
static cl::opt<unsigned> seed("seed", cl::desc("Random numbers of --scale (1)"),
                              cl::init(1), cl::cat(category));

namespace {
struct NamedProblem {
  std::string name;
  SchedulingProblem problem;
};

/// Builds problems one operation after the other. Ticks count operations.
class NetworkBuilder {
public:
  explicit NetworkBuilder(unsigned seed) : random(seed) {}

  /// Add an operation and its result. Its lifetime begins here.
  BufferId add(int64_t size) {
    problem.buffers.push_back({size, tick, tick + 1, 64});
    ++tick;
    return problem.buffers.size() - 1;
  }
  /// Let the operation added last read `id`.
  void use(BufferId id) { problem.buffers[id].end = tick; }

  /// A size like that of a feature map: a multiple of 64 bytes.
  int64_t pickSize() { return int64_t(64) << (random() % 8 + random() % 4); }
  uint64_t pick(uint64_t limit) { return random() % limit; }

  SchedulingProblem take() { return std::move(problem); }
  size_t size() const { return problem.buffers.size(); }

private:
  // Of the generator only the raw numbers are used: the distributions of the
  // standard differ between libraries.
  std::mt19937_64 random;
  SchedulingProblem problem;
  int64_t tick = 0;
};
} // namespace

/// Each result is read by the next operation.
static SchedulingProblem makeChain(unsigned count) {
  NetworkBuilder net(1);
  BufferId last = net.add(net.pickSize());
  while (net.size() < count) {
    BufferId next = net.add(net.pickSize());
    net.use(last);
    last = next;
  }
  return net.take();
}

/// Blocks of three operations whose result is added to their operand.
static SchedulingProblem makeResidual(unsigned count) {
  NetworkBuilder net(2);
  int64_t size = 1 << 16;
  BufferId last = net.add(size);
  while (net.size() < count) {
    if (net.pick(8) == 0)
      size = std::max<int64_t>(size / 2, 1 << 10);
    BufferId a = net.add(size / 4);
    BufferId b = net.add(size / 4);
    net.use(a);
    BufferId c = net.add(size);
    net.use(b);
    BufferId sum = net.add(size);
    net.use(c);
    net.use(last);
    last = sum;
  }
  return net.take();
}

/// What is computed on the way down is read again on the way up.
static SchedulingProblem makeUNet(unsigned count) {
  NetworkBuilder net(3);
  const unsigned depth = 5;
  while (net.size() < count) {
    llvm::SmallVector<BufferId> skips;
    BufferId last = net.add(1 << 18);
    for (unsigned level = 0; level < depth; ++level) {
      BufferId a = net.add(int64_t(1 << 18) >> level);
      net.use(last);
      BufferId b = net.add(int64_t(1 << 18) >> level);
      net.use(a);
      skips.push_back(b);
      last = net.add(int64_t(1 << 16) >> level);
      net.use(b);
    }
    for (unsigned level = depth; level-- > 0;) {
      BufferId up = net.add(int64_t(1 << 18) >> level);
      net.use(last);
      BufferId joined = net.add(int64_t(1 << 19) >> level);
      net.use(up);
      net.use(skips[level]);
      last = net.add(int64_t(1 << 18) >> level);
      net.use(joined);
    }
  }
  return net.take();
}

/// Layers of attention and a network of two matrices.
static SchedulingProblem makeTransformer(unsigned count) {
  NetworkBuilder net(4);
  const int64_t size = 384 * 768 * 4, scores = 12 * 384 * 384 * 4;
  BufferId last = net.add(size);
  while (net.size() < count) {
    BufferId q = net.add(size), k = net.add(size), v = net.add(size);
    net.use(last);
    BufferId logits = net.add(scores);
    net.use(q);
    net.use(k);
    BufferId weights = net.add(scores);
    net.use(logits);
    BufferId context = net.add(size);
    net.use(weights);
    net.use(v);
    BufferId projected = net.add(size);
    net.use(context);
    BufferId sum = net.add(size);
    net.use(projected);
    net.use(last);
    BufferId wide = net.add(4 * size), activated = net.add(4 * size);
    net.use(wide);
    BufferId narrow = net.add(size);
    net.use(activated);
    last = net.add(size);
    net.use(narrow);
    net.use(sum);
  }
  return net.take();
}

/// A chain whose results are kept for the way back, with gradients.
static SchedulingProblem makeTraining(unsigned count) {
  NetworkBuilder net(5);
  llvm::SmallVector<BufferId> kept;
  llvm::SmallVector<int64_t> sizes;
  for (unsigned layer = 0; layer < count / 3; ++layer) {
    sizes.push_back(net.pickSize());
    kept.push_back(net.add(sizes.back()));
    if (layer)
      net.use(kept[layer - 1]);
  }
  BufferId gradient = net.add(sizes.back());
  for (unsigned layer = kept.size(); layer-- > 0;) {
    BufferId weights = net.add(64 + 64 * net.pick(64));
    net.use(kept[layer]);
    net.use(gradient);
    BufferId next = net.add(sizes[layer]);
    net.use(gradient);
    net.use(weights);
    gradient = next;
  }
  return net.take();
}

/// Buffers that begin anywhere in `ticks` and last up to `maxDuration`.
static SchedulingProblem makeRandom(unsigned count, int64_t ticks,
                                    int64_t maxDuration) {
  std::mt19937_64 random(6);
  SchedulingProblem problem;
  for (unsigned i = 0; i < count; ++i) {
    int64_t begin = random() % ticks;
    int64_t end = begin + 1 + random() % maxDuration;
    problem.buffers.push_back({int64_t(1 + random() % 100000), begin, end});
  }
  return problem;
}

/// Return the time that the process has run so far, in milliseconds.
static double getCPUTime() {
  return 1000.0 * double(std::clock()) / CLOCKS_PER_SEC;
}

namespace {
struct Result {
  double ratio = 0;
  double milliseconds = 0;
};
} // namespace

static Result measure(const Scheduler &scheduler,
                      const SchedulingProblem &problem, unsigned runs) {
  SchedulerOptions options;
  options.effort = effort;
  Result result;
  for (unsigned run = 0; run < runs; ++run) {
    double start = getCPUTime();
    llvm::Expected<Schedule> schedule =
        runScheduler(scheduler, problem, options);
    double time = getCPUTime() - start;
    if (!schedule) {
      llvm::errs() << scheduler.getName() << ": "
                   << llvm::toString(schedule.takeError()) << '\n';
      std::exit(1);
    }
    result.ratio =
        double(schedule->poolSize) / computeLowerBound(problem).bytes;
    if (run == 0 || time < result.milliseconds)
      result.milliseconds = time;
  }
  return result;
}

static bool isChosen(const Scheduler &scheduler) {
  return only.empty() || llvm::is_contained(only, scheduler.getName());
}

namespace {
/// Pool over lower bound of another project on MiniMalloc's instances A, C, E
/// and G, as published or as measured when this benchmark was written; they are
/// constants here and not measured by it.
struct Peer {
  const char *name;
  double ratios[4];
};
} // namespace

static const Peer peers[] = {
    {"MLIR best-fit", {2.033, 2.091, 1.855, 1.174}},
    {"RFC hot-first", {1.548, 1.688, 1.515, 1.156}},
    {"RFC size-first", {1.685, 1.688, 1.617, 1.143}},
    {"TFLite by size", {1.310, 1.363, 1.401, 1.332}},
    {"XLA temporal", {1.456, 1.473, 1.600, 1.402}},
    {"TVM by conflicts", {1.504, 1.373, 1.550, 1.482}},
    {"NNC", {3.368, 4.538, 5.091, 2.662}},
};

/// Return the figure of `peer` for the instance of this name, if there is one.
static std::optional<double> getPublished(const Peer &peer,
                                          llvm::StringRef name) {
  size_t index = llvm::StringRef("ACEG").find(name);
  if (name.size() != 1 || index == llvm::StringRef::npos)
    return std::nullopt;
  return peer.ratios[index];
}

static constexpr unsigned nameWidth = 38;

static void printHead(llvm::StringRef title,
                      llvm::ArrayRef<NamedProblem> problems) {
  llvm::outs() << '\n' << llvm::left_justify(title, nameWidth);
  for (const NamedProblem &entry : problems)
    llvm::outs() << llvm::formatv(" {0,9}", entry.name);
  llvm::outs() << '\n';
}

/// Print the ratios and times of all schedulers.
static void compareAll(llvm::ArrayRef<NamedProblem> problems) {
  llvm::SmallVector<llvm::SmallVector<Result>> results;
  llvm::SmallVector<const Scheduler *> schedulers;
  for (const Scheduler *scheduler : getRegisteredSchedulers()) {
    if (!isChosen(*scheduler))
      continue;
    schedulers.push_back(scheduler);
    llvm::SmallVector<Result> &row = results.emplace_back();
    for (const NamedProblem &entry : problems)
      row.push_back(measure(*scheduler, entry.problem, repetitions));
  }

  printHead("pool / lower bound", problems);
  llvm::outs() << llvm::left_justify("buffers", nameWidth);
  for (const NamedProblem &entry : problems)
    llvm::outs() << llvm::formatv(" {0,9}", entry.problem.buffers.size());
  llvm::outs() << '\n';
  for (auto [scheduler, row] : llvm::zip_equal(schedulers, results)) {
    llvm::outs() << llvm::left_justify(scheduler->getName(), nameWidth);
    for (const Result &result : row)
      llvm::outs() << llvm::formatv(" {0,9:f3}", result.ratio);
    llvm::outs() << '\n';
  }
  bool hasPublished = llvm::any_of(problems, [](const NamedProblem &entry) {
    return getPublished(peers[0], entry.name).has_value();
  });
  for (const auto &peer : peers) {
    if (!hasPublished)
      break;
    llvm::outs() << llvm::left_justify(
        (llvm::Twine("  published: ") + peer.name).str(), nameWidth);
    for (const NamedProblem &entry : problems) {
      if (std::optional<double> ratio = getPublished(peer, entry.name))
        llvm::outs() << llvm::formatv(" {0,9:f3}", *ratio);
      else
        llvm::outs() << llvm::formatv(" {0,9}", "");
    }
    llvm::outs() << '\n';
  }

  printHead("milliseconds", problems);
  for (auto [scheduler, row] : llvm::zip_equal(schedulers, results)) {
    llvm::outs() << llvm::left_justify(scheduler->getName(), nameWidth);
    for (const Result &result : row)
      llvm::outs() << llvm::formatv(" {0,9:f2}", result.milliseconds);
    llvm::outs() << '\n';
  }
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "How good and how fast schedulers are\n");
  if (!scales.empty()) {
    const Scheduler *scheduler = lookupScheduler(scales);
    if (!scheduler) {
      llvm::errs() << "there is no scheduler '" << scales << "'\n";
      return 1;
    }
    if (efforts.empty())
      efforts.push_back(0);
    compareScales(*scheduler, efforts, largest, seed, shape);
    return 0;
  }

  llvm::SmallVector<NamedProblem> files;
  for (const std::string &path : paths) {
    llvm::Expected<BufferTable> table = readBufferTable(path);
    if (!table) {
      llvm::errs() << llvm::toString(table.takeError()) << '\n';
      return 1;
    }
    files.push_back({llvm::sys::path::filename(path).split('.').first.str(),
                     std::move(table->problem)});
  }
  if (!files.empty())
    compareAll(files);

  const NamedProblem networks[] = {
      {"chain", makeChain(1000)},       {"residual", makeResidual(1000)},
      {"unet", makeUNet(1000)},         {"transf.", makeTransformer(1000)},
      {"training", makeTraining(1000)}, {"random", makeRandom(1000, 1000, 12)},
  };
  compareAll(networks);

  return 0;
}
