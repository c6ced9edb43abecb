//===- GeneratorAddresses.cpp - Addresses that are observed ---------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is observed does not depend on the allocator: two addresses in buffers
// that are allocated at the same time are equal only if they are one byte of
// one buffer; of two that differ one is less; buffers have no common bytes;
// addresses in one buffer have a distance. An address may be taken long before
// it is observed, and goes through memory, loops and calls meanwhile.
//
// Each way with each observation is a kind of program, among the features.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace buffer_merge::fuzz;
using arith::CmpIPredicate;

/// A buffer of no bytes may have any address.
static bool hasBytes(MemRefType type) {
  return type && type.hasStaticShape() && type.getNumElements() > 0;
}

Value Generator::takeAddress(const MemVal &mem) {
  Value of = mem.value;
  if (random.chance(15))
    of = make<memref::ExtractStridedMetadataOp>(of).getBaseBuffer();
  return make<memref::ExtractAlignedPointerAsIndexOp>(of);
}

Value Generator::compareInts(CmpIPredicate predicate, Value x, Value y) {
  Value result = make<arith::CmpIOp>(predicate, x, y);
  return make<arith::ExtUIOp>(b.getI64Type(), result);
}

std::optional<Generator::Address> Generator::pickAddress(bool isPlain) {
  SmallVector<const Address *> alive;
  for (const Address &address : scope.addresses)
    if (address.isPlain == isPlain &&
        llvm::none_of(address.mem.roots,
                      [&](int root) { return roots[root].freed; }))
      alive.push_back(&address);
  if (!alive.empty() && random.chance(80))
    return *alive[random.below(alive.size())];
  auto mem = pick([&](const MemVal &other) {
    return hasBytes(other.getType()) && canTouch(other, /*write=*/false);
  });
  if (!mem)
    return std::nullopt;
  return Address{takeAddress(*mem), *mem, isPlain};
}

/// Observe the addresses `x` and `y` of buffers that are allocated now, and of
/// which `y` is that of all of `whole`.
void Generator::observeAddresses(StringRef way, Value x, Value y,
                                 const MemVal &whole, bool isPlain) {
  auto sum = [&](Value one, Value other) -> Value {
    return make<arith::AddIOp>(one, other);
  };
  auto difference = [&](Value one, Value other) -> Value {
    return make<arith::SubIOp>(one, other);
  };
  static const char *const names[] = {"eq",       "ne",      "branch",
                                      "one-less", "outside", "null"};
  unsigned kind =
      isPlain || random.chance(40) ? random.below(3) : random.below(6);
  features.insert((way + (isPlain ? "-plain/" : "/") + names[kind]).str());
  switch (kind) {
  case 0:
    return accumulate(compareInts(CmpIPredicate::eq, x, y));
  case 1:
    return accumulate(compareInts(CmpIPredicate::ne, x, y));
  case 2: {
    Value same = make<arith::CmpIOp>(CmpIPredicate::eq, x, y);
    auto ifOp = make<scf::IfOp>(TypeRange(b.getI64Type()), same, true, true);
    b.setInsertionPointToEnd(ifOp.thenBlock());
    make<scf::YieldOp>(ValueRange(pickInt()));
    b.setInsertionPointToEnd(ifOp.elseBlock());
    make<scf::YieldOp>(ValueRange(scope.acc));
    b.setInsertionPointAfter(ifOp);
    return accumulate(ifOp.getResult(0));
  }
  case 3:
    return accumulate(sum(compareInts(CmpIPredicate::ult, x, y),
                          compareInts(CmpIPredicate::ult, y, x)));
  case 4: {
    // Is `x` one of its first bytes?
    int64_t elements = whole.getType().getNumElements();
    return accumulate(
        compareInts(CmpIPredicate::ult, difference(x, y),
                    makeIndex(std::max<int64_t>(1, elements / 8))));
  }
  default:
    return accumulate(
        compareInts(CmpIPredicate::eq, make<arith::OrIOp>(x, y), makeIndex(0)));
  }
}

