//===- WorkgroupRaces.cpp - Races between views of one pool --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Analysis/WorkgroupRaces.h"
#include "Mutation.h"
#include "buffer-merge/Analysis/BufferSize.h"
#include "buffer-merge/Analysis/CalleeSummaries.h"
#include "buffer-merge/Analysis/ExecutionOrder.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

#include <limits>

using namespace mlir;
using namespace buffer_merge;

namespace {
/// A pool as far as it is accessed without a view, or a view of one.
struct Object {
  WorkgroupSync::Aliases aliases;
  /// Objects of one pool have the same number.
  unsigned pool;
  /// The bytes of the pool that belong to it, half open.
  int64_t begin = 0;
  int64_t end = std::numeric_limits<int64_t>::max();
  bool isAccessed = false;
  /// The first use that is not understood.
  Operation *unknownUse = nullptr;

  bool sharesBytes(const Object &other) const {
    return pool == other.pool && begin < other.end && other.begin < end &&
           isAccessed && other.isAccessed;
  }
};

/// Values that are the same bytes of one kernel.
struct Pool {
  Region *kernel;
  /// The control flow of the kernel is not understood.
  bool isKernelUnknown;
  SmallVector<Value, 1> values;
};

/// Checks the kernels of one function.
class RaceFinder {
public:
  RaceFinder(FunctionOpInterface function, CallPolicy calls,
             const CalleeSummaries &callees, const WorkgroupOptions &options)
      : function(function), calls(calls), callees(callees), options(options),
        sharedAliases(callees.getAliases(function)), aliases(*sharedAliases),
        order(function) {}

  void run(WorkgroupRaces &result);

private:
  void collectPools();
  void addPool(Value value, const void *key);
  SmallVector<Object, 0> collectObjects(const Pool &pool, unsigned number);
  void findUses(Object &object);
  void check(Region *kernel, bool isKernelUnknown, ArrayRef<Object> objects,
             WorkgroupRaces &result);

  FunctionOpInterface function;
  CallPolicy calls;
  const CalleeSummaries &callees;
  const WorkgroupOptions &options;
  std::shared_ptr<const BufferAliases> sharedAliases;
  const BufferAliases &aliases;
  ExecutionOrder order;
  /// By kernel, and by value, name of a global, or the kernel again for its
  /// dynamic memory.
  llvm::MapVector<std::pair<Region *, const void *>, Pool> pools;
};
} // namespace

void RaceFinder::addPool(Value value, const void *key) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type || !options.isWorkgroupSpace(type.getMemorySpace()))
    return;
  Operation *op = value.getDefiningOp();
  Region *kernel = value.getParentRegion();
  bool isUnknown = false;
  // An attribution is an argument of its kernel.
  std::variant<Region *, UnmergeableReason> found =
      findKernel(op ? op : &kernel->front().front());
  if (auto *region = std::get_if<Region *>(&found))
    kernel = *region;
  else
    isUnknown = true;
  if (!key)
    key = kernel;
  Pool &pool = pools[{kernel, key}];
  pool.kernel = kernel;
  pool.isKernelUnknown = isUnknown;
  pool.values.push_back(value);
}

/// Return true if `global` has no bytes: all of those are the dynamic memory of
/// the kernel.
static bool isDynamicMemory(memref::GetGlobalOp global) {
  return global.getType().getNumElements() == 0 &&
         !isMutated("races-dynamic-globals");
}

void RaceFinder::collectPools() {
  auto addAttributions = [&](ArrayRef<BlockArgument> attributions) {
    for (BlockArgument attribution : attributions)
      addPool(attribution, attribution.getAsOpaquePointer());
  };
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != function && isa<FunctionOpInterface>(op))
      return WalkResult::skip();
    if (auto kernel = dyn_cast<gpu::GPUFuncOp>(op))
      addAttributions(kernel.getWorkgroupAttributions());
    else if (auto launch = dyn_cast<gpu::LaunchOp>(op))
      addAttributions(launch.getWorkgroupAttributions());
    else if (auto alloc = dyn_cast<memref::AllocOp>(op))
      addPool(alloc, alloc.getOperation());
    else if (auto global = dyn_cast<memref::GetGlobalOp>(op))
      addPool(global, isDynamicMemory(global)
                          ? nullptr
                          : global.getNameAttr().getAsOpaquePointer());
    else if (auto dynamic = dyn_cast<gpu::DynamicSharedMemoryOp>(op))
      addPool(dynamic, nullptr);
    return WalkResult::advance();
  });
}

/// Set what is done with `object`.
void RaceFinder::findUses(Object &object) {
  for (Value alias : object.aliases)
    for (OpOperand &use : alias.getUses()) {
      BufferUse::Kind kind = classifyUse(use, calls, callees).kind;
      Operation *op = use.getOwner();
      if (kind == BufferUse::Kind::None || kind == BufferUse::Kind::Forward ||
          kind == BufferUse::Kind::Dealloc)
        continue;
      object.isAccessed = true;
      bool isUnderstood = kind == BufferUse::Kind::Access ||
                          (kind == BufferUse::Kind::DeferredAccess &&
                           (isAsyncCopy(op) || isOrdinaryAccess(op)));
      // Uses come in an arbitrary order.
      if (!isUnderstood &&
          (!object.unknownUse ||
           order.getTicks(op).first < order.getTicks(object.unknownUse).first))
        object.unknownUse = op;
    }
}

