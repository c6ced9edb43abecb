//===- ComparePrinter.cpp - Changes as text, Markdown and JSON -----------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Report/CompareReports.h"

#include "TextEscape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace buffer_merge;

/// Return `10 -> 15 bytes (+50.0 %)`, or `new, 15 bytes` and the like.
static std::string describeBytes(std::optional<int64_t> before,
                                 std::optional<int64_t> after) {
  if (!before)
    return llvm::formatv("new, {0} bytes", *after);
  if (!after)
    return llvm::formatv("gone, {0} bytes before", *before);
  if (*before == *after)
    return llvm::formatv("{0} bytes", *after);
  if (*before == 0)
    return llvm::formatv("{0} -> {1} bytes", *before, *after);
  return llvm::formatv("{0} -> {1} bytes ({2})", *before, *after,
                       formatGrowth(*before, *after));
}

static std::string describeFunction(const FunctionChange &change) {
  std::string text = describeBytes(change.before, change.after);
  if (!change.renamedFrom.empty())
    text += ", renamed from " + formatSymbol(change.renamedFrom);
  return text;
}

static std::string describeBuffer(const BufferChange &change) {
  std::string subject =
      llvm::formatv("{0}, {1} bytes", escapeText(change.name), change.size);
  switch (change.kind) {
  case BufferChange::Kind::NoLongerMerged:
    return "no longer merged: " + subject + ": " + escapeText(change.reason);
  case BufferChange::Kind::Merged:
    return "merged now: " + subject;
  case BufferChange::Kind::StoppedSharing:
    return "stopped sharing: " + subject + ": with " +
           std::to_string(change.sharers) +
           (change.sharers == 1 ? " other" : " others") + " before";
  case BufferChange::Kind::Grew:
  case BufferChange::Kind::Shrank:
    return (change.kind == BufferChange::Kind::Grew ? "grew: " : "shrank: ") +
           escapeText(change.name) + ", " +
           describeBytes(change.sizeBefore, change.size);
  case BufferChange::Kind::New:
    return "new: " + subject +
           (change.reason.empty()
                ? ""
                : ", left alone: " + escapeText(change.reason));
  case BufferChange::Kind::Gone:
    return "gone: " + subject;
  case BufferChange::Kind::Moved:
    return "moved: " + subject;
  }
  llvm_unreachable("all kinds are described");
}

/// Return how many buffers of `change` are only at another offset: a list of
/// them tells nothing that the number does not.
static std::string describeMoved(const FunctionChange &change) {
  size_t count = llvm::count_if(change.buffers, [](const BufferChange &buffer) {
    return buffer.kind == BufferChange::Kind::Moved;
  });
  return count == 0 ? "" : "moved: " + formatCount(count, "buffer");
}

/// Return the sentence about the whole program.
static std::string describeTotal(const ReportChange &change) {
  std::string where = formatCount(change.numFunctions, "function");
  if (change.functions.empty())
    return llvm::formatv("no change: {0} bytes in {1}", change.after, where);
  return llvm::formatv("total: {0} in {1}",
                       describeBytes(change.before, change.after), where);
}

void buffer_merge::printChanges(llvm::raw_ostream &os,
                                const ReportChange &change) {
  os << describeTotal(change) << "\n";
  for (const FunctionChange &function : change.functions) {
    os << formatSymbol(function.function) << ": " << describeFunction(function)
       << "\n";
    for (const PoolChange &pool : function.pools)
      os << "  pool of " << escapeText(pool.scope) << ": "
         << describeBytes(pool.before, pool.after) << "\n";
    for (const BufferChange &buffer : function.buffers)
      if (buffer.kind != BufferChange::Kind::Moved)
        os << "  " << describeBuffer(buffer) << "\n";
    if (std::string moved = describeMoved(function); !moved.empty())
      os << "  " << moved << "\n";
  }
}

