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
  llvm::StringRef advice = "";
  /// What the operation does that the reason is about, if that is known.
  const char *withOperation = nullptr;
};
} // namespace

/// In the order of the enumeration.
static const ReasonText reasonTexts[] = {
    {UnmergeableReason::NotAnAlloc, "not-an-alloc",
     "it is not allocated by memref.alloc"},
    {UnmergeableReason::DynamicShape, "dynamic-shape",
     "its size is known only at run time",
     "bound the size by affine.min with a constant, for dynamic=bounded",
     "computes its size"},
    {UnmergeableReason::Layout, "layout", "its layout is not row-major",
     "allocate with the identity layout and take a memref.subview"},
    {UnmergeableReason::ElementType, "element-type",
     "its element type has no constant size in the data layout",
     "convert the element type to one of a known size first, or give it a data "
     "layout"},
    {UnmergeableReason::ZeroSize, "zero-size", "it has no bytes"},
    {UnmergeableReason::SizeOverflow, "size-overflow",
     "it has more bytes than a pool can have"},
    {UnmergeableReason::WastefulBound, "wasteful-bound",
     "it may be smaller than its upper bound by more than is allowed",
     "let the target allow more (dynamic.waste), or state a larger lower bound "
     "of the "
     "size"},
    {UnmergeableReason::MemorySpace, "memory-space",
     "memory of its space is not merged",
     "name the memory space in memory-spaces, or in workgroup.spaces of the "
     "target"},
    {UnmergeableReason::ManualDeallocation, "manual-deallocation",
     "it is marked for manual deallocation",
     "drop the attribute bufferization.manual_deallocation if the buffer may "
     "be freed with the others"},
    {UnmergeableReason::Unreachable, "unreachable", "it is never executed",
     "remove dead code first: --canonicalize"},
    {UnmergeableReason::NoAllocScope, "no-alloc-scope",
     "it is outside of functions, or an operation around it may run its region "
     "in another thread",
     "allocate outside of the operation, or inside one that is an alloc scope",
     "may run its region in another thread"},
    {UnmergeableReason::NotAKernel, "not-a-kernel",
     "it is in workgroup memory, and its function is not a kernel",
     "inline the function into its kernels: --inline"},
    {UnmergeableReason::Unstructured, "unstructured",
     "it is in workgroup memory, and its kernel has several blocks",
     "run the pass before --convert-scf-to-cf, or --lift-cf-to-scf before the "
     "pass"},
    {UnmergeableReason::Ineligible, "ineligible",
     "the pass was asked to leave it alone"},
    {UnmergeableReason::Returned, "returned", "its function returns it",
     "let the caller pass the buffer: --buffer-results-to-out-params"},
    {UnmergeableReason::LeavesScope, "leaves-scope",
     "it leaves the scope that would own its pool",
     "allocate in the outer scope and write into the buffer from inside"},
    {UnmergeableReason::StoredAsValue, "stored-as-value",
     "the memref itself is stored",
     "pass the memref as a value instead of storing it"},
    {UnmergeableReason::AddressTaken, "address-taken",
     "an operation may keep its address",
     "run the pass on the module, and before memrefs are lowered to pointers"},
    {UnmergeableReason::DistinctObjects, "distinct-objects",
     "it is promised to be a distinct object",
     "run the pass before memref.distinct_objects is added"},
    {UnmergeableReason::PassedToCall, "passed-to-call",
     "it is passed to a call, which may keep it",
     "inline the callee, or drop calls=escape if no callee keeps a memref"},
    {UnmergeableReason::Reallocated, "reallocated", "it may be reallocated",
     "allocate the final size at once"},
    {UnmergeableReason::ConditionalDealloc, "conditional-dealloc",
     "it may be freed by an operation other than memref.dealloc and "
     "bufferization.dealloc",
     "free the buffer in the function that allocates it, with memref.dealloc"},
    {UnmergeableReason::UnknownUse, "unknown-use",
     "an operation uses it in an unknown way",
     "give the operation memory effects, or a view or branch interface; or the "
     "attribute buffer_merge.no_capture, if it only reads and writes"},
    {UnmergeableReason::TooManyAliases, "too-many-aliases",
     "it has too many aliases",
     "select or yield values instead of memrefs, or copy into one buffer"},
    {UnmergeableReason::AsyncProxy, "async-proxy",
     "barriers do not order an operation that accesses it"},
    {UnmergeableReason::Asynchronous, "asynchronous",
     "an asynchronous operation uses it and no wait is known to follow",
     "wait for the operation in the scope of the allocation"},
    {UnmergeableReason::LoopCarried, "loop-carried",
     "a later iteration may access it",
     "give it slots that are used in turn: --rotate-carried-buffers"},
    {UnmergeableReason::AccessedByTerminator, "accessed-by-terminator",
     "the terminator of its scope accesses it",
     "access the buffer before the terminator"},
    {UnmergeableReason::NeverAccessed, "never-accessed", "nothing accesses it",
     "remove the allocation: --canonicalize"},
    {UnmergeableReason::DeallocGroup, "dealloc-group",
     "its deallocation may free a buffer that is not merged",
     "run the pass before deallocations are inserted"},
    {UnmergeableReason::NoPartner, "no-partner",
     "there is no other buffer to share a pool with"},
    {UnmergeableReason::NoGain, "no-gain", "a pool would save too little"},
    {UnmergeableReason::RaisesPeak, "raises-peak",
     "in a pool it would raise the peak of the program"},
    {UnmergeableReason::Unfreeable, "unfreeable",
     "its pool would have to be freed, which is not lowered in its memory "
     "space",
     "run the pass before --convert-scf-to-cf, or use pool=global"},
    {UnmergeableReason::NotScheduled, "not-scheduled",
     "the scheduler found no schedule", "try another scheduler"},
    {UnmergeableReason::DynamicMemory, "dynamic-memory",
     "its kernel cannot have a pool in dynamic memory or next to it",
     "run the pass on the module with all launches of the kernel; if the "
     "kernel uses no dynamic memory itself, use workgroup-pool=attribution"},
    {UnmergeableReason::NoRegion, "no-region",
     "no region of the target can have its pool",
     "allocate in a function that is neither recursive nor called at the same "
     "time from several places"},
    {UnmergeableReason::OverCapacity, "over-capacity",
     "its scope needs more than the capacity",
     "use smaller tiles, another scheduler or more effort"},
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

llvm::StringRef buffer_merge::getReasonAdvice(UnmergeableReason reason) {
  return getText(reason).advice;
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
