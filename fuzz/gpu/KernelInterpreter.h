//===- Runs kernels thread by thread ----------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_GPU_FUZZ_KERNELINTERPRETER_H
#define BUFFER_MERGE_GPU_FUZZ_KERNELINTERPRETER_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace buffer_merge::fuzz {
struct CompiledProgram;
class SharedMemoryLayout;

/// The workgroup that every kernel runs with.
constexpr unsigned numThreads = 8;
constexpr unsigned subgroupSize = 4;

/// What the names of allocations that loops carry begin with, and no others:
/// the instances of one are buffers of their own, which several iterations
/// have.
inline constexpr llvm::StringLiteral carriedPrefix("b10000");

/// In what order the threads of a workgroup run between two barriers, and when
/// asynchronous copies happen.
enum class ThreadOrder {
  /// One operation a thread in turn; copies when they start.
  RoundRobin,
  /// Thread 0 as far as it gets, then thread 1 and so on; copies when they are
  /// waited for.
  Forward,
  /// The same from the last thread; copies when they are waited for.
  Backward,
  /// Any thread does one operation; copies at any time.
  Random,
};
constexpr unsigned numThreadOrders = 4;

llvm::StringRef stringify(ThreadOrder order);

struct LaunchOptions {
  ThreadOrder order = ThreadOrder::RoundRobin;
  /// Which values the scalar arguments get: 0 and 1 stand for all of them 0
  /// (loops without an iteration) and all of them 1, others mix.
  unsigned arguments = 0;
  /// Operations that may wait at different barriers for each other, as the
  /// hardware allows; otherwise that is a failure.
  bool allowsDivergentBarriers = false;
  uint64_t maxSteps = 200000;
  /// The dynamic workgroup memory that the launch asks for.
  int64_t dynamicWorkgroupBytes = 0;
  /// For each of `KernelInterpreter::getWantedAlignments` what is demanded; if
  /// empty, nothing is.
  std::vector<int64_t> demandedAlignments;
};

/// What one run of a kernel did.
struct LaunchResult {
  /// The first thing that went wrong; empty if nothing did.
  std::string failure;
  /// It is a race between two buffers.
  bool isRace = false;
  /// A race of accesses of one buffer: the program may mean anything, but that
  /// is nothing that merging is guilty of. Empty if there was none.
  std::string ownRace;
  /// The bytes of the memrefs among the arguments afterwards.
  std::vector<std::vector<uint8_t>> arguments;
  /// For each of `KernelInterpreter::getWantedAlignments` the least alignment
  /// that an access had.
  std::vector<int64_t> alignments;
  /// Operations executed, barriers passed by all threads, and bytes that were
  /// written by one buffer after another buffer.
  uint64_t steps = 0;
  uint64_t barriers = 0;
  uint64_t handovers = 0;
  bool outOfSteps = false;
};

/// A kernel, made ready to run several times. It refers to the module, which
/// must stay as it is.
///
/// The interpreter knows nothing of the library. It knows which buffer is which
/// by the convention of the fuzzer of host programs: `memref.alloc`s in
/// workgroup memory and workgroup attributions of the original kernel have a
/// location `loc("b<N>")`, and the `memref.view` of a pool that stands for one
/// has it too. A pool is an allocation, an attribution, or the dynamic
/// workgroup memory, without such a location.
///
/// An allocation is one object a workgroup and execution; in a merged kernel,
/// as on the hardware, all executions of one share their bytes, so that races
/// between these are races of one buffer. That does not apply to allocations
/// whose name begins with `carriedPrefix`. Workgroup
/// memory is what is in the space of the dialect, in 3 or "shared", and all
/// workgroup attributions whatever they say.
///
/// The kernel is the only `gpu.func` that is one, else the function `@entry` or
/// `@kernel` of the module. All threads of a workgroup execute a function. In
/// it, they execute the body of a `gpu.launch`, and one iteration of an
/// outermost `scf.forall` that is not mapped to threads: its iterations are
/// workgroups. Iterations of other `scf.forall`s are those of the threads or
/// subgroups that the mapping names, or of any thread without a mapping; at the
/// end of an outermost one with a mapping all threads wait.
class KernelInterpreter {
public:
  KernelInterpreter();
  ~KernelInterpreter();

  /// Translate the kernel of `module`. Returns an empty string, or why it
  /// cannot be run: the name of an operation that is not known.
  std::string compile(mlir::ModuleOp module);

  /// Demand that the slices named like `name` start at a multiple of
  /// `alignment` and that their pool says it is aligned so.
  void requireAlignment(llvm::StringRef name, int64_t alignment);

  /// How aligned accesses of several elements want to be: 32 bytes for matrices
  /// of subgroups, their size for vectors. In the order of the program.
  struct WantedAlignment {
    mlir::Operation *op;
    int64_t alignment;
  };
  llvm::ArrayRef<WantedAlignment> getWantedAlignments() const { return wanted; }

  LaunchResult run(const LaunchOptions &options) const;

private:
  std::unique_ptr<CompiledProgram> program;
  mlir::FunctionOpInterface kernel;
  /// Of no dynamic bytes: what there is without dynamic memory.
  std::unique_ptr<SharedMemoryLayout> layout;
  std::vector<WantedAlignment> wanted;
  /// Indices into `wanted`.
  llvm::DenseMap<mlir::Operation *, unsigned> aligned;
};
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_GPU_FUZZ_KERNELINTERPRETER_H
