//===- FunctionContext.h - What the analyses of a function share *- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_FUNCTIONCONTEXT_H
#define BUFFER_MERGE_LIB_ANALYSIS_FUNCTIONCONTEXT_H

#include "Analysis/AllocScope.h"
#include "Analysis/CalleeSummaries.h"
#include "Analysis/ExecutionOrder.h"
#include "Analysis/GPU/DeviceCode.h"
#include "Analysis/Refills.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

namespace buffer_merge {
/// What the analyses of one function share, computed once. Stale when the
/// function changes.
struct FunctionContext {
  /// `callees` and `device` must outlive the object.
  FunctionContext(mlir::FunctionOpInterface function,
                  const CalleeSummaries &callees, const DeviceCode &device)
      : function(function), callees(callees), device(device),
        layout(mlir::DataLayout::closest(function)), order(function),
        sharedAliases(callees.getAliases(function)), aliases(*sharedAliases) {}

  mlir::FunctionOpInterface function;
  const CalleeSummaries &callees;
  const DeviceCode &device;
  mlir::DataLayout layout;
  ExecutionOrder order;
  AllocScopes scopes;
  /// Empty unless `BufferLifetimesOptions::findRefills`.
  FunctionRefills refills;

private:
  /// The summary of the function may have the same.
  std::shared_ptr<const BufferAliases> sharedAliases;

public:
  const BufferAliases &aliases;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_FUNCTIONCONTEXT_H
