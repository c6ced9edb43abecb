//===- Random legal kernels from a seed ----------------------------------===//
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

#include "KernelGenerator.h"
#include "KernelInterpreter.h"
#include "Random.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <map>

using namespace mlir;
using namespace buffer_merge::fuzz;

void buffer_merge::fuzz::loadKernelDialects(MLIRContext &context) {
  context.loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                      func::FuncDialect, gpu::GPUDialect, memref::MemRefDialect,
                      nvgpu::NVGPUDialect, scf::SCFDialect,
                      vector::VectorDialect>();
}

namespace {
/// Which thread accesses which slice: [0, 8) rotate, [8, 16) exclusive or; with
/// `broadcast` all threads read one slice, from `single` on one thread accesses
/// all.
using Permutation = int;
constexpr Permutation none = -1;
constexpr Permutation mixed = -2;
constexpr Permutation broadcast = -3;
constexpr Permutation single = 100;

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
  bool mayWrite(Permutation pattern) const {
    return !inFlight && !forgotten && (writer == none || writer == pattern) &&
           (reader == none || reader == pattern);
  }
};

struct Buffer {
  Value value;
  /// The type of the allocation; `value` may have fewer static sizes.
  MemRefType type;
  /// Elements in the slice of a thread, and in a row if there are two
  /// dimensions.
  int64_t perThread = 1;
};

/// Where statements are generated.
struct Position {
  unsigned depth = 0;
  /// All threads come here together: barriers are allowed.
  bool isConvergent = true;
  /// How often the surrounding loops can run this.
  unsigned work = 1;
};

/// The elements that one thread accesses.
struct Slice {
  Value memref;
  /// Element `j` is at indices[0..] with `j` added to the one at `varying`.
  SmallVector<Value, 2> indices;
  unsigned varying = 0;
};

class KernelGenerator {
public:
  KernelGenerator(MLIRContext &context, uint64_t seed,
                  const std::set<uint64_t> &dropped)
      : random(seed), b(&context), loc(UnknownLoc::get(&context)),
        dropped(dropped) {}

  GeneratedKernel run();

private:
  struct Statement {
    const char *name;
    unsigned weight;
    void (KernelGenerator::*generate)();
  };
  static ArrayRef<Statement> getStatements();

  // Values.
  Value makeIndex(int64_t value);
  Value makeInt(Type type, int64_t value);
  Value makeData(Type type);
  Value add(Value lhs, Value rhs);
  Value getSlice(Permutation pattern);
  Value load(Value memref, ValueRange indices);
  void consume(Value value);
  Value makeUniformBool();
  /// The same in all threads, but nothing in the program says so.
  Value makeHiddenBool();
  Value makeDivergentBool();
  Value makeUniformIndex();

  // Buffers.
  MemRefType makeType(int64_t &perThread);
  int makeBuffer(MemRefType type, int64_t perThread);
  int makeBuffer();
  int pickBuffer(function_ref<bool(const BufferState &)> isGood);
  /// Return another buffer of the type of `buffer` that fulfils `isGood`, or
  /// -1.
  int pickTwin(int buffer, function_ref<bool(const BufferState &)> isGood);
  Permutation pickPermutation();
  Slice access(const Buffer &buffer, Permutation pattern);
  Value getElement(const Slice &slice, int64_t j, SmallVectorImpl<Value> &at);
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
  void forget(int buffer);

  // Asynchronous copies.
  bool canCopy(const Buffer &buffer) const;
  Value startCopy(int buffer, Permutation pattern);
  Value createGroup(ValueRange copies);
  void makeGroup();
  void waitForAll();

  // Statements.
  void genPhase();
  void genFill();
  void genRead();
  void genStore();
  void genBarrier();
  void genForget();
  void genCopy();
  void genAtomic();
  void genSelect();
  void genBranchedAlias();
  void genPingPong();
  void genBroadcast();
  void genSingleThread();
  void genCall();
  void genPrivate();
  void genAsyncCopy();
  void genUngroupedCopy();
  void genAsyncWait();
  void genPartialWait();
  void genPipeline();
  void genTiles();
  void genIf();
  void genDivergentIf();
  void genSwitch();
  void genFor();
  void genDivergentFor();
  void genWhile();
  void genCarried();
  void genScope();

  // Structure.
  void prepare();
  void genStatement();
  void genBody(unsigned numStatements);
  /// Generate the body of a region, at the builder's position; what it
  /// allocates is out of scope afterwards.
  void genRegion(unsigned numStatements, bool isConvergent, unsigned work);
  void join(const std::vector<BufferState> &other);
  void forgetPartialWrites(const std::vector<BufferState> &before);
  void genIf(Value condition, bool isConvergent);
  unsigned pickSize() { return random.range(1, position.depth < 2 ? 4 : 2); }
  bool isDeep() const { return position.depth >= 4 || position.work > 30; }

  Random random;
  OpBuilder b;
  Location loc;
  const std::set<uint64_t> &dropped;
  OwningOpRef<ModuleOp> module;
  gpu::GPUFuncOp kernel;
  gpu::GPUModuleOp gpuModule;
  Attribute workgroup;
  Value thread;
  Value out;
  SmallVector<Value> inputs;
  SmallVector<Value> counts;
  SmallVector<Value> flags;
  std::map<std::pair<const void *, int64_t>, Value> constants;
  std::vector<Buffer> buffers;
  std::vector<BufferState> states;
  /// Tokens of copies that are in no group yet, of this block, with their
  /// buffers.
  SmallVector<std::pair<Value, int>> tokens;
  SmallVector<MemRefType> palette;
  SmallVector<int64_t> palettePerThread;
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
  bool allowsDivergentBarriers = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value KernelGenerator::makeInt(Type type, int64_t value) {
  Value &constant = constants[{type.getAsOpaquePointer(), value}];
  if (!constant) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernel.getBody().front());
    constant = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }
  return constant;
}

Value KernelGenerator::makeIndex(int64_t value) {
  return makeInt(b.getIndexType(), value);
}

Value KernelGenerator::add(Value lhs, Value rhs) {
  return arith::AddIOp::create(b, loc, lhs, rhs);
}

Value KernelGenerator::load(Value memref, ValueRange indices) {
  return memref::LoadOp::create(b, loc, memref, indices);
}

/// Data that tells thread and statement.
Value KernelGenerator::makeData(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector::BroadcastOp::create(b, loc, vector,
                                       makeData(vector.getElementType()));
  Value scaled = arith::MulIOp::create(b, loc, thread, makeIndex(37));
  Value index = add(scaled, makeIndex(++site % 91));
  if (type.isIndex())
    return index;
  Value wide = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  if (type.isInteger(64))
    return wide;
  if (isa<FloatType>(type))
    return arith::SIToFPOp::create(b, loc, type, wide);
  return arith::TruncIOp::create(b, loc, type, wide);
}

