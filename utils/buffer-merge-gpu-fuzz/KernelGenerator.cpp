//===- Random legal kernels from a seed -----------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelGeneratorImpl.h"
#include "KernelInterpreter.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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
                      nvgpu::NVGPUDialect, scf::SCFDialect,
                      vector::VectorDialect>();
}

ArrayRef<KernelGenerator::Statement> KernelGenerator::getStatements() {
  static const Statement statements[] = {
      {"phase", 24, &KernelGenerator::genPhase},
      {"fill", 10, &KernelGenerator::genFill},
      {"read", 12, &KernelGenerator::genRead},
      {"store", 6, &KernelGenerator::genStore},
      {"barrier", 6, &KernelGenerator::genBarrier},
      {"forget", 8, &KernelGenerator::genForget},
      {"copy", 4, &KernelGenerator::genCopy},
      {"atomic", 2, &KernelGenerator::genAtomic},
      {"select", 3, &KernelGenerator::genSelect},
      {"branched-alias", 2, &KernelGenerator::genBranchedAlias},
      {"ping-pong", 2, &KernelGenerator::genPingPong},
      {"broadcast", 3, &KernelGenerator::genBroadcast},
      {"single-thread", 3, &KernelGenerator::genSingleThread},
      {"call", 2, &KernelGenerator::genCall},
      {"private", 1, &KernelGenerator::genPrivate},
      {"async-copy", 7, &KernelGenerator::genAsyncCopy},
      {"async-no-group", 2, &KernelGenerator::genUngroupedCopy},
      {"async-wait", 4, &KernelGenerator::genAsyncWait},
      {"async-partial-wait", 2, &KernelGenerator::genPartialWait},
      {"pipeline", 3, &KernelGenerator::genPipeline},
      {"tiles", 5, &KernelGenerator::genTiles},
      {"if", 7, &KernelGenerator::genIf},
      {"divergent-if", 6, &KernelGenerator::genDivergentIf},
      {"switch", 3, &KernelGenerator::genSwitch},
      {"for", 10, &KernelGenerator::genFor},
      {"divergent-for", 2, &KernelGenerator::genDivergentFor},
      {"while", 4, &KernelGenerator::genWhile},
      {"carried-condition", 3, &KernelGenerator::genCarried},
      {"scope", 2, &KernelGenerator::genScope},
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
    total += statement.weight;
  unsigned k = random.below(total);
  for (const Statement &statement : getStatements()) {
    if (k < statement.weight) {
      features.insert(statement.name);
      (this->*statement.generate)();
      break;
    }
    k -= statement.weight;
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
  if (random.chance(8))
    run("canonicalize", createCanonicalizerPass());
  if (random.chance(3))
    run("scf-to-cf", createSCFToControlFlowPass());
  module->walk([&](gpu::GPUFuncOp op) { kernel = op; });
}

GeneratedKernel KernelGenerator::run() {
  module = ModuleOp::create(loc);
  module->getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                                  b.getUnitAttr());
  b.setInsertionPointToEnd(module->getBody());
  gpuModule = gpu::GPUModuleOp::create(b, loc, "kernels");
  workgroup =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  constexpr int64_t numInputs = 64;
  SmallVector<Type> types;
  for (Type element :
       {Type(b.getI32Type()), Type(b.getF32Type()), Type(b.getI64Type())})
    types.push_back(MemRefType::get({numInputs}, element));
  types.push_back(MemRefType::get({numThreads}, b.getI64Type()));
  for (unsigned k = 0; k < 3; ++k)
    types.push_back(b.getIndexType());
  for (unsigned k = 0; k < 2; ++k)
    types.push_back(b.getI1Type());
  b.setInsertionPointToStart(gpuModule.getBody());
  kernel =
      gpu::GPUFuncOp::create(b, loc, "kernel", b.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  Block &entry = kernel.getBody().front();
  for (unsigned k = 0; k < 3; ++k) {
    inputs.push_back(entry.getArgument(k));
    counts.push_back(entry.getArgument(4 + k));
  }
  out = entry.getArgument(3);
  flags = {entry.getArgument(7), entry.getArgument(8)};
  b.setInsertionPointToEnd(&entry);
  thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);

  for (unsigned k = 0; k < 4; ++k) {
    int64_t perThread;
    palette.push_back(makeType(perThread));
    palettePerThread.push_back(perThread);
  }
  carelessness = random.chance(40) ? 0 : random.range(10, 60);
  usesDealloc = random.chance(20);
  allowsDivergentBarriers = random.chance(8);
  budget = random.chance(60) ? random.range(4, 12) : random.range(12, 30);
  genBody(budget);
  gpu::ReturnOp::create(b, loc);

  // A launch, for whatever has to say something to it.
  b.setInsertionPointToEnd(module->getBody());
  auto hostOp =
      func::FuncOp::create(b, loc, "main", b.getFunctionType(types, {}));
  Block *host = hostOp.addEntryBlock();
  b.setInsertionPointToEnd(host);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value size = arith::ConstantIndexOp::create(b, loc, numThreads);
  gpu::LaunchFuncOp::create(b, loc, kernel, gpu::KernelDim3{one, one, one},
                            gpu::KernelDim3{size, one, one}, Value(),
                            host->getArguments());
  func::ReturnOp::create(b, loc);

  GeneratedKernel result;
  if (failed(verify(*module)))
    features.insert("INVALID");
  else
    prepare();
  result.statements = std::move(statements);
  // Names for the oracle.
  unsigned number = 0;
  auto makeName = [&] {
    return NameLoc::get(b.getStringAttr("b" + std::to_string(number++)));
  };
  for (BlockArgument argument : kernel.getWorkgroupAttributions())
    argument.setLoc(makeName());
  kernel.walk([&](memref::AllocOp op) { op->setLoc(makeName()); });
  result.module = std::move(module);
  result.features = std::move(features);
  return result;
}

GeneratedKernel
buffer_merge::fuzz::generateKernel(MLIRContext &context, uint64_t seed,
                                   const std::set<uint64_t> &dropped) {
  return KernelGenerator(context, seed, dropped).run();
}
