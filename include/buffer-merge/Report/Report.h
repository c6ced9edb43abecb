//===- Report.h - A merge plan as plain data --------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What printers show: strings and numbers, without IR. The same data comes from
// a plan (BuildReport.h) and from a file in JSON (ReportFormat.h).
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_REPORT_REPORT_H
#define BUFFER_MERGE_REPORT_REPORT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace buffer_merge {
/// The version of the JSON format. It changes if a reader of the old format
/// would misunderstand the new one.
inline constexpr int64_t reportVersion = 1;

/// No number of bytes and no tick is larger: sums of two do not overflow.
inline constexpr int64_t maxReportNumber = int64_t(1) << 61;

// What a member means is said once, by the `describe` of its struct, which
// names all of them in the order of the file. A visitor reads JSON, prints it
// or makes the schema (JSON.cpp). It has
//
//   field(key, member, sentence, least)  a member that a file must have; a
//                                        number is `least` or more
//   optional(key, ...)                   the same for one that is left out if
//                                        it is empty or 0
//   derived(key, member, sentence)       one that follows from others: it is
//                                        printed, and not read
//   check(key, message, condition)       what a file must satisfy
//   check(find)                          the same, if `find` returns a key and
//                                        a message, or nothing

/// The least tick.
inline constexpr int64_t anyTick = -maxReportNumber;

/// Half open: begin, ..., end - 1.
struct ReportInterval {
  int64_t begin = 0, end = 0;

  template <typename Visitor>
  void describe(Visitor &visitor) {
    visitor.field("begin", begin, "the first tick", anyTick);
    visitor.field("end", end, "the tick after the last one", anyTick);
    visitor.check("end", "not after begin", [&] { return begin < end; });
  }
};

/// A buffer with a place in a pool, or the part of a pool that a callee has
/// while it is called.
struct ReportBuffer {
  std::string name, type, location;
  std::string firstAccess, lastAccess;
  int64_t size = 0, alignment = 1;
  int64_t begin = 0, end = 0, offset = 0;
  std::vector<int64_t> inPlaceOf = {}, inPlaceOfAny = {};
  std::vector<ReportInterval> gaps = {};
  std::string producer = {}, callee = {}, unshared = {};
  std::optional<int64_t> value = std::nullopt, values = std::nullopt;
  std::optional<int64_t> allocations = std::nullopt;
  /// Set only while the report is printed.
  std::optional<int64_t> address = std::nullopt, sharers = std::nullopt;

  /// Return the name with the number of the value, if it has one: `%a (1/2)`.
  std::string getTitle() const;

  /// Return true if its bytes are its own at `tick`.
  bool isAliveAt(int64_t tick) const;

  /// Return true if the gaps are sorted, disjoint and strictly inside of the
  /// lifetime.
  bool areGapsInside() const;

