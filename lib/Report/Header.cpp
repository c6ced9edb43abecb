//===- Header.cpp - The memory of a plan for programs in C ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Header.h"
#include "NeededMemory.h"
#include "Planning/Heap/EntryMemory.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

/// Return true if `name` can be that of a variable in C.
static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// Declare `global`, if C can refer to it.
static void printDeclaration(llvm::raw_ostream &os, StringRef macro,
                             const StaticGlobal &global) {
  if (global.storage.linkage == GlobalLinkage::Private ||
      !isIdentifier(global.name))
    return;
  os << "#ifdef __cplusplus\n"
     << "extern \"C\" unsigned char " << global.name << "[" << macro
     << "_BYTES];\n#else\n"
     << "extern unsigned char " << global.name << "[" << macro
     << "_BYTES];\n#endif\n";
}

/// Print what the caller of `entry` provides besides pools, and where it is if
/// it is in one memory with the arena, which is null if it has none: the arena
/// first, then one argument behind the other. Macros begin with `macro`.
static void printArguments(llvm::raw_ostream &os, const EntryMemory &entry,
                           StringRef macro, const NeededMemory *arena) {
  func::FuncOp function = entry.function;
  os << "\n/* What " << toComment(function.getSymName())
     << " is given, and its place in one memory of " << macro
     << "_MEMORY_BYTES bytes */\n";
  int64_t bytes = arena ? arena->bytes : 0;
  int64_t alignment = arena ? arena->alignment : 1;
  if (arena)
    os << "#define " << arena->name << "_OFFSET 0\n";
  for (const EntryArgument &argument : entry.arguments) {
    std::string name = (macro + (argument.isOutput ? "_OUTPUT_" : "_INPUT_") +
                        llvm::Twine(argument.number))
                           .str();
    int64_t offset = llvm::alignTo(bytes, argument.alignment);
    os << "#define " << name << "_BYTES " << argument.bytes << "\n#define "
       << name << "_ALIGNMENT " << argument.alignment << "\n#define " << name
       << "_OFFSET " << offset << "\n";
    bytes = offset + argument.bytes;
    alignment = std::max(alignment, argument.alignment);
  }
  os << "#define " << macro << "_MEMORY_BYTES " << bytes << "\n#define "
     << macro << "_MEMORY_ALIGNMENT " << alignment << "\n";
}

/// Print what each entry of `plan`, which has arenas, is given; `needed` are
/// the arenas and globals of the plan.
static void printEntries(llvm::raw_ostream &os, const MergePlan &plan,
                         ArrayRef<NeededMemory> needed) {
  llvm::StringSet<> names;
  for (const EntryMemory &entry :
       computeEntryMemory(plan, computeFootprint(plan))) {
    func::FuncOp function = entry.function;
    std::string macro = toMacro(function.getSymName());
    for (int number = 1; !names.insert(macro).second; ++number)
      macro = toMacro(function.getSymName()) + "_" + std::to_string(number);
    if (entry.arguments.empty())
      continue;
    const auto *arena = llvm::find_if(needed, [&](const NeededMemory &memory) {
      return memory.function == function;
    });
    printArguments(os, entry, macro, arena == needed.end() ? nullptr : arena);
  }
}

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
  SmallVector<NeededMemory, 0> all = listNeededMemory(plan);
  for (const NeededMemory &needed : all) {
    StringRef macro = needed.name;
    os << "\n/* " << needed.what << " */\n#define " << macro << "_BYTES "
       << needed.bytes << "\n#define " << macro << "_ALIGNMENT "
       << needed.alignment << "\nBUFFER_MERGE_STATIC_ASSERT(" << macro
       << "_BYTES <= SIZE_MAX, \"the target has no " << macro
       << "_BYTES bytes\");\n";
    if (needed.global)
      printDeclaration(os, macro, *needed.global);
  }
  if (plan.arenas)
    printEntries(os, plan, all);
  os << "\n#endif /* " << guard << " */\n";
}
