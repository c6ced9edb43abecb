//===- WorkgroupRaces.cpp - Races between views of one pool --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkgroupRaces.h"
#include "Mutation.h"
#include "SharedObjects.h"
#include "buffer-merge/Analysis/DeviceCode.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <limits>
#include <tuple>

using namespace mlir;
using namespace buffer_merge;

/// The bytes of a value that different functions, or places of one, may name:
/// the name of a global, null for dynamic memory, else the value itself.
using PoolKey = const void *;

/// Return the key of the bytes that `op` gives, if that is memory which others
/// may name as well; nothing if it is not.
static std::optional<PoolKey> getSharedKey(Operation *op) {
  if (isa<gpu::DynamicSharedMemoryOp>(op))
    return nullptr;
  auto global = dyn_cast<memref::GetGlobalOp>(op);
  if (!global)
    return std::nullopt;
  // A variable without a size begins where dynamic memory does, whatever its
  // name is.
  auto type = global.getType();
  if (type.hasStaticShape() && type.getNumElements() == 0 &&
      !isMutated("races-zero-size"))
    return nullptr;
  return global.getNameAttr().getAsOpaquePointer();
}

namespace {
/// What is known of the program around the kernels.
class Program {
public:
  Program(Operation *root, CallPolicy calls, const WorkgroupOptions &options)
      : root(root), calls(calls), options(options), callees(root, calls),
        device(root, options), otherSync(root, OtherSync::Kind::Any, options) {}

  /// Objects of one function by their pools.
  using Pools = llvm::MapVector<PoolKey, SmallVector<const SharedObject *, 0>>;

  /// Return the objects of `function`, which are made when they are needed.
  SharedObjects &getObjects(FunctionOpInterface function);

  /// Return what is accessed in shared variables by the functions that `call`
  /// may execute.
  const SmallVector<std::pair<PoolKey, const SharedObject *>> &
  getCalleeObjects(CallOpInterface call);

  Operation *root;
  CallPolicy calls;
  const WorkgroupOptions &options;
  CalleeSummaries callees;
  DeviceCode device;
  OtherSync otherSync;

private:
  FunctionOpInterface findCallee(CallOpInterface call);
  const Pools &getSharedPools(FunctionOpInterface function);

  SymbolTableCollection symbolTables;
  llvm::DenseMap<Operation *, std::unique_ptr<SharedObjects>> objects;
  llvm::DenseMap<Operation *, std::unique_ptr<Pools>> sharedPools;
  llvm::DenseMap<Operation *,
                 SmallVector<std::pair<PoolKey, const SharedObject *>>>
      calleeObjects;
};

/// Values that are the same bytes of one kernel.
struct Pool {
  Region *kernel;
  /// The control flow of the kernel is not understood.
  bool isKernelUnknown;
  SmallVector<Value, 1> values;
};

/// An object, and the pool that it is in by its number.
struct PoolObject {
  const SharedObject *object;
  unsigned pool;
};

/// Checks the kernels of one function.
class RaceFinder {
public:
  RaceFinder(FunctionOpInterface function, Program &program,
             WorkgroupRaces &result)
      : function(function), program(program), result(result) {}

  void run();

private:
  void collectPools();
  void addPool(Value value, PoolKey key);
  void addCalleeObjects(Region *kernel);
  void dropUnshared();
  Overlap compare(unsigned a, unsigned b) const;
  void addUnknown(unsigned a, unsigned b, Operation *op);
  bool addUnknownUses(Operation *unknownKernel);
  void check(Region *kernel);

  FunctionOpInterface function;
  Program &program;
  WorkgroupRaces &result;
  /// By kernel and key, which is the kernel for its dynamic memory.
  llvm::MapVector<std::pair<Region *, PoolKey>, Pool> pools;
  /// Of the kernel that is being checked.
  SmallVector<PoolObject, 0> objects;
  SmallVector<std::pair<Operation *, unsigned>> calleeAccesses;
};
} // namespace

//===----------------------------------------------------------------------===//
// Functions and callees
//===----------------------------------------------------------------------===//

SharedObjects &Program::getObjects(FunctionOpInterface function) {
  std::unique_ptr<SharedObjects> &known = objects[function];
  if (!known)
    known = std::make_unique<SharedObjects>(function, calls, callees);
  return *known;
}

/// Return the function with a body that `call` executes, or null if it is not
/// known.
FunctionOpInterface Program::findCallee(CallOpInterface call) {
  Operation *table = SymbolTable::getNearestSymbolTable(call);
  auto symbol = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
  if (!symbol || !table || !root->isAncestor(table))
    return nullptr;
  auto callee = dyn_cast_or_null<FunctionOpInterface>(
      symbolTables.lookupSymbolIn(table, symbol));
  return callee && !callee.isExternal() ? callee : nullptr;
}

