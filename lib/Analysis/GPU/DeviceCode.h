//===- DeviceCode.h - Code that the threads of a GPU execute ----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_GPU_DEVICECODE_H
#define BUFFER_MERGE_LIB_ANALYSIS_GPU_DEVICECODE_H

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/DenseSet.h"

namespace buffer_merge {
struct WorkgroupOptions;

/// Return what `symbol` means at `op`, or null if that is nothing, or outside
/// of `root`: other threads may change that.
mlir::Operation *lookupInside(mlir::Operation *root, mlir::Operation *op,
                              mlir::SymbolRefAttr symbol,
                              mlir::SymbolTableCollection &symbolTables);

/// Return what `call` executes, which need not have a body; null if it is not
/// known, or outside of `root`.
mlir::Operation *findCallee(mlir::Operation *root, mlir::CallOpInterface call,
                            mlir::SymbolTableCollection &symbolTables);

/// Finds the code that the threads of a workgroup execute, as opposed to the
/// host. In device code, an unknown memory space may be workgroup memory, and
/// each execution of an allocation belongs to one thread. Device code is
///
/// - everything in a `gpu.module`,
/// - the body of a `gpu.launch`, of an `scf.forall` with a mapping, of an
///   `scf.parallel` with one,
/// - a function that is marked as a kernel (`gpu.kernel`, `nvvm.kernel`,
///   `rocdl.kernel`, `spirv.entry_point_abi`), or that contains, outside of
///   such bodies, a device operation: a thread id, a barrier, anything of
///   `nvvm`, `rocdl`, `amdgpu`, `xegpu`, `xevm` or `nvgpu`, or an `scf.forall`
///   that is mapped to threads. If an `scf.forall` without a mapping is around
///   the operation, the loop is device code instead of the function: its
///   iterations are workgroups,
/// - a function with a body that device code calls or takes the address of.
///
/// ```
///   func.func @host() {                    // not device code
///     gpu.launch ... {
///       func.call @f()                     // device code
///     }
///   }
///   func.func @f() { ... }                 // device code: called from there
///   func.func @g() { gpu.barrier ... }     // device code
/// ```
class DeviceCode {
public:
  /// Analyze everything inside `root`. Of the operations around it, only a
  /// `gpu.module`, a launch and a mapped loop count. Callees are followed if
  /// their symbol table is inside of `root`.
  ///
  /// Time: linear in the operations inside `root`.
  DeviceCode(mlir::Operation *root, const WorkgroupOptions &options);

  /// Return true if `op`, which is inside of the root, is in device code.
  bool contains(mlir::Operation *op) const;

  /// Return true if `op` is in a function or module that is device code, or in
  /// a launch: a mapped loop around it is not enough.
  bool isInDeviceFunction(mlir::Operation *op) const;

  /// Return true if `function` is called or referred to inside of the root, and
  /// is not marked as a kernel: then a subset of the threads may execute it.
  bool isCalled(mlir::Operation *function) const {
    return called.contains(function);
  }

private:
  class Builder;

  /// There may be device code at all.
  bool isAny = false;
  /// Functions, and loops without a mapping, whose bodies are device code.
  llvm::DenseSet<mlir::Operation *> bodies;
  llvm::DenseSet<mlir::Operation *> called;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_GPU_DEVICECODE_H
