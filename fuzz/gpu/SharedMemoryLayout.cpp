//===- Where shared memory lies ------------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedMemoryLayout.h"
#include "Compatibility.h"

#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

bool buffer_merge::fuzz::isSharedSpace(Attribute space) {
  if (auto number = dyn_cast_or_null<IntegerAttr>(space))
    return number.getInt() == 3;
  if (auto name = dyn_cast_or_null<StringAttr>(space))
    return name == "shared";
  return gpu::GPUDialect::isWorkgroupMemoryAddressSpace(space);
}

/// What MLIR's lowering gives dynamic memory.
static constexpr int64_t dynamicAlignment = 16;

/// Return the first address from `next` on that is aligned to `alignment` and
/// to nothing more.
static int64_t alignExactly(int64_t next, int64_t alignment) {
  int64_t address = llvm::alignTo(next, alignment);
  return address % (2 * alignment) == 0 ? address + alignment : address;
}

SharedMemoryLayout::Range SharedMemoryLayout::place(MemRefType type,
                                                    int64_t alignment,
                                                    int64_t &next) const {
  DataLayout layout = DataLayout::closest(root);
  Type element = type.getElementType();
  alignment = std::max<int64_t>(alignment, layout.getTypeABIAlignment(element));
  Range range;
  range.begin = alignExactly(next, alignment);
  range.end = range.begin +
              type.getNumElements() * int64_t(layout.getTypeSize(element));
  next = range.end;
  return range;
}

SharedMemoryLayout::SharedMemoryLayout(Operation *root, int64_t dynamicBytes)
    : root(root) {
  SmallVector<memref::GlobalOp> statics, externals, empties;
  bool hasStockOp = false;
  root->walk([&](Operation *op) {
    hasStockOp |= isa<gpu::DynamicSharedMemoryOp>(op);
    auto global = dyn_cast<memref::GlobalOp>(op);
    if (!global || !isSharedSpace(global.getType().getMemorySpace()))
      return;
    if (global.getType().getNumElements() != 0)
      statics.push_back(global);
    else if (global.isPublic() && global.isExternal())
      externals.push_back(global);
    else
      empties.push_back(global);
  });
  bool isExternal = llvm::any_of(externals, [](memref::GlobalOp global) {
    return global.getAlignment().value_or(1) == dynamicAlignment;
  });
  hasDynamic = hasStockOp || !externals.empty() || !empties.empty();
  if (!hasDynamic)
    return;
  // The first address is aligned to 16 bytes and nothing more.
  constexpr int64_t first = dynamicAlignment;
  int64_t next = first;
  if ((hasStockOp && !isExternal) || !empties.empty())
    ++next;
  for (memref::GlobalOp global : statics)
    globals[global] =
        place(global.getType(), global.getAlignment().value_or(1), next);
  root->walk([&](Operation *op) {
    if (auto kernel = dyn_cast<gpu::GPUFuncOp>(op)) {
      for (auto [index, attribution] :
           llvm::enumerate(buffer_merge::getWorkgroupArguments(kernel))) {
        auto attr = dyn_cast_or_null<IntegerAttr>(
            kernel.getWorkgroupAttributionAttr(index, "llvm.align"));
        attributions[attribution] =
            place(cast<MemRefType>(attribution.getType()),
                  attr ? attr.getInt() : 1, next);
      }
    } else if (auto launch = dyn_cast<gpu::LaunchOp>(op)) {
      for (BlockArgument attribution :
           buffer_merge::getWorkgroupArguments(launch))
        attributions[attribution] =
            place(cast<MemRefType>(attribution.getType()), 1, next);
    }
  });
  auto placeDynamic = [&](int64_t begin) {
    bytes = std::max(bytes, begin + dynamicBytes);
    return Range{begin, begin + dynamicBytes};
  };
  bytes = next;
  dynamic =
      placeDynamic(isExternal ? alignExactly(next, dynamicAlignment) : first);
  for (memref::GlobalOp global : externals)
    globals[global] =
        placeDynamic(alignExactly(next, global.getAlignment().value_or(1)));
  for (memref::GlobalOp global : empties)
    globals[global] = placeDynamic(first);
}