/// Return the objects in variables that `function` shares with others.
const Program::Pools &Program::getSharedPools(FunctionOpInterface function) {
  std::unique_ptr<Pools> &known = sharedPools[function];
  if (known)
    return *known;
  known = std::make_unique<Pools>();
  llvm::MapVector<PoolKey, SmallVector<Value, 1>> values;
  function->walk([&](Operation *op) {
    std::optional<PoolKey> key = getSharedKey(op);
    if (key &&
        options.isWorkgroupSpace(
            cast<MemRefType>(op->getResult(0).getType()).getMemorySpace(),
            device.contains(op)))
      values[*key].push_back(op->getResult(0));
  });
  for (const auto &[key, sources] : values)
    getObjects(function).collect(sources, (*known)[key]);
  return *known;
}

const SmallVector<std::pair<PoolKey, const SharedObject *>> &
Program::getCalleeObjects(CallOpInterface call) {
  FunctionOpInterface callee = findCallee(call);
  auto [it, isNew] = calleeObjects.try_emplace(callee);
  if (!isNew || !callee)
    return it->second;
  llvm::SmallSetVector<Operation *, 4> functions;
  functions.insert(callee);
  SmallVector<std::pair<PoolKey, const SharedObject *>> found;
  for (size_t i = 0; i < functions.size(); ++i) {
    auto function = cast<FunctionOpInterface>(functions[i]);
    for (const auto &[key, parts] : getSharedPools(function))
      for (const SharedObject *object : parts)
        if (object->isAccessed)
          found.emplace_back(key, object);
    function->walk([&](CallOpInterface inner) {
      if (FunctionOpInterface next = findCallee(inner))
        functions.insert(next);
    });
  }
  return calleeObjects[callee] = std::move(found);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

void RaceFinder::addPool(Value value, PoolKey key) {
  auto type = dyn_cast<MemRefType>(value.getType());
  Operation *op = value.getDefiningOp();
  // An attribution is in workgroup memory whatever its type says.
  if (!type || (op && !program.options.isWorkgroupSpace(
                          type.getMemorySpace(), program.device.contains(op))))
    return;
  Region *kernel = value.getParentRegion();
  bool isUnknown = false;
  // An attribution is an argument of its kernel.
  std::variant<Region *, UnmergeableReason> found =
      findKernel(op ? op : &kernel->front().front(), program.device);
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
    else if (std::optional<PoolKey> key = getSharedKey(op))
      addPool(op->getResult(0), *key);
    return WalkResult::advance();
  });
}

/// Add what is accessed by calls in `kernel` in the pools that it has.
void RaceFinder::addCalleeObjects(Region *kernel) {
  if (isMutated("races-callee"))
    return;
  llvm::DenseMap<const SharedObject *, unsigned> numbers;
  kernel->walk([&](CallOpInterface call) {
    for (auto [key, object] : program.getCalleeObjects(call)) {
      auto *pool = pools.find({kernel, key ? key : kernel});
      if (pool == pools.end())
        continue;
      auto [it, isNew] = numbers.try_emplace(object, objects.size());
      if (isNew)
        objects.push_back({object, unsigned(pool - pools.begin())});
      calleeAccesses.emplace_back(call, it->second);
    }
  });
}

/// Drop the objects that have no byte in common with any other: a kernel may
/// have very many, and what is left is compared in pairs.
void RaceFinder::dropUnshared() {
  struct Range {
    unsigned pool;
    int64_t begin, end;
    unsigned number;
  };
  SmallVector<Range, 0> ranges;
  for (auto [number, entry] : llvm::enumerate(objects)) {
    if (!entry.object->isAccessed)
      continue;
    SharedObject::Bytes bytes = entry.object->getBytesAround().value_or(
        SharedObject::Bytes{0, std::numeric_limits<int64_t>::max()});
    ranges.push_back({entry.pool, bytes.begin, bytes.end, unsigned(number)});
  }
  llvm::sort(ranges, [](const Range &a, const Range &b) {
    return std::tie(a.pool, a.begin, a.number) <
           std::tie(b.pool, b.begin, b.number);
  });
  llvm::BitVector isShared(objects.size());
  // If one overlaps any earlier one, it overlaps that which ends last; and all
  // earlier ones that end after its begin overlap that as well.
  const Range *last = nullptr;
  for (const Range &range : ranges) {
    if (last && last->pool == range.pool && range.begin < last->end) {
      isShared.set(range.number);
      if (!isMutated("races-earlier-is-unshared"))
        isShared.set(last->number);
    }
    if (!last || last->pool != range.pool || range.end > last->end)
      last = &range;
  }
  SmallVector<unsigned> newNumbers(objects.size());
  SmallVector<PoolObject, 0> kept;
  for (unsigned number : isShared.set_bits()) {
    newNumbers[number] = kept.size();
    kept.push_back(objects[number]);
  }
  llvm::erase_if(calleeAccesses, [&](const auto &access) {
    return !isShared.test(access.second);
  });
  for (auto &[call, number] : calleeAccesses)
    number = newNumbers[number];
  objects = std::move(kept);
}

