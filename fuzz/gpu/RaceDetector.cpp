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
    report(index, flight.by, "in flight, started", by, verb);
  for (const Access &access : byte.accesses)
    if (access.by.thread != by.thread && (access.isWrite || isWrite) &&
        access.by.time >= clock[access.by.thread])
      report(index, access.by, access.isWrite ? "written" : "read", by, verb);
}

void ShadowMemory::access(const Accessor &by, const Clock &clock, int64_t begin,
                          int64_t end, bool isWrite, uint32_t epoch) {
  for (int64_t index = begin; index < end; ++index) {
    Byte &byte = get(index, epoch);
    check(byte, index, by, clock, isWrite);
    auto known = llvm::find_if(byte.accesses, [&](const Access &access) {
      return access.by.thread == by.thread && access.isWrite == isWrite &&
             access.by.owner == by.owner;
    });
    if (known == byte.accesses.end())
      byte.accesses.push_back({by, isWrite});
    else if (known->by.time != by.time)
      known->by = by;
  }
}

void ShadowMemory::startCopy(const Accessor &by, const Clock &clock,
                             int64_t begin, int64_t end, uint32_t epoch,
                             unsigned copy) {
  for (int64_t index = begin; index < end; ++index) {
    Byte &byte = get(index, epoch);
    check(byte, index, by, clock, /*isWrite=*/true);
    byte.flights.push_back({copy, by});
  }
}

void ShadowMemory::finishCopy(const Accessor &by, const Clock &clock,
                              int64_t begin, int64_t end, uint32_t epoch,
                              unsigned copy) {
  for (int64_t index = begin; index < end; ++index)
    llvm::erase_if(get(index, epoch).flights,
                   [&](const Flight &flight) { return flight.copy == copy; });
  access(by, clock, begin, end, /*isWrite=*/true, epoch);
}
