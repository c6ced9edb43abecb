//===- Interpretation of operations on memrefs ---------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

/// Fill in the sizes of `type`; dynamic ones are the operands from `first` on.
static void setSizes(Step &s, MemRefType type, unsigned first,
                     Descriptor &descriptor) {
  if (type.getRank() > Descriptor::maxRank)
    return s.fail("memref of too many dimensions");
  descriptor.rank = type.getRank();
  for (unsigned dim = 0; dim < descriptor.rank; ++dim) {
    descriptor.sizes[dim] =
        type.isDynamicDim(dim) ? s.integer(first++) : type.getDimSize(dim);
    if (descriptor.sizes[dim] < 0)
      s.fail("negative size");
  }
  descriptor.setIdentityStrides();
}

/// If `op` says in which memory of the target its pool is, let `descriptor` be
/// these bytes and return true. Pools of several functions are in one memory.
static bool useRegion(Step &s, Operation *op, int64_t alignment,
                      Descriptor &descriptor) {
  auto place = op->getAttrOfType<DictionaryAttr>("buffer_merge.region");
  if (!place)
    return false;
  Attribute begin = place.get("address");
  if (!begin)
    begin = place.get("offset");
  Allocation *&region = s.m.regions[place.get("name")];
  if (!region) {
    region = s.m.memory.allocate(/*bytes=*/0, "", /*onStack=*/true);
    region->isRegion = true;
    region->address = uint64_t(s.m.regions.size()) << 40;
  }
  descriptor.base = cast<IntegerAttr>(begin).getInt();
  int64_t end =
      descriptor.base + descriptor.getNumElements() * descriptor.elementBytes;
  s.m.memory.grow(*region, end);
  region->alignment = std::max(region->alignment, alignment);
  descriptor.allocation = region;
  descriptor.instance = s.m.memory.addSlice(region, "", descriptor.base, end);
  return true;
}

template <typename OpTy>
static void handleAlloc(Step &s) {
  auto type = cast<MemRefType>(s.i.op->getResult(0).getType());
  Descriptor descriptor;
  descriptor.elementBytes = s.i.resultStride;
  setSizes(s, type, 0, descriptor);
  if (useRegion(s, s.i.op, s.i.alignment, descriptor))
    return s.setMemref(0, descriptor);
  descriptor.allocation = s.m.memory.allocate(
      descriptor.getNumElements() * descriptor.elementBytes, s.i.name,
      std::is_same_v<OpTy, memref::AllocaOp>, s.i.alignment);
  descriptor.instance = descriptor.allocation->instance;
  descriptor.allocation->alignment = s.i.alignment;
  descriptor.allocation->space = type.getMemorySpace().getAsOpaquePointer();
  if (descriptor.allocation->onStack)
    s.a.stack.push_back(descriptor.allocation);
  s.setMemref(0, descriptor);
}

static void handleGetGlobal(Step &s) {
  auto op = cast<memref::GetGlobalOp>(s.i.op);
  Operation *symbol =
      SymbolTable::lookupNearestSymbolFrom(op, op.getNameAttr());
  Descriptor descriptor;
  descriptor.elementBytes = s.i.resultStride;
  setSizes(s, op.getType(), 0, descriptor);
  if (useRegion(s, symbol,
                cast<memref::GlobalOp>(symbol).getAlignment().value_or(1),
                descriptor))
    return s.setMemref(0, descriptor);
  Allocation *&allocation = s.m.globals[symbol];
  if (!allocation) {
    allocation = s.m.memory.allocate(descriptor.getNumElements() *
                                         descriptor.elementBytes,
                                     "", /*onStack=*/true);
    allocation->alignment =
        cast<memref::GlobalOp>(symbol).getAlignment().value_or(1);
    allocation->space = op.getType().getMemorySpace().getAsOpaquePointer();
    // It was there all the time.
    allocation->made = 0;
  }
  s.a.holds.push_back(s.m.memory.beginHold(*allocation));
  descriptor.allocation = allocation;
  descriptor.instance = allocation->instance;
  s.setMemref(0, descriptor);
}

static void handleDealloc(Step &s) { s.m.memory.free(s.memref(0)); }

