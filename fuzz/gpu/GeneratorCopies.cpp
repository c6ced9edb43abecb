//===- Generated asynchronous copies, and tiles ---------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelGeneratorImpl.h"
#include "KernelInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

bool KernelGenerator::canCopy(const Buffer &buffer) const {
  Type element = buffer.type.getElementType();
  return buffer.value.getType() == buffer.type &&
         nvgpu::NVGPUDialect::hasSharedMemoryAddressSpace(buffer.type) &&
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
  Value first = make<arith::MulIOp>(slice, makeIndex(target.perThread));
  SmallVector<Value, 2> at = {first};
  if (target.type.getRank() == 2)
    at = {slice, makeIndex(0)};
  Value token = make<nvgpu::DeviceAsyncCopyOp>(
      nvgpu::DeviceAsyncTokenType::get(b.getContext()), target.value, at,
      source, ValueRange{first}, b.getIndexAttr(target.perThread), Value(),
      UnitAttr());
  BufferState &state = states[buffer];
  state.inFlight = true;
  state.fillsInFlight = true;
  state.flightPattern = pattern;
  return token;
}

Value KernelGenerator::createGroup(ValueRange copies) {
  auto groupOp = make<nvgpu::DeviceAsyncCreateGroupOp>(
      nvgpu::DeviceAsyncTokenType::get(b.getContext()), copies);
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
    make<nvgpu::DeviceAsyncWaitOp>(group, IntegerAttr());
  } else {
    // The copies of this block that are in no group stay in flight.
    features.insert("async-ungrouped");
    for (auto [token, buffer] : tokens)
      ungrouped.push_back(buffer);
    Value group = createGroup({});
    make<nvgpu::DeviceAsyncWaitOp>(group, IntegerAttr());
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
  make<nvgpu::DeviceAsyncWaitOp>(group, IntegerAttr());
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
  make<nvgpu::DeviceAsyncWaitOp>(group,
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
  auto type = makeShared({int64_t(numThreads) * perThread}, element);
  int stages[] = {makeBuffer(type, perThread), makeBuffer(type, perThread)};
  if (!canCopy(buffers[stages[0]]) || !canCopy(buffers[stages[1]]) ||
      buffers[stages[0]].type != buffers[stages[1]].type)
    return;
  createGroup(startCopy(stages[0], 0));
  Value count = random.chance(30) ? makeIndex(random.range(1, 3))
                                  : counts[random.below(counts.size())];
  bool hasLastBarrier = random.chance(75);
  auto forOp = make<scf::ForOp>(
      makeIndex(0), count, makeIndex(1),
      ValueRange{buffers[stages[0]].value, buffers[stages[1]].value});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    Value now = forOp.getRegionIterArg(0), next = forOp.getRegionIterArg(1);
    Value kept = buffers[stages[1]].value;
    buffers[stages[1]].value = next;
    Value token = createGroup(startCopy(stages[1], 0));
    buffers[stages[1]].value = kept;
    make<nvgpu::DeviceAsyncWaitOp>(token, b.getI32IntegerAttr(1));
    createBarrier();
    Buffer tile = buffers[stages[0]];
    tile.value = now;
    readFirst(tile, pickPermutation());
    if (hasLastBarrier)
      createBarrier();
    make<scf::YieldOp>(ValueRange{next, now});
  }
  for (int stage : stages)
    states[stage] = BufferState();
  if (random.chance(75)) {
    Value last = createGroup({});
    make<nvgpu::DeviceAsyncWaitOp>(last, IntegerAttr());
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
  auto forOp = make<scf::ForOp>(makeIndex(0), makeUniformIndex(), makeIndex(1));
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
