//===- TableJSON.cpp - Tables of buffers in JSON --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TableJSON.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace buffer_merge;

namespace {
struct TableColumn {
  llvm::StringLiteral name;
  bool isNumber;
};
} // namespace

static constexpr TableColumn columns[] = {
    {"id", false},           {"lower", true},      {"upper", true},
    {"size", true},          {"alignment", true},  {"hint", true},
    {"gaps", false},         {"conflicts", false}, {"in-place", false},
    {"in-place-any", false}, {"penalties", false}, {"reads", true},
    {"writes", true},        {"region", false},    {"offset", true}};

void buffer_merge::printTableRows(
    llvm::json::OStream &json, const BufferTable &table,
    llvm::ArrayRef<int64_t> offsets,
    llvm::function_ref<void(BufferId)> printMore) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printBufferTable(os, table, offsets);
  llvm::SmallVector<llvm::StringRef, 0> lines;
  llvm::StringRef(text).rtrim('\n').split(lines, '\n');
  llvm::SmallVector<llvm::StringRef> names;
  lines.front().split(names, ',');
  bool hasAlignment = llvm::is_contained(names, "alignment");
  auto printField = [&](llvm::StringRef name, llvm::StringRef field) {
    auto *column = llvm::find_if(columns, [&](const TableColumn &column) {
      return column.name == name;
    });
    int64_t number;
    if (column != std::end(columns) && column->isNumber &&
        !field.getAsInteger(10, number))
      json.attribute(name, number);
    else if (!field.empty())
      json.attribute(name, llvm::json::fixUTF8(field));
    if (name == "size" && !hasAlignment)
      json.attribute("alignment", 1);
  };
  json.attributeArray("buffers", [&] {
    for (auto [row, line] : llvm::enumerate(llvm::drop_begin(lines)))
      json.object([&, row = row, line = line] {
        llvm::SmallVector<llvm::StringRef> fields;
        line.split(fields, ',');
        for (auto [name, field] : llvm::zip_equal(names, fields))
          printField(name, field);
        if (printMore)
          printMore(row);
      });
  });
}

/// Return `value` as a field, or nothing if it cannot be one.
static std::optional<std::string> makeField(const llvm::json::Value &value) {
  if (std::optional<int64_t> number = value.getAsInteger())
    return std::to_string(*number);
  std::optional<llvm::StringRef> text = value.getAsString();
  if (!text || text->find_first_of(",\n\r\"") != llvm::StringRef::npos)
    return std::nullopt;
  return text->str();
}

llvm::Expected<std::optional<std::string>>
buffer_merge::readTableRows(const llvm::json::Value &value) {
  const llvm::json::Object *object = value.getAsObject();
  const llvm::json::Array *rows =
      object ? object->getArray("buffers") : nullptr;
  if (!rows)
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef> names;
  for (const TableColumn &column : columns)
    if (llvm::any_of(*rows, [&](const llvm::json::Value &row) {
          return row.getAsObject() && row.getAsObject()->get(column.name);
        }))
      names.push_back(column.name);
  // No row has any of them.
  if (rows->empty())
    names = {"id", "lower", "upper", "size"};
  std::string text = llvm::join(names, ",") + "\n";
  for (auto [index, row] : llvm::enumerate(*rows)) {
    std::string path = "buffers/" + std::to_string(index);
    const llvm::json::Object *members = row.getAsObject();
    if (!members)
      return llvm::createStringError(path + ": expected an object");
    llvm::ListSeparator separator(",");
    for (llvm::StringRef name : names) {
      text += llvm::StringRef(separator);
      const llvm::json::Value *member = members->get(name);
      std::optional<std::string> field =
          member ? makeField(*member) : std::string();
      if (!field)
        return llvm::createStringError(
            path + "/" + name +
            ": expected an integer, or a text that can be in a table");
      text += *field;
    }
    text += "\n";
  }
  return text;
}
