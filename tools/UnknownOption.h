//===- UnknownOption.h - Options that there are not -------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_TOOLS_UNKNOWNOPTION_H
#define BUFFER_MERGE_TOOLS_UNKNOWNOPTION_H

#include "buffer-merge/Scheduling/Input.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"

namespace buffer_merge {
/// Exit with one line on standard error if an argument is an option that there
/// is not: `tool: error: there is no option '--capcity'; the nearest is
/// '--capacity'`. All options must be registered, except for `-o PATH`.
inline void refuseUnknownOptions(int argc, char **argv, llvm::StringRef tool,
                                 int exitStatus) {
  auto &options = llvm::cl::getRegisteredOptions();
  llvm::SmallVector<llvm::StringRef> names;
  for (auto &entry : options)
    if (entry.second->getOptionHiddenFlag() != llvm::cl::ReallyHidden)
      names.push_back(entry.first);
  llvm::sort(names);
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    if (argument == "--")
      return;
    llvm::StringRef name = argument.ltrim('-').split('=').first;
    if (!argument.starts_with("-") || name.empty())
      continue;
    if (name == "o") {
      i += !argument.contains('=');
      continue;
    }
    auto option = options.find(name);
    if (option != options.end()) {
      // The next argument may be its value.
      i += !argument.contains('=') &&
           option->second->getValueExpectedFlag() == llvm::cl::ValueRequired;
      continue;
    }
    llvm::WithColor::error(llvm::errs(), tool)
        << "there is no option '--" << name << "'; the nearest is '--"
        << findNearestName(name, names) << "'\n";
    std::exit(exitStatus);
  }
}
} // namespace buffer_merge

#endif // BUFFER_MERGE_TOOLS_UNKNOWNOPTION_H
