//===- Pins.cpp - Where the program wants a buffer ------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pins.h"
#include "Planning/Regions/RegionPlan.h"
#include "Scheduling/Components.h"
#include "buffer-merge/Scheduling/Input.h"
#include "buffer-merge/Scheduling/Verifier.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace buffer_merge;

static constexpr StringLiteral pinNames[] = {
    pinnedRegionAttrName, pinnedOffsetAttrName, bufferAddressAttrName,
    bufferNameAttrName,   apartAttrName,        togetherAttrName};

bool buffer_merge::hasPin(Operation *alloc) {
  if (!alloc)
    return false;
  DictionaryAttr attributes = alloc->getDiscardableAttrDictionary();
  return !attributes.empty() && llvm::any_of(pinNames, [&](StringRef name) {
    return attributes.contains(name);
  });
}

bool buffer_merge::hasPinnedOffset(Operation *alloc) {
  return alloc && (alloc->getDiscardableAttr(pinnedOffsetAttrName) ||
                   alloc->getDiscardableAttr(bufferAddressAttrName));
}

void buffer_merge::removePins(Operation *op) {
  if (op->getDiscardableAttrDictionary().empty())
    return;
  for (StringRef name : pinNames)
    if (name != bufferNameAttrName)
      op->removeDiscardableAttr(name);
}

//===----------------------------------------------------------------------===//
// What the attributes say
//===----------------------------------------------------------------------===//

namespace {
/// The attributes of one allocation. Strings are empty where there is none.
struct Pin {
  StringRef name, region, together;
  std::optional<int64_t> offset, address;
  SmallVector<StringRef, 1> apart;

  bool hasPlace() const { return !region.empty() || offset || address; }
};

/// A buffer with attributes.
struct PinnedBuffer {
  const BufferLifetime *buffer;
  Pin pin;
  /// Where it is, or null if it is in no pool.
  PoolPlan *pool = nullptr;
  BufferId id = 0;

  memref::AllocOp getAlloc() const { return buffer->getAllocOp(); }
};
} // namespace

static LogicalResult readText(memref::AllocOp alloc, StringRef name,
                              StringRef &text, PlanMessages &messages) {
  Attribute attribute = alloc->getDiscardableAttr(name);
  if (!attribute)
    return success();
  auto string = dyn_cast<StringAttr>(attribute);
  if (!string || string.empty())
    return messages.addError(alloc.getLoc())
           << "'" << name << "' is not a name";
  text = string.getValue();
  return success();
}

static LogicalResult readBytes(memref::AllocOp alloc, StringRef name,
                               std::optional<int64_t> &bytes,
                               PlanMessages &messages) {
  Attribute attribute = alloc->getDiscardableAttr(name);
  if (!attribute)
    return success();
  auto integer = dyn_cast<IntegerAttr>(attribute);
  if (!integer || integer.getValue().getSignificantBits() > 64 ||
      integer.getValue().getSExtValue() < 0 ||
      integer.getValue().getSExtValue() > maxBytes)
    return messages.addError(alloc.getLoc())
           << "'" << name << "' is not an integer from 0 to " << maxBytes;
  bytes = integer.getValue().getSExtValue();
  return success();
}

static FailureOr<Pin> readPin(memref::AllocOp alloc, PlanMessages &messages) {
  Pin pin;
  if (failed(readText(alloc, bufferNameAttrName, pin.name, messages)) ||
      failed(readText(alloc, togetherAttrName, pin.together, messages)) ||
      failed(readBytes(alloc, pinnedOffsetAttrName, pin.offset, messages)) ||
      failed(readBytes(alloc, bufferAddressAttrName, pin.address, messages)))
    return failure();
  // A dictionary says that it is a pool.
  if (!isa_and_nonnull<DictionaryAttr>(
          alloc->getDiscardableAttr(pinnedRegionAttrName)) &&
      failed(readText(alloc, pinnedRegionAttrName, pin.region, messages)))
    return failure();
  Attribute apart = alloc->getDiscardableAttr(apartAttrName);
  if (auto names = dyn_cast_or_null<ArrayAttr>(apart)) {
    for (Attribute name : names) {
      auto text = dyn_cast<StringAttr>(name);
      if (!text || text.empty())
        return messages.addError(alloc.getLoc())
               << "'" << apartAttrName << "' has an entry that is not a name";
      pin.apart.push_back(text.getValue());
    }
  } else if (apart) {
    if (failed(
            readText(alloc, apartAttrName, pin.apart.emplace_back(), messages)))
      return failure();
  }
  return pin;
}

