//===- OffsetsOption.h - The option `offsets` of passes ---------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_OFFSETSOPTION_H
#define BUFFER_MERGE_LIB_TRANSFORMS_OFFSETSOPTION_H

#include "buffer-merge/Planning/MergePlan.h"

#include <string>

namespace buffer_merge {
/// Takes offsets from the file that the option `offsets` of a pass names.
class OffsetsOption {
public:
  /// Take the value of the option, before anything else is asked.
  void initialize(llvm::StringRef path) { this->path = path.str(); }

  /// Give every buffer of `plan` that wants a schedule the offset that the file
  /// has for its id (`makeBufferIds`). The pools were collected for `root` and
  /// are not scheduled yet.
  ///
  /// Fail, with one error in `messages`, if the file cannot be read, if it
  /// lacks a buffer or has one more, if a size or a lifetime that it has is not
  /// that of the program, if the offsets are not a valid schedule for the
  /// lifetimes of the program, or if `root` is not the top-level operation: the
  /// ids are those of all of a module; the error is about the first part.
  /// Lifetimes may be shifted, all of a pool by as much. The capacity is not
  /// looked at.
  llvm::LogicalResult fixOffsets(mlir::Operation *root, MergePlan &plan,
                                 PlanMessages &messages) const;

  /// Return true if the file is a report of `plan`, the plan of `root`: it has
  /// the same rows.
  bool haveOffsetsOf(mlir::Operation *root, const MergePlan &plan) const;

private:
  std::string path;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_OFFSETSOPTION_H
