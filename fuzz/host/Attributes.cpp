//===- Attributes.cpp - Attributes that say what functions do -------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An attribute is true if it is true of all calls of the function. It is added
// to the program before merging, and must still be true of what it becomes.
//
//===----------------------------------------------------------------------===//

#include "Attributes.h"
#include "Random.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

namespace {
/// An attribute of an argument, with a value if it is not a unit.
struct ArgumentAttribute {
  const char *name;
  const char *value;
  /// Is it true?
  bool (*holds)(const ArgumentEffects &effects);
  /// The next one of a group, of which an argument has at most one.
  bool isAlternative = false;
};
} // namespace

static const ArgumentAttribute argumentAttributes[] = {
    {"llvm.readonly", nullptr, [](const auto &e) { return !e.writes; }},
    {"llvm.writeonly", nullptr, [](const auto &e) { return !e.reads; }, true},
    {"llvm.readnone", nullptr,
     [](const auto &e) { return !e.reads && !e.writes; }, true},
    {"llvm.noalias", nullptr, [](const auto &e) { return !e.isShared; }},
    {"bufferization.access", "read", [](const auto &e) { return !e.writes; }},
    {"bufferization.access", "write", [](const auto &e) { return !e.reads; },
     true},
    {"bufferization.access", "none",
     [](const auto &e) { return !e.reads && !e.writes; }, true},
    {"bufferization.access", "read-write", [](const auto &) { return true; },
     true},
    // These stay true whatever is put into the argument.
    {"llvm.nonnull", nullptr, [](const auto &) { return true; }},
    {"llvm.noundef", nullptr, [](const auto &) { return true; }},
};

static Attribute getValue(MLIRContext *context,
                          const ArgumentAttribute &attribute) {
  if (!attribute.value)
    return UnitAttr::get(context);
  return StringAttr::get(context, attribute.value);
}

