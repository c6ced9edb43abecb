//===- Uniformity.cpp - What threads of a workgroup agree on -------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values are uniform until they are found not to be (an optimistic analysis),
// because a value that is carried around a loop is uniform only if it is
// assumed to be.
//
//===----------------------------------------------------------------------===//

#include "Analysis/GPU/Uniformity.h"
#include "Analysis/BufferUses.h"
#include "Analysis/GPU/ThreadValues.h"
#include "Analysis/GPU/WorkgroupMemory.h"
#include "Analysis/PlacedUses.h"
#include "Analysis/ViewSources.h"
#include "Mutation.h"
#include "buffer-merge/Analysis/MemorySpaces.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace buffer_merge;

/// Return true if `op` computes the same in all threads from the same operands.
static bool preservesUniformity(Operation *op) {
  // Each thread may see another value in place of a poison.
  if (op->hasTrait<OpTrait::ConstantLike>())
    return op->getName().getDialectNamespace() != "ub";
  if (isa<gpu::BlockIdOp, gpu::BlockDimOp, gpu::GridDimOp, gpu::NumSubgroupsOp,
          gpu::SubgroupSizeOp, gpu::ClusterIdOp, gpu::ClusterBlockIdOp,
          gpu::ClusterDimOp, gpu::ClusterDimBlocksOp, memref::DimOp>(op))
    return true;
  static constexpr StringLiteral prefixes[] = {"nvvm.read.ptx.sreg.ctaid.",
                                               "nvvm.read.ptx.sreg.nctaid.",
                                               "nvvm.read.ptx.sreg.ntid.",
                                               "nvvm.read.ptx.sreg.cluster",
                                               "nvvm.read.ptx.sreg.nclusterid",
                                               "rocdl.workgroup.id.",
                                               "rocdl.workgroup.dim.",
                                               "rocdl.grid.dim.",
                                               "rocdl.cluster.id.",
                                               "xevm.group_id.",
                                               "xevm.local_size."};
  StringRef name = op->getName().getStringRef();
  if (llvm::any_of(prefixes,
                   [&](StringRef prefix) { return name.starts_with(prefix); }))
    return true;
  static constexpr StringLiteral dialects[] = {"affine", "arith", "complex",
                                               "index",  "math",  "vector"};
  return llvm::is_contained(dialects, op->getName().getDialectNamespace()) &&
         op->getNumOperands() != 0 && isMemoryEffectFree(op);
}

/// Return true if values flow into and out of the regions of `op` as
/// `Uniformity` knows it.
static bool isKnownRegionOp(Operation *op) {
  return isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp,
             scf::ExecuteRegionOp, affine::AffineForOp, affine::AffineIfOp,
             memref::AllocaScopeOp>(op);
}

static bool hasOneBlockEach(Operation *op) {
  return llvm::all_of(op->getRegions(), [](Region &region) {
    return region.empty() || llvm::hasSingleElement(region);
  });
}

SmallVector<Value> buffer_merge::getControl(Operation *op) {
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return {loop.getConditionOp().getCondition()};
  unsigned numControl = op->getNumOperands();
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    numControl -= loop.getInits().size();
  return SmallVector<Value>(op->getOperands().take_front(numControl));
}

static bool isDeclaredUniform(Value value) {
  if (Operation *op = value.getDefiningOp())
    return op->hasAttr(uniformAttrName);
  FunctionOpInterface function = getFunctionOfArgument(value);
  return function &&
         function.getArgAttr(cast<BlockArgument>(value).getArgNumber(),
                             uniformAttrName);
}

//===----------------------------------------------------------------------===//
// Stable loads
//===----------------------------------------------------------------------===//

/// Return true if `memref` and `other`, views of one object, are parts of
/// different slices of it: merging leaves these behind.
static bool areDisjointSlices(Value memref, Value other) {
  auto findSlice = [](Value value) {
    value = followSources(value, [](Value part) {
      auto view = part.getDefiningOp<ViewLikeOpInterface>();
      return view && !isa<memref::ViewOp>(view.getOperation())
                 ? view.getViewSource()
                 : Value();
    });
    return value.getDefiningOp<memref::ViewOp>();
  };
  memref::ViewOp slice = findSlice(memref), otherSlice = findSlice(other);
  auto getSlice = [](memref::ViewOp slice) {
    return getBytes(slice, getConstantIntValue(slice.getByteShift()),
                    DataLayout::closest(slice));
  };
  if (!slice || !otherSlice || slice.getSource() != otherSlice.getSource())
    return false;
  std::optional<ByteRange> bytes = getSlice(slice);
  std::optional<ByteRange> otherBytes = getSlice(otherSlice);
  return bytes && otherBytes && !bytes->overlaps(*otherBytes);
}

