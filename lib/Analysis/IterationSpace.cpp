//===- IterationSpace.cpp - The iterations of a parallel loop -------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/IterationSpace.h"
#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the range of `variable`, or nothing if a number is not known, or is
/// another one in as many bits as an index has.
static std::optional<IterationRange> makeRange(Value variable,
                                               std::optional<int64_t> lower,
                                               std::optional<int64_t> upper,
                                               std::optional<int64_t> step) {
  if (!lower || !upper || !step || *step < 1)
    return std::nullopt;
  Operation *loop = variable.getParentBlock()->getParentOp();
  uint64_t bits =
      DataLayout::closest(loop).getTypeSizeInBits(variable.getType());
  for (int64_t number : {*lower, *upper, *step})
    if (bits < 64 && !llvm::isIntN(bits, number))
      return std::nullopt;
  // The difference may need all 64 bits.
  uint64_t distance = 0;
  if (*lower < *upper)
    distance = static_cast<uint64_t>(*upper) - static_cast<uint64_t>(*lower);
  uint64_t count = llvm::divideCeil(distance, static_cast<uint64_t>(*step));
  return IterationRange{
      variable, *lower, *step,
      static_cast<int64_t>(std::min<uint64_t>(count, maxBytes))};
}

/// Return the only number that `map` yields, if it is a constant.
static std::optional<int64_t> getConstant(AffineMap map) {
  if (!map.isSingleConstant())
    return std::nullopt;
  return map.getSingleConstantResult();
}

std::optional<SmallVector<IterationRange>>
buffer_merge::getIterationRanges(Operation *loop) {
  SmallVector<std::optional<IterationRange>> found;
  if (auto parallel = dyn_cast<affine::AffineParallelOp>(loop)) {
    for (auto [i, variable, step] :
         llvm::enumerate(parallel.getIVs(), parallel.getSteps()))
      found.push_back(
          makeRange(variable, getConstant(parallel.getLowerBoundMap(i)),
                    getConstant(parallel.getUpperBoundMap(i)), step));
  } else if (isa<scf::ParallelOp, scf::ForallOp>(loop)) {
    auto interface = cast<LoopLikeOpInterface>(loop);
    for (auto [variable, lower, upper, step] : llvm::zip_equal(
             *interface.getLoopInductionVars(), *interface.getLoopLowerBounds(),
             *interface.getLoopUpperBounds(), *interface.getLoopSteps()))
      found.push_back(makeRange(variable, getConstantIntValue(lower),
                                getConstantIntValue(upper),
                                getConstantIntValue(step)));
  } else {
    return std::nullopt;
  }
  SmallVector<IterationRange> ranges;
  for (const std::optional<IterationRange> &range : found) {
    if (!range)
      return std::nullopt;
    ranges.push_back(*range);
  }
  return ranges;
}

int64_t buffer_merge::countIterations(ArrayRef<IterationRange> ranges) {
  int64_t product = 1;
  for (const IterationRange &range : ranges)
    product = std::min<int64_t>(
        llvm::SaturatingMultiply<uint64_t>(product, range.count), maxBytes);
  return product;
}
