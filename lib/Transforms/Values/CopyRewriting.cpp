//===- CopyRewriting.cpp - What passes about copies have in common --------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopyRewriting.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace buffer_merge;

bool buffer_merge::isOnlyRead(OpOperand &use) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(use.getOwner());
  if (!interface)
    return false;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  bool isRead = false;
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (effect.getValue() && effect.getValue() != use.get())
      continue;
    if (!effect.getValue() || !isa<MemoryEffects::Read>(effect.getEffect()))
      return false;
    isRead = true;
  }
  return isRead;
}

void buffer_merge::eraseUnused(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isOpTriviallyDead(op))
      return;
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    value = view ? view.getViewSource() : Value();
    op->erase();
    if (!value)
      return;
  }
}
