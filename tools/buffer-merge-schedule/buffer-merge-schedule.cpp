//===- buffer-merge-schedule.cpp - Schedule a table of buffers -----------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schedulers without IR: lifetimes in, offsets out, in the format of
// MiniMalloc.
//
//===----------------------------------------------------------------------===//

#include "PrintedBytes.h"
#include "TableJSON.h"
#include "TargetTable.h"
#include "UnknownOption.h"
#include "Version.h"
#include "buffer-merge/Report/ReportFormat.h"
#include "buffer-merge/Scheduling/CSV.h"
#include "buffer-merge/Scheduling/Input.h"
#include "buffer-merge/Scheduling/LowerBound.h"
#include "buffer-merge/Scheduling/Scheduler.h"
#include "buffer-merge/Scheduling/ValueParser.h"
#include "buffer-merge/Scheduling/Verifier.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/WithColor.h"

#include <atomic>
#include <chrono>
#include <numeric>

using namespace buffer_merge;

namespace cl = llvm::cl;

/// What the shell is told. 1 stands for everything else that goes wrong.
static constexpr int exitSuccess = 0;
static constexpr int exitBadInput = 1;
static constexpr int exitInfeasible = 2;

static cl::OptionCategory category("Options of buffer-merge-schedule");

static cl::opt<std::string> inputPath(cl::Positional, cl::desc("<input.csv>"),
                                      cl::init("-"), cl::cat(category));
static cl::opt<std::string> outputPath("o", cl::desc("Write to this file"),
                                       cl::value_desc("path"), cl::init("-"),
                                       cl::cat(category));
static cl::opt<std::string> schedulerName("scheduler",
                                          cl::desc("The scheduler to use"),
                                          cl::value_desc("name"),
                                          cl::init("auto"), cl::cat(category));
static cl::opt<PrintedBytes>
    capacity("capacity", cl::desc("The largest pool that is of use"),
             cl::value_desc("bytes"), cl::cat(category));
namespace {
enum class Reuse { Smallest, AsNeeded };
} // namespace
static cl::opt<Reuse, false, ValueParser<Reuse>> reuse(
    "reuse", cl::desc("When buffers share bytes"), cl::init(Reuse::Smallest),
    cl::values(clEnumValN(Reuse::Smallest, "smallest",
                          "wherever they may: the smallest pool"),
               clEnumValN(Reuse::AsNeeded, "as-needed",
                          "only as far as the capacity is too small otherwise, "
                          "with the least penalty")),
    cl::cat(category));
static cl::opt<unsigned>
    effort("effort",
           cl::desc("How much a search may do, from 0 (one pass) to 9"),
           cl::init(SchedulerOptions().effort), cl::value_desc("0-9"),
           cl::cat(category));
static cl::opt<int64_t> maxSteps(
    "max-steps",
    cl::desc("How many steps, of about a microsecond, more than --effort may "
             "be spent to decide whether anything fits"),
    cl::init(SchedulerOptions().decisionSteps), cl::value_desc("steps"),
    cl::cat(category));
static cl::opt<unsigned> timeout(
    "timeout",
    cl::desc("--max-steps as seconds of a million steps each: the result does "
             "not depend on a clock"),
    cl::value_desc("seconds"), cl::cat(category));
static cl::opt<std::string> targetName(
    "target",
    cl::desc(
        "Place the buffers in the regions of this target: a JSON file, its "
        "text, or a preset"),
    cl::value_desc("target"), cl::cat(category));
static cl::opt<std::string>
    spaceName("space", cl::desc("The memory space of the target, by name"),
              cl::value_desc("name"), cl::init("default"), cl::cat(category));
static cl::opt<PrintedBytes>
    alignment("alignment", cl::desc("The least alignment of each buffer"),
              cl::init(PrintedBytes{1}), cl::value_desc("bytes"),
              cl::cat(category));
static cl::opt<bool>
    verifies("verify", cl::desc("Check the offsets of the input instead"),
             cl::cat(category));
static cl::opt<bool>
    compares("compare",
             cl::desc("Print what each scheduler makes of the input"),
             cl::cat(category));
static cl::opt<bool>
    explains("explain",
             cl::desc("Say on standard error which parts of the scheduler "
                      "made the pool smaller, in turn"),
             cl::cat(category));
static cl::opt<bool>
    ignoresOffsets("ignore-offsets",
                   cl::desc("Schedule anew what has an offset in the input"),
                   cl::cat(category));
static cl::opt<bool>
    separatesPools("pools",
                   cl::desc("Schedule each pool for itself: the buffers whose "
                            "ids are the same up to the last /"),
                   cl::cat(category));
