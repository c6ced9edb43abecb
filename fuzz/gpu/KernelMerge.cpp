//===- What the fuzzer does to a kernel ----------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelMerge.h"

#include "Interpreter.h"
#include "KernelInterpreter.h"
#include "SharedMemoryLayout.h"

#include "buffer-merge/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

ArrayRef<MergeMode> buffer_merge::fuzz::getMergeModes() {
  static const MergeMode modes[] = {
      {"attribution/existing", "attribution", "existing"},
      {"attribution/insert", "attribution", "insert"},
      {"dynamic/existing", "dynamic", "existing"},
      {"attribution/insert-outside-loops", "attribution",
       "insert-outside-loops"},
      {"alloc/existing", "alloc", "existing"},
      {"dynamic/insert", "dynamic", "insert"},
  };
  return modes;
}

/// Run `pipeline` on `module`. Returns an empty string or what went wrong.
static std::string run(ModuleOp module, StringRef pipeline) {
  PassManager manager(module.getContext());
  // The caller verifies, and wants to see a failure of its own.
  manager.enableVerifier(false);
  std::string message;
  llvm::raw_string_ostream os(message);
  if (failed(parsePassPipeline(pipeline, manager, os)))
    return message;
  return succeeded(manager.run(module)) ? "" : "the pass signals a failure";
}

std::string buffer_merge::fuzz::mergeKernel(ModuleOp module,
                                            const MergeMode &mode,
                                            int64_t alignment,
                                            StringRef options,
                                            StringRef members) {
  std::string pipeline;
  llvm::raw_string_ostream(pipeline)
      << "buffer-merge{workgroup-pool=" << mode.pool
      << " barriers=" << mode.barriers << " " << options
      << " target={\"workgroup\": {" << members << (members.empty() ? "" : ", ")
      << "\"alignment\": " << alignment << "}}}";
  return run(module, pipeline);
}

std::string buffer_merge::fuzz::rotateBuffers(ModuleOp module,
                                              unsigned &numSlots) {
  std::string error = run(module, "rotate-carried-buffers");
  // The slots of an allocation have its name.
  llvm::StringMap<unsigned> slots;
  module.walk([&](Operation *op) {
    StringRef name = getBufferName(op->getLoc());
    if (!name.starts_with(carriedPrefix))
      return;
    // What chooses one of them is none.
    if (!isa<memref::AllocOp>(op)) {
      op->setLoc(UnknownLoc::get(op->getContext()));
      return;
    }
    constexpr unsigned twoDigits = 10;
    unsigned number = twoDigits + slots[name]++;
    op->setLoc(
        NameLoc::get(StringAttr::get(op->getContext(), name + Twine(number))));
  });
  numSlots = 0;
  for (const auto &slot : slots)
    numSlots += slot.second > 1 ? slot.second : 0;
  return error;
}

bool buffer_merge::fuzz::passesChecker(ModuleOp module, StringRef members) {
  // Nothing that merging makes is left unchecked.
  std::string pipeline;
  llvm::raw_string_ostream(pipeline)
      << "check-workgroup-races{strict target={\"workgroup\": {" << members
      << "}}}";
  return run(module, pipeline).empty();
}

void buffer_merge::fuzz::cleanUp(ModuleOp module) {
  run(module, "canonicalize,cse");
}

//===----------------------------------------------------------------------===//
// Wrong on purpose
//===----------------------------------------------------------------------===//

namespace {
/// An allocation, and the operations from `first` to `last` of the kernel, in
/// textual order, that it is live at.
struct Lifetime {
  memref::AllocOp op;
  int64_t first = 0;
  int64_t last = 0;
  int64_t size = 0;
  int64_t offset = 0;
};

/// The operations of a kernel in textual order.
class Numbering {
public:
  explicit Numbering(Operation *kernel) {
    kernel->walk<WalkOrder::PreOrder>(
        [&](Operation *op) { first[op] = numOps++; });
    // The last operation below one is the last of what comes before its
    // successor in the walk.
    kernel->walk<WalkOrder::PostOrder>([&](Operation *op) {
      int64_t &end = last.try_emplace(op, first[op]).first->second;
      end = std::max(end, first[op]);
      int64_t inner = end;
      if (Operation *parent = op->getParentOp()) {
        int64_t &outer = last.try_emplace(parent, 0).first->second;
        outer = std::max(outer, inner);
      }
    });
  }

  DenseMap<Operation *, int64_t> first;
  DenseMap<Operation *, int64_t> last;
  int64_t numOps = 0;
};
} // namespace

/// One that is not mapped to threads, subgroups or lanes.
static bool isOverWorkgroups(scf::ForallOp op) {
  std::optional<ArrayAttr> mapping = op.getMapping();
  return !mapping || isa<gpu::GPUBlockMappingAttr>((*mapping)[0]);
}

/// Return the operation whose body is the kernel.
static Operation *getKernel(ModuleOp module) {
  Operation *kernel = nullptr;
  module.walk([&](gpu::GPUFuncOp op) { kernel = op; });
  if (kernel)
    return kernel;
  auto function = module.lookupSymbol<func::FuncOp>("kernel");
  kernel = function;
  for (Operation &op : function.getBody().front())
    if (isa<gpu::LaunchOp>(op))
      kernel = &op;
    else if (auto forall = dyn_cast<scf::ForallOp>(op);
             forall && isOverWorkgroups(forall))
      kernel = forall;
  return kernel;
}

