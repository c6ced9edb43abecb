//===- UseOrder.cpp - The order of the uses of a value --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UseOrder.h"
#include "Mutation.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace buffer_merge;

UseOrder::UseOrder(Value value) : value(value) {
  for (OpOperand &use : value.getUses())
    places[&use] = places.size() + 1;
}

void UseOrder::restore() {
  // What is the first use now, and so on, by where it belongs.
  SmallVector<std::pair<size_t, unsigned>> uses;
  for (auto [index, use] : llvm::enumerate(value.getUses()))
    uses.emplace_back(places.lookup(&use), index);
  if (uses.empty() || llvm::is_sorted(uses) || isMutated("use-order"))
    return;
  llvm::sort(uses);
  SmallVector<unsigned> indices(uses.size());
  for (auto [place, use] : llvm::enumerate(uses))
    indices[use.second] = place;
  value.shuffleUseList(indices);
}
