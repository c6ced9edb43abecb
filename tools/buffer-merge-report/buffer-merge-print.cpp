//===- buffer-merge-print.cpp - Read and print reports -------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of buffer-merge-report that is no script. People call that one: the
// messages are in its name.
//
//===----------------------------------------------------------------------===//

#include "UnknownOption.h"
#include "Version.h"
#include "buffer-merge/Report/ReportFormat.h"
#include "buffer-merge/Scheduling/Input.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

using namespace buffer_merge;

namespace cl = llvm::cl;

static constexpr int exitSuccess = 0;
static constexpr int exitBadInput = 2;

static cl::opt<std::string> inputPath(cl::Positional, cl::init("-"),
                                      cl::desc("<plan.json>"));
static cl::opt<std::string> outputPath("o", cl::init("-"),
                                       cl::desc("Write to this file"));
static cl::opt<bool> printsJSON("json",
                                cl::desc("Print JSON on standard output"));
static cl::opt<bool> printsSchema("schema",
                                  cl::desc("Print docs/report.schema.json"));
static cl::opt<bool>
    printsComparison("comparison",
                     cl::desc("Print the page of three lines of JSON: the plan "
                              "before, the plan after, and what changed"));

static int reportError(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "buffer-merge-report")
      << message << "\n";
  return exitBadInput;
}

/// Print what is asked for on `inputPath`, which has `text`.
static llvm::Error print(llvm::raw_ostream &os, llvm::StringRef text) {
  if (printsComparison) {
    auto [first, rest] = text.split('\n');
    auto [second, changes] = rest.split('\n');
    llvm::Expected<Report> before = parseReport(first);
    if (!before)
      return before.takeError();
    llvm::Expected<Report> after = parseReport(second);
    if (!after)
      return after.takeError();
    printComparisonHTML(os, *before, *after, changes.trim());
    return llvm::Error::success();
  }
  llvm::Expected<Report> report = parseReport(text);
  if (!report)
    return llvm::createStringError(inputPath + ": " +
                                   llvm::toString(report.takeError()));
  if (outputPath != "-")
    return writeReport(*report, outputPath);
  printReport(os, *report,
              printsJSON ? ReportFormat::JSON : ReportFormat::Text);
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::SetVersionPrinter(buffer_merge::printVersion);
  refuseUnknownOptions(argc, argv, "buffer-merge-print", exitBadInput);
  cl::ParseCommandLineOptions(argc, argv, "Part of buffer-merge-report\n");
  if (printsSchema) {
    printSchema(llvm::outs());
    return exitSuccess;
  }
  if (llvm::sys::path::extension(inputPath) == ".csv")
    return reportError(
        inputPath +
        ": a table has no functions and locations, which a report has "
        "in JSON; buffer-merge-schedule " +
        inputPath + " --report=plan.json writes one without them");
  auto file = readInputFileOrStdin(inputPath);
  if (!file)
    return reportError(inputPath + ": " + file.getError().message());
  if (llvm::Error error = print(llvm::outs(), (*file)->getBuffer()))
    return reportError(llvm::toString(std::move(error)));
  return exitSuccess;
}
