//===- ReportOption.h - The option `report` of passes -----------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_TRANSFORMS_REPORTOPTION_H
#define BUFFER_MERGE_LIB_TRANSFORMS_REPORTOPTION_H

#include "buffer-merge/Planning/MergePlan.h"

#include <string>

namespace buffer_merge {
/// Writes what the options `report` and `emit-header` of a pass ask for.
class ReportOption {
public:
  /// Take the values of the options, each `-` for standard error; `summary` is
  /// a report on it, too. Emit an error and fail if the extension of a report
  /// is not known, or if two of them name one file.
  llvm::LogicalResult initialize(mlir::MLIRContext *context,
                                 llvm::ArrayRef<std::string> reports,
                                 llvm::StringRef header);

  /// Write the files for `plan`, which was made for `root` and is not carried
  /// out yet. Fail, after an error, if one cannot be written, or if `root` is
  /// not the top-level operation: of parts of a module, which several threads
  /// may work on, each would replace the report on the one before. The error is
  /// about the first of them.
  llvm::LogicalResult write(mlir::Operation *root, const MergePlan &plan,
                            llvm::StringRef scheduler) const;

private:
  llvm::SmallVector<std::string, 1> reports;
  std::string header;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_TRANSFORMS_REPORTOPTION_H