static void handleRealloc(Step &s) {
  auto type = cast<MemRefType>(s.i.op->getResult(0).getType());
  Descriptor &source = s.memref(0);
  Descriptor descriptor;
  descriptor.elementBytes = s.i.resultStride;
  setSizes(s, type, 1, descriptor);
  descriptor.allocation = s.m.memory.allocate(
      descriptor.getNumElements() * descriptor.elementBytes, "realloc", false);
  descriptor.allocation->space = type.getMemorySpace().getAsOpaquePointer();
  descriptor.instance = descriptor.allocation->instance;
  s.setMemref(0, descriptor);
  int64_t count = std::min(source.sizes[0], descriptor.sizes[0]);
  for (int64_t index = 0; index < count; ++index)
    s.m.memory.write(descriptor, index, s.i.elementBytes,
                     s.m.memory.read(source, index, s.i.elementBytes));
  s.m.memory.free(source);
}

/// The clone may be the source or a copy of it: it is the one in one order, and
/// the other in the rest. If it is the source, the last of both that is freed
/// frees the memory.
static void handleClone(Step &s) {
  Descriptor source = s.memref(0);
  if (s.m.memory.hasFailed())
    return;
  if (s.m.order == TaskOrder::Late) {
    ++source.allocation->numClones;
    return s.setMemref(0, source);
  }
  Descriptor clone = source;
  clone.base = clone.offset = 0;
  clone.setIdentityStrides();
  clone.allocation = s.m.memory.allocate(
      clone.getNumElements() * clone.elementBytes, "a clone", false);
  clone.instance = clone.allocation->instance;
  forEachIndex(clone, [&](ArrayRef<int64_t> indices) {
    s.m.memory.write(clone, indices, s.i.elementBytes,
                     s.m.memory.read(source, indices, s.i.elementBytes));
  });
  s.setMemref(0, clone);
}

static void handleLoad(Step &s) {
  s.result() = s.m.memory.read(s.memref(0), s.getIntegers(1), s.i.elementBytes);
}

static void handleStore(Step &s) {
  s.m.memory.write(s.memref(1), s.getIntegers(2), s.i.elementBytes,
                   s.operand(0));
}

static void handleAffineLoad(Step &s) {
  auto op = cast<affine::AffineLoadOp>(s.i.op);
  s.result() = s.m.memory.read(s.memref(0),
                               evaluateMap(op.getAffineMap(), s.getIntegers(1)),
                               s.i.elementBytes);
}

static void handleAffineStore(Step &s) {
  auto op = cast<affine::AffineStoreOp>(s.i.op);
  s.m.memory.write(s.memref(1),
                   evaluateMap(op.getAffineMap(), s.getIntegers(2)),
                   s.i.elementBytes, s.operand(0));
}

/// The operations that the generator uses; all wrap around.
static Val combine(arith::AtomicRMWKind kind, const Val &current,
                   const Val &value, unsigned width, Machine &m) {
  Val result;
  switch (kind) {
  case arith::AtomicRMWKind::addi:
    result.word[0] = truncate(current.word[0] + value.word[0], width);
    return result;
  case arith::AtomicRMWKind::assign:
    return value;
  case arith::AtomicRMWKind::ori:
    result.word[0] = current.word[0] | value.word[0];
    return result;
  default:
    m.fail("this kind of atomic update is not known");
    return result;
  }
}

static void handleAtomicRMW(Step &s) {
  auto op = cast<memref::AtomicRMWOp>(s.i.op);
  Descriptor &target = s.memref(1);
  auto indices = s.getIntegers(2);
  Val old = s.m.memory.read(target, indices, s.i.elementBytes);
  Val value = combine(op.getKind(), old, s.operand(0), s.i.resultWidth, s.m);
  s.m.memory.write(target, indices, s.i.elementBytes, value);
  s.result() = value;
}

static void handleGenericAtomicRMW(Step &s) {
  Descriptor &target = s.memref(0);
  auto indices = s.getIntegers(1);
  Val old = s.m.memory.read(target, indices, s.i.elementBytes);
  Val value = s.evaluate(s.i.blocks[0], old)[0];
  s.m.memory.write(target, indices, s.i.elementBytes, value);
  s.result() = value;
}

