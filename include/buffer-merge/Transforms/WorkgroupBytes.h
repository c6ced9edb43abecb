//===- WorkgroupBytes.h - Workgroup memory by sizes of tiles ----*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_TRANSFORMS_WORKGROUPBYTES_H
#define BUFFER_MERGE_TRANSFORMS_WORKGROUPBYTES_H

#include "buffer-merge/Transforms/BufferMerge.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace buffer_merge {
/// Sizes that a kernel may have: of tiles, the number of stages, and whatever
/// else it takes as an argument.
struct KernelSizes {
  /// The kernel, or the function that launches it. Not null.
  mlir::FunctionOpInterface function;
  /// Numbers of arguments of `function`, of index or integer type, each once.
  llvm::SmallVector<unsigned> arguments;
  /// Values of `arguments`, for one configuration after the other.
  llvm::SmallVector<llvm::SmallVector<int64_t>, 0> configurations;
};

/// What a kernel takes of workgroup memory.
struct WorkgroupBytes {
  /// Static memory and dynamic memory together; nothing if something has no
  /// known size. Of several kernels in the function, the most of any.
  std::optional<int64_t> bytes;
  /// If there is nothing: where the size is not known.
  std::optional<mlir::Location> unknown;
};

/// Return for each configuration of `sizes` how many bytes of workgroup memory
/// the kernels inside of the function take after `mergeBuffers`, as if the
/// values were written in place of the arguments and the function were
/// canonicalized: exact to the byte, with everything that the kernel and its
/// callees have there, before anything is compiled. A capacity is not an
/// obstacle: it may be exceeded. `root` does not change; the function is inside
/// of it. Fail, with an error, if no plan can be made.
///
/// ```
///   KernelSizes sizes = {gemm, /*arguments=*/{3, 4}, {{128, 64}, {64, 64}}};
///   auto bytes = computeWorkgroupBytes(module, sizes, options);
/// ```
///
/// Time: that of canonicalizing and planning a copy of `root` for each
/// configuration.
llvm::FailureOr<llvm::SmallVector<WorkgroupBytes, 0>>
computeWorkgroupBytes(mlir::Operation *root, const KernelSizes &sizes,
                      const BufferMergeOptions &options);
} // namespace buffer_merge

#endif // BUFFER_MERGE_TRANSFORMS_WORKGROUPBYTES_H
