//===- NeededMemory.cpp - The memory that a plan asks for -----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NeededMemory.h"
#include "Mutation.h"
#include "Planning/Storage/ArenaPlan.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace buffer_merge;

std::string buffer_merge::toMacro(StringRef name) {
  std::string macro = name.upper();
  for (char &c : macro)
    if (!llvm::isAlnum(c))
      c = '_';
  return macro.empty() || llvm::isDigit(macro.front()) ? "_" + macro : macro;
}

std::string buffer_merge::toComment(StringRef text) {
  std::string comment = llvm::json::fixUTF8(text);
  // An asterisk may be half of what begins or ends a comment.
  for (char &c : comment)
    if ((c == '*' && !isMutated("header-comment")) || uint8_t(c) < ' ' ||
        c == '\x7f')
      c = '_';
  return comment;
}

SmallVector<NeededMemory, 0>
buffer_merge::listNeededMemory(const MergePlan &plan) {
  SmallVector<NeededMemory, 0> all;
  llvm::StringSet<> names;
  auto add = [&](StringRef symbol, StringRef kind, StringRef what,
                 int64_t bytes, int64_t alignment, const StaticGlobal *global,
                 func::FuncOp function = {}) {
    std::string name = toMacro(symbol) + kind.str();
    for (int number = 1; !names.insert(name).second; ++number)
      name = toMacro(symbol) + "_" + std::to_string(number) + kind.str();
    all.push_back({name, toComment(what), bytes, alignment, global, function});
  };
  if (const ArenaPlan *arenas = plan.arenas.get())
    for (auto [index, node, arena] : llvm::enumerate(
             arenas->getGraph().getFunctions(), arenas->getArenas())) {
      func::FuncOp function = node.op;
      StringRef symbol = function.getSymName();
      if (arenas->isActive(index) && !arena.isOwn &&
          arenas->isCalledFromOutside(index))
        add(symbol, "_ARENA", ("The arena that " + symbol + " is given").str(),
            arena.bytes, arena.alignment, nullptr, function);
    }
  for (const StaticGlobal &global : plan.globals) {
    func::FuncOp function = global.function;
    std::string what = "The global that entries share";
    if (function)
      what = "The global of " + function.getSymName().str();
    std::string symbol = function ? function.getSymName().str() : "entries";
    if (global.memorySpace)
      llvm::raw_string_ostream(what)
          << " in memory space " << global.memorySpace;
    if (!global.region.empty()) {
      what += " in region " + global.region;
      symbol += "_" + global.region;
    }
    add(symbol, "_POOL", what, global.bytes, global.alignment, &global);
  }
  return all;
}
