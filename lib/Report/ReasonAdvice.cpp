//===- ReasonAdvice.cpp - What to do about a reason ----------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReasonAdvice.h"

#include "llvm/Support/ErrorHandling.h"

using namespace buffer_merge;

llvm::StringRef buffer_merge::getReasonAdvice(UnmergeableReason reason) {
  switch (reason) {
  case UnmergeableReason::DynamicShape:
    return "make the shape static, or bound it: dynamic=bounded";
  case UnmergeableReason::WastefulBound:
    return "allow more with dynamic-waste, or state a larger lower bound of "
           "the size";
  case UnmergeableReason::Layout:
    return "allocate with the identity layout and take a memref.subview";
  case UnmergeableReason::ElementType:
    return "convert the element type to one of a known size first, or give it "
           "a "
           "data layout";
  case UnmergeableReason::MemorySpace:
    return "name the memory space in workgroup-spaces or memory-spaces";
  case UnmergeableReason::NotAKernel:
    return "inline the function into its kernels: --inline";
  case UnmergeableReason::Unstructured:
    return "run the pass before --convert-scf-to-cf, or --lift-cf-to-scf "
           "before the pass";
  case UnmergeableReason::AsyncProxy:
    return "";
  case UnmergeableReason::ManualDeallocation:
    return "drop the attribute bufferization.manual_deallocation if the buffer "
           "may be freed with the others";
  case UnmergeableReason::Unreachable:
    return "remove dead code first: --canonicalize";
  case UnmergeableReason::NoAllocScope:
    return "allocate outside of the operation, or inside one that is an alloc "
           "scope";
  case UnmergeableReason::Returned:
    return "let the caller pass the buffer: "
           "--buffer-results-to-out-params";
  case UnmergeableReason::LeavesScope:
    return "allocate in the outer scope and write into the buffer from inside";
  case UnmergeableReason::StoredAsValue:
    return "pass the memref as a value instead of storing it";
  case UnmergeableReason::AddressTaken:
    return "run the pass on the module, and before memrefs are lowered to "
           "pointers";
  case UnmergeableReason::DistinctObjects:
    return "run the pass before memref.distinct_objects is added";
  case UnmergeableReason::PassedToCall:
    return "inline the callee, or drop calls=escape if no callee keeps a "
           "memref";
  case UnmergeableReason::Reallocated:
    return "allocate the final size at once";
  case UnmergeableReason::ConditionalDealloc:
    return "free the buffer in the function that allocates it, with "
           "memref.dealloc";
  case UnmergeableReason::UnknownUse:
    return "give the operation memory effects, or a view or branch interface";
  case UnmergeableReason::TooManyAliases:
    return "select or yield values instead of memrefs, or copy into one buffer";
  case UnmergeableReason::Asynchronous:
    return "wait for the operation in the scope of the allocation";
  case UnmergeableReason::LoopCarried:
    return "give it slots that are used in turn: --rotate-carried-buffers";
  case UnmergeableReason::AccessedByTerminator:
    return "access the buffer before the terminator";
  case UnmergeableReason::NeverAccessed:
    return "remove the allocation: --canonicalize";
  case UnmergeableReason::DeallocGroup:
    return "run the pass before deallocations are inserted";
  case UnmergeableReason::RaisesPeak:
    return "allow more pools in place of one: max-pools";
  case UnmergeableReason::NotScheduled:
    return "try another scheduler";
  case UnmergeableReason::DynamicMemory:
    return "run the pass on the module with all launches of the kernel; if the "
           "kernel uses no dynamic memory itself, use "
           "workgroup-pool=attribution";
  case UnmergeableReason::NoRegion:
    return "allocate in a function that is neither recursive nor called at the "
           "same time from several places";
  case UnmergeableReason::OverCapacity:
    return "use smaller tiles, another scheduler or more effort";
  case UnmergeableReason::ZeroSize:
  case UnmergeableReason::SizeOverflow:
  case UnmergeableReason::Ineligible:
  case UnmergeableReason::NotAnAlloc:
  case UnmergeableReason::NoPartner:
  case UnmergeableReason::NoGain:
    return "";
  }
  llvm_unreachable("unknown reason");
}
