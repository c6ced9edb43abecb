//===- OrderSearch.cpp - Orders for sizes known at run time ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule for some sizes places every buffer above some of those that it
// meets in time and below the others. The same order gives offsets for all
// sizes: the largest end of those below. The proof that the pool raises no peak
// takes each product of sizes for a number of its own, 0 or more, which leaves
// linear inequalities: no values of these numbers may make some end of each
// order larger than all that the heap is known to hold anyway.
//
//===----------------------------------------------------------------------===//

#include "OrderSearch.h"
#include "Mutation.h"
#include "Scheduling/SaturatingBytes.h"
#include "SymbolicHeap.h"

#include "mlir/Analysis/Presburger/Simplex.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace buffer_merge;

/// Orders that are tried: each costs instructions when the program runs.
static constexpr size_t maxOrders = 3;
/// Numbers of bytes of which the program looks for the largest, to find an
/// offset: for the size of the pool, as many as it has buffers.
static constexpr size_t maxLargest = 16;
/// Ends that are compared to find one order, for each buffer: sizes that trade
/// off would take the cube of the number of buffers.
static constexpr size_t maxComparedEnds = 256;
/// Inequalities of one proof, each of which takes a row of the simplex tableau
/// and a few pivots.
static constexpr size_t maxInequalities = 1024;
/// Combinations of ends, one of each order.
static constexpr size_t maxCombinations = 4096;
/// Values of variables that schedules are for.
static constexpr int64_t typicalSize = 128;
static constexpr int64_t maxSize = int64_t(1) << 20;

void LargestBytes::add(const LinearBytes &bytes) {
  if (llvm::any_of(all, [&](const LinearBytes &other) {
        return isAtMost(bytes, other);
      }))
    return;
  llvm::erase_if(
      all, [&](const LinearBytes &other) { return isAtMost(other, bytes); });
  if (all.size() == most)
    complete = false;
  else
    all.push_back(bytes);
}

/// Return the values of all variables of `pool` for the products `values`.
static SmallVector<int64_t> roundUp(const RuntimePool &pool,
                                    ArrayRef<int64_t> values) {
  SmallVector<int64_t> all(values);
  for (auto [index, variable] : llvm::enumerate(pool.variables))
    if (!variable.rounded.empty())
      all[index] = llvm::alignTo(evaluate(variable.rounded, all),
                                 static_cast<uint64_t>(pool.alignment));
  return all;
}

SmallVector<int64_t> buffer_merge::evaluateVariables(const RuntimePool &pool,
                                                     int64_t symbols) {
  SmallVector<int64_t> values;
  for (const SizeVariable &variable : pool.variables) {
    int64_t product = 1;
    for (size_t i = 0; i < variable.factors.size(); ++i)
      product = multiplyBytes(product, symbols);
    values.push_back(product);
  }
  return roundUp(pool, values);
}

/// Return true if both are alive at one tick.
static bool meet(const PoolUnit &a, const PoolUnit &b) {
  return a.ticks.first <= b.ticks.last && b.ticks.first <= a.ticks.last;
}

/// Return the order of a schedule for `values` of the variables of `pool`;
/// nothing if there is none or its offsets have too many terms.
static std::optional<PoolOrder> findOrder(const RuntimePool &pool,
                                          ArrayRef<int64_t> values,
                                          const MergePlanOptions &options) {
  auto [units, unitOf] = collectUnits(pool);
  SchedulingProblem problem;
  for (const PoolUnit &unit : units) {
    Buffer &scheduled = problem.buffers.emplace_back();
    scheduled.size = std::max<int64_t>(1, evaluate(unit.bytes, values));
    scheduled.begin = unit.ticks.first;
    scheduled.end = unit.ticks.last + 1;
  }
  llvm::Expected<Schedule> schedule =
      runScheduler(*options.scheduler, problem, options.schedulerOptions);
  if (!schedule) {
    llvm::consumeError(schedule.takeError());
    return std::nullopt;
  }
  SmallVector<size_t> sorted =
      llvm::to_vector(llvm::seq<size_t>(0, units.size()));
  llvm::stable_sort(sorted, [&](size_t a, size_t b) {
    return schedule->offsets[a] < schedule->offsets[b];
  });
  PoolOrder order;
  SmallVector<SmallVector<LinearBytes, 1>, 0> offsets(sorted.size()),
      ends(sorted.size());
  LargestBytes largest;
  size_t numCompared = 0;
  for (auto [position, index] : llvm::enumerate(sorted)) {
    LargestBytes offset;
    offset.add({});
    for (size_t below : ArrayRef(sorted).take_front(position))
      if (meet(units[below], units[index]) || isMutated("R9-buffers-meet")) {
        numCompared += ends[below].size();
        for (const LinearBytes &end : ends[below])
          offset.add(end);
      }
    if (!offset.isComplete() || offset.get().size() > maxLargest ||
        numCompared > maxComparedEnds * sorted.size())
      return std::nullopt;
    offsets[index].assign(offset.get().begin(), offset.get().end());
    for (const LinearBytes &bytes : offset.get()) {
      ends[index].push_back(getSum(bytes, units[index].bytes));
      largest.add(ends[index].back());
    }
  }
  if (!largest.isComplete() ||
      largest.get().size() > std::max(maxLargest, units.size()))
    return std::nullopt;
  order.sizes.assign(largest.get().begin(), largest.get().end());
  for (size_t unit : unitOf)
    order.offsets.push_back(offsets[unit]);
  return order;
}

