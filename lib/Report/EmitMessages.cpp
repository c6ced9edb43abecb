//===- EmitMessages.cpp - The diagnostics of planning ---------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Report/EmitMessages.h"

#include "mlir/IR/MLIRContext.h"

using namespace mlir;
using namespace buffer_merge;

void buffer_merge::emitMessages(PlanMessages messages) {
  for (Diagnostic &message : messages.take()) {
    MLIRContext *context = message.getLocation()->getContext();
    context->getDiagEngine().emit(std::move(message));
  }
}
