//===- ThreadValues.h - The numbers that threads compute --------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_LIB_ANALYSIS_GPU_THREADVALUES_H
#define BUFFER_MERGE_LIB_ANALYSIS_GPU_THREADVALUES_H

#include "Analysis/GPU/KernelLaunches.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/IntegerSet.h"
#include "llvm/ADT/DenseMap.h"

#include <array>
#include <deque>
#include <optional>

namespace buffer_merge {
/// The number of threads of a workgroup in each dimension; nothing for a
/// dimension whose size is not known, but is at least 1.
using BlockSize = std::array<std::optional<int64_t>, 3>;

/// Return the size of the workgroups that execute `kernel` (`findKernel`): the
/// attribute `known_block_size` of a `gpu.func`, `gpu.known_block_size` of
/// another function, or the constant sizes of a `gpu.launch`. For a `gpu.func`
/// without the attribute these are the sizes that all launches have in common,
/// if `launches` is not null and knows all.
BlockSize findBlockSize(mlir::Region &kernel,
                        const KernelLaunches *launches = nullptr);

/// Computes the values of an integer or index type that the threads of a
/// workgroup have, a number for each thread, by executing the operations that
/// define them. Which iterations of loops are meant is up to the user, who
/// binds block arguments.
///
/// Lanes stand for threads: one for each thread, as far as the size of the
/// workgroup is known. In a dimension of unknown size there is one lane, that
/// of the threads whose id is 0: these exist in every workgroup.
///
/// Numbers of the type `index` that do not fit 32 bits are not known, so that
/// it does not matter how wide the type is on the device.
class ThreadValues {
public:
  /// A value in all lanes.
  struct Lanes {
    /// One number for each lane, one for all of them, or none if the value is
    /// not known. Sign-extended.
    llvm::SmallVector<int64_t, 1> numbers;
    /// It depends on an id in a dimension of unknown size: other threads may
    /// have other numbers.
    bool isOfFirst = false;

    bool isKnown() const { return !numbers.empty(); }
    bool isUniform() const { return numbers.size() == 1 && !isOfFirst; }
    /// Return true if it is known, and the same in all threads.
    bool areEqual() const {
      return isKnown() && !isOfFirst && llvm::all_equal(numbers);
    }
    int64_t operator[](unsigned lane) const {
      return numbers[numbers.size() == 1 ? 0 : lane];
    }
  };

  /// `budget`, which must outlive the object, is what may be computed, in
  /// numbers. When it is used up, nothing is known any more.
  ThreadValues(const BlockSize &size, int64_t &budget);

  unsigned getNumLanes() const { return numLanes; }
  const BlockSize &getBlockSize() const { return size; }

  /// Return the dimension of the thread id that `value` is, or nothing.
  static std::optional<unsigned> getThreadDimension(mlir::Value value);
  /// Return the dimension whose size `value` is, or nothing.
  static std::optional<unsigned> getBlockDimension(mlir::Value value);

  /// Return what `value` is. The reference is valid until the next call of any
  /// other function of the object.
  const Lanes &get(mlir::Value value);

  /// Return what `value` is, which may be a number.
  Lanes getFolded(mlir::OpFoldResult value);

  /// Return result `index` of `map` with `operands`.
  Lanes apply(mlir::AffineMap map, unsigned index, mlir::ValueRange operands);

  /// Return whether `operands` are in `set`: a number other than 0 if they are.
  Lanes isIn(mlir::IntegerSet set, mlir::ValueRange operands);

  /// Return `lhs + rhs * factor`.
  Lanes multiplyAdd(const Lanes &lhs, const Lanes &rhs, int64_t factor);

  static Lanes getConstant(int64_t number) { return {{number}}; }

  /// Let `value` be `lanes`, until it is unwound.
  void bind(mlir::Value value, Lanes lanes);

  /// Return a mark of what is known now.
  size_t getMark() const { return values.size(); }

  /// Forget all that was bound or computed after `mark` was returned.
  void unwind(size_t mark);

private:
  using Function =
      std::function<std::optional<int64_t>(llvm::ArrayRef<int64_t>)>;

  bool isReady(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &needed);
  Lanes compute(mlir::Value value);
  Lanes computeAffine(mlir::Operation *op, unsigned index);
  Lanes computeId(unsigned dimension) const;
  Lanes computeEach(llvm::ArrayRef<const Lanes *> operands,
                    const Function &function, bool isIndex);
  Lanes computeFrom(mlir::ValueRange operands, const Function &function,
                    bool isIndex);
  const Lanes *lookup(mlir::Value value) const;

  BlockSize size;
  unsigned numLanes = 1;
  int64_t &budget;
  /// In the order in which they were computed.
  std::deque<std::pair<mlir::Value, Lanes>> values;
  llvm::DenseMap<mlir::Value, size_t> indices;
};
} // namespace buffer_merge

#endif // BUFFER_MERGE_LIB_ANALYSIS_GPU_THREADVALUES_H
