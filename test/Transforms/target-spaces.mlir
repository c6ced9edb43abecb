// RUN: split-file %s %t
// RUN: buffer-merge-opt %t/move.mlir --buffer-merge='target=%t/two.json' -o %t/moved.mlir
// RUN: FileCheck %t/move.mlir < %t/moved.mlir
// RUN: buffer-merge-opt %t/moved.mlir --buffer-merge='target=%t/two.json' | diff %t/moved.mlir -
// RUN: sed s/any/own/ %t/two.json > %t/own.json
// RUN: buffer-merge-opt %t/move.mlir --buffer-merge=target=%t/own.json | FileCheck %t/move.mlir --check-prefix=OWN
// RUN: buffer-merge-opt %t/move.mlir --buffer-lifetimes='target=%t/two.json' -o /dev/null 2>&1 | FileCheck %t/move.mlir --check-prefix=SHOW
// RUN: buffer-merge-opt %t/move.mlir --buffer-merge='target=%t/equal.json' | FileCheck %t/move.mlir --check-prefix=EQUAL

// RUN: buffer-merge-opt %t/stay.mlir --allow-unregistered-dialect --buffer-lifetimes='target=%t/two.json' -o /dev/null 2>&1 | FileCheck %t/stay.mlir
// RUN: buffer-merge-opt %t/stay.mlir --allow-unregistered-dialect --buffer-merge='target=%t/two.json' | FileCheck %t/stay.mlir --check-prefix=IR
// RUN: buffer-merge-opt %t/uses.mlir --buffer-merge='target=%t/two.json' | FileCheck %t/uses.mlir

// RUN: buffer-merge-opt %t/full.mlir --buffer-merge='target=%t/full.json' | FileCheck %t/full.mlir
// RUN: buffer-merge-opt %t/later.mlir --buffer-merge='target=%t/full.json' | FileCheck %t/later.mlir
// RUN: not buffer-merge-opt %t/over.mlir --buffer-merge='target=%t/full.json' 2>&1 | FileCheck %t/over.mlir
// RUN: buffer-merge-opt %t/device.mlir --buffer-merge='target=%t/device.json' | FileCheck %t/device.mlir
// RUN: not buffer-merge-opt %t/move.mlir --buffer-merge='target={"places": "any"}' 2>&1 | FileCheck %t/move.mlir --check-prefix=ERROR

//--- two.json
{"places": "any", "regions": [
  {"name": "tcm", "space": "fast", "bytes": 4096, "readCost": 1, "writeCost": 1},
  {"name": "ddr", "bytes": "1MiB", "readCost": 3, "writeCost": 3}
]}
//--- equal.json
{"places": "any", "regions": [
  {"name": "tcm", "space": "fast", "bytes": 4096},
  {"name": "ddr", "bytes": "1MiB"}
]}
//--- full.json
{"places": "any", "regions": [
  {"name": "tcm", "space": "fast", "bytes": 64, "readCost": 1, "writeCost": 1},
  {"name": "ddr", "bytes": 64, "readCost": 3, "writeCost": 3}
]}
//--- device.json
{"places": "any", "regions": [
  {"name": "shared", "space": "workgroup", "bytes": 4096, "readCost": 1, "writeCost": 1},
  {"name": "ddr", "bytes": "1MiB", "readCost": 3, "writeCost": 3}
]}

//--- move.mlir
// Both spaces share the pool in the region that costs less. A second run changes nothing.

//      CHECK: %[[POOL:.*]] = memref.alloc() {alignment = 64 : i64, buffer_merge.region = {name = "tcm", offset = 0 : i64}} : memref<128xi8, "fast">
//  CHECK-NOT: memref.alloc
//      CHECK: %[[A:.*]] = memref.view %[[POOL]]{{.*}} : memref<128xi8, "fast"> to memref<16xf32, "fast">
//      CHECK: %[[B:.*]] = memref.view %[[POOL]]{{.*}} : memref<128xi8, "fast"> to memref<16xf32, "fast">
//      CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[A]] : memref<16xf32, "fast">)
//      CHECK: linalg.add ins(%[[A]], %[[A]] : memref<16xf32, "fast">, memref<16xf32, "fast">) outs(%[[B]] : memref<16xf32, "fast">)
//      CHECK: memref.copy %[[B]], %{{.*}} : memref<16xf32, "fast"> to memref<16xf32>
//  CHECK-NOT: memref.dealloc %[[A]]
//        OWN: memref.alloc() : memref<16xf32>
//        OWN: memref.alloc() : memref<16xf32, "fast">
//       SHOW: region tcm instead of memory space default{{$}}
//       SHOW: region tcm{{$}}
//       SHOW: pool in memory space "fast" in region tcm: 2 buffers of 128 bytes
//  EQUAL-DAG: memref.view {{.*}} to memref<16xf32>
//  EQUAL-DAG: memref.view {{.*}} to memref<16xf32, "fast">
//      ERROR: error: target:1:12: places any needs regions
func.func @move(%x: f32, %out: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32, "fast">
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  linalg.add ins(%a, %a : memref<16xf32>, memref<16xf32>) outs(%b : memref<16xf32, "fast">)
  memref.copy %b, %out : memref<16xf32, "fast"> to memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  memref.dealloc %b : memref<16xf32, "fast">
  return
}