/// Return how errors call `buffer`.
static std::string describe(const BufferLifetime &buffer) {
  memref::AllocOp alloc = buffer.getAllocOp();
  if (auto name = dyn_cast_or_null<StringAttr>(
          alloc ? alloc->getDiscardableAttr(bufferNameAttrName) : Attribute()))
    return ("'" + name.getValue() + "'").str();
  std::string text;
  llvm::raw_string_ostream(text) << "the " << buffer.alloc.getType();
  return text;
}

namespace {
/// The buffers of a plan that have attributes, and what they call each other.
class PinnedBuffers {
public:
  /// `messages` must outlive the object.
  PinnedBuffers(const BufferLifetimes &lifetimes,
                MutableArrayRef<PoolPlan> pools, PlanMessages &messages);

  /// Add one error and fail if an attribute is malformed.
  LogicalResult read();

  MutableArrayRef<PinnedBuffer> getAll() { return all; }

  /// Return true if an earlier run has merged the buffer of the function of
  /// `from` that is called `name`.
  bool isMerged(const PinnedBuffer &from, StringRef name) const;

  /// Return the buffer of the function of `from` that is called `name`. Add
  /// one error, about the attribute `attribute` of `from`, and return null if
  /// there is none or more than one, or if it is `from`.
  const PinnedBuffer *lookup(const PinnedBuffer &from, StringRef attribute,
                             StringRef name) const;

private:
  static Operation *getFunction(const PinnedBuffer &buffer) {
    return buffer.getAlloc()->getParentOfType<FunctionOpInterface>();
  }

  PlanMessages &messages;
  SmallVector<PinnedBuffer, 0> all;
  /// The last one called so.
  DenseMap<std::pair<Operation *, StringRef>, size_t> byName;
  /// One called as another one, and that one.
  DenseMap<std::pair<Operation *, StringRef>, size_t> first;
};
} // namespace

PinnedBuffers::PinnedBuffers(const BufferLifetimes &lifetimes,
                             MutableArrayRef<PoolPlan> pools,
                             PlanMessages &messages)
    : messages(messages) {
  for (const BufferLifetime &buffer : lifetimes.getBuffers())
    if (hasPin(buffer.getAllocOp()))
      all.push_back({&buffer, Pin()});
  if (all.empty())
    return;
  DenseMap<const BufferLifetime *, std::pair<PoolPlan *, BufferId>> places;
  for (PoolPlan &pool : pools)
    for (auto [id, buffer] : llvm::enumerate(pool.buffers))
      places[buffer] = {&pool, id};
  for (PinnedBuffer &buffer : all)
    std::tie(buffer.pool, buffer.id) = places.lookup(buffer.buffer);
}

LogicalResult PinnedBuffers::read() {
  for (auto [index, buffer] : llvm::enumerate(all)) {
    FailureOr<Pin> pin = readPin(buffer.getAlloc(), messages);
    if (failed(pin))
      return failure();
    buffer.pin = *pin;
    if (pin->name.empty())
      continue;
    std::pair<Operation *, StringRef> key = {getFunction(buffer), pin->name};
    first.try_emplace(key, index);
    byName[key] = index;
  }
  return success();
}

bool PinnedBuffers::isMerged(const PinnedBuffer &from, StringRef name) const {
  Operation *function = getFunction(from);
  if (!function || byName.contains({function, name}))
    return false;
  return function
      ->walk([&](memref::ViewOp view) {
        auto known = dyn_cast_or_null<StringAttr>(
            view->getDiscardableAttr(bufferNameAttrName));
        return known && known.getValue() == name ? WalkResult::interrupt()
                                                 : WalkResult::advance();
      })
      .wasInterrupted();
}

