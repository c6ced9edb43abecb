//===- RegionPlan.h - Pools in the memories of a target ---------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_REGIONPLAN_H
#define BUFFER_MERGE_LIB_PLANNING_REGIONPLAN_H

#include "GivenBytes.h"
#include "MemoryTraffic.h"
#include "Planning/Pins.h"
#include "Planning/Storage/FalseAttributes.h"
#include "buffer-merge/Planning/MergePlan.h"
#include "buffer-merge/Scheduling/RegionProblem.h"

namespace buffer_merge {
/// Return true if the buffers of `pool` are placed in regions of the target.
bool mayHaveRegions(const PoolPlan &pool, const MergePlanOptions &options);

/// Chooses regions for the buffers of a plan, and the bytes of each pool.
class RegionPlanner {
public:
  /// `root`, `options` and `messages` must outlive the object.
  RegionPlanner(mlir::Operation *root, const MergePlanOptions &options,
                PlanMessages &messages);

  /// Replace each pool of `plan` whose memory space has regions, none of which
  /// is prepared yet, by one for each region that gets buffers. Buffers that
  /// fit nowhere are added to the pool in the largest region of their memory
  /// space, which then exceeds its capacity. With `TargetSpaces::Any` buffers
  /// without obstacle (`findSpaceObstacle`) may be in regions of other memory
  /// spaces, unless their pool is pinned; none is if more buffers fit then.
  /// Where no region can be used, the reason is `NoRegion`. Add one error and
  /// fail if the options contradict each other, or if the bytes that a buffer
  /// is pinned to are not free. Pools with such buffers come first, the others
  /// get the bytes behind them.
  llvm::LogicalResult choose(MergePlan &plan);

  /// Decide the storage of the pools of `plan` in regions, which are scheduled,
  /// and where each begins: as `choose` did, unless offsets were fixed
  /// meanwhile.
  void place(MergePlan &plan);

  /// Give the buffers of the pools in regions other places, as far as the
  /// options and the regions ask for it, once all pools are placed: bytes of
  /// their own, as far as no other pool has them, and other banks.
  void changePlaces(MergePlan &plan);

private:
  /// A free range of a region.
  struct Choice {
    std::shared_ptr<const TargetRegion> region;
    RegionBytes range;
    /// The attribute of the types of buffers there.
    mlir::Attribute memorySpace;

    int64_t getSize() const { return range.end - range.begin; }
  };

  /// The buffers that are to be in one region, in ascending order, and those of
  /// them that fit nowhere.
  struct Contents {
    llvm::SmallVector<BufferId, 0> ids, outside;
  };

  llvm::SmallVector<Choice, 0> collectChoices(const PoolPlan &pool,
                                              unsigned function) const;
  void keepInSpaces(const PoolPlan &pool, llvm::ArrayRef<Choice> choices,
                    llvm::ArrayRef<mlir::Operation *> obstacles,
                    RegionProblem &problem) const;
  RegionProblem makeProblem(const PoolPlan &pool,
                            llvm::ArrayRef<Choice> choices,
                            llvm::ArrayRef<MemoryTraffic> traffics) const;
  llvm::LogicalResult pin(const PoolPlan &pool, unsigned function,
                          llvm::ArrayRef<Choice> choices,
                          RegionProblem &problem) const;
  static std::pair<llvm::SmallVector<Contents, 0>,
                   llvm::SmallVector<BufferId, 0>>
  distribute(const PoolPlan &pool, llvm::ArrayRef<Choice> choices,
             const RegionAssignment &assignment);
  llvm::LogicalResult pinTo(const BufferLifetime &lifetime,
                            const PinnedPlace &place, unsigned function,
                            llvm::ArrayRef<Choice> choices, Buffer &buffer,
                            RegionCosts &costs) const;
  void place(PoolPlan &pool);
  void measureOutside(const RegionProblem &problem, const Contents &contents,
                      unsigned region, PoolRegion &made) const;
  /// Find out whether buffers of both may be placed together.
  bool mayUnite(const PoolPlan &first, const PoolPlan &second) const;
  /// Return a pool of the buffers of both, which are in different memory
  /// spaces.
  static PoolPlan unite(const PoolPlan &first, const PoolPlan &second);
  /// Choose regions for all pools of `plan`, which leave their memory space or
  /// not.
  llvm::LogicalResult assign(MergePlan &plan, TargetSpaces chosen);
  llvm::LogicalResult split(PoolPlan &&pool, const MergePlan &plan,
                            llvm::SmallVectorImpl<PoolPlan> &pools);

  mlir::Operation *root;
  const MergePlanOptions &options;
  PlanMessages &messages;
  GivenBytes given;
  /// By function: an attribute that becomes false if it uses a region.
  llvm::SmallVector<std::optional<FalseAttribute>, 0> falseForRegions;
  /// What `choose` is trying.
  TargetSpaces spaces = TargetSpaces::Own;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_REGIONPLAN_H
