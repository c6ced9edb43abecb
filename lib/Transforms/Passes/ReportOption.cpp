//===- ReportOption.cpp - The option `report` of passes ------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportOption.h"
#include "FirstSibling.h"
#include "Report/NeededMemory.h"

#include "buffer-merge/Report/BuildReport.h"
#include "buffer-merge/Report/ReportFormat.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace buffer_merge;

LogicalResult ReportOption::initialize(MLIRContext *context,
                                       OutputPaths paths) {
  this->paths = std::move(paths);
  StringRef path = this->paths.report;
  const std::pair<StringRef, StringRef> options[] = {
      {"report", path},
      {"emit-header", this->paths.header},
      {"emit-linker-script", this->paths.linkerScript}};
  for (auto [index, option] : llvm::enumerate(options))
    for (auto [name, other] : ArrayRef(options).take_front(index))
      if (!other.empty() && other != "-" && other == option.second)
        return emitError(UnknownLoc::get(context))
               << "the options '" << name << "' and '" << option.first
               << "' name one file, '" << other << "'";
  if (path.empty() || path == "summary")
    return success();
  llvm::Expected<ReportFormat> format = getReportFormat(path);
  if (!format)
    return emitError(UnknownLoc::get(context))
           << llvm::toString(format.takeError());
  return success();
}

LogicalResult ReportOption::write(Operation *root, const MergePlan &plan,
                                  StringRef scheduler) const {
  StringRef path = paths.report;
  if (path.empty() && paths.header.empty() && paths.linkerScript.empty())
    return success();
  if (root->getParentOp()) {
    if (isFirstSibling(root))
      emitError(root->getLoc())
          << "cannot write one report for several operations: with the option '"
          << (!path.empty()           ? "report"
              : !paths.header.empty() ? "emit-header"
                                      : "emit-linker-script")
          << "' the pass must run on the top-level operation";
    return failure();
  }
  auto write = [&](StringRef path, StringRef what,
                   llvm::function_ref<void(llvm::raw_ostream &)> print) {
    if (path.empty())
      return success();
    if (path == "-") {
      print(llvm::errs());
      return success();
    }
    llvm::Error error = writeFile(path, what, print);
    if (!error)
      return success();
    return LogicalResult(emitError(root->getLoc())
                         << llvm::toString(std::move(error)));
  };
  StringRef headerName = paths.header == "-"
                             ? "buffer_merge.h"
                             : llvm::sys::path::filename(paths.header);
  if (failed(write(
          paths.header, "header",
          [&](llvm::raw_ostream &os) { printHeader(os, plan, headerName); })) ||
      failed(
          write(paths.linkerScript, "linker script",
                [&](llvm::raw_ostream &os) { printLinkerScript(os, plan); })))
    return failure();
  if (path.empty())
    return success();
  Report report = buildReport(root, plan, scheduler);
  if (path == "summary") {
    printSummary(llvm::errs(), report);
    return success();
  }
  if (path == "-") {
    printText(llvm::errs(), report);
    return success();
  }
  if (llvm::Error error = writeReport(report, path))
    return emitError(root->getLoc()) << llvm::toString(std::move(error));
  return success();
}
