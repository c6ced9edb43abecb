//===- buffer-merge-report.cpp - Convert, compare and check reports ------===//
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
#include "buffer-merge/Report/Budgets.h"
#include "buffer-merge/Report/CompareReports.h"
#include "buffer-merge/Report/ReportFormat.h"
#include "buffer-merge/Scheduling/InputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

#include <cmath>

using namespace buffer_merge;

namespace cl = llvm::cl;

/// What the shell is told, as `diff` does.
static constexpr int exitSuccess = 0;
static constexpr int exitGrew = 1;
static constexpr int exitBadInput = 2;

static cl::OptionCategory category("Options of buffer-merge-report");
static cl::SubCommand
    checkCommand("check", "Compare a plan with budgets. Exit status 1 if one "
                          "is exceeded");
static cl::SubCommand trendCommand("trend",
                                   "Print the bytes of several plans, the "
                                   "oldest first");

static cl::list<std::string>
    inputPaths(cl::Positional, cl::desc("<plan.json>..."), cl::cat(category),
               cl::sub(cl::SubCommand::getTopLevel()), cl::sub(checkCommand),
               cl::sub(trendCommand));
static cl::opt<std::string>
    outputPath("o",
               cl::desc("Write to this file, in the format that its extension "
                        "says: .csv, .html, .json, .trace.json or .txt; with "
                        "--compare .html, .json, .md or .txt (default: text "
                        "on standard output)"),
               cl::value_desc("path"), cl::init("-"), cl::cat(category));
static cl::opt<bool>
    compares("compare",
             cl::desc("Print what changed from the first plan to the second"),
             cl::cat(category));
static cl::opt<double>
    tolerance("tolerance",
              cl::desc("With --compare, how many percent a function, or all of "
                       "them, may grow (default: 0)"),
              cl::value_desc("percent"), cl::init(0), cl::cat(category));

static cl::opt<std::string> budgetPath("budget",
                                       cl::desc("The budgets (required)"),
                                       cl::value_desc("budgets.json"),
                                       cl::cat(category),
                                       cl::sub(checkCommand));
static cl::opt<bool>
    updates("update",
            cl::desc("Write budgets that the plan just meets, and check "
                     "nothing; headrooms stay"),
            cl::cat(category), cl::sub(checkCommand));
static cl::opt<double>
    headroom("headroom",
             cl::desc("By how many percent budgets may be exceeded, unless "
                      "theirs is given (default: what the budgets say)"),
             cl::value_desc("percent"), cl::cat(category),
             cl::sub(checkCommand));
static cl::list<std::string>
    resultPaths("o",
                cl::desc("Write the result to this file as well, in the format "
                         "that its extension says: .json, .md, .txt or, for "
                         "JUnit, .xml; several times for several files"),
                cl::value_desc("path"), cl::cat(category),
                cl::sub(checkCommand));
static cl::opt<CheckFormat> checkFormat(
    "format", cl::desc("The format on standard output (default: text)"),
    cl::init(CheckFormat::Text), cl::cat(category), cl::sub(checkCommand),
    cl::values(clEnumValN(CheckFormat::Text, "text", "a table"),
               clEnumValN(CheckFormat::Markdown, "markdown",
                          "for a comment on a pull request"),
               clEnumValN(CheckFormat::JUnit, "junit", "for CI systems"),
               clEnumValN(CheckFormat::JSON, "json", "for programs")));
static cl::opt<TrendFormat> trendFormat(
    "format", cl::desc("The format on standard output (default: text)"),
    cl::init(TrendFormat::Text), cl::cat(category), cl::sub(trendCommand),
    cl::values(clEnumValN(TrendFormat::Text, "text", "a table"),
               clEnumValN(TrendFormat::Markdown, "markdown", "a table"),
               clEnumValN(TrendFormat::JSON, "json", "for programs")));

static int reportError(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "buffer-merge-report")
      << message << "\n";
  return exitBadInput;
}

