//===- What generators of operations begin with -----------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_FUZZ_OPMAKER_H
#define BUFFER_MERGE_FUZZ_OPMAKER_H

#include "Random.h"

#include "mlir/IR/Builders.h"

namespace buffer_merge::fuzz {
/// Random numbers, and operations without locations.
class OpMaker {
protected:
  OpMaker(mlir::MLIRContext &context, uint64_t seed)
      : random(seed), b(&context), loc(b.getUnknownLoc()) {}

  /// Make an operation at the current place.
  template <typename OpTy, typename... Args>
  OpTy make(Args &&...args) {
    return OpTy::create(b, loc, std::forward<Args>(args)...);
  }

  Random random;
  mlir::OpBuilder b;
  mlir::Location loc;
};
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_FUZZ_OPMAKER_H
