//===- PassOptions.cpp - Options of the passes, translated ----------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassOptions.h"
#include "buffer-merge/Scheduling/Input.h"

#include "mlir/IR/Dialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

//===----------------------------------------------------------------------===//
// Memory spaces
//===----------------------------------------------------------------------===//

FailureOr<MemorySpaces> NamedSpaces::parse(StringRef text,
                                           MLIRContext *context) {
  std::optional<MemorySpaces> spaces = parseMemorySpaces(text, context);
  if (!spaces)
    return emitError(UnknownLoc::get(context))
           << "unknown memory space '" << text
           << "', expected 'default', a name or an attribute such as 1";
  // One warning is enough for several options.
  if (llvm::none_of(names,
                    [&](const auto &name) { return name.first == text; }))
    names.emplace_back(text, *spaces);
  return *spaces;
}

/// Return the space in `found`, which are some, that was probably meant by
/// `text`: one that has another name in device code, else the one with the
/// nearest name, the first of several.
static Attribute findNearestSpace(StringRef text, const MemorySpaces &spaces,
                                  ArrayRef<Attribute> found,
                                  MLIRContext *context) {
  SmallVector<std::string> names;
  for (Attribute space : found) {
    names.push_back(getMemorySpaceName(space));
    std::optional<MemorySpaces> others =
        parseMemorySpaces(names.back(), context);
    if (others && others->overlaps(spaces))
      return space;
  }
  return found[llvm::find(names, findNearestName(text, names)) - names.begin()];
}

/// Return true if one of two names, which few edits tell apart, is the other
/// one misspelt. Memories may differ in a letter, too: sram and dram, ram and
/// sram, left and lift, bank0 and bank1, dataA and dataB.
static bool isMisspelt(StringRef first, StringRef second) {
  std::string a = first.lower(), b = second.lower();
  auto eraseDigits = [](std::string text) {
    llvm::erase_if(text, llvm::isDigit);
    return text;
  };
  if (a == b || eraseDigits(a) == eraseDigits(b))
    return a == b;
  bool isOther =
      StringRef(a).take_front() != StringRef(b).take_front() ||
      (a.size() == b.size() && (a.size() < 5 || a.back() != b.back()));
  if (!isOther && StringRef(a).edit_distance(b) == 1)
    return true;
  // Two neighbours that changed places. Other orders of the same letters are
  // other words.
  if (a.size() != b.size())
    return false;
  size_t i = 0;
  while (a[i] == b[i])
    ++i;
  if (i + 1 < a.size())
    std::swap(a[i], a[i + 1]);
  return a == b;
}

static bool contains(const MemorySpaces &spaces, Attribute space) {
  return llvm::is_contained(spaces.spaces, space) ||
         llvm::is_contained(spaces.deviceSpaces, space);
}

LogicalResult NamedSpaces::check(Operation *root) const {
  if ((names.empty() && regions.empty()) || root->getParentOp())
    return success();
  SmallVector<Attribute> found = findMemorySpaces(root);
  auto occurs = [&](const MemorySpaces &spaces) {
    return llvm::any_of(
        found, [&](Attribute space) { return contains(spaces, space); });
  };
  for (const auto &[text, spaces] : names)
    if (!found.empty() && !occurs(spaces)) {
      Attribute nearest =
          findNearestSpace(text, spaces, found, root->getContext());
      emitWarning(root->getLoc())
          << "no type has the memory space '" << text
          << "' of an option; the nearest that occurs is '"
          << getMemorySpaceName(nearest) << "'";
    }
  SmallVector<std::string> open;
  for (Attribute space : found) {
    auto names = [&](const auto &item) { return contains(item.second, space); };
    if (space && llvm::none_of(regions, names) &&
        llvm::none_of(this->names, names))
      open.push_back(getMemorySpaceName(space));
  }
  for (const auto &[text, spaces] : regions) {
    StringRef nearest = findNearestName(text, open);
    constexpr unsigned few = 2;
    if (nearest.empty() || text.size() <= few || nearest.size() <= few ||
        StringRef(text).edit_distance_insensitive(nearest) > few ||
        occurs(spaces))
      continue;
    bool isError = isMisspelt(text, nearest);
    (isError ? emitError(root->getLoc()) : emitWarning(root->getLoc()))
        << "no type has the memory space '" << text
        << "' of the target; the nearest that occurs without a region is '"
        << nearest << "'";
    if (isError)
      return failure();
  }
  return success();
}

