//===- Random legal kernels from a seed -----------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compatibility.h"
#include "KernelGeneratorImpl.h"
#include "KernelInterpreter.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

void buffer_merge::fuzz::loadKernelDialects(MLIRContext &context) {
  context.loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                      func::FuncDialect, gpu::GPUDialect, memref::MemRefDialect,
                      nvgpu::NVGPUDialect, NVVM::NVVMDialect, scf::SCFDialect,
                      vector::VectorDialect>();
}

StringRef buffer_merge::fuzz::stringify(KernelKind kind) {
  static const StringRef names[numKernelKinds] = {
      "kernel", "function", "launch",   "forall", "attributions",
      "memory", "matrices", "barriers", "tiles",  "engine"};
  return names[unsigned(kind)];
}

/// The bits of `kinds`.
static unsigned of(std::initializer_list<KernelKind> kinds) {
  unsigned bits = 0;
  for (KernelKind kind : kinds)
    bits |= 1u << unsigned(kind);
  return bits;
}

ArrayRef<KernelGenerator::Statement> KernelGenerator::getStatements() {
  static const Statement statements[] = {
#define STATEMENT(NAME, WEIGHT, METHOD, KINDS)                                 \
  {NAME, WEIGHT, &KernelGenerator::METHOD, KINDS},
#include "Statements.def"
  };
  return statements;
}

void KernelGenerator::genStatement() {
  // A statement has random numbers of its own, so that the rest of the kernel
  // stays the same without it.
  uint64_t number = random.next();
  if (dropped.count(number))
    return;
  statements.push_back(number);
  Random outer = std::exchange(random, Random(number));
  unsigned total = 0;
  for (const Statement &statement : getStatements())
    total += getWeight(statement);
  unsigned k = random.below(total);
  for (const Statement &statement : getStatements()) {
    unsigned weight = getWeight(statement);
    if (k < weight) {
      features.insert(statement.name);
      (this->*statement.generate)();
      break;
    }
    k -= weight;
  }
  random = outer;
}

void KernelGenerator::genBody(unsigned numStatements) {
  for (unsigned k = 0; k < numStatements && budget > 0; ++k) {
    --budget;
    genStatement();
  }
}

/// What a pipeline may have run before.
void KernelGenerator::prepare() {
  auto run = [&](const char *name, std::unique_ptr<Pass> pass) {
    OwningOpRef<ModuleOp> copy = module->clone();
    PassManager manager(b.getContext());
    manager.addPass(std::move(pass));
    ScopedDiagnosticHandler quiet(b.getContext(),
                                  [](Diagnostic &) { return success(); });
    if (failed(manager.run(*copy)))
      return;
    module = std::move(copy);
    features.insert(name);
  };
  // Threads meet at the end of a loop over threads, which canonicalization
  // erases if nothing else happens in it. Without structure it is a loop whose
  // iterations all belong to each thread.
  bool hasThreadLoop =
      features.count("thread-loop") || features.count("nested-thread-loop");
  if (random.chance(8) && !hasThreadLoop)
    run("canonicalize", createCanonicalizerPass());
  if (random.chance(3) && kind != KernelKind::Forall && !hasThreadLoop)
    run("scf-to-cf", createSCFToControlFlowPass());
}

/// The memrefs and numbers that every kernel gets.
static SmallVector<Type> getArgumentTypes(Builder &b) {
  constexpr int64_t numInputs = 64;
  SmallVector<Type> types;
  for (Type element :
       {Type(b.getI32Type()), Type(b.getF32Type()), Type(b.getI64Type())})
    types.push_back(MemRefType::get({numInputs}, element));
  types.push_back(MemRefType::get({numThreads}, b.getI64Type()));
  types.append(3, b.getIndexType());
  types.append(2, b.getI1Type());
  return types;
}

/// Let the threads lie in rows; how many there are need not be known.
void KernelGenerator::makeRows() {
  features.insert("rows");
  columns = random.chance(50) ? numThreads / 2 : numThreads / 4;
  bool isKnown = random.chance(50);
  int32_t rows = isKnown ? numThreads / columns : 0;
  kernel.setKnownBlockSize(ArrayRef<int32_t>{columns, rows, 1});
  features.erase("known-block-size");
  if (isKnown)
    features.insert("known-block-size");
}