const PinnedBuffer *PinnedBuffers::lookup(const PinnedBuffer &from,
                                          StringRef attribute,
                                          StringRef name) const {
  std::pair<Operation *, StringRef> key = {getFunction(from), name};
  auto it = byName.find(key);
  if (it == byName.end()) {
    Diagnostic &error = messages.addError(from.getAlloc().getLoc());
    error << "'" << attribute << "': the function has no buffer '" << name
          << "'";
    SmallVector<StringRef> names;
    for (const auto &entry : byName)
      if (entry.first.first == key.first)
        names.push_back(entry.first.second);
    llvm::sort(names);
    // A buffer that names another one may have a name itself.
    llvm::erase(names, from.pin.name);
    if (StringRef nearest = findNearestName(name, names); !nearest.empty())
      error << "; the nearest is '" << nearest << "'";
    return nullptr;
  }
  const PinnedBuffer &found = all[it->second];
  if (size_t other = first.lookup(key); other != it->second) {
    Diagnostic &error = messages.addError(from.getAlloc().getLoc());
    error << "'" << attribute << "': two buffers of the function are called '"
          << name << "'";
    for (const PinnedBuffer *same : {&all[other], &found})
      error.attachNote(same->getAlloc().getLoc()) << "this is one of them";
    return nullptr;
  }
  if (&found == &from) {
    messages.addError(from.getAlloc().getLoc())
        << "'" << attribute << "': the buffer names itself";
    return nullptr;
  }
  return &found;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static std::string joinNames(ArrayRef<const TargetRegion *> regions) {
  return llvm::join(
      llvm::map_range(regions,
                      [](const TargetRegion *region) { return region->name; }),
      ", ");
}

/// Return the place of `buffer` in the regions of its memory space, which there
/// are, or what is wrong with it.
static std::variant<PinnedPlace, std::string>
resolvePlace(const BufferLifetime &buffer, const Pin &pin,
             const MergePlanOptions &options) {
  SmallVector<const TargetRegion *> regions;
  for (const SpaceRegion &item : options.regions)
    if (item.spaces.contains(buffer.getMemorySpace(), /*isInDeviceCode=*/false))
      regions.push_back(&item.region);
  std::string names = joinNames(regions);
  if (!pin.region.empty()) {
    llvm::erase_if(regions, [&](const TargetRegion *region) {
      return region->name != pin.region;
    });
    if (regions.empty())
      return llvm::formatv("'{0}': its memory space has no region '{1}', but: "
                           "{2}",
                           pinnedRegionAttrName, pin.region, names)
          .str();
  }
  PinnedPlace place;
  place.offset = pin.offset;
  if (pin.address) {
    llvm::erase_if(regions, [&](const TargetRegion *region) {
      return !region->address || *pin.address < *region->address ||
             *pin.address - *region->address > region->bytes - *buffer.size;
    });
    if (regions.empty())
      return llvm::formatv("'{0}': no region{1} has the addresses {2:x} to "
                           "{3:x}",
                           bufferAddressAttrName,
                           pin.region.empty() ? " of its memory space"
                                              : " of this name",
                           *pin.address, *pin.address + *buffer.size)
          .str();
    place.offset = *pin.address - *regions.front()->address;
    if (pin.offset && pin.offset != place.offset)
      return llvm::formatv("'{0}' and '{1}' contradict each other: the address "
                           "is that of byte {2}",
                           pinnedOffsetAttrName, bufferAddressAttrName,
                           *place.offset)
          .str();
  }
  if (pin.offset && regions.size() != 1)
    return llvm::formatv("'{0}' needs '{1}': its memory space has the regions "
                         "{2}",
                         pinnedOffsetAttrName, pinnedRegionAttrName, names)
        .str();
  if (place.offset || !pin.region.empty())
    place.region = regions.front();
  return place;
}

PinnedPlace buffer_merge::getPinnedPlace(const BufferLifetime &buffer,
                                         const MergePlanOptions &options) {
  memref::AllocOp alloc = buffer.getAllocOp();
  if (!hasPin(alloc))
    return {};
  PlanMessages messages;
  FailureOr<Pin> pin = readPin(alloc, messages);
  if (failed(pin))
    return {};
  auto place = resolvePlace(buffer, *pin, options);
  auto *found = std::get_if<PinnedPlace>(&place);
  return found ? *found : PinnedPlace();
}

LogicalResult
buffer_merge::checkPinnedOffsets(ArrayRef<const BufferLifetime *> buffers,
                                 const SchedulingProblem &problem,
                                 PlanMessages &messages) {
  SmallVector<BufferId, 0> fixed;
  for (BufferId id = 0; id < buffers.size(); ++id)
    if (problem.buffers[id].fixedOffset)
      fixed.push_back(id);
  if (fixed.empty())
    return success();
  SchedulingProblem part = extractProblem(problem, fixed);
  SmallVector<int64_t, 0> offsets;
  std::vector<std::string> names;
  for (auto [id, buffer] : llvm::zip_equal(fixed, part.buffers)) {
    offsets.push_back(*buffer.fixedOffset);
    names.push_back(describe(*buffers[id]));
  }
  std::optional<ScheduleViolation> violation =
      findScheduleViolation(part, makeSchedule(part, std::move(offsets)));
  if (!violation)
    return success();
  const BufferLifetime &first = *buffers[fixed[violation->first.value_or(0)]];
  Diagnostic &error = messages.addError(first.alloc.getLoc());
  error << "the place that is asked for contradicts the analysis: "
        << violation->str(names);
  if (violation->second)
    error.attachNote(buffers[fixed[*violation->second]]->alloc.getLoc())
        << "this is the other one";
  return error;
}

//===----------------------------------------------------------------------===//
// Into the problems
//===----------------------------------------------------------------------===//

/// Return true if the pass was asked to leave `buffer` alone.
static bool isLeftOnPurpose(const BufferLifetime &buffer,
                            const MergePlanOptions &options) {
  if (!buffer.refusal)
    return false;
  return buffer.refusal->reason == UnmergeableReason::Ineligible ||
         (buffer.refusal->reason == UnmergeableReason::MemorySpace &&
          options.lifetimes.memorySpaces);
}

static Diagnostic &addPinError(const PinnedBuffer &buffer,
                               PlanMessages &messages) {
  return messages.addError(buffer.getAlloc().getLoc());
}

/// Take the place that `buffer` asks for.
static LogicalResult takePlace(const PinnedBuffer &buffer,
                               const MergePlanOptions &options,
                               PlanMessages &messages) {
  const Pin &pin = buffer.pin;
  PoolPlan &pool = *buffer.pool;
  if (mayHaveRegions(pool, options)) {
    auto place = resolvePlace(*buffer.buffer, pin, options);
    if (auto *message = std::get_if<std::string>(&place))
      return addPinError(buffer, messages) << *message;
    pool.isPinned = true;
    return success();
  }
  const Capacity *capacity =
      options.findCapacity(pool.memorySpace, pool.isInDeviceCode());
  if (!pin.region.empty() && (!capacity || capacity->region != pin.region)) {
    Diagnostic &error = addPinError(buffer, messages);
    error << "'" << pinnedRegionAttrName
          << "': its memory space has no region '" << pin.region << "'";
    if (capacity && !capacity->region.empty())
      error << ", but: " << capacity->region;
    return error;
  }
  if (pin.address)
    return addPinError(buffer, messages)
           << "'" << bufferAddressAttrName
           << "': its memory space has no region with an address";
  if (pin.offset) {
    pool.problem.buffers[buffer.id].fixedOffset = pin.offset;
    pool.isPinned = true;
  }
  return success();
}

/// Return true if `first` and `second` of `problem` may be used in place.
static bool areInPlace(const SchedulingProblem &problem, BufferId first,
                       BufferId second) {
  return llvm::any_of(problem.inPlacePairs, [&](const InPlacePair &pair) {
    return (pair.earlier == first && pair.later == second) ||
           (pair.earlier == second && pair.later == first);
  });
}

/// Add one error and fail if two buffers of one place of `pool` must not share
/// bytes.
static LogicalResult checkTogether(const PoolPlan &pool,
                                   PlanMessages &messages) {
  const SchedulingProblem &problem = pool.problem;
  if (problem.samePlaces.empty())
    return success();
  llvm::IntEqClasses classes(problem.buffers.size());
  for (auto [a, b] : problem.samePlaces)
    classes.join(a, b);
  classes.compress();
  std::vector<SmallVector<BufferId, 2>> groups(classes.getNumClasses());
  for (BufferId id = 0; id < problem.buffers.size(); ++id)
    groups[classes[id]].push_back(id);
  auto add = [&](BufferId a, BufferId b) -> Diagnostic & {
    Diagnostic &error = messages.addError(pool.buffers[b]->alloc.getLoc());
    error << "'" << togetherAttrName << "' contradicts ";
    error.attachNote(pool.buffers[a]->alloc.getLoc())
        << "this is the other one";
    return error;
  };
  for (ArrayRef<BufferId> group : groups)
    for (auto [index, b] : llvm::enumerate(group))
      for (BufferId a : group.take_front(index)) {
        const Buffer &first = problem.buffers[a], &second = problem.buffers[b];
        if (first.overlapsInTime(second) && !areInPlace(problem, a, b))
          return add(a, b) << "the analysis: " << describe(*pool.buffers[b])
                           << " is in use in ticks [" << second.begin << ", "
                           << second.end << "), and "
                           << describe(*pool.buffers[a]) << " in ["
                           << first.begin << ", " << first.end << ")";
      }
  for (auto [first, second] : problem.conflicts)
    if (auto [a, b] = std::minmax(first, second); classes[a] == classes[b])
      return add(a, b) << "what keeps " << describe(*pool.buffers[a]) << " and "
                       << describe(*pool.buffers[b]) << " apart";
  return success();
}

/// Take what `buffer` asks for beside others.
static LogicalResult takeRelations(const PinnedBuffer &buffer,
                                   const PinnedBuffers &pins,
                                   const MergePlanOptions &options,
                                   PlanMessages &messages) {
  for (StringRef name : buffer.pin.apart) {
    // What is left has no byte of a pool that was made.
    if (pins.isMerged(buffer, name))
      continue;
    const PinnedBuffer *other = pins.lookup(buffer, apartAttrName, name);
    if (!other)
      return failure();
    // Pools share no byte.
    if (!buffer.pool || other->pool != buffer.pool)
      continue;
    buffer.pool->problem.conflicts.push_back({buffer.id, other->id});
  }
  if (buffer.pin.together.empty())
    return success();
  const PinnedBuffer *other =
      pins.lookup(buffer, togetherAttrName, buffer.pin.together);
  if (!other)
    return failure();
  if (isLeftOnPurpose(*buffer.buffer, options))
    return success();
  auto add = [&](const std::string &why) -> Diagnostic & {
    Diagnostic &error = addPinError(buffer, messages);
    error << "'" << togetherAttrName << "' contradicts the analysis: " << why;
    error.attachNote(other->getAlloc().getLoc()) << "this is the other one";
    return error;
  };
  for (const PinnedBuffer *one : {&buffer, other})
    if (!one->pool)
      return add(describe(*one->buffer) + " stays: " +
                 describeReason(one->buffer->refusal->reason,
                                one->buffer->refusal->op));
  if (buffer.pool != other->pool)
    return add(describe(*buffer.buffer) + " and " + describe(*other->buffer) +
               " have different scopes or memory spaces");
  buffer.pool->isPinned = true;
  buffer.pool->problem.samePlaces.push_back({other->id, buffer.id});
  return success();
}

LogicalResult buffer_merge::takePins(const BufferLifetimes &lifetimes,
                                     const MergePlanOptions &options,
                                     MergePlan &plan, PlanMessages &messages) {
  // What has slots has no place yet.
  if (options.pool == PoolStorage::Slots)
    return success();
  PinnedBuffers pins(lifetimes, plan.pools, messages);
  if (pins.getAll().empty())
    return success();
  if (failed(pins.read()))
    return failure();
  for (const PinnedBuffer &buffer : pins.getAll()) {
    if (buffer.pin.hasPlace() && !isLeftOnPurpose(*buffer.buffer, options)) {
      if (!buffer.pool)
        return addPinError(buffer, messages)
               << "the place that is asked for contradicts the analysis: "
               << describe(*buffer.buffer) << " stays: "
               << describeReason(buffer.buffer->refusal->reason,
                                 buffer.buffer->refusal->op);
      if (failed(takePlace(buffer, options, messages)))
        return failure();
    }
    if (failed(takeRelations(buffer, pins, options, messages)))
      return failure();
  }
  for (const PoolPlan &pool : plan.pools)
    if (failed(checkTogether(pool, messages)) ||
        (pool.isPinned &&
         failed(checkPinnedOffsets(pool.buffers, pool.problem, messages))))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Out of the plan
//===----------------------------------------------------------------------===//

/// The bytes of a buffer in a pool, or in the region of the pool.
static std::optional<RegionBytes> findBytes(const PinnedBuffer &buffer) {
  if (!buffer.pool || !buffer.pool->getPool())
    return std::nullopt;
  int64_t begin = buffer.pool->getPool()->schedule.offsets[buffer.id];
  if (buffer.pool->region)
    begin += buffer.pool->region->range.begin;
  return RegionBytes{begin,
                     begin + buffer.pool->problem.buffers[buffer.id].size};
}

static bool isInOneMemory(const PinnedBuffer &a, const PinnedBuffer &b) {
  if (!a.pool->region || !b.pool->region)
    return a.pool == b.pool;
  return a.pool->region->region->name == b.pool->region->region->name;
}

/// Return true if `buffer` is where it asks to be.
static bool isAtItsPlace(const PinnedBuffer &buffer,
                         const MergePlanOptions &options) {
  const Pin &pin = buffer.pin;
  if (!mayHaveRegions(*buffer.pool, options)) {
    std::optional<RegionBytes> bytes = findBytes(buffer);
    return !pin.offset || (bytes && bytes->begin == *pin.offset);
  }
  std::optional<RegionBytes> bytes = findBytes(buffer);
  if (!bytes || !buffer.pool->region)
    return false;
  const TargetRegion &region = *buffer.pool->region->region;
  return (pin.region.empty() || region.name == pin.region) &&
         (!pin.offset || bytes->begin == *pin.offset) &&
         (!pin.address || buffer.pool->getAddress(buffer.id) == *pin.address);
}

/// `other`, if it is not null, is the buffer that `attribute` names.
static LogicalResult addDisobeyed(const PinnedBuffer &buffer,
                                  StringRef attribute, PlanMessages &messages,
                                  const PinnedBuffer *other = nullptr) {
  Diagnostic &error = addPinError(buffer, messages);
  error << "'" << attribute << "' of " << describe(*buffer.buffer)
        << " cannot be obeyed";
  if (const NoPool *noPool = buffer.pool->getNoPool()) {
    error << ": " << describeReason(noPool->reason, nullptr);
    if (!noPool->message.empty())
      error << " (" << noPool->message << ")";
  } else if (buffer.pool->region) {
    error << ": it would be in region " << buffer.pool->region->region->name;
  }
  if (other)
    error.attachNote(other->getAlloc().getLoc()) << "this is the other one";
  return error;
}

LogicalResult buffer_merge::checkPins(const BufferLifetimes &lifetimes,
                                      const MergePlanOptions &options,
                                      MergePlan &plan, PlanMessages &messages) {
  PinnedBuffers pins(lifetimes, plan.pools, messages);
  if (pins.getAll().empty() || options.pool == PoolStorage::Slots)
    return success();
  if (failed(pins.read()))
    return failure();
  auto isTooLarge = [&](const PinnedBuffer &buffer) {
    return buffer.pool && buffer.pool->excessiveBytes &&
           options.overCapacity == OverCapacityPolicy::Error;
  };
  for (const PinnedBuffer &buffer : pins.getAll()) {
    if (!buffer.pool || isTooLarge(buffer))
      continue;
    const Pin &pin = buffer.pin;
    if (pin.hasPlace() && !isAtItsPlace(buffer, options))
      return addDisobeyed(buffer,
                          !pin.region.empty() ? pinnedRegionAttrName
                          : pin.offset        ? pinnedOffsetAttrName
                                              : bufferAddressAttrName,
                          messages);
    std::optional<RegionBytes> bytes = findBytes(buffer);
    for (StringRef name : pin.apart) {
      if (pins.isMerged(buffer, name))
        continue;
      const PinnedBuffer *other = pins.lookup(buffer, apartAttrName, name);
      std::optional<RegionBytes> others = findBytes(*other);
      if (bytes && others && isInOneMemory(buffer, *other) &&
          bytes->begin < others->end && others->begin < bytes->end)
        return addDisobeyed(buffer, apartAttrName, messages, other);
    }
    if (pin.together.empty())
      continue;
    const PinnedBuffer *other =
        pins.lookup(buffer, togetherAttrName, pin.together);
    std::optional<RegionBytes> others = findBytes(*other);
    if (!isTooLarge(*other) &&
        (!bytes || !others || buffer.pool != other->pool ||
         bytes->begin != others->begin))
      return addDisobeyed(buffer, togetherAttrName, messages, other);
  }
  return success();
}