/// Split `SPACE:BYTES` and add it to `options`.
static LogicalResult addCapacity(StringRef text, MLIRContext *context,
                                 NamedSpaces &names,
                                 MergePlanOptions &options) {
  Location loc = UnknownLoc::get(context);
  auto [space, bytesText] = text.rsplit(':');
  std::optional<int64_t> bytes = parseBytes(bytesText);
  if (!bytes || *bytes <= 0)
    return emitError(loc) << "capacity '" << text
                          << "' is not SPACE:BYTES with a positive number of "
                             "bytes, such as default:65536";
  FailureOr<MemorySpaces> spaces = names.parse(space, context);
  if (failed(spaces))
    return failure();
  for (const Capacity &other : options.capacities)
    if (other.spaces.overlaps(*spaces))
      return emitError(loc)
             << "memory space '" << space << "' has two capacities";
  options.capacities.emplace_back(*spaces, *bytes);
  return success();
}

//===----------------------------------------------------------------------===//
// Translation
//===----------------------------------------------------------------------===//

LogicalResult buffer_merge::checkAlignment(MLIRContext *context, StringRef name,
                                           int64_t alignment) {
  if (alignment > 0 && llvm::isPowerOf2_64(alignment) && alignment <= maxBytes)
    return success();
  return emitError(UnknownLoc::get(context))
         << name << " " << alignment << " is not a power of two of at most "
         << maxBytes << " bytes";
}

LogicalResult buffer_merge::checkValue(MLIRContext *context, StringRef name,
                                       bool isGivenWithoutValue) {
  if (!isGivenWithoutValue)
    return success();
  return emitError(UnknownLoc::get(context))
         << "the option '" << name << "' has no value";
}

FailureOr<MinGain> buffer_merge::parseMinGain(StringRef text,
                                              MLIRContext *context) {
  MinGain minGain = {0, 0};
  StringRef number = text;
  if (number.consume_back("%")) {
    double &percent = minGain.percent;
    if (!number.getAsDouble(percent) && percent >= 0 && percent <= 100)
      return minGain;
  } else if (std::optional<int64_t> bytes = parseBytes(text);
             bytes && *bytes >= 0) {
    minGain.bytes = *bytes;
    return minGain;
  }
  return emitError(UnknownLoc::get(context))
         << "min-gain '" << text
         << "' is neither a number of bytes nor a percentage up to 100, such "
            "as 4KiB or 1%";
}

/// Set `options.limitPeak` to the meaning of `text`.
static LogicalResult setLimitPeak(StringRef text, MLIRContext *context,
                                  MergePlanOptions &options) {
  static constexpr std::pair<StringLiteral, std::optional<FreePoint>> limits[] =
      {{"as-given", FreePoint::AsGiven},
       {"deallocated", FreePoint::Deallocated},
       {"none", std::nullopt}};
  for (const auto &[name, limit] : limits)
    if (text == name) {
      options.limitPeak = limit;
      return success();
    }
  if (text == "true" || text == "false")
    return emitError(UnknownLoc::get(context))
           << "limit-peak=" << text << " is now limit-peak="
           << (text == "true" ? "deallocated" : "none");
  return emitError(UnknownLoc::get(context))
         << "limit-peak is 'as-given', 'deallocated' or 'none', not '" << text
         << "'; the nearest is '"
         << findNearestName(text, llvm::make_first_range(limits)) << "'";
}

LogicalResult buffer_merge::setScheduler(StringRef name, unsigned effort,
                                         MLIRContext *context,
                                         MergePlanOptions &options) {
  options.scheduler = lookupScheduler(name);
  options.schedulerOptions.effort = effort;
  if (!options.scheduler)
    return emitError(UnknownLoc::get(context))
           << "unknown scheduler '" << name
           << "', expected one of: " << getRegisteredSchedulerNames()
           << "; the nearest is '" << findNearestScheduler(name) << "'";
  if (effort > 9)
    return emitError(UnknownLoc::get(context))
           << "effort " << effort << " is not in 0 to 9";
  return success();
}

static LogicalResult addMemorySpaces(ArrayRef<std::string> texts,
                                     MLIRContext *context, NamedSpaces &names,
                                     BufferLifetimesOptions &options) {
  for (StringRef text : texts) {
    FailureOr<MemorySpaces> named = names.parse(text, context);
    if (failed(named))
      return failure();
    if (!options.memorySpaces)
      options.memorySpaces.emplace();
    options.memorySpaces->push_back(*named);
  }
  return success();
}

