//===- ReadSource.cpp - Reading what a copy was made of -------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadSource.h"
#include "Mutation.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace buffer_merge;

/// Return the indexing map with which the owner of `read` reads the source.
static AffineMap composeMap(OpOperand &read, const ElementMove &move) {
  auto op = cast<linalg::LinalgOp>(read.getOwner());
  AffineMap map = op.getMatchingIndexingMap(&read);
  return move.map.compose(map);
}

/// Return the indexing maps of the owner of `read`, with `map` for `read`.
static SmallVector<AffineMap> replaceMap(OpOperand &read, AffineMap map) {
  auto op = cast<linalg::LinalgOp>(read.getOwner());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps[read.getOperandNumber()] = map;
  return maps;
}

/// Return true if `map` has the results of `other` in some order: the operand
/// is transposed, and all that is known of the iteration space remains.
static bool isTransposed(AffineMap map, AffineMap other) {
  return map.getNumResults() == other.getNumResults() &&
         llvm::all_of(map.getResults(), [&](AffineExpr result) {
           return isa<AffineDimExpr>(result) &&
                  llvm::is_contained(other.getResults(), result);
         });
}

/// Let argument `index` of `body` be an element of `type`, and let what used it
/// use what `casts` make of it.
static void convertArgument(OpBuilder &builder, Block &body, unsigned index,
                            Type type, ArrayRef<Operation *> casts) {
  BlockArgument old = body.getArgument(index);
  BlockArgument argument = body.insertArgument(index, type, old.getLoc());
  if (!old.use_empty()) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&body);
    Value value = argument;
    for (Operation *cast : casts) {
      IRMapping mapping;
      mapping.map(cast->getOperand(0), value);
      value = builder.clone(*cast, mapping)->getResult(0);
    }
    old.replaceAllUsesWith(value);
  }
  body.eraseArgument(index + 1);
}

static Type getElementType(Value memref) {
  return cast<MemRefType>(memref.getType()).getElementType();
}

/// Return true if the body of `op` does what that of the owner of `read` does
/// after the conversions of `move`: an operation that converts its operands to
/// the type of the accumulator need not do it in the same way.
static bool hasBodyOfReader(Operation *op, OpOperand &read,
                            const ElementMove &move) {
  Region expected;
  IRMapping mapping;
  read.getOwner()->getRegion(0).cloneInto(&expected, mapping);
  OpBuilder builder(op->getContext());
  convertArgument(builder, expected.front(), read.getOperandNumber(),
                  getElementType(move.source->get()), move.casts);
  return OperationEquivalence::isRegionEquivalentTo(
             &expected, &op->getRegion(0),
             OperationEquivalence::IgnoreLocations) ||
         isMutated("propagate-conversion");
}

/// Return an operation like `op`, a matrix multiplication with a name, with
/// `inputs` of other types, and the body that belongs to these; in no block.
template <typename OpTy>
static Operation *createMatmul(OpTy op, ValueRange inputs) {
  OpBuilder builder(op.getContext());
  SmallVector<NamedAttribute> attributes;
  if (auto cast = op.getCastAttr())
    attributes.push_back({op.getCastAttrName(), cast});
  return OpTy::create(builder, op.getLoc(), TypeRange(), inputs,
                      op.getOutputs(), attributes);
}

/// Return an operation like the owner of `read`, with the same name, that
/// converts the elements of the source by itself, in no block; null if there is
/// none.
static Operation *createConverting(OpOperand &read, const ElementMove &move) {
  auto op = cast<linalg::LinalgOp>(read.getOwner());
  // Others make it warn.
  if (!getElementType(move.source->get()).isIntOrFloat())
    return nullptr;
  SmallVector<Value> inputs = op.getDpsInputs();
  inputs[read.getOperandNumber()] = move.source->get();
  Operation *result = TypeSwitch<Operation *, Operation *>(op)
                          .Case<linalg::MatmulOp, linalg::BatchMatmulOp,
                                linalg::BatchReduceMatmulOp>([&](auto matmul) {
                            return createMatmul(matmul, inputs);
                          })
                          .Default(nullptr);
  if (!result)
    return nullptr;
  if (hasBodyOfReader(result, read, move))
    return result;
  result->destroy();
  return nullptr;
}

/// Return true if `linalg.contract` may have `maps`: a dimension that is not
/// one of the result is one of both inputs, and there is such a dimension.
static bool areMapsOfContract(ArrayRef<AffineMap> maps) {
  if (maps.size() != 3 || !llvm::all_of(maps, [](AffineMap map) {
        return map.isProjectedPermutation();
      }))
    return false;
  bool isContraction = false;
  for (unsigned dim : llvm::seq(maps[0].getNumDims())) {
    bool isLeft = maps[0].isFunctionOfDim(dim);
    bool isRight = maps[1].isFunctionOfDim(dim);
    if (maps[2].isFunctionOfDim(dim) ? !isLeft && !isRight
                                     : !isLeft || !isRight)
      return false;
    isContraction |= !maps[2].isFunctionOfDim(dim);
  }
  return isContraction;
}

