// RUN: buffer-merge-opt %s --buffer-merge=scheduler=first-fit | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=first-fit alignment=1" | FileCheck %s --check-prefix=ONE
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=first-fit alignment=256" | FileCheck %s --check-prefix=LARGE

// The alignment of the pool is that of its most demanding slice; every slice is
// placed at a multiple of its own.

// 3 bytes and 28, alive at once: the second begins behind the first.
// CHECK-LABEL: func.func @option(
//       CHECK:   memref.alloc() {alignment = 64 : i64} : memref<301xi8>
//       CHECK:   %[[OFFSET:.*]] = arith.constant 64 : index
//       CHECK:   memref.view %{{.*}}[%[[OFFSET]]][] : memref<301xi8> to memref<7xf32>
//   ONE-LABEL: func.func @option(
//         ONE:   memref.alloc() {alignment = 4 : i64} : memref<301xi8>
//         ONE:   %[[OFFSET:.*]] = arith.constant 4 : index
//         ONE:   memref.view %{{.*}}[%[[OFFSET]]][] : memref<301xi8> to memref<7xf32>
// LARGE-LABEL: func.func @option(
//       LARGE:   memref.alloc() {alignment = 256 : i64} : memref<301xi8>
//       LARGE:   %[[OFFSET:.*]] = arith.constant 256 : index
//       LARGE:   memref.view %{{.*}}[%[[OFFSET]]][] : memref<301xi8> to memref<7xf32>
func.func @option(%x: f32, %y: i8, %i: index) {
  %a = memref.alloc() : memref<3xi8>
  %b = memref.alloc() : memref<7xf32>
  memref.store %y, %a[%i] : memref<3xi8>
  memref.store %x, %b[%i] : memref<7xf32>
  memref.store %y, %a[%i] : memref<3xi8>
  %c = memref.alloc() : memref<301xi8>
  memref.store %y, %c[%i] : memref<301xi8>
  return
}

