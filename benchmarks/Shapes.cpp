//===- Shapes.cpp - Problems of many shapes and every length --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same numbers everywhere: pools are on record.
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"

#include <cmath>
#include <random>

using namespace buffer_merge;

namespace {
/// Builds a problem of `count` buffers.
class ShapeBuilder {
public:
  ShapeBuilder(int64_t count, unsigned seed) : count(count), random(seed) {}

  SchedulingProblem makeChain(int64_t spread);
  SchedulingProblem makeStaircase(bool isEven);
  SchedulingProblem makeRandom(int64_t alive);
  SchedulingProblem makeEqual();
  SchedulingProblem makeSkewed();
  SchedulingProblem makeNested();
  SchedulingProblem makeStack();
  SchedulingProblem makeLoops();
  SchedulingProblem makePowerLaw();
  SchedulingProblem makeTransformer();
  SchedulingProblem makeTraining();
  SchedulingProblem makeClique();
  SchedulingProblem makeMixture();

private:
  int64_t pick(int64_t limit) { return random() % uint64_t(limit); }
  int64_t pickSize() { return 64 * (1 + pick(1000)); }
  void add(int64_t begin, int64_t end, int64_t size) {
    problem.buffers.push_back({size, begin, end, 64});
  }
  // The order in which arguments are evaluated is not the same everywhere.
  void add(int64_t begin, int64_t end) { add(begin, end, pickSize()); }
  bool isFull() const { return int64_t(problem.buffers.size()) >= count; }
  SchedulingProblem take() {
    problem.buffers.truncate(count);
    return std::move(problem);
  }

  int64_t count;
  // Of the generator only the raw numbers are used: the distributions of the
  // standard differ between libraries.
  std::mt19937_64 random;
  SchedulingProblem problem;
};
} // namespace

/// Each result is read by the next operation, or by one of the `spread` ones
/// after it.
SchedulingProblem ShapeBuilder::makeChain(int64_t spread) {
  for (int64_t i = 0; i < count; ++i)
    add(i, i + 2 + pick(spread + 1));
  return take();
}

/// Each step has a result that the next 40 steps read. They grow, evenly or
/// not.
SchedulingProblem ShapeBuilder::makeStaircase(bool isEven) {
  for (int64_t i = 0; i < count; ++i)
    add(i, i + 40, 64 * (1 + i) + (isEven ? 0 : pickSize()));
  return take();
}

/// Groups of 32 with the same lifetime, three groups alive at a time.
SchedulingProblem ShapeBuilder::makeEqual() {
  for (int64_t i = 0; i < count; ++i)
    add(i / 32, i / 32 + 3);
  return take();
}

/// One in ten lives for a tenth of the time, most of these from early on; the
/// others live for a moment.
SchedulingProblem ShapeBuilder::makeSkewed() {
  for (int64_t i = 0; i < count; ++i) {
    int64_t begin = pick(count);
    bool isLong = i % 10 == 0;
    if (isLong)
      begin = begin * begin / count;
    add(begin, begin + (isLong ? count / 10 : 1 + pick(20)));
  }
  return take();
}

/// Lifetimes begin anywhere, `alive` at once on average.
SchedulingProblem ShapeBuilder::makeRandom(int64_t alive) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t begin = pick(count);
    add(begin, begin + 1 + pick(2 * alive));
  }
  return take();
}

/// Lifetimes within lifetimes, like calls within calls.
SchedulingProblem ShapeBuilder::makeNested() {
  llvm::SmallVector<std::pair<int64_t, int64_t>, 0> open = {{0, 4 * count}};
  for (size_t i = 0; i < open.size() && !isFull(); ++i) {
    auto [begin, end] = open[i];
    add(begin, end);
    if (end - begin < 4)
      continue;
    int64_t middle = begin + 1 + pick(end - begin - 2);
    open.push_back({begin, middle});
    open.push_back({middle, end});
  }
  while (!isFull()) {
    int64_t begin = pick(4 * count);
    add(begin, begin + 1);
  }
  return take();
}

/// What a stack does: the last one that was pushed is popped first.
SchedulingProblem ShapeBuilder::makeStack() {
  llvm::SmallVector<int64_t> begins;
  for (int64_t tick = 0; !isFull(); ++tick) {
    if (begins.empty() || pick(2) == 0)
      begins.push_back(tick);
    else
      add(begins.pop_back_val(), tick);
  }
  return take();
}

/// Loops of three levels, unrolled: what an iteration of each level holds until
/// its end, and what it computes from the iteration before.
SchedulingProblem ShapeBuilder::makeLoops() {
  for (int64_t tick = 0; !isFull();) {
    int64_t outer = tick, outerSize = pickSize(), numMiddle = 2 + pick(5);
    for (int64_t j = 0; j < numMiddle; ++j) {
      int64_t middle = tick, numInner = 2 + pick(9);
      for (int64_t k = 0; k < numInner; ++k, tick += 3) {
        add(tick, tick + 2);
        add(tick + 1, tick + 5);
      }
      add(middle, tick);
      add(middle, tick + 3);
    }
    add(outer, tick, outerSize);
    add(outer, tick + 30);
  }
  return take();
}

/// Few large ones and few long ones, many small and short ones.
SchedulingProblem ShapeBuilder::makePowerLaw() {
  for (int64_t i = 0; i < count; ++i) {
    int64_t begin = pick(count);
    int64_t end = begin + count / (1 + pick(count));
    add(begin, end, 6400000 / (1 + pick(100000)));
  }
  return take();
}