/// Return the memref that `value` is, from its first byte on: dynamic memory
/// gets its size by a `memref.reinterpret_cast`.
static Value skipResizing(Value value) {
  auto cast = value.getDefiningOp<memref::ReinterpretCastOp>();
  if (!cast || !cast.getType().getLayout().isIdentity() ||
      isMutated("races-resized-pool"))
    return value;
  return cast.getSource();
}

/// Set the bytes of `object` to those that `view` has of a pool.
static void setRange(Object &object, memref::ViewOp view) {
  std::optional<int64_t> offset = getConstantIntValue(view.getByteShift());
  std::variant<BufferSize, UnmergeableReason> size =
      computeBufferSize(view.getType(), DataLayout::closest(view));
  if (!offset || !std::holds_alternative<BufferSize>(size))
    return;
  object.begin = *offset;
  object.end = *offset + std::get<BufferSize>(size).bytes;
}

SmallVector<Object, 0> RaceFinder::collectObjects(const Pool &pool,
                                                  unsigned number) {
  auto isView = [](Value value) {
    return value.getDefiningOp<memref::ViewOp>() != nullptr;
  };
  Object whole;
  whole.pool = number;
  SmallVector<memref::ViewOp> views;
  for (Value value : pool.values)
    for (Value alias : aliases.getAliases(value, isView)) {
      if (isView(alias))
        views.push_back(alias.getDefiningOp<memref::ViewOp>());
      else
        whole.aliases.push_back(alias);
    }
  llvm::sort(views, [&](memref::ViewOp a, memref::ViewOp b) {
    return order.getTicks(a).first < order.getTicks(b).first;
  });
  views.erase(llvm::unique(views), views.end());
  SmallVector<Object, 0> objects;
  for (memref::ViewOp view : views) {
    Object &object = objects.emplace_back();
    object.pool = number;
    object.aliases = aliases.getAliases(view);
    // Not the bytes of something between the two, of which the place in the
    // pool is not known.
    if (llvm::is_contained(pool.values, skipResizing(view.getSource())))
      setRange(object, view);
    findUses(object);
  }
  findUses(whole);
  objects.push_back(std::move(whole));
  return objects;
}

void RaceFinder::check(Region *kernel, bool isKernelUnknown,
                       ArrayRef<Object> objects, WorkgroupRaces &result) {
  auto mayShareBytes = [&](unsigned a, unsigned b) {
    return objects[a].sharesBytes(objects[b]);
  };
  for (auto [index, object] : llvm::enumerate(objects)) {
    Operation *unknown =
        isKernelUnknown ? kernel->getParentOp() : object.unknownUse;
    if (!unknown)
      continue;
    for (const Object &other : objects) {
      if (&other == &object || !object.sharesBytes(other))
        continue;
      result.unknownUses.push_back(
          {object.aliases.front(), other.aliases.front(), unknown});
      if (isKernelUnknown)
        return;
      break;
    }
  }
  if (isKernelUnknown)
    return;
  SmallVector<WorkgroupSync::Aliases> values;
  for (const Object &object : objects)
    values.push_back(object.aliases);
  WorkgroupSync sync(*kernel, values, calls, callees, options);
  std::optional<SmallVector<SyncConflict, 0>> conflicts =
      sync.findConflicts(mayShareBytes);
  if (!conflicts) {
    result.unknownUses.push_back({objects.front().aliases.front(),
                                  objects.back().aliases.front(),
                                  kernel->getParentOp()});
    return;
  }
  for (const SyncConflict &conflict : *conflicts)
    result.races.push_back({objects[conflict.first].aliases.front(),
                            objects[conflict.second].aliases.front(),
                            conflict.rule, conflict.from, conflict.to});
}

void RaceFinder::run(WorkgroupRaces &result) {
  collectPools();
  struct Kernel {
    bool isUnknown = false;
    SmallVector<Object, 0> objects;
  };
  llvm::MapVector<Region *, Kernel> kernels;
  for (auto [number, entry] : llvm::enumerate(pools)) {
    const Pool &pool = entry.second;
    Kernel &kernel = kernels[pool.kernel];
    kernel.isUnknown |= pool.isKernelUnknown;
    llvm::append_range(kernel.objects, collectObjects(pool, number));
  }
  for (const auto &[region, kernel] : kernels)
    check(region, kernel.isUnknown, kernel.objects, result);
}

WorkgroupRaces
buffer_merge::findWorkgroupRaces(Operation *root, CallPolicy calls,
                                 const WorkgroupOptions &options) {
  CalleeSummaries callees(root, calls);
  SmallVector<FunctionOpInterface> functions;
  root->walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
    if (!function.isExternal())
      functions.push_back(function);
  });
  WorkgroupRaces result;
  for (FunctionOpInterface function : functions)
    RaceFinder(function, calls, callees, options).run(result);
  return result;
}
