//===- Options of passes that schedule -----------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SchedulingOptions.h"
#include "Mutation.h"
#include "buffer-merge/Scheduling/PrintedBytes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
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
  Attribute nearest;
  unsigned least = ~0u;
  for (Attribute space : found) {
    std::string name = getMemorySpaceName(space);
    std::optional<MemorySpaces> others = parseMemorySpaces(name, context);
    if (others && others->overlaps(spaces))
      return space;
    if (unsigned distance = text.edit_distance(name); distance < least) {
      least = distance;
      nearest = space;
    }
  }
  return nearest;
}

void NamedSpaces::warnIfUnused(Operation *root) const {
  if (names.empty() ||
      (root->getParentOp() && !isMutated("space-warning-part")))
    return;
  SmallVector<Attribute> found = findMemorySpaces(root);
  if (found.empty())
    return;
  for (const auto &[text, spaces] : names) {
    bool isUsed = llvm::any_of(found, [&, &named = spaces](Attribute space) {
      return llvm::is_contained(named.spaces, space) ||
             llvm::is_contained(named.deviceSpaces, space);
    });
    if (isUsed || isMutated("space-warning"))
      continue;
    Attribute nearest =
        findNearestSpace(text, spaces, found, root->getContext());
    emitWarning(root->getLoc())
        << "no type has the memory space '" << text
        << "' of an option; the nearest that occurs is '"
        << getMemorySpaceName(nearest) << "'";
  }
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

/// Emit an error and fail if `alignment`, the value of option `name`, is none.
static LogicalResult checkAlignment(Location loc, StringRef name,
                                    int64_t alignment) {
  if (alignment > 0 && llvm::isPowerOf2_64(alignment) && alignment <= maxBytes)
    return success();
  return emitError(loc) << name << " " << alignment
                        << " is not a power of two of at most " << maxBytes
                        << " bytes";
}

LogicalResult
buffer_merge::translateOptions(const SchedulingOptionValues &values,
                               MLIRContext *context, NamedSpaces &spaces,
                               BufferMergeOptions &options) {
  Location loc = UnknownLoc::get(context);
  options = BufferMergeOptions();
  spaces = NamedSpaces();
  options.plan.scheduler = lookupScheduler(values.scheduler);
  if (!options.plan.scheduler)
    return emitError(loc) << "unknown scheduler '" << values.scheduler
                          << "', expected one of: "
                          << getRegisteredSchedulerNames();
  if (values.effort > 9)
    return emitError(loc) << "effort " << values.effort << " is not in 0 to 9";
  if (failed(checkAlignment(loc, "alignment", values.alignment)))
    return failure();
  for (StringRef text : values.memorySpaces) {
    FailureOr<MemorySpaces> named = spaces.parse(text, context);
    if (failed(named))
      return failure();
    if (!options.lifetimes.memorySpaces)
      options.lifetimes.memorySpaces.emplace();
    options.lifetimes.memorySpaces->push_back(*named);
  }
  for (StringRef text : values.capacity)
    if (failed(addCapacity(text, context, spaces, options.plan)))
      return failure();
  if (values.dynamicWaste < 0)
    return emitError(loc) << "dynamic-waste " << values.dynamicWaste
                          << " is not a number of bytes";
  options.plan.schedulerOptions.effort = values.effort;
  options.plan.alignment = values.alignment;
  options.plan.overCapacity = values.overCapacity;
  options.lifetimes.calls = values.calls;
  options.lifetimes.dynamic = values.dynamic;
  options.lifetimes.maxDynamicWaste = values.dynamicWaste;
  options.lifetimes.findInPlacePairs = values.inPlace;
  return success();
}

LogicalResult
buffer_merge::translateWorkgroupOptions(const WorkgroupOptionValues &values,
                                        MLIRContext *context,
                                        BufferMergeOptions &options) {
  Location loc = UnknownLoc::get(context);
  if (failed(checkAlignment(loc, "workgroup-alignment", values.alignment)))
    return failure();
  options.plan.barriers = values.barriers;
  options.plan.workgroupPool = values.pool;
  options.plan.workgroupAlignment = values.alignment;
  return success();
}

/// Emit an error and fail if no operation can have the name `name`.
static LogicalResult checkOperationName(Location loc, StringRef name) {
  MLIRContext *context = loc.getContext();
  if (context->allowsUnregisteredDialects() ||
      RegisteredOperationName::lookup(name, context) ||
      isMutated("unknown-barrier-ops"))
    return success();
  // Operations of a dialect that is not loaded are in no program yet.
  StringRef dialect = name.split('.').first;
  if (!context->getLoadedDialect(dialect) &&
      llvm::is_contained(context->getAvailableDialects(), dialect))
    return success();
  InFlightDiagnostic error = emitError(loc);
  error << "unknown operation '" << name << "' in barrier-ops";
  StringRef nearest;
  unsigned least = ~0u;
  for (RegisteredOperationName known :
       context->getRegisteredOperationsByDialect(dialect)) {
    unsigned distance = name.edit_distance(known.getStringRef());
    if (distance < least) {
      least = distance;
      nearest = known.getStringRef();
    }
  }
  if (!nearest.empty())
    error << "; the nearest is '" << nearest << "'";
  return error;
}

LogicalResult
buffer_merge::translateKernelOptions(const KernelOptionValues &values,
                                     MLIRContext *context, NamedSpaces &spaces,
                                     WorkgroupOptions &options) {
  Location loc = UnknownLoc::get(context);
  options = WorkgroupOptions();
  for (StringRef text : values.spaces) {
    FailureOr<MemorySpaces> named = spaces.parse(text, context);
    if (failed(named))
      return failure();
    if (llvm::is_contained(named->spaces, Attribute()))
      return emitError(loc)
             << "the default memory space is not workgroup memory";
    llvm::append_range(options.spaces, named->spaces);
  }
  for (StringRef name : values.barrierOps)
    if (failed(checkOperationName(loc, name)))
      return failure();
  options.barrierOps = values.barrierOps;
  options.assumeForallSync = values.assumeForallSync;
  return success();
}
