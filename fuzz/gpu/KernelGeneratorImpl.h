//===- Inner workings of the generator of kernels ---------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer has a slice for each thread of the workgroup. A statement accesses
// slices by a pattern: a permutation that says which thread accesses which one.
// Threads do not meet in a buffer as long as the pattern stays the same, and
// another one may follow after a barrier; different buffers know nothing of
// each other, which is where merging has to be careful.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_GPU_FUZZ_KERNELGENERATORIMPL_H
#define BUFFER_MERGE_GPU_FUZZ_KERNELGENERATORIMPL_H

#include "KernelGenerator.h"
#include "KernelInterpreter.h"
#include "OpMaker.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"

#include <map>

namespace buffer_merge::fuzz {
/// Which thread accesses which slice: [0, 8) rotate, [8, 16) exclusive or; with
/// `broadcast` all threads read one slice, from `single` on one thread accesses
/// all.
using Permutation = int;
constexpr Permutation none = -1;
constexpr Permutation mixed = -2;
constexpr Permutation broadcast = -3;
constexpr Permutation single = 100;

/// The location of an allocation that a loop carries, until it has the name
/// that the oracle knows it by.
inline constexpr llvm::StringLiteral carriedName("carried");

/// What the program point knows of a buffer.
struct BufferState {
  /// Every byte was written, by `writer` since the last barrier.
  bool written = false;
  Permutation writer = none;
  Permutation reader = none;
  /// An asynchronous copy to it may be under way.
  bool inFlight = false;
  /// All bytes will have been written when it is waited for.
  bool fillsInFlight = false;
  Permutation flightPattern = none;
  /// Not accessed any more.
  bool forgotten = false;

  bool mayRead(Permutation pattern) const {
    return written && !inFlight && !forgotten &&
           (writer == none || writer == pattern);
  }
  /// Threads read it by `pattern`, too.
  void read(Permutation pattern) {
    reader = reader == none || reader == pattern ? pattern : mixed;
  }
  bool mayWrite(Permutation pattern) const {
    return !inFlight && !forgotten && (writer == none || writer == pattern) &&
           (reader == none || reader == pattern);
  }
};

struct Buffer {
  mlir::Value value;
  /// The type of the allocation; `value` may have fewer static sizes.
  mlir::MemRefType type;
  /// Elements in the slice of a thread, and in a row if there are two
  /// dimensions.
  int64_t perThread = 1;
};

/// Where statements are generated.
struct Position {
  unsigned depth = 0;
  /// All threads come here together: barriers are allowed.
  bool isConvergent = true;
  /// In a loop over threads: what is allocated here would be for one thread.
  bool isInThreadLoop = false;
  /// How often the surrounding loops can run this.
  unsigned work = 1;
};

/// The elements that one thread accesses.
struct Slice {
  mlir::Value memref;
  /// Element `j` is at indices[0..] with `j` added to the one at `varying`.
  llvm::SmallVector<mlir::Value, 2> indices;
  unsigned varying = 0;
};

class KernelGenerator : OpMaker {
public:
  KernelGenerator(mlir::MLIRContext &context, KernelKind kind, uint64_t seed,
                  const std::set<uint64_t> &dropped)
      : OpMaker(context, seed), kind(kind), dropped(dropped) {}

  GeneratedKernel run();

private:
  struct Statement {
    const char *name;
    unsigned weight;
    void (KernelGenerator::*generate)();
    /// The kinds that have it, as bits; 0 for all.
    unsigned kinds = 0;
  };
  static llvm::ArrayRef<Statement> getStatements();

  // Values.
  mlir::Value makeIndex(int64_t value);
  mlir::Value makeInt(mlir::Type type, int64_t value);
  mlir::Value makeData(mlir::Type type);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value getSlice(Permutation pattern);
  mlir::Value load(mlir::Value memref, mlir::ValueRange indices);
  void consume(mlir::Value value);
  mlir::Value makeUniformBool();
  /// The same in all threads, but nothing in the program says so.
  mlir::Value makeHiddenBool();
  mlir::Value makeDivergentBool();
  mlir::Value makeUniformIndex();

