//===- Target.cpp - What a target is like ---------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Scheduling/Target.h"
#include "JSONPositions.h"
#include "Mutation.h"
#include "buffer-merge/Scheduling/Input.h"
#include "buffer-merge/Scheduling/SchedulingProblem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace buffer_merge;

/// A value that JSON gives by name.
template <typename Value>
using Choice = std::pair<llvm::StringLiteral, Value>;

/// Return the name of `value` among `choices`, which have it.
template <typename Value, size_t count>
static llvm::StringRef getName(const Choice<Value> (&choices)[count],
                               Value value) {
  return llvm::find_if(choices,
                       [&](const Choice<Value> &choice) {
                         return choice.second == value;
                       })
      ->first;
}

llvm::SmallVector<RegionBytes, 1> TargetRegion::getFreeRanges() const {
  llvm::SmallVector<RegionBytes, 1> ranges;
  RegionBytes usable = {0, bytes};
  if (window && !isMutated("target-window"))
    usable = *window;
  int64_t from = usable.begin;
  auto addUpTo = [&](int64_t end) {
    end = std::min(end, usable.end);
    if (from < end)
      ranges.push_back({from, end});
  };
  for (RegionBytes range : reserved) {
    if (isMutated("target-reserved"))
      break;
    addUpTo(range.begin);
    from = std::max(from, range.end);
  }
  addUpTo(bytes);
  return ranges;
}

static constexpr Choice<RegionStorage> storages[] = {
    {"alloc", RegionStorage::Alloc},
    {"stack", RegionStorage::Stack},
    {"global", RegionStorage::Global}};
static constexpr Choice<TargetSpaces> places[] = {{"own", TargetSpaces::Own},
                                                  {"any", TargetSpaces::Any}};
static constexpr Choice<EntryPolicy> entryPolicies[] = {
    {"separate", EntryPolicy::Separate}, {"exclusive", EntryPolicy::Exclusive}};
static constexpr Choice<GlobalLinkage> linkages[] = {
    {"private", GlobalLinkage::Private},
    {"public", GlobalLinkage::Public},
    {"external", GlobalLinkage::External}};

llvm::StringRef buffer_merge::getGlobalLinkageName(GlobalLinkage linkage) {
  return getName(linkages, linkage);
}

//===----------------------------------------------------------------------===//
// Reading JSON
//===----------------------------------------------------------------------===//

namespace {
/// A value and where it is: `JSONPositions` has the form of paths.
struct Node {
  const llvm::json::Value *value;
  std::string path;
};

/// Reads one target. After the first error nothing is read any more.
class TargetReader {
public:
  TargetReader(llvm::StringRef text, llvm::StringRef fileName)
      : text(dropByteOrderMark(text)), fileName(fileName) {}

  llvm::Expected<Target> read();

private:
  /// Note that `message` is wrong with what is at `path`. Return false.
  bool fail(llvm::StringRef path, const llvm::Twine &message);
  bool failAt(llvm::StringRef position, const llvm::Twine &message);

  /// Check that `node` is an object that has only `keys`.
  bool checkObject(const Node &node, llvm::ArrayRef<llvm::StringRef> keys);
  /// Return the value at `key` of the object `node`, or nothing.
  std::optional<Node> get(const Node &node, llvm::StringRef key);
  /// The same for an object that has only `keys`; nothing after an error.
  std::optional<Node> getObject(const Node &node, llvm::StringRef key,
                                llvm::ArrayRef<llvm::StringRef> keys);
  /// Call `visit` on what the array at `key` has; there need not be one.
  bool forEach(const Node &node, llvm::StringRef key,
               llvm::function_ref<bool(const Node &)> visit);

  // Each leaves `result` as it is if there is no such key.
  bool readText(const Node &node, llvm::StringRef key, std::string &result);
  bool readTexts(const Node &node, llvm::StringRef key,
                 llvm::SmallVectorImpl<std::string> &result);
  bool readFlag(const Node &node, llvm::StringRef key, bool &result);
  template <typename Number>
  bool readBytes(const Node &node, llvm::StringRef key, Number &result,
                 int64_t least, int64_t most = maxBytes);
  template <typename Number>
  bool readAlignment(const Node &node, Number &result);
  template <typename Value, typename Result>
  bool readChoice(const Node &node, llvm::StringRef key,
                  llvm::ArrayRef<Choice<Value>> choices, Result &result);
  /// A name that a linker script may have, of letters, digits and `others`.
  bool readLinkerName(const Node &node, llvm::StringRef key,
                      llvm::StringRef others, std::string &result);

