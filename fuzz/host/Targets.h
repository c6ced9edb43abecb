//===- Targets.h - Random memories and places -------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_FUZZ_TARGETS_H
#define BUFFER_MERGE_FUZZ_TARGETS_H

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>

namespace buffer_merge::fuzz {
/// Return a target, as JSON, that is different for each seed: two or three
/// memories of the default space, most with addresses, of which the last one is
/// large.
std::string makeTarget(uint64_t seed);

/// Let a few allocations of `module` ask for a memory of `makeTarget(seed)`,
/// for a byte of one that is free and aligned, for the place of another one, or
/// for none of its bytes. It may be impossible.
void addPins(mlir::ModuleOp module, uint64_t seed);

/// Return what one of them asked for that is not so in `merged`, or an empty
/// string: by the memories and bytes there, and by the addresses.
std::string checkPins(mlir::ModuleOp original, mlir::ModuleOp merged,
                      llvm::StringRef target);

/// Return true if `error`, with which the pass refuses `module`, may be due to
/// what its allocations ask for. If all that they ask for are bytes, these are
/// free, and that the pass would take others is no reason.
bool mayRefusePins(mlir::ModuleOp module, llvm::StringRef error);
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_FUZZ_TARGETS_H
