// RUN: buffer-merge-opt %s --buffer-merge="in-place=false alignment=64" --split-input-file | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false min-gain=0" --split-input-file | FileCheck %s --check-prefix=ANY
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false limit-peak=none" --split-input-file | FileCheck %s --check-prefixes=ANY,UNLIMITED
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false limit-peak=none min-gain=4KiB" --split-input-file | FileCheck %s --check-prefix=LARGE
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false min-gain=4KiB" --split-input-file | FileCheck %s --check-prefix=LARGE
// RUN: buffer-merge-opt %s --buffer-merge="in-place=false alignment=64" --split-input-file -o %t.mlir
// RUN: buffer-merge-opt %t.mlir --buffer-merge="in-place=false alignment=64" --split-input-file | diff %t.mlir -

// R4: what a pool must save.

// 4 bytes of 1 GiB: a pool would hold 1 GiB while the other function runs.

// CHECK-LABEL: func.func @tiny_gain
//   CHECK-NOT:   memref.view
//   ANY-LABEL: func.func @tiny_gain
//         ANY:   memref.alloc() {{.*}} : memref<1073741824xi8>
func.func @tiny_gain(%x: f32, %i: index, %out: memref<268435456xf32>) {
  %big = memref.alloc() : memref<268435456xf32>
  linalg.fill ins(%x : f32) outs(%big : memref<268435456xf32>)
  linalg.exp ins(%big : memref<268435456xf32>) outs(%out : memref<268435456xf32>)
  memref.dealloc %big : memref<268435456xf32>
  %small = memref.alloc() : memref<1xf32>
  memref.store %x, %small[%i] : memref<1xf32>
  %y = memref.load %small[%i] : memref<1xf32>
  func.call @long_running() : () -> ()
  memref.store %y, %small[%i] : memref<1xf32>
  memref.dealloc %small : memref<1xf32>
  return
}
func.func private @long_running()

// -----

// One percent is enough: 1 of 100 bytes, but not 1 of 101.

// CHECK-LABEL: func.func @one_percent
//       CHECK:   memref.alloc() {{.*}} : memref<99xi8>
// LARGE-LABEL: func.func @one_percent
//   LARGE-NOT:   memref.view
func.func @one_percent(%x: i8, %i: index) {
  %a = memref.alloc() : memref<99xi8>
  memref.store %x, %a[%i] : memref<99xi8>
  %b = memref.alloc() : memref<1xi8>
  memref.store %x, %b[%i] : memref<1xi8>
  return
}
// CHECK-LABEL: func.func @less
//   CHECK-NOT:   memref.view
// UNLIMITED-LABEL: func.func @less
//       UNLIMITED:   memref.alloc() {{.*}} : memref<100xi8>
func.func @less(%x: i8, %i: index) {
  %a = memref.alloc() : memref<100xi8>
  memref.store %x, %a[%i] : memref<100xi8>
  %b = memref.alloc() : memref<1xi8>
  memref.store %x, %b[%i] : memref<1xi8>
  return
}

// -----

// CHECK-LABEL: func.func @four_kib
// LARGE-LABEL: func.func @four_kib
//       LARGE:   memref.alloc() {{.*}} : memref<4096xi8>
func.func @four_kib(%x: f32, %i: index) {
  %a = memref.alloc() : memref<1024xf32>
  memref.store %x, %a[%i] : memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  memref.store %x, %b[%i] : memref<1024xf32>
  return
}

// -----

// An allocation takes its size rounded up to the alignment that it asks for: four
// scalars take 256 bytes, and a pool of two slots 128.

