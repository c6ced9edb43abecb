//===- What operations do with a buffer -------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_BUFFERUSES_H
#define BUFFER_MERGE_LIB_ANALYSIS_BUFFERUSES_H

#include "buffer-merge/Analysis/BufferLifetimesOptions.h"
#include "buffer-merge/Analysis/UnmergeableReason.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/IR/Value.h"

namespace buffer_merge {
class CalleeSummaries;

/// Return true if a value of `type` may hold the address of a buffer, other
/// than by an operation that converts addresses to plain data: a memref, a
/// pointer, a descriptor, an `!async.value` of one of them, an unknown type.
///
/// Everything else is plain data. These cannot hold an address: integers,
/// floats, `index`, complex numbers; vectors of these; `!gpu.mma_matrix`, a
/// fragment of a matrix in registers; function types, whose values are symbols
/// and capture nothing; `none`. A tensor may be an alias of a buffer
/// (`bufferization.to_tensor`). A token holds no address, but represents work
/// that may access a buffer, so it counts as if it did.
bool mayHoldAddress(mlir::Type type);

/// Return true if `op` may touch memory after it is done, whatever its memory
/// effects and its regions say: it starts a transfer, returns a token, or is of
/// a dialect of copy engines, asynchronous matrix units, message passing or
/// tasks.
bool mayActLater(mlir::Operation *op);

/// A unit attribute of an operation or call that the analysis cannot see into:
/// it accesses the memrefs that it is given while it runs, and neither keeps,
/// nor frees, nor returns any of them.
inline constexpr llvm::StringLiteral
    noCaptureAttrName("buffer_merge.no_capture");

/// A string, the same as of another operation (`waitAttrName`) of the function.
/// Such an operation or call promises what `noCaptureAttrName` does, but may
/// access its memrefs after its end: until the other one is complete, which
/// waits for all of its executions so far. An operation that is understood may
/// have it as well.
inline constexpr llvm::StringLiteral untilAttrName("buffer_merge.until");
inline constexpr llvm::StringLiteral waitAttrName("buffer_merge.wait");

/// Return the values that `use`, by a terminator or an operation with regions,
/// forwards its operand to: arguments of blocks and regions, results of the
/// operation around a terminator.
llvm::SmallVector<mlir::Value> getForwarded(mlir::OpOperand &use);

/// What one use of a buffer, or of one of its aliases, means for it.
struct BufferUse {
  /// What the operation does with the buffer; the use is one operand of it.
  enum class Kind {
    /// The operation needs no byte of the buffer and makes no alias of it that
    /// matters, such as `memref.dim`.
    None,
    /// The operation forwards the buffer to values that `BufferAliases`
    /// follows; it reads and writes no byte, such as `memref.subview` and
    /// `scf.yield`.
    Forward,
    /// The operation may read or write the buffer's bytes while it runs.
    Access,
    /// It may do so after its end, until a wait for its token.
    DeferredAccess,
    /// A plain `memref.dealloc`.
    Dealloc,
    /// The buffer cannot be merged, for `reason`.
    Refused,
  };
  Kind kind;
  /// Meaningful only for `Refused`.
  UnmergeableReason reason = UnmergeableReason::UnknownUse;
};

/// Return true if `op` has a discardable attribute of this project: it is an
/// allocation that the program wants at some place, with what it holds, or an
/// access of which something is promised.
bool hasOwnAttribute(mlir::Operation *op);

/// Return true if the owner of `use` may only read the memref.
bool isOnlyRead(mlir::OpOperand &use);

/// Classify `use`, an operand that may hold the address of the buffer. Unknown
/// uses are refused: an operation without memory effects that returns anything
/// but plain data, an operation whose effects are unknown or are declared for
/// other operands only, an operation of an unregistered dialect. The effects of
/// a call are those of its summary in `callees`; a callee without a summary
/// does what their policy allows. What is not known may be promised
/// (`noCaptureAttrName`, `untilAttrName`); what is known to free the buffer
/// does so all the same.
BufferUse classifyUse(mlir::OpOperand &use, const CalleeSummaries &callees);

/// A use of a buffer or of one of its aliases, and what it means.
struct ClassifiedUse {
  mlir::OpOperand *operand;
  BufferUse use;
  /// All of the buffer is overwritten in front of the operation, as if it did
  /// that (`FunctionRefills`).
  bool isFilledBefore = false;
  /// The alignment that the use needs (`getNeededAlignment`), or 0 if that was
  /// not asked for.
  int64_t alignment = 0;
};

/// Classify `operands`, which may hold the address of one buffer.
llvm::SmallVector<ClassifiedUse>
classifyUses(llvm::ArrayRef<mlir::OpOperand *> operands,
             const CalleeSummaries &callees);

/// Limits the number of aliases that are visited for the buffers of one
/// function. If each of n buffers has n aliases, as in a chain of n selections
/// between a new buffer and the previous one, visiting all would take quadratic
/// time.
class AliasBudget {
private:
  friend class BufferAliases;
  /// How many aliases and uses may still be visited; nothing until it is
  /// needed.
  std::optional<int64_t> left;
};

/// Remembers values that have too many others between them and their origins:
/// what may be a view of such a value has as many at least. In a chain of n
/// selections, a deallocation of each would follow a few hundred otherwise.
class DistantOrigins {
private:
  friend class BufferAliases;
  llvm::DenseSet<mlir::Value> values;
};

/// Follows memrefs, and values of other types that may hold their addresses
/// (`mayHoldAddress`), through a function: `BufferViewFlowAnalysis`, plus the
/// aliases that it misses in MLIR 22.1.
///
/// The result of `bufferization.clone` may be a copy of its source or the
/// source itself. It is an alias, so that the bytes are not overwritten while
/// the clone is still read. It is also an origin, because it has its own
/// deallocation: when `canonicalize` makes it an alias, it removes one of the
/// two deallocations.
class BufferAliases {
public:
  /// Analyze everything inside `root`. The results of a call may be views of
  /// its operands unless `callees` says that they are not.
  BufferAliases(mlir::Operation *root, const CalleeSummaries &callees);

