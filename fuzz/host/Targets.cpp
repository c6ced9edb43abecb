//===- Targets.cpp - Random memories and places ---------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Targets.h"
#include "Interpreter.h"
#include "Random.h"

#include "buffer-merge/Scheduling/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace buffer_merge;
using namespace buffer_merge::fuzz;

std::string buffer_merge::fuzz::makeTarget(uint64_t seed) {
  Random random(seed ^ 0x746172676574);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{\"regions\": [";
  int64_t address = 16 * random.range(0, 8);
  unsigned count = random.range(2, 3);
  for (unsigned index = 0; index < count; ++index) {
    bool isLast = index + 1 == count;
    int64_t bytes = isLast ? 1 << 20 : int64_t(32) << random.range(0, 6);
    os << (index ? ", " : "") << "{\"name\": \"r" << index
       << "\", \"bytes\": " << bytes;
    // A stack is wherever its frame is.
    if (random.chance(15))
      os << ", \"storage\": \"stack\"";
    else
      os << ", \"address\": " << address;
    if (random.chance(30))
      os << ", \"alignment\": " << (int64_t(1) << random.range(0, 7));
    if (random.chance(20))
      os << ", \"granule\": " << random.range(2, 48);
    if (random.chance(30))
      os << ", \"reserved\": [{\"begin\": " << bytes / 4
         << ", \"end\": " << bytes / 4 + 8 << "}]";
    os << '}';
    address += bytes + 16 * random.range(0, 8);
  }
  os << "]}";
  return text;
}

//===----------------------------------------------------------------------===//
// What allocations ask for
//===----------------------------------------------------------------------===//

static int64_t getBytes(MemRefType type, Operation *op) {
  return type.getNumElements() *
         DataLayout::closest(op).getTypeSize(type.getElementType());
}

/// Let `alloc` ask for a byte of a memory of `target`: one from which on there
/// is room for it, aligned as no option and no allocation exceeds.
static void addPlace(memref::AllocOp alloc, const Target &target,
                     Random &random) {
  OpBuilder b(alloc.getContext());
  const TargetRegion &region =
      target.regions[random.below(target.regions.size())];
  auto ranges = region.getFreeRanges();
  RegionBytes range = ranges[random.below(ranges.size())];
  int64_t alignment = std::max<int64_t>(128, region.alignment.value_or(1));
  int64_t base = region.address.value_or(0);
  int64_t first = llvm::alignTo(base + range.begin, alignment);
  int64_t last = base + range.end -
                 llvm::alignTo(getBytes(alloc.getType(), alloc),
                               static_cast<uint64_t>(region.granule));
  if (first > last)
    return;
  int64_t most = std::min<int64_t>((last - first) / alignment, 4);
  int64_t place = first + alignment * random.range(0, most);
  bool byAddress = region.address && random.chance(50);
  if (byAddress)
    alloc->setAttr("buffer_merge.address", b.getI64IntegerAttr(place));
  else
    alloc->setAttr("buffer_merge.offset", b.getI64IntegerAttr(place - base));
  if (!byAddress || random.chance(30))
    alloc->setAttr("buffer_merge.region", b.getStringAttr(region.name));
}

void buffer_merge::fuzz::addPins(ModuleOp module, uint64_t seed) {
  Random random(seed ^ 0x70696e73);
  Target target = llvm::cantFail(parseTarget(makeTarget(seed), "target"));
  OpBuilder b(module.getContext());
  for (auto funcOp : module.getOps<func::FuncOp>()) {
    SmallVector<memref::AllocOp> allocs;
    funcOp.walk([&](memref::AllocOp alloc) {
      // The data layout does not say how many bytes a memref takes.
      if (alloc.getType().hasStaticShape() &&
          !isa<BaseMemRefType>(alloc.getType().getElementType()) &&
          !alloc.getType().getMemorySpace() &&
          !getBufferName(alloc.getLoc()).empty())
        allocs.push_back(alloc);
    });
    if (allocs.size() < 2 || random.chance(70))
      continue;
    auto pick = [&] { return allocs[random.range(0, allocs.size() - 1)]; };
    if (random.chance(40)) {
      for (unsigned count = random.range(1, 2); count != 0; --count)
        addPlace(pick(), target, random);
      continue;
    }
    memref::AllocOp one = pick(), other = pick();
    if (random.chance(50))
      pick()->setAttr(
          "buffer_merge.region",
          b.getStringAttr("r" + std::to_string(random.range(0, 1))));
    if (one == other)
      continue;
    other->setAttr("buffer_merge.name", b.getStringAttr("other"));
    one->setAttr(random.chance(50) ? "buffer_merge.together"
                                   : "buffer_merge.apart",
                 b.getStringAttr("other"));
  }
}

//===----------------------------------------------------------------------===//
// What they have
//===----------------------------------------------------------------------===//

namespace {
/// The bytes of a buffer in a memory.
struct Place {
  StringAttr region;
  int64_t begin = 0, end = 0;
  /// What the view says.
  std::optional<int64_t> address = std::nullopt;

  bool shares(const Place &other) const {
    return region == other.region && begin < other.end && other.begin < end;
  }
};
} // namespace

/// Return where `op`, what an allocation has become, is; nothing if that is in
/// no memory of the target.
static std::optional<Place> findPlaceOf(Operation *op) {
  auto view = dyn_cast_or_null<memref::ViewOp>(op);
  Operation *pool = view ? view.getSource().getDefiningOp() : nullptr;
  if (auto global = dyn_cast_or_null<memref::GetGlobalOp>(pool))
    pool = SymbolTable::lookupNearestSymbolFrom(global, global.getNameAttr());
  auto where = pool ? pool->getAttrOfType<DictionaryAttr>("buffer_merge.region")
                    : DictionaryAttr();
  std::optional<int64_t> shift =
      where ? getConstantIntValue(view.getByteShift()) : std::nullopt;
  if (!shift)
    return std::nullopt;
  Place place;
  place.region = where.getAs<StringAttr>("name");
  place.begin = where.getAs<IntegerAttr>("offset").getInt() + *shift;
  place.end = place.begin + getBytes(view.getType(), view);
  if (auto address = op->getAttrOfType<IntegerAttr>("buffer_merge.address"))
    place.address = address.getInt();
  return place;
}

/// Return what `alloc` asked for with its own place that is not so at `place`.
static std::string checkOwnPlace(memref::AllocOp alloc,
                                 const std::optional<Place> &place,
                                 const Target &target) {
  auto region = alloc->getAttrOfType<StringAttr>("buffer_merge.region");
  auto offset = alloc->getAttrOfType<IntegerAttr>("buffer_merge.offset");
  auto address = alloc->getAttrOfType<IntegerAttr>("buffer_merge.address");
  if (!place)
    return region || offset || address ? "is in no memory" : "";
  if (region && place->region != region)
    return "is not in its region";
  if (offset && place->begin != offset.getInt())
    return "is not at its offset";
  for (const TargetRegion &memory : target.regions) {
    if (memory.name != place->region.getValue() || !memory.address)
      continue;
    int64_t actual = *memory.address + place->begin;
    if (place->address != actual)
      return "has the address of another byte";
    if (address && address.getInt() != actual)
      return "is not at its address";
    return "";
  }
  return address ? "has no address" : "";
}

std::string buffer_merge::fuzz::checkPins(ModuleOp original, ModuleOp merged,
                                          StringRef target) {
  Target memories = llvm::cantFail(parseTarget(target, "target"));
  llvm::StringMap<Operation *> after;
  merged.walk([&](Operation *op) {
    if (isa<memref::ViewOp, memref::AllocOp>(op))
      for (StringRef name : getBufferNames(op->getLoc()))
        after[name] = op;
  });
  auto find = [&](Operation *op) {
    return findPlaceOf(after.lookup(getBufferName(op->getLoc())));
  };
  std::string error;
  original.walk([&](memref::AllocOp alloc) {
    std::string name = getBufferName(alloc.getLoc()).str();
    std::optional<Place> place = find(alloc);
    std::string wrong = checkOwnPlace(alloc, place, memories);
    if (!wrong.empty())
      error = name + " " + wrong;
    alloc->getParentOfType<FunctionOpInterface>().walk(
        [&](memref::AllocOp other) {
          Attribute called = other->getAttr("buffer_merge.name");
          std::optional<Place> others = called ? find(other) : std::nullopt;
          if (!place || !others)
            return;
          if (alloc->getAttr("buffer_merge.together") == called &&
              (place->region != others->region ||
               place->begin != others->begin))
            error = name + " is not where the other one is";
          if (alloc->getAttr("buffer_merge.apart") == called &&
              place->shares(*others))
            error = name + " shares bytes with the other one";
        });
  });
  return error;
}

bool buffer_merge::fuzz::mayRefusePins(ModuleOp module, StringRef error) {
  if (!error.contains("buffer_merge.") && !error.contains("asked for"))
    return false;
  // A memory may be too small for what asks for nothing but it.
  bool asksForMore = false;
  module.walk([&](memref::AllocOp alloc) {
    bool hasPlace = alloc->hasAttr("buffer_merge.offset") ||
                    alloc->hasAttr("buffer_merge.address");
    asksForMore |= alloc->hasAttr("buffer_merge.together") ||
                   (alloc->hasAttr("buffer_merge.region") && !hasPlace);
  });
  return asksForMore || !error.contains("cannot be obeyed: it would be in");
}