/// Read the file `path` with `parse`; an error names the file.
template <typename T>
static llvm::Expected<T>
readFile(llvm::StringRef path,
         llvm::function_ref<llvm::Expected<T>(llvm::StringRef)> parse) {
  auto buffer = readInputFileOrStdin(path);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   path + ": " + buffer.getError().message());
  llvm::Expected<T> result = parse((*buffer)->getBuffer());
  if (!result)
    return llvm::createStringError(path + ": " +
                                   llvm::toString(result.takeError()));
  return result;
}

/// Read all inputs. The error is that of the first one that cannot be read.
static llvm::Expected<std::vector<Report>> readInputs() {
  std::vector<Report> reports;
  for (const std::string &path : inputPaths) {
    if (llvm::sys::path::extension(path) == ".csv")
      return llvm::createStringError(
          path +
          ": a table has no functions and locations, which a report has "
          "in JSON; buffer-merge-schedule " +
          path + " --report=plan.json writes one without them");
    llvm::Expected<Report> report = readFile<Report>(path, parseReport);
    if (!report)
      return report.takeError();
    reports.push_back(std::move(*report));
  }
  return reports;
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
  llvm::Expected<std::vector<Report>> reports = readInputs();
  if (!reports)
    return reportError(llvm::toString(reports.takeError()));
  const Report &report = reports->front();
  if (outputPath == "-")
    return printOut([&](llvm::raw_ostream &os) { printText(os, report); },
                    exitSuccess);
  if (llvm::Error error = writeReport(report, outputPath))
    return reportError(llvm::toString(std::move(error)));
  return exitSuccess;
}

static int compare() {
  if (inputPaths.size() != 2)
    return reportError("--compare expects two plans");
  if (!(tolerance >= 0))
    return reportError("--tolerance is not 0 or more");
  llvm::StringRef extension = llvm::sys::path::extension(outputPath);
  if (outputPath != "-" &&
      !llvm::is_contained({".html", ".json", ".md", ".txt"}, extension))
    return reportError("cannot tell the format of comparison '" + outputPath +
                       "', expected the extension .html, .json, .md or .txt");
  llvm::Expected<std::vector<Report>> reports = readInputs();
  if (!reports)
    return reportError(llvm::toString(reports.takeError()));

  const Report &before = (*reports)[0], &after = (*reports)[1];
  ReportChange change = compareReports(before, after);
  int code = change.grew(tolerance) ? exitGrew : exitSuccess;
  auto print = [&](llvm::raw_ostream &os) {
    if (extension == ".html")
      printChangesAsHTML(os, before, after, change);
    else if (extension == ".json")
      printChangesAsJSON(os, change);
    else if (extension == ".md")
      printChangesAsMarkdown(os, change);
    else
      printChanges(os, change);
  };
  if (outputPath == "-")
    return printOut(print, code);
  if (llvm::Error error = writeFile(outputPath, "comparison", print))
    return reportError(llvm::toString(std::move(error)));
  return code;
}

/// Return the format for the extension of `path`.
static std::optional<CheckFormat> getCheckFormat(llvm::StringRef path) {
  return llvm::StringSwitch<std::optional<CheckFormat>>(
             llvm::sys::path::extension(path))
      .Case(".json", CheckFormat::JSON)
      .Case(".md", CheckFormat::Markdown)
      .Case(".txt", CheckFormat::Text)
      .Case(".xml", CheckFormat::JUnit)
      .Default(std::nullopt);
}

/// Write budgets for `report` to their file, which need not exist.
static int updateBudgets(const Report &report) {
  std::optional<Budgets> old;
  if (llvm::sys::fs::exists(budgetPath)) {
    llvm::Expected<Budgets> read = readFile<Budgets>(budgetPath, parseBudgets);
    if (!read)
      return reportError(llvm::toString(read.takeError()));
    old = std::move(*read);
  }
  Budgets budgets = makeBudgets(report, old ? &*old : nullptr);
  if (headroom.getNumOccurrences())
    budgets.headroom = headroom;
  if (llvm::Error error =
          writeFile(budgetPath, "budgets",
                    [&](llvm::raw_ostream &os) { printBudgets(os, budgets); }))
    return reportError(llvm::toString(std::move(error)));
  return exitSuccess;
}

