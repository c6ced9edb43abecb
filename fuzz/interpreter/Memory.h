//===- Byte-accurate memory of the oracle -----------------------*- C++ -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_FUZZ_MEMORY_H
#define BUFFER_MERGE_FUZZ_MEMORY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace buffer_merge::fuzz {
/// A number for one execution of an allocation, or of a view that stands for
/// one in a merged program. 0 is nobody: the tag of a byte never written.
using InstanceId = uint32_t;

/// One scalar, complex or short vector value, in the bytes that it has in
/// memory; or a pointer to a `Descriptor`.
struct Val {
  uint64_t word[2] = {0, 0};
};

/// The bytes behind one executed allocation. Every byte carries the instance
/// that last wrote it.
struct Allocation {
  std::vector<uint8_t> data;
  std::vector<InstanceId> tags;
  InstanceId instance = 0;
  /// A number that looks like an address; no two allocations overlap.
  uint64_t address = 0;
  int64_t alignment = 1;
  bool freed = false;
  /// The step at which it was freed.
  uint64_t freedAt = UINT64_MAX - 1;
  /// Clones that are this memory, not a copy of it: as many frees do nothing.
  unsigned numClones = 0;
  /// Not to be freed by the program: on the stack, a global, or an arena.
  bool onStack = false;
  /// A memory of the target, in which many pools are; freeing one does nothing.
  bool isRegion = false;
  /// The callers of functions own it, and hand parts of it on.
  bool isArena = false;
  /// The step at which it was made.
  uint64_t made = 0;
  /// Identifies the memory space.
  const void *space = nullptr;
};

/// A logical buffer: who owns bytes [begin, end) of an allocation.
struct Instance {
  llvm::StringRef name;
  Allocation *allocation = nullptr;
  int64_t begin = 0;
  int64_t end = 0;
  /// It is the allocation, and freeing it frees that.
  bool isWhole = false;
  /// The step of the last use.
  uint64_t lastUse = 0;
  /// What it is a slice of, 0 for none.
  InstanceId source = 0;
  /// The tag of the bytes that it writes, and finds where it reads: itself, or
  /// what it is a part of.
  InstanceId tag = 0;
};

/// Which addresses allocations on the heap have: each one of its own, or the
/// lowest or the highest bytes that are free, which a freed one gives back at
/// once.
enum class AddressPolicy { Fresh, Lowest, Highest };

/// An allocation on the heap: from the step at which it was made to that of its
/// last use, or to that of its deallocation, both included. Or an arena or a
/// global: while the function runs that begins with it.
struct HeldAllocation {
  uint64_t made;
  uint64_t lastUse;
  /// Later than all steps if it was never freed.
  uint64_t freedAt;
  int64_t bytes;
  int64_t alignment;
  /// Identifies the memory space.
  const void *space;
  /// It has no name: the program before merging does not have it.
  bool isPool;
  /// It is an arena or a global.
  bool isOutside = false;
};

/// The run-time value of a ranked or unranked memref.
struct Descriptor {
  static constexpr unsigned maxRank = 8;

  Allocation *allocation = nullptr;
  InstanceId instance = 0;
  /// Byte of the allocation at which the aligned pointer points.
  int64_t base = 0;
  /// Counted in elements from `base`, as the strides are.
  int64_t offset = 0;
  unsigned elementBytes = 0;
  unsigned rank = 0;
  int64_t sizes[maxRank] = {};
  int64_t strides[maxRank] = {};

  int64_t getNumElements() const;
  /// Set the strides to those of the identity layout of `sizes`.
  void setIdentityStrides();
};

/// Is told of every access before it happens.
class AccessObserver {
public:
  virtual ~AccessObserver() = default;
  /// The bytes [byte, byte + bytes) of the allocation behind `memref`.
  virtual void observe(const Descriptor &memref, int64_t byte, unsigned bytes,
                       bool isWrite) = 0;
};

