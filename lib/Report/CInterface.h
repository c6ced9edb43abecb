//===- CInterface.h - Functions as C sees them ------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_REPORT_CINTERFACE_H
#define BUFFER_MERGE_LIB_REPORT_CINTERFACE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace buffer_merge {
/// Return true if `name` can be that of a variable in C.
bool isIdentifier(llvm::StringRef name);

/// Return `text`, in which there may be any names, as it can be in one line of
/// a comment in C.
std::string toComment(llvm::StringRef text);

/// What the names in a header call a function and its arguments.
struct CNames {
  /// What the names of macros begin with: `LAYERS`.
  std::string macro;
  /// By argument: `input_0` or, if it is not known whether the function writes
  /// it, `argument_0`.
  llvm::SmallVector<std::string, 4> arguments;
};

/// Prints what C needs to call functions through the C interface of MLIR.
class CInterfacePrinter {
public:
  explicit CInterfacePrinter(llvm::raw_ostream &os) : os(os) {}

  /// Print the prototype of `function`. For each memref that it is given, print
  /// its shape and what initializes its descriptor, as macros. Unless `arena`
  /// is empty, the function gets an arena as another argument, and `arena` is
  /// what the names of its macros begin with; the bytes of one `ofRunTime` are
  /// a parameter of its descriptor. A function that C cannot call leaves a
  /// comment with the reason.
  void print(mlir::func::FuncOp function, const CNames &names,
             llvm::StringRef arena, bool ofRunTime);

  /// Print the prototype of `query`, which returns the bytes of the arena of
  /// `function`, the argument `arena` if it is one already.
  void printSizeQuery(mlir::func::FuncOp function, const CNames &names,
                      llvm::StringRef query, std::optional<unsigned> arena);

private:
  /// Print the struct of descriptors of `type`, once.
  void printStruct(mlir::MemRefType type);

  llvm::raw_ostream &os;
  /// The names of the structs that have been printed.
  llvm::StringSet<> structs;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_REPORT_CINTERFACE_H
