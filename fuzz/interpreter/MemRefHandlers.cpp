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
static void setSizes(Machine &m, Activation &a, const Instruction &i,
                     MemRefType type, unsigned first, Descriptor &descriptor) {
  descriptor.rank = type.getRank();
  for (unsigned dim = 0; dim < descriptor.rank; ++dim) {
    descriptor.sizes[dim] = type.isDynamicDim(dim) ? m.integer(a, i, first++)
                                                   : type.getDimSize(dim);
    if (descriptor.sizes[dim] < 0)
      m.fail("negative size");
  }
  descriptor.setIdentityStrides();
}

template <typename OpTy>
static void handleAlloc(Machine &m, Task &, Activation &a,
                        const Instruction &i) {
  auto type = cast<MemRefType>(i.op->getResult(0).getType());
  Descriptor descriptor;
  descriptor.elementBytes = i.resultStride;
  setSizes(m, a, i, type, 0, descriptor);
  descriptor.allocation =
      m.memory.allocate(descriptor.getNumElements() * descriptor.elementBytes,
                        i.name, std::is_same_v<OpTy, memref::AllocaOp>);
  descriptor.instance = descriptor.allocation->instance;
  descriptor.allocation->alignment = i.alignment;
  if (descriptor.allocation->onStack)
    a.stack.push_back(descriptor.allocation);
  m.setMemref(a, i, 0, descriptor);
}

static void handleGetGlobal(Machine &m, Task &, Activation &a,
                            const Instruction &i) {
  auto op = cast<memref::GetGlobalOp>(i.op);
  Operation *symbol =
      SymbolTable::lookupNearestSymbolFrom(op, op.getNameAttr());
  Descriptor descriptor;
  descriptor.elementBytes = i.resultStride;
  setSizes(m, a, i, op.getType(), 0, descriptor);
  Allocation *&allocation = m.globals[symbol];
  if (!allocation) {
    allocation =
        m.memory.allocate(descriptor.getNumElements() * descriptor.elementBytes,
                          "", /*onStack=*/true);
    allocation->alignment =
        cast<memref::GlobalOp>(symbol).getAlignment().value_or(1);
  }
  descriptor.allocation = allocation;
  descriptor.instance = allocation->instance;
  m.setMemref(a, i, 0, descriptor);
}

static void handleDealloc(Machine &m, Task &, Activation &a,
                          const Instruction &i) {
  m.memory.free(m.memref(a, i, 0));
}

static void handleRealloc(Machine &m, Task &task, Activation &a,
                          const Instruction &i) {
  auto type = cast<MemRefType>(i.op->getResult(0).getType());
  Descriptor &source = m.memref(a, i, 0);
  Descriptor descriptor;
  descriptor.elementBytes = i.resultStride;
  setSizes(m, a, i, type, 1, descriptor);
  descriptor.allocation = m.memory.allocate(
      descriptor.getNumElements() * descriptor.elementBytes, "realloc", false);
  descriptor.instance = descriptor.allocation->instance;
  m.setMemref(a, i, 0, descriptor);
  int64_t count = std::min(source.sizes[0], descriptor.sizes[0]);
  for (int64_t index = 0; index < count; ++index)
    m.memory.write(descriptor, index, i.elementBytes,
                   m.memory.read(source, index, i.elementBytes));
  m.memory.free(source);
}

/// The clone may be the source or a copy of it: it is the one in one order, and
/// the other in the rest. If it is the source, the last of both that is freed
/// frees the memory.
static void handleClone(Machine &m, Task &, Activation &a,
                        const Instruction &i) {
  Descriptor source = m.memref(a, i, 0);
  if (m.memory.hasFailed())
    return;
  if (m.order == ExecutionOrder::Late) {
    ++source.allocation->numClones;
    return m.setMemref(a, i, 0, source);
  }
  Descriptor clone = source;
  clone.base = clone.offset = 0;
  clone.setIdentityStrides();
  clone.allocation = m.memory.allocate(
      clone.getNumElements() * clone.elementBytes, "a clone", false);
  clone.instance = clone.allocation->instance;
  forEachIndex(clone, [&](ArrayRef<int64_t> indices) {
    m.memory.write(clone, indices, i.elementBytes,
                   m.memory.read(source, indices, i.elementBytes));
  });
  m.setMemref(a, i, 0, clone);
}

