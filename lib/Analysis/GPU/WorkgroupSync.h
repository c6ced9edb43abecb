//===- WorkgroupSync.h - What barriers keep apart ---------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_GPU_WORKGROUPSYNC_H
#define BUFFER_MERGE_LIB_ANALYSIS_GPU_WORKGROUPSYNC_H

#include "Analysis/BufferUses.h"
#include "Analysis/GPU/OtherSync.h"
#include "Analysis/GPU/Uniformity.h"
#include "Analysis/GPU/WorkgroupMemory.h"
#include "buffer-merge/Analysis/SyncConflict.h"
#include "llvm/ADT/MapVector.h"

namespace buffer_merge {
/// Finds the hazards in a kernel: pairs of objects in workgroup memory that
/// different threads may access at the same time, which matters if they share
/// bytes. An object is an allocation or a view of a pool: a value and its
/// aliases.
///
/// Threads run ahead of each other. Only a barrier that all of them execute
/// orders the accesses before it and after it, so two objects may share bytes
/// only if there is a barrier on every path from an access of one to an access
/// of the other. This is a forward dataflow analysis over the structured
/// control flow of one kernel. Its state is the set of objects that have been
/// read, written, or are still being copied since the last barrier. Triton's
/// membar analysis (lib/Analysis/Membar.cpp) has the same idea, without
/// divergent control flow.
///
/// - At a branch or loop on which all threads agree (`Uniformity`), paths are
///   followed: both arms, around the loop until nothing changes, past the loop
///   if it may not be executed at all.
/// - In any other operation with regions, all accesses are taken to happen at
///   the same time, and barriers inside do not count.
/// - An asynchronous copy into an object is in flight until a wait for its
///   group. From then on it behaves like a write, until the next barrier. A
///   wait that leaves `n` groups in flight completes those that at least `n`
///   others have followed on every path.
/// - A copy of a copy engine is in flight until the thread that issued it has
///   waited for its phase (`EngineCopies`). What a copy engine or a matrix unit
///   reads is in flight until a wait for its group, and behaves like a read
///   from then on.
/// - Between an access of threads and one of another unit there must be a proxy
///   fence of all threads and then a barrier.
/// - The last iterations of a loop are followed by themselves if they are known
///   to start no copies, such as those of tiles behind the end.
///
/// ```
///   store a; load b                     a, b: no-barrier
///   store a; barrier; load b            none
///   for { store a; barrier; load b }    a, b: back-edge, from b to a
/// ```
class WorkgroupSync {
public:
  /// The values through which an object may be accessed; the first one
  /// identifies it.
  using Aliases = llvm::SmallVector<mlir::Value>;

  /// What an operation does with an object.
  struct Access {
    unsigned object = 0;
    bool isRead = false, isWrite = false;
    AccessUnit unit = AccessUnit::Threads;
    /// It is asynchronous, and its threads do not wait for it before they meet
    /// the others again; they may end its group before that.
    bool isAsync = false;
    bool isInGroup = false;
    /// Each use is an access that the analysis understands.
    bool isUnderstood = true;
  };
  using Accesses =
      llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Access, 1>>;

  /// Analyze `kernel`, a region of one block (`findKernel`). Objects are
  /// numbered from 0, in the order of `objects`. `callees` are the summaries
  /// for the function around the kernel. Only the kernel must outlive the
  /// constructor.
  WorkgroupSync(mlir::Region &kernel, llvm::ArrayRef<Aliases> objects,
                const CalleeSummaries &callees, const Uniformity &uniformity,
                const WorkgroupOptions &options);

  /// The same for any `accesses` to objects without a value, and with
  /// synchronization other than barriers.
  WorkgroupSync(mlir::Region &kernel, Accesses accesses,
                const Uniformity &uniformity, const WorkgroupOptions &options,
                const OtherSync &otherSync);

  /// Return the operations that access an object through one of `aliases`, and
  /// what they do.
  static llvm::MapVector<mlir::Operation *, Access>
  collectAccesses(llvm::ArrayRef<mlir::Value> aliases,
                  const CalleeSummaries &callees);

  /// Return the pairs of objects that must not share bytes, sorted by their
  /// numbers, each once. Pairs for which `mayShareBytes` is false are left out;
  /// null stands for all pairs. Barriers are assumed before the operations in
  /// `barriers`, each of which is one that `findBarrierPlace` has returned; and
  /// a proxy fence before each of these but `unfenced`, if `mayInsertFences`.
  ///
  /// The time is that of one pass over the kernel for each loop nesting level
  /// and one more, times the number of objects accessed between two barriers.
  /// Return nothing if there are too many pairs: millions, in a kernel without
  /// barriers.
  std::optional<llvm::SmallVector<SyncConflict, 0>>
  findConflicts(llvm::function_ref<bool(unsigned, unsigned)> mayShareBytes = {},
                const llvm::DenseSet<mlir::Operation *> &barriers = {},
                const llvm::DenseSet<mlir::Operation *> &unfenced = {}) const;