static cl::opt<bool> printsJSON("json",
                                cl::desc("Print JSON instead of a table"),
                                cl::cat(category));
static cl::opt<std::string>
    reportPath("report",
               cl::desc("Write a memory map to this file, in the format that "
                        "its extension says: .csv, .html, .json, "
                        ".md or .txt"),
               cl::value_desc("path"), cl::cat(category));
static cl::opt<bool> listsSchedulers("list-schedulers",
                                     cl::desc("Print the schedulers"),
                                     cl::cat(category));

static int reportError(llvm::Error error) {
  int code = error.isA<CapacityError>() ? exitInfeasible : exitBadInput;
  llvm::handleAllErrors(std::move(error), [](const llvm::ErrorInfoBase &info) {
    llvm::WithColor::error(llvm::errs(), "buffer-merge-schedule")
        << info.message() << '\n';
  });
  return code;
}

/// Set by an interrupt: the search ends with what it has.
static std::atomic<bool> isInterrupted = false;

namespace {
/// Says on standard error where a search stands, once a second.
class ProgressReporter {
public:
  ProgressReporter() : last(std::chrono::steady_clock::now()) {}

  /// Return false if the search is to end.
  bool report(const SearchProgress &progress) {
    auto now = std::chrono::steady_clock::now();
    if (now - last >= std::chrono::seconds(1)) {
      last = now;
      llvm::errs() << llvm::formatv(
          "buffer-merge-schedule: {0} steps, pool {1}, lower bound {2}\n",
          progress.steps, progress.poolSize, progress.lowerBound);
    }
    return !isInterrupted;
  }

private:
  std::chrono::steady_clock::time_point last;
};
} // namespace

/// Write what `print` prints to the output, all of it or nothing.
static int write(llvm::function_ref<void(llvm::raw_ostream &)> print) {
  if (outputPath != "-") {
    llvm::Error error = writeFile(outputPath, "output", print);
    return error ? reportError(std::move(error)) : exitSuccess;
  }
  print(llvm::outs());
  llvm::outs().flush();
  std::error_code error = llvm::outs().error();
  if (!error)
    return exitSuccess;
  llvm::outs().clear_error();
  return reportError(llvm::createStringError(
      error, "cannot write to the standard output: " + error.message()));
}

/// Return the pool in relation to the lower bound: 1 is optimal.
static double getRatio(int64_t poolSize, int64_t bound) {
  return bound == 0 ? 1 : double(poolSize) / double(bound);
}

static int list() {
  return write([](llvm::raw_ostream &os) {
    size_t width = 0;
    for (const Scheduler *scheduler : getRegisteredSchedulers())
      width = std::max(width, scheduler->getName().size());
    for (const Scheduler *scheduler : getRegisteredSchedulers())
      os << llvm::left_justify(scheduler->getName(), width + 2)
         << scheduler->getDescription() << '\n';
  });
}

namespace {
/// The rows of a pool, and its problem.
struct Pool {
  llvm::SmallVector<BufferId, 0> rows;
  SchedulingProblem problem;
};
} // namespace

/// Return the pools of `table` by what their ids have in common.
static llvm::MapVector<llvm::StringRef, Pool>
splitPools(const BufferTable &table) {
  llvm::MapVector<llvm::StringRef, Pool> pools;
  llvm::SmallVector<BufferId, 0> indexInPool;
  auto getName = [&](BufferId row) {
    llvm::StringRef id = table.ids[row];
    return id.take_front(id.rfind('/') + 1);
  };
  for (const auto &[row, buffer] : llvm::enumerate(table.problem.buffers)) {
    Pool &pool = pools[getName(row)];
    indexInPool.push_back(pool.rows.size());
    pool.rows.push_back(row);
    pool.problem.buffers.push_back(buffer);
    pool.problem.capacity = table.problem.capacity;
  }
  // Buffers of two pools do not share bytes anyway.
  for (auto [a, b] : table.problem.conflicts)
    if (getName(a) == getName(b))
      pools[getName(a)].problem.conflicts.push_back(
          {indexInPool[a], indexInPool[b]});
  for (const InPlacePair &pair : table.problem.inPlacePairs)
    if (getName(pair.earlier) == getName(pair.later))
      pools[getName(pair.later)].problem.inPlacePairs.push_back(
          {indexInPool[pair.earlier], indexInPool[pair.later], pair.condition});
  return pools;
}