//--- stay.mlir
// What keeps a buffer where it is.

//     IR-NOT: "fast"
// CHECK-NOT: instead of memory space
func.func private @use(memref<16xf32>)

// CHECK: region ddr, stays in its memory space for 'memref.subview'
func.func @subview(%x: f32) {
  %a = memref.alloc() : memref<16xf32>
  %s = memref.subview %a[0] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1]>>
  linalg.fill ins(%x : f32) outs(%s : memref<8xf32, strided<[1]>>)
  return
}
// CHECK: region ddr, stays in its memory space for 'memref.cast'
func.func @cast(%x: f32) {
  %a = memref.alloc() : memref<16xf32>
  %s = memref.cast %a : memref<16xf32> to memref<?xf32>
  linalg.fill ins(%x : f32) outs(%s : memref<?xf32>)
  return
}
// CHECK: region ddr, stays in its memory space for 'func.call'
func.func @call() {
  %a = memref.alloc() : memref<16xf32>
  call @use(%a) : (memref<16xf32>) -> ()
  return
}
// CHECK: region ddr, stays in its memory space for 'scf.yield'
func.func @terminator(%c: i1, %x: f32, %b: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  %r = scf.if %c -> memref<16xf32> {
    scf.yield %a : memref<16xf32>
  } else {
    scf.yield %b : memref<16xf32>
  }
  linalg.fill ins(%x : f32) outs(%r : memref<16xf32>)
  return
}
// CHECK: region ddr, stays in its memory space for 'cf.br'
func.func @branch(%x: f32) {
  %a = memref.alloc() : memref<16xf32>
  cf.br ^next(%a : memref<16xf32>)
^next(%r: memref<16xf32>):
  linalg.fill ins(%x : f32) outs(%r : memref<16xf32>)
  return
}
// CHECK: region ddr, stays in its memory space for 'npu.run'
func.func @promise() {
  %a = memref.alloc() : memref<16xf32>
  "npu.run"(%a) {buffer_merge.no_capture} : (memref<16xf32>) -> ()
  return
}
// CHECK: region ddr, stays in its memory space for 'memref.atomic_rmw'
func.func @atomic(%x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xf32>
  %old = memref.atomic_rmw addf %x, %a[%c0] : (f32, memref<16xf32>) -> f32
  return
}
// CHECK: region ddr, stays in its memory space for 'memref.store'
func.func @kernel(%x: f32) {
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<16xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %x, %a[%tx] : memref<16xf32>
    gpu.terminator
  }
  return
}
// CHECK: region ddr, stays in its memory space for 'omp.parallel'
func.func @region(%x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xf32>
  omp.parallel {
    memref.store %x, %a[%c0] : memref<16xf32>
    omp.terminator
  }
  return
}
// CHECK: region ddr, stays in its memory space for 'memref.alloc'
func.func @layout(%x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<2x8xf32, strided<[8, 1]>>
  memref.store %x, %a[%c0, %c0] : memref<2x8xf32, strided<[8, 1]>>
  return
}

//--- uses.mlir
// Every use that lets a buffer leave.

