//===- NeededMemory.h - What C programs and linkers need --------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_REPORT_NEEDEDMEMORY_H
#define BUFFER_MERGE_LIB_REPORT_NEEDEDMEMORY_H

#include "buffer-merge/Planning/MergePlan.h"

namespace buffer_merge {
/// Print a header for C11 and C++11 with the bytes and the alignment of the
/// arenas that functions of `plan` are given from outside of the module, and of
/// the globals, and declarations of globals that others can refer to; and with
/// prototypes of the functions of `root` that C can call, after the plan is
/// carried out, and the shapes and structs of what they are given. `name` is
/// the name of the file.
///
/// ```
///   #define LAYERS_ARENA_BYTES 1024
///   #define LAYERS_ARENA_ALIGNMENT 64
///   #define LAYERS_INPUT_0_SHAPE {1, 28}
///   void _mlir_ciface_layers(MemRef2D_f32 *input_0, MemRef1D_i8 *arena);
/// ```
void printHeader(llvm::raw_ostream &os, mlir::Operation *root,
                 const MergePlan &plan, llvm::StringRef name);

/// Print a part of a linker script, to be included in its `SECTIONS`: a symbol
/// for the bytes and for the alignment of each arena and global of `plan`, and
/// an output section for each section that `StaticStorage` names.
///
/// ```
///   ENTRIES_POOL_BYTES = 1024;
///   ENTRIES_POOL_ALIGNMENT = 64;
///   .sram 0x20000000 (NOLOAD) : {
///     *(.sram)
///   }
///   ASSERT(SIZEOF(.sram) >= 1024, ".sram lacks a global")
/// ```
void printLinkerScript(llvm::raw_ostream &os, const MergePlan &plan);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_REPORT_NEEDEDMEMORY_H
