//===- GivenBytes.h - Which bytes of a region are free ----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_GIVENBYTES_H
#define BUFFER_MERGE_LIB_PLANNING_GIVENBYTES_H

#include "Analysis/FunctionGraph.h"
#include "buffer-merge/Planning/MergePlan.h"

#include "llvm/ADT/BitVector.h"

namespace buffer_merge {
/// Gives out the bytes of the regions of a target, once for the whole program:
/// two functions share some only if no execution of the one is ever under way
/// together with one of the other.
class GivenBytes {
public:
  /// Bytes of a region.
  struct Part {
    llvm::StringRef region;
    /// Nothing if all functions may use them.
    std::optional<unsigned> function;
    RegionBytes range;
  };

  /// What pools of earlier runs in `root` have is given already.
  GivenBytes(mlir::Operation *root, const MergePlanOptions &options);

  const FunctionGraph &getGraph() const { return graph; }

  /// Forget everything but the pools of earlier runs.
  void reset() { parts = existing; }

  /// Give `range` of `region`, which must outlive the object, to `function`.
  void give(const TargetRegion &region, unsigned function, RegionBytes range) {
    parts.push_back({region.name, function, range});
  }

  /// Let what was given to `function` from the begin of `range` on be `range`.
  void resize(const TargetRegion &region, unsigned function, RegionBytes range);

  /// Return the bytes of `range` that are free for a pool of `function` with
  /// the given alignment: those behind the others that it may not share with.
  std::optional<RegionBytes> findFree(const TargetRegion &region,
                                      RegionBytes range, unsigned function,
                                      int64_t alignment) const;

  /// Return how many bytes there are from the begin of `range` to what
  /// `function` may not share, or to its end.
  int64_t findRoom(const TargetRegion &region, RegionBytes range,
                   unsigned function) const;

  /// Return the first part that `function` may not share and that ends behind
  /// byte `begin`, or null.
  const Part *findBehind(const TargetRegion &region, int64_t begin,
                         unsigned function) const;

private:
  void findReachable();
  void findExisting();
  /// Return true if executions of both functions may be under way at one time.
  bool mayOverlap(unsigned first, unsigned second) const;
  /// Return true if `part` is in `region`, and `function` may not share it.
  bool isTaken(const Part &part, const TargetRegion &region,
               unsigned function) const;

  mlir::Operation *root;
  EntryPolicy entryPolicy;
  FunctionGraph graph;
  /// By function: those that it calls, directly or not, and itself; and the
  /// functions called from outside of the module that call it.
  llvm::SmallVector<llvm::BitVector, 0> reachable, entries;
  llvm::SmallVector<Part, 0> parts;
  /// What earlier runs have given out.
  llvm::SmallVector<Part, 0> existing;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_GIVENBYTES_H