  template <typename Visitor>
  void describe(Visitor &visitor) {
    visitor.field("name", name,
                  "the name in the location, in the source, or in the printed "
                  "IR: the first of these that exists");
    visitor.optional("callee", callee,
                     "the function that the part belongs to while it is "
                     "called; missing for a buffer");
    visitor.optional("value", value,
                     "which of the values of its allocation it is, from 1 on; "
                     "missing if it is all of the allocation",
                     1);
    visitor.optional("values", values, "how many of these there are", 2);
    visitor.check("value", "not one of the values", [&] {
      return value.has_value() == values.has_value() && value <= values;
    });
    visitor.optional("allocations", allocations,
                     "how many allocations it is, parts of one of them; "
                     "missing if it is one",
                     2);
    visitor.field("type", type,
                  "the memref type; empty for the part of a callee");
    visitor.optional("location", location,
                     "where it is allocated, file:line:column");
    visitor.field("size", size, "bytes", 1);
    visitor.field("alignment", alignment, "bytes", 1);
    visitor.field("begin", begin, "the first tick of the lifetime", anyTick);
    visitor.field("end", end, "the tick after the lifetime", anyTick);
    visitor.field("offset", offset, "bytes from the start of the pool");
    visitor.derived("address", address,
                    "where it is, if its region has an address");
    visitor.derived("sharers", sharers,
                    "how many other buffers use some of its bytes at other "
                    "ticks");
    visitor.optional("inPlaceOf", inPlaceOf,
                     "indices of buffers of the pool whose last tick is the "
                     "first tick of this one, and with which it may share "
                     "bytes there if it is at the same offset");
    visitor.optional("inPlaceOfAny", inPlaceOfAny, "the same at any offset");
    visitor.check("end", "not after begin", [&] { return begin < end; });
    visitor.optional("gaps", gaps,
                     "ticks at which its bytes are free for other buffers: "
                     "sorted, disjoint and strictly inside of the lifetime");
    visitor.check("gaps", "not sorted, disjoint and inside of the lifetime",
                  [&] { return areGapsInside(); });
    visitor.optional("unshared", unshared,
                     "why it shares no bytes with any other buffer: the "
                     "documented reason, such as async-proxy; missing if it "
                     "may");
    visitor.optional("firstAccess", firstAccess,
                     "the operation with the first access: linalg.fill at "
                     "file:line:column");
    visitor.optional("lastAccess", lastAccess, "the same for the last access");
    visitor.optional("producer", producer,
                     "the operation that computes what is in it, if that is "
                     "not the first access: it writes the buffer and reads "
                     "another one, as a linalg.matmul after a linalg.fill; a "
                     "linalg.generic has the operations of its body in "
                     "brackets");
  }
};

/// Two buffers of a pool that are not alive at the same tick, but may not share
/// bytes because threads of a workgroup run ahead of each other.
struct ReportConflict {
  int64_t first = 0, second = 0;
  std::string rule, description;
  std::string from, to;

  template <typename Visitor>
  void describe(Visitor &visitor) {
    visitor.field("first", first, "the index of a buffer in its pool");
    visitor.field("second", second, "that of the other, the larger one");
    visitor.field("rule", rule, "the documented name, such as no-barrier");
    visitor.field("description", description, "what it means");
    visitor.field("from", from,
                  "an access of one of the buffers, with its location");
    visitor.field("to", to,
                  "a following access of the other one that no barrier "
                  "separates from it");
    visitor.check("second", "not after first", [&] { return first < second; });
  }
};

/// The synchronization of the threads that share a pool in workgroup memory.
struct ReportSync {
  std::vector<std::string> barriers, insertedBarriers;
  int64_t numConflicts = 0;
  std::vector<ReportConflict> conflicts;
  std::string note;
  std::vector<int64_t> barrierTicks = {}, insertedBarrierTicks = {};

  template <typename Visitor>
  void describe(Visitor &visitor) {
    visitor.optional("note", note,
                     "why the pairs were not counted; if present, no buffers "
                     "share bytes, and conflicts is empty");
    visitor.field("barriers", barriers,
                  "the barriers of the kernel that all threads execute "
                  "together, in program order: gpu.barrier at "
                  "file:line:column");
    visitor.field("insertedBarriers", insertedBarriers,
                  "the operations before which the pool needs new barriers");
    visitor.optional("barrierTicks", barrierTicks,
                     "the tick of each barrier, or of the end of the loop over "
                     "threads");
    visitor.optional("insertedBarrierTicks", insertedBarrierTicks,
                     "the tick before which each new barrier is inserted");
    auto areComplete = [](const auto &ticks, const auto &barriers) {
      return ticks.empty() || ticks.size() == barriers.size();
    };
    visitor.check("barrierTicks", "not one for each barrier",
                  [&] { return areComplete(barrierTicks, barriers); });
    visitor.check("insertedBarrierTicks", "not one for each barrier", [&] {
      return areComplete(insertedBarrierTicks, insertedBarriers);
    });
    visitor.field("numConflicts", numConflicts,
                  "pairs of buffers that are never alive at the same tick but "
                  "may not share bytes, given all these barriers");
    visitor.field("conflicts", conflicts,
                  "the first of these pairs, ordered by first and second");
    visitor.check("numConflicts", "less than there are",
                  [&] { return numConflicts >= int64_t(conflicts.size()); });
  }
};