void buffer_merge::printChangesAsMarkdown(llvm::raw_ostream &os,
                                          const ReportChange &change) {
  // A comment on a review is for people: the largest changes are enough.
  constexpr size_t maxBuffers = 20;
  os << "### Memory\n\n" << describeTotal(change) << "\n";
  if (change.functions.empty())
    return;
  os << "\n| function | before | after | change |\n"
        "| --- | ---: | ---: | ---: |\n";
  for (const FunctionChange &function : change.functions) {
    auto print = [&](std::optional<int64_t> bytes, llvm::StringRef absent) {
      os << " | " << (bytes ? std::to_string(*bytes) : absent.str());
    };
    os << "| "
       << formatCode(formatSymbol(function.function), /*isInTable=*/true);
    print(function.before, "new");
    print(function.after, "gone");
    os << " | "
       << (function.before && function.after
               ? formatGrowth(*function.before, *function.after)
               : "")
       << " |\n";
  }
  for (const FunctionChange &function : change.functions) {
    std::vector<const BufferChange *> buffers;
    for (const BufferChange &buffer : function.buffers)
      if (buffer.kind != BufferChange::Kind::Moved)
        buffers.push_back(&buffer);
    if (buffers.empty())
      continue;
    // They are elements of one array: equal sizes stay in its order.
    llvm::sort(buffers, [](const BufferChange *a, const BufferChange *b) {
      return a->size != b->size ? a->size > b->size : a < b;
    });
    os << "\n<details><summary>Buffers of ";
    llvm::printHTMLEscaped(formatSymbol(function.function), os);
    os << "</summary>\n\n";
    for (const BufferChange *buffer :
         llvm::ArrayRef(buffers).take_front(maxBuffers))
      os << "- " << formatCode(describeBuffer(*buffer)) << "\n";
    if (buffers.size() > maxBuffers)
      os << "- and " << buffers.size() - maxBuffers << " more\n";
    os << "\n</details>\n";
  }
}

static void printPlace(llvm::json::OStream &json, llvm::StringRef key,
                       std::optional<std::pair<size_t, size_t>> place) {
  if (!place)
    return;
  json.attributeObject(key, [&] {
    json.attribute("pool", int64_t(place->first));
    json.attribute("buffer", int64_t(place->second));
  });
}

static void printSizes(llvm::json::OStream &json, std::optional<int64_t> before,
                       std::optional<int64_t> after) {
  if (before)
    json.attribute("before", *before);
  if (after)
    json.attribute("after", *after);
}

static void printBuffer(llvm::json::OStream &json, const BufferChange &change) {
  json.attribute("change", getChangeName(change.kind));
  json.attribute("name", change.name);
  json.attribute("size", change.size);
  if (change.kind == BufferChange::Kind::Grew ||
      change.kind == BufferChange::Kind::Shrank)
    json.attribute("sizeBefore", change.sizeBefore);
  if (!change.reason.empty())
    json.attribute("reason", change.reason);
  printPlace(json, "before", change.before);
  printPlace(json, "after", change.after);
}

static void printFunction(llvm::json::OStream &json,
                          const FunctionChange &function) {
  json.attribute("function", function.function);
  if (!function.renamedFrom.empty())
    json.attribute("renamedFrom", function.renamedFrom);
  printSizes(json, function.before, function.after);
  json.attributeArray("pools", [&] {
    for (const PoolChange &pool : function.pools)
      json.object([&] {
        json.attribute("scope", pool.scope);
        printSizes(json, pool.before, pool.after);
      });
  });
  json.attributeArray("buffers", [&] {
    for (const BufferChange &buffer : function.buffers)
      json.object([&] { printBuffer(json, buffer); });
  });
}

void buffer_merge::printChangesAsJSON(llvm::raw_ostream &os,
                                      const ReportChange &change,
                                      unsigned indent) {
  llvm::json::OStream json(os, indent);
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("kind", "comparison");
    json.attribute("before", change.before);
    json.attribute("after", change.after);
    json.attributeArray("functions", [&] {
      for (const FunctionChange &function : change.functions)
        json.object([&] { printFunction(json, function); });
    });
  });
  if (indent)
    os << "\n";
}
