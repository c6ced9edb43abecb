//===- LinkerScript.cpp - The memory of a plan for linkers ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinkerScript.h"
#include "NeededMemory.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace buffer_merge;

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
    os << "\n/* " << needed.what << " */\n"
       << needed.name << "_BYTES = " << needed.bytes << ";\n"
       << needed.name << "_ALIGNMENT = " << needed.alignment << ";\n";
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
