//===- ArgumentPools.cpp - Buffers in arguments ---------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArgumentPools.h"
#include "Analysis/LentArguments.h"
#include "FalseAttributes.h"
#include "Mutation.h"
#include "Planning/Gain.h"
#include "Planning/Pins.h"
#include "Planning/PoolCollection.h"
#include "Premises.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

#include <map>

using namespace mlir;
using namespace buffer_merge;

namespace {
/// An argument or a result, and the buffers that it holds.
struct Host {
  TypedValue<MemRefType> value;
  int64_t bytes, alignment;
  /// When it holds what is its own.
  TickRange busy;
  /// What else it holds, by the first tick.
  std::map<int64_t, const BufferLifetime *> buffers;
  /// If it is a result.
  const LentResult *result = nullptr;
  /// An attribute that would become false if it held one that it could.
  const FalseAttribute *refusal = nullptr;
};

/// Return an attribute that becomes false if an argument holds a buffer of a
/// function, or null.
using FindFalse = llvm::function_ref<const FalseAttribute *(
    BlockArgument, const BufferLifetime &, const FunctionContext &)>;

/// The buffers that each buffer may be in place of, or that may be in place of
/// it.
using InPlacePartners = llvm::DenseMap<const BufferLifetime *,
                                       SmallVector<const BufferLifetime *, 2>>;
} // namespace

/// Return true if `is` returns true for a user of `buffer` or one of its
/// aliases.
static bool isAnyUser(const BufferLifetime &buffer,
                      const FunctionContext &context,
                      function_ref<bool(Operation *)> is) {
  return llvm::any_of(
      context.aliases.getAliases(buffer.alloc),
      [&](Value alias) { return llvm::any_of(alias.getUsers(), is); });
}

/// Return true if the address of `buffer` is an operand of something other than
/// an access, which might compare it with others or keep it.
static bool isPassed(const BufferLifetime &buffer,
                     const FunctionContext &context) {
  return isAnyUser(buffer, context, [](Operation *user) {
    return isa<CallOpInterface>(user) ||
           (!isa<MemoryEffectOpInterface>(user) &&
            !user->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
            !user->hasTrait<OpTrait::IsTerminator>());
  });
}

static bool overlap(TickRange a, TickRange b) {
  return a.first <= b.last && b.first <= a.last;
}

/// Return true if some argument may hold `buffer`: all about it is static, and
/// nothing compares its address, which an argument would have as well.
static bool mayBeInArgument(const BufferLifetime &buffer,
                            const FunctionContext &context) {
  MemRefType type = buffer.alloc.getType();
  if (hasPin(buffer.getAllocOp()) || buffer.refusal || buffer.parts ||
      buffer.isWorkgroup || buffer.isInDeviceCode || buffer.isInFlightAtEnd ||
      !type.hasStaticShape() || !type.getLayout().isIdentity())
    return false;
  endPremise<Stage::LentArguments, Premise::OwnAddress>();
  return ask<Stage::LentArguments, Premise::OwnAddress,
             Proof::ComparedAddresses>(
      !isAnyUser(buffer, context, [](Operation *user) {
        return isa<memref::ExtractAlignedPointerAsIndexOp,
                   bufferization::DeallocOp>(user);
      }));
}

/// Return true if `host` may hold `buffer` beside what it holds.
static bool canHold(const Host &host, const BufferLifetime &buffer,
                    const InPlacePartners &partners) {
  MemRefType type = host.value.getType(), ownType = buffer.alloc.getType();
  // What is in place of another one becomes the same value.
  bool mayBeSame = host.result && type == ownType;
  auto mayOverlap = [&](const BufferLifetime *other) {
    auto it = partners.find(&buffer);
    return mayBeSame && other->alloc.getType() == type &&
           it != partners.end() && llvm::is_contained(it->second, other);
  };
  auto isApart = [&] {
    // In front of the first that begins later, only the last one is still
    // there: two overlap at most where one is in place of the other.
    auto it = host.buffers.upper_bound(buffer.ticks.first);
    if (it != host.buffers.begin())
      --it;
    for (; it != host.buffers.end() && it->first <= buffer.ticks.last; ++it)
      if (overlap(it->second->ticks, buffer.ticks) && !mayOverlap(it->second))
        return false;
    return true;
  };
  return type.getElementType() == ownType.getElementType() &&
         type.getMemorySpace() == buffer.getMemorySpace() &&
         *buffer.size <= host.bytes && buffer.alignment <= host.alignment &&
         (!overlap(host.busy, buffer.ticks) ||
          (host.result && llvm::is_contained(host.result->inPlace, &buffer)) ||
          (host.result && isMutated("lent-result"))) &&
         (isMutated("lent-lifetimes") || isApart());
}

