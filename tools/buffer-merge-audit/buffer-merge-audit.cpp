//===- buffer-merge-audit.cpp - What the analysis takes operations for ---===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads cases that utils/audit-operations.py makes, separated by lines `//
// -----`: in each, one operation in the generic form has the attribute
// `audit.operand`, the number of an operand of memref type. Prints a line for
// each with what `classifyUse` says of that operand and what this rests on. The
// cases are not verified: they lack attributes.
//
// With --list it prints the names of all registered operations instead.
//
//===----------------------------------------------------------------------===//

#include "Analysis/BufferUses.h"
#include "Analysis/CalleeSummaries.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace buffer_merge;

static std::string describe(const BufferUse &use) {
  switch (use.kind) {
  case BufferUse::Kind::None:
    return "none";
  case BufferUse::Kind::Forward:
    return "alias";
  case BufferUse::Kind::Access:
    return "access";
  case BufferUse::Kind::DeferredAccess:
    return "deferred access";
  case BufferUse::Kind::Dealloc:
    return "deallocation";
  case BufferUse::Kind::Refused:
    return getReasonName(use.reason).str();
  }
  llvm_unreachable("unknown kind of use");
}

/// Return the effects that `op` declares on `value`, such as `Read, Write`.
static std::string describeEffects(MemoryEffectOpInterface op, Value value) {
  SmallVector<MemoryEffects::EffectInstance> effects;
  op.getEffects(effects);
  SmallVector<StringRef> names;
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (effect.getValue() != value)
      continue;
    StringRef name = isa<MemoryEffects::Read>(effect.getEffect())    ? "Read"
                     : isa<MemoryEffects::Write>(effect.getEffect()) ? "Write"
                     : isa<MemoryEffects::Free>(effect.getEffect())
                         ? "Free"
                         : "Allocate";
    if (!llvm::is_contained(names, name))
      names.push_back(name);
  }
  return llvm::join(names, ", ");
}

/// Return what `classifyUse` finds at the operation: its interfaces, and the
/// effects on the operand.
static std::string describeBasis(OpOperand &use) {
  Operation *op = use.getOwner();
  SmallVector<std::string> basis;
  if (isa<ViewLikeOpInterface>(op))
    basis.push_back("ViewLikeOpInterface");
  if (op->hasTrait<OpTrait::IsTerminator>())
    basis.push_back("terminator");
  if (isa<RegionBranchOpInterface>(op))
    basis.push_back("RegionBranchOpInterface");
  if (isa<CallOpInterface>(op))
    basis.push_back("CallOpInterface");
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op)) {
    std::string names = describeEffects(effects, use.get());
    basis.push_back(names.empty() ? "no effect on it" : "effects " + names);
  }
  return basis.empty() ? "no interface" : llvm::join(basis, "; ");
}

static void audit(StringRef source, MLIRContext &context) {
  OwningOpRef<Operation *> root = parseSourceString(
      source, ParserConfig(&context, /*verifyAfterParse=*/false));
  if (!root) {
    llvm::outs() << "unreadable\n";
    return;
  }
  root.get()->walk([](Operation *op) {
    auto number = op->getAttrOfType<IntegerAttr>("audit.operand");
    if (!number)
      return;
    if (number.getValue().uge(op->getNumOperands())) {
      llvm::outs() << "unreadable\n";
      return;
    }
    OpOperand &use = op->getOpOperand(number.getInt());
    BufferUse kind = classifyUse(use, CalleeSummaries());
    llvm::outs() << describe(kind) << "\t" << describeBasis(use) << "\n";
  });
  llvm::outs().flush();
}

int main(int argc, char **argv) {
  bool listsOperations = argc == 2 && StringRef(argv[1]) == "--list";
  if (argc > 1 && !listsOperations) {
    llvm::errs() << "usage: buffer-merge-audit < cases\n"
                    "       buffer-merge-audit --list\n";
    return 1;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  if (listsOperations) {
    for (RegisteredOperationName name : context.getRegisteredOperations())
      llvm::outs() << name.getStringRef() << "\n";
    return 0;
  }
  // What cannot be read is said on standard output.
  context.getDiagEngine().registerHandler([](Diagnostic &) {});
  auto input = llvm::MemoryBuffer::getSTDIN();
  if (!input)
    return 1;
  SmallVector<StringRef> cases;
  (*input)->getBuffer().split(cases, "// -----\n", /*MaxSplit=*/-1,
                              /*KeepEmpty=*/false);
  for (StringRef source : cases)
    audit(source, context);
  return 0;
}
