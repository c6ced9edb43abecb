//===- RegionChoice.cpp - Choices that ignore offsets ---------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionChoice.h"
#include "Scheduling/Placement.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <limits>

using namespace buffer_merge;

RegionChoices::RegionChoices(const RegionProblem &problem)
    : problem(problem), ranked(rankTicks(problem.buffers)) {
  int64_t sum = 0;
  for (const RegionCosts &costs : problem.costs) {
    int64_t largest = 0;
    for (std::optional<int64_t> cost : costs)
      largest = std::max(largest, cost.value_or(0));
    sum += largest;
  }
  outsideCost = sum + 1;
  for (auto [id, costs] : llvm::enumerate(problem.costs)) {
    numTicks = std::max(numTicks, ranked.buffers[id].end);
    llvm::SmallVector<unsigned, 2> allowed;
    for (unsigned region = 0; region < problem.regions.size(); ++region)
      if (costs[region] && getSize(id, region) <= getRoom(region))
        allowed.push_back(region);
    llvm::sort(allowed, [&, &costs = costs](unsigned a, unsigned b) {
      return std::pair(*costs[a], a) < std::pair(*costs[b], b);
    });
    auto *last = llvm::find_if(allowed, [&](unsigned region) {
      return !problem.regions[region].capacity;
    });
    if (last == allowed.end())
      allowed.push_back(getOutside());
    else
      allowed.erase(last + 1, allowed.end());
    options.push_back(std::move(allowed));
  }
}

int64_t RegionChoices::getSize(BufferId id, unsigned region) const {
  int64_t size = problem.buffers.buffers[id].size;
  return region == getOutside()
             ? size
             : alignUp(size, problem.regions[region].granule);
}

int64_t RegionChoices::getRoom(unsigned region) const {
  if (region == getOutside())
    return std::numeric_limits<int64_t>::max();
  return problem.regions[region].capacity.value_or(
      std::numeric_limits<int64_t>::max());
}

int64_t RegionChoices::sumCosts(const RegionChoice &choice) const {
  int64_t sum = 0;
  for (auto [id, region] : llvm::enumerate(choice))
    sum += getCost(id, region);
  return sum;
}

llvm::SmallVector<llvm::SmallVector<BufferId, 0>, 4>
RegionChoices::getOrders() const {
  auto order = [&](llvm::function_ref<double(BufferId)> getKey) {
    llvm::SmallVector<std::pair<double, BufferId>, 0> keys;
    for (BufferId id = 0; id < options.size(); ++id)
      keys.emplace_back(-getKey(id), id);
    llvm::sort(keys);
    return llvm::to_vector_of<BufferId, 0>(llvm::make_second_range(keys));
  };
  auto getSize = [&](BufferId id) { return double(ranked.buffers[id].size); };
  auto getSaving = [&](BufferId id) { return double(this->getSaving(id)); };
  llvm::SmallVector<llvm::SmallVector<BufferId, 0>, 4> orders;
  orders.push_back(
      order([&](BufferId id) { return getSaving(id) / getSize(id); }));
  orders.push_back(order([&](BufferId id) {
    const Buffer &buffer = ranked.buffers[id];
    return getSaving(id) / getSize(id) / double(buffer.end - buffer.begin);
  }));
  orders.push_back(order(getSaving));
  orders.push_back(order(getSize));
  return orders;
}

RegionChoice
RegionChoices::chooseGreedily(llvm::ArrayRef<BufferId> order) const {
  llvm::SmallVector<llvm::SmallVector<int64_t, 0>, 2> loads(
      problem.regions.size(), llvm::SmallVector<int64_t, 0>(numTicks, 0));
  RegionChoice choice(options.size(), getOutside());
  for (BufferId id : order)
    for (unsigned region : options[id]) {
      choice[id] = region;
      if (getRoom(region) == std::numeric_limits<int64_t>::max())
        break;
      int64_t size = getSize(id, region);
      int64_t highest = 0;
      ranked.buffers[id].forEachLiveInterval([&](int64_t begin, int64_t end) {
        for (int64_t tick = begin; tick < end; ++tick)
          highest = std::max(highest, loads[region][tick]);
      });
      if (highest > getRoom(region) - size)
        continue;
      ranked.buffers[id].forEachLiveInterval([&](int64_t begin, int64_t end) {
        for (int64_t tick = begin; tick < end; ++tick)
          loads[region][tick] += size;
      });
      break;
    }
  return choice;
}

namespace {
/// What is decided for the buffers of all ticks so far.
struct SweepState {
  int64_t cost = 0;
  /// The last decision: an index of the list of all, or nothing (-1).
  int64_t decision = -1;
  /// The region of each buffer alive, at the place that it was given.
  std::string regions;
  /// The bytes alive in each region.
  llvm::SmallVector<int64_t, 3> loads;
};

struct SweepDecision {
  int64_t previous;
  unsigned region;
};

/// One sweep of `RegionChoices::sweep`.
class Sweep {
public:
  Sweep(const RegionChoices &choices, size_t width)
      : choices(choices), width(width) {
    states.emplace_back().loads.assign(choices.getOutside() + 1, 0);
  }

