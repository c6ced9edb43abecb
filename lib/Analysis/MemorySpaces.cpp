//===- MemorySpaces.cpp - Memory spaces as options name them -------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Analysis/MemorySpaces.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace buffer_merge;

/// The numbers of the address spaces in LLVM for NVIDIA and AMD.
static constexpr int64_t workgroupNumber = 3;
static constexpr int64_t privateNumber = 5;

bool MemorySpaces::contains(Attribute space, bool isInDeviceCode) const {
  return llvm::is_contained(spaces, space) ||
         (llvm::is_contained(deviceSpaces, space) && isInDeviceCode);
}

bool MemorySpaces::overlaps(const MemorySpaces &other) const {
  auto isThere = [&](Attribute space) {
    return llvm::is_contained(spaces, space) ||
           llvm::is_contained(deviceSpaces, space);
  };
  return llvm::any_of(other.spaces, isThere) ||
         llvm::any_of(other.deviceSpaces, isThere);
}

/// Return what the name of an address space of the GPU dialect stands for.
static MemorySpaces getAddressSpace(StringRef name, gpu::AddressSpace space,
                                    int64_t number, MLIRContext *context) {
  MemorySpaces spaces;
  spaces.spaces.push_back(gpu::AddressSpaceAttr::get(context, space));
  spaces.spaces.push_back(StringAttr::get(context, name));
  spaces.deviceSpaces.push_back(
      IntegerAttr::get(IntegerType::get(context, 64), number));
  return spaces;
}

/// Return true if the parser does not understand `text`. It reports that, and
/// speaks of a string that the user does not see. A handler in `context` would
/// drop what other threads report as well, so it is asked in a context of its
/// own.
static bool isMalformed(StringRef text, MLIRContext *context) {
  const DialectRegistry &registry = context->getDialectRegistry();
  auto isKnown = [&](Dialect *dialect) {
    return isa<BuiltinDialect>(dialect) ||
           registry.getDialectAllocator(dialect->getNamespace());
  };
  if (!llvm::all_of(context->getLoadedDialects(), isKnown))
    return false;
  MLIRContext scratch(registry, MLIRContext::Threading::DISABLED);
  scratch.allowUnregisteredDialects(context->allowsUnregisteredDialects());
  scratch.getDiagEngine().registerHandler([](Diagnostic &) {});
  return !parseAttribute(text, &scratch);
}

std::optional<MemorySpaces>
buffer_merge::parseMemorySpaces(StringRef text, MLIRContext *context) {
  if (text == "default" || text == "0")
    return MemorySpaces(Attribute());
  // Only a loaded dialect has attributes, and without it they do not occur.
  bool isLoaded = context->getLoadedDialect<gpu::GPUDialect>() != nullptr;
  if (text == "workgroup" && isLoaded)
    return getAddressSpace(text, gpu::AddressSpace::Workgroup, workgroupNumber,
                           context);
  if (text == "private" && isLoaded)
    return getAddressSpace(text, gpu::AddressSpace::Private, privateNumber,
                           context);
  // The pass manager strips the quotes of a string.
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '-'; };
  if (!text.empty() && llvm::isAlpha(text[0]) && llvm::all_of(text, isWord))
    return MemorySpaces(StringAttr::get(context, text));
  if (isMalformed(text, context))
    return std::nullopt;
  if (Attribute attribute = parseAttribute(text, context))
    return MemorySpaces(attribute);
  return std::nullopt;
}

std::string buffer_merge::getMemorySpaceName(Attribute space) {
  if (!space)
    return "default";
  if (auto string = dyn_cast<StringAttr>(space))
    return string.str();
  if (auto gpuSpace = dyn_cast<gpu::AddressSpaceAttr>(space)) {
    if (gpuSpace.getValue() == gpu::AddressSpace::Workgroup)
      return "workgroup";
    if (gpuSpace.getValue() == gpu::AddressSpace::Private)
      return "private";
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  space.print(os, /*elideType=*/true);
  return text;
}

SmallVector<Attribute> buffer_merge::findMemorySpaces(Operation *root) {
  llvm::SetVector<Attribute> found;
  AttrTypeWalker walker;
  walker.addWalk(
      [&](BaseMemRefType type) { found.insert(type.getMemorySpace()); });
  // Of the types of other dialects.
  walker.addWalk([&](gpu::AddressSpaceAttr space) { found.insert(space); });
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Type type : op->getResultTypes())
      walker.walk(type);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          walker.walk(type);
    // Globals have types, too, and so have functions without a body.
    walker.walk(op->getAttrDictionary());
  });
  return found.takeVector();
}