static void copyElements(Machine &m, const Descriptor &source,
                         const Descriptor &target, unsigned bytes) {
  for (unsigned dim = 0; dim < source.rank; ++dim)
    if (source.sizes[dim] != target.sizes[dim])
      return m.fail("copy between different shapes");
  // Elements are read before any is written: the operation does not say in
  // which order it copies.
  if (source.allocation == target.allocation) {
    IterationCheck check;
    int64_t number = 0;
    forEachIndex(source, [&](ArrayRef<int64_t> indices) {
      check.read(m.memory, source, indices, bytes, number++);
    });
    number = 0;
    forEachIndex(target, [&](ArrayRef<int64_t> indices) {
      check.write(m.memory, target, indices, bytes, number++);
    });
  }
  SmallVector<Val> values;
  forEachIndex(source, [&](ArrayRef<int64_t> indices) {
    values.push_back(m.memory.read(source, indices, bytes));
  });
  size_t next = 0;
  forEachIndex(target, [&](ArrayRef<int64_t> indices) {
    m.memory.write(target, indices, bytes, values[next++]);
  });
}

void buffer_merge::fuzz::handleCopy(Step &s) {
  copyElements(s.m, s.memref(0), s.memref(1), s.i.elementBytes);
}

void buffer_merge::fuzz::handleFill(Step &s) {
  Descriptor &target = s.memref(1);
  Val value = s.operand(0);
  forEachIndex(target, [&](ArrayRef<int64_t> indices) {
    s.m.memory.write(target, indices, s.i.elementBytes, value);
  });
}

static void transfer(Machine &m, const Transfer &transfer) {
  for (int64_t k = 0; k < transfer.count; ++k)
    m.memory.write(transfer.target, transfer.targetIndex + k, transfer.bytes,
                   m.memory.read(transfer.source, transfer.sourceIndex + k,
                                 transfer.bytes));
  // The engine tells by the tag that it is done.
  m.memory.write(transfer.tag, transfer.tagIndex, 1, Val());
}

static void startTransfer(Machine &m, const Transfer &started) {
  if (m.order == TaskOrder::Early)
    transfer(m, started);
  else
    m.transfers.push_back(started);
}

static void handleDmaStart(Step &s) {
  auto op = cast<memref::DmaStartOp>(s.i.op);
  if (op.isStrided() || op.getSrcMemRefRank() != 1 ||
      op.getDstMemRefRank() != 1 || op.getTagMemRefRank() != 1)
    return s.fail("a transfer of this form is not known");
  startTransfer(s.m,
                {s.memref(0), s.memref(2), s.memref(5), s.integer(1),
                 s.integer(3), s.integer(6), s.integer(4), s.i.elementBytes});
}

static void waitForTransfer(Machine &m, const Descriptor &tag, int64_t index) {
  llvm::erase_if(m.transfers, [&](const Transfer &started) {
    if (started.tag.instance != tag.instance || started.tagIndex != index)
      return false;
    transfer(m, started);
    return true;
  });
}

static void handleDmaWait(Step &s) {
  waitForTransfer(s.m, s.memref(0), s.integer(1));
}

/// Evaluate `map` of the operands from `first` on; one result.
static int64_t getAffineIndex(Step &s, AffineMap map, unsigned first) {
  return evaluateMap(map, s.getIntegers(first, map.getNumInputs()))[0];
}

static void handleAffineDmaStart(Step &s) {
  auto op = cast<affine::AffineDmaStartOp>(s.i.op);
  if (op.isStrided() || op.getSrcMemRefRank() != 1 ||
      op.getDstMemRefRank() != 1 || op.getTagMemRefRank() != 1)
    return s.fail("a transfer of this form is not known");
  unsigned target = op.getDstMemRefOperandIndex();
  unsigned tag = op.getTagMemRefOperandIndex();
  unsigned size = tag + 1 + op.getTagMap().getNumInputs();
  startTransfer(s.m, {s.memref(0), s.memref(target), s.memref(tag),
                      getAffineIndex(s, op.getSrcMap(), 1),
                      getAffineIndex(s, op.getDstMap(), target + 1),
                      getAffineIndex(s, op.getTagMap(), tag + 1),
                      s.integer(size), s.i.elementBytes});
}

static void handleAffineDmaWait(Step &s) {
  auto op = cast<affine::AffineDmaWaitOp>(s.i.op);
  waitForTransfer(s.m, s.memref(0), getAffineIndex(s, op.getTagMap(), 1));
}

//===----------------------------------------------------------------------===//
// Aliases
//===----------------------------------------------------------------------===//

/// The result is the operand.
static void handleSame(Step &s) { s.result() = s.operand(0); }

