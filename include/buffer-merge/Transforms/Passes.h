//===- Pass entry points ----------------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_TRANSFORMS_PASSES_H
#define BUFFER_MERGE_TRANSFORMS_PASSES_H

#include "buffer-merge/Planning/MergePlanOptions.h"
#include "buffer-merge/Transforms/RotateCarriedBuffers.h"
#include "mlir/Pass/Pass.h"

// Generated from Passes.td: for each pass a struct with its options,
// `createXPass()` without and with it, and `registerXPass()`; and
// `registerBufferMergePasses()` for all of them.
namespace buffer_merge {
#define GEN_PASS_DECL
#include "buffer-merge/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "buffer-merge/Transforms/Passes.h.inc"
} // namespace buffer_merge

#endif // BUFFER_MERGE_TRANSFORMS_PASSES_H
