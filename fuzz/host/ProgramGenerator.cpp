//===- Random legal programs from a seed ---------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramGenerator.h"
#include "Forms.h"
#include "Generator.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

void buffer_merge::fuzz::loadGeneratorDialects(MLIRContext &context) {
  context.loadDialect<affine::AffineDialect, arith::ArithDialect,
                      async::AsyncDialect, bufferization::BufferizationDialect,
                      cf::ControlFlowDialect, complex::ComplexDialect,
                      func::FuncDialect, linalg::LinalgDialect,
                      memref::MemRefDialect, scf::SCFDialect, ub::UBDialect,
                      vector::VectorDialect>();
}

Generator::Generator(MLIRContext &context, uint64_t seed,
                     const GeneratorOptions &options)
    : OpMaker(context, seed), context(context), options(options) {}

ArrayRef<Generator::Statement> Generator::getStatements() {
  static const Statement statements[] = {
#define STATEMENT(NAME, WEIGHT, METHOD, LOWERABLE, ...)                        \
  {NAME, WEIGHT, &Generator::METHOD, LOWERABLE, __VA_ARGS__},
#include "Statements.def"
  };
  return statements;
}

void Generator::beginFunction(Block *entry) {
  b.setInsertionPointToEnd(entry);
  entryBlock = entry;
  constants.clear();
  scope = Scope();
  position = Position();
  pending.clear();
}

void Generator::beginCallee(Block *entry) {
  beginFunction(entry);
  position.canPrint = false;
  position.depth = 1;
  position.work = 2;
  position.level = nextLevel++;
  scope.acc = entry->getArgument(0);
  scope.ints.push_back(scope.acc);
}

void Generator::genFunction(unsigned number) {
  Callee callee;
  SmallVector<Type> inputs = {b.getI64Type()};
  for (unsigned k = 0, e = random.below(3); k < e; ++k) {
    callee.arguments.push_back(palette[random.below(palette.size())]);
    inputs.push_back(callee.arguments.back());
  }
  SmallVector<Type> results = {b.getI64Type()};
  SmallVector<MemRefType, 1> memTypes;
  if (random.chance(35)) {
    memTypes.push_back(
        callee.arguments.empty() || random.chance(30)
            ? palette[random.below(palette.size())]
            : cast<MemRefType>(
                  callee.arguments[random.below(callee.arguments.size())]));
    callee.result = memTypes[0];
    results.push_back(callee.result);
  }
  callee.fills = !callee.arguments.empty() && random.chance(30);
  b.setInsertionPointToEnd(module->getBody());
  auto funcOp = make<func::FuncOp>("f" + std::to_string(number),
                                   b.getFunctionType(inputs, results));
  // Somebody might call the others from outside of the module.
  if (!options.calls || number % 2)
    funcOp.setPrivate();
  callee.op = funcOp;

  Block *entry = funcOp.addEntryBlock();
  beginCallee(entry);
  prints = false;
  position.canPrint = random.chance(50);
  int root = addRoot(-1);
  for (size_t k = 0; k < callee.arguments.size(); ++k) {
    addMem(entry->getArgument(1 + k), root);
    if (callee.fills && k == 0) {
      scope.mems.back().state = scope.written.size();
      scope.mems.back().whole = true;
      scope.written.push_back(false);
      fill(scope.mems.back());
    }
  }
  AccessLog log;
  logs.push_back(&log);
  if (options.calls && random.chance(20))
    genRecursion(funcOp);
  Yields yields = genBody(random.range(2, 5), memTypes);
  logs.pop_back();
  // Many functions return an argument.
  for (Value argument : entry->getArguments())
    if (yields.values.size() > 1 && random.chance(50) &&
        argument.getType() == yields.values[1].getType()) {
      yields.values[1] = argument;
      features.insert("argument-returned");
    }
  make<func::ReturnOp>(yields.values);
  callee.prints = prints;
  callee.writes = log.writes.count(root) || callee.fills;
  callees.push_back(callee);
}

void Generator::genRecursion(func::FuncOp funcOp) {
  features.insert("recursion");
  // Something of this execution that is used after the others.
  MemVal own = allocate(pickType(), /*isPinned=*/true);
  fill(own);
  Value level = make<arith::RemUIOp>(funcOp.getArgument(0), makeInt(4));
  Value goesOn =
      make<arith::CmpIOp>(arith::CmpIPredicate::ne, level, makeInt(0));
  auto ifOp = make<scf::IfOp>(TypeRange(b.getI64Type()), goesOn, true, true);
  b.setInsertionPointToEnd(ifOp.elseBlock());
  make<scf::YieldOp>(scope.acc);
  b.setInsertionPointToEnd(ifOp.thenBlock());
  SmallVector<Value> arguments(funcOp.getArguments());
  arguments[0] = make<arith::SubIOp>(level, makeInt(1));
  auto call = make<func::CallOp>(funcOp, arguments);
  make<scf::YieldOp>(call.getResult(0));
  b.setInsertionPointAfter(ifOp);
  accumulate(ifOp.getResult(0));
  // What the body does to the arguments, the call does to them.
  for (const MemVal &mem : scope.mems)
    if (isa<BlockArgument>(mem.value)) {
      record(mem, /*write=*/false);
      record(mem, /*write=*/true);
    }
  position.work *= 2;
  if (canRead(own))
    read(own, /*all=*/true);
}