/// Make the value matter for the output of this thread.
void KernelGenerator::consume(Value value) {
  Type type = value.getType();
  if (isa<VectorType>(type)) {
    value = vector::ExtractOp::create(b, loc, value, ArrayRef<int64_t>{1});
    type = value.getType();
  }
  if (auto real = dyn_cast<FloatType>(type)) {
    type = b.getIntegerType(real.getWidth());
    value = arith::BitcastOp::create(b, loc, type, value);
  }
  if (type.isIndex())
    value = arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
  else if (!type.isInteger(64))
    value = arith::ExtUIOp::create(b, loc, b.getI64Type(), value);
  Value old = load(out, thread);
  Value scaled =
      arith::MulIOp::create(b, loc, old, makeInt(b.getI64Type(), 31));
  memref::StoreOp::create(b, loc, add(scaled, value), out, thread);
}

/// The slice that the current thread accesses.
Value KernelGenerator::getSlice(Permutation pattern) {
  if (pattern % 8 == 0)
    return thread;
  Value amount = makeIndex(pattern % 8);
  if (pattern >= 8)
    return arith::XOrIOp::create(b, loc, thread, amount);
  return arith::RemUIOp::create(b, loc, add(thread, amount),
                                makeIndex(numThreads));
}

Value KernelGenerator::makeUniformIndex() {
  switch (random.below(4)) {
  case 0:
    return makeIndex(random.range(0, 2));
  case 1:
    return gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
  default:
    return counts[random.below(counts.size())];
  }
}

Value KernelGenerator::makeUniformBool() {
  if (random.chance(50))
    return flags[random.below(flags.size())];
  return arith::CmpIOp::create(
      b, loc,
      random.chance(50) ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ugt,
      makeUniformIndex(), makeIndex(random.range(0, 1)));
}

Value KernelGenerator::makeHiddenBool() {
  Value value = load(inputs[0], makeIndex(random.range(0, 7)));
  return arith::TruncIOp::create(b, loc, b.getI1Type(), value);
}

Value KernelGenerator::makeDivergentBool() {
  auto compare = [&](Value value, arith::CmpIPredicate predicate, int64_t k) {
    return arith::CmpIOp::create(b, loc, predicate, value, makeIndex(k));
  };
  switch (random.below(6)) {
  case 5:
    return compare(arith::SelectOp::create(b, loc, makeDivergentBool(),
                                           makeUniformIndex(), makeIndex(1)),
                   arith::CmpIPredicate::eq, 1);
  case 0:
    return compare(thread, arith::CmpIPredicate::ult, random.range(0, 8));
  case 1:
    return compare(gpu::LaneIdOp::create(b, loc, IntegerAttr()),
                   arith::CmpIPredicate::eq, random.range(0, 3));
  case 2:
    return compare(gpu::SubgroupIdOp::create(b, loc, IntegerAttr()),
                   arith::CmpIPredicate::eq, random.range(0, 1));
  case 3:
    return compare(
        arith::AndIOp::create(b, loc, thread, makeIndex(random.range(1, 2))),
        arith::CmpIPredicate::eq, 0);
  default:
    return arith::TruncIOp::create(b, loc, b.getI1Type(),
                                   load(inputs[0], thread));
  }
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

MemRefType KernelGenerator::makeType(int64_t &perThread) {
  Type elements[] = {
      b.getI32Type(),   b.getF32Type(), b.getI8Type(),
      b.getI16Type(),   b.getI64Type(), b.getF64Type(),
      b.getIndexType(), b.getI1Type(),  VectorType::get({4}, b.getF32Type())};
  Type element =
      elements[random.chance(45) ? random.below(2)
                                 : random.below(std::size(elements))];
  perThread = int64_t(1) << random.below(3);
  SmallVector<int64_t> shape;
  if (random.chance(35)) {
    shape = {numThreads, perThread + (random.chance(30) ? 1 : 0)};
  } else {
    shape = {numThreads * perThread +
             (random.chance(20) ? random.range(1, 9) : 0)};
  }
  return MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                         workgroup);
}

int KernelGenerator::makeBuffer(MemRefType type, int64_t perThread) {
  OpBuilder::InsertionGuard guard(b);
  // Some allocations stand where a pass that hoists would put them.
  if (random.chance(25)) {
    b.setInsertionPointToStart(&kernel.getBody().front());
    features.insert("hoisted-alloc");
  }
  Buffer buffer;
  buffer.type = type;
  buffer.perThread = perThread;
  if (random.chance(3)) {
    buffer.value = kernel.addWorkgroupAttribution(type, loc);
    features.insert("attribution");
  } else {
    auto allocOp = memref::AllocOp::create(b, loc, type);
    if (random.chance(10))
      allocOp.setAlignment(int64_t(16) << random.below(4));
    buffer.value = allocOp;
  }
  if (random.chance(12)) {
    SmallVector<int64_t> shape(type.getRank(), ShapedType::kDynamic);
    buffer.value = memref::CastOp::create(
        b, loc,
        MemRefType::get(shape, type.getElementType(),
                        MemRefLayoutAttrInterface(), workgroup),
        buffer.value);
    features.insert("cast");
  }
  buffers.push_back(buffer);
  states.emplace_back();
  return buffers.size() - 1;
}

int KernelGenerator::makeBuffer() {
  unsigned k = random.below(palette.size());
  return makeBuffer(palette[k], palettePerThread[k]);
}

int KernelGenerator::pickBuffer(
    function_ref<bool(const BufferState &)> isGood) {
  SmallVector<int> good;
  for (int k = 0, e = states.size(); k < e; ++k)
    if (!states[k].forgotten && isGood(states[k]))
      good.push_back(k);
  return good.empty() ? -1 : good[random.below(good.size())];
}

int KernelGenerator::pickTwin(int buffer,
                              function_ref<bool(const BufferState &)> isGood) {
  SmallVector<int> good;
  for (int k = 0, e = states.size(); k < e; ++k)
    if (k != buffer && !states[k].forgotten && isGood(states[k]) &&
        buffers[k].value.getType() == buffers[buffer].value.getType() &&
        buffers[k].perThread == buffers[buffer].perThread)
      good.push_back(k);
  return good.empty() ? -1 : good[random.below(good.size())];
}

Permutation KernelGenerator::pickPermutation() {
  return random.chance(35) ? 0 : Permutation(random.below(16));
}

Value KernelGenerator::getElement(const Slice &slice, int64_t j,
                                  SmallVectorImpl<Value> &at) {
  llvm::append_range(at, slice.indices);
  if (j != 0)
    at[slice.varying] = add(at[slice.varying], makeIndex(j));
  return slice.memref;
}

