//===- RegionPins.cpp - Buffers that ask for bytes of a region ------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionPlan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

/// Restrict `buffer`, that of `lifetime`, to `place`.
LogicalResult RegionPlanner::pinTo(const BufferLifetime &lifetime,
                                   const PinnedPlace &place, unsigned function,
                                   ArrayRef<Choice> choices, Buffer &buffer,
                                   RegionCosts &costs) const {
  const TargetRegion &region = *place.region;
  int64_t size = llvm::alignTo(buffer.size, region.granule);
  for (auto [choice, cost] : llvm::zip_equal(choices, costs)) {
    const RegionBytes &range = choice.range;
    bool isThere = choice.region->name == region.name;
    if (isThere && place.offset) {
      isThere =
          range.begin <= *place.offset && *place.offset <= range.end - size;
      if (isThere)
        buffer.fixedOffset = *place.offset - range.begin;
    }
    if (!isThere)
      cost = std::nullopt;
  }
  if (!place.offset || buffer.fixedOffset)
    return success();
  RegionBytes wanted = {*place.offset, *place.offset + size};
  auto contains = [&](const RegionBytes &range) {
    return range.begin <= wanted.begin && wanted.end <= range.end;
  };
  Diagnostic &error = messages.addError(lifetime.alloc.getLoc());
  error << "bytes " << wanted.begin << " to " << wanted.end << " of region "
        << region.name << ", which are asked for, are ";
  if (!contains({0, region.bytes}))
    return error << "not in it: it has " << region.bytes << " bytes";
  if (region.window && !contains(*region.window))
    return error << "outside of its window";
  if (llvm::none_of(region.getFreeRanges(), contains))
    return error << "reserved";
  if (const GivenBytes::Part *other =
          given.findBehind(region, wanted.begin, function)) {
    error << "not behind the " << other->range.end << " bytes of ";
    if (!other->function)
      return error << "other pools";
    func::FuncOp owner = given.getGraph().getFunctions()[*other->function].op;
    error << "the pools of '" << owner.getSymName() << "'";
    error.attachNote(owner.getLoc()) << "this is the function";
    return error;
  }
  return error << "in front of the first one that is aligned for its pool";
}

/// Restrict the buffers of `pool` to where they are pinned.
LogicalResult RegionPlanner::pin(const PoolPlan &pool, unsigned function,
                                 ArrayRef<Choice> choices,
                                 RegionProblem &problem) const {
  for (auto [id, buffer] : llvm::enumerate(pool.buffers)) {
    PinnedPlace place = getPinnedPlace(*buffer, options);
    if (place.region &&
        failed(pinTo(*buffer, place, function, choices,
                     problem.buffers.buffers[id], problem.costs[id])))
      return failure();
  }
  for (unsigned region = 0; region < choices.size(); ++region) {
    SmallVector<BufferId, 0> ids;
    SmallVector<const BufferLifetime *> buffers;
    for (auto [id, buffer] : llvm::enumerate(problem.buffers.buffers))
      if (buffer.fixedOffset && problem.costs[id][region]) {
        ids.push_back(id);
        buffers.push_back(pool.buffers[id]);
      }
    if (failed(checkPinnedOffsets(
            buffers, makeProblemOfRegion(problem, region, ids), messages)))
      return failure();
  }
  return success();
}