/// Return the number of the thread, from 0 on.
Value KernelGenerator::makeThread() {
  Value column = make<gpu::ThreadIdOp>(gpu::Dimension::x);
  if (columns == numThreads)
    return column;
  Value row = make<gpu::ThreadIdOp>(gpu::Dimension::y);
  Value first = make<arith::MulIOp>(row, make<arith::ConstantIndexOp>(columns));
  return make<arith::AddIOp>(first, column);
}

void KernelGenerator::makeGPUFunc(ArrayRef<Type> types) {
  auto gpuModule = make<gpu::GPUModuleOp>("kernels");
  symbols = gpuModule.getBody();
  b.setInsertionPointToStart(symbols);
  kernel = make<gpu::GPUFuncOp>("kernel", b.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  if (kind == KernelKind::Engine ||
      random.chance(kind == KernelKind::Tiles ? 60 : 30)) {
    features.insert("known-block-size");
    kernel.setKnownBlockSize(ArrayRef<int32_t>{numThreads, 1, 1});
    if (kind == KernelKind::Tiles && random.chance(40))
      makeRows();
  }
  body = &kernel.getBody().front();
}

void KernelGenerator::addMember(StringRef member) {
  if (!workgroupMembers.empty())
    workgroupMembers += ", ";
  workgroupMembers += member;
}

/// A function, which is the kernel, or has it inside.
void KernelGenerator::makeFunction(ArrayRef<Type> types) {
  symbols = module->getBody();
  auto function = make<func::FuncOp>("kernel", b.getFunctionType(types, {}));
  body = function.addEntryBlock();
  if (kind != KernelKind::Function)
    return;
  // One that is marked is launched, not called.
  bool isMarked = random.chance(50);
  if (isMarked)
    function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                      b.getUnitAttr());
  if (isMarked || random.chance(50)) {
    if (!isMarked && random.chance(30))
      addMember("\"kernelFunctions\": true");
    return;
  }
  // One that is called again.
  features.insert("called-twice");
  auto caller = make<func::FuncOp>("entry", b.getFunctionType(types, {}));
  b.setInsertionPointToStart(caller.addEntryBlock());
  for (unsigned k = 0; k < 2; ++k)
    make<func::CallOp>(function, caller.getArguments());
  make<func::ReturnOp>();
}

/// Go on in the body of a launch.
void KernelGenerator::enterLaunch() {
  Value one = make<arith::ConstantIndexOp>(1);
  Value blocks = make<arith::ConstantIndexOp>(3);
  Value size = make<arith::ConstantIndexOp>(numThreads);
  launch = make<gpu::LaunchOp>(blocks, one, one, size, one, one);
  make<func::ReturnOp>();
  body = &launch.getBody().front();
  b.setInsertionPointToEnd(body);
  if (random.chance(50))
    thread = launch.getThreadIds().x;
}

/// Go on in the body of a loop over workgroups.
void KernelGenerator::enterForall() {
  std::optional<ArrayAttr> mapping;
  if (random.chance(50))
    mapping = b.getArrayAttr(Attribute(
        gpu::GPUBlockMappingAttr::get(b.getContext(), gpu::MappingId::DimX)));
  auto forall = make<scf::ForallOp>(ArrayRef<OpFoldResult>{b.getIndexAttr(3)},
                                    ValueRange(), mapping);
  make<func::ReturnOp>();
  body = forall.getBody();
  b.setInsertionPointToStart(body);
}

/// A launch, for whatever has to say something to it.
void KernelGenerator::makeHost(ArrayRef<Type> types) {
  b.setInsertionPointToEnd(module->getBody());
  // Who does not know the size of the workgroup from here has to prove more.
  bool isHidden = kind == KernelKind::Tiles &&
                  !features.count("known-block-size") && random.chance(70);
  SmallVector<Type> hostTypes(types);
  if (isHidden)
    hostTypes.push_back(b.getIndexType());
  auto hostOp = make<func::FuncOp>("main", b.getFunctionType(hostTypes, {}));
  Block *host = hostOp.addEntryBlock();
  b.setInsertionPointToEnd(host);
  Value one = make<arith::ConstantIndexOp>(1);
  Value size = isHidden ? Value(host->getArguments().back())
                        : Value(make<arith::ConstantIndexOp>(numThreads));
  Value bytes;
  if (dynamicBytes != 0)
    bytes = make<arith::ConstantIntOp>(b.getI32Type(), dynamicBytes);
  make<gpu::LaunchFuncOp>(kernel, gpu::KernelDim3{one, one, one},
                          gpu::KernelDim3{size, one, one}, bytes,
                          host->getArguments().take_front(types.size()));
  make<func::ReturnOp>();
}

