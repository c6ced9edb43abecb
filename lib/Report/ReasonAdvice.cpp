//===- ReasonAdvice.cpp - What to do about a reason ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReasonAdvice.h"

#include "llvm/ADT/STLExtras.h"

using namespace buffer_merge;

/// Reasons that are not listed come without advice.
static const std::pair<UnmergeableReason, llvm::StringRef> adviceTexts[] = {
    {UnmergeableReason::DynamicShape,
     "make the shape static, or bound it: dynamic=bounded"},
    {UnmergeableReason::WastefulBound,
     "allow more with dynamic-waste, or state a larger lower bound of the "
     "size"},
    {UnmergeableReason::Layout,
     "allocate with the identity layout and take a memref.subview"},
    {UnmergeableReason::ElementType,
     "convert the element type to one of a known size first, or give it a data "
     "layout"},
    {UnmergeableReason::MemorySpace,
     "name the memory space in workgroup-spaces or memory-spaces"},
    {UnmergeableReason::NotAKernel,
     "inline the function into its kernels: --inline"},
    {UnmergeableReason::Unstructured,
     "run the pass before --convert-scf-to-cf, or --lift-cf-to-scf before the "
     "pass"},
    {UnmergeableReason::ManualDeallocation,
     "drop the attribute bufferization.manual_deallocation if the buffer may "
     "be freed with the others"},
    {UnmergeableReason::Unreachable, "remove dead code first: --canonicalize"},
    {UnmergeableReason::NoAllocScope,
     "allocate outside of the operation, or inside one that is an alloc scope"},
    {UnmergeableReason::Returned,
     "let the caller pass the buffer: --buffer-results-to-out-params"},
    {UnmergeableReason::LeavesScope,
     "allocate in the outer scope and write into the buffer from inside"},
    {UnmergeableReason::StoredAsValue,
     "pass the memref as a value instead of storing it"},
    {UnmergeableReason::AddressTaken,
     "run the pass on the module, and before memrefs are lowered to pointers"},
    {UnmergeableReason::DistinctObjects,
     "run the pass before memref.distinct_objects is added"},
    {UnmergeableReason::PassedToCall,
     "inline the callee, or drop calls=escape if no callee keeps a memref"},
    {UnmergeableReason::Reallocated, "allocate the final size at once"},
    {UnmergeableReason::ConditionalDealloc,
     "free the buffer in the function that allocates it, with memref.dealloc"},
    {UnmergeableReason::UnknownUse,
     "give the operation memory effects, or a view or branch interface"},
    {UnmergeableReason::TooManyAliases,
     "select or yield values instead of memrefs, or copy into one buffer"},
    {UnmergeableReason::Asynchronous,
     "wait for the operation in the scope of the allocation"},
    {UnmergeableReason::LoopCarried,
     "give it slots that are used in turn: --rotate-carried-buffers"},
    {UnmergeableReason::AccessedByTerminator,
     "access the buffer before the terminator"},
    {UnmergeableReason::NeverAccessed, "remove the allocation: --canonicalize"},
    {UnmergeableReason::DeallocGroup,
     "run the pass before deallocations are inserted"},
    {UnmergeableReason::RaisesPeak,
     "allow more pools in place of one: max-pools"},
    {UnmergeableReason::Unfreeable,
     "run the pass before --convert-scf-to-cf, or use pool=global"},
    {UnmergeableReason::NotScheduled, "try another scheduler"},
    {UnmergeableReason::DynamicMemory,
     "run the pass on the module with all launches of the kernel; if the "
     "kernel uses no dynamic memory itself, use workgroup-pool=attribution"},
    {UnmergeableReason::NoRegion,
     "allocate in a function that is neither recursive nor called at the same "
     "time from several places"},
    {UnmergeableReason::OverCapacity,
     "use smaller tiles, another scheduler or more effort"},
};

llvm::StringRef buffer_merge::getReasonAdvice(UnmergeableReason reason) {
  const auto *found = llvm::find_if(
      adviceTexts, [&](const auto &row) { return row.first == reason; });
  return found == std::end(adviceTexts) ? "" : found->second;
}
