//===- Byte-accurate memory of the oracle --------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <new>

using namespace buffer_merge::fuzz;

int64_t Descriptor::getNumElements() const {
  int64_t count = 1;
  for (unsigned i = 0; i < rank; ++i)
    count *= sizes[i];
  return count;
}

void Descriptor::setIdentityStrides() {
  int64_t stride = 1;
  for (unsigned i = rank; i-- > 0;) {
    strides[i] = stride;
    stride *= sizes[i];
  }
}

/// Where the heap is: no number that a program computes looks like this.
static constexpr uint64_t heapBegin = uint64_t(0x5EED) << 32;
static constexpr uint64_t heapBytes = uint64_t(1) << 32;

uint64_t Memory::findAddress(uint64_t bytes, uint64_t alignment) const {
  bool isLowest = addresses == AddressPolicy::Lowest;
  uint64_t address = isLowest ? heapBegin : heapBegin + heapBytes - bytes;
  address = isLowest ? address : llvm::alignDown(address, alignment);
  auto findOverlap = [&]() -> const Allocation * {
    for (const Allocation &other : allocations)
      if (!other.freed && !other.onStack && other.address < address + bytes &&
          address < other.address + std::max<size_t>(1, other.data.size()))
        return &other;
    return nullptr;
  };
  while (const Allocation *other = findOverlap())
    address = isLowest
                  ? llvm::alignTo(other->address +
                                      std::max<size_t>(1, other->data.size()),
                                  alignment)
                  : llvm::alignDown(other->address - bytes, alignment);
  return address;
}

bool Memory::isFreedAddress(uint64_t value) const {
  return llvm::any_of(allocations, [&](const Allocation &allocation) {
    return allocation.freed && !allocation.onStack &&
           value >= allocation.address &&
           value <= allocation.address + allocation.data.size();
  });
}

Allocation *Memory::allocate(int64_t bytes, llvm::StringRef name, bool onStack,
                             int64_t alignment) {
  constexpr int64_t maxBytes = int64_t(1) << 24;
  allocatedBytes += bytes;
  if (bytes < 0 || allocatedBytes > maxBytes) {
    fail("allocation of " + llvm::Twine(bytes) + " bytes is too large");
    bytes = 0;
  }
  uint64_t address = nextAddress;
  if (addresses != AddressPolicy::Fresh && !onStack)
    address = findAddress(std::max<int64_t>(bytes, 1),
                          std::max<int64_t>(alignment, 64));
  Allocation &allocation = allocations.emplace_back();
  allocation.data.resize(bytes);
  allocation.tags.resize(bytes);
  allocation.onStack = onStack;
  allocation.address = address;
  allocation.made = now;
  nextAddress = llvm::alignTo(nextAddress + bytes + 1, 4096);
  allocation.instance = takeOver(&allocation, name);
  return &allocation;
}

void Memory::grow(Allocation &allocation, int64_t bytes) {
  constexpr int64_t maxBytes = int64_t(1) << 24;
  if (bytes < 0 || bytes > maxBytes)
    return fail("a region of " + llvm::Twine(bytes) + " bytes is too large");
  if (bytes <= int64_t(allocation.data.size()))
    return;
  allocation.data.resize(bytes);
  allocation.tags.resize(bytes);
}

void Memory::free(const Descriptor &descriptor) {
  Allocation *allocation = descriptor.allocation;
  if (allocation->isRegion)
    return;
  llvm::StringRef name = instances[descriptor.instance].name;
  if (allocation->freed)
    return fail("double free of " + name);
  if (allocation->numClones > 0) {
    --allocation->numClones;
    return;
  }
  if (allocation->onStack)
    return fail("free of " + name + ", which is on the stack");
  // A view of it is good enough: it still knows what was allocated, and the
  // stock deallocation makes use of that.
  if (!instances[descriptor.instance].isWhole)
    return fail("free of " + name + ", which is not an allocation of its own");
  allocation->freed = true;
  allocation->freedAt = now;
}

void Memory::forget(InstanceId id) {
  const Instance &instance = instances[id];
  auto tags = instance.allocation->tags.begin();
  std::fill(tags + instance.begin, tags + instance.end, InstanceId(0));
}

InstanceId Memory::addSlice(Allocation *allocation, llvm::StringRef name,
                            int64_t begin, int64_t end, InstanceId source) {
  if (begin < 0 || end < begin || end > int64_t(allocation->data.size()))
    fail("slice " + name + " [" + llvm::Twine(begin) + ", " + llvm::Twine(end) +
         ") leaves its pool of " + llvm::Twine(allocation->data.size()) +
         " bytes");
  InstanceId id = instances.size();
  Instance &instance = instances.emplace_back();
  instance.name = name;
  instance.allocation = allocation;
  instance.begin = begin;
  instance.end = end;
  instance.source = source;
  instance.tag = id;
  return id;
}

InstanceId Memory::addPart(InstanceId whole, int64_t begin, int64_t end) {
  InstanceId id = addSlice(instances[whole].allocation, "a part of a pool",
                           begin, end, whole);
  instances[id].tag = instances[whole].tag;
  return id;
}

