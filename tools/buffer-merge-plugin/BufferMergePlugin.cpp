//===- Passes for the stock mlir-opt -------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Transforms/Passes.h"
#include "buffer-merge/Transforms/Pipelines.h"

#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

/// What `mlir-opt --load-pass-plugin` looks for.
extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "BufferMerge", LLVM_VERSION_STRING, [] {
            buffer_merge::registerBufferMergePasses();
            buffer_merge::registerBufferMergePipelines();
          }};
}
