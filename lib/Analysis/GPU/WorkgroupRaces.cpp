//===- WorkgroupRaces.cpp - Races between views of one pool --------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkgroupRaces.h"
#include "Analysis/FunctionContext.h"
#include "Analysis/GPU/AccessedBytes.h"
#include "Analysis/GPU/EngineCopies.h"
#include "Analysis/PlacedUses.h"
#include "Analysis/ViewSources.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <deque>
#include <limits>
#include <map>
#include <tuple>

using namespace mlir;
using namespace buffer_merge;

//===----------------------------------------------------------------------===//
// Parts of pools
//===----------------------------------------------------------------------===//

namespace {
/// A pool as far as it is accessed directly, a `memref.view` of one, or a
/// `memref.subview` or `memref.reinterpret_cast` of these.
struct SharedObject {
  Value value;
  /// The function that `value` is in.
  Operation *function;
  /// The part of the same buffer that it is a part of, or null.
  const SharedObject *parent = nullptr;
  /// The pool or `memref.view` that it is, or is a part of.
  const SharedObject *buffer;
  /// It is a `memref.view`.
  bool isView = false;
  /// Those of the pool; nothing if they are not known.
  std::optional<ByteRange> bytes;
  /// Those, or the ones of the innermost part around it whose bytes are known:
  /// it may be anywhere in that. Nothing if that is a whole pool.
  std::optional<ByteRange> around;
  llvm::MapVector<Operation *, WorkgroupSync::Access> accesses;
  /// The first use that is not understood, or null.
  Operation *unknownUse = nullptr;
};

/// What is known of the bytes that two objects have in common.
enum class Overlap { None, Unknown, Some };

/// The objects of one function.
class SharedObjects {
public:
  SharedObjects(FunctionOpInterface function, const CalleeSummaries &callees,
                const DeviceCode &device)
      : context(function, callees, device) {}

  /// Add those of a pool to `objects`: `values` are its bytes, each with all
  /// that is derived from it. They live as long as this object.
  void collect(ArrayRef<Value> values,
               SmallVectorImpl<const SharedObject *> &objects);

private:
  SharedObject &addObject(Value value) {
    SharedObject &object = objects.emplace_back();
    object.value = value;
    object.function = context.function;
    object.buffer = &object;
    return object;
  }
  void addParts(SharedObject &object, ArrayRef<Value> values,
                llvm::DenseSet<Value> &seen,
                SmallVectorImpl<SharedObject *> &found);
  std::optional<ByteRange> findBytes(Value part,
                                     const SharedObject &buffer) const;
  void findUses(SharedObject &object, ArrayRef<Value> aliases) const;
  bool isBefore(Operation *a, Operation *b) const {
    return context.order.getTicks(a).first < context.order.getTicks(b).first;
  }

  FunctionContext context;
  std::deque<SharedObject> objects;
};
} // namespace

/// Return true if `a` is part of `b`.
static bool isPartOf(const SharedObject *a, const SharedObject *b) {
  for (; a; a = a->parent)
    if (a == b)
      return true;
  return false;
}

/// Return true if `a` and `b`, parts of one buffer with these `strides`, have
/// no element in common, as far as that is seen from one of their dimensions.
static bool areDisjointBoxes(MemRefType a, int64_t offsetA, MemRefType b,
                             int64_t offsetB, ArrayRef<int64_t> strides) {
  SmallVector<std::tuple<int64_t, int64_t, int64_t>> dimensions;
  for (auto [stride, sizeA, sizeB] :
       llvm::zip_equal(strides, a.getShape(), b.getShape())) {
    if (stride <= 0)
      return false;
    dimensions.emplace_back(stride, sizeA, sizeB);
  }
  llvm::sort(dimensions, std::greater<>());
  // Each index is what those with larger strides leave of the offset.
  int64_t outer = 0;
  bool areDisjoint = false;
  for (auto [stride, sizeA, sizeB] : dimensions) {
    if (outer % stride != 0)
      return false;
    outer = stride;
    int64_t beginA = offsetA / stride, beginB = offsetB / stride;
    areDisjoint |= beginA + sizeA <= beginB || beginB + sizeB <= beginA;
    offsetA %= stride;
    offsetB %= stride;
  }
  // What is left is which elements of a step are taken.
  return areDisjoint || offsetA != offsetB;
}

