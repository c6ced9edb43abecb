//===- Lowered forms of a program -------------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_FUZZ_FORMS_H
#define BUFFER_MERGE_FUZZ_FORMS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

namespace buffer_merge::fuzz {
/// A form in which a pipeline of stock passes may give a program to the pass.
struct Form {
  /// Some passes of the pipeline.
  struct Step {
    void (*build)(mlir::OpPassManager &manager);
    /// The program stays as it is if they fail.
    bool isOptional = false;
  };

  const char *name;
  /// It lowers the async dialect; else it lowers control flow.
  bool isAsync;
  llvm::SmallVector<Step, 3> steps;
};

llvm::ArrayRef<Form> getForms();

/// Return true if `module` has operations of the async dialect.
bool hasAsync(mlir::ModuleOp module);

/// Return true if `module` leaves an order open: see `TaskOrder`.
bool hasOpenOrder(mlir::ModuleOp module);

/// Return a copy of `module` in `form`, or null if the stock passes cannot
/// lower it. Allocations keep their names, and nothing else has one.
mlir::OwningOpRef<mlir::ModuleOp> lower(mlir::ModuleOp module,
                                        const Form &form);

/// Run the passes that `build` adds on a copy of `module`; null if they fail or
/// give something invalid.
mlir::OwningOpRef<mlir::ModuleOp>
tryPasses(mlir::ModuleOp module,
          llvm::function_ref<void(mlir::OpPassManager &)> build);
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_FUZZ_FORMS_H
