//===- Generated control flow --------------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IntegerSet.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

Generator::Nested::Nested(Generator &generator, bool once)
    : generator(generator), scope(generator.scope),
      position(generator.position), once(once) {}

Generator::Nested::~Nested() {
  size_t count = scope.written.size();
  std::vector<char> &written = generator.scope.written;
  if (once)
    std::copy(written.begin(), written.begin() + count, scope.written.begin());
  // Keep the indices of what was made in between unique.
  scope.written.resize(written.size());
  generator.scope = std::move(scope);
  generator.position = position;
}

unsigned Generator::bodySize() {
  return 1 + random.below(position.depth >= 3 ? 2 : 4);
}

/// Return true if statements of this name leave an order open, or make graphs
/// of blocks.
static bool isBeyondSequence(StringRef name) {
  return name.starts_with("async") || name.starts_with("cf-") ||
         llvm::is_contained({"affine-parallel", "await", "clone", "forall",
                             "parallel", "transfer"},
                            name);
}

void Generator::genStatements(unsigned count) {
  ArrayRef<Statement> statements = getStatements();
  bool mayAwait = canAwait();
  auto getWeight = [&](const Statement &statement) {
    if (!statement.lowerable && options.onlyLowerable)
      return 0u;
    if ((options.sequential || options.lent) &&
        isBeyondSequence(statement.name))
      return 0u;
    if (!mayAwait && statement.option == &GeneratorOptions::async)
      return 0u;
    return statement.option && options.*statement.option
               ? statement.weightIfOption
               : statement.weight;
  };
  unsigned total = 0;
  for (const Statement &statement : statements)
    total += getWeight(statement);
  for (unsigned k = 0; k < count && budget > 0; ++k) {
    --budget;
    unsigned choice = random.below(total);
    for (const Statement &statement : statements) {
      if (choice >= getWeight(statement)) {
        choice -= getWeight(statement);
        continue;
      }
      unsigned number = numStatements++;
      if (options.dropped.count(number))
        break;
      features.insert(statement.name);
      (this->*statement.generate)();
      break;
    }
  }
}

void Generator::endLevel() {
  for (size_t k = pending.size(); k-- > 0;)
    if (pending[k].level == position.level)
      awaitPending(k);
}

Generator::Yields Generator::genBody(unsigned count,
                                     ArrayRef<MemRefType> types) {
  position.level = nextLevel++;
  ++position.depth;
  if (branchesFirst && position.canBranch && !structured) {
    branchesFirst = false;
    random.chance(60) ? genCFG() : genDiamond();
  }
  genStatements(count);
  endLevel();
  Yields yields;
  for (MemRefType type : types) {
    MemVal mem = getReadable(type, /*isPinned=*/true);
    yields.values.push_back(mem.value);
    yields.roots.append(mem.roots.begin(), mem.roots.end());
  }
  if (frees)
    for (size_t root = 0; root < roots.size(); ++root)
      if (canFree(root) && random.chance(90))
        free(root);
  yields.values.insert(yields.values.begin(), scope.acc);
  return yields;
}

SmallVector<MemVal, 2> Generator::pickCarried() {
  SmallVector<MemVal, 2> carried;
  if (random.chance(55))
    return carried;
  auto isWanted = [&](const MemVal &mem) {
    return mem.getType() && canRead(mem) && canTouch(mem, /*write=*/true) &&
           mem.getType().hasStaticShape() &&
           mem.getType().getLayout().isIdentity() &&
           (carried.empty() ||
            mem.value.getType() == carried[0].value.getType());
  };
  unsigned count = random.range(1, 2);
  for (unsigned k = 0; k < count; ++k)
    if (auto mem = pick(isWanted))
      carried.push_back(*mem);
  return carried;
}

SmallVector<int, 8> Generator::getRootsOfType(MemRefType type) {
  std::set<int> all;
  for (const MemVal &mem : scope.mems)
    if (mem.value.getType() == type)
      all.insert(mem.roots.begin(), mem.roots.end());
  all.insert(addRoot(-1));
  return SmallVector<int, 8>(all.begin(), all.end());
}

void Generator::addMem(Value value, ArrayRef<int> from) {
  MemVal mem;
  mem.value = value;
  std::set<int> unique(from.begin(), from.end());
  mem.roots.assign(unique.begin(), unique.end());
  scope.mems.push_back(mem);
}

SmallVector<MemRefType, 2> Generator::pickResultTypes() {
  if (random.chance(65) || palette.empty())
    return {};
  return {palette[random.below(palette.size())]};
}

