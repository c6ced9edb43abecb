//===- DeviceCode.cpp - Code that the threads of a GPU execute -----------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk notes the operations that only a device can execute at the innermost
// body around them, and all calls. Then device code spreads along the calls.
//
//===----------------------------------------------------------------------===//

#include "Analysis/GPU/DeviceCode.h"
#include "Analysis/GPU/WorkgroupMemory.h"
#include "Mutation.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

Operation *buffer_merge::lookupInside(Operation *root, Operation *op,
                                      SymbolRefAttr symbol,
                                      SymbolTableCollection &symbolTables) {
  Operation *table = SymbolTable::getNearestSymbolTable(op);
  return symbol && table && root->isAncestor(table)
             ? symbolTables.lookupSymbolIn(table, symbol)
             : nullptr;
}

Operation *buffer_merge::findCallee(Operation *root, CallOpInterface call,
                                    SymbolTableCollection &symbolTables) {
  return lookupInside(root, call,
                      dyn_cast<SymbolRefAttr>(call.getCallableForCallee()),
                      symbolTables);
}

/// Return true if `op` is a loop whose iterations are workgroups, threads or
/// groups of them by its mapping.
static bool isMappedLoop(Operation *op) {
  // Any dialect may call something of an affine.parallel its mapping.
  if (isa<affine::AffineParallelOp>(op)) {
    LoopMapping mapping = getLoopMapping(op);
    return mapping == LoopMapping::Workgroup || mapping == LoopMapping::Threads;
  }
  auto mapping = isa<scf::ForallOp, scf::ParallelOp>(op)
                     ? op->getAttrOfType<ArrayAttr>("mapping")
                     : ArrayAttr();
  return mapping && !mapping.empty();
}

/// Return true if operations of this name are executed by threads of a GPU. A
/// name that the host knows as well is not enough: then a buffer of the host
/// would stay.
static bool isDeviceOp(OperationName name) {
  StringRef dialect = name.getDialectNamespace();
  if (dialect == "gpu") {
    // What the host does on the device it can do asynchronously.
    if (name.hasInterface<gpu::AsyncOpInterface>())
      return false;
    static constexpr StringLiteral hostOps[] = {
        "gpu.binary",          "gpu.func",
        "gpu.host_register",   "gpu.module",
        "gpu.host_unregister", "gpu.set_default_device",
        "gpu.terminator",
    };
    return !llvm::is_contained(hostOps, name.getStringRef());
  }
  static constexpr StringLiteral dialects[] = {"amdgpu", "nvgpu", "nvvm",
                                               "rocdl",  "xegpu", "xevm"};
  return llvm::is_contained(dialects, dialect) &&
         name.getStringRef() != "nvgpu.tma.create.descriptor";
}

/// Return true if `function` is marked as a kernel, in one of the ways of
/// upstream dialects.
static bool isMarkedAsKernel(Operation *function) {
  static constexpr StringLiteral attributes[] = {"nvvm.kernel", "rocdl.kernel",
                                                 "spirv.entry_point_abi"};
  return gpu::GPUDialect::isKernel(function) ||
         llvm::any_of(attributes, [&](StringRef attribute) {
           return function->hasAttr(attribute);
         });
}

class DeviceCode::Builder {
public:
  Builder(DeviceCode &device, Operation *root, const WorkgroupOptions &options)
      : device(device), root(root), options(options) {}

  void run();

private:
  /// A reference to a function, and one of the bodies that it is in: a
  /// function, a loop without a mapping, or null for device code.
  struct Reference {
    Operation *op;
    Operation *body;
  };

  /// What operations of one name may be: all that is looked at for most of
  /// them.
  struct NameInfo {
    bool isDevice = false;
    /// It may be executed by threads of a GPU, or hold what is; or it refers to
    /// a function or allocates memory.
    bool isOfInterest = false;
  };

  const NameInfo &lookupName(OperationName name);
  bool isDeviceOperation(Operation *op);
  void addReference(Operation *op, bool isKnown);
  void enter(Operation *op);
  void leave(Operation *op);
  void followReferences();

  DeviceCode &device;
  Operation *root;
  const WorkgroupOptions &options;
  llvm::DenseMap<OperationName, NameInfo> names;
  /// Functions, launches and loops around the current operation.
  SmallVector<Operation *> bodies;
  SmallVector<Reference, 0> references;
  bool hasWorkgroupMemory = false;
  SymbolTableCollection symbolTables;
};

const DeviceCode::Builder::NameInfo &
DeviceCode::Builder::lookupName(OperationName name) {
  auto [it, isNew] = names.try_emplace(name);
  NameInfo &info = it->second;
  if (!isNew)
    return info;
  info.isDevice = isDeviceOp(name);
  static constexpr StringLiteral deviceDialects[] = {
      "amdgpu", "gpu", "llvm",  "nvgpu", "nvvm",
      "rocdl",  "scf", "xegpu", "xevm",  "func"};
  info.isOfInterest =
      info.isDevice || options.isBarrier || !name.isRegistered() ||
      name.hasInterface<FunctionOpInterface>() ||
      name.hasInterface<CallOpInterface>() ||
      name.getStringRef() == memref::AllocOp::getOperationName() ||
      name.getStringRef() == affine::AffineParallelOp::getOperationName() ||
      llvm::is_contained(deviceDialects, name.getDialectNamespace()) ||
      llvm::is_contained(options.barrierOps, name.getStringRef());
  return info;
}