/// Return true if `memref` is in another memory than `other`, or another
/// object.
static bool areApart(Value memref, Value other) {
  auto getSpace = [](Value value) {
    auto type = dyn_cast<BaseMemRefType>(value.getType());
    auto space =
        type ? dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace())
             : gpu::AddressSpaceAttr();
    return space ? std::optional(space.getValue()) : std::nullopt;
  };
  Value root = findViewedMemory(memref), otherRoot = findViewedMemory(other);
  auto space = getSpace(root), otherSpace = getSpace(otherRoot);
  if (space && otherSpace && *space != *otherSpace)
    return true;
  // Nothing that was there before the kernel is in workgroup memory.
  auto isArgument = [](Value value) {
    return isa_and_present<gpu::GPUFuncOp>(
        getFunctionOfArgument(value).getOperation());
  };
  auto isWorkgroup = [](auto space) {
    return space == gpu::AddressSpace::Workgroup;
  };
  if ((isWorkgroup(space) && isArgument(otherRoot)) ||
      (isWorkgroup(otherSpace) && isArgument(root)))
    return true;
  if (root != otherRoot)
    return root.getDefiningOp<memref::AllocOp>() &&
           otherRoot.getDefiningOp<memref::AllocOp>();
  return areDisjointSlices(memref, other);
}

/// Return true if `op` may write `memory`; operations inside of its regions do
/// not count.
static bool mayWrite(Operation *op, Value memory) {
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
      !isa<MemoryEffectOpInterface>(op))
    return false;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return !isMemoryEffectFree(op);
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::any_of(effects, [&](const auto &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect()) &&
           (!effect.getValue() || !areApart(effect.getValue(), memory));
  });
}

/// Return true if `op` is executed by all threads together, or only waits for
/// copies.
static bool isKnownSync(Operation *op, const WorkgroupOptions &options) {
  return options.isWorkgroupBarrier(op) || isEndOfGroup(op) ||
         getGroupsInFlight(op);
}

/// Return true if `barrier` orders accesses to `memory`: some order those to
/// workgroup memory only.
static bool isOrdered(Operation *barrier, Value memory,
                      const WorkgroupOptions &options) {
  bool isOfWorkgroup =
      barrier->getName().getStringRef() == "amdgpu.lds_barrier" ||
      barrier->hasAttr("address_spaces");
  auto type = cast<BaseMemRefType>(memory.getType());
  return !isOfWorkgroup || isMutated("G3-barrier-of-all-memory") ||
         options.isWorkgroupSpace(type.getMemorySpace(),
                                  /*isInDeviceCode=*/true);
}

Uniformity::First Uniformity::scan(Operation *op, Value memory, bool isForward,
                                   unsigned depth) {
  constexpr unsigned maxDepth = 64;
  if (--loadBudget < 0 || depth > maxDepth)
    return First::Write;
  if (options.isWorkgroupBarrier(op) && isOrdered(op, memory, options))
    return First::Barrier;
  if (!isKnownSync(op, options) && !op->hasTrait<OpTrait::IsTerminator>() &&
      mayWrite(op, memory) && !isMutated("G3-loads-beside-writes"))
    return First::Write;
  if (op->getNumRegions() == 0)
    return First::Nothing;
  bool isAlways = true;
  for (Region &region : op->getRegions()) {
    isAlways &= llvm::hasSingleElement(region);
    for (Block &block : region) {
      First first = scan(block, nullptr, memory, isForward, depth + 1);
      if (first == First::Write)
        return first;
      isAlways &= first == First::Barrier;
    }
  }
  bool isSkipped = !isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp,
                        memref::AllocaScopeOp>(op) &&
                   !isExecutedAtLeastOnce(op);
  return isAlways && !isSkipped && !divergentOps.contains(op) ? First::Barrier
                                                              : First::Nothing;
}

