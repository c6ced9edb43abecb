//===- KernelLaunches.cpp - Where kernels are launched --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/GPU/KernelLaunches.h"
#include "Mutation.h"

using namespace mlir;
using namespace buffer_merge;

/// Return true for the name of a function, such as `mgpuLaunchKernel` or
/// `cuModuleGetFunction`, that launches a kernel or finds one by its name.
static bool isLaunchFunction(StringRef name) {
  return (name.contains("Launch") && name.contains("Kernel")) ||
         name.contains("ModuleGetFunction");
}

void KernelLaunches::addUses(Operation *op,
                             SymbolTableCollection &symbolTables) {
  // References at a symbol table are resolved in the one around it.
  Operation *from = op;
  if (op != root && op->hasTrait<OpTrait::SymbolTable>())
    from = op->getParentOp();
  Operation *table = SymbolTable::getNearestSymbolTable(from);
  auto launch = dyn_cast<gpu::LaunchFuncOp>(op);
  op->getAttrDictionary().walk<WalkOrder::PreOrder>([&](SymbolRefAttr symbol) {
    Operation *used =
        table ? symbolTables.lookupSymbolIn(table, symbol) : nullptr;
    // A module inside has names, and so kernels, of its own.
    if (launch && used && table == root && symbol == launch.getKernelAttr()) {
      launchesOf[used].push_back(launch);
      return WalkResult::skip();
    }
    // An unknown operation may resolve symbols in its own way.
    if (!used && table != root)
      used = symbolTables.lookupSymbolIn(root, symbol);
    if (isa_and_present<gpu::GPUFuncOp, gpu::GPUModuleOp>(used))
      haveOtherUse.insert(used);
    isAnyLaunchedByName |=
        !launch && isLaunchFunction(symbol.getLeafReference());
    // The parts of a nested reference are not references of their own.
    return WalkResult::skip();
  });
}

KernelLaunches::KernelLaunches(Operation *root) : root(root) {
  // Then none are known to be all.
  if (root->getParentOp())
    return;
  SymbolTableCollection symbolTables;
  root->walk([&](Operation *op) { addUses(op, symbolTables); });
}

StringRef KernelLaunches::check(gpu::GPUFuncOp kernel) const {
  auto module = dyn_cast<gpu::GPUModuleOp>(kernel->getParentOp());
  // A part of a module does not see all launches.
  if (!module || module->getParentOp() != root || root->getParentOp() ||
      !root->hasTrait<OpTrait::SymbolTable>())
    return "the pass does not run on the module around its gpu.module";
  if (isAnyLaunchedByName && !isMutated("G9-launches"))
    return "a call may launch it by its name";
  if (haveOtherUse.contains(kernel) || haveOtherUse.contains(module))
    return "something other than gpu.launch_func refers to it";
  return lookup(kernel).empty() ? "no launch of it is known" : "";
}

ArrayRef<gpu::LaunchFuncOp>
KernelLaunches::lookup(gpu::GPUFuncOp kernel) const {
  auto it = launchesOf.find(kernel);
  return it == launchesOf.end() ? ArrayRef<gpu::LaunchFuncOp>()
                                : ArrayRef<gpu::LaunchFuncOp>(it->second);
}