/// A buffer that has the allocation of an earlier one, see `mergeWithMarks`.
static void takeOver(Step &s) {
  Descriptor descriptor = s.memref(0);
  if (s.m.memory.hasFailed())
    return;
  auto type = cast<MemRefType>(s.i.op->getResult(0).getType());
  unsigned next = 1;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim) && s.integer(next++) != descriptor.sizes[dim])
      s.fail(s.i.name + " has an allocation of another size");
  Allocation *allocation = descriptor.allocation;
  if (!s.m.memory.getInstance(descriptor.instance).isWhole)
    s.fail(s.i.name + " has the bytes of a buffer that is no allocation");
  if (allocation->freed)
    s.fail(s.i.name + " has an allocation that was freed");
  int64_t required = s.m.program.requiredAlignments.lookup(s.i.name);
  if (required && allocation->alignment % required != 0)
    s.fail(s.i.name + " has an allocation aligned to " +
           Twine(allocation->alignment) + ", not to " + Twine(required));
  descriptor.instance = s.m.memory.takeOver(allocation, s.i.name);
  s.setMemref(0, descriptor);
}

static void handleAllSame(Step &s) {
  if (!s.i.name.empty())
    return takeOver(s);
  for (unsigned k = 0; k < s.i.numResults; ++k)
    s.result(k) = s.operand(k);
}

static void handleAssumeAlignment(Step &s) {
  Descriptor &source = s.memref(0);
  int64_t alignment = cast<memref::AssumeAlignmentOp>(s.i.op).getAlignment();
  if (s.m.memory.hasFailed())
    return;
  int64_t address = source.allocation->address + source.base +
                    source.offset * source.elementBytes;
  // An allocation without an attribute is as aligned here as any program may
  // hope for; a slice of a pool is not unless the pass saw to it.
  if (address % alignment != 0)
    s.fail(s.m.memory.getInstance(source.instance).name +
           " is not aligned as the program assumes");
  s.result() = s.operand(0);
}

/// Different objects must not share an allocation.
static void handleDistinctObjects(Step &s) {
  for (unsigned k = 0; k < s.i.numResults; ++k) {
    for (unsigned other = 0; other < k; ++other)
      if (s.memref(k).allocation == s.memref(other).allocation)
        s.fail("distinct objects are one");
    s.result(k) = s.operand(k);
  }
}

static void handleDim(Step &s) {
  Descriptor &source = s.memref(0);
  int64_t dim = s.integer(1);
  if (dim < 0 || dim >= source.rank)
    return s.fail("dim out of range");
  s.result().word[0] = source.sizes[dim];
}

static void handleRank(Step &s) { s.result().word[0] = s.memref(0).rank; }

/// Resolve a mixed list; `next` is the next dynamic operand.
static SmallVector<int64_t, 4> getMixed(Step &s, ArrayRef<int64_t> statics,
                                        unsigned &next) {
  SmallVector<int64_t, 4> values;
  for (int64_t value : statics)
    values.push_back(ShapedType::isDynamic(value) ? s.integer(next++) : value);
  return values;
}

static void handleSubView(Step &s) {
  auto op = cast<memref::SubViewOp>(s.i.op);
  Descriptor &source = s.memref(0);
  unsigned next = 1;
  auto offsets = getMixed(s, op.getStaticOffsets(), next);
  auto sizes = getMixed(s, op.getStaticSizes(), next);
  auto strides = getMixed(s, op.getStaticStrides(), next);
  // Not getDroppedDims(), which in 22.1 reads an empty optional for some legal
  // operations. Which of several dimensions of size 1 goes makes no difference.
  ArrayRef<int64_t> shape = op.getType().getShape();
  int64_t numDropped = source.rank - shape.size();
  Descriptor descriptor = source;
  descriptor.rank = 0;
  for (unsigned dim = 0; dim < source.rank; ++dim) {
    descriptor.offset += offsets[dim] * source.strides[dim];
    bool isKept = descriptor.rank < shape.size() &&
                  shape[descriptor.rank] == op.getStaticSizes()[dim];
    if (numDropped > 0 && !isKept) {
      --numDropped;
      continue;
    }
    descriptor.sizes[descriptor.rank] = sizes[dim];
    descriptor.strides[descriptor.rank++] = strides[dim] * source.strides[dim];
  }
  s.setMemref(0, descriptor);
}

