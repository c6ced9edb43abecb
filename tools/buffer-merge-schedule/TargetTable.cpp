//===- TargetTable.cpp - Tables of buffers and targets --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TargetTable.h"
#include "TableJSON.h"
#include "buffer-merge/Scheduling/Input.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace buffer_merge;

llvm::Expected<TargetTable> TargetTable::create(const BufferTable &table,
                                                llvm::StringRef target,
                                                llvm::StringRef space) {
  llvm::Expected<Target> loaded = loadTarget(target);
  if (!loaded)
    return loaded.takeError();
  if (loaded->regions.empty())
    return llvm::createStringError("the target has no regions");
  TargetTable result;
  result.table = table;
  result.target = std::make_shared<const Target>(std::move(*loaded));
  for (const TargetRegion &region : result.target->regions)
    if (region.space == space)
      for (RegionBytes bytes : region.getFreeRanges()) {
        // Offsets are from the start of the region, and aligned there.
        int64_t alignment = region.alignment.value_or(1);
        for (const Buffer &buffer : table.problem.buffers)
          alignment = std::max(alignment, buffer.alignment);
        int64_t address = region.address.value_or(0);
        bytes.begin =
            llvm::divideCeil(address + bytes.begin, alignment) * alignment -
            address;
        if (bytes.begin < bytes.end)
          result.ranges.push_back({&region, bytes});
      }
  if (result.ranges.empty())
    return llvm::createStringError(
        "the target has no region in the memory space '" + space +
        "'; the nearest is '" +
        findNearestName(space, llvm::map_range(result.target->regions,
                                               [](const TargetRegion &region) {
                                                 return llvm::StringRef(
                                                     region.space);
                                               })) +
        "'");
  if (llvm::Error error = result.makeProblem())
    return std::move(error);
  return result;
}

llvm::Error TargetTable::makeProblem() {
  problem.buffers = table.problem;
  for (Buffer &buffer : problem.buffers.buffers) {
    buffer.fixedOffset.reset();
    for (llvm::SmallVectorImpl<int64_t> *moved : {&table.reads, &table.writes})
      if (moved->size() < problem.buffers.buffers.size())
        moved->push_back(buffer.size);
  }
  for (const Range &range : ranges)
    problem.regions.push_back({range.bytes.end - range.bytes.begin,
                               range.region->alignment.value_or(1),
                               range.region->granule});
  int64_t most = maxBytes / int64_t(table.ids.size() + 1);
  for (BufferId id = 0; id < table.ids.size(); ++id) {
    llvm::StringRef wanted;
    if (!table.regions.empty())
      wanted = table.regions[id];
    RegionCosts &costs = problem.costs.emplace_back();
    for (const Range &range : ranges) {
      int64_t reads, writes, sum;
      if (llvm::MulOverflow(table.reads[id], range.region->readCost, reads) ||
          llvm::MulOverflow(table.writes[id], range.region->writeCost,
                            writes) ||
          llvm::AddOverflow(reads, writes, sum) ||
          sum > most / int64_t(table.ids.size() + 1))
        return llvm::createStringError("'" + table.ids[id] +
                                       "' moves too many bytes");
      if (wanted.empty() || wanted == range.region->name)
        costs.push_back(sum);
      else
        costs.push_back(std::nullopt);
    }
    if (llvm::none_of(costs, [](auto cost) { return cost.has_value(); }))
      return llvm::createStringError(
          "'" + table.ids[id] + "' is in region '" + wanted +
          "', which the target has not; the nearest is '" +
          findNearestName(wanted, llvm::map_range(ranges,
                                                  [](const Range &range) {
                                                    return llvm::StringRef(
                                                        range.region->name);
                                                  })) +
          "'");
  }
  return checkRegionProblem(problem);
}

llvm::Error TargetTable::assign(const Scheduler &scheduler,
                                const SchedulerOptions &options) {
  llvm::Expected<RegionAssignment> result =
      assignRegions(problem, scheduler, options);
  if (!result)
    return result.takeError();
  assignment = std::move(*result);
  if (assignment.numOutside == 0)
    return llvm::Error::success();
  auto outside = llvm::find(assignment.regions, std::nullopt);
  std::string message =
      "no region has room for " + std::to_string(assignment.numOutside) +
      " of the buffers, such as '" +
      table.ids[outside - assignment.regions.begin()] + "'" +
      (assignment.isOptimal ? ", which is proved"
                            : "; more --effort may find room");
  return llvm::make_error<CapacityError>(std::move(message), /*neededBytes=*/0,
                                         assignment.isOptimal);
}

/// Return the problem of the buffers in `region`, with their penalties.
ReuseProblem TargetTable::makeReuseProblem(unsigned region) const {
  llvm::SmallVector<BufferId, 0> ids = assignment.getBuffersIn(region);
  ReuseProblem result;
  result.problem = makeProblemOfRegion(problem, region, ids);
  if (!table.penalties) {
    result.penalties = computeReusePenalties(result.problem);
    return result;
  }
  llvm::DenseMap<BufferId, BufferId> numbers;
  for (auto [number, id] : llvm::enumerate(ids))
    numbers[id] = number;
  for (const ReusePenalty &item : *table.penalties)
    if (numbers.contains(item.first) && numbers.contains(item.second))
      result.penalties.push_back(
          {numbers[item.first], numbers[item.second], item.penalty});
  return result;
}

