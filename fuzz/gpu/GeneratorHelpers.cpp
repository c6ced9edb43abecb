//===- Generated functions that kernels call -----------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelGeneratorImpl.h"
#include "KernelInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

/// Make a function without results and go on in it.
func::FuncOp KernelGenerator::beginHelper(TypeRange arguments) {
  b.setInsertionPointToStart(symbols);
  auto helper = make<func::FuncOp>("helper" + std::to_string(numHelpers++),
                                   b.getFunctionType(arguments, {}));
  helper.setPrivate();
  b.setInsertionPointToStart(helper.addEntryBlock());
  return helper;
}

/// Write the slice of a thread and read that of the next one, or with no
/// barrier its own.
void KernelGenerator::exchange(Value memref, int64_t perThread,
                               bool hasBarrier) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  auto getFirst = [&](Value slice) -> Value {
    return make<arith::MulIOp>(slice, makeIndex(perThread));
  };
  make<memref::StoreOp>(makeData(element), memref, getFirst(thread));
  if (hasBarrier)
    createBarrier();
  consume(load(memref, getFirst(getSlice(hasBarrier ? 1 : 0))));
}

/// Make a function of which the last argument is the output, and generate what
/// it does.
func::FuncOp KernelGenerator::makeHelper(TypeRange arguments,
                                         function_ref<void()> generate) {
  OpBuilder::InsertionGuard guard(b);
  func::FuncOp helper = beginHelper(arguments);
  Block *outerBody = std::exchange(body, &helper.getBody().front());
  auto outerConstants = std::exchange(constants, {});
  Value outerOut = std::exchange(out, body->getArguments().back());
  Value outerThread = std::exchange(thread, makeThread());
  generate();
  make<func::ReturnOp>();
  body = outerBody;
  constants = std::move(outerConstants);
  out = outerOut;
  thread = outerThread;
  return helper;
}

/// A function in which threads meet.
void KernelGenerator::genBarrierHelper() {
  if (!position.isConvergent)
    return;
  int buffer =
      pickBuffer([](const BufferState &state) { return state.mayWrite(0); });
  if (buffer < 0 || buffers[buffer].type.getRank() != 1)
    return;
  Value memref = buffers[buffer].value;
  func::FuncOp helper = makeHelper({memref.getType(), out.getType()}, [&] {
    exchange(body->getArgument(0), buffers[buffer].perThread,
             /*hasBarrier=*/true);
  });
  make<func::CallOp>(helper, ValueRange{memref, out});
  passBarrier();
  states[buffer].reader = 1;
}

/// A function with buffers of its own. Where only some threads call it, it has
/// no barriers.
void KernelGenerator::genAllocatingHelper() {
  bool hasBarriers = position.isConvergent && random.chance(80);
  func::FuncOp helper = makeHelper({out.getType()}, [&] {
    for (unsigned k = 0; k < 2; ++k) {
      int64_t perThread = random.range(1, 3);
      auto type = makeShared({int64_t(numThreads) * perThread}, b.getI32Type());
      exchange(make<memref::AllocOp>(type), perThread, hasBarriers);
      if (hasBarriers && random.chance(50))
        createBarrier();
    }
  });
  make<func::CallOp>(helper, out);
  if (hasBarriers)
    passBarrier();
}
