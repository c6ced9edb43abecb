//===- Mutation.h - Rules that a test build can switch off ------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_MUTATION_H
#define BUFFER_MERGE_LIB_MUTATION_H

#include "llvm/ADT/StringRef.h"

#include <cstdlib>

namespace buffer_merge {
/// Return true if the rule named `name` is switched off: in builds with
/// BUFFER_MERGE_ENABLE_MUTATIONS, if the environment variable
/// BUFFER_MERGE_MUTATION is `name`. In all other builds the rule cannot be
/// switched off, and the call costs nothing.
///
/// A rule names itself where it decides, and a test must fail without it, which
/// utils/mutations.txt names. A mutation only skips a check or a step: it has
/// no code of its own.
///
/// ```
///   if (!isMutated("L4-cycle") && cycle)
/// ```
///
/// The name is a literal that occurs once in the sources, where
/// utils/check-mutations.py finds it. It begins with the number of the rule, if
/// there is one.
#ifdef BUFFER_MERGE_ENABLE_MUTATIONS
inline bool isMutated(llvm::StringRef name) {
  static const char *const mutation = std::getenv("BUFFER_MERGE_MUTATION");
  return mutation && name == mutation;
}
#else
constexpr bool isMutated(llvm::StringLiteral) { return false; }
#endif

/// The same for a part of a search. It decides how good a schedule is, and not
/// whether it is right, so that no test need fail without it:
/// benchmarks/ablation.py shows what it is for.
#ifdef BUFFER_MERGE_ENABLE_MUTATIONS
inline bool isLeftOut(llvm::StringRef part) { return isMutated(part); }
#else
constexpr bool isLeftOut(llvm::StringLiteral) { return false; }
#endif
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_MUTATION_H
