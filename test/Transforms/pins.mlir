// RUN: split-file %s %t
// RUN: buffer-merge-opt %t/region.mlir --buffer-merge=target=%t/target.json | FileCheck %t/region.mlir
// RUN: buffer-merge-opt %t/region.mlir --buffer-lifetimes=target=%t/target.json -o /dev/null 2>&1 | FileCheck %t/region.mlir --check-prefix=SHOW
// RUN: buffer-merge-opt %t/region.mlir --buffer-merge=target=%t/target.json | buffer-merge-opt --buffer-merge=target=%t/target.json | FileCheck %t/region.mlir
// RUN: buffer-merge-opt %t/reserved.mlir --buffer-merge='target={"regions": [{"name": "ram", "bytes": 1024, "reserved": [{"begin": 0, "end": 256}]}]}' | FileCheck %t/reserved.mlir
// RUN: buffer-merge-opt %t/pool.mlir --buffer-merge | FileCheck %t/pool.mlir
// RUN: buffer-merge-opt %t/pool.mlir --buffer-merge='pool=global scheduler=bump' | FileCheck %t/pool.mlir --check-prefix=BUMP
// RUN: buffer-merge-opt %t/beside.mlir --buffer-merge | FileCheck %t/beside.mlir
// RUN: buffer-merge-opt %t/beside.mlir --buffer-merge=in-place | FileCheck %t/beside.mlir
// RUN: buffer-merge-opt %t/beside-regions.mlir --buffer-merge=target=%t/target.json | FileCheck %t/beside-regions.mlir
// RUN: buffer-merge-opt %t/in-place.mlir --buffer-merge=in-place | FileCheck %t/in-place.mlir
// RUN: buffer-merge-opt %t/functions.mlir --buffer-lifetimes=target=%t/target.json -o /dev/null 2>&1 | FileCheck %t/functions.mlir
// RUN: buffer-merge-opt %t/one.mlir --buffer-merge | FileCheck %t/one.mlir
// RUN: buffer-merge-opt %t/one.mlir --buffer-merge='target={"regions": [{"name": "ram", "bytes": 4096}]}' | FileCheck %t/one.mlir
// RUN: buffer-merge-opt %t/left-alone.mlir --buffer-merge=memory-spaces=sram | FileCheck %t/left-alone.mlir
// RUN: buffer-merge-opt %t/emplaced.mlir --emplace-buffers | FileCheck %t/emplaced.mlir
// RUN: buffer-merge-opt %t/carried.mlir --rotate-carried-buffers --buffer-merge | FileCheck %t/carried.mlir
// RUN: buffer-merge-opt %t/dynamic.mlir --buffer-merge | FileCheck %t/dynamic.mlir
// RUN: buffer-merge-opt %t/global.mlir --buffer-merge='pool=global target=%t/target.json' | FileCheck %t/global.mlir

//--- target.json
{"regions": [
  {"name": "fast", "bytes": 1024, "address": "0x1000"},
  {"name": "slow", "bytes": 4096, "address": "0x8000"}
]}
//--- region.mlir
// A buffer in the slow region although the fast one has room; one at a byte of it; one
// at an address. Views say the address of each, and keep the names alone.

// CHECK: memref.alloc() {{.*}}name = "fast", offset = 0 : i64
// CHECK: memref.alloc() {{.*}}name = "slow", offset = 0 : i64
// CHECK: memref.view {{.*}} {buffer_merge.address = {{[0-9]+}} : i64} : {{.*}} to memref<16xf32>
// CHECK: memref.view {{.*}} {buffer_merge.address = 33024 : i64} : {{.*}} to memref<17xf32>
// CHECK: memref.view {{.*}} {buffer_merge.address = 4608 : i64, buffer_merge.name = "c"} : {{.*}} to memref<18xf32>

// SHOW-DAG: 64 bytes, region slow, address 0x8
// SHOW-DAG: 68 bytes, region slow, address 0x8100
// SHOW-DAG: 72 bytes, region fast, address 0x1200
func.func @f(%x: f32) {
  %a = memref.alloc() {buffer_merge.region = "slow"} : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %b = memref.alloc() {buffer_merge.region = "slow", buffer_merge.offset = 256} : memref<17xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<17xf32>)
  %c = memref.alloc() {buffer_merge.address = 0x1200, buffer_merge.name = "c"} : memref<18xf32>
  linalg.fill ins(%x : f32) outs(%c : memref<18xf32>)
  return
}