static LogicalResult addAlignments(ArrayRef<std::string> texts,
                                   MLIRContext *context, NamedSpaces &names,
                                   MergePlanOptions &options) {
  Location loc = UnknownLoc::get(context);
  bool hasGeneral = false;
  for (StringRef text : texts) {
    auto [space, number] = text.rsplit(':');
    bool isGeneral = !text.contains(':');
    std::optional<int64_t> bytes = parseBytes(isGeneral ? text : number);
    if (!bytes)
      return emitError(loc)
             << "alignment '" << text
             << "' is neither a number of bytes nor SPACE:BYTES, such as 64 or "
                "left:512";
    if (failed(checkAlignment(context, "alignment", *bytes)))
      return failure();
    if (isGeneral) {
      if (std::exchange(hasGeneral, true))
        return emitError(loc) << "alignment '" << text << "' is the second one";
      options.alignment = *bytes;
      continue;
    }
    FailureOr<MemorySpaces> spaces = names.parse(space, context);
    if (failed(spaces))
      return failure();
    for (const auto &other : options.spaceAlignments)
      if (other.first.overlaps(*spaces))
        return emitError(loc)
               << "memory space '" << space << "' has two alignments";
    options.spaceAlignments.emplace_back(*spaces, *bytes);
  }
  return success();
}

/// Return true if each kernel or thread has `spaces` for itself.
static bool isDeviceMemory(const MemorySpaces &spaces, MLIRContext *context,
                           const MergePlanOptions &options) {
  for (StringRef name : {"workgroup", "private"})
    if (std::optional<MemorySpaces> device = parseMemorySpaces(name, context);
        device && device->overlaps(spaces))
      return true;
  const WorkgroupOptions &workgroup = options.lifetimes.workgroup;
  MemorySpaces named;
  llvm::append_range(named.spaces, workgroup.spaces);
  llvm::append_range(named.deviceSpaces, workgroup.deviceSpaces);
  return named.overlaps(spaces);
}

/// Add the regions `indices` of `target`, those in `spaces`, to `options`.
static LogicalResult addRegions(const Target &target,
                                ArrayRef<unsigned> indices,
                                const MemorySpaces &spaces,
                                MLIRContext *context,
                                MergePlanOptions &options) {
  Location loc = UnknownLoc::get(context);
  const TargetRegion &first = target.regions[indices.front()];
  for (const Capacity &other : options.capacities)
    if (other.spaces.overlaps(spaces))
      return emitError(loc) << "memory space '" << first.space
                            << "' has a capacity and a region of the target";
  bool isPlain = indices.size() == 1 && !first.isStatic() && !first.storage &&
                 first.reserved.empty() && !first.window &&
                 first.granule == 1 && !first.banks;
  // A capacity is no place to move to.
  if (isPlain && (options.targetSpaces == TargetSpaces::Own ||
                  isDeviceMemory(spaces, context, options))) {
    options.capacities.emplace_back(spaces, first.bytes);
    options.capacities.back().region = first.name;
    if (first.alignment)
      options.spaceAlignments.insert(options.spaceAlignments.begin(),
                                     {spaces, *first.alignment});
    return success();
  }
  if (isDeviceMemory(spaces, context, options))
    return emitError(loc)
           << "region '" << first.name << "': memory space '" << first.space
           << "' belongs to each kernel or thread, so it has one region with "
              "'bytes' and 'alignment' only";
  for (unsigned index : indices)
    options.regions.push_back({spaces, target.regions[index]});
  return success();
}

FailureOr<Target> buffer_merge::getTarget(StringRef text,
                                          MLIRContext *context) {
  if (text.empty())
    return Target();
  llvm::Expected<Target> target = loadTarget(text);
  if (!target)
    return emitError(UnknownLoc::get(context))
           << llvm::toString(target.takeError());
  return std::move(*target);
}

