//===- JSON.cpp - Reports as JSON, both ways, and their schema -----------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three visitors of what Report.h describes. Files come from anywhere: what
// printers rely on is checked while they are read.
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Report/ReportFormat.h"
#include "buffer-merge/Scheduling/Input.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace buffer_merge;

using Key = llvm::StringLiteral;

namespace {
/// Prints the members of one object.
class JSONPrinter {
public:
  explicit JSONPrinter(llvm::json::OStream &json) : json(json) {}

  template <typename T>
  void field(Key key, T &value, Key, int64_t = 0) {
    json.attributeBegin(key);
    print(value);
    json.attributeEnd();
  }
  template <typename T>
  void optional(Key key, T &value, Key sentence, int64_t = 0) {
    if (!isMissing(value))
      field(key, value, sentence);
  }
  template <typename T>
  void derived(Key key, T &value, Key sentence) {
    optional(key, value, sentence);
  }
  template <typename... T>
  void check(const T &...) {}

private:
  void print(llvm::StringRef text) { json.value(text); }
  void print(int64_t number) { json.value(number); }
  template <typename T>
  void print(std::optional<T> &value) {
    print(*value);
  }
  template <typename T>
  void print(std::vector<T> &items) {
    json.array([&] {
      for (T &item : items)
        print(item);
    });
  }
  template <typename T>
  auto print(T &value) -> decltype(value.describe(*this)) {
    json.object([&] { value.describe(*this); });
  }

  static bool isMissing(int64_t number) { return number == 0; }
  template <typename T>
  static bool isMissing(const std::optional<T> &value) {
    return !value;
  }
  template <typename T>
  static auto isMissing(const T &items) -> decltype(items.empty()) {
    return items.empty();
  }

  llvm::json::OStream &json;
};

/// Reads the members of one object. After the first failure the rest does
/// nothing.
class JSONReader {
public:
  JSONReader(const llvm::json::Value &value, llvm::json::Path path)
      : isGood(true), mapper(value, path), path(path) {
    isGood = bool(mapper);
  }

  template <typename T>
  void field(Key key, T &value, Key, int64_t least = 0) {
    isGood = isGood && mapper.map(key, value) && isInRange(key, value, least);
  }
  template <typename T>
  void optional(Key key, T &value, Key, int64_t least = 0) {
    isGood = isGood && mapper.mapOptional(key, value) &&
             isInRange(key, value, least);
  }
  template <typename T>
  void optional(Key key, std::optional<T> &value, Key sentence,
                int64_t least = 0) {
    field(key, value, sentence, least);
  }
  template <typename T>
  void derived(Key, T &, Key) {}

  /// Fail with `message` about member `key` unless `condition` holds; it is
  /// asked only if everything before is in order.
  void check(Key key, Key message, llvm::function_ref<bool()> condition) {
    if (isGood && !condition())
      fail(key, message);
  }
  /// The same for the first of several conditions that does not hold.
  void check(llvm::function_ref<std::pair<Key, Key>()> find) {
    if (!isGood)
      return;
    auto [key, message] = find();
    if (!key.empty())
      fail(key, message);
  }

  bool isGood;

private:
  bool fail(Key key, Key message) {
    path.field(key).report(message);
    return isGood = false;
  }
  template <typename T>
  bool isInRange(Key, const T &, int64_t) {
    return true;
  }
  bool isInRange(Key key, int64_t number, int64_t least) {
    return (number >= least && number <= maxReportNumber) ||
           fail(key, "number out of range");
  }
  bool isInRange(Key key, std::optional<int64_t> number, int64_t least) {
    return !number || isInRange(key, *number, least);
  }

  llvm::json::ObjectMapper mapper;
  llvm::json::Path path;
};

/// Prints the schema of one object: that of each of its members, and which of
/// them it must have.
class SchemaPrinter {
public:
  explicit SchemaPrinter(llvm::json::OStream &json) : json(json) {}

