//===- RegionPlan.cpp - Pools in the memories of a target -----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionPlan.h"
#include "Mutation.h"
#include "PoolPlaces.h"
#include "SaturatingBytes.h"
#include "StorageChoice.h"
#include "buffer-merge/Scheduling/AssignRegions.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

bool buffer_merge::mayHaveRegions(const PoolPlan &pool,
                                  const MergePlanOptions &options) {
  return !pool.workgroup && !pool.argument && !pool.isInDeviceCode() &&
         options.hasRegions(pool.memorySpace);
}

RegionPlanner::RegionPlanner(Operation *root, const MergePlanOptions &options)
    : root(root), options(options) {
  if (options.regions.empty())
    return;
  graph = FunctionGraph(root);
  findReachable();
  findExisting();
}

//===----------------------------------------------------------------------===//
// Which bytes are free
//===----------------------------------------------------------------------===//

void RegionPlanner::findReachable() {
  ArrayRef<FunctionGraph::Function> functions = graph.getFunctions();
  reachable.assign(functions.size(), llvm::BitVector(functions.size()));
  entries = reachable;
  for (unsigned index : graph.getCalleesFirst()) {
    reachable[index].set(index);
    // Of recursive functions this is not all, but they have no pools.
    for (unsigned call : functions[index].calls)
      reachable[index] |= reachable[graph.getCalls()[call].callee];
  }
  for (auto [index, function] : llvm::enumerate(functions)) {
    func::FuncOp op = function.op;
    if (!op.isPrivate() || function.callers.empty() || function.otherUse)
      for (unsigned callee : reachable[index].set_bits())
        entries[callee].set(index);
  }
}

void RegionPlanner::findExisting() {
  root->walk([&](Operation *op) {
    auto place = op->getAttrOfType<DictionaryAttr>(poolRegionAttrName);
    if (!place)
      return;
    auto name = place.getAs<StringAttr>("name");
    auto offset = place.getAs<IntegerAttr>("offset");
    MemRefType type;
    if (auto global = dyn_cast<memref::GlobalOp>(op))
      type = global.getType();
    else if (op->getNumResults() == 1)
      type = dyn_cast<MemRefType>(op->getResultTypes().front());
    if (!name || !offset || offset.getValue().getSignificantBits() > 62 ||
        !type || !type.hasStaticShape())
      return;
    std::optional<unsigned> function;
    if (auto parent = op->getParentOfType<func::FuncOp>())
      function = graph.lookup(parent);
    int64_t begin = offset.getInt();
    existing.push_back(
        {name.getValue(), function, {begin, begin + type.getNumElements()}});
  });
  if (isMutated("target-region-of-earlier-pools"))
    existing.clear();
  placed = existing;
}

/// Return true if executions of both functions may be under way at one time.
bool RegionPlanner::mayOverlap(unsigned first, unsigned second) const {
  if (reachable[first].test(second) || reachable[second].test(first))
    return !isMutated("target-region-shared-with-callees");
  if (options.entries == EntryPolicy::Exclusive)
    return false;
  // Called by one entry, they take turns.
  return (entries[first] != entries[second] || entries[first].count() != 1) &&
         !isMutated("target-region-shared-by-entries");
}

/// Return the bytes of `range` that are free for a pool of `function` with the
/// given alignment: those behind the others that it may not share with.
std::optional<RegionBytes> RegionPlanner::findFree(const TargetRegion &region,
                                                   RegionBytes range,
                                                   unsigned function,
                                                   int64_t alignment) const {
  for (const Placed &other : placed)
    if (other.region == region.name &&
        (!other.function || mayOverlap(*other.function, function)) &&
        other.range.begin < range.end)
      range.begin = std::max(range.begin, other.range.end);
  int64_t address = region.address.value_or(0);
  int64_t begin = llvm::alignTo(address + range.begin, alignment) - address;
  if (isMutated("target-region-base-alignment"))
    begin = range.begin;
  if (begin >= range.end)
    return std::nullopt;
  return RegionBytes{begin, range.end};
}

//===----------------------------------------------------------------------===//
// Which buffer goes where
//===----------------------------------------------------------------------===//

static int64_t getRegionAlignment(const TargetRegion &region,
                                  Attribute memorySpace,
                                  const MergePlanOptions &options) {
  return region.alignment.value_or(
      options.getLeastAlignment(memorySpace, /*isInDeviceCode=*/false,
                                /*isWorkgroup=*/false));
}

