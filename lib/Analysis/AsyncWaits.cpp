//===- Waits for asynchronous operations ---------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncWaits.h"

#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the token by which one waits for `op`, or null.
static Value getToken(Operation *op) {
  if (auto execute = dyn_cast<async::ExecuteOp>(op))
    return execute.getToken();
  if (auto gpuOp = dyn_cast<gpu::AsyncOpInterface>(op))
    return gpuOp.getAsyncToken();
  return nullptr;
}

/// Return true if `op`, a user of a token, is done only when what the token
/// stands for is.
static bool blocksUntilDone(Operation *op) {
  if (isa<async::AwaitOp>(op))
    return true;
  // With a token of its own it passes the dependency on and does not block.
  auto wait = dyn_cast<gpu::WaitOp>(op);
  return wait && !wait.getAsyncToken();
}

Operation *buffer_merge::findWait(Operation *op) {
  // `op` and what is done only after it, by their tokens.
  llvm::SmallSetVector<Operation *, 4> started;
  started.insert(op);
  Operation *firstWait = nullptr;
  for (size_t i = 0; i < started.size(); ++i) {
    Value token = getToken(started[i]);
    if (!token)
      continue;
    for (Operation *user : token.getUsers()) {
      if (user->getBlock() != op->getBlock())
        continue;
      if (blocksUntilDone(user)) {
        if (!firstWait || user->isBeforeInBlock(firstWait))
          firstWait = user;
      } else if (isa<gpu::AsyncOpInterface>(user)) {
        // Not async.execute: its token says that its body is done, and the body
        // waits for the dependencies, but it may be waited for from elsewhere.
        started.insert(user);
      }
    }
  }
  return firstWait;
}
