//===- Races between buffers that share bytes --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaceDetector.h"

#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace buffer_merge::fuzz;
using llvm::ArrayRef;

std::string buffer_merge::fuzz::printOperation(mlir::Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os, mlir::OpPrintingFlags().skipRegions().useLocalScope());
  return llvm::StringRef(text).trim().str();
}

static std::string describe(const Accessor &by, llvm::StringRef verb) {
  return by.owner.str() + " " + verb.str() + " by thread " +
         std::to_string(by.thread) + " (" + printOperation(by.op) + ")";
}

void ShadowMemory::report(int64_t index, const Accessor &one,
                          llvm::StringRef oneVerb, const Accessor &other,
                          llvm::StringRef otherVerb) {
  std::string &text = one.owner == other.owner ? ownRace : race;
  if (text.empty())
    text = "race on byte " + std::to_string(index) + ": " +
           describe(one, oneVerb) + " and " + describe(other, otherVerb);
}

ShadowMemory::Byte &ShadowMemory::get(int64_t index, uint32_t epoch) {
  Byte &byte = bytes[index];
  if (byte.epoch != epoch)
    byte.accesses.clear();
  byte.epoch = epoch;
  return byte;
}

void ShadowMemory::check(const Byte &byte, int64_t index, const Accessor &by,
                         const Clock &clock, bool isWrite) {
  llvm::StringRef verb = isWrite ? "written" : "read";
  for (const Flight &flight : byte.flights)
    if (flight.isWrite || isWrite)
      report(index, flight.by, "in flight, started", by, verb);
  for (const Access &access : byte.accesses)
    if (access.by.thread != by.thread && (access.isWrite || isWrite) &&
        access.by.time >= clock[access.by.thread])
      report(index, access.by, access.isWrite ? "written" : "read", by, verb);
}

template <typename Access>
static void add(std::vector<Access> &accesses, const Access &added) {
  auto known = llvm::find_if(accesses, [&](const Access &access) {
    return access.by.thread == added.by.thread &&
           access.isWrite == added.isWrite && access.by.owner == added.by.owner;
  });
  if (known == accesses.end())
    accesses.push_back(added);
  else if (known->by.time != added.by.time ||
           known->by.fences != added.by.fences)
    *known = added;
}

void ShadowMemory::access(const Accessor &by, const Clock &clock, int64_t begin,
                          int64_t end, bool isWrite, uint32_t epoch) {
  finishCopy(by, clock, begin, end, epoch, /*copy=*/0, isWrite,
             /*isByThread=*/true);
}

void ShadowMemory::startCopy(const Accessor &by, const Clock &clock,
                             int64_t begin, int64_t end, uint32_t epoch,
                             unsigned copy, bool isWrite,
                             const Fences *fences) {
  for (int64_t index = begin; index < end; ++index) {
    Byte &byte = get(index, epoch);
    check(byte, index, by, clock, isWrite);
    byte.flights.push_back({copy, by, isWrite});
    if (!fences)
      continue;
    // Of one buffer it is the program's own business.
    for (const Access &access : byte.unfenced) {
      ArrayRef<uint32_t> of = (*fences)[access.by.thread];
      bool isFenced =
          of.size() > access.by.fences && of[access.by.fences] < epoch;
      if (access.by.owner != by.owner && (access.isWrite || isWrite) &&
          !isFenced)
        report(index, access.by, "accessed without a proxy fence", by,
               "accessed by another unit");
    }
  }
}

void ShadowMemory::finishCopy(const Accessor &by, const Clock &clock,
                              int64_t begin, int64_t end, uint32_t epoch,
                              unsigned copy, bool isWrite, bool isByThread) {
  for (int64_t index = begin; index < end; ++index) {
    Byte &byte = get(index, epoch);
    if (copy != 0)
      llvm::erase_if(byte.flights,
                     [&](const Flight &flight) { return flight.copy == copy; });
    check(byte, index, by, clock, isWrite);
    add(byte.accesses, {by, isWrite});
    if (isByThread && tracksFences)
      add(byte.unfenced, {by, isWrite});
  }
}
