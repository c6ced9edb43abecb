//===- Slots of parallel loops as remarks ---------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SlotRemarks.h"
#include "Analysis/IterationSpace.h"
#include "RemarkLock.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace buffer_merge;

void buffer_merge::emitSlotRemarks(const MergePlan &plan) {
  if (plan.pools.empty() ||
      !plan.pools.front().scope->getContext()->getRemarkEngine())
    return;
  std::lock_guard<std::mutex> lock(getRemarkMutex());
  for (const PoolPlan &pool : plan.pools) {
    Operation *loop = pool.scope->getParentOp();
    remark::RemarkOpts options =
        remark::RemarkOpts::name(pool.getPool() ? "Slots" : "NoSlots")
            .category("buffer-merge")
            .function(loop->getParentOfType<FunctionOpInterface>().getName());
    if (const Pool *made = pool.getPool()) {
      remark::passed(loop->getLoc(), options)
          << remark::metric("Slots", countIterations(*getIterationRanges(loop)))
          << remark::metric("SlotBytes", made->schedule.poolSize)
          << remark::metric("Buffers", pool.buffers.size());
      continue;
    }
    const NoPool &noPool = *pool.getNoPool();
    remark::missed(loop->getLoc(), options)
        << remark::reason("{0}", noPool.message.empty()
                                     ? getReasonName(noPool.reason)
                                     : StringRef(noPool.message))
        << remark::metric("Buffers", pool.buffers.size());
  }
}