/// A part of a pool that is in a memory of its own: a bank, or one level of a
/// hierarchy.
struct ReportRegion {
  std::string name;
  int64_t begin = 0, end = 0;
  std::optional<int64_t> capacity = std::nullopt;
  std::optional<int64_t> address = std::nullopt;
  std::optional<int64_t> movedBytes = std::nullopt;

  template <typename Visitor>
  void describe(Visitor &visitor) {
    visitor.field("name", name, "the name of the memory");
    visitor.field("begin", begin, "the first offset of the pool that is in it");
    visitor.field("end", end, "the offset after the last one");
    visitor.optional("capacity", capacity,
                     "the most bytes that this memory has for the pool");
    visitor.optional("address", address,
                     "the address of its first byte, if that is fixed");
    visitor.optional("movedBytes", movedBytes,
                     "the bytes that accesses of its buffers move, if known");
    visitor.check("end", "not after begin", [&] { return begin < end; });
  }
};

/// What it costs that two buffers share bytes.
struct ReportPenalty {
  int64_t first = 0, second = 0;
  int64_t penalty = 1;

  template <typename Visitor>
  void describe(Visitor &visitor) {
    visitor.field("first", first, "the index of the earlier buffer");
    visitor.field("second", second, "the index of the one that waits");
    visitor.field("penalty", penalty, "what it costs", 1);
    visitor.check("second", "the same as first",
                  [&] { return first != second; });
  }
};

/// The pairs of buffers of a pool of which the later one waits for the earlier
/// one because they share bytes.
struct ReportReuse {
  int64_t pairs = 0, penalty = 0;
  int64_t pairsOfSmallest = 0, penaltyOfSmallest = 0;
  std::vector<ReportPenalty> penalties = {};

  template <typename Visitor>
  void describe(Visitor &visitor) {
    visitor.field("pairs", pairs, "how many pairs there are");
    visitor.field("penalty", penalty, "the sum of their penalties");
    visitor.field("pairsOfSmallest", pairsOfSmallest,
                  "how many there are in the smallest pool");
    visitor.field("penaltyOfSmallest", penaltyOfSmallest,
                  "the sum of the penalties of these");
    visitor.optional("penalties", penalties,
                     "all pairs that would wait if they shared bytes");
  }
};

/// The pairs of buffers of a pool that one operation accesses.
struct ReportBanks {
  int64_t pairs = 0, same = 0, sameBefore = 0;

  template <typename Visitor>
  void describe(Visitor &visitor) {
    visitor.field("pairs", pairs, "how many pairs there are");
    visitor.field("same", same, "those in the same bank");
    visitor.field("sameBefore", sameBefore,
                  "those that were before buffers were spread");
  }
};

/// A change of the program that makes a pool smaller.
struct ReportAdvice {
  std::string change;
  int64_t savedBytes = 0;

  template <typename Visitor>
  void describe(Visitor &visitor) {
    visitor.field("change", change, "what to change");
    visitor.field("savedBytes", savedBytes,
                  "the bytes by which the pool is smaller then", 1);
  }
};

/// The buffers of one alloc scope and memory space.
struct ReportPool {
  std::string function, scope, location, memorySpace, storage, reason;
  int64_t totalBytes = 0;
  int64_t lowerBound = 0, peakTick = 0;
  /// At least `lowerBound`, at most `poolSize`.
  int64_t provedBound = 0;
  int64_t poolSize = 0, poolAlignment = 1;
  std::optional<int64_t> launchBytes = std::nullopt;
  std::vector<ReportBuffer> buffers;
  std::optional<ReportSync> sync = std::nullopt;
  std::optional<int64_t> capacity = std::nullopt;
  std::optional<int64_t> baselineBytes = std::nullopt;
  std::vector<ReportRegion> regions = {};
  std::vector<ReportAdvice> advice = {};
  std::optional<ReportReuse> reuse = std::nullopt;
  std::optional<ReportBanks> banks = std::nullopt;
  /// Set only while the report is printed.
  std::optional<int64_t> addedBytes = std::nullopt;

