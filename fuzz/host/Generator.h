//===- Inner workings of the program generator ------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_FUZZ_GENERATOR_H
#define BUFFER_MERGE_FUZZ_GENERATOR_H

#include "OpMaker.h"
#include "ProgramGenerator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include <map>
#include <optional>
#include <vector>

namespace buffer_merge::fuzz {
/// A memref value in scope.
struct MemVal {
  mlir::Value value;
  /// The buffers that it may be: a superset.
  llvm::SmallVector<int, 4> roots;
  /// The index of the flag that says whether all its bytes are written; -1 if
  /// they always are.
  int state = -1;
  /// It covers all bytes of its one root: to fill it is to fill the root.
  bool whole = false;

  mlir::MemRefType getType() const {
    return llvm::dyn_cast<mlir::MemRefType>(value.getType());
  }
};

/// What the generator knows of a buffer.
struct Root {
  /// The level that allocated it and may free it, -1 for none.
  int level = -1;
  /// Somebody else may hold it after the level ended.
  bool pinned = false;
  bool freed = false;
  /// The alignment that its allocation promises.
  int64_t alignment = 1;
  /// Number of enclosing parallel bodies that must not write it.
  unsigned noWrite = 0;
};

/// What a piece of code accesses.
struct AccessLog {
  std::set<int> reads;
  std::set<int> writes;
};

/// An asynchronous operation that nobody waited for yet.
struct Pending {
  int level;
  /// Null, as the token, if there is none.
  mlir::Value group;
  mlir::Value token;
  llvm::SmallVector<mlir::Value, 2> values;
  llvm::SmallVector<MemVal, 2> yielded;
  /// A buffer that it was given.
  std::optional<MemVal> argument;
  AccessLog log;
};

/// What a function has to do with asynchronous execution.
enum class AsyncKind {
  /// It starts a task and returns the token, or the buffer that it yields.
  Token,
  Value,
  /// An `async.func`, which gives both.
  Coroutine,
  /// It adds the task to a group of the caller, or to none.
  Group,
  Dropped,
  /// It waits for a token or a group of the caller.
  AwaitToken,
  AwaitGroup,
  /// It waits for a buffer, and returns it.
  Unwrap,
};

/// A function of such a kind, with a buffer of `type`.
struct AsyncCallee {
  mlir::Operation *op;
  AsyncKind kind;
  mlir::MemRefType type;
};

/// A function that was generated.
struct Callee {
  mlir::Operation *op;
  llvm::SmallVector<mlir::Type, 4> arguments;
  mlir::Type result;
  bool prints = false;
  bool reads = false;
  bool writes = false;
  /// It writes all of its first argument before it reads it.
  bool fills = false;
};

/// A function with arguments that its callers lend.
struct LentCallee {
  mlir::Operation *op;
  mlir::MemRefType donated, output;
  /// Attributes say that they are lent, and calls keep to that.
  bool isPromised = true;
};

class Generator : OpMaker {
public:
  Generator(mlir::MLIRContext &context, uint64_t seed,
            const GeneratorOptions &options);

  GeneratedProgram run();

private:
  /// An address in a buffer, as an index.
  struct Address {
    mlir::Value value;
    MemVal mem;
    /// It is used by comparisons for equality with other addresses, and by
    /// nothing else: a pass may see through these.
    bool isPlain;
  };

  /// The values that may be used at the current place.
  struct Scope {
    llvm::SmallVector<mlir::Value, 8> ints;
    std::vector<MemVal> mems;
    std::vector<char> written;
    /// The accumulator that every read goes into.
    mlir::Value acc;
    /// Induction variables of affine loops and what they are less than.
    llvm::SmallVector<std::pair<mlir::Value, int64_t>, 2> affineIvs;
    /// Sizes of dynamic dimensions.
    llvm::SmallVector<mlir::Value, 8> sizes;
    /// Taken some time ago, of buffers that may be freed.
    std::vector<Address> addresses;
  };

