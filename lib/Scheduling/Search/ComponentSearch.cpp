//===- ComponentSearch.cpp - Anytime search for one component -------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branch and bound is restarted, with deterministic and with random orders in
// turn, until it decides. The random ones prefer the sections that were in
// conflict most often, like the weighted degrees of F. Boussemart et al.
// (Boosting Systematic Search by Weighting Constraints, ECAI 2004). To make a
// pool smaller, capacities between the bound and the height are tried in turn;
// large components are improved by better orders as well. What takes long gets
// beams.
//
//===----------------------------------------------------------------------===//

#include "ComponentSearch.h"
#include "../../Mutation.h"
#include "../BufferOrder.h"
#include "../CanonicalFit.h"
#include "../SqueakyWheel.h"
#include "BeamSearch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace buffer_merge;

static int64_t computeHeight(const PackingInstance &instance,
                             llvm::ArrayRef<int64_t> offsets) {
  int64_t height = 0;
  for (unsigned i = 0; i < instance.size(); ++i)
    height = std::max(height, offsets[i] + instance[i].size);
  return height;
}

/// Steps of one kind of search before another may have its turn.
static constexpr int64_t sliceSteps = 4096;

/// Tenths of the gap above the lower bound that are tried in turn. Few steps
/// are enough for one attempt only, which must not ask for much.
static constexpr unsigned searchTenths[] = {7, 3, 1, 0};
static constexpr unsigned beamTenths[] = {5, 0};

/// Steps of branch and bound before beams are tried: most searches end before.
static constexpr int64_t stepsBeforeBeams = 100000;

ComponentSearch::ComponentSearch(const PackingInstance &instance,
                                 llvm::SmallVector<int64_t, 0> initialOffsets)
    : instance(instance), offsets(std::move(initialOffsets)),
      height(computeHeight(instance, offsets)), lowerBound(instance.lowerBound),
      searchAttempt(instance, searchTenths), beamAttempt(instance, beamTenths) {
}

ComponentSearch::Attempt::Attempt(const PackingInstance &instance,
                                  llvm::ArrayRef<unsigned> tenths)
    : tenths(tenths), budget(2000 + int64_t(instance.size()) * 10),
      left(budget) {}

ComponentSearch::ComponentSearch(ComponentSearch &&) = default;
ComponentSearch::~ComponentSearch() = default;

int64_t ComponentSearch::getSteps() const {
  return (solver ? solver->getSteps() : 0) + (beam ? beam->getSteps() : 0) +
         orderSteps;
}

/// Return an order that prefers what is large where the search has failed most.
llvm::SmallVector<unsigned, 0> ComponentSearch::makeRandomOrder() {
  // Sizes are multiplied with ratios of two random numbers: about log-normal
  // with a standard deviation of 0.07. Quotients and products of doubles are
  // the same everywhere; exponentials are not.
  constexpr uint64_t spread = 96;
  llvm::SmallVector<uint64_t, 0> failures = {0};
  for (uint64_t count : solver->getFailures())
    failures.push_back(failures.back() + 1 + count);
  llvm::SmallVector<std::pair<double, unsigned>, 0> keys;
  for (unsigned i = 0; i < instance.size(); ++i) {
    double up = 512 + getNextRandom(random) % spread;
    double down = 512 + getNextRandom(random) % spread;
    uint64_t weight = failures[instance.sections.getEnd(i)] -
                      failures[instance.sections.getBegin(i)];
    double size = double(instance[i].size) * up / down;
    keys.emplace_back(-size * double(weight), i);
  }
  llvm::sort(keys);
  return llvm::to_vector_of<unsigned, 0>(llvm::make_second_range(keys));
}

/// Return element `index`, from 1, of the sequence 1 1 2 1 1 2 4 1 1 2 ...
static int64_t getLuby(unsigned index) {
  while (true) {
    unsigned bits = llvm::Log2_32(index + 1);
    if (llvm::isPowerOf2_32(index + 1))
      return int64_t(1) << (bits - 1);
    index -= (1u << bits) - 1;
  }
}