/// Compare two parts of one buffer.
static Overlap compareParts(const SharedObject &a, const SharedObject &b) {
  if (isPartOf(&a, &b) || isPartOf(&b, &a) || !a.bytes || !b.bytes)
    return Overlap::None;
  auto typeA = cast<MemRefType>(a.value.getType());
  auto typeB = cast<MemRefType>(b.value.getType());
  auto [stridesA, offsetA] = typeA.getStridesAndOffset();
  auto [stridesB, offsetB] = typeB.getStridesAndOffset();
  if (stridesA == stridesB &&
      (offsetA == offsetB ||
       areDisjointBoxes(typeA, offsetA, typeB, offsetB, stridesA)))
    return Overlap::None;
  // They are elements of one buffer, and each thread may keep to its own.
  return Overlap::Unknown;
}

/// Return which bytes of `a` and `b`, of the same pool, are in common as far as
/// one is accessed apart from the other. Parts of one buffer are compared only
/// if their places are known and the same index means different elements, and
/// never more is known than that they may overlap: what a program does with one
/// of its buffers is its own business.
static Overlap compareObjects(const SharedObject &a, const SharedObject &b) {
  auto areDisjoint = [](const std::optional<ByteRange> &one,
                        const std::optional<ByteRange> &other) {
    return one && other && !one->overlaps(*other);
  };
  if (a.accesses.empty() || b.accesses.empty() || areDisjoint(a.bytes, b.bytes))
    return Overlap::None;
  if (a.buffer == b.buffer)
    return compareParts(a, b);
  if (areDisjoint(a.around, b.around))
    return Overlap::None;
  // Of a caller and its callee, two parts of one variable that is no pool.
  bool isOneVariable =
      a.function != b.function && !a.buffer->isView && !b.buffer->isView;
  return a.around && b.around && !isOneVariable ? Overlap::Some
                                                : Overlap::Unknown;
}

/// Return true if `value` is an object of its own.
static bool isPart(Value value) {
  return isa_and_nonnull<memref::ViewOp, memref::SubViewOp,
                         memref::ReinterpretCastOp>(value.getDefiningOp());
}

/// Return what `part` is derived from, seen through what changes no byte.
static Value getSource(Value part) {
  Value source = part.getDefiningOp<ViewLikeOpInterface>().getViewSource();
  return followSources(source, [](Value value) {
    auto view = value.getDefiningOp<ViewLikeOpInterface>();
    return view && !isPart(value) ? view.getViewSource() : Value();
  });
}

/// Return the bytes that `part` has in a pool if it is derived from `buffer`.
std::optional<ByteRange>
SharedObjects::findBytes(Value part, const SharedObject &buffer) const {
  std::optional<int64_t> base;
  if (buffer.bytes)
    base = buffer.bytes->begin;
  if (auto view = part.getDefiningOp<memref::ViewOp>(); view && base) {
    std::optional<int64_t> shift = getConstantIntValue(view.getByteShift());
    base =
        shift && *shift >= 0 ? llvm::checkedAdd(*base, *shift) : std::nullopt;
  }
  return getBytes(part, base, context.layout);
}

/// Set what is done with `object`, which is accessed through `aliases`.
void SharedObjects::findUses(SharedObject &object,
                             ArrayRef<Value> aliases) const {
  object.accesses = WorkgroupSync::collectAccesses(aliases, context.callees);
  // Uses come in an arbitrary order.
  for (const auto &[op, access] : object.accesses)
    if (!access.isUnderstood &&
        (!object.unknownUse || isBefore(op, object.unknownUse)))
      object.unknownUse = op;
}