  /// Where the current place is.
  struct Position {
    int level = 0;
    unsigned depth = 0;
    /// Upper bound for the number of times that this place is executed.
    unsigned work = 1;
    bool canPrint = true;
    /// The region may have several blocks.
    bool canBranch = true;
  };

  /// Restores scope and position; `once` if what was written in between stays
  /// written.
  class Nested {
  public:
    Nested(Generator &generator, bool once = false);
    ~Nested();

  private:
    Generator &generator;
    Scope scope;
    Position position;
    bool once;
  };

  struct Yields {
    llvm::SmallVector<mlir::Value, 4> values;
    llvm::SmallVector<int, 8> roots;
  };

  struct Statement {
    const char *name;
    unsigned weight;
    void (Generator::*generate)();
    bool lowerable = true;
    /// With `GeneratorOptions::carried`, instead of `weight`.
    /// Takes the place of `weight` if the option is set.
    bool GeneratorOptions::*option = nullptr;
    unsigned weightIfOption = 0;
  };
  static llvm::ArrayRef<Statement> getStatements();

  // Values.
  mlir::Value makeConstant(bool isIndex, int64_t value);
  mlir::Value makeIndex(int64_t value);
  mlir::Value makeInt(int64_t value);
  mlir::Value toIndex(mlir::Value i64);
  mlir::Value toInt(mlir::Value index);
  mlir::Value pickInt();
  /// Return some i1.
  mlir::Value makeCondition();
  /// Return a value in [0, bound) of type index.
  mlir::Value makeBelow(int64_t bound);
  /// Return `makeIndex(trips)` or something that is computed.
  mlir::Value makeTripCount(unsigned &trips);
  mlir::Value toElement(mlir::Type type, mlir::Value i64);
  mlir::Value fromElement(mlir::Value element);
  /// Mix `i64` into the accumulator.
  void accumulate(mlir::Value i64);

  /// Return a size for a dynamic dimension, below 10: one that was used before,
  /// one that is computed from such a one, or a new one.
  mlir::Value makeSize();
  mlir::Value makeNewSize();
  // Types.
  mlir::Type pickElementType();
  mlir::MemRefType makeType();
  mlir::MemRefType pickType();

  // Buffers.
  int addRoot(int level);
  MemVal allocate(mlir::MemRefType type, bool isPinned = false,
                  llvm::ArrayRef<mlir::Value> sizes = {});
  /// Return all of `root`, of which no byte is written.
  MemVal makeUnwritten(mlir::Value value, int root);
  MemVal makeFilled(mlir::MemRefType type, bool isPinned = false,
                    llvm::ArrayRef<mlir::Value> sizes = {});
  bool isWritten(const MemVal &mem);
  bool canTouch(const MemVal &mem, bool write);
  bool canRead(const MemVal &mem) {
    return isWritten(mem) && canTouch(mem, /*write=*/false);
  }
  void record(const MemVal &mem, bool write);
  void setWritten(const MemVal &mem);
  /// Return a memref in scope, recent ones first, or null.
  std::optional<MemVal> pick(llvm::function_ref<bool(const MemVal &)> isWanted);
  std::optional<MemVal> pickReadable(bool ranked = true);
  /// Return a readable memref of `type`, made if need be; with `pinned` it may
  /// outlive its level.
  MemVal getReadable(mlir::MemRefType type, bool isPinned);
  void fill(MemVal mem);
  void fillElements(const MemVal &mem);
  void insertPart(const MemVal &part, const MemVal &whole, unsigned dim,
                  int64_t first);
  void insertInTurn(const MemVal &whole, unsigned dim);
  void read(const MemVal &mem, bool all);
  void store(const MemVal &mem);
  llvm::SmallVector<mlir::Value, 4> makeIndices(const MemVal &mem);
  llvm::SmallVector<mlir::Value, 4> makeSizes(const MemVal &mem);
  void addAlias(const MemVal &of, mlir::Value value, bool whole,
                const char *name);
  bool canFree(int root);
  void free(int root);
  void forget(int root);