/// Return the lower bound of the input or, with --pools, that of the pool with
/// the highest one.
static int64_t getLowerBound(const BufferTable &table) {
  if (!separatesPools)
    return computeLowerBound(table.problem).bytes;
  int64_t bound = 0;
  for (const auto &[name, pool] : splitPools(table))
    bound = std::max(bound, computeLowerBound(pool.problem).bytes);
  return bound;
}

/// Return the first rule that `offsets` break in the input or, with --pools, in
/// one of its pools; nothing if they are valid.
static std::optional<ScheduleViolation>
findViolation(const BufferTable &table, llvm::ArrayRef<int64_t> offsets) {
  auto find = [](const SchedulingProblem &problem,
                 llvm::SmallVector<int64_t, 0> offsets) {
    return findScheduleViolation(problem,
                                 makeSchedule(problem, std::move(offsets)));
  };
  if (!separatesPools)
    return find(table.problem, llvm::SmallVector<int64_t, 0>(offsets));
  for (const auto &[name, pool] : splitPools(table)) {
    llvm::SmallVector<int64_t, 0> ofPool;
    for (BufferId row : pool.rows)
      ofPool.push_back(offsets[row]);
    std::optional<ScheduleViolation> violation =
        find(pool.problem, std::move(ofPool));
    if (!violation)
      continue;
    for (std::optional<BufferId> *id : {&violation->first, &violation->second})
      if (*id)
        *id = pool.rows[**id];
    return violation;
  }
  return std::nullopt;
}

/// Return the first rule that the offsets of the input break among themselves,
/// with the rows as buffers; nothing if they do not exclude each other.
static std::optional<ScheduleViolation>
findFixedViolation(const BufferTable &table) {
  BufferTable fixed;
  llvm::SmallVector<BufferId, 0> rows;
  llvm::SmallVector<int64_t, 0> offsets;
  llvm::DenseMap<BufferId, BufferId> indices;
  for (const auto &[row, buffer] : llvm::enumerate(table.problem.buffers)) {
    if (!buffer.fixedOffset)
      continue;
    indices[row] = rows.size();
    rows.push_back(row);
    offsets.push_back(*buffer.fixedOffset);
    fixed.ids.push_back(table.ids[row]);
    fixed.problem.buffers.push_back(buffer);
  }
  auto areFixed = [&](BufferId a, BufferId b) {
    return indices.contains(a) && indices.contains(b);
  };
  for (auto [a, b] : table.problem.conflicts)
    if (areFixed(a, b))
      fixed.problem.conflicts.push_back({indices[a], indices[b]});
  for (const InPlacePair &pair : table.problem.inPlacePairs)
    if (areFixed(pair.earlier, pair.later))
      fixed.problem.inPlacePairs.push_back(
          {indices[pair.earlier], indices[pair.later], pair.condition});
  std::optional<ScheduleViolation> violation = findViolation(fixed, offsets);
  if (violation)
    for (std::optional<BufferId> *id : {&violation->first, &violation->second})
      if (*id)
        *id = rows[**id];
  return violation;
}

/// Return an error if an offset of the input is not aligned as its row asks, or
/// if two exclude each other; with a target they are in regions of their own.
static llvm::Error checkOffsets(const BufferTable &table) {
  for (const auto &[index, buffer] : llvm::enumerate(table.problem.buffers))
    if (buffer.fixedOffset && *buffer.fixedOffset % buffer.alignment != 0)
      return llvm::createStringError(
          llvm::formatv("{0}:{1}: offset: {2} is not a multiple of the "
                        "alignment {3} of '{4}'",
                        inputPath.getValue(), table.lines[index],
                        *buffer.fixedOffset, buffer.alignment, table.ids[index])
              .str());
  if (targetName.getNumOccurrences())
    return llvm::Error::success();
  if (std::optional<ScheduleViolation> violation = findFixedViolation(table))
    return llvm::createStringError(
        inputPath +
        ": the offsets exclude each other: " + violation->str(table.ids));
  return llvm::Error::success();
}