/// Allocate a buffer, perhaps in a loop, and compare its address with
/// `address`.
void Generator::compareWithNew(StringRef way, Value address, bool isPlain) {
  MemVal fresh = allocate(random.chance(70) ? palette[0] : pickType());
  int root = fresh.roots[0];
  if (random.chance(60)) {
    // One that no pool has: something keeps its address.
    features.insert("address-kept");
    MemVal table = allocate(MemRefType::get({1}, fresh.getType()));
    make<memref::StoreOp>(fresh.value, table.value, makeIndex(0));
    setWritten(table);
    forget(table.roots[0]);
    if (frees)
      make<memref::DeallocOp>(table.value);
    roots[table.roots[0]].freed = true;
  }
  fill(fresh);
  if (random.chance(50) && !isFull())
    genStatements(1);
  if (roots[root].freed || !hasBytes(fresh.getType()))
    return;
  observeAddresses(way, address, takeAddress(fresh), fresh, isPlain);
  if (canRead(fresh))
    read(fresh, /*all=*/true);
  if (!random.chance(70) || !canFree(root))
    return;
  if (frees)
    free(root);
  else
    forget(root);
}

void Generator::genAddressTaken() {
  // Of a buffer that is not accessed any more, as like as not.
  MemVal mem = makeFilled(random.chance(50) ? palette[0] : pickType());
  if (!hasBytes(mem.getType()))
    return;
  bool isEarly = random.chance(50);
  Value address = isEarly ? takeAddress(mem) : Value();
  read(mem, /*all=*/true);
  if (!isEarly)
    address = takeAddress(mem);
  scope.addresses.push_back({address, mem, /*isPlain=*/random.chance(70)});
  if (random.chance(60))
    llvm::erase_if(scope.mems, [&](const MemVal &other) {
      return other.value == mem.value && !frees;
    });
}

void Generator::genAddressCompared() {
  bool isPlain = random.chance(50);
  auto one = pickAddress(isPlain), other = pickAddress(isPlain);
  if (!one || !other)
    return genAddressTaken();
  observeAddresses("compared", one->value, other->value, other->mem, isPlain);
}

void Generator::genAddressOfLater() {
  auto address = pickAddress(/*isPlain=*/random.chance(70));
  if (!address)
    return genAddressTaken();
  // Buffers that one pool with the first one is made for.
  for (unsigned k = random.below(4); k > 0; --k) {
    MemVal mem = makeFilled(palette[0]);
    read(mem, /*all=*/true);
    if (frees && canFree(mem.roots[0]))
      free(mem.roots[0]);
    else
      forget(mem.roots[0]);
  }
  compareWithNew("later", address->value, address->isPlain);
}

void Generator::genAddressStored() {
  auto address = pickAddress();
  if (!address)
    return genAddressTaken();
  MemVal table = allocate(MemRefType::get({2}, b.getIndexType()));
  Value index = makeIndex(random.below(2));
  make<memref::StoreOp>(address->value, table.value, index);
  compareWithNew("stored", make<memref::LoadOp>(table.value, index));
}

void Generator::genAddressLoop() {
  auto address = pickAddress(/*isPlain=*/random.chance(50));
  if (!address || isFull())
    return genAddressTaken();
  unsigned trips;
  Value upper = makeTripCount(trips);
  // The address of what an iteration made is compared by the next one only if
  // it is still allocated then.
  bool isCarried = !frees && !address->isPlain && random.chance(50);
  SmallVector<Value> inits = {scope.acc};
  if (isCarried)
    inits.push_back(address->value);
  auto loop = makeFor(upper, inits);
  {
    Nested nested(*this);
    enterLoop(loop, trips);
    position.level = nextLevel++;
    ++position.depth;
    Value before = isCarried ? loop.getRegionIterArgs().back() : address->value;
    MemVal fresh = makeFilled(palette[random.below(palette.size())]);
    Value next = before;
    if (hasBytes(fresh.getType())) {
      next = takeAddress(fresh);
      observeAddresses(isCarried ? "carried" : "loop", before, next, fresh,
                       address->isPlain);
    }
    read(fresh, /*all=*/true);
    if (!isFull())
      genStatements(1);
    freeLevel();
    SmallVector<Value> yields = {scope.acc};
    if (isCarried)
      yields.push_back(next);
    make<scf::YieldOp>(yields);
  }
  leaveLoop(loop);
}

