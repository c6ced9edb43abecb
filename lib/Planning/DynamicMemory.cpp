//===- DynamicMemory.cpp - Dynamic workgroup memory ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DynamicMemory.h"
#include "Mutation.h"

#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

StringRef DynamicMemory::checkAttribution(Region &kernel) {
  KernelCode code = memory.findCode(kernel);
  if (isMutated("attribution-beside-dynamic-memory"))
    return "";
  if (memory.findDynamicUse(code) == DynamicUse::Overlapping)
    return "it uses dynamic memory, which static memory may overlap";
  if (code.callsUnknown && !isMutated("attribution-with-unknown-callees"))
    return "it calls functions that the pass does not see";
  return "";
}

StringRef DynamicMemory::checkDynamic(PoolPlan &pool) {
  // Dynamic memory of a kernel is one, and `gpu.dynamic_shared_memory` has no
  // number for its space.
  if (!isa_and_present<gpu::AddressSpaceAttr>(pool.memorySpace))
    return "its memory space is not #gpu.address_space<workgroup>";
  KernelCode code = memory.findCode(*pool.scope);
  if (memory.findDynamicUse(code) != DynamicUse::None)
    return "it uses dynamic memory itself";
  if (code.callsUnknown)
    return "it calls functions that the pass does not see";
  if (isa<gpu::LaunchOp>(pool.scope->getParentOp()))
    return checkLaunch(pool);
  return checkKernel(pool);
}

StringRef DynamicMemory::checkLaunch(PoolPlan &pool) {
  auto launch = cast<gpu::LaunchOp>(pool.scope->getParentOp());
  if (launch.getDynamicSharedMemorySize())
    return "a launch already gives it dynamic memory";
  // There is no gpu.module yet that could hold a global.
  llvm::DenseSet<Operation *> merged;
  for (const BufferLifetime *buffer : pool.buffers)
    merged.insert(buffer->alloc);
  KernelCode code = memory.findCode(*pool.scope);
  if ((code.callsExternal || memory.hasStaticMemory(code, merged)) &&
      !isMutated("dynamic-launch-with-statics"))
    return "it has static memory, which gpu.dynamic_shared_memory may overlap: "
           "outline it first";
  return "";
}

StringRef DynamicMemory::checkKernel(PoolPlan &pool) {
  auto kernel = cast<gpu::GPUFuncOp>(pool.scope->getParentOp());
  auto module = dyn_cast<gpu::GPUModuleOp>(kernel->getParentOp());
  // A part of a module does not see all launches.
  if (!module || module->getParentOp() != root || root->getParentOp() ||
      !root->hasTrait<OpTrait::SymbolTable>())
    return "the pass does not run on the module around its gpu.module";
  if (!isCollected)
    collectLaunches();
  if (isAnyLaunchedByName)
    return "a call may launch it by its name";
  if (haveOtherUse.contains(kernel) || haveOtherUse.contains(module))
    return "something other than gpu.launch_func refers to it";
  auto it = launchesOf.find(kernel);
  if (it == launchesOf.end())
    return "no launch of it is known";
  for (gpu::LaunchFuncOp launch : it->second)
    if (launch.getDynamicSharedMemorySize())
      return "a launch already gives it dynamic memory";
  pool.workgroup->launches.assign(it->second.begin(), it->second.end());
  return "";
}

/// Return true for the name of a function, such as `mgpuLaunchKernel` or
/// `cuModuleGetFunction`, that launches a kernel or finds one by its name.
static bool isLaunchFunction(StringRef name) {
  return (name.contains("Launch") && name.contains("Kernel")) ||
         name.contains("ModuleGetFunction");
}

void DynamicMemory::addUses(Operation *op) {
  // References at a symbol table are resolved in the one around it.
  Operation *from = op;
  if (op != root && op->hasTrait<OpTrait::SymbolTable>())
    from = op->getParentOp();
  Operation *table = SymbolTable::getNearestSymbolTable(from);
  auto launch = dyn_cast<gpu::LaunchFuncOp>(op);
  op->getAttrDictionary().walk<WalkOrder::PreOrder>([&](SymbolRefAttr symbol) {
    Operation *used = table ? memory.lookup(table, symbol) : nullptr;
    // A module inside has names, and so kernels, of its own.
    bool isOfRoot = table == root;
    if (isMutated("G6-launches-of-other-modules")) {
      used = memory.lookup(root, symbol);
      isOfRoot = true;
    }
    if (launch && used && isOfRoot && symbol == launch.getKernelAttr()) {
      launchesOf[used].push_back(launch);
      return WalkResult::skip();
    }
    // An unknown operation may resolve symbols in its own way.
    if (!used && table != root)
      used = memory.lookup(root, symbol);
    if (isa_and_present<gpu::GPUFuncOp, gpu::GPUModuleOp>(used))
      haveOtherUse.insert(used);
    isAnyLaunchedByName |=
        !launch && isLaunchFunction(symbol.getLeafReference());
    // The parts of a nested reference are not references of their own.
    return WalkResult::skip();
  });
}

void DynamicMemory::collectLaunches() {
  isCollected = true;
  root->walk([&](Operation *op) { addUses(op); });
  if (isMutated("dynamic-other-uses"))
    haveOtherUse.clear();
  if (isMutated("dynamic-launched-by-name"))
    isAnyLaunchedByName = false;
}