/// Complete `object`, which `values` are, and add to `found` the parts of it
/// that are not in `seen`.
void SharedObjects::addParts(SharedObject &object, ArrayRef<Value> values,
                             llvm::DenseSet<Value> &seen,
                             SmallVectorImpl<SharedObject *> &found) {
  SmallVector<Value> aliases, parts;
  for (Value start : values)
    for (Value alias : context.aliases.getAliases(start, isPart)) {
      if (alias == start || !isPart(alias))
        aliases.push_back(alias);
      else if (seen.insert(alias).second)
        parts.push_back(alias);
    }
  findUses(object, aliases);
  llvm::sort(parts, [&](Value a, Value b) {
    return isBefore(a.getDefiningOp(), b.getDefiningOp());
  });
  for (Value part : parts) {
    SharedObject &added = addObject(part);
    added.isView = part.getDefiningOp<memref::ViewOp>() != nullptr;
    // Another one may be that of any object that the source is bound to.
    if (llvm::is_contained(values, getSource(part)))
      added.bytes = findBytes(part, *object.buffer);
    added.around = added.bytes;
    if (!added.isView) {
      added.parent = &object;
      added.buffer = object.buffer;
      bool isInPool = !object.parent && !object.isView;
      if (!added.bytes && !isInPool)
        added.around = object.around;
    }
    found.push_back(&added);
  }
}

void SharedObjects::collect(ArrayRef<Value> values,
                            SmallVectorImpl<const SharedObject *> &result) {
  SharedObject &pool = addObject(values.front());
  pool.bytes = pool.around = {0, std::numeric_limits<int64_t>::max()};
  llvm::DenseSet<Value> seen;
  SmallVector<SharedObject *> found = {&pool};
  addParts(pool, values, seen, found);
  for (size_t i = 1; i < found.size(); ++i)
    addParts(*found[i], found[i]->value, seen, found);
  // The parts come first, in the order of the program.
  SmallVector<SharedObject *> sorted(llvm::drop_begin(found));
  llvm::sort(sorted, [&](SharedObject *a, SharedObject *b) {
    return isBefore(a->value.getDefiningOp(), b->value.getDefiningOp());
  });
  llvm::append_range(result, sorted);
  result.push_back(&pool);
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

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
  if (type.hasStaticShape() && type.getNumElements() == 0)
    return nullptr;
  return global.getNameAttr().getAsOpaquePointer();
}

/// Return the pool that begins at the first byte of `memory` that is aligned,
/// if `memory` is used for nothing else; null if it is. The bytes in front of
/// it are then nobody's.
///
/// ```
///   %address = memref.extract_aligned_pointer_as_index %memory
///   %skipped = arith.andi(arith.subi(0, %address), %alignment - 1)
///   %pool = memref.view (memref.reinterpret_cast %memory)[%skipped]
/// ```
static memref::ViewOp findAlignedPool(Value memory) {
  Value pointer, bytes;
  for (Operation *user : memory.getUsers()) {
    Value *found = nullptr;
    if (isa<memref::ExtractAlignedPointerAsIndexOp>(user))
      found = &pointer;
    else if (auto cast = dyn_cast<memref::ReinterpretCastOp>(user);
             cast && cast.getStaticOffsets() == ArrayRef<int64_t>{0})
      found = &bytes;
    if (!found || *found)
      return nullptr;
    *found = user->getResult(0);
  }
  if (!pointer || !pointer.hasOneUse())
    return nullptr;
  if (!bytes)
    bytes = memory;
  memref::ViewOp view;
  for (Operation *user : bytes.getUsers()) {
    if (user == pointer.getDefiningOp())
      continue;
    if (view || !isa<memref::ViewOp>(user))
      return nullptr;
    view = cast<memref::ViewOp>(user);
  }
  if (!view)
    return nullptr;
  auto skipped = view.getByteShift().getDefiningOp<arith::AndIOp>();
  auto negative =
      skipped ? skipped.getLhs().getDefiningOp<arith::SubIOp>() : nullptr;
  std::optional<int64_t> mask =
      skipped ? getConstantIntValue(skipped.getRhs()) : std::nullopt;
  bool isAligned = negative && mask && *mask >= 0 &&
                   isConstantIntValue(negative.getLhs(), 0) &&
                   negative.getRhs() == pointer;
  return isAligned ? view : nullptr;
}