  /// Return the key of a member that contradicts another one, and a message;
  /// both are empty if there is none.
  std::pair<llvm::StringLiteral, llvm::StringLiteral> findContradiction() const;

  template <typename Visitor>
  void describe(Visitor &visitor) {
    visitor.optional("function", function,
                     "the symbols of the function and of the modules around "
                     "it: kernels::f");
    visitor.field("scope", scope,
                  "the operation that the alloc scope belongs to, such as "
                  "func.func");
    visitor.optional("location", location, "where that operation is");
    visitor.optional("memorySpace", memorySpace,
                     "the memory space; the default one has none");
    visitor.optional("storage", storage,
                     "what the pool is in: stack, arena, global or, if all of "
                     "these are in one, shared-global; an argument; a result; "
                     "in workgroup memory attribution or dynamic; none if its "
                     "buffers are only filled and copied, and the copies are "
                     "fills; missing if it is allocated");
    visitor.optional("reason", reason,
                     "why there is no pool although there is a schedule, such "
                     "as no-gain; its buffers are in left as well");
    visitor.field("totalBytes", totalBytes,
                  "bytes that all buffers take without a pool, each rounded up "
                  "to the alignment that its allocation asks for");
    visitor.field("lowerBound", lowerBound,
                  "the most bytes alive at one tick: no pool is smaller");
    visitor.field("peakTick", peakTick, "the first such tick", anyTick);
    visitor.optional("provedBound", provedBound,
                     "bytes that every pool is proved to need, including "
                     "alignment and conflicts; lowerBound if missing. A pool "
                     "of this size is optimal");
    visitor.field("poolSize", poolSize, "the bytes of the pool", 1);
    visitor.field("poolAlignment", poolAlignment, "its alignment", 1);
    visitor.optional("launchBytes", launchBytes,
                     "the bytes of dynamic memory that launches give for it, "
                     "with those that align it; missing if these are none",
                     1);
    visitor.derived("addedBytes", addedBytes,
                    "by how many bytes the program needs more with the pool, "
                    "if that is not poolSize: 0 for a part of another one, and "
                    "for one that shares memory with a larger one");
    visitor.optional("capacity", capacity,
                     "the most bytes that the pool may take");
    visitor.optional("baselineBytes", baselineBytes,
                     "the most bytes that its buffers take at one time if each "
                     "is freed after its last use: what merging competes with");
    visitor.optional("regions", regions,
                     "the memories that the pool spans, ordered by offset and "
                     "disjoint; the region of a buffer has its offset");
    visitor.optional("reuse", reuse,
                     "with reuse=as-needed: the pairs of buffers of which the "
                     "later one waits for the bytes of the earlier one");
    visitor.optional("banks", banks,
                     "with banks: the pairs of buffers that one operation "
                     "accesses");
    visitor.optional("advice", advice,
                     "changes that would make the pool smaller, the best "
                     "first");
    visitor.field("buffers", buffers,
                  "one or more, in the order of execution of their "
                  "allocations");
    visitor.optional("sync", sync,
                     "the synchronization of the threads of a workgroup; "
                     "missing if they do not share the pool");
    visitor.check([&] { return findContradiction(); });
  }
};

/// An allocation that stays as it is.
struct ReportLeft {
  std::string name, type, location, function, operation;
  int64_t size = 0;

  template <typename Visitor>
  void describe(Visitor &visitor) {
    visitor.field("name", name, "as of a buffer");
    visitor.field("type", type, "the memref type");
    visitor.optional("location", location, "where it is allocated");
    visitor.optional("function", function, "as of a pool");
    visitor.optional("operation", operation,
                     "what the reason is about, with its location");
    visitor.field("size", size, "bytes; 0 if they are not known");
  }
};

