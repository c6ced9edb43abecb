//===- Emplacement.h - Buffers that may be parts of others ------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_EMPLACEMENT_H
#define BUFFER_MERGE_LIB_ANALYSIS_EMPLACEMENT_H

#include "PlacedUses.h"
#include "buffer-merge/Analysis/BufferLifetimes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/MapVector.h"

namespace buffer_merge {
/// An allocation that may be emplaced, or hold what is.
struct EmplaceableBuffer {
  int64_t size, alignment;
  TickRange ticks;
  mlir::Region *scope;
  /// Ticks of the lifetime at which it is not alive.
  llvm::SmallVector<TickRange, 0> gaps;
  /// The first and the last access to what is a part of it already, if anything
  /// is: operations of the block that allocates it.
  mlir::Operation *firstOfParts = nullptr, *lastOfParts = nullptr;
};

/// The offset of a part in bytes: a constant plus sizes of dimensions times
/// indices.
struct PartOffset {
  int64_t bytes = 0;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> indices;
};

/// A copy of all of `inner` into a part of another buffer, which `inner` could
/// be from the beginning.
struct Emplacement {
  mlir::memref::CopyOp copy;
  mlir::memref::AllocOp inner;
  PartOffset offset;
  /// Its first and last byte and what is between, if that is known.
  std::optional<ByteRange> bytes;
  /// The part, if it is not contiguous; else null.
  mlir::memref::SubViewOp strided;
  /// The first access to the inner buffer, and the first use, in the block of
  /// the copy.
  mlir::Operation *firstAccess = nullptr, *firstUse = nullptr;
  /// The last access to the inner buffer there, no earlier than the copy.
  mlir::Operation *lastAccess = nullptr;
  /// What fills the outer buffer between the first access and the copy, and has
  /// to be moved in front of the first access.
  llvm::SmallVector<mlir::linalg::LinalgOp, 1> fills;
};

class UsesByBytes;

/// Finds which buffers of one function may be parts of those that they are
/// copied into. It does not change the program; whoever does tells it.
class EmplacementFinder {
public:
  /// `isStrided`: parts need not be contiguous.
  EmplacementFinder(const FunctionContext &context, bool isStrided);

  /// Consider `lifetime`, if it can be a part or have one: mergeable, not
  /// shared by threads, with a static shape and no place of its own in the
  /// program.
  void add(const BufferLifetime &lifetime);

  /// Return what is known about `alloc`, to be changed; null if it is not
  /// considered.
  EmplaceableBuffer *lookup(mlir::Operation *alloc);
  void set(mlir::Operation *alloc, EmplaceableBuffer info) {
    buffers[alloc] = std::move(info);
  }
  void erase(mlir::Operation *alloc) { buffers.erase(alloc); }

  /// Forget the uses of `alloc`, which change.
  void forgetUses(mlir::Operation *alloc) { usesOf.erase(alloc); }

  /// Return those of `copies`, into parts of `outer`, of which the sources can
  /// all be these parts at once.
  llvm::SmallVector<Emplacement>
  find(mlir::memref::AllocOp outer,
       llvm::ArrayRef<mlir::memref::CopyOp> copies);

  /// Return the copies into parts of buffers that are considered, by the
  /// allocation of these, in the order of execution.
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<mlir::memref::CopyOp>>
  collectCopies();

  /// How many ticks and uses may still be looked at: each of n groups may be
  /// alive at n ticks, and each of n parts of one buffer may meet n uses of it.
  /// What is left then stays.
  int64_t stepsLeft;

private:
  std::optional<Emplacement> match(mlir::memref::CopyOp copy,
                                   mlir::memref::AllocOp outer,
                                   const UsesByBytes &outerUses);
  using PlacedUses = std::optional<llvm::SmallVector<PlacedUse>>;
  const PlacedUses &getUses(mlir::memref::AllocOp alloc);
  bool findAccesses(Emplacement &candidate);
  bool isPartFree(Emplacement &candidate, mlir::memref::AllocOp outer,
                  const UsesByBytes &outerUses);
  bool canMove(mlir::linalg::LinalgOp fill, const Emplacement &candidate,
               llvm::ArrayRef<PlacedUse> uses) const;

  const FunctionContext &context;
  bool isStrided;
  mlir::DominanceInfo dominance;
  llvm::DenseMap<mlir::Operation *, EmplaceableBuffer> buffers;
  /// By the allocation: one may be copied into many others.
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<PlacedUses>> usesOf;
};
/// Find which of `buffers`, all of the function of `context` that are
/// mergeable, can be parts of those that they are copied into, at constant
/// multiples of `alignment`, without any other change of the program. Add each
/// of the latter with its parts to `found`, and the parts to `parts`.
void findEmplacedBuffers(const FunctionContext &context,
                         llvm::ArrayRef<const BufferLifetime *> buffers,
                         int64_t alignment,
                         llvm::SmallVectorImpl<BufferLifetime> &found,
                         std::deque<BufferParts> &parts);
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_EMPLACEMENT_H
