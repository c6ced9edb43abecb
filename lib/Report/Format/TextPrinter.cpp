//===- TextPrinter.cpp - Reports for a terminal --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Report/ReportFormat.h"

#include "Scheduling/SaturatingBytes.h"
#include "TextChart.h"
#include "TextEscape.h"
#include "TextTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace buffer_merge;

/// Return `numerator / denominator` with three digits, or `-`.
static std::string ratio(int64_t numerator, int64_t denominator) {
  if (denominator == 0)
    return "-";
  return llvm::formatv("{0:F3}", double(numerator) / double(denominator));
}

/// Return `text`, which ends with a location, without the folders of its file.
static std::string dropFolders(llvm::StringRef text) {
  auto [operation, location] = text.rsplit(' ');
  if (location.empty())
    return text.substr(text.rfind('/') + 1).str();
  return (operation + " " + location.substr(location.rfind('/') + 1)).str();
}

/// Return `name (operation at location)` for a scope, as headers print it.
static std::string describeScope(const ReportPool &pool) {
  std::string text = pool.function.empty() ? "" : "@" + pool.function + " ";
  text += "(" + pool.scope;
  if (!pool.location.empty())
    text += " at " + dropFolders(pool.location);
  text += ")";
  if (!pool.memorySpace.empty())
    text += ", memory space " + pool.memorySpace;
  if (!pool.storage.empty())
    text += (pool.sync ? ", workgroup-pool=" : ", pool=") + pool.storage;
  return escapeText(text);
}

/// Return a memref type without what all of them have in common.
static llvm::StringRef shortenType(llvm::StringRef type) {
  llvm::StringRef shape = type;
  return shape.consume_front("memref<") && shape.consume_back(">") ? shape
                                                                   : type;
}

/// Return the location of a buffer of `pool`: `:line:column` if it is in the
/// file that the header names.
static llvm::StringRef shortenLocation(const ReportPool &pool,
                                       llvm::StringRef location) {
  auto getFile = [](llvm::StringRef location) {
    return location.rsplit(':').first.rsplit(':').first;
  };
  llvm::StringRef file = getFile(pool.location);
  return !file.empty() && getFile(location) == file
             ? location.drop_front(file.size())
             : location;
}

/// The same for an operation with its location.
static std::string shortenAccess(const ReportPool &pool,
                                 llvm::StringRef access) {
  auto [operation, location] = access.split(" at ");
  if (location.empty())
    return access.str();
  return (operation + " at " + shortenLocation(pool, location)).str();
}

/// Print what keeps the threads of `pool` apart: the barriers, and the pairs of
/// buffers for which they do not.
static void printSync(llvm::raw_ostream &os, const ReportPool &pool,
                      const ReportSync &sync, const TextChart &chart) {
  if (!sync.note.empty())
    os << "  " << escapeText(sync.note) << "\n";
  os << llvm::formatv("  {0}, {1} inserted, {2} kept apart\n",
                      formatCount(sync.barriers.size(), "barrier"),
                      sync.insertedBarriers.size(),
                      formatCount(sync.numConflicts, "pair"));
  for (const std::string &barrier : sync.barriers)
    os << "    " << escapeText(barrier) << "\n";
  for (const std::string &place : sync.insertedBarriers)
    os << "    inserted before " << escapeText(place) << "\n";
  if (!sync.conflicts.empty()) {
    TextTable table({{""},
                     {"buffer", TextTable::Text},
                     {""},
                     {"buffer", TextTable::Text},
                     {"rule"},
                     {"between", TextTable::Place},
                     {"and", TextTable::Place}});
    for (const ReportConflict &conflict : sync.conflicts)
      table.addRow({std::string(1, chart.getLetter(conflict.first)),
                    pool.buffers[conflict.first].name,
                    std::string(1, chart.getLetter(conflict.second)),
                    pool.buffers[conflict.second].name, conflict.rule,
                    shortenAccess(pool, conflict.from),
                    shortenAccess(pool, conflict.to)});
    table.print(os, "  ");
  }
  if (int64_t numMore = sync.numConflicts - int64_t(sync.conflicts.size()))
    os << "    and " << formatCount(numMore, "more pair") << "\n";
  os << "\n";
}