  // Buffers.
  mlir::MemRefType makeType(int64_t &perThread);
  /// Return a type in workgroup memory.
  mlir::MemRefType makeShared(llvm::ArrayRef<int64_t> shape,
                              mlir::Type element);
  int makeBuffer(mlir::MemRefType type, int64_t perThread);
  int makeBuffer();
  int pickBuffer(llvm::function_ref<bool(const BufferState &)> isGood);
  /// Return another buffer of the type of `buffer` that fulfils `isGood`, or
  /// -1.
  int pickTwin(int buffer,
               llvm::function_ref<bool(const BufferState &)> isGood);
  Permutation pickPermutation();
  Slice access(const Buffer &buffer, Permutation pattern);
  mlir::Value getElement(const Slice &slice, int64_t j,
                         llvm::SmallVectorImpl<mlir::Value> &at);
  void fill(int buffer, Permutation pattern);
  void read(int buffer, Permutation pattern);
  void writeSome(int buffer, Permutation pattern);
  /// See to it that `pattern` may be written or read, or return false.
  bool prepareWrite(int buffer, Permutation pattern);
  bool prepareRead(int buffer, Permutation pattern);
  void barrier();
  void maybeBarrier(unsigned percent) {
    if (position.isConvergent && random.chance(percent))
      barrier();
  }
  void createBarrier();
  /// All threads have met: any of them may access all of every buffer.
  void passBarrier();
  /// Read the first element of the slice.
  void readFirst(const Buffer &buffer, Permutation pattern);
  void forget(int buffer);

  // Memory that is not allocated.
  mlir::Value makeAttribution(mlir::MemRefType type);
  mlir::Value makeGlobal(mlir::MemRefType type);
  mlir::Value makeDynamicView(mlir::MemRefType type);
  void chooseMemory();
  /// Return the memory of a buffer of `type` in a kernel of this kind, or null
  /// for an allocation.
  mlir::Value makeOtherMemory(mlir::MemRefType &type);

  // Asynchronous copies.
  bool canCopy(const Buffer &buffer) const;
  mlir::Value startCopy(int buffer, Permutation pattern);
  mlir::Value createGroup(mlir::ValueRange copies);
  void makeGroup();
  void waitForAll();

  // What other units access.
  mlir::Value makeTensorMap(mlir::MemRefType box);
  void createFence();
  llvm::SmallVector<int, 3> makeFilledTiles(mlir::MemRefType type,
                                            int64_t perThread, unsigned count);
  void genWaitOrNot(bool isOfMatrices);

  // Tiles at the top of the kernel.
  void storeRow(const Buffer &tile, mlir::Value row);
  mlir::Value isBelow(mlir::Value value, int64_t limit);
  bool knowsBlockSize() const;
  void genWriteOrRead(const Buffer &tile);
  int64_t pickLimit();
  bool knowsColumnsOnly() const;
  void storeInSteps(const Buffer &tile, mlir::Value first, int64_t limit,
                    mlir::Value step);
  void genRefillInSteps(const Buffer &tile, int64_t limit);
  void genRefillByHalves(const Buffer &tile, int64_t limit);
  void genRefillByCopies(int buffer);
  void genRefillMaybe(int buffer);
  void genRefillByOne(const Buffer &tile, int64_t limit);
  void genRefillByFirstRow(const Buffer &tile, int64_t limit);
  void genRefill(int buffer);
  void genReadBySome(const Buffer &tile);
  void genWholeTile(int buffer);

  // Tiles that loops carry.
  void storeNumber(const Buffer &tile, Permutation pattern, mlir::Value number);
  llvm::SmallVector<mlir::Value> genCarryingBody(mlir::ValueRange carried,
                                                 mlir::Value number,
                                                 Permutation writer,
                                                 bool isLate);