  /// Read `node`, bytes of `region` that messages call `what`.
  bool readRange(const Node &node, const TargetRegion &region,
                 llvm::StringRef what, RegionBytes &range);
  bool readFreeBytes(const Node &node, TargetRegion &region);
  bool readAddressing(const Node &node, TargetRegion &region);
  bool readBanks(const Node &node, TargetRegion &region);
  bool readStorage(const Node &node, TargetRegion &region);
  bool readRegion(const Node &node, Target &target);
  bool readPreset(const Node &node, Target &target);
  bool readGlobals(const Node &node, Target &target);
  bool readWorkgroup(const Node &node, TargetWorkgroup &workgroup);
  bool readTarget(const Node &node, Target &target);

  llvm::StringRef text, fileName;
  std::optional<JSONPositions> positions;
  std::string error;
};
} // namespace

bool TargetReader::failAt(llvm::StringRef position,
                          const llvm::Twine &message) {
  error = (fileName + ":" + position + ": " + message).str();
  return false;
}

bool TargetReader::fail(llvm::StringRef path, const llvm::Twine &message) {
  return failAt(positions->describe(path), message);
}

bool TargetReader::checkObject(const Node &node,
                               llvm::ArrayRef<llvm::StringRef> keys) {
  const llvm::json::Object *object = node.value->getAsObject();
  if (!object)
    return fail(node.path,
                "expected an object with the keys " + llvm::join(keys, ", "));
  // The first one in the text, whatever order the object has.
  std::optional<std::string> unknown;
  for (const auto &entry : *object) {
    std::string path = node.path + "/" + entry.first.str();
    if (!llvm::is_contained(keys, entry.first.str()) &&
        (!unknown ||
         positions->getOffset(path) < positions->getOffset(*unknown)))
      unknown = path;
  }
  if (!unknown)
    return true;
  llvm::StringRef key = llvm::StringRef(*unknown).rsplit('/').second;
  return fail(*unknown, "unknown key '" + key + "', expected one of: " +
                            llvm::join(keys, ", ") + "; the nearest is '" +
                            findNearestName(key, keys) + "'");
}

std::optional<Node> TargetReader::get(const Node &node, llvm::StringRef key) {
  const llvm::json::Value *value = node.value->getAsObject()->get(key);
  if (!value)
    return std::nullopt;
  return Node{value, (node.path + "/" + key).str()};
}

std::optional<Node>
TargetReader::getObject(const Node &node, llvm::StringRef key,
                        llvm::ArrayRef<llvm::StringRef> keys) {
  std::optional<Node> child = get(node, key);
  if (!error.empty() || !child || !checkObject(*child, keys))
    return std::nullopt;
  return child;
}

bool TargetReader::forEach(const Node &node, llvm::StringRef key,
                           llvm::function_ref<bool(const Node &)> visit) {
  std::optional<Node> list = get(node, key);
  if (!list)
    return true;
  const llvm::json::Array *array = list->value->getAsArray();
  if (!array)
    return fail(list->path, "expected an array");
  for (auto [index, value] : llvm::enumerate(*array))
    if (!visit({&value, list->path + "/" + std::to_string(index)}))
      return false;
  return true;
}

bool TargetReader::readText(const Node &node, llvm::StringRef key,
                            std::string &result) {
  std::optional<Node> child = get(node, key);
  if (!child)
    return true;
  std::optional<llvm::StringRef> value = child->value->getAsString();
  if (!value || value->empty())
    return fail(child->path, "expected a text that is not empty");
  result = value->str();
  return true;
}

bool TargetReader::readTexts(const Node &node, llvm::StringRef key,
                             llvm::SmallVectorImpl<std::string> &result) {
  return forEach(node, key, [&](const Node &item) {
    std::optional<llvm::StringRef> text = item.value->getAsString();
    if (!text || text->empty())
      return fail(item.path, "expected a text that is not empty");
    result.push_back(text->str());
    return true;
  });
}

bool TargetReader::readFlag(const Node &node, llvm::StringRef key,
                            bool &result) {
  std::optional<Node> child = get(node, key);
  if (!child)
    return true;
  std::optional<bool> value = child->value->getAsBoolean();
  result = value.value_or(false);
  return value || fail(child->path, "expected true or false");
}