static void handleView(Step &s) {
  Descriptor &source = s.memref(0);
  Descriptor descriptor = source;
  descriptor.base += source.offset + s.integer(1);
  descriptor.offset = 0;
  descriptor.elementBytes = s.i.resultStride;
  setSizes(s, cast<MemRefType>(s.i.op->getResult(0).getType()), 2, descriptor);
  int64_t end =
      descriptor.base + descriptor.getNumElements() * descriptor.elementBytes;
  const Instance &owner = s.m.memory.getInstance(source.instance);
  if (descriptor.base < owner.begin || end > owner.end)
    s.fail("view leaves " + owner.name);
  if (!s.i.name.empty()) {
    // A merged allocation.
    if (source.allocation->freed)
      s.fail("slice " + s.i.name + " of a pool that was freed");
    if (!owner.name.empty())
      s.fail("slice " + s.i.name + " of " + owner.name + ", which is no pool");
    int64_t required = std::max<int64_t>(
        s.i.alignment, s.m.program.requiredAlignments.lookup(s.i.name));
    if (descriptor.base % required != 0 ||
        source.allocation->alignment % required != 0)
      s.fail("slice " + s.i.name + " at byte " + Twine(descriptor.base) +
             " of a pool aligned to " + Twine(source.allocation->alignment) +
             " is not aligned to " + Twine(required));
    descriptor.instance =
        s.m.memory.addSlice(descriptor.allocation, s.i.name, descriptor.base,
                            end, descriptor.instance);
  } else if (s.i.op->hasAttr(partAttrName)) {
    // What functions do to it they do not do to the rest of the pool.
    descriptor.instance =
        s.m.memory.addPart(descriptor.instance, descriptor.base, end);
  } else if (owner.name.empty()) {
    // The part of an arena or a pool that a callee gets, and must not leave.
    descriptor.instance = s.m.memory.addSlice(
        descriptor.allocation, "", descriptor.base, end, descriptor.instance);
  }
  s.setMemref(0, descriptor);
}

/// Start the buffer that `descriptor`, a part of an argument, stands for.
static void startInArgument(Step &s, Descriptor &descriptor) {
  if (s.m.memory.hasFailed())
    return;
  const Instance &owner = s.m.memory.getInstance(descriptor.instance);
  int64_t end =
      descriptor.base + descriptor.getNumElements() * descriptor.elementBytes;
  if (descriptor.allocation->freed)
    s.fail("slice " + s.i.name + " of an argument that was freed");
  if (descriptor.base < owner.begin || end > owner.end)
    s.fail(s.i.name + " leaves " + owner.name);
  int64_t required = s.m.program.requiredAlignments.lookup(s.i.name);
  if (required > 1 && (descriptor.base % required != 0 ||
                       descriptor.allocation->alignment % required != 0))
    s.fail("slice " + s.i.name + " of an argument is not aligned to " +
           Twine(required));
  descriptor.instance =
      s.m.memory.addSlice(descriptor.allocation, s.i.name, descriptor.base, end,
                          descriptor.instance);
}

static void handleReinterpretCast(Step &s) {
  auto op = cast<memref::ReinterpretCastOp>(s.i.op);
  Descriptor descriptor = s.memref(0);
  unsigned next = 1;
  descriptor.offset = getMixed(s, op.getStaticOffsets(), next)[0];
  auto sizes = getMixed(s, op.getStaticSizes(), next);
  auto strides = getMixed(s, op.getStaticStrides(), next);
  descriptor.rank = sizes.size();
  llvm::copy(sizes, descriptor.sizes);
  llvm::copy(strides, descriptor.strides);
  if (!s.i.name.empty() && isa<BlockArgument>(op.getSource()))
    startInArgument(s, descriptor);
  s.setMemref(0, descriptor);
}

static void handleTranspose(Step &s) {
  auto op = cast<memref::TransposeOp>(s.i.op);
  Descriptor &source = s.memref(0);
  Descriptor descriptor = source;
  for (unsigned dim = 0; dim < source.rank; ++dim) {
    unsigned from = op.getPermutation().getDimPosition(dim);
    descriptor.sizes[dim] = source.sizes[from];
    descriptor.strides[dim] = source.strides[from];
  }
  s.setMemref(0, descriptor);
}

static void handleExpandShape(Step &s) {
  auto op = cast<memref::ExpandShapeOp>(s.i.op);
  Descriptor &source = s.memref(0);
  Descriptor descriptor = source;
  unsigned next = 1;
  auto sizes = getMixed(s, op.getStaticOutputShape(), next);
  descriptor.rank = sizes.size();
  for (auto [from, group] : llvm::enumerate(op.getReassociationIndices())) {
    int64_t stride = source.strides[from];
    for (int64_t dim : llvm::reverse(group)) {
      descriptor.sizes[dim] = sizes[dim];
      descriptor.strides[dim] = stride;
      stride *= sizes[dim];
    }
  }
  s.setMemref(0, descriptor);
}