  void begin(BufferId id);
  void end(BufferId id);
  /// Return the decisions of the cheapest state, in the order of `begin`.
  llvm::SmallVector<unsigned, 0> getCheapest() const;
  bool isComplete() const { return complete; }

private:
  /// What is at a place that belongs to no buffer.
  static constexpr char noRegion = '\xff';

  const RegionChoices &choices;
  size_t width;
  bool complete = true;
  std::vector<SweepState> states;
  std::vector<SweepDecision> decisions;
  llvm::DenseMap<BufferId, unsigned> places;
  llvm::SmallVector<unsigned> freePlaces;
  size_t numPlaces = 0;
};
} // namespace

void Sweep::begin(BufferId id) {
  unsigned place;
  if (freePlaces.empty()) {
    place = numPlaces++;
    for (SweepState &state : states)
      state.regions.push_back(noRegion);
  } else {
    place = freePlaces.pop_back_val();
  }
  places[id] = place;
  struct Child {
    int64_t cost;
    size_t parent;
    unsigned region;
  };
  std::vector<Child> children;
  for (auto [index, state] : llvm::enumerate(states))
    for (unsigned region : choices.getOptions(id))
      if (state.loads[region] <=
          choices.getRoom(region) - choices.getSize(id, region))
        children.push_back(
            {state.cost + choices.getCost(id, region), index, region});
  if (children.size() > width) {
    complete = false;
    llvm::sort(children, [](const Child &a, const Child &b) {
      return std::tie(a.cost, a.parent, a.region) <
             std::tie(b.cost, b.parent, b.region);
    });
    children.resize(width);
  }
  std::vector<SweepState> next;
  next.reserve(children.size());
  for (const Child &child : children) {
    SweepState &state = next.emplace_back(states[child.parent]);
    state.cost = child.cost;
    state.regions[place] = char(child.region);
    if (child.region != choices.getOutside())
      state.loads[child.region] += choices.getSize(id, child.region);
    decisions.push_back({state.decision, child.region});
    state.decision = decisions.size() - 1;
  }
  states = std::move(next);
}

void Sweep::end(BufferId id) {
  unsigned place = places.lookup(id);
  freePlaces.push_back(place);
  llvm::StringMap<size_t> known;
  std::vector<SweepState> next;
  for (SweepState &state : states) {
    unsigned region = (unsigned char)(state.regions[place]);
    if (region != choices.getOutside())
      state.loads[region] -= choices.getSize(id, region);
    state.regions[place] = noRegion;
    auto [it, isNew] = known.try_emplace(state.regions, next.size());
    if (isNew)
      next.push_back(std::move(state));
    else if (state.cost < next[it->second].cost)
      next[it->second] = std::move(state);
  }
  states = std::move(next);
}

llvm::SmallVector<unsigned, 0> Sweep::getCheapest() const {
  auto isCheaper = [](const SweepState &a, const SweepState &b) {
    return a.cost < b.cost;
  };
  llvm::SmallVector<unsigned, 0> regions;
  for (int64_t decision = llvm::min_element(states, isCheaper)->decision;
       decision >= 0; decision = decisions[decision].previous)
    regions.push_back(decisions[decision].region);
  std::reverse(regions.begin(), regions.end());
  return regions;
}

std::pair<RegionChoice, bool> RegionChoices::sweep(size_t width) const {
  // States have a byte for each region.
  constexpr unsigned mostRegions = 200;
  if (getOutside() > mostRegions)
    return {chooseGreedily(getOrders().front()), false};
  // A buffer that ends where another one begins makes room for it.
  llvm::SmallVector<std::tuple<int64_t, bool, BufferId>, 0> events;
  for (auto [id, buffer] : llvm::enumerate(ranked.buffers)) {
    events.emplace_back(buffer.begin, /*isBegin=*/true, id);
    events.emplace_back(buffer.end, /*isBegin=*/false, id);
  }
  llvm::sort(events);
  Sweep sweep(*this, width);
  llvm::SmallVector<BufferId, 0> order;
  for (auto [tick, isBegin, id] : events) {
    if (!isBegin) {
      sweep.end(id);
      continue;
    }
    sweep.begin(id);
    order.push_back(id);
  }
  RegionChoice choice(options.size(), getOutside());
  for (auto [id, region] : llvm::zip_equal(order, sweep.getCheapest()))
    choice[id] = region;
  // Buffers with gaps, and those of in-place pairs, may fit where they do not
  // seem to.
  bool isProof = sweep.isComplete() && !hasGaps(problem.buffers) &&
                 problem.buffers.inPlacePairs.empty();
  return {std::move(choice), isProof};
}