// CHECK-LABEL: func.func @scalars
//       CHECK:   memref.alloc() {alignment = 64 : i64} : memref<68xi8>
func.func @scalars(%x: f32, %out: memref<f32>) {
  %a = memref.alloc() {alignment = 64 : i64} : memref<f32>
  memref.store %x, %a[] : memref<f32>
  %b = memref.alloc() {alignment = 64 : i64} : memref<f32>
  memref.copy %a, %b : memref<f32> to memref<f32>
  %c = memref.alloc() {alignment = 64 : i64} : memref<f32>
  memref.copy %b, %c : memref<f32> to memref<f32>
  %d = memref.alloc() {alignment = 64 : i64} : memref<f32>
  memref.copy %c, %d : memref<f32> to memref<f32>
  memref.copy %d, %out : memref<f32> to memref<f32>
  return
}

// -----

// A pool for one buffer that is allocated 196,608 times saves no byte.

// CHECK-LABEL: func.func @executed_often
//       CHECK:   memref.alloc() {{.*}} : memref<512xi8>
//       CHECK:   scf.for
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @executed_often(%x: f32, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  scf.for %j = %c0 to %c256 step %c1 {
    affine.for %k = 0 to 768 {
      %a = memref.alloc() : memref<128xf32>
      memref.store %x, %a[%i] : memref<128xf32>
    }
  }
  return
}

// A pool is not larger than its buffers: with the alignment of the option, these take
// 8 bytes, and 68 in a pool.

// CHECK-LABEL: func.func @larger
//   CHECK-NOT:   memref.view
func.func @larger(%x: f32, %i: index) {
  affine.for %k = 0 to 768 {
    %a = memref.alloc() : memref<1xf32>
    memref.store %x, %a[%i] : memref<1xf32>
    %b = memref.alloc() : memref<1xf32>
    memref.store %x, %b[%i] : memref<1xf32>
    memref.store %x, %a[%i] : memref<1xf32>
  }
  return
}

// How often is not known here, and once is not more than outside of the loop.

// CHECK-LABEL: func.func @executed_sometimes
//   CHECK-NOT:   memref.view
func.func @executed_sometimes(%x: f32, %i: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<128xf32>
    memref.store %x, %a[%i] : memref<128xf32>
  }
  return
}
// CHECK-LABEL: func.func @executed_once
//   CHECK-NOT:   memref.view
func.func @executed_once(%x: f32, %i: index) {
  affine.for %j = 0 to 1 {
    %a = memref.alloc() : memref<128xf32>
    memref.store %x, %a[%i] : memref<128xf32>
  }
  return
}
// CHECK-LABEL: func.func @executed_in_a_branch
//   CHECK-NOT:   memref.view
func.func @executed_in_a_branch(%x: f32, %i: index, %c: i1) {
  affine.for %j = 0 to 768 {
    scf.if %c {
      %a = memref.alloc() : memref<128xf32>
      memref.store %x, %a[%i] : memref<128xf32>
    }
  }
  return
}

// An allocation that is executed again costs 16 bytes more, which must be worth
// holding the buffer: 1 MiB for 16 iterations is not.

// CHECK-LABEL: func.func @executed_too_rarely
//   CHECK-NOT:   memref.view
func.func @executed_too_rarely(%x: f32, %i: index) {
  affine.for %j = 0 to 16 {
    %a = memref.alloc() : memref<262144xf32>
    memref.store %x, %a[%i] : memref<262144xf32>
  }
  return
}

// -----

// What the largest buffer takes is no measure for what the others save: it stays.

// CHECK-LABEL: func.func @beside(
//   CHECK-DAG:   memref.alloc() {{.*}} : memref<64xi8>
//   CHECK-DAG:   memref.alloc() : memref<1048576xf32>
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @beside(%x: memref<16xf32>, %y: memref<1048576xf32>) {
  %large = memref.alloc() : memref<1048576xf32>
  linalg.exp ins(%y : memref<1048576xf32>) outs(%large : memref<1048576xf32>)
  %a = memref.alloc() : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  memref.copy %a, %x : memref<16xf32> to memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%b : memref<16xf32>)
  memref.copy %b, %x : memref<16xf32> to memref<16xf32>
  linalg.exp ins(%large : memref<1048576xf32>) outs(%y : memref<1048576xf32>)
  return
}
