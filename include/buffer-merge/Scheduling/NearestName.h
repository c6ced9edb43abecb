//===- NearestName.h - What a misspelt name was to be -----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_NEARESTNAME_H
#define BUFFER_MERGE_SCHEDULING_NEARESTNAME_H

#include "llvm/ADT/StringRef.h"

namespace buffer_merge {
/// Return the name of `names` that takes the fewest edits to become from
/// `text`, whatever the case of letters: the first of several, or an empty one
/// if there are none.
template <typename Range>
llvm::StringRef findNearestName(llvm::StringRef text, const Range &names) {
  llvm::StringRef nearest;
  unsigned least = ~0u;
  for (llvm::StringRef name : names)
    if (unsigned distance = text.edit_distance_insensitive(name);
        distance < least) {
      least = distance;
      nearest = name;
    }
  return nearest;
}
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_NEARESTNAME_H