/// Check the offsets of the input.
static int verify(BufferTable table) {
  llvm::SmallVector<int64_t, 0> offsets;
  for (auto [buffer, id] : llvm::zip_equal(table.problem.buffers, table.ids)) {
    if (!buffer.fixedOffset)
      return reportError(llvm::createStringError(
          inputPath + ": there is no offset to verify for buffer '" + id +
          "'"));
    offsets.push_back(*buffer.fixedOffset);
    buffer.fixedOffset.reset();
  }
  if (llvm::Error error = checkProblem(table.problem))
    return reportError(std::move(error));
  std::optional<ScheduleViolation> violation = findViolation(table, offsets);
  Schedule schedule = makeSchedule(table.problem, std::move(offsets));
  int64_t bound = getLowerBound(table);
  int code = write([&](llvm::raw_ostream &os) {
    if (printsJSON) {
      llvm::json::OStream json(os, /*IndentSize=*/2);
      json.object([&] {
        json.attribute("version", 1);
        json.attribute("valid", !violation);
        if (violation) {
          json.attribute("rule", getScheduleRuleName(violation->rule));
          json.attribute("message", violation->str(table.ids));
        }
        json.attribute("pool", schedule.poolSize);
        json.attribute("lowerBound", bound);
        json.attribute("ratio", getRatio(schedule.poolSize, bound));
      });
      os << '\n';
      return;
    }
    if (violation)
      os << "invalid: " << violation->str(table.ids) << '\n';
    else
      os << llvm::formatv("valid: pool {0}, lower bound {1}, ratio {2:f4}\n",
                          schedule.poolSize, bound,
                          getRatio(schedule.poolSize, bound));
  });
  if (code != exitSuccess || !violation)
    return code;
  return violation->rule == ScheduleRule::Capacity ? exitInfeasible
                                                   : exitBadInput;
}

/// Run `scheduler` on the input or, with --pools, on each pool.
static llvm::Expected<Schedule> schedule(const Scheduler &scheduler,
                                         const BufferTable &table,
                                         const SchedulerOptions &options) {
  if (!separatesPools)
    return runScheduler(scheduler, table.problem, options);
  llvm::MapVector<llvm::StringRef, Pool> pools = splitPools(table);
  llvm::SmallVector<int64_t, 0> offsets(table.ids.size());
  int64_t provedBound = 0;
  for (const auto &[name, pool] : pools) {
    llvm::Expected<Schedule> part =
        runScheduler(scheduler, pool.problem, options);
    if (!part)
      return llvm::handleErrors(
          part.takeError(),
          [&, &name = name](const llvm::ErrorInfoBase &error) -> llvm::Error {
            std::string message = ("pool '" + name + "': ").str();
            message += error.message();
            if (!error.isA<CapacityError>())
              return llvm::createStringError(message);
            const auto &capacityError =
                static_cast<const CapacityError &>(error);
            return llvm::make_error<CapacityError>(
                std::move(message), capacityError.getNeededBytes(),
                capacityError.isProved());
          });
    for (auto [row, offset] : llvm::zip_equal(pool.rows, part->offsets))
      offsets[row] = offset;
    provedBound = std::max(provedBound, part->provedBound);
  }
  Schedule whole = makeSchedule(table.problem, std::move(offsets));
  whole.provedBound = provedBound;
  return whole;
}

/// Share bytes only as needed: with the penalties of the input or, if it has
/// none, those that follow from the lifetimes.
static llvm::Expected<ReuseSchedule>
scheduleAsNeeded(const Scheduler &scheduler, const BufferTable &table,
                 const SchedulerOptions &options) {
  // Lifetimes without sense have no penalties.
  if (llvm::Error error = checkProblem(table.problem))
    return std::move(error);
  ReuseProblem problem = {
      table.problem, table.penalties ? *table.penalties
                                     : computeReusePenalties(table.problem)};
  return scheduleReuse(problem, scheduler, options);
}

namespace {
/// What one scheduler makes of the input.
struct Comparison {
  const Scheduler *scheduler;
  /// Why there is no schedule, or empty.
  std::string error;
  int64_t poolSize = 0;
  double milliseconds = 0;
};
} // namespace