/// Return the smallest of `hosts` that may hold `buffer`, the first of several,
/// or null. Mark those that attributes are against.
static Host *findHost(MutableArrayRef<Host> hosts, const BufferLifetime &buffer,
                      const FunctionContext &context,
                      const InPlacePartners &partners, FindFalse findFalse) {
  Host *best = nullptr;
  for (Host &host : hosts) {
    if (!canHold(host, buffer, partners) || (best && host.bytes >= best->bytes))
      continue;
    auto argument = dyn_cast<BlockArgument>(host.value);
    if (const FalseAttribute *attribute =
            argument ? findFalse(argument, buffer, context) : nullptr)
      host.refusal = attribute;
    else
      best = &host;
  }
  return best;
}

/// Return the problem of `buffers`, with `pairs` of them.
static SchedulingProblem buildProblem(ArrayRef<const BufferLifetime *> buffers,
                                      ArrayRef<InPlaceBuffers> pairs) {
  SchedulingProblem problem = buildSchedulingProblem(buffers, /*alignment=*/1);
  llvm::DenseMap<const BufferLifetime *, BufferId> ids;
  for (auto [id, buffer] : llvm::enumerate(buffers))
    ids[buffer] = id;
  for (const InPlaceBuffers &pair : pairs)
    if (auto earlier = ids.find(pair.earlier), later = ids.find(pair.later);
        earlier != ids.end() && later != ids.end())
      addInPlacePair(problem, earlier->second, later->second, pair);
  return problem;
}

/// Give what `buffers`, of one function and memory space, hold at their peak to
/// `hosts`, as long as they can take it. `pairs` are those of the function.
/// Return false if there are too many to find out for all, and the rest holds
/// more than half of what all do.
static bool fillHosts(SmallVector<const BufferLifetime *> buffers,
                      MutableArrayRef<Host> hosts,
                      ArrayRef<InPlaceBuffers> pairs,
                      const FunctionContext &context, FindFalse findFalse) {
  InPlacePartners partners;
  for (const InPlaceBuffers &pair : pairs) {
    partners[pair.earlier].push_back(pair.later);
    partners[pair.later].push_back(pair.earlier);
  }
  llvm::stable_sort(buffers, [](const auto *a, const auto *b) {
    return *a->size > *b->size;
  });
  // Each round looks at all buffers. If there are too many for a round each, a
  // result takes all that can be in place of each other in one. Arguments that
  // may hold others are few.
  constexpr size_t minRounds = 2, maxLooks = size_t(1) << 16;
  size_t numRounds = std::max(minRounds, maxLooks / (buffers.size() + 1));
  bool takesAll = numRounds < buffers.size();
  if (llvm::none_of(hosts, [](const Host &host) { return host.result; }))
    numRounds = buffers.size();
  std::optional<int64_t> bytes;
  // Pairs are of buffers that are planned in another way, or held, as well.
  llvm::DenseSet<const BufferLifetime *> left(buffers.begin(), buffers.end());
  for (; !buffers.empty(); --numRounds) {
    LowerBound peak = computeLowerBound(buildProblem(buffers, pairs));
    if (!bytes)
      bytes = peak.bytes;
    if (numRounds == 0)
      return peak.bytes <= *bytes / 2;
    Host *host = nullptr;
    auto *it = llvm::find_if(buffers, [&](const BufferLifetime *buffer) {
      if (overlap(buffer->ticks, {peak.peakTick, peak.peakTick}) &&
          mayBeInArgument(*buffer, context))
        host = findHost(hosts, *buffer, context, partners, findFalse);
      return host != nullptr;
    });
    if (!host)
      return true;
    SmallVector<const BufferLifetime *> next;
    auto take = [&](const BufferLifetime *buffer) {
      host->buffers.emplace(buffer->ticks.first, buffer);
      left.erase(buffer);
      next.push_back(buffer);
    };
    take(*it);
    while (!next.empty()) {
      auto others = partners.find(next.pop_back_val());
      if (!takesAll || !host->result || others == partners.end())
        continue;
      for (const BufferLifetime *other : others->second)
        if (left.contains(other) && canHold(*host, *other, partners) &&
            mayBeInArgument(*other, context))
          take(other);
    }
    llvm::erase_if(buffers, [&](const BufferLifetime *buffer) {
      return !left.contains(buffer);
    });
  }
  return true;
}

