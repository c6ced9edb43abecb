//===- AttributeChanges.cpp - Attributes that merging makes false ---------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttributeChanges.h"
#include "Mutation.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ModRef.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
/// An attribute, and the changes that it contradicts.
struct AttributeRow {
  llvm::StringLiteral name;
  AttributeChanges contradicted;
};
} // namespace

static constexpr AttributeChanges accesses =
    AttributeChange::ReadsArgument | AttributeChange::WritesArgument |
    AttributeChange::AccessesArguments | AttributeChange::AccessesGlobals;
static constexpr AttributeChanges writes = AttributeChange::WritesArgument |
                                           AttributeChange::AccessesArguments |
                                           AttributeChange::AccessesGlobals;
static constexpr AttributeChanges reads = AttributeChange::ReadsArgument |
                                          AttributeChange::AccessesArguments |
                                          AttributeChange::AccessesGlobals;
static constexpr AttributeChanges capturing =
    AttributeChanges() | AttributeChange::PassesArgument;
static constexpr AttributeChanges newArgument =
    AttributeChanges() | AttributeChange::AddsArgument;
static constexpr AttributeChanges aborting =
    AttributeChanges() | AttributeChange::MayAbort;
static constexpr AttributeChanges stack =
    AttributeChanges() | AttributeChange::PassesStack;

/// Names without `llvm.`, of attributes and of entries of `passthrough`. Those
/// of other dialects are complete. `contradicts` below has those whose value
/// matters.
static constexpr AttributeRow attributeRows[] = {
    // What is accessed.
    {"readnone", accesses | AttributeChange::MayAbort},
    {"readonly", writes | AttributeChange::MayAbort},
    {"writeonly", reads | AttributeChange::MayAbort},
    {"argmemonly",
     AttributeChange::AccessesGlobals | AttributeChange::MayAbort},
    {"inaccessiblememonly", accesses | AttributeChange::MayAbort},
    {"inaccessiblemem_or_argmemonly",
     AttributeChange::AccessesGlobals | AttributeChange::MayAbort},
    {"pure", accesses | AttributeChange::MayAbort},
    {"speculatable", accesses | AttributeChange::MayAbort},
    {"alias_scopes", accesses | AttributeChange::MayAbort},
    {"noalias_scopes", accesses | AttributeChange::MayAbort},
    {"tbaa", accesses | AttributeChange::MayAbort},
    {"access_groups", accesses | AttributeChange::MayAbort},
    {"nvvm.grid_constant", writes},
    // Who knows an address afterwards.
    {"nocapture", capturing},
    // Where control goes.
    {"will_return", aborting},
    // How many arguments there are.
    {"CConv", newArgument},
    {"func.varargs", newArgument},
    // What arguments may point to.
    {"TailCallKind", stack | AttributeChange::AddsArgument},
    {"noalias", AttributeChanges() | AttributeChange::SharesArgument},
};

/// Those that no change contradicts:
///
/// - what holds of arguments and their bytes: parts for callees are idle in the
///   caller; a merged buffer has the bytes that its argument has in any case;
///   nothing that was there before the call is freed;
/// - who accesses them, and where control goes: the thread that accessed bytes
///   before accesses them now; an abort does not unwind, and calls nothing of
///   the module;
/// - how code is generated and numbers are computed, and where it is.
static constexpr StringLiteral harmlessNames = R"(
align alignstack bufferization.buffer_layout dereferenceable
dereferenceable_or_null inreg nofree nonnull noundef range returned signext
sret zeroext

convergent mustprogress no_unwind nocallback norecurse noreturn nosync
personality

alignment always_inline approx-func-fp-math cold comdat denormal-fp-math
denormal-fp-math-f32 disable-tail-calls dso_local emit_c_interface
fastmathFlags fp_contract frame-pointer function-instrument
function_entry_count garbageCollector hot indirect-tls-seg-refs inline_hint
instrument-function-entry instrument-function-entry-inlined
instrument-function-exit less-precise-fpmad linkage min-legal-vector-width
minsize no-builtins no-frame-pointer-elim no-infs-fp-math
no-inline-line-tables no-jump-tables no-nans-fp-math no-signed-zeros-fp-math
no-stack-arg-probe no-trapping-math no_inline nobuiltin nocf_check
noduplicate noimplicitfloat nomerge nonlazybind noprofile noredzone
nosanitize_bounds nosanitize_coverage null_pointer_is_valid optdebug
optforfuzzing optimize_none optnone optsize patchable-function
patchable-function-entry patchable-function-prefix prefer-vector-width
probe-stack reciprocal_estimates safestack sanitize_address
sanitize_alloc_token sanitize_hwaddress sanitize_memory sanitize_memtag
sanitize_numerical_stability sanitize_realtime sanitize_thread sanitize_type
section shadowcallstack skipprofile speculative_load_hardening ssp sspreq
sspstrong stack-probe-size stack-protector-buffer-size stackrealign strictfp
target-cpu target-features tune-cpu unnamed_addr unsafe-fp-math
use-soft-float uwtable uwtable_kind visibility_ vscale_range warn-stack-size
zero-call-used-regs
)";

