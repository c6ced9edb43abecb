//===- Interpretation of barriers, launches and loops over threads -------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compatibility.h"
#include "WorkgroupMachine.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static void handleBarrier(Step &s) {
  getWorkgroup(s.m).wait(s.i.op, /*id=*/0, numThreads);
}

static void handleNamedBarrier(Step &s) {
  auto op = cast<NVVM::BarrierOp>(s.i.op);
  unsigned next = 0;
  int64_t id = op.getBarrierId() ? s.integer(next++) : 0;
  int64_t count =
      op.getNumberOfThreads() ? s.integer(next++) : int64_t(numThreads);
  if (op->getNumResults() != 0)
    return s.fail("a barrier that reduces is not known");
  if (count <= 0 || count > numThreads || count % subgroupSize != 0)
    return s.fail("a barrier is for " + Twine(count) +
                  " threads, which are no whole subgroups");
  getWorkgroup(s.m).wait(s.i.op, id, count);
}

static void handleReturn(Step &s) { s.task.done = true; }

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static void handleLaunch(Step &s) {
  WorkgroupMachine &machine = getWorkgroup(s.m);
  auto op = cast<gpu::LaunchOp>(s.i.op);
  if (op.hasClusterSize() || op.getAsyncToken())
    return s.fail("a launch of this form is not known");
  SmallVector<Val, 16> values;
  // Blocks, threads, and how many there are of both; see the handlers of the
  // operations that say the same.
  uint64_t block = machine.options.arguments % 3;
  for (uint64_t number :
       {block, uint64_t(0), uint64_t(0), uint64_t(machine.current), uint64_t(0),
        uint64_t(0), uint64_t(3), uint64_t(1), uint64_t(1),
        uint64_t(numThreads), uint64_t(1), uint64_t(1)})
    values.push_back(makeVal(number));
  auto add = [&](const Descriptor &descriptor) {
    values.push_back(
        makeVal(reinterpret_cast<uint64_t>(s.m.memory.create(descriptor))));
  };
  for (BlockArgument argument : buffer_merge::getWorkgroupArguments(op)) {
    auto [shared, isFirst] = machine.statics.try_emplace(
        argument.getAsOpaquePointer(), Descriptor());
    if (isFirst)
      shared->second =
          machine.makeStatic(cast<MemRefType>(argument.getType()),
                             getBufferName(argument.getLoc()), /*alignment=*/1,
                             machine.layout.getAttribution(argument));
    add(shared->second);
  }
  for (BlockArgument argument : op.getPrivateAttributions())
    add(machine.makePrivate(cast<MemRefType>(argument.getType())));
  s.enter();
  s.jump(s.i.blocks[0], values);
}

/// The threads of one launch are gone when those of the next one come.
static void handleTerminator(Step &s) {
  s.leave({});
  getWorkgroup(s.m).wait(s.i.op, /*id=*/0, numThreads);
}

//===----------------------------------------------------------------------===//
// Loops over workgroups and threads
//===----------------------------------------------------------------------===//

namespace {
/// What the iterations of an `scf.forall` are.
enum class Iterations { Workgroups, Threads, Subgroups, Lanes, Anything };
} // namespace

static bool isInWorkgroup(Machine &m, ArrayRef<RegionEntry> regions) {
  return isa<gpu::GPUFuncOp>(getWorkgroup(m).kernel) ||
         llvm::any_of(regions, [](const RegionEntry &entry) {
           return isa<gpu::LaunchOp, scf::ForallOp>(entry.instruction->op);
         });
}

/// What those of `op` are, with `regions` around it.
static Iterations classify(Machine &m, scf::ForallOp op,
                           ArrayRef<RegionEntry> regions) {
  std::optional<ArrayAttr> mapping = op.getMapping();
  Attribute first = mapping && !mapping->empty() ? (*mapping)[0] : Attribute();
  if (isa_and_nonnull<gpu::GPUThreadMappingAttr>(first))
    return Iterations::Threads;
  if (isa_and_nonnull<gpu::GPUWarpMappingAttr>(first))
    return Iterations::Subgroups;
  if (isa_and_nonnull<gpu::GPULaneMappingAttr>(first))
    return Iterations::Lanes;
  return isInWorkgroup(m, regions) ? Iterations::Anything
                                   : Iterations::Workgroups;
}

/// Wait at the end of `op` if all threads do; `regions` are those around it.
static void endForall(Machine &m, scf::ForallOp op,
                      ArrayRef<RegionEntry> regions) {
  Iterations iterations = classify(m, op, regions);
  bool isNested = llvm::any_of(regions, [&](const RegionEntry &entry) {
    auto outer = dyn_cast<scf::ForallOp>(entry.instruction->op);
    size_t depth = &entry - regions.begin();
    return outer && classify(m, outer, regions.take_front(depth)) !=
                        Iterations::Workgroups;
  });
  if (iterations != Iterations::Anything && !isNested)
    getWorkgroup(m).wait(op, /*id=*/0, numThreads);
}

static void handleForall(Step &s) {
  WorkgroupMachine &machine = getWorkgroup(s.m);
  auto op = cast<scf::ForallOp>(s.i.op);
  if (op.getRank() != 1 || !op.isNormalized() || s.i.numResults != 0)
    return s.fail("scf.forall of this form is not known");
  bool isDynamic = ShapedType::isDynamic(op.getStaticUpperBound()[0]);
  int64_t upper = isDynamic ? s.integer(0) : op.getStaticUpperBound()[0];
  int64_t first = machine.current, limit = numThreads;
  switch (classify(s.m, op, s.a.regions)) {
  case Iterations::Workgroups:
    // One of them, which depends on the arguments only.
    first = upper > 0 ? machine.options.arguments % upper : 0;
    limit = upper;
    break;
  case Iterations::Threads:
    break;
  case Iterations::Subgroups:
    first /= subgroupSize;
    limit /= subgroupSize;
    break;
  case Iterations::Lanes:
    first %= subgroupSize;
    limit = subgroupSize;
    break;
  case Iterations::Anything:
    limit = upper;
    break;
  }
  if (upper > limit)
    return s.fail("scf.forall has more iterations than there are threads");
  if (first >= upper)
    return endForall(s.m, op, s.a.regions);
  bool isStrided = classify(s.m, op, s.a.regions) == Iterations::Anything;
  RegionEntry &entry = s.enter();
  entry.iv = first;
  entry.upper = upper;
  // To end after one iteration.
  entry.step = isStrided ? int64_t(numThreads) : upper;
  s.jump(s.i.blocks[0], makeVal(first));
}

static void handleInParallel(Step &s) {
  static const Handler handler =
      getHandlers().lookup(TypeID::get<scf::InParallelOp>());
  size_t depth = s.a.regions.size();
  auto op = cast<scf::ForallOp>(s.i.op->getParentOp());
  handler(s);
  if (s.a.regions.size() < depth)
    endForall(s.m, op, s.a.regions);
}

void buffer_merge::fuzz::addWorkgroupControlHandlers(HandlerMap &map) {
  addHandler<gpu::BarrierOp>(map, handleBarrier);
#if LLVM_VERSION_MAJOR < 23
  addHandler<NVVM::Barrier0Op>(map, handleBarrier);
#endif
  addHandler<NVVM::BarrierOp>(map, handleNamedBarrier);
  addHandler<gpu::ReturnOp>(map, handleReturn);
  addHandler<gpu::LaunchOp>(map, handleLaunch);
  addHandler<gpu::TerminatorOp>(map, handleTerminator);
  addHandler<scf::ForallOp>(map, handleForall);
  addHandler<scf::InParallelOp>(map, handleInParallel);
}
