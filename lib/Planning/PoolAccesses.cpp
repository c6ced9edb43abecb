//===- PoolAccesses.cpp - Which operations access which buffers -----------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PoolAccesses.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

/// Return true if the operation of `use` may write what it is given.
static bool mayWrite(OpOperand &use) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(use.getOwner());
  return !effects ||
         effects.getEffectOnValue<MemoryEffects::Write>(use.get()).has_value();
}

PoolAccesses::PoolAccesses(const PoolPlan &pool) : opsOf(pool.buffers.size()) {
  llvm::DenseMap<Operation *, unsigned> numbers;
  pool.scope->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { numbers.try_emplace(op, numbers.size()); });
  SmallVector<Access, 0> accesses;
  for (auto [id, buffer] : llvm::enumerate(pool.buffers))
    for (const BufferEvent &event : buffer->events) {
      auto it = numbers.find(event.operand->getOwner());
      if (event.isAccess() && it != numbers.end())
        accesses.push_back(
            {it->second, BufferId(id), mayWrite(*event.operand)});
    }
  llvm::sort(accesses, [](const Access &a, const Access &b) {
    return std::tuple(a.op, a.buffer, a.isWrite) <
           std::tuple(b.op, b.buffer, b.isWrite);
  });
  // Of the operations, only those with an access count.
  unsigned number = 0;
  for (auto [index, access] : llvm::enumerate(accesses)) {
    unsigned op = access.op;
    bool isNew = index + 1 == accesses.size() || accesses[index + 1].op != op;
    access.op = number;
    if (opsOf[access.buffer].empty() || opsOf[access.buffer].back() != number)
      opsOf[access.buffer].push_back(number);
    number += isNew;
  }
  constexpr unsigned maxOps = 4096;
  if (number > maxOps)
    return;
  dependences.assign(number, llvm::BitVector(number));
  findDependences(accesses, pool.buffers.size());
}

void PoolAccesses::findDependences(ArrayRef<Access> accesses,
                                   size_t numBuffers) {
  // By buffer: what the next read depends on, and the next write besides.
  SmallVector<std::optional<unsigned>, 0> lastWrite(numBuffers);
  SmallVector<SmallVector<unsigned, 2>, 0> readsSince(numBuffers);
  auto dependOn = [&](unsigned op, unsigned other) {
    if (op == other)
      return;
    dependences[op] |= dependences[other];
    dependences[op].set(other);
  };
  for (const Access &access : accesses) {
    if (lastWrite[access.buffer])
      dependOn(access.op, *lastWrite[access.buffer]);
    if (!access.isWrite) {
      readsSince[access.buffer].push_back(access.op);
      continue;
    }
    for (unsigned read : readsSince[access.buffer])
      dependOn(access.op, read);
    readsSince[access.buffer].clear();
    lastWrite[access.buffer] = access.op;
  }
}

SmallVector<std::pair<BufferId, BufferId>, 0> PoolAccesses::getPairs() const {
  // By operation, the buffers that it accesses.
  std::map<unsigned, SmallVector<BufferId, 2>> buffersOf;
  for (auto [id, ops] : llvm::enumerate(opsOf))
    for (unsigned op : ops)
      buffersOf[op].push_back(id);
  SmallVector<std::pair<BufferId, BufferId>, 0> pairs;
  for (const auto &[op, ids] : buffersOf)
    for (auto [index, first] : llvm::enumerate(ids))
      for (BufferId second : ArrayRef(ids).drop_front(index + 1))
        pairs.push_back({first, second});
  llvm::sort(pairs);
  pairs.erase(llvm::unique(pairs), pairs.end());
  return pairs;
}

bool PoolAccesses::waitsAnyway(BufferId earlier, BufferId later) const {
  if (dependences.empty() || opsOf[later].empty())
    return false;
  const llvm::BitVector &before = dependences[opsOf[later].front()];
  return llvm::all_of(opsOf[earlier],
                      [&](unsigned op) { return before.test(op); });
}
