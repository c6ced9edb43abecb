//===- The ticks that an access makes part of a lifetime --------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_ACCESSCOVER_H
#define BUFFER_MERGE_LIB_ANALYSIS_ACCESSCOVER_H

#include "Analysis/ExecutionOrder.h"
#include "buffer-merge/Analysis/UnmergeableReason.h"
#include "mlir/IR/Operation.h"

#include <variant>

namespace buffer_merge {
/// The part of the lifetime of a buffer that one access contributes.
struct AccessCover {
  /// The ticks of the access, and of all that may be executed between it and
  /// another access of one instance of the buffer because of it.
  TickRange ticks;
  /// The access may still be running when an execution of the alloc scope is
  /// done: no wait is known to follow (L8 asynchronous). `ticks` reaches to the
  /// end of the scope.
  bool isInFlightAtEnd = false;
};

/// Return true if `alloc` is executed at most once for an execution of `scope`.
bool isExecutedOnce(mlir::Operation *alloc, mlir::Region *scope,
                    const ExecutionOrder &order);

/// Return what `access` makes part of the lifetime of what `alloc` allocates,
/// or could allocate instead of the allocation (`Webs::findHome`):
/// the operation itself; every loop and every cycle of blocks around it that
/// the allocation is not inside of; those around the allocation that the buffer
/// has left as a result (L3 repetition, L4 CFG cycles); and what comes before
/// the wait for it, or for an operation around it, that goes on after its end
/// (L8).
///
/// ```
///   %a = memref.alloc()
///   scf.for ... {              // covered, all of it
///     scf.if ... {             // not covered
///       memref.load %a[...]    // the access
///     }
///   }
/// ```
///
/// `isOnce` returns true for operations that are known to run their regions
/// once in what the lifetime is about, such as one thread. `isDeferred` means
/// that the access itself continues after the end of its operation. `scope` is
/// the alloc scope and holds both operations; `order` is that of their
/// function.
///
/// Or return why the buffer stays: `AccessedByTerminator`, or `Asynchronous` if
/// no wait is found and the allocation may be executed again by then.
std::variant<AccessCover, UnmergeableReason>
coverAccess(mlir::Operation *access, bool isDeferred, mlir::Operation *alloc,
            mlir::Region *scope, const ExecutionOrder &order,
            llvm::function_ref<bool(mlir::Operation *)> isOnce = {});
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_ACCESSCOVER_H
