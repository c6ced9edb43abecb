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

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

/// The attributes that are read or written anywhere.
static constexpr StringLiteral knownNames[] = {
    apartAttrName,      arenaAttrName,    bufferAddressAttrName,
    bufferNameAttrName, donatedAttrName,  globalsAttrName,
    noCaptureAttrName,  outputAttrName,   pinnedOffsetAttrName,
    poolRegionAttrName, togetherAttrName, uniformAttrName,
    untilAttrName,      waitAttrName};

static void warnAboutNames(Operation *op, ArrayRef<NamedAttribute> attributes) {
  for (NamedAttribute attribute : attributes)
    if (StringRef name = attribute.getName();
        name.starts_with("buffer_merge.") &&
        !llvm::is_contained(knownNames, name))
      emitWarning(op->getLoc()) << "nothing looks at the attribute '" << name
                                << "'; the nearest name is '"
                                << findNearestName(name, knownNames) << "'";
}

void buffer_merge::warnAboutAttributes(Operation *root) {
  root->walk<WalkOrder::PreOrder>([](Operation *op) {
    warnAboutNames(op, llvm::to_vector(op->getDiscardableAttrs()));
    auto function = dyn_cast<FunctionOpInterface>(op);
    for (unsigned i = 0; function && i < function.getNumArguments(); ++i)
      warnAboutNames(op, function.getArgAttrs(i));
    for (unsigned i = 0; function && i < function.getNumResults(); ++i)
      warnAboutNames(op, function.getResultAttrs(i));
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
