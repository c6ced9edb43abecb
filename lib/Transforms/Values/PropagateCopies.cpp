//===- PropagateCopies.cpp - Readers of copies read their sources ---------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer has one writer, which only moves elements, and its readers come
// after it in one block or in regions of operations there. Whenever a reader is
// executed, the buffer holds what the writer has moved there last, since which
// nothing was executed but what is between the two in the block. If none of
// that writes the source, the source still holds it as well.
//
// Copies of copies are replaced from the last one to the first: then an
// operation that only moves elements vanishes before it could lose its name. A
// pass over the function replaces no two neighbours of such a chain, because
// what is known about the second one is about the first one; there are as many
// passes as the logarithm of the length of the longest chain.
//
//===----------------------------------------------------------------------===//

#include "AliveBytes.h"
#include "Analysis/MemoryWrites.h"
#include "CopyRewriting.h"
#include "ElementMove.h"
#include "Mutation.h"
#include "Planning/Gain.h"
#include "ReadSource.h"
#include "Report/Remarks.h"
#include "buffer-merge/Transforms/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace buffer_merge;

namespace {
/// A buffer that holds copies of elements only, and what happens to it.
struct CopiedBuffer {
  memref::AllocOp alloc;
  ElementMove move;
  /// The last operation in the block of the move that is, or contains, a
  /// reader.
  Operation *lastReader = nullptr;
  /// An operation loses its name, or reads the source more often than the move
  /// does: it has to save bytes.
  bool isCostly = false;
};

/// Replaces copies in one function.
class CopyPropagator {
public:
  CopyPropagator(const FunctionContext &context,
                 const BufferLifetimes &lifetimes, UnsharedArguments &unshared,
                 const PropagateCopiesOptions &options,
                 llvm::DenseSet<Operation *> &left)
      : context(context), lifetimes(lifetimes), options(options), left(left),
        writes(context, unshared, lifetimes.getRoot()) {
    constexpr int64_t maxFactor = 256;
    stepsLeft = maxFactor * context.order.getNumTicks();
  }

  /// Choose some of `copies`, which must outlive the object, to be replaced;
  /// `buffers` are all of the function.
  void choose(MutableArrayRef<CopiedBuffer> copies,
              ArrayRef<const BufferLifetime *> buffers);

  /// Replace them. What is known about the functions is stale then.
  PropagateCopiesResult replace();

private:
  using ScopeKey = AliveBytes::Scopes::key_type;

  bool isLegal(const CopiedBuffer &copy);
  bool mayRaisePeak(const CopiedBuffer &copy) const;
  const BufferLifetime *findLifetime(memref::AllocOp alloc) const;
  SmallVector<AliveBytes::Change> getChanges(const CopiedBuffer &copy) const;
  void chooseCostly(ScopeKey key, ArrayRef<const CopiedBuffer *> copies);
  void replace(const CopiedBuffer &copy);
  int64_t getTick(Operation *op) const;
  void emitRemarks() const;

  const FunctionContext &context;
  const BufferLifetimes &lifetimes;
  const PropagateCopiesOptions &options;
  /// Allocations that stay.
  llvm::DenseSet<Operation *> &left;
  MemoryWrites writes;
  AliveBytes::Scopes scopes;
  SmallVector<const CopiedBuffer *> chosen;
  PropagateCopiesResult result;
  struct Generalized {
    int64_t tick;
    Location loc;
    OperationName name, now;
  };
  /// Operations that lost their names.
  SmallVector<Generalized> generalized;
  /// The ticks of operations that are new, or changed.
  llvm::DenseMap<Operation *, int64_t> ticks;
  /// How many ticks may still be looked at: each of n buffers may be alive at n
  /// ticks. What is left then stays.
  int64_t stepsLeft;
};
} // namespace

//===----------------------------------------------------------------------===//
// What can be replaced
//===----------------------------------------------------------------------===//

