//===- Compatibility.h - What differs between MLIR's releases ---*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sources are the same for MLIR 22 and 23 but for what is here. What has
// the same name in both and means something else is in docs/Testing.md.
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_COMPATIBILITY_H
#define BUFFER_MERGE_LIB_COMPATIBILITY_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/Config/llvm-config.h"

namespace mlir::omp {
class TaskloopOp;
class TaskloopContextOp;
class TaskloopWrapperOp;
} // namespace mlir::omp

namespace buffer_merge {
/// What makes tasks of the iterations of a loop, and what is around the loop in
/// there: two operations since 23, before that one.
#if LLVM_VERSION_MAJOR >= 23
using TaskloopOp = mlir::omp::TaskloopContextOp;
using TaskloopWrapperOp = mlir::omp::TaskloopWrapperOp;
#else
using TaskloopOp = mlir::omp::TaskloopOp;
using TaskloopWrapperOp = mlir::omp::TaskloopOp;
#endif

/// Return the arguments or results that `branch` hands values over to where it
/// continues at `successor`.
inline mlir::ValueRange getSuccessorInputs(mlir::RegionBranchOpInterface branch,
                                           mlir::RegionSuccessor successor) {
#if LLVM_VERSION_MAJOR >= 23
  return branch.getSuccessorInputs(successor);
#else
  (void)branch;
  return successor.getSuccessorInputs();
#endif
}

/// Return true if all threads of a workgroup wait at `barrier` for each other,
/// and for no others. Since 23, others are written in the same way.
inline bool isOfWorkgroup(mlir::gpu::BarrierOp barrier) {
#if LLVM_VERSION_MAJOR >= 23
  return !barrier.getNamedBarrier() &&
         barrier.getScope() == mlir::gpu::BarrierScope::Workgroup;
#else
  (void)barrier;
  return true;
#endif
}

/// Return true if threads that wait at `barrier`, an `nvvm.barrier`, wait for
/// threads at the same operation. NVVM's header takes longer to compile than
/// most sources: who has such an operation includes it.
template <typename BarrierOp>
bool isAlignedBarrier(BarrierOp barrier) {
#if LLVM_VERSION_MAJOR >= 23
  return barrier.getAligned();
#else
  (void)barrier;
  return true;
#endif
}

/// Return the attributions in workgroup memory of a `gpu.func` or `gpu.launch`.
template <typename KernelOp>
llvm::ArrayRef<mlir::BlockArgument> getWorkgroupArguments(KernelOp kernel) {
#if LLVM_VERSION_MAJOR >= 23
  return kernel.getWorkgroupAttributionBBArgs();
#else
  return kernel.getWorkgroupAttributions();
#endif
}

/// Create an `nvvm.barrier` for `numThreads` threads, or for all, at the one
/// with the number `id`, or at the first.
template <typename BarrierOp>
BarrierOp createNVVMBarrier(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value id = {}, mlir::Value numThreads = {}) {
#if LLVM_VERSION_MAJOR >= 23
  return BarrierOp::create(b, loc, id, numThreads);
#else
  return BarrierOp::create(b, loc, mlir::TypeRange(), id, numThreads, {},
                           mlir::Value());
#endif
}

/// Say how many attributions in workgroup memory `kernel` has.
inline void setNumWorkgroupAttributions(mlir::gpu::GPUFuncOp kernel,
                                        unsigned number) {
#if LLVM_VERSION_MAJOR >= 23
  kernel.setWorkgroupAttributions(number);
#else
  kernel->setAttr(mlir::gpu::GPUFuncOp::getNumWorkgroupAttributionsAttrName(),
                  mlir::OpBuilder(kernel).getI64IntegerAttr(number));
#endif
}
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_COMPATIBILITY_H