/// All allocations that stay for one reason.
struct ReportReason {
  std::string name, description, advice;
  std::vector<ReportLeft> buffers;

  template <typename Visitor>
  void describe(Visitor &visitor) {
    visitor.field("reason", name, "the documented name, such as loop-carried");
    visitor.field("description", description, "what it means");
    visitor.optional("advice", advice, "what can be done about it");
    visitor.field("buffers", buffers, "the allocations");
  }
};

/// A pool whose size is known when the program runs.
struct ReportRuntimePool {
  std::string function, location, storage, bytes, aliveBytes;
  int64_t alignment = 1;
  std::vector<ReportLeft> buffers;

  /// Return its bytes if they depend on nothing that is known at run time.
  std::optional<int64_t> getStaticBytes() const;

  template <typename Visitor>
  void describe(Visitor &visitor) {
    visitor.optional("function", function, "as of a pool");
    visitor.optional("location", location,
                     "where its first buffer is allocated");
    visitor.optional("storage", storage,
                     "arena, or dynamic for the workgroup memory of a kernel, "
                     "behind what is of static size there; otherwise it is "
                     "allocated");
    visitor.field(
        "bytes", bytes,
        "its bytes, such as max(64 * dim(arg0, 1), 256): argN is an "
        "argument of the function, dim(argN, D) a dimension of one, vN "
        "another value, and roundup() the next multiple of the "
        "alignment");
    visitor.field(
        "aliveBytes", aliveBytes,
        "the most bytes alive at one tick, in the same terms: no pool "
        "is smaller");
    visitor.field("alignment", alignment, "its alignment", 1);
    visitor.field("buffers", buffers,
                  "the allocations, with a size of 0 where it is not known");
  }
};

/// What is known of a function apart from its pools.
struct ReportFunction {
  std::string name;
  std::optional<int64_t> arenaBytes = std::nullopt;
  std::optional<int64_t> baselineBytes = std::nullopt;
  std::optional<int64_t> peakBytes = std::nullopt;
  std::optional<std::vector<std::string>> calls = std::nullopt;

  template <typename Visitor>
  void describe(Visitor &visitor) {
    visitor.field("name", name, "symbols, as of a pool");
    visitor.optional("arenaBytes", arenaBytes,
                     "bytes that it takes from the arena of its caller, those "
                     "of its callees included");
    visitor.optional("baselineBytes", baselineBytes,
                     "the most bytes that it and its callees hold at one time "
                     "without merging");
    visitor.optional("peakBytes", peakBytes, "the same as planned");
    visitor.optional("calls", calls,
                     "the functions that it calls or refers to: what none of "
                     "them reaches never runs while it does");
  }
};

/// What a function that is called from outside of the module takes of the
/// memories of a target without a heap, with all that it calls.
struct ReportEntry {
  std::string name;
  int64_t poolBytes = 0, heapBytes = 0, stackBytes = 0;
  int64_t constantBytes = 0, variableBytes = 0;
  int64_t inputBytes = 0, outputBytes = 0;
  std::vector<std::string> unknown = {};

  template <typename Visitor>
  void describe(Visitor &visitor) {
    visitor.field("name", name, "symbols, as of a pool");
    visitor.field("poolBytes", poolBytes,
                  "the globals and arenas that hold its pools");
    visitor.field("heapBytes", heapBytes,
                  "the most that is allocated at one time beside these");
    visitor.field("stackBytes", stackBytes,
                  "memref.alloca along the path of calls that has most");
    visitor.field("constantBytes", constantBytes,
                  "constant globals of the program with a value");
    visitor.field("variableBytes", variableBytes,
                  "other globals of the program with a value");
    visitor.field("inputBytes", inputBytes,
                  "memrefs that it is given and only reads");
    visitor.field("outputBytes", outputBytes,
                  "memrefs that it writes or returns");
    visitor.field("unknown", unknown,
                  "what these numbers lack, such as arguments of unknown "
                  "size. Code and frames of functions are not known before "
                  "the compiler has made them");
  }
};