/// Return the pool of `host`, which is decided.
static PoolPlan makePool(const Host &host, ArrayRef<InPlaceBuffers> pairs) {
  PoolPlan pool;
  pool.host = host.value;
  // Their lifetimes are disjoint, or one is in place of the one before.
  llvm::append_range(pool.buffers, llvm::make_second_range(host.buffers));
  pool.scope = pool.buffers.front()->scope;
  pool.memorySpace = pool.buffers.front()->getMemorySpace();
  pool.problem = buildProblem(pool.buffers, pairs);
  for (Buffer &buffer : pool.problem.buffers)
    buffer.fixedOffset = 0;
  pool.totalBytes = getAllocatedBytes(pool.buffers);
  pool.lowerBound = computeLowerBound(pool.problem);
  pool.decision = Pool{
      host.result ? PoolStorage::Result : PoolStorage::Argument, "", nullptr,
      makeSchedule(pool.problem,
                   SmallVector<int64_t, 0>(pool.buffers.size(), 0))};
  return pool;
}

SmallVector<PoolPlan, 0>
buffer_merge::planArgumentPools(const BufferLifetimes &lifetimes,
                                ArrayRef<const BufferLifetime *> all,
                                const MergePlanOptions &options,
                                SmallVectorImpl<RefusedArgument> &refused) {
  /// By function, in the order of their first buffers.
  llvm::MapVector<Operation *, SmallVector<const BufferLifetime *>> functions;
  for (const BufferLifetime *buffer : all)
    if (!buffer->refusal && !buffer->isWorkgroup)
      if (auto function = dyn_cast<func::FuncOp>(buffer->scope->getParentOp()))
        functions[function].push_back(buffer);
  // Arguments hold one buffer at a time.
  llvm::DenseMap<Operation *, SmallVector<InPlaceBuffers, 0>> pairsOf;
  llvm::DenseMap<Operation *, SmallVector<const LentResult *, 1>> resultsOf;
  if (options.usesResults) {
    for (const InPlaceBuffers &pair : lifetimes.getInPlaceBuffers())
      pairsOf[pair.earlier->function].push_back(pair);
    for (const LentResult &result : lifetimes.getLentResults())
      // A result is in no region.
      if (options.usesResults->contains(result.buffer->function) &&
          !options.hasRegions(result.buffer->getMemorySpace()))
        resultsOf[result.buffer->function].push_back(&result);
  }
  SmallVector<PoolPlan, 0> pools;
  UnsharedArguments unshared(lifetimes);
  // What the whole module says is looked at when an argument could hold a
  // buffer.
  std::optional<FalseForArguments> known;
  auto findFalse = [&](BlockArgument argument, const BufferLifetime &buffer,
                       const FunctionContext &context) {
    if (!known)
      known.emplace(unshared.getGraph(), lifetimes);
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return known->lookup(function, argument.getArgNumber(),
                         isPassed(buffer, context));
  };
  for (auto &[function, buffers] : functions) {
    const FunctionContext &context = *lifetimes.getContext(function);
    SmallVector<Host> hosts;
    for (const LentArgument &argument : findLentArguments(context, unshared))
      hosts.push_back({cast<TypedValue<MemRefType>>(argument.value),
                       argument.bytes,
                       argument.alignment,
                       argument.busy,
                       {}});
    for (const LentResult *result : resultsOf.lookup(function))
      hosts.push_back({result->buffer->alloc,
                       *result->buffer->size,
                       result->buffer->alignment,
                       result->busy,
                       {},
                       result});
    ArrayRef<InPlaceBuffers> pairs;
    if (auto it = pairsOf.find(function); it != pairsOf.end() && !hosts.empty())
      pairs = it->second;
    // Each memory space has a pool of its own, and so a peak.
    llvm::MapVector<Attribute, SmallVector<const BufferLifetime *>> spaces;
    if (!hosts.empty())
      for (const BufferLifetime *buffer : buffers)
        spaces[buffer->getMemorySpace()].push_back(buffer);
    bool mayHelp = false;
    for (auto &[space, inSpace] : spaces)
      mayHelp |=
          fillHosts(std::move(inSpace), hosts, pairs, context, findFalse);
    for (const Host &host : hosts) {
      if (!host.buffers.empty() && (mayHelp || !host.result))
        pools.push_back(makePool(host, pairs));
      if (host.refusal)
        refused.push_back(
            {cast<BlockArgument>(host.value), host.refusal->describe()});
    }
  }
  return pools;
}
