//===- UnmergeableReason.cpp - Why an allocation stays --------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Analysis/UnmergeableReason.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cassert>

using namespace buffer_merge;

namespace {
struct ReasonText {
  UnmergeableReason reason;
  llvm::StringRef name;
  llvm::StringRef description;
  /// What the operation does that the reason is about, if that is known.
  const char *withOperation = nullptr;
};
} // namespace

/// In the order of the enumeration.
static const ReasonText reasonTexts[] = {
    {UnmergeableReason::NotAnAlloc, "not-an-alloc",
     "it is not allocated by memref.alloc"},
    {UnmergeableReason::DynamicShape, "dynamic-shape",
     "its size is known only at run time"},
    {UnmergeableReason::Layout, "layout", "its layout is not row-major"},
    {UnmergeableReason::ElementType, "element-type",
     "its element type has no constant size in the data layout"},
    {UnmergeableReason::ZeroSize, "zero-size", "it has no bytes"},
    {UnmergeableReason::SizeOverflow, "size-overflow",
     "it has more bytes than a pool can have"},
    {UnmergeableReason::WastefulBound, "wasteful-bound",
     "it may be smaller than its upper bound by more than is allowed"},
    {UnmergeableReason::MemorySpace, "memory-space",
     "memory of its space is not merged"},
    {UnmergeableReason::ManualDeallocation, "manual-deallocation",
     "it is marked for manual deallocation"},
    {UnmergeableReason::Unreachable, "unreachable", "it is never executed"},
    {UnmergeableReason::NoAllocScope, "no-alloc-scope",
     "it is outside of functions, or an operation around it may run its region "
     "in another thread",
     "may run its region in another thread"},
    {UnmergeableReason::NotAKernel, "not-a-kernel",
     "it is in workgroup memory, and its function is not a kernel"},
    {UnmergeableReason::Unstructured, "unstructured",
     "it is in workgroup memory, and its kernel has several blocks"},
    {UnmergeableReason::Ineligible, "ineligible",
     "the pass was asked to leave it alone"},
    {UnmergeableReason::Returned, "returned", "its function returns it"},
    {UnmergeableReason::LeavesScope, "leaves-scope",
     "it leaves the scope that would own its pool"},
    {UnmergeableReason::StoredAsValue, "stored-as-value",
     "the memref itself is stored"},
    {UnmergeableReason::AddressTaken, "address-taken",
     "an operation may keep its address"},
    {UnmergeableReason::DistinctObjects, "distinct-objects",
     "it is promised to be a distinct object"},
    {UnmergeableReason::PassedToCall, "passed-to-call",
     "it is passed to a call, which may keep it"},
    {UnmergeableReason::Reallocated, "reallocated", "it may be reallocated"},
    {UnmergeableReason::ConditionalDealloc, "conditional-dealloc",
     "it may be freed by an operation other than memref.dealloc and "
     "bufferization.dealloc"},
    {UnmergeableReason::UnknownUse, "unknown-use",
     "an operation uses it in an unknown way"},
    {UnmergeableReason::TooManyAliases, "too-many-aliases",
     "it has too many aliases"},
    {UnmergeableReason::AsyncProxy, "async-proxy",
     "barriers do not order an operation that accesses it"},
    {UnmergeableReason::Asynchronous, "asynchronous",
     "an asynchronous operation uses it and no wait is known to follow"},
    {UnmergeableReason::LoopCarried, "loop-carried",
     "a later iteration may access it"},
    {UnmergeableReason::AccessedByTerminator, "accessed-by-terminator",
     "the terminator of its scope accesses it"},
    {UnmergeableReason::NeverAccessed, "never-accessed", "nothing accesses it"},
    {UnmergeableReason::DeallocGroup, "dealloc-group",
     "its deallocation may free a buffer that is not merged"},
    {UnmergeableReason::NoPartner, "no-partner",
     "there is no other buffer to share a pool with"},
    {UnmergeableReason::NoGain, "no-gain", "a pool would save too little"},
    {UnmergeableReason::RaisesPeak, "raises-peak",
     "in a pool it would raise the peak of the program"},
    {UnmergeableReason::Unfreeable, "unfreeable",
     "its pool would have to be freed, which is not lowered in its memory "
     "space"},
    {UnmergeableReason::NotScheduled, "not-scheduled",
     "the scheduler found no schedule"},
    {UnmergeableReason::DynamicMemory, "dynamic-memory",
     "its kernel cannot have a pool in dynamic memory or next to it"},
    {UnmergeableReason::NoRegion, "no-region",
     "no region of the target can have its pool"},
    {UnmergeableReason::OverCapacity, "over-capacity",
     "its scope needs more than the capacity"},
};

static const ReasonText &getText(UnmergeableReason reason) {
  const ReasonText &text = reasonTexts[static_cast<size_t>(reason)];
  assert(text.reason == reason && "the texts are not in order");
  return text;
}

llvm::StringRef buffer_merge::getReasonName(UnmergeableReason reason) {
  return getText(reason).name;
}

llvm::StringRef buffer_merge::getReasonDescription(UnmergeableReason reason) {
  return getText(reason).description;
}

std::string buffer_merge::describeReason(UnmergeableReason reason,
                                         mlir::Operation *op) {
  const ReasonText &text = getText(reason);
  std::string name = op ? op->getName().getStringRef().str() : "";
  if (op && text.withOperation)
    return llvm::formatv("{0}, '{1}' {2}", text.name, name, text.withOperation);
  std::string result = llvm::formatv("{0}, {1}", text.name, text.description);
  if (op)
    result += llvm::formatv(" ('{0}')", name).str();
  return result;
}

llvm::ArrayRef<UnmergeableReason> buffer_merge::getAllReasons() {
  static const llvm::SmallVector<UnmergeableReason> reasons =
      llvm::map_to_vector(reasonTexts,
                          [](const ReasonText &text) { return text.reason; });
  return reasons;
}
