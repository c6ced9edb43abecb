//===- JSONPrinter.cpp - Reports as JSON ---------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format is documented in docs/ReportFormat.md. JSONReader.cpp reads it.
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Report/ReportFormat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace buffer_merge;

/// Print `"key": text` unless the text is empty.
static void printField(llvm::json::OStream &json, llvm::StringRef key,
                       llvm::StringRef text) {
  if (!text.empty())
    json.attribute(key, text);
}

/// Print `"key": [...]` unless there are no indices.
static void printIndices(llvm::json::OStream &json, llvm::StringRef key,
                         llvm::ArrayRef<int64_t> indices) {
  if (indices.empty())
    return;
  json.attributeArray(key, [&] {
    for (int64_t index : indices)
      json.value(index);
  });
}

static void printTexts(llvm::json::OStream &json, llvm::StringRef key,
                       llvm::ArrayRef<std::string> texts) {
  json.attributeArray(key, [&] {
    for (const std::string &text : texts)
      json.value(text);
  });
}

/// Print `"key": number` if there is one.
static void printNumber(llvm::json::OStream &json, llvm::StringRef key,
                        std::optional<int64_t> number) {
  if (number)
    json.attribute(key, *number);
}

/// Print `"key": [{...}, ...]` unless there are no items.
template <typename T>
static void printObjects(llvm::json::OStream &json, llvm::StringRef key,
                         const std::vector<T> &items,
                         llvm::function_ref<void(const T &)> print) {
  if (items.empty())
    return;
  json.attributeArray(key, [&] {
    for (const T &item : items)
      json.object([&] { print(item); });
  });
}

static void printSync(llvm::json::OStream &json, const ReportSync &sync) {
  printField(json, "note", sync.note);
  printTexts(json, "barriers", sync.barriers);
  printTexts(json, "insertedBarriers", sync.insertedBarriers);
  printIndices(json, "barrierTicks", sync.barrierTicks);
  printIndices(json, "insertedBarrierTicks", sync.insertedBarrierTicks);
  json.attribute("numConflicts", sync.numConflicts);
  json.attributeArray("conflicts", [&] {
    for (const ReportConflict &conflict : sync.conflicts)
      json.object([&] {
        json.attribute("first", conflict.first);
        json.attribute("second", conflict.second);
        json.attribute("rule", conflict.rule);
        json.attribute("description", conflict.description);
        json.attribute("from", conflict.from);
        json.attribute("to", conflict.to);
      });
  });
}

static void printReuse(llvm::json::OStream &json, const ReportReuse &reuse) {
  json.attribute("pairs", reuse.pairs);
  json.attribute("penalty", reuse.penalty);
  json.attribute("pairsOfSmallest", reuse.pairsOfSmallest);
  json.attribute("penaltyOfSmallest", reuse.penaltyOfSmallest);
  printObjects<ReportPenalty>(json, "penalties", reuse.penalties,
                              [&](const ReportPenalty &item) {
                                json.attribute("first", item.first);
                                json.attribute("second", item.second);
                                json.attribute("penalty", item.penalty);
                              });
}

