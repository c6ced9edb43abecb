//===- Pools that do not fit ---------------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Advice.h"
#include "PlanErrors.h"
#include "Planning/Pins.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

static InFlightDiagnostic startDiagnostic(Operation *op,
                                          OverCapacityPolicy policy) {
  return policy == OverCapacityPolicy::Error ? emitError(op->getLoc())
                                             : emitWarning(op->getLoc());
}

/// So many changes of the program are noted.
static constexpr size_t maxChanges = 3;

/// Note with what `pool` fits: all options, and the best changes of the
/// program.
static void noteWhatFits(const PoolPlan &pool, int64_t capacity,
                         InFlightDiagnostic &diagnostic) {
  auto note = [&](const PoolAdvice &advice) {
    diagnostic.attachNote(getAdviceLocation(pool, advice))
        << describeChange(pool, advice) << "; it then needs "
        << *pool.excessiveBytes - advice.savedBytes << " bytes, which fit";
  };
  auto fits = [&](const PoolAdvice &advice) {
    return *pool.excessiveBytes - advice.savedBytes <= capacity;
  };
  size_t changes = 0;
  for (const PoolAdvice &advice : pool.advice)
    if (fits(advice) && !advice.getOption().empty())
      note(advice);
  for (const PoolAdvice &advice : pool.advice)
    if (fits(advice) && advice.getOption().empty() && changes++ < maxChanges)
      note(advice);
}

/// Note how large another region has to be, if buffers of `pool` are only there
/// because they fit none of their memory space.
static void noteFurtherRegion(const PoolPlan &pool,
                              InFlightDiagnostic &diagnostic) {
  unsigned count = pool.region ? pool.region->numOutside : 0;
  if (count != 0)
    diagnostic.attachNote(pool.scope->getParentOp()->getLoc())
        << "a further region of " << pool.region->outsideBytes
        << " bytes has room for " << count
        << (count == 1 ? " buffer that fits" : " buffers that fit")
        << " none of the target";
}

/// Note the places that the program asks for: without them, less may be needed.
static void notePinnedOffsets(const PoolPlan &pool,
                              InFlightDiagnostic &diagnostic) {
  for (const auto &[buffer, interval] :
       llvm::zip(pool.buffers, pool.problem.buffers))
    if (memref::AllocOp alloc = buffer->getAllocOp();
        interval.fixedOffset && hasPinnedOffset(alloc))
      diagnostic.attachNote(alloc.getLoc())
          << "this buffer asks for its place: bytes " << *interval.fixedOffset
          << " to " << *interval.fixedOffset + interval.size;
}

/// Note what takes the bytes of a kernel: the largest first, then in the order
/// of the program.
static void noteKernelBytes(ArrayRef<KernelBytes> parts,
                            InFlightDiagnostic &diagnostic) {
  SmallVector<std::pair<int64_t, size_t>> order;
  for (auto [index, part] : llvm::enumerate(parts))
    order.emplace_back(-part.bytes, index);
  llvm::sort(order);
  for (auto [negatedBytes, index] : order)
    diagnostic.attachNote(parts[index].loc)
        << parts[index].kind << ": " << -negatedBytes << " bytes";
}

/// Return true if places in `pool` were decided elsewhere: what is proved of a
/// schedule with them is not of others.
static bool hasOffsetsFromElsewhere(const PoolPlan &pool) {
  return llvm::any_of(
      llvm::zip(pool.buffers, pool.problem.buffers), [](const auto &pair) {
        return std::get<1>(pair).fixedOffset &&
               !hasPinnedOffset(std::get<0>(pair)->getAllocOp());
      });
}

static void emitCapacityDiagnostic(const PoolPlan &pool,
                                   OverCapacityPolicy policy) {
  int64_t capacity = *pool.capacity;
  Operation *scopeOp = pool.scope->getParentOp();
  InFlightDiagnostic diagnostic = startDiagnostic(scopeOp, policy);
  diagnostic << "pool of '" << scopeOp->getName() << "'";
  if (pool.memorySpace)
    diagnostic << " in memory space " << pool.memorySpace;
  if (pool.region)
    diagnostic << " in region " << pool.region->region->name;
  int64_t provedBound = pool.getProvedBound();
  diagnostic << (*pool.excessiveBytes <= provedBound ? " needs " : ": found ")
             << *pool.excessiveBytes << " bytes";
  const WorkgroupPlan *workgroup =
      pool.workgroup && pool.workgroup->otherBytes != 0 ? &*pool.workgroup
                                                        : nullptr;
  if (workgroup && capacity == 0)
    diagnostic << " beside the " << workgroup->otherBytes
               << " of everything else in the same memory; the capacity is "
               << workgroup->kernelCapacity;
  else
    diagnostic << ", its capacity is " << capacity;
  diagnostic << " (the lower bound is " << pool.lowerBound.bytes;
  if (provedBound > pool.lowerBound.bytes)
    diagnostic << ", the proved bound " << provedBound;
  diagnostic << (provedBound > capacity ||
                         (pool.isExcessProved && !hasOffsetsFromElsewhere(pool))
                     ? ": no scheduler can help)"
                     : ": a better schedule may exist)");
  if (!pool.undecidedNote.empty())
    diagnostic.attachNote(scopeOp->getLoc()) << pool.undecidedNote;

  if (workgroup) {
    if (capacity != 0)
      diagnostic.attachNote(scopeOp->getLoc())
          << "everything else in the same memory takes "
          << workgroup->otherBytes
          << " bytes, already subtracted from the capacity";
    noteKernelBytes(workgroup->others, diagnostic);
    diagnostic.attachNote(scopeOp->getLoc())
        << "a capacity of " << workgroup->otherBytes + *pool.excessiveBytes
        << " bytes has room for all of it";
  }

  if (provedBound > capacity)
    notePinnedOffsets(pool, diagnostic);
  noteWhatFits(pool, capacity, diagnostic);
  noteFurtherRegion(pool, diagnostic);

  int64_t peak = pool.lowerBound.peakTick;
  SmallVector<const BufferLifetime *> alive;
  for (auto [buffer, interval] : llvm::zip(pool.buffers, pool.problem.buffers))
    if (interval.begin <= peak && peak < interval.end)
      alive.push_back(buffer);
  llvm::sort(alive, [](const BufferLifetime *a, const BufferLifetime *b) {
    return std::pair(b->size, a->ticks.first) <
           std::pair(a->size, b->ticks.first);
  });
  for (const BufferLifetime *buffer : alive)
    diagnostic.attachNote(buffer->alloc.getLoc())
        << "alive at the peak, tick " << peak << ": " << *buffer->size
        << " bytes";
}