  // Statements.
#define STATEMENT(NAME, WEIGHT, METHOD, ...) void METHOD();
#include "Statements.def"

  /// A loop that carries `inits`, all of one type, with `numLoops - 1` loops
  /// inside; the innermost makes new buffers. Returns its memref results.
  /// `from` are the buffers that they may be.
  llvm::SmallVector<mlir::Value, 4>
  makeChainLoop(mlir::MemRefType type, llvm::ArrayRef<mlir::Value> inits,
                llvm::ArrayRef<int> from, unsigned numLoops);
  /// What an iteration of such a loop does, and what it hands on.
  llvm::SmallVector<mlir::Value, 4> makeChainBody(mlir::MemRefType type,
                                                  mlir::ValueRange carried,
                                                  llvm::ArrayRef<int> from,
                                                  unsigned numLoops);

  mlir::Value takeAddress(const MemVal &mem);
  mlir::Value compareInts(mlir::arith::CmpIPredicate predicate, mlir::Value x,
                          mlir::Value y);
  /// Return an address in a buffer that is allocated, or null.
  std::optional<Address> pickAddress(bool isPlain = false);
  void observeAddresses(llvm::StringRef way, mlir::Value x, mlir::Value y,
                        const MemVal &whole, bool isPlain);
  void compareWithNew(llvm::StringRef way, mlir::Value address,
                      bool isPlain = false);

  struct Elementwise;
  bool isElementwiseInput(const MemVal &mem);
  MemVal pickElementwiseInput();
  void chooseElementwise(Elementwise &e);
  void chooseBroadcast(Elementwise &e);
  MemVal makeElementwiseOutput(const Elementwise &e);
  void makeElementwise(const Elementwise &e, mlir::ValueRange inputs,
                       mlir::Value out, int64_t constant);
  void callElementwise(const Elementwise &e, mlir::ValueRange inputs,
                       mlir::Value out, int64_t constant);
  void genElementwiseOf(const MemVal &in);

  struct Indexed;
  Indexed makeIndexed(llvm::ArrayRef<int64_t> extents);
  void disturb(Indexed &operand);
  void makeView(Indexed &operand, bool isInput, unsigned choice,
                bool isDynamic);

  // Operations that only move elements.
  mlir::Value convertInteger(mlir::Value value, mlir::Type type);
  MemVal makeMoved(const MemVal &in);
  void makeProduct(const MemVal &in);

  /// Return a buffer that is written, and that `overwrite...` can write.
  MemVal pickOverwritable();
  void overwriteByLoops(const MemVal &mem);
  void overwriteByLinalg(const MemVal &mem);
  void overwriteByVector(const MemVal &mem);
  void overwriteRows(const MemVal &mem);

  /// Return a function with buffers among its arguments if `takesBuffers`, or
  /// null if none may be called here.
  const Callee *pickCallee(bool takesBuffers);
  /// Return a function that `outer` may pass its arguments on to, or null.
  const LentCallee *pickInner(const LentCallee &outer);
  /// Call it with `mems`.
  void call(const Callee &callee, llvm::ArrayRef<MemVal> mems);