/// What comes first in `block`, after or before `from`, or at all if that is
/// null.
Uniformity::First Uniformity::scan(Block &block, Operation *from, Value memory,
                                   bool isForward, unsigned depth) {
  // Such as that of `scf.forall.in_parallel`.
  if (block.empty())
    return First::Nothing;
  auto getNext = [&](Operation *op) {
    return isForward ? op->getNextNode() : op->getPrevNode();
  };
  Operation *op =
      from ? getNext(from) : (isForward ? &block.front() : &block.back());
  for (; op; op = getNext(op)) {
    First first = scan(op, memory, isForward, depth);
    if (first != First::Nothing)
      return first;
  }
  return First::Nothing;
}

bool Uniformity::isUndisturbed(Operation *load, Value memory, bool isForward) {
  for (Operation *op = load;; op = op->getParentOp()) {
    Block &block = *op->getBlock();
    First first = scan(block, op, memory, isForward, /*depth=*/0);
    if (first != First::Nothing)
      return first == First::Barrier;
    Operation *parent = block.getParentOp();
    if (block.getParent() == &kernel)
      return true;
    // Other threads may be in another iteration, or in another arm.
    bool isBranch = isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp,
                        affine::AffineIfOp, memref::AllocaScopeOp>(parent);
    for (Region &region : parent->getRegions())
      for (Block &other : region)
        if ((!isBranch || &region != block.getParent()) &&
            scan(other, nullptr, memory, isForward, /*depth=*/0) ==
                First::Write)
          return false;
  }
}

/// Return true if no thread of the workgroup writes `memory` while threads
/// execute `load`: from the barrier before the load to the barrier after it, on
/// every path, nothing does, or from the begin of the kernel, or to its end. If
/// threads load from one address there, they load one value. Barriers that
/// order workgroup memory only (`amdgpu.lds_barrier`) count for loads from it,
/// and those that only some threads may reach do not count.
///
/// ```
///   %n = load %counts[%block]      stable, although %out may be %counts:
///   barrier                        no thread stores before all have loaded
///   store %x, %out[%i]
/// ```
bool Uniformity::isStable(Operation *load, Value memory) {
  if (mayRunAgain(&kernel, options) ||
      !kernel.isAncestor(load->getParentRegion()))
    return false;
  // A copy may write after a barrier.
  WalkResult copies = kernel.walk([&](Operation *op) {
    bool isLate =
        !isKnownSync(op, options) && mayActLater(op) && mayWrite(op, memory);
    return --loadBudget < 0 || isLate ? WalkResult::interrupt()
                                      : WalkResult::advance();
  });
  return !copies.wasInterrupted() &&
         isUndisturbed(load, memory, /*isForward=*/true) &&
         isUndisturbed(load, memory, /*isForward=*/false);
}

//===----------------------------------------------------------------------===//
// What barriers imply
//===----------------------------------------------------------------------===//

/// Return true if `op`, with regions, certainly executes one of `blocks`.
static bool certainlyExecutes(Operation *op,
                              const llvm::DenseSet<Block *> &blocks) {
  auto isIn = [&](Region &region) {
    return !region.empty() && blocks.contains(&region.front());
  };
  if (isa<scf::ExecuteRegionOp, memref::AllocaScopeOp, scf::IfOp,
          scf::IndexSwitchOp>(op))
    return llvm::all_of(op->getRegions(), isIn);
  if (isa<scf::WhileOp>(op))
    return isIn(op->getRegion(0));
  return isExecutedAtLeastOnce(op) && isIn(op->getRegion(0));
}