/// Return true if `op`, in `block` or in a region of an operation there, is
/// executed at most once when the block is; nothing if it may not be done when
/// the operation in the block is.
static std::optional<bool> isExecutedOnceIn(Operation *op, Block *block) {
  bool once = true;
  while (op->getBlock() != block) {
    op = op->getParentOp();
    if (!isDoneAtEnd(op))
      return std::nullopt;
    once &= runsRegionsAtMostOnce(op);
  }
  return once;
}

/// Return true if `dim` is a size of its source, an allocation, that is known
/// without it.
static bool isKnownDim(memref::DimOp dim) {
  std::optional<int64_t> index = dim.getConstantIndex();
  return index && *index >= 0 &&
         *index < cast<MemRefType>(dim.getSource().getType()).getRank();
}

/// Return the one operation that moves elements to `alloc`, with its readers,
/// if there is nothing else that matters about the allocation.
static std::optional<CopiedBuffer> match(memref::AllocOp alloc) {
  if (hasOwnAttribute(alloc))
    return std::nullopt;
  CopiedBuffer copy{alloc, {}};
  bool isWritten = false;
  SmallVector<OpOperand *> reads;
  for (OpOperand &use : alloc->getUses()) {
    Operation *user = use.getOwner();
    if (isa<memref::DeallocOp>(user))
      continue;
    if (hasOwnAttribute(user))
      return std::nullopt;
    if (auto dim = dyn_cast<memref::DimOp>(user)) {
      if (!isKnownDim(dim))
        return std::nullopt;
      continue;
    }
    auto linalgOp = dyn_cast<linalg::LinalgOp>(user);
    if (linalgOp && linalgOp.hasPureBufferSemantics() &&
        linalgOp.isDpsInput(&use)) {
      reads.push_back(&use);
      continue;
    }
    std::optional<ElementMove> move = matchElementMove(user);
    if (!move || move->target != &use || isWritten)
      return std::nullopt;
    isWritten = true;
    copy.move = *move;
  }
  if (!isWritten || reads.empty())
    return std::nullopt;
  Operation *move = copy.move.target->getOwner();
  auto source = cast<MemRefType>(copy.move.source->get().getType());
  if (source.getMemorySpace() != alloc.getType().getMemorySpace())
    return std::nullopt;
  Block *block = move->getBlock();
  if (!mayHaveSSADominance(*block->getParent()))
    return std::nullopt;
  for (OpOperand *read : reads) {
    Operation *ancestor = block->findAncestorOpInBlock(*read->getOwner());
    if (!ancestor ||
        (!move->isBeforeInBlock(ancestor) && !isMutated("propagate-order")))
      return std::nullopt;
    std::optional<bool> once = isExecutedOnceIn(read->getOwner(), block);
    std::optional<ReadForm> form = findReadForm(*read, copy.move);
    if (!once || !form)
      return std::nullopt;
    copy.isCostly |= !*once || *form == ReadForm::Renamed;
    if (!copy.lastReader || copy.lastReader->isBeforeInBlock(ancestor))
      copy.lastReader = ancestor;
  }
  return copy;
}

/// Return true if the source of `copy` holds what the buffer does whenever that
/// is read.
bool CopyPropagator::isLegal(const CopiedBuffer &copy) {
  memref::AllocOp alloc = copy.alloc;
  Operation *move = copy.move.target->getOwner();
  // What is copied to memory of a workgroup is shared by its threads. Others
  // may write the source before a barrier.
  bool isOnHost =
      !context.device.contains(alloc) && !context.device.contains(move) &&
      !options.workgroup.isWorkgroupSpace(alloc.getType().getMemorySpace(),
                                          /*isInDeviceCode=*/false);
  for (Operation *user : alloc->getUsers())
    isOnHost &= !context.device.contains(user);
  if (!isOnHost)
    return false;
  TickRange ticks = {context.order.getTicks(move).last + 1,
                     context.order.getTicks(copy.lastReader).last};
  if (isMutated("propagate-written"))
    return true;
  return !writes.mayWrite(copy.move.source->get(), ticks);
}

