//===- JSONReader.cpp - Reports from JSON --------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files come from anywhere: what printers rely on is checked here.
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Report/ReportFormat.h"
#include "buffer-merge/Scheduling/ParseJSON.h"

#include "llvm/Support/JSON.h"

using namespace buffer_merge;

/// No number of bytes and no tick is larger: sums of two do not overflow.
static constexpr int64_t maxNumber = int64_t(1) << 61;

namespace {
/// Reads the members of one object. After the first failure the rest does
/// nothing, and `finish` fails.
class ObjectReader {
public:
  ObjectReader(const llvm::json::Value &value, llvm::json::Path path)
      : mapper(value, path), path(path), isGood(mapper) {}

  ObjectReader &text(llvm::StringLiteral key, std::string &value) {
    isGood = isGood && mapper.map(key, value);
    return *this;
  }
  ObjectReader &optionalText(llvm::StringLiteral key, std::string &value) {
    isGood = isGood && mapper.mapOptional(key, value);
    return *this;
  }
  /// A number in [least, maxNumber].
  ObjectReader &number(llvm::StringLiteral key, int64_t &value, int64_t least) {
    isGood = isGood && mapper.map(key, value);
    if (isGood && (value < least || value > maxNumber)) {
      path.field(key).report("number out of range");
      isGood = false;
    }
    return *this;
  }
  /// As `number`; without the member the value stays what it is.
  ObjectReader &optionalNumber(llvm::StringLiteral key, int64_t &value,
                               int64_t least) {
    isGood = isGood && mapper.mapOptional(key, value);
    if (isGood && (value < least || value > maxNumber)) {
      path.field(key).report("number out of range");
      isGood = false;
    }
    return *this;
  }
  ObjectReader &optionalNumber(llvm::StringLiteral key,
                               std::optional<int64_t> &value, int64_t least) {
    isGood = isGood && mapper.map(key, value);
    if (isGood && value && (*value < least || *value > maxNumber)) {
      path.field(key).report("number out of range");
      isGood = false;
    }
    return *this;
  }
  template <typename T>
  ObjectReader &list(llvm::StringLiteral key, std::vector<T> &value) {
    isGood = isGood && mapper.map(key, value);
    return *this;
  }
  template <typename T>
  ObjectReader &optionalList(llvm::StringLiteral key, std::vector<T> &value) {
    isGood = isGood && mapper.mapOptional(key, value);
    return *this;
  }
  template <typename T>
  ObjectReader &optionalObject(llvm::StringLiteral key,
                               std::optional<T> &value) {
    isGood = isGood && mapper.map(key, value);
    return *this;
  }
  /// Fail with `message` about member `key` unless `condition` holds; it is
  /// asked only if everything before is in order.
  ObjectReader &check(llvm::StringLiteral key, llvm::StringLiteral message,
                      llvm::function_ref<bool()> condition) {
    if (isGood && !condition()) {
      path.field(key).report(message);
      isGood = false;
    }
    return *this;
  }
  bool finish() const { return isGood; }

private:
  llvm::json::ObjectMapper mapper;
  llvm::json::Path path;
  bool isGood;
};
} // namespace