template <typename Number>
bool TargetReader::readBytes(const Node &node, llvm::StringRef key,
                             Number &result, int64_t least, int64_t most) {
  std::optional<Node> child = get(node, key);
  if (!child)
    return true;
  std::optional<int64_t> number = child->value->getAsInteger();
  if (std::optional<llvm::StringRef> value = child->value->getAsString()) {
    int64_t parsed;
    number = parseBytes(*value);
    if (value->starts_with("0x") &&
        !value->drop_front(2).getAsInteger(16, parsed))
      number = parsed;
  }
  if (!number)
    return fail(child->path, "expected a number such as 65536, \"64KiB\" or "
                             "\"0x20000000\"");
  if (*number < least || *number > most)
    return fail(child->path, llvm::Twine(key) + " " + llvm::Twine(*number) +
                                 " is not in " + llvm::Twine(least) + " to " +
                                 llvm::Twine(most));
  result = *number;
  return true;
}

template <typename Number>
bool TargetReader::readAlignment(const Node &node, Number &result) {
  std::optional<int64_t> alignment;
  if (!readBytes(node, "alignment", alignment, 1) || !alignment)
    return error.empty();
  result = *alignment;
  return llvm::isPowerOf2_64(*alignment) ||
         fail(node.path + "/alignment", "alignment " + llvm::Twine(*alignment) +
                                            " is not a power of two");
}

template <typename Value, typename Result>
bool TargetReader::readChoice(const Node &node, llvm::StringRef key,
                              llvm::ArrayRef<Choice<Value>> choices,
                              Result &result) {
  std::string text;
  if (!readText(node, key, text) || text.empty())
    return error.empty();
  llvm::SmallVector<llvm::StringRef> names;
  for (const auto &[name, value] : choices) {
    names.push_back(name);
    if (name == text) {
      result = value;
      return true;
    }
  }
  return fail((node.path + "/" + key).str(),
              "unknown " + key + " '" + text +
                  "', expected one of: " + llvm::join(names, ", ") +
                  "; the nearest is '" + findNearestName(text, names) + "'");
}

bool TargetReader::readLinkerName(const Node &node, llvm::StringRef key,
                                  llvm::StringRef others, std::string &result) {
  if (!readText(node, key, result))
    return false;
  auto isPart = [&](char c) { return llvm::isAlnum(c) || others.contains(c); };
  return llvm::all_of(result, isPart) ||
         fail((node.path + "/" + key).str(),
              key + " '" + result + "' is not a name of letters, digits and " +
                  llvm::join(
                      llvm::map_range(others,
                                      [](char c) { return std::string(1, c); }),
                      " "));
}

bool TargetReader::readRange(const Node &node, const TargetRegion &region,
                             llvm::StringRef what, RegionBytes &range) {
  std::optional<int64_t> begin, end;
  if (!checkObject(node, {"begin", "end"}) ||
      !readBytes(node, "begin", begin, 0, region.bytes) ||
      !readBytes(node, "end", end, 0, region.bytes))
    return false;
  if (!begin || !end || *begin >= *end)
    return fail(node.path, "a " + what +
                               " needs 'begin' and 'end', bytes from the start "
                               "of the region, and 'begin' is less than 'end'");
  range = {*begin, *end};
  return true;
}

bool TargetReader::readFreeBytes(const Node &node, TargetRegion &region) {
  auto readReserved = [&](const Node &item) {
    RegionBytes range;
    if (!readRange(item, region, "reserved range", range))
      return false;
    if (!region.reserved.empty() && range.begin < region.reserved.back().end)
      return fail(item.path, "reserved ranges must be sorted and disjoint");
    region.reserved.push_back(range);
    return true;
  };
  if (!forEach(node, "reserved", readReserved))
    return false;
  std::optional<Node> window = get(node, "window");
  if (window && !readRange(*window, region, "window", region.window.emplace()))
    return false;
  if (region.getFreeRanges().empty())
    return fail(node.path + "/reserved",
                llvm::Twine("the reserved ranges leave no byte") +
                    (window ? " of the window" : ""));
  return true;
}

bool TargetReader::readAddressing(const Node &node, TargetRegion &region) {
  if (!readBytes(node, "bytes", region.bytes, 1) ||
      !readBytes(node, "address", region.address, 0) ||
      !readAlignment(node, region.alignment) ||
      !readBytes(node, "granule", region.granule, 1))
    return false;
  if (region.bytes == 0)
    return fail(node.path, "region '" + region.name + "' has no 'bytes'");
  return readFreeBytes(node, region);
}