/// Begin the next restart. Deterministic orders in turn, with budgets that
/// double after each turn, get a third of the steps, and random ones with
/// Luby's budgets the rest: some instances like the one, some the other.
void ComponentSearch::startRun() {
  ++numRuns;
  if (deterministicSteps * 2 <= randomSteps ||
      isLeftOut("search-random-orders")) {
    unsigned turn = numDeterministic / orders.size();
    solver->start(orders[numDeterministic % orders.size()], capacity);
    stepsLeft = (int64_t(instance.size()) * 4 + 200) << std::min(turn, 30u);
    deterministicSteps += stepsLeft;
    ++numDeterministic;
    return;
  }
  solver->start(makeRandomOrder(), capacity);
  stepsLeft = (int64_t(instance.size()) * 4 + 200) * getLuby(++numRandom);
  randomSteps += stepsLeft;
}

ComponentSearch::Outcome ComponentSearch::decide(int64_t newCapacity,
                                                 int64_t maxSteps) {
  int64_t end = getSteps() + maxSteps;
  while (true) {
    int64_t left = end - getSteps();
    if (left > 0 && height > newCapacity && newCapacity >= lowerBound &&
        isTurnOfBeam()) {
      searchByBeam(newCapacity, std::min(left, sliceSteps));
      continue;
    }
    int64_t before = getSteps();
    Outcome outcome = search(newCapacity, std::min(left, sliceSteps));
    if (outcome != Outcome::Stopped || getSteps() >= end ||
        getSteps() == before)
      return outcome;
  }
}

/// The same, by one search for a schedule of all sections.
ComponentSearch::Outcome ComponentSearch::search(int64_t newCapacity,
                                                 int64_t maxSteps) {
  if (height <= newCapacity)
    return Outcome::Found;
  if (newCapacity < lowerBound)
    return Outcome::Exhausted;
  if (!BranchAndBound::supports(instance)) {
    improve(newCapacity, maxSteps);
    return height <= newCapacity ? Outcome::Found : Outcome::Stopped;
  }
  if (!solver) {
    solver = std::make_unique<BranchAndBound>(instance);
    using Key = OrderKey;
    using Keys = llvm::SmallVector<Key, 3>;
    for (const Keys &keys : {Keys{Key::Duration, Key::Area, Key::Contention},
                             Keys{Key::Contention, Key::Area, Key::Duration},
                             Keys{Key::Contention, Key::Duration, Key::Area}})
      orders.push_back(orderBuffers(instance.problem, instance.sections, keys));
  }
  if (newCapacity != capacity) {
    capacity = newCapacity;
    numRuns = numDeterministic = numRandom = 0;
    deterministicSteps = randomSteps = stepsLeft = 0;
  }

  int64_t end = solver->getSteps() + maxSteps;
  while (true) {
    int64_t before = solver->getSteps();
    if (before >= end)
      return Outcome::Stopped;
    if (stepsLeft <= 0)
      startRun();
    Outcome outcome = solver->resume(std::min(stepsLeft, end - before));
    stepsLeft -= solver->getSteps() - before;
    if (outcome == Outcome::Stopped)
      continue;
    stepsLeft = 0;
    if (outcome == Outcome::Found) {
      offsets.assign(solver->getOffsets().begin(), solver->getOffsets().end());
      height = computeHeight(instance, offsets);
    } else {
      lowerBound = newCapacity + 1;
    }
    return outcome;
  }
}

int64_t ComponentSearch::Attempt::getCapacity(int64_t floor,
                                              int64_t height) const {
  int64_t gap = height - floor;
  return std::min(height - 1, floor + gap / 10 * tenths[next] +
                                  gap % 10 * tenths[next] / 10);
}

void ComponentSearch::Attempt::fail() {
  if (++next == tenths.size()) {
    next = 0;
    budget += budget * 3 / 5;
  }
  left = budget;
}