static llvm::StringRef getProducer(const ReportBuffer &buffer) {
  return buffer.producer.empty() ? buffer.firstAccess : buffer.producer;
}

static std::string formatLifetime(const ReportBuffer &buffer) {
  return llvm::formatv("[{0}, {1})", buffer.begin, buffer.end);
}

/// Print the numbers that describe `pool`.
static void printSizes(llvm::raw_ostream &os, const Report &report,
                       const ReportPool &pool) {
  if (!pool.reason.empty())
    os << "  no pool: " << escapeText(pool.reason) << "\n";
  os << llvm::formatv(
      "  before {0} bytes, pool {1} bytes, ratio {2}\n"
      "  lower bound {3} bytes at tick {4}, pool / lower bound {5}\n",
      pool.totalBytes, pool.poolSize, ratio(pool.poolSize, pool.totalBytes),
      pool.lowerBound, pool.peakTick, ratio(pool.poolSize, pool.lowerBound));
  if (pool.launchBytes)
    os << llvm::formatv("  launches give {0} bytes, with what aligns it\n",
                        *pool.launchBytes);
  if (pool.provedBound > pool.lowerBound)
    os << llvm::formatv("  proved bound {0} bytes, pool / proved bound {1}\n",
                        pool.provedBound,
                        ratio(pool.poolSize, pool.provedBound));
  if (pool.capacity)
    os << llvm::formatv("  capacity {0} bytes, pool / capacity {1}\n",
                        *pool.capacity, ratio(pool.poolSize, *pool.capacity));
  if (pool.baselineBytes)
    os << llvm::formatv("  {0} {1} bytes, pool / that {2}\n", report.baseline,
                        *pool.baselineBytes,
                        ratio(pool.poolSize, *pool.baselineBytes));
  for (const ReportRegion &region : pool.regions) {
    os << llvm::formatv("  region {0}: offsets {1} to {2}",
                        escapeText(region.name), region.begin, region.end);
    if (region.capacity)
      os << llvm::formatv(", capacity {0} bytes", *region.capacity);
    if (region.address)
      os << llvm::formatv(", address {0:x}", *region.address);
    if (region.movedBytes)
      os << llvm::formatv(", accesses move {0} bytes", *region.movedBytes);
    os << "\n";
  }
  if (pool.reuse)
    os << llvm::formatv("  pairs that wait for their bytes: {0}, penalty {1}; "
                        "in the smallest pool {2}, penalty {3}\n",
                        pool.reuse->pairs, pool.reuse->penalty,
                        pool.reuse->pairsOfSmallest,
                        pool.reuse->penaltyOfSmallest);
  if (pool.banks)
    os << llvm::formatv("  pairs in the same bank: {0} of {1}, {2} before they "
                        "were spread\n",
                        pool.banks->same, pool.banks->pairs,
                        pool.banks->sameBefore);
  for (const ReportAdvice &advice : pool.advice)
    os << llvm::formatv("  advice: {0}: saves {1} bytes\n",
                        escapeText(advice.change), advice.savedBytes);
  os << "\n";
}

/// Print the largest buffers that are alive at the peak of `pool`.
static void printPeak(llvm::raw_ostream &os, const ReportPool &pool,
                      const TextChart &chart) {
  // More of them do not fit beside the map on a screen.
  constexpr size_t maxListed = 10;
  std::vector<size_t> alive;
  int64_t bytes = 0;
  for (auto [index, buffer] : llvm::enumerate(pool.buffers))
    if (buffer.isAliveAt(pool.peakTick)) {
      alive.push_back(index);
      bytes += buffer.size;
    }
  llvm::sort(alive, [&](size_t a, size_t b) {
    return std::pair(-pool.buffers[a].size, a) <
           std::pair(-pool.buffers[b].size, b);
  });
  os << llvm::formatv("  alive at the peak, tick {0}: {1}, {2} bytes\n",
                      pool.peakTick, formatCount(alive.size(), "buffer"),
                      bytes);
  TextTable table({{"", TextTable::Fixed},
                   {"bytes", TextTable::Number},
                   {"lifetime", TextTable::Number},
                   {"buffer", TextTable::Text},
                   {"type", TextTable::Text},
                   {"operation", TextTable::Text}});
  for (size_t index : llvm::ArrayRef(alive).take_front(maxListed)) {
    const ReportBuffer &buffer = pool.buffers[index];
    table.addRow({std::string(1, chart.getLetter(index)),
                  std::to_string(buffer.size), formatLifetime(buffer),
                  buffer.getTitle(), shortenType(buffer.type).str(),
                  getOperationName(getProducer(buffer)).str()});
  }
  table.print(os, "  ");
  if (alive.size() > maxListed)
    os << llvm::formatv("  and {0} smaller ones\n", alive.size() - maxListed);
  os << "\n";
}