bool TargetReader::readBanks(const Node &node, TargetRegion &region) {
  std::optional<Node> child = get(node, "banks");
  if (!child)
    return true;
  std::optional<int64_t> count, bytes, interleave;
  if (!checkObject(*child, {"count", "bytes", "interleave"}) ||
      !readBytes(*child, "count", count, 2, 65536) ||
      !readBytes(*child, "bytes", bytes, 1) ||
      !readBytes(*child, "interleave", interleave, 1))
    return false;
  if (!count || bytes.has_value() == interleave.has_value())
    return fail(child->path,
                "banks need 'count', and either 'bytes', if each is one range "
                "of them, or 'interleave', the bytes before the next one");
  int64_t each = bytes ? *bytes : *interleave;
  if (each > region.bytes / *count)
    return fail(child->path, llvm::Twine(*count) + " banks of " +
                                 llvm::Twine(each) +
                                 " bytes are more than the region has");
  if (bytes && each * *count != region.bytes)
    return fail(child->path, llvm::Twine(*count) + " banks of " +
                                 llvm::Twine(each) +
                                 " bytes are less than the region has");
  region.banks = BankGeometry{*count, each, interleave.has_value()};
  return true;
}

bool TargetReader::readStorage(const Node &node, TargetRegion &region) {
  if (!readChoice(node, "storage", llvm::ArrayRef(storages), region.storage) ||
      !readLinkerName(node, "section", "_.$", region.section))
    return false;
  if (!region.section.empty() && region.storage != RegionStorage::Global)
    return fail(node.path + "/section",
                "only a region with the storage global has a section");
  if (region.storage == RegionStorage::Stack && region.address)
    return fail(node.path + "/storage",
                "a region on the stack has no fixed address");
  return true;
}

bool TargetReader::readRegion(const Node &node, Target &target) {
  if (!checkObject(node, {"name", "space", "bytes", "address", "alignment",
                          "granule", "reserved", "window", "readCost",
                          "writeCost", "banks", "storage", "section"}))
    return false;
  TargetRegion region;
  if (!readText(node, "name", region.name) ||
      !readText(node, "space", region.space))
    return false;
  if (region.name.empty())
    return fail(node.path, "a region has no 'name'");
  auto isNamePart = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '-' || c == '.';
  };
  if (!llvm::isAlpha(region.name[0]) || !llvm::all_of(region.name, isNamePart))
    return fail(node.path + "/name",
                "'" + region.name +
                    "' is not a letter and then letters, digits, _, - and .");
  auto hasName = [&](const TargetRegion &other) {
    return other.name == region.name;
  };
  if (llvm::any_of(target.regions, hasName))
    return fail(node.path + "/name",
                "there are two regions '" + region.name + "'");
  auto hasSpace = [&](const TargetRegion &other) {
    return other.space == region.space;
  };
  region.readCost = region.writeCost =
      1 + llvm::count_if(target.regions, hasSpace);
  constexpr int64_t maxCost = 1000000;
  if (!readAddressing(node, region) || !readBanks(node, region) ||
      !readBytes(node, "readCost", region.readCost, 0, maxCost) ||
      !readBytes(node, "writeCost", region.writeCost, 0, maxCost) ||
      !readStorage(node, region))
    return false;
  for (const TargetRegion &other : target.regions)
    if (region.address && other.address && other.space == region.space &&
        *region.address < *other.address + other.bytes &&
        *other.address < *region.address + region.bytes)
      return fail(node.path + "/address", "regions '" + other.name + "' and '" +
                                              region.name +
                                              "' have addresses in common");
  target.regions.push_back(std::move(region));
  return true;
}

bool TargetReader::readPreset(const Node &node, Target &target) {
  llvm::SmallVector<Choice<const TargetPreset *>> presets;
  for (const TargetPreset &preset : getTargetPresets())
    presets.emplace_back(preset.name, &preset);
  const TargetPreset *preset = nullptr;
  if (!readChoice(node, "preset", llvm::ArrayRef(presets), preset) || !preset)
    return error.empty();
  target = llvm::cantFail(parseTarget(preset->text, preset->name));
  return !get(node, "regions") ||
         fail(node.path + "/regions", "the preset has regions");
}

bool TargetReader::readGlobals(const Node &node, Target &target) {
  StaticStorage &globals = target.globals;
  if (!readText(node, "name", globals.name) ||
      !readChoice(node, "linkage", llvm::ArrayRef(linkages), globals.linkage) ||
      !readAlignment(node, globals.alignment) ||
      !readLinkerName(node, "section", "_.$,", globals.section) ||
      !readBytes(node, "address", globals.address, 0) ||
      !readLinkerName(node, "memory", "_.$,", globals.memory) ||
      !readChoice(node, "entries", llvm::ArrayRef(entryPolicies),
                  target.entries))
    return false;
  if (globals.section.empty() && (globals.address || !globals.memory.empty()))
    return fail(node.path, "'address' and 'memory' need a 'section'");
  return true;
}

