//===- MemorySpaces.h - Memory spaces as options name them ------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_ANALYSIS_MEMORYSPACES_H
#define BUFFER_MERGE_ANALYSIS_MEMORYSPACES_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace buffer_merge {
/// One memory, and the attributes of memref types that denote it. There may be
/// several, such as the attributes before and after the lowering of address
/// spaces.
struct MemorySpaces {
  MemorySpaces() = default;
  /// The memory of one attribute; null for the default space.
  MemorySpaces(mlir::Attribute space) : spaces({space}) {}

  /// The attributes that denote it everywhere.
  llvm::SmallVector<mlir::Attribute, 2> spaces;
  /// The attributes that denote it only in device code (`DeviceCode`).
  llvm::SmallVector<mlir::Attribute, 1> deviceSpaces;

  /// Return true if the attribute `space`, or null, denotes this memory, in
  /// device code or on the host.
  bool contains(mlir::Attribute space, bool isInDeviceCode) const;

  /// Return true if an attribute denotes both.
  bool overlaps(const MemorySpaces &other) const;
};

/// Return the memory that `text` names in an option, or nothing if it names
/// none:
///
///     default, 0     the default space
///     workgroup      #gpu.address_space<workgroup>; in device code 3, which
///                    that is lowered to; and the string "workgroup"
///     private        the same of #gpu.address_space<private> and 5
///     NAME           the string "NAME": letters, digits, _ and -
///     ATTRIBUTE      such as 1 or #gpu.address_space<global>
std::optional<MemorySpaces> parseMemorySpaces(llvm::StringRef text,
                                              mlir::MLIRContext *context);

/// Return the shortest text that `parseMemorySpaces` understands as `space`.
std::string getMemorySpaceName(mlir::Attribute space);

/// Return the memory spaces, null for the default one, of all types in `root`:
/// of values and in attributes, each once, in the order of the program.
///
/// Time: linear in the operations of `root`.
llvm::SmallVector<mlir::Attribute> findMemorySpaces(mlir::Operation *root);
} // namespace buffer_merge

#endif // BUFFER_MERGE_ANALYSIS_MEMORYSPACES_H
