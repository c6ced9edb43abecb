//===- AttributeChanges.h - Attributes that merging makes false -*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes of functions, arguments and calls say what the program does to
// memory. A function that gets its bytes from somewhere else than its own
// allocations does more than that. The table in the source says which attribute
// each change contradicts.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_ATTRIBUTECHANGES_H
#define BUFFER_MERGE_LIB_ANALYSIS_ATTRIBUTECHANGES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace buffer_merge {
/// What merging lets a function, an argument or a call do that it need not have
/// done before. What a function does with its own allocations is none of it.
enum class AttributeChange : unsigned {
  /// Of an argument: it is read, or written.
  ReadsArgument = 1 << 0,
  WritesArgument = 1 << 1,
  /// Of an argument: its address is passed to what may compare or keep it.
  PassesArgument = 1 << 2,
  /// Of a function or a call: it reads and writes what arguments point to.
  AccessesArguments = 1 << 3,
  /// Of a function or a call: it reads and writes a global.
  AccessesGlobals = 1 << 4,
  /// Of a function or a call: there is one more argument, a memref.
  AddsArgument = 1 << 5,
  /// Of a function or a call: it may print something and abort.
  MayAbort = 1 << 6,
  /// Of a call: its arguments may point to the stack of the caller.
  PassesStack = 1 << 7,
  /// Of an argument: some of its bytes are those of another argument.
  SharesArgument = 1 << 8,
};

/// A set of changes.
using AttributeChanges = unsigned;

constexpr AttributeChanges operator|(AttributeChange a, AttributeChange b) {
  return static_cast<AttributeChanges>(a) | static_cast<AttributeChanges>(b);
}
constexpr AttributeChanges operator|(AttributeChanges a, AttributeChange b) {
  return a | static_cast<AttributeChanges>(b);
}

/// An attribute that a change would make false, or of which that is not known.
struct FalseAttribute {
  /// Its name, such as `llvm.readonly`, or `passthrough willreturn`.
  std::string name;
  /// The function or the call that has it.
  mlir::Operation *op;
  /// The argument or operand that it is about, if it is not about all of `op`.
  std::optional<unsigned> argument;
  /// The table has the attribute.
  bool isKnown;

  /// Return what is wrong with it, as a reason: `the attribute 'llvm.readnone'
  /// of 'f' would become false`.
  std::string describe() const;
};

/// Return the first attribute of `op`, a function or a call, that one of
/// `changes` would make false; or nothing.
///
/// An attribute that the table does not have counts as one if it is of the LLVM
/// dialect, an entry of `passthrough`, or has the name of a property of
/// `llvm.func` or `llvm.call`, which lowering makes of it. All others are
/// harmless.
std::optional<FalseAttribute> findFalseAttribute(mlir::Operation *op,
                                                 AttributeChanges changes);

/// Return the same for the attributes of argument `index` of `op`, a function
/// with such attributes or a call.
std::optional<FalseAttribute>
findFalseArgumentAttribute(mlir::Operation *op, unsigned index,
                           AttributeChanges changes);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_ATTRIBUTECHANGES_H