/// Reach the slice of a thread in one of several ways.
Slice KernelGenerator::access(const Buffer &buffer, Permutation pattern) {
  Value slice = getSlice(pattern);
  auto type = cast<MemRefType>(buffer.value.getType());
  int64_t perThread = buffer.perThread;
  int64_t row =
      buffer.type.getRank() == 2 ? buffer.type.getDimSize(1) : perThread;
  Value zero = makeIndex(0);
  auto getFirst = [&]() -> Value {
    if (row == 1)
      return slice;
    return arith::MulIOp::create(b, loc, slice, makeIndex(row));
  };
  unsigned kind = random.below(14);
  bool isMatrix = type.getRank() == 2;
  if (kind == 0) {
    features.insert("subview");
    SmallVector<OpFoldResult> offsets, sizes,
        strides(type.getRank(), b.getIndexAttr(1));
    if (isMatrix) {
      offsets = {slice, b.getIndexAttr(0)};
      sizes = {b.getIndexAttr(1), b.getIndexAttr(perThread)};
    } else {
      offsets = {getFirst()};
      sizes = {b.getIndexAttr(perThread)};
    }
    Value view = memref::SubViewOp::create(b, loc, buffer.value, offsets, sizes,
                                           strides);
    return isMatrix ? Slice{view, {zero, zero}, 1} : Slice{view, {zero}, 0};
  }
  if (kind == 1 && isMatrix) {
    features.insert("transpose");
    AffineMap permutation =
        AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0}, b.getContext());
    Value view = memref::TransposeOp::create(b, loc, buffer.value,
                                             AffineMapAttr::get(permutation));
    return {view, {zero, slice}, 0};
  }
  if (kind == 2 && isMatrix) {
    features.insert("collapse-shape");
    Value view = memref::CollapseShapeOp::create(
        b, loc, buffer.value, SmallVector<ReassociationIndices>{{0, 1}});
    return {view, {getFirst()}, 0};
  }
  if (kind == 3 && !isMatrix && type.hasStaticShape() &&
      type.getDimSize(0) == int64_t(numThreads) * perThread) {
    features.insert("expand-shape");
    Value view = memref::ExpandShapeOp::create(
        b, loc, ArrayRef<int64_t>{numThreads, perThread}, buffer.value,
        SmallVector<ReassociationIndices>{{0, 1}});
    return {view, {slice, zero}, 1};
  }
  if (kind == 4 && !isMatrix) {
    features.insert("reinterpret-cast");
    auto viewType = MemRefType::get(
        perThread, type.getElementType(),
        StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {1}),
        workgroup);
    Value view = memref::ReinterpretCastOp::create(
        b, loc, viewType, buffer.value, OpFoldResult(getFirst()),
        ArrayRef<OpFoldResult>{b.getIndexAttr(perThread)},
        ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
    return {view, {zero}, 0};
  }
  if (kind == 5 && random.chance(50)) {
    features.insert("memory-space-cast");
    auto viewType = MemRefType::get(type.getShape(), type.getElementType(),
                                    type.getLayout());
    Value view =
        memref::MemorySpaceCastOp::create(b, loc, viewType, buffer.value);
    if (isMatrix)
      return {view, {slice, zero}, 1};
    return {view, {getFirst()}, 0};
  }
  if (isMatrix)
    return {buffer.value, {slice, zero}, 1};
  return {buffer.value, {getFirst()}, 0};
}

