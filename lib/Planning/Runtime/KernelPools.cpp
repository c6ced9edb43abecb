//===- KernelPools.cpp - Pools of tiles of run-time size ------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/ArgumentSizes.h"
#include "Analysis/BufferSize.h"
#include "Analysis/FunctionContext.h"
#include "Analysis/GPU/RuntimeTiles.h"
#include "Planning/GPU/KernelMemory.h"
#include "Planning/GPU/WorkgroupPlan.h"
#include "Planning/Pins.h"
#include "RuntimePools.h"
#include "SymbolicHeap.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
/// A tile with what is known of its size.
struct Tile {
  const BufferLifetime *buffer;
  SizePolynomial bytes;
  TickRange ticks;
};
} // namespace

/// Return true if `bytes` are known to who launches the kernel.
static bool isKnownToLaunch(const SizePolynomial &bytes,
                            const SizePolynomials &sizes) {
  return llvm::all_of(
      llvm::make_first_range(bytes), [&](ArrayRef<unsigned> product) {
        return llvm::all_of(product, [&](unsigned symbol) {
          return isFromArgumentSizes(sizes.getSymbol(symbol), [](Value value) {
            return findLaunchSize(value).has_value();
          });
        });
      });
}

/// Let `pool` be in the dynamic memory of `kernel`, behind `there`, the pool of
/// static size in the same space, which may be null. Return false if it cannot
/// be.
static bool placeInKernel(RuntimePool &pool, gpu::GPUFuncOp kernel,
                          const PoolPlan *there, KernelMemory &memory) {
  PoolPlan trial;
  if (there && there->getPool()) {
    if (there->getPool()->storage != PoolStorage::Dynamic)
      return false;
    pool.staticBytes = getDynamicBytes(there->getPool()->schedule);
  } else {
    trial.scope = &kernel.getBody();
    trial.memorySpace = pool.memorySpace;
    trial.workgroup.emplace().sync = nullptr;
    chooseWorkgroupPool(trial, PoolStorage::Dynamic, memory);
    if (!trial.getPool() || trial.workgroup->storage != PoolStorage::Dynamic)
      return false;
    there = &trial;
  }
  pool.launches.append(there->workgroup->launches.begin(),
                       there->workgroup->launches.end());
  return true;
}

/// Return a pool of `tiles`, of one kernel; nothing if none is found.
static std::optional<RuntimePool> makePool(ArrayRef<Tile> tiles,
                                           SizePolynomials &sizes,
                                           const MergePlanOptions &options) {
  RuntimePool pool;
  pool.first = tiles.front().buffer->getAllocOp();
  pool.memorySpace = tiles.front().buffer->getMemorySpace();
  pool.alignment = dynamicMemoryAlignment;
  pool.isInKernel = true;
  PoolVariables variables(pool, sizes);
  for (const Tile &tile : tiles) {
    LinearBytes bytes = variables.get(tile.bytes);
    if (pool.variables.size() > PoolVariables::maxVariables)
      return std::nullopt;
    pool.buffers.push_back(tile.buffer);
    pool.bytes.push_back(std::move(bytes));
    pool.ticks.push_back(tile.ticks);
    pool.inPlaceOf.push_back(std::nullopt);
    pool.held =
        pool.buffers.size() == 1 ? tile.ticks : pool.held.hull(tile.ticks);
  }
  SmallVector<int64_t> counterexample;
  if (!findOrders(pool, std::nullopt, options, counterexample) ||
      !verifyRuntimePool(pool))
    return std::nullopt;
  return pool;
}

void buffer_merge::addKernelPools(MergePlan &plan,
                                  const MergePlanOptions &options) {
  if (options.workgroupPool != PoolStorage::Dynamic)
    return;
  const BufferLifetimes &lifetimes = *plan.lifetimes;
  SizePolynomials sizes;
  llvm::MapVector<std::pair<Operation *, Attribute>, SmallVector<Tile, 0>> all;
  for (const BufferLifetime &buffer : lifetimes.getBuffers()) {
    memref::AllocOp alloc = buffer.getAllocOp();
    if (!alloc || !buffer.refusal ||
        buffer.refusal->reason != UnmergeableReason::DynamicShape ||
        !buffer.isInDeviceCode || hasPin(alloc) ||
        !isa_and_present<gpu::AddressSpaceAttr>(buffer.getMemorySpace()) ||
        !lifetimes.getWorkgroupOptions().isWorkgroupSpace(
            buffer.getMemorySpace(), buffer.isInDeviceCode))
      continue;
    const FunctionContext *context = lifetimes.getContext(buffer.function);
    if (!context || context->layout.getTypeSizeInBits(
                        IndexType::get(alloc.getContext())) != 64)
      continue;
    const std::optional<SizePolynomial> &bytes =
        sizes.getBytes(alloc, context->layout);
    std::optional<TileUse> use =
        findTileUse(alloc, *context, lifetimes.getWorkgroupOptions());
    // As much as dynamic memory has, wherever it begins.
    if (bytes && use && isKnownToLaunch(*bytes, sizes) &&
        std::max({getNaturalAlignment(alloc.getType().getElementType(),
                                      context->layout),
                  buffer.getRequestedAlignment(), options.workgroupAlignment,
                  use->alignment}) <= dynamicMemoryAlignment)
      all[{alloc->getParentOp(), buffer.getMemorySpace()}].push_back(
          {&buffer, *bytes, use->ticks});
  }
  if (all.empty())
    return;
  llvm::DenseMap<std::pair<Operation *, Attribute>, const PoolPlan *> pools;
  for (const PoolPlan &pool : plan.pools)
    if (pool.workgroup)
      pools[{pool.scope->getParentOp(), pool.memorySpace}] = &pool;
  KernelMemory memory(lifetimes.getRoot(), lifetimes.getDeviceCode());
  llvm::DenseSet<const BufferLifetime *> taken;
  for (const auto &[key, tiles] : all) {
    std::optional<RuntimePool> pool = makePool(tiles, sizes, options);
    if (!pool || !placeInKernel(*pool, cast<gpu::GPUFuncOp>(key.first),
                                pools.lookup(key), memory))
      continue;
    taken.insert(pool->buffers.begin(), pool->buffers.end());
    plan.runtimePools.push_back(std::move(*pool));
  }
  llvm::erase_if(plan.unmergeable, [&](const UnmergeableBuffer &left) {
    return taken.contains(left.buffer);
  });
}
