//===- Numbers that values may be -----------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KnownRange.h"
#include "Mutation.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

#include <limits>

using namespace mlir;
using namespace buffer_merge;

/// Return true if MLIR would compose more than a few dozen affine maps to find
/// the constraints of `value`: each operand's map as often as it is used, which
/// may be exponentially often.
static bool composesManyMaps(Value value) {
  constexpr unsigned maxMaps = 32;
  unsigned numMaps = 0;
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    auto apply = worklist.pop_back_val().getDefiningOp<affine::AffineApplyOp>();
    if (!apply)
      continue;
    if (++numMaps > maxMaps)
      return true;
    llvm::append_range(worklist, apply.getMapOperands());
  }
  return false;
}

namespace {
/// Constraints on a few values.
class Constraints : public ValueBoundsConstraintSet {
public:
  explicit Constraints(MLIRContext *context)
      : ValueBoundsConstraintSet(
            context, [](Value value, std::optional<int64_t>,
                        ValueBoundsConstraintSet &constraints) {
              return static_cast<Constraints &>(constraints).isEnd(value);
            }) {}

  KnownRange computeRange(AffineMap map, ValueRange operands);

private:
  /// Return true if the operation that defines `value` is not looked at.
  bool isEnd(Value value);
  /// Project the system onto the variable at `pos`, and forget of the others
  /// what would take too many constraints.
  void projectOnto(unsigned pos);

  unsigned numValues = 0;
};
} // namespace

bool Constraints::isEnd(Value value) {
  constexpr unsigned maxValues = 16;
  return ++numValues > maxValues || composesManyMaps(value);
}

/// Return how many inequalities take the place of those with the variable at
/// `pos` when it is eliminated.
static uint64_t countNew(const FlatLinearConstraints &system, unsigned pos) {
  for (unsigned i = 0, e = system.getNumEqualities(); i < e; ++i)
    if (system.atEq(i, pos) != 0)
      return 0;
  uint64_t numLower = 0, numUpper = 0;
  for (unsigned i = 0, e = system.getNumInequalities(); i < e; ++i) {
    numLower += system.atIneq(i, pos) > 0;
    numUpper += system.atIneq(i, pos) < 0;
  }
  return numLower * numUpper;
}

/// Remove the variable at `pos` and all inequalities about it, which leaves the
/// other variables less constrained than they are.
static void drop(FlatLinearConstraints &system, unsigned pos) {
  for (unsigned i = system.getNumInequalities(); i-- > 0;)
    if (system.atIneq(i, pos) != 0)
      system.removeInequality(i);
  system.removeVar(pos);
}

void Constraints::projectOnto(unsigned pos) {
  constexpr uint64_t maxNew = 256;
  while (cstr.getNumVars() > 1) {
    unsigned best = 0;
    uint64_t numNew = std::numeric_limits<uint64_t>::max();
    for (unsigned i = 0, e = cstr.getNumVars(); i < e; ++i) {
      uint64_t count = i == pos ? numNew : countNew(cstr, i);
      if (count < numNew) {
        best = i;
        numNew = count;
      }
    }
    if (numNew > maxNew)
      drop(cstr, best);
    else
      cstr.projectOut(best);
    pos -= best < pos;
  }
}

KnownRange Constraints::computeRange(AffineMap map, ValueRange operands) {
  int64_t pos = insert(Variable(map, operands), /*isSymbol=*/false);
  processWorklist();
  projectOnto(pos);
  auto getBound = [&](presburger::BoundType type) -> std::optional<int64_t> {
    std::optional<llvm::DynamicAPInt> bound = cstr.getConstantBound(type, 0);
    // The solver's numbers have as many bits as they need.
    if (!bound || (!isMutated("dynamic-bound") &&
                   (*bound > std::numeric_limits<int64_t>::max() ||
                    *bound < std::numeric_limits<int64_t>::min())))
      return std::nullopt;
    return static_cast<int64_t>(*bound);
  };
  return {getBound(presburger::BoundType::LB),
          getBound(presburger::BoundType::UB)};
}

KnownRange buffer_merge::computeRange(AffineMap map, ValueRange operands) {
  return Constraints(map.getContext()).computeRange(map, operands);
}