  // Structure.
  void genStatements(unsigned count);
  /// Generate the rest of a region as a level of its own: `count` statements,
  /// waits and frees. Returns the accumulator and one memref for each type.
  Yields genBody(unsigned count, llvm::ArrayRef<mlir::MemRefType> types);
  void endLevel();
  void awaitPending(size_t index);
  /// Return up to two readable memrefs of one type.
  llvm::SmallVector<MemVal, 2> pickCarried();
  /// Return all buffers that a memref of `type` may be, and a new one that
  /// stands for those that are yet to come.
  llvm::SmallVector<int, 8> getRootsOfType(mlir::MemRefType type);
  void addMem(mlir::Value value, llvm::ArrayRef<int> roots);
  llvm::SmallVector<mlir::MemRefType, 2> pickResultTypes();
  void addResults(mlir::Operation *op, llvm::ArrayRef<mlir::MemRefType> types,
                  llvm::ArrayRef<int> roots);
  /// Generate the body of `op`, with the accumulator `acc` or one of its own;
  /// `generate` returns what it yields. What it accesses is added to `log`.
  void
  genTask(mlir::async::ExecuteOp op, AccessLog &log, mlir::Value acc,
          llvm::function_ref<llvm::SmallVector<mlir::Value, 4>()> generate);
  void genAsyncFunction(unsigned number);
  /// Generate what such a function does; returns its results.
  llvm::SmallVector<mlir::Value, 4>
  genAsyncFunctionBody(AsyncKind kind, mlir::FunctionOpInterface funcOp);
  /// Start a task that uses `argument` and perhaps a buffer of this function;
  /// returns its results.
  llvm::SmallVector<mlir::Value, 4> genTaskOfCallee(const MemVal &argument,
                                                    bool yieldsMem);
  llvm::SmallVector<mlir::Value, 4>
  genTaskBody(const MemVal &argument, const std::optional<MemVal> &local,
              bool yieldsMem);
  const AsyncCallee *
  pickAsyncCallee(llvm::function_ref<bool(const AsyncCallee &)> isWanted);
  llvm::SmallVector<mlir::Value, 4>
  callAsync(const AsyncCallee &callee, llvm::ArrayRef<mlir::Value> arguments);
  void addStarted(Pending &started, const MemVal &mem,
                  llvm::ArrayRef<mlir::Value> results);
  /// Wait for `awaited` in a function of `kind`; false if that is not done.
  bool awaitByCall(AsyncKind kind, mlir::Value awaited, const Pending &done);
  /// Wait for the buffer `value`, here or in a function; `mem` are its roots.
  mlir::Value awaitMem(mlir::Value value, MemVal &mem);
  /// Let `value`, which may be the buffers of `mem`, be seen.
  void addAwaited(MemVal mem, mlir::Value value);
  /// Return `value` after some way that it takes.
  mlir::Value route(mlir::Value value);
  mlir::Value routeThroughFunction(mlir::Value value);
  mlir::Value routeThroughLoop(mlir::Value value);
  mlir::Value routeThroughArms(mlir::Value value);
  mlir::Value routeThroughBlock(mlir::Value value);
  /// Return true if the stock passes lower a wait at the current place.
  bool canAwait();
  bool isInCoroutine();
  /// Return true if something may be started here that nobody waits for.
  bool canDrop();
  /// Frees what may be freed of the current level.
  void freeLevel();
  void addMems(mlir::ValueRange values, llvm::ArrayRef<int> roots);
  /// Generate all regions of `op`, which yield the accumulator and memrefs of
  /// `types`; some of them without a statement.
  template <typename YieldOp>
  void genRegions(mlir::Operation *op, llvm::ArrayRef<mlir::MemRefType> types,
                  unsigned percentEmpty = 0);
  /// What a loop starts with: the accumulator, then memrefs of `types`, which
  /// may be the buffers `from`.
  struct Carried {
    llvm::SmallVector<mlir::Value> inits;
    llvm::SmallVector<mlir::MemRefType, 2> types;
    llvm::SmallVector<int, 8> from;
  };
  Carried pickInits();
  mlir::scf::ForOp makeFor(mlir::Value upper, mlir::ValueRange inits);
  /// Go on in the body of a loop that runs `trips` times. Returns what it
  /// carries besides the accumulator.
  mlir::ValueRange enterLoop(mlir::LoopLikeOpInterface loop, unsigned trips);
  /// Go on after `loop`. Returns its results but for the accumulator.
  mlir::ResultRange leaveLoop(mlir::Operation *loop);
  /// Loops that count: the last of what they carry.
  mlir::scf::WhileOp makeWhile(mlir::ValueRange inits);
  mlir::ValueRange enterWhile(mlir::Region &region, unsigned trips);
  /// End the region with `values` and the counter, which stays below `bound`.
  void yieldWhile(mlir::Value bound, llvm::SmallVector<mlir::Value, 4> values);
  /// Generate the body of `op`, whose iterations run at the same time.
  void inParallel(mlir::Operation *op, int64_t trips,
                  llvm::function_ref<void()> generate);
  void genReduce();
  void enterParallel();
  void leaveParallel(size_t numRoots);
  /// The body of a parallel loop that writes what it computed to `out`.
  /// The bounds and the step of a parallel loop.
  struct Counting {
    int64_t lower, upper, step;
  };
  Counting pickCounting(int64_t trips);
  /// Return the number of the iteration that `iv` has in such a loop.
  mlir::Value makeTrip(mlir::Value iv, const Counting &counting);
  void genParallelBody(const MemVal &out, mlir::Value index,
                       llvm::ArrayRef<mlir::Value> ivs);
  MemVal makeOut(int64_t size);
  void finishOut(const MemVal &out);
  /// Forget the last function, and go on in `entry` of another.
  void beginFunction(mlir::Block *entry);
  /// The same for a function that others call, which prints nothing; its first
  /// argument is a number.
  void beginCallee(mlir::Block *entry);
  void genFunction(unsigned number);
  MemVal makeAligned(mlir::MemRefType type);
  void genLentFunction(unsigned number);
  /// Generate a function that compares an address of its caller with its own.
  void genAddressFunction(unsigned number);
  /// Let `funcOp` call itself up to three times, one in the other.
  void genRecursion(mlir::func::FuncOp funcOp);
  void genMain();
  /// Generate a graph of blocks, and go on in its exit.
  struct Graph;
  Graph makeGraph(unsigned numBlocks, bool multiEntry, bool acyclic);
  void genBlocks(const Graph &graph, Carried &carried);
  void genBranch(const Graph &graph, unsigned node, mlir::Value fuel,
                 mlir::ValueRange operands);
  void genGraph(unsigned numBlocks, bool multiEntry, bool acyclic);
  void shuffleBlocks();
  unsigned bodySize();
  bool isFull() { return position.depth >= 5 || budget <= 0; }
  mlir::Block *currentBlock() { return b.getInsertionBlock(); }