static void handleCollapseShape(Step &s) {
  auto op = cast<memref::CollapseShapeOp>(s.i.op);
  Descriptor &source = s.memref(0);
  Descriptor descriptor = source;
  auto groups = op.getReassociationIndices();
  descriptor.rank = groups.size();
  for (auto [to, group] : llvm::enumerate(groups)) {
    int64_t size = 1, stride = 1;
    bool hasStride = false;
    for (int64_t dim : llvm::reverse(group)) {
      size *= source.sizes[dim];
      if (!hasStride && source.sizes[dim] != 1) {
        stride = source.strides[dim];
        hasStride = true;
      }
    }
    descriptor.sizes[to] = size;
    descriptor.strides[to] = stride;
  }
  s.setMemref(0, descriptor);
}

static void handleExtractStridedMetadata(Step &s) {
  Descriptor &source = s.memref(0);
  Descriptor base = source;
  base.offset = 0;
  base.rank = 0;
  s.setMemref(0, base);
  s.result(1).word[0] = source.offset;
  for (unsigned dim = 0; dim < source.rank; ++dim) {
    s.result(2 + dim).word[0] = source.sizes[dim];
    s.result(2 + source.rank + dim).word[0] = source.strides[dim];
  }
}

static void handleAddress(Step &s) {
  Descriptor &source = s.memref(0);
  s.result().word[0] = source.allocation->address + source.base;
}

void buffer_merge::fuzz::handleNothing(Step &s) {}

void buffer_merge::fuzz::addMemRefHandlers(HandlerMap &map) {
  addHandler<memref::AllocOp>(map, handleAlloc<memref::AllocOp>);
  addHandler<memref::AllocaOp>(map, handleAlloc<memref::AllocaOp>);
  addHandler<memref::GetGlobalOp>(map, handleGetGlobal);
  addHandler<memref::DeallocOp>(map, handleDealloc);
  addHandler<memref::ReallocOp>(map, handleRealloc);
  addHandler<bufferization::CloneOp>(map, handleClone);
  addHandler<memref::LoadOp>(map, handleLoad);
  addHandler<memref::StoreOp>(map, handleStore);
  addHandler<affine::AffineLoadOp>(map, handleAffineLoad);
  addHandler<affine::AffineStoreOp>(map, handleAffineStore);
  addHandler<memref::AtomicRMWOp>(map, handleAtomicRMW);
  addHandler<memref::GenericAtomicRMWOp>(map, handleGenericAtomicRMW);
  addHandler<memref::AtomicYieldOp, memref::PrefetchOp>(map, handleNothing);
  addHandler<memref::DmaStartOp>(map, handleDmaStart);
  addHandler<memref::DmaWaitOp>(map, handleDmaWait);
  addHandler<affine::AffineDmaStartOp>(map, handleAffineDmaStart);
  addHandler<affine::AffineDmaWaitOp>(map, handleAffineDmaWait);
  addHandler<memref::CopyOp>(map, handleCopy);
  addHandler<memref::CastOp, memref::MemorySpaceCastOp>(map, handleSame);
  addHandler<memref::AssumeAlignmentOp>(map, handleAssumeAlignment);
  addHandler<memref::DistinctObjectsOp>(map, handleDistinctObjects);
  addHandler<UnrealizedConversionCastOp>(map, handleAllSame);
  addHandler<memref::DimOp>(map, handleDim);
  addHandler<memref::RankOp>(map, handleRank);
  addHandler<memref::SubViewOp>(map, handleSubView);
  addHandler<memref::ViewOp>(map, handleView);
  addHandler<memref::ReinterpretCastOp>(map, handleReinterpretCast);
  addHandler<memref::TransposeOp>(map, handleTranspose);
  addHandler<memref::ExpandShapeOp>(map, handleExpandShape);
  addHandler<memref::CollapseShapeOp>(map, handleCollapseShape);
  addHandler<memref::ExtractStridedMetadataOp>(map,
                                               handleExtractStridedMetadata);
  addHandler<memref::ExtractAlignedPointerAsIndexOp>(map, handleAddress);
}
