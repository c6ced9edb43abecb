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
/// Half open: begin, ..., end - 1.
struct ReportInterval {
  int64_t begin = 0, end = 0;
};

/// A buffer with a place in a pool, or the part of a pool that a callee has
/// while it is called.
struct ReportBuffer {
  /// What the source calls it, such as `%a` or the name in its location.
  std::string name;
  /// The memref type.
  std::string type;
  /// Where it is allocated, as `file:line:column`; empty if that is not known.
  std::string location;
  /// The operations with the first and the last access, each with its location.
  std::string firstAccess, lastAccess;
  int64_t size = 0;
  int64_t alignment = 1;
  /// The lifetime, half open: it is alive at begin, ..., end - 1.
  int64_t begin = 0, end = 0;
  /// Bytes from the start of the pool.
  int64_t offset = 0;
  /// Indices of buffers of the same pool that end one tick after this one
  /// begins and with which it may share bytes: at the same offset, and at any.
  std::vector<int64_t> inPlaceOf = {}, inPlaceOfAny = {};
  /// The ticks of the lifetime at which its bytes are free for others: half
  /// open, sorted, disjoint and strictly inside of the lifetime.
  std::vector<ReportInterval> gaps = {};
  /// The operation that computes what is in it, with its location, if that is
  /// not `firstAccess`.
  std::string producer = {};
  /// The symbol of the callee, as in `ReportPool::function`; empty for a
  /// buffer.
  std::string callee = {};
  /// Which of the values of its allocation it is, from 1 on, and how many there
  /// are; nothing if it is all of the allocation.
  std::optional<int64_t> value = std::nullopt, values = std::nullopt;

  /// Return the name with the number of the value, if it has one: `%a (1/2)`.
  std::string getTitle() const;

  /// Return true if its bytes are its own at `tick`.
  bool isAliveAt(int64_t tick) const;
};

/// Two buffers of a pool that are not alive at the same tick, but may not share
/// bytes because threads of a workgroup run ahead of each other.
struct ReportConflict {
  /// Indices of the buffers in their pool; `first < second`.
  int64_t first = 0, second = 0;
  /// The documented name, such as `no-barrier`, and what it means: a sentence
  /// without a final period.
  std::string rule, description;
  /// An access of one of them, and a following access of the other that no
  /// barrier separates from it; each with its location.
  std::string from, to;
};

/// The synchronization of the threads that share a pool in workgroup memory.
struct ReportSync {
  /// The barriers of the kernel that all threads execute together, and the
  /// operations before which the pool needs new ones; each with its location
  /// and in the order of the program.
  std::vector<std::string> barriers, insertedBarriers;
  /// The number of pairs that must not share bytes, given these barriers.
  int64_t numConflicts = 0;
  /// The first of these pairs, ordered by their buffers.
  std::vector<ReportConflict> conflicts;
  /// Why the pairs were not counted, so that no buffers share bytes; empty if
  /// they were.
  std::string note;
  /// The tick of each existing barrier, and the tick before which each new one
  /// is inserted. Empty if they are not known.
  std::vector<int64_t> barrierTicks = {}, insertedBarrierTicks = {};
};

/// A part of a pool that is in a memory of its own: a bank, or one level of a
/// hierarchy.
struct ReportRegion {
  std::string name;
  /// The offsets of the pool that are in it, half open.
  int64_t begin = 0, end = 0;
  /// The most bytes that the memory has for the pool, if there is a limit.
  std::optional<int64_t> capacity = std::nullopt;
  /// The address of the first of these bytes, if it is fixed.
  std::optional<int64_t> address = std::nullopt;
  /// The bytes that accesses of the buffers move, if they are known.
  std::optional<int64_t> movedBytes = std::nullopt;
};

/// What it costs that two buffers share bytes.
struct ReportPenalty {
  /// Indices of the buffers in their pool: the earlier one, and the one that
  /// waits.
  int64_t first = 0, second = 0;
  /// 1 or more.
  int64_t penalty = 1;
};

/// The pairs of buffers of a pool of which the later one waits for the earlier
/// one because they share bytes, and the sum of their penalties.
struct ReportReuse {
  int64_t pairs = 0, penalty = 0;
  /// The same if the pool was as small as possible.
  int64_t pairsOfSmallest = 0, penaltyOfSmallest = 0;
  /// All pairs that would wait if they shared bytes.
  std::vector<ReportPenalty> penalties = {};
};

/// The pairs of buffers of a pool that one operation accesses: all of them,
/// those in the same bank, and those that were before buffers were spread.
struct ReportBanks {
  int64_t pairs = 0, same = 0, sameBefore = 0;
};

/// A change of the program that makes a pool smaller.
struct ReportAdvice {
  /// What to change: a sentence without a final period.
  std::string change;
  /// The bytes by which the pool is smaller then; greater than 0.
  int64_t savedBytes = 0;
};

