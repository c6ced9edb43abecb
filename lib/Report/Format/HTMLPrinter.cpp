//===- HTMLPrinter.cpp - Reports as a page -------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The page is the report as JSON and a script that draws it. A browser reads
// 100,000 buffers as JSON in a fraction of the time that it takes to build as
// many elements, and the script builds only what is looked at.
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Report/ReportFormat.h"

#include "llvm/ADT/StringExtras.h"

using namespace buffer_merge;

#include "PageText.inc"

/// Print `json` such that it may stand inside of a script element: with no `<`,
/// which JSON has only inside of strings.
static void printInScript(llvm::raw_ostream &os, llvm::StringRef json) {
  while (true) {
    auto [before, after] = json.split('<');
    os << before;
    if (before.size() == json.size())
      return;
    os << "\\u003c";
    json = after;
  }
}

/// Print `json` as the element `id` of the page, for its script.
static void printData(llvm::raw_ostream &os, llvm::StringRef id,
                      llvm::StringRef json) {
  os << "<script type=\"application/json\" id=\"" << id << "\">";
  printInScript(os, json);
  os << "</script>\n";
}

static void printData(llvm::raw_ostream &os, llvm::StringRef id,
                      const Report &report) {
  std::string json;
  llvm::raw_string_ostream stream(json);
  printJSON(stream, report, /*indent=*/0);
  printData(os, id, json);
}

/// Print a page with the given title and data.
static void printPage(llvm::raw_ostream &os, const llvm::Twine &text,
                      llvm::function_ref<void()> printAllData) {
  std::string title;
  llvm::raw_string_ostream titleStream(title);
  llvm::printHTMLEscaped(text.str(), titleStream);
  // Whatever a name in the report may contain, nothing is loaded from anywhere.
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
        "charset=\"utf-8\">\n"
     << "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
     << "<meta name=\"viewport\" content=\"width=device-width, "
        "initial-scale=1\">\n"
     << "<title>" << title << "</title>\n<style>\n"
     << pageStyle << "</style>\n</head>\n<body>\n";
  auto [before, after] = pageBody.split("@TITLE@");
  os << before << title << after;
  printAllData();
  os << "<script>\n" << pageScript << "</script>\n</body>\n</html>\n";
}

/// Return what a page on `report` is about.
static std::string getSubject(const Report &report) {
  return report.module.empty() ? "" : " of " + report.module;
}

void buffer_merge::printHTML(llvm::raw_ostream &os, const Report &report) {
  printPage(os, "Memory map" + getSubject(report),
            [&] { printData(os, "report", report); });
}

void buffer_merge::printComparisonHTML(llvm::raw_ostream &os,
                                       const Report &before,
                                       const Report &after,
                                       llvm::StringRef changes) {
  printPage(os, "Memory maps" + getSubject(after) + ", compared", [&] {
    printData(os, "report", after);
    printData(os, "report-before", before);
    printData(os, "report-changes", changes);
  });
}
