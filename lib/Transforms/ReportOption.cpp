//===- ReportOption.cpp - The option `report` of passes ------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportOption.h"

#include "buffer-merge/Report/BuildReport.h"
#include "buffer-merge/Report/ReportFormat.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace buffer_merge;

LogicalResult ReportOption::initialize(MLIRContext *context, StringRef path) {
  this->path = path.str();
  hasFailed = std::make_shared<std::atomic<bool>>(false);
  if (path.empty())
    return success();
  llvm::Expected<ReportFormat> format = getReportFormat(path);
  if (!format)
    return emitError(UnknownLoc::get(context))
           << llvm::toString(format.takeError());
  return success();
}

LogicalResult ReportOption::write(Operation *root, const MergePlan &plan,
                                  StringRef scheduler) const {
  if (path.empty())
    return success();
  if (root->getParentOp()) {
    if (!hasFailed->exchange(true))
      emitError(root->getLoc())
          << "cannot write one report for several operations: with the option "
             "'report' the pass must run on the top-level operation";
    return failure();
  }
  Report report = buildReport(root, plan, scheduler);
  if (path == "-") {
    printText(llvm::errs(), report);
    return success();
  }
  if (llvm::Error error = writeReport(report, path))
    return emitError(root->getLoc()) << llvm::toString(std::move(error));
  return success();
}