/// Return what the buffers of `pool` hold at some ticks: the most of it, or
/// some of that.
static LargestBytes findAlive(const RuntimePool &pool) {
  SmallVector<SymbolicItem, 0> items;
  for (const PoolUnit &unit : collectUnits(pool).units)
    items.push_back({unit.ticks, unit.bytes});
  LargestBytes alive;
  SymbolicSums sums(items);
  for (const SymbolicSums::Sum &sum : sums.get())
    alive.add(sum.bytes);
  return alive;
}

/// Add `sign` times `bytes` to the coefficients of `inequality`, of which the
/// last one is the constant.
static void addTo(MutableArrayRef<llvm::DynamicAPInt> inequality,
                  const LinearBytes &bytes, int64_t sign) {
  for (auto [index, coefficient] : llvm::enumerate(bytes))
    (index == 0 ? inequality.back() : inequality[index - 1]) +=
        llvm::DynamicAPInt(sign * coefficient);
}

namespace {
/// The end of a pool with what is held beside it, and what is allowed then.
struct LimitedEnd {
  LinearBytes bytes;
  ArrayRef<LinearBytes> given;
};
} // namespace

/// Return integers for `sample`: nearly proportional to it if `mayScale`, else
/// the nearest ones.
static SmallVector<int64_t> makeIntegers(ArrayRef<presburger::Fraction> sample,
                                         bool mayScale) {
  SmallVector<double> exact =
      llvm::map_to_vector(sample, [](const presburger::Fraction &fraction) {
        return static_cast<double>(static_cast<int64_t>(fraction.num)) /
               static_cast<double>(static_cast<int64_t>(fraction.den));
      });
  double largest = *llvm::max_element(exact);
  double scale =
      largest > maxSize || (mayScale && largest > 0) ? maxSize / largest : 1;
  return llvm::map_to_vector(exact, [&](double value) {
    return static_cast<int64_t>(std::round(value * scale));
  });
}

/// Return true if nothing about `pool` has a size of its own.
static bool hasNoConstants(const RuntimePool &pool) {
  return llvm::all_of(pool.bytes,
                      [](const LinearBytes &bytes) {
                        return bytes.empty() || bytes.front() == 0;
                      }) &&
         llvm::all_of(pool.variables, [](const SizeVariable &variable) {
           return variable.rounded.empty();
         });
}

namespace {
/// Asks whether inequalities hold for some values of the variables of a pool.
class Inequalities {
public:
  explicit Inequalities(const RuntimePool &pool)
      : pool(pool), simplex(pool.variables.size()) {
    addVariables();
  }

  /// Return values of the variables for which one of each of `ends` is larger
  /// than all that is allowed; nothing if there are none. Any values if that
  /// takes too many inequalities.
  std::optional<SmallVector<int64_t>>
  findLarger(ArrayRef<SmallVector<LimitedEnd, 0>> ends);

private:
  void begin(int64_t constant) {
    inequality.assign(pool.variables.size() + 1, llvm::DynamicAPInt(0));
    inequality.back() = llvm::DynamicAPInt(constant);
  }
  void addVariables();
  /// Add what is true of those that are rounded up, as some are never less than
  /// others.
  void addOrder();
  /// Let `end` be larger. Return false if it never is.
  bool add(const LimitedEnd &end);

  const RuntimePool &pool;
  presburger::Simplex simplex;
  SmallVector<llvm::DynamicAPInt> inequality;
  size_t numAdded = 0;
};
} // namespace

