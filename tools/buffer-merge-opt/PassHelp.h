//===- PassHelp.h - Help for one pass ---------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_TOOLS_PASSHELP_H
#define BUFFER_MERGE_TOOLS_PASSHELP_H

namespace buffer_merge {
/// If one of the arguments is `--help=NAME`, print what the pass or pipeline
/// NAME does and its options, those of `buffer-merge` in groups, and exit with
/// 0; with 1 and an error if nothing of that name is registered. Without a
/// NAME, print that of all passes and pipelines of this project. All passes
/// must have been registered.
void printPassHelpIfAsked(int argc, char **argv);

/// If the value of `--pass-pipeline` names a pass or an option of one that
/// there is not, exit with 1 after one error with the nearest name: MLIR says
/// after that that it could not add the pass.
void refuseUnknownInPipeline(int argc, char **argv);
} // namespace buffer_merge

#endif // BUFFER_MERGE_TOOLS_PASSHELP_H