Overlap RaceFinder::compare(unsigned a, unsigned b) const {
  if (objects[a].pool != objects[b].pool)
    return Overlap::None;
  return buffer_merge::compare(*objects[a].object, *objects[b].object);
}

/// Note that `op` keeps races between `a` and `b` from being found.
void RaceFinder::addUnknown(unsigned a, unsigned b, Operation *op) {
  result.unknownUses.push_back({objects[a].object->aliases.front(),
                                objects[b].object->aliases.front(), op});
}

/// Note each object with a use that is not understood and bytes in common with
/// another one; or the kernel once, if it is `unknownKernel`. Return true if
/// there may be races besides.
bool RaceFinder::addUnknownUses(Operation *unknownKernel) {
  // A kernel may have very many parts; of each pool those with a use that is
  // not understood matter.
  for (unsigned a = 0; a < objects.size(); ++a) {
    Operation *unknown =
        unknownKernel ? unknownKernel : objects[a].object->unknownUse;
    if (!unknown)
      continue;
    for (unsigned b = 0; b < objects.size(); ++b) {
      if (a == b || compare(a, b) == Overlap::None)
        continue;
      addUnknown(a, b, unknown);
      if (unknownKernel)
        return false;
      break;
    }
  }
  return !unknownKernel;
}

/// Check the objects of `kernel`.
void RaceFinder::check(Region *kernel) {
  SmallVector<WorkgroupSync::Aliases> values;
  for (const PoolObject &object : objects)
    values.push_back(object.object->aliases);
  WorkgroupSync::Extras extras = {&program.otherSync, calleeAccesses};
  WorkgroupSync sync(*kernel, values, program.calls, program.callees,
                     program.options, extras);
  auto mayOverlap = [&](unsigned a, unsigned b) {
    return compare(a, b) != Overlap::None;
  };
  auto doOverlap = [&](unsigned a, unsigned b) {
    return compare(a, b) == Overlap::Some;
  };
  std::optional<SmallVector<SyncConflict, 0>> conflicts =
      sync.findConflicts(mayOverlap);
  if (!conflicts)
    return addUnknown(0, objects.size() - 1, kernel->getParentOp());
  if (conflicts->empty())
    return;
  std::optional<SmallVector<SyncConflict, 0>> certain =
      isMutated("races-other-sync") ? sync.findConflicts(doOverlap)
                                    : sync.findCertainConflicts(doOverlap);
  if (!certain)
    return addUnknown(0, objects.size() - 1, kernel->getParentOp());
  llvm::DenseSet<std::pair<unsigned, unsigned>> errors;
  for (const SyncConflict &conflict : *certain) {
    errors.insert({conflict.first, conflict.second});
    result.races.push_back({objects[conflict.first].object->aliases.front(),
                            objects[conflict.second].object->aliases.front(),
                            conflict.rule, conflict.from, conflict.to});
  }
  Operation *other = program.otherSync.findIn(*kernel);
  for (const SyncConflict &conflict : *conflicts) {
    unsigned a = conflict.first, b = conflict.second;
    // The first two are said already.
    if (errors.contains({a, b}) || objects[a].object->unknownUse ||
        objects[b].object->unknownUse)
      continue;
    bool isPlaceUnknown = compare(a, b) == Overlap::Unknown;
    addUnknown(a, b, isPlaceUnknown || !other ? conflict.to : other);
  }
}

void RaceFinder::run() {
  collectPools();
  llvm::MapVector<Region *, bool> kernels;
  for (const auto &[key, pool] : pools)
    kernels[pool.kernel] |= pool.isKernelUnknown;
  SharedObjects *known =
      pools.empty() ? nullptr : &program.getObjects(function);
  llvm::DenseMap<Region *, SmallVector<PoolObject, 0>> objectsOf;
  for (auto [number, entry] : llvm::enumerate(pools)) {
    SmallVector<const SharedObject *> parts;
    known->collect(entry.second.values, parts);
    for (const SharedObject *part : parts)
      objectsOf[entry.second.kernel].push_back({part, unsigned(number)});
  }
  for (auto [kernel, isUnknown] : kernels) {
    objects = std::move(objectsOf[kernel]);
    calleeAccesses.clear();
    addCalleeObjects(kernel);
    dropUnshared();
    if (objects.empty())
      continue;
    if (addUnknownUses(isUnknown ? kernel->getParentOp() : nullptr))
      check(kernel);
  }
}

WorkgroupRaces
buffer_merge::findWorkgroupRaces(Operation *root, CallPolicy calls,
                                 const WorkgroupOptions &options) {
  SmallVector<FunctionOpInterface> functions;
  root->walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
    if (!function.isExternal())
      functions.push_back(function);
  });
  Program program(root, calls, options);
  WorkgroupRaces result;
  for (FunctionOpInterface function : functions)
    RaceFinder(function, program, result).run();
  return result;
}
