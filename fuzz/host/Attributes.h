//===- Attributes.h - Attributes that say what functions do -----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_FUZZ_ATTRIBUTES_H
#define BUFFER_MERGE_FUZZ_ATTRIBUTES_H

#include "Effects.h"

#include "mlir/IR/BuiltinOps.h"

#include <set>
#include <string>

namespace buffer_merge::fuzz {
/// Let some of the functions of `module` and their arguments have attributes
/// that are true of `effects`. The names of these are added to `names`.
void addAttributes(mlir::ModuleOp module, const Effects &effects, uint64_t seed,
                   std::set<std::string> &names);

/// Return an attribute of `module` that is not true of `effects`, as text, or
/// an empty string.
std::string findFalseAttribute(mlir::ModuleOp module, const Effects &effects);
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_FUZZ_ATTRIBUTES_H
