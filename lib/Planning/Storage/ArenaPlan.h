//===- ArenaPlan.h - Pools that the caller provides -------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function takes its pool from an argument, the arena, and hands a part of it
// on to each callee, which is done with it when it returns: a call is like a
// buffer that is alive at the call alone, as large as what the callee needs. So
// callees use bytes that are idle during the call. (Sub-graphs are placed like
// tensors of their parents, recursively, in NNC, the compiler of L. Liu's
// libccv.) With `PoolStorage::Global`, the arena of a function that is called
// from outside of the module, an entry, is a global.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_PLANNING_ARENAPLAN_H
#define BUFFER_MERGE_LIB_PLANNING_ARENAPLAN_H

#include "Analysis/FunctionGraph.h"
#include "FalseAttributes.h"
#include "buffer-merge/Planning/MergePlan.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace buffer_merge {
/// The names in the attribute of a function that says what it needs
/// (`arenaAttrName`).
inline constexpr llvm::StringLiteral arenaBytesName("bytes");
inline constexpr llvm::StringLiteral arenaAlignmentName("alignment");

/// Return the number of the argument of `function` that is marked as its arena
/// (`arenaAttrName`), the first of several, or nothing.
std::optional<unsigned> findArenaArgument(mlir::func::FuncOp function);

/// Return the value that `value` is a cast of, or itself.
mlir::Value stripCasts(mlir::Value value);

/// Return the number of bytes of a memref of i8, if that is static.
std::optional<int64_t> getStaticBytes(mlir::Value value);

/// Return the names of the functions that tell what `function` needs: bytes and
/// alignment.
std::pair<std::string, std::string> getQueryNames(mlir::func::FuncOp function);

/// Return the name of the function that tells how many bytes `function` needs
/// for the sizes of its arguments.
std::string getSizeQueryName(mlir::func::FuncOp function);

/// Return the name of the constant, an `i64`, that is the number of bytes.
std::string getConstantName(mlir::func::FuncOp function);

/// Which functions get an arena, how large it is, and what they forward of it.
class ArenaPlan {
public:
  /// What becomes of one function of the graph.
  struct Arena {
    /// The argument that the program has marked, if any.
    std::optional<unsigned> argument;
    /// The program has marked an argument.
    bool isMarked = false;
    /// An earlier run has made pools in the arena.
    bool isFixed = false;
    /// Why the function can have no arena; empty if it can.
    std::string obstacle;
    /// It does not get its arena from callers: a global.
    bool isOwn = false;
    /// This global is not the one that entries share.
    bool isSeparate = true;
    /// What functions that it calls take of the start of that one, if its own
    /// arena is an argument.
    int64_t pinnedBytes = 0;
    /// What it needs, its callees included, without pools of run-time size.
    int64_t bytes = 0, alignment = 1;
    /// The bytes of these, which are behind the others, where all that is known
    /// at run time is 0; nothing if there are none.
    std::optional<int64_t> runtimeBytes = std::nullopt;
    /// The largest alignment of these.
    int64_t runtimeAlignment = 1;
    /// No other symbol has the name of what would tell how large they are.
    bool hasQueries = false;
    /// The most bytes that it may have with these, which the program checks.
    std::optional<int64_t> mostBytes = std::nullopt;

    /// Return what it needs where all that is known at run time is 0.
    int64_t getLeastBytes() const;
  };

  /// A part of the arena of a caller that a call takes.
  struct Part {
    /// Its index in the graph.
    unsigned call;
    /// The part as a buffer of the caller.
    Buffer place;
  };

  /// What the entries that share a global need.
  struct SharedGlobal {
    /// 0 if there are none.
    int64_t bytes = 0;
    int64_t alignment = 1;
  };

  /// Decide which functions of `lifetimes`, of a module, can have an arena, for
  /// `options.pool`, which is `Arena` or `Global`. Add one error and fail if an
  /// argument that is marked as arena cannot be one.
  llvm::LogicalResult initialize(const BufferLifetimes &lifetimes,
                                 const MergePlanOptions &options,
                                 PlanMessages &messages);

  /// Return why `pool` cannot come from an arena, or nothing if it can.
  llvm::StringRef check(const PoolPlan &pool) const;

  /// Return true if `pool`, which may be a global, shall be a part of the
  /// arenas of the callers.
  bool comesFromCallers(const PoolPlan &pool) const;

  /// With `PoolStorage::Global`: return an attribute that becomes false if
  /// `pool`, of a function, is a global of its own, or null.
  const FalseAttribute *findFalseForGlobal(const PoolPlan &pool) const;

  /// Compute how much each function needs for the pools of `plan` that come
  /// from arenas, and schedule these again, with the parts of their callees.
  /// Add one error and fail if it is known to be too much for what there is,
  /// or cannot be told.
  llvm::LogicalResult compute(mlir::ModuleOp module, MergePlan &plan,
                              const MergePlanOptions &options,
                              PlanMessages &messages);

  /// Return true if the arena of `function`, of a module with `symbols`, may
  /// have a size that depends on those of the arguments: the program does not
  /// take it for a constant, and if functions of the module provide it, they
  /// ask for the size.
  bool mayHaveRuntimePools(mlir::func::FuncOp function,
                           const mlir::SymbolTable &symbols) const;

