//===- Header.cpp - The memory of a plan for programs in C ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Header.h"
#include "NeededMemory.h"

#include "llvm/ADT/StringExtras.h"

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
  for (const NeededMemory &needed : listNeededMemory(plan)) {
    StringRef macro = needed.name;
    os << "\n/* " << needed.what << " */\n#define " << macro << "_BYTES "
       << needed.bytes << "\n#define " << macro << "_ALIGNMENT "
       << needed.alignment << "\nBUFFER_MERGE_STATIC_ASSERT(" << macro
       << "_BYTES <= SIZE_MAX, \"the target has no " << macro
       << "_BYTES bytes\");\n";
    if (needed.global)
      printDeclaration(os, macro, *needed.global);
  }
  os << "\n#endif /* " << guard << " */\n";
}
