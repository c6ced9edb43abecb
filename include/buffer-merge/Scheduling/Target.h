//===- Target.h - What a target is like -------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_TARGET_H
#define BUFFER_MERGE_SCHEDULING_TARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>

namespace buffer_merge {
/// Bytes begin, ..., end - 1 of a region.
struct RegionBytes {
  int64_t begin = 0, end = 0;

  bool operator==(const RegionBytes &other) const {
    return begin == other.begin && end == other.end;
  }
};

/// The banks of a memory, which can be accessed at the same time. Bank 0 has
/// the first `bytes` bytes from the start of the memory, bank 1 those behind,
/// and so on. If the banks are interleaved, bank 0 follows the last one again,
/// up to the end of the memory; otherwise each is one range of bytes.
struct BankGeometry {
  /// From 2 to 65536.
  int64_t count = 2;
  /// From 1 to `maxBytes`; `count` times as many are no more than the memory
  /// has.
  int64_t bytes = 1;
  bool areInterleaved = false;

  bool operator==(const BankGeometry &other) const {
    return count == other.count && bytes == other.bytes &&
           areInterleaved == other.areInterleaved;
  }
};

/// What a pool in a region is made of.
enum class RegionStorage {
  /// An allocation in the alloc scope.
  Alloc,
  /// An allocation on the stack of the alloc scope.
  Stack,
  /// A private global.
  Global,
};

/// A memory of fixed size.
struct TargetRegion {
  /// A letter, then letters, digits, `_`, `-` and `.`; no two regions have the
  /// same.
  std::string name;
  /// The memory space that it belongs to, as options name it. Several regions
  /// may belong to one.
  std::string space = "default";
  /// Its size, from 1 to `maxBytes`, the reserved bytes included.
  int64_t bytes = 0;
  /// The address of its first byte, from 0 to `maxBytes`, if that is fixed.
  std::optional<int64_t> address = std::nullopt;
  /// The least alignment of pools and buffers, a power of two up to `maxBytes`;
  /// nothing if the region does not ask for one.
  std::optional<int64_t> alignment = std::nullopt;
  /// Each buffer takes a multiple of this many bytes; from 1 to `maxBytes`.
  int64_t granule = 1;
  /// The bytes that are not free: sorted, disjoint, none empty, all within the
  /// region.
  llvm::SmallVector<RegionBytes, 0> reserved = {};
  /// The only bytes that may be given out, not empty and within the region;
  /// nothing for all of them. Reserved bytes inside are not free either.
  std::optional<RegionBytes> window = std::nullopt;
  /// What it costs to read or to write one byte, in any unit: 0 to 1000000. By
  /// default the number of the region among those of its space, from 1 on: the
  /// first one is the fastest.
  int64_t readCost = 1, writeCost = 1;
  /// Its banks; nothing if it has none, or one.
  std::optional<BankGeometry> banks = std::nullopt;
  /// What its pools are made of; nothing to leave that to the options.
  std::optional<RegionStorage> storage = std::nullopt;
  /// What the names of the sections of its globals begin with; empty to leave
  /// them to the compiler.
  std::string section = {};

  /// Return true if nothing but the planner gives out its bytes, once for the
  /// whole program: it has an address, or consists of globals.
  bool isStatic() const { return address || storage == RegionStorage::Global; }

  /// Return the maximal ranges of bytes of the window that are not reserved, in
  /// their order.
  llvm::SmallVector<RegionBytes, 1> getFreeRanges() const;
};

/// In which memory spaces of the target a buffer may be placed.
enum class TargetSpaces {
  /// Its own: no type changes.
  Own,
  /// All that have regions, if every use takes a memref of any memory space
  /// (docs/Targets.md).
  Any,
};

/// Who defines a global, and who can refer to it.
enum class GlobalLinkage {
  /// The module, for itself.
  Private,
  /// The module, for all.
  Public,
  /// Another part of the program: the module only declares it.
  External,
};

/// Return the documented name of `linkage`, such as `private`.
llvm::StringRef getGlobalLinkageName(GlobalLinkage linkage);

/// What the compiler and the linker are to do with a global.
struct StaticStorage {
  /// The symbol of the global that entries share; those of functions are
  /// `FUNCTION_name`. Empty for `entries_pool` and `FUNCTION_pool`.
  std::string name;
  GlobalLinkage linkage = GlobalLinkage::Private;
  /// The least alignment in bytes, a power of two.
  int64_t alignment = 1;
  /// The section of the object file; empty for the one that the compiler
  /// chooses. What follows needs one.
  std::string section;
  /// The address at which the section begins.
  std::optional<uint64_t> address;
  /// The memory of the linker script (`MEMORY`) that the section is in; empty
  /// for the one that the linker chooses.
  std::string memory;
};

/// Whether the functions that are called from outside of the module, the
/// entries, may run at the same time.
enum class EntryPolicy {
  /// They may.
  Separate,
  /// They do not, unless one calls the other inside of the module.
  Exclusive,
};

/// Workgroup memory, and what is known of the threads that share it
/// (docs/GPU.md). The options of the analysis and of planning explain each
/// member.
struct TargetWorkgroup {
  int64_t alignment = 16;
  int64_t barrierGain = 0;
  /// Names of memory spaces, as options name them, and of operations.
  llvm::SmallVector<std::string, 0> spaces, barrierOps;
  bool kernelFunctions = false, assumeForallSync = true,
       assumeInitialized = false;
};

/// A machine, and what is known of the programs that it runs.
struct Target {
  /// May be empty.
  std::string name;
  /// Within one memory space, in the order of preference where costs are equal.
  /// Empty if nothing is known of the memories.
  llvm::SmallVector<TargetRegion, 0> regions;
  /// `Any` only if there are regions.
  TargetSpaces places = TargetSpaces::Own;
  /// The most executions of a parallel body at the same time; 0 for as many as
  /// there are iterations or, if that is not known, one.
  unsigned threads = 0;
  /// The most bytes of a pool on the stack.
  int64_t stackLimit = 16384;
  /// Whether functions check the arenas that they are given from outside of the
  /// module.
  bool arenaChecks = true;
  /// The most bytes by which a buffer of dynamic shape may be smaller than its
  /// slice of the pool.
  int64_t dynamicWaste = 65536;
  StaticStorage globals;
  EntryPolicy entries = EntryPolicy::Separate;
  TargetWorkgroup workgroup;
};

/// Read a target from `text`, JSON as docs/target.schema.json describes it.
/// `fileName` is for messages.
///
/// ```
///   {"regions": [{"name": "sram", "bytes": "256KiB", "address": "0x20000000"},
///                {"name": "dram", "bytes": "8MiB", "address": "0x80000000"}]}
/// ```
///
/// The error names one thing in the text that is wrong, with its line and
/// column.
llvm::Expected<Target> parseTarget(llvm::StringRef text,
                                   llvm::StringRef fileName);

/// Return the target that `argument`, the value of an option, stands for: JSON
/// if it begins with a brace, a preset of this name, or else the file with this
/// path.
llvm::Expected<Target> loadTarget(llvm::StringRef argument);

/// A target that is built in.
struct TargetPreset {
  llvm::StringLiteral name;
  /// What it is, and where its numbers are from; without a final period.
  llvm::StringLiteral description;
  /// Its JSON.
  llvm::StringLiteral text;
};

/// Return the presets, sorted by name.
llvm::ArrayRef<TargetPreset> getTargetPresets();
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_TARGET_H