/// Return true if both names are of one attribute: LLVM and its dialect spell
/// some with `-`, with `_`, or with neither.
static bool isNamed(StringRef name, StringRef other) {
  auto isLetter = [](char letter) { return letter != '-' && letter != '_'; };
  return llvm::equal(llvm::make_filter_range(name, isLetter),
                     llvm::make_filter_range(other, isLetter));
}

/// Return true if `name` is one of those in `text`.
static bool isListed(StringRef text, StringRef name) {
  SmallVector<StringRef> names;
  llvm::SplitString(text, names);
  return llvm::any_of(names,
                      [&](StringRef known) { return isNamed(known, name); });
}

/// Return the changes that the attribute `name` contradicts, or nothing if it
/// is not known.
static std::optional<AttributeChanges> lookupChanges(StringRef name) {
  for (const AttributeRow &row : attributeRows)
    if (isNamed(row.name, name))
      return row.contradicted;
  return isListed(harmlessNames, name) ? std::optional<AttributeChanges>(0)
                                       : std::nullopt;
}

/// Return what memory effects contradict: `isReadWrite` tells of arguments, of
/// globals and of what no program sees whether both is allowed.
static AttributeChanges getContradicted(bool arguments, bool globals,
                                        bool others) {
  AttributeChanges changes = 0;
  if (!arguments)
    changes = changes | AttributeChange::AccessesArguments;
  if (!globals)
    changes = changes | AttributeChange::AccessesGlobals;
  if (!globals || !others)
    changes = changes | AttributeChange::MayAbort;
  return changes;
}

static AttributeChanges getContradicted(LLVM::MemoryEffectsAttr effects) {
  auto isReadWrite = [](LLVM::ModRefInfo info) {
    return info == LLVM::ModRefInfo::ModRef;
  };
  return getContradicted(isReadWrite(effects.getArgMem()),
                         isReadWrite(effects.getOther()),
                         isReadWrite(effects.getInaccessibleMem()));
}

/// Return what `memory` with this value in `passthrough` contradicts.
static AttributeChanges getContradicted(uint64_t value) {
  auto effects = llvm::MemoryEffects::createFromIntValue(value);
  auto isReadWrite = [&](llvm::IRMemLocation location) {
    return llvm::isModAndRefSet(effects.getModRef(location));
  };
  return getContradicted(isReadWrite(llvm::IRMemLocation::ArgMem),
                         isReadWrite(llvm::IRMemLocation::Other),
                         isReadWrite(llvm::IRMemLocation::InaccessibleMem));
}

/// Return what the attribute `name` with `value` contradicts, where that
/// depends on the value; or nothing.
static std::optional<AttributeChanges> getContradictedByValue(StringRef name,
                                                              Attribute value) {
  if (name == "memory_effects")
    if (auto effects = dyn_cast<LLVM::MemoryEffectsAttr>(value))
      return getContradicted(effects);
  if (name == "memory") {
    uint64_t number = 0;
    if (auto string = dyn_cast<StringAttr>(value);
        string && !string.getValue().getAsInteger(0, number))
      return getContradicted(number);
  }
  if (name == "bufferization.access") {
    auto access = dyn_cast<StringAttr>(value);
    return access && access.getValue() == "read-write" ? 0 : accesses;
  }
  if (name == "bufferization.writable") {
    auto isWritable = dyn_cast<BoolAttr>(value);
    return isWritable && isWritable.getValue() ? 0 : writes;
  }
  return std::nullopt;
}

/// The names of the properties of `llvm.func` and `llvm.call` that are in no
/// row: lowering makes these of attributes. Asking the classes of these
/// operations would make the binary define the arrays of names that libMLIR
/// initializes, and libMLIR would use those of the binary before it has
/// initialized them.
static constexpr StringLiteral loweredNames = R"(
arg_attrs arm_in_za arm_inout_za arm_locally_streaming arm_new_za arm_out_za
arm_preserves_za arm_streaming arm_streaming_compatible callee function_type
intel_reqd_sub_group_size memory_effects op_bundle_sizes op_bundle_tags
operandSegmentSizes passthrough reqd_work_group_size res_attrs sym_name
sym_visibility var_callee_type vec_type_hint work_group_size_hint
)";

