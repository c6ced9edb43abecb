//===- TableJSON.cpp - Tables of buffers in JSON --------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TableJSON.h"

#include "buffer-merge/Scheduling/Input.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace buffer_merge;

void buffer_merge::printTableRows(
    llvm::json::OStream &json, const BufferTable &table,
    llvm::ArrayRef<int64_t> offsets,
    llvm::function_ref<void(BufferId)> printMore) {
  llvm::SmallVector<TableColumn> columns = getTableColumns();
  llvm::SmallVector<std::string> names;
  auto printField = [&](llvm::StringRef name, llvm::StringRef field) {
    auto *column = llvm::find_if(columns, [&](const TableColumn &column) {
      return column.name == name;
    });
    int64_t number;
    if (column != columns.end() && column->isNumber &&
        !field.getAsInteger(10, number))
      json.attribute(name, number);
    else if (!field.empty())
      json.attribute(name, llvm::json::fixUTF8(field));
    if (name == "size" && !llvm::is_contained(names, "alignment"))
      json.attribute("alignment", 1);
  };
  BufferId row = 0;
  auto printRow = [&](llvm::ArrayRef<std::string> fields) {
    if (names.empty()) {
      names.assign(fields.begin(), fields.end());
      return;
    }
    json.object([&] {
      for (auto [name, field] : llvm::zip_equal(names, fields))
        printField(name, field);
      if (printMore && row < table.ids.size())
        printMore(row);
    });
    ++row;
  };
  json.attributeArray("buffers", [&] {
    visitTableRows(table, offsets, /*isPlan=*/false, printRow);
  });
}

/// Return `value` as a field, or nothing if it cannot be one.
static std::optional<std::string> makeField(const llvm::json::Value &value) {
  if (std::optional<int64_t> number = value.getAsInteger())
    return std::to_string(*number);
  std::optional<llvm::StringRef> text = value.getAsString();
  if (!text || text->find_first_of("\n\r") != llvm::StringRef::npos)
    return std::nullopt;
  std::string field;
  llvm::raw_string_ostream os(field);
  printTableField(os, *text);
  return field;
}

/// Return an error if `object` has a member that is none of `names`.
static llvm::Error checkMembers(const llvm::json::Object &object,
                                llvm::StringRef path,
                                llvm::ArrayRef<llvm::StringRef> names) {
  std::optional<llvm::StringRef> unknown;
  for (const auto &member : object)
    if (llvm::StringRef name = member.first;
        !llvm::is_contained(names, name) && (!unknown || name < *unknown))
      unknown = name;
  if (!unknown)
    return llvm::Error::success();
  return llvm::createStringError(path + "there is no member '" + *unknown +
                                 "'; the nearest is '" +
                                 findNearestName(*unknown, names) + "'");
}

llvm::Expected<std::optional<std::string>>
buffer_merge::readTableRows(const llvm::json::Value &value) {
  const llvm::json::Object *object = value.getAsObject();
  // A report has pools.
  if (!object || object->get("pools"))
    return std::nullopt;
  // What --json prints beside the table.
  if (llvm::Error error =
          checkMembers(*object, "",
                       {"version", "scheduler", "capacity", "pool", "alignment",
                        "lowerBound", "ratio", "provedBound", "optimal",
                        "reuse", "cost", "regions", "buffers"}))
    return std::move(error);
  const llvm::json::Array *rows = object->getArray("buffers");
  if (!rows)
    return llvm::createStringError("buffers: expected an array");
  llvm::SmallVector<llvm::StringRef> names;
  llvm::SmallVector<llvm::StringRef> known = {"address"};
  for (const TableColumn &column : getTableColumns()) {
    known.push_back(column.name);
    if (llvm::any_of(*rows, [&](const llvm::json::Value &row) {
          return row.getAsObject() && row.getAsObject()->get(column.name);
        }))
      names.push_back(column.name);
  }
  // No row has any of them.
  if (rows->empty())
    names = {"id", "lower", "upper", "size"};
  std::string text = llvm::join(names, ",") + "\n";
  for (auto [index, row] : llvm::enumerate(*rows)) {
    std::string path = "buffers/" + std::to_string(index);
    const llvm::json::Object *members = row.getAsObject();
    if (!members)
      return llvm::createStringError(path + ": expected an object");
    if (llvm::Error error = checkMembers(*members, path + ": ", known))
      return std::move(error);
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
