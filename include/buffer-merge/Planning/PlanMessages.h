//===- PlanMessages.h - What there is to say about a plan -------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_PLANNING_PLANMESSAGES_H
#define BUFFER_MERGE_PLANNING_PLANMESSAGES_H

#include "mlir/IR/Diagnostics.h"

#include <utility>

namespace buffer_merge {
/// The diagnostics of one plan, in the order in which users see them: warnings,
/// and errors if there is no plan. They are values. `emitMessages` of Report
/// emits those of the plan that is carried out or shown; what is said about a
/// plan that was only tried is dropped with it. (A handler that drops them
/// would be one of the context, and drop what other threads report as well.)
class PlanMessages {
public:
  /// Add an error, and return it for its text and notes, until the next one. It
  /// converts to failure:
  ///
  /// ```
  ///   return messages.addError(loc) << "the function is recursive";
  /// ```
  mlir::Diagnostic &addError(mlir::Location loc) {
    return messages.emplace_back(loc, mlir::DiagnosticSeverity::Error);
  }

  /// The same for a warning.
  mlir::Diagnostic &addWarning(mlir::Location loc) {
    return messages.emplace_back(loc, mlir::DiagnosticSeverity::Warning);
  }

  void clear() { messages.clear(); }

  bool empty() const { return messages.empty(); }

  /// Return all of them, and keep none.
  llvm::SmallVector<mlir::Diagnostic, 0> take() {
    return std::exchange(messages, {});
  }

private:
  llvm::SmallVector<mlir::Diagnostic, 0> messages;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_PLANNING_PLANMESSAGES_H