InstanceId Memory::takeOver(Allocation *allocation, llvm::StringRef name) {
  InstanceId id = addSlice(allocation, name, 0, allocation->data.size());
  instances[id].isWhole = true;
  return id;
}

Descriptor *Memory::create(const Descriptor &descriptor) {
  return new (descriptors.Allocate<Descriptor>()) Descriptor(descriptor);
}

int64_t Memory::locate(const Descriptor &memref,
                       llvm::ArrayRef<int64_t> indices, unsigned bytes) {
  if (hasFailed())
    return -1;
  const Instance &instance = instances[memref.instance];
  int64_t element = memref.offset;
  for (unsigned i = 0; i < memref.rank; ++i) {
    if (indices[i] < 0 || indices[i] >= memref.sizes[i]) {
      fail("index " + llvm::Twine(indices[i]) + " out of bounds in " +
           instance.name);
      return -1;
    }
    element += indices[i] * memref.strides[i];
  }
  int64_t byte = memref.base + element * memref.elementBytes;
  if (byte < instance.begin || byte + bytes > instance.end) {
    fail("byte " + llvm::Twine(byte) + " is outside " + instance.name);
    return -1;
  }
  if (memref.allocation->freed) {
    fail("use of " + instance.name + " after free");
    return -1;
  }
  use(memref);
  return byte;
}

Val Memory::read(const Descriptor &memref, llvm::ArrayRef<int64_t> indices,
                 unsigned bytes) {
  Val value;
  int64_t byte = locate(memref, indices, bytes);
  if (byte >= 0 && observer)
    observer->observe(memref, byte, bytes, /*isWrite=*/false);
  if (byte < 0 || hasFailed())
    return value;
  for (unsigned i = 0; i < bytes; ++i) {
    InstanceId tag = memref.allocation->tags[byte + i];
    if (tag == instances[memref.instance].tag)
      continue;
    llvm::StringRef name = instances[memref.instance].name;
    if (tag == 0)
      fail("read of uninitialised byte " + llvm::Twine(byte + i) + " of " +
           name);
    else
      fail("read of " + name + " (instance " + llvm::Twine(memref.instance) +
           ") finds byte " + llvm::Twine(byte + i) + " written by " +
           instances[tag].name + " (instance " + llvm::Twine(tag) + ")");
    return value;
  }
  std::memcpy(value.word, memref.allocation->data.data() + byte, bytes);
  return value;
}

void Memory::write(const Descriptor &memref, llvm::ArrayRef<int64_t> indices,
                   unsigned bytes, const Val &value) {
  int64_t byte = locate(memref, indices, bytes);
  if (byte >= 0 && observer)
    observer->observe(memref, byte, bytes, /*isWrite=*/true);
  if (byte < 0 || hasFailed())
    return;
  std::memcpy(memref.allocation->data.data() + byte, value.word, bytes);
  for (unsigned i = 0; i < bytes; ++i)
    memref.allocation->tags[byte + i] = instances[memref.instance].tag;
}

size_t Memory::beginHold(const Allocation &allocation) {
  heldOutside.push_back({now, /*lastUse=*/now, /*freedAt=*/now,
                         int64_t(allocation.data.size()), allocation.alignment,
                         allocation.space,
                         /*isPool=*/true, /*isOutside=*/true});
  return heldOutside.size() - 1;
}

std::vector<HeldAllocation> Memory::getHeld() {
  llvm::DenseMap<const Allocation *, uint64_t> lastUses;
  for (InstanceId id = 1; id < instances.size(); ++id) {
    uint64_t &lastUse = lastUses[instances[id].allocation];
    lastUse = std::max(lastUse, instances[id].lastUse);
  }
  std::vector<HeldAllocation> held;
  for (const Allocation &allocation : allocations)
    if (!allocation.onStack)
      held.push_back({allocation.made,
                      std::max(allocation.made, lastUses.lookup(&allocation)),
                      allocation.freedAt, int64_t(allocation.data.size()),
                      allocation.alignment, allocation.space,
                      instances[allocation.instance].name.empty()});
  llvm::append_range(held, heldOutside);
  return held;
}

void Memory::fail(const llvm::Twine &message) {
  if (failure.empty())
    failure = message.str();
}

std::vector<llvm::StringRef> Memory::getLeaks() const {
  std::vector<llvm::StringRef> leaks;
  for (const Allocation &allocation : allocations)
    if (!allocation.freed && !allocation.onStack)
      leaks.push_back(instances[allocation.instance].name);
  return leaks;
}

void buffer_merge::fuzz::forEachIndex(
    const Descriptor &memref,
    llvm::function_ref<void(llvm::ArrayRef<int64_t>)> fn) {
  if (memref.getNumElements() == 0)
    return;
  int64_t indices[Descriptor::maxRank] = {};
  while (true) {
    fn(llvm::ArrayRef<int64_t>(indices, memref.rank));
    unsigned dim = memref.rank;
    while (dim > 0 && ++indices[dim - 1] == memref.sizes[dim - 1])
      indices[--dim] = 0;
    if (dim == 0)
      return;
  }
}