/// Return a `linalg.contract` that computes what the owner of `read`, another
/// contraction, would with the source of `move` and `maps`, in no block; null
/// if there is none.
static Operation *createContract(OpOperand &read, const ElementMove &move,
                                 ArrayRef<AffineMap> maps) {
  auto op = cast<linalg::LinalgOp>(read.getOwner());
  if (!isa<linalg::ContractionOpInterface>(read.getOwner()) ||
      isa<linalg::GenericOp>(read.getOwner()) || !areMapsOfContract(maps) ||
      !getElementType(move.source->get()).isIntOrFloat())
    return nullptr;
  SmallVector<Value> inputs = op.getDpsInputs();
  inputs[read.getOperandNumber()] = move.source->get();
  OpBuilder builder(op.getContext());
  SmallVector<NamedAttribute> attributes;
  if (Attribute cast = op->getAttr("cast"))
    attributes.push_back(builder.getNamedAttr("cast", cast));
  Operation *result = linalg::ContractOp::create(
      builder, op.getLoc(), TypeRange(), inputs,
      SmallVector<Value>(op.getDpsInits()), builder.getAffineMapArrayAttr(maps),
      attributes);
  if (hasBodyOfReader(result, read, move))
    return result;
  result->destroy();
  return nullptr;
}

/// Return the dimensions of the target of an operation that moves elements by
/// `map`, a projected permutation, if the remaining ones keep their order.
static std::optional<SmallVector<int64_t>> findAddedDims(AffineMap map) {
  SmallVector<int64_t> added;
  unsigned next = 0;
  for (unsigned dim : llvm::seq(map.getNumDims())) {
    if (next < map.getNumResults() && map.getDimPosition(next) == dim)
      ++next;
    else
      added.push_back(dim);
  }
  if (next != map.getNumResults())
    return std::nullopt;
  return added;
}

/// Return true if an operation that moves elements by `map` has a name.
static bool isNamedMove(AffineMap map) {
  return map.isPermutation() ||
         (map.isProjectedPermutation() && findAddedDims(map));
}

/// Create an operation that sets `target` to what `map` moves from `source`.
static linalg::LinalgOp createNamedMove(OpBuilder &builder, Location loc,
                                        Value source, Value target,
                                        AffineMap map) {
  if (map.isIdentity())
    return linalg::CopyOp::create(builder, loc, source, target);
  if (!map.isPermutation())
    return linalg::BroadcastOp::create(builder, loc, source, target,
                                       *findAddedDims(map));
  SmallVector<int64_t> permutation(map.getNumDims());
  for (unsigned i : llvm::seq(map.getNumResults()))
    permutation[map.getDimPosition(i)] = i;
  return linalg::TransposeOp::create(builder, loc, source, target, permutation);
}

/// Return true if the owner of `read` reads the source of `move` as it reads
/// the target.
static bool isRead(OpOperand &read, const ElementMove &move, AffineMap map) {
  auto op = cast<linalg::LinalgOp>(read.getOwner());
  return move.casts.empty() && map == op.getMatchingIndexingMap(&read);
}

/// Return true if `op` moves elements as `createNamedMove` does, whatever the
/// map is.
static bool isNamedMoveOp(Operation *op) {
  if (auto copy = dyn_cast<linalg::CopyOp>(op))
    return getElementType(copy.getInputs().front()) ==
           getElementType(copy.getOutputs().front());
  return isa<linalg::TransposeOp, linalg::BroadcastOp>(op);
}

/// Return true if `op` has a name and indexing maps, and may have `map` instead
/// of `other`.
static bool mayHaveMap(Operation *op, AffineMap map, AffineMap other) {
  if (isa<linalg::ElementwiseOp>(op))
    return map.isProjectedPermutation();
  // The dimension of batches stays the first one.
  if (isa<linalg::BatchMatmulOp, linalg::BatchReduceMatmulOp>(op) &&
      (map.getNumResults() == 0 || map.getResult(0) != other.getResult(0)))
    return false;
  return isa<linalg::MatmulOp, linalg::BatchMatmulOp,
             linalg::BatchReduceMatmulOp, linalg::ContractOp>(op) &&
         isTransposed(map, other);
}

/// Return true if the owner of `read`, reading the source of `move` by `map`,
/// would be of an operation whose verifier takes a dynamic dimension for
/// another one than a static one, and a dimension of the source is not as it is
/// in the target.
static bool hasOtherShape(OpOperand &read, const ElementMove &move,
                          AffineMap map) {
  Operation *op = read.getOwner();
  if (!isa<linalg::BroadcastOp, linalg::TransposeOp, linalg::MapOp,
           linalg::ReduceOp>(op) &&
      !(isa<linalg::CopyOp>(op) && !map.isIdentity()))
    return false;
  ArrayRef<int64_t> source =
      cast<MemRefType>(move.source->get().getType()).getShape();
  ArrayRef<int64_t> target = cast<MemRefType>(read.get().getType()).getShape();
  return llvm::any_of(llvm::enumerate(move.map.getResults()), [&](auto result) {
    auto dim = dyn_cast<AffineDimExpr>(result.value());
    return dim && source[result.index()] != target[dim.getPosition()];
  });
}

