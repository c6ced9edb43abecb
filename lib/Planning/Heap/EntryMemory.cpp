//===- EntryMemory.cpp - RAM and flash of each entry ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryMemory.h"
#include "Analysis/BufferSize.h"
#include "Analysis/FunctionContext.h"
#include "Analysis/LentArguments.h"
#include "Planning/Storage/ArenaPlan.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the bytes of a memref of `type`, or nothing if they are not known.
static std::optional<int64_t> getBytes(Type type, const DataLayout &layout) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return std::nullopt;
  auto size = computeBufferSize(memref, layout);
  if (auto *known = std::get_if<BufferSize>(&size))
    return known->bytes;
  return std::nullopt;
}

/// Return the alignment that `argument`, a memref of known size, has.
static int64_t getArgumentAlignment(BlockArgument argument,
                                    const DataLayout &layout) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto size = computeBufferSize(cast<MemRefType>(argument.getType()), layout);
  return std::max(std::get<BufferSize>(size).alignment,
                  getPromisedAlignment(function, argument.getArgNumber()));
}

namespace {
/// Adds up the memory of the entries of one plan.
class EntrySums {
public:
  EntrySums(const MergePlan &plan, const Footprint &footprint)
      : plan(plan), arenas(*plan.arenas), graph(arenas.getGraph()) {
    for (const auto &[function, peak] : footprint.functions)
      heapBytes[function] = peak.planned - peak.globals;
    for (const BufferLifetime &buffer : plan.lifetimes->getBuffers())
      if (!buffer.size)
        unknown.insert(buffer.function);
    stackBytes.resize(graph.getFunctions().size());
    for (unsigned index : graph.getCalleesFirst())
      addStack(index);
  }

  EntryMemory sum(unsigned index);

private:
  void addStack(unsigned index);
  void addProgramGlobals(ArrayRef<unsigned> reached, EntryMemory &entry);
  void addArguments(unsigned index, EntryMemory &entry);
  bool isWritten(unsigned function, unsigned argument);
  bool isWrittenBy(OpOperand &use);

  const MergePlan &plan;
  const ArenaPlan &arenas;
  const FunctionGraph &graph;
  llvm::DenseMap<Operation *, int64_t> heapBytes;
  SmallVector<int64_t> stackBytes;
  /// Functions with allocations of unknown size.
  llvm::DenseSet<Operation *> unknown;
  /// The answers of `isWritten`.
  llvm::DenseMap<std::pair<unsigned, unsigned>, bool> written;
};
} // namespace

/// Note `text` in `entry`, once.
static void addUnknown(EntryMemory &entry, StringRef text) {
  if (!llvm::is_contained(entry.unknown, text))
    entry.unknown.push_back(text);
}

void EntrySums::addStack(unsigned index) {
  const FunctionGraph::Function &node = graph.getFunctions()[index];
  func::FuncOp function = node.op;
  DataLayout layout = DataLayout::closest(function);
  int64_t own = 0, callees = 0;
  function.walk([&](memref::AllocaOp alloca) {
    std::optional<int64_t> bytes = getBytes(alloca.getType(), layout);
    own += bytes.value_or(0);
    if (!bytes)
      unknown.insert(function);
  });
  for (unsigned call : node.calls)
    callees = std::max(callees, stackBytes[graph.getCalls()[call].callee]);
  stackBytes[index] = own + callees;
}

void EntrySums::addProgramGlobals(ArrayRef<unsigned> reached,
                                  EntryMemory &entry) {
  llvm::SetVector<memref::GlobalOp> globals;
  SymbolTableCollection symbols;
  for (unsigned index : reached) {
    func::FuncOp function = graph.getFunctions()[index].op;
    function.walk([&](memref::GetGlobalOp get) {
      if (auto global = symbols.lookupNearestSymbolFrom<memref::GlobalOp>(
              get, get.getNameAttr()))
        globals.insert(global);
    });
  }
  for (memref::GlobalOp global : globals) {
    std::optional<int64_t> bytes =
        getBytes(global.getType(), DataLayout::closest(global));
    if (global.isExternal() || !bytes)
      addUnknown(entry, "globals that the module only declares");
    else
      (global.getConstant() ? entry.constantBytes : entry.variableBytes) +=
          *bytes;
  }
}

