//===- StaticStorage.h - Where static memory is -----------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_PLANNING_STATICSTORAGE_H
#define BUFFER_MERGE_PLANNING_STATICSTORAGE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace buffer_merge {
/// Who defines a global, and who can refer to it.
enum class GlobalLinkage {
  /// The module, for itself.
  Private,
  /// The module, for all.
  Public,
  /// Another part of the program: the module only declares it.
  External,
};

/// Return the documented name of `linkage`, such as `private`.
llvm::StringRef getGlobalLinkageName(GlobalLinkage linkage);

/// What the compiler and the linker are to do with a global.
struct StaticStorage {
  /// The symbol of the global that entries share; those of functions are
  /// `FUNCTION_name`. Empty for `entries_pool` and `FUNCTION_pool`.
  std::string name;
  GlobalLinkage linkage = GlobalLinkage::Private;
  /// The least alignment in bytes, a power of two.
  int64_t alignment = 1;
  /// The section of the object file; empty for the one that the compiler
  /// chooses. What follows needs one.
  std::string section;
  /// The address at which the section begins.
  std::optional<uint64_t> address;
  /// The memory of the linker script (`MEMORY`) that the section is in; empty
  /// for the one that the linker chooses.
  std::string memory;
};

/// A global that holds pools.
struct StaticGlobal {
  /// The function whose pool it holds; null if entries share it.
  mlir::func::FuncOp function;
  /// The attribute of its type, or null.
  mlir::Attribute memorySpace;
  int64_t bytes = 0;
  /// In bytes, a power of two.
  int64_t alignment = 1;
  /// The region of the target that it is in, and the byte of the region at
  /// which it begins; empty if it is in none.
  std::string region;
  int64_t regionOffset = 0;
  /// The symbol, which nothing else in the module around has.
  std::string name;
  StaticStorage storage;
};

/// The attribute of a module with a dictionary that says for each global that
/// holds pools, by its symbol, what it takes and where it is to be.
///
/// ```
///   {entries_pool = {alignment = 64 : i64, bytes = 1024 : i64,
///                    section = ".sram"}}
/// ```
inline constexpr llvm::StringLiteral globalsAttrName("buffer_merge.globals");
inline constexpr llvm::StringLiteral sectionName("section");
} // namespace buffer_merge

#endif // BUFFER_MERGE_PLANNING_STATICSTORAGE_H
