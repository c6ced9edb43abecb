//===- buffer-merge-report.cpp - Convert and compare reports -------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what `--buffer-merge=report=plan.json` writes.
//
//===----------------------------------------------------------------------===//

#include "Version.h"
#include "buffer-merge/Report/CompareReports.h"
#include "buffer-merge/Report/ReportFormat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"

using namespace buffer_merge;

namespace cl = llvm::cl;

/// What the shell is told, as `diff` does.
static constexpr int exitSuccess = 0;
static constexpr int exitGrew = 1;
static constexpr int exitBadInput = 2;

static cl::OptionCategory category("Options of buffer-merge-report");

static cl::list<std::string>
    inputPaths(cl::Positional, cl::desc("<plan.json>..."), cl::cat(category));
static cl::opt<std::string>
    outputPath("o",
               cl::desc("Write to this file, in the format that its extension "
                        "says: .csv, .html, .json or .txt"),
               cl::value_desc("path"), cl::init("-"), cl::cat(category));
static cl::opt<bool>
    compares("compare",
             cl::desc("Print what changed from the first plan to the second"),
             cl::cat(category));
static cl::opt<double>
    tolerance("tolerance",
              cl::desc("With --compare, how many percent a function may grow"),
              cl::value_desc("percent"), cl::init(0), cl::cat(category));

static int reportError(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "buffer-merge-report")
      << message << "\n";
  return exitBadInput;
}

static llvm::Expected<Report> readReport(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   path + ": " + buffer.getError().message());
  llvm::Expected<Report> report = parseReport((*buffer)->getBuffer());
  if (!report)
    return llvm::createStringError(path + ": " +
                                   llvm::toString(report.takeError()));
  return report;
}

/// Print with `print` to the standard output; return `code` if that works.
static int printOut(llvm::function_ref<void(llvm::raw_ostream &)> print,
                    int code) {
  print(llvm::outs());
  llvm::outs().flush();
  std::error_code error = llvm::outs().error();
  if (!error)
    return code;
  llvm::outs().clear_error();
  return reportError("cannot write to the standard output: " + error.message());
}

static int convert() {
  if (inputPaths.size() != 1)
    return reportError("expected one plan");
  llvm::Expected<Report> report = readReport(inputPaths[0]);
  if (!report)
    return reportError(llvm::toString(report.takeError()));
  if (outputPath == "-")
    return printOut([&](llvm::raw_ostream &os) { printText(os, *report); },
                    exitSuccess);
  if (llvm::Error error = writeReport(*report, outputPath))
    return reportError(llvm::toString(std::move(error)));
  return exitSuccess;
}

static int compare() {
  if (inputPaths.size() != 2)
    return reportError("--compare expects two plans");
  if (outputPath != "-")
    return reportError("--compare prints to the standard output, not to -o");
  if (!(tolerance >= 0))
    return reportError("--tolerance is not 0 or more");
  llvm::Expected<Report> before = readReport(inputPaths[0]);
  if (!before)
    return reportError(llvm::toString(before.takeError()));
  llvm::Expected<Report> after = readReport(inputPaths[1]);
  if (!after)
    return reportError(llvm::toString(after.takeError()));

  std::vector<FunctionChange> changes = compareReports(*before, *after);
  bool grew = llvm::any_of(changes, [](const FunctionChange &change) {
    return change.grew(tolerance);
  });
  return printOut([&](llvm::raw_ostream &os) { printChanges(os, changes); },
                  grew ? exitGrew : exitSuccess);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::SetVersionPrinter(buffer_merge::printVersion);
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "Converts and compares memory plans\n\n"
          "  A plan is what --buffer-merge=report=plan.json writes; - is the\n"
          "  standard input.\n\n"
          "    buffer-merge-report plan.json                 print it as text\n"
          "    buffer-merge-report plan.json -o map.html     write it as a "
          "page\n"
          "    buffer-merge-report --compare old.json new.json\n\n"
          "  Exit status: 0; 1 if --compare finds a function that takes more\n"
          "  bytes than before; 2 if an input or an option is wrong.\n",
          &llvm::errs()))
    return exitBadInput;
  if (!compares && tolerance.getNumOccurrences())
    return reportError("--tolerance is of use with --compare alone");
  return compares ? compare() : convert();
}