// What the allocation asks for raises it, less than the option changes nothing.
// CHECK-LABEL: func.func @attribute(
//       CHECK:   memref.alloc() {alignment = 512 : i64} : memref<60xi8>
//   ONE-LABEL: func.func @attribute(
//         ONE:   memref.alloc() {alignment = 512 : i64} : memref<60xi8>
// LARGE-LABEL: func.func @attribute(
//       LARGE:   memref.alloc() {alignment = 512 : i64} : memref<60xi8>
func.func @attribute(%x: f32, %i: index) {
  %a = memref.alloc() {alignment = 512} : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() {alignment = 32} : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

// CHECK-LABEL: func.func @small_attribute(
//       CHECK:   memref.alloc() {alignment = 64 : i64} : memref<60xi8>
//   ONE-LABEL: func.func @small_attribute(
//         ONE:   memref.alloc() {alignment = 32 : i64} : memref<60xi8>
func.func @small_attribute(%x: f32, %i: index) {
  %a = memref.alloc() {alignment = 2} : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() {alignment = 32} : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

// What the program promises of a buffer holds for its slice.
// CHECK-LABEL: func.func @promises(
//       CHECK:   memref.alloc() {alignment = 256 : i64} : memref<60xi8>
//   ONE-LABEL: func.func @promises(
//         ONE:   memref.alloc() {alignment = 256 : i64} : memref<60xi8>
func.func @promises(%x: f32, %v: vector<4xf32>, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  %b = memref.assume_alignment %a, 256 : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  %c = memref.alloc() : memref<15xf32>
  vector.store %v, %c[%i] {alignment = 128 : i64} : memref<15xf32>, vector<4xf32>
  return
}

// ONE-LABEL: func.func @access(
//       ONE:   memref.alloc() {alignment = 128 : i64} : memref<60xi8>
func.func @access(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] {alignment = 128 : i64} : memref<15xf32>
  %c = memref.alloc() : memref<15xf32>
  memref.store %x, %c[%i] : memref<15xf32>
  return
}

// Natural alignment: that of the element type in LLVM.
// ONE-LABEL: func.func @natural(
//       ONE:   memref.alloc() {alignment = 16 : i64} : memref<112xi8>
func.func @natural(%x: vector<3xf32>, %y: f80, %i: index) {
  %a = memref.alloc() : memref<7xvector<3xf32>>
  memref.store %x, %a[%i] : memref<7xvector<3xf32>>
  %b = memref.alloc() : memref<7xf80>
  memref.store %y, %b[%i] : memref<7xf80>
  return
}

// ONE-LABEL: func.func @bytes(
//       ONE:   memref.alloc() {alignment = 1 : i64} : memref<7xi8>
func.func @bytes(%y: i8, %i: index) {
  %a = memref.alloc() : memref<7xi8>
  memref.store %y, %a[%i] : memref<7xi8>
  %b = memref.alloc() : memref<7xi8>
  memref.store %y, %b[%i] : memref<7xi8>
  return
}

// A promise that a callee makes holds for what it is given.
func.func private @assumes(%m: memref<5xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %a = memref.assume_alignment %m, 16 : memref<5xi32>
  %x = memref.load %a[%c0] : memref<5xi32>
  return %x : i32
}
func.func private @passes_on(%m: memref<5xi32>) -> i32 {
  %x = call @assumes(%m) : (memref<5xi32>) -> i32
  return %x : i32
}
// ONE-LABEL: func.func @promise_of_callee
//       ONE:   memref.alloc() {alignment = 16 : i64} : memref<36xi8>
//       ONE:   %[[C16:.*]] = arith.constant 16 : index
//       ONE:   memref.view %{{.*}}[%[[C16]]][] {{.*}} to memref<5xi32>
func.func @promise_of_callee(%v: i32, %i: index) -> i32 {
  %k = memref.alloc() : memref<1xi32>
  memref.store %v, %k[%i] : memref<1xi32>
  %p = memref.alloc() : memref<5xi32>
  memref.store %v, %p[%i] : memref<5xi32>
  %0 = call @passes_on(%p) : (memref<5xi32>) -> i32
  %q = memref.alloc() : memref<5xi32>
  memref.store %v, %q[%i] : memref<5xi32>
  %1 = call @passes_on(%q) : (memref<5xi32>) -> i32
  %x = memref.load %k[%i] : memref<1xi32>
  return %x : i32
}

// Below, %small may be anywhere, so that the pool shows what the other buffer needs.

// An access needs what the type needs that it is an access to, whatever was allocated.
// ONE-LABEL: func.func @view(
//       ONE:   memref.alloc() {alignment = 32 : i64} : memref<64xi8>
func.func @view(%y: i8, %v: vector<8xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %small = memref.alloc() : memref<3xi8>
  memref.store %y, %small[%i] : memref<3xi8>
  %a = memref.alloc() : memref<64xi8>
  %view = memref.view %a[%c0][] : memref<64xi8> to memref<2xvector<8xf32>>
  memref.store %v, %view[%i] : memref<2xvector<8xf32>>
  return
}

// A vector of two dimensions is an array of vectors.
// ONE-LABEL: func.func @type_cast(
//       ONE:   memref.alloc() {alignment = 16 : i64} : memref<64xi8>
func.func @type_cast(%y: i8, %v: vector<4x4xf32>, %i: index) {
  %small = memref.alloc() : memref<3xi8>
  memref.store %y, %small[%i] : memref<3xi8>
  %a = memref.alloc() : memref<4x4xf32>
  %view = vector.type_cast %a : memref<4x4xf32> to memref<vector<4x4xf32>>
  memref.store %v, %view[] : memref<vector<4x4xf32>>
  return
}

// A vector of no dimension has one element.
// ONE-LABEL: func.func @no_dimension(
//       ONE:   memref.alloc() {alignment = 4 : i64} : memref<64xi8>
func.func @no_dimension(%y: i8, %v: vector<f32>, %i: index) {
  %c0 = arith.constant 0 : index
  %small = memref.alloc() : memref<3xi8>
  memref.store %y, %small[%i] : memref<3xi8>
  %a = memref.alloc() : memref<64xi8>
  %view = memref.view %a[%c0][] : memref<64xi8> to memref<4xvector<f32>>
  memref.store %v, %view[%i] : memref<4xvector<f32>>
  return
}

// A vector of unknown length, and a memref, which is a struct of pointers.
// ONE-LABEL: func.func @no_size(
//       ONE:   memref.alloc() {alignment = 16 : i64} : memref<64xi8>
func.func @no_size(%y: i8, %v: vector<[4]xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %small = memref.alloc() : memref<3xi8>
  memref.store %y, %small[%i] : memref<3xi8>
  %a = memref.alloc() : memref<64xi8>
  %view = memref.view %a[%c0][] : memref<64xi8> to memref<1xvector<[4]xf32>>
  memref.store %v, %view[%i] : memref<1xvector<[4]xf32>>
  return
}
// ONE-LABEL: func.func @memref_element(
//       ONE:   memref.alloc() {alignment = 16 : i64} : memref<64xi8>
func.func @memref_element(%y: i8, %m: memref<?xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %small = memref.alloc() : memref<3xi8>
  memref.store %y, %small[%i] : memref<3xi8>
  %a = memref.alloc() : memref<64xi8>
  %view = memref.view %a[%c0][] : memref<64xi8> to memref<1xmemref<?xf32>>
  memref.store %m, %view[%i] : memref<1xmemref<?xf32>>
  return
}

// Several elements that are loaded at once need what one of them needs, and a view that
// nothing accesses needs nothing.
// ONE-LABEL: func.func @elements(
//       ONE:   memref.alloc() {alignment = 4 : i64} : memref<64xi8>
func.func @elements(%y: i8, %v: vector<8xf32>, %i: index) -> index {
  %c0 = arith.constant 0 : index
  %small = memref.alloc() : memref<3xi8>
  memref.store %y, %small[%i] : memref<3xi8>
  %a = memref.alloc() : memref<16xf32>
  vector.store %v, %a[%i] : memref<16xf32>, vector<8xf32>
  vector.transfer_write %v, %a[%i] {in_bounds = [true]} : vector<8xf32>, memref<16xf32>
  %view = vector.type_cast %a : memref<16xf32> to memref<vector<16xf32>>
  %p = memref.rank %view : memref<vector<16xf32>>
  return %p : index
}

// The data layout says what is natural.
module attributes {dlti.dl_spec = #dlti.dl_spec<f32 = dense<[128, 128]> : vector<2xi64>>} {
// ONE-LABEL: func.func @layout(
//       ONE:   memref.alloc() {alignment = 16 : i64} : memref<64xi8>
  func.func @layout(%y: i8, %x: f32, %i: index) {
    %c0 = arith.constant 0 : index
    %small = memref.alloc() : memref<3xi8>
    memref.store %y, %small[%i] : memref<3xi8>
    %a = memref.alloc() : memref<64xi8>
    %view = memref.view %a[%c0][] : memref<64xi8> to memref<4xf32>
    memref.store %x, %view[%i] : memref<4xf32>
    return
  }
}

// What a callee accesses counts where it is called.
func.func private @stores_view(%m: memref<64xi8>, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %view = memref.view %m[%c0][] : memref<64xi8> to memref<2xvector<8xf32>>
  memref.store %v, %view[%c0] : memref<2xvector<8xf32>>
  return
}
// ONE-LABEL: func.func @view_in_callee(
//       ONE:   memref.alloc() {alignment = 32 : i64} : memref<64xi8>
func.func @view_in_callee(%y: i8, %v: vector<8xf32>, %i: index) {
  %small = memref.alloc() : memref<3xi8>
  memref.store %y, %small[%i] : memref<3xi8>
  %a = memref.alloc() : memref<64xi8>
  call @stores_view(%a, %v) : (memref<64xi8>, vector<8xf32>) -> ()
  return
}

// A function without a body may take what malloc gives for granted.
func.func private @unknown(memref<64xi8>)
// ONE-LABEL: func.func @unknown_callee(
//       ONE:   memref.alloc() {alignment = 16 : i64} : memref<64xi8>
func.func @unknown_callee(%y: i8, %i: index) {
  %small = memref.alloc() : memref<3xi8>
  memref.store %y, %small[%i] : memref<3xi8>
  %a = memref.alloc() : memref<64xi8>
  call @unknown(%a) : (memref<64xi8>) -> ()
  return
}