/// Return the least number of times `b` that is at least `a`, whatever the
/// variables are; nothing if there is none.
static std::optional<int64_t> findTimes(const LinearBytes &a,
                                        const LinearBytes &b) {
  int64_t times = 1;
  if (isMutated("R9-times"))
    return times;
  for (auto [index, coefficient] : llvm::enumerate(a)) {
    if (coefficient == 0)
      continue;
    if (index >= b.size() || b[index] == 0)
      return std::nullopt;
    times = std::max<int64_t>(times, llvm::divideCeil(coefficient, b[index]));
  }
  return times;
}

/// Add what is always true of the variables.
void Inequalities::addVariables() {
  for (auto [index, variable] : llvm::enumerate(pool.variables)) {
    begin(0);
    inequality[index] = llvm::DynamicAPInt(1);
    simplex.addInequality(inequality);
    if (variable.rounded.empty())
      continue;
    addTo(inequality, variable.rounded, -1);
    simplex.addInequality(inequality);
    begin(pool.alignment - 1);
    inequality[index] = llvm::DynamicAPInt(-1);
    addTo(inequality, variable.rounded, 1);
    simplex.addInequality(inequality);
    // Products are integers, so that a sum of products of multiples is one, and
    // it is not rounded up any further.
    LinearBytes multiple = variable.rounded;
    for (int64_t &coefficient : multiple)
      coefficient =
          llvm::alignTo(coefficient, static_cast<uint64_t>(pool.alignment));
    begin(0);
    inequality[index] = llvm::DynamicAPInt(-1);
    addTo(inequality, multiple, 1);
    simplex.addInequality(inequality);
  }
  addOrder();
}

void Inequalities::addOrder() {
  SmallVector<std::pair<int64_t, size_t>> sorted;
  for (auto [index, variable] : llvm::enumerate(pool.variables))
    if (!variable.rounded.empty())
      sorted.emplace_back(std::accumulate(variable.rounded.begin(),
                                          variable.rounded.end(), int64_t(0),
                                          addBytes),
                          index);
  llvm::sort(sorted);
  auto addTimes = [&](size_t a, size_t b) {
    std::optional<int64_t> times =
        findTimes(pool.variables[a].rounded, pool.variables[b].rounded);
    if (!times)
      return;
    begin(0);
    inequality[a] = llvm::DynamicAPInt(-1);
    inequality[b] = llvm::DynamicAPInt(*times);
    simplex.addInequality(inequality);
  };
  // Many with all would take the square of them, in each proof.
  constexpr size_t maxOfAll = 8;
  const size_t maxCompared = sorted.size() <= maxOfAll ? maxOfAll : 1;
  for (size_t i = 1; i < sorted.size(); ++i)
    for (size_t j = i - std::min(i, maxCompared); j < i; ++j) {
      addTimes(sorted[j].second, sorted[i].second);
      addTimes(sorted[i].second, sorted[j].second);
    }
}

bool Inequalities::add(const LimitedEnd &end) {
  for (const LinearBytes &bytes : end.given) {
    begin(-1);
    addTo(inequality, end.bytes, 1);
    addTo(inequality, bytes, -1);
    simplex.addInequality(inequality);
    ++numAdded;
    if (simplex.isEmpty())
      return false;
  }
  return true;
}

std::optional<SmallVector<int64_t>>
Inequalities::findLarger(ArrayRef<SmallVector<LimitedEnd, 0>> ends) {
  if (ends.empty()) {
    SmallVector<int64_t> values(pool.variables.size(), 1);
    if (auto sample = simplex.getRationalSample())
      values = makeIntegers(*sample, /*mayScale=*/hasNoConstants(pool));
    return roundUp(pool, values);
  }
  // What is never larger is so with none of the others.
  for (const LimitedEnd &end : ends.front()) {
    if (numAdded + end.given.size() > maxInequalities)
      return evaluateVariables(pool, 1);
    unsigned snapshot = simplex.getSnapshot();
    if (add(end))
      if (auto values = findLarger(ends.drop_front()))
        return values;
    simplex.rollback(snapshot);
  }
  return std::nullopt;
}

