//===- TargetTable.h - Tables of buffers and targets ------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_TOOLS_SCHEDULE_TARGETTABLE_H
#define BUFFER_MERGE_TOOLS_SCHEDULE_TARGETTABLE_H

#include "buffer-merge/Scheduling/CSV.h"
#include "buffer-merge/Scheduling/RegionProblem.h"
#include "buffer-merge/Scheduling/ReuseAsNeeded.h"
#include "buffer-merge/Scheduling/Target.h"

namespace buffer_merge {
/// A table of buffers that are placed in the regions of a target. Offsets are
/// from the start of a region.
class TargetTable {
public:
  /// Take the regions of the memory space `space` from the target that `target`
  /// stands for (`loadTarget`). A buffer whose row names a region must be
  /// there; a row without `reads` and `writes` moves its bytes once each way.
  static llvm::Expected<TargetTable> create(const BufferTable &table,
                                            llvm::StringRef target,
                                            llvm::StringRef space);

  /// Find a region and an offset for each buffer. The error is a
  /// `CapacityError` if that is not possible.
  llvm::Error assign(const Scheduler &scheduler,
                     const SchedulerOptions &options);

  /// Give the buffers of each region, which have been found, other offsets in
  /// it, such that they share bytes only as far as its bytes are too few
  /// otherwise. The penalties are those of the table, if it has some.
  llvm::Error shareAsNeeded(const Scheduler &scheduler,
                            const SchedulerOptions &options);

  /// Set `violation` to what is wrong with the regions and offsets of the rows,
  /// if anything is. An error is returned if a row lacks one of them.
  llvm::Error verify(std::optional<std::string> &violation);

  /// What `shareAsNeeded` has made of a pool.
  struct Reuse {
    ReuseCost cost, costOfSmallest;
    /// No schedule within the capacity has a smaller penalty. Proved.
    bool isOptimal = false;
    /// Between rows of the pool.
    llvm::SmallVector<ReusePenalty, 0> penalties;
  };

  /// The buffers of a free range of a region.
  struct Pool {
    const TargetRegion &region;
    /// Ascending rows of the table.
    llvm::SmallVector<BufferId, 0> buffers;
    /// Their problem, with the bytes of the range as its capacity.
    SchedulingProblem problem;
    Schedule schedule;
    /// The address of the first byte of the range, if it is fixed.
    std::optional<int64_t> address = std::nullopt;
    /// What accesses of the buffers move.
    int64_t movedBytes = 0;
    /// Null without `shareAsNeeded`.
    const Reuse *reuse = nullptr;
  };

  /// Call `function` for each range that has a buffer, in the order of the
  /// target.
  void forEachPool(llvm::function_ref<void(const Pool &)> function) const;

  /// Print the table with the regions and offsets that were found.
  void printTable(llvm::raw_ostream &os) const;

  /// Print each region with its bytes and what the accesses of its buffers
  /// move, and each buffer with its region, offset and address.
  void printJSON(llvm::raw_ostream &os, llvm::StringRef scheduler) const;

private:
  /// A free range of a region.
  struct Range {
    const TargetRegion *region;
    RegionBytes bytes;
  };

  llvm::Error makeProblem();
  ReuseProblem makeReuseProblem(unsigned region) const;
  /// Return the table with the regions that were found.
  BufferTable getPlacedTable() const;
  int64_t getMovedBytes(BufferId id) const {
    return table.reads[id] + table.writes[id];
  }

  BufferTable table;
  std::shared_ptr<const Target> target;
  llvm::SmallVector<Range, 0> ranges;
  RegionProblem problem;
  RegionAssignment assignment;
  /// By range; empty without `shareAsNeeded`.
  llvm::SmallVector<Reuse, 0> reuses;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_TOOLS_SCHEDULE_TARGETTABLE_H