static int check() {
  if (inputPaths.size() != 1)
    return reportError("check expects one plan");
  if (budgetPath.empty())
    return reportError("check needs --budget");
  if (headroom.getNumOccurrences() &&
      !(headroom >= 0 && std::isfinite(headroom)))
    return reportError("--headroom is not 0 or more");
  if (updates && (!resultPaths.empty() || checkFormat.getNumOccurrences()))
    return reportError("--update checks nothing: -o and --format are of no "
                       "use with it");
  for (const std::string &path : resultPaths)
    if (!getCheckFormat(path))
      return reportError("cannot tell the format of result '" + path +
                         "', expected the extension .json, .md, .txt or .xml");
  llvm::Expected<std::vector<Report>> reports = readInputs();
  if (!reports)
    return reportError(llvm::toString(reports.takeError()));
  const Report &report = reports->front();
  if (updates)
    return updateBudgets(report);

  llvm::Expected<Budgets> budgets = readFile<Budgets>(budgetPath, parseBudgets);
  if (!budgets)
    return reportError(llvm::toString(budgets.takeError()));
  if (headroom.getNumOccurrences())
    budgets->headroom = headroom;
  std::vector<BudgetCheck> checks = checkBudgets(report, *budgets);
  for (const std::string &path : resultPaths)
    if (llvm::Error error =
            writeFile(path, "result", [&](llvm::raw_ostream &os) {
              printChecks(os, checks, *getCheckFormat(path));
            }))
      return reportError(llvm::toString(std::move(error)));
  bool passed = llvm::all_of(checks, std::mem_fn(&BudgetCheck::passed));
  return printOut(
      [&](llvm::raw_ostream &os) { printChecks(os, checks, checkFormat); },
      passed ? exitSuccess : exitGrew);
}

static int trend() {
  if (inputPaths.empty())
    return reportError("trend expects plans");
  llvm::Expected<std::vector<Report>> reports = readInputs();
  if (!reports)
    return reportError(llvm::toString(reports.takeError()));
  std::vector<TrendPoint> points;
  for (auto [path, report] : llvm::zip_equal(inputPaths, *reports))
    points.push_back({path, std::move(report)});
  return printOut(
      [&](llvm::raw_ostream &os) { printTrend(os, points, trendFormat); },
      exitSuccess);
}

/// Return an option that is given to a subcommand which does not have it, or
/// nothing: LLVM takes those of the tool with every subcommand.
static llvm::StringRef findUselessOption() {
  if (!checkCommand && !trendCommand)
    return "";
  if (outputPath.getNumOccurrences())
    return "-o";
  if (compares.getNumOccurrences())
    return "--compare";
  return tolerance.getNumOccurrences() ? "--tolerance" : "";
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::SetVersionPrinter(buffer_merge::printVersion);
  for (cl::SubCommand *command :
       {&cl::SubCommand::getTopLevel(), &checkCommand, &trendCommand})
    cl::HideUnrelatedOptions(category, *command);
  std::string errors;
  llvm::raw_string_ostream errorStream(errors);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "Converts, compares and checks memory plans\n\n"
          "  A plan is what --buffer-merge=report=plan.json writes; - is the\n"
          "  standard input.\n\n"
          "    buffer-merge-report plan.json                 print it as text\n"
          "    buffer-merge-report plan.json -o map.html     write it as a "
          "page\n"
          "    buffer-merge-report --compare old.json new.json\n"
          "    buffer-merge-report check plan.json --budget=budgets.json\n"
          "    buffer-merge-report trend old.json new.json...\n\n"
          "  Exit status: 0; 1 if --compare finds growth, or check a budget "
          "that\n"
          "  is exceeded; 2 if an input or an option is wrong.\n",
          &errorStream)) {
    // The lines after the first one guess what was meant, badly.
    llvm::errs() << llvm::StringRef(errors).split('\n').first << "\n";
    return exitBadInput;
  }
  if (llvm::StringRef option = findUselessOption(); !option.empty())
    return reportError(option + " is of no use with " +
                       (checkCommand ? "check" : "trend"));
  if (checkCommand)
    return check();
  if (trendCommand)
    return trend();
  if (!compares && tolerance.getNumOccurrences())
    return reportError("--tolerance is only of use with --compare");
  return compares ? compare() : convert();
}