  /// Print the schema of `T` as members of an object.
  template <typename T>
  static void print(llvm::json::OStream &json, T &&value) {
    json.attribute("type", "object");
    SchemaPrinter printer(json);
    json.attributeObject("properties", [&] { value.describe(printer); });
    json.attributeArray("required", [&] {
      for (Key key : printer.required)
        json.value(key);
    });
    json.attribute("additionalProperties", false);
  }

  template <typename T>
  void field(Key key, T &value, Key sentence, int64_t least = 0) {
    required.push_back(key);
    optional(key, value, sentence, least);
  }
  template <typename T>
  void optional(Key key, T &value, Key sentence, int64_t least = 0) {
    json.attributeObject(key, [&] {
      json.attribute("description", sentence);
      printType(value, least);
    });
  }
  template <typename T>
  void derived(Key key, T &value, Key sentence) {
    optional(key, value, sentence);
  }
  template <typename... T>
  void check(const T &...) {}

private:
  void printType(const std::string &, int64_t) {
    json.attribute("type", "string");
  }
  void printType(int64_t, int64_t least) {
    json.attribute("type", "integer");
    json.attribute("minimum", least);
  }
  template <typename T>
  void printType(const std::optional<T> &, int64_t least) {
    printType(T(), least);
  }
  template <typename T>
  void printType(const std::vector<T> &, int64_t least) {
    json.attribute("type", "array");
    json.attributeObject("items", [&] { printType(T(), least); });
  }
  template <typename T>
  auto printType(T value, int64_t) -> decltype(value.describe(*this)) {
    print(json, value);
  }

  llvm::json::OStream &json;
  llvm::SmallVector<Key> required;
};
} // namespace

namespace buffer_merge {
/// Called by what reads lists and what is optional.
template <typename T>
static auto fromJSON(const llvm::json::Value &value, T &item,
                     llvm::json::Path path)
    -> decltype(item.describe(std::declval<JSONReader &>()), bool()) {
  JSONReader reader(value, path);
  item.describe(reader);
  return reader.isGood;
}
} // namespace buffer_merge

void buffer_merge::printJSON(llvm::raw_ostream &os, Report report,
                             unsigned indent) {
  report.totals = computeTotals(report);
  for (auto [pool, added] :
       llvm::zip_equal(report.pools, computeAddedBytes(report))) {
    if (pool.reason.empty() && added != pool.poolSize)
      pool.addedBytes = added;
    for (auto [buffer, sharers] :
         llvm::zip_equal(pool.buffers, countSharers(pool))) {
      buffer.address = getAddress(pool, buffer.offset);
      buffer.sharers = sharers;
    }
  }
  // It says nothing without numbers that are about it.
  if (!report.program && report.baseline == Report().baseline)
    report.baseline.clear();
  llvm::json::OStream json(os, indent);
  JSONPrinter printer(json);
  json.object([&] { report.describe(printer); });
  if (indent)
    os << "\n";
}

void buffer_merge::printSchema(llvm::raw_ostream &os) {
  llvm::json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("$schema", "https://json-schema.org/draft/2020-12/schema");
    json.attribute("title", "A memory plan of buffer-merge");
    json.attribute("description",
                   "Sizes, alignments and offsets are bytes, lifetimes ticks. "
                   "Readers ignore unknown members; this schema does not allow "
                   "them, so that a test notices what it lacks.");
    SchemaPrinter::print(json, Report());
  });
  os << "\n";
}

llvm::Expected<Report> buffer_merge::parseReport(llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> value = parseJSON(text);
  if (!value)
    return value.takeError();
  Report report;
  llvm::json::Path::Root root("report");
  if (!fromJSON(*value, report, root))
    return root.getError();
  for (ReportPool &pool : report.pools)
    pool.provedBound = std::max(pool.provedBound, pool.lowerBound);
  return report;
}
