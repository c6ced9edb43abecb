//===- MemoryWrites.h - When memory of a function is written ----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_MEMORYWRITES_H
#define BUFFER_MERGE_LIB_ANALYSIS_MEMORYWRITES_H

#include "Analysis/FunctionContext.h"
#include "Analysis/UnsharedArguments.h"

namespace buffer_merge {
/// What is known of where memory comes from, and what may be the same memory,
/// in one function.
class MemoryOrigins {
public:
  enum class Kind {
    /// A constant global, which is never written.
    Constant,
    /// An allocation of the function: nothing else is in its memory.
    Local,
    /// An argument of the function, or a global.
    Outside,
    Unknown,
  };

  /// `context` and `unshared`, which are about `root`, must outlive the object,
  /// and the function must not change.
  MemoryOrigins(const FunctionContext &context, UnsharedArguments &unshared,
                mlir::Operation *root)
      : context(context), unshared(unshared), root(root) {}

  /// Return what `origin`, one of `BufferAliases::getOrigins`, is.
  Kind classify(mlir::Value origin);

  /// Return true if nothing else is in the memory of `origin`, which is
  /// `Outside`.
  bool isUnshared(mlir::Value origin);

private:
  const FunctionContext &context;
  UnsharedArguments &unshared;
  mlir::Operation *root;
  mlir::SymbolTableCollection symbolTables;
  llvm::DenseMap<mlir::Value, bool> unsharedArguments;
};

/// The ticks at which operations of one function may write or free memory.
///
/// ```
///   %a = memref.alloc()             // %w, an argument:
///   linalg.fill outs(%a)            // not written, %a is another allocation
///   linalg.exp outs(%out)           // written, unless a caller cannot pass
///                                   // the same memory as %w and %out
///   call @f(%a)                     // written: what @f does is not known
/// ```
///
/// Construction is linear in the number of operations, times that of the
/// origins of what they write.
class MemoryWrites {
public:
  /// `context` and `unshared`, which are about one root, must outlive the
  /// object, and the function must not change.
  MemoryWrites(const FunctionContext &context, UnsharedArguments &unshared,
               mlir::Operation *root);

  /// Return false only if no operation with a tick in `ticks` writes or frees
  /// memory of `memref`, in this thread, and none of them may wait for another
  /// thread that does: then what `memref` holds is the same at all of these
  /// ticks.
  ///
  /// True for memory of unknown origin: what is neither allocated by
  /// `memref.alloc` or `memref.alloca`, nor an argument of the function, nor a
  /// global.
  bool mayWrite(mlir::Value memref, TickRange ticks);

private:
  using Origin = MemoryOrigins::Kind;
  void addWrites(mlir::Operation *op);
  bool mayShareMemory(mlir::Value outside, mlir::Value other);

  const FunctionContext &context;
  MemoryOrigins origins;
  /// The tensors of the function may be buffers that are written.
  bool haveTensors = false;
  /// Ascending: ticks of writes to memory of unknown origin, and of operations
  /// whose effects are not known.
  llvm::SmallVector<int64_t, 0> unknown;
  /// The same by origin.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t, 1>> writes;
  /// The keys of `writes` from outside of the function.
  llvm::SmallVector<mlir::Value> outside;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_MEMORYWRITES_H