  /// Return true if proxy fences may be needed, and there are operations for
  /// them: other units than threads access an object, and the dialect NVVM is
  /// loaded.
  bool mayInsertFences() const;

  /// Return only the pairs of `findConflicts(mayShareBytes)` that remain under
  /// the most favourable assumptions: accesses by operations that are not
  /// understood do not count, every operation of `otherSync`
  /// separates all accesses before it from all accesses after it, and a wait
  /// for some groups of copies waits for all.
  std::optional<llvm::SmallVector<SyncConflict, 0>> findCertainConflicts(
      llvm::function_ref<bool(unsigned, unsigned)> mayShareBytes) const;

  /// Return the objects that are allocated in a loop and whose iterations race
  /// (G7 one buffer for all iterations): a thread may access the object of one
  /// iteration while another thread still accesses that of an earlier
  /// iteration. In workgroup memory both are the same bytes, in any pool: the
  /// program has a race as soon as it is lowered. `first` and `second` are both
  /// the object, and the rule is `BackEdge` or `InFlight`. Loops in which
  /// threads may diverge are not analyzed. `barriers` and the time are those of
  /// `findConflicts`; nothing is found if that is too much.
  ///
  /// ```
  ///   for { a = alloc; store a; barrier; load a }    from the load to the
  ///   store
  /// ```
  llvm::SmallVector<SyncConflict, 0> findRacesOfIterations(
      const llvm::DenseSet<mlir::Operation *> &barriers = {}) const;

  /// Return the operation before which a barrier separates `op`, an access,
  /// from all accesses before that operation: `op`, or the outermost operation
  /// around it in which threads may diverge. If `outsideLoops`, return the
  /// outermost loop around that, if there is one.
  mlir::Operation *findBarrierPlace(mlir::Operation *op,
                                    bool outsideLoops) const;

  /// Return every operation before which a barrier may help
  /// (`findBarrierPlace`), in the order of the program.
  llvm::SmallVector<mlir::Operation *>
  findBarrierPlaces(bool outsideLoops) const;

  /// Return the barriers of the kernel that all threads execute together, in
  /// the order of the program; an `scf.forall` with a barrier at its end is
  /// included.
  llvm::ArrayRef<mlir::Operation *> getBarriers() const { return barrierOps; }

  /// Return the region that was analyzed.
  mlir::Region &getKernel() const { return *kernel; }

  /// Return the number of objects: those are 0, 1, ..., `getNumObjects() - 1`.
  unsigned getNumObjects() const { return numbers.size(); }

  /// Return the number of `object`, which must be the first alias of one of
  /// those given to the constructor.
  unsigned getNumber(mlir::Value object) const { return numbers.at(object); }

private:
  /// One thing that happens in the kernel. Steps are numbered in the order of
  /// the program.
  struct Step {
    enum class Kind {
      Access,
      Barrier,
      /// What `unit` starts from here on belongs to the next group.
      EndGroup,
      /// All groups of `unit` that have ended are complete, but for the
      /// youngest `numInFlight`.
      Wait,
      /// Each thread orders its accesses before those of other units; if
      /// `divergentOp`, some do.
      Fence,
      /// The copy engine is done with the objects of `accesses`, as a thread
      /// knows.
      Complete,
      /// A branch or loop begins, before which a barrier may be.
      Begin,
      /// An object is allocated in a loop, as in each of its iterations.
      Allocate,
      /// Threads may wait for each other in an unknown way.
      OtherSync,
    };
    Kind kind;
    mlir::Operation *op;
    /// The outermost operation around `op` in which threads may diverge, or
    /// null.
    mlir::Operation *divergentOp;
    AccessUnit unit = AccessUnit::Threads;
    unsigned numInFlight = 0;
    llvm::SmallVector<Access, 1> accesses;
  };
  /// Steps that follow each other, and where control goes then.
  struct StepBlock {
    unsigned firstStep, lastStep = 0;
    llvm::SmallVector<unsigned, 2> successors;
  };
  class Builder;
  class Solver;

  mlir::Region *kernel;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  /// For operations with accesses, `Step::divergentOp`.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> divergentOps;
  llvm::SmallVector<Step, 0> steps;
  llvm::SmallVector<StepBlock, 0> blocks;
  llvm::SmallVector<mlir::Operation *> barrierOps;
  /// Something is accessed by other units than threads.
  bool hasOtherUnits = false;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_GPU_WORKGROUPSYNC_H
