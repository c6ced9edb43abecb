//===- ReportFormat.cpp - Reports as files -------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Report/ReportFormat.h"
#include "buffer-merge/Scheduling/Input.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace buffer_merge;

llvm::Expected<ReportFormat> buffer_merge::getReportFormat(llvm::StringRef path,
                                                           bool hasPlan) {
  if (path == "-")
    return ReportFormat::Text;
  if (path.ends_with(".trace.json"))
    return llvm::createStringError(
        "cannot write report '" + path +
        "': write plan.json, and then buffer-merge-report plan.json -o " +
        path);
  static constexpr std::pair<llvm::StringLiteral, ReportFormat> formats[] = {
      {".csv", ReportFormat::CSV},
      {".html", ReportFormat::HTML},
      {".json", ReportFormat::JSON},
      {".md", ReportFormat::Markdown},
      {".txt", ReportFormat::Text}};
  auto find = [](llvm::StringRef path) {
    return llvm::find_if(formats, [&](const auto &format) {
      return format.first == llvm::sys::path::extension(path);
    });
  };
  auto [first, second] = path.split(path.contains(',') ? ',' : ';');
  if (!second.empty() && find(first) != std::end(formats))
    return llvm::createStringError("a report is one file, not '" + first +
                                   "' and '" + second + "'");
  if (const auto *format = find(path); format != std::end(formats))
    return format->second;
  llvm::StringRef extension = llvm::sys::path::extension(path);
  std::string nearest;
  if (!extension.empty())
    nearest =
        "; the nearest is '" +
        findNearestName(extension, llvm::make_first_range(formats)).str() + "'";
  return llvm::createStringError(
      "cannot tell the format of report '" + path +
      "', expected the extension .csv, .html, .json, " +
      (hasPlan ? ".ld, " : "") + ".md or .txt, or - for text" + nearest);
}

void buffer_merge::printReport(llvm::raw_ostream &os, const Report &report,
                               ReportFormat format) {
  switch (format) {
  case ReportFormat::Text:
    return printText(os, report);
  case ReportFormat::JSON:
    return printJSON(os, report);
  case ReportFormat::CSV:
    return printCSV(os, report);
  case ReportFormat::HTML:
    return printHTML(os, report);
  case ReportFormat::Markdown:
    return printMarkdown(os, report);
  }
}

bool buffer_merge::nameSameFile(llvm::StringRef first, llvm::StringRef second) {
  if (first == "-" || second == "-")
    return false;
  auto getPlace = [](llvm::StringRef path) {
    llvm::SmallString<128> place(path);
    llvm::sys::fs::make_absolute(place);
    llvm::sys::path::remove_dots(place, /*remove_dot_dot=*/true);
    return place;
  };
  return getPlace(first) == getPlace(second) ||
         llvm::sys::fs::equivalent(first, second);
}

/// Print with `print` to the open file `fd`.
static std::error_code
printToFile(int fd, llvm::function_ref<void(llvm::raw_ostream &)> print) {
  llvm::raw_fd_ostream os(fd, /*shouldClose=*/false);
  print(os);
  os.flush();
  std::error_code error = os.error();
  os.clear_error();
  return error;
}

llvm::Error
buffer_merge::writeFile(llvm::StringRef path, llvm::StringRef what,
                        llvm::function_ref<void(llvm::raw_ostream &)> print) {
  namespace fs = llvm::sys::fs;
  auto fail = [&](std::error_code error) {
    return llvm::createStringError(error, "cannot write " + what + " '" + path +
                                              "': " + error.message());
  };

  // A link stays a link: what it refers to is replaced.
  llvm::SmallString<128> target(path);
  fs::file_status status;
  if (!fs::status(path, status) && fs::exists(status)) {
    if (std::error_code error = fs::access(path, fs::AccessMode::Write))
      return fail(error);
    if (status.type() != fs::file_type::regular_file) {
      int fd;
      if (std::error_code error =
              fs::openFileForWrite(path, fd, fs::CD_OpenExisting))
        return fail(error);
      std::error_code error = printToFile(fd, print);
      fs::file_t file = fs::convertFDToNativeFile(fd);
      fs::closeFile(file);
      return error ? fail(error) : llvm::Error::success();
    }
    if (std::error_code error = fs::real_path(path, target))
      return fail(error);
  }

  llvm::Expected<fs::TempFile> file = fs::TempFile::create(
      target + ".tmp-%%%%%%%%", fs::all_read | fs::all_write);
  if (!file)
    return fail(llvm::errorToErrorCode(file.takeError()));
  if (std::error_code error = printToFile(file->FD, print)) {
    llvm::consumeError(file->discard());
    return fail(error);
  }
  if (llvm::Error error = file->keep(target))
    return fail(llvm::errorToErrorCode(std::move(error)));
  return llvm::Error::success();
}

llvm::Error buffer_merge::writeReport(const Report &report,
                                      llvm::StringRef path) {
  llvm::Expected<ReportFormat> format = getReportFormat(path);
  if (!format)
    return format.takeError();
  return writeFile(path, "report", [&](llvm::raw_ostream &os) {
    printReport(os, report, *format);
  });
}
