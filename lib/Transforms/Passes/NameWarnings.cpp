//===- NameWarnings.cpp - Names that nothing looks at ---------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NameWarnings.h"
#include "Analysis/BufferUses.h"
#include "Analysis/CalleeSummaries.h"
#include "Analysis/GPU/Uniformity.h"
#include "Analysis/LentArguments.h"
#include "Planning/Pins.h"
#include "buffer-merge/Scheduling/Input.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
/// What an attribute can be of, as a set.
enum Place : unsigned {
  InOperation = 1,
  InArgument = 2,
  InResult = 4,
  InFunction = 8,
  InModule = 16,
  InAlloc = 32,
  /// An allocation of any kind, a view, or a global.
  InMemory = 64
};

struct KnownName {
  StringLiteral name;
  unsigned places;
  /// The same in words.
  StringLiteral holders;
};
} // namespace

/// The attributes that are read or written anywhere.
static constexpr KnownName knownNames[] = {
    {apartAttrName, InAlloc, "allocations"},
    {arenaAttrName, InArgument | InFunction, "functions and their arguments"},
    {bufferAddressAttrName, InMemory, "allocations"},
    {bufferNameAttrName, InMemory, "allocations"},
    {donatedAttrName, InArgument, "arguments"},
    {globalsAttrName, InModule, "modules"},
    {noCaptureAttrName, InOperation, "operations and calls"},
    {outputAttrName, InArgument, "arguments"},
    {pinnedOffsetAttrName, InAlloc, "allocations"},
    {poolRegionAttrName, InMemory, "allocations"},
    {togetherAttrName, InAlloc, "allocations"},
    {uniformAttrName, InOperation | InArgument, "operations and arguments"},
    {untilAttrName, InOperation, "operations and calls"},
    {waitAttrName, InOperation, "operations and calls"}};

/// Return what `op` is, as far as attributes of it go.
static unsigned getPlaces(Operation *op) {
  if (isa<FunctionOpInterface>(op))
    return InFunction;
  if (isa<ModuleOp>(op))
    return InModule;
  bool isMemory =
      isa<memref::GlobalOp>(op) ||
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<BaseMemRefType>);
  return InOperation | (isa<memref::AllocOp>(op) ? InAlloc : 0) |
         (isMemory ? InMemory : 0);
}

/// Warn about those of `attributes` that nothing looks at in `places` of `op`.
static void warnAboutNames(Operation *op, ArrayRef<NamedAttribute> attributes,
                           unsigned places) {
  for (NamedAttribute attribute : attributes) {
    StringRef name = attribute.getName();
    if (!name.starts_with("buffer_merge."))
      continue;
    const KnownName *known = llvm::find_if(
        knownNames, [&](const KnownName &known) { return known.name == name; });
    if (known == std::end(knownNames))
      emitWarning(op->getLoc())
          << "nothing looks at the attribute '" << name
          << "'; the nearest name is '"
          << findNearestName(name,
                             llvm::map_range(knownNames,
                                             [](const KnownName &known) {
                                               return StringRef(known.name);
                                             }))
          << "'";
    else if ((known->places & places) == 0)
      emitWarning(op->getLoc())
          << "nothing looks at the attribute '" << name << "' of "
          << (places == InArgument   ? "an argument"
              : places == InResult   ? "a result"
              : places == InFunction ? "a function"
                                     : "this operation")
          << "; it is for " << known->holders;
  }
}

void buffer_merge::warnAboutAttributes(Operation *root) {
  root->walk<WalkOrder::PreOrder>([](Operation *op) {
    warnAboutNames(op, llvm::to_vector(op->getDiscardableAttrs()),
                   getPlaces(op));
    auto function = dyn_cast<FunctionOpInterface>(op);
    for (unsigned i = 0; function && i < function.getNumArguments(); ++i)
      warnAboutNames(op, function.getArgAttrs(i), InArgument);
    for (unsigned i = 0; function && i < function.getNumResults(); ++i)
      warnAboutNames(op, function.getResultAttrs(i), InResult);
  });
}

void buffer_merge::warnAboutTensors(Operation *root) {
  if (root->getParentOp())
    return;
  Operation *first = nullptr;
  auto isMemref = [](Type type) { return isa<BaseMemRefType>(type); };
  WalkResult result = root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!first && op->getNumOperands() != 0 &&
        llvm::any_of(op->getResultTypes(),
                     [](Type type) { return isa<TensorType>(type); }))
      first = op;
    bool hasMemref = llvm::any_of(op->getResultTypes(), isMemref);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        hasMemref |= llvm::any_of(block.getArgumentTypes(), isMemref);
    return hasMemref ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (first && !result.wasInterrupted())
    emitWarning(first->getLoc())
        << "there are tensors and no memrefs, and so nothing "
           "to merge: bufferize first, for example with "
           "--one-shot-bufferize";
}
