//===- KernelFixture.h - Kernels for tests ----------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_UNITTESTS_ANALYSIS_KERNELFIXTURE_H
#define BUFFER_MERGE_UNITTESTS_ANALYSIS_KERNELFIXTURE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace buffer_merge {
/// Parses kernels; operations are found by the attribute `name`.
class KernelFixture : public testing::Test {
protected:
  KernelFixture() {
    context.loadDialect<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                        mlir::func::FuncDialect, mlir::gpu::GPUDialect,
                        mlir::memref::MemRefDialect, mlir::nvgpu::NVGPUDialect,
                        mlir::scf::SCFDialect>();
    context.allowUnregisteredDialects();
  }

  /// Parse `text` with `!wg`, a buffer in workgroup memory.
  void parse(llvm::StringRef text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        ("!wg = memref<8xf32, #gpu.address_space<workgroup>>\n" + text).str(),
        &context);
    ASSERT_TRUE(module);
  }

  /// Parse a kernel `@k(%x: f32, %n: index)` with the constants `%c0`, `%c1`
  /// and `%c8`, the id `%t` of the thread and `body`.
  void parseKernel(llvm::StringRef body) {
    parse(("gpu.module @m { gpu.func @k(%x: f32, %n: index) kernel {\n"
           "%c0 = arith.constant 0 : index %c1 = arith.constant 1 : index\n"
           "%c8 = arith.constant 8 : index %t = gpu.thread_id x\n" +
           body + "\ngpu.return } }")
              .str());
  }

  mlir::Region &getKernel() {
    mlir::Region *kernel = nullptr;
    module->walk([&](mlir::gpu::GPUFuncOp op) { kernel = &op.getBody(); });
    return *kernel;
  }

  /// Return the operation with the attribute `name = "<name>"`.
  mlir::Operation *find(llvm::StringRef name) {
    mlir::Operation *found = nullptr;
    module->walk([&](mlir::Operation *op) {
      if (auto attribute = op->getAttrOfType<mlir::StringAttr>("name");
          attribute && attribute.getValue() == name)
        found = op;
    });
    EXPECT_NE(found, nullptr) << name.str();
    return found;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_UNITTESTS_ANALYSIS_KERNELFIXTURE_H
