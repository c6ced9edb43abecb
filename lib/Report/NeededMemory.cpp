//===- NeededMemory.cpp - What C programs and linkers need ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NeededMemory.h"
#include "CInterface.h"
#include "Planning/Heap/EntryMemory.h"
#include "Planning/Storage/ArenaPlan.h"
#include "Planning/Storage/StaticGlobals.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
/// Memory that something other than the functions of a plan provides: an arena
/// that a function is given from outside of the module, or a global.
struct NeededMemory {
  /// What names in C and in linker scripts begin with: `LAYERS_ARENA`. No two
  /// of one plan are the same.
  std::string name;
  /// What it is, as it can be in a comment.
  std::string what;
  int64_t bytes, alignment;
  /// Null for an arena.
  const StaticGlobal *global;
  /// The function that is given the arena; null for a global.
  func::FuncOp function;
  /// The bytes of the arena depend on the sizes of the arguments.
  bool isOfRunTime = false;
};
} // namespace

/// Return `name` as a part of the name of a macro.
static std::string toMacro(StringRef name) {
  std::string macro = toSymbolPart(name.upper());
  return macro.empty() || llvm::isDigit(macro.front()) ? "_" + macro : macro;
}

/// Return the memory that `plan` asks for: arenas in the order of the
/// functions, or globals in the order of the plan.
static SmallVector<NeededMemory, 0> listNeededMemory(const MergePlan &plan) {
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
      else
        continue;
      all.back().isOfRunTime = arena.runtimeBytes.has_value();
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

/// Return the name of `symbol` in macros, another one than those in `taken`.
static std::string takeMacro(StringRef symbol, llvm::StringSet<> &taken) {
  std::string macro = toMacro(symbol);
  for (int number = 1; !taken.insert(macro).second; ++number)
    macro = toMacro(symbol) + "_" + std::to_string(number);
  return macro;
}

/// The functions that C can call, with their names there.
using CEntries = llvm::MapVector<Operation *, CNames>;

/// Return those inside of `root`; what macros call them is `taken` then.
static CEntries findEntries(Operation *root, llvm::StringSet<> &taken) {
  CEntries entries;
  if (root->getNumRegions() != 1)
    return entries;
  for (func::FuncOp function : root->getRegion(0).getOps<func::FuncOp>()) {
    if (function.isExternal() || !isCalledFromOutside(function))
      continue;
    CNames names;
    names.macro = takeMacro(function.getSymName(), taken);
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      names.arguments.push_back("argument_" + std::to_string(i));
    entries.insert({function, std::move(names)});
  }
  return entries;
}

/// Print what each entry of `plan`, which has arenas, is given; `arenas` are
/// those of functions. Set the names of arguments in `entries` of which it is
/// known whether they are written.
static void
printEntries(llvm::raw_ostream &os, const MergePlan &plan,
             const llvm::DenseMap<Operation *, const NeededMemory *> &arenas,
             CEntries &entries, llvm::StringSet<> &taken) {
  for (const EntryMemory &entry :
       computeEntryMemory(plan, computeFootprint(plan))) {
    func::FuncOp function = entry.function;
    auto *known = entries.find(function);
    std::string macro;
    if (known != entries.end()) {
      macro = known->second.macro;
      for (const EntryArgument &argument : entry.arguments)
        known->second.arguments[argument.number] = llvm::formatv(
            "{0}_{1}", argument.isOutput ? "output" : "input", argument.number);
    } else {
      macro = takeMacro(function.getSymName(), taken);
    }
    const NeededMemory *arena = arenas.lookup(function);
    if (arena && arena->isOfRunTime)
      arena = nullptr;
    if (!entry.arguments.empty())
      printArguments(os, entry, macro, arena);
  }
}

void buffer_merge::printHeader(llvm::raw_ostream &os, Operation *root,
                               const MergePlan &plan, StringRef name) {
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
    os << "\n/* " << needed.what << " */\n";
    if (!needed.isOfRunTime)
      os << "#define " << macro << "_BYTES " << needed.bytes << "\n";
    os << "#define " << macro << "_ALIGNMENT " << needed.alignment << "\n";
    if (!needed.isOfRunTime)
      os << "BUFFER_MERGE_STATIC_ASSERT(" << macro
         << "_BYTES <= SIZE_MAX, \"the target has no " << macro
         << "_BYTES bytes\");\n";
    if (needed.global)
      printDeclaration(os, macro, *needed.global);
  }
  llvm::DenseMap<Operation *, const NeededMemory *> arenas;
  for (const NeededMemory &memory : all)
    if (memory.function)
      arenas.try_emplace(memory.function, &memory);
  llvm::StringSet<> taken;
  CEntries entries = findEntries(root, taken);
  if (plan.arenas)
    printEntries(os, plan, arenas, entries, taken);
  CInterfacePrinter printer(os);
  for (const auto &[op, names] : entries) {
    auto function = cast<func::FuncOp>(op);
    const NeededMemory *arena = arenas.lookup(op);
    bool isAdded = arena && !findArenaArgument(function);
    bool isOfRunTime = arena && arena->isOfRunTime;
    printer.print(function, names, isAdded ? arena->name : "", isOfRunTime);
    if (isOfRunTime)
      printer.printSizeQuery(function, names, getSizeQueryName(function),
                             findArenaArgument(function));
  }
  os << "\n#endif /* " << guard << " */\n";
}

void buffer_merge::printLinkerScript(llvm::raw_ostream &os,
                                     const MergePlan &plan) {
  os << "/* The memory that a program needs: written by buffer-merge. To be "
        "included in SECTIONS. */\n";
  struct Section {
    const StaticStorage *storage;
    int64_t bytes = 0, alignment = 1;
  };
  llvm::MapVector<StringRef, Section> sections;
  for (const NeededMemory &needed : listNeededMemory(plan)) {
    os << "\n/* " << needed.what << " */\n";
    if (!needed.isOfRunTime)
      os << needed.name << "_BYTES = " << needed.bytes << ";\n";
    os << needed.name << "_ALIGNMENT = " << needed.alignment << ";\n";
    if (!needed.global || needed.global->storage.section.empty())
      continue;
    Section &section = sections[needed.global->storage.section];
    section.storage = &needed.global->storage;
    section.bytes += needed.bytes;
    section.alignment = std::max(section.alignment, needed.alignment);
  }
  for (const auto &[name, section] : sections) {
    os << "\n" << name;
    if (std::optional<uint64_t> address = section.storage->address)
      os << llvm::formatv(" {0:x}", *address);
    os << " (NOLOAD) : ";
    if (!section.storage->address)
      os << "ALIGN(" << section.alignment << ") ";
    os << "{\n  *(" << name << ")\n}";
    if (!section.storage->memory.empty())
      os << " > " << section.storage->memory;
    // Of an object file in which the section has not been set, nothing is here.
    os << "\nASSERT(SIZEOF(" << name << ") >= " << section.bytes << ", \""
       << name << " lacks a global of buffer-merge\")\n";
  }
}