//===----------------------------------------------------------------------===//
// Which are replaced
//===----------------------------------------------------------------------===//

const BufferLifetime *
CopyPropagator::findLifetime(memref::AllocOp alloc) const {
  const BufferLifetime *lifetime = lifetimes.lookup(alloc);
  return lifetime && !lifetime->refusal ? lifetime : nullptr;
}

/// Return what is alive at other times if `copy` is replaced, in the scope of
/// its buffer, which has a lifetime.
SmallVector<AliveBytes::Change>
CopyPropagator::getChanges(const CopiedBuffer &copy) const {
  const BufferLifetime *buffer = findLifetime(copy.alloc);
  SmallVector<AliveBytes::Change> changes;
  AliveBytes::add(buffer->ticks, buffer->gaps, -*buffer->size, changes);
  std::optional<SmallVector<Value>> origins =
      context.aliases.getOrigins(copy.move.source->get());
  for (Value origin : origins.value_or(SmallVector<Value>())) {
    auto alloc = origin.getDefiningOp<memref::AllocOp>();
    const BufferLifetime *source = alloc ? findLifetime(alloc) : nullptr;
    // In an outer scope it is alive in all of the inner one.
    if (!source || source->scope != buffer->scope ||
        source->getMemorySpace() != buffer->getMemorySpace())
      continue;
    if (source->ticks.last < buffer->ticks.last)
      changes.push_back(
          {{source->ticks.last + 1, buffer->ticks.last}, *source->size});
    for (TickRange gap : source->gaps) {
      TickRange common = {std::max(gap.first, buffer->ticks.first),
                          std::min(gap.last, buffer->ticks.last)};
      if (common.first <= common.last)
        changes.push_back({common, *source->size});
    }
  }
  return changes;
}

/// Return true if the source of `copy`, a buffer of unknown size, may have more
/// bytes than the buffer, and be alive for longer.
bool CopyPropagator::mayRaisePeak(const CopiedBuffer &copy) const {
  memref::AllocOp alloc = copy.alloc;
  auto source = cast<MemRefType>(copy.move.source->get().getType());
  auto getBits = [&](MemRefType type) {
    return context.layout.getTypeSizeInBits(type.getElementType())
        .getFixedValue();
  };
  if (copy.move.casts.empty() || getBits(source) <= getBits(alloc.getType()))
    return false;
  std::optional<SmallVector<Value>> origins =
      context.aliases.getOrigins(copy.move.source->get());
  return !origins || llvm::any_of(*origins, [](Value origin) {
    return origin.getDefiningOp<memref::AllocOp>();
  });
}

/// Choose those of `copies`, in the scope `key`, without which at least
/// `minGain` more bytes would be alive at once.
void CopyPropagator::chooseCostly(ScopeKey key,
                                  ArrayRef<const CopiedBuffer *> copies) {
  AliveBytes &alive = scopes.find(key)->second;
  AliveBytes before = alive;
  int64_t peak = alive.getPeak();
  int64_t gain = getNeededGain(peak, options.minGain);
  SmallVector<SmallVector<AliveBytes::Change>> changes;
  for (const CopiedBuffer *copy : copies) {
    changes.push_back(getChanges(*copy));
    alive.apply(changes.back());
  }
  alive.setLimit(alive.getPeak() + gain - 1);
  SmallVector<const CopiedBuffer *> needed;
  for (auto [copy, change] : llvm::zip_equal(copies, changes)) {
    for (AliveBytes::Change &each : change) {
      stepsLeft -= each.ticks.last - each.ticks.first + 1;
      each.bytes = -each.bytes;
    }
    if (stepsLeft < 0)
      alive.apply(change);
    else if (!alive.applyWithinPeak(change))
      needed.push_back(copy);
  }
  bool isEnough = alive.getPeak() <= peak - gain;
  if (!isEnough)
    alive = before;
  for (const CopiedBuffer *copy : copies)
    if (isEnough && llvm::is_contained(needed, copy))
      chosen.push_back(copy);
    else
      left.insert(copy->alloc);
}

