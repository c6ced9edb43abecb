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

#include "buffer-merge/Report/CompareReports.h"
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

/// Print `value` as the element `id` of the page, for its script.
static void printData(llvm::raw_ostream &os, llvm::StringRef id,
                      llvm::function_ref<void(llvm::raw_ostream &)> print) {
  std::string json;
  llvm::raw_string_ostream stream(json);
  print(stream);
  os << "<script type=\"application/json\" id=\"" << id << "\">";
  printInScript(os, json);
  os << "</script>\n";
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

void buffer_merge::printHTML(llvm::raw_ostream &os, const Report &report) {
  std::string subject = report.module.empty() ? "" : " of " + report.module;
  printPage(os, "Memory map" + subject, [&] {
    printData(os, "report", [&](llvm::raw_ostream &os) {
      printJSON(os, report, /*indent=*/0);
    });
  });
}

void buffer_merge::printChangesAsHTML(llvm::raw_ostream &os,
                                      const Report &before, const Report &after,
                                      const ReportChange &change) {
  std::string subject = after.module.empty() ? "" : " of " + after.module;
  printPage(os, "Memory maps" + subject + ", compared", [&] {
    printData(os, "report", [&](llvm::raw_ostream &os) {
      printJSON(os, after, /*indent=*/0);
    });
    printData(os, "report-before", [&](llvm::raw_ostream &os) {
      printJSON(os, before, /*indent=*/0);
    });
    printData(os, "report-changes", [&](llvm::raw_ostream &os) {
      printChangesAsJSON(os, change, /*indent=*/0);
    });
  });
}