/// Find the branches and loops that threads cannot leave without meeting at a
/// barrier, except in one way.
void Uniformity::findImplied(Operation *rootOp) {
  llvm::DenseSet<Block *> withBarrier;
  rootOp->walk([&](Operation *op) {
    if (options.isWorkgroupBarrier(op) || endsWithBarrier(op, options)) {
      withBarrier.insert(op->getBlock());
      return;
    }
    if (op == rootOp || !isKnownRegionOp(op) || !hasOneBlockEach(op))
      return;
    bool isByThread = llvm::any_of(
        getControl(op), [&](Value value) { return !isUniform(value); });
    if (isByThread) {
      divergentOps.insert(op);
      return;
    }
    if (certainlyExecutes(op, withBarrier))
      withBarrier.insert(op->getBlock());
    int64_t numWithout = llvm::count_if(op->getRegions(), [&](Region &region) {
      return region.empty() || !withBarrier.contains(&region.front());
    });
    bool isLoop = isa<LoopLikeOpInterface>(op);
    bool isImplied = isa<scf::WhileOp>(op) ? numWithout < 2
                     : isLoop              ? numWithout == 0
                                           : numWithout < 2;
    if (isImplied && numWithout < op->getNumRegions() &&
        !isMutated("G3-implied-by-barrier"))
      implied.insert(op);
  });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Return true if `kernel` is executed by workgroups of at most as many threads
/// as a subgroup has on NVIDIA and AMD.
static bool findIsOneSubgroup(Region &kernel) {
  constexpr int64_t subgroupSize = 32;
  int64_t count = 1;
  for (std::optional<int64_t> size : findBlockSize(kernel))
    count *= std::min(size.value_or(subgroupSize + 1), subgroupSize + 1);
  if (count > subgroupSize)
    return false;
  auto module = kernel.getParentOp()->getParentOfType<gpu::GPUModuleOp>();
  ArrayAttr targets = module ? module.getTargetsAttr() : ArrayAttr();
  return !targets || llvm::all_of(targets, [](Attribute target) {
    StringRef dialect = target.getDialect().getNamespace();
    return dialect == "nvvm" || dialect == "rocdl";
  });
}

/// Return the memory that each thread has its own of, besides allocations.
static ArrayRef<BlockArgument> getPrivateAttributions(Operation *rootOp) {
  if (auto function = dyn_cast<gpu::GPUFuncOp>(rootOp))
    return function.getPrivateAttributions();
  if (auto launch = dyn_cast<gpu::LaunchOp>(rootOp))
    return launch.getPrivateAttributions();
  return {};
}

Uniformity::Uniformity(Region &kernel, const WorkgroupOptions &options)
    : kernel(kernel), options(options),
      isOneSubgroup(findIsOneSubgroup(kernel)),
      numbers(findBlockSize(kernel), budget) {
  // What is outside of a launch is computed by the host, once for all threads.
  Region *root = &kernel;
  while (!isa<gpu::LaunchOp, FunctionOpInterface>(root->getParentOp()))
    root = root->getParentRegion();
  Operation *rootOp = root->getParentOp();
  runsAgain = root == &kernel && mayRunAgain(&kernel, options);
  run(rootOp);
  findImplied(rootOp);
  divergent.clear();
  forwarded.clear();
  isRest = true;
  run(rootOp);
}

void Uniformity::run(Operation *rootOp) {
  if (auto launch = dyn_cast<gpu::LaunchOp>(rootOp)) {
    gpu::KernelDim3 ids = launch.getThreadIds();
    for (Value id : {ids.x, ids.y, ids.z})
      if (!isMutated("G3-thread-ids-of-launch"))
        taint(id);
  } else if (runsAgain && isRest) {
    // It may be called by threads with arguments of their own.
    for (Value argument : kernel.getArguments())
      if (!isMutated("G3-arguments-are-uniform"))
        taint(argument);
  }
  for (Value memref : getPrivateAttributions(rootOp))
    if (!isMutated("G3-private-is-shared"))
      taint(memref);
  rootOp->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != rootOp)
      seed(op);
  });
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (OpOperand &use : value.getUses())
      propagate(use);
  }
}

/// Return true if all threads compute one and the same number for `value`.
bool Uniformity::isOneNumber(Value value) const {
  // If no size is known, nothing is known of other threads than the first.
  if (numbers.getNumLanes() == 1)
    return false;
  const ThreadValues::Lanes &lanes = numbers.get(value);
  return lanes.isKnown() && !lanes.isOfFirst &&
         llvm::all_equal(lanes.numbers) && !isMutated("G3-equal-numbers");
}

void Uniformity::taint(Value value) {
  if (isDeclaredUniform(value) && !isMutated("G3-declared-uniform"))
    return;
  if (divergent.insert(value).second)
    worklist.push_back(value);
}

