//===- Races between buffers that share bytes -------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_GPU_FUZZ_RACEDETECTOR_H
#define BUFFER_MERGE_GPU_FUZZ_RACEDETECTOR_H

#include "KernelInterpreter.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace buffer_merge::fuzz {
/// Counted from 0 in one workgroup.
using ThreadId = unsigned;

/// What a thread knows of each thread, itself included: how many barriers of
/// some threads only that one had passed when the two last met. It starts anew
/// with every epoch.
using Clock = std::array<unsigned, numThreads>;

/// Who accesses bytes: a thread, by an operation, in the name of a buffer of
/// the program before merging.
struct Accessor {
  ThreadId thread = 0;
  mlir::Operation *op = nullptr;
  llvm::StringRef owner;
  /// What the thread knows of itself.
  unsigned time = 0;
  /// How many proxy fences it has executed.
  unsigned fences = 0;
};

/// By thread, the epoch of each proxy fence that it has executed.
using Fences = std::array<std::vector<uint32_t>, numThreads>;

/// What happened to the bytes of one object in workgroup memory since the last
/// barrier.
///
/// Two accesses of one byte race if different threads make them, at least one
/// writes, and no barrier lies between them. Time is counted in epochs: a
/// barrier ends one for all threads. Barriers of some threads order accesses of
/// these within an epoch, see `Clock`. An asynchronous copy is a write at every
/// moment from its start to the wait of its thread, and races with that thread
/// as well; after the wait it is a write of its thread in the epoch of the
/// wait. What a copy engine or a matrix unit reads is a read in the same way.
///
/// An access of theirs also races with an earlier one by a thread, unless that
/// thread has executed a fence in between, in an earlier epoch.
///
/// The order in which the threads run makes no difference, as long as it
/// changes neither addresses nor branches.
class ShadowMemory {
public:
  ShadowMemory(int64_t bytes, bool tracksFences)
      : tracksFences(tracksFences), bytes(bytes) {}

  /// Enter an access of [begin, end) in `epoch` by a thread that knows `clock`.
  /// The first race found is kept.
  void access(const Accessor &by, const Clock &clock, int64_t begin,
              int64_t end, bool isWrite, uint32_t epoch);
  /// Enter the start, and the wait for, the asynchronous access number `copy`
  /// of [begin, end), by another unit than threads if there are `fences`.
  void startCopy(const Accessor &by, const Clock &clock, int64_t begin,
                 int64_t end, uint32_t epoch, unsigned copy, bool isWrite,
                 const Fences *fences);
  void finishCopy(const Accessor &by, const Clock &clock, int64_t begin,
                  int64_t end, uint32_t epoch, unsigned copy, bool isWrite,
                  bool isByThread);

  /// The first race between accesses of different owners; empty if there is
  /// none. The library must not add one of these.
  llvm::StringRef getRace() const { return race; }
  /// The first race between accesses of one owner; empty if there is none. The
  /// program brought it along.
  llvm::StringRef getOwnRace() const { return ownRace; }

private:
  /// That a thread reads, or that it writes; the last time counts.
  struct Access {
    Accessor by;
    bool isWrite;
  };
  struct Flight {
    unsigned copy;
    Accessor by;
    bool isWrite;
  };
  struct Byte {
    uint32_t epoch = 0;
    /// Of the current epoch.
    std::vector<Access> accesses;
    std::vector<Flight> flights;
    /// The last ones by threads, in all epochs.
    std::vector<Access> unfenced;
  };

  void check(const Byte &byte, int64_t index, const Accessor &by,
             const Clock &clock, bool isWrite);
  void report(int64_t index, const Accessor &one, llvm::StringRef oneVerb,
              const Accessor &other, llvm::StringRef otherVerb);
  /// Return the byte, without what earlier epochs left there.
  Byte &get(int64_t index, uint32_t epoch);

  /// Something else than threads accesses it.
  bool tracksFences;
  std::vector<Byte> bytes;
  std::string race;
  std::string ownRace;
};

/// Return `op` as one line, without its regions.
std::string printOperation(mlir::Operation *op);
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_GPU_FUZZ_RACEDETECTOR_H