  // Functions that the kernel calls.
  mlir::func::FuncOp beginHelper(mlir::TypeRange arguments);
  mlir::func::FuncOp makeHelper(mlir::TypeRange arguments,
                                llvm::function_ref<void()> generate);
  void exchange(mlir::Value memref, int64_t perThread, bool hasBarrier);

  // Statements.
#define STATEMENT(NAME, WEIGHT, METHOD, KINDS) void METHOD();
#define STATEMENT_AGAIN(...)
#include "Statements.def"

  // Structure.
  void prepare();
  void makeKernel(llvm::ArrayRef<mlir::Type> types);
  void makeGPUFunc(llvm::ArrayRef<mlir::Type> types);
  void makeRows();
  mlir::Value makeThread();
  void makeFunction(llvm::ArrayRef<mlir::Type> types);
  void addMember(llvm::StringRef member);
  void enterLaunch();
  void enterForall();
  void makeHost(llvm::ArrayRef<mlir::Type> types);
  void chooseOptions();
  void nameBuffers();
  unsigned getWeight(const Statement &statement) const {
    bool applies = !statement.kinds || (statement.kinds >> unsigned(kind) & 1);
    return applies ? statement.weight : 0;
  }
  void genStatement();
  void genBody(unsigned numStatements);
  /// Generate the body of a region, at the builder's position; what it
  /// allocates is out of scope afterwards.
  void genRegion(unsigned numStatements, bool isConvergent, unsigned work);
  void join(const std::vector<BufferState> &other);
  void forgetPartialWrites(const std::vector<BufferState> &before);
  void genIf(mlir::Value condition, bool isConvergent);
  unsigned pickSize() { return random.range(1, position.depth < 2 ? 4 : 2); }
  bool isDeep() const { return position.depth >= 4 || position.work > 30; }

  KernelKind kind;
  const std::set<uint64_t> &dropped;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The kernel, if it is one of these.
  mlir::gpu::GPUFuncOp kernel;
  mlir::gpu::LaunchOp launch;
  /// The block that the kernel begins with.
  mlir::Block *body = nullptr;
  /// Where functions and globals go.
  mlir::Block *symbols = nullptr;
  mlir::Attribute workgroup;
  mlir::Value thread;
  /// The threads lie in rows of so many.
  int32_t columns = numThreads;
  mlir::Value out;
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::Value> counts;
  llvm::SmallVector<mlir::Value> flags;
  std::map<std::pair<const void *, int64_t>, mlir::Value> constants;
  std::vector<Buffer> buffers;
  std::vector<BufferState> states;
  /// Tokens of copies that are in no group yet, of this block, with their
  /// buffers.
  llvm::SmallVector<std::pair<mlir::Value, int>> tokens;
  llvm::SmallVector<mlir::MemRefType> palette;
  llvm::SmallVector<int64_t> palettePerThread;
  Position position;
  std::set<std::string> features;
  int budget = 0;
  std::vector<uint64_t> statements;
  int64_t site = 0;
  unsigned numHelpers = 0;
  /// Percent of the barriers that are left out where only other buffers could
  /// mind.
  unsigned carelessness = 0;
  bool usesDealloc = false;
  /// A tile was filled by copies that may be in flight.
  bool copiesToDrain = false;
  /// Barriers of all threads are numbered ones.
  bool usesNamedBarriers = false;
  /// How a program has dynamic memory of its own.
  enum class DynamicMemory { None, Stock, External, Unused };
  DynamicMemory dynamicMemory = DynamicMemory::None;
  int64_t dynamicBytes = 0;
  unsigned numGlobals = 0;
  /// See `GeneratedKernel`.
  std::string mergeOptions;
  std::string workgroupMembers;
  bool hasUnknownSpace = false;
  bool allowsDivergentBarriers = false;
};
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_GPU_FUZZ_KERNELGENERATORIMPL_H