void Generator::genMain() {
  b.setInsertionPointToEnd(module->getBody());
  // Sizes that the caller knows; the interpreter passes some.
  SmallVector<Type> sizes(options.calls && options.dynamicShapes ? 2 : 0,
                          b.getIndexType());
  auto funcOp = make<func::FuncOp>("main", b.getFunctionType(sizes, {}));
  beginFunction(funcOp.addEntryBlock());
  argumentSizes.assign(funcOp.args_begin(), funcOp.args_end());
  for (unsigned k = 0; k < 3; ++k) {
    auto call = make<func::CallOp>("input_i64", TypeRange(b.getI64Type()),
                                   makeInt(random.range(0, 1000)));
    scope.ints.push_back(call.getResult(0));
  }
  scope.acc = scope.ints[0];
  genBody(random.range(6, 16), {});
  make<func::CallOp>("use_i64", TypeRange(), scope.acc);
  make<func::ReturnOp>();
}

/// Return true if the stock deallocation may be tried: in 22.1 it crashes on
/// graphs of blocks.
static bool canDeallocate(ModuleOp module) {
  return !module
              .walk([](Operation *op) {
                for (Region &region : op->getRegions())
                  if (region.getBlocks().size() > 1)
                    return WalkResult::interrupt();
                return WalkResult::advance();
              })
              .wasInterrupted();
}

void Generator::prepare(GeneratedProgram &program) {
  auto run = [&](const char *name, function_ref<void(OpPassManager &)> build) {
    OwningOpRef<ModuleOp> prepared = tryPasses(*module, build);
    if (!prepared)
      return false;
    module = std::move(prepared);
    features.insert(name);
    return true;
  };
  // Iterations that run at the same time would share the buffer.
  if (options.reuse && !frees && asyncCallees.empty() && random.chance(60) &&
      llvm::none_of(features, [](StringRef feature) {
        return feature.starts_with("async") || feature.contains("parallel") ||
               feature == "forall";
      }))
    run("hoisting", [](OpPassManager &manager) {
      manager.addNestedPass<func::FuncOp>(
          bufferization::createBufferLoopHoistingPass());
    });
  // It does not know that a task may go on after its function.
  // It does not know either who still compares an address.
  if (!frees && !features.count("async-unawaited") && asyncCallees.empty() &&
      !options.addresses && random.chance(60) && canDeallocate(*module))
    program.hasDeallocs |=
        run("stock-deallocation", [&](OpPassManager &manager) {
          bufferization::buildBufferDeallocationPipeline(
              manager, bufferization::BufferDeallocationPipelineOptions());
          // What a function returns may be a clone of its argument now, which
          // callers may write: the clone must be a copy.
          if (!callees.empty())
            manager.addPass(createConvertBufferizationToMemRefPass());
        });
  if (random.chance(15))
    run("lower-affine", [](OpPassManager &manager) {
      manager.addPass(createLowerAffinePass());
    });
  if (random.chance(25) && !options.sequential)
    run("scf-to-cf", [](OpPassManager &manager) {
      manager.addPass(createSCFToControlFlowPass());
    });
  if (random.chance(5))
    run("expand-strided-metadata", [](OpPassManager &manager) {
      manager.addPass(memref::createExpandStridedMetadataPass());
    });
  if (random.chance(8))
    run("canonicalize", [](OpPassManager &manager) {
      manager.addPass(createCanonicalizerPass());
    });
}

GeneratedProgram Generator::run() {
  module = ModuleOp::create(loc);
  b.setInsertionPointToEnd(module->getBody());
  Type i64 = b.getI64Type();
  make<func::FuncOp>("use_i64", b.getFunctionType({i64}, {})).setPrivate();
  make<func::FuncOp>("input_i64", b.getFunctionType({i64}, {i64})).setPrivate();
  for (unsigned k = 0; k < 4; ++k)
    palette.push_back(makeType());
  frees = random.chance(options.addresses ? 75 : 45);
  budget = random.chance(60)   ? random.range(6, 16)
           : random.chance(75) ? random.range(16, 32)
                               : random.range(32, 64);
  if (options.maxStatements)
    budget = std::min<int>(budget, options.maxStatements);
  if (options.async)
    budget = std::min(budget, 20);
  structured = random.chance(20) || options.sequential;
  if (options.calls) {
    for (unsigned k = 0, e = random.range(2, 4); k < e; ++k) {
      budget = std::max(budget, 6);
      genFunction(k);
    }
    budget = std::max(budget, 20);
  } else if (random.chance(options.reuse ? 80 : 50)) {
    for (unsigned k = 0, e = random.range(1, 2); k < e; ++k)
      genFunction(k);
  }
  if (options.async) {
    awaitsAnywhere = random.chance(15);
    for (unsigned k = 0, e = random.range(2, 5); k < e; ++k) {
      budget = std::max(budget, 4);
      genAsyncFunction(k);
    }
    budget = std::max(budget, 12);
  }
  for (unsigned k = 0; options.lent && k < 3; ++k) {
    budget = std::max(budget, 8);
    genLentFunction(k);
  }
  for (unsigned k = 0; options.addresses && k < 2; ++k) {
    budget = std::max(budget, 4);
    genAddressFunction(k);
  }
  if (options.lent || options.addresses)
    budget = std::max(budget, 12);
  genMain();
  shuffleBlocks();

  GeneratedProgram program;
  program.hasDeallocs = frees;
  if (failed(verify(*module))) {
    program.module = std::move(module);
    features.insert("INVALID");
    program.features = features;
    return program;
  }
  prepare(program);
  // Names for the oracle.
  unsigned number = 0;
  module->walk([&](memref::AllocOp op) {
    op->setLoc(NameLoc::get(b.getStringAttr("b" + std::to_string(number++))));
  });
  program.module = std::move(module);
  program.features = std::move(features);
  program.numStatements = numStatements;
  return program;
}

GeneratedProgram
buffer_merge::fuzz::generateProgram(MLIRContext &context, uint64_t seed,
                                    const GeneratorOptions &options) {
  return Generator(context, seed, options).run();
}