/// Run all schedulers on the input.
static int compare(const BufferTable &table, const SchedulerOptions &options) {
  llvm::SmallVector<Comparison> rows;
  for (const Scheduler *scheduler : getRegisteredSchedulers()) {
    Comparison &row = rows.emplace_back();
    row.scheduler = scheduler;
    auto start = std::chrono::steady_clock::now();
    llvm::Expected<Schedule> schedule = ::schedule(*scheduler, table, options);
    row.milliseconds = std::chrono::duration<double, std::milli>(
                           std::chrono::steady_clock::now() - start)
                           .count();
    if (schedule) {
      row.poolSize = schedule->poolSize;
      continue;
    }
    llvm::Error error = schedule.takeError();
    // What is wrong with the input is wrong for all of them.
    if (!error.isA<CapacityError>())
      return reportError(std::move(error));
    row.error = llvm::toString(std::move(error));
  }
  int64_t bound = getLowerBound(table);
  return write([&](llvm::raw_ostream &os) {
    if (printsJSON) {
      llvm::json::OStream json(os, /*IndentSize=*/2);
      json.object([&] {
        json.attribute("version", 1);
        json.attribute("buffers", int64_t(table.ids.size()));
        json.attribute("lowerBound", bound);
        json.attributeArray("schedulers", [&] {
          for (const Comparison &row : rows)
            json.object([&] {
              json.attribute("scheduler", row.scheduler->getName());
              if (!row.error.empty()) {
                json.attribute("error", row.error);
              } else {
                json.attribute("pool", row.poolSize);
                json.attribute("ratio", getRatio(row.poolSize, bound));
              }
              json.attribute("milliseconds", row.milliseconds);
            });
        });
      });
      os << '\n';
      return;
    }
    size_t width = 0;
    for (const Comparison &row : rows)
      width = std::max(width, row.scheduler->getName().size());
    os << llvm::formatv("{0} buffers, lower bound {1}\n", table.ids.size(),
                        bound);
    os << llvm::left_justify("scheduler", width)
       << llvm::formatv(" {0,20} {1,8} {2,10}\n", "pool", "ratio", "ms");
    for (const Comparison &row : rows) {
      os << llvm::left_justify(row.scheduler->getName(), width);
      if (row.error.empty())
        os << llvm::formatv(" {0,20} {1,8:f4} {2,10:f2}\n", row.poolSize,
                            getRatio(row.poolSize, bound), row.milliseconds);
      else
        os << llvm::formatv(" {0,20} {1,8} {2,10:f2}\n", "over capacity", "-",
                            row.milliseconds);
    }
  });
}

static void printSchedule(llvm::raw_ostream &os, const BufferTable &table,
                          const Schedule &schedule,
                          const std::optional<ReuseSchedule> &asNeeded) {
  int64_t bound = getLowerBound(table);
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("scheduler", schedulerName.getValue());
    if (table.problem.capacity)
      json.attribute("capacity", *table.problem.capacity);
    json.attribute("pool", schedule.poolSize);
    json.attribute("alignment", schedule.poolAlignment);
    json.attribute("lowerBound", bound);
    json.attribute("ratio", getRatio(schedule.poolSize, bound));
    json.attribute("provedBound", std::max(bound, schedule.provedBound));
    json.attribute("optimal",
                   schedule.poolSize == std::max(bound, schedule.provedBound));
    if (asNeeded)
      json.attributeObject("reuse", [&] {
        json.attribute("pairs", asNeeded->cost.numPairs);
        json.attribute("penalty", asNeeded->cost.penalty);
        json.attribute("optimal", asNeeded->isOptimal);
      });
    printTableRows(json, table, schedule.offsets);
  });
  os << '\n';
}

/// Say how `schedule` was found.
static void explain(llvm::raw_ostream &os, const BufferTable &table,
                    const Schedule &schedule) {
  int64_t bound = getLowerBound(table);
  auto print = [&](llvm::StringRef part, int64_t poolSize) {
    os << llvm::formatv("{0}: pool {1}, ratio {2:f4}\n", part, poolSize,
                        getRatio(poolSize, bound));
  };
  for (const ScheduleStep &step : schedule.steps)
    print(step.part, step.poolSize);
  if (schedule.steps.empty())
    print(schedulerName, schedule.poolSize);
  bool isOptimal = schedule.poolSize == std::max(bound, schedule.provedBound);
  os << llvm::formatv("lower bound {0}{1}\n", bound,
                      isOptimal ? ", no pool is smaller" : "");
}

/// Return an empty report on the input.
static Report startReport() {
  Report report;
  report.module =
      inputPath == "-"
          ? "standard input"
          : llvm::json::fixUTF8(llvm::sys::path::filename(inputPath));
  report.scheduler = schedulerName;
  return report;
}

/// Describe `schedule`, one of `problem`, whose buffers are called `ids`.
static ReportPool describePool(llvm::ArrayRef<std::string> ids,
                               const SchedulingProblem &problem,
                               const Schedule &schedule) {
  LowerBound bound = computeLowerBound(problem);
  ReportPool pool;
  pool.scope = "table";
  pool.totalBytes = computeTotalBytes(problem);
  pool.lowerBound = bound.bytes;
  pool.peakTick = bound.peakTick;
  pool.provedBound = std::max(bound.bytes, schedule.provedBound);
  pool.poolSize = schedule.poolSize;
  pool.poolAlignment = schedule.poolAlignment;
  for (auto [id, buffer, offset] :
       llvm::zip_equal(ids, problem.buffers, schedule.offsets)) {
    ReportBuffer &row = pool.buffers.emplace_back();
    row.name = llvm::json::fixUTF8(id);
    row.size = buffer.size;
    row.alignment = buffer.alignment;
    row.begin = buffer.begin;
    row.end = buffer.end;
    for (const TickInterval &gap : buffer.gaps)
      row.gaps.push_back({gap.begin, gap.end});
    row.offset = offset;
  }
  for (const InPlacePair &pair : problem.inPlacePairs)
    addInPlacePair(pool, pair.earlier, pair.later,
                   pair.condition == InPlaceCondition::SameOffset);
  return pool;
}