/// A change that lowers the peak of the program, or merges more allocations of
/// which the sizes are known only at run time.
struct ReportProgramAdvice {
  std::string change;
  int64_t savedBytes = 0;
  int64_t merged = 0;

  template <typename Visitor>
  void describe(Visitor &visitor) {
    visitor.field("change", change,
                  "what to change: options of the pass, or the program");
    visitor.field("savedBytes", savedBytes,
                  "the bytes by which peakBytes is less then");
    visitor.optional("merged", merged,
                     "how many more allocations of run-time size are merged");
  }
};

/// Something that a function, or a callee, holds for a part of its time.
struct ReportHold {
  std::string what, name, function;
  int64_t begin = 0, end = 0, bytes = 0;

  template <typename Visitor>
  void describe(Visitor &visitor) {
    visitor.field(
        "what", what,
        "pool, stays, result (what it returns), call, scope (an inner "
        "alloc scope) or globals (of pools)");
    visitor.optional("name", name,
                     "of a buffer; @f for a call; the operation of a scope");
    visitor.optional("function", function,
                     "the callee that holds it; not if the largest function "
                     "does itself");
    visitor.field("begin", begin, "the first tick", anyTick);
    visitor.field("end", end, "the tick after the last one", anyTick);
    visitor.field("bytes", bytes,
                  "the most that it may be; 0 for a call if all that its "
                  "callee holds is listed");
    visitor.check("end", "no tick", [&] { return begin < end; });
  }
};

/// What the program takes, with what stays.
struct ReportProgram {
  int64_t allocatedBytes = 0;
  int64_t baselineBytes = 0;
  int64_t peakBytes = 0;
  int64_t excessIfDeallocated = 0;
  int64_t workingSetBytes = 0;
  std::string workingSet = {};
  std::vector<ReportProgramAdvice> advice = {};
  std::string largestFunction = {};
  std::vector<ReportHold> holds = {};

  template <typename Visitor>
  void describe(Visitor &visitor) {
    visitor.field("allocatedBytes", allocatedBytes,
                  "all allocations, each once, with its size rounded up to "
                  "the alignment that it asks for");
    visitor.field("baselineBytes", baselineBytes,
                  "the most bytes at one time without merging: what merging "
                  "competes with");
    visitor.field("peakBytes", peakBytes,
                  "the most bytes at one time as planned");
    visitor.optional("excessIfDeallocated", excessIfDeallocated,
                     "how many more bytes the plan takes than the program "
                     "without merging if everything is freed after its last "
                     "use in both; only if the baseline is the program as "
                     "given");
    visitor.optional(
        "workingSetBytes", workingSetBytes,
        "the most bytes of merged, mergeable or returned "
        "allocations that one operation accesses; what it may write in place "
        "counts once");
    visitor.optional("workingSet", workingSet,
                     "that operation: linalg.matmul at file:line:column");
    visitor.optional("advice", advice,
                     "with advise: what would lower peakBytes, the best first");
    visitor.optional("largestFunction", largestFunction,
                     "the function that holds most as planned; of equal ones, "
                     "one that calls the others");
    visitor.optional("holds", holds,
                     "what it holds as planned, with all that it calls, by "
                     "begin: at one tick, at most the peakBytes of the "
                     "function. A call takes as many ticks as its callee has");
  }
};

/// Sums over a report.
struct ReportTotals {
  int64_t merged = 0, mergedBytes = 0, poolBytes = 0;
  int64_t left = 0, leftBytes = 0;

