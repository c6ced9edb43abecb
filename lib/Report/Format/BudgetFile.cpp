//===- BudgetFile.cpp - Budgets as JSON ----------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutation.h"
#include "buffer-merge/Report/Budgets.h"
#include "buffer-merge/Scheduling/ParseJSON.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace buffer_merge;

/// Return the object `value` if it has no members but `known`; report an error
/// otherwise.
static const llvm::json::Object *
getObject(const llvm::json::Value &value,
          llvm::ArrayRef<llvm::StringLiteral> known, llvm::json::Path path) {
  const llvm::json::Object *object = value.getAsObject();
  if (!object) {
    path.report("expected object");
    return nullptr;
  }
  if (isMutated("check-unknown-member"))
    return object;
  // The first one in alphabetical order: objects have none of their own.
  llvm::StringRef unknown;
  for (const auto &member : *object) {
    llvm::StringRef key = member.first;
    if (!llvm::is_contained(known, key) && (unknown.empty() || key < unknown))
      unknown = key;
  }
  if (unknown.empty())
    return object;
  path.field(unknown).report("a member that is not known");
  return nullptr;
}

/// Read the number `key` in [0, 2^61], if it is there.
static bool readNumber(const llvm::json::Object &object,
                       llvm::StringLiteral key, std::optional<int64_t> &number,
                       llvm::json::Path path) {
  const llvm::json::Value *value = object.get(key);
  if (!value)
    return true;
  number = value->getAsInteger();
  if (number && *number >= 0 && *number <= int64_t(1) << 61)
    return true;
  path.field(key).report("expected a number of 0 or more");
  return false;
}

static bool readHeadroom(const llvm::json::Object &object,
                         std::optional<double> &headroom,
                         llvm::json::Path path) {
  const llvm::json::Value *value = object.get("headroom");
  if (!value)
    return true;
  headroom = value->getAsNumber();
  // JSON has no infinity: budgets with one could not be read again.
  if (headroom && *headroom >= 0 && std::isfinite(*headroom))
    return true;
  path.field("headroom").report("expected a percentage of 0 or more");
  return false;
}

namespace buffer_merge {
static bool fromJSON(const llvm::json::Value &value, Budget &budget,
                     llvm::json::Path path) {
  const llvm::json::Object *object =
      getObject(value, {"bytes", "left", "headroom"}, path);
  return object && readNumber(*object, "bytes", budget.bytes, path) &&
         readNumber(*object, "left", budget.left, path) &&
         readHeadroom(*object, budget.headroom, path);
}

static bool fromJSON(const llvm::json::Value &value, Budgets &budgets,
                     llvm::json::Path path) {
  const llvm::json::Object *object = getObject(
      value,
      {"version", "headroom", "total", "newFunctions", "functions", "regions"},
      path);
  if (!object)
    return false;
  if (object->getInteger("version") != 1) {
    path.field("version").report("expected 1");
    return false;
  }
  std::optional<double> headroom;
  std::optional<int64_t> newFunctions;
  llvm::json::ObjectMapper mapper(value, path);
  if (!readHeadroom(*object, headroom, path) ||
      !mapper.map("total", budgets.total) ||
      !readNumber(*object, "newFunctions", newFunctions, path) ||
      !mapper.map("functions", budgets.functions) ||
      !mapper.map("regions", budgets.regions))
    return false;
  budgets.headroom = headroom.value_or(0);
  budgets.newFunctions = newFunctions.value_or(0);
  for (const auto &[name, budget] :
       budgets.regions.value_or(std::map<std::string, Budget>()))
    if (budget.left) {
      path.field("regions").report("a region has no allocations that stay");
      return false;
    }
  return true;
}
} // namespace buffer_merge

llvm::Expected<Budgets> buffer_merge::parseBudgets(llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> value = parseJSON(text);
  if (!value)
    return value.takeError();
  Budgets budgets;
  llvm::json::Path::Root root("budgets");
  if (!fromJSON(*value, budgets, root))
    return root.getError();
  return budgets;
}

static void printBudget(llvm::json::OStream &json, const Budget &budget) {
  if (budget.bytes)
    json.attribute("bytes", *budget.bytes);
  if (budget.left)
    json.attribute("left", *budget.left);
  if (budget.headroom)
    json.attribute("headroom", *budget.headroom);
}

void buffer_merge::printBudgets(llvm::raw_ostream &os, const Budgets &budgets) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  auto printAll = [&](llvm::StringRef key,
                      const std::map<std::string, Budget> &all) {
    json.attributeObject(key, [&] {
      for (const auto &[name, budget] : all)
        json.attributeObject(
            name, [&, &budget = budget] { printBudget(json, budget); });
    });
  };
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("headroom", budgets.headroom);
    if (budgets.total)
      json.attributeObject("total", [&] { printBudget(json, *budgets.total); });
    if (budgets.functions) {
      json.attribute("newFunctions", budgets.newFunctions);
      printAll("functions", *budgets.functions);
    }
    if (budgets.regions)
      printAll("regions", *budgets.regions);
  });
  os << "\n";
}