/// Add what `schedule` makes of the input to `report`, with --pools pool by
/// pool.
static void describePools(Report &report, const BufferTable &table,
                          const Schedule &schedule) {
  if (!separatesPools) {
    if (!table.ids.empty())
      report.pools.push_back(describePool(table.ids, table.problem, schedule));
    return;
  }
  for (const auto &[name, pool] : splitPools(table)) {
    std::vector<std::string> ids;
    llvm::SmallVector<int64_t, 0> offsets;
    for (BufferId row : pool.rows) {
      ids.push_back(table.ids[row]);
      offsets.push_back(schedule.offsets[row]);
    }
    Schedule part = makeSchedule(pool.problem, std::move(offsets));
    report.pools.push_back(describePool(ids, pool.problem, part));
    if (!name.empty())
      report.pools.back().scope = ("pool " + name).str();
  }
}

/// Write a report on `table`, placed in the regions of a target: one pool for
/// each that has a buffer.
static llvm::Error writeTargetReport(const BufferTable &table,
                                     const TargetTable &placed) {
  Report report = startReport();
  placed.forEachPool([&](const TargetTable::Pool &pool) {
    std::vector<std::string> ids;
    for (BufferId id : pool.buffers)
      ids.push_back(table.ids[id]);
    ReportPool &described = report.pools.emplace_back(
        describePool(ids, pool.problem, pool.schedule));
    described.scope = "region " + pool.region.name;
    if (pool.reuse) {
      const ReuseCost &cost = pool.reuse->cost;
      const ReuseCost &smallest = pool.reuse->costOfSmallest;
      described.reuse = ReportReuse{cost.numPairs, cost.penalty,
                                    smallest.numPairs, smallest.penalty};
      for (const ReusePenalty &item : pool.reuse->penalties)
        described.reuse->penalties.push_back(
            {item.first, item.second, item.penalty});
    }
    described.memorySpace = spaceName == "default" ? "" : spaceName.getValue();
    described.capacity = pool.problem.capacity;
    described.regions.push_back({pool.region.name, 0, pool.schedule.poolSize,
                                 pool.problem.capacity, pool.address,
                                 pool.movedBytes});
  });
  return writeReport(report, reportPath);
}

/// Read the input: a table, in JSON or not, or the pools of a report in JSON.
static llvm::Expected<BufferTable> readInput() {
  auto buffer = readInputFileOrStdin(inputPath);
  if (!buffer)
    return llvm::createStringError(
        buffer.getError(), inputPath + ": " + buffer.getError().message());
  llvm::StringRef text = dropByteOrderMark((*buffer)->getBuffer());
  if (!text.ltrim().starts_with("{") && !text.ltrim().starts_with("["))
    return parseBufferTable((*buffer)->getMemBufferRef());
  if (llvm::Expected<llvm::json::Value> value = parseJSON(text)) {
    llvm::Expected<std::optional<std::string>> rows = readTableRows(*value);
    if (!rows)
      return llvm::createStringError(inputPath + ": " +
                                     llvm::toString(rows.takeError()));
    if (*rows)
      return parseBufferTable(llvm::MemoryBufferRef(**rows, inputPath));
  } else {
    llvm::consumeError(value.takeError());
  }
  llvm::Expected<Report> report = parseReport(text);
  if (!report)
    return llvm::createStringError(inputPath + ": " +
                                   llvm::toString(report.takeError()));
  std::string table;
  llvm::raw_string_ostream os(table);
  printCSV(os, *report);
  return parseBufferTable(llvm::MemoryBufferRef(table, inputPath));
}

