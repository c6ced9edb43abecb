//===- Carried buffers as remarks ----------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RotationRemarks.h"
#include "ReasonAdvice.h"
#include "RemarkLock.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace buffer_merge;

static std::string describeObstacle(const CarriedBuffer &buffer) {
  // Uses have reasons of their own.
  bool isUse = *buffer.obstacle == CarriedObstacle::Use;
  std::string text =
      llvm::formatv("{0}, {1}",
                    isUse ? getReasonName(buffer.useReason)
                          : getObstacleName(*buffer.obstacle),
                    isUse ? getReasonDescription(buffer.useReason)
                          : getObstacleDescription(*buffer.obstacle))
          .str();
  if (buffer.obstacleOp)
    text += llvm::formatv(" ('{0}')", buffer.obstacleOp->getName()).str();
  return text;
}

static StringRef getAdvice(const CarriedBuffer &buffer) {
  switch (*buffer.obstacle) {
  case CarriedObstacle::Use:
    return getReasonAdvice(buffer.useReason);
  case CarriedObstacle::Blocks:
    return "run the pass before structured control flow is lowered to blocks";
  case CarriedObstacle::TooManyInstances:
    return "copy contents that must survive for long into a buffer from before "
           "the loop, or "
           "allow more with max-slots";
  case CarriedObstacle::DeallocGroup:
    return "run the pass before deallocations are inserted";
  case CarriedObstacle::LoopNest:
    return "";
  }
  llvm_unreachable("unknown obstacle");
}

void buffer_merge::emitRotationRemarks(const CarriedInstances &instances) {
  if (instances.getBuffers().empty())
    return;
  memref::AllocOp first = instances.getBuffers().front().alloc;
  if (!first.getContext()->getRemarkEngine())
    return;
  std::lock_guard<std::mutex> lock(getRemarkMutex());
  for (const CarriedBuffer &buffer : instances.getBuffers()) {
    memref::AllocOp alloc = buffer.alloc;
    StringRef name = buffer.obstacle    ? "NotRotated"
                     : buffer.isCarried ? "Rotated"
                                        : "Hoisted";
    remark::RemarkOpts options =
        remark::RemarkOpts::name(name)
            .category("buffer-merge")
            .function(alloc->getParentOfType<FunctionOpInterface>().getName());
    if (!buffer.obstacle) {
      remark::detail::InFlightRemark passed =
          remark::passed(alloc.getLoc(), options);
      if (buffer.isCarried)
        passed << remark::metric("Slots", buffer.numInstances)
               << remark::metric("Loops", buffer.loops.size());
      continue;
    }
    remark::detail::InFlightRemark missed =
        remark::missed(alloc.getLoc(), options);
    missed << remark::reason("{0}", describeObstacle(buffer));
    if (StringRef advice = getAdvice(buffer); !advice.empty())
      missed << remark::suggest("{0}", advice);
  }
}
