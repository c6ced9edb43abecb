#!/usr/bin/env python3
"""Show that the tests and the fuzzer can fail: switch rules off, one at a time.

  utils/check-mutations.py                     all mutations: builds each, an hour or so
  utils/check-mutations.py L4-cycles L8-...    some of them
  utils/check-mutations.py --check             only look whether the list is up to date

Each mutation replaces a text that must be found exactly once. In a copy of the tree
(in build/mutations) it is applied, built with the release preset, and tested: lit until
the first failure, and both fuzzers until the first seed that fails. The table says what
caught it. A mutation that survives all means a missing test, and gives exit code 1;
a list that does not fit the sources, or a tree that fails without any, gives 2.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
# From the fastest to the slowest.
SUITES = ["Analysis", "GPU", "Transforms", "Execution"]

LIFETIMES = "lib/Analysis/BufferLifetimes.cpp"
FUNCTION_LIFETIMES = "lib/Analysis/FunctionLifetimes.cpp"
COVER = "lib/Analysis/AccessCover.cpp"
ALLOCATION = "lib/Analysis/AllocationChecks.cpp"
DEALLOCATION = "lib/Analysis/PoolDeallocation.cpp"
USES = "lib/Analysis/BufferUses.cpp"
ORDER = "lib/Analysis/ExecutionOrder.cpp"
SCOPE = "lib/Analysis/AllocScope.cpp"
WAITS = "lib/Analysis/AsyncWaits.cpp"
SIZE = "lib/Analysis/BufferSize.cpp"
CALLEES = "lib/Analysis/CalleeSummaries.cpp"
DECISIONS = "lib/Analysis/DeallocDecisions.cpp"
GROUPS = "lib/Analysis/DeallocGroups.cpp"
HELPER = "lib/Analysis/DeallocHelper.cpp"
PLAN = "lib/Planning/MergePlan.cpp"
MERGE = "lib/Transforms/BufferMerge.cpp"
CARRIED = "lib/Analysis/CarriedInstances.cpp"
ROTATE = "lib/Transforms/RotateCarriedBuffers.cpp"
PAIRS = "lib/Analysis/InPlacePairs.cpp"
IN_PLACE = "lib/Analysis/InPlace.cpp"
DYNAMIC = "lib/Analysis/DynamicSize.cpp"
SHARED = "lib/Planning/SharedAllocation.cpp"
STORAGE = "lib/Transforms/PoolStorage.cpp"
ARENA = "lib/Transforms/Arena.cpp"
GRAPH = "lib/Transforms/FunctionGraph.cpp"
SYNC = "lib/Analysis/WorkgroupSync.cpp"
UNIFORM = "lib/Analysis/Uniformity.cpp"
KERNEL = "lib/Analysis/WorkgroupMemory.cpp"
WORKGROUP_PLAN = "lib/Planning/WorkgroupPlan.cpp"
WORKGROUP_POOL = "lib/Transforms/WorkgroupPool.cpp"
BUILD_REPORT = "lib/Report/BuildReport.cpp"
CAPACITY_ERRORS = "lib/Report/CapacityErrors.cpp"
KERNEL_MEMORY = "lib/Planning/KernelMemory.cpp"


class Mutation(NamedTuple):
    name: str  # rule and what becomes of it
    file: str
    text: str  # found exactly once in the file
    replacement: str
    fuzz: tuple = ()  # more options of the fuzzer


MUTATIONS = [
    # When a buffer is in use.
    Mutation(
        "L1-textual-order",
        ORDER,
        "  if (llvm::hasSingleElement(region)) {\n"
        "    append(&region.front(), -1, true);\n",
        "  if (!region.empty()) {\n"
        "    for (Block &block : region)\n"
        "      append(&block, -1, true);\n",
    ),
    Mutation(
        "L2-first-access-only",
        FUNCTION_LIFETIMES,
        "  buffer.ticks = buffer.ticks.hull(ticks);\n",
        "",
    ),
    Mutation(
        "L3-no-loop",
        COVER,
        "    if (!runsRegionsAtMostOnce(current))\n"
        "      cover(order.getTicks(current));\n",
        "",
    ),
    Mutation(
        "L3-innermost-loop-only",
        COVER,
        "    if (!runsRegionsAtMostOnce(current))\n"
        "      cover(order.getTicks(current));\n",
        "    bool isInner = false;\n"
        "    for (Operation *inner = access; inner != current;\n"
        "         inner = inner->getParentOp())\n"
        "      isInner |= inner->getNumRegions() != 0 &&\n"
        "                 !runsRegionsAtMostOnce(inner);\n"
        "    if (!runsRegionsAtMostOnce(current) && !isInner)\n"
        "      cover(order.getTicks(current));\n",
    ),
    Mutation(
        "L3-no-loop-around-the-allocation",
        COVER,
        "    if (!runsRegionsAtMostOnce(current))\n"
        "      ticks = ticks.hull(order.getTicks(current));\n",
        "",
    ),
    Mutation(
        "L4-no-cycle",
        COVER,
        "      cover(*cycle);\n",
        "      (void)*cycle;\n",
    ),
    Mutation(
        "L4-no-cycle-around-the-allocation",
        COVER,
        "      ticks = ticks.hull(*cycle);\n",
        "      (void)*cycle;\n",
    ),
    Mutation(
        "L5-branch-extends",
        COVER,
        "    if (!runsRegionsAtMostOnce(current))\n"
        "      cover(order.getTicks(current));\n",
        "    cover(order.getTicks(current));\n",
    ),
    Mutation(
        "L6-never-fresh",
        COVER,
        "    if (allocAncestor) {\n",
        "    if (allocAncestor && region == scope) {\n",
    ),
    Mutation(
        "L7-not-carried-into-regions",
        FUNCTION_LIFETIMES,
        "  if (block->isEntryBlock())\n    return true;\n",
        "  if (block->isEntryBlock())\n    return false;\n",
    ),
    Mutation(
        "L7-not-carried-between-blocks",
        FUNCTION_LIFETIMES,
        "  return order.isBackEdge(ancestor->getBlock(), block);\n",
        "  return false;\n",
    ),
    Mutation(
        "L8-group-before-it-is-added-to",
        WAITS,
        "          !since->isBeforeInBlock(user))\n",
        "          user == since)\n",
    ),
    Mutation(
        "L8-done-at-end",
        SCOPE,
        "bool buffer_merge::isDoneAtEnd(Operation *op) {\n",
        "bool buffer_merge::isDoneAtEnd(Operation *op) {\n"
        "  if (op->getNumRegions() != 0)\n"
        "    return true;\n",
    ),
    Mutation(
        "L8-transfers-are-done",
        COVER,
        "  if (isDeferred)\n    pending.push_back(access);\n",
        "",
    ),
    Mutation(
        "L8-in-flight-in-loops",
        COVER,
        "  if (!isExecutedOnce(alloc, scope, order))\n",
        "  if (false)\n",
    ),
    Mutation(
        "L8-not-to-the-end-of-the-scope",
        COVER,
        "  cover({end, end});\n",
        "  (void)end;\n",
    ),
    Mutation(
        "L8-in-flight-when-the-pool-is-freed",
        DEALLOCATION,
        "        return buffer.isInFlightAtEnd;\n      }))\n    return false;\n",
        "        return buffer.isInFlightAtEnd;\n      }) || true)\n    return false;\n",
    ),
    Mutation(
        "L8-no-fixpoint-with-dealloc-groups",
        DEALLOCATION,
        "  while (checkInFlight(buffers));\n",
        "  while (checkInFlight(buffers) && false);\n",
    ),
    Mutation(
        "L8-wait-for-the-outer-ends-the-inner",
        COVER,
        "      Operation *wait = findWait(starter, current);\n",
        "      Operation *wait = findWait(current, current);\n",
    ),
    Mutation(
        "L8-wait-on-some-path",
        WAITS,
        "    if (wait->getBlock() == ancestor->getBlock() &&\n",
        "    if (firstWait && firstWait->getBlock() != ancestor->getBlock())\n"
        "      return;\n"
        "    if (wait->getBlock() != ancestor->getBlock())\n"
        "      firstWait = wait;\n"
        "    else if (wait->getBlock() == ancestor->getBlock() &&\n",
    ),
    Mutation(
        "L8-wait-before-the-start",
        WAITS,
        "        ancestor->isBeforeInBlock(wait) &&\n",
        "",
    ),
    Mutation(
        "L8-one-wait-for-many-transfers",
        WAITS,
        "start && op == ancestor)\n",
        "start)\n",
    ),
    Mutation(
        "L8-some-groups-in-flight",
        WAITS,
        "    return !wait.getNumGroups();\n",
        "    return true;\n",
    ),
    Mutation(
        "L8-wait-that-does-not-block",
        WAITS,
        "  return wait && !wait.getAsyncToken();\n",
        "  return bool(wait);\n",
    ),
    Mutation(
        "L9-unknown-operations",
        USES,
        "  if (!interface)\n    return refuse(UnmergeableReason::UnknownUse);\n",
        "  if (!interface)\n    return make(BufferUse::Kind::Access);\n",
    ),
    Mutation(
        "L9-coroutines",
        FUNCTION_LIFETIMES,
        "    return op->getNumSuccessors() == 0 || isa<BranchOpInterface>(op)\n",
        "    return op\n",
    ),
    # Who owns the pool.
    Mutation(
        "scope-tasks-use-the-pool-of-their-function",
        SCOPE,
        "    if (ownsPools(parent))\n",
        "    if (isa<async::ExecuteOp>(parent))\n"
        "      continue;\n"
        "    if (ownsPools(parent))\n",
    ),
    Mutation(
        "scope-parallel-loops-use-the-pool-of-their-function",
        SCOPE,
        "    if (ownsPools(parent))\n",
        "    if (isa<scf::ForallOp, scf::ParallelOp>(parent))\n"
        "      continue;\n"
        "    if (ownsPools(parent))\n",
    ),
    # Why an allocation stays.
    Mutation(
        "mergeable-layout",
        SIZE,
        "  if (!isRowMajor(type))\n",
        "  if (false)\n",
    ),
    Mutation(
        "mergeable-workgroup-memory",
        ALLOCATION,
        "    return gpuSpace.getValue() == gpu::AddressSpace::Private;\n",
        "    return true;\n",
    ),
    Mutation(
        "mergeable-manual-deallocation",
        ALLOCATION,
        "    return UnmergeableReason::ManualDeallocation;\n",
        "    return std::nullopt;\n",
    ),
    Mutation(
        "escape-returned",
        USES,
        "    return refuse(UnmergeableReason::Returned);\n",
        "    return make(BufferUse::Kind::Forward);\n",
    ),
    Mutation(
        "escape-leaves-scope",
        FUNCTION_LIFETIMES,
        "      return buffer.refuse(UnmergeableReason::LeavesScope, nullptr);\n",
        "      continue;\n",
    ),
    Mutation(
        "escape-stored",
        USES,
        "    return refuse(mayStore ? UnmergeableReason::StoredAsValue\n"
        "                           : UnmergeableReason::AddressTaken);\n",
        "    if (mayStore)\n"
        "      return make(BufferUse::Kind::Access);\n"
        "    return refuse(UnmergeableReason::AddressTaken);\n",
    ),
    Mutation(
        "escape-address-taken",
        USES,
        "    return refuse(mayStore ? UnmergeableReason::StoredAsValue\n"
        "                           : UnmergeableReason::AddressTaken);\n",
        "    if (!mayStore)\n"
        "      return make(BufferUse::Kind::Access);\n"
        "    return refuse(UnmergeableReason::StoredAsValue);\n",
    ),
    Mutation(
        "escape-tensor",
        USES,
        "    if (!isPlainData(result.getType()))\n"
        "      return refuse(UnmergeableReason::AddressTaken);\n"
        "  }\n",
        "  }\n",
    ),
    Mutation(
        "escape-distinct-objects",
        USES,
        "    return refuse(UnmergeableReason::DistinctObjects);\n",
        "    return make(BufferUse::Kind::Forward);\n",
    ),
    Mutation(
        "escape-reallocated",
        USES,
        "    return refuse(UnmergeableReason::Reallocated);\n",
        "    return make(BufferUse::Kind::Access);\n",
    ),
    Mutation(
        "escape-conditional-dealloc",
        USES,
        "  if (isa<bufferization::DeallocOp, gpu::DeallocOp>(op))\n"
        "    return refuse(UnmergeableReason::ConditionalDealloc);\n",
        "  if (isa<bufferization::DeallocOp, gpu::DeallocOp>(op))\n"
        "    return make(BufferUse::Kind::None);\n",
    ),
    Mutation(
        "decision-outcomes-do-not-change",
        DECISIONS,
        "    flow.addOutcome(comparison.getResult(), flow.addGroup(buffers));\n",
        "",
    ),
    Mutation(
        "decision-outcomes-of-helpers-do-not-change",
        DECISIONS,
        "      addOutcomes(buffers, isFreed);\n",
        "      (void)isFreed;\n",
    ),
    Mutation(
        "decision-ownership-does-not-change",
        DECISIONS,
        "      addOutcomes(buffers, isOwned);\n",
        "      (void)isOwned;\n",
    ),
    Mutation(
        "decision-outcomes-used-elsewhere",
        DECISIONS,
        "      if (targets.empty() && !flow.groups[group].otherUse)\n",
        "      if (false)\n",
    ),
    Mutation(
        "decision-outcomes-as-conditions",
        DECISIONS,
        "        addCondition(decisions[it->second.first], it->second.second, group);\n",
        "        (void)addCondition;\n",
    ),
    Mutation(
        "decision-guards-anything",
        DECISIONS,
        "    return inner->getNumRegions() == 0 && isMemoryEffectFree(inner)\n",
        "    return inner->getNumRegions() == 0\n",
    ),
    Mutation(
        "decision-any-comparison",
        DECISIONS,
        "             (comparison.getPredicate() == arith::CmpIPredicate::eq ||\n",
        "             (true || comparison.getPredicate() == arith::CmpIPredicate::eq ||\n",
    ),
    Mutation(
        "decision-any-helper",
        HELPER,
        "  return areEquivalent(function.getBody(), reference.getBody(), map);\n",
        "  return true;\n",
    ),
    Mutation(
        "escape-accessed-by-terminator",
        COVER,
        "        return UnmergeableReason::AccessedByTerminator;\n",
        "        (void)access;\n",
    ),
    Mutation(
        "dealloc-group-with-others",
        DEALLOCATION,
        "            groups.addStaying(dealloc);\n",
        "            continue;\n",
    ),
    Mutation(
        "dealloc-group-of-direct-neighbours",
        GROUPS,
        "      llvm::append_range(worklist, groupsOf[buffer]);\n",
        "",
    ),
    Mutation(
        "dealloc-group-of-pools",
        PLAN,
        "  refuseSharedDeallocs(plan.pools);\n",
        "",
    ),
    # Where the pool comes from.
    Mutation(
        "pool-on-the-stack-of-a-loop",
        STORAGE,
        "  if (!isa<memref::AllocaScopeOp>(op))\n    return false;\n",
        "  if (!isa<memref::AllocaScopeOp>(op))\n    return true;\n",
        ("--pool=stack",),
    ),
    Mutation(
        "pool-on-the-stack-of-a-recursion",
        STORAGE,
        "      index && graph.getFunctions()[*index].isRecursive)\n",
        "      index && false)\n",
        ("--pool=stack",),
    ),
    Mutation(
        "pool-on-the-stack-in-flight",
        STORAGE,
        "  if (plan.isInFlightAtEnd())\n"
        '    return "it may be accessed when the scope is done";\n',
        "",
        ("--pool=stack",),
    ),
    Mutation(
        "pool-of-no-gain-is-allocated",
        STORAGE,
        "    if (note->empty()) {\n",
        "    if (note->empty() || savesNothing) {\n",
        ("--pool=stack",),
    ),
    Mutation(
        "pool-shares-a-deallocation",
        STORAGE,
        "  refuseSharedDeallocs(plan.pools);\n",
        "",
        ("--pool=stack",),
    ),
    Mutation(
        "pool-is-freed-although-not-allocated",
        STORAGE,
        "  if (plan.storage != PoolStorage::Alloc)\n    return;\n",
        "",
        ("--pool=arena",),
    ),
    Mutation(
        "pool-global-called-concurrently",
        GRAPH,
        "      mark(calls[call].callee, functions[caller].concurrentUse);\n",
        "      (void)calls[call];\n",
        ("--pool=global",),
    ),
    Mutation(
        "pool-global-recursion-through-a-pointer",
        GRAPH,
        "    nodes[caller].callees.push_back(&unknown);\n",
        "    (void)nodes[caller];\n",
        ("--pool=global",),
    ),
    Mutation(
        "arena-callee-in-the-pool-of-its-caller",
        ARENA,
        "      arena.calleeOffset = llvm::alignTo(arena.bytes, calleeAlignment);\n",
        "      arena.calleeOffset = 0;\n",
        ("--pool=arena",),
    ),
    Mutation(
        "arena-callee-is-not-aligned",
        ARENA,
        "      arena.calleeOffset = llvm::alignTo(arena.bytes, calleeAlignment);\n",
        "      arena.calleeOffset = arena.bytes;\n",
        ("--pool=arena",),
    ),
    Mutation(
        "arena-called-concurrently",
        ARENA,
        "    else if (llvm::any_of(node.callers, isConcurrent))\n",
        "    else if (false)\n",
        ("--pool=arena",),
    ),
    Mutation(
        "arena-of-a-caller-without",
        ARENA,
        "    else if (llvm::any_of(node.callers, isGivenNone))\n",
        "    else if (false)\n",
        ("--pool=arena",),
    ),
    Mutation(
        "arena-is-not-checked",
        ARENA,
        "    if (arena.bytes > 0)\n      createChecks(rewriter, index);\n",
        "",
        ("--pool=arena",),
    ),
    Mutation(
        "arena-is-merged-by-its-provider",
        CALLEES,
        "        arguments[argument.getArgNumber()].escape =\n"
        "            UnmergeableReason::AddressTaken;\n",
        "",
    ),
    Mutation(
        "size-of-a-pool-for-any-index",
        PLAN,
        "  if (bytes <= limit)\n    return false;\n",
        "  if (bytes >= 0)\n    return false;\n",
    ),
    Mutation(
        "arena-views-of-themselves",
        ARENA,
        "  while (chain.insert(value))\n",
        "  while (chain.insert(value) || value.getDefiningOp<ViewOp>())\n",
    ),
    # Aliases.
    Mutation(
        "alias-transpose",
        USES,
        "      addEdge(transpose.getIn(), transpose.getResult());\n",
        "      (void)transpose;\n",
    ),
    Mutation(
        "alias-block-arguments",
        USES,
        "      if (!to.getDefiningOp<CallOpInterface>())\n",
        "      if (isa<OpResult>(to) && !to.getDefiningOp<CallOpInterface>())\n",
    ),
    Mutation(
        "alias-results-of-regions",
        USES,
        "      if (!to.getDefiningOp<CallOpInterface>())\n",
        "      if (!to.getDefiningOp<CallOpInterface>() &&\n"
        "          !(to.getDefiningOp() && to.getDefiningOp()->getNumRegions()))\n",
    ),
    Mutation(
        "alias-results-of-calls",
        USES,
        "             getReturnedOperands(call, result.getResultNumber(), callees))\n"
        "          addEdge(operand, result);\n",
        "             getReturnedOperands(call, result.getResultNumber(), callees))\n"
        "          (void)operand;\n",
    ),
    # Calls.
    Mutation(
        "call-is-no-access",
        USES,
        "    return make(summary->isAccessed ? BufferUse::Kind::Access\n"
        "                                    : BufferUse::Kind::Forward);\n",
        "    return make(BufferUse::Kind::Forward);\n",
    ),
    Mutation(
        "callee-escape",
        USES,
        "    if (summary->escape)\n",
        "    if (false)\n",
    ),
    Mutation(
        "callee-no-fixpoint",
        CALLEES,
        "  bool changed = true;\n",
        "  bool changed = false;\n",
    ),
    Mutation(
        "callee-still-running",
        CALLEES,
        "      addEscape(UnmergeableReason::Asynchronous);\n",
        "      (void)addEscape;\n",
    ),
    # Sizes and alignment.
    Mutation(
        "size-element-stride",
        SIZE,
        "  int64_t bytes = llvm::alignTo(size.getFixedValue(), alignment);\n",
        "  int64_t bytes = size.getFixedValue();\n",
    ),
    Mutation(
        "size-padded-vectors",
        SIZE,
        "      vector && vector.getRank() > 1) {\n",
        "      vector && vector.getRank() > 100) {\n",
    ),
    Mutation(
        "alignment-of-the-allocation",
        ALLOCATION,
        "        std::max(buffer.alignment, static_cast<int64_t>(*alignment));\n",
        "        std::max(buffer.alignment, int64_t(0 * *alignment));\n",
    ),
    Mutation(
        "alignment-promised",
        FUNCTION_LIFETIMES,
        "      std::max(buffer.alignment, getPromisedAlignment(use, callees));\n",
        "      std::max<int64_t>(buffer.alignment, 1);\n",
    ),
    Mutation(
        "alignment-promised-by-a-callee",
        USES,
        "    return summary->alignment;\n",
        "    return 1;\n",
    ),
    Mutation(
        "alignment-asked-for",
        PLAN,
        "    buffer.alignment = std::max(lifetime->alignment, alignment);\n",
        "    buffer.alignment = lifetime->alignment;\n",
    ),
    # From lifetimes to the pool.
    Mutation(
        "planning-ends-before-the-last-access",
        PLAN,
        "    buffer.end = lifetime->ticks.last + 1;\n",
        "    buffer.end = lifetime->ticks.last +\n"
        "                 (lifetime->ticks.first == lifetime->ticks.last);\n",
    ),
    Mutation(
        "R3-pool-is-never-freed",
        MERGE,
        "    if (pool.plan.isDeallocated() || pool.plan.needsManualDealloc())\n",
        "    if (false)\n",
    ),
    Mutation(
        "R3-pool-is-always-freed",
        MERGE,
        "    if (pool.plan.isDeallocated() || pool.plan.needsManualDealloc())\n",
        "    if (true)\n",
    ),
    Mutation(
        "R3-pool-is-freed-at-one-exit",
        STORAGE,
        "    options.destroyPool(rewriter, pool.getLoc(), plan, pool);\n",
        "    options.destroyPool(rewriter, pool.getLoc(), plan, pool);\n"
        "    break;\n",
    ),
    Mutation(
        "R3-deallocations-stay",
        MERGE,
        "      rewriter.eraseOp(op);\n",
        "",
    ),
    Mutation(
        "R3-pool-across-blocks-is-left",
        MERGE,
        "    if (pool.plan.isDeallocated() || pool.plan.needsManualDealloc())\n",
        "    if (pool.plan.isDeallocated())\n",
    ),
    Mutation(
        "R3-pool-across-blocks-is-not-marked",
        STORAGE,
        "    if (!plan.isDeallocated() &&\n",
        "    if (false &&\n",
    ),
    Mutation(
        "R4-pool-without-gain",
        PLAN,
        "pool.schedule.poolSize >= pool.totalBytes)\n",
        "pool.schedule.poolSize > pool.totalBytes)\n",
    ),
    # What threads share.
    Mutation(
        "threads-skip-functions-inside-functions",
        LIFETIMES,
        "    if (op.isExternal())\n      return;\n",
        "    if (op.isExternal() || op != function)\n      return;\n",
    ),
    # What keeps threads of a workgroup apart.
    Mutation(
        "G1-no-conflicts",
        WORKGROUP_PLAN,
        "    return addConflicts(pool.problem, pool.conflicts);\n",
        "    return;\n",
    ),
    Mutation(
        "G1-write-after-read",
        SYNC,
        "    if (access.isWrite)\n"
        "      done = std::min(done, pending.read);\n",
        "",
    ),
    Mutation(
        "G1-else-arm-forgotten",
        SYNC,
        "  for (unsigned end : frame.ends)\n    addEdge(end, behind);\n",
        "  addEdge(frame.ends.front(), behind);\n",
    ),
    Mutation(
        "G1-branch-not-skipped",
        SYNC,
        "  if (mayBeSkipped)\n    addEdge(frame.before, behind);\n",
        "  (void)mayBeSkipped;\n",
    ),
    Mutation(
        "G1-always-one-trip",
        SYNC,
        "    if (!isExecutedAtLeastOnce(op))\n      addEdge(frame.before, behind);\n",
        "",
    ),
    Mutation(
        "G1-no-trip-is-one",
        SYNC,
        "    return lower && upper && *lower >= 0 && *lower < *upper;\n",
        "    return lower && upper;\n",
    ),
    Mutation(
        "G2-no-back-edge",
        SYNC,
        "    addEdge(end, frame.before + 1);\n",
        "",
    ),
    Mutation(
        "G2-no-back-edge-of-while",
        SYNC,
        "    addEdge(frame.ends.back(), frame.before + 1);\n",
        "",
    ),
    Mutation(
        "G2-never-called-again",
        SYNC,
        "  if (mayRunAgain(sync.kernel))\n    addEdge(getCurrent(), 0);\n",
        "",
    ),
    Mutation(
        "G3-divergent-as-uniform",
        SYNC,
        "  if (region && !outermost && !uniformity.isUniformRegionOp(op))\n"
        "    outermost = op;\n",
        "",
    ),
    Mutation(
        "G3-divergent-barrier-counts",
        SYNC,
        "  if (divergentOp)\n    return;\n  if (options.isWorkgroupBarrier(op)) {\n",
        "  if (options.isWorkgroupBarrier(op)) {\n",
    ),
    Mutation(
        "G3-barrier-in-divergent",
        SYNC,
        "  if (Operation *divergentOp = divergentOps.lookup(op))\n"
        "    op = divergentOp;\n",
        "",
    ),
    Mutation(
        "G3-loads-are-uniform",
        UNIFORM,
        "    if (!preservesUniformity(op))\n      taintAll(op);\n",
        "    if (isa<gpu::ThreadIdOp>(op))\n      taintAll(op);\n",
    ),
    Mutation(
        "G3-thread-ids-of-launch",
        UNIFORM,
        "    for (Value id : {ids.x, ids.y, ids.z})\n      taint(id);\n",
        "    (void)ids;\n",
    ),
    Mutation(
        "G3-arguments-are-uniform",
        UNIFORM,
        "    for (Value argument : root->getArguments())\n      taint(argument);\n",
        "",
    ),
    Mutation(
        "G3-carried-is-uniform",
        UNIFORM,
        "  if (isa<scf::ForOp, affine::AffineForOp>(op))\n"
        "    taint(op->getRegion(0).getArgument(index + 1));\n",
        "",
    ),
    Mutation(
        "G4-copies-are-done",
        SYNC,
        "    if (access.isCopy)\n      pending.copy = std::min(pending.copy, step);\n",
        "",
    ),
    Mutation(
        "G4-wait-is-barrier",
        SYNC,
        "      pending.write = std::min(pending.write, pending.group);\n",
        "",
    ),
    Mutation(
        "G4-any-wait-is-for-all",
        SYNC,
        "    if (wait.getNumGroups().value_or(0) == 0)\n",
        "",
    ),
    Mutation(
        "G4-every-copy-is-a-group",
        SYNC,
        "      pending.copy = std::min(pending.copy, step);\n",
        "      pending.group = std::min(pending.group, step);\n",
    ),
    Mutation(
        "G4-copy-engines-wait",
        FUNCTION_LIFETIMES,
        "    if (buffer.isWorkgroup && !isAsyncCopy(op) && !isOrdinaryAccess(op))\n"
        "      return buffer.refuse(UnmergeableReason::AsyncProxy, op);\n",
        "",
    ),
    Mutation(
        "G5-every-forall-synchronizes",
        SYNC,
        "        isa<scf::ForallOp>(op) && isMappedToThreads(op)) {\n",
        "        isa<scf::ForallOp>(op)) {\n",
    ),
    Mutation(
        "G6-any-function-is-a-kernel",
        KERNEL,
        "      if (!function.isKernel())\n"
        "        return UnmergeableReason::NotAKernel;\n",
        "",
    ),
    Mutation(
        "G6-no-alignment",
        WORKGROUP_POOL,
        "        rewriter.getI64IntegerAttr(plan.schedule.poolAlignment));\n",
        "        rewriter.getI64IntegerAttr(1));\n",
    ),
    Mutation(
        "G5-a-mask-is-no-thread",
        KERNEL,
        "    if (isa<gpu::GPUMappingMaskAttr>(attribute))\n      continue;\n",
        "",
    ),
    Mutation(
        "G6-launches-of-other-modules",
        WORKGROUP_PLAN,
        "    if (SymbolTable::getNearestSymbolTable(launch) == root)\n",
        "",
    ),
    Mutation(
        "R17-every-iteration-has-its-own",
        SYNC,
        "        getPending(state, getEarlier(object)).join(earlier);\n",
        "        (void)earlier;\n",
    ),
    Mutation(
        "R17-any-race-is-one-of-iterations",
        SYNC,
        "pending.object != getEarlier(access.object)",
        "pending.object != access.object",
    ),
    # What is about the memory of one thread.
    Mutation(
        "G6-in-place-in-workgroup-memory",
        PAIRS,
        "    if (later.reason || later.isWorkgroup || !isOfOneThread",
        "    if (later.reason || !isOfOneThread",
    ),
    Mutation(
        "G6-bounds-in-workgroup-memory",
        ALLOCATION,
        "                   !type.hasStaticShape() &&\n"
        "                   !options.workgroup.isWorkgroupSpace(type.getMemorySpace());\n",
        "                   !type.hasStaticShape();\n",
    ),
    Mutation(
        "G6-equal-sizes-in-workgroup-memory",
        FUNCTION_LIFETIMES,
        "      options.workgroup.isWorkgroupSpace(buffer.getMemorySpace()) ||\n",
        "",
    ),
    Mutation(
        "G6-storage-of-workgroup-memory",
        STORAGE,
        "    if (pool.isWorkgroup)\n      continue;\n",
        "",
    ),
    Mutation(
        "G6-workgroup-memory-is-freed",
        STORAGE,
        "  if (plan.isWorkgroup)\n    return;\n",
        "",
    ),
    Mutation(
        "G6-rotated-workgroup-memory",
        CARRIED,
        "  if (lifetime.isWorkgroup)\n    return false;\n",
        "",
    ),
    Mutation(
        "G6-one-launch-only",
        WORKGROUP_POOL,
        "  for (gpu::LaunchFuncOp launch : plan.launches)\n    setSize(launch);\n",
        "  if (!plan.launches.empty())\n    setSize(plan.launches.front());\n",
    ),
    # Instances of buffers that loops carry, and their slots.
    Mutation(
        "carried-one-slot-less",
        CARRIED,
        "        age->second + 1 +\n",
        "        std::max<int64_t>(age->second, 1) +\n",
        ("--carried",),
    ),
    Mutation(
        "carried-age-is-that-of-the-value",
        CARRIED,
        "        countMarkers(use.get(), use.getOwner(), marker, buffer.loops);\n",
        "        0 * countMarkers(use.get(), use.getOwner(), marker, buffer.loops);\n",
        ("--carried",),
    ),
    Mutation(
        "carried-not-older-in-the-iteration",
        CARRIED,
        "    return bound < reached && reached < order.getTicks(point).first;\n",
        "    return bound < reached && reached < 0;\n",
        ("--carried",),
    ),
    Mutation(
        "carried-not-older-by-inner-loops",
        CARRIED,
        "    return 0;\n"
        "  return options.maxInstances;\n",
        "    return 0;\n"
        "  return 0;\n",
        ("--carried",),
    ),
    Mutation(
        "carried-not-kept",
        CARRIED,
        "      if (!isNew && it->second >= age->second)\n",
        "      if (!isNew)\n",
        ("--carried",),
    ),
    Mutation(
        "carried-any-number-of-instances",
        CARRIED,
        "    if (instances > options.maxInstances)\n",
        "    if (false)\n",
        ("--carried",),
    ),
    Mutation(
        "carried-by-blocks",
        CARRIED,
        "    else if (order.isBackEdge(ancestor->getBlock(), block))\n",
        "    else if (false)\n",
        ("--carried",),
    ),
    Mutation(
        "carried-allocated-in-a-cycle",
        CARRIED,
        "    if (order.getCycle(marker->getBlock(), nullptr) ||\n"
        "        marker",
        "    if (marker",
        ("--carried",),
    ),
    Mutation(
        "carried-through-branches",
        CARRIED,
        "      return refuse(buffer, CarriedObstacle::LoopNest, op);\n",
        "      continue;\n",
        ("--carried",),
    ),
    Mutation(
        "carried-by-the-innermost-loop-only",
        CARRIED,
        "      numLoops = path.size();\n",
        "      numLoops = 1;\n",
        ("--carried",),
    ),
    Mutation(
        "carried-refused-uses",
        CARRIED,
        "      refuseUse(buffer, kind.reason, op);\n",
        "      (void)kind.reason;\n",
        ("--carried",),
    ),
    Mutation(
        "carried-deferred-accesses",
        CARRIED,
        "    case BufferUse::Kind::DeferredAccess:\n"
        "      refuseUse(buffer, UnmergeableReason::Asynchronous, op);\n",
        "    case BufferUse::Kind::DeferredAccess:\n",
        ("--carried",),
    ),
    Mutation(
        "carried-accesses-of-tasks",
        CARRIED,
        "        if (!isDoneAtEnd(parent))\n",
        "        if (false)\n",
        ("--carried",),
    ),
    Mutation(
        "carried-accessed-by-terminator",
        CARRIED,
        "        refuseUse(buffer, UnmergeableReason::AccessedByTerminator, op);\n",
        "        (void)op;\n",
        ("--carried",),
    ),
    Mutation(
        "carried-dealloc-group-with-others",
        CARRIED,
        "          groups.addStaying(dealloc);\n"
        "        else\n",
        "          continue;\n"
        "        else\n",
        ("--carried",),
    ),
    Mutation(
        "carried-any-flag-owns",
        CARRIED,
        "      !matchPattern(loop.getInits()[flagIndex], m_Zero()))\n",
        "      !loop.getInits()[flagIndex])\n",
        ("--carried",),
    ),
    Mutation(
        "carried-flag-of-the-other-branch",
        CARRIED,
        "  if (!guard || dealloc->getBlock() != guard.thenBlock())\n",
        "  if (!guard)\n",
        ("--carried",),
    ),
    Mutation(
        "carried-others-are-taken-along-unchecked",
        CARRIED,
        "  visitUses(buffer, values, [](OpOperand &) {});\n"
        "  buffer.isCarried",
        "  visitUses(buffer, values, [](OpOperand &) {});\n"
        "  buffer.obstacle.reset();\n"
        "  buffer.isCarried",
        ("--carried",),
    ),
    Mutation(
        "carried-home-is-the-loop",
        CARRIED,
        "    while (!home->isAncestor(value.getParentRegion()))\n",
        "    while (false)\n",
        ("--carried",),
    ),
    Mutation(
        "slots-number-starts-again",
        ROTATE,
        "    outer.yielded->set(inner.result);\n",
        "    (void)inner;\n",
        ("--carried",),
    ),
    Mutation(
        "slots-are-never-freed",
        ROTATE,
        "    if (!buffer->deallocs.empty())\n",
        "    if (false)\n",
        ("--carried",),
    ),
    Mutation(
        "slots-are-always-freed",
        ROTATE,
        "    if (!buffer->deallocs.empty())\n",
        "    if (true)\n",
        ("--carried",),
    ),
    Mutation(
        "slots-deallocations-stay",
        ROTATE,
        "    rewriter.eraseOp(dealloc);\n",
        "    continue;\n",
        ("--carried",),
    ),
    # In place of each other.
    Mutation(
        "in-place-any-map",
        IN_PLACE,
        "  if (!map.isPermutation() || op.getMatchingIndexingMap(&read) != map)\n",
        "  if (!map.isPermutation())\n",
        ("--in-place",),
    ),
    Mutation(
        "in-place-reductions",
        IN_PLACE,
        "  if (!map.isPermutation() || op.getMatchingIndexingMap(&read) != map)\n",
        "  if (op.getMatchingIndexingMap(&read) != map)\n",
        ("--in-place",),
    ),
    Mutation(
        "in-place-output-is-read",
        IN_PLACE,
        "  if (!op.getMatchingBlockArgument(&written).use_empty())\n    return std::nullopt;\n",
        "",
        ("--in-place",),
    ),
    Mutation(
        "in-place-output-of-a-map-is-read",
        IN_PLACE,
        "  if (!op.getMatchingBlockArgument(&written).use_empty())\n",
        "  if (op.payloadUsesValueFromOperand(&written))\n",
        ("--in-place",),
    ),
    Mutation(
        "in-place-any-element-size",
        IN_PLACE,
        "  if (a == b)\n    return true;\n",
        "  return true;\n",
        ("--in-place",),
    ),
    Mutation(
        "in-place-parts-of-buffers",
        PAIRS,
        "      if (findWholeBuffer(read->get()) != earlierAlloc.getResult() ||\n"
        "          findWholeBuffer(written->get()) != laterAlloc.getResult())\n"
        "        return std::nullopt;\n",
        "",
        ("--in-place",),
    ),
    Mutation(
        "in-place-one-operand-only",
        PAIRS,
        "    if (isRead)\n      reads.push_back(&operand);\n",
        "    if (isRead && reads.empty())\n      reads.push_back(&operand);\n",
        ("--in-place",),
    ),
    Mutation(
        "in-place-uses-inside",
        PAIRS,
        "        op->getNumOperands() > maxOperands || usesMemRefsInside(op))\n",
        "        op->getNumOperands() > maxOperands)\n",
        ("--in-place",),
    ),
    Mutation(
        "in-place-dies-later",
        PAIRS,
        "    if (!buffer.reason &&\n"
        "        buffer.ticks.last == order.getTicks(buffer.lastAccess).last)\n",
        "    if (!buffer.reason)\n",
        ("--in-place",),
    ),
    Mutation(
        "in-place-several-ticks",
        PLAN,
        "    if (earlier.end == pair.ticks.last + 1)\n"
        "      earlier.end = pair.ticks.first + 1;\n",
        "",
        ("--in-place",),
    ),
    Mutation(
        "in-place-without-reuse",
        "lib/Scheduling/Scheduler.cpp",
        "  return problem.inPlacePairs.empty() || !scheduler.reusesBytes()\n",
        "  return problem.inPlacePairs.empty()\n",
        ("--in-place",),
    ),
    # Dynamic shapes.
    Mutation(
        "dynamic-bound-not-proved",
        DYNAMIC,
        "  if (succeeded(upper) && isProved(ValueBoundsConstraintSet::LE, *upper))\n",
        "  if (succeeded(upper))\n",
        ("--dynamic=bounded",),
    ),
    Mutation(
        "dynamic-any-layout",
        DYNAMIC,
        "  if (!type.getLayout().isIdentity())\n    return UnmergeableReason::Layout;\n",
        "",
        ("--dynamic=bounded",),
    ),
    Mutation(
        "dynamic-any-waste",
        DYNAMIC,
        "  if (std::get<BufferSize>(most).bytes - least.bytes > maxWaste)\n",
        "  if (least.bytes > std::get<BufferSize>(most).bytes)\n",
        ("--dynamic=bounded",),
    ),
    Mutation(
        "dynamic-any-size",
        DYNAMIC,
        "    if (!it->second)\n      return false;\n",
        "",
        ("--dynamic=equal",),
    ),
    Mutation(
        "dynamic-alive-together",
        SHARED,
        "  if (next != byFirstTick.begin() &&\n"
        "      std::prev(next)->second->ticks.last >= buffer.ticks.first)\n"
        "    return false;\n",
        "",
        ("--dynamic=equal",),
    ),
    Mutation(
        "dynamic-out-of-reach",
        SHARED,
        "                 dominance.properlyDominates(group.getFirst().getOperation(),\n"
        "                                             alloc.getOperation()) &&\n",
        "",
        ("--dynamic=equal",),
    ),
    Mutation(
        "dynamic-freed-too-early",
        SHARED,
        "  return stayInRegions && buffer.staysInRegion &&\n"
        "         first->getParentRegion()->hasOneBlock();\n",
        "  return first->getParentRegion()->hasOneBlock();\n",
        ("--dynamic=equal",),
    ),
    Mutation(
        "dynamic-freed-in-any-block",
        SHARED,
        "  return stayInRegions && buffer.staysInRegion &&\n"
        "         first->getParentRegion()->hasOneBlock();\n",
        "  return stayInRegions && buffer.staysInRegion;\n",
        ("--dynamic=equal",),
    ),
    Mutation(
        "dynamic-dealloc-of-others",
        FUNCTION_LIFETIMES,
        "        aliases.getOrigins(dealloc->get()).size() != 1)\n      return;\n",
        "        false)\n      return;\n",
        ("--dynamic=equal",),
    ),
    Mutation(
        "dynamic-addresses-are-compared",
        FUNCTION_LIFETIMES,
        "      if (isa<memref::ExtractAlignedPointerAsIndexOp, bufferization::DeallocOp>(\n"
        "              user))\n",
        "      if (false)\n",
        ("--dynamic=equal",),
    ),
    Mutation(
        "dynamic-freed-twice",
        MERGE,
        "      if (dealloc->getOwner() != shared.lastDealloc)\n"
        "        deallocs.insert(dealloc);\n",
        "      (void)dealloc;\n",
        ("--dynamic=equal",),
    ),
    Mutation(
        "dynamic-alignment",
        MERGE,
        "[&] { first.setAlignment(*shared.alignment); }",
        "[] {}",
        ("--dynamic=equal",),
    ),
    # What is said of kernels.
    Mutation(
        "G-report-without-conflicts",
        BUILD_REPORT,
        "  sync.numConflicts = plan.conflicts.size();\n",
        "  return sync;\n",
    ),
    Mutation(
        "R6-warning-fails",
        CAPACITY_ERRORS,
        "isExceeded && policy == OverCapacityPolicy::Error",
        "isExceeded",
    ),
    Mutation(
        "R6-callees-take-no-bytes",
        KERNEL_MEMORY,
        "        regions.insert(callee);\n",
        "        (void)callee;\n",
    ),
    Mutation(
        "R6-kernels-without-pool-fit",
        KERNEL_MEMORY,
        "bytes > capacity)",
        "bytes > maxBytes)",
    ),
    Mutation(
        "R6-global-counts-twice",
        KERNEL_MEMORY,
        "return global ? globals.insert(global).second : true;",
        "return global || true;",
    ),
    Mutation(
        "R6-dynamic-memory-without-limit",
        PLAN,
        "    return leaveAlone(pool, UnmergeableReason::DynamicMemory,\n"
        "                      options.overCapacity);\n",
        "    return void(pool.reason = UnmergeableReason::DynamicMemory);\n",
    ),
    Mutation(
        "R6-warning-makes-no-pool",
        PLAN,
        "        options.overCapacity == OverCapacityPolicy::Error)\n",
        "        true)\n",
    ),
]


class Stale(Exception):
    """The list does not fit the sources, or something cannot be built."""


def mutate(mutation, source):
    count = source.count(mutation.text)
    if count != 1:
        raise Stale(
            f"{mutation.name}: the text is {count} times in {mutation.file}, "
            "and must be there once"
        )
    if mutation.text == mutation.replacement:
        raise Stale(f"{mutation.name}: nothing changes")
    return source.replace(mutation.text, mutation.replacement)


def check(mutations):
    names = [mutation.name for mutation in mutations]
    if len(set(names)) != len(names):
        raise Stale("two mutations have the same name")
    for mutation in mutations:
        mutate(mutation, (ROOT / mutation.file).read_text())


def write(path, data):
    """Write what is new; what is not keeps its time, and is not built again."""
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


class Tree:
    """A copy of the sources, and its release build."""

    def __init__(self, path):
        self.path = path
        self.build = path / "build" / "release"


def copy_tree(copy):
    copy.mkdir(parents=True, exist_ok=True)
    kept = set()
    for folder, folders, files in os.walk(ROOT):
        relative = Path(folder).relative_to(ROOT)
        if folder == str(ROOT):
            folders[:] = [f for f in folders if f != "build" and f != ".git"]
            files = [f for f in files if f != ".git"]
        for name in files:
            path = Path(folder) / name
            kept.add(relative / name)
            write(copy / relative / name, path.read_bytes())
            shutil.copymode(path, copy / relative / name)
    for folder, folders, files in os.walk(copy):
        if folder == str(copy) and "build" in folders:
            folders.remove("build")
        for name in files:
            path = Path(folder) / name
            if path.relative_to(copy) not in kept:
                path.unlink()


class Process:
    """A command with a time limit, for itself and its children."""

    def __init__(self, command, timeout, **options):
        self.deadline = time.monotonic() + timeout
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            **options,
        )

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)

    def finish(self):
        """Return the exit code, which is None after the limit, and the output."""
        try:
            limit = max(1, self.deadline - time.monotonic())
            output, _ = self.process.communicate(timeout=limit)
            return self.process.returncode, output
        except subprocess.TimeoutExpired:
            self.kill()
            output, _ = self.process.communicate()
            return None, output
        finally:
            self.kill()


def build(tree, what, targets):
    environment = {**os.environ, "CCACHE_BASEDIR": str(tree.path)}
    commands = [["cmake", "--build", "--preset", "release", "--target", *targets]]
    if not (tree.build / "build.ninja").exists():
        configure = ["cmake", "--preset", "release"]
        if shutil.which("ccache"):
            configure.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
        commands.insert(0, configure)
    for command in commands:
        process = Process(command, 3600, cwd=tree.path, env=environment)
        code, output = process.finish()
        if code != 0:
            sys.stderr.write(output[-4000:])
            raise Stale(f"{what}: cannot be built")


def find_lit(tree):
    for line in (tree.build / "CMakeCache.txt").read_text().splitlines():
        if re.match(r"(BUFFER_MERGE_LIT|LLVM_EXTERNAL_LIT):\w+=.", line):
            return line.split("=", 1)[1]
    raise Stale("lit is not found")


def run_lit(tree, suites, timeout):
    """Return what fails first, or an empty string."""
    lit = [sys.executable, find_lit(tree), "-v", "-j1", "--order=lexical"]
    for suite in suites:
        command = [*lit, "--max-failures=1", str(tree.build / "test" / suite)]
        code, output = Process(command, timeout).finish()
        failed = re.search(r"^(?:FAIL|TIMEOUT|UNRESOLVED|XPASS): .*? :: (\S+)", output, re.M)
        if failed:
            return failed[1]
        if code is None:
            passed = re.findall(r"^PASS: .*? :: (\S+)", output, re.M)
            tests = sorted((ROOT / "test" / suite).glob("*.mlir"))
            names = [f"{suite}/{test.name}" for test in tests]
            hung = [name for name in names if name not in passed]
            return f"{hung[0] if hung else suite} (does not end)"
        if code:
            raise Stale(f"lit fails: {output[-2000:]}")
    return ""


def start_fuzzers(tree, options, more=()):
    """Start the fuzzer of host programs, with `more`, and the one of kernels."""
    commands = [
        [
            "buffer-merge-fuzz",
            f"--seeds={options.seeds}",
            f"--schedulers={options.schedulers}",
            *more,
        ],
        ["buffer-merge-gpu-fuzz", f"--seeds={options.kernels}", f"--modes={options.modes}"],
    ]
    return [
        Process([str(tree.build / "bin" / name), *arguments], options.timeout)
        for name, *arguments in commands
    ]


def finish_fuzzer(process):
    """Return what fails first, or an empty string."""
    code, output = process.finish()
    failed = re.search(r"^seed (\d+), (scheduler|mode) ([^:]*): (.*)", output, re.M)
    if failed:
        kernel = "kernel " if failed[2] == "mode" else ""
        return f"{kernel}{failed[1]}, {failed[3]}: {failed[4]}"
    if code is None:
        return "(does not end)"
    if code < 0 or "Stack dump" in output:
        return "(crashes)"
    if code:
        raise Stale(f"the fuzzer fails: {output[-2000:]}")
    return ""


def test(tree, options, mutation=None):
    # All at once: lit runs one test at a time, so that the first is the first.
    more = mutation.fuzz if mutation else ()
    fuzzers = start_fuzzers(tree, options, more) if options.fuzz else []
    try:
        lit = run_lit(tree, options.suites, options.timeout) if options.lit else ""
        fuzz = "; ".join(filter(None, map(finish_fuzzer, fuzzers)))
    finally:
        for fuzzer in fuzzers:
            fuzzer.kill()
    return lit, fuzz


def describe(text):
    # Which instance of a buffer it was is for whoever debugs it.
    text = re.sub(r" \(instance \d+\)", "", text)
    return text.replace("|", "\\|")


def run(mutations, options):
    tree = Tree(options.folder.resolve())
    copy_tree(tree.path)
    targets = ["buffer-merge-opt", "buffer-merge-fuzz", "buffer-merge-gpu-fuzz"]
    # A plugin without the mutation passes its few tests; others see the mutation.
    others = ["BufferMergePlugin", "buffer-merge-report", "buffer-merge-schedule"]
    build(tree, "no mutation", [*targets, *others])
    if options.baseline:
        lit, fuzz = test(tree, options)
        if lit or fuzz:
            raise Stale(f"without a mutation there is a failure: {lit or fuzz}")
    print("| mutation | lit | fuzzer |\n| --- | --- | --- |", flush=True)
    survivors = 0
    for mutation in mutations:
        path = tree.path / mutation.file
        source = (ROOT / mutation.file).read_text()
        try:
            write(path, mutate(mutation, source).encode())
            build(tree, mutation.name, targets)
            lit, fuzz = test(tree, options, mutation)
        finally:
            write(path, source.encode())
        survivors += not lit and not fuzz
        columns = [
            f"`{lit}`" if lit else "**survives**" if not fuzz else "-",
            describe(fuzz) if fuzz else "-",
        ]
        print(f"| `{mutation.name}` | {' | '.join(columns)} |", flush=True)
    print(f"\n{len(mutations)} mutations, {survivors} survive", flush=True)
    return 1 if survivors else 0


def main():
    # The end of this program is the end of what it has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="mutations to run; all if none")
    parser.add_argument("--check", action="store_true", help="only check the texts")
    parser.add_argument("--list", action="store_true", help="print the names")
    parser.add_argument("--seeds", default="0..699", help="of the fuzzer, A..B")
    parser.add_argument("--schedulers", default="first-fit", help="of the fuzzer")
    parser.add_argument(
        "--kernels", default="0..699", help="seeds of the fuzzer of kernels, A..B"
    )
    parser.add_argument(
        "--modes", default="attribution/existing", help="of the fuzzer of kernels"
    )
    parser.add_argument(
        "--suites", default=",".join(SUITES), help="folders of lit tests, in order"
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=ROOT / "build" / "mutations",
        help="where to build; below build, one for each run at the same time",
    )
    parser.add_argument("--no-lit", dest="lit", action="store_false")
    parser.add_argument("--no-fuzz", dest="fuzz", action="store_false")
    parser.add_argument(
        "--no-baseline",
        dest="baseline",
        action="store_false",
        help="do not test without a mutation first",
    )
    parser.add_argument(
        "--timeout", type=float, default=180, help="seconds for lit or the fuzzer"
    )
    options = parser.parse_args()
    options.suites = options.suites.split(",")
    known = {mutation.name: mutation for mutation in MUTATIONS}
    for name in options.names:
        if name not in known:
            parser.error(f"unknown mutation '{name}'; --list names them")
    mutations = [known[name] for name in options.names] or MUTATIONS
    try:
        check(MUTATIONS)
        if options.list:
            print("\n".join(known))
        elif options.check:
            print(f"{len(MUTATIONS)} mutations fit the sources")
        else:
            return run(mutations, options)
    except Stale as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