void KernelGenerator::makeKernel(ArrayRef<Type> types) {
  bool isFunction = kind == KernelKind::Function ||
                    kind == KernelKind::Launch || kind == KernelKind::Forall;
  if (isFunction)
    makeFunction(types);
  else
    makeGPUFunc(types);
  for (unsigned k = 0; k < 3; ++k) {
    inputs.push_back(body->getArgument(k));
    counts.push_back(body->getArgument(4 + k));
  }
  out = body->getArgument(3);
  flags = {body->getArgument(7), body->getArgument(8)};
  b.setInsertionPointToEnd(body);
  if (kind == KernelKind::Launch)
    enterLaunch();
  if (kind == KernelKind::Forall)
    enterForall();
  if (!thread)
    thread = makeThread();
}

/// Which memory is that of the workgroup, and what the passes know of it.
void KernelGenerator::chooseOptions() {
  workgroup =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  if (kind == KernelKind::Attributions ||
      (kind == KernelKind::Memory && random.chance(30)))
    mergeOptions = "merge-attributions";
  if (kind != KernelKind::Function)
    return;
  if (random.chance(60)) {
    bool isNumber = random.chance(60);
    features.insert(isNumber ? "space-3" : "space-shared");
    workgroup = isNumber ? Attribute(b.getI64IntegerAttr(3))
                         : Attribute(b.getStringAttr("shared"));
    hasUnknownSpace = random.chance(50);
    if (!hasUnknownSpace)
      addMember(isNumber ? "\"spaces\": [\"3\"]" : "\"spaces\": [\"shared\"]");
  }
}

/// Names for the oracle.
void KernelGenerator::nameBuffers() {
  unsigned number = 0;
  auto makeName = [&](StringRef prefix = "b") {
    return NameLoc::get(b.getStringAttr(prefix + Twine(number++)));
  };
  module->walk([&](Operation *op) {
    if (auto kernel = dyn_cast<gpu::GPUFuncOp>(op))
      for (BlockArgument argument : buffer_merge::getWorkgroupArguments(kernel))
        argument.setLoc(makeName());
    if (auto launch = dyn_cast<gpu::LaunchOp>(op))
      for (BlockArgument argument : buffer_merge::getWorkgroupArguments(launch))
        argument.setLoc(makeName());
  });
  module->walk([&](Operation *op) {
    if (!isa<memref::AllocOp, memref::ViewOp>(op))
      return;
    auto name = dyn_cast<NameLoc>(op->getLoc());
    bool isCarried = name && name.getName() == carriedName;
    op->setLoc(isCarried ? makeName(carriedPrefix) : makeName());
  });
}

GeneratedKernel KernelGenerator::run() {
  module = ModuleOp::create(loc);
  module->getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                                  b.getUnitAttr());
  b.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> types = getArgumentTypes(b);
  chooseOptions();
  makeKernel(types);
  chooseMemory();

  for (unsigned k = 0; k < 4; ++k) {
    int64_t perThread;
    palette.push_back(makeType(perThread));
    palettePerThread.push_back(perThread);
  }
  carelessness = random.chance(40) ? 0 : random.range(10, 60);
  usesDealloc = random.chance(20);
  allowsDivergentBarriers = random.chance(8);
  budget = random.chance(60) ? random.range(4, 12) : random.range(12, 30);
  // Its loops are long.
  if (kind == KernelKind::Tiles)
    budget = random.range(2, 6);
  genBody(budget);
  if (kernel)
    make<gpu::ReturnOp>();
  else if (launch)
    make<gpu::TerminatorOp>();
  else if (kind == KernelKind::Function)
    make<func::ReturnOp>();
  if (kernel)
    makeHost(types);

  GeneratedKernel result;
  if (failed(verify(*module)))
    features.insert("INVALID");
  else
    prepare();
  nameBuffers();
  result.statements = std::move(statements);
  result.module = std::move(module);
  result.features = std::move(features);
  result.mergeOptions = std::move(mergeOptions);
  result.workgroupMembers = std::move(workgroupMembers);
  result.hasUnknownSpace = hasUnknownSpace;
  return result;
}

GeneratedKernel
buffer_merge::fuzz::generateKernel(MLIRContext &context, KernelKind kind,
                                   uint64_t seed,
                                   const std::set<uint64_t> &dropped) {
  return KernelGenerator(context, kind, seed, dropped).run();
}
