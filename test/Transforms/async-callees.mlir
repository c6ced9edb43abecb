// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s

// A buffer that comes back inside a value of another type stays; so does one that a
// callee may access when it has returned. The others share.

func.func private @wrap(%m: memref<16xf32>) -> !async.value<memref<16xf32>> {
  %t, %v = async.execute -> !async.value<memref<16xf32>> {
    async.yield %m : memref<16xf32>
  }
  return %v : !async.value<memref<16xf32>>
}

// CHECK-LABEL: func.func @wrapped(
//       CHECK:   memref.alloc() {{.*}} : memref<64xi8>
//       CHECK:   %[[A:.*]] = memref.alloc() : memref<16xf32>
//   CHECK-NOT:   memref.alloc
//       CHECK:   call @wrap(%[[A]])
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @wrapped(%x: f32, %i: index) -> f32 {
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %v = call @wrap(%a) : (memref<16xf32>) -> !async.value<memref<16xf32>>
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  %c = memref.alloc() : memref<16xf32>
  memref.store %x, %c[%i] : memref<16xf32>
  %m = async.await %v : !async.value<memref<16xf32>>
  %y = memref.load %m[%i] : memref<16xf32>
  return %y : f32
}

// A declaration that is given a group: the buffer is in use to the end.
func.func private @start(memref<16xf32>, !async.group)
// CHECK-LABEL: func.func @group(
//       CHECK:   memref.alloc() {{.*}} : memref<128xi8>
//   CHECK-NOT:   memref.alloc
//       CHECK:   return
func.func @group(%n: index, %x: f32, %i: index) {
  %g = async.create_group %n : !async.group
  %a = memref.alloc() : memref<16xf32>
  func.call @start(%a, %g) : (memref<16xf32>, !async.group) -> ()
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  %c = memref.alloc() : memref<16xf32>
  memref.store %x, %c[%i] : memref<16xf32>
  return
}