  /// Let `pool` be in the arena of its function, which may have no more than
  /// `mostBytes`, if there is a limit.
  void addRuntimePool(const RuntimePool &pool,
                      std::optional<int64_t> mostBytes);

  /// Let nothing of static size be in the arena of `function`, of which no
  /// callee has a part.
  void removePool(mlir::func::FuncOp function);

  const FunctionGraph &getGraph() const { return graph; }

  /// Return the arenas, by index in the graph.
  llvm::ArrayRef<Arena> getArenas() const { return arenas; }

  /// Return true if `function` is given an arena, or uses the one that it has.
  bool isActive(unsigned function) const;

  /// Return true if `function` may be given an arena that no function of the
  /// module has cut to measure.
  bool isCalledFromOutside(unsigned function) const;

  /// Return true if `call` is given, or shall be given, a part of the arena of
  /// its caller.
  bool isForwarded(const FunctionGraph::Call &call) const;

  /// Return true if the call with this index in the graph is forwarded one byte
  /// or more.
  bool takesPart(unsigned call) const {
    const FunctionGraph::Call &op = graph.getCalls()[call];
    return isForwarded(op) && getForwardedBytes(op.callee) > 0;
  }

  /// Return the bytes that a caller forwards to `function`.
  int64_t getForwardedBytes(unsigned function) const;

  /// Return the byte of its caller's arena at which the part of a call starts,
  /// by index in the graph.
  int64_t getForwardedOffset(unsigned call) const { return callOffsets[call]; }

  /// Return what the functions without a pool of their own hand on, callees
  /// first: pools without buffers.
  llvm::ArrayRef<PoolPlan> getHandovers() const { return handovers; }

  /// Return the global that entries share.
  SharedGlobal getSharedGlobal() const { return shared; }

  /// Return true if the arena of `function` is the global that entries share.
  bool hasSharedGlobal(mlir::func::FuncOp function) const;

  /// Return true if all that the function around `pool` needs is a part of what
  /// its callers need.
  bool isInsideCallers(const PoolPlan &pool) const;

  /// Return the declaration `name` of a function that tells what is needed, to
  /// be defined, or null if there is none.
  mlir::func::FuncOp lookupQuery(mlir::StringAttr name) const {
    return declarations.lookup(name);
  }

  /// Return the declaration `name` of the constant that is the number of bytes,
  /// to be defined, or null if there is none.
  mlir::memref::GlobalOp lookupConstant(mlir::StringAttr name) const {
    return constants.lookup(name);
  }

private:
  llvm::LogicalResult collectMarked(mlir::ModuleOp module,
                                    PlanMessages &messages);
  llvm::LogicalResult checkAttributes(const BufferLifetimes &lifetimes,
                                      PlanMessages &messages) const;
  llvm::LogicalResult checkMarked(unsigned function, PlanMessages &messages);
  llvm::LogicalResult checkCall(const FunctionGraph::Call &call,
                                PlanMessages &messages);
  void findObstacles(mlir::ModuleOp module);
  void chooseGlobals(mlir::ModuleOp module, EntryPolicy entries);
  int64_t getPinnedBytes(const FunctionGraph::Call &call) const;
  llvm::SmallVector<Part> collectParts(unsigned function) const;
  llvm::LogicalResult computeNeed(unsigned function, PoolPlan *plan,
                                  const MergePlanOptions &options,
                                  PlanMessages &messages);
  llvm::LogicalResult computeNeeds(MergePlan &plan,
                                   const MergePlanOptions &options,
                                   PlanMessages &messages);
  llvm::LogicalResult checkLimit(unsigned function,
                                 const MergePlanOptions &options,
                                 PlanMessages &messages) const;
  llvm::LogicalResult checkSizes(PlanMessages &messages);
  llvm::LogicalResult checkConstant(const mlir::SymbolTable &symbols,
                                    mlir::func::FuncOp function,
                                    PlanMessages &messages);
  llvm::LogicalResult checkQuery(const mlir::SymbolTable &symbols,
                                 mlir::func::FuncOp function,
                                 const std::string &name, unsigned numInputs,
                                 PlanMessages &messages);
  llvm::LogicalResult checkQueries(mlir::ModuleOp module,
                                   PlanMessages &messages);

  FunctionGraph graph;
  llvm::SmallVector<Arena, 0> arenas;
  llvm::SmallVector<int64_t, 0> callOffsets;
  /// With `PoolStorage::Global`, by function: what becomes false with one.
  llvm::SmallVector<std::optional<FalseAttribute>, 0> falseForGlobals;
  SharedGlobal shared;
  llvm::SmallVector<PoolPlan, 0> handovers;
  llvm::DenseMap<mlir::StringAttr, mlir::func::FuncOp> declarations;
  llvm::DenseMap<mlir::StringAttr, mlir::memref::GlobalOp> constants;
};

/// Return true if `pool` has parts for callees.
inline bool isInArena(const PoolPlan &pool) {
  return pool.getPool() && !pool.memorySpace &&
         (pool.getPool()->storage == PoolStorage::Arena ||
          pool.getPool()->storage == PoolStorage::Global);
}
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_PLANNING_ARENAPLAN_H
