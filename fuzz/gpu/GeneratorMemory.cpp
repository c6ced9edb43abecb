//===- Generated static and dynamic memory -------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelGeneratorImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace buffer_merge::fuzz;

/// Decide what the kernel has besides allocations. Static variables beside
/// `gpu.dynamic_shared_memory` would lie below it: a kernel has the one or the
/// other, unless the module says that dynamic memory is external.
void KernelGenerator::chooseMemory() {
  if (kind == KernelKind::Barriers)
    usesNamedBarriers = random.chance(40);
  if (kind != KernelKind::Memory)
    return;
  static const DynamicMemory forms[] = {
      DynamicMemory::None, DynamicMemory::Stock, DynamicMemory::External,
      DynamicMemory::Unused};
  static const char *const names[] = {"no-dynamic", "stock-dynamic",
                                      "external-dynamic", "unused-dynamic"};
  unsigned k = random.below(std::size(forms));
  dynamicMemory = forms[k];
  features.insert(names[k]);
  if (dynamicMemory != DynamicMemory::External &&
      dynamicMemory != DynamicMemory::Unused)
    return;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(symbols);
  auto type = makeShared({0}, b.getI8Type());
  make<memref::GlobalOp>("dynamic", /*sym_visibility=*/StringAttr(), type,
                         /*initial_value=*/Attribute(),
                         /*constant=*/false, b.getI64IntegerAttr(16));
}

Value KernelGenerator::makeAttribution(MemRefType type) {
  features.insert("attribution");
  if (launch)
    return launch.addWorkgroupAttribution(type, loc);
  Value attribution = kernel.addWorkgroupAttribution(type, loc);
  // Otherwise it is as aligned as its elements.
  if (kind != KernelKind::Kernel && random.chance(30))
    kernel.setWorkgroupAttributionAttr(
        kernel.getNumWorkgroupAttributions() - 1, "llvm.align",
        b.getI64IntegerAttr(int64_t(16) << random.below(3)));
  return attribution;
}

Value KernelGenerator::makeGlobal(MemRefType type) {
  features.insert("global");
  std::string name = "global" + std::to_string(numGlobals++);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(symbols);
    make<memref::GlobalOp>(name, b.getStringAttr("private"), type,
                           /*initial_value=*/b.getUnitAttr(),
                           /*constant=*/false, IntegerAttr());
  }
  return make<memref::GetGlobalOp>(type, name);
}

/// Every view has bytes of its own.
Value KernelGenerator::makeDynamicView(MemRefType type) {
  features.insert("dynamic-view");
  DataLayout layout(*module);
  int64_t bytes = type.getNumElements() *
                  int64_t(layout.getTypeSize(type.getElementType()));
  int64_t offset = dynamicBytes;
  dynamicBytes = llvm::alignTo(offset + bytes, 16);
  Value memory;
  auto allBytes = [&](int64_t size) {
    return makeShared({size}, b.getI8Type());
  };
  if (dynamicMemory == DynamicMemory::Stock || random.chance(40)) {
    memory = make<gpu::DynamicSharedMemoryOp>(allBytes(ShapedType::kDynamic));
  } else {
    Value empty = make<memref::GetGlobalOp>(allBytes(0), "dynamic");
    memory = make<memref::ReinterpretCastOp>(
        allBytes(dynamicBytes), empty, OpFoldResult(b.getIndexAttr(0)),
        ArrayRef<OpFoldResult>{b.getIndexAttr(dynamicBytes)},
        ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  }
  // A constant at the front of the kernel would come after a view there.
  Value shift = make<arith::ConstantIndexOp>(offset);
  return make<memref::ViewOp>(type, memory, shift, ValueRange());
}

Value KernelGenerator::makeOtherMemory(MemRefType &type) {
  switch (kind) {
  case KernelKind::Function:
  case KernelKind::Forall:
    return Value();
  case KernelKind::Attributions: {
    bool isAlloc = random.chance(50);
    // All of these are workgroup memory by where they stand.
    Attribute spaces[] = {workgroup, Attribute(), b.getI64IntegerAttr(3),
                          b.getI64IntegerAttr(7)};
    unsigned k = isAlloc ? 0 : random.below(std::size(spaces));
    if (k != 0)
      features.insert("attribution-of-other-space");
    type = MemRefType::get(type.getShape(), type.getElementType(),
                           MemRefLayoutAttrInterface(), spaces[k]);
    return isAlloc ? Value() : makeAttribution(type);
  }
  case KernelKind::Memory: {
    bool isStock = dynamicMemory == DynamicMemory::Stock;
    bool hasDynamic = isStock || dynamicMemory == DynamicMemory::External;
    switch (random.below(6)) {
    case 0:
      return isStock ? Value() : makeAttribution(type);
    case 1:
      return isStock ? Value() : makeGlobal(type);
    case 2:
      return hasDynamic ? makeDynamicView(type) : Value();
    default:
      return Value();
    }
  }
  default:
    return random.chance(kind == KernelKind::Launch ? 12 : 3)
               ? makeAttribution(type)
               : Value();
  }
}

/// Somebody may keep the address of a buffer, which then shares no bytes.
void KernelGenerator::genAddress() {
  int buffer = pickBuffer([](const BufferState &) { return true; });
  if (buffer < 0 || !buffers[buffer].value.getDefiningOp<memref::AllocOp>())
    return;
  Value address =
      make<memref::ExtractAlignedPointerAsIndexOp>(buffers[buffer].value);
  // It is another one after merging.
  consume(make<arith::AndIOp>(address, makeIndex(0)));
}

/// Memory of one thread, as an attribution.
void KernelGenerator::genPrivateAttribution() {
  Attribute spaces[] = {
      Attribute(), b.getI64IntegerAttr(5),
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Private)};
  auto type = MemRefType::get({2}, b.getI32Type(), MemRefLayoutAttrInterface(),
                              spaces[random.below(std::size(spaces))]);
  Value buffer = kernel.addPrivateAttribution(type, loc);
  make<memref::StoreOp>(makeData(b.getI32Type()), buffer, makeIndex(1));
  if (random.chance(30))
    genStatement();
  consume(load(buffer, makeIndex(1)));
}

/// The same as an allocation in the space of an attribution.
void KernelGenerator::genPrivateAlloc() {
  auto type = MemRefType::get({2}, b.getI32Type());
  Value buffer = make<memref::AllocOp>(type);
  make<memref::StoreOp>(makeData(b.getI32Type()), buffer, makeIndex(1));
  if (random.chance(30))
    genStatement();
  consume(load(buffer, makeIndex(1)));
}