/// Return values for which the pools of all `orders` of `pool` may be more than
/// `bounds` allow; nothing if it is proved that there are none. Too many
/// combinations may be anything.
static std::optional<SmallVector<int64_t>>
findCounterexample(const RuntimePool &pool, ArrayRef<PoolOrder> orders,
                   ArrayRef<PeakBound> bounds) {
  if (orders.empty())
    return evaluateVariables(pool, typicalSize);
  SmallVector<SmallVector<LimitedEnd, 0>, 0> ends;
  size_t combinations = 1;
  for (const PoolOrder &order : orders) {
    SmallVector<LimitedEnd, 0> &ofOrder = ends.emplace_back();
    for (const PeakBound &bound : bounds) {
      LargestBytes all;
      for (const LinearBytes &size : order.sizes)
        for (const LinearBytes &other : bound.others)
          if (LinearBytes end = getSum(size, other);
              llvm::none_of(bound.given, [&](const LinearBytes &given) {
                return isAtMost(end, given);
              }))
            all.add(end);
      if (!all.isComplete())
        return evaluateVariables(pool, 1);
      for (const LinearBytes &bytes : all.get())
        ofOrder.push_back({bytes, bound.given});
    }
    if (ofOrder.empty())
      return std::nullopt;
    combinations *= ofOrder.size();
    if (combinations > maxCombinations)
      return evaluateVariables(pool, 1);
  }
  return Inequalities(pool).findLarger(ends);
}

/// Remove the orders of `pool` that the proof does not need.
static void removeOrders(RuntimePool &pool, ArrayRef<PeakBound> bounds) {
  for (size_t i = pool.orders.size(); i-- > 0 && pool.orders.size() > 1;) {
    SmallVector<PoolOrder> others;
    for (auto [index, order] : llvm::enumerate(pool.orders))
      if (index != i)
        others.push_back(order);
    if (!findCounterexample(pool, others, bounds))
      pool.orders.erase(pool.orders.begin() + i);
  }
}

/// Remove the orders of `pool` that for no typical values make it smaller by
/// one twentieth or more than those before them: each has a price when the
/// program runs.
static void removeSimilarOrders(RuntimePool &pool) {
  SmallVector<PoolOrder> kept;
  SmallVector<int64_t> least;
  for (PoolOrder &order : pool.orders) {
    SmallVector<int64_t> sizes;
    for (int64_t symbols = 1; symbols <= 8192; symbols *= 2) {
      SmallVector<int64_t> values = evaluateVariables(pool, symbols);
      int64_t size = 0;
      for (const LinearBytes &bytes : order.sizes)
        size = std::max(size, evaluate(bytes, values));
      sizes.push_back(size);
    }
    if (kept.empty()) {
      least = sizes;
      kept.push_back(std::move(order));
      continue;
    }
    if (llvm::none_of(llvm::zip(sizes, least), [](auto pair) {
          auto [size, before] = pair;
          return size + before / 20 < before;
        }))
      continue;
    for (auto [size, before] : llvm::zip(sizes, least))
      before = std::min(before, size);
    kept.push_back(std::move(order));
  }
  pool.orders.assign(kept.begin(), kept.end());
}

/// Return true if what is alive in `pool` is more than `bounds` allow for
/// `values`: no order helps.
static bool isHopeless(const RuntimePool &pool, ArrayRef<PeakBound> bounds,
                       ArrayRef<int64_t> values) {
  int64_t alive = evaluateLargest(pool.alive, values);
  return llvm::any_of(bounds, [&](const PeakBound &bound) {
    return addBytes(alive, evaluateLargest(bound.others, values)) >
           evaluateLargest(bound.given, values);
  });
}

bool buffer_merge::findOrders(RuntimePool &pool,
                              std::optional<ArrayRef<PeakBound>> bounds,
                              const MergePlanOptions &options,
                              SmallVectorImpl<int64_t> &counterexample) {
  LargestBytes largest = findAlive(pool);
  pool.alive.assign(largest.get().begin(), largest.get().end());
  PeakBound alive = {{LinearBytes()}, {}};
  alive.given.assign(pool.alive.begin(), pool.alive.end());
  ArrayRef<PeakBound> goal = bounds.value_or(ArrayRef(alive));
  bool isReached = false;
  for (;;) {
    std::optional<SmallVector<int64_t>> values =
        findCounterexample(pool, pool.orders, goal);
    isReached = !values;
    if (values)
      counterexample.assign(*values);
    if (isReached || pool.orders.size() == maxOrders ||
        (bounds && isHopeless(pool, *bounds, *values)))
      break;
    std::optional<PoolOrder> order = findOrder(pool, *values, options);
    if (!order) {
      counterexample.clear();
      break;
    }
    pool.orders.push_back(std::move(*order));
  }
  if (isReached)
    removeOrders(pool, goal);
  pool.isPeakProved = bounds && isReached;
  if (bounds && !isReached)
    return false;
  if (!isReached)
    removeSimilarOrders(pool);
  return !pool.orders.empty();
}