//--- reserved.mlir
// A byte of the region, not of the pool, which begins behind reserved bytes.

// CHECK: memref.alloc() {{.*}}name = "ram", offset = 256 : i64
// CHECK: %[[AT:.*]] = arith.constant 256
// CHECK: memref.view %{{.*}}[%[[AT]]][] {{.*}} to memref<16xf32>
func.func @f(%x: f32) {
  %a = memref.alloc() {buffer_merge.region = "ram", buffer_merge.offset = 512} : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %b = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
  return
}

//--- pool.mlir
// Without a target, a byte of the pool.

// CHECK: memref.alloc() {{.*}} : memref<576xi8>
// CHECK: arith.constant 512
// BUMP: memref<{{[0-9]+}}xi8>
// BUMP: %[[AT:.*]] = arith.constant 512
// BUMP: memref.view %{{.*}}[%[[AT]]]
func.func @f(%x: f32) {
  %a = memref.alloc() {buffer_merge.offset = 512 : i32} : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %b = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
  return
}

//--- beside.mlir
// Four buffers one after the other could all have the first bytes. One has the bytes of
// another one; one has none of its bytes, and is behind them. A buffer that others name
// keeps its values together.

// CHECK: memref.alloc() {{.*}} : memref<[[#BYTES:]]xi8>
// CHECK: %[[C:.*]] = arith.constant [[#BYTES - 68]] : index
// CHECK: memref.view %{{.*}}[%[[A:.*]]][] {buffer_merge.name = "a"} : {{.*}} to memref<16xf32>
// CHECK: memref.view %{{.*}}[%[[A]]][] : {{.*}} to memref<32xf32>
// CHECK: memref.view %{{.*}}[%[[C]]][] : {{.*}} to memref<17xf32>
func.func @f(%x: f32, %out: memref<16xf32>) {
  %a = memref.alloc() {buffer_merge.name = "a"} : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  memref.copy %a, %out : memref<16xf32> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  memref.copy %a, %out : memref<16xf32> to memref<16xf32>
  %b = memref.alloc() {buffer_merge.together = "a"} : memref<32xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<32xf32>)
  %c = memref.alloc() {buffer_merge.apart = ["a"]} : memref<17xf32>
  linalg.fill ins(%x : f32) outs(%c : memref<17xf32>)
  return
}

//--- beside-regions.mlir
// The same in regions: both where the one is pinned to.

// CHECK: memref.alloc() {{.*}}name = "slow", offset = 0 : i64
// CHECK: memref.view {{.*}} {buffer_merge.address = 32832 : i64, buffer_merge.name = "a"}
// CHECK: memref.view {{.*}} {buffer_merge.address = 32832 : i64}
func.func @f(%x: f32, %out: memref<16xf32>) {
  %a = memref.alloc() {buffer_merge.name = "a", buffer_merge.address = 0x8040} : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  memref.copy %a, %out : memref<16xf32> to memref<16xf32>
  %b = memref.alloc() {buffer_merge.together = "a"} : memref<32xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<32xf32>)
  return
}

//--- in-place.mlir
// Two that meet in one operation, which works in place.

// CHECK: memref.alloc() {{.*}} : memref<64xi8>
func.func @f(%x: f32, %out: memref<16xf32>) {
  %a = memref.alloc() {buffer_merge.name = "a"} : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %b = memref.alloc() {buffer_merge.together = "a"} : memref<16xf32>
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  memref.copy %b, %out : memref<16xf32> to memref<16xf32>
  return
}

//--- functions.mlir
// The bytes that a later function asks for are kept free: what asks for none comes behind.

// CHECK: region fast, address 0x1040
// CHECK: region fast, address 0x1000
func.func @first(%x: f32) {
  %a = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  return
}
func.func @second(%x: f32) {
  %a = memref.alloc() {buffer_merge.region = "fast", buffer_merge.offset = 0} : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  return
}

//--- one.mlir
// One buffer that would have no pool. A target may have the space as one region.

