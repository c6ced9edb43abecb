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
#include "SpaceUses.h"
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

/// Return the memory space of a buffer of `pool` in `region`, null included; of
/// a foreign region the first one. Return nothing for a foreign region that no
/// buffer may be moved to.
static std::optional<Attribute> findSpaceIn(const SpaceRegion &region,
                                            const PoolPlan &pool,
                                            TargetSpaces spaces) {
  for (const BufferLifetime *buffer : pool.buffers)
    if (region.spaces.contains(buffer->getMemorySpace(),
                               /*isInDeviceCode=*/false))
      return buffer->getMemorySpace();
  if (spaces == TargetSpaces::Own || pool.isPinned ||
      region.spaces.spaces.empty())
    return std::nullopt;
  return region.spaces.spaces.front();
}

SmallVector<RegionPlanner::Choice, 0>
RegionPlanner::collectChoices(const PoolPlan &pool, unsigned function) const {
  SmallVector<Choice, 0> choices;
  for (const SpaceRegion &item : options.regions) {
    std::optional<Attribute> memorySpace = findSpaceIn(item, pool, spaces);
    if (!memorySpace)
      continue;
    auto region = std::make_shared<const TargetRegion>(item.region);
    int64_t alignment = getRegionAlignment(*region, *memorySpace, options);
    for (const Buffer &buffer : pool.problem.buffers)
      alignment = std::max(alignment, buffer.alignment);
    for (RegionBytes range : region->getFreeRanges())
      if (std::optional<RegionBytes> left =
              findFree(*region, range, function, alignment))
        choices.push_back({region, *left, *memorySpace});
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
        getRegionAlignment(*choice.region, choice.memorySpace, options);
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

/// Return a pool of the buffers `ids` of `pool` in `memorySpace`.
static PoolPlan makePart(const PoolPlan &pool, ArrayRef<BufferId> ids,
                         Attribute memorySpace, SchedulingProblem problem) {
  PoolPlan part;
  part.scope = pool.scope;
  part.memorySpace = memorySpace;
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
                                   const Contents &contents, unsigned region,
                                   PoolRegion &made) const {
  ArrayRef<BufferId> ids = contents.outside;
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

void RegionPlanner::keepInSpaces(const PoolPlan &pool, ArrayRef<Choice> choices,
                                 ArrayRef<Operation *> obstacles,
                                 RegionProblem &problem) const {
  auto isForeign = [&](BufferId id, const Choice &choice) {
    return choice.memorySpace != pool.buffers[id]->getMemorySpace();
  };
  // Where costs are equal, a buffer stays: of n buffers less than n + 1 move.
  int64_t scale = problem.costs.size() + 1;
  int64_t most = maxBytes / scale / scale - 1;
  auto exceeds = [&](const RegionCosts &costs) {
    return llvm::any_of(costs, [&](std::optional<int64_t> cost) {
      return cost && *cost > most / scale;
    });
  };
  if (llvm::any_of(problem.costs, exceeds))
    scale = 1;
  for (auto [id, costs] : llvm::enumerate(problem.costs))
    for (auto [choice, cost] : llvm::zip_equal(choices, costs)) {
      if (!isForeign(id, choice))
        *cost *= scale;
      else if (obstacles[id])
        cost = std::nullopt;
      else
        *cost = *cost * scale +
                (scale > 1 && !isMutated("target-spaces-ties") ? 1 : 0);
    }
}

/// Add pools of the buffers `ids` of `pool`, one for each memory space, to
/// `pools`: there are none, because of `message`.
static void leaveBuffers(const PoolPlan &pool, ArrayRef<BufferId> ids,
                         const Twine &message,
                         SmallVectorImpl<PoolPlan> &pools) {
  llvm::MapVector<Attribute, SmallVector<BufferId, 0>> idsOf;
  for (BufferId id : ids)
    idsOf[pool.buffers[id]->getMemorySpace()].push_back(id);
  RegionProblem problem;
  problem.buffers = pool.problem;
  problem.regions.emplace_back();
  for (const auto &[memorySpace, own] : idsOf) {
    pools.push_back(
        makePart(pool, own, memorySpace, makeProblemOfRegion(problem, 0, own)));
    pools.back().decision = NoPool{UnmergeableReason::NoRegion, message.str()};
  }
}

/// Return what each of `choices` gets by `assignment`, and the buffers that
/// none gets.
std::pair<SmallVector<RegionPlanner::Contents, 0>, SmallVector<BufferId, 0>>
RegionPlanner::distribute(const PoolPlan &pool, ArrayRef<Choice> choices,
                          const RegionAssignment &assignment) {
  SmallVector<Contents, 0> contents(choices.size());
  SmallVector<BufferId, 0> left;
  for (auto [id, chosen] : llvm::enumerate(assignment.regions)) {
    std::optional<unsigned> region = chosen;
    // The pool in the largest range says by how much it is too little.
    for (unsigned other = 0; !chosen && other < choices.size(); ++other)
      if (choices[other].memorySpace == pool.buffers[id]->getMemorySpace() &&
          (!region || choices[*region].getSize() < choices[other].getSize()))
        region = other;
    if (!region) {
      left.push_back(id);
      continue;
    }
    contents[*region].ids.push_back(id);
    if (!chosen)
      contents[*region].outside.push_back(id);
  }
  return {std::move(contents), std::move(left)};
}

LogicalResult RegionPlanner::split(PoolPlan &&pool, const MergePlan &plan,
                                   SmallVectorImpl<PoolPlan> &pools) {
  auto leave = [&](const Twine &message) {
    leaveBuffers(pool,
                 llvm::to_vector(llvm::seq<BufferId>(0, pool.buffers.size())),
                 message, pools);
    return success();
  };
  if (StringRef obstacle = checkGlobal(pool, graph).first;
      !obstacle.empty() && !isMutated("target-region-of-any-scope"))
    return leave(obstacle);
  std::optional<unsigned> function = graph.lookup(pool.scope->getParentOp());
  SmallVector<Choice, 0> choices = collectChoices(pool, *function);
  StringRef allTaken = "other functions have all bytes of its regions";
  if (choices.empty())
    return leave(allTaken);
  auto traffics =
      llvm::map_to_vector(pool.buffers, [&](const BufferLifetime *buffer) {
        return computeTraffic(*buffer, *plan.lifetimes);
      });
  RegionProblem problem = makeProblem(pool, choices, traffics);
  SmallVector<Operation *, 0> obstacles;
  if (spaces == TargetSpaces::Any) {
    for (const BufferLifetime *buffer : pool.buffers)
      obstacles.push_back(findSpaceObstacle(*buffer, *plan.lifetimes));
    keepInSpaces(pool, choices, obstacles, problem);
  }
  if (failed(pin(pool, *function, choices, problem)))
    return failure();
  llvm::Expected<RegionAssignment> assignment =
      assignRegions(problem, *options.scheduler, options.schedulerOptions);
  if (!assignment)
    return leave(llvm::toString(assignment.takeError()));
  auto [contents, left] = distribute(pool, choices, *assignment);
  for (unsigned region = 0; region < choices.size(); ++region) {
    ArrayRef<BufferId> ids = contents[region].ids;
    if (ids.empty())
      continue;
    const Choice &choice = choices[region];
    PoolPlan &part =
        pools.emplace_back(makePart(pool, ids, choice.memorySpace,
                                    makeProblemOfRegion(problem, region, ids)));
    part.region.emplace();
    part.region->region = choice.region;
    part.region->range = choice.range;
    for (BufferId id : ids) {
      part.region->movedBytes =
          std::min(part.region->movedBytes + traffics[id].readBytes +
                       traffics[id].writtenBytes,
                   maxBytes);
      if (!obstacles.empty())
        part.region->spaceObstacles.push_back(obstacles[id]);
    }
    if (!contents[region].outside.empty()) {
      measureOutside(problem, contents[region], region, *part.region);
      continue;
    }
    Schedule &schedule = assignment->schedules[region];
    placed.push_back(
        {choice.region->name,
         *function,
         {choice.range.begin, choice.range.begin + schedule.poolSize}});
    part.region->schedule = std::move(schedule);
  }
  leaveBuffers(pool, left, allTaken, pools);
  return success();
}

//===----------------------------------------------------------------------===//
// Several memory spaces
//===----------------------------------------------------------------------===//

bool RegionPlanner::mayUnite(const PoolPlan &first,
                             const PoolPlan &second) const {
  if (spaces == TargetSpaces::Own || isMutated("target-spaces-apart") ||
      first.scope != second.scope || first.isPinned || second.isPinned ||
      !second.getPool() || !mayHaveRegions(second, options))
    return false;
  // Two names of one space are no reason to change a type.
  return llvm::none_of(first.buffers, [&](const BufferLifetime *buffer) {
    return llvm::any_of(options.regions, [&](const SpaceRegion &region) {
      return region.spaces.contains(buffer->getMemorySpace(), false) &&
             region.spaces.contains(second.memorySpace, false);
    });
  });
}

/// Return a pool of the buffers of both, which are in different memory spaces.
static PoolPlan unite(const PoolPlan &first, const PoolPlan &second) {
  // A pointer, the pool, and the number there. Lifetimes are in one array, in
  // the order of execution.
  SmallVector<std::tuple<const BufferLifetime *, const PoolPlan *, BufferId>, 0>
      order;
  for (const PoolPlan *pool : {&first, &second})
    for (auto [id, buffer] : llvm::enumerate(pool->buffers))
      order.push_back({buffer, pool, id});
  llvm::sort(order, llvm::less_first());
  PoolPlan both;
  both.scope = first.scope;
  both.memorySpace = first.memorySpace;
  llvm::DenseMap<std::pair<const PoolPlan *, BufferId>, BufferId> numbers;
  for (auto [id, entry] : llvm::enumerate(order)) {
    auto [buffer, pool, own] = entry;
    both.buffers.push_back(buffer);
    both.problem.buffers.push_back(pool->problem.buffers[own]);
    numbers[{pool, own}] = id;
  }
  for (const PoolPlan *pool : {&first, &second}) {
    for (auto [a, b] : pool->problem.conflicts)
      both.problem.conflicts.push_back(
          {numbers.at({pool, a}), numbers.at({pool, b})});
    for (auto [a, b] : pool->problem.samePlaces)
      both.problem.samePlaces.push_back(
          {numbers.at({pool, a}), numbers.at({pool, b})});
    for (const InPlacePair &pair : pool->problem.inPlacePairs)
      both.problem.inPlacePairs.push_back({numbers.at({pool, pair.earlier}),
                                           numbers.at({pool, pair.later}),
                                           pair.condition});
  }
  return both;
}

LogicalResult RegionPlanner::assign(MergePlan &plan, TargetSpaces chosen) {
  spaces = chosen;
  placed = existing;
  SmallVector<SmallVector<PoolPlan, 0>, 0> parts(plan.pools.size());
  llvm::BitVector isDone(plan.pools.size());
  for (bool isPinned : {true, false})
    for (auto [index, pool] : llvm::enumerate(plan.pools)) {
      if (isDone[index] || pool.isPinned != isPinned)
        continue;
      isDone.set(index);
      if (!mayHaveRegions(pool, options) || !pool.getPool()) {
        parts[index].push_back(std::move(pool));
        continue;
      }
      for (size_t other = index + 1; other < plan.pools.size(); ++other)
        if (!isDone[other] && mayUnite(pool, plan.pools[other])) {
          isDone.set(other);
          pool = unite(pool, plan.pools[other]);
        }
      if (failed(split(std::move(pool), plan, parts[index])))
        return failure();
    }
  plan.pools.clear();
  for (SmallVector<PoolPlan, 0> &own : parts)
    llvm::append_range(plan.pools, std::move(own));
  return success();
}

/// Return the number of buffers of `plan` that fit no region.
static size_t countOutside(const MergePlan &plan) {
  size_t count = 0;
  for (const PoolPlan &pool : plan.pools)
    if (pool.region)
      count += pool.region->numOutside;
    else if (pool.getReason() == UnmergeableReason::NoRegion)
      count += pool.buffers.size();
  return count;
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
  if (options.targetSpaces == TargetSpaces::Own)
    return assign(plan, TargetSpaces::Own);
  // Buffers that move take bytes that other functions may need.
  MergePlan moved = plan;
  if (failed(assign(moved, TargetSpaces::Any)))
    return failure();
  if (size_t count = countOutside(moved)) {
    if (failed(assign(plan, TargetSpaces::Own)))
      return failure();
    if (countOutside(plan) < count && !isMutated("target-spaces-at-any-price"))
      return success();
  }
  plan = std::move(moved);
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
