//===- SeedStep.h - Which seeds property tests see --------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_UNITTESTS_SEEDSTEP_H
#define BUFFER_MERGE_UNITTESTS_SEEDSTEP_H

#include "llvm/Support/Compiler.h"

namespace buffer_merge {
/// From one seed to the next: sanitizers, with which a problem takes four times
/// as long or more, see one in eleven. Problems differ by remainders of small
/// numbers, so that these are of all kinds.
inline constexpr unsigned seedStep =
    LLVM_ADDRESS_SANITIZER_BUILD || LLVM_MEMORY_SANITIZER_BUILD ? 11 : 1;
} // namespace buffer_merge

#endif // BUFFER_MERGE_UNITTESTS_SEEDSTEP_H