static void printPool(llvm::raw_ostream &os, const Report &report,
                      const ReportPool &pool) {
  printSizes(os, report, pool);
  if (pool.buffers.empty() || pool.poolSize <= 0)
    return;
  TextChart chart(pool);
  printPeak(os, pool, chart);
  chart.print(os);

  TextTable table({{"", TextTable::Fixed},
                   {"buffer", TextTable::Text},
                   {"offset", TextTable::Number},
                   {"bytes", TextTable::Number},
                   {"lifetime", TextTable::Number},
                   {"type", TextTable::Text},
                   {"location", TextTable::Place}});
  auto formatOffset = [&](int64_t offset) -> std::string {
    std::string text = std::to_string(offset);
    if (std::optional<int64_t> address = getAddress(pool, offset))
      text += llvm::formatv(" ({0:x})", *address).str();
    return text;
  };
  for (auto [index, buffer] : llvm::enumerate(pool.buffers))
    table.addRow(
        {{chart.getLetter(index), buffer.isAliveAt(pool.peakTick) ? '^' : ' '},
         buffer.getTitle(),
         formatOffset(buffer.offset),
         std::to_string(buffer.size),
         formatLifetime(buffer),
         shortenType(buffer.type).str(),
         shortenLocation(pool, buffer.location).str()});
  table.print(os, "  ");
  os << "\n";
  if (pool.sync)
    printSync(os, pool, *pool.sync, chart);
}

static void printReason(llvm::raw_ostream &os, const ReportReason &reason) {
  int64_t bytes = 0;
  for (const ReportLeft &buffer : reason.buffers)
    bytes = addBytes(bytes, buffer.size);
  os << llvm::formatv("  {0}: {1}, {2} bytes\n", escapeText(reason.name),
                      formatCount(reason.buffers.size(), "allocation"), bytes);
  os << "    " << escapeText(reason.description) << "\n";
  if (!reason.advice.empty())
    os << "    advice: " << escapeText(reason.advice) << "\n";
  TextTable table({{"", TextTable::Text},
                   {"", TextTable::Number},
                   {"", TextTable::Text},
                   {"", TextTable::Text},
                   {"", TextTable::Place},
                   {"", TextTable::Place}});
  for (const ReportLeft &buffer : reason.buffers)
    table.addRow({buffer.name, buffer.size ? std::to_string(buffer.size) : "?",
                  shortenType(buffer.type).str(),
                  buffer.function.empty() ? "" : "@" + buffer.function,
                  dropFolders(buffer.location), dropFolders(buffer.operation)});
  table.print(os, "      ");
}

/// Return true if the size of a pool is known only when the program runs.
static bool hasUnknownPools(const Report &report) {
  return llvm::any_of(report.runtimePools, [](const ReportRuntimePool &pool) {
    return !pool.getStaticBytes();
  });
}

/// Print the pools of which the sizes may be known when the program runs.
static void printRuntimePools(llvm::raw_ostream &os, const Report &report) {
  for (const ReportRuntimePool &pool : report.runtimePools) {
    os << (pool.getStaticBytes() ? "pool in " : "pool of run-time size in ")
       << (pool.storage.empty()      ? ""
           : pool.storage == "arena" ? "the arena of "
                                     : "dynamic workgroup memory of ")
       << formatSymbol(pool.function) << ": "
       << formatCount(pool.buffers.size(), "buffer") << ", alignment "
       << pool.alignment << "\n  bytes: " << pool.bytes
       << "\n  alive: " << pool.aliveBytes << "\n";
    TextTable table({{"buffer", TextTable::Text},
                     {"type", TextTable::Text},
                     {"location", TextTable::Text}});
    for (const ReportLeft &buffer : pool.buffers)
      table.addRow({buffer.name, shortenType(buffer.type).str(),
                    dropFolders(buffer.location)});
    table.print(os, "  ");
    os << "\n";
  }
}