SmallVector<RegionPlanner::Choice, 0>
RegionPlanner::collectChoices(const PoolPlan &pool, unsigned function) const {
  SmallVector<Choice, 0> choices;
  for (const SpaceRegion &item : options.regions) {
    if (!item.spaces.contains(pool.memorySpace, /*isInDeviceCode=*/false))
      continue;
    auto region = std::make_shared<const TargetRegion>(item.region);
    int64_t alignment = getRegionAlignment(*region, pool.memorySpace, options);
    for (const Buffer &buffer : pool.problem.buffers)
      alignment = std::max(alignment, buffer.alignment);
    for (RegionBytes range : region->getFreeRanges())
      if (std::optional<RegionBytes> left =
              findFree(*region, range, function, alignment))
        choices.push_back({region, *left});
  }
  return choices;
}

/// Return `a * b + c * d`, at most `maxBytes`.
static int64_t sumProducts(int64_t a, int64_t b, int64_t c, int64_t d) {
  return addBytes(multiplyBytes(a, b), multiplyBytes(c, d));
}

RegionProblem
RegionPlanner::makeProblem(const PoolPlan &pool, ArrayRef<Choice> choices,
                           ArrayRef<MemoryTraffic> traffics) const {
  RegionProblem problem;
  problem.buffers = pool.problem;
  for (const Choice &choice : choices) {
    MemoryRegion &memory = problem.regions.emplace_back();
    memory.capacity = choice.range.end - choice.range.begin;
    memory.alignment =
        getRegionAlignment(*choice.region, pool.memorySpace, options);
    memory.granule = choice.region->granule;
  }
  double sum = 0;
  for (const MemoryTraffic &traffic : traffics) {
    RegionCosts &costs = problem.costs.emplace_back();
    for (const Choice &choice : choices)
      costs.push_back(sumProducts(traffic.readBytes, choice.region->readCost,
                                  traffic.writtenBytes,
                                  choice.region->writeCost));
    sum += double(**llvm::max_element(costs));
  }
  // Only how costs compare matters.
  double most = double(maxBytes / int64_t(problem.costs.size() + 1)) / 2;
  for (; sum > most; sum /= 2)
    for (RegionCosts &costs : problem.costs)
      for (std::optional<int64_t> &cost : costs)
        *cost /= 2;
  return problem;
}

/// Return a pool of the buffers `ids` of `pool`.
static PoolPlan makePart(const PoolPlan &pool, ArrayRef<BufferId> ids,
                         SchedulingProblem problem) {
  PoolPlan part;
  part.scope = pool.scope;
  part.memorySpace = pool.memorySpace;
  part.isPinned = pool.isPinned;
  for (BufferId id : ids)
    part.buffers.push_back(pool.buffers[id]);
  part.problem = std::move(problem);
  return part;
}

/// Restrict `buffer`, that of `lifetime`, to `place`.
LogicalResult RegionPlanner::pinTo(const BufferLifetime &lifetime,
                                   const PinnedPlace &place, unsigned function,
                                   ArrayRef<Choice> choices, Buffer &buffer,
                                   RegionCosts &costs) const {
  const TargetRegion &region = *place.region;
  int64_t size = llvm::alignTo(buffer.size, region.granule);
  for (auto [choice, cost] : llvm::zip_equal(choices, costs)) {
    const RegionBytes &range = choice.range;
    bool isThere = choice.region->name == region.name;
    if (isThere && place.offset) {
      isThere =
          range.begin <= *place.offset && *place.offset <= range.end - size;
      if (isThere)
        buffer.fixedOffset = *place.offset - range.begin;
    }
    if (!isThere)
      cost = std::nullopt;
  }
  if (!place.offset || buffer.fixedOffset || isMutated("pin-in-free-bytes"))
    return success();
  RegionBytes wanted = {*place.offset, *place.offset + size};
  auto contains = [&](const RegionBytes &range) {
    return range.begin <= wanted.begin && wanted.end <= range.end;
  };
  memref::AllocOp alloc = lifetime.alloc;
  InFlightDiagnostic error = emitError(alloc.getLoc());
  error << "bytes " << wanted.begin << " to " << wanted.end << " of region "
        << region.name << ", which are asked for, are ";
  if (!contains({0, region.bytes}))
    return error << "not in it: it has " << region.bytes << " bytes";
  if (llvm::none_of(region.getFreeRanges(), contains))
    return error << "reserved";
  for (const Placed &other : placed) {
    if (other.region != region.name ||
        (other.function && !mayOverlap(*other.function, function)) ||
        other.range.end <= wanted.begin)
      continue;
    error << "not behind the " << other.range.end << " bytes of ";
    if (!other.function)
      return error << "other pools";
    func::FuncOp owner = graph.getFunctions()[*other.function].op;
    error << "the pools of '" << owner.getSymName() << "'";
    error.attachNote(owner.getLoc()) << "this is the function";
    return error;
  }
  return error << "in front of the first one that is aligned for its pool";
}

