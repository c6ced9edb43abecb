//===- Inner workings of the interpreter of kernels -------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_GPU_FUZZ_WORKGROUPMACHINE_H
#define BUFFER_MERGE_GPU_FUZZ_WORKGROUPMACHINE_H

#include "KernelInterpreter.h"
#include "Machine.h"
#include "RaceDetector.h"
#include "Random.h"
#include "SharedMemoryLayout.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <array>
#include <map>

namespace buffer_merge::fuzz {
/// The alignment of what is as aligned as anything may hope for.
constexpr int64_t infinitelyAligned = 4096;

/// What makes asynchronous accesses. Each unit has its own groups.
enum class Unit { Threads, Loads, Stores, Matrices };

/// An asynchronous access that its thread did not wait for yet: a copy to
/// `target`, or a read of it.
struct Copy {
  Unit unit = Unit::Threads;
  unsigned number = 0;
  Accessor by;
  Descriptor source;
  Descriptor target;
  int64_t sourceByte = 0;
  int64_t targetByte = 0;
  /// Bytes that are written; those from `sourceBytes` on become 0.
  int64_t bytes = 0;
  int64_t sourceBytes = 0;
  /// The number of the group, counted from 1 in each thread; 0 as long as it
  /// is in none, and then no wait includes it.
  unsigned group = 0;
  /// The mbarrier that a copy engine tells when it is done, or null.
  struct MBarrier *mbarrier = nullptr;
  /// The bytes have been written, or read.
  bool hasLanded = false;

  bool isWrite() const { return unit == Unit::Threads || unit == Unit::Loads; }
};

/// What only the thread that issues copies arrives at. A phase ends as late as
/// it can: when that thread waits for it.
struct MBarrier {
  unsigned numAnnounced = 0, numComplete = 0;
  /// The thread that has announced the last phase, if there is one.
  ThreadId issuer = numThreads;
};

struct Thread {
  Task *task = nullptr;
  /// The barrier that it waits at, or null; its number, and how many threads it
  /// is for.
  mlir::Operation *barrier = nullptr;
  int64_t barrierId = 0;
  int64_t barrierCount = 0;
  /// What it knows of the others in this epoch.
  Clock clock = {};
  /// Groups of each unit so far.
  std::array<unsigned, 4> numGroups = {};
  /// How often it executed each allocation in workgroup memory.
  std::map<const Instruction *, unsigned> executions;

  bool isRunning() const { return !task->done && !barrier; }
};

/// The state of one workgroup. Every thread is a `Task` of the machine.
class WorkgroupMachine : public Machine, public AccessObserver {
public:
  /// `aligned` are the numbers of the operations whose alignment counts.
  WorkgroupMachine(const CompiledProgram &program,
                   mlir::FunctionOpInterface kernel,
                   const llvm::DenseMap<mlir::Operation *, unsigned> &aligned,
                   const SharedMemoryLayout &layout,
                   const LaunchOptions &options);

  LaunchResult launch();

  void observe(const Descriptor &memref, int64_t byte, unsigned bytes,
               bool isWrite) override;

  /// Allocate memory that all threads see.
  Allocation *allocateShared(int64_t bytes, llvm::StringRef name,
                             int64_t alignment);
  /// Return memory of the threads of `type`: that of an attribution or a
  /// global, which has the bytes `range` if there is dynamic memory.
  Descriptor makeStatic(mlir::MemRefType type, llvm::StringRef name,
                        int64_t alignment, SharedMemoryLayout::Range range);
  /// Return memory that no other thread sees.
  Descriptor makePrivate(mlir::MemRefType type);
  /// Note how aligned an access at `byte` is, if that counts for the current
  /// operation.
  void checkAlignment(const Descriptor &memref, int64_t byte);
  /// The current thread waits at `op`, the barrier number `id`, until `count`
  /// threads do.
  void wait(mlir::Operation *op, int64_t id, int64_t count);
  /// The buffer that `memref` belongs to.
  llvm::StringRef getOwner(const Descriptor &memref) const {
    return memory.getInstance(memref.instance).name;
  }
  /// All threads see the memory behind `memref`.
  bool isShared(const Descriptor &memref) const {
    return shadows.count(memref.allocation);
  }
  Thread &getThread() { return threads[current]; }

  /// Start `copy`, whose number and thread are filled in.
  void startCopy(Copy copy);
  /// Put all that `unit` does for the current thread and that is in no group
  /// into a new one.
  void groupCopies(Unit unit);
  /// Wait until at most `numPending` groups of the current thread are not done.
  void waitForCopies(Unit unit, unsigned numPending);
  /// The current thread executes a proxy fence.
  void fence() { fences[current].push_back(epoch); }
  /// Wait until those are done that tell `mbarrier`.
  void waitForEngine(const MBarrier &mbarrier);

  const LaunchOptions &options;
  mlir::FunctionOpInterface kernel;
  const llvm::DenseMap<mlir::Operation *, unsigned> &aligned;
  const SharedMemoryLayout &layout;
  /// The threads lie in rows of so many.
  unsigned columns;
  ThreadId current = 0;
  /// Allocations in workgroup memory that threads execute together, by the
  /// instruction and how often the thread did so before.
  std::map<std::pair<const Instruction *, unsigned>, Descriptor> sharedAllocs;
  /// Slices of pools, by name: all executions of a view are one buffer.
  std::map<llvm::StringRef, InstanceId> slices;
  /// Attributions of launches and globals, once all threads share them.
  llvm::DenseMap<const void *, Descriptor> statics;
  /// By what creates them, and their numbers.
  std::map<std::pair<uint64_t, int64_t>, MBarrier> mbarriers;

private:
  void start();
  Descriptor makeDescriptor(mlir::MemRefType type) const;
  void stepThread(ThreadId k);
  /// Let every thread run until it waits at a barrier or is done.
  void runToBarrier();
  void passBarrier();
  /// Let those go on that wait at the barrier `id`, which is for some threads.
  void passPartialBarrier(int64_t id);
  Accessor getAccessor(llvm::StringRef owner) const {
    return {current, currentOp, owner, threads[current].clock[current],
            unsigned(fences[current].size())};
  }
  /// Write the bytes of `copy` if that has not happened yet.
  void land(Copy &copy);
  /// Its thread has waited for `copy`.
  void finish(Copy &copy);
  bool goesOn();

  std::array<Thread, numThreads> threads;
  Fences fences;
  bool hasOtherUnits = false;
  std::deque<ShadowMemory> shadowMemories;
  std::map<const Allocation *, ShadowMemory *> shadows;
  std::map<llvm::StringRef, ShadowMemory *> shadowsByName;
  std::vector<Allocation *> arguments;
  /// All shared memory, if there are addresses in it.
  Allocation *window = nullptr;
  std::vector<int64_t> alignments;
  std::vector<Copy> copies;
  unsigned numCopies = 0;
  mlir::Operation *currentOp = nullptr;
  Random random;
  uint32_t epoch = 1;
  uint64_t handovers = 0;
  /// The failure is a race: it says itself who did what.
  bool isRace = false;
};

/// Handlers of what only kernels do, and of what means something else there:
/// all of these, and the parts that others have.
void addKernelHandlers(HandlerMap &map);
void addWorkgroupControlHandlers(HandlerMap &map);
void addMatrixHandlers(HandlerMap &map);

inline WorkgroupMachine &getWorkgroup(Machine &machine) {
  return static_cast<WorkgroupMachine &>(machine);
}
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_GPU_FUZZ_WORKGROUPMACHINE_H