void KernelGenerator::fill(int buffer, Permutation pattern) {
  Buffer &target = buffers[buffer];
  Slice slice = access(target, pattern);
  Type element = target.type.getElementType();
  SmallVector<Value, 2> at;
  if (target.perThread == 4 && element.isF32() && random.chance(50)) {
    features.insert("vector-store");
    Value memref = getElement(slice, 0, at);
    auto type = cast<MemRefType>(memref.getType());
    if (slice.varying == type.getRank() - 1) {
      vector::StoreOp::create(b, loc, makeData(VectorType::get({4}, element)),
                              memref, at);
    } else {
      for (int64_t j = 0; j < 4; ++j) {
        at.clear();
        getElement(slice, j, at);
        memref::StoreOp::create(b, loc, makeData(element), memref, at);
      }
    }
  } else if (target.perThread > 1 && random.chance(25)) {
    features.insert("fill-loop");
    auto forOp = scf::ForOp::create(b, loc, makeIndex(0),
                                    makeIndex(target.perThread), makeIndex(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    Value memref = getElement(slice, 0, at);
    at[slice.varying] = add(at[slice.varying], forOp.getInductionVar());
    memref::StoreOp::create(b, loc, makeData(element), memref, at);
  } else {
    for (int64_t j = 0; j < target.perThread; ++j) {
      at.clear();
      Value memref = getElement(slice, j, at);
      memref::StoreOp::create(b, loc, makeData(element), memref, at);
    }
  }
  states[buffer].written = true;
  states[buffer].writer = pattern;
}

void KernelGenerator::writeSome(int buffer, Permutation pattern) {
  Slice slice = access(buffers[buffer], pattern);
  SmallVector<Value, 2> at;
  Value memref = getElement(slice, random.below(buffers[buffer].perThread), at);
  memref::StoreOp::create(
      b, loc, makeData(buffers[buffer].type.getElementType()), memref, at);
  states[buffer].writer = pattern;
}

void KernelGenerator::read(int buffer, Permutation pattern) {
  Buffer &source = buffers[buffer];
  Slice slice = access(source, pattern);
  SmallVector<Value, 2> at;
  if (source.perThread == 4 && source.type.getElementType().isF32() &&
      slice.varying + 1 == slice.indices.size() && random.chance(50)) {
    features.insert("vector-load");
    Value memref = getElement(slice, 0, at);
    consume(vector::LoadOp::create(
        b, loc, VectorType::get({4}, source.type.getElementType()), memref,
        at));
  } else {
    Value memref = getElement(slice, random.below(source.perThread), at);
    consume(load(memref, at));
  }
  Permutation &reader = states[buffer].reader;
  reader = reader == none || reader == pattern ? pattern : mixed;
}

void KernelGenerator::barrier() {
  gpu::BarrierOp::create(b, loc);
  // What only some threads wrote is not for others.
  if (!position.isConvergent)
    return;
  for (BufferState &state : states)
    state.writer = state.reader = none;
}

bool KernelGenerator::prepareWrite(int buffer, Permutation pattern) {
  if (!states[buffer].mayWrite(pattern) && !states[buffer].inFlight &&
      position.isConvergent && random.chance(60))
    barrier();
  return states[buffer].mayWrite(pattern);
}

bool KernelGenerator::prepareRead(int buffer, Permutation pattern) {
  if (!states[buffer].mayRead(pattern) && states[buffer].written &&
      !states[buffer].inFlight && position.isConvergent && random.chance(75))
    barrier();
  return states[buffer].mayRead(pattern);
}

void KernelGenerator::forget(int buffer) {
  if (std::exchange(states[buffer].forgotten, true))
    return;
  if (usesDealloc && position.isConvergent && position.work == 1 &&
      position.depth == 0 && !states[buffer].inFlight &&
      buffers[buffer].value.getDefiningOp<memref::AllocOp>()) {
    memref::DeallocOp::create(b, loc, buffers[buffer].value);
    features.insert("dealloc");
  }
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// A buffer that is used for a while, and done.
void KernelGenerator::genPhase() {
  int buffer = makeBuffer();
  Permutation pattern = pickPermutation();
  fill(buffer, pattern);
  maybeBarrier(60);
  Permutation other = pickPermutation();
  read(buffer, states[buffer].mayRead(other) ? other : pattern);
  if (random.chance(30))
    genStatement();
  if (random.chance(50) && states[buffer].written) {
    Permutation last = pickPermutation();
    if (prepareRead(buffer, last))
      read(buffer, last);
  }
  forget(buffer);
  maybeBarrier(70 - carelessness);
}

void KernelGenerator::genFill() {
  int buffer = random.chance(40)
                   ? pickBuffer([](const BufferState &) { return true; })
                   : -1;
  if (buffer < 0)
    buffer = makeBuffer();
  Permutation pattern = pickPermutation();
  if (prepareWrite(buffer, pattern))
    fill(buffer, pattern);
}

void KernelGenerator::genRead() {
  int buffer =
      pickBuffer([](const BufferState &state) { return state.written; });
  if (buffer < 0)
    return genFill();
  Permutation pattern = pickPermutation();
  if (Permutation writer = states[buffer].writer;
      writer >= 0 && writer < single && random.chance(30))
    pattern = writer;
  if (prepareRead(buffer, pattern))
    read(buffer, pattern);
}

void KernelGenerator::genStore() {
  int buffer = pickBuffer([](const BufferState &) { return true; });
  if (buffer < 0)
    return;
  Permutation pattern = pickPermutation();
  if (prepareWrite(buffer, pattern))
    writeSome(buffer, pattern);
}

void KernelGenerator::genBarrier() {
  if (position.isConvergent)
    barrier();
}

void KernelGenerator::genForget() {
  int buffer = pickBuffer([](const BufferState &) { return true; });
  if (buffer >= 0)
    forget(buffer);
}

/// Copy the slice of a thread, from one buffer to another.
void KernelGenerator::genCopy() {
  Permutation pattern = pickPermutation();
  int source = pickBuffer(
      [&](const BufferState &state) { return state.mayRead(pattern); });
  if (source < 0)
    return;
  int target = pickTwin(source, [&](const BufferState &state) {
    return state.mayWrite(pattern);
  });
  if (target < 0) {
    if (!buffers[source].value.getDefiningOp<memref::AllocOp>())
      return;
    target = makeBuffer(buffers[source].type, buffers[source].perThread);
  }
  if (buffers[source].type != buffers[target].type)
    return;
  auto view = [&](int buffer) -> Value {
    Value slice = getSlice(pattern);
    int64_t perThread = buffers[buffer].perThread;
    SmallVector<OpFoldResult> offsets, sizes, strides;
    if (buffers[buffer].type.getRank() == 2) {
      offsets = {slice, b.getIndexAttr(0)};
      sizes = {b.getIndexAttr(1), b.getIndexAttr(perThread)};
    } else {
      offsets = {OpFoldResult(
          Value(arith::MulIOp::create(b, loc, slice, makeIndex(perThread))))};
      sizes = {b.getIndexAttr(perThread)};
    }
    strides.assign(offsets.size(), b.getIndexAttr(1));
    return memref::SubViewOp::create(b, loc, buffers[buffer].value, offsets,
                                     sizes, strides);
  };
  Value from = view(source);
  memref::CopyOp::create(b, loc, from, view(target));
  Permutation &reader = states[source].reader;
  reader = reader == none || reader == pattern ? pattern : mixed;
  states[target].written = true;
  states[target].writer = pattern;
}

void KernelGenerator::genAtomic() {
  Permutation pattern = pickPermutation();
  int buffer = pickBuffer([&](const BufferState &state) {
    return state.mayRead(pattern) && state.mayWrite(pattern);
  });
  if (buffer < 0 || !buffers[buffer].type.getElementType().isInteger(32))
    return;
  Slice slice = access(buffers[buffer], pattern);
  SmallVector<Value, 2> at;
  Value memref = getElement(slice, 0, at);
  consume(memref::AtomicRMWOp::create(b, loc, arith::AtomicRMWKind::addi,
                                      makeData(b.getI32Type()), memref, at));
  states[buffer].reader = states[buffer].writer = pattern;
}

/// Everybody reads the same element.
void KernelGenerator::genBroadcast() {
  int buffer =
      pickBuffer([](const BufferState &state) { return state.written; });
  if (buffer < 0 || !prepareRead(buffer, broadcast))
    return;
  SmallVector<Value, 2> at(buffers[buffer].type.getRank(), makeIndex(0));
  at[0] = makeIndex(random.below(numThreads));
  consume(load(buffers[buffer].value, at));
  states[buffer].reader = mixed;
}

/// One thread writes all of a buffer.
void KernelGenerator::genSingleThread() {
  int buffer = makeBuffer();
  int64_t k = random.below(numThreads);
  const Buffer &target = buffers[buffer];
  Value isChosen = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                         thread, makeIndex(k));
  auto ifOp = scf::IfOp::create(b, loc, isChosen, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifOp.thenBlock());
    auto forOp = scf::ForOp::create(
        b, loc, makeIndex(0),
        makeIndex(target.type.getRank() == 2
                      ? int64_t(numThreads)
                      : int64_t(numThreads) * target.perThread),
        makeIndex(1));
    b.setInsertionPointToStart(forOp.getBody());
    for (int64_t j = 0, e = target.type.getRank() == 2 ? target.perThread : 1;
         j < e; ++j) {
      SmallVector<Value, 2> at = {forOp.getInductionVar()};
      if (target.type.getRank() == 2)
        at.push_back(makeIndex(j));
      memref::StoreOp::create(b, loc, makeData(target.type.getElementType()),
                              target.value, at);
    }
  }
  states[buffer].written = position.isConvergent;
  states[buffer].writer = single + k;
}

/// A function that reads and writes a slice.
void KernelGenerator::genCall() {
  Permutation pattern = pickPermutation();
  int buffer = pickBuffer([&](const BufferState &state) {
    return state.mayRead(pattern) && state.mayWrite(pattern);
  });
  if (buffer < 0 || buffers[buffer].type.getRank() != 1)
    return;
  auto type = cast<MemRefType>(buffers[buffer].value.getType());
  Value slice = getSlice(pattern);
  Value first = arith::MulIOp::create(b, loc, slice,
                                      makeIndex(buffers[buffer].perThread));
  func::FuncOp callee;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(gpuModule.getBody());
    callee = func::FuncOp::create(
        b, loc, "helper" + std::to_string(numHelpers++),
        b.getFunctionType({type, b.getIndexType(), type.getElementType()},
                          {type.getElementType()}));
    callee.setPrivate();
    Block *entry = callee.addEntryBlock();
    b.setInsertionPointToStart(entry);
    Value old = load(entry->getArgument(0), entry->getArgument(1));
    if (random.chance(60))
      memref::StoreOp::create(b, loc, entry->getArgument(2),
                              entry->getArgument(0), entry->getArgument(1));
    func::ReturnOp::create(b, loc, old);
  }
  auto call = func::CallOp::create(b, loc, callee,
                                   ValueRange{buffers[buffer].value, first,
                                              makeData(type.getElementType())});
  consume(call.getResult(0));
  states[buffer].reader = states[buffer].writer = pattern;
}