static SmallVector<Type, 4> getResultTypes(OpBuilder &b,
                                           ArrayRef<MemRefType> types) {
  SmallVector<Type, 4> all = {b.getI64Type()};
  all.append(types.begin(), types.end());
  return all;
}

void Generator::addResults(Operation *op, ArrayRef<MemRefType> types,
                           ArrayRef<int> from) {
  b.setInsertionPointAfter(op);
  scope.acc = op->getResult(0);
  addMems(op->getResults().slice(1, types.size()), from);
}

void Generator::addMems(ValueRange values, ArrayRef<int> from) {
  for (Value value : values)
    addMem(value, from);
}

void Generator::freeLevel() {
  for (size_t root = 0; frees && root < roots.size(); ++root)
    if (canFree(root))
      free(root);
}

template <typename YieldOp>
void Generator::genRegions(Operation *op, ArrayRef<MemRefType> types,
                           unsigned percentEmpty) {
  bool isGraph = isa<scf::ExecuteRegionOp>(op);
  SmallVector<int, 8> from;
  for (Region &region : op->getRegions()) {
    Nested nested(*this,
                  /*once=*/isGraph || isa<memref::AllocaScopeOp>(op));
    position.canBranch = isGraph;
    if (region.empty())
      b.createBlock(&region);
    b.setInsertionPointToEnd(&region.front());
    if (isGraph)
      branchesFirst = random.chance(70);
    bool isEmpty = percentEmpty && random.chance(percentEmpty);
    Yields yields = genBody(isEmpty ? 0 : bodySize(), types);
    make<YieldOp>(yields.values);
    from.append(yields.roots);
  }
  addResults(op, types, from);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Generator::Carried Generator::pickInits() {
  Carried carried;
  carried.inits.push_back(scope.acc);
  SmallVector<MemVal, 2> mems = pickCarried();
  if (!mems.empty())
    carried.from = getRootsOfType(mems[0].getType());
  for (const MemVal &mem : mems) {
    carried.inits.push_back(mem.value);
    carried.types.push_back(mem.getType());
    carried.from.append(mem.roots.begin(), mem.roots.end());
  }
  return carried;
}

scf::ForOp Generator::makeFor(Value upper, ValueRange inits) {
  Value lower = makeIndex(0), step = makeIndex(1);
  return make<scf::ForOp>(lower, upper, step, inits);
}

ValueRange Generator::enterLoop(LoopLikeOpInterface loop, unsigned trips) {
  position.canBranch = false;
  position.work *= std::max(trips, 1u);
  Block *body = &loop->getRegion(0).front();
  b.setInsertionPointToStart(body);
  scope.ints.push_back(toInt(body->getArgument(0)));
  scope.acc = body->getArgument(1);
  return body->getArguments().drop_front(2);
}

ResultRange Generator::leaveLoop(Operation *loop) {
  b.setInsertionPointAfter(loop);
  scope.acc = loop->getResult(0);
  return loop->getResults().drop_front();
}

scf::WhileOp Generator::makeWhile(ValueRange inits) {
  OperationState state(loc, scf::WhileOp::getOperationName());
  state.addOperands(inits);
  state.addTypes(inits.getTypes());
  state.addRegion();
  state.addRegion();
  return cast<scf::WhileOp>(b.create(state));
}

ValueRange Generator::enterWhile(Region &region, unsigned trips) {
  position.canBranch = false;
  position.work *= trips;
  TypeRange types = region.getParentOp()->getResultTypes();
  SmallVector<Location> locs(types.size(), loc);
  Block *block = b.createBlock(&region, {}, types, locs);
  scope.acc = block->getArgument(0);
  return block->getArguments().drop_front();
}

void Generator::yieldWhile(Value bound, SmallVector<Value, 4> values) {
  Value counter = currentBlock()->getArguments().back();
  if (currentBlock()->getParent()->getRegionNumber() == 0) {
    Value condition =
        make<arith::CmpIOp>(arith::CmpIPredicate::slt, counter, bound);
    values.push_back(counter);
    make<scf::ConditionOp>(condition, values);
    return;
  }
  values.push_back(make<arith::AddIOp>(counter, makeInt(1)));
  make<scf::YieldOp>(values);
}

//===----------------------------------------------------------------------===//
// Structured control flow
//===----------------------------------------------------------------------===//

void Generator::genIf() {
  if (isFull())
    return genTemporary();
  auto types = pickResultTypes();
  auto op =
      make<scf::IfOp>(getResultTypes(b, types), makeCondition(), true, true);
  genRegions<scf::YieldOp>(op, types, /*percentEmpty=*/20);
}

void Generator::genIndexSwitch() {
  if (isFull())
    return genTemporary();
  auto types = pickResultTypes();
  SmallVector<int64_t> cases;
  for (int64_t k = 0, e = random.range(1, 3); k < e; ++k)
    cases.push_back(k);
  auto op = make<scf::IndexSwitchOp>(getResultTypes(b, types), makeBelow(4),
                                     cases, cases.size());
  genRegions<scf::YieldOp>(op, types);
}

void Generator::genExecuteRegion() {
  if (isFull())
    return genTemporary();
  auto types = pickResultTypes();
  auto op = make<scf::ExecuteRegionOp>(getResultTypes(b, types));
  genRegions<scf::YieldOp>(op, types);
}

void Generator::genAllocaScope() {
  if (isFull())
    return genTemporary();
  auto types = pickResultTypes();
  auto op = make<memref::AllocaScopeOp>(getResultTypes(b, types));
  genRegions<memref::AllocaScopeReturnOp>(op, types);
}

void Generator::genAffineIf() {
  if (isFull() || scope.affineIvs.empty())
    return genIf();
  auto types = pickResultTypes();
  AffineExpr expr = random.chance(50) ? b.getAffineDimExpr(0) - 1
                                      : b.getAffineConstantExpr(1) -
                                            b.getAffineDimExpr(0) % 3;
  IntegerSet set = IntegerSet::get(1, 0, {expr}, {false});
  Value iv = scope.affineIvs[random.below(scope.affineIvs.size())].first;
  SmallVector<Type, 4> resultTypes = getResultTypes(b, types);
  auto op = make<affine::AffineIfOp>(resultTypes, set, iv, true);
  genRegions<affine::AffineYieldOp>(op, types);
}

void Generator::genFor() {
  if (isFull())
    return genTemporary();
  unsigned trips;
  Value upper = makeTripCount(trips);
  Carried carried = pickInits();
  auto loop = makeFor(upper, carried.inits);
  {
    Nested nested(*this);
    ValueRange mems = enterLoop(loop, trips);
    scope.sizes.push_back(loop.getInductionVar());
    addMems(mems, carried.from);
    Yields yields = genBody(bodySize(), carried.types);
    make<scf::YieldOp>(yields.values);
    carried.from.append(yields.roots);
  }
  if (!carried.types.empty())
    features.insert("for-carried");
  addResults(loop, carried.types, carried.from);
}

void Generator::genAffineFor() {
  if (isFull())
    return genTemporary();
  int64_t trips = random.range(0, 3);
  Carried carried = pickInits();
  int64_t step = random.range(1, 2);
  auto loop = make<affine::AffineForOp>(0, trips * step, step, carried.inits);
  {
    Nested nested(*this);
    ValueRange mems = enterLoop(loop, trips);
    scope.affineIvs.push_back({loop.getInductionVar(), trips * step});
    scope.sizes.push_back(loop.getInductionVar());
    addMems(mems, carried.from);
    Yields yields = genBody(bodySize(), carried.types);
    make<affine::AffineYieldOp>(yields.values);
    carried.from.append(yields.roots);
  }
  addResults(loop, carried.types, carried.from);
}

void Generator::genWhile() {
  if (isFull())
    return genTemporary();
  unsigned trips;
  Value bound = toInt(makeTripCount(trips));
  Carried carried = pickInits();
  carried.inits.push_back(makeInt(0));
  scf::WhileOp loop = makeWhile(carried.inits);
  for (Region &region : loop->getRegions()) {
    Nested nested(*this);
    ValueRange mems = enterWhile(region, std::max(trips, 1u)).drop_back();
    addMems(mems, carried.from);
    bool isBefore = region.getRegionNumber() == 0;
    unsigned count = isBefore ? random.below(3) : bodySize();
    Yields yields = genBody(count, carried.types);
    yieldWhile(bound, yields.values);
    carried.from.append(yields.roots);
  }
  addResults(loop, carried.types, carried.from);
}

//===----------------------------------------------------------------------===//
// Parallel loops
//===----------------------------------------------------------------------===//

void Generator::enterParallel() {
  for (Root &root : roots)
    ++root.noWrite;
}

void Generator::leaveParallel(size_t numRoots) {
  for (size_t k = 0; k < numRoots; ++k)
    --roots[k].noWrite;
}

MemVal Generator::makeOut(int64_t size) {
  MemVal out = allocate(MemRefType::get({size}, b.getI64Type()));
  // Nobody sees it until it is written.
  scope.mems.pop_back();
  return out;
}

void Generator::finishOut(const MemVal &out) {
  record(out, /*write=*/true);
  setWritten(out);
  scope.mems.push_back(out);
  read(out, /*all=*/true);
}

void Generator::inParallel(Operation *op, int64_t trips,
                           function_ref<void()> generate) {
  size_t numRoots = roots.size();
  enterParallel();
  {
    Nested nested(*this);
    position.work *= trips;
    Block &body = op->getRegion(0).front();
    if (body.empty())
      b.setInsertionPointToEnd(&body);
    else
      b.setInsertionPoint(body.getTerminator());
    generate();
  }
  leaveParallel(numRoots);
  b.setInsertionPointAfter(op);
}

void Generator::genParallelBody(const MemVal &out, Value index,
                                ArrayRef<Value> ivs) {
  position.canBranch = false;
  position.canPrint = false;
  for (Value iv : ivs)
    scope.ints.push_back(toInt(iv));
  scope.acc = scope.ints.back();
  Yields yields = genBody(bodySize() + 1, {});
  make<memref::StoreOp>(scope.acc, out.value, index);
}

Generator::Counting Generator::pickCounting(int64_t trips) {
  if (!options.parallel || random.chance(30))
    return {0, trips, 1};
  Counting counting;
  counting.lower = random.range(-3, 5);
  counting.step = random.range(1, 4);
  // The last step may go beyond the end.
  counting.upper = counting.lower + (trips - 1) * counting.step +
                   random.range(1, counting.step);
  return counting;
}

Value Generator::makeTrip(Value iv, const Counting &counting) {
  if (counting.lower != 0)
    iv = make<arith::SubIOp>(iv, makeIndex(counting.lower));
  if (counting.step != 1)
    iv = make<arith::DivSIOp>(iv, makeIndex(counting.step));
  return iv;
}

void Generator::genParallel() {
  if (isFull() || position.work > 12)
    return genTemporary();
  int64_t outer = random.range(1, 3), inner = random.range(1, 2);
  MemVal out = makeOut(outer * inner);
  Counting rows = pickCounting(outer), columns = pickCounting(inner);
  bool reduces = random.chance(40);
  SmallVector<Value> inits;
  if (reduces)
    inits.push_back(makeInt(random.range(0, 9)));
  auto op = make<scf::ParallelOp>(
      ValueRange{makeIndex(rows.lower), makeIndex(columns.lower)},
      ValueRange{makeIndex(rows.upper), makeIndex(columns.upper)},
      ValueRange{makeIndex(rows.step), makeIndex(columns.step)}, inits);
  if (!op.getBody()->empty() && reduces)
    op.getBody()->back().erase();
  inParallel(op, outer * inner, [&] {
    Value trips[] = {makeTrip(op.getInductionVars()[0], rows),
                     makeTrip(op.getInductionVars()[1], columns)};
    Value row = make<arith::MulIOp>(trips[0], makeIndex(inner));
    Value index = make<arith::AddIOp>(row, trips[1]);
    genParallelBody(out, index, trips);
    if (reduces)
      genReduce();
  });
  if (reduces)
    accumulate(op.getResult(0));
  finishOut(out);
}

void Generator::genReduce() {
  auto reduce = make<scf::ReduceOp>(ValueRange{scope.acc});
  Block &block = reduce.getReductions()[0].front();
  b.setInsertionPointToEnd(&block);
  Value sum = make<arith::AddIOp>(block.getArgument(0), block.getArgument(1));
  if (!frees && random.chance(40)) {
    // A buffer of the reduction's own.
    Value own = make<memref::AllocOp>(MemRefType::get({}, b.getI64Type()));
    make<memref::StoreOp>(sum, own, ValueRange());
    sum = make<memref::LoadOp>(own, ValueRange());
    features.insert("alloc-in-reduce");
  }
  make<scf::ReduceReturnOp>(sum);
  features.insert("parallel-reduce");
}

void Generator::genForall() {
  if (isFull() || position.work > 12)
    return genTemporary();
  int64_t trips = random.range(1, 4);
  MemVal out = makeOut(trips);
  SmallVector<OpFoldResult> bounds = {random.chance(50)
                                          ? OpFoldResult(b.getIndexAttr(trips))
                                          : OpFoldResult(makeIndex(trips))};
  Counting counting = pickCounting(trips);
  auto attribute = [&](int64_t number) {
    return SmallVector<OpFoldResult>{b.getIndexAttr(number)};
  };
  auto op = counting.lower == 0 && counting.step == 1
                ? make<scf::ForallOp>(bounds, ValueRange(), std::nullopt)
                : make<scf::ForallOp>(
                      attribute(counting.lower), attribute(counting.upper),
                      attribute(counting.step), ValueRange(), std::nullopt);
  inParallel(op, trips, [&] {
    Value trip = makeTrip(op.getInductionVars()[0], counting);
    genParallelBody(out, trip, trip);
  });
  finishOut(out);
}

void Generator::genAffineParallel() {
  if (isFull() || position.work > 12)
    return genTemporary();
  int64_t trips = random.range(1, 4);
  MemVal out = makeOut(trips);
  Counting counting = pickCounting(trips);
  auto map = [&](int64_t number) {
    return AffineMap::getConstantMap(number, b.getContext());
  };
  auto op = make<affine::AffineParallelOp>(
      TypeRange(), ArrayRef<arith::AtomicRMWKind>(), map(counting.lower),
      ValueRange(), map(counting.upper), ValueRange(), counting.step);
  inParallel(op, trips, [&] {
    if (counting.lower == 0)
      scope.affineIvs.push_back({op.getIVs()[0], counting.upper});
    Value trip = makeTrip(op.getIVs()[0], counting);
    genParallelBody(out, trip, trip);
  });
  finishOut(out);
}

//===----------------------------------------------------------------------===//
// Calls and special loops
//===----------------------------------------------------------------------===//

const Callee *Generator::pickCallee(bool takesBuffers) {
  SmallVector<const Callee *> candidates;
  for (const Callee &callee : callees)
    if ((position.canPrint || !callee.prints) &&
        (!takesBuffers || !callee.arguments.empty()))
      candidates.push_back(&callee);
  if (candidates.empty() || position.work > 24)
    return nullptr;
  return candidates[random.below(candidates.size())];
}

void Generator::call(const Callee &callee, ArrayRef<MemVal> mems) {
  SmallVector<Value> arguments = {pickInt()};
  for (const MemVal &mem : mems)
    arguments.push_back(mem.value);
  // A function that fills an argument must not be given it twice.
  for (const MemVal &mem : mems) {
    record(mem, /*write=*/false);
    if (callee.writes)
      record(mem, /*write=*/true);
  }
  if (!mems.empty() && callee.fills)
    setWritten(mems[0]);
  auto funcOp = cast<func::FuncOp>(callee.op);
  auto call = make<func::CallOp>(funcOp, arguments);
  prints |= callee.prints;
  accumulate(call.getResult(0));
  if (callee.result) {
    SmallVector<int, 8> from = {addRoot(-1)};
    for (const MemVal &mem : mems)
      from.append(mem.roots.begin(), mem.roots.end());
    addMem(call.getResult(1), from);
    // The result is used after its operand was forgotten, not only beside it.
    MemVal result = scope.mems.back();
    for (const MemVal &mem : mems)
      llvm::erase_if(scope.mems, [&](const MemVal &other) {
        return other.value == mem.value;
      });
    if (!isFull())
      genStatements(random.range(1, 2));
    if (canRead(result))
      read(result, /*all=*/true);
  }
}

void Generator::genCall() {
  const Callee *callee = pickCallee(/*takesBuffers=*/false);
  if (!callee)
    return genTemporary();
  SmallVector<MemVal> mems;
  for (size_t k = 0; k < callee->arguments.size(); ++k) {
    Type type = callee->arguments[k];
    bool isOutput = callee->fills && k == 0;
    MemVal mem;
    auto found = pick([&](const MemVal &other) {
      return other.value.getType() == type && canTouch(other, /*write=*/true) &&
             (isOutput || canRead(other));
    });
    if (found && random.chance(80)) {
      mem = *found;
    } else {
      mem = allocate(cast<MemRefType>(type));
      if (!isOutput)
        fill(mem);
    }
    mems.push_back(mem);
  }
  call(*callee, mems);
}

void Generator::genLateUse() {
  // A compiler that believes what a callee says about memory may read the value
  // after the call, where the buffer is no longer in use.
  auto found = pick([&](const MemVal &other) {
    MemRefType type = other.getType();
    return type && type.hasStaticShape() && type.getNumElements() > 0 &&
           canRead(other);
  });
  if (!found)
    return genAllocFill();
  MemVal mem = *found;
  record(mem, /*write=*/false);
  Value early = fromElement(make<memref::LoadOp>(mem.value, makeIndices(mem)));
  if (random.chance(70) && mem.roots.size() == 1) {
    if (frees && canFree(mem.roots[0]))
      free(mem.roots[0]);
    else
      forget(mem.roots[0]);
  }
  bool isLent = !lentCallees.empty() && (callees.empty() || random.chance(40));
  isLent ? genLentCall() : genCall();
  if (random.chance(30)) {
    scope.ints.push_back(early);
    return;
  }
  auto ifOp =
      make<scf::IfOp>(TypeRange(b.getI64Type()), makeCondition(), true, true);
  b.setInsertionPointToEnd(ifOp.thenBlock());
  Value used = make<arith::AddIOp>(scope.acc, early);
  make<scf::YieldOp>(used);
  b.setInsertionPointToEnd(ifOp.elseBlock());
  make<scf::YieldOp>(scope.acc);
  b.setInsertionPointAfter(ifOp);
  scope.acc = ifOp.getResult(0);
}

void Generator::genRefillCall() {
  // Buffers that a function is given twice, each time with another value.
  const Callee *callee = pickCallee(/*takesBuffers=*/true);
  if (!callee)
    return genRefill();
  SmallVector<MemVal> mems;
  for (Type type : callee->arguments)
    mems.push_back(makeFilled(cast<MemRefType>(type)));
  call(*callee, mems);
  auto canUse = [&](const MemVal &mem) {
    return llvm::none_of(mem.roots,
                         [&](int root) { return roots[root].freed; }) &&
           canRead(mem) && canTouch(mem, /*write=*/true);
  };
  if (!llvm::all_of(mems, canUse))
    return;
  for (const MemVal &mem : mems)
    if (random.chance(70))
      fill(mem);
  call(*callee, mems);
  for (const MemVal &mem : mems)
    if (canUse(mem))
      read(mem, /*all=*/true);
}

void Generator::genSwapLoop() {
  if (isFull())
    return genTemporary();
  MemRefType type = pickType();
  MemVal first = getReadable(type, /*isPinned=*/false);
  MemVal second = getReadable(type, /*isPinned=*/false);
  unsigned trips;
  Value upper = makeTripCount(trips);
  auto loop = makeFor(upper, {scope.acc, first.value, second.value});
  SmallVector<int, 8> from(first.roots.begin(), first.roots.end());
  from.append(second.roots.begin(), second.roots.end());
  {
    Nested nested(*this);
    ValueRange mems = enterLoop(loop, trips);
    addMems(mems, from);
    store(scope.mems[scope.mems.size() - 1 - random.below(2)]);
    Yields yields = genBody(bodySize(), {});
    llvm::append_range(yields.values, llvm::reverse(mems));
    make<scf::YieldOp>(yields.values);
  }
  ResultRange results = leaveLoop(loop);
  // Sometimes the results are what is freed.
  int one = first.roots[0], other = second.roots[0];
  bool isFreed = frees && random.chance(40) && first.whole && second.whole &&
                 one != other && canFree(one) && canFree(other) &&
                 first.value.getDefiningOp<memref::AllocOp>() &&
                 second.value.getDefiningOp<memref::AllocOp>();
  if (!isFreed)
    return addMems(results, from);
  features.insert("free-swapped");
  for (Value result : results)
    make<memref::DeallocOp>(result);
  for (int root : {one, other}) {
    roots[root].freed = true;
    forget(root);
  }
}

void Generator::genReplaceLoop() {
  if (isFull())
    return genTemporary();
  // A buffer made in an iteration and used in the next one.
  MemRefType type = pickType();
  MemVal first = makeFilled(type);
  int root = first.roots[0];
  unsigned trips;
  Value upper = makeTripCount(trips);
  bool isFreed = frees && random.chance(60);
  auto loop = makeFor(upper, {scope.acc, first.value});
  SmallVector<int, 8> from = {root, addRoot(-1)};
  {
    Nested nested(*this);
    forget(root);
    addMems(enterLoop(loop, trips), from);
    MemVal old = scope.mems.back();
    position.level = nextLevel++;
    ++position.depth;
    if (random.chance(50))
      genStatements(1);
    MemVal made = makeFilled(type, /*isPinned=*/true);
    if (random.chance(70))
      genStatements(1);
    endLevel();
    read(old, /*all=*/true);
    if (isFreed)
      make<memref::DeallocOp>(old.value);
    freeLevel();
    make<scf::YieldOp>(ValueRange{scope.acc, made.value});
  }
  leaveLoop(loop);
  roots[root].pinned = true;
  forget(root);
  MemVal result;
  result.value = loop.getResult(1);
  result.roots.assign(from.begin(), from.end());
  read(result, /*all=*/true);
  if (isFreed)
    make<memref::DeallocOp>(result.value);
  else
    scope.mems.push_back(result);
}

SmallVector<Value, 4> Generator::makeChainBody(MemRefType type,
                                               ValueRange carried,
                                               ArrayRef<int> from,
                                               unsigned numLoops) {
  SmallVector<MemVal, 4> old;
  for (Value value : carried) {
    addMem(value, from);
    old.push_back(scope.mems.back());
  }
  position.level = nextLevel++;
  ++position.depth;
  // An old one may be looked at before the next is made, behind, or not. A
  // task that was started in between may be writing it.
  auto readSome = [&] {
    for (const MemVal &mem : old)
      if (random.chance(40) && canRead(mem))
        read(mem, /*all=*/random.chance(50));
    if (random.chance(30))
      genStatements(1);
  };
  readSome();
  SmallVector<Value, 4> made;
  if (numLoops > 1) {
    SmallVector<Value, 4> inits(carried.begin(), carried.end());
    if (random.chance(20))
      std::swap(inits.front(), inits.back());
    made = makeChainLoop(type, inits, from, numLoops - 1);
  } else {
    for (unsigned k = 0, e = 1 + random.below(2); k < e; ++k) {
      MemVal mem = makeFilled(type, /*isPinned=*/true);
      made.push_back(mem.value);
    }
  }
  readSome();
  // Mostly a chain.
  auto pickAny = [&] {
    return random.chance(50) ? made[random.below(made.size())]
                             : carried[random.below(carried.size())];
  };
  SmallVector<Value, 4> next;
  for (size_t k = 0; k < carried.size(); ++k) {
    Value value = k + 1 < carried.size() ? carried[k + 1] : made.front();
    if (random.chance(15))
      value = pickAny();
    if (random.chance(8))
      value = make<arith::SelectOp>(makeCondition(), value, pickAny());
    next.push_back(value);
  }
  endLevel();
  freeLevel();
  return next;
}

SmallVector<Value, 4> Generator::makeChainLoop(MemRefType type,
                                               ArrayRef<Value> inits,
                                               ArrayRef<int> from,
                                               unsigned numLoops) {
  unsigned trips;
  Value upper = makeTripCount(trips);
  SmallVector<Value> all = {scope.acc};
  all.append(inits.begin(), inits.end());
  if (random.chance(60)) {
    auto loop = makeFor(upper, all);
    {
      Nested nested(*this);
      ValueRange carried = enterLoop(loop, trips);
      SmallVector<Value, 4> next = makeChainBody(type, carried, from, numLoops);
      next.insert(next.begin(), scope.acc);
      make<scf::YieldOp>(next);
    }
    return llvm::to_vector_of<Value, 4>(leaveLoop(loop));
  }

  all.push_back(makeInt(0));
  Value bound = toInt(upper);
  // Which region makes the new ones. The first runs once more.
  unsigned making = random.chance(40) ? 0 : 1;
  scf::WhileOp loop = makeWhile(all);
  for (Region &region : loop->getRegions()) {
    Nested nested(*this);
    ValueRange carried = enterWhile(region, trips + 1).drop_back();
    SmallVector<Value, 4> next(carried.begin(), carried.end());
    if (region.getRegionNumber() == making) {
      next = makeChainBody(type, carried, from, numLoops);
    } else {
      addMem(carried[random.below(carried.size())], from);
      if (random.chance(60) && canRead(scope.mems.back()))
        read(scope.mems.back(), /*all=*/true);
      if (random.chance(10))
        std::swap(next.front(), next.back());
    }
    next.insert(next.begin(), scope.acc);
    yieldWhile(bound, next);
  }
  return llvm::to_vector_of<Value, 4>(leaveLoop(loop).drop_back());
}

void Generator::genChainLoop() {
  if (isFull())
    return genTemporary();
  // Buffers of the last few iterations, in one loop or a nest of two.
  MemRefType type = pickType();
  SmallVector<Value, 4> inits;
  SmallVector<int, 8> from;
  for (unsigned k = 0, e = 1 + random.below(3); k < e; ++k) {
    MemVal first = getReadable(type, /*isPinned=*/true);
    inits.push_back(first.value);
    from.append(first.roots.begin(), first.roots.end());
  }
  from.push_back(addRoot(-1));
  unsigned numLoops = random.chance(30) ? 2 : 1;
  SmallVector<Value, 4> results = makeChainLoop(type, inits, from, numLoops);
  for (Value result : results) {
    addMem(result, from);
    if (random.chance(50) && canRead(scope.mems.back()))
      read(scope.mems.back(), /*all=*/true);
  }
}

void Generator::genLastLoop() {
  if (isFull())
    return genTemporary();
  // The buffer of the last iteration is used after the loop, by a result; what
  // the loop is given is not used in it.
  MemVal first = getReadable(pickType(), /*isPinned=*/false);
  MemRefType type = first.getType();
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return genTemporary();
  unsigned trips;
  Value upper = makeTripCount(trips);
  auto loop = makeFor(upper, {scope.acc, first.value});
  SmallVector<int, 8> from(first.roots.begin(), first.roots.end());
  from.push_back(addRoot(-1));
  {
    Nested nested(*this);
    enterLoop(loop, trips);
    Yields yields = genBody(bodySize(), {type});
    make<scf::YieldOp>(yields.values);
    from.append(yields.roots);
  }
  addMems(leaveLoop(loop), from);
  MemVal result = scope.mems.back();
  genStatements(1);
  if (canRead(result))
    read(result, /*all=*/true);
}

void Generator::genTransfer() {
  // What memref.dma_start copies is copied at any time until the wait for it.
  // There may be several at a time, told apart by the element of the tag.
  auto type = MemRefType::get({random.range(2, 13)}, b.getI32Type());
  unsigned count = random.range(1, 2);
  SmallVector<MemVal, 2> sources, targets;
  for (unsigned k = 0; k < count; ++k) {
    sources.push_back(getReadable(type, /*isPinned=*/false));
    targets.push_back(allocate(type));
  }
  MemVal tag = allocate(MemRefType::get({count}, b.getI32Type()));
  // Out of sight until they are written.
  llvm::erase_if(scope.mems, [&](const MemVal &mem) {
    return mem.roots == tag.roots ||
           llvm::any_of(targets, [&](const MemVal &target) {
             return mem.roots == target.roots;
           });
  });
  SmallVector<int, 2> levels;
  Value zero = makeIndex(0);
  Value size = makeIndex(type.getDimSize(0));
  bool isAffine = random.chance(40);
  AffineMap identity = b.getMultiDimIdentityMap(1);
  if (isAffine)
    features.insert("affine-transfer");
  for (unsigned k = 0; k < count; ++k) {
    if (isAffine)
      make<affine::AffineDmaStartOp>(sources[k].value, identity, zero,
                                     targets[k].value, identity, zero,
                                     tag.value, identity, makeIndex(k), size);
    else
      make<memref::DmaStartOp>(sources[k].value, ValueRange{zero},
                               targets[k].value, ValueRange{zero}, size,
                               tag.value, ValueRange{makeIndex(k)});
    Pending started;
    started.level = -nextLevel++;
    started.log.reads.insert(sources[k].roots.begin(), sources[k].roots.end());
    started.log.writes.insert(targets[k].roots.begin(), targets[k].roots.end());
    started.log.writes.insert(tag.roots.begin(), tag.roots.end());
    levels.push_back(started.level);
    pending.push_back(started);
  }
  bool isReversed = random.chance(50);
  for (unsigned k = 0; k < count; ++k) {
    unsigned index = isReversed ? count - 1 - k : k;
    genStatements(random.range(0, 2));
    llvm::erase_if(pending, [&](const Pending &other) {
      return other.level == levels[index];
    });
    if (isAffine)
      make<affine::AffineDmaWaitOp>(tag.value, identity, makeIndex(index),
                                    size);
    else
      make<memref::DmaWaitOp>(tag.value, ValueRange{makeIndex(index)}, size);
    record(sources[index], /*write=*/false);
    record(targets[index], /*write=*/true);
    setWritten(targets[index]);
    scope.mems.push_back(targets[index]);
    if (random.chance(60))
      read(targets[index], /*all=*/true);
  }
}

void Generator::genLayoutAlloc() {
  // Other ways to write the identity layout.
  MemRefType type = pickType();
  if (type.getRank() == 0 || type.getNumElements() == 0)
    return genAllocFill();
  MemRefLayoutAttrInterface layout;
  if (random.chance(50)) {
    SmallVector<int64_t> strides(type.getRank(), 1);
    for (int64_t dim = type.getRank() - 1; dim-- > 0;)
      strides[dim] = strides[dim + 1] * type.getDimSize(dim + 1);
    layout = StridedLayoutAttr::get(&context, 0, strides);
  } else {
    AffineExpr expr = b.getAffineConstantExpr(0);
    int64_t stride = 1;
    for (int64_t dim = type.getRank(); dim-- > 0;) {
      expr = expr + b.getAffineDimExpr(dim) * stride;
      stride *= type.getDimSize(dim);
    }
    layout = AffineMapAttr::get(AffineMap::get(type.getRank(), 0, expr));
  }
  MemVal mem = makeFilled(MemRefType::get(
      type.getShape(), type.getElementType(), layout, type.getMemorySpace()));
  if (random.chance(50))
    genStatements(1);
  if (canRead(mem))
    read(mem, /*all=*/true);
}