/// Memory of one run. Every access is checked; the first thing that goes wrong
/// is kept and makes every later access do nothing.
class Memory {
public:
  /// Allocate `bytes` bytes as the buffer `name`. Names outlive the memory.
  /// `alignment` is that of the address.
  Allocation *allocate(int64_t bytes, llvm::StringRef name, bool onStack,
                       int64_t alignment = 64);

  /// Make `allocation` have at least `bytes` bytes.
  void grow(Allocation &allocation, int64_t bytes);

  /// Free what `descriptor` points at.
  void free(const Descriptor &descriptor);

  /// Start a new logical buffer in [begin, end) of `allocation`: a slice of a
  /// pool. What is in the bytes stays there, under its old tag.
  /// `source` is what the program makes it from.
  InstanceId addSlice(Allocation *allocation, llvm::StringRef name,
                      int64_t begin, int64_t end, InstanceId source = 0);

  /// Return a part of `whole` in [begin, end): what is written through one of
  /// them is read through the other, but only these bytes are accessed.
  InstanceId addPart(InstanceId whole, int64_t begin, int64_t end);

  /// Let no byte of `instance` be written.
  void forget(InstanceId instance);

  /// Start a new logical buffer that takes over all of `allocation`.
  InstanceId takeOver(Allocation *allocation, llvm::StringRef name);

  /// Return a copy of `descriptor` that lives as long as the memory.
  Descriptor *create(const Descriptor &descriptor);

  /// Read or write the `bytes` bytes of the element at `indices`.
  Val read(const Descriptor &memref, llvm::ArrayRef<int64_t> indices,
           unsigned bytes);
  void write(const Descriptor &memref, llvm::ArrayRef<int64_t> indices,
             unsigned bytes, const Val &value);

  /// Return the first byte of the `bytes` bytes from the element at `indices`
  /// on, or -1 after a failure, which it is if they leave the buffer.
  int64_t locate(const Descriptor &memref, llvm::ArrayRef<int64_t> indices,
                 unsigned bytes);

  /// Record a use of `memref` at the step `now`.
  void use(const Descriptor &memref) {
    instances[memref.instance].lastUse = now;
  }

  /// Let `allocation`, an arena or a global, be held from now until `endHold`
  /// of the number that is returned.
  size_t beginHold(const Allocation &allocation);
  void endHold(size_t number) { heldOutside[number].lastUse = now; }

  /// Return what is held: what the heap holds, in the order in which it was
  /// made, then arenas and globals.
  std::vector<HeldAllocation> getHeld();

  /// Record `message` if nothing went wrong so far.
  void fail(const llvm::Twine &message);
  bool hasFailed() const { return !failure.empty(); }
  llvm::StringRef getFailure() const { return failure; }

  /// The names of the heap allocations that nobody freed, in order.
  std::vector<llvm::StringRef> getLeaks() const;

  /// Return true if `value` is an address in an allocation on the heap that was
  /// freed. Addresses must be fresh.
  bool isFreedAddress(uint64_t value) const;

  /// Null for none. It must outlive the memory.
  AccessObserver *observer = nullptr;
  AddressPolicy addresses = AddressPolicy::Fresh;
  /// The step that is being executed.
  uint64_t now = 0;

  const Instance &getInstance(InstanceId id) const { return instances[id]; }
  /// Bytes of all allocations so far: a bound against runaway programs.
  int64_t getAllocatedBytes() const { return allocatedBytes; }

private:
  /// Return the address of a new allocation on the heap that is not fresh.
  uint64_t findAddress(uint64_t bytes, uint64_t alignment) const;

  std::deque<Allocation> allocations;
  std::vector<HeldAllocation> heldOutside;
  std::vector<Instance> instances = {Instance()};
  llvm::BumpPtrAllocator descriptors;
  std::string failure;
  uint64_t nextAddress = uint64_t(0x5EEC) << 32;
  int64_t allocatedBytes = 0;
};

/// Call `fn` with the indices of every element, in row-major order.
void forEachIndex(const Descriptor &memref,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> fn);
} // namespace buffer_merge::fuzz

#endif // BUFFER_MERGE_FUZZ_MEMORY_H