/// Memory of one thread: nothing that merging should touch.
void KernelGenerator::genPrivate() {
  auto type = MemRefType::get({2}, b.getI32Type());
  Value buffer = memref::AllocaOp::create(b, loc, type);
  memref::StoreOp::create(b, loc, makeData(b.getI32Type()), buffer,
                          makeIndex(1));
  consume(load(buffer, makeIndex(1)));
}

//===----------------------------------------------------------------------===//
// Aliases of several buffers
//===----------------------------------------------------------------------===//

void KernelGenerator::genSelect() {
  Permutation pattern = pickPermutation();
  bool writes = random.chance(50);
  auto isGood = [&](const BufferState &state) {
    return writes ? state.mayWrite(pattern) : state.mayRead(pattern);
  };
  int one = pickBuffer(isGood);
  int other = one < 0 ? -1 : pickTwin(one, isGood);
  if (other < 0)
    return;
  Value condition = random.chance(50) ? makeUniformBool() : makeDivergentBool();
  Buffer either = buffers[one];
  either.value = arith::SelectOp::create(b, loc, condition, buffers[one].value,
                                         buffers[other].value);
  Slice slice = access(either, pattern);
  SmallVector<Value, 2> at;
  Value memref = getElement(slice, 0, at);
  if (writes)
    memref::StoreOp::create(b, loc, makeData(either.type.getElementType()),
                            memref, at);
  else
    consume(load(memref, at));
  for (int k : {one, other}) {
    Permutation &last = writes ? states[k].writer : states[k].reader;
    last = last == none || last == pattern ? pattern : mixed;
  }
}

/// As a select, by the results of a condition.
void KernelGenerator::genBranchedAlias() {
  Permutation pattern = pickPermutation();
  auto isGood = [&](const BufferState &state) {
    return state.mayRead(pattern);
  };
  int one = pickBuffer(isGood);
  int other = one < 0 ? -1 : pickTwin(one, isGood);
  if (other < 0)
    return;
  Value condition = random.chance(50) ? makeUniformBool() : makeDivergentBool();
  auto ifOp = scf::IfOp::create(b, loc, buffers[one].value.getType(), condition,
                                /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifOp.thenBlock());
    scf::YieldOp::create(b, loc, buffers[one].value);
    b.setInsertionPointToStart(ifOp.elseBlock());
    scf::YieldOp::create(b, loc, buffers[other].value);
  }
  maybeBarrier(30);
  Buffer either = buffers[one];
  either.value = ifOp.getResult(0);
  Slice slice = access(either, pattern);
  SmallVector<Value, 2> at;
  Value memref = getElement(slice, 0, at);
  consume(load(memref, at));
  for (int k : {one, other}) {
    Permutation &reader = states[k].reader;
    reader = reader == none || reader == pattern ? pattern : mixed;
  }
}

/// Two buffers that a loop swaps.
void KernelGenerator::genPingPong() {
  if (isDeep())
    return;
  int one = makeBuffer();
  int other = makeBuffer(buffers[one].type, buffers[one].perThread);
  if (buffers[one].value.getType() != buffers[other].value.getType())
    return;
  Permutation pattern = pickPermutation();
  fill(one, pattern);
  fill(other, pattern);
  bool hasBarrier = position.isConvergent && random.chance(70);
  if (hasBarrier)
    barrier();
  Permutation readPattern = hasBarrier ? pickPermutation() : pattern;
  auto forOp =
      scf::ForOp::create(b, loc, makeIndex(0), makeUniformIndex(), makeIndex(1),
                         ValueRange{buffers[one].value, buffers[other].value});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    Buffer from = buffers[one], to = buffers[one];
    from.value = forOp.getRegionIterArg(0);
    to.value = forOp.getRegionIterArg(1);
    SmallVector<Value, 2> at;
    Slice source = access(from, readPattern);
    Value memref = getElement(source, 0, at);
    consume(load(memref, at));
    at.clear();
    Slice target = access(to, pattern);
    memref = getElement(target, 0, at);
    memref::StoreOp::create(b, loc, makeData(to.type.getElementType()), memref,
                            at);
    if (hasBarrier)
      gpu::BarrierOp::create(b, loc);
    scf::YieldOp::create(b, loc, ValueRange{to.value, from.value});
  }
  for (int k : {one, other}) {
    states[k].writer = hasBarrier ? none : pattern;
    states[k].reader = hasBarrier ? none : readPattern;
  }
  if (random.chance(70)) {
    forget(one);
    forget(other);
  }
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

bool KernelGenerator::canCopy(const Buffer &buffer) const {
  Type element = buffer.type.getElementType();
  return buffer.value.getType() == buffer.type &&
         (element.isInteger(32) || element.isF32() ||
          (element.isInteger(64) && buffer.perThread <= 2));
}

Value KernelGenerator::startCopy(int buffer, Permutation pattern) {
  const Buffer &target = buffers[buffer];
  Value source;
  for (Value input : inputs)
    if (cast<MemRefType>(input.getType()).getElementType() ==
        target.type.getElementType())
      source = input;
  Value slice = getSlice(pattern);
  Value first =
      arith::MulIOp::create(b, loc, slice, makeIndex(target.perThread));
  SmallVector<Value, 2> at = {first};
  if (target.type.getRank() == 2)
    at = {slice, makeIndex(0)};
  Value token = nvgpu::DeviceAsyncCopyOp::create(
      b, loc, nvgpu::DeviceAsyncTokenType::get(b.getContext()), target.value,
      at, source, ValueRange{first}, b.getIndexAttr(target.perThread), Value(),
      UnitAttr());
  BufferState &state = states[buffer];
  state.inFlight = true;
  state.fillsInFlight = true;
  state.flightPattern = pattern;
  return token;
}

Value KernelGenerator::createGroup(ValueRange copies) {
  auto groupOp = nvgpu::DeviceAsyncCreateGroupOp::create(
      b, loc, nvgpu::DeviceAsyncTokenType::get(b.getContext()), copies);
  // Without operands and attributes, what is printed cannot be parsed.
  if (copies.empty())
    groupOp->setAttr("no_copies", b.getUnitAttr());
  return groupOp;
}

void KernelGenerator::makeGroup() {
  SmallVector<Value> values;
  for (auto [token, buffer] : tokens)
    values.push_back(token);
  tokens.clear();
  createGroup(values);
}

void KernelGenerator::waitForAll() {
  SmallVector<int> ungrouped;
  if (random.chance(85)) {
    SmallVector<Value> values;
    for (auto [token, buffer] : tokens)
      values.push_back(token);
    tokens.clear();
    Value group = createGroup(values);
    nvgpu::DeviceAsyncWaitOp::create(b, loc, group, IntegerAttr());
  } else {
    // The copies of this block that are in no group stay in flight.
    features.insert("async-ungrouped");
    for (auto [token, buffer] : tokens)
      ungrouped.push_back(buffer);
    Value group = createGroup({});
    nvgpu::DeviceAsyncWaitOp::create(b, loc, group, IntegerAttr());
  }
  // Threads that are not here do not wait.
  if (!position.isConvergent)
    return;
  for (auto [k, state] : llvm::enumerate(states)) {
    if (!state.inFlight || state.forgotten ||
        llvm::is_contained(ungrouped, int(k)))
      continue;
    state.inFlight = false;
    state.written |= state.fillsInFlight;
    state.writer = state.writer == none || state.writer == state.flightPattern
                       ? state.flightPattern
                       : mixed;
  }
}

