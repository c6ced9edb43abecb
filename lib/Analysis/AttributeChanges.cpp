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
    {"willreturn", aborting},
    // How many arguments there are.
    {"CConv", newArgument},
    {"func.varargs", newArgument},
    // What arguments may point to.
    {"TailCallKind", stack | AttributeChange::AddsArgument},
    // No two arguments or globals share a byte during a call that accesses it:
    // parts for callees are idle in the caller.
    {"noalias", 0},
    // A merged buffer has the bytes that its argument has in any case.
    {"align", 0},
    {"alignstack", 0},
    {"dereferenceable", 0},
    {"dereferenceable_or_null", 0},
    {"inreg", 0},
    {"noundef", 0},
    {"nonnull", 0},
    {"range", 0},
    {"returned", 0},
    {"signext", 0},
    {"sret", 0},
    {"zeroext", 0},
    {"bufferization.buffer_layout", 0},
    // Nothing that was there before the call is freed.
    {"nofree", 0},
    // Bytes are accessed by the thread that accessed them before.
    {"nosync", 0},
    {"convergent", 0},
    // What is called and thrown does not change: an abort does not unwind, and
    // calls nothing of the module.
    {"mustprogress", 0},
    {"no_unwind", 0},
    {"nocallback", 0},
    {"norecurse", 0},
    {"noreturn", 0},
    {"nounwind", 0},
    {"personality", 0},
    // How code is generated, and where it is.
    {"alignment", 0},
    {"always_inline", 0},
    {"alwaysinline", 0},
    {"cold", 0},
    {"comdat", 0},
    {"disable-tail-calls", 0},
    {"dso_local", 0},
    {"emit_c_interface", 0},
    {"frame-pointer", 0},
    {"frame_pointer", 0},
    {"function-instrument", 0},
    {"function_entry_count", 0},
    {"garbageCollector", 0},
    {"hot", 0},
    {"indirect-tls-seg-refs", 0},
    {"inline_hint", 0},
    {"inlinehint", 0},
    {"instrument-function-entry", 0},
    {"instrument-function-entry-inlined", 0},
    {"instrument-function-exit", 0},
    {"instrument_function_entry", 0},
    {"instrument_function_exit", 0},
    {"linkage", 0},
    {"min-legal-vector-width", 0},
    {"minsize", 0},
    {"no-builtins", 0},
    {"no-frame-pointer-elim", 0},
    {"no-inline-line-tables", 0},
    {"no-jump-tables", 0},
    {"no-stack-arg-probe", 0},
    {"no_inline", 0},
    {"nobuiltin", 0},
    {"nocf_check", 0},
    {"noduplicate", 0},
    {"noimplicitfloat", 0},
    {"noinline", 0},
    {"nomerge", 0},
    {"nonlazybind", 0},
    {"noprofile", 0},
    {"noredzone", 0},
    {"nosanitize_bounds", 0},
    {"nosanitize_coverage", 0},
    {"null_pointer_is_valid", 0},
    {"optdebug", 0},
    {"optforfuzzing", 0},
    {"optimize_none", 0},
    {"optnone", 0},
    {"optsize", 0},
    {"patchable-function", 0},
    {"patchable-function-entry", 0},
    {"patchable-function-prefix", 0},
    {"prefer-vector-width", 0},
    {"prefer_vector_width", 0},
    {"probe-stack", 0},
    {"reciprocal_estimates", 0},
    {"safestack", 0},
    {"sanitize_address", 0},
    {"sanitize_alloc_token", 0},
    {"sanitize_hwaddress", 0},
    {"sanitize_memory", 0},
    {"sanitize_memtag", 0},
    {"sanitize_numerical_stability", 0},
    {"sanitize_realtime", 0},
    {"sanitize_thread", 0},
    {"sanitize_type", 0},
    {"section", 0},
    {"shadowcallstack", 0},
    {"skipprofile", 0},
    {"speculative_load_hardening", 0},
    {"ssp", 0},
    {"sspreq", 0},
    {"sspstrong", 0},
    {"stack-probe-size", 0},
    {"stack-protector-buffer-size", 0},
    {"stackrealign", 0},
    {"target-cpu", 0},
    {"target-features", 0},
    {"target_cpu", 0},
    {"target_features", 0},
    {"tune-cpu", 0},
    {"tune_cpu", 0},
    {"unnamed_addr", 0},
    {"use-soft-float", 0},
    {"uwtable", 0},
    {"uwtable_kind", 0},
    {"visibility_", 0},
    {"vscale_range", 0},
    {"warn-stack-size", 0},
    {"zero-call-used-regs", 0},
    // How numbers are computed.
    {"approx-func-fp-math", 0},
    {"denormal-fp-math", 0},
    {"denormal-fp-math-f32", 0},
    {"denormal_fp_math", 0},
    {"denormal_fp_math_f32", 0},
    {"fastmathFlags", 0},
    {"fp_contract", 0},
    {"less-precise-fpmad", 0},
    {"no-infs-fp-math", 0},
    {"no-nans-fp-math", 0},
    {"no-signed-zeros-fp-math", 0},
    {"no-trapping-math", 0},
    {"no_infs_fp_math", 0},
    {"no_nans_fp_math", 0},
    {"no_signed_zeros_fp_math", 0},
    {"strictfp", 0},
    {"unsafe-fp-math", 0},
    {"unsafe_fp_math", 0},
};

static const AttributeRow *lookupRow(StringRef name) {
  const auto *row = llvm::find_if(
      attributeRows, [&](const AttributeRow &row) { return row.name == name; });
  return row == std::end(attributeRows) ? nullptr : row;
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
/// row, sorted. Asking the classes of these operations would make the binary
/// define the arrays of names that libMLIR initializes, and libMLIR would use
/// those of the binary before it has initialized them.
static constexpr StringLiteral loweredNames[] = {"arg_attrs",
                                                 "arm_in_za",
                                                 "arm_inout_za",
                                                 "arm_locally_streaming",
                                                 "arm_new_za",
                                                 "arm_out_za",
                                                 "arm_preserves_za",
                                                 "arm_streaming",
                                                 "arm_streaming_compatible",
                                                 "callee",
                                                 "function_type",
                                                 "intel_reqd_sub_group_size",
                                                 "memory_effects",
                                                 "op_bundle_sizes",
                                                 "op_bundle_tags",
                                                 "operandSegmentSizes",
                                                 "passthrough",
                                                 "reqd_work_group_size",
                                                 "res_attrs",
                                                 "sym_name",
                                                 "sym_visibility",
                                                 "var_callee_type",
                                                 "vec_type_hint",
                                                 "work_group_size_hint"};

/// Return true if lowering makes a property of a function or a call of an
/// attribute of this name.
static bool isLoweredName(StringRef name) {
  return llvm::is_contained(loweredNames, name);
}

/// Look `name`, which has `value`, up for `changes`: return nothing if it
/// contradicts none of them, or else whether the table has it. Without a row,
/// `isHarmless` decides.
static std::optional<bool> contradicts(StringRef name, Attribute value,
                                       AttributeChanges changes,
                                       bool isHarmless) {
  if (std::optional<AttributeChanges> byValue =
          getContradictedByValue(name, value))
    return *byValue & changes ? std::optional(true) : std::nullopt;
  if (const AttributeRow *row = lookupRow(name))
    return row->contradicted & changes ? std::optional(true) : std::nullopt;
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
    bool isHarmless = !isOfLLVM && !isLoweredName(name);
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