/// The buffers of one alloc scope and memory space.
struct ReportPool {
  /// The symbol of the function, with those around it: `kernels::f`. Empty if
  /// the scope is in no function.
  std::string function;
  /// The operation whose region is the alloc scope, such as `func.func`.
  std::string scope;
  /// Where that operation is.
  std::string location;
  /// Empty for the default memory space.
  std::string memorySpace;
  /// The storage of the pool: `stack`, `arena`, `global` or, if all of these
  /// are in one, `shared-global`; an `argument`; in workgroup memory
  /// `attribution` or `dynamic`; empty if it is allocated.
  std::string storage;
  /// Why the buffers are left alone although there is a schedule (`no-gain`);
  /// empty if the pool replaces them.
  std::string reason;
  /// Bytes that the buffers take without a pool.
  int64_t totalBytes = 0;
  /// The most bytes alive at one tick, and the first such tick.
  int64_t lowerBound = 0, peakTick = 0;
  /// Bytes that every pool is proved to need, including alignment and
  /// conflicts: at least `lowerBound`, at most `poolSize`.
  int64_t provedBound = 0;
  int64_t poolSize = 0, poolAlignment = 1;
  /// In the order of execution of their allocations; never empty.
  std::vector<ReportBuffer> buffers;
  /// Nothing if the pool is not shared by the threads of a workgroup.
  std::optional<ReportSync> sync = std::nullopt;
  /// The most bytes that the pool may take, if there is a limit.
  std::optional<int64_t> capacity = std::nullopt;
  /// The most bytes that the buffers take at one time without a pool, each
  /// freed after its last access; nothing if it is not known.
  std::optional<int64_t> baselineBytes = std::nullopt;
  /// The memories that it spans, ordered by offset and disjoint; empty if there
  /// is only one.
  std::vector<ReportRegion> regions = {};
  /// Changes that make it smaller, the best first.
  std::vector<ReportAdvice> advice = {};
  /// Only if buffers share bytes as needed.
  std::optional<ReportReuse> reuse = std::nullopt;
  /// Only if its memory has banks.
  std::optional<ReportBanks> banks = std::nullopt;
};

/// An allocation that stays as it is.
struct ReportLeft {
  std::string name, type, location;
  /// The function that it is in, as in `ReportPool`.
  std::string function;
  /// The operation that the reason is about, with its location; may be empty.
  std::string operation;
  /// 0 if it is not known.
  int64_t size = 0;
};

/// All allocations that stay for one reason.
struct ReportReason {
  /// The documented name, such as `loop-carried`.
  std::string name;
  /// What it means, and what to do about it: sentences without final periods.
  /// The advice may be empty.
  std::string description, advice;
  /// Never empty.
  std::vector<ReportLeft> buffers;
};

/// What is known of a function apart from its pools.
struct ReportFunction {
  /// As in `ReportPool`.
  std::string name;
  /// The bytes that it takes from the arena of its caller, those of its callees
  /// included; nothing if it has no arena.
  std::optional<int64_t> arenaBytes = std::nullopt;
  /// The most bytes that it and its callees hold at one time without merging,
  /// each allocation freed after its last use, and the same as planned; nothing
  /// if it is not known.
  std::optional<int64_t> baselineBytes = std::nullopt;
  std::optional<int64_t> peakBytes = std::nullopt;
};

/// What a function that is called from outside of the module takes of the
/// memories of a target without a heap, with all that it calls. Bytes.
struct ReportEntry {
  /// The function, as in `ReportPool`.
  std::string name;
  /// The globals and arenas that hold its pools, the most that is allocated at
  /// one time beside these, and the allocations on the stack.
  int64_t poolBytes = 0, heapBytes = 0, stackBytes = 0;
  /// Globals of the program with a value: those that are constant, and others.
  int64_t constantBytes = 0, variableBytes = 0;
  /// Memrefs that it is given and only reads, and those that it writes or
  /// returns.
  int64_t inputBytes = 0, outputBytes = 0;
  /// What these numbers lack: texts without final periods.
  std::vector<std::string> unknown = {};
};

/// What the program takes, with what stays. Bytes.
struct ReportProgram {
  /// All allocations, each once.
  int64_t allocatedBytes = 0;
  /// The most bytes at one time without merging: the baseline, which merging
  /// competes with.
  int64_t baselineBytes = 0;
  /// The most bytes at one time as planned.
  int64_t peakBytes = 0;
  /// How many more bytes the plan takes than the program without merging if
  /// everything is freed after its last use in both. Only if the baseline is
  /// the program as given, and 0 if it is not more.
  int64_t excessIfDeallocated = 0;
};

/// The decisions for the allocations of a module. All strings are valid UTF-8.
struct Report {
  /// The name of the module, or of the file that it comes from; may be empty.
  std::string module;
  /// The program that all baselines are about: "as given", where what is never
  /// freed stays, or "deallocated", where everything is freed after its last
  /// use.
  std::string baseline = "as given";
  std::string scheduler;
  /// Pools that are made, and pools with a schedule that are not made
  /// (`reason`).
  std::vector<ReportPool> pools;
  /// Every allocation that stays is in one of these.
  std::vector<ReportReason> left;
  /// At most one for each function, in the order of the program.
  std::vector<ReportFunction> functions = {};
  /// Nothing if it is not known.
  std::optional<ReportProgram> program = std::nullopt;
  /// In the order of the program; only if pools are arenas or globals.
  std::vector<ReportEntry> entries = {};
};

/// Note that buffer `later` of `pool` may be in place of buffer `earlier`.
void addInPlacePair(ReportPool &pool, int64_t earlier, int64_t later,
                    bool needsSameOffset);

/// Return the address of `offset` in `pool`, if it is fixed.
std::optional<int64_t> getAddress(const ReportPool &pool, int64_t offset);

/// Return the operation of an access, `linalg.fill at file:line:column`,
/// without its location.
llvm::StringRef getOperationName(llvm::StringRef access);

/// Sums over a report.
struct ReportTotals {
  /// Allocations that pools replace, their bytes, and the bytes of the pools.
  int64_t merged = 0, mergedBytes = 0, poolBytes = 0;
  /// Allocations that stay, and those of their bytes that are known.
  int64_t left = 0, leftBytes = 0;
};

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
