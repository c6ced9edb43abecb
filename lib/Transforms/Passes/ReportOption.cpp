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

/// Return true if the report at `path` is a part of a linker script.
static bool isLinkerScript(StringRef path) {
  return llvm::sys::path::extension(path) == ".ld";
}

LogicalResult ReportOption::initialize(MLIRContext *context,
                                       ArrayRef<std::string> reports,
                                       StringRef header) {
  this->reports.assign(reports.begin(), reports.end());
  this->header = header.str();
  Location loc = UnknownLoc::get(context);
  auto isReport = [](StringRef path) {
    if (isLinkerScript(path))
      return true;
    llvm::Expected<ReportFormat> format = getReportFormat(path);
    if (format)
      return true;
    llvm::consumeError(format.takeError());
    return false;
  };
  for (const auto &[index, report] : llvm::enumerate(reports)) {
    StringRef path = report;
    if (llvm::any_of(reports.take_front(index), [&](StringRef other) {
          return path == other || nameSameFile(path, other);
        }))
      return emitError(loc)
             << "the option 'report' names '" << path << "' twice";
    if (!header.empty() && nameSameFile(path, header))
      return emitError(loc) << "the options 'report' and 'emit-header' name "
                               "one file, '"
                            << path << "'";
    if (path == "summary" || isLinkerScript(path))
      continue;
    if (llvm::Expected<ReportFormat> format =
            getReportFormat(path, /*hasPlan=*/true);
        !format)
      return emitError(loc) << llvm::toString(format.takeError());
  }
  if (header != "-" && isReport(header))
    return emitError(loc) << "emit-header writes a header for C to '" << header
                          << "', whose extension is that of a report";
  return success();
}

LogicalResult ReportOption::write(Operation *root, const MergePlan &plan,
                                  StringRef scheduler) const {
  if (reports.empty() && header.empty())
    return success();
  if (root->getParentOp()) {
    if (isFirstSibling(root))
      emitError(root->getLoc())
          << "cannot write one report for several operations: with the option '"
          << (reports.empty() ? "emit-header" : "report")
          << "' the pass must run on the top-level operation";
    return failure();
  }
  auto write = [&](StringRef path, StringRef what,
                   llvm::function_ref<void(llvm::raw_ostream &)> print) {
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
  auto writeHeader = [&](llvm::raw_ostream &os) {
    printHeader(os, root, plan,
                header == "-" ? "buffer_merge.h"
                              : llvm::sys::path::filename(header));
  };
  if (!header.empty() && failed(write(header, "header", writeHeader)))
    return failure();
  std::optional<Report> report;
  for (StringRef path : reports) {
    if (isLinkerScript(path)) {
      if (failed(write(path, "linker script", [&](llvm::raw_ostream &os) {
            printLinkerScript(os, plan);
          })))
        return failure();
      continue;
    }
    if (!report)
      report = buildReport(root, plan, scheduler);
    auto print = [&](llvm::raw_ostream &os) {
      if (path == "summary")
        printSummary(os, *report);
      else
        printReport(os, *report, llvm::cantFail(getReportFormat(path)));
    };
    if (failed(write(path == "summary" ? "-" : path, "report", print)))
      return failure();
  }
  return success();
}
