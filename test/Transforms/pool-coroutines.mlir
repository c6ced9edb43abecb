// RUN: buffer-merge-opt %s --async-to-async-runtime --buffer-merge='pool=arena limit-peak=none' | FileCheck %s
// RUN: buffer-merge-opt %s --async-to-async-runtime --convert-async-to-llvm --buffer-merge='pool=arena limit-peak=none' | FileCheck %s

// Two coroutines call a function: no memory of their caller can be the pool of both
// calls. The function that starts them has an arena.

// CHECK-LABEL: func.func private @work(
//   CHECK-NOT:   memref<?xi8>
//       CHECK:   memref.alloc() {{.*}} : memref<64xi8>
func.func private @work(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%i] : memref<16xf32>
  return
}

// CHECK-LABEL: func.func @two_tasks(
//  CHECK-SAME:   %[[ARENA:[a-z0-9]+]]: memref<?xi8>
//       CHECK:   memref.view %[[ARENA]]
func.func @two_tasks(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  %t = async.execute {
    func.call @work(%x, %i) : (f32, index) -> ()
    async.yield
  }
  %u = async.execute {
    func.call @work(%x, %i) : (f32, index) -> ()
    async.yield
  }
  async.await %t : !async.token
  async.await %u : !async.token
  return
}
