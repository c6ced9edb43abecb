//===- What the fuzzer does to a kernel -------------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_GPU_FUZZ_KERNELMERGE_H
#define BUFFER_MERGE_GPU_FUZZ_KERNELMERGE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace buffer_merge::fuzz {
/// A way to merge: the name is `POOL/BARRIERS`, the values of these options of
/// the pass.
struct MergeMode {
  llvm::StringRef name;
  llvm::StringRef pool;
  llvm::StringRef barriers;
};

/// All ways, in the order of their turns.
llvm::ArrayRef<MergeMode> getMergeModes();

/// Merge the buffers of the kernel in `module` with the pass, with more
/// `options` and `members` of what the target says of workgroups. Returns an
/// empty string or what went wrong.
std::string mergeKernel(mlir::ModuleOp module, const MergeMode &mode,
                        int64_t alignment, llvm::StringRef options,
                        llvm::StringRef members);

/// Give slots to the buffers of `module` that loops carry, and names of their
/// own to these. `numSlots` becomes the number of slots of buffers that have
/// several. Returns an empty string or what went wrong.
std::string rotateBuffers(mlir::ModuleOp module, unsigned &numSlots);

/// Return true if the checker of the library, `check-workgroup-races`, has no
/// objection to `module`; `members` as above.
bool passesChecker(mlir::ModuleOp module, llvm::StringRef members);

/// Run the passes that usually come next: canonicalization, and elimination of
/// common subexpressions.
void cleanUp(mlir::ModuleOp module);

/// Merges that are wrong on purpose and need no analysis of the library, to
/// show that the oracle objects. They need static shapes and one kernel.
///
/// Everything at offset 0 of one pool.
void mergeAllAtZero(mlir::ModuleOp module);
/// As lifetimes allow: in the order of the program, loops covered whole, copies
/// in flight to the end. What barriers separate, and what they do not, makes no
/// difference.
void mergeByLifetimes(mlir::ModuleOp module);
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_GPU_FUZZ_KERNELMERGE_H