bool TargetReader::readWorkgroup(const Node &node, TargetWorkgroup &workgroup) {
  return readAlignment(node, workgroup.alignment) &&
         readTexts(node, "spaces", workgroup.spaces) &&
         readTexts(node, "barrierOps", workgroup.barrierOps) &&
         readBytes(node, "barrierGain", workgroup.barrierGain, 0) &&
         readFlag(node, "kernelFunctions", workgroup.kernelFunctions) &&
         readFlag(node, "assumeForallSync", workgroup.assumeForallSync) &&
         readFlag(node, "assumeInitialized", workgroup.assumeInitialized);
}

bool TargetReader::readTarget(const Node &node, Target &target) {
  std::string description;
  if (!checkObject(node, {"name", "description", "preset", "regions", "places",
                          "threads", "stack", "arenas", "globals", "dynamic",
                          "workgroup"}) ||
      !readPreset(node, target) || !readText(node, "name", target.name) ||
      !readText(node, "description", description))
    return false;
  auto addRegion = [&](const Node &item) { return readRegion(item, target); };
  if (!forEach(node, "regions", addRegion))
    return false;
  if (target.regions.empty() && get(node, "regions"))
    return fail(node.path + "/regions", "expected one region or more");
  if (!readChoice(node, "places", llvm::ArrayRef(places), target.places) ||
      !readBytes(node, "threads", target.threads, 1, UINT32_MAX))
    return false;
  if (std::optional<Node> stack = getObject(node, "stack", {"limit"}))
    readBytes(*stack, "limit", target.stackLimit, 0);
  if (std::optional<Node> arenas = getObject(node, "arenas", {"checks"}))
    readFlag(*arenas, "checks", target.arenaChecks);
  if (std::optional<Node> dynamic = getObject(node, "dynamic", {"waste"}))
    readBytes(*dynamic, "waste", target.dynamicWaste, 0);
  if (std::optional<Node> globals =
          getObject(node, "globals",
                    {"name", "linkage", "alignment", "section", "address",
                     "memory", "entries"}))
    readGlobals(*globals, target);
  if (std::optional<Node> workgroup = getObject(
          node, "workgroup",
          {"alignment", "spaces", "barrierOps", "barrierGain",
           "kernelFunctions", "assumeForallSync", "assumeInitialized"}))
    readWorkgroup(*workgroup, target.workgroup);
  if (!error.empty())
    return false;
  if (target.places == TargetSpaces::Any && target.regions.empty())
    return fail(node.path + "/places", "places any needs regions");
  return true;
}

llvm::Expected<Target> TargetReader::read() {
  Target target;
  llvm::Expected<llvm::json::Value> value = parseJSON(text);
  if (!value) {
    llvm::handleAllErrors(
        value.takeError(), [&](const llvm::json::ParseError &parseError) {
          // `[line:column, byte=...]: what`
          std::string description = parseError.message();
          auto [position, message] = llvm::StringRef(description).split("]: ");
          failAt(position.drop_front().split(',').first, message);
        });
  } else {
    positions.emplace(text);
    if (positions->getDuplicate())
      fail(*positions->getDuplicate(), "this key occurs twice");
    else
      readTarget({&*value, ""}, target);
  }
  if (!error.empty())
    return llvm::createStringError(error);
  return target;
}

llvm::Expected<Target> buffer_merge::parseTarget(llvm::StringRef text,
                                                 llvm::StringRef fileName) {
  return TargetReader(text, fileName).read();
}

llvm::Expected<Target> buffer_merge::loadTarget(llvm::StringRef argument) {
  llvm::StringRef text = argument.ltrim();
  if (text.starts_with("{"))
    return parseTarget(text, "target");
  for (const TargetPreset &preset : getTargetPresets())
    if (preset.name == argument)
      return parseTarget(preset.text, preset.name);
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      readInputFile(argument);
  if (file)
    return parseTarget((*file)->getBuffer(), argument);
  auto names =
      llvm::map_range(getTargetPresets(), [](const TargetPreset &preset) {
        return llvm::StringRef(preset.name);
      });
  return llvm::createStringError(
      "cannot read target '" + argument + "': " + file.getError().message() +
      "; the presets are: " + llvm::join(names, ", ") + "; the nearest is '" +
      findNearestName(argument, names) + "'");
}