/// Set what `target` says but of workgroup memory: its regions are added to
/// those and to the capacities of `options`, which must not contradict them.
static LogicalResult setTarget(const Target &target, MLIRContext *context,
                               NamedSpaces &names, MergePlanOptions &options) {
  Location loc = UnknownLoc::get(context);
  options.targetSpaces = target.places;
  options.maxThreads = target.threads;
  options.stackLimit = target.stackLimit;
  options.globals = target.globals;
  options.entries = target.entries;
  options.lifetimes.maxDynamicWaste = target.dynamicWaste;
  options.workgroupAlignment = target.workgroup.alignment;
  options.barrierGain = target.workgroup.barrierGain;
  SmallVector<std::pair<MemorySpaces, SmallVector<unsigned>>> groups;
  for (auto [index, region] : llvm::enumerate(target.regions)) {
    std::optional<MemorySpaces> spaces =
        parseMemorySpaces(region.space, context);
    if (!spaces)
      return emitError(loc)
             << "region '" << region.name << "': unknown memory space '"
             << region.space
             << "', expected 'default', a name or an attribute such as 1";
    names.addRegion(region.space, *spaces);
    auto *group = llvm::find_if(
        groups, [&](const auto &item) { return item.first.overlaps(*spaces); });
    if (group == groups.end()) {
      groups.push_back({*spaces, {}});
      group = &groups.back();
    }
    group->second.push_back(index);
  }
  for (const auto &[spaces, indices] : groups)
    if (failed(addRegions(target, indices, spaces, context, options)))
      return failure();
  return success();
}

/// Return true if a pool with a limit may be larger than it need be.
static bool mayShareAsNeeded(const MergePlanOptions &options) {
  bool isPlanned =
      options.pool == PoolStorage::Arena || options.pool == PoolStorage::Global;
  return !options.regions.empty() ||
         llvm::any_of(options.capacities, [&](const Capacity &capacity) {
           return !isPlanned ||
                  !llvm::is_contained(capacity.spaces.spaces, Attribute());
         });
}

/// Fail if buffers share bytes as needed, but no memory has a limit; if the
/// target describes globals, but there are none, or lets entries take turns,
/// but no bytes belong to all of the program.
static LogicalResult checkEffects(MLIRContext *context,
                                  const MergePlanOptions &options) {
  Location loc = UnknownLoc::get(context);
  if (options.reuse == ReusePolicy::AsNeeded) {
    if (options.capacities.empty() && options.regions.empty())
      return emitError(loc)
             << "reuse=as-needed needs a capacity or a target: without a "
                "limit, no two buffers would share a byte, as with "
                "scheduler=bump";
    if (!mayShareAsNeeded(options))
      return emitError(loc) << "reuse=as-needed has no effect on pool="
                            << getPoolStorageName(options.pool)
                            << ", whose pools are as small as possible";
  }
  if (options.pool == PoolStorage::Global)
    return success();
  if (options.entries == EntryPolicy::Exclusive && options.regions.empty())
    return emitError(loc) << "exclusive entries of the target need pool=global "
                             "or regions";
  const StaticStorage &globals = options.globals;
  if (!globals.name.empty() || globals.alignment != 1 ||
      globals.linkage != GlobalLinkage::Private || !globals.section.empty())
    return emitError(loc) << "the target describes globals, which need "
                             "pool=global";
  return success();
}

/// Emit an error and fail if no operation can have the name `name`.
static LogicalResult checkOperationName(Location loc, StringRef name) {
  MLIRContext *context = loc.getContext();
  if (context->allowsUnregisteredDialects() ||
      RegisteredOperationName::lookup(name, context))
    return success();
  // Operations of a dialect that is not loaded are in no program yet.
  StringRef dialect = name.split('.').first;
  if (!context->getLoadedDialect(dialect) &&
      llvm::is_contained(context->getAvailableDialects(), dialect))
    return success();
  InFlightDiagnostic error = emitError(loc);
  error << "unknown operation '" << name << "' in barrierOps";
  StringRef nearest = findNearestName(
      name, llvm::map_range(context->getRegisteredOperationsByDialect(dialect),
                            [](RegisteredOperationName known) {
                              return known.getStringRef();
                            }));
  if (!nearest.empty())
    error << "; the nearest is '" << nearest << "'";
  return error;
}