void KernelGenerator::genAsyncCopy() {
  Permutation pattern = pickPermutation();
  int buffer = random.chance(30) ? pickBuffer([&](const BufferState &state) {
    return state.mayWrite(pattern);
  })
                                 : makeBuffer();
  if (buffer < 0 || !canCopy(buffers[buffer]) ||
      !states[buffer].mayWrite(pattern))
    return;
  tokens.push_back({startCopy(buffer, pattern), buffer});
  if (random.chance(80))
    makeGroup();
}

/// A copy behind the last group is nothing that a wait waits for.
void KernelGenerator::genUngroupedCopy() {
  int buffer = makeBuffer();
  if (!tokens.empty() || !canCopy(buffers[buffer]))
    return;
  Value group = createGroup({});
  startCopy(buffer, pickPermutation());
  nvgpu::DeviceAsyncWaitOp::create(b, loc, group, IntegerAttr());
  forget(buffer);
  maybeBarrier(90);
  genPhase();
}

void KernelGenerator::genAsyncWait() {
  waitForAll();
  maybeBarrier(50);
}

/// A wait that leaves some groups in flight: nobody counts here.
void KernelGenerator::genPartialWait() {
  Value group = createGroup({});
  nvgpu::DeviceAsyncWaitOp::create(b, loc, group,
                                   b.getI32IntegerAttr(random.range(1, 4)));
}

/// Two stages: one is copied while the other is read.
void KernelGenerator::genPipeline() {
  if (!position.isConvergent || isDeep() || !tokens.empty())
    return;
  if (llvm::any_of(states, [](const BufferState &state) {
        return state.inFlight && !state.forgotten;
      }))
    return;
  int64_t perThread = int64_t(1) << random.below(3);
  Type element = random.chance(50) ? Type(b.getI32Type()) : b.getF32Type();
  auto type = MemRefType::get({int64_t(numThreads) * perThread}, element,
                              MemRefLayoutAttrInterface(), workgroup);
  int stages[] = {makeBuffer(type, perThread), makeBuffer(type, perThread)};
  if (!canCopy(buffers[stages[0]]) || !canCopy(buffers[stages[1]]))
    return;
  createGroup(startCopy(stages[0], 0));
  Value count = random.chance(30) ? makeIndex(random.range(1, 3))
                                  : counts[random.below(counts.size())];
  bool hasLastBarrier = random.chance(75);
  auto forOp = scf::ForOp::create(
      b, loc, makeIndex(0), count, makeIndex(1),
      ValueRange{buffers[stages[0]].value, buffers[stages[1]].value});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    Value now = forOp.getRegionIterArg(0), next = forOp.getRegionIterArg(1);
    Value kept = buffers[stages[1]].value;
    buffers[stages[1]].value = next;
    Value token = createGroup(startCopy(stages[1], 0));
    buffers[stages[1]].value = kept;
    nvgpu::DeviceAsyncWaitOp::create(b, loc, token, b.getI32IntegerAttr(1));
    gpu::BarrierOp::create(b, loc);
    Buffer tile = buffers[stages[0]];
    tile.value = now;
    SmallVector<Value, 2> at;
    Slice slice = access(tile, pickPermutation());
    Value memref = getElement(slice, 0, at);
    consume(load(memref, at));
    if (hasLastBarrier)
      gpu::BarrierOp::create(b, loc);
    scf::YieldOp::create(b, loc, ValueRange{next, now});
  }
  for (int stage : stages)
    states[stage] = BufferState();
  if (random.chance(75)) {
    Value last = createGroup({});
    nvgpu::DeviceAsyncWaitOp::create(b, loc, last, IntegerAttr());
    features.insert("pipeline-drained");
  }
  for (int stage : stages)
    forget(stage);
  maybeBarrier(70 - carelessness);
}

/// Tiles that a loop fills and reads, then a buffer for the epilogue.
void KernelGenerator::genTiles() {
  if (!position.isConvergent || isDeep())
    return;
  bool inside = random.chance(50);
  SmallVector<int, 2> tiles;
  auto allocate = [&] { tiles = {makeBuffer(), makeBuffer()}; };
  if (!inside)
    allocate();
  auto forOp = scf::ForOp::create(b, loc, makeIndex(0), makeUniformIndex(),
                                  makeIndex(1));
  size_t numOutside = buffers.size();
  std::vector<BufferState> before = states;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    Position outer = position;
    auto outerTokens = std::move(tokens);
    tokens.clear();
    ++position.depth;
    position.work *= 3;
    if (inside)
      allocate();
    for (int tile : tiles)
      fill(tile, pickPermutation());
    maybeBarrier(80);
    for (int tile : tiles) {
      Permutation pattern = pickPermutation();
      read(tile, states[tile].mayRead(pattern) ? pattern : states[tile].writer);
    }
    if (random.chance(25))
      genStatement();
    maybeBarrier(80);
    // Copies that are in no group now never get into one.
    for (auto [token, buffer] : tokens)
      states[buffer].forgotten = true;
    tokens = std::move(outerTokens);
    position = outer;
  }
  buffers.resize(numOutside);
  states.resize(numOutside);
  join(before);
  if (!inside)
    for (int tile : tiles)
      forget(tile);
  maybeBarrier(30);
  int epilogue = makeBuffer();
  fill(epilogue, pickPermutation());
  maybeBarrier(70);
  Permutation pattern = pickPermutation();
  read(epilogue,
       states[epilogue].mayRead(pattern) ? pattern : states[epilogue].writer);
  if (random.chance(70))
    forget(epilogue);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

static Permutation joinPermutations(Permutation one, Permutation other) {
  if (one == none || one == other)
    return other;
  return other == none ? one : mixed;
}

/// The paths of `states` and `other` meet.
void KernelGenerator::join(const std::vector<BufferState> &other) {
  for (auto [one, two] : llvm::zip(states, other)) {
    bool fills = (one.written || (one.inFlight && one.fillsInFlight)) &&
                 (two.written || (two.inFlight && two.fillsInFlight));
    one.flightPattern = !one.inFlight   ? two.flightPattern
                        : !two.inFlight ? one.flightPattern
                                        : joinPermutations(one.flightPattern,
                                                           two.flightPattern);
    one.fillsInFlight = fills;
    one.inFlight |= two.inFlight;
    one.written &= two.written;
    one.writer = joinPermutations(one.writer, two.writer);
    one.reader = joinPermutations(one.reader, two.reader);
    one.forgotten |= two.forgotten;
  }
}

/// What only some threads wrote since `before` is not written.
void KernelGenerator::forgetPartialWrites(
    const std::vector<BufferState> &before) {
  for (auto [state, old] : llvm::zip(states, before)) {
    state.written = old.written;
    state.fillsInFlight = false;
  }
}