/// Look `name`, which has `value`, up for `changes`: return nothing if it
/// contradicts none of them, or else whether the table has it. Without a row,
/// `isHarmless` decides.
static std::optional<bool> contradicts(StringRef name, Attribute value,
                                       AttributeChanges changes,
                                       bool isHarmless) {
  if (std::optional<AttributeChanges> byValue =
          getContradictedByValue(name, value))
    return *byValue & changes ? std::optional(true) : std::nullopt;
  if (std::optional<AttributeChanges> byName = lookupChanges(name))
    return *byName & changes ? std::optional(true) : std::nullopt;
  return isHarmless ? std::nullopt : std::optional(false);
}

/// Return the first of `attributes` that contradicts one of `changes`.
static std::optional<FalseAttribute>
findContradiction(Operation *op, ArrayRef<NamedAttribute> attributes,
                  AttributeChanges changes, std::optional<unsigned> argument) {
  for (NamedAttribute attribute : attributes) {
    StringRef fullName = attribute.getName(), name = fullName;
    bool isOfLLVM = name.consume_front("llvm.");
    auto entries = dyn_cast<ArrayAttr>(attribute.getValue());
    if (name == "passthrough" && entries) {
      for (Attribute entry : entries) {
        Attribute key = entry, value = entry;
        if (auto pair = dyn_cast<ArrayAttr>(entry); pair && pair.size() == 2) {
          key = pair[0];
          value = pair[1];
        }
        auto text = dyn_cast<StringAttr>(key);
        std::optional<bool> isKnown =
            contradicts(text ? text.getValue() : "", value, changes,
                        /*isHarmless=*/false);
        if (isKnown)
          return FalseAttribute{
              (fullName + " " + (text ? text.getValue() : "")).str(), op,
              argument, *isKnown};
      }
      continue;
    }
    bool isHarmless = !isOfLLVM && !isListed(loweredNames, name);
    if (std::optional<bool> isKnown =
            contradicts(name, attribute.getValue(), changes, isHarmless))
      return FalseAttribute{fullName.str(), op, argument, *isKnown};
  }
  return std::nullopt;
}

std::optional<FalseAttribute>
buffer_merge::findFalseAttribute(Operation *op, AttributeChanges changes) {
  if (isMutated("attribute-of-a-function"))
    return std::nullopt;
  // Lowering makes several operands of a memref, and wants attributes of each.
  auto call = dyn_cast<CallOpInterface>(op);
  if (call && call.getArgAttrsAttr() && (changes & newArgument) &&
      llvm::any_of(call.getArgAttrsAttr(), [](Attribute attributes) {
        return !cast<DictionaryAttr>(attributes).empty();
      }))
    return FalseAttribute{"arg_attrs", op, std::nullopt, /*isKnown=*/true};
  auto attributes = llvm::to_vector(op->getDiscardableAttrs());
  return findContradiction(op, attributes, changes, std::nullopt);
}

std::optional<FalseAttribute>
buffer_merge::findFalseArgumentAttribute(Operation *op, unsigned index,
                                         AttributeChanges changes) {
  if (isMutated("attribute-of-an-argument"))
    return std::nullopt;
  DictionaryAttr attributes;
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    attributes = function.getArgAttrDict(index);
  else if (auto call = dyn_cast<CallOpInterface>(op))
    if (ArrayAttr all = call.getArgAttrsAttr())
      attributes = cast<DictionaryAttr>(all[index]);
  if (!attributes)
    return std::nullopt;
  return findContradiction(op, attributes.getValue(), changes, index);
}

std::string FalseAttribute::describe() const {
  std::string owner;
  if (auto call = dyn_cast<func::CallOp>(op))
    owner = llvm::formatv("a call of '{0}'", call.getCallee());
  else if (auto symbol =
               op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
    owner = llvm::formatv("'{0}'", symbol.getValue());
  else
    owner = "a call";
  if (argument)
    owner = llvm::formatv("argument {0} of {1}", *argument, owner);
  if (!isKnown)
    return llvm::formatv("what the attribute '{0}' of {1} says is not known",
                         name, owner);
  return llvm::formatv("the attribute '{0}' of {1} would become false", name,
                       owner);
}