void CopyPropagator::choose(MutableArrayRef<CopiedBuffer> copies,
                            ArrayRef<const BufferLifetime *> buffers) {
  llvm::sort(copies, [&](const CopiedBuffer &a, const CopiedBuffer &b) {
    return context.order.getTicks(a.move.target->getOwner()).first <
           context.order.getTicks(b.move.target->getOwner()).first;
  });
  scopes = AliveBytes::collect(buffers);
  // Those that vanish, if what is costly is worth it.
  llvm::DenseSet<Operation *> moves;
  llvm::MapVector<ScopeKey, SmallVector<const CopiedBuffer *>> costly;
  for (const CopiedBuffer &copy : llvm::reverse(copies)) {
    memref::AllocOp alloc = copy.alloc;
    if (left.contains(alloc))
      continue;
    Operation *move = copy.move.target->getOwner();
    bool isNeighbour = llvm::any_of(alloc->getUsers(), [&](Operation *user) {
      return user != move && moves.contains(user);
    });
    if (isNeighbour)
      continue;
    if (!isLegal(copy)) {
      left.insert(alloc);
      continue;
    }
    const BufferLifetime *buffer = findLifetime(alloc);
    bool isCostly = copy.isCostly && !options.generalize;
    if (!buffer) {
      if (isCostly || mayRaisePeak(copy)) {
        left.insert(alloc);
        continue;
      }
      chosen.push_back(&copy);
    } else {
      ScopeKey key = {buffer->scope, buffer->getMemorySpace()};
      if (isCostly) {
        costly[key].push_back(&copy);
      } else {
        SmallVector<AliveBytes::Change> changes = getChanges(copy);
        for (const AliveBytes::Change &change : changes)
          stepsLeft -= change.ticks.last - change.ticks.first + 1;
        if (stepsLeft < 0 ||
            !scopes.find(key)->second.applyWithinPeak(changes)) {
          left.insert(alloc);
          continue;
        }
        chosen.push_back(&copy);
      }
    }
    moves.insert(move);
  }
  for (const auto &[key, group] : costly)
    chooseCostly(key, group);
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

int64_t CopyPropagator::getTick(Operation *op) const {
  // One that is erased may have had the same address.
  auto it = ticks.find(op);
  return it != ticks.end() ? it->second : context.order.getTicks(op).first;
}

/// Let the readers of `copy` read the source, and erase the rest, if that is
/// still possible: another operand of a reader may have become a broadcast.
void CopyPropagator::replace(const CopiedBuffer &copy) {
  memref::AllocOp alloc = copy.alloc;
  Operation *move = copy.move.target->getOwner();
  IRRewriter rewriter(alloc.getContext());
  auto isRead = [&](OpOperand &use) {
    return use.getOwner() != move && isa<linalg::LinalgOp>(use.getOwner());
  };
  for (OpOperand &use : alloc->getUses())
    if (isRead(use) && !findReadForm(use, copy.move)) {
      left.insert(alloc);
      return;
    }
  // The order of uses is arbitrary. The conversions of the first operand come
  // first.
  llvm::SetVector<Operation *> readers;
  for (OpOperand &use : alloc->getUses())
    if (isRead(use))
      readers.insert(use.getOwner());
  for (Operation *op : readers) {
    Generalized info = {getTick(op), op->getLoc(), op->getName(),
                        op->getName()};
    Operation *reader = op;
    unsigned numOperands = op->getNumOperands();
    for (unsigned index : llvm::reverse(llvm::seq(numOperands)))
      if (reader->getOperand(index) == alloc)
        reader = readSource(rewriter, reader->getOpOperand(index), copy.move);
    ticks[reader] = info.tick;
    info.now = reader->getName();
    if (isa<linalg::GenericOp, linalg::ContractOp>(reader) &&
        info.now != info.name)
      generalized.push_back(info);
  }
  if (const BufferLifetime *buffer = lifetimes.lookup(alloc);
      buffer && buffer->size)
    result.bytesNotMoved += *buffer->size;
  ++result.numBuffers;
  rewriter.eraseOp(move);
  for (Operation *user : llvm::make_early_inc_range(alloc->getUsers())) {
    auto dim = dyn_cast<memref::DimOp>(user);
    if (!dim) {
      rewriter.eraseOp(user);
      continue;
    }
    rewriter.setInsertionPoint(dim);
    int64_t index = *dim.getConstantIndex();
    MemRefType type = alloc.getType();
    Value size = type.isDynamicDim(index)
                     ? alloc.getDynamicSizes()[type.getDynamicDimIndex(index)]
                     : arith::ConstantIndexOp::create(rewriter, dim.getLoc(),
                                                      type.getDimSize(index))
                           .getResult();
    rewriter.replaceOp(dim, size);
  }
  rewriter.eraseOp(alloc);
}

void CopyPropagator::emitRemarks() const {
  FunctionOpInterface function = context.function;
  auto lock = lockRemarks(function->getContext());
  if (result.numBuffers == 0 || !lock)
    return;
  remark::analysis(function.getLoc(), getRemarkOpts("Propagated", function))
      << remark::metric("Buffers", result.numBuffers)
      << remark::metric("BytesNotMoved", result.bytesNotMoved);
  for (const Generalized &op : generalized)
    remark::analysis(op.loc, getRemarkOpts("Generalized", function))
        << remark::metric("Operation", op.name.getStringRef())
        << remark::metric("Becomes", op.now.getStringRef());
}

PropagateCopiesResult CopyPropagator::replace() {
  for (const CopiedBuffer *copy : chosen)
    replace(*copy);
  llvm::sort(generalized, [](const Generalized &a, const Generalized &b) {
    return a.tick < b.tick;
  });
  result.numGeneralized = generalized.size();
  emitRemarks();
  return result;
}

PropagateCopiesResult
buffer_merge::propagateCopies(Operation *root,
                              const PropagateCopiesOptions &options) {
  PropagateCopiesResult result;
  llvm::DenseSet<Operation *> left;
  // Chains are halved each time.
  constexpr int maxPasses = 32;
  for (int pass = 0; pass < maxPasses; ++pass) {
    llvm::MapVector<Operation *, SmallVector<CopiedBuffer, 0>> functions;
    size_t numLeft = left.size();
    root->walk([&](memref::AllocOp alloc) {
      auto function = alloc->getParentOfType<FunctionOpInterface>();
      if (!function || left.contains(alloc))
        return;
      if (std::optional<CopiedBuffer> copy = match(alloc))
        functions[function].push_back(std::move(*copy));
    });
    if (functions.empty())
      break;
    BufferLifetimes lifetimes(root, getLifetimesOptions(options));
    UnsharedArguments unshared(lifetimes);
    llvm::DenseMap<Operation *, SmallVector<const BufferLifetime *>> buffers;
    for (const BufferLifetime &buffer : lifetimes.getBuffers())
      buffers[buffer.function].push_back(&buffer);
    // What a function does matters to others.
    SmallVector<std::unique_ptr<CopyPropagator>> propagators;
    for (auto &[function, copies] : functions) {
      const FunctionContext *context = lifetimes.getContext(function);
      if (!context)
        continue;
      propagators.push_back(std::make_unique<CopyPropagator>(
          *context, lifetimes, unshared, options, left));
      propagators.back()->choose(copies, buffers[function]);
    }
    int64_t numBuffers = 0;
    for (const std::unique_ptr<CopyPropagator> &propagator : propagators) {
      PropagateCopiesResult found = propagator->replace();
      numBuffers += found.numBuffers;
      result.bytesNotMoved += found.bytesNotMoved;
      result.numGeneralized += found.numGeneralized;
    }
    result.numBuffers += numBuffers;
    if (numBuffers == 0 && left.size() == numLeft)
      break;
  }
  return result;
}
