//===- GivenBytes.cpp - Which bytes of a region are free ------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GivenBytes.h"
#include "Mutation.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

GivenBytes::GivenBytes(Operation *root, const MergePlanOptions &options)
    : root(root), entryPolicy(options.entries) {
  if (options.regions.empty())
    return;
  graph = FunctionGraph(root);
  findReachable();
  findExisting();
}

void GivenBytes::findReachable() {
  ArrayRef<FunctionGraph::Function> functions = graph.getFunctions();
  reachable.assign(functions.size(), llvm::BitVector(functions.size()));
  entries = reachable;
  for (unsigned index : graph.getCalleesFirst()) {
    reachable[index].set(index);
    // Of recursive functions this is not all, but they have no pools.
    for (unsigned call : functions[index].calls)
      reachable[index] |= reachable[graph.getCalls()[call].callee];
  }
  for (auto [index, function] : llvm::enumerate(functions)) {
    if (isCalledFromOutside(function.op) || function.callers.empty() ||
        function.otherUse)
      for (unsigned callee : reachable[index].set_bits())
        entries[callee].set(index);
  }
}

void GivenBytes::findExisting() {
  root->walk([&](Operation *op) {
    auto place = op->getAttrOfType<DictionaryAttr>(poolRegionAttrName);
    if (!place)
      return;
    auto name = place.getAs<StringAttr>("name");
    auto offset = place.getAs<IntegerAttr>("offset");
    MemRefType type;
    if (auto global = dyn_cast<memref::GlobalOp>(op))
      type = global.getType();
    else if (op->getNumResults() == 1)
      type = dyn_cast<MemRefType>(op->getResultTypes().front());
    if (!name || !offset || offset.getValue().getSignificantBits() > 62 ||
        !type || !type.hasStaticShape())
      return;
    std::optional<unsigned> function;
    if (auto parent = op->getParentOfType<func::FuncOp>())
      function = graph.lookup(parent);
    int64_t begin = offset.getInt();
    existing.push_back(
        {name.getValue(), function, {begin, begin + type.getNumElements()}});
  });
  parts = existing;
}

bool GivenBytes::mayOverlap(unsigned first, unsigned second) const {
  if (reachable[first].test(second) || reachable[second].test(first))
    return !isMutated("target-callees");
  if (entryPolicy == EntryPolicy::Exclusive)
    return false;
  // Called by one entry, they take turns.
  return (entries[first] != entries[second] || entries[first].count() != 1) &&
         !isMutated("target-entries");
}

bool GivenBytes::isTaken(const Part &part, const TargetRegion &region,
                         unsigned function) const {
  return part.region == region.name &&
         (!part.function || mayOverlap(*part.function, function));
}

std::optional<RegionBytes> GivenBytes::findFree(const TargetRegion &region,
                                                RegionBytes range,
                                                unsigned function,
                                                int64_t alignment) const {
  for (const Part &other : parts)
    if (isTaken(other, region, function) && other.range.begin < range.end)
      range.begin = std::max(range.begin, other.range.end);
  int64_t address = region.address.value_or(0);
  int64_t begin = llvm::alignTo(address + range.begin, alignment) - address;
  if (begin >= range.end)
    return std::nullopt;
  return RegionBytes{begin, range.end};
}

int64_t GivenBytes::findRoom(const TargetRegion &region, RegionBytes range,
                             unsigned function) const {
  for (const Part &other : parts)
    if (isTaken(other, region, function) && other.range.begin > range.begin)
      range.end = std::min(range.end, other.range.begin);
  return range.end - range.begin;
}

const GivenBytes::Part *GivenBytes::findBehind(const TargetRegion &region,
                                               int64_t begin,
                                               unsigned function) const {
  auto *part = llvm::find_if(parts, [&](const Part &other) {
    return isTaken(other, region, function) && other.range.end > begin;
  });
  return part == parts.end() ? nullptr : part;
}

void GivenBytes::resize(const TargetRegion &region, unsigned function,
                        RegionBytes range) {
  for (Part &own : parts)
    if (own.region == region.name && own.function == function &&
        own.range.begin == range.begin)
      own.range.end = range.end;
}