static SmallVector<Lifetime> getAllocs(Operation *kernel) {
  SmallVector<Lifetime> allocs;
  DataLayout layout = DataLayout::closest(kernel);
  kernel->walk([&](memref::AllocOp op) {
    MemRefType type = op.getType();
    if (!isSharedSpace(type.getMemorySpace()) || !type.hasStaticShape())
      return;
    Lifetime lifetime;
    lifetime.op = op;
    lifetime.size = type.getNumElements() *
                    int64_t(layout.getTypeSize(type.getElementType()));
    allocs.push_back(lifetime);
  });
  return allocs;
}

/// Everything that might be an alias of `op`, and everything that uses it.
static SmallVector<Operation *> getUsers(memref::AllocOp op,
                                         Operation *kernel) {
  llvm::SetVector<Value> aliases;
  SmallVector<Operation *> users;
  aliases.insert(op.getResult());
  for (size_t k = 0; k < aliases.size(); ++k)
    for (Operation *user : aliases[k].getUsers()) {
      users.push_back(user);
      auto addAll = [&](Operation *around) {
        for (Value result : around->getResults())
          if (isa<BaseMemRefType>(result.getType()))
            aliases.insert(result);
        for (Region &region : around->getRegions())
          for (Value argument : region.getArguments())
            if (isa<BaseMemRefType>(argument.getType()))
              aliases.insert(argument);
      };
      addAll(user);
      if (user->hasTrait<OpTrait::IsTerminator>() &&
          user->getParentOp() != kernel)
        addAll(user->getParentOp());
    }
  return users;
}

static Value makePool(Operation *kernel, MemRefType type) {
  constexpr int64_t alignment = 128;
  OpBuilder b(kernel);
  auto gpuFunc = dyn_cast<gpu::GPUFuncOp>(kernel);
  if (!gpuFunc) {
    b.setInsertionPointToStart(&kernel->getRegion(0).front());
    return memref::AllocOp::create(b, kernel->getLoc(), type,
                                   b.getI64IntegerAttr(alignment));
  }
  Value pool = gpuFunc.addWorkgroupAttribution(type, kernel->getLoc());
  gpuFunc.setWorkgroupAttributionAttr(gpuFunc.getNumWorkgroupAttributions() - 1,
                                      b.getStringAttr("llvm.align"),
                                      b.getI64IntegerAttr(alignment));
  return pool;
}

static void rewrite(Operation *kernel, ArrayRef<Lifetime> allocs) {
  if (allocs.size() < 2)
    return;
  int64_t size = 0;
  for (const Lifetime &alloc : allocs)
    size = std::max(size, alloc.offset + alloc.size);
  OpBuilder b(kernel);
  memref::AllocOp first = allocs.front().op;
  auto type =
      MemRefType::get({size}, b.getI8Type(), MemRefLayoutAttrInterface(),
                      first.getType().getMemorySpace());
  Value pool = makePool(kernel, type);
  for (const Lifetime &alloc : allocs) {
    memref::AllocOp op = alloc.op;
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      if (isa<memref::DeallocOp>(user))
        user->erase();
    b.setInsertionPoint(op);
    Value offset = arith::ConstantIndexOp::create(b, op.getLoc(), alloc.offset);
    Value view = memref::ViewOp::create(b, op.getLoc(), op.getType(), pool,
                                        offset, ValueRange());
    op.replaceAllUsesWith(view);
    op.erase();
  }
}

void buffer_merge::fuzz::mergeAllAtZero(ModuleOp module) {
  Operation *kernel = getKernel(module);
  rewrite(kernel, getAllocs(kernel));
}

void buffer_merge::fuzz::mergeByLifetimes(ModuleOp module) {
  Operation *kernel = getKernel(module);
  Numbering numbering(kernel);
  SmallVector<Lifetime> allocs = getAllocs(kernel);
  for (Lifetime &alloc : allocs) {
    alloc.first = alloc.last = numbering.first[alloc.op];
    for (Operation *user : getUsers(alloc.op, kernel)) {
      // Behind a loop that carries it there are users, too.
      Region *region = alloc.op->getParentRegion();
      while (!region->isAncestor(user->getParentRegion()))
        region = region->getParentRegion();
      for (Operation *op : {alloc.op.getOperation(), user}) {
        Operation *ancestor = region->findAncestorOpInRegion(*op);
        alloc.first = std::min(alloc.first, numbering.first[ancestor]);
        alloc.last = std::max(alloc.last, numbering.last[ancestor]);
      }
      if (isa<nvgpu::DeviceAsyncCopyOp>(user))
        alloc.last = numbering.numOps;
    }
  }
  constexpr int64_t alignment = 128;
  for (size_t k = 0; k < allocs.size(); ++k) {
    Lifetime &alloc = allocs[k];
    bool fits = false;
    while (!fits) {
      fits = true;
      for (size_t other = 0; other < k; ++other) {
        const Lifetime &placed = allocs[other];
        if (placed.last < alloc.first || alloc.last < placed.first ||
            placed.offset + placed.size <= alloc.offset ||
            alloc.offset + alloc.size <= placed.offset)
          continue;
        alloc.offset = llvm::alignTo(placed.offset + placed.size, alignment);
        fits = false;
      }
    }
  }
  rewrite(kernel, allocs);
}