/// Print what is known of functions apart from their pools.
static void printFunctions(llvm::raw_ostream &os, const Report &report) {
  for (const ReportFunction &function : report.functions) {
    llvm::SmallVector<std::string, 3> texts;
    auto add = [&](const std::string &text, std::optional<int64_t> bytes) {
      if (bytes)
        texts.push_back(llvm::formatv(text.c_str(), *bytes));
    };
    add("arena of {0} bytes", function.arenaBytes);
    add(report.baseline + " {0} bytes", function.baselineBytes);
    add("as planned {0} bytes", function.peakBytes);
    os << formatSymbol(function.name) << ": " << llvm::join(texts, ", ")
       << "\n";
  }
  if (!report.functions.empty())
    os << "\n";
}

/// Print what each entry takes of the memories of a target.
static void printEntries(llvm::raw_ostream &os, const Report &report) {
  if (report.entries.empty())
    return;
  os << "entries, in bytes\n";
  TextTable table({{"", TextTable::Text},
                   {"pools", TextTable::Number},
                   {"heap", TextTable::Number},
                   {"stack", TextTable::Number},
                   {"constants", TextTable::Number},
                   {"variables", TextTable::Number},
                   {"inputs", TextTable::Number},
                   {"outputs", TextTable::Number}});
  for (const ReportEntry &entry : report.entries) {
    auto format = [](int64_t bytes) { return std::to_string(bytes); };
    table.addRow({formatSymbol(entry.name), format(entry.poolBytes),
                  format(entry.heapBytes), format(entry.stackBytes),
                  format(entry.constantBytes), format(entry.variableBytes),
                  format(entry.inputBytes), format(entry.outputBytes)});
  }
  table.print(os, "  ");
  os << "  not known: code, frames of functions\n";
  for (const ReportEntry &entry : report.entries)
    if (!entry.unknown.empty())
      os << "  not known of " << formatSymbol(entry.name) << ": "
         << escapeText(llvm::join(entry.unknown, ", ")) << "\n";
  os << "\n";
}

/// Return the most bytes at one time, before and after, and the difference.
static std::string describePeak(const Report &report) {
  const ReportProgram &program = *report.program;
  double percent = program.baselineBytes == 0
                       ? 0
                       : 100. *
                             double(program.peakBytes - program.baselineBytes) /
                             double(program.baselineBytes);
  std::string text =
      llvm::formatv("at the peak {0} bytes {1}, {2} as planned ({3}{4:F1} %)",
                    program.baselineBytes, report.baseline, program.peakBytes,
                    percent > 0 ? "+" : "", percent);
  if (hasUnknownPools(report))
    text += ", with 0 for sizes of run time";
  if (program.excessIfDeallocated != 0)
    text += llvm::formatv("; if it is deallocated after merging: {0} bytes "
                          "above; limit-peak=deallocated keeps below",
                          program.excessIfDeallocated);
  return text;
}

/// Return how many bytes the largest function returns of those that it holds at
/// its peak: no plan takes less for these.
static uint64_t countResults(const ReportProgram &program) {
  // By tick, by how many bytes all and results change.
  std::map<int64_t, std::pair<uint64_t, uint64_t>> changes;
  for (const ReportHold &hold : program.holds) {
    uint64_t results =
        hold.what == "result" && hold.function.empty() ? hold.bytes : 0;
    changes[hold.begin].first += hold.bytes;
    changes[hold.begin].second += results;
    changes[hold.end].first -= hold.bytes;
    changes[hold.end].second -= results;
  }
  uint64_t all = 0, results = 0;
  std::pair<uint64_t, uint64_t> peak = {0, 0};
  for (auto [allMore, resultsMore] : llvm::make_second_range(changes)) {
    all += allMore;
    results += resultsMore;
    peak = std::max(peak, {all, results});
  }
  return peak.second;
}