void KernelGenerator::genRegion(unsigned numStatements, bool isConvergent,
                                unsigned work) {
  Position outer = position;
  size_t numBuffers = buffers.size();
  auto outerTokens = std::move(tokens);
  tokens.clear();
  ++position.depth;
  position.isConvergent &= isConvergent;
  position.work *= work;
  genBody(numStatements);
  // Copies that are in no group now never get into one.
  for (auto [token, buffer] : tokens)
    states[buffer].forgotten = true;
  tokens = std::move(outerTokens);
  buffers.resize(numBuffers);
  states.resize(numBuffers);
  position = outer;
}

void KernelGenerator::genIf(Value condition, bool isConvergent) {
  bool hasElse = random.chance(55);
  auto ifOp = scf::IfOp::create(b, loc, condition, hasElse);
  std::vector<BufferState> before = states;
  OpBuilder::InsertionGuard guard(b);
  bool meetsInArms = !isConvergent && position.isConvergent &&
                     allowsDivergentBarriers && hasElse;
  auto genArm = [&](Block *block) {
    b.setInsertionPointToStart(block);
    genRegion(pickSize(), isConvergent, 1);
    if (meetsInArms) {
      // As many barriers in one arm as in the other.
      features.insert("divergent-barrier");
      gpu::BarrierOp::create(b, loc);
      genRegion(pickSize(), isConvergent, 1);
    }
  };
  genArm(ifOp.thenBlock());
  std::vector<BufferState> afterThen = std::move(states);
  states = before;
  if (hasElse)
    genArm(ifOp.elseBlock());
  join(afterThen);
  if (isConvergent)
    return;
  forgetPartialWrites(before);
}

void KernelGenerator::genIf() {
  if (isDeep())
    return;
  bool isHidden = random.chance(20);
  if (isHidden)
    features.insert("hidden-uniform-if");
  genIf(isHidden ? makeHiddenBool() : makeUniformBool(), true);
}

void KernelGenerator::genDivergentIf() {
  if (!isDeep())
    genIf(makeDivergentBool(), false);
}

void KernelGenerator::genSwitch() {
  if (isDeep())
    return;
  bool isConvergent = random.chance(60);
  Value selector =
      isConvergent
          ? makeUniformIndex()
          : Value(arith::RemUIOp::create(b, loc, thread, makeIndex(3)));
  unsigned numCases = random.range(1, 2);
  SmallVector<int64_t> cases = {0, 1};
  auto switchOp = scf::IndexSwitchOp::create(
      b, loc, TypeRange(), selector, ArrayRef(cases).take_front(numCases),
      numCases);
  std::vector<BufferState> before = states, after;
  OpBuilder::InsertionGuard guard(b);
  for (Region &region : switchOp->getRegions()) {
    states = before;
    b.setInsertionPointToStart(&region.emplaceBlock());
    genRegion(random.range(1, 2), isConvergent, 1);
    scf::YieldOp::create(b, loc);
    if (!after.empty())
      join(after);
    after = states;
  }
  if (!isConvergent)
    forgetPartialWrites(before);
}

void KernelGenerator::genFor() {
  if (isDeep())
    return;
  Value upper;
  bool runsOnce = false;
  unsigned kind = random.below(10);
  if (kind == 0) {
    features.insert("hidden-uniform-for");
    Value value = load(inputs[0], makeIndex(random.range(0, 7)));
    Value small =
        arith::AndIOp::create(b, loc, value, makeInt(b.getI32Type(), 3));
    upper = arith::IndexCastOp::create(b, loc, b.getIndexType(), small);
  } else if (kind < 4) {
    int64_t trips = random.range(0, 3);
    upper = makeIndex(trips);
    runsOnce = trips > 0;
  } else if (kind < 6) {
    upper = add(counts[random.below(counts.size())], makeIndex(1));
  } else {
    upper = counts[random.below(counts.size())];
  }
  auto forOp = scf::ForOp::create(b, loc, makeIndex(0), upper, makeIndex(1));
  std::vector<BufferState> before = states;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    genRegion(pickSize(), true, 3);
    maybeBarrier(60);
  }
  if (!runsOnce)
    join(before);
}

void KernelGenerator::genDivergentFor() {
  if (isDeep())
    return;
  Value upper =
      arith::RemUIOp::create(b, loc, thread, makeIndex(random.range(2, 3)));
  auto forOp = scf::ForOp::create(b, loc, makeIndex(0), upper, makeIndex(1));
  std::vector<BufferState> before = states;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    genRegion(random.range(1, 2), false, 3);
  }
  join(before);
  forgetPartialWrites(before);
}

void KernelGenerator::genWhile() {
  if (isDeep())
    return;
  Type index = b.getIndexType();
  bool isConvergent = random.chance(75);
  Value upper = counts[random.below(counts.size())];
  if (!isConvergent) {
    features.insert("divergent-while");
    upper = arith::RemUIOp::create(b, loc, thread, makeIndex(3));
  }
  std::vector<BufferState> before = states;
  auto whileOp =
      scf::WhileOp::create(b, loc, TypeRange(index), ValueRange(makeIndex(0)));
  OpBuilder::InsertionGuard guard(b);
  Block *condition = b.createBlock(&whileOp.getBefore(), {}, index, loc);
  // It runs once more than the body.
  if (random.chance(30))
    genRegion(1, isConvergent, 3);
  Value goesOn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                       condition->getArgument(0), upper);
  scf::ConditionOp::create(b, loc, goesOn, condition->getArguments());
  std::vector<BufferState> afterCondition = states;
  Block *body = b.createBlock(&whileOp.getAfter(), {}, index, loc);
  genRegion(pickSize(), isConvergent, 3);
  if (isConvergent)
    maybeBarrier(60);
  scf::YieldOp::create(b, loc, add(body->getArgument(0), makeIndex(1)));
  join(afterCondition);
  join(before);
  if (!isConvergent)
    forgetPartialWrites(before);
}

/// A condition that is the same for all threads in the first iteration only.
void KernelGenerator::genCarried() {
  if (isDeep())
    return;
  auto isSmall = [&](Value value) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, value,
                                 makeIndex(random.range(1, 7)));
  };
  auto forOp = scf::ForOp::create(b, loc, makeIndex(0), makeUniformIndex(),
                                  makeIndex(1), ValueRange{makeIndex(0)});
  std::vector<BufferState> before = states;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    Position outer = position;
    ++position.depth;
    position.work *= 3;
    genIf(isSmall(forOp.getRegionIterArg(0)), false);
    position = outer;
    maybeBarrier(60);
    scf::YieldOp::create(b, loc, thread);
  }
  join(before);
  if (random.chance(50))
    genIf(isSmall(forOp.getResult(0)), false);
}