LogicalResult buffer_merge::setWorkgroup(const Target &target,
                                         MLIRContext *context,
                                         NamedSpaces &names,
                                         WorkgroupOptions &options) {
  const TargetWorkgroup &workgroup = target.workgroup;
  options.assumeForallSync = workgroup.assumeForallSync;
  options.kernelFunctions = workgroup.kernelFunctions;
  options.assumeInitialized = workgroup.assumeInitialized;
  for (StringRef text : workgroup.spaces) {
    FailureOr<MemorySpaces> named = names.parse(text, context);
    if (failed(named))
      return failure();
    if (llvm::is_contained(named->spaces, Attribute()))
      return emitError(UnknownLoc::get(context))
             << "the default memory space is not workgroup memory";
    llvm::append_range(options.spaces, named->spaces);
    llvm::append_range(options.deviceSpaces, named->deviceSpaces);
  }
  for (const std::string &name : workgroup.barrierOps)
    if (failed(checkOperationName(UnknownLoc::get(context), name)))
      return failure();
  options.barrierOps.assign(workgroup.barrierOps.begin(),
                            workgroup.barrierOps.end());
  return success();
}

FailureOr<Target>
buffer_merge::translatePlanOptions(const PlanTexts &texts, MLIRContext *context,
                                   NamedSpaces &names,
                                   MergePlanOptions &options) {
  if (!texts.minGain.empty()) {
    FailureOr<MinGain> minGain = parseMinGain(texts.minGain, context);
    if (failed(minGain))
      return failure();
    options.minGain = *minGain;
  }
  if (failed(setLimitPeak(texts.limitPeak, context, options)) ||
      failed(setScheduler(texts.scheduler, texts.effort, context, options)) ||
      failed(addAlignments(texts.alignment, context, names, options)) ||
      failed(addMemorySpaces(texts.memorySpaces, context, names,
                             options.lifetimes)))
    return failure();
  for (StringRef text : texts.capacity)
    if (failed(addCapacity(text, context, names, options)))
      return failure();
  FailureOr<Target> target = getTarget(texts.target, context);
  if (failed(target) ||
      failed(
          setWorkgroup(*target, context, names, options.lifetimes.workgroup)) ||
      failed(setTarget(*target, context, names, options)) ||
      failed(checkEffects(context, options)))
    return failure();
  if (options.maxPools == 0)
    return emitError(UnknownLoc::get(context))
           << "max-pools must be at least 1";
  return target;
}

/// Options that there were, and the member of the target that says the same.
static constexpr std::pair<StringLiteral, StringLiteral> replacedOptions[] = {
    {"arena-checks", R"("arenas": {"checks": false})"},
    {"assume-forall-sync", R"("workgroup": {"assumeForallSync": false})"},
    {"assume-initialized", R"("workgroup": {"assumeInitialized": true})"},
    {"barrier-gain", R"("workgroup": {"barrierGain": 1024})"},
    {"barrier-ops", R"("workgroup": {"barrierOps": ["gpu.barrier"]})"},
    {"dynamic-waste", R"("dynamic": {"waste": "64KiB"})"},
    {"entries", R"("globals": {"entries": "exclusive"})"},
    {"global-address", R"("globals": {"address": "0x20000000"})"},
    {"global-alignment", R"("globals": {"alignment": 256})"},
    {"global-linkage", R"("globals": {"linkage": "public"})"},
    {"global-memory", R"("globals": {"memory": "RAM"})"},
    {"global-name", R"("globals": {"name": "network"})"},
    {"global-section", R"("globals": {"section": ".sram"})"},
    {"kernel-functions", R"("workgroup": {"kernelFunctions": true})"},
    {"max-threads", R"("threads": 8)"},
    {"stack-limit", R"("stack": {"limit": "16KiB"})"},
    {"target-spaces", R"("places": "any")"},
    {"workgroup-alignment", R"("workgroup": {"alignment": 128})"},
    {"workgroup-spaces", R"("workgroup": {"spaces": ["3"]})"},
};

LogicalResult buffer_merge::handleOptionError(
    StringRef message, StringRef name, const llvm::cl::SubCommand *options,
    function_ref<LogicalResult(const Twine &)> handler) {
  message = message.trim();
  if (message.empty())
    return failure();
  StringRef option = message.split("no such option ").second;
  if (option.empty())
    return handler(message);
  if (option == "emit-linker-script")
    return handler(option + " is now report=FILE.ld");
  for (const auto &[old, member] : replacedOptions)
    if (option == old)
      return handler(old + " is now target={" + member + "}");
  if (!options)
    return handler("no such option " + option + ": " + name + " has none");
  SmallVector<StringRef> names;
  for (const auto &entry : options->OptionsMap)
    names.push_back(entry.first);
  llvm::sort(names);
  return handler("no such option " + option + " of " + name +
                 "; the nearest is '" + findNearestName(option, names) + "'");
}