llvm::Error TargetTable::shareAsNeeded(const Scheduler &scheduler,
                                       const SchedulerOptions &options) {
  for (auto [region, schedule] : llvm::enumerate(assignment.schedules)) {
    Reuse &reuse = reuses.emplace_back();
    if (schedule.offsets.empty())
      continue;
    ReuseProblem part = makeReuseProblem(region);
    llvm::Expected<ReuseSchedule> found =
        scheduleReuse(part, scheduler, options);
    if (!found)
      return found.takeError();
    reuse.costOfSmallest = computeReuseCost(part, schedule);
    reuse.cost = found->cost;
    reuse.isOptimal = found->isOptimal;
    reuse.penalties = std::move(part.penalties);
    schedule = std::move(found->schedule);
  }
  return llvm::Error::success();
}

llvm::Error TargetTable::verify(std::optional<std::string> &violation) {
  llvm::SmallVector<llvm::SmallVector<int64_t, 0>, 2> offsets(ranges.size());
  for (auto [id, buffer] : llvm::enumerate(table.problem.buffers)) {
    if (table.regions.empty() || table.regions[id].empty() ||
        !buffer.fixedOffset)
      return llvm::createStringError("there is no region or no offset to "
                                     "verify for buffer '" +
                                     table.ids[id] + "'");
    int64_t offset = *buffer.fixedOffset;
    auto *range = llvm::find_if(ranges, [&, id = id](const Range &range) {
      return range.region->name == table.regions[id] &&
             range.bytes.begin <= offset && offset < range.bytes.end;
    });
    if (range == ranges.end()) {
      violation = "'" + table.ids[id] + "' is at a byte of region '" +
                  table.regions[id] + "' that is not free";
      return llvm::Error::success();
    }
    size_t index = range - ranges.begin();
    assignment.regions.push_back(index);
    assignment.cost += *problem.costs[id][index];
    offsets[index].push_back(offset - range->bytes.begin);
  }
  for (auto [index, own] : llvm::enumerate(offsets))
    assignment.schedules.push_back(makeSchedule(
        makeProblemOfRegion(problem, index, assignment.getBuffersIn(index)),
        std::move(own)));
  violation = findAssignmentViolation(problem, assignment);
  return llvm::Error::success();
}

/// Return the offset of each buffer from the start of its region.
template <typename Ranges>
static llvm::SmallVector<int64_t, 0>
collectOffsets(const RegionAssignment &assignment, const Ranges &ranges) {
  llvm::SmallVector<int64_t, 0> offsets(assignment.regions.size());
  for (auto [index, range] : llvm::enumerate(ranges))
    for (auto [id, offset] :
         llvm::zip_equal(assignment.getBuffersIn(index),
                         assignment.schedules[index].offsets))
      offsets[id] = range.bytes.begin + offset;
  return offsets;
}

void TargetTable::forEachPool(
    llvm::function_ref<void(const Pool &)> function) const {
  for (auto [index, range] : llvm::enumerate(ranges)) {
    llvm::SmallVector<BufferId, 0> ids = assignment.getBuffersIn(index);
    if (ids.empty())
      continue;
    Pool pool = {*range.region, ids, makeProblemOfRegion(problem, index, ids),
                 assignment.schedules[index]};
    if (range.region->address)
      pool.address = *range.region->address + range.bytes.begin;
    if (!reuses.empty())
      pool.reuse = &reuses[index];
    for (BufferId id : ids)
      pool.movedBytes += getMovedBytes(id);
    function(pool);
  }
}

BufferTable TargetTable::getPlacedTable() const {
  BufferTable result = table;
  result.regions.clear();
  for (std::optional<unsigned> region : assignment.regions)
    result.regions.push_back(ranges[*region].region->name);
  return result;
}

void TargetTable::printTable(llvm::raw_ostream &os) const {
  printBufferTable(os, getPlacedTable(), collectOffsets(assignment, ranges));
}

void TargetTable::printJSON(llvm::raw_ostream &os,
                            llvm::StringRef scheduler) const {
  llvm::SmallVector<int64_t, 0> offsets = collectOffsets(assignment, ranges);
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("scheduler", scheduler);
    json.attribute("cost", assignment.cost);
    json.attribute("optimal", assignment.isOptimal);
    json.attributeArray("regions", [&] {
      for (auto [index, range] : llvm::enumerate(ranges)) {
        int64_t moved = 0;
        for (BufferId id : assignment.getBuffersIn(index))
          moved += getMovedBytes(id);
        json.object([&, index = index, &range = range] {
          json.attribute("name", range.region->name);
          json.attribute("begin", range.bytes.begin);
          json.attribute("capacity", range.bytes.end - range.bytes.begin);
          json.attribute("pool", assignment.schedules[index].poolSize);
          json.attribute("movedBytes", moved);
          if (reuses.empty())
            return;
          json.attributeObject("reuse", [&] {
            json.attribute("pairs", reuses[index].cost.numPairs);
            json.attribute("penalty", reuses[index].cost.penalty);
            json.attribute("optimal", reuses[index].isOptimal);
          });
        });
      }
    });
    printTableRows(json, getPlacedTable(), offsets, [&](BufferId id) {
      const TargetRegion &region = *ranges[*assignment.regions[id]].region;
      if (region.address)
        json.attribute("address", *region.address + offsets[id]);
    });
  });
  os << '\n';
}
