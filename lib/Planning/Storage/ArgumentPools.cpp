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
#include "Premises.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
/// An argument, and the buffers that it holds.
struct Host {
  LentArgument argument;
  SmallVector<const BufferLifetime *> buffers;
  /// An attribute that would become false if it held one that it could.
  const FalseAttribute *refusal = nullptr;
};

/// Return an attribute that becomes false if an argument holds a buffer of a
/// function, or null.
using FindFalse = llvm::function_ref<const FalseAttribute *(
    BlockArgument, const BufferLifetime &, const FunctionContext &)>;
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
static bool canHold(const Host &host, const BufferLifetime &buffer) {
  auto type = cast<MemRefType>(host.argument.value.getType());
  return type.getElementType() == buffer.alloc.getType().getElementType() &&
         type.getMemorySpace() == buffer.getMemorySpace() &&
         *buffer.size <= host.argument.bytes &&
         buffer.alignment <= host.argument.alignment &&
         !overlap(host.argument.busy, buffer.ticks) &&
         (isMutated("lent-lifetimes") ||
          llvm::none_of(host.buffers, [&](const BufferLifetime *other) {
            return overlap(other->ticks, buffer.ticks);
          }));
}

/// Return the smallest of `hosts` that may hold `buffer`, the first of several,
/// or null. Mark those that attributes are against.
static Host *findHost(MutableArrayRef<Host> hosts, const BufferLifetime &buffer,
                      const FunctionContext &context, FindFalse findFalse) {
  Host *best = nullptr;
  for (Host &host : hosts) {
    if (!canHold(host, buffer) ||
        (best && host.argument.bytes >= best->argument.bytes))
      continue;
    if (const FalseAttribute *attribute =
            findFalse(host.argument.value, buffer, context))
      host.refusal = attribute;
    else
      best = &host;
  }
  return best;
}

/// Give what `buffers`, of one function and memory space, hold at their peak to
/// `hosts`, as long as they can take it.
static void fillHosts(SmallVector<const BufferLifetime *> buffers,
                      MutableArrayRef<Host> hosts,
                      const FunctionContext &context, FindFalse findFalse) {
  llvm::stable_sort(buffers, [](const auto *a, const auto *b) {
    return *a->size > *b->size;
  });
  while (!buffers.empty()) {
    LowerBound peak =
        computeLowerBound(buildSchedulingProblem(buffers, /*alignment=*/1));
    Host *host = nullptr;
    auto *it = llvm::find_if(buffers, [&](const BufferLifetime *buffer) {
      if (overlap(buffer->ticks, {peak.peakTick, peak.peakTick}) &&
          mayBeInArgument(*buffer, context))
        host = findHost(hosts, *buffer, context, findFalse);
      return host != nullptr;
    });
    if (!host)
      return;
    host->buffers.push_back(*it);
    buffers.erase(it);
  }
}

/// Return the pool of `host`, which is decided.
static PoolPlan makePool(const Host &host) {
  PoolPlan pool;
  pool.argument = host.argument.value;
  pool.scope = host.buffers.front()->scope;
  pool.memorySpace = host.buffers.front()->getMemorySpace();
  pool.buffers = host.buffers;
  // Their lifetimes are disjoint.
  llvm::sort(pool.buffers, [](const auto *a, const auto *b) {
    return a->ticks.first < b->ticks.first;
  });
  pool.problem = buildSchedulingProblem(pool.buffers, /*alignment=*/1);
  for (Buffer &buffer : pool.problem.buffers)
    buffer.fixedOffset = 0;
  pool.totalBytes = getAllocatedBytes(pool.buffers);
  pool.lowerBound = computeLowerBound(pool.problem);
  pool.decision =
      Pool{PoolStorage::Argument, "", nullptr,
           makeSchedule(pool.problem,
                        SmallVector<int64_t, 0>(pool.buffers.size(), 0))};
  return pool;
}

SmallVector<PoolPlan, 0>
buffer_merge::planArgumentPools(const BufferLifetimes &lifetimes,
                                ArrayRef<const BufferLifetime *> all,
                                SmallVectorImpl<RefusedArgument> &refused) {
  /// By function, in the order of their first buffers.
  llvm::MapVector<Operation *, SmallVector<const BufferLifetime *>> functions;
  for (const BufferLifetime *buffer : all)
    if (!buffer->refusal && !buffer->isWorkgroup)
      if (auto function = dyn_cast<func::FuncOp>(buffer->scope->getParentOp()))
        functions[function].push_back(buffer);
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
      hosts.push_back({argument, {}, nullptr});
    // Each memory space has a pool of its own, and so a peak.
    llvm::MapVector<Attribute, SmallVector<const BufferLifetime *>> spaces;
    if (!hosts.empty())
      for (const BufferLifetime *buffer : buffers)
        spaces[buffer->getMemorySpace()].push_back(buffer);
    for (auto &[space, inSpace] : spaces)
      fillHosts(std::move(inSpace), hosts, context, findFalse);
    for (const Host &host : hosts) {
      if (!host.buffers.empty())
        pools.push_back(makePool(host));
      if (host.refusal)
        refused.push_back({host.argument.value, host.refusal->describe()});
    }
  }
  return pools;
}
