//===- GraphComponents.cpp - Strongly connected components ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's iterator, which needs pointers to nodes and one node to begin at.
//
//===----------------------------------------------------------------------===//

#include "GraphComponents.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/STLExtras.h"

using namespace buffer_merge;

namespace {
struct Node {
  unsigned index;
  llvm::SmallVector<Node *, 2> successors;
};
} // namespace

template <>
struct llvm::GraphTraits<Node *> {
  using NodeRef = Node *;
  using ChildIteratorType = SmallVectorImpl<Node *>::iterator;
  static NodeRef getEntryNode(Node *node) { return node; }
  static ChildIteratorType child_begin(NodeRef node) {
    return node->successors.begin();
  }
  static ChildIteratorType child_end(NodeRef node) {
    return node->successors.end();
  }
};

llvm::SmallVector<GraphComponent, 0> buffer_merge::findComponents(
    llvm::ArrayRef<llvm::SmallVector<unsigned, 2>> successors,
    llvm::ArrayRef<unsigned> starts) {
  llvm::SmallVector<Node, 0> nodes(successors.size() + 1);
  Node &entry = nodes.back();
  for (unsigned start : starts)
    entry.successors.push_back(&nodes[start]);
  for (auto [index, list] : llvm::enumerate(successors)) {
    nodes[index].index = index;
    entry.successors.push_back(&nodes[index]);
    for (unsigned successor : list)
      nodes[index].successors.push_back(&nodes[successor]);
  }
  llvm::SmallVector<GraphComponent, 0> components;
  for (auto it = llvm::scc_begin(&entry); !it.isAtEnd(); ++it) {
    if (it->front() == &entry)
      continue;
    GraphComponent &component = components.emplace_back();
    component.hasCycle = it.hasCycle();
    for (Node *node : llvm::reverse(*it))
      component.nodes.push_back(node->index);
  }
  return components;
}