//   CHECK-NOT: memref<16xf32>
//       CHECK: memref.alloc() {{.*}} : memref<64xi8, "fast">
//       CHECK: memref.store {{.*}} : memref<16xf32, "fast">
//       CHECK: affine.store {{.*}} : memref<16xf32, "fast">
//       CHECK: affine.vector_store {{.*}} : memref<16xf32, "fast">
//       CHECK: vector.store {{.*}} : memref<16xf32, "fast">
//       CHECK: vector.transfer_write {{.*}} : vector<4xf32>, memref<16xf32, "fast">
//       CHECK: vector.maskedstore {{.*}} : memref<16xf32, "fast">
//       CHECK: vector.maskedload {{.*}} : memref<16xf32, "fast">
//       CHECK: vector.transfer_read {{.*}} : memref<16xf32, "fast">
//       CHECK: vector.load {{.*}} : memref<16xf32, "fast">
//       CHECK: affine.vector_load {{.*}} : memref<16xf32, "fast">
//       CHECK: affine.load {{.*}} : memref<16xf32, "fast">
//       CHECK: scf.for
//       CHECK: memref.load {{.*}} : memref<16xf32, "fast">
func.func @uses(%x: f32, %m: vector<4xi1>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = vector.broadcast %x : f32 to vector<4xf32>
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%c0] : memref<16xf32>
  affine.store %x, %a[1] : memref<16xf32>
  affine.vector_store %v, %a[4] : memref<16xf32>, vector<4xf32>
  vector.store %v, %a[%c4] : memref<16xf32>, vector<4xf32>
  vector.transfer_write %v, %a[%c4] : vector<4xf32>, memref<16xf32>
  vector.maskedstore %a[%c4], %m, %v : memref<16xf32>, vector<4xi1>, vector<4xf32>
  %v0 = vector.maskedload %a[%c4], %m, %v : memref<16xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %v1 = vector.transfer_read %a[%c4], %x : memref<16xf32>, vector<4xf32>
  %v2 = vector.load %a[%c4] : memref<16xf32>, vector<4xf32>
  %v3 = affine.vector_load %a[4] : memref<16xf32>, vector<4xf32>
  %f = affine.load %a[1] : memref<16xf32>
  %d = memref.dim %a, %c0 : memref<16xf32>
  %r = scf.for %i = %c0 to %d step %c1 iter_args(%s = %f) -> f32 {
    %l = memref.load %a[%i] : memref<16xf32>
    %t = arith.addf %s, %l : f32
    scf.yield %t : f32
  }
  %w0 = arith.addf %v0, %v1 : vector<4xf32>
  %w1 = arith.addf %v2, %v3 : vector<4xf32>
  %w2 = arith.addf %w0, %w1 : vector<4xf32>
  %e = vector.extract %w2[0] : f32 from vector<4xf32>
  %q = arith.addf %r, %e : f32
  return %q : f32
}

//--- full.mlir
// The own space has no room for %b. %a moves less, but nothing else may move: a call keeps %b.

//  CHECK-DAG: %[[FAST:.*]] = memref.alloc() {{.*}} : memref<64xi8, "fast">
//  CHECK-DAG: %[[SLOW:.*]] = memref.alloc() {{.*}} : memref<64xi8>
//  CHECK-DAG: memref.view %[[FAST]]{{.*}} to memref<16xf32, "fast">
//  CHECK-DAG: memref.view %[[SLOW]]{{.*}} to memref<16xf32>
func.func private @use(memref<16xf32>)
func.func @full(%x: f32) {
  %a = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %b = memref.alloc() : memref<16xf32>
  call @use(%b) : (memref<16xf32>) -> ()
  linalg.copy ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  return
}

//--- later.mlir
// If %a moved, %b would have no room. So it stays.

//      CHECK: func @first
//      CHECK: memref.view {{.*}} to memref<16xf32>
//      CHECK: func @later
//      CHECK: memref.view {{.*}} to memref<16xf32, "fast">
func.func private @use(memref<16xf32, "fast">)
func.func @first(%x: f32) {
  %a = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  return
}
func.func @later() {
  %b = memref.alloc() : memref<16xf32, "fast">
  call @use(%b) : (memref<16xf32, "fast">) -> ()
  return
}

//--- over.mlir
// Buffers that fit nowhere count in their own space.

// CHECK: error: pool of 'func.func' in region ddr needs 128 bytes, its capacity is 64
// CHECK-NOT: error
func.func private @use(memref<16xf32>, memref<16xf32>)
func.func @over() {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  call @use(%a, %b) : (memref<16xf32>, memref<16xf32>) -> ()
  return
}

//--- device.mlir
// Workgroup memory is no place for buffers of the host.

// CHECK: memref.view {{.*}} to memref<16xf32>
func.func @host(%x: f32) {
  %a = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  return
}
