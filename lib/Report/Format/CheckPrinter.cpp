//===- CheckPrinter.cpp - Checks as text, Markdown, JUnit and JSON -------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Report/Budgets.h"

#include "TextEscape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace buffer_merge;

/// Return what `check` is about: `@main` and the like.
static std::string getSubject(const BudgetCheck &check) {
  std::string subject;
  switch (check.kind) {
  case BudgetCheck::Kind::Total:
    subject = "total";
    break;
  case BudgetCheck::Kind::Function:
    subject = formatSymbol(check.name);
    break;
  case BudgetCheck::Kind::NewFunctions:
    subject = "functions without a budget";
    break;
  case BudgetCheck::Kind::Region:
    subject = "memory: " + escapeText(check.name);
    break;
  }
  return check.isCount ? subject + ": allocations that stay" : subject;
}

/// Return how much of the limit is used, or nothing if that says nothing.
static std::string getUse(const BudgetCheck &check) {
  if (check.isCount || check.limit == 0)
    return "";
  return llvm::formatv("{0:F1} %",
                       100 * double(check.value) / double(check.limit));
}

/// Return true if `check` has a line of its own where there is one for each
/// thing that a person has to look at.
static bool isListed(const BudgetCheck &check) {
  return !check.passed() ||
         (check.kind != BudgetCheck::Kind::Function && !check.isCount);
}

static size_t countFailures(llvm::ArrayRef<BudgetCheck> checks) {
  return llvm::count_if(
      checks, [](const BudgetCheck &check) { return !check.passed(); });
}

/// Return `12 checks, 1 failed`.
static std::string getSummary(llvm::ArrayRef<BudgetCheck> checks) {
  return llvm::formatv("{0}, {1} failed", formatCount(checks.size(), "check"),
                       countFailures(checks));
}

static void printText(llvm::raw_ostream &os,
                      llvm::ArrayRef<BudgetCheck> checks) {
  size_t width = 5;
  for (const BudgetCheck &check : checks)
    if (isListed(check))
      width = std::max({width, std::to_string(check.value).size(),
                        std::to_string(check.limit).size()});
  auto printRow = [&](llvm::StringRef status, llvm::StringRef value,
                      llvm::StringRef limit, llvm::StringRef use,
                      llvm::StringRef subject) {
    os << llvm::left_justify(status, 4) << "  "
       << llvm::right_justify(value, width) << "  "
       << llvm::right_justify(limit, width) << "  "
       << llvm::right_justify(use, 9)
       << (subject.empty() ? "" : "  " + subject.str()) << "\n";
  };
  if (llvm::any_of(checks, isListed))
    printRow("", "bytes", "limit", "used", "");
  for (const BudgetCheck &check : checks) {
    if (!isListed(check))
      continue;
    printRow(check.passed() ? "ok" : "FAIL", std::to_string(check.value),
             std::to_string(check.limit), getUse(check), getSubject(check));
    for (const std::string &detail : check.details)
      os << "      " << detail << "\n";
  }
  os << getSummary(checks) << "\n";
}

static void printMarkdown(llvm::raw_ostream &os,
                          llvm::ArrayRef<BudgetCheck> checks) {
  os << "### Memory budgets: "
     << (countFailures(checks) == 0 ? "met" : "exceeded") << "\n\n"
     << getSummary(checks) << "\n";
  if (llvm::any_of(checks, isListed))
    os << "\n| | what | now | limit | used |\n"
          "| --- | --- | ---: | ---: | ---: |\n";
  for (const BudgetCheck &check : checks)
    if (isListed(check))
      os << "| " << (check.passed() ? "ok" : "**failed**") << " | "
         << formatCode(getSubject(check), /*isInTable=*/true) << " | "
         << std::to_string(check.value) << " | " << std::to_string(check.limit)
         << " | " << getUse(check) << " |\n";
  for (const BudgetCheck &check : checks) {
    if (check.details.empty())
      continue;
    os << "\n<details><summary>";
    llvm::printHTMLEscaped(getSubject(check), os);
    os << "</summary>\n\n";
    for (const std::string &detail : check.details)
      os << "- " << formatCode(detail) << "\n";
    os << "\n</details>\n";
  }
}

/// Print `text` as the value of an attribute of XML, with its quotes.
static void printAttribute(llvm::raw_ostream &os, llvm::StringRef text) {
  os << '"';
  llvm::printHTMLEscaped(escapeText(text), os);
  os << '"';
}

static void printJUnit(llvm::raw_ostream &os,
                       llvm::ArrayRef<BudgetCheck> checks) {
  os << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
     << llvm::formatv("<testsuite name=\"memory budgets\" tests=\"{0}\" "
                      "failures=\"{1}\" errors=\"0\">\n",
                      checks.size(), countFailures(checks));
  for (const BudgetCheck &check : checks) {
    os << "<testcase classname=\"memory\" name=";
    printAttribute(os, getSubject(check));
    if (check.passed()) {
      os << "/>\n";
      continue;
    }
    os << "><failure message=";
    printAttribute(os, llvm::formatv("{0}, the limit is {1}",
                                     std::to_string(check.value),
                                     std::to_string(check.limit))
                           .str());
    os << ">";
    for (const std::string &detail : check.details) {
      llvm::printHTMLEscaped(detail, os);
      os << "\n";
    }
    os << "</failure></testcase>\n";
  }
  os << "</testsuite>\n</testsuites>\n";
}

static llvm::StringRef getKindName(BudgetCheck::Kind kind) {
  switch (kind) {
  case BudgetCheck::Kind::Total:
    return "total";
  case BudgetCheck::Kind::Function:
    return "function";
  case BudgetCheck::Kind::NewFunctions:
    return "newFunctions";
  case BudgetCheck::Kind::Region:
    return "region";
  }
  llvm_unreachable("all kinds are named");
}

static void printChecksJSON(llvm::raw_ostream &os,
                            llvm::ArrayRef<BudgetCheck> checks) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("kind", "check");
    json.attribute("passed", countFailures(checks) == 0);
    json.attributeArray("checks", [&] {
      for (const BudgetCheck &check : checks)
        json.object([&] {
          json.attribute("kind", getKindName(check.kind));
          if (!check.name.empty())
            json.attribute("name", check.name);
          json.attribute("unit", check.isCount ? "allocations" : "bytes");
          json.attribute("value", check.value);
          json.attribute("limit", check.limit);
          json.attribute("passed", check.passed());
          if (!check.details.empty())
            json.attributeArray("details", [&] {
              for (const std::string &detail : check.details)
                json.value(detail);
            });
        });
    });
  });
  os << "\n";
}

void buffer_merge::printChecks(llvm::raw_ostream &os,
                               llvm::ArrayRef<BudgetCheck> checks,
                               CheckFormat format) {
  switch (format) {
  case CheckFormat::Text:
    return printText(os, checks);
  case CheckFormat::Markdown:
    return printMarkdown(os, checks);
  case CheckFormat::JUnit:
    return printJUnit(os, checks);
  case CheckFormat::JSON:
    return printChecksJSON(os, checks);
  }
}
