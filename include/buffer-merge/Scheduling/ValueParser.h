//===- ValueParser.h - Options with values that have names ------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_SCHEDULING_VALUEPARSER_H
#define BUFFER_MERGE_SCHEDULING_VALUEPARSER_H

#include "buffer-merge/Scheduling/Input.h"

#include "llvm/Support/CommandLine.h"

namespace buffer_merge {
/// Parses an option whose values are those of `Enum`, listed by
/// `llvm::cl::values`. It does as `llvm::cl::parser` does, and says in the one
/// line of its error which of the values is nearest:
/// `tool: for the --pool option: there is no value 'stakc'; the nearest is
/// 'stack'`.
template <typename Enum>
class ValueParser : public llvm::cl::generic_parser_base {
public:
  using parser_data_type = Enum;
  using generic_parser_base::generic_parser_base;

  unsigned getNumOptions() const override { return Values.size(); }
  llvm::StringRef getOption(unsigned index) const override {
    return Values[index].Name;
  }
  llvm::StringRef getDescription(unsigned index) const override {
    return Values[index].description;
  }
  const llvm::cl::GenericOptionValue &
  getOptionValue(unsigned index) const override {
    return Values[index].V;
  }

  /// Return true on error.
  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef text,
             Enum &value) {
    llvm::SmallVector<llvm::StringRef> names;
    for (const NamedValue &known : Values) {
      names.push_back(known.Name);
      if (known.Name == text) {
        value = known.V.getValue();
        return false;
      }
    }
    return option.error("there is no value '" + text + "'; the nearest is '" +
                        findNearestName(text, names) + "'");
  }

  /// Called by `llvm::cl::values`.
  template <typename Value>
  void addLiteralOption(llvm::StringRef name, const Value &value,
                        llvm::StringRef description) {
    Values.push_back({name, description, static_cast<Enum>(value)});
    llvm::cl::AddLiteralOption(Owner, name);
  }

protected:
  /// MLIR prints options by these names of members.
  struct NamedValue {
    llvm::StringRef Name;
    llvm::StringRef description;
    llvm::cl::OptionValue<Enum> V;
  };
  llvm::SmallVector<NamedValue, 4> Values;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_SCHEDULING_VALUEPARSER_H
