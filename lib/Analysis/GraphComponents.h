//===- GraphComponents.h - Strongly connected components --------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_GRAPHCOMPONENTS_H
#define BUFFER_MERGE_LIB_ANALYSIS_GRAPHCOMPONENTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace buffer_merge {
/// Nodes of which each can be reached from each other.
struct GraphComponent {
  /// The first one that the search has reached comes first.
  llvm::SmallVector<unsigned, 1> nodes;
  /// There is a path from a node to itself.
  bool hasCycle;
};

/// Return the strongly connected components of the graph whose nodes are the
/// indices of `successors`, every component before those that lead to it. The
/// search begins at `starts` in turn, then at the nodes that these do not
/// reach. Linear in nodes and edges.
llvm::SmallVector<GraphComponent, 0>
findComponents(llvm::ArrayRef<llvm::SmallVector<unsigned, 2>> successors,
               llvm::ArrayRef<unsigned> starts = {});
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_GRAPHCOMPONENTS_H