static void printPool(llvm::json::OStream &json, const ReportPool &pool) {
  printField(json, "function", pool.function);
  json.attribute("scope", pool.scope);
  printField(json, "location", pool.location);
  printField(json, "memorySpace", pool.memorySpace);
  printField(json, "storage", pool.storage);
  printField(json, "reason", pool.reason);
  json.attribute("totalBytes", pool.totalBytes);
  json.attribute("lowerBound", pool.lowerBound);
  json.attribute("peakTick", pool.peakTick);
  json.attribute("provedBound", pool.provedBound);
  json.attribute("poolSize", pool.poolSize);
  json.attribute("poolAlignment", pool.poolAlignment);
  printNumber(json, "capacity", pool.capacity);
  printNumber(json, "baselineBytes", pool.baselineBytes);
  printObjects<ReportRegion>(
      json, "regions", pool.regions, [&](const ReportRegion &region) {
        json.attribute("name", region.name);
        json.attribute("begin", region.begin);
        json.attribute("end", region.end);
        printNumber(json, "capacity", region.capacity);
        printNumber(json, "address", region.address);
        printNumber(json, "movedBytes", region.movedBytes);
      });
  if (pool.reuse)
    json.attributeObject("reuse", [&] { printReuse(json, *pool.reuse); });
  if (pool.banks)
    json.attributeObject("banks", [&] {
      json.attribute("pairs", pool.banks->pairs);
      json.attribute("same", pool.banks->same);
      json.attribute("sameBefore", pool.banks->sameBefore);
    });
  printObjects<ReportAdvice>(json, "advice", pool.advice,
                             [&](const ReportAdvice &advice) {
                               json.attribute("change", advice.change);
                               json.attribute("savedBytes", advice.savedBytes);
                             });
  json.attributeArray("buffers", [&] {
    for (auto [buffer, sharers] :
         llvm::zip_equal(pool.buffers, countSharers(pool)))
      // Structured bindings cannot be captured.
      json.object([&json, &pool, &buffer = buffer, sharers = sharers] {
        json.attribute("name", buffer.name);
        printField(json, "callee", buffer.callee);
        printNumber(json, "value", buffer.value);
        printNumber(json, "values", buffer.values);
        json.attribute("type", buffer.type);
        printField(json, "location", buffer.location);
        json.attribute("size", buffer.size);
        json.attribute("alignment", buffer.alignment);
        json.attribute("begin", buffer.begin);
        json.attribute("end", buffer.end);
        json.attribute("offset", buffer.offset);
        printNumber(json, "address", getAddress(pool, buffer.offset));
        json.attribute("sharers", sharers);
        printIndices(json, "inPlaceOf", buffer.inPlaceOf);
        printIndices(json, "inPlaceOfAny", buffer.inPlaceOfAny);
        printObjects<ReportInterval>(json, "gaps", buffer.gaps,
                                     [&](const ReportInterval &gap) {
                                       json.attribute("begin", gap.begin);
                                       json.attribute("end", gap.end);
                                     });
        printField(json, "firstAccess", buffer.firstAccess);
        printField(json, "lastAccess", buffer.lastAccess);
        printField(json, "producer", buffer.producer);
      });
  });
  if (pool.sync)
    json.attributeObject("sync", [&] { printSync(json, *pool.sync); });
}

static void printReason(llvm::json::OStream &json, const ReportReason &reason) {
  json.attribute("reason", reason.name);
  json.attribute("description", reason.description);
  printField(json, "advice", reason.advice);
  json.attributeArray("buffers", [&] {
    for (const ReportLeft &buffer : reason.buffers)
      json.object([&] {
        json.attribute("name", buffer.name);
        json.attribute("type", buffer.type);
        printField(json, "location", buffer.location);
        printField(json, "function", buffer.function);
        printField(json, "operation", buffer.operation);
        json.attribute("size", buffer.size);
      });
  });
}

void buffer_merge::printJSON(llvm::raw_ostream &os, const Report &report,
                             unsigned indent) {
  llvm::json::OStream json(os, indent);
  ReportTotals totals = computeTotals(report);
  json.object([&] {
    json.attribute("version", reportVersion);
    printField(json, "module", report.module);
    json.attribute("scheduler", report.scheduler);
    if (report.program)
      json.attribute("baseline", report.baseline);
    json.attributeObject("totals", [&] {
      json.attribute("merged", totals.merged);
      json.attribute("mergedBytes", totals.mergedBytes);
      json.attribute("poolBytes", totals.poolBytes);
      json.attribute("left", totals.left);
      json.attribute("leftBytes", totals.leftBytes);
    });
    if (const std::optional<ReportProgram> &program = report.program)
      json.attributeObject("program", [&] {
        json.attribute("allocatedBytes", program->allocatedBytes);
        json.attribute("baselineBytes", program->baselineBytes);
        json.attribute("peakBytes", program->peakBytes);
        if (program->excessIfDeallocated != 0)
          json.attribute("excessIfDeallocated", program->excessIfDeallocated);
      });
    json.attributeArray("pools", [&] {
      for (const ReportPool &pool : report.pools)
        json.object([&] { printPool(json, pool); });
    });
    json.attributeArray("left", [&] {
      for (const ReportReason &reason : report.left)
        json.object([&] { printReason(json, reason); });
    });
    printObjects<ReportFunction>(
        json, "functions", report.functions,
        [&](const ReportFunction &function) {
          json.attribute("name", function.name);
          printNumber(json, "arenaBytes", function.arenaBytes);
          printNumber(json, "baselineBytes", function.baselineBytes);
          printNumber(json, "peakBytes", function.peakBytes);
        });
    printObjects<ReportEntry>(
        json, "entries", report.entries, [&](const ReportEntry &entry) {
          json.attribute("name", entry.name);
          json.attribute("poolBytes", entry.poolBytes);
          json.attribute("heapBytes", entry.heapBytes);
          json.attribute("stackBytes", entry.stackBytes);
          json.attribute("constantBytes", entry.constantBytes);
          json.attribute("variableBytes", entry.variableBytes);
          json.attribute("inputBytes", entry.inputBytes);
          json.attribute("outputBytes", entry.outputBytes);
          printTexts(json, "unknown", entry.unknown);
        });
  });
  if (indent)
    os << "\n";
}