namespace buffer_merge {
static bool fromJSON(const llvm::json::Value &value, ReportInterval &interval,
                     llvm::json::Path path) {
  return ObjectReader(value, path)
      .number("begin", interval.begin, -maxNumber)
      .number("end", interval.end, -maxNumber)
      .check("end", "not after begin",
             [&] { return interval.begin < interval.end; })
      .finish();
}

/// Return true if the gaps of `buffer` are sorted, disjoint and strictly inside
/// of its lifetime.
static bool areGapsInside(const ReportBuffer &buffer) {
  int64_t end = buffer.begin;
  for (const ReportInterval &gap : buffer.gaps) {
    if (gap.begin <= end)
      return false;
    end = gap.end;
  }
  return buffer.gaps.empty() || end < buffer.end;
}

static bool fromJSON(const llvm::json::Value &value, ReportBuffer &buffer,
                     llvm::json::Path path) {
  return ObjectReader(value, path)
      .text("name", buffer.name)
      .optionalText("callee", buffer.callee)
      .optionalNumber("value", buffer.value, 1)
      .optionalNumber("values", buffer.values, 2)
      .check("value", "not one of the values",
             [&] {
               return buffer.value.has_value() == buffer.values.has_value() &&
                      buffer.value <= buffer.values;
             })
      .text("type", buffer.type)
      .optionalText("location", buffer.location)
      .optionalText("firstAccess", buffer.firstAccess)
      .optionalText("lastAccess", buffer.lastAccess)
      .optionalText("producer", buffer.producer)
      .number("size", buffer.size, 1)
      .number("alignment", buffer.alignment, 1)
      .number("begin", buffer.begin, -maxNumber)
      .number("end", buffer.end, -maxNumber)
      .number("offset", buffer.offset, 0)
      .optionalList("inPlaceOf", buffer.inPlaceOf)
      .optionalList("inPlaceOfAny", buffer.inPlaceOfAny)
      .check("end", "not after begin",
             [&] { return buffer.begin < buffer.end; })
      .optionalList("gaps", buffer.gaps)
      .check("gaps", "not sorted, disjoint and inside of the lifetime",
             [&] { return areGapsInside(buffer); })
      .finish();
}

static bool fromJSON(const llvm::json::Value &value, ReportConflict &conflict,
                     llvm::json::Path path) {
  return ObjectReader(value, path)
      .number("first", conflict.first, 0)
      .number("second", conflict.second, 0)
      .text("rule", conflict.rule)
      .text("description", conflict.description)
      .text("from", conflict.from)
      .text("to", conflict.to)
      .check("second", "not after first",
             [&] { return conflict.first < conflict.second; })
      .finish();
}

static bool fromJSON(const llvm::json::Value &value, ReportSync &sync,
                     llvm::json::Path path) {
  return ObjectReader(value, path)
      .optionalText("note", sync.note)
      .list("barriers", sync.barriers)
      .list("insertedBarriers", sync.insertedBarriers)
      .optionalList("barrierTicks", sync.barrierTicks)
      .optionalList("insertedBarrierTicks", sync.insertedBarrierTicks)
      .check("barrierTicks", "not one for each barrier",
             [&] {
               return sync.barrierTicks.empty() ||
                      sync.barrierTicks.size() == sync.barriers.size();
             })
      .check("insertedBarrierTicks", "not one for each barrier",
             [&] {
               return sync.insertedBarrierTicks.empty() ||
                      sync.insertedBarrierTicks.size() ==
                          sync.insertedBarriers.size();
             })
      .number("numConflicts", sync.numConflicts, 0)
      .list("conflicts", sync.conflicts)
      .check(
          "numConflicts", "less than there are",
          [&] { return sync.numConflicts >= int64_t(sync.conflicts.size()); })
      .finish();
}

static bool fromJSON(const llvm::json::Value &value, ReportRegion &region,
                     llvm::json::Path path) {
  return ObjectReader(value, path)
      .text("name", region.name)
      .number("begin", region.begin, 0)
      .number("end", region.end, 0)
      .optionalNumber("capacity", region.capacity, 0)
      .optionalNumber("address", region.address, 0)
      .optionalNumber("movedBytes", region.movedBytes, 0)
      .check("end", "not after begin",
             [&] { return region.begin < region.end; })
      .finish();
}

static bool fromJSON(const llvm::json::Value &value, ReportPenalty &item,
                     llvm::json::Path path) {
  return ObjectReader(value, path)
      .number("first", item.first, 0)
      .number("second", item.second, 0)
      .number("penalty", item.penalty, 1)
      .check("second", "the same as first",
             [&] { return item.first != item.second; })
      .finish();
}

static bool fromJSON(const llvm::json::Value &value, ReportReuse &reuse,
                     llvm::json::Path path) {
  return ObjectReader(value, path)
      .number("pairs", reuse.pairs, 0)
      .number("penalty", reuse.penalty, 0)
      .number("pairsOfSmallest", reuse.pairsOfSmallest, 0)
      .number("penaltyOfSmallest", reuse.penaltyOfSmallest, 0)
      .optionalList("penalties", reuse.penalties)
      .finish();
}

static bool fromJSON(const llvm::json::Value &value, ReportBanks &banks,
                     llvm::json::Path path) {
  return ObjectReader(value, path)
      .number("pairs", banks.pairs, 0)
      .number("same", banks.same, 0)
      .number("sameBefore", banks.sameBefore, 0)
      .finish();
}

static bool fromJSON(const llvm::json::Value &value, ReportAdvice &advice,
                     llvm::json::Path path) {
  return ObjectReader(value, path)
      .text("change", advice.change)
      .number("savedBytes", advice.savedBytes, 1)
      .finish();
}

static bool fromJSON(const llvm::json::Value &value, ReportPool &pool,
                     llvm::json::Path path) {
  bool isGood =
      ObjectReader(value, path)
          .optionalText("function", pool.function)
          .text("scope", pool.scope)
          .optionalText("location", pool.location)
          .optionalText("memorySpace", pool.memorySpace)
          .optionalText("storage", pool.storage)
          .optionalText("reason", pool.reason)
          .number("totalBytes", pool.totalBytes, 0)
          .number("lowerBound", pool.lowerBound, 0)
          .number("peakTick", pool.peakTick, -maxNumber)
          .optionalNumber("provedBound", pool.provedBound, 0)
          .number("poolSize", pool.poolSize, 1)
          .number("poolAlignment", pool.poolAlignment, 1)
          .list("buffers", pool.buffers)
          .optionalObject("sync", pool.sync)
          .optionalNumber("capacity", pool.capacity, 0)
          .optionalNumber("baselineBytes", pool.baselineBytes, 0)
          .optionalList("regions", pool.regions)
          .check("regions", "not ordered and disjoint",
                 [&] {
                   for (size_t i = 1; i < pool.regions.size(); ++i)
                     if (pool.regions[i].begin < pool.regions[i - 1].end)
                       return false;
                   return true;
                 })
          .optionalObject("reuse", pool.reuse)
          .optionalObject("banks", pool.banks)
          .optionalList("advice", pool.advice)
          .check("buffers", "no buffer", [&] { return !pool.buffers.empty(); })
          .check("buffers", "a buffer ends after its pool",
                 [&] {
                   return llvm::all_of(
                       pool.buffers, [&](const ReportBuffer &buffer) {
                         return buffer.offset + buffer.size <= pool.poolSize;
                       });
                 })
          .check("buffers", "in place of a buffer that is not there",
                 [&] {
                   auto isThere = [&](int64_t index) {
                     return index >= 0 && index < int64_t(pool.buffers.size());
                   };
                   return llvm::all_of(
                       pool.buffers, [&](const ReportBuffer &buffer) {
                         return llvm::all_of(buffer.inPlaceOf, isThere) &&
                                llvm::all_of(buffer.inPlaceOfAny, isThere);
                       });
                 })
          .check("reuse", "a penalty of a buffer that is not there",
                 [&] {
                   auto isThere = [&](const ReportPenalty &item) {
                     return std::max(item.first, item.second) <
                            int64_t(pool.buffers.size());
                   };
                   return !pool.reuse ||
                          llvm::all_of(pool.reuse->penalties, isThere);
                 })
          .check("sync", "a conflict with a buffer that is not there",
                 [&] {
                   return !pool.sync ||
                          llvm::all_of(pool.sync->conflicts,
                                       [&](const ReportConflict &conflict) {
                                         return conflict.second <
                                                int64_t(pool.buffers.size());
                                       });
                 })
          .check("peakTick", "no buffer is alive",
                 [&] {
                   return llvm::any_of(pool.buffers,
                                       [&](const ReportBuffer &buffer) {
                                         return buffer.isAliveAt(pool.peakTick);
                                       });
                 })
          .finish();
  pool.provedBound = std::max(pool.provedBound, pool.lowerBound);
  return isGood;
}

static bool fromJSON(const llvm::json::Value &value, ReportLeft &buffer,
                     llvm::json::Path path) {
  return ObjectReader(value, path)
      .text("name", buffer.name)
      .text("type", buffer.type)
      .optionalText("location", buffer.location)
      .optionalText("function", buffer.function)
      .optionalText("operation", buffer.operation)
      .number("size", buffer.size, 0)
      .finish();
}

static bool fromJSON(const llvm::json::Value &value, ReportReason &reason,
                     llvm::json::Path path) {
  return ObjectReader(value, path)
      .text("reason", reason.name)
      .text("description", reason.description)
      .optionalText("advice", reason.advice)
      .list("buffers", reason.buffers)
      .finish();
}

static bool fromJSON(const llvm::json::Value &value, ReportFunction &function,
                     llvm::json::Path path) {
  return ObjectReader(value, path)
      .text("name", function.name)
      .optionalNumber("arenaBytes", function.arenaBytes, 0)
      .optionalNumber("baselineBytes", function.baselineBytes, 0)
      .optionalNumber("peakBytes", function.peakBytes, 0)
      .finish();
}

static bool fromJSON(const llvm::json::Value &value, ReportEntry &entry,
                     llvm::json::Path path) {
  return ObjectReader(value, path)
      .text("name", entry.name)
      .number("poolBytes", entry.poolBytes, 0)
      .number("heapBytes", entry.heapBytes, 0)
      .number("stackBytes", entry.stackBytes, 0)
      .number("constantBytes", entry.constantBytes, 0)
      .number("variableBytes", entry.variableBytes, 0)
      .number("inputBytes", entry.inputBytes, 0)
      .number("outputBytes", entry.outputBytes, 0)
      .optionalList("unknown", entry.unknown)
      .finish();
}

static bool fromJSON(const llvm::json::Value &value, ReportProgram &program,
                     llvm::json::Path path) {
  return ObjectReader(value, path)
      .number("allocatedBytes", program.allocatedBytes, 0)
      .number("baselineBytes", program.baselineBytes, 0)
      .number("peakBytes", program.peakBytes, 0)
      .optionalNumber("excessIfDeallocated", program.excessIfDeallocated, 0)
      .finish();
}

/// Return true if all sizes in `report` together are a number of bytes.
static bool isSumInRange(const Report &report) {
  int64_t sum = 0;
  auto add = [&](int64_t size) { sum = std::min(sum + size, 2 * maxNumber); };
  for (const ReportPool &pool : report.pools) {
    add(pool.poolSize);
    add(pool.totalBytes);
    for (const ReportBuffer &buffer : pool.buffers)
      add(buffer.size);
  }
  for (const ReportReason &reason : report.left)
    for (const ReportLeft &buffer : reason.buffers)
      add(buffer.size);
  return sum <= maxNumber;
}

static bool fromJSON(const llvm::json::Value &value, Report &report,
                     llvm::json::Path path) {
  int64_t version = 0;
  return ObjectReader(value, path)
      .number("version", version, 0)
      .check("version", "a version that is not known",
             [&] { return version == reportVersion; })
      .optionalText("module", report.module)
      .text("scheduler", report.scheduler)
      .optionalText("baseline", report.baseline)
      .check("baseline", "neither 'as given' nor 'deallocated'",
             [&] {
               return report.baseline == "as given" ||
                      report.baseline == "deallocated";
             })
      .list("pools", report.pools)
      .list("left", report.left)
      .optionalList("functions", report.functions)
      .optionalObject("program", report.program)
      .optionalList("entries", report.entries)
      .check("pools", "too many bytes", [&] { return isSumInRange(report); })
      .finish();
}
} // namespace buffer_merge

llvm::Expected<Report> buffer_merge::parseReport(llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> value = parseJSON(text);
  if (!value)
    return value.takeError();
  Report report;
  llvm::json::Path::Root root("report");
  if (!fromJSON(*value, report, root))
    return root.getError();
  return report;
}
