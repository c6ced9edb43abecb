//===- Header.cpp - The memory of a plan for programs in C ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Header.h"
#include "Planning/ArenaPlan.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace buffer_merge;

/// Return `name` as a part of the name of a macro.
static std::string toMacro(StringRef name) {
  std::string macro = name.upper();
  for (char &c : macro)
    if (!llvm::isAlnum(c))
      c = '_';
  return macro.empty() || llvm::isDigit(macro.front()) ? "_" + macro : macro;
}

namespace {
/// Prints the macros, no two of which have one name.
class MacroPrinter {
public:
  explicit MacroPrinter(llvm::raw_ostream &os) : os(os) {}

  /// Print what `function`, called `what` in the comment, needs.
  void print(StringRef function, StringRef what, StringRef kind, int64_t bytes,
             int64_t alignment) {
    std::string name = toMacro(function) + kind.str();
    for (int number = 1; !names.insert(name).second; ++number)
      name = toMacro(function) + "_" + std::to_string(number) + kind.str();
    os << "\n/* " << what << " */\n#define " << name << "_BYTES " << bytes
       << "\n#define " << name << "_ALIGNMENT " << alignment
       << "\nBUFFER_MERGE_STATIC_ASSERT(" << name
       << "_BYTES <= SIZE_MAX, \"the target has no " << name
       << "_BYTES bytes\");\n";
  }

private:
  llvm::raw_ostream &os;
  llvm::StringSet<> names;
};
} // namespace

void buffer_merge::printHeader(llvm::raw_ostream &os, const MergePlan &plan,
                               StringRef name) {
  std::string guard = toMacro(name);
  os << "/* The memory that a program needs: written by buffer-merge. */\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n"
     << "#include <stdint.h>\n\n"
        "#ifndef BUFFER_MERGE_STATIC_ASSERT\n"
        "#ifdef __cplusplus\n"
        "#define BUFFER_MERGE_STATIC_ASSERT(condition, text) "
        "static_assert(condition, text)\n"
        "#else\n"
        "#define BUFFER_MERGE_STATIC_ASSERT(condition, text) "
        "_Static_assert(condition, text)\n"
        "#endif\n"
        "#endif\n";
  MacroPrinter printer(os);
  if (plan.arenas) {
    const ArenaPlan &arenas = *plan.arenas;
    for (auto [index, node, arena] : llvm::enumerate(
             arenas.getGraph().getFunctions(), arenas.getArenas())) {
      func::FuncOp function = node.op;
      StringRef symbol = function.getSymName();
      if (!arenas.isActive(index) || arenas.hasSharedGlobal(function))
        continue;
      if (arena.isGlobal)
        printer.print(symbol, ("The global of " + symbol).str(), "_POOL",
                      arena.bytes, arena.alignment);
      else if (arenas.isCalledFromOutside(index))
        printer.print(symbol, ("The arena that " + symbol + " is given").str(),
                      "_ARENA", arena.bytes, arena.alignment);
    }
    if (ArenaPlan::SharedGlobal shared = arenas.getSharedGlobal(); shared.bytes)
      printer.print("entries", "The global that entries share", "_POOL",
                    shared.bytes, shared.alignment);
  }
  // Each memory space has globals of its own.
  for (const PoolPlan &pool : plan.pools) {
    const Pool *made = pool.getPool();
    if (!made || made->storage != PoolStorage::Global || !pool.memorySpace)
      continue;
    auto function = cast<func::FuncOp>(pool.scope->getParentOp());
    std::string what;
    llvm::raw_string_ostream(what) << "The global of " << function.getSymName()
                                   << " in memory space " << pool.memorySpace;
    printer.print(function.getSymName(), what, "_POOL", made->schedule.poolSize,
                  made->schedule.poolAlignment);
  }
  os << "\n#endif /* " << guard << " */\n";
}