void Uniformity::taintAll(Operation *op) {
  for (Value result : op->getResults())
    taint(result);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Value argument : block.getArguments())
        taint(argument);
}

/// Return true if `op` gives all threads of the workgroup the same value.
bool Uniformity::isReduction(Operation *op) const {
  if (isa<gpu::AllReduceOp>(op))
    return !isMutated("G3-all-reduce");
  auto reduce = dyn_cast<gpu::SubgroupReduceOp>(op);
  return reduce && !reduce.getClusterSize() &&
         (isOneSubgroup || isMutated("G3-any-subgroup"));
}

/// Return true if `op` names memory that all threads share, or makes a view of
/// its operand.
static bool isSharedMemRef(Operation *op, const WorkgroupOptions &options) {
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return options.isWorkgroupSpace(alloc.getType().getMemorySpace(),
                                    /*isInDeviceCode=*/true);
  if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
    // Each thread has a private one of its own.
    auto ofThread = parseMemorySpaces("private", op->getContext());
    return !ofThread->contains(global.getType().getMemorySpace(),
                               /*isInDeviceCode=*/true) ||
           isMutated("G3-private-global-is-shared");
  }
  return isa<gpu::DynamicSharedMemoryOp>(op) ||
         (isa<ViewLikeOpInterface>(op) && isMemoryEffectFree(op));
}

void Uniformity::seed(Operation *op) {
  if (isReduction(op) || isSharedMemRef(op, options))
    return;
  if (isa<memref::LoadOp, affine::AffineLoadOp>(op)) {
    // What the ids of threads make of it depends on the address alone.
    bool isInteger = op->getResult(0).getType().isIntOrIndex();
    bool isSame = !isRest || (isInteger && isStable(op, op->getOperand(0)) &&
                              !isMutated("G3-stable-loads"));
    if (!isSame && !isMutated("G3-loads-are-uniform"))
      taintAll(op);
    return;
  }
  if (op->getNumRegions() == 0) {
    if (!preservesUniformity(op))
      taintAll(op);
    return;
  }
  // The iterations of the kernel itself are workgroups.
  if (op == kernel.getParentOp())
    return;
  if (!isKnownRegionOp(op) || !hasOneBlockEach(op))
    return taintAll(op);
  cast<RegionBranchOpInterface>(op).getSuccessorOperandInputMapping(forwarded);
}

/// `use` decides what `op`, with regions, runs next, and how often.
void Uniformity::propagateToControl(Operation *op, OpOperand &use) {
  if (isOneNumber(use.get()))
    return;
  // Threads that leave a loop at different times have seen different
  // iterations.
  if (!implied.contains(op))
    return taintAll(op);
  // They do not, but may count from different numbers.
  unsigned number = use.getOperandNumber();
  bool isUpper = false;
  if (isa<scf::ForOp>(op))
    isUpper = number == 1;
  else if (auto loop = dyn_cast<affine::AffineForOp>(op))
    isUpper = number >= loop.getLowerBoundOperands().size();
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  std::optional<SmallVector<Value>> counters;
  if (loop && use.getOwner() == op && !isUpper)
    counters = loop.getLoopInductionVars();
  if (counters)
    llvm::for_each(*counters, [&](Value counter) { taint(counter); });
}

void Uniformity::propagate(OpOperand &use) {
  if (auto it = forwarded.find(&use); it != forwarded.end()) {
    for (Value target : it->second)
      if (isa<OpResult>(target) || !isMutated("G3-carried-is-uniform"))
        taint(target);
    return;
  }
  // What a region operation or its terminator does not hand on decides what
  // runs next. Blocks are tainted already.
  Operation *op = use.getOwner();
  if (isReduction(op))
    return;
  if (op->hasTrait<OpTrait::IsTerminator>())
    op = op->getParentOp();
  else if (op->getNumRegions() == 0)
    return taintAll(op);
  if (isKnownRegionOp(op))
    propagateToControl(op, use);
}

bool Uniformity::isUniformRegionOp(Operation *op) const {
  if (implied.contains(op))
    return true;
  return isKnownRegionOp(op) && hasOneBlockEach(op) &&
         llvm::all_of(getControl(op),
                      [&](Value value) { return isUniform(value); });
}
