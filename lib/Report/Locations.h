//===- Locations.h - Names and places from locations ------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_REPORT_LOCATIONS_H
#define BUFFER_MERGE_LIB_REPORT_LOCATIONS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace buffer_merge {
/// Return the outermost name in `loc`, or nothing. Valid UTF-8.
std::string findLocationName(mlir::Location loc);

/// Return `loc` in words: `file:line:column`, or the name where that is all
/// there is, or nothing if it is not known. A call site is followed by
/// `, called at` and its caller. Valid UTF-8.
std::string describeLocation(mlir::Location loc);

/// Return the name of `op` and where it is, `linalg.fill at file:line:column`,
/// or nothing for null. Valid UTF-8.
std::string describeAccess(mlir::Operation *op);

/// Return the file of `loc` without its folder, or nothing. Valid UTF-8.
std::string getFileName(mlir::Location loc);

/// Looks up what the source calls the result of an operation.
class SourceNames {
public:
  /// Return the name of the first result of the operation at `loc`, if the file
  /// is there and its text has `%name =` in front of the operation. Otherwise
  /// return nothing.
  std::string lookup(mlir::Location loc);

private:
  struct File {
    std::unique_ptr<llvm::MemoryBuffer> buffer;
    /// Line n + 1 starts at `lineStarts[n]`.
    std::vector<size_t> lineStarts;
  };
  const File &load(llvm::StringRef path);

  llvm::StringMap<File> files;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_REPORT_LOCATIONS_H
