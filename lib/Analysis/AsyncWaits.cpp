//===- Waits for asynchronous operations ---------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncWaits.h"

#include "Analysis/BufferUses.h"
#include "Mutation.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the value by which one waits for `op`, or null.
static Value getToken(Operation *op) {
  if (auto execute = dyn_cast<async::ExecuteOp>(op))
    return execute.getToken();
  if (auto gpuOp = dyn_cast<gpu::AsyncOpInterface>(op))
    return gpuOp.getAsyncToken();
  if (auto copy = dyn_cast<nvgpu::DeviceAsyncCopyOp>(op))
    return copy.getAsyncToken();
  if (auto group = dyn_cast<nvgpu::DeviceAsyncCreateGroupOp>(op))
    return group.getAsyncToken();
  return nullptr;
}

/// Return true if `op`, a user of a token, is done only when what the token
/// stands for is.
static bool blocksUntilDone(Operation *op) {
  if (isa<async::AwaitOp, async::AwaitAllOp>(op))
    return true;
  // With a number it leaves that many groups in flight.
  if (auto wait = dyn_cast<nvgpu::DeviceAsyncWaitOp>(op))
    return !wait.getNumGroups();
  // With a token of its own it passes the dependency on and does not block.
  auto wait = dyn_cast<gpu::WaitOp>(op);
  return wait && (!wait.getAsyncToken() || isMutated("L8-blocking-wait"));
}

/// Return the value by which one waits for `op`, a user of a token, and so for
/// what the token stands for, or null.
static Value getDependentToken(Operation *op) {
  if (auto add = dyn_cast<async::AddToGroupOp>(op))
    return add.getGroup();
  // Not async.execute: what waits for its dependencies is its body, which has
  // no regions of waits that are looked at here.
  if (isa<gpu::AsyncOpInterface, nvgpu::DeviceAsyncCreateGroupOp>(op))
    return getToken(op);
  return nullptr;
}

/// Return the memref by which one waits for `op`, a transfer, or null.
static Value getTag(Operation *op) {
  if (auto start = dyn_cast<memref::DmaStartOp>(op))
    return start.getTagMemRef();
  if (auto start = dyn_cast<affine::AffineDmaStartOp>(op))
    return start.getTagMemRef();
  return nullptr;
}

/// Return true if `wait` waits for a transfer with the element of the tag that
/// `start` has, both of the same dialect.
static bool isWaitFor(Operation *wait, Operation *start) {
  if (auto dmaStart = dyn_cast<memref::DmaStartOp>(start)) {
    auto dmaWait = dyn_cast<memref::DmaWaitOp>(wait);
    return dmaWait && dmaWait.getTagMemRef() == dmaStart.getTagMemRef() &&
           llvm::equal(dmaWait.getTagIndices(), dmaStart.getTagIndices());
  }
  auto dmaStart = cast<affine::AffineDmaStartOp>(start);
  auto dmaWait = dyn_cast<affine::AffineDmaWaitOp>(wait);
  return dmaWait && dmaWait.getTagMemRef() == dmaStart.getTagMemRef() &&
         dmaWait.getTagMap() == dmaStart.getTagMap() &&
         llvm::equal(dmaWait.getTagIndices(), dmaStart.getTagIndices());
}

/// Return the only `dma_wait` for `start`, whose tag is `tag`, if that is used
/// for nothing else.
static Operation *findDmaWait(Operation *start, Value tag) {
  Operation *wait = nullptr;
  for (Operation *user : tag.getUsers()) {
    if (user == start || isa<memref::DeallocOp>(user))
      continue;
    if (wait || !isWaitFor(user, start))
      return nullptr;
    wait = user;
  }
  // A view of the tag may be used elsewhere; an allocation of its own has none.
  if (!tag.getDefiningOp<memref::AllocOp>() &&
      !tag.getDefiningOp<memref::AllocaOp>())
    return nullptr;
  return wait;
}

Operation *buffer_merge::findWait(Operation *op, Operation *ancestor) {
  Operation *firstWait = nullptr;
  auto consider = [&](Operation *wait) {
    // It is on every path.
    if (wait->getBlock() == ancestor->getBlock() &&
        (ancestor->isBeforeInBlock(wait) ||
         isMutated("L8-wait-before-the-start")) &&
        (!firstWait || wait->isBeforeInBlock(firstWait)))
      firstWait = wait;
  };
  // A wait after a loop around the start may be for one of many transfers.
  if (Value tag = getTag(op);
      tag && (op == ancestor || isMutated("L8-wait-for-many-transfers")))
    if (Operation *wait = findDmaWait(op, tag))
      consider(wait);

  if (auto until = op->getAttrOfType<StringAttr>(untilAttrName))
    for (Operation *wait = ancestor->getNextNode(); wait;
         wait = wait->getNextNode())
      if (wait->getAttr(waitAttrName) == until) {
        consider(wait);
        break;
      }

  // The tokens of `op`, of what depends on it, and of groups that it is in,
  // each with the operation from which on it stands for `op`: a wait for a
  // group that comes before the token is added is one for others.
  llvm::SmallMapVector<Value, Operation *, 4> tokens;
  if (Value token = getToken(op))
    tokens.insert({token, op});
  for (size_t i = 0; i < tokens.size(); ++i) {
    auto [token, since] = *(tokens.begin() + i);
    for (Operation *user : token.getUsers()) {
      if (user->getBlock() == since->getBlock() &&
          !since->isBeforeInBlock(user))
        continue;
      if (blocksUntilDone(user))
        consider(user);
      else if (Value dependent = getDependentToken(user);
               dependent && user->getBlock() == op->getBlock())
        tokens.insert({dependent, user});
    }
  }
  return firstWait;
}