// CHECK: memref.alloc() {{.*}} : memref<192xi8>
// CHECK: arith.constant 128
func.func @f(%x: f32) {
  %a = memref.alloc() {buffer_merge.offset = 128} : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  return
}

//--- left-alone.mlir
// A pass for another memory leaves the attributes for the next one.

// CHECK: memref.alloc() {buffer_merge.offset = 128 : i64} : memref<16xf32>
func.func @f(%x: f32) {
  %a = memref.alloc() {buffer_merge.offset = 128} : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %b = memref.alloc() : memref<16xf32, "sram">
  linalg.fill ins(%x : f32) outs(%b : memref<16xf32, "sram">)
  return
}

//--- emplaced.mlir
// A buffer that asks for a place does not become a part of another one.

// CHECK: memref.alloc() {buffer_merge.region = "fast"} : memref<16xf32>
// CHECK: memref.copy
func.func @f(%x: f32, %out: memref<32xf32>) {
  %a = memref.alloc() {buffer_merge.region = "fast"} : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %b = memref.alloc() : memref<32xf32>
  %part = memref.subview %b[0] [16] [1] : memref<32xf32> to memref<16xf32, strided<[1]>>
  %rest = memref.subview %b[16] [16] [1] : memref<32xf32> to memref<16xf32, strided<[1], offset: 16>>
  memref.copy %a, %part : memref<16xf32> to memref<16xf32, strided<[1]>>
  linalg.fill ins(%x : f32) outs(%rest : memref<16xf32, strided<[1], offset: 16>>)
  memref.copy %b, %out : memref<32xf32> to memref<32xf32>
  return
}

//--- global.mlir
// With pool=global, regions that do not say what their pools are made of have globals; a
// parallel loop has an allocation, which is in none.

// CHECK: memref.global "private" @f_fast_pool : memref<64xi8> = uninitialized {alignment = 64 : i64, buffer_merge.region = {address = 4096 : i64, name = "fast", offset = 0 : i64}}
// CHECK: memref.global "private" @f_slow_pool : memref<64xi8> = uninitialized
// CHECK: func.func @f
// CHECK-DAG: memref.get_global @f_fast_pool
// CHECK-DAG: memref.get_global @f_slow_pool
// CHECK: scf.forall
// CHECK-NEXT: memref.alloc() : memref<16xf32>
func.func @f(%x: f32) {
  %a = memref.alloc() {buffer_merge.region = "slow"} : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %b = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
  scf.forall (%i) in (4) {
    %c = memref.alloc() : memref<16xf32>
    linalg.fill ins(%x : f32) outs(%c : memref<16xf32>)
  }
  return
}

//--- carried.mlir
// A buffer that a loop carries gets no slots: two of them would have its name.

// CHECK: scf.for
// CHECK-NEXT: memref.alloc() {buffer_merge.name = "a"} : memref<16xf32>
func.func @f(%x: f32, %n: index, %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%first : memref<16xf32>)
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%old = %first) -> (memref<16xf32>) {
    %a = memref.alloc() {buffer_merge.name = "a"} : memref<16xf32>
    linalg.exp ins(%old : memref<16xf32>) outs(%a : memref<16xf32>)
    scf.yield %a : memref<16xf32>
  }
  memref.copy %last, %out : memref<16xf32> to memref<16xf32>
  %b = memref.alloc() {buffer_merge.apart = "a"} : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
  memref.copy %b, %out : memref<16xf32> to memref<16xf32>
  return
}

//--- dynamic.mlir
// Nor is a buffer that shall share no byte with another one in a pool of run-time size.

// CHECK: memref.alloc(%{{.*}}) {buffer_merge.name = "a"} : memref<?xf32>
// CHECK: memref.alloc(%{{.*}}) {buffer_merge.apart = "a"} : memref<?xf32>
func.func @f(%n: index, %x: f32, %out: memref<?xf32>) {
  %a = memref.alloc(%n) {buffer_merge.name = "a"} : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
  memref.copy %a, %out : memref<?xf32> to memref<?xf32>
  %b = memref.alloc(%n) {buffer_merge.apart = "a"} : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<?xf32>)
  memref.copy %b, %out : memref<?xf32> to memref<?xf32>
  return
}