/// Weights that are alive throughout, activations that are saved for the way
/// back, and short results in both directions.
SchedulingProblem ShapeBuilder::makeTransformer() {
  const int64_t numLayers = count / 19 + 1, end = 12 * numLayers;
  for (int64_t layer = 0; layer < numLayers; ++layer) {
    for (int64_t i = 0; i < 4; ++i)
      add(0, end, 4096 * (1 + i));
    for (int64_t i = 0; i < 6; ++i) {
      int64_t there = 6 * layer + i, back = end - 1 - there;
      if (i % 2 == 0)
        add(there, back + 1, 512 * (1 + pick(16)));
      int64_t thereEnd = there + 2 + pick(3);
      add(there, thereEnd, 512 * (1 + pick(64)));
      int64_t backEnd = std::min(end, back + 2 + pick(3));
      add(back, backEnd, 512 * (1 + pick(64)));
    }
  }
  return take();
}

/// What forward computes is read by backward, in which each layer has gradients
/// of its own.
SchedulingProblem ShapeBuilder::makeTraining() {
  const int64_t numLayers = count / 5 + 1, end = 4 * numLayers;
  for (int64_t layer = 0; layer < numLayers; ++layer) {
    int64_t there = 2 * layer, back = end - 2 - there, size = pickSize();
    add(there, back + 1, size);
    add(there, there + 3);
    add(back, back + 3, size);
    add(back, back + 2);
    add(back, end, 64 * (1 + pick(20)));
  }
  return take();
}

/// All buffers are alive at once.
SchedulingProblem ShapeBuilder::makeClique() {
  for (int64_t i = 0; i < count; ++i)
    add(i, 2 * count - i);
  return take();
}

/// Programs of other shapes that begin at random times and run at once.
SchedulingProblem ShapeBuilder::makeMixture() {
  const int64_t all = count, numParts = std::min<int64_t>(10, count / 500);
  llvm::SmallVector<Buffer, 0> mixed;
  for (int64_t part = 0; part < numParts; ++part) {
    count = all * (part + 1) / numParts - all * part / numParts;
    using Make = SchedulingProblem (*)(ShapeBuilder &);
    static constexpr Make makes[] = {
        [](ShapeBuilder &b) { return b.makeTraining(); },
        [](ShapeBuilder &b) { return b.makeChain(2); },
        [](ShapeBuilder &b) { return b.makeRandom(50); },
        [](ShapeBuilder &b) { return b.makeLoops(); },
        [](ShapeBuilder &b) { return b.makeEqual(); },
    };
    int64_t start = pick(all);
    for (Buffer &buffer : makes[part % std::size(makes)](*this).buffers) {
      buffer.begin += start;
      buffer.end += start;
      mixed.push_back(buffer);
    }
    problem.buffers.clear();
  }
  count = all;
  problem.buffers = std::move(mixed);
  return take();
}

static constexpr Shape shapes[] = {
    {"chain", [](int64_t n,
                 unsigned seed) { return ShapeBuilder(n, seed).makeChain(0); }},
    {"chain, read later",
     [](int64_t n, unsigned seed) {
       return ShapeBuilder(n, seed).makeChain(2);
     }},
    {"staircase",
     [](int64_t n, unsigned seed) {
       return ShapeBuilder(n, seed).makeStaircase(true);
     }},
    {"staircase, uneven",
     [](int64_t n, unsigned seed) {
       return ShapeBuilder(n, seed).makeStaircase(false);
     }},
    {"clique",
     [](int64_t n, unsigned seed) {
       return ShapeBuilder(n, seed).makeClique();
     }},
    {"transformer",
     [](int64_t n, unsigned seed) {
       return ShapeBuilder(n, seed).makeTransformer();
     }},
    {"training",
     [](int64_t n, unsigned seed) {
       return ShapeBuilder(n, seed).makeTraining();
     }},
    {"random, 10 alive",
     [](int64_t n, unsigned seed) {
       return ShapeBuilder(n, seed).makeRandom(10);
     }},
    {"random, 100 alive",
     [](int64_t n, unsigned seed) {
       return ShapeBuilder(n, seed).makeRandom(100);
     }},
    {"random, sqrt(n) alive",
     [](int64_t n, unsigned seed) {
       return ShapeBuilder(n, seed).makeRandom(std::sqrt(double(n)));
     }},
    {"dense",
     [](int64_t n, unsigned seed) {
       return ShapeBuilder(n, seed).makeRandom(n / 4);
     }},
    {"equal", [](int64_t n,
                 unsigned seed) { return ShapeBuilder(n, seed).makeEqual(); }},
    {"skewed",
     [](int64_t n, unsigned seed) {
       return ShapeBuilder(n, seed).makeSkewed();
     }},
    {"power law",
     [](int64_t n, unsigned seed) {
       return ShapeBuilder(n, seed).makePowerLaw();
     }},
    {"nested",
     [](int64_t n, unsigned seed) {
       return ShapeBuilder(n, seed).makeNested();
     }},
    {"stack", [](int64_t n,
                 unsigned seed) { return ShapeBuilder(n, seed).makeStack(); }},
    {"loops", [](int64_t n,
                 unsigned seed) { return ShapeBuilder(n, seed).makeLoops(); }},
    {"mixture",
     [](int64_t n, unsigned seed) {
       return ShapeBuilder(n, seed).makeMixture();
     }},
};

llvm::ArrayRef<Shape> buffer_merge::getShapes() { return shapes; }
