//===- Verbose.h - What merging does, in one line ---------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_TOOLS_VERBOSE_H
#define BUFFER_MERGE_TOOLS_VERBOSE_H

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

namespace buffer_merge {
/// Return true if the option `-v` was given. Options must have been parsed.
bool isVerbose();

/// Let each pass `buffer-merge` and `buffer-lifetimes` that `config` runs on
/// the top-level operation print the report `summary`, one line on standard
/// error, unless its option `report` asks for it already. If there is no such
/// pass, setting up the pipeline fails, after an error of one line.
void printSummaries(mlir::MlirOptMainConfig &config);
} // namespace buffer_merge

#endif // BUFFER_MERGE_TOOLS_VERBOSE_H