/// Place the buffers of `table` in the regions of a target, or with --verify
/// check where they are.
static int scheduleForTarget(const BufferTable &table,
                             const Scheduler &scheduler,
                             const SchedulerOptions &options) {
  llvm::Expected<TargetTable> placed =
      TargetTable::create(table, targetName, spaceName);
  if (!placed)
    return reportError(placed.takeError());
  if (verifies) {
    std::optional<std::string> violation;
    if (llvm::Error error = placed->verify(violation))
      return reportError(std::move(error));
    int code = write([&](llvm::raw_ostream &os) {
      os << (violation ? "invalid: " + *violation : "valid") << "\n";
    });
    return code == exitSuccess && violation ? exitBadInput : code;
  }
  if (llvm::Error error = placed->assign(scheduler, options))
    return reportError(std::move(error));
  if (reuse == Reuse::AsNeeded)
    if (llvm::Error error = placed->shareAsNeeded(scheduler, options))
      return reportError(std::move(error));
  if (!reportPath.empty())
    if (llvm::Error error = writeTargetReport(table, *placed))
      return reportError(std::move(error));
  return write([&](llvm::raw_ostream &os) {
    if (printsJSON)
      placed->printJSON(os, schedulerName);
    else
      placed->printTable(os);
  });
}

/// Heed what the ending of the output says, or return an error.
static llvm::Error checkOutputPath() {
  if (outputPath == "-" || verifies || compares)
    return llvm::Error::success();
  std::string ending = llvm::sys::path::extension(outputPath).lower();
  if (ending == ".json")
    printsJSON = true;
  else if (ending == ".csv" && printsJSON)
    return llvm::createStringError("--json does not write '" + outputPath +
                                   "'; without it, a table is written");
  else if (!ending.empty() && ending != ".csv")
    return llvm::createStringError(
        "cannot tell the format of output '" + outputPath +
        "'; the nearest ending is '" +
        findNearestName(ending,
                        llvm::ArrayRef<llvm::StringRef>{".csv", ".json"}) +
        "'");
  return llvm::Error::success();
}

/// Return an error if an option is wrong, or does not go with another one.
static llvm::Error checkOptions() {
  if (verifies && compares)
    return llvm::createStringError("--verify and --compare exclude each other");
  if (verifies && ignoresOffsets)
    return llvm::createStringError(
        "--verify and --ignore-offsets exclude each other");
  if (targetName.getNumOccurrences() &&
      (compares || separatesPools || capacity.getNumOccurrences()))
    return llvm::createStringError(
        "--target excludes --capacity, --compare and --pools");
  if (reuse == Reuse::AsNeeded && !capacity.getNumOccurrences() &&
      !targetName.getNumOccurrences())
    return llvm::createStringError("--reuse=as-needed needs --capacity or "
                                   "--target: without a limit, no two buffers "
                                   "would share a byte, as with "
                                   "--scheduler=bump");
  if (reuse == Reuse::AsNeeded && (compares || separatesPools || verifies))
    return llvm::createStringError(
        "--reuse=as-needed excludes --compare, --pools and --verify");
  if (explains && (verifies || compares || separatesPools ||
                   targetName.getNumOccurrences() || reuse == Reuse::AsNeeded))
    return llvm::createStringError(
        "--explain excludes --verify, --compare, --pools, --target and "
        "--reuse=as-needed");
  if (spaceName.getNumOccurrences() && !targetName.getNumOccurrences())
    return llvm::createStringError("--space needs --target");
  if (effort > 9)
    return llvm::createStringError("--effort: %u is not in [0, 9]",
                                   effort.getValue());
  if (maxSteps < 0)
    return llvm::createStringError("--max-steps is negative");
  if (maxSteps.getNumOccurrences() && timeout.getNumOccurrences())
    return llvm::createStringError(
        "--max-steps and --timeout exclude each other");
  if (llvm::Error error = checkOutputPath())
    return error;
  if (capacity.getNumOccurrences() && capacity.bytes < 0)
    return llvm::createStringError("--capacity is negative");
  if (alignment.bytes < 1)
    return llvm::createStringError("--alignment is not positive");
  for (const cl::opt<std::string> *path : {&outputPath, &reportPath})
    if (path->getNumOccurrences() > 1)
      return llvm::createStringError(
          "there are two files for " +
          llvm::Twine(path->ArgStr.size() == 1 ? "-" : "--") + path->ArgStr);
  if (!reportPath.getNumOccurrences())
    return llvm::Error::success();
  if (nameSameFile(outputPath, reportPath))
    return llvm::createStringError("-o and --report name one file, '" +
                                   reportPath + "'");
  if (verifies || compares)
    return llvm::createStringError(
        "--report is of no use with --verify or --compare");
  return getReportFormat(reportPath).takeError();
}