std::optional<ReadForm> buffer_merge::findReadForm(OpOperand &read,
                                                   const ElementMove &move) {
  auto op = cast<linalg::LinalgOp>(read.getOwner());
  AffineMap map = composeMap(read, move);
  if (hasOtherShape(read, move, map))
    return std::nullopt;
  // A dimension that only the target had is lost by a broadcast. All that read
  // the target will read the source.
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (OpOperand *input : op.getDpsInputOperands())
    if (input == &read || input->get() == read.get())
      maps[input->getOperandNumber()] = composeMap(*input, move);
  if (!inversePermutation(concatAffineMaps(maps, op.getContext())) &&
      !isMutated("propagate-extent"))
    return std::nullopt;
  if (isRead(read, move, map))
    return ReadForm::Named;
  if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation())) {
    if (generic.getLibraryCallAttr())
      return std::nullopt;
    return ReadForm::Named;
  }
  if (mayHaveMap(op, map, op.getMatchingIndexingMap(&read))) {
    if (move.casts.empty())
      return ReadForm::Named;
    if (Operation *converting = createConverting(read, move)) {
      converting->destroy();
      return ReadForm::Named;
    }
  }
  if (isNamedMoveOp(op) && move.casts.empty() && isNamedMove(map))
    return ReadForm::Named;
  if (isa<linalg::ContractOp>(op))
    if (Operation *contract =
            createContract(read, move, replaceMap(read, map))) {
      contract->destroy();
      return ReadForm::Named;
    }
  // The body has one argument for each operand, as that of a generic operation.
  if (op->getNumRegions() != 1 ||
      op.getBlock()->getNumArguments() != op->getNumOperands())
    return std::nullopt;
  return ReadForm::Renamed;
}

/// Let the indexing maps of `op`, which has them as an attribute, be `maps`.
static void setMaps(linalg::LinalgOp op, ArrayRef<AffineMap> maps) {
  Builder builder(op.getContext());
  op->setAttr("indexing_maps", builder.getAffineMapArrayAttr(maps));
}

linalg::LinalgOp buffer_merge::readSource(RewriterBase &rewriter,
                                          OpOperand &read,
                                          const ElementMove &move) {
  auto op = cast<linalg::LinalgOp>(read.getOwner());
  unsigned index = read.getOperandNumber();
  Value source = move.source->get();
  AffineMap map = composeMap(read, move);
  if (isRead(read, move, map)) {
    rewriter.modifyOpInPlace(op, [&] { read.set(source); });
    return op;
  }
  rewriter.setInsertionPoint(op);
  auto replace = [&](linalg::LinalgOp other) {
    NamedAttrList attributes(op->getDiscardableAttrDictionary());
    attributes.erase(linalg::LinalgDialect::kMemoizedIndexingMapsAttrName);
    other->setDiscardableAttrs(attributes.getDictionary(op.getContext()));
    rewriter.replaceOp(op, other->getResults());
    return other;
  };
  SmallVector<AffineMap> maps = replaceMap(read, map);
  if (mayHaveMap(op, map, op.getMatchingIndexingMap(&read))) {
    if (move.casts.empty()) {
      rewriter.modifyOpInPlace(op, [&] {
        read.set(source);
        setMaps(op, maps);
      });
      return op;
    }
    if (Operation *converting = createConverting(read, move)) {
      rewriter.insert(converting);
      setMaps(cast<linalg::LinalgOp>(converting), maps);
      return replace(cast<linalg::LinalgOp>(converting));
    }
  }
  if (isNamedMoveOp(op) && move.casts.empty() && isNamedMove(map))
    return replace(createNamedMove(rewriter, op.getLoc(), source,
                                   op.getDpsInits().front(), map));
  if (Operation *contract = createContract(read, move, maps)) {
    rewriter.insert(contract);
    return replace(cast<linalg::LinalgOp>(contract));
  }
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic) {
    SmallVector<Value> inputs = op.getDpsInputs();
    auto created = linalg::GenericOp::create(
        rewriter, op.getLoc(), inputs, SmallVector<Value>(op.getDpsInits()),
        op.getIndexingMapsArray(), op.getIteratorTypesArray());
    rewriter.inlineRegionBefore(op->getRegion(0), created.getRegion(),
                                created.getRegion().begin());
    replace(created);
    generic = created;
  }
  rewriter.modifyOpInPlace(generic, [&] {
    generic->setOperand(index, source);
    generic.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    convertArgument(rewriter, *generic.getBlock(), index,
                    getElementType(source), move.casts);
  });
  return generic;
}