/// Restrict the buffers of `pool` to where they are pinned.
LogicalResult RegionPlanner::pin(const PoolPlan &pool, unsigned function,
                                 ArrayRef<Choice> choices,
                                 RegionProblem &problem) const {
  for (auto [id, buffer] : llvm::enumerate(pool.buffers)) {
    PinnedPlace place = getPinnedPlace(*buffer, options);
    if (place.region && !isMutated("pin-region") &&
        failed(pinTo(*buffer, place, function, choices,
                     problem.buffers.buffers[id], problem.costs[id])))
      return failure();
  }
  for (unsigned region = 0; region < choices.size(); ++region) {
    SmallVector<BufferId, 0> ids;
    SmallVector<const BufferLifetime *> buffers;
    for (auto [id, buffer] : llvm::enumerate(problem.buffers.buffers))
      if (buffer.fixedOffset && problem.costs[id][region]) {
        ids.push_back(id);
        buffers.push_back(pool.buffers[id]);
      }
    if (failed(checkPinnedOffsets(buffers,
                                  makeProblemOfRegion(problem, region, ids))))
      return failure();
  }
  return success();
}

/// Find out what another region like `region` would need for what fits nowhere.
void RegionPlanner::measureOutside(const RegionProblem &problem,
                                   const RegionAssignment &assignment,
                                   unsigned region, PoolRegion &made) const {
  SmallVector<BufferId, 0> ids;
  for (auto [id, chosen] : llvm::enumerate(assignment.regions))
    if (!chosen)
      ids.push_back(id);
  SchedulingProblem outside = makeProblemOfRegion(problem, region, ids);
  outside.capacity.reset();
  for (Buffer &buffer : outside.buffers)
    buffer.fixedOffset.reset();
  llvm::Expected<Schedule> schedule =
      runScheduler(*options.scheduler, outside, options.schedulerOptions);
  if (!schedule)
    return llvm::consumeError(schedule.takeError());
  made.numOutside = ids.size();
  made.outsideBytes = schedule->poolSize;
}

LogicalResult RegionPlanner::split(PoolPlan &&pool, const MergePlan &plan,
                                   SmallVectorImpl<PoolPlan> &pools) {
  auto leave = [&](const Twine &message) {
    pool.decision = NoPool{UnmergeableReason::NoRegion, message.str()};
    pools.push_back(std::move(pool));
    return success();
  };
  if (StringRef obstacle = checkGlobal(pool, graph).first;
      !obstacle.empty() && !isMutated("target-region-of-any-scope"))
    return leave(obstacle);
  std::optional<unsigned> function = graph.lookup(pool.scope->getParentOp());
  SmallVector<Choice, 0> choices = collectChoices(pool, *function);
  if (choices.empty())
    return leave("other functions have all bytes of its regions");
  auto traffics =
      llvm::map_to_vector(pool.buffers, [&](const BufferLifetime *buffer) {
        return computeTraffic(*buffer, *plan.lifetimes);
      });
  RegionProblem problem = makeProblem(pool, choices, traffics);
  if (failed(pin(pool, *function, choices, problem)))
    return failure();
  llvm::Expected<RegionAssignment> assignment =
      assignRegions(problem, *options.scheduler, options.schedulerOptions);
  if (!assignment)
    return leave(llvm::toString(assignment.takeError()));
  // The pool in the largest range says by how much it is too little.
  auto isSmaller = [](const Choice &a, const Choice &b) {
    return a.range.end - a.range.begin < b.range.end - b.range.begin;
  };
  unsigned largest =
      std::max_element(choices.begin(), choices.end(), isSmaller) -
      choices.begin();
  for (unsigned region = 0; region < choices.size(); ++region) {
    bool isOver = region == largest && assignment->numOutside != 0;
    SmallVector<BufferId, 0> ids;
    for (auto [id, chosen] : llvm::enumerate(assignment->regions))
      if (chosen == region || (isOver && !chosen))
        ids.push_back(id);
    if (ids.empty())
      continue;
    PoolPlan &part = pools.emplace_back(
        makePart(pool, ids, makeProblemOfRegion(problem, region, ids)));
    const Choice &choice = choices[region];
    part.region = PoolRegion{choice.region, choice.range, std::nullopt};
    if (isOver)
      measureOutside(problem, *assignment, region, *part.region);
    for (BufferId id : ids)
      part.region->movedBytes =
          std::min(part.region->movedBytes + traffics[id].readBytes +
                       traffics[id].writtenBytes,
                   maxBytes);
    if (isOver)
      continue;
    Schedule &schedule = assignment->schedules[region];
    placed.push_back(
        {choice.region->name,
         *function,
         {choice.range.begin, choice.range.begin + schedule.poolSize}});
    part.region->schedule = std::move(schedule);
  }
  return success();
}

