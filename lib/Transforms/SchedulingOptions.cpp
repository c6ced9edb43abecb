//===- Options of passes that schedule -----------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SchedulingOptions.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the attribute that `text` stands for, null for the default space, or
/// nothing after an error if there is none.
static std::optional<Attribute> parseMemorySpace(StringRef text,
                                                 MLIRContext *context) {
  if (text == "default")
    return Attribute();
  // The pass manager strips the quotes of a string.
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '-'; };
  if (!text.empty() && llvm::isAlpha(text[0]) && llvm::all_of(text, isWord))
    return StringAttr::get(context, text);
  // The parser's own diagnostics speak of a string that the user does not see.
  ScopedDiagnosticHandler handler(context, [](Diagnostic &) {});
  if (Attribute attribute = parseAttribute(text, context))
    return attribute;
  return std::nullopt;
}

static InFlightDiagnostic emitSpaceError(Location loc, StringRef text) {
  return emitError(loc)
         << "unknown memory space '" << text
         << "', expected 'default', a name or an attribute such as 1";
}

/// Split `SPACE:BYTES` and add it to `options`.
static LogicalResult addCapacity(StringRef text, Location loc,
                                 MergePlanOptions &options) {
  auto [space, bytesText] = text.rsplit(':');
  int64_t bytes;
  if (bytesText.getAsInteger(10, bytes) || bytes <= 0)
    return emitError(loc) << "capacity '" << text
                          << "' is not SPACE:BYTES with a positive number of "
                             "bytes, such as default:65536";
  std::optional<Attribute> attribute =
      parseMemorySpace(space, loc.getContext());
  if (!attribute)
    return emitSpaceError(loc, space);
  if (options.getCapacity(*attribute))
    return emitError(loc) << "memory space '" << space
                          << "' has two capacities";
  options.capacities.emplace_back(*attribute, bytes);
  return success();
}

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
                               MLIRContext *context,
                               BufferMergeOptions &options) {
  Location loc = UnknownLoc::get(context);
  options = BufferMergeOptions();
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
    std::optional<Attribute> attribute = parseMemorySpace(text, context);
    if (!attribute)
      return emitSpaceError(loc, text);
    if (!options.lifetimes.memorySpaces)
      options.lifetimes.memorySpaces.emplace();
    options.lifetimes.memorySpaces->push_back(*attribute);
  }
  for (StringRef text : values.capacity)
    if (failed(addCapacity(text, loc, options.plan)))
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

LogicalResult
buffer_merge::translateKernelOptions(const KernelOptionValues &values,
                                     MLIRContext *context,
                                     WorkgroupOptions &options) {
  Location loc = UnknownLoc::get(context);
  options = WorkgroupOptions();
  for (StringRef text : values.spaces) {
    std::optional<Attribute> attribute = parseMemorySpace(text, context);
    if (!attribute)
      return emitSpaceError(loc, text);
    if (!*attribute)
      return emitError(loc) << "the default memory space is not that of a "
                               "workgroup";
    options.spaces.push_back(*attribute);
  }
  options.barrierOps = values.barrierOps;
  options.assumeForallSync = values.assumeForallSync;
  return success();
}