static void emitCapacityDiagnostic(const OverfullKernel &kernel,
                                   OverCapacityPolicy policy) {
  InFlightDiagnostic diagnostic = startDiagnostic(kernel.kernel, policy);
  diagnostic << "'" << kernel.kernel->getName() << "' takes " << kernel.bytes
             << " bytes in memory space " << kernel.memorySpace
             << ", the capacity is " << kernel.capacity
             << ", and it has no pool there that could be smaller";
  noteKernelBytes(kernel.parts, diagnostic);
}

/// Note the allocations without which `scope` would fit.
static void noteAllocationsElsewhere(const MergePlan &plan,
                                     const OverfullScope &scope,
                                     InFlightDiagnostic &diagnostic) {
  auto noteIfEnough = [&](Location loc, int64_t bytes, int64_t executions) {
    int64_t savedBytes, rest;
    // Not for numbers that are not those of a program.
    if (scope.bytes < maxBytes &&
        !llvm::MulOverflow(bytes, executions, savedBytes) &&
        !llvm::SubOverflow(scope.bytes, savedBytes, rest) && rest >= 0 &&
        rest <= scope.capacity)
      diagnostic.attachNote(loc) << "without this buffer " << rest
                                 << " bytes are held then, which fit";
  };
  for (const HeldPart &part : scope.parts) {
    if (!part.pool) {
      noteIfEnough(part.op->getLoc(), part.bytes, part.executions);
      continue;
    }
    const PoolPlan &pool = plan.pools[*part.pool];
    for (const PoolAdvice &advice : pool.advice)
      if (advice.kind == AdviceKind::Elsewhere ||
          advice.kind == AdviceKind::Fuse ||
          advice.kind == AdviceKind::InArgument)
        noteIfEnough(pool.buffers[*advice.buffer]->alloc.getLoc(),
                     advice.savedBytes, part.executions);
  }
}

static void emitCapacityDiagnostic(const MergePlan &plan,
                                   const OverfullScope &scope,
                                   OverCapacityPolicy policy,
                                   ArrayRef<AlternativePlan> alternatives) {
  InFlightDiagnostic diagnostic = startDiagnostic(scope.scopeOp, policy);
  diagnostic << "'" << scope.scopeOp->getName()
             << (scope.isOpen ? "': found " : "' holds ") << scope.bytes
             << " bytes";
  if (scope.memorySpace)
    diagnostic << " in memory space " << scope.memorySpace;
  diagnostic << " at one time, with what runs inside and with callees; the "
                "capacity is "
             << scope.capacity;
  if (scope.isOpen)
    diagnostic.attachNote(scope.scopeOp->getLoc())
        << "smaller pools, with which it fits, are not excluded: with more "
           "effort they may be found";
  for (const HeldPart &part : scope.parts) {
    Operation *op = part.op;
    if (part.pool)
      op = plan.pools[*part.pool].scope->getParentOp();
    Diagnostic &note = diagnostic.attachNote(op->getLoc());
    note << "held then: " << part.bytes << " bytes, ";
    if (part.pool)
      note << "the pool of '" << op->getName() << "'";
    else
      note << "this allocation";
    if (part.executions > 1)
      note << ", for each of " << part.executions
           << " executions at the same time ('threads' of the target)";
  }
  // They are about allocated pools.
  for (const AlternativePlan &alternative : alternatives)
    if (!plan.arenas &&
        llvm::none_of(alternative.plan.overfullScopes,
                      [&](const OverfullScope &other) {
                        return other.scopeOp == scope.scopeOp &&
                               other.memorySpace == scope.memorySpace;
                      }) &&
        llvm::none_of(alternative.plan.pools, [](const PoolPlan &pool) {
          return pool.excessiveBytes.has_value();
        }))
      diagnostic.attachNote(scope.scopeOp->getLoc())
          << "merge with the option "
          << PoolAdvice{alternative.kind, 0}.getOption() << "; it then fits";
  noteAllocationsElsewhere(plan, scope, diagnostic);
}

LogicalResult
buffer_merge::emitCapacityErrors(const MergePlan &plan,
                                 OverCapacityPolicy policy,
                                 ArrayRef<AlternativePlan> alternatives) {
  bool isExceeded = false;
  for (const PoolPlan &pool : plan.pools) {
    if (!pool.excessiveBytes)
      continue;
    emitCapacityDiagnostic(pool, policy);
    isExceeded = true;
  }
  for (const OverfullScope &scope : plan.overfullScopes) {
    emitCapacityDiagnostic(plan, scope, policy, alternatives);
    isExceeded = true;
  }
  for (const OverfullKernel &kernel : plan.overfullKernels) {
    emitCapacityDiagnostic(kernel, policy);
    isExceeded = true;
  }
  return failure(isExceeded && policy == OverCapacityPolicy::Error);
}