/// Schedule `table`, write the report that is asked for, and print the result.
/// Return the exit status.
static int scheduleTable(const BufferTable &table, const Scheduler &scheduler,
                         const SchedulerOptions &options) {
  std::optional<ReuseSchedule> asNeeded;
  if (reuse == Reuse::AsNeeded) {
    llvm::Expected<ReuseSchedule> found =
        scheduleAsNeeded(scheduler, table, options);
    if (!found)
      return reportError(found.takeError());
    asNeeded = std::move(*found);
  }
  llvm::Expected<Schedule> schedule =
      asNeeded ? llvm::Expected<Schedule>(asNeeded->schedule)
               : ::schedule(scheduler, table, options);
  if (!schedule)
    return reportError(schedule.takeError());
  if (!reportPath.empty()) {
    Report report = startReport();
    describePools(report, table, *schedule);
    if (llvm::Error error = writeReport(report, reportPath))
      return reportError(std::move(error));
  }
  if (explains)
    explain(llvm::errs(), table, *schedule);
  if (isInterrupted)
    llvm::errs() << llvm::formatv(
        "buffer-merge-schedule: interrupted, pool {0} is the best so far\n",
        schedule->poolSize);
  return write([&](llvm::raw_ostream &os) {
    if (printsJSON)
      printSchedule(os, table, *schedule, asNeeded);
    else
      printBufferTable(os, table, schedule->offsets);
  });
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::SetVersionPrinter(buffer_merge::printVersion);
  cl::HideUnrelatedOptions(category);
  refuseUnknownOptions(argc, argv, "buffer-merge-schedule", exitBadInput);
  std::string wrong;
  llvm::raw_string_ostream errors(wrong);
  bool isRight = cl::ParseCommandLineOptions(
      argc, argv,
      "Gives each buffer of a table an offset in one pool\n\n"
      "  The input has the columns id, lower, upper, size and optionally\n"
      "  alignment, hint, offset, gaps, conflicts, in-place and penalties; a "
      "buffer is alive\n"
      "  at ticks lower to upper - 1. The output is the same with offsets.\n\n"
      "  The input may also be what --json has printed, or a report in JSON, "
      "whose\n"
      "  pools --pools keeps apart.\n\n"
      "  With --target, the columns reads and writes are the bytes that "
      "accesses move,\n"
      "  region is the memory of each buffer, and offsets are those in it.\n\n"
      "  A search that is interrupted ends with the best found so far.\n\n"
      "  Exit status: 0, 1 if the input or an option is wrong, 2 if there is "
      "no\n"
      "  schedule within the capacity.\n",
      &errors);
  if (!isRight) {
    // The first line says what is wrong; of a value, that has been said.
    if (!wrong.empty())
      llvm::errs() << llvm::StringRef(wrong).ltrim().split('\n').first << "\n";
    return exitBadInput;
  }
  if (listsSchedulers)
    return list();
  if (llvm::Error error = checkOptions())
    return reportError(std::move(error));
  const Scheduler *scheduler = lookupScheduler(schedulerName);
  if (!scheduler)
    return reportError(llvm::createStringError(
        "there is no scheduler '" + schedulerName + "'; there are " +
        getRegisteredSchedulerNames() + "; the nearest is '" +
        findNearestScheduler(schedulerName) + "'"));

  llvm::Expected<BufferTable> table = readInput();
  if (!table)
    return reportError(table.takeError());
  if (capacity.getNumOccurrences())
    table->problem.capacity = capacity.bytes;
  for (Buffer &buffer : table->problem.buffers)
    if (llvm::MulOverflow(buffer.alignment,
                          alignment.bytes /
                              std::gcd(buffer.alignment, alignment.bytes),
                          buffer.alignment) ||
        buffer.alignment > maxBytes)
      return reportError(llvm::createStringError(
          "--alignment: no common multiple with those of the table is small "
          "enough"));
  if (ignoresOffsets)
    for (Buffer &buffer : table->problem.buffers)
      buffer.fixedOffset.reset();
  if (verifies && !targetName.getNumOccurrences())
    return verify(std::move(*table));
  if (llvm::Error error = checkOffsets(*table))
    return reportError(std::move(error));

  SchedulerOptions options;
  options.effort = effort;
  options.decisionSteps =
      timeout.getNumOccurrences() ? timeout * int64_t(1'000'000) : maxSteps;
  llvm::sys::SetInterruptFunction([] { isInterrupted = true; });
  ProgressReporter reporter;
  auto progress = [&](const SearchProgress &progress) {
    return reporter.report(progress);
  };
  options.progress = progress;
  if (targetName.getNumOccurrences())
    return scheduleForTarget(*table, *scheduler, options);
  if (compares)
    return compare(*table, options);
  return scheduleTable(*table, *scheduler, options);
}