  template <typename Visitor>
  void describe(Visitor &visitor) {
    visitor.field("merged", merged, "allocations that pools replace");
    visitor.field("mergedBytes", mergedBytes, "their bytes");
    visitor.field("poolBytes", poolBytes,
                  "the bytes of pools that are no parts of others, as far "
                  "as they are known");
    visitor.field("left", left, "allocations that stay");
    visitor.field("leftBytes", leftBytes,
                  "their bytes, as far as they are known");
  }
};

/// The decisions for the allocations of a module. All strings are valid UTF-8.
struct Report {
  std::string module;
  std::string baseline = "as given";
  std::string scheduler;
  std::vector<ReportPool> pools;
  std::vector<ReportReason> left;
  std::vector<ReportRuntimePool> runtimePools = {};
  std::vector<ReportFunction> functions = {};
  std::optional<ReportProgram> program = std::nullopt;
  std::vector<ReportEntry> entries = {};
  /// Set only while the report is printed.
  std::optional<ReportTotals> totals = std::nullopt;

  /// Return true if all sizes together are a number of bytes.
  bool isSumInRange() const;

  template <typename Visitor>
  void describe(Visitor &visitor) {
    int64_t version = reportVersion;
    visitor.field("version", version,
                  "it changes if a reader of the old format would "
                  "misunderstand the new one");
    visitor.check("version", "a version that is not known",
                  [&] { return version == reportVersion; });
    visitor.optional("module", module,
                     "the symbol of the module, or the file that it comes "
                     "from");
    visitor.field("scheduler", scheduler, "the name of the scheduler");
    visitor.optional("baseline", baseline,
                     "the program that all baselines are about: 'as given', "
                     "where what is never freed stays, or 'deallocated', where "
                     "everything is freed after its last use");
    visitor.check("baseline", "neither 'as given' nor 'deallocated'", [&] {
      return baseline == "as given" || baseline == "deallocated";
    });
    visitor.derived("totals", totals, "sums over the report");
    visitor.optional("program", program,
                     "what the program takes with what stays, if it is known. "
                     "An allocation takes its size rounded up to the alignment "
                     "that it asks for; what has no known size does not count, "
                     "and a parallel body counts as run by one thread. The "
                     "bytes of a memory space are those of the function that "
                     "holds most there, its callees included; globals are held "
                     "all the time. Workgroup memory is not freed: there the "
                     "baseline is all of it");
    visitor.field("pools", pools,
                  "one for each alloc scope and memory space that has a "
                  "schedule");
    visitor.field("left", left,
                  "every allocation that stays, grouped by the reason");
    visitor.optional("runtimePools", runtimePools,
                     "pools of buffers whose sizes are known when the program "
                     "runs");
    visitor.optional("functions", functions,
                     "what is known of functions apart from their pools, in "
                     "program order");
    visitor.optional("entries", entries,
                     "what each function that is called from outside of the "
                     "module takes, in bytes, with all that it calls; only "
                     "with pool=arena and pool=global");
    visitor.check("pools", "too many bytes", [&] { return isSumInRange(); });
  }
};

/// Note that buffer `later` of `pool` may be in place of buffer `earlier`.
void addInPlacePair(ReportPool &pool, int64_t earlier, int64_t later,
                    bool needsSameOffset);

/// Return the address of `offset` in `pool`, if it is fixed.
std::optional<int64_t> getAddress(const ReportPool &pool, int64_t offset);

/// Return the operation of an access, `linalg.fill at file:line:column`,
/// without its location.
llvm::StringRef getOperationName(llvm::StringRef access);

/// Return for each pool of `report` by how many bytes the program needs more
/// with it: its size, or 0 for one that is not made, that is a part of another
/// one, or that shares memory with a larger one.
llvm::SmallVector<int64_t, 0> computeAddedBytes(const Report &report);

/// Sum up `report`.
ReportTotals computeTotals(const Report &report);

/// Return for every buffer of `pool` how many others use some of its bytes at
/// other ticks. O(n log n) time.
llvm::SmallVector<int64_t, 0> countSharers(const ReportPool &pool);
} // namespace buffer_merge

#endif // BUFFER_MERGE_REPORT_REPORT_H
