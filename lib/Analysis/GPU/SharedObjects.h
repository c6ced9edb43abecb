//===- SharedObjects.h - Parts of pools in workgroup memory -----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_GPU_SHAREDOBJECTS_H
#define BUFFER_MERGE_LIB_ANALYSIS_GPU_SHAREDOBJECTS_H

#include "Analysis/CalleeSummaries.h"
#include "buffer-merge/Analysis/ExecutionOrder.h"
#include "buffer-merge/Analysis/WorkgroupSync.h"

namespace buffer_merge {
/// A pool as far as it is accessed directly, a `memref.view` of one, or a
/// `memref.subview` or `memref.reinterpret_cast` of these.
struct SharedObject {
  /// The bytes of a pool, half open.
  struct Bytes {
    int64_t begin, end;
  };
  /// Where the elements of a subview are, in elements of its buffer.
  struct Place {
    llvm::SmallVector<int64_t> sizes, strides;
    int64_t offset;
  };

  /// The values by which it is accessed; the first is its name.
  WorkgroupSync::Aliases aliases;
  /// The function that `aliases` are in.
  mlir::Operation *function;
  /// What it is a part of; null for a pool.
  const SharedObject *parent = nullptr;
  /// It is a `memref.view`: another buffer than `parent`, in its bytes.
  bool isView = false;
  /// Nothing if they are not known.
  std::optional<Bytes> bytes;
  /// Nothing for pools and views, and where it is not known.
  std::optional<Place> place;
  bool isAccessed = false;
  /// The first use that is not understood, or null.
  mlir::Operation *unknownUse = nullptr;

  /// Return the pool or view that it is, or is a part of.
  const SharedObject &getBuffer() const;

  /// Return its bytes, or those of the innermost part around it whose bytes are
  /// known: it may be anywhere in that. Nothing if that is a whole pool.
  std::optional<Bytes> getBytesAround() const;
};

/// What is known of the bytes that two objects have in common.
enum class Overlap { None, Unknown, Some };

/// Return which bytes of `a` and `b`, of the same pool, are in common as far as
/// one is accessed apart from the other. Parts of one buffer are compared only
/// if their places are known and the same index means different elements, and
/// never more is known than that they may overlap: what a program does with one
/// of its buffers is its own business.
Overlap compare(const SharedObject &a, const SharedObject &b);

/// The objects of one function.
class SharedObjects {
public:
  SharedObjects(mlir::FunctionOpInterface function, CallPolicy calls,
                const CalleeSummaries &callees);

  /// Add those of a pool to `objects`: `values` are its bytes, each with all
  /// that is derived from it. They live as long as this object.
  void collect(llvm::ArrayRef<mlir::Value> values,
               llvm::SmallVectorImpl<const SharedObject *> &objects);

private:
  void addParts(SharedObject &object, llvm::DenseSet<mlir::Value> &seen,
                llvm::SmallVectorImpl<SharedObject *> &found);
  void setPlace(SharedObject &object) const;
  void findUses(SharedObject &object) const;

  mlir::FunctionOpInterface function;
  CallPolicy calls;
  const CalleeSummaries &callees;
  std::shared_ptr<const BufferAliases> aliases;
  ExecutionOrder order;
  llvm::SmallVector<std::unique_ptr<SharedObject>, 0> objects;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_GPU_SHAREDOBJECTS_H