LogicalResult RegionPlanner::choose(MergePlan &plan) {
  if (options.regions.empty())
    return success();
  if (root->getParentOp() || !isa<ModuleOp>(root))
    return emitError(root->getLoc())
           << "the regions of a target are given out once for the whole "
              "program, so the pass must run on the top-level module, not on '"
           << root->getName() << "'";
  if (options.pool == PoolStorage::Arena &&
      options.hasRegions(/*memorySpace=*/nullptr))
    return emitError(root->getLoc())
           << "pool=" << getPoolStorageName(options.pool)
           << " excludes regions of a target in the default memory space; "
              "'storage' says what their pools are made of";
  SmallVector<SmallVector<PoolPlan, 0>, 0> parts(plan.pools.size());
  for (bool isPinned : {true, false})
    for (auto [pool, own] : llvm::zip_equal(plan.pools, parts)) {
      if (!own.empty() || pool.isPinned != isPinned)
        continue;
      if (!mayHaveRegions(pool, options) || !pool.getPool())
        own.push_back(std::move(pool));
      else if (failed(split(std::move(pool), plan, own)))
        return failure();
    }
  plan.pools.clear();
  for (SmallVector<PoolPlan, 0> &own : parts)
    llvm::append_range(plan.pools, std::move(own));
  return success();
}

//===----------------------------------------------------------------------===//
// After scheduling
//===----------------------------------------------------------------------===//

/// Choose what `pool`, in a region, is made of.
static void chooseRegionStorage(PoolPlan &pool, const FunctionGraph &graph,
                                const MergePlanOptions &options) {
  Pool &made = *pool.getPool();
  std::optional<RegionStorage> wanted = pool.region->region->storage;
  if (!wanted && options.pool == PoolStorage::Global &&
      !isMutated("target-region-global"))
    wanted = RegionStorage::Global;
  made.storage = PoolStorage::Alloc;
  if (wanted == RegionStorage::Global) {
    // `split` has asked whether it may be one.
    made.storage = PoolStorage::Global;
  } else if (wanted == RegionStorage::Stack) {
    made.storageNote = checkStack(pool, made.schedule, graph, options);
    if (made.storageNote.empty())
      made.storage = PoolStorage::Stack;
  }
}

void RegionPlanner::place(PoolPlan &pool) {
  chooseRegionStorage(pool, graph, options);
  unsigned function = *graph.lookup(pool.scope->getParentOp());
  const Schedule &schedule = pool.getPool()->schedule;
  RegionBytes &range = pool.region->range;
  if (std::optional<RegionBytes> left = findFree(
          *pool.region->region, range, function, schedule.poolAlignment))
    range = *left;
  if (schedule.poolSize > range.end - range.begin)
    pool.excessiveBytes = schedule.poolSize;
  else
    placed.push_back({pool.region->region->name,
                      function,
                      {range.begin, range.begin + schedule.poolSize}});
}

void RegionPlanner::place(MergePlan &plan) {
  placed = existing;
  // As `choose` does.
  for (bool isPinned : {true, false})
    for (PoolPlan &pool : plan.pools)
      if (pool.region && pool.getPool() && pool.isPinned == isPinned)
        place(pool);
}

int64_t RegionPlanner::findRoom(const PoolPlan &pool, unsigned function) const {
  RegionBytes range = pool.region->range;
  for (const Placed &other : placed)
    if (other.region == pool.region->region->name &&
        (!other.function || mayOverlap(*other.function, function)) &&
        other.range.begin > range.begin &&
        !isMutated("reuse-in-bytes-of-others"))
      range.end = std::min(range.end, other.range.begin);
  return range.end - range.begin;
}

void RegionPlanner::changePlaces(MergePlan &plan) {
  for (PoolPlan &pool : plan.pools) {
    if (!pool.region || !pool.getPool() || pool.excessiveBytes)
      continue;
    unsigned function = *graph.lookup(pool.scope->getParentOp());
    if (options.reuse == ReusePolicy::AsNeeded) {
      shareAsNeeded(pool, findRoom(pool, function), *plan.lifetimes, options);
      int64_t begin = pool.region->range.begin;
      for (Placed &own : placed)
        if (own.region == pool.region->region->name &&
            own.function == function && own.range.begin == begin)
          own.range.end = begin + pool.getPool()->schedule.poolSize;
    }
    if (pool.region->region->banks)
      chooseBanks(pool, *plan.lifetimes, options);
  }
}