bool EntrySums::isWrittenBy(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    std::optional<unsigned> index = graph.lookup(callee);
    return !index || isWritten(*index, use.getOperandNumber());
  }
  if (auto style = dyn_cast<DestinationStyleOpInterface>(op))
    return style.isDpsInit(&use);
  return hasEffect<MemoryEffects::Write>(op, use.get());
}

bool EntrySums::isWritten(unsigned function, unsigned argument) {
  // A recursive call writes nothing that another one does not.
  auto [it, isNew] = written.try_emplace({function, argument}, false);
  if (!isNew)
    return it->second;
  func::FuncOp op = graph.getFunctions()[function].op;
  const FunctionContext *context = plan.lifetimes->getContext(op);
  bool result = llvm::any_of(
      context->aliases.getAliases(op.getArgument(argument)), [&](Value alias) {
        return llvm::any_of(alias.getUses(),
                            [&](OpOperand &use) { return isWrittenBy(use); });
      });
  written[{function, argument}] = result;
  return result;
}

void EntrySums::addArguments(unsigned index, EntryMemory &entry) {
  func::FuncOp function = entry.function;
  DataLayout layout = DataLayout::closest(function);
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes())) {
    // The arena is among the pools.
    if (!isa<BaseMemRefType>(type) ||
        function.getArgAttr(number, arenaAttrName))
      continue;
    std::optional<int64_t> bytes = getBytes(type, layout);
    if (!bytes) {
      addUnknown(entry, "arguments of unknown size");
      continue;
    }
    bool isOutput = isWritten(index, number);
    (isOutput ? entry.outputBytes : entry.inputBytes) += *bytes;
    entry.arguments.push_back(
        {unsigned(number), *bytes,
         getArgumentAlignment(function.getArgument(number), layout), isOutput});
  }
  for (Type type : function.getResultTypes())
    if (isa<BaseMemRefType>(type)) {
      std::optional<int64_t> bytes = getBytes(type, layout);
      entry.outputBytes += bytes.value_or(0);
      if (!bytes)
        addUnknown(entry, "results of unknown size");
    }
}

EntryMemory EntrySums::sum(unsigned index) {
  EntryMemory entry;
  entry.function = graph.getFunctions()[index].op;
  SmallVector<unsigned> reached = graph.findReached(index);
  for (unsigned other : reached) {
    const FunctionGraph::Function &node = graph.getFunctions()[other];
    if (node.isRecursive)
      addUnknown(entry, "how deep a recursion is");
    if (unknown.contains(node.op))
      addUnknown(entry, "allocations of unknown size");
    func::FuncOp function = node.op;
    function.walk([&](CallOpInterface call) {
      auto *callee = call.resolveCallable();
      if (!callee || !graph.lookup(callee))
        addUnknown(entry, "functions outside of the module");
    });
  }
  const ArenaPlan::Arena &arena = arenas.getArenas()[index];
  int64_t arenaBytes =
      arenas.isActive(index) && !arena.isOwn ? arena.getLeastBytes() : 0;
  entry.poolBytes = countReachedGlobals(plan, entry.function) + arenaBytes;
  entry.heapBytes =
      std::max<int64_t>(heapBytes.lookup(entry.function) - arenaBytes, 0);
  entry.stackBytes = stackBytes[index];
  addProgramGlobals(reached, entry);
  addArguments(index, entry);
  return entry;
}

SmallVector<EntryMemory, 0>
buffer_merge::computeEntryMemory(const MergePlan &plan,
                                 const Footprint &footprint) {
  EntrySums sums(plan, footprint);
  SmallVector<EntryMemory, 0> entries;
  for (auto [index, node] :
       llvm::enumerate(plan.arenas->getGraph().getFunctions())) {
    if (isCalledFromOutside(node.op) || node.callers.empty())
      entries.push_back(sums.sum(index));
  }
  return entries;
}