static SmallVector<int64_t, 4>
getIndices(Machine &m, Activation &a, const Instruction &i, unsigned first) {
  SmallVector<int64_t, 4> indices;
  for (unsigned k = first; k < i.numOperands; ++k)
    indices.push_back(m.integer(a, i, k));
  return indices;
}

static void handleLoad(Machine &m, Task &, Activation &a,
                       const Instruction &i) {
  m.result(a, i) =
      m.memory.read(m.memref(a, i, 0), getIndices(m, a, i, 1), i.elementBytes);
}

static void handleStore(Machine &m, Task &, Activation &a,
                        const Instruction &i) {
  m.memory.write(m.memref(a, i, 1), getIndices(m, a, i, 2), i.elementBytes,
                 m.operand(a, i, 0));
}

static void handleAffineLoad(Machine &m, Task &, Activation &a,
                             const Instruction &i) {
  auto op = cast<affine::AffineLoadOp>(i.op);
  m.result(a, i) = m.memory.read(
      m.memref(a, i, 0), evaluateMap(op.getAffineMap(), getIndices(m, a, i, 1)),
      i.elementBytes);
}

static void handleAffineStore(Machine &m, Task &, Activation &a,
                              const Instruction &i) {
  auto op = cast<affine::AffineStoreOp>(i.op);
  m.memory.write(m.memref(a, i, 1),
                 evaluateMap(op.getAffineMap(), getIndices(m, a, i, 2)),
                 i.elementBytes, m.operand(a, i, 0));
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

static void handleAtomicRMW(Machine &m, Task &, Activation &a,
                            const Instruction &i) {
  auto op = cast<memref::AtomicRMWOp>(i.op);
  Descriptor &target = m.memref(a, i, 1);
  auto indices = getIndices(m, a, i, 2);
  Val old = m.memory.read(target, indices, i.elementBytes);
  Val value = combine(op.getKind(), old, m.operand(a, i, 0), i.resultWidth, m);
  m.memory.write(target, indices, i.elementBytes, value);
  m.result(a, i) = value;
}

static void handleGenericAtomicRMW(Machine &m, Task &task, Activation &a,
                                   const Instruction &i) {
  Descriptor &target = m.memref(a, i, 0);
  auto indices = getIndices(m, a, i, 1);
  Val old = m.memory.read(target, indices, i.elementBytes);
  Val value = m.evaluate(task, a, i.blocks[0], old)[0];
  m.memory.write(target, indices, i.elementBytes, value);
  m.result(a, i) = value;
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

void buffer_merge::fuzz::handleCopy(Machine &m, Task &, Activation &a,
                                    const Instruction &i) {
  copyElements(m, m.memref(a, i, 0), m.memref(a, i, 1), i.elementBytes);
}

void buffer_merge::fuzz::handleFill(Machine &m, Task &, Activation &a,
                                    const Instruction &i) {
  Descriptor &target = m.memref(a, i, 1);
  Val value = m.operand(a, i, 0);
  forEachIndex(target, [&](ArrayRef<int64_t> indices) {
    m.memory.write(target, indices, i.elementBytes, value);
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
  if (m.order == ExecutionOrder::Early)
    transfer(m, started);
  else
    m.transfers.push_back(started);
}

static void handleDmaStart(Machine &m, Task &, Activation &a,
                           const Instruction &i) {
  auto op = cast<memref::DmaStartOp>(i.op);
  if (op.isStrided() || op.getSrcMemRefRank() != 1 ||
      op.getDstMemRefRank() != 1 || op.getTagMemRefRank() != 1)
    return m.fail("a transfer of this form is not known");
  startTransfer(m, {m.memref(a, i, 0), m.memref(a, i, 2), m.memref(a, i, 5),
                    m.integer(a, i, 1), m.integer(a, i, 3), m.integer(a, i, 6),
                    m.integer(a, i, 4), i.elementBytes});
}

static void waitForTransfer(Machine &m, const Descriptor &tag, int64_t index) {
  llvm::erase_if(m.transfers, [&](const Transfer &started) {
    if (started.tag.instance != tag.instance || started.tagIndex != index)
      return false;
    transfer(m, started);
    return true;
  });
}

static void handleDmaWait(Machine &m, Task &, Activation &a,
                          const Instruction &i) {
  waitForTransfer(m, m.memref(a, i, 0), m.integer(a, i, 1));
}

/// Evaluate `map` of the operands from `first` on; one result.
static int64_t getAffineIndex(Machine &m, Activation &a, const Instruction &i,
                              AffineMap map, unsigned first) {
  SmallVector<int64_t, 4> inputs;
  for (unsigned k = 0; k < map.getNumInputs(); ++k)
    inputs.push_back(m.integer(a, i, first + k));
  return evaluateMap(map, inputs)[0];
}

static void handleAffineDmaStart(Machine &m, Task &, Activation &a,
                                 const Instruction &i) {
  auto op = cast<affine::AffineDmaStartOp>(i.op);
  if (op.isStrided() || op.getSrcMemRefRank() != 1 ||
      op.getDstMemRefRank() != 1 || op.getTagMemRefRank() != 1)
    return m.fail("a transfer of this form is not known");
  unsigned target = op.getDstMemRefOperandIndex();
  unsigned tag = op.getTagMemRefOperandIndex();
  unsigned size = tag + 1 + op.getTagMap().getNumInputs();
  startTransfer(m,
                {m.memref(a, i, 0), m.memref(a, i, target), m.memref(a, i, tag),
                 getAffineIndex(m, a, i, op.getSrcMap(), 1),
                 getAffineIndex(m, a, i, op.getDstMap(), target + 1),
                 getAffineIndex(m, a, i, op.getTagMap(), tag + 1),
                 m.integer(a, i, size), i.elementBytes});
}

static void handleAffineDmaWait(Machine &m, Task &, Activation &a,
                                const Instruction &i) {
  auto op = cast<affine::AffineDmaWaitOp>(i.op);
  waitForTransfer(m, m.memref(a, i, 0),
                  getAffineIndex(m, a, i, op.getTagMap(), 1));
}

//===----------------------------------------------------------------------===//
// Aliases
//===----------------------------------------------------------------------===//

/// The result is the operand.
static void handleSame(Machine &m, Task &, Activation &a,
                       const Instruction &i) {
  m.result(a, i) = m.operand(a, i, 0);
}

/// A buffer that has the allocation of an earlier one, see `mergeWithMarks`.
static void takeOver(Machine &m, Activation &a, const Instruction &i) {
  Descriptor descriptor = m.memref(a, i, 0);
  if (m.memory.hasFailed())
    return;
  auto type = cast<MemRefType>(i.op->getResult(0).getType());
  unsigned next = 1;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim) &&
        m.integer(a, i, next++) != descriptor.sizes[dim])
      m.fail(i.name + " has an allocation of another size");
  Allocation *allocation = descriptor.allocation;
  if (!m.memory.getInstance(descriptor.instance).isWhole)
    m.fail(i.name + " has the bytes of a buffer that is no allocation");
  if (allocation->freed)
    m.fail(i.name + " has an allocation that was freed");
  int64_t required = m.program.requiredAlignments.lookup(i.name);
  if (required && allocation->alignment % required != 0)
    m.fail(i.name + " has an allocation aligned to " +
           Twine(allocation->alignment) + ", not to " + Twine(required));
  descriptor.instance = m.memory.takeOver(allocation, i.name);
  m.setMemref(a, i, 0, descriptor);
}

static void handleAllSame(Machine &m, Task &, Activation &a,
                          const Instruction &i) {
  if (!i.name.empty())
    return takeOver(m, a, i);
  for (unsigned k = 0; k < i.numResults; ++k)
    m.result(a, i, k) = m.operand(a, i, k);
}

static void handleAssumeAlignment(Machine &m, Task &, Activation &a,
                                  const Instruction &i) {
  Descriptor &source = m.memref(a, i, 0);
  int64_t alignment = cast<memref::AssumeAlignmentOp>(i.op).getAlignment();
  if (m.memory.hasFailed())
    return;
  int64_t address = source.allocation->address + source.base +
                    source.offset * source.elementBytes;
  // An allocation without an attribute is as aligned here as any program may
  // hope for; a slice of a pool is not unless the pass saw to it.
  if (address % alignment != 0)
    m.fail(m.memory.getInstance(source.instance).name +
           " is not aligned as the program assumes");
  m.result(a, i) = m.operand(a, i, 0);
}

/// Different objects must not share an allocation.
static void handleDistinctObjects(Machine &m, Task &, Activation &a,
                                  const Instruction &i) {
  for (unsigned k = 0; k < i.numResults; ++k) {
    for (unsigned other = 0; other < k; ++other)
      if (m.memref(a, i, k).allocation == m.memref(a, i, other).allocation)
        m.fail("distinct objects are one");
    m.result(a, i, k) = m.operand(a, i, k);
  }
}

static void handleDim(Machine &m, Task &, Activation &a, const Instruction &i) {
  Descriptor &source = m.memref(a, i, 0);
  int64_t dim = m.integer(a, i, 1);
  if (dim < 0 || dim >= source.rank)
    return m.fail("dim out of range");
  m.result(a, i).word[0] = source.sizes[dim];
}

static void handleRank(Machine &m, Task &, Activation &a,
                       const Instruction &i) {
  m.result(a, i).word[0] = m.memref(a, i, 0).rank;
}

/// Resolve a mixed list; `next` is the next dynamic operand.
static SmallVector<int64_t, 4> getMixed(Machine &m, Activation &a,
                                        const Instruction &i,
                                        ArrayRef<int64_t> statics,
                                        unsigned &next) {
  SmallVector<int64_t, 4> values;
  for (int64_t value : statics)
    values.push_back(ShapedType::isDynamic(value) ? m.integer(a, i, next++)
                                                  : value);
  return values;
}

static void handleSubView(Machine &m, Task &, Activation &a,
                          const Instruction &i) {
  auto op = cast<memref::SubViewOp>(i.op);
  Descriptor &source = m.memref(a, i, 0);
  unsigned next = 1;
  auto offsets = getMixed(m, a, i, op.getStaticOffsets(), next);
  auto sizes = getMixed(m, a, i, op.getStaticSizes(), next);
  auto strides = getMixed(m, a, i, op.getStaticStrides(), next);
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
  m.setMemref(a, i, 0, descriptor);
}

static void handleView(Machine &m, Task &, Activation &a,
                       const Instruction &i) {
  Descriptor &source = m.memref(a, i, 0);
  Descriptor descriptor = source;
  descriptor.base += source.offset + m.integer(a, i, 1);
  descriptor.offset = 0;
  descriptor.elementBytes = i.resultStride;
  setSizes(m, a, i, cast<MemRefType>(i.op->getResult(0).getType()), 2,
           descriptor);
  int64_t end =
      descriptor.base + descriptor.getNumElements() * descriptor.elementBytes;
  const Instance &owner = m.memory.getInstance(source.instance);
  if (descriptor.base < owner.begin || end > owner.end)
    m.fail("view leaves " + owner.name);
  if (!i.name.empty()) {
    // A merged allocation.
    if (source.allocation->freed)
      m.fail("slice " + i.name + " of a pool that was freed");
    if (!owner.name.empty())
      m.fail("slice " + i.name + " of " + owner.name + ", which is no pool");
    int64_t required = std::max<int64_t>(
        i.alignment, m.program.requiredAlignments.lookup(i.name));
    if (descriptor.base % required != 0 ||
        source.allocation->alignment % required != 0)
      m.fail("slice " + i.name + " at byte " + Twine(descriptor.base) +
             " of a pool aligned to " + Twine(source.allocation->alignment) +
             " is not aligned to " + Twine(required));
    descriptor.instance =
        m.memory.addSlice(descriptor.allocation, i.name, descriptor.base, end);
  } else if (source.allocation->isArena && owner.name.empty()) {
    // The part of an arena that a callee gets, and must not leave.
    descriptor.instance =
        m.memory.addSlice(descriptor.allocation, "", descriptor.base, end);
  }
  m.setMemref(a, i, 0, descriptor);
}

static void handleReinterpretCast(Machine &m, Task &, Activation &a,
                                  const Instruction &i) {
  auto op = cast<memref::ReinterpretCastOp>(i.op);
  Descriptor descriptor = m.memref(a, i, 0);
  unsigned next = 1;
  descriptor.offset = getMixed(m, a, i, op.getStaticOffsets(), next)[0];
  auto sizes = getMixed(m, a, i, op.getStaticSizes(), next);
  auto strides = getMixed(m, a, i, op.getStaticStrides(), next);
  descriptor.rank = sizes.size();
  llvm::copy(sizes, descriptor.sizes);
  llvm::copy(strides, descriptor.strides);
  m.setMemref(a, i, 0, descriptor);
}

static void handleTranspose(Machine &m, Task &, Activation &a,
                            const Instruction &i) {
  auto op = cast<memref::TransposeOp>(i.op);
  Descriptor &source = m.memref(a, i, 0);
  Descriptor descriptor = source;
  for (unsigned dim = 0; dim < source.rank; ++dim) {
    unsigned from = op.getPermutation().getDimPosition(dim);
    descriptor.sizes[dim] = source.sizes[from];
    descriptor.strides[dim] = source.strides[from];
  }
  m.setMemref(a, i, 0, descriptor);
}

static void handleExpandShape(Machine &m, Task &, Activation &a,
                              const Instruction &i) {
  auto op = cast<memref::ExpandShapeOp>(i.op);
  Descriptor &source = m.memref(a, i, 0);
  Descriptor descriptor = source;
  unsigned next = 1;
  auto sizes = getMixed(m, a, i, op.getStaticOutputShape(), next);
  descriptor.rank = sizes.size();
  for (auto [from, group] : llvm::enumerate(op.getReassociationIndices())) {
    int64_t stride = source.strides[from];
    for (int64_t dim : llvm::reverse(group)) {
      descriptor.sizes[dim] = sizes[dim];
      descriptor.strides[dim] = stride;
      stride *= sizes[dim];
    }
  }
  m.setMemref(a, i, 0, descriptor);
}

static void handleCollapseShape(Machine &m, Task &, Activation &a,
                                const Instruction &i) {
  auto op = cast<memref::CollapseShapeOp>(i.op);
  Descriptor &source = m.memref(a, i, 0);
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
  m.setMemref(a, i, 0, descriptor);
}

static void handleExtractStridedMetadata(Machine &m, Task &, Activation &a,
                                         const Instruction &i) {
  Descriptor &source = m.memref(a, i, 0);
  Descriptor base = source;
  base.offset = 0;
  base.rank = 0;
  m.setMemref(a, i, 0, base);
  m.result(a, i, 1).word[0] = source.offset;
  for (unsigned dim = 0; dim < source.rank; ++dim) {
    m.result(a, i, 2 + dim).word[0] = source.sizes[dim];
    m.result(a, i, 2 + source.rank + dim).word[0] = source.strides[dim];
  }
}

static void handleAddress(Machine &m, Task &, Activation &a,
                          const Instruction &i) {
  Descriptor &source = m.memref(a, i, 0);
  m.result(a, i).word[0] = source.allocation->address + source.base;
}

void buffer_merge::fuzz::handleNothing(Machine &, Task &, Activation &,
                                       const Instruction &) {}

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
  addHandler<memref::AtomicYieldOp>(map, handleNothing);
  addHandler<memref::PrefetchOp>(map, handleNothing);
  addHandler<memref::DmaStartOp>(map, handleDmaStart);
  addHandler<memref::DmaWaitOp>(map, handleDmaWait);
  addHandler<affine::AffineDmaStartOp>(map, handleAffineDmaStart);
  addHandler<affine::AffineDmaWaitOp>(map, handleAffineDmaWait);
  addHandler<memref::CopyOp>(map, handleCopy);
  addHandler<memref::CastOp>(map, handleSame);
  addHandler<memref::MemorySpaceCastOp>(map, handleSame);
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
