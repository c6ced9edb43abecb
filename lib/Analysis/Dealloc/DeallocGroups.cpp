//===- Buffers that deallocations tie together ----------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeallocGroups.h"

using namespace mlir;
using namespace buffer_merge;

bool DeallocGroups::insert(OpOperand *dealloc) {
  return groups.insert({dealloc, Group()}).second;
}

void DeallocGroups::add(OpOperand *dealloc, unsigned buffer) {
  assert(buffer < numBuffers && "not one of the buffers");
  auto *it = groups.find(dealloc);
  assert(it != groups.end() && "no group for the deallocation");
  it->second.buffers.push_back(buffer);
}

void DeallocGroups::addStaying(OpOperand *dealloc) {
  auto *it = groups.find(dealloc);
  assert(it != groups.end() && "no group for the deallocation");
  it->second.isStaying = true;
}

SmallVector<SmallVector<unsigned, 1>> DeallocGroups::listGroups() const {
  SmallVector<SmallVector<unsigned, 1>> groupsOf(numBuffers);
  for (auto [index, entry] : llvm::enumerate(groups))
    for (unsigned buffer : entry.second.buffers)
      if (groupsOf[buffer].empty() || groupsOf[buffer].back() != index)
        groupsOf[buffer].push_back(index);
  return groupsOf;
}

SmallVector<DeallocGroups::Tied> DeallocGroups::findStaying() const {
  // Programs without such deallocations are the ordinary ones.
  SmallVector<unsigned> worklist;
  for (auto [index, entry] : llvm::enumerate(groups))
    if (entry.second.isStaying)
      worklist.push_back(index);
  if (worklist.empty())
    return {};

  SmallVector<Tied> staying;
  llvm::BitVector isStaying(numBuffers);
  SmallVector<SmallVector<unsigned, 1>> groupsOf = listGroups();
  llvm::BitVector isDone(groups.size());
  while (!worklist.empty()) {
    unsigned index = worklist.pop_back_val();
    if (isDone.test(index))
      continue;
    isDone.set(index);
    const auto &[dealloc, group] = groups.begin()[index];
    SmallVector<unsigned> buffers(group.buffers.begin(), group.buffers.end());
    // Who adds the buffers may know them in an arbitrary order.
    llvm::sort(buffers);
    for (unsigned buffer : buffers) {
      if (isStaying.test(buffer))
        continue;
      isStaying.set(buffer);
      staying.push_back({buffer, dealloc});
      llvm::append_range(worklist, groupsOf[buffer]);
    }
  }
  return staying;
}

llvm::BitVector DeallocGroups::findTied(ArrayRef<unsigned> buffers) const {
  llvm::BitVector isTied(numBuffers);
  for (unsigned buffer : buffers)
    isTied.set(buffer);
  SmallVector<SmallVector<unsigned, 1>> groupsOf = listGroups();
  llvm::BitVector isDone(groups.size());
  SmallVector<unsigned> worklist(buffers);
  while (!worklist.empty())
    for (unsigned index : groupsOf[worklist.pop_back_val()]) {
      if (isDone.test(index))
        continue;
      isDone.set(index);
      for (unsigned buffer : groups.begin()[index].second.buffers)
        if (!isTied.test(buffer)) {
          isTied.set(buffer);
          worklist.push_back(buffer);
        }
    }
  return isTied;
}
