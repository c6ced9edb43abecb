//===- RegionPlan.cpp - Pools in the memories of a target -----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionPlan.h"
#include "Planning/PoolPlaces.h"
#include "Planning/Storage/StorageChoice.h"
#include "Scheduling/SaturatingBytes.h"
#include "SpaceUses.h"
#include "buffer-merge/Scheduling/RegionProblem.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace buffer_merge;

bool buffer_merge::mayHaveRegions(const PoolPlan &pool,
                                  const MergePlanOptions &options) {
  return !pool.workgroup && !pool.host && !pool.isInDeviceCode() &&
         options.hasRegions(pool.memorySpace);
}

RegionPlanner::RegionPlanner(Operation *root, const MergePlanOptions &options,
                             PlanMessages &messages)
    : root(root), options(options), messages(messages), given(root, options),
      falseForRegions(findFalseForGlobals(given.getGraph())) {}

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
              given.findFree(*region, range, function, alignment))
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
  if (StringRef obstacle = checkGlobal(pool, given.getGraph()).first;
      !obstacle.empty())
    return leave(obstacle);
  std::optional<unsigned> function =
      given.getGraph().lookup(pool.scope->getParentOp());
  if (const auto &attribute = falseForRegions[*function])
    return leave(attribute->describe());
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
    part.mayAlignLess = pool.mayAlignLess && !choice.region->alignment;
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
    given.give(*choice.region, *function,
               {choice.range.begin, choice.range.begin + schedule.poolSize});
    part.region->schedule = std::move(schedule);
  }
  leaveBuffers(pool, left, allTaken, pools);
  return success();
}

LogicalResult RegionPlanner::assign(MergePlan &plan, TargetSpaces chosen) {
  spaces = chosen;
  given.reset();
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
    return messages.addError(root->getLoc())
           << "the regions of a target are given out once for the whole "
              "program, so the pass must run on the top-level module, not on '"
           << root->getName() << "'";
  if (options.pool == PoolStorage::Arena &&
      options.hasRegions(/*memorySpace=*/nullptr))
    return messages.addError(root->getLoc())
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
    if (countOutside(plan) < count)
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
  if (!wanted && options.pool == PoolStorage::Global)
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
  chooseRegionStorage(pool, given.getGraph(), options);
  unsigned function = *given.getGraph().lookup(pool.scope->getParentOp());
  const Schedule &schedule = pool.getPool()->schedule;
  RegionBytes &range = pool.region->range;
  // Others may have become larger or smaller since it was chosen.
  range = given
              .findFree(*pool.region->region, range, function,
                        schedule.poolAlignment)
              .value_or(RegionBytes{range.end, range.end});
  if (schedule.poolSize > range.end - range.begin) {
    pool.excessiveBytes = schedule.poolSize;
    pool.capacity = range.end - range.begin;
    return;
  }
  given.give(*pool.region->region, function,
             {range.begin, range.begin + schedule.poolSize});
}

void RegionPlanner::place(MergePlan &plan) {
  given.reset();
  // As `choose` does.
  for (bool isPinned : {true, false})
    for (PoolPlan &pool : plan.pools)
      if (pool.region && pool.getPool() && pool.isPinned == isPinned)
        place(pool);
}

void RegionPlanner::changePlaces(MergePlan &plan) {
  for (PoolPlan &pool : plan.pools) {
    if (!pool.region || !pool.getPool() || pool.excessiveBytes)
      continue;
    unsigned function = *given.getGraph().lookup(pool.scope->getParentOp());
    if (options.reuse == ReusePolicy::AsNeeded) {
      const PoolRegion &own = *pool.region;
      shareAsNeeded(pool, given.findRoom(*own.region, own.range, function),
                    options);
      int64_t begin = own.range.begin;
      given.resize(*own.region, function,
                   {begin, begin + pool.getPool()->schedule.poolSize});
    }
    if (pool.region->region->banks)
      chooseBanks(pool, options);
  }
}