namespace {
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

/// Checks the kernels of a program, function by function.
class RaceFinder {
public:
  RaceFinder(Operation *root, CallPolicy calls, const WorkgroupOptions &options,
             WorkgroupRaces &result)
      : root(root), options(options), callees(root, calls),
        device(root, options), otherSync(root, OtherSync::Kind::Any, options),
        result(result) {}

  void run(FunctionOpInterface function);

private:
  /// Objects of one function by their pools.
  using Pools = llvm::MapVector<PoolKey, SmallVector<const SharedObject *, 0>>;
  using CalleeObjects = SmallVector<std::pair<PoolKey, const SharedObject *>>;

  SharedObjects &getObjects(FunctionOpInterface function) {
    return sharedObjects.try_emplace(function, function, callees, device)
        .first->second;
  }
  FunctionOpInterface findCallee(CallOpInterface call);
  const Pools &getSharedPools(FunctionOpInterface function);
  const CalleeObjects &getCalleeObjects(CallOpInterface call);
  void collectPools(FunctionOpInterface function);
  void addPool(Value value, PoolKey key);
  void addCalleeObjects(Region *kernel);
  void dropUnshared();
  Overlap compare(unsigned a, unsigned b) const;
  void addUnknown(unsigned a, unsigned b, Operation *op);
  Operation *findUnknownUse(const SharedObject &object) const;
  bool addUnknownUses(Operation *unknownKernel);
  void check(Region *kernel);

  Operation *root;
  const WorkgroupOptions &options;
  CalleeSummaries callees;
  DeviceCode device;
  OtherSync otherSync;
  WorkgroupRaces &result;
  SymbolTableCollection symbolTables;
  /// By function, made when they are needed.
  std::map<Operation *, SharedObjects> sharedObjects;
  std::map<Operation *, Pools> sharedPools;
  llvm::DenseMap<Operation *, CalleeObjects> calleeObjects;
  /// Of the function that is being checked, by kernel and key, which is the
  /// kernel for its dynamic memory.
  llvm::MapVector<std::pair<Region *, PoolKey>, Pool> pools;
  /// Of the kernel that is being checked.
  SmallVector<PoolObject, 0> objects;
  /// Made if one of them is accessed by a copy engine.
  std::optional<EngineCopies> engine;
  /// For objects of callees, the calls that access them.
  llvm::DenseMap<const SharedObject *, SmallVector<Operation *, 1>> callsOf;
};
} // namespace

//===----------------------------------------------------------------------===//
// Functions and callees
//===----------------------------------------------------------------------===//

/// Return the function with a body that `call` executes, or null if it is not
/// known.
FunctionOpInterface RaceFinder::findCallee(CallOpInterface call) {
  auto callee = dyn_cast_or_null<FunctionOpInterface>(
      buffer_merge::findCallee(root, call, symbolTables));
  return callee && !callee.isExternal() ? callee : nullptr;
}

/// Return the objects in variables that `function` shares with others.
const RaceFinder::Pools &
RaceFinder::getSharedPools(FunctionOpInterface function) {
  auto [known, isNew] = sharedPools.try_emplace(function);
  if (!isNew)
    return known->second;
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
    getObjects(function).collect(sources, known->second[key]);
  return known->second;
}