  /// Return `buffer` and all values inside the root that may be views of it or
  /// be it, each once. Their order is arbitrary: nothing that reaches a user
  /// may depend on it.
  ///
  /// Values for which `isEnd` returns true are not followed further; `buffer`
  /// itself always is.
  llvm::SmallVector<mlir::Value>
  getAliases(mlir::Value buffer,
             llvm::function_ref<bool(mlir::Value)> isEnd = nullptr) const;

  /// The same within `budget`, or nothing if that is used up. A few dozen
  /// aliases and their uses are always free; those of all buffers together may
  /// be a few dozen times as many as there are in the function.
  std::optional<llvm::SmallVector<mlir::Value>>
  getAliases(mlir::Value buffer, AliasBudget &budget) const;

  /// Return the values that `value` is forwarded to directly: the results of
  /// operations that make a view of it or select it, and the arguments and
  /// results that a region operation or a terminator binds to it. They may
  /// occur more than once, in an arbitrary order.
  llvm::SmallVector<mlir::Value> getTargets(mlir::Value value) const;

  /// Return the values that are forwarded to `value` directly. They may occur
  /// more than once, in an arbitrary order.
  llvm::ArrayRef<mlir::Value> getSources(mlir::Value value) const {
    auto it = sources.find(value);
    return it == sources.end() ? llvm::ArrayRef<mlir::Value>() : it->second;
  }

  /// Return the origins of `value`: the values that it may be a view of, and
  /// that come from no other value: results of allocations, function arguments,
  /// results of operations that are not followed, clones. Each once, in an
  /// arbitrary order. Nothing if there are more than a few hundred values in
  /// between. `known`, if not null, is what was found out before about the same
  /// function; it takes time off, and changes no result.
  std::optional<llvm::SmallVector<mlir::Value>>
  getOrigins(mlir::Value value, DistantOrigins *known = nullptr) const;

  /// Return the same for all of `values` together, however many there are.
  llvm::SmallVector<mlir::Value>
  getOrigins(llvm::ArrayRef<mlir::Value> values) const;

  /// Of `aliases`, those of `buffer`, return the ones that can only be clones
  /// or views of clones: a deallocation of them frees another buffer.
  llvm::DenseSet<mlir::Value>
  getClones(mlir::Value buffer, llvm::ArrayRef<mlir::Value> aliases) const;

  /// Return true if `value` is a clone, or a result of a call that may be one:
  /// it may have aliases that `getOrigins` does not return.
  bool isClone(mlir::Value value) const { return clones.contains(value); }

  /// Return true if there is a call inside the root.
  bool haveCalls() const { return haveCallOps; }

  /// Return true if a call returns a value that may hold an address: the
  /// aliases would be different for other `callees`.
  bool dependOnCallees() const { return haveCallResults; }

private:
  void addEdge(mlir::Value from, mlir::Value to);
  void addClone(mlir::Value source, mlir::Value clone);
  void addCall(mlir::Operation *call, const CalleeSummaries &callees);
  bool isOrigin(mlir::Value value) const;

  /// The immediate aliases of each value, and backwards.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> targets;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> sources;
  /// The clones of each value.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> cloneTargets;
  /// Values that may be new buffers even if they have sources.
  llvm::DenseSet<mlir::Value> terminals;
  llvm::DenseSet<mlir::Value> clones;
  bool haveCallResults = false, haveCallOps = false;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_BUFFERUSES_H
