//===- Lifetimes of allocations ------------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "buffer-merge/Analysis/BufferLifetimes.h"
#include "AllocationChecks.h"
#include "Analysis/GPU/DeviceCode.h"
#include "Analysis/GPU/WorkgroupMemory.h"
#include "Analysis/GPU/WorkgroupSync.h"
#include "Emplacement.h"
#include "FunctionLifetimes.h"
#include "InPlacePairs.h"
#include "ParallelWork.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace buffer_merge;

void BufferLifetime::refuse(UnmergeableReason reason, Operation *op) {
  if (!refusal)
    refusal.emplace(reason, op);
}

memref::AllocOp BufferLifetime::getAllocOp() const {
  return alloc.getDefiningOp<memref::AllocOp>();
}

SmallVector<Value, 2> BufferLifetime::getAllocs() const {
  if (parts)
    return llvm::map_to_vector<2>(
        parts->parts,
        [](BufferParts::Part part) -> Value { return part.alloc; });
  return {alloc};
}

int64_t BufferLifetime::getRequestedAlignment() const {
  if (memref::AllocOp op = getAllocOp())
    return std::max<int64_t>(op.getAlignment().value_or(1), 1);
  return getAttributionAlignment(cast<BlockArgument>(alloc));
}

Operation *BufferLifetime::getPlace() const {
  Operation *op = getAllocOp();
  return op ? op : &cast<BlockArgument>(alloc).getOwner()->front();
}

BufferLifetimes::BufferLifetimes(Operation *root)
    : BufferLifetimes(root, BufferLifetimesOptions()) {}

namespace {
/// What is known of a function and of those inside it.
struct FunctionResult {
  FunctionBuffers found;
  SmallVector<OtherAllocation, 0> otherAllocations;
  /// Of the kernels.
  SmallVector<std::unique_ptr<const WorkgroupSync>, 1> syncs;
  SmallVector<std::shared_ptr<const FunctionContext>, 1> contexts;
};
} // namespace

static void moveTo(SmallVectorImpl<BufferLifetime> &from,
                   SmallVectorImpl<BufferLifetime> &to) {
  to.append(std::make_move_iterator(from.begin()),
            std::make_move_iterator(from.end()));
}

/// Analyze `function` and the functions inside it, each by itself.
static FunctionResult analyzeFunctions(FunctionOpInterface function,
                                       const BufferLifetimesOptions &options,
                                       const CalleeSummaries &callees,
                                       const DeviceCode &device,
                                       const KernelLaunches *launches) {
  FunctionResult result;
  function->walk<WalkOrder::PreOrder>([&](FunctionOpInterface op) {
    if (op.isExternal())
      return;
    auto context = std::make_shared<FunctionContext>(op, callees, device);
    if (options.findRefills)
      context->refills = findRefills(*context, options.workgroup);
    FunctionLifetimes analysis(*context, options, launches);
    result.contexts.push_back(std::move(context));
    FunctionBuffers found = analysis.run();
    for (auto &sync : analysis.analyzeKernels(found.buffers))
      result.syncs.push_back(std::move(sync));
    moveTo(found.buffers, result.found.buffers);
    moveTo(found.values, result.found.values);
    llvm::append_range(result.otherAllocations, analysis.getOtherAllocations());
  });
  return result;
}

/// Return true if launches may tell the size of the workgroups of a kernel.
static bool needsLaunches(ArrayRef<FunctionOpInterface> functions) {
  return llvm::any_of(functions, [](FunctionOpInterface function) {
    auto kernel = dyn_cast<gpu::GPUFuncOp>(function.getOperation());
    return kernel && kernel.isKernel() && !kernel.getKnownBlockSize();
  });
}