/// Return what one operation needs, the least that any plan takes, how far the
/// plan is from that, and what of it are results; nothing if it is not known.
static std::string describeWorkingSet(const ReportProgram &program) {
  int64_t needed = program.workingSetBytes;
  if (needed == 0 || needed > program.peakBytes)
    return "";
  std::string set = escapeText(dropFolders(program.workingSet));
  if (needed == program.peakBytes)
    return llvm::formatv("only fusing or tiling {0}, which needs {1}, can go "
                         "below",
                         set, needed);
  std::string text = llvm::formatv(
      "{0} alone needs {1}, {2:F1} % less", set, needed,
      100. * double(program.peakBytes - needed) / double(program.peakBytes));
  if (uint64_t results = countResults(program))
    text += llvm::formatv("; {0} bytes of the peak are results", results);
  return text;
}

std::string buffer_merge::describeAdvice(const ReportProgram &program,
                                         const ReportProgramAdvice &advice) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (advice.savedBytes != 0)
    os << llvm::formatv("saves {0} bytes ({1:F1} %) of the program's peak",
                        advice.savedBytes,
                        100. * double(advice.savedBytes) /
                            double(std::max<int64_t>(program.peakBytes, 1)));
  if (advice.merged != 0)
    os << (text.empty() ? "merges " : ", and merges ")
       << formatCount(advice.merged, "more allocation") << " of run-time size";
  os << ": " << escapeText(advice.change);
  return text;
}

void buffer_merge::printSummary(llvm::raw_ostream &os, const Report &report) {
  ReportTotals totals = computeTotals(report);
  int64_t numPools = report.runtimePools.size();
  for (const ReportPool &pool : report.pools)
    numPools += pool.reason.empty() && pool.storage != "none";
  os << "buffer-merge";
  if (!report.module.empty())
    os << " of " << escapeText(report.module);
  os << llvm::formatv(": {0} merged into {1}, {2} left alone",
                      formatCount(totals.merged, "allocation"),
                      formatCount(numPools, "pool"), totals.left);
  if (report.program) {
    os << llvm::formatv("; {0} bytes allocated, {1}",
                        report.program->allocatedBytes, describePeak(report));
    if (std::string set = describeWorkingSet(*report.program); !set.empty())
      os << "; " << set;
  }
  os << "\n";
}

void buffer_merge::printText(llvm::raw_ostream &os, const Report &report) {
  ReportTotals totals = computeTotals(report);
  os << "buffer-merge report";
  if (!report.module.empty())
    os << " of " << escapeText(report.module);
  os << ", scheduler " << escapeText(report.scheduler) << "\n";
  os << llvm::formatv(
      "{0} of {1} bytes merged into {2} bytes{3}\n{4} of {5} bytes left "
      "alone\n",
      formatCount(totals.merged, "allocation"), totals.mergedBytes,
      totals.poolBytes,
      hasUnknownPools(report) ? " and what is known at run time" : "",
      totals.left, totals.leftBytes);
  if (report.program) {
    os << llvm::formatv("program: {0} bytes allocated\n  {1}\n",
                        report.program->allocatedBytes, describePeak(report));
    if (std::string set = describeWorkingSet(*report.program); !set.empty())
      os << "  " << set << "\n";
    for (const ReportProgramAdvice &advice : report.program->advice)
      os << "  " << describeAdvice(*report.program, advice) << "\n";
  }
  os << "\n";
  printRuntimePools(os, report);
  printFunctions(os, report);
  printEntries(os, report);
  for (auto [index, pool] : llvm::enumerate(report.pools)) {
    os << llvm::formatv("pool {0} of {1}: {2}\n", index + 1,
                        report.pools.size(), describeScope(pool));
    printPool(os, report, pool);
  }
  if (report.left.empty())
    return;
  os << llvm::formatv("left alone: {0} of {1} bytes\n",
                      formatCount(totals.left, "allocation"), totals.leftBytes);
  for (const ReportReason &reason : report.left)
    printReason(os, reason);
}