/// Return what is accessed in shared variables by the functions that `call` may
/// execute.
const RaceFinder::CalleeObjects &
RaceFinder::getCalleeObjects(CallOpInterface call) {
  FunctionOpInterface callee = findCallee(call);
  auto [it, isNew] = calleeObjects.try_emplace(callee);
  if (!isNew || !callee)
    return it->second;
  llvm::SmallSetVector<Operation *, 4> functions;
  functions.insert(callee);
  CalleeObjects found;
  for (size_t i = 0; i < functions.size(); ++i) {
    auto function = cast<FunctionOpInterface>(functions[i]);
    for (const auto &[key, parts] : getSharedPools(function))
      for (const SharedObject *object : parts)
        if (!object->accesses.empty())
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
  if (!type || (op && !options.isWorkgroupSpace(type.getMemorySpace(),
                                                device.contains(op))))
    return;
  Region *kernel = value.getParentRegion();
  bool isUnknown = false;
  // An attribution is an argument of its kernel.
  std::variant<Region *, Refusal> found =
      findKernel(op ? op : &kernel->front().front(), device);
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

void RaceFinder::collectPools(FunctionOpInterface function) {
  pools.clear();
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != function && isa<FunctionOpInterface>(op))
      return WalkResult::skip();
    for (BlockArgument attribution : getWorkgroupAttributions(op))
      addPool(attribution, attribution.getAsOpaquePointer());
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      addPool(alloc, alloc.getOperation());
    else if (std::optional<PoolKey> key = getSharedKey(op))
      addPool(op->getResult(0), *key);
    return WalkResult::advance();
  });
  // Callees know no aligned pool.
  bool haveCalleesDynamic =
      function
          ->walk([&](CallOpInterface call) {
            bool isDynamic =
                llvm::any_of(getCalleeObjects(call),
                             [](const auto &entry) { return !entry.first; });
            return isDynamic ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
  for (auto &[key, pool] : pools)
    if (pool.values.size() == 1 && !haveCalleesDynamic)
      if (memref::ViewOp aligned = findAlignedPool(pool.values.front()))
        pool.values.front() = aligned;
}

/// Add what is accessed by calls in `kernel` in the pools that it has.
void RaceFinder::addCalleeObjects(Region *kernel) {
  kernel->walk([&](CallOpInterface call) {
    for (auto [key, object] : getCalleeObjects(call)) {
      auto *pool = pools.find({kernel, key ? key : kernel});
      if (pool == pools.end())
        continue;
      auto &calls = callsOf[object];
      if (calls.empty())
        objects.push_back({object, unsigned(pool - pools.begin())});
      calls.push_back(call);
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
    if (entry.object->accesses.empty())
      continue;
    ByteRange bytes = entry.object->around.value_or(
        ByteRange{0, std::numeric_limits<int64_t>::max()});
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
      isShared.set(last->number);
    }
    if (!last || last->pool != range.pool || range.end > last->end)
      last = &range;
  }
  SmallVector<PoolObject, 0> kept;
  for (unsigned number : isShared.set_bits())
    kept.push_back(objects[number]);
  objects = std::move(kept);
}

Overlap RaceFinder::compare(unsigned a, unsigned b) const {
  if (objects[a].pool != objects[b].pool)
    return Overlap::None;
  return compareObjects(*objects[a].object, *objects[b].object);
}

/// Note that `op` keeps races between `a` and `b` from being found.
void RaceFinder::addUnknown(unsigned a, unsigned b, Operation *op) {
  result.unknownUses.push_back(
      {objects[a].object->value, objects[b].object->value, op});
}

/// Return the first use of `object` that is not understood, or null.
Operation *RaceFinder::findUnknownUse(const SharedObject &object) const {
  // A call is done with what threads access only.
  if (callsOf.contains(&object))
    for (const auto &[op, access] : object.accesses)
      if (access.unit != AccessUnit::Threads)
        return op;
  if (!engine || !object.unknownUse || !engine->isKnown(object.unknownUse))
    return object.unknownUse;
  for (const auto &[op, access] : object.accesses)
    if (!access.isUnderstood && !engine->isKnown(op))
      return op;
  return nullptr;
}

/// Note each object with a use that is not understood and bytes in common with
/// another one; or the kernel once, if it is `unknownKernel`. Return true if
/// there may be races besides.
bool RaceFinder::addUnknownUses(Operation *unknownKernel) {
  // A kernel may have very many parts; of each pool those with a use that is
  // not understood matter.
  for (unsigned a = 0; a < objects.size(); ++a) {
    Operation *unknown =
        unknownKernel ? unknownKernel : findUnknownUse(*objects[a].object);
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
  WorkgroupSync::Accesses accesses;
  for (auto [number, entry] : llvm::enumerate(objects)) {
    WorkgroupSync::Access any;
    for (auto [op, access] : entry.object->accesses) {
      any.isRead |= access.isRead;
      any.isWrite |= access.isWrite;
      access.isUnderstood |= engine && engine->isKnown(op);
      any.object = access.object = number;
      accesses[op].push_back(access);
    }
    for (Operation *call : callsOf.lookup(entry.object))
      accesses[call].push_back(any);
  }
  WorkgroupSync sync(*kernel, std::move(accesses), Uniformity(*kernel, options),
                     options, otherSync);
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
      sync.findCertainConflicts(doOverlap);
  if (!certain)
    return addUnknown(0, objects.size() - 1, kernel->getParentOp());
  llvm::DenseSet<std::pair<unsigned, unsigned>> errors;
  for (const SyncConflict &conflict : *certain) {
    errors.insert({conflict.first, conflict.second});
    result.races.push_back({objects[conflict.first].object->value,
                            objects[conflict.second].object->value,
                            conflict.rule, conflict.from, conflict.to});
  }
  Operation *other = otherSync.findIn(*kernel);
  for (const SyncConflict &conflict : *conflicts) {
    unsigned a = conflict.first, b = conflict.second;
    // The first two are said already.
    if (errors.contains({a, b}) || findUnknownUse(*objects[a].object) ||
        findUnknownUse(*objects[b].object))
      continue;
    bool isPlaceUnknown = compare(a, b) == Overlap::Unknown;
    addUnknown(a, b, isPlaceUnknown || !other ? conflict.to : other);
  }
}

void RaceFinder::run(FunctionOpInterface function) {
  collectPools(function);
  llvm::MapVector<Region *, bool> kernels;
  for (const auto &[key, pool] : pools)
    kernels[pool.kernel] |= pool.isKernelUnknown;
  SharedObjects *known = pools.empty() ? nullptr : &getObjects(function);
  llvm::DenseMap<Region *, SmallVector<PoolObject, 0>> objectsOf;
  for (auto [number, entry] : llvm::enumerate(pools)) {
    SmallVector<const SharedObject *> parts;
    known->collect(entry.second.values, parts);
    for (const SharedObject *part : parts)
      objectsOf[entry.second.kernel].push_back({part, unsigned(number)});
  }
  for (auto [kernel, isUnknown] : kernels) {
    objects = std::move(objectsOf[kernel]);
    callsOf.clear();
    addCalleeObjects(kernel);
    dropUnshared();
    if (objects.empty())
      continue;
    engine.reset();
    bool isAnyEngine = llvm::any_of(objects, [](const PoolObject &entry) {
      return entry.object->unknownUse &&
             llvm::any_of(llvm::make_first_range(entry.object->accesses),
                          [](Operation *op) {
                            return getAccessUnit(op) == AccessUnit::Loads;
                          });
    });
    if (isAnyEngine && !isUnknown)
      engine.emplace(*kernel, Uniformity(*kernel, options), options);
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
  WorkgroupRaces result;
  RaceFinder finder(root, calls, options, result);
  for (FunctionOpInterface function : functions)
    finder.run(function);
  return result;
}
