//===- Lifetimes within one function ----------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_FUNCTIONLIFETIMES_H
#define BUFFER_MERGE_LIB_ANALYSIS_FUNCTIONLIFETIMES_H

#include "Analysis/Dealloc/PoolDeallocation.h"
#include "Analysis/DynamicSize.h"
#include "Analysis/GPU/EngineCopies.h"
#include "Analysis/GPU/TileCoverage.h"
#include "Analysis/GPU/WorkgroupSync.h"
#include "Analysis/Webs.h"
#include "buffer-merge/Analysis/BufferLifetimes.h"

namespace buffer_merge {
/// What a function allocates.
struct FunctionBuffers {
  /// Each allocation, in the order of execution.
  llvm::SmallVector<BufferLifetime> buffers;
  /// The values of those that hold several (`BufferLifetimes::getValues`), in
  /// the order of these.
  llvm::SmallVector<BufferLifetime> values;
};

/// Computes the lifetimes of the buffers of one function, those of functions
/// inside it apart.
class FunctionLifetimes {
public:
  /// `context`, `options` and `launches`, which may be null, must outlive the
  /// object.
  FunctionLifetimes(const FunctionContext &context,
                    const BufferLifetimesOptions &options,
                    const KernelLaunches *launches);

  /// Return what the function allocates.
  FunctionBuffers run();

  /// Return what other operations allocate in the function, after `run()`.
  llvm::ArrayRef<OtherAllocation> getOtherAllocations() const {
    return otherAllocations;
  }

  /// Return for each kernel among the scopes of `buffers`, the result of
  /// `run()`, what keeps the accesses of its threads apart.
  llvm::SmallVector<std::unique_ptr<const WorkgroupSync>>
  analyzeKernels(llvm::ArrayRef<BufferLifetime> buffers);

private:
  /// Return the attributions of the function, if the options ask for them.
  llvm::SmallVector<mlir::Value> collectAttributions() const;
  /// Find a reason or the lifetime of one buffer. Return its uses, none if
  /// there is a reason that they do not matter for.
  llvm::SmallVector<ClassifiedUse> analyze(BufferLifetime &buffer);
  /// Find what `uses`, all of them, mean for `buffer`, whose home is known.
  void addUses(BufferLifetime &buffer, llvm::ArrayRef<ClassifiedUse> uses);
  /// Return the values that are `buffer` or may be views of it, within the
  /// budget. Find out which of them are clones.
  std::optional<llvm::SmallVector<mlir::Value>>
  findAliases(const BufferLifetime &buffer);
  /// Add the values of `buffer`, which has been analyzed last, to `values` if
  /// it holds several and each of them could be merged (L10 values).
  void findValues(const BufferLifetime &buffer,
                  llvm::ArrayRef<ClassifiedUse> uses,
                  llvm::SmallVectorImpl<BufferLifetime> &values);
  /// Find the lifetime of a buffer that stays because of its dynamic shape.
  void checkRuntimeSize(BufferLifetime &buffer);
  /// Find the scope of `buffer`. Return why there is none, or nothing.
  std::optional<Refusal> checkPlace(BufferLifetime &buffer) const;
  /// Return the uses of `values`, which may be one buffer.
  llvm::SmallVector<ClassifiedUse>
  collectUses(llvm::ArrayRef<mlir::Value> values);
  /// Check which values the buffer may be bound to (L7 carried), and that none
  /// of them outlives the scope.
  void checkAliases(BufferLifetime &buffer,
                    llvm::ArrayRef<mlir::Value> values) const;
  /// Return the operation at which the buffer could be allocated so that its
  /// lifetime is not longer than necessary (L3 repetition, L4 CFG cycles),
  /// given all uses of it and its aliases. Find out when its contents are dead
  /// as well.
  mlir::Operation *findHome(const BufferLifetime &buffer,
                            llvm::ArrayRef<ClassifiedUse> uses);
  /// The same for a buffer in workgroup memory (G10 tiles).
  mlir::Operation *findTileHome(const BufferLifetime &buffer,
                                llvm::ArrayRef<ClassifiedUse> uses);
  /// Return what the threads of `kernel` agree on, which is found once.
  const Uniformity &getUniformity(mlir::Region &kernel);
  /// Return true if a copy engine or a matrix unit accesses `buffer` for `op`,
  /// and it may be known when it is complete.
  bool isOfKnownUnit(const BufferLifetime &buffer, mlir::Operation *op);
  /// Find out whether an attribution could replace `buffer`, which is refused
  /// (`BufferLifetime::isOneObject`).
  void findOneObject(BufferLifetime &buffer);
  /// Note what `use` means for that; return false if it cannot be.
  bool keepsOneObject(BufferLifetime &buffer, mlir::OpOperand &use,
                      bool isExecutedOnce) const;
  void addUse(BufferLifetime &buffer, const ClassifiedUse &classified);
  /// Record `use`, by which the buffer or a clone of it may be freed.
  void addDealloc(BufferLifetime &buffer, mlir::OpOperand &use) const;
  void addAccess(BufferLifetime &buffer, mlir::Operation *op, bool isDeferred);
  /// Record that `op` compares the address of the buffer.
  void addComparison(BufferLifetime &buffer, mlir::Operation *op) const;
  /// Add the dead ticks within the lifetime as its gaps (L11).
  void addGaps(BufferLifetime &buffer) const;
  /// Return true if `value` may be bound to a buffer of an earlier execution of
  /// `place`, where it begins, when `place` is executed again.
  bool isCarried(mlir::BlockArgument value, mlir::Operation *place) const;

  const BufferLifetimesOptions &options;
  const FunctionContext &context;
  const KernelLaunches *launches;
  AliasBudget aliasBudget;
  /// The uses of buffers with many aliases, which are most often those of
  /// others as well.
  llvm::DenseMap<mlir::OpOperand *, ClassifiedUse> sharedUses;
  /// Of the aliases of the buffer that is analyzed, those that are only clones.
  llvm::DenseSet<mlir::Value> clones;
  /// Where the buffer that is analyzed could be allocated (`findHome`).
  mlir::Operation *home = nullptr;
  /// When nobody needs its contents (`Webs::findDeadTicks`).
  llvm::SmallVector<TickRange> deadTicks;
  /// Its webs, if it is known by them.
  std::optional<Webs> webs;
  /// The alignment that its allocation asks for.
  int64_t ownAlignment = 1;
  mlir::DominanceInfo dominance;
  std::optional<WebBudget> webBudget, valueBudget;
  /// By kernel, made when they are asked for.
  llvm::DenseMap<mlir::Region *, std::unique_ptr<const Uniformity>>
      uniformities;
  llvm::DenseMap<mlir::Region *, std::unique_ptr<const EngineCopies>>
      engineCopies;
  /// What may be computed to find tiles (`Tile`): some 100 ms.
  int64_t tileBudget = int64_t(1) << 24;
  PoolDeallocation deallocation;
  DynamicSizes dynamicSizes;
  llvm::SmallVector<OtherAllocation> otherAllocations;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_FUNCTIONLIFETIMES_H