bool DeviceCode::Builder::isDeviceOperation(Operation *op) {
  if (isa<scf::ForallOp>(op))
    return getLoopMapping(op) == LoopMapping::Threads;
  if (op->getName().getStringRef() == "llvm.call_intrinsic") {
    auto name = op->getAttrOfType<StringAttr>("intrin");
    return name && (name.getValue().starts_with("llvm.nvvm.") ||
                    name.getValue().starts_with("llvm.amdgcn."));
  }
  return lookupName(op->getName()).isDevice || options.isWorkgroupBarrier(op);
}

static bool isBody(Operation *op) {
  return isa<FunctionOpInterface, gpu::GPUModuleOp, gpu::LaunchOp,
             scf::ForallOp>(op) ||
         isMappedLoop(op);
}

/// Note a call or constant that is in device code for sure if `isKnown`.
void DeviceCode::Builder::addReference(Operation *op, bool isKnown) {
  if (isKnown)
    return references.push_back({op, nullptr});
  for (Operation *body : llvm::reverse(bodies)) {
    references.push_back({op, body});
    if (isa<FunctionOpInterface>(body))
      return;
  }
}

void DeviceCode::Builder::enter(Operation *op) {
  if (!lookupName(op->getName()).isOfInterest)
    return;
  Operation *body = bodies.empty() ? nullptr : bodies.back();
  bool isKnown = body && (isa<gpu::GPUModuleOp, gpu::LaunchOp>(body) ||
                          isMappedLoop(body));
  if (body && !isKnown && isDeviceOperation(op))
    device.bodies.insert(body);
  if (isa<CallOpInterface, func::ConstantOp>(op))
    addReference(op, isKnown);
  else if (auto alloc = dyn_cast<memref::AllocOp>(op))
    hasWorkgroupMemory |=
        options.isWorkgroupSpace(alloc.getType().getMemorySpace(),
                                 /*isInDeviceCode=*/false);
  if (!isBody(op))
    return;
  device.isAny |= isa<gpu::GPUModuleOp, gpu::LaunchOp>(op) || isMappedLoop(op);
  if (isa<FunctionOpInterface>(op) && isMarkedAsKernel(op))
    device.bodies.insert(op);
  bodies.push_back(op);
}

void DeviceCode::Builder::leave(Operation *op) {
  if (!bodies.empty() && bodies.back() == op)
    bodies.pop_back();
}

void DeviceCode::Builder::followReferences() {
  SmallVector<Operation *> worklist;
  llvm::DenseMap<Operation *, SmallVector<Operation *, 2>> calleesOf;
  auto add = [&](Operation *function) {
    if (device.bodies.insert(function).second)
      worklist.push_back(function);
  };
  SmallVector<Operation *> fromDevice;
  for (const Reference &reference : references) {
    auto constant = dyn_cast<func::ConstantOp>(reference.op);
    Operation *function =
        constant ? lookupInside(root, constant, constant.getValueAttr(),
                                symbolTables)
                 : findCallee(root, cast<CallOpInterface>(reference.op),
                              symbolTables);
    if (!isa_and_nonnull<FunctionOpInterface>(function))
      continue;
    if (!isMarkedAsKernel(function))
      device.called.insert(function);
    if (reference.body)
      calleesOf[reference.body].push_back(function);
    else
      fromDevice.push_back(function);
  }
  if (isMutated("G6-device-callees"))
    return;
  for (Operation *body : device.bodies)
    worklist.push_back(body);
  llvm::for_each(fromDevice, add);
  while (!worklist.empty()) {
    auto callees = calleesOf.find(worklist.pop_back_val());
    if (callees != calleesOf.end())
      llvm::for_each(callees->second, add);
  }
}

void DeviceCode::Builder::run() {
  for (Operation *op = root->getParentOp(); op; op = op->getParentOp())
    device.isAny |=
        isa<gpu::GPUModuleOp, gpu::LaunchOp>(op) || isMappedLoop(op);
  root->walk([&](Operation *op, const WalkStage &stage) {
    if (stage.isBeforeAllRegions())
      enter(op);
    if (stage.isAfterAllRegions())
      leave(op);
  });
  device.isAny |= !device.bodies.empty();
  // In a program of the host nobody asks for the rest.
  if (device.isAny || hasWorkgroupMemory)
    followReferences();
}

DeviceCode::DeviceCode(Operation *root, const WorkgroupOptions &options) {
  Builder(*this, root, options).run();
}

bool DeviceCode::contains(Operation *op) const {
  if (!isAny)
    return false;
  for (op = op->getParentOp(); op; op = op->getParentOp())
    if (isa<gpu::GPUModuleOp, gpu::LaunchOp>(op) || bodies.contains(op) ||
        isMappedLoop(op))
      return true;
  return false;
}

bool DeviceCode::isInDeviceFunction(Operation *op) const {
  if (!isAny)
    return false;
  for (op = op->getParentOp(); op; op = op->getParentOp())
    if (isa<gpu::GPUModuleOp, gpu::LaunchOp>(op) ||
        (isa<FunctionOpInterface>(op) && bodies.contains(op)))
      return true;
  return false;
}