/// Return true if no address of an argument outlives a call: none is returned,
/// stored, or made a number.
static bool capturesNothing(ModuleOp module, func::FuncOp function) {
  return llvm::none_of(function.getResultTypes(),
                       llvm::IsaPred<BaseMemRefType>) &&
         !module
              .walk([](Operation *op) {
                auto store = dyn_cast<memref::StoreOp>(op);
                return isa<memref::ExtractAlignedPointerAsIndexOp,
                           memref::ExtractStridedMetadataOp>(op) ||
                               (store &&
                                isa<BaseMemRefType>(store.getValue().getType()))
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

using LLVM::ModRefInfo;

static ModRefInfo getInfo(bool reads, bool writes) {
  return static_cast<ModRefInfo>((reads ? 1 : 0) | (writes ? 2 : 0));
}

/// Return what the calls did to memory behind arguments, and to other memory.
static std::pair<ModRefInfo, ModRefInfo>
getMemoryEffects(const FunctionEffects &effects) {
  bool reads = false, writes = false;
  for (const ArgumentEffects &argument : effects.arguments) {
    reads |= argument.reads;
    writes |= argument.writes;
  }
  return {getInfo(reads, writes),
          getInfo(effects.readsOther || effects.callsOutside,
                  effects.writesOther || effects.callsOutside)};
}

static bool isWithin(ModRefInfo actual, ModRefInfo said) {
  return (unsigned(actual) & ~unsigned(said)) == 0;
}

/// As the number that LLVM has for memory effects, in whose lowest bits are
/// those on arguments: allocations are effects on memory that no program can
/// access otherwise.
static constexpr unsigned ownMemory = 12;

static LLVM::MemoryEffectsAttr makeMemoryEffects(MLIRContext *context,
                                                 ModRefInfo arguments,
                                                 ModRefInfo other) {
  return LLVM::MemoryEffectsAttr::get(context, other, arguments,
                                      ModRefInfo::ModRef, other, other, other);
}

//===----------------------------------------------------------------------===//

void buffer_merge::fuzz::addAttributes(ModuleOp module, const Effects &effects,
                                       uint64_t seed,
                                       std::set<std::string> &names) {
  Random random(seed ^ 0x6174747273);
  MLIRContext *context = module.getContext();
  Builder b(context);
  for (auto function : module.getOps<func::FuncOp>()) {
    auto found = effects.find(function.getSymName().str());
    if (function.isExternal() || found == effects.end())
      continue;
    const FunctionEffects &function_ = found->second;
    auto [arguments, other] = getMemoryEffects(function_);
    // A compiler that inlines a call forgets most of it.
    SmallVector<Attribute> passthrough;
    if (random.chance(70))
      passthrough.push_back(b.getStringAttr("noinline"));
    // Of two calls that only read, one would do: not if it returns a buffer.
    bool isMade =
        llvm::any_of(function.getResultTypes(), llvm::IsaPred<BaseMemRefType>);
    if (!isMade && arguments == ModRefInfo::NoModRef &&
        other == ModRefInfo::NoModRef && random.chance(60)) {
      function->setAttr("llvm.readnone", b.getUnitAttr());
      names.insert("llvm.readnone");
    } else if (!isMade && other != ModRefInfo::ModRef && random.chance(60)) {
      std::string name = "memory_effects";
      if (other == ModRefInfo::NoModRef && random.chance(40)) {
        name = "passthrough-memory";
        passthrough.push_back(b.getStrArrayAttr(
            {"memory", std::to_string(ownMemory | unsigned(arguments))}));
      } else {
        function->setAttr(name, makeMemoryEffects(context, arguments, other));
      }
      names.insert((name + "/" + stringifyModRefInfo(arguments) + "/" +
                    stringifyModRefInfo(other))
                       .str());
    }
    if (!passthrough.empty())
      function->setAttr("passthrough", b.getArrayAttr(passthrough));

    bool captures = !capturesNothing(module, function);
    for (size_t k = 0; k < function.getNumArguments(); ++k) {
      auto type = dyn_cast<MemRefType>(function.getArgumentTypes()[k]);
      if (!type)
        continue;
      bool hasAlternative = false;
      for (const ArgumentAttribute &attribute : argumentAttributes) {
        hasAlternative &= attribute.isAlternative;
        if (hasAlternative || !attribute.holds(function_.arguments[k]) ||
            !random.chance(60))
          continue;
        hasAlternative = true;
        function.setArgAttr(k, attribute.name, getValue(context, attribute));
        names.insert(std::string(attribute.name) +
                     (attribute.value ? std::string("=") + attribute.value
                                      : std::string()));
      }
      if (!captures && random.chance(60)) {
        function.setArgAttr(k, "llvm.nocapture", b.getUnitAttr());
        names.insert("llvm.nocapture");
      }
    }
  }
}

std::string buffer_merge::fuzz::findFalseAttribute(ModuleOp module,
                                                   const Effects &effects) {
  for (auto function : module.getOps<func::FuncOp>()) {
    auto found = effects.find(function.getSymName().str());
    if (found == effects.end())
      continue;
    auto [arguments, other] = getMemoryEffects(found->second);
    std::string where = " of @" + function.getSymName().str() + " is false";
    if (function->hasAttr("llvm.readnone") &&
        !(isWithin(arguments, ModRefInfo::NoModRef) &&
          isWithin(other, ModRefInfo::NoModRef)))
      return "llvm.readnone" + where;
    if (auto said =
            function->getAttrOfType<LLVM::MemoryEffectsAttr>("memory_effects"))
      if (!isWithin(arguments, said.getArgMem()) ||
          !isWithin(other, said.getOther()))
        return "memory_effects" + where;
    if (auto entries = function->getAttrOfType<ArrayAttr>("passthrough"))
      for (Attribute entry : entries.getValue()) {
        auto pair = dyn_cast<ArrayAttr>(entry);
        unsigned said;
        if (pair &&
            !cast<StringAttr>(pair[1]).getValue().getAsInteger(10, said) &&
            (!isWithin(arguments, ModRefInfo(said & 3)) ||
             !isWithin(other, ModRefInfo::NoModRef)))
          return "passthrough" + where;
      }
    for (auto [k, argument] : llvm::enumerate(found->second.arguments))
      for (const ArgumentAttribute &attribute : argumentAttributes)
        if (isa<BaseMemRefType>(function.getArgumentTypes()[k]) &&
            function.getArgAttr(k, attribute.name) ==
                getValue(module.getContext(), attribute) &&
            !attribute.holds(argument))
          return std::string(attribute.name) + " of argument " +
                 std::to_string(k) + where;
  }
  return "";
}