void Generator::genAddressBranch() {
  auto address = pickAddress(/*isPlain=*/random.chance(50));
  if (!address || isFull())
    return genAddressTaken();
  auto ifOp =
      make<scf::IfOp>(TypeRange(b.getI64Type()), makeCondition(), true, true);
  for (Region &region : ifOp->getRegions()) {
    Nested nested(*this);
    b.setInsertionPointToEnd(&region.front());
    position.canBranch = false;
    position.level = nextLevel++;
    ++position.depth;
    compareWithNew("arm", address->value, address->isPlain);
    freeLevel();
    make<scf::YieldOp>(ValueRange(scope.acc));
  }
  b.setInsertionPointAfter(ifOp);
  scope.acc = ifOp.getResult(0);
}

void Generator::genAddressSelected() {
  auto one = pickAddress(), other = pickAddress();
  if (!one || !other)
    return genAddressTaken();
  Value address =
      make<arith::SelectOp>(makeCondition(), one->value, other->value);
  compareWithNew("selected", address);
}

void Generator::genAddressCall() {
  auto address = pickAddress();
  if (!address || addressCallees.empty() || position.work > 24)
    return genAddressTaken();
  features.insert("called");
  auto call =
      make<func::CallOp>(addressCallees[random.below(addressCallees.size())],
                         ValueRange({pickInt(), address->value}));
  accumulate(call.getResult(0));
  // The function returns it, too.
  if (random.chance(50))
    compareWithNew("returned", call.getResult(1));
}

void Generator::genAddressFunction(unsigned number) {
  SmallVector<Type> types = {b.getI64Type(), b.getIndexType()};
  b.setInsertionPointToEnd(module->getBody());
  auto funcOp = make<func::FuncOp>("address" + std::to_string(number),
                                   b.getFunctionType(types, types));
  funcOp.setPrivate();
  Block *entry = funcOp.addEntryBlock();
  beginCallee(entry);
  genStatements(random.below(4));
  compareWithNew("callee", entry->getArgument(1));
  freeLevel();
  make<func::ReturnOp>(ValueRange{scope.acc, entry->getArgument(1)});
  addressCallees.push_back(funcOp);
}

void Generator::genAddressWithin() {
  // Of a buffer and of a part of it, or with bytes that are promised.
  auto mem = pick([&](const MemVal &other) {
    return other.whole && other.roots.size() == 1 &&
           hasBytes(other.getType()) && canTouch(other, /*write=*/false) &&
           other.value.getDefiningOp<memref::AllocOp>();
  });
  if (!mem)
    return genAddressTaken();
  MemVal bytes =
      allocate(MemRefType::get({random.range(8, 64)}, b.getI8Type()));
  fill(bytes);
  int64_t size = bytes.getType().getDimSize(0);
  int64_t shift = random.range(0, size / 8) * 4;
  Value part =
      make<memref::ViewOp>(MemRefType::get({1}, b.getI32Type()), bytes.value,
                           makeIndex(shift), ValueRange());
  MemVal view = bytes;
  view.value = part;
  Value whole = takeAddress(bytes), within = takeAddress(view);
  switch (random.below(4)) {
  case 0:
    features.insert("within/distance");
    return accumulate(toInt(make<arith::SubIOp>(within, whole)));
  case 1:
    features.insert("within/order");
    return accumulate(compareInts(CmpIPredicate::ult, whole, within));
  case 2: {
    features.insert("within/hash");
    Value mixed = make<arith::MulIOp>(whole, makeIndex(0x9E3779B9));
    Value other = make<arith::MulIOp>(within, makeIndex(0x9E3779B9));
    return accumulate(toInt(make<arith::SubIOp>(other, mixed)));
  }
  default: {
    features.insert("within/alignment");
    Value low = makeIndex(roots[mem->roots[0]].alignment - 1);
    return accumulate(toInt(make<arith::AndIOp>(takeAddress(*mem), low)));
  }
  }
}
