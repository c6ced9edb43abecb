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

#include <array>
#include <map>

namespace buffer_merge::fuzz {
/// An asynchronous copy that its thread did not wait for yet.
struct Copy {
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
  /// The bytes have been written.
  bool hasLanded = false;
};

struct Thread {
  Task *task = nullptr;
  /// The barrier that it waits at, or null.
  mlir::Operation *barrier = nullptr;
  /// Groups of asynchronous copies so far.
  unsigned numGroups = 0;
  /// How often it executed each allocation in workgroup memory.
  std::map<const Instruction *, unsigned> executions;

  bool isRunning() const { return !task->done && !barrier; }
};

/// The state of one workgroup. Every thread is a `Task` of the machine.
class WorkgroupMachine : public Machine, public AccessObserver {
public:
  WorkgroupMachine(const CompiledProgram &program, mlir::gpu::GPUFuncOp kernel,
                   const LaunchOptions &options);

  LaunchResult launch();

  void observe(const Descriptor &memref, int64_t byte, unsigned bytes,
               bool isWrite) override;

  /// Allocate memory that all threads see.
  Allocation *allocateShared(int64_t bytes, llvm::StringRef name,
                             int64_t alignment);
  /// The buffer that `memref` belongs to.
  llvm::StringRef getOwner(const Descriptor &memref) const {
    return memory.getInstance(memref.instance).name;
  }
  Thread &getThread() { return threads[current]; }

  /// Start `copy`, whose number and thread are filled in.
  void startCopy(Copy copy);
  /// Put all copies of the current thread that are in no group into a new one.
  void groupCopies();
  /// Wait until at most `numPending` groups of the current thread are not done.
  void waitForCopies(unsigned numPending);

  const LaunchOptions &options;
  mlir::gpu::GPUFuncOp kernel;
  ThreadId current = 0;
  /// Allocations in workgroup memory that threads execute together, by the
  /// instruction and how often the thread did so before.
  std::map<std::pair<const Instruction *, unsigned>, Descriptor> sharedAllocs;
  /// Slices of pools, by name: all executions of a view are one buffer.
  std::map<llvm::StringRef, InstanceId> slices;

private:
  void start();
  Descriptor makeArgument(mlir::BlockArgument argument, int64_t alignment,
                          bool isShared);
  void stepThread(ThreadId k);
  /// Let every thread run until it waits at a barrier or is done.
  void runToBarrier();
  void passBarrier();
  /// Write the bytes of `copy` if that has not happened yet.
  void land(Copy &copy);
  bool goesOn();

  std::array<Thread, numThreads> threads;
  std::deque<ShadowMemory> shadowMemories;
  std::map<const Allocation *, ShadowMemory *> shadows;
  std::map<llvm::StringRef, ShadowMemory *> shadowsByName;
  std::vector<Allocation *> arguments;
  std::vector<Copy> copies;
  unsigned numCopies = 0;
  mlir::Operation *currentOp = nullptr;
  Random random;
  uint32_t epoch = 1;
  uint64_t handovers = 0;
  /// The failure is a race: it says itself who did what.
  bool isRace = false;
};

/// Handlers of what only kernels do, and of what means something else there.
void addKernelHandlers(HandlerMap &map);
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_GPU_FUZZ_WORKGROUPMACHINE_H