void ComponentSearch::improveBySearch(int64_t floor, int64_t maxSteps) {
  int64_t before = solver ? solver->getSteps() : 0;
  Outcome outcome = search(searchAttempt.getCapacity(floor, height),
                           std::min(searchAttempt.left, maxSteps));
  searchAttempt.left -= solver->getSteps() - before;
  // A success is tried again at the same fraction of a smaller gap.
  if (outcome != Outcome::Stopped)
    searchAttempt.left = searchAttempt.budget;
  else if (searchAttempt.left <= 0)
    searchAttempt.fail();
}

/// Return true if it is the turn of a beam: of what branch and bound does not
/// solve soon, beams solve more, and get three times the steps.
bool ComponentSearch::isTurnOfBeam() const {
  if (!solver || !BeamSearch::supports(instance) || isLeftOut("search-beams"))
    return false;
  int64_t searchSteps = solver->getSteps();
  return searchSteps >= stepsBeforeBeams &&
         (!beam || beam->getSteps() <= searchSteps * 3);
}

/// Go on with a beam for `newCapacity`, or begin with one; their widths are
/// Luby's numbers. Return true if it has failed.
bool ComponentSearch::searchByBeam(int64_t newCapacity, int64_t maxSteps) {
  if (!beam)
    beam = std::make_unique<BeamSearch>(instance);
  if (beamCapacity != newCapacity) {
    beamCapacity = newCapacity;
    constexpr unsigned leastWidth = 24, mostWidth = 1536;
    beam->start(beamCapacity,
                std::min<int64_t>(leastWidth * getLuby(++numBeams), mostWidth));
  }
  Outcome outcome = beam->resume(maxSteps);
  if (outcome == Outcome::Stopped)
    return false;
  beamCapacity = -1;
  if (outcome == Outcome::Exhausted)
    return true;
  offsets.assign(beam->getOffsets().begin(), beam->getOffsets().end());
  height = computeHeight(instance, offsets);
  return false;
}

void ComponentSearch::improveByBeam(int64_t floor, int64_t maxSteps) {
  int64_t newCapacity = beamCapacity;
  if (newCapacity < floor || newCapacity >= height)
    newCapacity = beamAttempt.getCapacity(floor, height);
  if (searchByBeam(newCapacity, maxSteps))
    beamAttempt.fail();
}

/// Place all buffers anew, in orders made from what became of the last one. The
/// steps that are too few for another try are saved for the next call.
void ComponentSearch::improveByOrders(int64_t floor, int64_t maxSteps) {
  if (!wheel) {
    wheel = std::make_unique<SqueakyWheel>(instance.problem,
                                           orderByOffset(offsets), floor);
    wheel->advance(offsets);
  }
  // A buffer is placed in about half a microsecond, by a heap in a few.
  const bool isByHeap = instance.hasFixedOffsets ||
                        !instance.problem.conflicts.empty() ||
                        !instance.sections.getGaps().empty();
  const int64_t cost = 1 + int64_t(instance.size()) * (isByHeap ? 8 : 1) / 2;
  orderSteps += maxSteps;
  savedSteps += maxSteps;
  for (; savedSteps >= cost && height > floor; savedSteps -= cost) {
    llvm::SmallVector<int64_t, 0> newOffsets =
        fitCanonically(instance.problem, instance.sections, wheel->getOrder());
    wheel->advance(newOffsets);
    int64_t newHeight = computeHeight(instance, newOffsets);
    if (newHeight >= height)
      continue;
    offsets = std::move(newOffsets);
    height = newHeight;
  }
}

void ComponentSearch::improve(int64_t target, int64_t maxSteps) {
  int64_t end = getSteps() + maxSteps;
  while (getSteps() < end) {
    int64_t floor = std::max(target, lowerBound);
    if (height <= floor)
      return;
    // Of many buffers, better orders get three steps in four.
    constexpr unsigned maxFew = 600;
    bool useSearch = BranchAndBound::supports(instance) &&
                     (instance.size() <= maxFew ||
                      (solver ? solver->getSteps() : 0) * 3 <= orderSteps);
    int64_t slice = std::min(end - getSteps(), sliceSteps);
    if (isTurnOfBeam())
      improveByBeam(floor, slice);
    else if (useSearch)
      improveBySearch(floor, slice);
    else
      improveByOrders(floor, slice);
  }
}