BufferLifetimes::BufferLifetimes(Operation *root,
                                 const BufferLifetimesOptions &options)
    : root(root), dynamic(options.dynamic), workgroup(options.workgroup),
      device(std::make_shared<const DeviceCode>(root, workgroup)) {
  SmallVector<FunctionOpInterface> functions;
  bool isInFunction = root->getParentOfType<FunctionOpInterface>() != nullptr;
  DynamicSizes dynamicSizes;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // Functions are looked into below.
    if (auto function = dyn_cast<FunctionOpInterface>(op)) {
      functions.push_back(function);
      return WalkResult::skip();
    }
    if (isInFunction)
      return WalkResult::advance();
    if (std::optional<OtherAllocation> other = findOtherAllocation(op))
      otherAllocations.push_back(*other);
    auto alloc = dyn_cast<memref::AllocOp>(op);
    if (!alloc)
      return WalkResult::advance();
    BufferLifetime &buffer = buffers.emplace_back();
    buffer.alloc = alloc.getResult();
    buffer.isInDeviceCode = device->contains(alloc);
    buffer.refusal = checkAllocation(buffer, DataLayout::closest(alloc),
                                     dynamicSizes, options);
    if (!buffer.refusal)
      buffer.refusal = UnmergeableReason::NoAllocScope;
    return WalkResult::advance();
  });
  callees = std::make_shared<const CalleeSummaries>(root, options.calls);

  std::optional<KernelLaunches> launches;
  if (needsLaunches(functions))
    launches.emplace(root);

  // A function inside another is left to the thread of the outer one: some
  // interfaces cache what they compute in attributes of their operation, and
  // both functions ask its operations.
  SmallVector<FunctionResult, 0> found(functions.size());
  auto analyze = [&](size_t index) {
    found[index] = analyzeFunctions(functions[index], options, *callees,
                                    *device, launches ? &*launches : nullptr);
  };
  // Hooks are not asked by several threads.
  if (options.isEligible || options.workgroup.isBarrier)
    llvm::for_each(llvm::seq(functions.size()), analyze);
  else
    forEachInParallel(root, functions.size(), analyze);
  size_t count = buffers.size();
  for (const FunctionResult &result : found)
    count += result.found.buffers.size();
  buffers.reserve(count);
  for (FunctionResult &result : found) {
    llvm::append_range(otherAllocations, result.otherAllocations);
    for (auto &context : result.contexts)
      contexts[context->function] = std::move(context);
    for (auto &sync : result.syncs)
      syncs[&sync->getKernel()] = std::move(sync);
    moveTo(result.found.buffers, buffers);
    moveTo(result.found.values, values);
  }
  indices.reserve(count);
  for (auto [index, buffer] : llvm::enumerate(buffers))
    indices[buffer.alloc] = index;
  for (auto [index, value] : llvm::enumerate(values))
    if (value.value->index == 0)
      firstValues[getWhole(&value)] = index;
  if (options.findEmplaced)
    findEmplaced(options.partAlignment);
  if (options.findInPlacePairs)
    findInPlace(options);
}

void BufferLifetimes::findEmplaced(int64_t alignment) {
  llvm::MapVector<Operation *, SmallVector<const BufferLifetime *>> functions;
  for (const BufferLifetime &buffer : buffers)
    if (!buffer.refusal)
      functions[buffer.function].push_back(&buffer);
  for (const auto &[function, inFunction] : functions)
    findEmplacedBuffers(*getContext(function), inFunction, alignment,
                        emplacedBuffers, parts);
}

void BufferLifetimes::findInPlace(const BufferLifetimesOptions &options) {
  llvm::MapVector<Operation *, SmallVector<const BufferLifetime *>> functions;
  for (ArrayRef<BufferLifetime> list : {ArrayRef(buffers), ArrayRef(values)})
    for (const BufferLifetime &buffer : list)
      if (!buffer.refusal || buffer.isOfRuntimeSize)
        functions[buffer.function].push_back(&buffer);
  InPlacePairs pairs(*this, options);
  for (const auto &[function, inFunction] : functions)
    llvm::append_range(inPlaceBuffers,
                       pairs.find(inFunction, *getContext(function)));
  llvm::MapVector<Operation *, SmallVector<const BufferLifetime *>> returned;
  for (const BufferLifetime &buffer : buffers)
    if (buffer.refusal &&
        buffer.refusal->reason == UnmergeableReason::Returned &&
        functions.count(buffer.function))
      returned[buffer.function].push_back(&buffer);
  for (const auto &[function, results] : returned)
    llvm::append_range(lentResults,
                       pairs.findLentResults(results,
                                             functions.find(function)->second,
                                             *getContext(function)));
}

ArrayRef<BufferLifetime>
BufferLifetimes::getValues(const BufferLifetime &buffer) const {
  auto first = firstValues.find(&buffer);
  if (first == firstValues.end())
    return {};
  return ArrayRef(values).slice(first->second,
                                values[first->second].value->count);
}

bool BufferLifetimes::haveCalls() const {
  return llvm::any_of(contexts, [](const auto &entry) {
    return entry.second->aliases.haveCalls();
  });
}

const FunctionContext *BufferLifetimes::getContext(Operation *function) const {
  return contexts.lookup(function).get();
}

const BufferLifetime *BufferLifetimes::lookup(Value alloc) const {
  auto it = indices.find(alloc);
  return it == indices.end() ? nullptr : &buffers[it->second];
}

SmallVector<const BufferLifetime *, 1>
BufferLifetimes::getWholes(const BufferLifetime *buffer) const {
  if (!buffer->parts)
    return {getWhole(buffer)};
  return llvm::map_to_vector<1>(buffer->getAllocs(),
                                [&](Value alloc) { return lookup(alloc); });
}

const BufferLifetime *
BufferLifetimes::getWhole(const BufferLifetime *buffer) const {
  return buffer->value ? lookup(buffer->alloc) : buffer;
}