  void prepare(GeneratedProgram &program);

  mlir::MLIRContext &context;
  GeneratorOptions options;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Scope scope;
  Position position;
  std::vector<Root> roots;
  std::vector<Pending> pending;
  std::vector<AccessLog *> logs;
  std::vector<Callee> callees;
  std::vector<AsyncCallee> asyncCallees;
  std::vector<LentCallee> lentCallees;
  std::vector<mlir::func::FuncOp> addressCallees;
  /// Functions that return their argument.
  llvm::DenseMap<mlir::Type, mlir::func::FuncOp> routeFunctions;
  /// Of the function that is being generated.
  mlir::Block *entryBlock = nullptr;
  std::map<std::pair<bool, int64_t>, mlir::Value> constants;
  std::vector<mlir::MemRefType> palette;
  /// Types of dynamic shape.
  std::vector<mlir::MemRefType> dynamicPalette;
  /// Sizes that `@main`, which is generated last, is given.
  llvm::SmallVector<mlir::Value, 2> argumentSizes;
  std::set<std::string> features;
  int nextLevel = 1;
  int budget = 0;
  unsigned numStatements = 0;
  unsigned numOutlined = 0;
  bool prints = false;
  bool frees = false;
  /// Waits also where they are not lowered.
  bool awaitsAnywhere = false;
  /// No graphs of blocks in this program.
  bool structured = false;
  /// The next body starts with branches.
  bool branchesFirst = false;
};
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_FUZZ_GENERATOR_H