void KernelGenerator::genScope() {
  if (isDeep())
    return;
  OpBuilder::InsertionGuard guard(b);
  if (random.chance(50)) {
    auto op = scf::ExecuteRegionOp::create(b, loc, TypeRange());
    b.setInsertionPointToStart(&op.getRegion().emplaceBlock());
    genRegion(pickSize(), true, 1);
    scf::YieldOp::create(b, loc);
    return;
  }
  auto op = memref::AllocaScopeOp::create(b, loc, TypeRange());
  b.setInsertionPointToStart(&op.getBodyRegion().emplaceBlock());
  genRegion(pickSize(), true, 1);
  memref::AllocaScopeReturnOp::create(b, loc, ValueRange());
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

ArrayRef<KernelGenerator::Statement> KernelGenerator::getStatements() {
  static const Statement statements[] = {
      {"phase", 24, &KernelGenerator::genPhase},
      {"fill", 10, &KernelGenerator::genFill},
      {"read", 12, &KernelGenerator::genRead},
      {"store", 6, &KernelGenerator::genStore},
      {"barrier", 6, &KernelGenerator::genBarrier},
      {"forget", 8, &KernelGenerator::genForget},
      {"copy", 4, &KernelGenerator::genCopy},
      {"atomic", 2, &KernelGenerator::genAtomic},
      {"select", 3, &KernelGenerator::genSelect},
      {"branched-alias", 2, &KernelGenerator::genBranchedAlias},
      {"ping-pong", 2, &KernelGenerator::genPingPong},
      {"broadcast", 3, &KernelGenerator::genBroadcast},
      {"single-thread", 3, &KernelGenerator::genSingleThread},
      {"call", 2, &KernelGenerator::genCall},
      {"private", 1, &KernelGenerator::genPrivate},
      {"async-copy", 7, &KernelGenerator::genAsyncCopy},
      {"async-no-group", 2, &KernelGenerator::genUngroupedCopy},
      {"async-wait", 4, &KernelGenerator::genAsyncWait},
      {"async-partial-wait", 2, &KernelGenerator::genPartialWait},
      {"pipeline", 3, &KernelGenerator::genPipeline},
      {"tiles", 5, &KernelGenerator::genTiles},
      {"if", 7, &KernelGenerator::genIf},
      {"divergent-if", 6, &KernelGenerator::genDivergentIf},
      {"switch", 3, &KernelGenerator::genSwitch},
      {"for", 10, &KernelGenerator::genFor},
      {"divergent-for", 2, &KernelGenerator::genDivergentFor},
      {"while", 4, &KernelGenerator::genWhile},
      {"carried-condition", 3, &KernelGenerator::genCarried},
      {"scope", 2, &KernelGenerator::genScope},
  };
  return statements;
}

void KernelGenerator::genStatement() {
  // A statement has random numbers of its own, so that the rest of the kernel
  // stays the same without it.
  uint64_t number = random.next();
  if (dropped.count(number))
    return;
  statements.push_back(number);
  Random outer = std::exchange(random, Random(number));
  unsigned total = 0;
  for (const Statement &statement : getStatements())
    total += statement.weight;
  unsigned k = random.below(total);
  for (const Statement &statement : getStatements()) {
    if (k < statement.weight) {
      features.insert(statement.name);
      (this->*statement.generate)();
      break;
    }
    k -= statement.weight;
  }
  random = outer;
}

void KernelGenerator::genBody(unsigned numStatements) {
  for (unsigned k = 0; k < numStatements && budget > 0; ++k) {
    --budget;
    genStatement();
  }
}

/// What a pipeline may have run before.
void KernelGenerator::prepare() {
  auto run = [&](const char *name, std::unique_ptr<Pass> pass) {
    OwningOpRef<ModuleOp> copy = module->clone();
    PassManager manager(b.getContext());
    manager.addPass(std::move(pass));
    ScopedDiagnosticHandler quiet(b.getContext(),
                                  [](Diagnostic &) { return success(); });
    if (failed(manager.run(*copy)))
      return;
    module = std::move(copy);
    features.insert(name);
  };
  if (random.chance(8))
    run("canonicalize", createCanonicalizerPass());
  if (random.chance(3))
    run("scf-to-cf", createSCFToControlFlowPass());
  module->walk([&](gpu::GPUFuncOp op) { kernel = op; });
}

GeneratedKernel KernelGenerator::run() {
  module = ModuleOp::create(loc);
  module->getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                                  b.getUnitAttr());
  b.setInsertionPointToEnd(module->getBody());
  gpuModule = gpu::GPUModuleOp::create(b, loc, "kernels");
  workgroup =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  constexpr int64_t numInputs = 64;
  SmallVector<Type> types;
  for (Type element :
       {Type(b.getI32Type()), Type(b.getF32Type()), Type(b.getI64Type())})
    types.push_back(MemRefType::get({numInputs}, element));
  types.push_back(MemRefType::get({numThreads}, b.getI64Type()));
  for (unsigned k = 0; k < 3; ++k)
    types.push_back(b.getIndexType());
  for (unsigned k = 0; k < 2; ++k)
    types.push_back(b.getI1Type());
  b.setInsertionPointToStart(gpuModule.getBody());
  kernel =
      gpu::GPUFuncOp::create(b, loc, "kernel", b.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  Block &entry = kernel.getBody().front();
  for (unsigned k = 0; k < 3; ++k) {
    inputs.push_back(entry.getArgument(k));
    counts.push_back(entry.getArgument(4 + k));
  }
  out = entry.getArgument(3);
  flags = {entry.getArgument(7), entry.getArgument(8)};
  b.setInsertionPointToEnd(&entry);
  thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);

  for (unsigned k = 0; k < 4; ++k) {
    int64_t perThread;
    palette.push_back(makeType(perThread));
    palettePerThread.push_back(perThread);
  }
  carelessness = random.chance(40) ? 0 : random.range(10, 60);
  usesDealloc = random.chance(20);
  allowsDivergentBarriers = random.chance(8);
  budget = random.chance(60) ? random.range(4, 12) : random.range(12, 30);
  genBody(budget);
  gpu::ReturnOp::create(b, loc);

  // A launch, for whatever has to say something to it.
  b.setInsertionPointToEnd(module->getBody());
  auto hostOp =
      func::FuncOp::create(b, loc, "main", b.getFunctionType(types, {}));
  Block *host = hostOp.addEntryBlock();
  b.setInsertionPointToEnd(host);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value size = arith::ConstantIndexOp::create(b, loc, numThreads);
  gpu::LaunchFuncOp::create(b, loc, kernel, gpu::KernelDim3{one, one, one},
                            gpu::KernelDim3{size, one, one}, Value(),
                            host->getArguments());
  func::ReturnOp::create(b, loc);

  GeneratedKernel result;
  if (failed(verify(*module)))
    features.insert("INVALID");
  else
    prepare();
  result.statements = std::move(statements);
  // Names for the oracle.
  unsigned number = 0;
  auto makeName = [&] {
    return NameLoc::get(b.getStringAttr("b" + std::to_string(number++)));
  };
  for (BlockArgument argument : kernel.getWorkgroupAttributions())
    argument.setLoc(makeName());
  kernel.walk([&](memref::AllocOp op) { op->setLoc(makeName()); });
  result.module = std::move(module);
  result.features = std::move(features);
  return result;
}

GeneratedKernel
buffer_merge::fuzz::generateKernel(MLIRContext &context, uint64_t seed,
                                   const std::set<uint64_t> &dropped) {
  return KernelGenerator(context, seed, dropped).run();
}
